//! Work in the background, one piece at a time.

use crate::engine::bench;
use crate::game::Game;
use crate::position::Position;
use crate::position::perft::Perft;
use crate::search::control::Control;
use crate::search::limits::Limits;
use crate::search::tt::TranspositionTable;
use crate::search::{SearchSettings, search};
use crate::uci::info::{self, InfoFormat};
use crate::uci::output::Output;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

/// A piece of work.
pub(super) enum Task {
    Search {
        game: Box<Game>,
        limits: Limits,
        settings: SearchSettings,
        table: Arc<TranspositionTable>,
        manner: InfoFormat,
    },
    Perft {
        position: Position,
        depth: u32,
    },
    Bench {
        depth: Option<u32>,
    },
}

impl Task {
    /// Does the work and prints its answer, even should the work itself fail.
    pub fn run_safely(self, control: &Control, out: &Output) {
        let fallback = self.fallback();
        if catch_unwind(AssertUnwindSafe(|| self.run(control, out))).is_err() {
            out.line("info string internal error");
            fallback.iter().for_each(|line| out.line(line));
        }
    }

    /// What is owed for the work if it can't be done: any legal move for a search.
    pub fn fallback(&self) -> Option<String> {
        let Self::Search { game, .. } = self else { return None };
        let first = game.position().legal_moves().first().map_or("(none)".to_owned(), ToString::to_string);
        Some(format!("bestmove {first}"))
    }

    fn run(self, control: &Control, out: &Output) {
        match self {
            Self::Search { game, limits, settings, table, manner } => {
                let tell = |news: crate::search::SearchInfo| out.line(&manner.news(&news));
                let answer = search(&game, &limits, &settings, &table, control, tell);
                if let Some(note) = info::points_note(&game, &answer) {
                    out.line(&format!("info string {note}"));
                }
                out.line(&manner.lines(&answer));
                out.line(&manner.best_move(&answer));
            }
            Self::Perft { position, depth } => count_leaves(&position, depth, control, out),
            Self::Bench { depth } => run_bench(depth.unwrap_or(bench::DEFAULT_DEPTH), control, out),
        }
    }
}

fn count_leaves(position: &Position, depth: u32, control: &Control, out: &Output) {
    let counted = match Perft::new(0, control.stop_flag()) {
        Ok(mut perft) if depth > 0 => perft.divide(position, depth, |mv, count| out.line(&format!("{mv}: {count}"))),
        Ok(_) => Some(1),
        Err(error) => return out.line(&format!("info string {error}")),
    };
    match counted {
        Some(total) => out.line(&format!("\nNodes searched: {total}")),
        None => out.line("info string perft stopped"),
    }
}

fn run_bench(depth: u32, control: &Control, out: &Output) {
    let measured = bench::run(depth, control, |row| {
        out.line(&row.to_string());
        Ok(())
    });
    match measured {
        Ok(sum) => out.line(&format!("{} nodes {} nps", sum.nodes, sum.nodes_per_second())),
        Err(error) => out.line(&format!("info string bench: {error}")),
    }
}
