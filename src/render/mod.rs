//! The board for people: as plain text ([`text`]), or as a picture of a [`Diagram`] for a terminal ([`terminal`]) or in
//! SVG ([`svg`]).
//!
//! All of it returns strings that follow from the arguments alone; nothing here reads, writes or knows a protocol.

pub mod markup;
pub mod svg;
pub mod terminal;
pub mod text;

use crate::board::{LANDINGS, Point, PointSet, STEPS};
use crate::moves::Move;
use crate::notation::coordinates::MoveText;
use crate::notation::quoted;
use crate::position::Position;

/// A position with what is drawn over it.
#[derive(Clone, Debug)]
pub struct Diagram<'a> {
    /// The position on the board.
    pub position: &'a Position,
    /// Arrows, in the order of drawing: later ones cover earlier ones.
    pub arrows: Vec<Arrow>,
    /// Points with a ring around them.
    pub marks: PointSet,
}

/// What an arrow stands for, which gives it its colour.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Meaning {
    /// The move that has led to the position.
    Played,
    /// A move that is pointed out.
    Shown,
    /// A move of a line to come, with its number.
    Planned(usize),
}

/// An arrow along the lines of the board: over two points or more, each tied to the one before by a segment or a jump.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Arrow {
    points: Vec<Point>,
    meaning: Meaning,
}

impl Arrow {
    /// The arrow of a move.
    pub fn of_move(mv: Move, meaning: Meaning) -> Self {
        Self { points: mv.points().collect(), meaning }
    }

    /// The arrow over points in a row, `c2b2`, whether or not that is a legal move.
    ///
    /// # Errors
    /// Says where the text can't be read, or which two points no line joins.
    pub fn parse(text: &str, meaning: Meaning) -> Result<Self, String> {
        let points = MoveText::parse(text).map_err(|error| error.to_string())?.points().to_vec();
        let is_off = |(from, to): &(Point, Point)| !(STEPS[*from] | LANDINGS[*from]).has(*to);
        if let Some((from, to)) = hops(&points).find(is_off) {
            let found = quoted(text);
            return Err(format!(
                "found {found} with no line from {from} to {to}, expected points that a segment or a jump joins"
            ));
        }
        Ok(Self { points, meaning })
    }

    /// The points, two or more.
    pub fn points(&self) -> &[Point] {
        &self.points
    }

    /// The last point, where its head is.
    pub fn end(&self) -> Option<Point> {
        self.points.last().copied()
    }

    /// What the arrow stands for.
    pub const fn meaning(&self) -> Meaning {
        self.meaning
    }
}

/// Each two points that follow each other.
fn hops(points: &[Point]) -> impl Iterator<Item = (Point, Point)> {
    points.iter().copied().zip(points.iter().copied().skip(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arrows_keep_to_the_lines() {
        for text in ["c2b2", "a1c3", "A1A2", "c1c3a5"] {
            assert!(Arrow::parse(text, Meaning::Shown).is_ok(), "{text}");
        }
        for (text, reason) in [
            ("a1c2", "found 'a1c2' with no line from a1 to c2, expected points that a segment or a jump joins"),
            ("b1c2", "found 'b1c2' with no line from b1 to c2, expected points that a segment or a jump joins"),
            ("a1a1", "found 'a1a1' with no line from a1 to a1, expected points that a segment or a jump joins"),
            ("a1", "column 3: found 'a1', expected a move: two points or more in a row, as 'c2b2'"),
        ] {
            assert_eq!(Arrow::parse(text, Meaning::Shown).unwrap_err(), reason);
        }
    }
}
