//! Moves in the notation of Italian sources: `e5`, `e4-e3`, `c1xc3xa5`.
//!
//! A plain move is cut to its destination where only one piece can go there, otherwise it is `from-to`; a capture
//! names every point. The protocol's form, `e4e3`, reads as well.

use crate::board::Point;
use crate::moves::Move;
use crate::notation::coordinates::MoveText;
use crate::notation::{TextError, quoted};
use crate::position::Position;

/// A legal move in record notation.
pub fn move_text(position: &Position, mv: Move) -> String {
    if mv.is_capture() {
        let mut text = mv.from().to_string();
        for jump in mv.path() {
            text += &format!("x{}", jump.to);
        }
        return text;
    }
    match steps_to(position, mv.to()).as_slice() {
        [_] => mv.to().to_string(),
        _ => format!("{}-{}", mv.from(), mv.to()),
    }
}

/// The legal plain moves to a point.
fn steps_to(position: &Position, to: Point) -> Vec<Move> {
    position.legal_moves().into_iter().filter(|mv| !mv.is_capture() && mv.to() == to).collect()
}

/// The legal move that a word of a record names: `e5`, `e4-e3`, `c1xc3xa5`, or the protocol's `e4e3`.
///
/// # Errors
/// Says why there is none, or which there are.
pub fn parse_move(position: &Position, word: &str) -> Result<Move, TextError> {
    let error = |why: String, expected: String| TextError::unplaced(format!("{}{why}", quoted(word)), expected);
    let legal = format!("a legal move of {}", position.side());
    let plain = with_hyphens(word);
    if let Ok(text) = MoveText::parse(&plain) {
        return text.find(position).map_err(|why| error(format!(" ({why})"), legal));
    }
    let is_capture = plain.contains(['x', 'X']);
    let points = plain
        .split(if is_capture { ['x', 'X'] } else { ['-', '-'] })
        .map(|name| match name.as_bytes() {
            [file, rank] => Point::from_name(*file, *rank),
            _ => None,
        })
        .collect::<Option<Vec<Point>>>()
        .filter(|points| is_capture || points.len() <= 2)
        .ok_or_else(|| error(String::new(), "a move as 'e5', 'e4-e3' or 'c1xc3xa5'".to_owned()))?;
    if let [to] = points.as_slice() {
        return match steps_to(position, *to).as_slice() {
            [] => Err(error(" (no piece can step there)".to_owned(), legal)),
            [mv] => Ok(*mv),
            several => Err(error(String::new(), several_origins(several))),
        };
    }
    let mv = MoveText::from_points(points).find(position).map_err(|why| error(format!(" ({why})"), legal))?;
    match (mv.is_capture(), is_capture) {
        (true, false) | (false, true) => Err(error(String::new(), format!("'{}'", move_text(position, mv)))),
        _ => Ok(mv),
    }
}

/// The forms to write several steps to one point.
fn several_origins(steps: &[Move]) -> String {
    let forms: Vec<String> = steps.iter().map(|mv| format!("'{}-{}'", mv.from(), mv.to())).collect();
    forms.join(" or ")
}

/// A text with hyphens where word processors have put dashes.
pub(crate) fn with_hyphens(text: &str) -> String {
    text.replace(['\u{2010}', '\u{2011}', '\u{2013}', '\u{2014}', '\u{2212}'], "-")
}

/// Whether a word, up to a semicolon or a sign in it, has nothing but points with `x` or `-` between them.
pub(crate) fn looks_like_move(word: &str) -> bool {
    let word = word.split([';', '!', '?', '{']).next().unwrap_or_default();
    let points = with_hyphens(word).replace(['x', 'X', '-'], "");
    let is_point = |name: &[u8]| matches!(name, [file, rank] if Point::from_name(*file, *rank).is_some());
    !points.is_empty() && points.as_bytes().chunks(2).all(is_point)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::RuleSet;

    #[test]
    fn moves_are_cut_where_one_piece_can_go() {
        let start = Position::start(RuleSet::standard());
        let text = |name: &str| move_text(&start, crate::notation::coordinates::parse(&start, name).unwrap());
        assert_eq!(text("e4e5"), "e5");
        assert_eq!(text("c4d4"), "c4-d4");
        for word in ["e5", "e4-e5", "e4–e5", "e4\u{2212}e5", "e4e5", "E4E5"] {
            assert_eq!(parse_move(&start, word).unwrap().to_string(), "e4e5", "{word}");
        }
        let expected = |found: &str, expected: &str| format!("found {found}, expected {expected}");
        assert_eq!(parse_move(&start, "d4").unwrap_err().to_string(), expected("'d4'", "'c4-d4' or 'e4-d4'"));
        for (word, found, wanted) in [
            ("e5x", "'e5x'", "a move as 'e5', 'e4-e3' or 'c1xc3xa5'"),
            ("c2xb2", "'c2xb2'", "'b2'"),
            ("a1", "'a1' (no piece can step there)", "a legal move of White"),
            ("a1b1", "'a1b1' (White has no piece on a1)", "a legal move of White"),
            ("b3-c3", "'b3-c3' (White has no piece on b3)", "a legal move of White"),
        ] {
            assert_eq!(parse_move(&start, word).unwrap_err().to_string(), expected(found, wanted));
        }
    }
}
