//! The transposition table: what earlier searches found out about positions, shared by all threads.
//!
//! An entry is two atomic words, the key xor the data and the data, so that a torn write shows as a wrong key (Hyatt
//! and Mann 2002); no locks. Keys are exact, so an entry that is found belongs to its position; its move is a number
//! in the fixed order of generation and still checked before use. Four entries share a cache line and compete by age
//! and depth. Memory is taken in pieces, each when it is first written to, so that a table of any size is made at once.

use crate::position::Key;
use crate::search::path_score::Ply;
use crate::search::score::Score;
use crate::search::window::Bound;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU8, AtomicU64, Ordering::Relaxed};

/// What the table knows of a position.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Entry {
    /// Number of the best move in the order of generation, if one is known.
    pub best: Option<u16>,
    /// The score, with distances counted from the position itself.
    pub score: Score,
    /// Whether the score is a bound; `None` if the entry only holds a move.
    pub bound: Option<Bound>,
    /// Depth of the search behind the score, in plies.
    pub depth: u8,
}

const NO_MOVE: u16 = u16::MAX;
/// Ages are counted modulo this.
const AGES: u8 = 64;
const CLUSTER: usize = 4;
/// Plies of depth that a search more recent is worth when entries compete.
const AGE_WEIGHT: i32 = 4;
/// A bound of the same search may replace one that is deeper by no more than this.
const DEPTH_SLACK: u8 = 3;

impl Entry {
    /// The score with its distances counted from the root, for a position at this ply.
    pub const fn score_at(&self, ply: Ply) -> Score {
        self.score.farther(ply as u32)
    }

    const fn pack(&self, age: u8) -> u64 {
        let best = match self.best {
            Some(number) => number,
            None => NO_MOVE,
        };
        let bound = match self.bound {
            None => 0,
            Some(Bound::Exact) => 1,
            Some(Bound::Lower) => 2,
            Some(Bound::Upper) => 3,
        };
        best as u64
            | (self.score.raw() as u16 as u64) << 16
            | (self.depth as u64) << 32
            | bound << 40
            | (age as u64) << 42
            | 1 << 48 // tells an entry from an empty slot
    }

    fn unpack(data: u64) -> Self {
        let best = data as u16;
        Self {
            best: (best != NO_MOVE).then_some(best),
            score: Score::from_raw((data >> 16) as i16),
            bound: match data >> 40 & 3 {
                0 => None,
                1 => Some(Bound::Exact),
                2 => Some(Bound::Lower),
                _ => Some(Bound::Upper),
            },
            depth: (data >> 32) as u8,
        }
    }
}

const fn age_of(data: u64) -> u8 {
    (data >> 42) as u8 % AGES
}

#[derive(Default)]
struct Slot {
    check: AtomicU64,
    data: AtomicU64,
}

impl Slot {
    /// The data, if the slot belongs to this key.
    fn data_of(&self, key: Key) -> Option<u64> {
        let data = self.data.load(Relaxed);
        (data != 0 && self.check.load(Relaxed) ^ data == key.bits()).then_some(data)
    }

    fn set(&self, key: u64, data: u64) {
        self.check.store(key ^ data, Relaxed);
        self.data.store(data, Relaxed);
    }
}

#[derive(Default)]
#[repr(align(64))]
struct Cluster([Slot; CLUSTER]);

/// Clusters of a piece: 64 kB.
const PIECE: usize = 1 << 10;

/// A part of the table. It stays empty if there was no memory for it.
type Piece = Box<[Cluster]>;

fn new_piece() -> Piece {
    let mut clusters = Vec::new();
    if clusters.try_reserve_exact(PIECE).is_ok() {
        clusters.resize_with(PIECE, Cluster::default);
    }
    clusters.into_boxed_slice()
}

/// The table.
#[derive(Default)]
pub struct TranspositionTable {
    pieces: Vec<OnceLock<Piece>>,
    age: AtomicU8,
}

impl TranspositionTable {
    /// A table of at most so many megabytes (2^20 bytes); of no size it forgets everything.
    pub fn new(megabytes: usize) -> Self {
        let count = megabytes.saturating_mul(1 << 20) / (PIECE * size_of::<Cluster>());
        let mut pieces = Vec::new();
        if pieces.try_reserve_exact(count).is_ok() {
            pieces.resize_with(count, OnceLock::new);
        }
        Self { pieces, age: AtomicU8::new(0) }
    }

    /// Begins a new search: what older ones left gives way first.
    pub fn grow_older(&self) {
        self.age.store((self.age.load(Relaxed) + 1) % AGES, Relaxed);
    }

