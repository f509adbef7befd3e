//! Perft: the number of ways to play on for a number of plies, the touchstone of a move generator.
//!
//! Leaves are counted, not made. An optional table remembers subtrees; its keys are exact, so it changes no count.

use crate::moves::Move;
use crate::position::{Key, Position};
use std::sync::atomic::{AtomicBool, Ordering};

/// Deepest count that can be asked for, in plies.
pub const MAX_DEPTH: u32 = 100;

#[derive(Copy, Clone, Default)]
struct Entry {
    key: Key,
    depth: u32,
    count: u64,
}

/// Counts leaves, with or without a table.
pub struct Perft<'a> {
    table: Vec<Entry>,
    stop: &'a AtomicBool,
}

impl<'a> Perft<'a> {
    /// A counter with a table of at most `megabytes` (0 for none); it gives up once `stop` is set.
    ///
    /// # Errors
    /// If there is no memory for the table.
    pub fn new(megabytes: usize, stop: &'a AtomicBool) -> Result<Self, std::collections::TryReserveError> {
        let entries = megabytes.saturating_mul(1 << 20) / size_of::<Entry>();
        let mut table = Vec::new();
        table.try_reserve_exact(entries)?;
        table.resize(entries, Entry::default());
        Ok(Self { table, stop })
    }

    /// Number of move sequences of exactly `depth` plies (at most [`MAX_DEPTH`]) from here; 1 for no plies.
    ///
    /// Returns `None` if it was stopped, or asked for more.
    pub fn count(&mut self, position: &Position, depth: u32) -> Option<u64> {
        match depth {
            0 => return Some(1),
            1 => return Some(position.count_moves()),
            2 => return Some(count_two(position)),
            _ if depth > MAX_DEPTH || self.stop.load(Ordering::Relaxed) => return None,
            _ => {}
        }
        if let Some(count) = self.remembered(position, depth) {
            return Some(count);
        }
        let mut total = 0u64;
        for mv in position.legal_moves() {
            total = total.wrapping_add(self.count(&position.play(mv), depth - 1)?);
        }
        self.remember(position, depth, total);
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
            total = total.wrapping_add(count);
        }
        Some(total)
    }

    fn slot(&self, position: &Position) -> usize {
        ((u128::from(position.key().bits()) * self.table.len() as u128) >> 64) as usize
    }

    fn remembered(&self, position: &Position, depth: u32) -> Option<u64> {
        let entry = self.table.get(self.slot(position))?;
        (entry.depth == depth && entry.key == position.key()).then_some(entry.count)
    }

    fn remember(&mut self, position: &Position, depth: u32, count: u64) {
        let slot = self.slot(position);
        if let Some(entry) = self.table.get_mut(slot) {
            *entry = Entry { key: position.key(), depth, count };
        }
    }
}

/// Two plies at once: the inner loop of a perft, without a list of moves.
fn count_two(position: &Position) -> u64 {
    let mut total = 0;
    position.for_each_move(|mv| total += position.play(mv).count_moves());
    total
}
