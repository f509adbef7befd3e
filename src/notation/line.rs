//! A position or a game on a line: `[rules] [start] [play]`. [`reader`](super::reader) says what each of them may be.

use crate::notation::algebraic::{looks_like_move, parse_move};
use crate::notation::coordinates::MoveText;
use crate::notation::fen::{self, Fen};
use crate::notation::record::{AnnotatedMove, GameText, number_length};
use crate::notation::{TextError, offset_in, quoted, words};
use crate::position::Position;
use crate::rules::RuleSet;

const START: &str = "a rule set, a position or moves";

/// EPD operations that are understood; others are passed over.
const OPERATIONS: [&str; 6] = ["bm", "am", "id", "hmvc", "fmvn", "c0"];

/// Longest name of an EPD operation, in bytes.
const LONGEST_OPERATION: usize = 15;

/// What a line has.
pub struct LineGame {
    /// Where the game starts.
    pub start: StartPosition,
    /// Its moves; none if the line has only a position.
    pub text: GameText,
    /// The columns behind a tab that are neither, without the blanks about each.
    pub columns: Vec<String>,
}

/// Where a game starts, with what EPD operations say of the position.
pub struct StartPosition {
    pub position: Position,
    /// `bm`, `am` (moves, checked) and `id` by these names.
    pub tags: Vec<(String, String)>,
    /// The comment `c0`.
    pub comment: Option<String>,
}

/// Reads the line that begins at a byte offset of `text` and goes to its end; by `rules` where it names none.
///
/// # Errors
/// Says where it stops being a position or a game of legal moves.
pub fn read(text: &str, from: usize, rules: &'static RuleSet) -> Result<LineGame, TextError> {
    let text = text.trim_end();
    let (rules, rest) = named_rules(text, text.get(from..).unwrap_or_default(), rules)?;
    let rest = rest.trim_start();
    let own = own_columns(rest);
    let columns = foreign_columns(rest.get(own.len()..).unwrap_or_default());
    let (start, play) = StartParser { text, own, rules }.read()?;
    let from = offset_in(text, play);
    let to = text.get(..from + play.len()).unwrap_or(text);
    let game = read_play(&start.position, to, from)?;
    Ok(LineGame { start, text: game, columns })
}

/// Reads the moves that begin at a byte offset of `text` and go to its end: of the protocol, or a record.
///
/// # Errors
/// Says where they stop being legal moves.
pub fn read_play(start: &Position, text: &str, from: usize) -> Result<GameText, TextError> {
    match words(text.get(from..).unwrap_or_default()).next() {
        None => Ok(GameText::default()),
        Some((at, "moves")) => protocol_moves(text, from + at + "moves".len(), *start),
        Some((_, word)) if MoveText::parse(word).is_ok() => protocol_moves(text, from, *start),
        Some((_, word)) if begins_play(word) || looks_like_move(word) => GameText::parse(start, text, from),
        // Not even a record.
        Some(_) => protocol_moves(text, from, *start),
    }
}

/// The rules that a line begins with, or else the usual ones, and what stands behind.
fn named_rules<'a>(
    text: &str,
    line: &'a str,
    usual: &'static RuleSet,
) -> Result<(&'static RuleSet, &'a str), TextError> {
    let Some((at, word)) = words(line).next() else {
        return Err(TextError::new(text, text.len(), "the end", START));
    };
    match RuleSet::named(word) {
        Some(rules) => Ok((rules, line.get(at + word.len()..).unwrap_or_default())),
        None if is_name(word) => {
            let expected = format!("{START}; rules are {}", RuleSet::names());
            Err(TextError::new(text, offset_in(text, word), quoted(word), expected))
        }
        None => Ok((usual, line)),
    }
}

/// Whether a word looks like a rule set's name, and is neither a move nor a word that has a meaning here.
fn is_name(word: &str) -> bool {
    word.starts_with(char::is_alphabetic)
        && !word.contains('/')
        && !looks_like_move(word)
        && !["position", "fen", "startpos", "startpos;", "moves"].contains(&word)
}

/// Whether a line begins as a position or a game does.
pub fn is_recognised(line: &str) -> bool {
    let mut words = words(line).map(|(_, word)| word);
    words.next().is_some_and(|word| {
        let is_number = number_length(word) == word.len();
        RuleSet::named(word).is_some()
            || looks_like_move(word.get(number_length(word)..).unwrap_or_default())
            || is_number && words.next().is_some_and(|next| looks_like_move(next) || next.starts_with('.'))
            || word.split('/').count() == 5
            || ["position", "fen", "startpos", "startpos;", "moves"].contains(&word)
    })
}

/// The part of a line that has a game record, `1. e5; b4`; `None` if the line has none, or columns that are none of ours.
pub fn record_part(line: &str) -> Option<&str> {
    let (at, word) = words(line).next()?;
    let rules = RuleSet::named(word).map_or(0, |_| at + word.len());
    let rest = line.get(rules..)?.trim();
    if own_columns(rest).len() < rest.len() {
        return None;
    }
    let mut all = words(rest);
    let (at, word) = all.find(|(at, word)| begins_play(word) || *at == 0 && looks_like_move(word))?;
    let is_record = word != "moves" && MoveText::parse(word).is_err() && !rest.get(..at)?.contains('"');
    rest.get(at..).filter(|_| is_record)
}

