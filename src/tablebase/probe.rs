//! Reading tables: the value of a position, from any number of threads, with a bounded cache of blocks.

use crate::game::DrawPlies;
use crate::moves::Move;
use crate::parallel::for_each;
use crate::platform;
use crate::position::Position;
use crate::rules::{GOATS, HERDS, RuleSet, Side};
use crate::tablebase::embedded::EmbeddedFile;
use crate::tablebase::expect_invariant;
use crate::tablebase::file::{self, BLOCK_POSITIONS, FileError, TableFile};
use crate::tablebase::layer::Layer;
use crate::tablebase::layout::Layout;
use crate::tablebase::symmetry::canonical;
use crate::tablebase::value::{TableValue, Wdl};
use crate::text::quoted_path;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, OnceLock, PoisonError, RwLock};
use std::{fmt, io};

/// Size of the block cache unless the caller says otherwise, in megabytes.
pub const DEFAULT_CACHE: usize = 64;

/// Why a folder, or several, give no [`Tablebase`].
#[derive(Debug)]
pub enum OpenError {
    /// The folder can't be read.
    Folder(PathBuf, io::Error),
    /// No folder of the path has a table of the rule set.
    Nothing(PathBuf, &'static RuleSet),
}

impl fmt::Display for OpenError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Folder(dir, error) => write!(f, "{}: {error}", quoted_path(dir)),
            Self::Nothing(dir, rules) => write!(f, "{}: no tables of {}", quoted_path(dir), rules.name),
        }
    }
}

impl std::error::Error for OpenError {}

/// The exact value of a position and the distance to the end of the game, with both sides playing for points first (where
/// wins are scored); after that the winner plays for the shortest game and the loser for the longest.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Probe {
    /// Who wins, and with how many points; endless play is a draw.
    pub value: TableValue,
    /// Plies to the end of the game, 0 to 511; `None` for a draw, and where the table has no distances.
    pub plies: Option<u32>,
}

impl Probe {
    /// Whether the value holds in a game that is drawn after a number of quiet plies, a rule that the tables don't have: a
    /// draw always holds, a win only if it comes before that draw. A win whose distance is not known is taken to come too
    /// late unless no number of quiet plies makes a draw.
    pub fn holds(self, position: &Position, draw_plies: DrawPlies) -> bool {
        let is_in_time = match self.plies {
            Some(plies) => draw_plies.allow_end_after(position, plies),
            None => draw_plies == DrawPlies::NEVER,
        };
        self.value.winner().is_none() || is_in_time
    }
}

/// Why a position has no value in the tables. The layer named is the position's own, though the table may be that of its
/// canonical image.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum ProbeError {
    /// The tables are for another rule set than the position's.
    OtherRules,
    /// The folders have no usable table for the position's layer.
    NoTable(Layer),
    /// The table of the position's layer was built for fewer goats.
    TooManyGoats(Layer),
    /// A block of the layer's table is damaged or can't be read. The log has the reason of the first failure; from then on
    /// the table is not read any more.
    Damaged(Layer),
}

impl fmt::Display for ProbeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::OtherRules => f.write_str("the tables are those of another rule set"),
            Self::NoTable(layer) => write!(f, "there is no table of layer {layer}"),
            Self::TooManyGoats(layer) => write!(f, "the table of layer {layer} has positions with fewer goats only"),
            Self::Damaged(layer) => write!(f, "the table of layer {layer} is damaged"),
        }
    }
}

impl std::error::Error for ProbeError {}

/// The folders of a path that may name several, all of which can be read.
///
/// # Errors
/// Names the first that can't.
pub fn readable_folders(path: &Path) -> Result<Vec<PathBuf>, OpenError> {
    let folders = platform::split_folders(path);
    for folder in &folders {
        std::fs::read_dir(folder).map_err(|error| OpenError::Folder(folder.clone(), error))?;
    }
    Ok(folders)
}

/// One layer's file and the layout of its positions.
#[derive(Debug)]
pub struct LayerTable {
    number: u64,
    layout: Layout,
    file: TableFile,
    /// Set, and logged, when a block turned out to be damaged; from then on the table is not read.
    is_damaged: AtomicBool,
}

