//! The transposition table: what earlier searches found out about positions, shared by all threads.
//!
//! An entry is two atomic words, the key xor the data and the data, so that a torn write shows as a wrong key (Hyatt
//! and Mann 2002); no locks. Keys are exact, so an entry that is found belongs to its position; its move is an index in
//! the fixed order of generation and still checked before use. Four entries share a cache line and compete by age and
//! depth (replacement schemes: Breuker, Uiterwijk and van den Herik 1994). Memory is taken in segments, each when it is
//! first written to, so that a table of any size is made at once; [`TranspositionTable::prepare`] takes it before a clock
//! runs.

use crate::parallel::for_each;
use crate::position::Key;
use crate::search::score::Score;
use crate::search::window::Bound;
use std::hint::black_box;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU64, Ordering::Relaxed};

/// What the table has of a position.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Entry {
    /// Index of the best move in the order of generation, if one is known.
    pub move_index: Option<u16>,
    /// The score, with distances counted from the position itself: see [`Score::root_to_node`].
    pub score: Score,
    /// Whether the score is a bound; `None` if the entry only has a move.
    pub bound: Option<Bound>,
    /// Depth of the search behind the score, in plies.
    pub depth: u8,
}

/// What an entry without a move has in place of its index.
pub const NO_MOVE: u16 = u16::MAX;
/// Generations are counted modulo this.
const GENERATIONS: u8 = 64;
/// Largest number of a game; the table is written over when it is passed.
const LAST_GAME: u16 = (1 << 15) - 1;
/// Where the data word has the game's number.
const GAME_AT: u32 = 48;
/// Slots of a cluster, which fill a cache line.
const CLUSTER: usize = 4;
/// Plies of depth that each search passed since costs an entry when entries compete.
const AGE_WEIGHT: i32 = 4;
/// A bound of the same search may replace one that is deeper by no more than this.
const DEPTH_SLACK: u8 = 3;

impl Entry {
    /// The data word: move index (16 bits), score (16), depth (8), bound (2), generation (6), and the game (15), which is never
    /// 0: that is an empty slot.
    const fn pack(&self, stamp: Stamp) -> u64 {
        let move_index = match self.move_index {
            Some(index) => index,
            None => NO_MOVE,
        };
        let bound = match self.bound {
            None => 0,
            Some(Bound::Exact) => 1,
            Some(Bound::Lower) => 2,
            Some(Bound::Upper) => 3,
        };
        move_index as u64
            | (self.score.raw() as u16 as u64) << 16
            | (self.depth as u64) << 32
            | bound << 40
            | (stamp.generation as u64) << 42
            | (stamp.game as u64) << GAME_AT
    }

    fn unpack(data: u64) -> Self {
        let move_index = data as u16;
        Self {
            move_index: (move_index != NO_MOVE).then_some(move_index),
            score: Score::from_raw((data >> 16) as i16),
            bound: match data >> 40 & 3 {
                0 => None,
                1 => Some(Bound::Exact),
                2 => Some(Bound::Lower),
                _ => Some(Bound::Upper),
            },
            depth: depth_of(data),
        }
    }
}

const fn depth_of(data: u64) -> u8 {
    (data >> 32) as u8
}

const fn generation_of(data: u64) -> u8 {
    (data >> 42) as u8 % GENERATIONS
}

const fn game_of(data: u64) -> u16 {
    (data >> GAME_AT) as u16
}

/// When an entry was stored.
#[derive(Copy, Clone)]
struct Stamp {
    /// The number of the game; entries of other games count as none.
    game: u16,
    /// The number of the search, 0 to `GENERATIONS - 1`.
    generation: u8,
}

impl Stamp {
    /// How many searches before this one a data word was stored, modulo [`GENERATIONS`]; `None` if that was in another game.
    const fn age(self, data: u64) -> Option<u8> {
        if game_of(data) != self.game {
            return None;
        }
        Some((self.generation + GENERATIONS - generation_of(data)) % GENERATIONS)
    }
}

#[derive(Default)]
struct Slot {
    /// The key xor the data.
    check: AtomicU64,
    /// An entry as [`Entry::pack`] has it; 0 for none.
    data: AtomicU64,
}

impl Slot {
    /// The data, if the slot belongs to this key and game.
    fn data_of(&self, key: Key, game: u16) -> Option<u64> {
        let data = self.data.load(Relaxed);
        (self.check.load(Relaxed) ^ data == key.bits() && game_of(data) == game).then_some(data)
    }

    fn set(&self, key: Key, data: u64) {
        self.check.store(key.bits() ^ data, Relaxed);
        self.data.store(data, Relaxed);
    }
}