/// A text without the columns that are none of ours: those behind a tab of its first line, unless the moves follow there.
pub fn own_columns(text: &str) -> &str {
    let first_line = text.split('\n').next().unwrap_or_default();
    let mut end = 0;
    for (at, word) in words(first_line) {
        let tab = first_line.get(end..at).and_then(|gap| gap.find('\t'));
        if let Some(own) = tab.and_then(|tab| text.get(..end + tab)).filter(|_| !begins_play(word)) {
            return own;
        }
        end = at + word.len();
    }
    text
}

/// The columns of what begins with the tab before the first of them.
fn foreign_columns(text: &str) -> Vec<String> {
    let first_line = text.split('\n').next().unwrap_or_default();
    first_line.split('\t').skip(1).map(|column| column.trim().to_owned()).collect()
}

/// Whether a word begins the moves of a game.
fn begins_play(word: &str) -> bool {
    word == "moves" || number_length(word) > 0
}

/// The part of a line that says where the game starts.
struct StartParser<'a> {
    /// The whole item, for the places of errors.
    text: &'a str,
    /// The line behind its rule set.
    own: &'a str,
    rules: &'static RuleSet,
}

impl<'a> StartParser<'a> {
    fn error(&self, part: &str, found: &str, expected: &str) -> TextError {
        TextError::new(self.text, offset_in(self.text, part), found, expected)
    }

    fn from(&self, at: usize) -> &'a str {
        self.own.get(at..).unwrap_or_default()
    }

    /// The start, and the part of the line that has the moves.
    fn read(&self) -> Result<(StartPosition, &'a str), TextError> {
        let usual = StartPosition { position: Position::start(self.rules), tags: Vec::new(), comment: None };
        let mut words = words(self.own).peekable();
        let says_position = words.next_if(|(_, word)| *word == "position").is_some();
        let Some((at, word)) = words.next() else {
            let end = self.text.get(self.text.len()..).unwrap_or_default();
            let expected = "'startpos' or a position";
            return if says_position { Err(self.error(end, "the end", expected)) } else { Ok((usual, "")) };
        };
        if let Some(rest) = word.strip_prefix("startpos").filter(|rest| rest.is_empty() || *rest == ";") {
            let _ = words.next_if(|(_, word)| rest.is_empty() && *word == ";");
            return match words.next() {
                None => Ok((usual, "")),
                Some((at, word)) if begins_play(word) => Ok((usual, self.from(at))),
                Some((_, word)) => Err(self.error(word, &quoted(word), "'moves', or a move number as '1.'")),
            };
        }
        if word != "fen" && !word.contains('/') {
            let is_play = begins_play(word) || looks_like_move(word);
            return match is_play && !says_position {
                true => Ok((usual, self.from(at))),
                false => Err(self.error(word, &quoted(word), START)),
            };
        }
        self.position(if word == "fen" { at + word.len() } else { at })
    }

    /// The position that begins here, its operations, and what stands behind.
    fn position(&self, begin: usize) -> Result<(StartPosition, &'a str), TextError> {
        let fields = self.from(begin);
        let is_operation = |word: &str| word.starts_with(char::is_alphabetic);
        let mut end = fields.len();
        let mut masked = String::new();
        for (number, (at, word)) in words(fields).enumerate() {
            if begins_play(word) || number >= 2 && is_operation(word) {
                end = at;
                break;
            }
            masked += &" ".repeat(at - masked.len());
            // Fields that chess has and this game has not.
            masked += if word == "-" && number >= 2 { " " } else { word.strip_suffix(';').unwrap_or(word) };
            if word.ends_with(';') {
                end = at + word.len();
                break;
            }
        }
        let position =
            fen::parse(self.rules, &masked).map_err(|error| error.within(self.text, offset_in(self.text, fields)))?;
        let mut start = StartPosition { position, tags: Vec::new(), comment: None };
        let play = self.operations(&mut start, fields.get(end..).unwrap_or_default())?;
        Ok((start, play))
    }

    /// Takes in EPD operations, as `bm e4e3; id "x";`; what stands behind them.
    fn operations(&self, start: &mut StartPosition, mut rest: &'a str) -> Result<&'a str, TextError> {
        loop {
            rest = rest.trim_start_matches(|letter: char| letter.is_whitespace() || letter == ';');
            let Some((_, word)) = words(rest).next().filter(|(_, word)| !begins_play(word)) else {
                return Ok(rest);
            };
            let end = operation_end(rest);
            let whole = rest.get(..end).unwrap_or(rest);
            let name = whole.split(|letter: char| letter.is_whitespace()).next().unwrap_or_default();
            let is_name = name.starts_with(|letter: char| letter.is_ascii_alphabetic())
                && name.len() <= LONGEST_OPERATION
                && (end < rest.len() || OPERATIONS.contains(&name));
            if !is_name {
                return Err(self.error(word, &quoted(word), "the end of the position"));
            }
            self.operation(start, name, whole.get(name.len()..).unwrap_or_default().trim())?;
            rest = rest.get(end..).unwrap_or_default();
        }
    }

    fn operation(&self, start: &mut StartPosition, name: &str, operand: &str) -> Result<(), TextError> {
        if start.tags.iter().any(|(known, _)| known == name) {
            return Err(self.error(operand, &format!("'{name}' twice"), "it once"));
        }
        let plain = operand.strip_prefix('"').map_or(operand, |inner| inner.strip_suffix('"').unwrap_or(inner));
        match name {
            "bm" | "am" => {
                for (_, word) in words(operand) {
                    let place = offset_in(self.text, word);
                    parse_move(&start.position, word).map_err(|error| error.within(self.text, place))?;
                }
                start.tags.push((name.to_owned(), operand.to_owned()));
            }
            "id" => start.tags.push((name.to_owned(), plain.to_owned())),
            "c0" => start.comment = Some(plain.to_owned()),
            "hmvc" | "fmvn" => {
                let text = Fen(&start.position).to_string();
                let mut fields: Vec<&str> = text.split(' ').collect();
                let field = if name == "hmvc" { fields.get_mut(2) } else { fields.get_mut(3) };
                field.into_iter().for_each(|field| *field = operand);
                let parsed = fen::parse(self.rules, &fields.join(" "));
                let place = offset_in(self.text, operand);
                start.position =
                    parsed.map_err(|error| TextError { line: 0, column: 0, ..error }.within(self.text, place))?;
            }
            _ => {}
        }
        Ok(())
    }
}