    /// The piece and the cluster in it that a key belongs to.
    fn place(&self, key: Key) -> (Option<&OnceLock<Piece>>, usize) {
        let clusters = (self.pieces.len() * PIECE) as u128;
        let index = ((u128::from(key.bits()) * clusters) >> 64) as usize;
        (self.pieces.get(index / PIECE), index % PIECE)
    }

    /// What is known of the position with this key.
    pub fn get(&self, key: Key) -> Option<Entry> {
        let (piece, index) = self.place(key);
        let cluster = piece?.get()?.get(index)?;
        cluster.0.iter().find_map(|slot| slot.data_of(key)).map(Entry::unpack)
    }

    /// Notes what a search of the position with this key, at this ply, has found; its score counts from the root.
    pub fn put(&self, key: Key, ply: Ply, entry: Entry) {
        let age = self.age.load(Relaxed);
        let mut entry = Entry { score: entry.score.nearer(u32::from(ply)), ..entry };
        let (piece, index) = self.place(key);
        let Some(Cluster(cluster)) = piece.and_then(|piece| piece.get_or_init(new_piece).get(index)) else {
            return;
        };
        if let Some((slot, old)) = cluster.iter().find_map(|slot| Some((slot, slot.data_of(key)?))) {
            let known = Entry::unpack(old);
            entry.best = entry.best.or(known.best);
            let is_better = entry.bound == Some(Bound::Exact) || entry.depth.saturating_add(DEPTH_SLACK) >= known.depth;
            if entry.bound.is_none() || !is_better && age_of(old) == age {
                entry = Entry { best: entry.best, ..known };
            }
            slot.set(key.bits(), entry.pack(age));
            return;
        }
        let worth = |slot: &&Slot| {
            let data = slot.data.load(Relaxed);
            let searches_ago = (age + AGES - age_of(data)) % AGES;
            if data == 0 { i32::MIN } else { i32::from((data >> 32) as u8) - AGE_WEIGHT * i32::from(searches_ago) }
        };
        if let Some(slot) = cluster.iter().min_by_key(worth) {
            slot.set(key.bits(), entry.pack(age));
        }
    }

    /// How full the table is with entries of this search, in permille, from a sample.
    pub fn permille_full(&self) -> u32 {
        let age = self.age.load(Relaxed);
        let is_used = |slot: &&Slot| {
            let data = slot.data.load(Relaxed);
            data != 0 && age_of(data) == age
        };
        let sample = self.pieces.iter().take(SAMPLED_PIECES);
        let sampled = sample.len() * SAMPLED_CLUSTERS * CLUSTER;
        let clusters = sample.filter_map(OnceLock::get).flat_map(|piece| piece.iter().take(SAMPLED_CLUSTERS));
        let used = clusters.flat_map(|cluster| &cluster.0).filter(is_used).count();
        (used * 1_000 / sampled.max(1)) as u32
    }
}

/// Pieces looked at to tell how full the table is, and clusters of each.
const SAMPLED_PIECES: usize = 16;
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
        Entry { best: Some(7), score: Score::win(1, 12), bound: Some(Bound::Lower), depth }
    }

    #[test]
    fn entries_read_back_with_distances_from_the_position() {
        let table = TranspositionTable::new(1);
        let key = Position::start(RuleSet::standard()).key();
        assert_eq!(table.get(key), None);
        table.put(key, 5, entry(9));
        let found = table.get(key).unwrap();
        assert_eq!(found, Entry { score: Score::win(1, 7), ..entry(9) });
        assert_eq!(found.score_at(3), Score::win(1, 10));
        table.put(key, 0, Entry { best: None, score: Score::evaluation(-3), bound: None, depth: 2 });
        assert_eq!(table.get(key), Some(found), "an entry with a move only leaves a known score alone");
    }

    #[test]
    fn a_found_entry_belongs_to_its_key() {
        let table = TranspositionTable::new(1);
        let keys = keys(200_000);
        for (depth, &key) in keys.iter().enumerate() {
            table.put(key, 0, Entry { best: Some((key.bits() >> 50) as u16), ..entry(depth as u8) });
        }
        let found = keys.iter().filter_map(|&key| Some((key, table.get(key)?)));
        let mut count = 0;
        for (key, entry) in found {
            assert_eq!(entry.best, Some((key.bits() >> 50) as u16));
            count += 1;
        }
        assert!(count > 1_000);
    }

    #[test]
    fn a_table_of_no_size_is_harmless() {
        let table = TranspositionTable::default();
        let key = Position::start(RuleSet::standard()).key();
        table.put(key, 0, entry(1));
        assert_eq!((table.get(key), table.permille_full()), (None, 0));
    }
}