#[derive(Default)]
#[repr(align(64))]
struct Cluster([Slot; CLUSTER]);

/// Clusters of a segment: 64 kB.
const SEGMENT: usize = 1 << 10;
/// Segments that are made ready at most, 1 GB: less than a second's work. The others are when they are first written to.
const MOST_PREPARED: usize = 1 << 14;
/// Bytes that stay free where memory runs out: a search needs a few megabytes.
const SPARE_BYTES: usize = 1 << 25;

/// A part of the table; `None` if there was no memory for it.
type Segment = Option<Box<[Cluster; SEGMENT]>>;

fn new_segment() -> Segment {
    let mut clusters = Vec::new();
    clusters.try_reserve_exact(SEGMENT).ok()?;
    clusters.resize_with(SEGMENT, Cluster::default);
    clusters.into_boxed_slice().try_into().ok()
}

/// The transposition table.
pub struct TranspositionTable {
    segments: Vec<OnceLock<Segment>>,
    /// Number of the game, 1 to [`LAST_GAME`].
    game: u16,
    /// Of the search that runs, 0 to `GENERATIONS - 1`.
    generation: AtomicU8,
}

impl TranspositionTable {
    /// A table of at most this many megabytes (2^20 bytes). A table of no size, or without memory, stores nothing.
    pub fn new(megabytes: usize) -> Self {
        let count = megabytes.saturating_mul(1 << 20) / (SEGMENT * size_of::<Cluster>());
        let mut segments = Vec::new();
        if segments.try_reserve_exact(count).is_ok() {
            segments.resize_with(count, OnceLock::new);
        }
        Self { segments, game: 1, generation: AtomicU8::new(0) }
    }

    /// Takes the memory of the table, or of the first gigabyte of it, on some threads: as much as a search would take, but
    /// where no clock runs. If there isn't so much, the table does without the rest, and leaves some for all else.
    pub fn prepare(&self, threads: usize) {
        let mut spare: Vec<u8> = Vec::new();
        let has_memory = AtomicBool::new(spare.try_reserve_exact(SPARE_BYTES).is_ok());
        // Otherwise the compiler may do without what nobody writes to.
        black_box(&spare);
        let missing = self.segments.iter().take(MOST_PREPARED).filter(|segment| segment.get().is_none());
        for_each(threads, missing, |segment| {
            let taken = segment.get_or_init(|| if has_memory.load(Relaxed) { new_segment() } else { None });
            has_memory.fetch_and(taken.is_some(), Relaxed);
        });
        if !has_memory.into_inner() {
            self.segments.iter().for_each(|segment| {
                segment.get_or_init(|| None);
            });
        }
    }

    /// Forgets all entries and keeps the memory: a new game begins.
    pub fn clear(&mut self) {
        self.generation = AtomicU8::new(0);
        self.game += 1;
        if self.game > LAST_GAME {
            self.game = 1;
            let taken = self.segments.iter_mut().filter_map(|segment| segment.get_mut()?.as_deref_mut());
            taken.flatten().for_each(|cluster| *cluster = Cluster::default());
        }
    }

    /// What entries are stamped with now.
    fn stamp(&self) -> Stamp {
        Stamp { game: self.game, generation: self.generation.load(Relaxed) }
    }

    /// Megabytes (2^20 bytes) of the table, memory taken or not.
    pub const fn megabytes(&self) -> usize {
        (self.segments.len() * SEGMENT * size_of::<Cluster>()) >> 20
    }

    /// Begins a new search: entries of older ones are replaced first.
    pub fn new_generation(&self) {
        self.generation.store((self.generation.load(Relaxed) + 1) % GENERATIONS, Relaxed);
    }

    /// The segment, and the index of the cluster in it, that a key belongs to; `None` in a table of no size.
    fn locate(&self, key: Key) -> Option<(&OnceLock<Segment>, usize)> {
        let clusters = (self.segments.len() * SEGMENT) as u128;
        let index = ((u128::from(key.bits()) * clusters) >> 64) as usize;
        (clusters > 0).then(|| (&self.segments[index / SEGMENT], index % SEGMENT))
    }

    /// The entry of the position with this key.
    pub fn probe(&self, key: Key) -> Option<Entry> {
        let (segment, index) = self.locate(key)?;
        let Cluster(slots) = &segment.get()?.as_deref()?[index];
        slots.iter().find_map(|slot| slot.data_of(key, self.game)).map(Entry::unpack)
    }

