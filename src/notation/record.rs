//! Game records as `1. e5; b4 2. e4-e3; b4xd4 … 5. e1; c1xc3xa5`, with or without comments.
//!
//! A record that starts with Black to move has `...` in White's place. Records of other programs and by hand are read as
//! well: without move numbers or with wrong ones, without semicolons, with the signs and variations of PGN.

pub use crate::notation::algebraic::{move_text, parse_move};

use crate::game::GameResult;
use crate::moves::Move;
use crate::notation::algebraic::with_hyphens;
use crate::notation::{TextError, quoted};
use crate::position::Position;
use crate::rules::Side;
use std::fmt::Write;

/// Characters of signs behind a move (`!`, `?!`, `±`), which may touch it.
const SIGNS: [char; 11] = ['!', '?', '±', '∓', '∞', '⩲', '⩱', '=', '□', '+', '#'];

/// Signs that have other characters too.
const LONG_SIGNS: [&str; 5] = ["+-", "-+", "+/-", "-/+", "+/="];

/// A result as records have it.
pub const fn result_text(result: Option<GameResult>) -> &'static str {
    match result {
        Some(GameResult::Win) => "1-0",
        Some(GameResult::Loss) => "0-1",
        Some(GameResult::Draw) => "1/2-1/2",
        None => "*",
    }
}

/// The result that a text names.
///
/// Returns `None` if it names none.
pub fn parse_result(text: &str) -> Option<Option<GameResult>> {
    match with_hyphens(text).as_str() {
        "1-0" => Some(Some(GameResult::Win)),
        "0-1" => Some(Some(GameResult::Loss)),
        "1/2-1/2" => Some(Some(GameResult::Draw)),
        "*" => Some(None),
        _ => None,
    }
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
            (Side::Black, 0) => write!(text, "{}. ...; {word}", position.move_number()),
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
    Ok(GameText::parse(start, text, 0)?.moves.into_iter().map(|played| played.mv).collect())
}

/// What stands behind a move.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Annotation {
    /// Signs in order: `!`, `±`, or a numeric glyph of PGN, `$1`.
    pub signs: Vec<String>,
    /// Variations in order, in parentheses, as they stood but for runs of blanks. Their moves are not checked.
    pub variations: Vec<String>,
}

/// A move of a record with what stands behind it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct AnnotatedMove {
    /// The move.
    pub mv: Move,
    /// Signs and variations.
    pub annotation: Annotation,
    /// Comments in order, without braces.
    pub comments: Vec<String>,
    /// Whether the last of them stands behind a variation.
    pub ends_behind_variation: bool,
}

impl AnnotatedMove {
    pub(crate) fn new(mv: Move) -> Self {
        Self { mv, annotation: Annotation::default(), comments: Vec::new(), ends_behind_variation: false }
    }
}

/// The text of a game, read: its moves and what stands between them.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct GameText {
    /// Comments before the first move.
    pub preface: Vec<String>,
    /// The moves in order.
    pub moves: Vec<AnnotatedMove>,
    /// The result at the end and where it begins, in bytes; `None` if there is none.
    pub result: Option<(Option<GameResult>, usize)>,
    /// The first move number that is missing or wrong.
    pub warning: Option<TextError>,
}

impl GameText {
    /// Reads the text of a game that begins at a byte offset of `text` and goes to its end.
    ///
    /// # Errors
    /// Says where it stops being a game of legal moves.
    pub fn parse(start: &Position, text: &str, from: usize) -> Result<Self, TextError> {
        let mut parser = Parser { text, position: *start, due: None, has_number: false, game: Self::default() };
        let mut tokens = Tokens { text, at: from };
        while let Some((at, token)) = tokens.next()? {
            parser.take(at, token)?;
            if parser.game.result.is_some() {
                return match tokens.next()? {
                    None => Ok(parser.game),
                    Some((at, token)) => Err(TextError::new(text, at, token, "the end of the game after its result")),
                };
            }
        }
        parser.check_due(text.trim_end().len(), "the end")?;
        Ok(parser.game)
    }

