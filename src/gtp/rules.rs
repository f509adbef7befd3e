//! The `gogui-rules_*` commands, by which GoGui shows a game that it does not know.

use crate::board::{Point, PointSet};
use crate::gtp::protocol::{Arguments, GtpError, Reply, vertices};
use crate::gtp::session::GtpSession;
use crate::position::Position;
use crate::rules::{GOATS, Side};
use std::fmt::Write;

/// Background of the points that are tied to their diagonal neighbours; GoGui draws no diagonals.
const DIAGONAL_COLOUR: &str = "#c89b4b";

/// The rule set's name as GoGui requires it: a capital, then small letters.
pub(super) fn game_id(session: &mut GtpSession, arguments: &Arguments) -> Reply {
    let [] = arguments.exactly()?;
    let mut letters = session.engine.options().rules.name.chars().filter(char::is_ascii_lowercase);
    let first = letters.next().map(|letter| letter.to_ascii_uppercase());
    Ok(first.into_iter().chain(letters).collect())
}

/// The number of points along a side.
pub(super) fn board_size(_: &mut GtpSession, arguments: &Arguments) -> Reply {
    let [] = arguments.exactly()?;
    Ok(Point::SIDE.to_string())
}

/// The points from rank 5 down: `X` for a tiger, `O` for goats. Jumps of an unfinished move are shown as made.
pub(super) fn board(session: &mut GtpSession, arguments: &Arguments) -> Reply {
    let [] = arguments.exactly()?;
    let shown = session.clicks.position_shown();
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

/// What stones alone do not show: tigers and heights of herds, the diagonals, and the points of an unfinished move.
pub(super) fn board_gfx(session: &mut GtpSession, arguments: &Arguments) -> Reply {
    let [] = arguments.exactly()?;
    let shown = session.clicks.position_shown();
    let mut text =
        format!("COLOR {DIAGONAL_COLOUR} {}\n", vertices(Point::all().filter(|point| has_diagonals(*point))));
    let tigers = shown.tigers().into_iter().map(|point| format!(" {} T", vertices([point])));
    let is_herd = |point: &Point| shown.height(*point) > 1;
    let herds = shown.goats().into_iter().filter(is_herd);
    let heights = herds.map(|point| format!(" {} {}", vertices([point]), shown.height(point)));
    let _ = writeln!(text, "LABEL{}", tigers.chain(heights).collect::<String>());
    if !session.clicks.path().is_empty() {
        let choices = session.clicks.choices();
        let _ = writeln!(text, "SQUARE {}", vertices(session.clicks.path().iter().copied()));
        let _ = writeln!(text, "CIRCLE {}", vertices(choices.points));
        text += if choices.may_pass { "TEXT jump on, or pass to stop\n" } else { "TEXT where to?\n" };
    }
    Ok(text)
}

/// Whether a point is tied to its diagonal neighbours.
const fn has_diagonals(point: Point) -> bool {
    (point.file() + point.rank()).is_multiple_of(2)
}

/// The legal clicks, `pass` last; none once the game is over.
pub(super) fn legal_moves(session: &mut GtpSession, arguments: &Arguments) -> Reply {
    let [] = arguments.exactly()?;
    let choices = session.clicks.choices();
    let points = (!choices.points.is_empty()).then(|| vertices(choices.points));
    let pass = choices.may_pass.then(|| "pass".to_owned());
    Ok(points.into_iter().chain(pass).collect::<Vec<_>>().join(" "))
}

/// The side to move, which it stays until its move is finished.
pub(super) fn side_to_move(session: &mut GtpSession, arguments: &Arguments) -> Reply {
    let [] = arguments.exactly()?;
    Ok(match session.side() {
        Side::White => "white",
        Side::Black => "black",
    }
    .to_owned())
}

/// White's pieces captured, then Black's.
pub(super) fn captured_count(session: &mut GtpSession, arguments: &Arguments) -> Reply {
    let [] = arguments.exactly()?;
    Ok(format!("{} 0", GOATS - session.clicks.position_shown().goats_alive()))
}

/// How the game has ended, in the scored rule sets with the winner's points.
pub(super) fn final_result(session: &mut GtpSession, arguments: &Arguments) -> Reply {
    let [] = arguments.exactly()?;
    let game = session.clicks.game();
    let Some(outcome) = game.outcome() else { return Ok("the game is not over".to_owned()) };
    let (white, black) = game.points(outcome);
    let is_scored = game.rules().scored && outcome.winner().is_some();
    let points = if is_scored { format!(", {} points", white + black) } else { String::new() };
    Ok(format!("{outcome}{points}"))
}

/// The result as GTP writes it: the winner with the points, 1 where wins are not scored; 0 for a draw.
pub(super) fn final_score(session: &mut GtpSession, arguments: &Arguments) -> Reply {
    let [] = arguments.exactly()?;
    let game = session.clicks.game();
    let outcome = game.outcome().ok_or(GtpError::CannotScore)?;
    let (white, black) = game.points(outcome);
    Ok(match outcome.winner() {
        Some(Side::White) => format!("W+{white}"),
        Some(Side::Black) => format!("B+{black}"),
        None => "0".to_owned(),
    })
}

/// The goats that Black could capture if it were to move.
pub(super) fn threatened(position: &Position) -> PointSet {
    position.tigers().into_iter().fold(PointSet::EMPTY, |all, tiger| all | position.prey_of(tiger))
}
