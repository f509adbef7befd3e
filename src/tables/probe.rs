//! Reading tables: the value of a position, from any number of threads, with a bounded cache of blocks.

use super::Verdict;
use super::file::{self, BLOCK_WORDS, FileError, TableFile};
use super::layer::Layer;
use super::layout::{LOW_SLOTS, Layout};
use crate::moves::Move;
use crate::position::Position;
use crate::rules::{GOATS, HERDS, RuleSet};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError, RwLock};
use std::{fmt, io};

/// Size of the block cache unless the caller says otherwise, in megabytes.
pub const DEFAULT_CACHE: usize = 64;

/// Why there are no tables to be had.
#[derive(Debug)]
pub enum OpenError {
    /// Wins of this rule set are worth points, which these tables don't know.
    Scored(&'static RuleSet),
    /// The folder can't be read.
    Folder(PathBuf, io::Error),
    /// The folder has no table of this rule set.
    Nothing(PathBuf, &'static RuleSet),
}

impl fmt::Display for OpenError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Scored(rules) => write!(f, "{}: no tables for rule sets that are played for points", rules.name),
            Self::Folder(dir, error) => write!(f, "{}: {error}", dir.display()),
            Self::Nothing(dir, rules) => write!(f, "{}: no tables of {}", dir.display(), rules.name),
        }
    }
}

impl std::error::Error for OpenError {}

/// One layer's file and how its positions are arranged.
#[derive(Debug)]
pub struct Table {
    number: u64,
    layout: Layout,
    file: TableFile,
}

impl Table {
    /// Opens a layer's file, if its size is that of its layout.
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
        let words = words_of(&layout);
        if words != header.words {
            return Err(FileError::Damaged(format!("{} words instead of {words}", header.words)));
        }
        let number = layer.heights().iter().fold(0, |number, height| number * 8 + u64::from(*height));
        Ok(Self { number, layout, file })
    }

    /// The arrangement of its positions.
    pub const fn layout(&self) -> &Layout {
        &self.layout
    }

    /// The file.
    pub const fn file(&self) -> &TableFile {
        &self.file
    }

    /// The number of the word that has the won positions of a position's neighbourhood (the next has the lost ones),
    /// and the position's bit in both.
    ///
    /// Returns `None` if the position is not in the table.
    #[inline]
    fn spot(&self, position: &Position) -> Option<(u64, u32)> {
        let mut tigers = position.tigers().into_iter();
        let pair = self.layout.pair(tigers.next()?, tigers.next()?)?;
        let index = self.layout.index(pair, position.goats());
        let highs = self.layout.highs();
        let high = highs.number(index >> LOW_SLOTS)?;
        if position.goats_alive() > self.layout.goats() + self.layout.layer().goats() {
            return None;
        }
        let row = position.side().index() * self.layout.pairs().len() + pair;
        Some((2 * (row * highs.count() + high) as u64, index & ((1 << LOW_SLOTS) - 1)))
    }
}

/// Number of words of a layer's table.
pub fn words_of(layout: &Layout) -> u64 {
    4 * (layout.pairs().len() * layout.highs().count()) as u64
}

type Block = Option<(u64, Arc<[u64]>)>;

/// Blocks in memory, each in the one place that its number gives it.
#[derive(Debug)]
struct Cache {
    places: Vec<RwLock<Block>>,
}

impl Cache {
    fn new(megabytes: usize) -> Self {
        let count = (megabytes.saturating_mul(1 << 20) / (8 * BLOCK_WORDS)).max(1);
        Self { places: (0..count).map(|_| RwLock::new(None)).collect() }
    }

    /// Calls `read` with a block, which `load` fetches if it is not here.
    fn with<T>(
        &self,
        key: u64,
        read: impl Fn(&[u64]) -> T,
        load: impl FnOnce() -> Result<Vec<u64>, FileError>,
    ) -> Result<T, FileError> {
        let spread = u128::from(key.wrapping_mul(0x9E37_79B9_7F4A_7C15));
        let Some(place) = self.places.get(((spread * self.places.len() as u128) >> 64) as usize) else {
            return load().map(|words| read(&words));
        };
        if let Some((_, words)) =
            place.read().unwrap_or_else(PoisonError::into_inner).as_ref().filter(|(own, _)| *own == key)
        {
            return Ok(read(words));
        }
        let words: Arc<[u64]> = load()?.into();
        let value = read(&words);
        *place.write().unwrap_or_else(PoisonError::into_inner) = Some((key, words));
        Ok(value)
    }
}