    /// The comments before the first and after each move, and the reason, which is the last comment of all where the
    /// last move has one or a variation before it, or where there is no move.
    pub fn comments(&self) -> (String, Vec<String>, String) {
        let (mut preface, mut reason) = (self.preface.join(" "), String::new());
        let mut comments: Vec<String> = self.moves.iter().map(|played| played.comments.join(" ")).collect();
        let is_behind = self.moves.last().is_some_and(|last| last.ends_behind_variation);
        match (self.moves.last().map(|last| last.comments.as_slice()), comments.last_mut()) {
            (Some([before @ .., last]), Some(comment)) if !before.is_empty() || is_behind => {
                *comment = before.join(" ");
                reason = last.clone();
            }
            (None, _) => reason = std::mem::take(&mut preface),
            _ => {}
        }
        (preface, comments, reason)
    }
}

/// A piece of a game's text.
enum Token<'a> {
    /// A move number with this many full stops behind it.
    Number {
        text: &'a str,
        dots: usize,
    },
    /// `...` in the place of a move.
    Ellipsis(&'a str),
    Semicolon,
    /// A comment without its braces.
    Comment(&'a str),
    Sign(&'a str),
    /// A variation with its parentheses.
    Variation(&'a str),
    /// A move or a result.
    Word(&'a str),
}

impl std::fmt::Display for Token<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&match self {
            Self::Number { text, .. } | Self::Ellipsis(text) | Self::Sign(text) | Self::Word(text) => quoted(text),
            Self::Semicolon => "';'".to_owned(),
            Self::Comment(_) => "a comment".to_owned(),
            Self::Variation(_) => "a variation".to_owned(),
        })
    }
}

/// The tokens of a text, each with its byte offset.
struct Tokens<'a> {
    text: &'a str,
    /// Offset of what is still to be read.
    at: usize,
}

impl<'a> Tokens<'a> {
    fn next(&mut self) -> Result<Option<(usize, Token<'a>)>, TextError> {
        let rest = self.text.get(self.at..).unwrap_or_default();
        self.at += rest.len() - rest.trim_start().len();
        let (at, rest) = (self.at, rest.trim_start());
        let Some(first) = rest.chars().next() else { return Ok(None) };
        let (length, token): (usize, fn(&'a str) -> Token<'a>) = match first {
            '{' => {
                (self.comment_length(rest, at)?, |text| Token::Comment(text.get(1..text.len() - 1).unwrap_or_default()))
            }
            '(' => (self.variation_length(rest)?, Token::Variation),
            ';' => (1, |_| Token::Semicolon),
            '.' | '…' => (rest.len() - rest.trim_start_matches(['.', '…']).len(), Token::Ellipsis),
            _ => match number_length(rest) {
                0 => word_token(rest, first),
                length => (length, |text| Token::Number {
                    text,
                    dots: text
                        .chars()
                        .map(|letter| match letter {
                            '.' => 1,
                            '…' => 3,
                            _ => 0,
                        })
                        .sum(),
                }),
            },
        };
        self.at += length;
        Ok(Some((at, token(rest.get(..length).unwrap_or_default()))))
    }

    fn comment_length(&self, rest: &str, at: usize) -> Result<usize, TextError> {
        let error = || TextError::new(self.text, at, "no end of the comment", "'}'");
        Ok(rest.find('}').ok_or_else(error)? + 1)
    }

    /// Length of a variation, in which others and comments may stand.
    fn variation_length(&self, rest: &str) -> Result<usize, TextError> {
        let (mut depth, mut at) = (0_usize, 0);
        while let Some(letter) = rest.get(at..).and_then(|rest| rest.chars().next()) {
            match letter {
                '{' => at += self.comment_length(rest.get(at..).unwrap_or_default(), self.at + at)? - 1,
                '(' => depth += 1,
                ')' => depth -= 1,
                _ => {}
            }
            at += letter.len_utf8();
            if depth == 0 {
                return Ok(at);
            }
        }
        Err(TextError::new(self.text, self.at, "no end of the variation", "')'"))
    }
}

/// A sign, a move or a result, and its length.
fn word_token<'a>(rest: &'a str, first: char) -> (usize, fn(&'a str) -> Token<'a>) {
    let is_end = |letter: char| letter.is_whitespace() || ['{', '(', ')', ';', '$'].contains(&letter);
    let length = rest.char_indices().skip(1).find(|(_, letter)| is_end(*letter)).map_or(rest.len(), |(at, _)| at);
    let word = rest.get(..length).unwrap_or_default();
    let digits = word.strip_prefix('$').unwrap_or_default();
    let is_glyph = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    if is_glyph || LONG_SIGNS.contains(&with_hyphens(word).as_str()) {
        return (length, Token::Sign);
    }
    if SIGNS.contains(&first) {
        return (length - word.trim_start_matches(SIGNS).len(), Token::Sign);
    }
    let plain = LONG_SIGNS.iter().find_map(|sign| word.strip_suffix(sign)).unwrap_or(word);
    (plain.trim_end_matches(SIGNS).len(), Token::Word)
}

/// Bytes of a move number with its full stops at the head of a text; 0 if there is none.
pub fn number_length(text: &str) -> usize {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let rest = text.get(digits..).unwrap_or_default();
    let dots = rest.len() - rest.trim_start_matches(['.', '…']).len();
    if digits > 0 && dots > 0 { digits + dots } else { 0 }
}

/// Follows the game that a text tells.
struct Parser<'a> {
    text: &'a str,
    /// The position after the moves read so far.
    position: Position,
    /// The move number or the semicolon after which a move is due.
    due: Option<&'a str>,
    has_number: bool,
    game: GameText,
}