impl LayerTable {
    /// Opens the file of a layer, if its size is that of its layout.
    ///
    /// # Errors
    /// If the file is missing or damaged.
    pub fn open(dir: &Path, rules: &RuleSet, layer: Layer) -> Result<Self, FileError> {
        let file = TableFile::open(&file::path(dir, rules, layer), rules, layer)?;
        let header = *file.header();
        if header.goats > GOATS || header.goats < layer.goats() {
            return Err(FileError::Damaged(format!("{} goats", header.goats)));
        }
        let layout = Layout::new(rules, layer, header.goats);
        let positions = 2 * layout.numbers();
        if positions != header.positions {
            return Err(FileError::Damaged(format!("{} positions instead of {positions}", header.positions)));
        }
        let number = layer.heights().iter().fold(0, |number, height| number * 8 + u64::from(*height));
        Ok(Self { number, layout, file, is_damaged: AtomicBool::new(false) })
    }

    /// The layout of its positions.
    pub const fn layout(&self) -> &Layout {
        &self.layout
    }

    /// The file.
    pub const fn file(&self) -> &TableFile {
        &self.file
    }

    /// Reads and checks every block, on `threads` threads.
    ///
    /// # Errors
    /// If one can't be read or is damaged.
    pub fn check(&self, threads: usize) -> Result<(), FileError> {
        let fault = OnceLock::new();
        for_each(threads, 0..self.file.header().blocks(), |block| {
            // One fault is enough.
            if fault.get().is_none()
                && let Err(error) = self.file.block(block)
            {
                drop(fault.set(error));
            }
        });
        fault.into_inner().map_or(Ok(()), Err)
    }
}

/// A decoded block: the words of the classes' digits, or a byte for each position's half distance.
#[derive(Clone, Debug)]
enum CachedBlock {
    Classes(Arc<[u64]>),
    Halves(Arc<[u8]>),
}

/// Bytes that a block takes in memory, at most.
const BLOCK_BYTES: usize = BLOCK_POSITIONS as usize;

/// Decoded blocks: a direct-mapped cache, in which each block has the one entry that the hash of its key gives.
#[derive(Debug)]
struct BlockCache {
    entries: Vec<RwLock<Option<(u64, CachedBlock)>>>,
}

impl BlockCache {
    fn new(megabytes: usize) -> Self {
        let count = (megabytes.saturating_mul(1 << 20) / BLOCK_BYTES).max(1);
        Self { entries: (0..count).map(|_| RwLock::new(None)).collect() }
    }

    /// Calls `read` with the block of a key, which `load` fetches if it is not in the cache.
    fn with<T>(
        &self,
        key: u64,
        read: impl Fn(&CachedBlock) -> T,
        load: impl FnOnce() -> Result<CachedBlock, FileError>,
    ) -> Result<T, FileError> {
        let hash = u128::from(key.wrapping_mul(0x9E37_79B9_7F4A_7C15));
        let entry = self.entries.get(((hash * self.entries.len() as u128) >> 64) as usize);
        let entry = expect_invariant(entry, "a 64-bit fraction of the number of entries is less than that number");
        if let Some((_, block)) =
            entry.read().unwrap_or_else(PoisonError::into_inner).as_ref().filter(|(own, _)| *own == key)
        {
            return Ok(read(block));
        }
        let block = load()?;
        let value = read(&block);
        *entry.write().unwrap_or_else(PoisonError::into_inner) = Some((key, block));
        Ok(value)
    }
}

/// A layer and the table that has its positions, perhaps that of its canonical image.
#[derive(Debug)]
struct LayerView {
    table: Arc<LayerTable>,
    /// The layer's own layout, which knows where the table has its positions.
    layout: Layout,
}

/// Where a position's value is.
enum Lookup<'a> {
    /// In the position itself, since the game is over, or in the table that is part of the program.
    Known(Probe),
    /// In the table of a file, under a number.
    Stored(&'a LayerTable, u64),
}

/// The tables of one rule set: files from one folder or several, the table that is part of the program, or both. Probing takes
/// `&self` and may be done from many threads; a probe whose block is in the cache takes less than a microsecond.
#[derive(Debug)]
pub struct Tablebase {
    rules: &'static RuleSet,
    views: HashMap<Layer, LayerView>,
    cache: BlockCache,
    unusable: Vec<Layer>,
    /// The table that is part of the program, which is asked first: it costs least, and has distances.
    embedded: Option<&'static EmbeddedFile>,
}

