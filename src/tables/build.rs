//! Builds tables: layer by layer, each file written once it is whole; a build that was interrupted goes on with the
//! layer it was in.

use super::file::{self, FileError, Header};
use super::layer::Layer;
use super::layout::Layout;
use super::probe::Table;
use super::solver::{self, Below, Finished, Solver};
use super::symmetry::canonical;
use super::value::Value;
use crate::rules::{GOATS, HERDS, RuleSet};
use std::path::PathBuf;
use std::{fmt, fs, io};

/// What is to be built.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The rules.
    pub rules: &'static RuleSet,
    /// The folder, which is made if it is not there.
    pub dir: PathBuf,
    /// Most goats in a position, herds included; more than 20 are 20.
    pub goats: u32,
    /// Most herds of two or more, 0 to 4.
    pub herds: usize,
    /// Only this layer, those that it leads to being there.
    pub layer: Option<Layer>,
    /// Whether the tables have distances.
    pub distances: bool,
    /// Bytes of memory that may be used.
    pub memory: u64,
    /// Threads, at least 1. The files are the same with any number.
    pub threads: usize,
}

impl Plan {
    /// The layers that the plan is for, each after those it leads to. Of those that symmetries turn into each other
    /// there is one.
    pub fn layers(&self) -> Vec<Layer> {
        if let Some(layer) = self.layer {
            return vec![canonical(self.rules, layer).0];
        }
        let mut layers = Layer::all(self.herds.min(HERDS), self.goats.min(GOATS));
        layers.retain(|layer| canonical(self.rules, *layer).0 == *layer);
        layers
    }

    /// The layers whose tables a layer's positions lead to, by the state of the solver's chains.
    fn below(&self, layer: Layer) -> Vec<(u8, Layer)> {
        let states = solver::states(self.rules, layer).into_iter().filter(|state| *state != 0);
        states.filter_map(|state| Some((state, solver::lowered(layer, state)?))).collect()
    }

    /// The layers (those that have tables) that must be there before a layer can be solved.
    pub fn needs(&self, layer: Layer) -> Vec<Layer> {
        let mut needs: Vec<Layer> = self.below(layer).iter().map(|(_, next)| canonical(self.rules, *next).0).collect();
        needs.sort_unstable();
        needs.dedup();
        needs
    }

    fn layout(&self, layer: Layer) -> Layout {
        Layout::new(self.rules, layer, self.goats.min(GOATS))
    }

    /// Bytes of memory that solving a layer takes, but for a few percent.
    pub fn memory_for(&self, layer: Layer) -> u64 {
        let digits = Value::digits(self.rules) + if self.distances { 8 } else { 0 };
        let below = self.below(layer).into_iter().map(|(state, next)| {
            let sides = if state.count_ones() == 1 { 2 } else { 1 };
            sides * Finished::bytes(&self.layout(next), digits)
        });
        Solver::bytes(self.rules, &self.layout(layer), self.distances) + below.sum::<u64>()
    }
}

/// How far a build is.
#[derive(Copy, Clone, Debug)]
pub struct Progress {
    /// The layer being solved, or just finished.
    pub layer: Layer,
    /// Layers finished, and layers in all.
    pub layers: (usize, usize),
    /// How far the layer is: questions asked and in all, ply and positions found.
    pub solver: solver::Progress,
    /// Positions solved in this run (both sides to move, those that symmetries turn into each other all counted), and
    /// positions that this run has to solve.
    pub positions: (u64, u64),
    /// Positions of the layer.
    pub size: u64,
    /// Whether the layer is finished.
    pub is_finished: bool,
}

/// Why a build has failed.
#[derive(Debug)]
pub enum BuildError {
    /// A file or folder can't be read or written, or was damaged since it was checked.
    File(PathBuf, FileError),
    /// A layer takes more memory than allowed: bytes needed and allowed.
    Memory(Layer, u64, u64),
    /// A layer has positions whose distance is too long for the format.
    Distance(Layer),
}

impl fmt::Display for BuildError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let giga = |bytes: &u64| *bytes as f64 / f64::from(1 << 30);
        match self {
            Self::File(path, error) => write!(f, "{}: {error}", path.display()),
            Self::Memory(layer, needed, allowed) => write!(
                f,
                "layer {layer} takes {:.2} GB of memory, more than the {:.2} GB allowed",
                giga(needed),
                giga(allowed)
            ),
            Self::Distance(layer) => {
                write!(f, "layer {layer} has distances of more than {} plies, too long for a table", solver::LONGEST)
            }
        }
    }
}

