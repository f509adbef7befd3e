//! The search: iterative deepening over a principal variation search, with any number of threads.
//!
//! It is a library with a callback: it prints nothing and knows no protocol. One thread gives the same result every
//! time; more threads search the same tree and help each other through the table (lazy SMP).

pub mod limits;
mod movepick;
mod path_score;
mod pvs;
mod quiescence;
mod root;
pub mod score;
mod searcher;
pub mod tt;
pub mod window;

use crate::game::{Game, Outcome};
use crate::moves::Move;
use crate::position::Position;
use crate::tablebase::Tablebase;
use limits::{Control, Limits, TimeManager};
use path_score::Ply;
use root::RootSearch;
use score::Score;
use searcher::SearchContext;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::time::Duration;
use tt::TranspositionTable;
use window::Bound;

/// Deepest iteration, in plies.
pub const MAX_DEPTH: u32 = 200;
/// Longest path from the root.
const MAX_PLY: Ply = 240;

/// What the search may leave out.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub enum SearchMode {
    /// All that makes it strong: reductions, pruning, the table.
    #[default]
    Selective,
    /// No reductions and no pruning but alpha-beta's own; from the table only forced ends. What it says of a forced
    /// end within its depth is exact.
    FullWidth,
    /// Plain minimax to its depth with the static evaluation there, a repetition on the path counting as a draw. It
    /// takes nothing but move ordering from the table.
    Minimax,
}

/// Settings that outlast a search.
#[derive(Clone, Debug)]
pub struct SearchSettings {
    /// Threads, 1 or more.
    pub threads: usize,
    /// Best lines wanted, 1 or more.
    pub lines: usize,
    /// Time kept back for what happens between the clocks.
    pub overhead: Duration,
    /// What the search may leave out.
    pub style: SearchMode,
    /// Solved tables of the game's rules, to cut off with.
    pub tables: Option<Arc<Tablebase>>,
}

impl Default for SearchSettings {
    fn default() -> Self {
        Self { threads: 1, lines: 1, overhead: Duration::ZERO, style: SearchMode::Selective, tables: None }
    }
}

/// A line of play with its value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Line {
    /// Moves from the root on; the first is the move to play. Empty only where there is no move.
    pub moves: Vec<Move>,
    /// Value for the side to move at the root, distances counted from there.
    pub score: Score,
    /// Whether the score is a bound.
    pub bound: Bound,
    /// Depth of the iteration that found it, in plies.
    pub depth: u32,
    /// Deepest ply that iteration has visited.
    pub deepest: u32,
}

/// News of a running search.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum SearchInfo<'a> {
    /// A line of the list of best lines.
    Line {
        /// Its place in the list, from 1.
        rank: usize,
        /// The line.
        line: &'a Line,
        /// Effort so far.
        effort: SearchStats,
    },
    /// The root move that is being searched.
    Current {
        /// The iteration's depth, in plies.
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
    pub permille_full: u32,
    /// Positions whose value the solved tables gave, over all threads.
    pub table_hits: u64,
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
    pub effort: SearchStats,
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

/// Searches the position on the board of a game, whether or not somebody has lost it by an illegal move.
///
/// `tell` hears of the lines of every finished iteration. The search ends at the first limit reached or when `control`
/// stops it, and not as long as `control` holds it. There is always an answer, since the first iteration is not broken
/// off before it has a line.
pub fn search(
    game: &Game,
    limits: &Limits,
    settings: &SearchSettings,
    table: &TranspositionTable,
    control: &Control,
    mut tell: impl FnMut(SearchInfo),
) -> SearchResult {
    table.grow_older();
    let job = SearchContext {
        game,
        limits,
        budget: TimeManager::new(limits, settings.overhead),
        style: if limits.mate.is_some() { settings.style.without_pruning() } else { settings.style },
        line_count: settings.lines.max(1),
        table,
        control,
        tables: settings.tables.as_deref().filter(|tables| lead_on(tables, game.position())),
        nodes: AtomicU64::new(0),
        table_hits: AtomicU64::new(0),
        done: AtomicBool::new(false),
    };
    let lines = match final_line(game) {
        Some(line) => vec![line],
        None => run_threads(&job, settings.threads, &mut tell),
    };
    control.wait_until_free();
    SearchResult { lines, effort: job.effort() }
}

/// Whether tables help to search a position. Where they know a win or loss of it, but no distances, its value is known
/// already, and to know it of all that follows as well would leave nothing to tell progress by.
fn lead_on(tables: &Tablebase, root: &Position) -> bool {
    tables.probe(root).map_or(true, |known| known.value.winner().is_none() || known.plies.is_some())
}

impl SearchMode {
    const fn without_pruning(self) -> Self {
        match self {
            Self::Selective | Self::FullWidth => Self::FullWidth,
            Self::Minimax => Self::Minimax,
        }
    }
}

/// The empty line of a game that is over, with its value for the side to move.
fn final_line(game: &Game) -> Option<Line> {
    let outcome = game.outcome_on_board()?;
    let position = game.position();
    let score = match outcome.winner() {
        None => Score::DRAW,
        Some(winner) => Score::of_end(position, winner, 0),
    };
    debug_assert!(!matches!(outcome, Outcome::Ended(_)) || position.legal_moves().is_empty());
    Some(Line { moves: Vec::new(), score, bound: Bound::Exact, depth: 0, deepest: 0 })
}

fn run_threads(job: &SearchContext, threads: usize, tell: &mut dyn FnMut(SearchInfo)) -> Vec<Line> {
    std::thread::scope(|scope| {
        for number in 1..threads.max(1) {
            // A helper that can't be started is done without.
            let helper = std::thread::Builder::new().name(format!("search {number}"));
            let _ = helper.spawn_scoped(scope, move || RootSearch::new(job, number).iterate(&mut |_| {}));
        }
        let lines = RootSearch::new(job, 0).iterate(tell);
        job.done.store(true, Relaxed);
        lines
    })
}
