//! The search: iterative deepening (Slate and Atkin 1977) over a principal variation search, with any number of threads.
//!
//! It is a library with a callback: it prints nothing and knows no protocol. One thread gives the same result every
//! time; more threads search the same tree and share nothing but the transposition table (lazy SMP, Homan 2013).
//!
//! | file | what it has |
//! |---|---|
//! | `root` | iterative deepening, aspiration windows, MultiPV |
//! | `pvs` | the search of a node, with its pruning and reductions |
//! | `quiescence` | captures beyond the horizon |
//! | `movepick`, `history` | move ordering |
//! | `tt` | the transposition table |
//! | `score`, `path_score`, `window` | scores, their dependence on the path, alpha and beta |
//! | `limits`, `time`, `control` | what ends a search |
//! | `context`, `searcher` | what all threads share, what each has of its own |

// Plies index arrays of `PLY_COUNT`, points and sides index arrays of their number, and the rest is sliced where its own
// length was just taken. An index out of bounds is a broken invariant, and must stop the search rather than pass for a
// default value.
#![allow(clippy::indexing_slicing)]

mod context;
pub mod control;
mod eval_cache;
mod history;
pub mod limits;
mod movepick;
mod path_score;
mod ply;
mod pvs;
mod quiescence;
mod result;
mod root;
pub mod score;
mod searcher;
mod settings;
mod time;
pub mod tt;
mod window;

pub use limits::MAX_DEPTH;
pub use result::{Line, SearchInfo, SearchResult, SearchStats};
pub use settings::{SearchMode, SearchSettings};

use crate::game::Game;
use context::SearchContext;
use control::Control;
use limits::Limits;
use root::RootSearch;
use score::Score;
use std::sync::atomic::Ordering::Relaxed;
use tt::TranspositionTable;
pub use window::Bound;

/// Searches the position on the board of a game, whether or not somebody has lost it by an illegal move.
///
/// `on_info` is called with the lines of every finished iteration. The search ends at the first limit reached or when
/// `control` stops it, and not as long as `control` holds it. There is always a result, since the first iteration is not
/// broken off before it has a line.
pub fn search(
    game: &Game,
    limits: &Limits,
    settings: &SearchSettings,
    tt: &TranspositionTable,
    control: &Control,
    mut on_info: impl FnMut(SearchInfo),
) -> SearchResult {
    tt.new_generation();
    let context = SearchContext::new(game, limits, settings, tt, control);
    let lines = match game_over_line(game) {
        Some(line) => vec![line],
        None => run_threads(&context, settings.threads, &mut on_info),
    };
    control.wait_while_held();
    SearchResult { lines, stats: context.stats() }
}

/// The empty line of a game that is over, with its score for the side to move.
fn game_over_line(game: &Game) -> Option<Line> {
    let outcome = game.outcome_on_board()?;
    let score = match outcome.winner() {
        None => Score::DRAW,
        Some(winner) => Score::won_by(winner, game.position(), 0),
    };
    Some(Line { moves: Vec::new(), score, bound: Bound::Exact, depth: 0, seldepth: 0 })
}

fn run_threads(context: &SearchContext, threads: usize, on_info: &mut dyn FnMut(SearchInfo)) -> Vec<Line> {
    let last = context.limits.last_depth();
    let mut main = RootSearch::new(context, 0);
    // The first iteration is never broken off, so it comes before others could use up the nodes that it needs.
    if !main.iterate(1..=1, on_info) || last == 1 {
        return main.into_lines();
    }
    std::thread::scope(|scope| {
        for number in 1..threads.max(1) {
            // A helper thread that can't be started is done without.
            let helper = std::thread::Builder::new().name(format!("search {number}"));
            let _ = helper.spawn_scoped(scope, move || RootSearch::new(context, number).iterate(1..=last, &mut |_| {}));
        }
        main.iterate(2..=last, on_info);
        context.is_done.store(true, Relaxed);
    });
    main.into_lines()
}