/// The tables of one rule set in one folder. Probing takes `&self` and is safe from many threads.
#[derive(Debug)]
pub struct Tables {
    rules: &'static RuleSet,
    tables: HashMap<Layer, Table>,
    cache: Cache,
    unsound: Vec<Layer>,
    /// Layers whose damage was reported.
    reported: Mutex<Vec<Layer>>,
}

impl Tables {
    /// The tables of a rule set in a folder, with a cache of [`DEFAULT_CACHE`] megabytes.
    ///
    /// A damaged file is reported in the log and left out.
    ///
    /// # Errors
    /// If the rule set has none, the folder can't be read, or it has no table of the rule set.
    pub fn open(dir: &Path, rules: &'static RuleSet) -> Result<Self, OpenError> {
        Self::with_cache(dir, rules, DEFAULT_CACHE)
    }

    /// The same with a cache of so many megabytes.
    ///
    /// # Errors
    /// As for [`Tables::open`].
    pub fn with_cache(dir: &Path, rules: &'static RuleSet, megabytes: usize) -> Result<Self, OpenError> {
        if !super::supports(rules) {
            return Err(OpenError::Scored(rules));
        }
        std::fs::read_dir(dir).map_err(|error| OpenError::Folder(dir.to_owned(), error))?;
        let (mut tables, mut unsound) = (HashMap::new(), Vec::new());
        for layer in Layer::all(HERDS, GOATS) {
            match Table::open(dir, rules, layer) {
                Ok(table) => {
                    tables.insert(layer, table);
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
        Ok(Self { rules, tables, cache: Cache::new(megabytes), unsound, reported: Mutex::new(Vec::new()) })
    }

    /// The rules.
    pub const fn rules(&self) -> &'static RuleSet {
        self.rules
    }

    /// The tables, in the order in which they are built.
    pub fn layers(&self) -> impl Iterator<Item = &Table> {
        Layer::all(HERDS, GOATS).into_iter().filter_map(|layer| self.tables.get(&layer))
    }

    /// Layers whose file is there but was left out, because its header is damaged or it can't be read.
    pub fn unsound(&self) -> &[Layer] {
        &self.unsound
    }

    /// The exact value of a position for the side to move, endless play being a draw; the position's counters don't
    /// matter.
    ///
    /// Returns `None` if no table has it, or only a damaged one (which the log says once).
    pub fn probe(&self, position: &Position) -> Option<Verdict> {
        if !std::ptr::eq(position.rules(), self.rules) {
            return None;
        }
        let layer = Layer::of(position);
        let table = self.tables.get(&layer)?;
        let (word, bit) = table.spot(position)?;
        let (block, at) = (word / BLOCK_WORDS as u64, (word % BLOCK_WORDS as u64) as usize);
        let key = table.number << 32 | block;
        let is_set = |words: &[u64], at| words.get(at).is_some_and(|word| word >> bit & 1 != 0);
        let read = |words: &[u64]| (is_set(words, at), is_set(words, at + 1));
        match self.cache.with(key, read, || table.file.block(block)) {
            Ok((true, false)) => Some(Verdict::Win),
            Ok((false, true)) => Some(Verdict::Loss),
            Ok((false, false)) => Some(Verdict::Draw),
            Ok((true, true)) => None,
            Err(error) => {
                self.report(layer, &error);
                None
            }
        }
    }

    /// The legal moves that keep a position's value for the side to move, and that value.
    ///
    /// Returns `None` if no table has the position, or not enough of what its moves lead to.
    pub fn keeping(&self, position: &Position) -> Option<(Verdict, Vec<Move>)> {
        let verdict = self.probe(position)?;
        let value = |mv: &Move| self.probe(&position.play(*mv)).map(Verdict::opposite);
        let moves: Vec<Move> = position.legal_moves().into_iter().filter(|mv| value(mv) == Some(verdict)).collect();
        (!moves.is_empty()).then_some((verdict, moves))
    }

    fn report(&self, layer: Layer, error: &FileError) {
        let mut reported = self.reported.lock().unwrap_or_else(PoisonError::into_inner);
        if !reported.contains(&layer) {
            reported.push(layer);
            log::warn!("table {}-{layer}: {error}; not used", self.rules.name);
        }
    }
}
