//! A position in plain text: the board, the evaluation, moves.

use crate::board::Point;
use crate::eval::wdl::{WinChances, expected_points};
use crate::eval::{contributions, evaluate_for_white};
use crate::game::Game;
use crate::moves::Move;
use crate::notation::fen::{self, Fen};
use crate::position::Position;
use crate::rules::GOATS;
use std::fmt::Write;

/// The board with its lines, the counts of goats, whose turn it is or how the game has ended, and the position's text
/// after `Fen: `. Begins with an empty line; the last line has no end.
pub fn board(game: &Game) -> String {
    let position = game.position();
    let mut text = String::from("\n");
    for rank in (0..Point::SIDE).rev() {
        let points = (0..Point::SIDE).filter_map(|file| Point::at(file, rank));
        let row: Vec<String> = points.map(|point| letter(position, point).to_string()).collect();
        // Writing to a string can't fail, here and below.
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
    let _ = writeln!(text, "Goats: {goats} alive, {} taken, {} in herds", GOATS - goats, goats_in_herds(position));
    let _ = match game.outcome() {
        Some(outcome) => writeln!(text, "Over: {outcome}"),
        None => writeln!(text, "To move: {}", position.side()),
    };
    let _ = write!(text, "Fen: {}", Fen(position));
    text
}

fn goats_in_herds(position: &Position) -> u32 {
    position.herd_points().into_iter().map(|point| position.height(point)).sum()
}

/// The letter of the piece on a point as in the position's text, `.` for a free one.
fn letter(position: &Position, point: Point) -> char {
    fen::piece_letter(position, point).unwrap_or('.')
}

/// The static evaluation: what each piece contributes, a line each, then the chances of the results, where wins are scored
/// the points that White can expect, and the evaluation itself, from White's point of view. The last line has no end.
pub fn evaluation(position: &Position) -> String {
    let mut text = String::new();
    for piece in contributions(position) {
        let letter = letter(position, piece.point);
        let _ = writeln!(text, "{letter} {:<8} {:>+7.2}", piece.point.to_string(), f64::from(piece.centigoats) / 100.0);
    }
    let evaluation = evaluate_for_white(position);
    let chances = WinChances::of_evaluation(evaluation, 0, position.rules());
    for (result, chance) in [("White wins", chances.white), ("draw", chances.draw()), ("Black wins", chances.black)] {
        let _ = writeln!(text, "{result:<10} {:>7.1} %", 100.0 * chance);
    }
    if position.rules().scored {
        let _ =
            writeln!(text, "{:<10} {:>+7.2} points for White", "expected", expected_points(evaluation, 0, position));
    }
    let _ = write!(text, "{:<10} {:>+7.2} goats for White", "evaluation", f64::from(evaluation) / 100.0);
    text
}

/// Moves in coordinates with blanks between them, `(none)` for no move.
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

    #[test]
    fn the_board_shows_the_lines() {
        let text = board(&Game::new(Position::start(RuleSet::standard())));
        assert!(text.contains(" 4  .---.---E---.---E\n    | / | \\ | / | \\ |\n 3  .---t---.---t---.\n"), "{text}");
        assert!(text.ends_with("Fen: 5/2E1E/1t1t1/2E1E/5 w 0 1"), "{text}");
    }
}
