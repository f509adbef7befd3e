//! Reading tables: the value of a position, from any number of threads, with a bounded cache of blocks.

use crate::game::DrawPlies;
use crate::moves::Move;
use crate::parallel::for_each;
use crate::position::Position;
use crate::rules::{GOATS, HERDS, RuleSet, Side};
use crate::tablebase::file::{self, BLOCK_POSITIONS, FileError, TableFile};
use crate::tablebase::layer::Layer;
use crate::tablebase::layout::Layout;
use crate::tablebase::symmetry::canonical;
use crate::tablebase::value::{TableValue, Wdl};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, OnceLock, PoisonError, RwLock};
use std::{fmt, io};

/// Size of the block cache unless the caller says otherwise, in megabytes.
pub const DEFAULT_CACHE: usize = 64;

/// Why there are no tables to be had.
#[derive(Debug)]
pub enum OpenError {
    /// The folder can't be read.
    Folder(PathBuf, io::Error),
    /// The folder has no table of the rule set.
    Nothing(PathBuf, &'static RuleSet),
}

impl fmt::Display for OpenError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Folder(dir, error) => write!(f, "{}: {error}", dir.display()),
            Self::Nothing(dir, rules) => write!(f, "{}: no tables of {}", dir.display(), rules.name),
        }
    }
}

impl std::error::Error for OpenError {}

/// What the tables say of a position, both sides playing for points first (where wins are scored), then the winner for
/// haste and the loser for delay.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Probe {
    /// Who wins, and how much; endless play is a draw.
    pub value: TableValue,
    /// Plies to the end of the game; `None` for a draw, and where the table has no distances.
    pub plies: Option<u32>,
}

impl Probe {
    /// Whether it is sure for a game in which so many quiet plies make a draw, which the tables know nothing of: a draw
    /// always is, a win only if it comes before that. A win whose distance is not known is taken to come too late unless
    /// no number of quiet plies makes a draw.
    pub fn holds(self, position: &Position, draw_plies: DrawPlies) -> bool {
        let is_in_time = match self.plies {
            Some(plies) => draw_plies.allow_end_after(position, plies),
            None => draw_plies == DrawPlies::NEVER,
        };
        self.value.winner().is_none() || is_in_time
    }
}

/// Why the tables say nothing of a position.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum ProbeError {
    /// They are those of other rules.
    OtherRules,
    /// Its layer has no table.
    NoTable(Layer),
    /// The table of its layer has positions with fewer goats only.
    TooManyGoats(Layer),
    /// The table of its layer is damaged or can't be read, which the log says once.
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

/// One layer's file and how its positions are arranged.
#[derive(Debug)]
pub struct LayerTable {
    number: u64,
    layout: Layout,
    file: TableFile,
    /// Set, and said once, when a block turned out to be damaged; the table is not asked any more.
    is_damaged: AtomicBool,
}

impl LayerTable {
    /// Opens the file of a layer, if its size is that of its layout.
    ///
    /// # Errors
    /// If the file is missing or not sound.
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

    /// The arrangement of its positions.
    pub const fn layout(&self) -> &Layout {
        &self.layout
    }

    /// The file.
    pub const fn file(&self) -> &TableFile {
        &self.file
    }

    /// Reads every block, on so many threads.
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

/// A block in memory: the words of the classes' digits, or a byte for each position's half distance.
#[derive(Clone, Debug)]
enum Content {
    Classes(Arc<[u64]>),
    Halves(Arc<[u8]>),
}

/// Bytes that a block takes in memory, at most.
const BLOCK_BYTES: usize = BLOCK_POSITIONS as usize;

/// Blocks in memory, each in the one place that its number gives it.
#[derive(Debug)]
struct Cache {
    places: Vec<RwLock<Option<(u64, Content)>>>,
}

impl Cache {
    fn new(megabytes: usize) -> Self {
        let count = (megabytes.saturating_mul(1 << 20) / BLOCK_BYTES).max(1);
        Self { places: (0..count).map(|_| RwLock::new(None)).collect() }
    }

    /// Calls `read` with a block, which `load` fetches if it is not here.
    fn with<T>(
        &self,
        key: u64,
        read: impl Fn(&Content) -> T,
        load: impl FnOnce() -> Result<Content, FileError>,
    ) -> Result<T, FileError> {
        let spread = u128::from(key.wrapping_mul(0x9E37_79B9_7F4A_7C15));
        let Some(place) = self.places.get(((spread * self.places.len() as u128) >> 64) as usize) else {
            return load().map(|content| read(&content));
        };
        if let Some((_, content)) =
            place.read().unwrap_or_else(PoisonError::into_inner).as_ref().filter(|(own, _)| *own == key)
        {
            return Ok(read(content));
        }
        let content = load()?;
        let value = read(&content);
        *place.write().unwrap_or_else(PoisonError::into_inner) = Some((key, content));
        Ok(value)
    }
}

/// A layer, and how it becomes the one that has a table.
#[derive(Debug)]
struct View {
    table: Arc<LayerTable>,
    /// The layer's own arrangement, which knows where the table has its positions.
    layout: Layout,
}

/// Where the value of a position is to be had.
enum Found<'a> {
    /// The game is over.
    Over(TableValue),
    /// In this table, by number.
    Stored(&'a LayerTable, u64),
}

/// The tables of one rule set in one folder. Probing takes `&self` and is safe from many threads.
#[derive(Debug)]
pub struct Tablebase {
    rules: &'static RuleSet,
    views: HashMap<Layer, View>,
    cache: Cache,
    unsound: Vec<Layer>,
}

impl Tablebase {
    /// The tables of a rule set in a folder, with a cache of [`DEFAULT_CACHE`] megabytes.
    ///
    /// A damaged file is reported in the log and left out.
    ///
    /// # Errors
    /// If the folder can't be read, or it has no table of the rule set.
    pub fn open(dir: &Path, rules: &'static RuleSet) -> Result<Self, OpenError> {
        Self::with_cache(dir, rules, DEFAULT_CACHE)
    }

