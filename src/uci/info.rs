//! What the session prints: lines of `info`, the best move, the board, the evaluation.

use crate::board::Point;
use crate::eval::Terms;
use crate::game::Game;
use crate::moves::Move;
use crate::notation::fen::{self, Fen};
use crate::position::Position;
use crate::rules::GOATS;
use crate::search::score::{MAX_EVALUATION, Score, ScoreKind};
use crate::search::window::Bound;
use crate::search::{Line, SearchInfo, SearchResult, SearchStats};
use std::fmt::Write;

/// How lines of `info` are written.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub struct InfoFormat {
    /// Distances in plies, as UGI has them, instead of the mover's moves.
    pub in_plies: bool,
    /// Probes of solved tables that led to the search.
    pub probes: u64,
    /// Chances of win, draw and loss with every score.
    pub with_wdl: bool,
    /// The expected reply with the best move.
    pub with_ponder: bool,
}

impl InfoFormat {
    /// A line about news of a search.
    pub fn news(&self, news: &SearchInfo) -> String {
        match news {
            SearchInfo::Line { rank, line, stats: effort } => self.line(*rank, line, effort),
            SearchInfo::CurrentMove { depth, mv, number } => {
                format!("info depth {depth} currmove {mv} currmovenumber {number}")
            }
        }
    }

    /// The lines of an answer, which come right before its best move.
    pub fn lines(&self, answer: &SearchResult) -> String {
        let lines = answer.lines.iter().enumerate().map(|(index, line)| self.line(index + 1, line, &answer.stats));
        lines.collect::<Vec<_>>().join("\n")
    }

    fn line(&self, rank: usize, line: &Line, effort: &SearchStats) -> String {
        let mut text = format!("info depth {} seldepth {} multipv {rank}", line.depth, line.seldepth.max(line.depth));
        // Writing to a string can't fail, here and below.
        let _ = write!(text, " score {}", self.score(line.score));
        text += match line.bound {
            Bound::Exact => "",
            Bound::Lower => " lowerbound",
            Bound::Upper => " upperbound",
        };
        if self.with_wdl {
            let is_over = line.moves.is_empty() && !line.score.is_decisive();
            let [win, draw, loss] = if is_over { [0, 1_000, 0] } else { chances(line.score) };
            let _ = write!(text, " wdl {win} {draw} {loss}");
        }
        let _ = write!(
            text,
            " nodes {} nps {} hashfull {} tbhits {} time {}",
            effort.nodes,
            effort.nodes_per_second(),
            effort.hashfull,
            self.probes + effort.tablebase_hits,
            effort.time.as_millis()
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
            ScoreKind::Loss(forced) if forced.plies == 0 => "mate 0".to_owned(),
            // Won before the move, which only a position set up by hand can be; `mate 0` says lost.
            ScoreKind::Win(forced) if forced.plies == 0 => format!("cp {MAX_EVALUATION}"),
            ScoreKind::Win(forced) => format!("mate {}", distance(forced.plies)),
            ScoreKind::Loss(forced) => format!("mate -{}", distance(forced.plies)),
        }
    }

    /// The line that answers `go`.
    pub fn best_move(&self, answer: &SearchResult) -> String {
        match (answer.best(), answer.expected_reply()) {
            (None, _) => "bestmove (none)".to_owned(),
            (Some(best), Some(reply)) if self.with_ponder => format!("bestmove {best} ponder {reply}"),
            (Some(best), _) => format!("bestmove {best}"),
        }
    }
}

/// Centigoats at which a win is as likely as not, and by which the odds grow e-fold; guesses from watching games.
const EVEN_CHANCE: f64 = 160.0;
const CHANCE_SCALE: f64 = 60.0;

/// Chances of win, draw and loss for the side to move, in permille.
fn chances(score: Score) -> [u32; 3] {
    let centigoats = match score.kind() {
        ScoreKind::Win(_) => return [1_000, 0, 0],
        ScoreKind::Loss(_) => return [0, 0, 1_000],
        ScoreKind::Evaluation(centigoats) => f64::from(centigoats),
    };
    let chance = |lead: f64| (1_000.0 / (1.0 + ((EVEN_CHANCE - lead) / CHANCE_SCALE).exp())).round() as u32;
    let (win, loss) = (chance(centigoats), chance(-centigoats));
    [win, 1_000_u32.saturating_sub(win + loss), loss]
}

