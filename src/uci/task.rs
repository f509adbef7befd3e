//! What runs in the background: a search, a perft, a benchmark. There is one at a time.

use crate::engine::{Analysis, bench};
use crate::position::Position;
use crate::position::perft::{Perft, count_text};
use crate::search::SearchInfo;
use crate::search::control::Control;
use crate::uci::info::{self, InfoFormat};
use crate::uci::output::LineWriter;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// What takes time, with its own copy of all it needs.
pub(super) enum BackgroundTask {
    Search { analysis: Box<Analysis>, format: InfoFormat },
    Perft { position: Position, depth: u32 },
    Bench { depth: Option<u32> },
}

impl BackgroundTask {
    /// Runs the task and prints its answer, [`Self::fallback`] if it panics.
    pub fn run_safely(self, control: &Control, out: &LineWriter) {
        let fallback = self.fallback();
        if catch_unwind(AssertUnwindSafe(|| self.run(control, out))).is_err() {
            out.line("info string internal error");
            fallback.iter().for_each(|line| out.line(line));
        }
    }

    /// The line that a task which can't be run owes: for a search, a `bestmove` with any legal move.
    pub fn fallback(&self) -> Option<String> {
        let Self::Search { analysis, .. } = self else { return None };
        let first = analysis.game.position().legal_moves().first().map_or("(none)".to_owned(), ToString::to_string);
        Some(format!("bestmove {first}"))
    }

    fn run(self, control: &Control, out: &LineWriter) {
        match self {
            Self::Search { analysis, format } => {
                let report = |info: SearchInfo| out.line(&format.progress(&info));
                let result = analysis.run(control, report);
                if let Some(note) = info::points_note(&analysis.game, &result) {
                    out.line(&format!("info string {note}"));
                }
                out.line(&format.lines(&result));
                out.line(&format.best_move(&result));
            }
            Self::Perft { position, depth } => run_perft(&position, depth, control, out),
            Self::Bench { depth } => run_bench(depth.unwrap_or(bench::DEFAULT_DEPTH), control, out),
        }
    }
}

fn run_perft(position: &Position, depth: u32, control: &Control, out: &LineWriter) {
    let counted = match Perft::new(0, control.stop_flag()) {
        Ok(mut perft) if depth > 0 => {
            perft.divide(position, depth, |mv, count| out.line(&format!("{mv}: {}", count_text(count))))
        }
        Ok(_) => Some(1),
        Err(error) => return out.line(&format!("info string {error}")),
    };
    match counted {
        Some(total) => out.line(&format!("\nNodes searched: {}", count_text(total))),
        None => out.line("info string perft stopped"),
    }
}

fn run_bench(depth: u32, control: &Control, out: &LineWriter) {
    let measured = bench::run(depth, control, |row| {
        out.line(&row.to_string());
        Ok(())
    });
    match measured {
        Ok(sum) => out.line(&format!("{} nodes {} nps", sum.nodes, sum.nodes_per_second())),
        Err(error) => out.line(&format!("info string bench: {error}")),
    }
}
