//! Settings of a search that outlast it.

use crate::tablebase::Tablebase;
use std::sync::Arc;
use std::time::Duration;

/// What the search may leave out.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub enum SearchMode {
    /// All that makes it strong: reductions, pruning, the transposition table.
    #[default]
    Selective,
    /// No reductions and no pruning but alpha-beta's own; from the transposition table only forced ends. A forced end
    /// within its depth is exact.
    FullWidth,
    /// Plain minimax to its depth with the static evaluation there, a repetition on the path counting as a draw. It
    /// takes nothing but move ordering from the transposition table.
    Minimax,
}

impl SearchMode {
    /// This mode, but for reductions and pruning that could miss a forced end.
    pub const fn without_pruning(self) -> Self {
        match self {
            Self::Selective | Self::FullWidth => Self::FullWidth,
            Self::Minimax => Self::Minimax,
        }
    }
}

/// Settings that outlast a search.
#[derive(Clone, Debug)]
pub struct SearchSettings {
    /// Threads, 1 or more.
    pub threads: usize,
    /// Best lines wanted, 1 or more.
    pub multi_pv: usize,
    /// Time kept back of each move's for what happens between the clocks.
    pub move_overhead: Duration,
    /// What the search may leave out.
    pub mode: SearchMode,
    /// The tablebase of the game's rules, to cut off with.
    pub tablebase: Option<Arc<Tablebase>>,
}

impl Default for SearchSettings {
    fn default() -> Self {
        Self { threads: 1, multi_pv: 1, move_overhead: Duration::ZERO, mode: SearchMode::Selective, tablebase: None }
    }
}