/// Where an EPD operation ends: at a semicolon outside quotation marks, or at the end of the text.
fn operation_end(text: &str) -> usize {
    let mut is_quoted = false;
    let end = text.bytes().position(|byte| {
        is_quoted ^= byte == b'"';
        byte == b';' && !is_quoted
    });
    end.unwrap_or(text.len())
}

/// A game from protocol moves, which begin at a byte offset of `text` and go to its end.
fn protocol_moves(text: &str, from: usize, start: Position) -> Result<GameText, TextError> {
    let mut position = start;
    let mut game = GameText::default();
    for (_, word) in words(text.get(from..).unwrap_or_default()) {
        let place = offset_in(text, word);
        let parsed = MoveText::parse(word).map_err(|error| TextError { line: 0, column: 0, ..error });
        let mv = parsed.and_then(|parsed| {
            let illegal = |why| TextError::unplaced(format!("{} ({why})", quoted(word)), legal_move(&position));
            parsed.find(&position).map_err(illegal)
        });
        let mv = mv.map_err(|error| error.within(text, place))?;
        position = position.play(mv);
        game.moves.push(AnnotatedMove::new(mv));
    }
    Ok(game)
}

fn legal_move(position: &Position) -> String {
    format!("a legal move of {}", position.side())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> String {
        match read(text, 0, RuleSet::standard()) {
            Ok(LineGame { start, .. }) => format!("{} {:?} {:?}", Fen(&start.position), start.tags, start.comment),
            Err(error) => error.to_string(),
        }
    }

    #[test]
    fn epd_operations_are_understood_or_passed_over() {
        let board = "5/2E1E/1t1t1/2E1E/5 w";
        for (operations, expected) in [
            (" - -", "0 1 [] None"),
            (" - - 7 9", "7 9 [] None"),
            (" 7 9;", "7 9 [] None"),
            (" ;", "0 1 [] None"),
            (
                " bm e4e5; id \"a; b\"; acd 12; pv \"1. e5\"; c0 \"x y\";",
                "0 1 [(\"bm\", \"e4e5\"), (\"id\", \"a; b\")] Some(\"x y\")",
            ),
            (" - - hmvc 5; fmvn 8; am e5 c5", "5 8 [(\"am\", \"e5 c5\")] None"),
            (" 3 4; moves e4e5", "3 4 [] None"),
        ] {
            assert_eq!(shown(&format!("{board}{operations}")), format!("{board} {expected}"), "{operations}");
        }
        for (operations, fault) in [
            (" bm e4e9;", "column 26: found 'e4e9', expected a move as"),
            (" bm a1a2;", "column 26: found 'a1a2' (White has no piece on a1)"),
            (" hmvc x;", "column 28: found 'x', expected a number from 0 to 30000"),
            (" bm e5; bm c5;", "column 33: found 'bm' twice, expected it once"),
            (" foo", "column 23: found 'foo', expected the end of the position"),
            (" 0 1 2", "column 27: found '2', expected the end of the position"),
            (" 0 1; ?;", "column 28: found '?;', expected the end of the position"),
        ] {
            let found = shown(&format!("{board}{operations}"));
            assert!(found.starts_with(fault), "{operations}: {found}");
        }
    }
}
