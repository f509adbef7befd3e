//! Perft: the number of move sequences of a given length, the standard test of a move generator (Chess Programming Wiki).
//!
//! The moves of the last ply are counted, not made (bulk counting). An optional hash table holds the counts of subtrees;
//! its keys are exact, so it changes no count.

use crate::moves::Move;
use crate::position::{Key, Position};
use std::sync::atomic::{AtomicBool, Ordering};

/// Deepest count, in plies.
pub const MAX_DEPTH: u32 = 100;

/// A count as it is shown.
pub fn count_text(count: u64) -> String {
    format!("{count}{}", if count == u64::MAX { " or more" } else { "" })
}

/// The count of a position at a depth; an empty slot has depth 0, which is never looked up.
#[derive(Copy, Clone, Default)]
struct PerftEntry {
    key: Key,
    depth: u32,
    count: u64,
}

/// Counts leaves, with or without a hash table.
pub struct Perft<'a> {
    table: Vec<PerftEntry>,
    stop: &'a AtomicBool,
}

impl<'a> Perft<'a> {
    /// A counter with a hash table of at most `megabytes` (0 for none); it gives up once `stop` is set.
    ///
    /// # Errors
    /// If there is no memory for the table.
    pub fn new(megabytes: usize, stop: &'a AtomicBool) -> Result<Self, std::collections::TryReserveError> {
        let entries = megabytes.saturating_mul(1 << 20) / size_of::<PerftEntry>();
        let mut table = Vec::new();
        table.try_reserve_exact(entries)?;
        table.resize(entries, PerftEntry::default());
        Ok(Self { table, stop })
    }

    /// Number of move sequences of exactly `depth` plies (at most [`MAX_DEPTH`]) from here; 1 for no plies.
    ///
    /// Returns `None` if it was stopped, or for a greater depth; `u64::MAX` for that many or more.
    pub fn count(&mut self, position: &Position, depth: u32) -> Option<u64> {
        match depth {
            0 => return Some(1),
            1 => return Some(position.count_moves()),
            2 => return Some(count_two_plies(position)),
            _ if depth > MAX_DEPTH || self.stop.load(Ordering::Relaxed) => return None,
            _ => {}
        }
        if let Some(count) = self.probe(position, depth) {
            return Some(count);
        }
        let mut total = 0u64;
        for mv in position.legal_moves() {
            total = total.saturating_add(self.count(&position.play(mv), depth - 1)?);
        }
        self.store(position, depth, total);
        Some(total)
    }

    /// For each legal move the leaves behind it, in the order of the moves' texts; calls `each` as soon as one is
    /// known. `depth` counts the move itself; at 0 it is taken for 1.
    ///
    /// Returns the sum, or `None` if it was stopped.
    pub fn divide(&mut self, position: &Position, depth: u32, mut each: impl FnMut(Move, u64)) -> Option<u64> {
        let mut moves = position.legal_moves();
        moves.sort_by_cached_key(Move::to_string);
        let mut total = 0u64;
        for mv in moves {
            let count = self.count(&position.play(mv), depth.saturating_sub(1))?;
            each(mv, count);
            total = total.saturating_add(count);
        }
        Some(total)
    }

    fn index(&self, position: &Position) -> usize {
        ((u128::from(position.key().bits()) * self.table.len() as u128) >> 64) as usize
    }

    fn probe(&self, position: &Position, depth: u32) -> Option<u64> {
        let entry = self.table.get(self.index(position))?;
        (entry.depth == depth && entry.key == position.key()).then_some(entry.count)
    }

    fn store(&mut self, position: &Position, depth: u32, count: u64) {
        let index = self.index(position);
        if let Some(entry) = self.table.get_mut(index) {
            *entry = PerftEntry { key: position.key(), depth, count };
        }
    }
}

/// The count for two plies, without a list of moves.
fn count_two_plies(position: &Position) -> u64 {
    let mut total = 0;
    position.for_each_move(|mv| total += position.play(mv).count_moves());
    total
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_beyond_all_numbers_are_said_to_be_more() {
        assert_eq!([7, u64::MAX].map(count_text), ["7", "18446744073709551615 or more"]);
    }
}
