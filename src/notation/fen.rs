//! Position texts: `5/2E1E/1t1t1/2E1E/5 w 0 1`.
//!
//! Ranks 5 to 1 with files a to e, the side to move, the plies since the last capture or goat leaving a herd, and the
//! move number; the two numbers may be left out. A digit is that many empty points, `t` a tiger, `A` to `E` a point
//! with one to five goats.

use crate::board::{Point, PointSet};
use crate::notation::{TextError, quoted, words};
use crate::position::{MAX_MOVE_NUMBER, MAX_QUIET_PLIES, Position, Setup};
use crate::rules::{RuleSet, Side};
use std::fmt;

/// A position that prints as its text.
pub struct Fen<'a>(pub &'a Position);

impl fmt::Display for Fen<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let position = self.0;
        for rank in (0..Point::SIDE).rev() {
            let points = (0..Point::SIDE).filter_map(|file| Point::at(file, rank));
            write_rank(f, position, points)?;
            f.write_str(if rank > 0 { "/" } else { " " })?;
        }
        write!(f, "{} {} {}", position.side().letter(), position.quiet_plies(), position.move_number())
    }
}

/// The rule set and the text.
impl fmt::Debug for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.rules().name, Fen(self))
    }
}

fn write_rank(f: &mut fmt::Formatter<'_>, position: &Position, points: impl Iterator<Item = Point>) -> fmt::Result {
    let mut empty = 0;
    for point in points {
        match piece_letter(position, point) {
            None => empty += 1,
            Some(letter) => {
                if empty > 0 {
                    write!(f, "{empty}")?;
                }
                write!(f, "{letter}")?;
                empty = 0;
            }
        }
    }
    if empty > 0 { write!(f, "{empty}") } else { Ok(()) }
}

/// The letter for what stands on a point: `t`, or `A` to `E`.
///
/// Returns `None` for a free point.
pub fn piece_letter(position: &Position, point: Point) -> Option<char> {
    match position.height(point) {
        0 => position.tigers().has(point).then_some('t'),
        height => char::from_u32('A' as u32 + height - 1),
    }
}

/// The position that a text describes, under these rules.
///
/// # Errors
/// Says where the text can't be read, or what in it no position of these rules has.
pub fn parse(rules: &'static RuleSet, text: &str) -> Result<Position, TextError> {
    let mut fields = words(text);
    let missing = |expected| TextError::new(text, text.len(), "the end", expected);
    let (board_at, board) = fields.next().ok_or_else(|| missing(RANKS))?;
    let board = Board::parse(text, board_at, board)?;
    let (side_at, side) = fields.next().ok_or_else(|| missing(SIDES))?;
    let side = match side {
        "w" => Side::White,
        "b" => Side::Black,
        _ => return Err(TextError::new(text, side_at, quoted(side), SIDES)),
    };
    let quiet = fields.next().map_or(Ok(0), |word| counter(text, word, 0, u32::from(MAX_QUIET_PLIES)))?;
    let number = fields.next().map_or(Ok(1), |word| counter(text, word, 1, MAX_MOVE_NUMBER))?;
    if let Some((at, word)) = fields.next() {
        return Err(TextError::new(text, at, quoted(word), "the end of the position"));
    }
    let setup = Setup { goats: board.goats, tigers: board.tigers, side, quiet: quiet as u16, number };
    Position::new(rules, &setup).map_err(|error| {
        let at = error.point().map_or(board_at, |point| board.offset(point));
        TextError::new(text, at, error.found(), error.expected())
    })
}

const RANKS: &str = "a board of 5 ranks of 5 points, as '5/2E1E/1t1t1/2E1E/5'";
const SIDES: &str = "the side to move, 'w' or 'b'";

/// A number in its range.
fn counter(text: &str, (at, word): (usize, &str), low: u32, high: u32) -> Result<u32, TextError> {
    let digits = word.bytes().all(|byte| byte.is_ascii_digit());
    let value = if digits { word.parse().ok() } else { None };
    value
        .filter(|value| (low..=high).contains(value))
        .ok_or_else(|| TextError::new(text, at, quoted(word), format!("a number from {low} to {high}")))
}

/// The first field of a position text, read but not yet checked against the rules.
struct Board {
    goats: [u32; Point::COUNT],
    tigers: PointSet,
    /// Where in the text each occupied point stands.
    offsets: [usize; Point::COUNT],
}

impl Board {
    fn parse(text: &str, at: usize, field: &str) -> Result<Self, TextError> {
        let mut board = Self { goats: [0; Point::COUNT], tigers: PointSet::EMPTY, offsets: [at; Point::COUNT] };
        let ranks = field.split('/').count();
        if ranks != usize::from(Point::SIDE) {
            return Err(TextError::new(text, at, format!("{ranks} ranks in {}", quoted(field)), RANKS));
        }
        let mut start = at;
        for (rank, points) in (0..Point::SIDE).rev().zip(field.split('/')) {
            board.parse_rank(text, start, rank, points)?;
            start += points.len() + 1;
        }
        Ok(board)
    }