impl std::error::Error for BuildError {}

/// Whether the layer's file is there and sound, every block of it, and has what is wanted.
fn is_built(plan: &Plan, layer: Layer) -> bool {
    let path = file::path(&plan.dir, plan.rules, layer);
    let checked = Table::open(&plan.dir, plan.rules, layer).and_then(|table| {
        let header = *table.file().header();
        (0..header.blocks()).try_for_each(|block| table.file().block(block).map(drop)).map(|()| header)
    });
    match checked {
        Ok(header) => header.goats >= plan.goats.min(GOATS) && (header.has_distances || !plan.distances),
        Err(FileError::Io(error)) if error.kind() == io::ErrorKind::NotFound => false,
        Err(error) => {
            log::warn!("{}: {error}; built anew", path.display());
            false
        }
    }
}

/// Builds what is not there yet; calls `progress` after each ply and each layer.
///
/// # Errors
/// If a layer does not fit in memory, or a file can't be read or written.
pub fn build(plan: &Plan, mut progress: impl FnMut(&Progress)) -> Result<(), BuildError> {
    fs::create_dir_all(&plan.dir).map_err(|error| BuildError::File(plan.dir.clone(), error.into()))?;
    let layers = plan.layers();
    let missing: Vec<Layer> = layers.iter().copied().filter(|layer| !is_built(plan, *layer)).collect();
    let size = |layer: &Layer| {
        let layout = plan.layout(*layer);
        // All images of the layer are solved with it.
        let images = Layer::all(HERDS, GOATS).into_iter().filter(|image| canonical(plan.rules, *image).0 == *layer);
        layout.positions() * images.count() as u64
    };
    let mut state = Progress {
        layer: Layer::FLAT,
        layers: (layers.len() - missing.len(), layers.len()),
        solver: solver::Progress { questions: (0, 1), ply: 0, found: 0 },
        positions: (0, missing.iter().map(size).sum()),
        size: 0,
        is_finished: false,
    };
    for layer in missing {
        state = Progress { layer, size: size(&layer), is_finished: false, ..state };
        build_layer(plan, layer, |solver| progress(&Progress { solver, ..state }))?;
        state.layers.0 += 1;
        state.positions.0 += state.size;
        state.is_finished = true;
        progress(&state);
    }
    Ok(())
}

fn build_layer(plan: &Plan, layer: Layer, progress: impl FnMut(solver::Progress)) -> Result<(), BuildError> {
    let needed = plan.memory_for(layer);
    if needed > plan.memory {
        return Err(BuildError::Memory(layer, needed, plan.memory));
    }
    let read = |(jumped, next): (u8, Layer)| {
        let stored = canonical(plan.rules, next).0;
        let all = Table::open(&plan.dir, plan.rules, stored).and_then(|table| {
            let header = table.file().header();
            if header.goats < plan.goats.min(GOATS) || plan.distances && !header.has_distances {
                return Err(FileError::Damaged("not all that is needed: fewer goats, or no distances".to_owned()));
            }
            let side = |side| Finished::read(&table, side, plan.layout(next), plan.distances);
            let black = if jumped.count_ones() == 1 { Some(side(1)?) } else { None };
            Ok(Below { jumped, white: side(0)?, black })
        });
        all.map_err(|error| BuildError::File(file::path(&plan.dir, plan.rules, stored), error))
    };
    let below = plan.below(layer).into_iter().map(read).collect::<Result<Vec<_>, _>>()?;
    let mut solver = Solver::new(plan.rules, plan.layout(layer), below, plan.threads, plan.distances);
    solver.solve(progress).ok_or(BuildError::Distance(layer))?;
    let layout = solver.layout();
    let header = Header::new(plan.rules, layer, plan.goats.min(GOATS), 2 * layout.numbers(), plan.distances);
    let path = file::path(&plan.dir, plan.rules, layer);
    file::write(&path, plan.rules, &header, plan.threads, |number| solver.block(number))
        .map_err(|error| BuildError::File(path, error))
}
