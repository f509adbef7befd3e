//! Builds tables: layer by layer, each file written once it is whole; a build that was interrupted goes on with the
//! layer it was in.

use crate::rules::{GOATS, HERDS, RuleSet};
use crate::tablebase::file::{self, Draft, FileError, Header};
use crate::tablebase::layer::Layer;
use crate::tablebase::layout::Layout;
use crate::tablebase::probe::LayerTable;
use crate::tablebase::solver::{self, Below, Needed, Solver};
use crate::tablebase::symmetry::{canonical, images};
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

    /// The layers (those that have tables) that must be there before a layer can be solved.
    pub fn needs(&self, layer: Layer) -> Vec<Layer> {
        let below = solver::below(self.rules, layer);
        let mut needs: Vec<Layer> = below.iter().map(|(_, next)| canonical(self.rules, *next).0).collect();
        needs.sort_unstable();
        needs.dedup();
        needs
    }

    fn layout(&self, layer: Layer) -> Layout {
        Layout::new(self.rules, layer, self.goats.min(GOATS))
    }

    /// The arrangement of a layer, and what is needed of those that its positions lead to.
    fn layouts(&self, layer: Layer) -> (Layout, Vec<Needed>) {
        let own = self.layout(layer);
        let needed = Needed::of(self.rules, &own, |layer| self.layout(layer));
        (own, needed)
    }

    /// Bytes of memory that solving a layer takes, but for a few percent.
    pub fn memory_for(&self, layer: Layer) -> u64 {
        let (own, needed) = self.layouts(layer);
        Solver::bytes(self.rules, &own, &needed, self.threads, self.distances)
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
        match self {
            Self::File(path, error) => write!(f, "{}: {error}", path.display()),
            Self::Memory(layer, needed, allowed) => write!(
                f,
                "layer {layer} takes {} of memory, more than the {} allowed",
                in_bytes(*needed),
                in_bytes(*allowed)
            ),
            Self::Distance(layer) => {
                write!(f, "layer {layer} has distances of more than {} plies, too long for a table", solver::LONGEST)
            }
        }
    }
}

impl std::error::Error for BuildError {}

/// A number of bytes for people: `1.25 GB`, `17.3 MB`.
pub fn in_bytes(bytes: u64) -> String {
    match bytes as f64 {
        giga if giga >= 1e9 => format!("{:.2} GB", giga / f64::from(1 << 30)),
        mega if mega >= 1e5 => format!("{:.1} MB", mega / f64::from(1 << 20)),
        _ => format!("{bytes} bytes"),
    }
}

/// Whether the layer's file is there and sound, every block of it, and has what is wanted.
///
/// # Errors
/// If it can't be read.
fn is_built(plan: &Plan, layer: Layer) -> Result<bool, BuildError> {
    let path = file::path(&plan.dir, plan.rules, layer);
    let checked = LayerTable::open(&plan.dir, plan.rules, layer).and_then(|table| {
        lacks(plan, &table)?;
        table.check(plan.threads)
    });
    match checked {
        Ok(()) => Ok(true),
        Err(FileError::Lacking(_)) => Ok(false),
        Err(FileError::Io(error)) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(FileError::Io(error)) => Err(BuildError::File(path, error.into())),
        Err(error @ FileError::Damaged(_)) => {
            log::warn!("{}: {error}; built anew", path.display());
            Ok(false)
        }
    }
}

/// What a table lacks of what is wanted, as an error.
fn lacks(plan: &Plan, table: &LayerTable) -> Result<(), FileError> {
    let (header, goats) = (table.file().header(), plan.goats.min(GOATS));
    if header.goats < goats {
        return Err(FileError::Lacking(format!("found positions with up to {} goats, expected {goats}", header.goats)));
    }
    if plan.distances && !header.has_distances {
        return Err(FileError::Lacking("found values only, expected distances".to_owned()));
    }
    Ok(())
}

/// Builds what is not there yet; calls `progress` after each ply and each layer.
///
/// # Errors
/// If a layer does not fit in memory, or a file can't be read or written.
pub fn build(plan: &Plan, mut progress: impl FnMut(&Progress)) -> Result<(), BuildError> {
    fs::create_dir_all(&plan.dir).map_err(|error| BuildError::File(plan.dir.clone(), error.into()))?;
    let layers = plan.layers();
    let mut missing = Vec::new();
    for layer in layers.iter().copied() {
        if !is_built(plan, layer)? {
            missing.push(layer);
        }
    }
    // What can't be done should not be found out after hours.
    missing.iter().try_for_each(|layer| fits(plan, *layer))?;
    let size = |layer: &Layer| {
        let layout = plan.layout(*layer);
        // All images of the layer are solved with it.
        layout.positions() * images(plan.rules, *layer)
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

fn fits(plan: &Plan, layer: Layer) -> Result<(), BuildError> {
    let needed = plan.memory_for(layer);
    if needed > plan.memory { Err(BuildError::Memory(layer, needed, plan.memory)) } else { Ok(()) }
}

fn build_layer(plan: &Plan, layer: Layer, progress: impl FnMut(solver::Progress)) -> Result<(), BuildError> {
    let path = file::path(&plan.dir, plan.rules, layer);
    let failed = |error| BuildError::File(path.clone(), error);
    let draft = Draft::create(&path).map_err(failed)?;
    let (own, needed) = plan.layouts(layer);
    let below = needed.iter().map(|needed| read_below(plan, needed)).collect::<Result<Vec<_>, _>>()?;
    let mut solver = Solver::new(plan.rules, own, below, plan.threads, plan.distances);
    solver.solve(progress).ok_or(BuildError::Distance(layer))?;
    let positions = 2 * solver.layout().numbers();
    let header = Header::new(plan.rules, layer, plan.goats.min(GOATS), positions, plan.distances);
    draft.write(plan.rules, &header, plan.threads, |number| solver.block(number)).map_err(failed)
}

/// Reads what is needed of a finished layer.
fn read_below(plan: &Plan, needed: &Needed) -> Result<Below, BuildError> {
    let stored = canonical(plan.rules, needed.layout().layer()).0;
    let read = LayerTable::open(&plan.dir, plan.rules, stored).and_then(|table| {
        lacks(plan, &table)?;
        needed.read(&table, plan.distances, plan.threads)
    });
    read.map_err(|error| BuildError::File(file::path(&plan.dir, plan.rules, stored), error))
}