    fn parse_rank(&mut self, text: &str, at: usize, rank: u8, points: &str) -> Result<(), TextError> {
        let mut file = 0;
        for (offset, letter) in points.char_indices() {
            let error = |found: String, expected: &str| Err(TextError::new(text, at + offset, found, expected));
            if let Some(empty @ 1..=5) = letter.to_digit(10) {
                file += empty as u8;
            } else if let Some(point) = Point::at(file, rank) {
                if !self.put(point, letter, at + offset) {
                    return error(quoted(&letter.to_string()), "a digit 1 to 5, 't', or a letter 'A' to 'E'");
                }
                file += 1;
            } else {
                file = Point::SIDE + 1;
            }
            if file > Point::SIDE {
                return error(format!("a point too many in '{}'", rank_name(rank)), RANKS);
            }
        }
        if file < Point::SIDE {
            let found = format!("{file} points in '{}'", rank_name(rank));
            return Err(TextError::new(text, at + points.len(), found, RANKS));
        }
        Ok(())
    }

    /// Puts what a letter stands for on a point; false if it stands for nothing.
    fn put(&mut self, point: Point, letter: char, offset: usize) -> bool {
        match letter {
            't' => self.tigers = self.tigers.with(point),
            'A'..='E' => set(&mut self.goats, point, letter as u32 - 'A' as u32 + 1),
            _ => return false,
        }
        set(&mut self.offsets, point, offset);
        true
    }

    fn offset(&self, point: Point) -> usize {
        self.offsets.get(point.index()).copied().unwrap_or(0)
    }
}

fn set<T>(slots: &mut [T; Point::COUNT], point: Point, value: T) {
    if let Some(slot) = slots.get_mut(point.index()) {
        *slot = value;
    }
}

fn rank_name(rank: u8) -> String {
    format!("rank {}", rank + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(text: &str) -> String {
        parse(RuleSet::standard(), text).unwrap_err().to_string()
    }

    #[test]
    fn the_start_reads_and_prints() {
        for (name, text) in [
            ("baghbandi", "5/2E1E/1t1t1/2E1E/5 w 0 1"),
            ("baghguti", "2t2/1E1E1/5/1E1E1/2t2 w 0 1"),
            ("baghguti-murray", "2t2/1E1E1/2t2/1E1E1/5 w 0 1"),
        ] {
            let rules = RuleSet::named(name).unwrap();
            assert_eq!(Fen(&Position::start(rules)).to_string(), text);
            assert_eq!(parse(rules, text), Ok(Position::start(rules)));
        }
    }

    #[test]
    fn the_counters_may_be_left_out() {
        let rules = RuleSet::standard();
        assert_eq!(parse(rules, " 5/2E1E/1t1t1/2E1E/5   w "), Ok(Position::start(rules)));
        let position = parse(rules, "5/2E1E/1t1t1/2E1E/5 b 7").unwrap();
        assert_eq!((position.quiet_plies(), position.move_number()), (7, 1));
        assert_eq!(Fen(&position).to_string(), "5/2E1E/1t1t1/2E1E/5 b 7 1");
    }

    #[test]
    fn bad_texts_are_refused_with_the_place() {
        for (text, reason) in [
            ("", "column 1: found the end, expected a board"),
            ("5/5/5/5 w", "column 1: found 4 ranks in '5/5/5/5', expected a board"),
            ("5/5/5/5/5/5 w", "column 1: found 6 ranks"),
            ("5/2E1E/1t1t1/2E1E/5", "column 20: found the end, expected the side to move"),
            ("5/2E1E/1t1t1/2E1E/5 x", "column 21: found 'x', expected the side to move"),
            ("5/2E1E/1t1t1/2E1E/5 w -1", "column 23: found '-1', expected a number from 0 to 30000"),
            ("5/2E1E/1t1t1/2E1E/5 w 0 0", "column 25: found '0', expected a number from 1 to 1000000"),
            ("5/2E1E/1t1t1/2E1E/5 w 0 1 1", "column 27: found '1', expected the end of the position"),
            ("5/2E1E/1t1t1/2E1E/5 w 99999999999999999999", "column 23: found '999"),
            ("5/2E1EA/1t1t1/2E1E/5 w", "column 7: found a point too many in 'rank 4'"),
            ("5/2E5/1t1t1/2E1E/5 w", "column 5: found a point too many in 'rank 4'"),
            ("5/2E1/1t1t1/2E1E/5 w", "column 6: found 4 points in 'rank 4'"),
            ("5/2F1E/1t1t1/2E1E/5 w", "column 4: found 'F', expected a digit"),
            ("5/2é1E/1t1t1/2E1E/5 w", "column 4: found 'é', expected a digit"),
            ("6/2E1E/1t1t1/2E1E/5 w", "column 1: found '6', expected a digit"),
            ("5/2E1E/1t1T1/2E1E/5 w", "column 11: found 'T', expected a digit"),
            ("5/2E1E/1t3/2E1E/5 w", "column 1: found 1 tigers, expected exactly 2"),
            ("5/2E1E/1t1tt/2E1E/5 w", "column 1: found 3 tigers, expected exactly 2"),
            ("A4/2E1E/1t1t1/2E1E/5 w", "column 1: found 21 goats, expected at most 20"),
            ("5/1B3/1t1t1/5/5 w", "column 4: found 2 goats on b4, expected at most 1"),
            ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", "column 1: found 8 ranks"),
        ] {
            assert!(refusal(text).starts_with(reason), "{text}: {}", refusal(text));
        }
    }
}
