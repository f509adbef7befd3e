//! The lines `info` and `bestmove`.

use crate::game::Game;
use crate::position::Position;
use crate::search::Bound;
use crate::search::score::{MAX_EVALUATION, Score, ScoreKind};
use crate::search::{Line, SearchInfo, SearchResult, SearchStats};
use crate::text::counted;
use std::fmt::Write;

/// How `info` and `bestmove` are written.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub struct InfoFormat {
    /// Distances in plies, as UGI has them, instead of the mover's moves.
    pub in_plies: bool,
    /// Tablebase probes made at the root before the search, which `tbhits` counts too.
    pub probes: u64,
    /// The root position if every score comes with `wdl`, else `None`.
    pub wdl_root: Option<Position>,
    /// Whether `bestmove` names the expected reply.
    pub with_ponder: bool,
}

impl InfoFormat {
    /// The line for what a running search reports.
    pub fn progress(&self, info: &SearchInfo) -> String {
        match info {
            SearchInfo::Line { rank, line, stats } => self.line(*rank, line, stats),
            SearchInfo::CurrentMove { depth, mv, number } => {
                format!("info depth {depth} currmove {mv} currmovenumber {number}")
            }
        }
    }

    /// The lines of a finished search, best line first, which come right before `bestmove`.
    pub fn lines(&self, result: &SearchResult) -> String {
        let lines = result.lines.iter().enumerate().map(|(index, line)| self.line(index + 1, line, &result.stats));
        lines.collect::<Vec<_>>().join("\n")
    }

    fn line(&self, rank: usize, line: &Line, stats: &SearchStats) -> String {
        let mut text = format!("info depth {} seldepth {} multipv {rank}", line.depth, line.seldepth.max(line.depth));
        // Writing to a string can't fail, here and below.
        let _ = write!(text, " score {}", self.score(line.score));
        text += match line.bound {
            Bound::Exact => "",
            Bound::Lower => " lowerbound",
            Bound::Upper => " upperbound",
        };
        if let Some(root) = &self.wdl_root {
            let [win, draw, loss] = line.permille(root);
            let _ = write!(text, " wdl {win} {draw} {loss}");
        }
        let _ = write!(
            text,
            " nodes {} nps {} hashfull {} tbhits {} time {}",
            stats.nodes,
            stats.nodes_per_second(),
            stats.hashfull,
            self.probes + stats.tablebase_hits,
            stats.time.as_millis()
        );
        if !line.moves.is_empty() {
            text += " pv";
            line.moves.iter().for_each(|mv| text += &format!(" {mv}"));
        }
        text
    }

    /// `cp X`, or `mate N`: the mover's moves to the end of the game, or its plies.
    fn score(&self, score: Score) -> String {
        let distance = |plies: u32| if self.in_plies { plies } else { plies.div_ceil(2) };
        match score.kind() {
            ScoreKind::Evaluation(centigoats) => format!("cp {centigoats}"),
            ScoreKind::Loss(mate) if mate.plies == 0 => "mate 0".to_owned(),
            // Won before the move, which only a position set up by hand can be; `mate 0` says lost.
            ScoreKind::Win(mate) if mate.plies == 0 => format!("cp {MAX_EVALUATION}"),
            ScoreKind::Win(mate) => format!("mate {}", distance(mate.plies)),
            ScoreKind::Loss(mate) => format!("mate -{}", distance(mate.plies)),
        }
    }

    /// The line that answers `go`.
    pub fn best_move(&self, result: &SearchResult) -> String {
        match (result.best(), result.expected_reply()) {
            (None, _) => "bestmove (none)".to_owned(),
            (Some(best), Some(reply)) if self.with_ponder => format!("bestmove {best} ponder {reply}"),
            (Some(best), _) => format!("bestmove {best}"),
        }
    }
}

/// What the scored rule sets add to a forced end: who wins how many points.
pub fn points_note(game: &Game, result: &SearchResult) -> Option<String> {
    let side = game.position().side();
    let (winner, mate) = match result.lines.first()?.score.kind() {
        ScoreKind::Win(mate) => (side, mate),
        ScoreKind::Loss(mate) => (side.opponent(), mate),
        ScoreKind::Evaluation(_) => return None,
    };
    let is_scored = game.rules().scored;
    is_scored.then(|| format!("{winner} wins {} points in {}", mate.points, counted(mate.plies, "ply")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances_are_the_movers_moves_or_plies() {
        let uci = InfoFormat::default();
        let ugi = InfoFormat { in_plies: true, ..uci };
        for (score, in_moves, in_plies) in [
            (Score::win(1, 1), "mate 1", "mate 1"),
            (Score::win(1, 5), "mate 3", "mate 5"),
            (Score::loss(1, 2), "mate -1", "mate -2"),
            (Score::loss(1, 0), "mate 0", "mate 0"),
            (Score::win(1, 0), "cp 9999", "cp 9999"),
            (Score::evaluation(-31), "cp -31", "cp -31"),
        ] {
            assert_eq!((uci.score(score), ugi.score(score)), (in_moves.to_owned(), in_plies.to_owned()));
        }
    }
}