impl<'a> Parser<'a> {
    fn take(&mut self, at: usize, token: Token<'a>) -> Result<(), TextError> {
        let refuse = |expected: String| Err(TextError::new(self.text, at, &token, expected));
        let side = self.position.side();
        match token {
            Token::Number { text, dots } => self.number(at, text, dots),
            Token::Ellipsis(_) | Token::Semicolon if side == Side::White => {
                return refuse(format!("a move of {side}"));
            }
            Token::Ellipsis(_) => {}
            Token::Semicolon if self.due == Some(";") => return refuse(format!("a move of {side}")),
            Token::Semicolon => self.due = Some(";"),
            Token::Comment(comment) => {
                let comment = one_line(comment);
                match self.game.moves.last_mut() {
                    None => self.game.preface.push(comment),
                    Some(last) => {
                        last.comments.push(comment);
                        last.ends_behind_variation = !last.annotation.variations.is_empty();
                    }
                }
            }
            Token::Sign(sign) => match self.game.moves.last_mut() {
                Some(last) => last.annotation.signs.push(sign.to_owned()),
                None => return refuse("a move before it".to_owned()),
            },
            Token::Variation(variation) => match self.game.moves.last_mut() {
                Some(last) => last.annotation.variations.push(one_line(variation)),
                None => return refuse("a move before it".to_owned()),
            },
            Token::Word(word) => match parse_result(word) {
                None => self.play(at, word)?,
                Some(result) => {
                    self.check_due(at, &quoted(word))?;
                    self.game.result = Some((result, at));
                }
            },
        }
        Ok(())
    }

    fn number(&mut self, at: usize, text: &'a str, dots: usize) {
        let (side, number) = (self.position.side(), self.position.move_number());
        let is_first = self.game.moves.is_empty();
        let is_right = text.trim_end_matches(['.', '…']).parse() == Ok(number)
            && !self.has_number
            && if side == Side::White { dots == 1 } else { dots > 1 || is_first };
        if !is_right {
            let expected = if side == Side::White { format!("'{number}.'") } else { format!("'{number}...' or ';'") };
            self.warn(at, &quoted(text), &expected);
        }
        (self.has_number, self.due) = (true, Some(text));
    }

    fn warn(&mut self, at: usize, found: &str, expected: &str) {
        let text = self.text;
        self.game.warning.get_or_insert_with(|| TextError::new(text, at, found, expected));
    }

    fn play(&mut self, at: usize, word: &str) -> Result<(), TextError> {
        let position = self.position;
        let mv = parse_move(&position, word).map_err(|error| error.within(self.text, at))?;
        if position.side() == Side::White && !self.has_number {
            self.warn(at, &quoted(word), &format!("the move number '{}.' before it", position.move_number()));
        }
        self.game.moves.push(AnnotatedMove::new(mv));
        (self.position, self.due, self.has_number) = (position.play(mv), None, false);
        Ok(())
    }