impl Tablebase {
    /// The table that is part of the program, and no files.
    ///
    /// Returns `None` for rule sets that have none.
    pub fn embedded(rules: &'static RuleSet) -> Option<Self> {
        let embedded = Some(EmbeddedFile::of(rules)?);
        Some(Self { rules, views: HashMap::new(), cache: BlockCache::new(0), unusable: Vec::new(), embedded })
    }

    /// These tables and the one that is part of the program.
    pub fn with_embedded(self) -> Self {
        Self { embedded: EmbeddedFile::of(self.rules), ..self }
    }

    /// Whether there are files, usable or not, beside the table that is part of the program.
    pub fn has_files(&self) -> bool {
        !self.views.is_empty() || !self.unusable.is_empty()
    }

    /// Whether it is worth while to probe a position: there are files, or the program's own table has it. Takes no time.
    #[inline]
    pub fn may_know(&self, position: &Position) -> bool {
        !self.views.is_empty() || self.embedded.is_some_and(|embedded| embedded.has(position))
    }

    /// Opens the tables of a rule set in a folder, with a cache of [`DEFAULT_CACHE`] megabytes. The path may name several
    /// folders, separated as the system does it in `PATH`: of each layer the table in the first that has one is used.
    ///
    /// Only the headers are read. A file with a damaged header is reported in the log, left out, and its layer named by
    /// [`Tablebase::unusable_layers`]; a damaged block shows when it is probed.
    ///
    /// # Errors
    /// If one of the folders can't be read, or none has a table of the rule set.
    pub fn open(dir: &Path, rules: &'static RuleSet) -> Result<Self, OpenError> {
        Self::with_cache(dir, rules, DEFAULT_CACHE)
    }

    /// As [`Tablebase::open`], with a cache of `megabytes` megabytes (at least one block is kept).
    ///
    /// # Errors
    /// As for [`Tablebase::open`].
    pub fn with_cache(dir: &Path, rules: &'static RuleSet, megabytes: usize) -> Result<Self, OpenError> {
        let folders = readable_folders(dir)?;
        let (mut tables, mut views, mut unusable) = (HashMap::new(), HashMap::new(), Vec::new());
        for layer in Layer::all(HERDS, GOATS).into_iter().filter(|layer| canonical(rules, *layer).0 == *layer) {
            let found = folders.iter().find_map(|folder| match LayerTable::open(folder, rules, layer) {
                Ok(table) => Some(table),
                Err(FileError::Io(error)) if error.kind() == io::ErrorKind::NotFound => None,
                Err(error) => {
                    log::warn!("{}: {error}; not used", quoted_path(&file::path(folder, rules, layer)));
                    unusable.push(layer);
                    None
                }
            });
            tables.extend(found.map(|table| (layer, Arc::new(table))));
        }
        if tables.is_empty() && unusable.is_empty() {
            return Err(OpenError::Nothing(dir.to_owned(), rules));
        }
        for layer in Layer::all(HERDS, GOATS) {
            if let Some(table) = tables.get(&canonical(rules, layer).0) {
                let layout = Layout::new(rules, layer, table.file.header().goats);
                views.insert(layer, LayerView { table: Arc::clone(table), layout });
            }
        }
        Ok(Self { rules, views, cache: BlockCache::new(megabytes), unusable, embedded: None })
    }

