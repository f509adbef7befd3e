//! Builds tables: layer by layer, each file written once it is whole; a build that was interrupted goes on with the
//! layer it was in.

use super::file::{self, FileError, Header};
use super::layer::Layer;
use super::layout::Layout;
use super::probe::{OpenError, Table, Tables, words_of};
use super::solver::{Before, Finished, Solver};
use crate::rules::{Chain, GOATS, HERDS, RuleSet};
use std::path::{Path, PathBuf};
use std::{fmt, fs, io};

/// What is to be built.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The rules; see [`super::supports`].
    pub rules: &'static RuleSet,
    /// The folder, which is made if it is not there.
    pub dir: PathBuf,
    /// Most goats in a position, herds included; more than 20 are 20.
    pub goats: u32,
    /// Most herds of two or more, 0 to 4.
    pub herds: usize,
    /// Bytes of memory that may be used.
    pub memory: u64,
    /// Threads, at least 1. The files are the same with any number.
    pub threads: usize,
}

/// How far a build is.
#[derive(Copy, Clone, Debug)]
pub struct Progress {
    /// The layer being solved, or just found or finished.
    pub layer: Layer,
    /// Layers finished, and layers in all.
    pub layers: (usize, usize),
    /// Sweeps over the layer so far, and blocks that changed in the last.
    pub sweeps: (u32, usize),
    /// Positions solved in this run (both sides to move), and positions that this run has to solve as far as is known.
    pub positions: (u64, u64),
    /// Positions of the layer.
    pub size: u64,
    /// Whether the layer is finished.
    pub is_finished: bool,
}

/// Why a build has failed.
#[derive(Debug)]
pub enum BuildError {
    /// Tables of finished layers are not to be had.
    Open(OpenError),
    /// A file or folder can't be read or written, or was damaged since it was checked.
    File(PathBuf, FileError),
    /// A layer takes more memory than allowed: bytes needed and allowed.
    Memory(Layer, u64, u64),
    /// Finished tables lack positions that this layer leads to.
    Lacking(Layer),
}

impl fmt::Display for BuildError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let giga = |bytes: &u64| *bytes as f64 / f64::from(1 << 30);
        match self {
            Self::Open(error) => write!(f, "{error}"),
            Self::File(path, error) => write!(f, "{}: {error}", path.display()),
            Self::Memory(layer, needed, allowed) => write!(
                f,
                "layer {layer} takes {:.2} GB of memory, more than the {:.2} GB allowed",
                giga(needed),
                giga(allowed)
            ),
            Self::Lacking(layer) => write!(f, "layer {layer} leads to positions that no sound table has"),
        }
    }
}

impl std::error::Error for BuildError {}

/// Whether the layer's file is there and sound, every block of it, and has that many goats.
fn is_built(plan: &Plan, layer: Layer, goats: u32) -> bool {
    let checked = Table::open(&plan.dir, plan.rules, layer)
        .and_then(|table| table.file().all_words(|_| {}).map(|()| table.file().header().goats));
    match checked {
        Ok(found) => found >= goats,
        Err(FileError::Io(error)) if error.kind() == io::ErrorKind::NotFound => false,
        Err(error) => {
            log::warn!("{}: {error}; built anew", file::path(&plan.dir, plan.rules, layer).display());
            false
        }
    }
}

/// Builds what is not there yet; calls `progress` after each sweep and each layer.
///
/// # Errors
/// If the rule set is not supported, a layer does not fit in memory, or a file can't be read or written.
pub fn build(plan: &Plan, mut progress: impl FnMut(&Progress)) -> Result<(), BuildError> {
    if !super::supports(plan.rules) {
        return Err(BuildError::Open(OpenError::Scored(plan.rules)));
    }
    let goats = plan.goats.min(GOATS);
    fs::create_dir_all(&plan.dir).map_err(|error| BuildError::File(plan.dir.clone(), error.into()))?;
    let layers = Layer::all(plan.herds.min(HERDS), goats);
    let missing: Vec<Layer> = layers.iter().copied().filter(|layer| !is_built(plan, *layer, goats)).collect();
    let size = |layer: &Layer| Layout::new(plan.rules, *layer, goats).positions();
    let total = missing.iter().map(size).sum();
    let mut state = Progress {
        layer: Layer::FLAT,
        layers: (layers.len() - missing.len(), layers.len()),
        sweeps: (0, 0),
        positions: (0, total),
        size: 0,
        is_finished: false,
    };
    for layer in missing {
        state = Progress { layer, sweeps: (0, 0), size: size(&layer), is_finished: false, ..state };
        build_layer(plan, goats, |sweeps| progress(&Progress { sweeps, ..state }), layer)?;
        state.layers.0 += 1;
        state.positions.0 += state.size;
        state.is_finished = true;
        progress(&state);
    }
    Ok(())
}

fn build_layer(
    plan: &Plan,
    goats: u32,
    mut progress: impl FnMut((u32, usize)),
    layer: Layer,
) -> Result<(), BuildError> {
    let layout = Layout::new(plan.rules, layer, goats);
    let lowered: Vec<(usize, Layer)> =
        (0..HERDS).filter_map(|herd| layer.lowered(herd).map(|next| (herd, next))).collect();
    let finished = lowered.iter().map(|(_, next)| Finished::bytes(&Layout::new(plan.rules, *next, goats)));
    let needed = Solver::bytes(&layout) + finished.sum::<u64>();
    if needed > plan.memory {
        return Err(BuildError::Memory(layer, needed, plan.memory));
    }
    let read = |(herd, next): &(usize, Layer)| {
        let finished = Table::open(&plan.dir, plan.rules, *next).and_then(|table| Finished::read(&table));
        let error = |error| BuildError::File(file::path(&plan.dir, plan.rules, *next), error);
        finished.map(|finished| (*herd, finished)).map_err(error)
    };
    let lowered = lowered.iter().map(read).collect::<Result<Vec<_>, _>>()?;
    let goes_on = plan.rules.chain == Chain::Free && !lowered.is_empty();
    let tables = if goes_on { Some(open(&plan.dir, plan.rules)?) } else { None };
    let before = Before { lowered, tables: tables.as_ref() };
    let solver = Solver::new(plan.rules, layout, &before, plan.threads);
    drop(before);
    let mut solver = solver.ok_or(BuildError::Lacking(layer))?;
    for sweep in 1.. {
        let changed = solver.sweep();
        progress((sweep, changed));
        if changed == 0 {
            break;
        }
    }
    write(plan, goats, &solver)
}

fn open(dir: &Path, rules: &'static RuleSet) -> Result<Tables, BuildError> {
    Tables::with_cache(dir, rules, 256).map_err(BuildError::Open)
}

fn write(plan: &Plan, goats: u32, solver: &Solver) -> Result<(), BuildError> {
    let layer = solver.layout().layer();
    let header = Header { layer, goats, words: words_of(solver.layout()) };
    let path = file::path(&plan.dir, plan.rules, layer);
    let block = |number: u64| {
        let pairs = file::BLOCK_WORDS as u64 / 2;
        let first = number * pairs;
        (first..(first + pairs).min(header.words / 2)).flat_map(|pair| solver.words(pair)).collect()
    };
    file::write(&path, plan.rules, &header, block).map_err(|error| BuildError::File(path, error))
}
