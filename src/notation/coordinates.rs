//! The protocol's moves: points in a row, `c2b2`, `b3b1`, `c1c3a5`.

use crate::board::{Point, STEPS};
use crate::moves::Move;
use crate::notation::{TextError, quoted};
use crate::position::Position;
use crate::rules::{Capture, Side};
use std::fmt;

/// The text of a move: two points or more, which need not be a legal move of any position.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MoveText {
    points: Vec<Point>,
}

impl MoveText {
    /// Reads a move's text, in either case.
    ///
    /// # Errors
    /// Says where the text stops being a row of points.
    pub fn parse(text: &str) -> Result<Self, TextError> {
        let mut points = Vec::new();
        for (number, name) in text.as_bytes().chunks(2).enumerate() {
            let point = match name {
                [file, rank] => Point::from_name(*file, *rank),
                _ => None,
            };
            points.push(point.ok_or_else(|| Self::error(text, 2 * number))?);
        }
        if points.len() < 2 { Err(Self::error(text, text.len())) } else { Ok(Self { points }) }
    }

    /// The points, two or more.
    pub fn points(&self) -> &[Point] {
        &self.points
    }

    /// The move through these points.
    pub(crate) fn from_points(points: Vec<Point>) -> Self {
        Self { points }
    }

    fn error(text: &str, offset: usize) -> TextError {
        let found = if text.is_empty() { "nothing".to_owned() } else { quoted(text) };
        TextError::new(text, offset, found, "a move: two points or more in a row, as 'c2b2'")
    }

    fn names(&self, mv: Move) -> bool {
        mv.points().eq(self.points.iter().copied())
    }

    /// The legal move that the text names.
    ///
    /// # Errors
    /// Says why there is none.
    pub fn find(&self, position: &Position) -> Result<Move, IllegalMove> {
        let mut found = None;
        position.for_each_move(|mv| {
            if self.names(mv) {
                found = Some(mv);
            }
        });
        found.ok_or_else(|| self.why_illegal(position))
    }

    fn why_illegal(&self, position: &Position) -> IllegalMove {
        let [from, to, ..] = self.points.as_slice() else {
            return IllegalMove::NoSuchMove;
        };
        let side = position.side();
        let own = if side == Side::White { position.goats() } else { position.tigers() };
        let must_capture = position.rules().capture == Capture::Longest && side == Side::Black;
        if position.ending().is_some() {
            IllegalMove::GameOver
        } else if !own.has(*from) {
            IllegalMove::NoPiece(side, *from)
        } else if !position.free().with(*from).has(*to) {
            IllegalMove::Occupied(*to)
        } else if must_capture && position.has_capture() {
            IllegalMove::LongestCapture
        } else if self.points.len() == 2 && !STEPS[*from].has(*to) {
            IllegalMove::NoSegment(*from, *to)
        } else {
            IllegalMove::NoSuchMove
        }
    }
}

/// Why a move's text names no legal move.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum IllegalMove {
    /// The game has ended.
    GameOver,
    /// The side to move has no piece there.
    NoPiece(Side, Point),
    /// Something stands on the point it goes to.
    Occupied(Point),
    /// The rules ask for a longest capture.
    LongestCapture,
    /// Two points that no segment ties, and nothing to jump between them.
    NoSegment(Point, Point),
    /// Nothing of the above.
    NoSuchMove,
}

impl fmt::Display for IllegalMove {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::GameOver => write!(f, "the game is over"),
            Self::NoPiece(side, point) => write!(f, "{side} has no piece on {point}"),
            Self::Occupied(point) => write!(f, "{point} is occupied"),
            Self::LongestCapture => write!(f, "capturing the most goats possible is obligatory"),
            Self::NoSegment(from, to) => write!(f, "{from} and {to} are not tied and there is no jump between them"),
            Self::NoSuchMove => write!(f, "the pieces don't move like that"),
        }
    }
}

impl std::error::Error for IllegalMove {}

/// The legal move that a text names.
///
/// # Errors
/// A sentence that says why there is none.
pub fn parse(position: &Position, text: &str) -> Result<Move, String> {
    let read = MoveText::parse(text).map_err(|error| error.to_string())?;
    read.find(position).map_err(|error| format!("{} is not legal: {error}", quoted(text)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::notation::fen;
    use crate::rules::RuleSet;

    fn position(rules: &str, text: &str) -> Position {
        fen::parse(RuleSet::named(rules).unwrap(), text).unwrap()
    }

    #[test]
    fn every_legal_move_reads_back() {
        for rules in RuleSet::all() {
            let mut position = Position::start(rules);
            for ply in 0..60 {
                let moves = position.legal_moves();
                for &mv in &moves {
                    assert_eq!(parse(&position, &mv.to_string()), Ok(mv));
                    assert_eq!(parse(&position, &mv.to_string().to_uppercase()), Ok(mv));
                }
                let Some(&mv) = moves.get(ply * 7 % moves.len().max(1)) else { break };
                position = position.play(mv);
            }
        }
    }

    #[test]
    fn chains_with_the_same_ends_are_two_moves() {
        // From a1 to c3 over a2 and b3, or over b1 and c2.
        let position = position("baghbandi", "5/5/1A3/A1A2/tA2t b");
        let [one, other] = ["a1a3c3", "a1c1c3"].map(|text| parse(&position, text).unwrap());
        assert_eq!((one.from(), one.to()), (other.from(), other.to()));
        assert_ne!(one, other);
        assert_ne!(position.play(one).goats(), position.play(other).goats());
    }

    #[test]
    fn a_refusal_says_why() {
        let start = Position::start(RuleSet::standard());
        for (text, reason) in [
            ("", "column 1: found nothing, expected a move"),
            ("c2", "column 3: found 'c2', expected a move"),
            ("c2b", "column 3: found 'c2b', expected a move"),
            ("c2b9", "column 3: found 'c2b9', expected a move"),
            ("c2-b2", "column 3: found 'c2-b2', expected a move"),
            ("a1a2", "'a1a2' is not legal: White has no piece on a1"),
            ("c2c4", "'c2c4' is not legal: c4 is occupied"),
            ("c2a2", "'c2a2' is not legal: c2 and a2 are not tied"),
            ("c2b2b1", "'c2b2b1' is not legal: the pieces don't move like that"),
            ("ééé", "column 1: found 'ééé', expected a move"),
        ] {
            let found = parse(&start, text).unwrap_err();
            assert!(found.starts_with(reason), "{text}: {found}");
        }
        let obliged = position("moderno", "5/5/5/1A3/t3t b");
        assert!(parse(&obliged, "a1a2").unwrap_err().ends_with("is obligatory"));
        let over = position("wikipedia", "5/5/5/1A3/t3t b");
        assert!(parse(&over, "a1a2").unwrap_err().ends_with("the game is over"));
    }
}
