//! Builds tables: layer by layer, each file written once it is whole; a build that was interrupted goes on with the
//! layer it was in.

use crate::rules::{GOATS, HERDS, RuleSet};
use crate::tablebase::file::{self, FileError, Header, TableDraft};
use crate::tablebase::layer::Layer;
use crate::tablebase::layout::Layout;
use crate::tablebase::probe::LayerTable;
use crate::tablebase::solver::{MAX_DISTANCE, Solver, SolverProgress, Successor, SuccessorNeeds, successor_layers};
use crate::tablebase::symmetry::{canonical, images};
use crate::text::quoted_path;
use std::path::PathBuf;
use std::{fmt, fs, io};

/// What is to be built.
#[derive(Clone, Debug)]
pub struct BuildPlan {
    /// The rules.
    pub rules: &'static RuleSet,
    /// The folder, which is made if it is not there.
    pub dir: PathBuf,
    /// Most goats in a position, herds included; more than 20 are 20.
    pub goats: u32,
    /// Most herds of two or more, 0 to 4.
    pub herds: usize,
    /// Only this layer; the tables of those that it leads to must be there.
    pub layer: Option<Layer>,
    /// Whether the tables have distances.
    pub distances: bool,
    /// Bytes of memory that may be used.
    pub memory: u64,
    /// Threads, at least 1. The files are the same with any number.
    pub threads: usize,
}

impl BuildPlan {
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
        let successors = successor_layers(self.rules, layer);
        let mut needs: Vec<Layer> = successors.iter().map(|(_, next)| canonical(self.rules, *next).0).collect();
        needs.sort_unstable();
        needs.dedup();
        needs
    }

    fn layout(&self, layer: Layer) -> Layout {
        Layout::new(self.rules, layer, self.goats.min(GOATS))
    }

    /// The layout of a layer, and what is needed of those that its positions lead to.
    fn layouts(&self, layer: Layer) -> (Layout, Vec<SuccessorNeeds>) {
        let own = self.layout(layer);
        let needs = SuccessorNeeds::of(self.rules, &own, |layer| self.layout(layer));
        (own, needs)
    }

    /// Bytes of memory that solving a layer takes, but for a few percent.
    pub fn memory_for(&self, layer: Layer) -> u64 {
        let (own, needs) = self.layouts(layer);
        Solver::bytes(self.rules, &own, &needs, self.threads, self.distances)
    }
}