/// What the scored rule sets add to a forced end: who wins how many points.
pub fn points_note(game: &Game, answer: &SearchResult) -> Option<String> {
    let side = game.position().side();
    let (winner, forced) = match answer.lines.first()?.score.kind() {
        ScoreKind::Win(forced) => (side, forced),
        ScoreKind::Loss(forced) => (side.opponent(), forced),
        ScoreKind::Evaluation(_) => return None,
    };
    let plies = if forced.plies == 1 { "ply" } else { "plies" };
    game.rules().scored.then(|| format!("{winner} wins {} points in {} {plies}", forced.points, forced.plies))
}

/// The board as a person draws it, the counts, and the position's text.
pub fn board(game: &Game) -> String {
    let position = game.position();
    let mut text = String::from("\n");
    for rank in (0..Point::SIDE).rev() {
        let points = (0..Point::SIDE).filter_map(|file| Point::at(file, rank));
        let row: Vec<String> = points.map(|point| piece(position, point).to_string()).collect();
        let _ = writeln!(text, " {}  {}", rank + 1, row.join("---"));
        match rank {
            0 => {}
            rank if rank % 2 == 0 => text += "    | \\ | / | \\ | / |\n",
            _ => text += "    | / | \\ | / | \\ |\n",
        }
    }
    text += "    a   b   c   d   e\n\n";
    let goats = position.goats_alive();
    let _ = writeln!(text, "Rules: {}", position.rules().name);
    let _ = writeln!(text, "Goats: {goats} alive, {} taken, {} in herds", GOATS - goats, in_herds(position));
    let _ = match game.outcome() {
        Some(outcome) => writeln!(text, "Over: {outcome}"),
        None => writeln!(text, "To move: {}", position.side()),
    };
    let _ = write!(text, "Fen: {}", Fen(position));
    text
}

fn in_herds(position: &Position) -> u32 {
    position.herd_points().into_iter().map(|point| position.height(point)).sum()
}

fn piece(position: &Position, point: Point) -> char {
    fen::piece_letter(position, point).unwrap_or('.')
}

/// The evaluation term by term, in goats from White's point of view.
pub fn evaluation(position: &Position) -> String {
    let mut text = String::new();
    let terms = Terms::of(position);
    for (name, centigoats) in terms.named() {
        let _ = writeln!(text, "{name:<10} {:>+7.2}", f64::from(centigoats) / 100.0);
    }
    let _ = write!(text, "{:<10} {:>+7.2} goats for White", "evaluation", f64::from(terms.sum()) / 100.0);
    text
}

/// Move texts in a row, `(none)` for no move.
pub fn move_list(moves: &[Move]) -> String {
    if moves.is_empty() {
        return "(none)".to_owned();
    }
    moves.iter().map(Move::to_string).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::RuleSet;

    const UCI: InfoFormat = InfoFormat { in_plies: false, probes: 0, with_wdl: false, with_ponder: false };

    #[test]
    fn distances_are_the_movers_moves_or_plies() {
        let ugi = InfoFormat { in_plies: true, ..UCI };
        for (score, in_moves, in_plies) in [
            (Score::win(1, 1), "mate 1", "mate 1"),
            (Score::win(1, 5), "mate 3", "mate 5"),
            (Score::loss(1, 2), "mate -1", "mate -2"),
            (Score::loss(1, 0), "mate 0", "mate 0"),
            (Score::win(1, 0), "cp 9999", "cp 9999"),
            (Score::evaluation(-31), "cp -31", "cp -31"),
        ] {
            assert_eq!((UCI.score(score), ugi.score(score)), (in_moves.to_owned(), in_plies.to_owned()));
        }
    }

    #[test]
    fn chances_add_up_and_mirror() {
        for centigoats in (-2_000..=2_000).step_by(7) {
            let [win, draw, loss] = chances(Score::evaluation(centigoats));
            assert_eq!(win + draw + loss, 1_000);
            assert_eq!(chances(Score::evaluation(-centigoats)), [loss, draw, win]);
        }
    }

    #[test]
    fn the_board_shows_the_lines() {
        let text = board(&Game::new(Position::start(RuleSet::standard())));
        assert!(text.contains(" 4  .---.---E---.---E\n    | / | \\ | / | \\ |\n 3  .---t---.---t---.\n"), "{text}");
        assert!(text.ends_with("Fen: 5/2E1E/1t1t1/2E1E/5 w 0 1"), "{text}");
    }
}