    /// The rules.
    pub const fn rules(&self) -> &'static RuleSet {
        self.rules
    }

    /// The tables, in the order in which they are built.
    pub fn layers(&self) -> impl Iterator<Item = &LayerTable> {
        let is_own = |view: &&LayerView| view.layout.layer() == view.table.layout.layer();
        Layer::all(HERDS, GOATS)
            .into_iter()
            .filter_map(|layer| self.views.get(&layer))
            .filter(is_own)
            .map(|view| &*view.table)
    }

    /// The layer of each file that is there but was left out, because its header is damaged or it can't be read.
    pub fn unusable_layers(&self) -> &[Layer] {
        &self.unusable
    }

    /// Whether it is known who wins a position, and not in how many plies.
    pub fn lacks_distance(&self, position: &Position) -> bool {
        self.probe(position).is_ok_and(|probe| probe.value.winner().is_some() && probe.plies.is_none())
    }

    /// The value of a position: who wins, and with how many points. Endless play is a draw; the position's counters of quiet
    /// plies and moves don't matter. Distances are not read from files, so it costs half of [`Tablebase::probe`].
    ///
    /// # Errors
    /// Says why the position has no value.
    pub fn probe_value(&self, position: &Position) -> Result<TableValue, ProbeError> {
        match self.find(position)? {
            Lookup::Known(probe) => Ok(probe.value),
            Lookup::Stored(table, number) => self.class(table, number).map(TableValue::from_class),
        }
    }

    /// The value of a position as a win, draw or loss for its side to move; otherwise as [`Tablebase::probe_value`].
    ///
    /// # Errors
    /// Says why the position has no value.
    pub fn probe_wdl(&self, position: &Position) -> Result<Wdl, ProbeError> {
        self.probe_value(position).map(|value| value.wdl(position.side()))
    }

    /// The value of a position and the plies to the end of the game (0 if it is over). The position's counters don't matter:
    /// see [`Probe::holds`] for games with a quiet-ply draw.
    ///
    /// # Errors
    /// Says why the position has no value. A table without distances is no error: the value comes without plies.
    pub fn probe(&self, position: &Position) -> Result<Probe, ProbeError> {
        let (table, number) = match self.find(position)? {
            Lookup::Known(probe) => return Ok(probe),
            Lookup::Stored(table, number) => (table, number),
        };
        let value = TableValue::from_class(self.class(table, number)?);
        let winner = value.winner().filter(|_| table.file.header().has_distances);
        let half = winner.map(|_| self.half(table, number)).transpose()?;
        let plies = half.map(|half| 2 * u32::from(half) + u32::from(winner == Some(position.side())));
        Ok(Probe { value, plies })
    }

    /// The table and number of a position, by which positions can be put in the order of the blocks; `None` where no file
    /// is read, the game being over.
    ///
    /// # Errors
    /// Says why the position has no value.
    pub(super) fn place(&self, position: &Position) -> Result<Option<(u64, u64)>, ProbeError> {
        Ok(match self.find(position)? {
            Lookup::Known(_) => None,
            Lookup::Stored(table, number) => Some((table.number, number)),
        })
    }

    /// Where a position's value is.
    fn find(&self, position: &Position) -> Result<Lookup<'_>, ProbeError> {
        if !std::ptr::eq(position.rules(), self.rules) {
            return Err(ProbeError::OtherRules);
        }
        if let Some(ending) = position.ending() {
            let value = TableValue::won(self.rules, ending.winner(), position.goats_alive());
            return Ok(Lookup::Known(Probe { value, plies: Some(0) }));
        }
        if let Some(probe) = self.embedded.and_then(|embedded| embedded.probe(position)) {
            return Ok(Lookup::Known(probe));
        }
        let layer = Layer::of(position);
        let view = self.views.get(&layer).ok_or(ProbeError::NoTable(layer))?;
        if view.table.is_damaged.load(Relaxed) {
            return Err(ProbeError::Damaged(layer));
        }
        let number = view.layout.number(position.tiger_pair(), position.goats());
        let number = number.ok_or(ProbeError::TooManyGoats(layer))?;
        let first = if position.side() == Side::White { 0 } else { view.table.layout.numbers() };
        Ok(Lookup::Stored(&view.table, first + number))
    }

    fn half(&self, table: &LayerTable, number: u64) -> Result<u8, ProbeError> {
        let (block, at) = (number / BLOCK_POSITIONS, (number % BLOCK_POSITIONS) as usize);
        let read = |content: &CachedBlock| match content {
            CachedBlock::Halves(halves) => halves.get(at).copied(),
            CachedBlock::Classes(_) => None,
        };
        let key = table.number << 40 | block << 1 | 1;
        self.read_or_disable(table, self.cache.with(key, read, || self.load_halves(table, block)))
    }

    fn class(&self, table: &LayerTable, number: u64) -> Result<u8, ProbeError> {
        let (block, at) = (number / BLOCK_POSITIONS, number % BLOCK_POSITIONS);
        let digits = table.file.header().digits;
        let read = |content: &CachedBlock| match content {
            CachedBlock::Classes(words) => {
                let first = (at >> 6) as usize * digits;
                let group = words.get(first..first + digits)?;
                Some(group.iter().rev().fold(0, |class, word| class << 1 | (word >> (at & 63) & 1) as u8))
            }
            CachedBlock::Halves(_) => None,
        };
        let load = || table.file.classes(block).map(|words| CachedBlock::Classes(words.into()));
        self.read_or_disable(table, self.cache.with(table.number << 40 | block << 1, read, load))
    }

    /// A block's half distances, a byte for every position.
    fn load_halves(&self, table: &LayerTable, block: u64) -> Result<CachedBlock, FileError> {
        let classes = table.file.classes(block)?;
        let mut halves = table.file.halves(block, &classes)?.into_iter();
        let all = classes.chunks(table.file.header().digits).flat_map(|group| {
            let decided = group.iter().fold(0, |all, word| all | word);
            (0..64).map(move |bit| decided >> bit & 1 != 0)
        });
        let halves: Option<Arc<[u8]>> =
            all.map(|is_decided| if is_decided { halves.next() } else { Some(0) }).collect();
        halves.map(CachedBlock::Halves).ok_or_else(block_too_short)
    }

    /// The probe of a position, and the legal moves that are best by the tables: all that keep the value, or where distances
    /// are known, those of them that win soonest or lose latest. If the distance here is known and that after the best move
    /// isn't, it is one of those after which it isn't.
    ///
    /// Returns `None` if the position has no value, or none of the moves is known to keep it (tables may be missing for
    /// what they lead to).
    pub fn best_moves(&self, position: &Position) -> Option<(Probe, Vec<Move>)> {
        let here = self.probe(position).ok()?;
        let moves = position.legal_moves().into_iter();
        let probed = moves.filter_map(|mv| Some((mv, self.probe(&position.play(mv)).ok()?)));
        let keeping: Vec<(Move, Probe)> = probed.filter(|(_, after)| after.value == here.value).collect();
        let next = here.plies.and_then(|plies| plies.checked_sub(1));
        let moves_with = |plies: Option<u32>| -> Vec<Move> {
            keeping.iter().filter(|(_, after)| after.plies == plies).map(|(mv, _)| *mv).collect()
        };
        let all = || keeping.iter().map(|(mv, _)| *mv).collect();
        let moves: Vec<Move> = match next {
            None => all(),
            Some(_) => [next, None].into_iter().map(moves_with).find(|moves| !moves.is_empty()).unwrap_or_else(all),
        };
        (!moves.is_empty()).then_some((here, moves))
    }

    /// The value that a position must have by definition, from probes of the positions one move away: the best of theirs for
    /// the side to move. The distance is one ply more than the shortest (for the winner) or longest (for the loser) of those
    /// with the best value, if all of these have one. Unlike [`Tablebase::probe`] it does not read the position's own value,
    /// so the two can be compared.
    ///
    /// # Errors
    /// Says why the first of the positions one move away that lacks a value has none.
    pub fn one_ply_value(&self, position: &Position) -> Result<Probe, ProbeError> {
        let side = position.side();
        if let Some(ending) = position.ending() {
            let value = TableValue::won(self.rules, ending.winner(), position.goats_alive());
            return Ok(Probe { value, plies: Some(0) });
        }
        let mut after = Vec::new();
        position.for_each_move(|mv| after.push(self.probe(&position.play(mv))));
        let after = after.into_iter().collect::<Result<Vec<Probe>, _>>()?;
        let best = after.iter().map(|after| after.value).max_by(|one, other| one.compare(*other, side));
        let value = expect_invariant(best, "a position in which the game is not over has a move");
        let plies: Option<Vec<u32>> =
            after.iter().filter(|after| after.value == value).map(|after| after.plies).collect();
        let plies = match value.winner() {
            None => None,
            Some(winner) if winner == side => plies.and_then(|plies| plies.into_iter().min()),
            Some(_) => plies.and_then(|plies| plies.into_iter().max()),
        };
        Ok(Probe { value, plies: plies.map(|plies| plies + 1) })
    }

    /// What was read from a block; if that failed, the table is not read any more.
    fn read_or_disable<T>(&self, table: &LayerTable, read: Result<Option<T>, FileError>) -> Result<T, ProbeError> {
        let layer = table.layout.layer();
        let read = read.and_then(|read| read.ok_or_else(block_too_short));
        read.map_err(|error| {
            if !table.is_damaged.swap(true, Relaxed) {
                log::warn!("table {}-{layer}: {error}; not used", self.rules.name);
            }
            ProbeError::Damaged(layer)
        })
    }
}

fn block_too_short() -> FileError {
    FileError::Damaged("a block is too short".to_owned())
}