    /// The same with a cache of so many megabytes.
    ///
    /// # Errors
    /// As for [`Tablebase::open`].
    pub fn with_cache(dir: &Path, rules: &'static RuleSet, megabytes: usize) -> Result<Self, OpenError> {
        std::fs::read_dir(dir).map_err(|error| OpenError::Folder(dir.to_owned(), error))?;
        let (mut tables, mut views, mut unsound) = (HashMap::new(), HashMap::new(), Vec::new());
        for layer in Layer::all(HERDS, GOATS).into_iter().filter(|layer| canonical(rules, *layer).0 == *layer) {
            match LayerTable::open(dir, rules, layer) {
                Ok(table) => {
                    tables.insert(layer, Arc::new(table));
                }
                Err(FileError::Io(error)) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) => {
                    log::warn!("{}: {error}; not used", file::path(dir, rules, layer).display());
                    unsound.push(layer);
                }
            }
        }
        if tables.is_empty() && unsound.is_empty() {
            return Err(OpenError::Nothing(dir.to_owned(), rules));
        }
        for layer in Layer::all(HERDS, GOATS) {
            if let Some(table) = tables.get(&canonical(rules, layer).0) {
                let layout = Layout::new(rules, layer, table.file.header().goats);
                views.insert(layer, View { table: Arc::clone(table), layout });
            }
        }
        Ok(Self { rules, views, cache: Cache::new(megabytes), unsound })
    }