    /// Sees whether nothing is due where the game ends.
    fn check_due(&self, at: usize, found: &str) -> Result<(), TextError> {
        match self.due {
            None => Ok(()),
            Some(due) => {
                let expected = format!("a move of {} after '{due}'", self.position.side());
                Err(TextError::new(self.text, at, found, expected))
            }
        }
    }
}

/// A text without line breaks and runs of blanks.
pub fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::notation::fen;
    use crate::rules::RuleSet;

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
            ("1. e5;", "column 7: found the end, expected a move of Black after ';'"),
            ("1. e5; b4 2. *", "column 14: found '*', expected a move of White after '2.'"),
            ("1. e5;\nx4", "line 2, column 1: found 'x4', expected a move as"),
            ("1. e5;; b4", "column 7: found ';', expected a move of Black"),
            ("1. e5; b4;", "column 10: found ';', expected a move of White"),
            ("1. ... b4", "column 4: found '...', expected a move of White"),
            ("! e5", "column 1: found '!', expected a move before it"),
            ("1. e5 (1. c5; b4", "column 7: found no end of the variation, expected ')'"),
            ("1. e5 (1. c5 {)", "column 14: found no end of the comment, expected '}'"),
            ("1. e5 )", "column 7: found ')', expected a move as"),
            ("1. e5; b4 1/2", "column 11: found '1/2', expected a move as"),
            ("1. e5; b4 ½-½", "column 11: found '½-½', expected a move as"),
            ("1. e5; b4 1:0", "column 11: found '1:0', expected a move as"),
            ("1. e5; b4 resigns", "column 11: found 'resigns', expected a move as"),
            ("1. e5; b4 1-0 {b}", "column 15: found a comment, expected the end of the game after its result"),
        ] {
            let found = read(&start, text).unwrap_err().to_string();
            assert!(found.starts_with(reason), "{text}: {found}");
        }
    }

    #[test]
    fn records_of_other_programs_read_the_same() {
        let start = Position::start(RuleSet::standard());
        let moves = read(&start, "1. e5; b4 2. e4-e3");
        assert_eq!(moves.as_ref().map(Vec::len), Ok(3));
        for (text, warning) in [
            ("1.e5;b4 2.e4-e3 1–0", None),
            ("1. e5 b4 2. e4e3 *", None),
            ("1. e4e5 1... b3b4 2. e4e3", None),
            ("1. e5 1…b4 2. e4–e3", None),
            ("1. e5! $1 {a}; b4?! ± (1. ...; b3-a3 {)} (x)) 2. e4-e3+-", None),
            ("e5; b4 e4-e3", Some("column 1: found 'e5', expected the move number '1.' before it")),
            ("1. e5; b4 1. e4-e3", Some("column 11: found '1.', expected '2.'")),
            ("1. e5 1. b4 2. e4-e3", Some("column 7: found '1.', expected '1...' or ';'")),
            ("2. e5; b4 3. e4-e3", Some("column 1: found '2.', expected '1.'")),
        ] {
            let read = GameText::parse(&start, text, 0).unwrap();
            assert_eq!(Ok(read.moves.iter().map(|played| played.mv).collect()), moves, "{text}");
            assert_eq!(read.warning.map(|warning| warning.to_string()).as_deref(), warning, "{text}");
        }
    }

    #[test]
    fn signs_and_variations_stay_with_their_move() {
        let start = Position::start(RuleSet::standard());
        let read = GameText::parse(&start, "{p} 1. e5! ± $1 {a} (1. c5 {x}\n (y)) {b} ; b4+- 1-0", 0).unwrap();
        let [white, black] = read.moves.as_slice() else { panic!("{read:?}") };
        assert_eq!(white.annotation.signs, ["!", "±", "$1"]);
        assert_eq!(white.annotation.variations, ["(1. c5 {x} (y))"]);
        assert_eq!((&white.comments, &read.preface), (&vec!["a".to_owned(), "b".to_owned()], &vec!["p".to_owned()]));
        assert_eq!(black.annotation.signs.concat(), "+-");
        assert_eq!(read.result.map(|(result, _)| result), Some(Some(GameResult::Win)));
    }
}