/// How far a build is.
#[derive(Copy, Clone, Debug)]
pub struct BuildProgress {
    /// The layer being solved, or just finished.
    pub layer: Layer,
    /// Layers finished, and layers in all.
    pub layers: (usize, usize),
    /// How far the layer is: goals done and in all, ply and positions solved.
    pub solver: SolverProgress,
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
            Self::File(path, error) => write!(f, "{}: {error}", quoted_path(path)),
            Self::Memory(layer, needed, allowed) => write!(
                f,
                "layer {layer} takes {} of memory, more than the {} allowed",
                in_bytes(*needed),
                in_bytes(*allowed)
            ),
            Self::Distance(layer) => {
                write!(f, "layer {layer} has distances of more than {} plies, too long for a table", MAX_DISTANCE)
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

/// Whether the layer's file is there, undamaged in every block, and has what the plan is for.
///
/// # Errors
/// If it can't be read.
fn is_built(plan: &BuildPlan, layer: Layer) -> Result<bool, BuildError> {
    let path = file::path(&plan.dir, plan.rules, layer);
    let checked = LayerTable::open(&plan.dir, plan.rules, layer).and_then(|table| {
        check_extent(plan, &table)?;
        table.check(plan.threads)
    });
    match checked {
        Ok(()) => Ok(true),
        Err(FileError::Lacking(_)) => Ok(false),
        Err(FileError::Io(error)) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(FileError::Io(error)) => Err(BuildError::File(path, error.into())),
        Err(error @ FileError::Damaged(_)) => {
            log::warn!("{}: {error}; built anew", quoted_path(&path));
            Ok(false)
        }
    }
}

/// Returns an error if a table has not all that the plan is for.
fn check_extent(plan: &BuildPlan, table: &LayerTable) -> Result<(), FileError> {
    let (header, goats) = (table.file().header(), plan.goats.min(GOATS));
    if header.goats < goats {
        return Err(FileError::Lacking(format!("found positions with up to {} goats, expected {goats}", header.goats)));
    }
    if plan.distances && !header.has_distances {
        return Err(FileError::Lacking("found values only, expected distances".to_owned()));
    }
    Ok(())
}

/// Builds what is not there yet, and removes what builds that were killed have left in the folder; calls `progress` after each ply and each layer.
///
/// # Errors
/// If a layer does not fit in memory, or a file can't be read or written.
pub fn build(plan: &BuildPlan, mut progress: impl FnMut(&BuildProgress)) -> Result<(), BuildError> {
    fs::create_dir_all(&plan.dir).map_err(|error| BuildError::File(plan.dir.clone(), error.into()))?;
    file::remove_dead_drafts(&plan.dir);
    let layers = plan.layers();
    let mut missing = Vec::new();
    for layer in layers.iter().copied() {
        if !is_built(plan, layer)? {
            missing.push(layer);
        }
    }
    // What can't be done should not be found out after hours.
    missing.iter().try_for_each(|layer| check_memory(plan, *layer))?;
    let size = |layer: &Layer| {
        let layout = plan.layout(*layer);
        // All images of the layer are solved with it.
        layout.positions() * images(plan.rules, *layer)
    };
    let mut state = BuildProgress {
        layer: Layer::FLAT,
        layers: (layers.len() - missing.len(), layers.len()),
        solver: SolverProgress { goals: (0, 1), ply: 0, solved: 0 },
        positions: (0, missing.iter().map(size).sum()),
        size: 0,
        is_finished: false,
    };
    for layer in missing {
        state = BuildProgress { layer, size: size(&layer), is_finished: false, ..state };
        build_layer(plan, layer, |solver| progress(&BuildProgress { solver, ..state }))?;
        state.layers.0 += 1;
        state.positions.0 += state.size;
        state.is_finished = true;
        progress(&state);
    }
    Ok(())
}

fn check_memory(plan: &BuildPlan, layer: Layer) -> Result<(), BuildError> {
    let needed = plan.memory_for(layer);
    if needed > plan.memory { Err(BuildError::Memory(layer, needed, plan.memory)) } else { Ok(()) }
}

fn build_layer(plan: &BuildPlan, layer: Layer, progress: impl FnMut(SolverProgress)) -> Result<(), BuildError> {
    let path = file::path(&plan.dir, plan.rules, layer);
    let failed = |error| BuildError::File(path.clone(), error);
    let draft = TableDraft::create(&path).map_err(failed)?;
    let (own, needs) = plan.layouts(layer);
    let successors = needs.iter().map(|needs| read_successor(plan, needs)).collect::<Result<Vec<_>, _>>()?;
    let mut solver = Solver::new(plan.rules, own, successors, plan.threads, plan.distances);
    solver.solve(progress).ok_or(BuildError::Distance(layer))?;
    let positions = 2 * solver.layout().numbers();
    let header = Header::new(plan.rules, layer, plan.goats.min(GOATS), positions, plan.distances);
    draft.write(plan.rules, &header, plan.threads, |number| solver.block(number)).map_err(failed)
}

/// Reads what is needed of a successor layer.
fn read_successor(plan: &BuildPlan, needs: &SuccessorNeeds) -> Result<Successor, BuildError> {
    let stored = canonical(plan.rules, needs.layout().layer()).0;
    let read = LayerTable::open(&plan.dir, plan.rules, stored).and_then(|table| {
        check_extent(plan, &table)?;
        needs.read(&table, plan.distances, plan.threads)
    });
    read.map_err(|error| BuildError::File(file::path(&plan.dir, plan.rules, stored), error))
}
