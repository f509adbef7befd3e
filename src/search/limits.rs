//! What bounds a search.

use crate::moves::Move;
use std::time::Duration;

/// Deepest iteration, in plies.
pub const MAX_DEPTH: u32 = 200;

/// What bounds a search. The first bound reached ends it; without any it goes on until it is stopped.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Limits {
    /// Depth of the last iteration, in plies.
    pub depth: Option<u32>,
    /// Nodes over all threads.
    pub nodes: Option<u64>,
    /// Stop at a forced end of the game within this many moves of the winner.
    pub mate: Option<u32>,
    /// Time for this move.
    pub move_time: Option<Duration>,
    /// The clock of the side to move.
    pub clock: Option<Clock>,
    /// Only these moves at the root; empty for all.
    pub root_moves: Vec<Move>,
}

impl Limits {
    /// Whether anything but a stop ends the search.
    pub const fn is_bounded(&self) -> bool {
        self.depth.is_some()
            || self.nodes.is_some()
            || self.mate.is_some()
            || self.move_time.is_some()
            || self.clock.is_some()
    }

    /// Depth of the last iteration to run, in plies, 1 to [`MAX_DEPTH`].
    pub fn last_depth(&self) -> u32 {
        let mate = self.mate.map(|moves| moves.saturating_mul(2));
        [self.depth, mate].into_iter().flatten().min().unwrap_or(MAX_DEPTH).clamp(1, MAX_DEPTH)
    }
}

/// A game clock.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Clock {
    /// Time left; zero if the flag is about to fall or has fallen.
    pub left: Duration,
    /// Time added after each move.
    pub increment: Duration,
    /// Moves to the next time control; `None` for the rest of the game.
    pub moves_to_go: Option<u32>,
}
