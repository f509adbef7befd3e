//! What GoGui asks of the rules, to show a game that it does not know.

use crate::board::{Point, PointSet};
use crate::gtp::player::Player;
use crate::gtp::protocol::{Arguments, Failure, Reply, vertices};
use crate::position::Position;
use crate::rules::{GOATS, Side};
use std::fmt::Write;

/// Background of the points that are tied to their diagonal neighbours; GoGui draws no diagonals.
const DIAGONAL_COLOUR: &str = "#c89b4b";

/// The game's name, in the form that GoGui asks for: a capital, then small letters.
pub(super) fn game_id(player: &mut Player, arguments: &Arguments) -> Reply {
    let [] = arguments.exactly()?;
    let mut letters = player.engine.options().rules.name.chars().filter(char::is_ascii_lowercase);
    let first = letters.next().map(|letter| letter.to_ascii_uppercase());
    Ok(first.into_iter().chain(letters).collect())
}

/// The number of points along a side, and nothing else.
pub(super) fn board_size(_: &mut Player, arguments: &Arguments) -> Reply {
    let [] = arguments.exactly()?;
    Ok(Point::SIDE.to_string())
}

/// The points from rank 5 down: `X` for a tiger, `O` for goats. Hops that were made show, before the move is whole.
pub(super) fn board(player: &mut Player, arguments: &Arguments) -> Reply {
    let [] = arguments.exactly()?;
    let shown = player.clicks.shown();
    let mut text = String::new();
    for rank in (0..Point::SIDE).rev() {
        let points = (0..Point::SIDE).filter_map(|file| Point::at(file, rank));
        let row: Vec<&str> = points.map(|point| stone(&shown, point)).collect();
        // Writing to a string can't fail, here and below.
        let _ = writeln!(text, "{}", row.join(" "));
    }
    Ok(text)
}

fn stone(position: &Position, point: Point) -> &'static str {
    if position.tigers().has(point) {
        "X"
    } else if position.goats().has(point) {
        "O"
    } else {
        "."
    }
}

/// What the stones alone do not show: tigers and heights of herds, the diagonals, and the move that is half clicked.
pub(super) fn board_gfx(player: &mut Player, arguments: &Arguments) -> Reply {
    let [] = arguments.exactly()?;
    let shown = player.clicks.shown();
    let mut text =
        format!("COLOR {DIAGONAL_COLOUR} {}\n", vertices(Point::all().filter(|point| has_diagonals(*point))));
    let tigers = shown.tigers().into_iter().map(|point| format!(" {} T", vertices([point])));
    let is_herd = |point: &Point| shown.height(*point) > 1;
    let herds = shown.goats().into_iter().filter(is_herd);
    let heights = herds.map(|point| format!(" {} {}", vertices([point]), shown.height(point)));
    let _ = writeln!(text, "LABEL{}", tigers.chain(heights).collect::<String>());
    if !player.clicks.path().is_empty() {
        let choices = player.clicks.choices();
        let _ = writeln!(text, "SQUARE {}", vertices(player.clicks.path().iter().copied()));
        let _ = writeln!(text, "CIRCLE {}", vertices(choices.points));
        text += if choices.may_pass { "TEXT jump on, or pass to stop\n" } else { "TEXT where to?\n" };
    }
    Ok(text)
}

/// Whether a point is tied to its diagonal neighbours.
const fn has_diagonals(point: Point) -> bool {
    (point.file() + point.rank()).is_multiple_of(2)
}

/// The points that can be clicked next, `pass` last; nothing once the game is over.
pub(super) fn legal_moves(player: &mut Player, arguments: &Arguments) -> Reply {
    let [] = arguments.exactly()?;
    let choices = player.clicks.choices();
    let points = (!choices.points.is_empty()).then(|| vertices(choices.points));
    let pass = choices.may_pass.then(|| "pass".to_owned());
    Ok(points.into_iter().chain(pass).collect::<Vec<_>>().join(" "))
}

/// Whose turn it is; a side that is in the middle of a move is still to move.
pub(super) fn side_to_move(player: &mut Player, arguments: &Arguments) -> Reply {
    let [] = arguments.exactly()?;
    Ok(match player.side() {
        Side::White => "white",
        Side::Black => "black",
    }
    .to_owned())
}

/// White's pieces taken, then Black's.
pub(super) fn captured_count(player: &mut Player, arguments: &Arguments) -> Reply {
    let [] = arguments.exactly()?;
    Ok(format!("{} 0", GOATS - player.clicks.shown().goats_alive()))
}

/// How the game has ended, with the points where wins are worth some.
pub(super) fn final_result(player: &mut Player, arguments: &Arguments) -> Reply {
    let [] = arguments.exactly()?;
    let game = player.clicks.game();
    let Some(outcome) = game.outcome() else { return Ok("the game is not over".to_owned()) };
    let (white, black) = game.points(outcome);
    let is_scored = game.rules().scored && outcome.winner().is_some();
    let points = if is_scored { format!(", {} points", white + black) } else { String::new() };
    Ok(format!("{outcome}{points}"))
}

/// The result as GTP writes it: the winner with the points, 1 where wins are not scored; 0 for a draw.
pub(super) fn final_score(player: &mut Player, arguments: &Arguments) -> Reply {
    let [] = arguments.exactly()?;
    let game = player.clicks.game();
    let outcome = game.outcome().ok_or(Failure::CannotScore)?;
    let (white, black) = game.points(outcome);
    Ok(match outcome.winner() {
        Some(Side::White) => format!("W+{white}"),
        Some(Side::Black) => format!("B+{black}"),
        None => "0".to_owned(),
    })
}

/// The goats that Black could take next.
pub(super) fn threatened(position: &Position) -> PointSet {
    position.tigers().into_iter().fold(PointSet::EMPTY, |all, tiger| all | position.prey_of(tiger))
}
