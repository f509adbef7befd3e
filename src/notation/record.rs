//! Game records as seed 000 writes them: `1. e5; b4 2. e4-e3; b4xd4 … 5. e1; c1xc3xa5`.
//!
//! A plain move is cut to its destination where only one piece can go there, otherwise it is `from-to`; a capture
//! names every point. A record that starts with Black to move has `...` in White's place.

use crate::board::Point;
use crate::moves::Move;
use crate::notation::coordinates::MoveText;
use crate::notation::{MoveError, TextError, quoted, words};
use crate::position::Position;
use crate::rules::Side;
use std::fmt::Write;

/// What stands where White has no move at the start of a record.
const NO_WHITE_MOVE: &str = "...";

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

/// The legal move that a word of a record names.
///
/// # Errors
/// Says why there is none, or which there are.
pub fn parse_move(position: &Position, word: &str) -> Result<Move, MoveError> {
    let error = |why: String, expected: String| MoveError { found: format!("{}{why}", quoted(word)), expected };
    let is_capture = word.contains(['x', 'X']);
    let points = word
        .split(if is_capture { ['x', 'X'] } else { ['-', '-'] })
        .map(|name| match name.as_bytes() {
            [file, rank] => Point::from_name(*file, *rank),
            _ => None,
        })
        .collect::<Option<Vec<Point>>>()
        .filter(|points| is_capture || points.len() <= 2)
        .ok_or_else(|| error(String::new(), "a move as 'e5', 'e4-e3' or 'c1xc3xa5'".to_owned()))?;
    let legal = format!("a legal move of {}", position.side());
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

/// The ways to write several steps to one point.
fn several_origins(steps: &[Move]) -> String {
    let ways: Vec<String> = steps.iter().map(|mv| format!("'{}-{}'", mv.from(), mv.to())).collect();
    ways.join(" or ")
}

/// A game's moves as a record, on one line.
pub fn write(start: &Position, moves: &[Move]) -> String {
    let mut text = String::new();
    let mut position = *start;
    for (ply, &mv) in moves.iter().enumerate() {
        let separator = if ply > 0 { " " } else { "" };
        let word = move_text(&position, mv);
        // Writing to a string can't fail.
        let _ = match (position.side(), ply) {
            (Side::White, _) => write!(text, "{separator}{}. {word}", position.move_number()),
            (Side::Black, 0) => write!(text, "{}. {NO_WHITE_MOVE}; {word}", position.move_number()),
            (Side::Black, _) => write!(text, "; {word}"),
        };
        position = position.play(mv);
    }
    text
}

/// The moves of a record that starts in this position.
///
/// # Errors
/// Says where the text stops being a record of legal moves.
pub fn read(start: &Position, text: &str) -> Result<Vec<Move>, TextError> {
    let mut moves = Vec::new();
    let mut position = *start;
    let mut tokens = tokens(text).peekable();
    while let Some((at, token)) = tokens.next() {
        let white_to_move = position.side() == Side::White;
        let error = |found: String, expected: String| Err(TextError::new(text, at, found, expected));
        let due = match (white_to_move, moves.is_empty()) {
            (true, _) | (false, true) => format!("{}.", position.move_number()),
            (false, false) => ";".to_owned(),
        };
        if token != due {
            return error(quoted(token), format!("'{due}'"));
        }
        if !white_to_move && moves.is_empty() {
            for due in [NO_WHITE_MOVE, ";"] {
                tokens.next_if(|(_, token)| *token == due).ok_or_else(|| {
                    let (at, found) = tokens.peek().copied().unwrap_or((text.len(), ""));
                    TextError::new(text, at, quoted(found), format!("'{due}'"))
                })?;
            }
        }
        let Some((at, word)) = tokens.next() else {
            return error("the end".to_owned(), format!("a move of {} after '{due}'", position.side()));
        };
        let mv = parse_move(&position, word).map_err(|why| TextError::new(text, at, why.found, why.expected))?;
        moves.push(mv);
        position = position.play(mv);
    }
    Ok(moves)
}

/// Words, with semicolons and move numbers apart from what they touch.
fn tokens(text: &str) -> impl Iterator<Item = (usize, &str)> {
    words(text)
        .flat_map(|(at, word)| {
            word.split_inclusive(';').flat_map(move |part| {
                let offset = at + (part.as_ptr() as usize - word.as_ptr() as usize);
                let (body, semicolon) = part.strip_suffix(';').map_or((part, ""), |body| (body, ";"));
                let number_len = move_number_len(body);
                let (number, mv) = body.split_at_checked(number_len).unwrap_or((body, ""));
                [(offset, number), (offset + number_len, mv), (offset + body.len(), semicolon)]
            })
        })
        .filter(|(_, token)| !token.is_empty())
}

/// Bytes of a move number with its full stop at the head of a word; 0 if there is none.
fn move_number_len(word: &str) -> usize {
    let digits = word.bytes().take_while(u8::is_ascii_digit).count();
    if digits > 0 && word.as_bytes().get(digits) == Some(&b'.') { digits + 1 } else { 0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::notation::fen;
    use crate::rules::RuleSet;

    #[test]
    fn moves_are_cut_where_one_piece_can_go() {
        let start = Position::start(RuleSet::standard());
        let text = |name: &str| move_text(&start, crate::notation::coordinates::parse(&start, name).unwrap());
        assert_eq!(text("e4e5"), "e5");
        assert_eq!(text("c4d4"), "c4-d4");
        assert_eq!(parse_move(&start, "e5").unwrap().to_string(), "e4e5");
        let expected = |found: &str, expected: &str| format!("found {found}, expected {expected}");
        assert_eq!(parse_move(&start, "d4").unwrap_err().to_string(), expected("'d4'", "'c4-d4' or 'e4-d4'"));
        for (word, found, wanted) in [
            ("e5x", "'e5x'", "a move as 'e5', 'e4-e3' or 'c1xc3xa5'"),
            ("c2xb2", "'c2xb2'", "'b2'"),
            ("a1", "'a1' (no piece can step there)", "a legal move of White"),
            ("b3-c3", "'b3-c3' (White has no piece on b3)", "a legal move of White"),
        ] {
            assert_eq!(parse_move(&start, word).unwrap_err().to_string(), expected(found, wanted));
        }
    }

    #[test]
    fn a_record_of_black_to_move_reads_back() {
        let start = fen::parse(RuleSet::standard(), "5/2E1E/1t1t1/1AD1E/5 b 0 7").unwrap();
        let moves = read(&start, "7. ...; b3xb1 8. e5; b1-a1").unwrap();
        assert_eq!(moves.len(), 3);
        let written = write(&start, &moves);
        assert_eq!(read(&start, &written), Ok(moves));
        assert!(written.starts_with("7. ...; b3xb1 8. e5; a1"), "{written}");
    }

    #[test]
    fn a_bad_record_is_refused_with_the_place() {
        let start = Position::start(RuleSet::standard());
        for (text, reason) in [
            ("2. e5", "column 1: found '2.', expected '1.'"),
            ("1. e5 b4", "column 7: found 'b4', expected ';'"),
            ("1. e5;", "column 6: found the end, expected a move of Black after ';'"),
            ("1. e5;\nx4", "line 2, column 1: found 'x4', expected a move as"),
            ("e5", "column 1: found 'e5', expected '1.'"),
            ("1. e5; b4 1. e4-e3", "column 11: found '1.', expected '2.'"),
        ] {
            let found = read(&start, text).unwrap_err().to_string();
            assert!(found.starts_with(reason), "{text}: {found}");
        }
        assert_eq!(read(&start, "1.e5;b4 2.e4-e3"), read(&start, "1. e5; b4 2. e4-e3"));
    }
}