    /// The rules.
    pub const fn rules(&self) -> &'static RuleSet {
        self.rules
    }

    /// The tables, in the order in which they are built.
    pub fn layers(&self) -> impl Iterator<Item = &LayerTable> {
        let is_own = |view: &&View| view.layout.layer() == view.table.layout.layer();
        Layer::all(HERDS, GOATS)
            .into_iter()
            .filter_map(|layer| self.views.get(&layer))
            .filter(is_own)
            .map(|view| &*view.table)
    }

    /// Layers whose file is there but was left out, because its header is damaged or it can't be read.
    pub fn unsound(&self) -> &[Layer] {
        &self.unsound
    }

    /// The value of a position, endless play being a draw; its counters don't matter. Distances are not looked at, so it
    /// costs half of [`Tablebase::probe`].
    ///
    /// # Errors
    /// Says why no table has it.
    pub fn probe_value(&self, position: &Position) -> Result<TableValue, ProbeError> {
        match self.find(position)? {
            Found::Over(value) => Ok(value),
            Found::Stored(table, number) => self.class(table, number).map(TableValue::from_class),
        }
    }

    /// The same for the side to move, without points.
    ///
    /// # Errors
    /// Says why no table has it.
    pub fn probe_wdl(&self, position: &Position) -> Result<Wdl, ProbeError> {
        self.probe_value(position).map(|value| value.wdl(position.side()))
    }

    /// The value of a position and the plies to the end of the game; its counters don't matter.
    ///
    /// # Errors
    /// Says why no table has it.
    pub fn probe(&self, position: &Position) -> Result<Probe, ProbeError> {
        let (table, number) = match self.find(position)? {
            Found::Over(value) => return Ok(Probe { value, plies: Some(0) }),
            Found::Stored(table, number) => (table, number),
        };
        let value = TableValue::from_class(self.class(table, number)?);
        let winner = value.winner().filter(|_| table.file.header().has_distances);
        let half = winner.map(|_| self.half(table, number)).transpose()?;
        let plies = half.map(|half| 2 * u32::from(half) + u32::from(winner == Some(position.side())));
        Ok(Probe { value, plies })
    }

    /// Where the value of a position is to be had.
    fn find(&self, position: &Position) -> Result<Found<'_>, ProbeError> {
        if !std::ptr::eq(position.rules(), self.rules) {
            return Err(ProbeError::OtherRules);
        }
        if let Some(ending) = position.ending() {
            return Ok(Found::Over(TableValue::won(self.rules, ending.winner(), position.goats_alive())));
        }
        let layer = Layer::of(position);
        let view = self.views.get(&layer).ok_or(ProbeError::NoTable(layer))?;
        if view.table.is_damaged.load(Relaxed) {
            return Err(ProbeError::Damaged(layer));
        }
        let number = view.layout.number(position.tiger_pair(), position.goats());
        let number = number.ok_or(ProbeError::TooManyGoats(layer))?;
        let first = if position.side() == Side::White { 0 } else { view.table.layout.numbers() };
        Ok(Found::Stored(&view.table, first + number))
    }

    fn half(&self, table: &LayerTable, number: u64) -> Result<u8, ProbeError> {
        let (block, at) = (number / BLOCK_POSITIONS, (number % BLOCK_POSITIONS) as usize);
        let read = |content: &Content| match content {
            Content::Halves(halves) => halves.get(at).copied(),
            Content::Classes(_) => None,
        };
        let key = table.number << 40 | block << 1 | 1;
        self.sound(table, self.cache.with(key, read, || self.load_halves(table, block)))
    }

    fn class(&self, table: &LayerTable, number: u64) -> Result<u8, ProbeError> {
        let (block, at) = (number / BLOCK_POSITIONS, number % BLOCK_POSITIONS);
        let digits = table.file.header().digits;
        let read = |content: &Content| match content {
            Content::Classes(words) => {
                let first = (at >> 6) as usize * digits;
                let group = words.get(first..first + digits)?;
                Some(group.iter().rev().fold(0, |class, word| class << 1 | (word >> (at & 63) & 1) as u8))
            }
            Content::Halves(_) => None,
        };
        let load = || table.file.classes(block).map(|words| Content::Classes(words.into()));
        self.sound(table, self.cache.with(table.number << 40 | block << 1, read, load))
    }

    /// A block's half distances, a byte for every position.
    fn load_halves(&self, table: &LayerTable, block: u64) -> Result<Content, FileError> {
        let classes = table.file.classes(block)?;
        let mut halves = table.file.halves(block, &classes)?.into_iter();
        let all = classes.chunks(table.file.header().digits).flat_map(|group| {
            let decided = group.iter().fold(0, |all, word| all | word);
            (0..64).map(move |bit| decided >> bit & 1 != 0)
        });
        Ok(Content::Halves(all.map(|is_decided| if is_decided { halves.next().unwrap_or(0) } else { 0 }).collect()))
    }

    /// What the tables say of a position, and the legal moves that are best by them: they keep its value and, where
    /// distances are known, win soonest or lose latest.
    ///
    /// Returns `None` if no table has the position, or not enough of what its moves lead to.
    pub fn best_moves(&self, position: &Position) -> Option<(Probe, Vec<Move>)> {
        let here = self.probe(position).ok()?;
        let moves = position.legal_moves().into_iter();
        let known = moves.filter_map(|mv| Some((mv, self.probe(&position.play(mv)).ok()?)));
        let keeping: Vec<(Move, Probe)> = known.filter(|(_, after)| after.value == here.value).collect();
        let next = here.plies.and_then(|plies| plies.checked_sub(1));
        let is_best = |after: &Probe| next.is_some() && after.plies == next;
        let only_best = keeping.iter().any(|(_, after)| is_best(after));
        let best = keeping.into_iter().filter(|(_, after)| !only_best || is_best(after));
        let moves: Vec<Move> = best.map(|(mv, _)| mv).collect();
        (!moves.is_empty()).then_some((here, moves))
    }

    /// The value of a position by the definition, from the values of those one move away, and where all of these that
    /// matter have one, the distance.
    ///
    /// # Errors
    /// Says why the tables lack one of these.
    pub fn one_ply_value(&self, position: &Position) -> Result<Probe, ProbeError> {
        let side = position.side();
        let over = |winner| TableValue::won(self.rules, winner, position.goats_alive());
        if let Some(ending) = position.ending() {
            return Ok(Probe { value: over(ending.winner()), plies: Some(0) });
        }
        let mut after = Vec::new();
        position.for_each_move(|mv| after.push(self.probe(&position.play(mv))));
        let after = after.into_iter().collect::<Result<Vec<Probe>, _>>()?;
        // Who is not at the end of the game has a move.
        let best = after.iter().map(|after| after.value).max_by(|one, other| one.compare(*other, side));
        let value = best.unwrap_or(over(side.opponent()));
        let plies: Option<Vec<u32>> =
            after.iter().filter(|after| after.value == value).map(|after| after.plies).collect();
        let plies = match value.winner() {
            None => None,
            Some(winner) if winner == side => plies.and_then(|plies| plies.into_iter().min()),
            Some(_) => plies.and_then(|plies| plies.into_iter().max()),
        };
        Ok(Probe { value, plies: plies.map(|plies| plies + 1) })
    }

    /// What was read; if it is damaged, the table is not asked any more.
    fn sound<T>(&self, table: &LayerTable, read: Result<Option<T>, FileError>) -> Result<T, ProbeError> {
        let layer = table.layout.layer();
        let read = read.and_then(|read| read.ok_or_else(|| FileError::Damaged("a block is too short".to_owned())));
        read.map_err(|error| {
            if !table.is_damaged.swap(true, Relaxed) {
                log::warn!("table {}-{layer}: {error}; not used", self.rules.name);
            }
            ProbeError::Damaged(layer)
        })
    }
}