    /// Stores what a search of the position with this key has found, if that is worth more than what is there.
    pub fn store(&self, key: Key, mut entry: Entry) {
        let stamp = self.stamp();
        let Some((segment, index)) = self.locate(key) else { return };
        let Some(clusters) = segment.get_or_init(new_segment) else { return };
        let Cluster(slots) = &clusters[index];
        if let Some((slot, data)) = slots.iter().find_map(|slot| Some((slot, slot.data_of(key, self.game)?))) {
            let old = Entry::unpack(data);
            entry.move_index = entry.move_index.or(old.move_index);
            let is_better = entry.bound == Some(Bound::Exact) || entry.depth.saturating_add(DEPTH_SLACK) >= old.depth;
            if entry.bound.is_none() || !is_better && stamp.age(data) == Some(0) {
                entry = Entry { move_index: entry.move_index, ..old };
            }
            slot.set(key, entry.pack(stamp));
            return;
        }
        let worth = |slot: &&Slot| {
            let data = slot.data.load(Relaxed);
            stamp.age(data).map_or(i32::MIN, |age| i32::from(depth_of(data)) - AGE_WEIGHT * i32::from(age))
        };
        if let Some(slot) = slots.iter().min_by_key(worth) {
            slot.set(key, entry.pack(stamp));
        }
    }

    /// How full the table is with entries of this search, in permille, from a sample.
    pub fn hashfull(&self) -> u32 {
        let stamp = self.stamp();
        let is_used = |slot: &&Slot| stamp.age(slot.data.load(Relaxed)) == Some(0);
        let sample = self.segments.iter().take(SAMPLED_SEGMENTS);
        let sampled = sample.len() * SAMPLED_CLUSTERS * CLUSTER;
        let clusters =
            sample.filter_map(|segment| segment.get()?.as_deref()).flat_map(|clusters| &clusters[..SAMPLED_CLUSTERS]);
        let used = clusters.flat_map(|Cluster(slots)| slots).filter(is_used).count();
        (used * 1_000 / sampled.max(1)) as u32
    }
}

/// Segments looked at to tell how full the table is, and clusters of each.
const SAMPLED_SEGMENTS: usize = 16;
const SAMPLED_CLUSTERS: usize = 32;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::position::Position;
    use crate::rules::RuleSet;

    fn keys(count: usize) -> Vec<Key> {
        let mut position = Position::start(RuleSet::standard());
        let mut keys = Vec::new();
        let mut state = 1usize;
        while keys.len() < count {
            let moves = position.legal_moves();
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            let Some(&mv) = moves.get((state >> 33) % moves.len().max(1)) else {
                position = Position::start(RuleSet::standard());
                continue;
            };
            position = position.play(mv);
            keys.push(position.key());
        }
        keys
    }

    fn entry(depth: u8) -> Entry {
        Entry { move_index: Some(7), score: Score::win(1, 12), bound: Some(Bound::Lower), depth }
    }

    #[test]
    fn entries_read_back() {
        let table = TranspositionTable::new(1);
        let key = Position::start(RuleSet::standard()).key();
        assert_eq!(table.probe(key), None);
        table.store(key, entry(9));
        let found = table.probe(key).unwrap();
        assert_eq!(found, entry(9));
        table.store(key, Entry { move_index: None, score: Score::evaluation(-3), bound: None, depth: 2 });
        assert_eq!(table.probe(key), Some(found), "an entry with a move only leaves a known score alone");
    }

    #[test]
    fn a_new_game_knows_nothing_of_the_last() {
        let mut table = TranspositionTable::new(1);
        table.prepare(2);
        let key = Position::start(RuleSet::standard()).key();
        // Once around, so that the number of the first game comes again.
        for _ in 0..=LAST_GAME {
            table.store(key, entry(9));
            assert!(table.probe(key).is_some() && table.megabytes() == 1);
            table.clear();
            assert_eq!((table.probe(key), table.hashfull()), (None, 0));
        }
    }

    #[test]
    fn a_found_entry_belongs_to_its_key() {
        let table = TranspositionTable::new(1);
        let keys = keys(200_000);
        for (depth, &key) in keys.iter().enumerate() {
            table.store(key, Entry { move_index: Some((key.bits() >> 50) as u16), ..entry(depth as u8) });
        }
        let found = keys.iter().filter_map(|&key| Some((key, table.probe(key)?)));
        let mut count = 0;
        for (key, entry) in found {
            assert_eq!(entry.move_index, Some((key.bits() >> 50) as u16));
            count += 1;
        }
        assert!(count > 1_000);
    }

    #[test]
    fn a_table_of_no_size_is_harmless() {
        let table = TranspositionTable::new(0);
        let key = Position::start(RuleSet::standard()).key();
        table.store(key, entry(1));
        assert_eq!((table.probe(key), table.hashfull()), (None, 0));
    }
}
