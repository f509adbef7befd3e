//! What a search returns, and what it reports while it runs.

use crate::eval::wdl;
use crate::moves::Move;
use crate::position::Position;
use crate::search::score::{Score, ScoreKind};
use crate::search::window::Bound;
use std::time::Duration;

/// A line of play with its score.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Line {
    /// Principal variation from the root on; the first move is the one to play. Empty only where there is no move.
    pub moves: Vec<Move>,
    /// Score for the side to move at the root, distances counted from there.
    pub score: Score,
    /// Whether the score is a bound.
    pub bound: Bound,
    /// Depth of the iteration that found it, in plies.
    pub depth: u32,
    /// Deepest ply that iteration has visited (selective depth).
    pub seldepth: u32,
}

impl Line {
    /// Chances of win, draw and loss for the side to move at the root, in permille with a sum of 1,000.
    pub fn permille(&self, root: &Position) -> [u32; 3] {
        match self.score.kind() {
            ScoreKind::Win(_) => [1_000, 0, 0],
            ScoreKind::Loss(_) => [0, 0, 1_000],
            // The game is over, and drawn.
            ScoreKind::Evaluation(_) if self.moves.is_empty() => [0, 1_000, 0],
            ScoreKind::Evaluation(centigoats) => wdl::permille(centigoats, self.depth, root),
        }
    }
}

/// A report of a running search.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum SearchInfo<'a> {
    /// One of the best lines.
    Line {
        /// Its place among the best lines, from 1.
        rank: usize,
        /// The line.
        line: &'a Line,
        /// The cost of the search so far.
        stats: SearchStats,
    },
    /// The root move that is being searched.
    CurrentMove {
        /// Depth of the iteration, in plies.
        depth: u32,
        /// The move.
        mv: Move,
        /// Its number in the iteration, from 1.
        number: usize,
    },
}

/// What a search has cost so far.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub struct SearchStats {
    /// Nodes visited, quiescence included, over all threads.
    pub nodes: u64,
    /// Time since it began.
    pub time: Duration,
    /// How full the transposition table is, in permille.
    pub hashfull: u32,
    /// Positions whose value the tablebase gave, over all threads.
    pub tablebase_hits: u64,
}

impl SearchStats {
    /// Nodes a second; the time is taken for a microsecond at least.
    pub fn nodes_per_second(&self) -> u64 {
        let micros = self.time.as_micros().max(1);
        u64::try_from(u128::from(self.nodes) * 1_000_000 / micros).unwrap_or(u64::MAX)
    }
}

/// What a search has found.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SearchResult {
    /// The best lines, best first; one with no moves if there is no move to play.
    pub lines: Vec<Line>,
    /// What it has cost.
    pub stats: SearchStats,
}

impl SearchResult {
    /// The move to play; `None` where the game is over.
    pub fn best(&self) -> Option<Move> {
        self.lines.first()?.moves.first().copied()
    }

    /// The reply that is expected.
    pub fn expected_reply(&self) -> Option<Move> {
        self.lines.first()?.moves.get(1).copied()
    }
}
