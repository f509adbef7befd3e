//! Positions and games from text, one after another: what every command reads that works on files.
//!
//! A text may mix these forms. Blank lines and lines that begin with `#` are passed over.
//!
//! - A line with a position, or with a game: `[rules] [start] [play]`.
//!   - `rules` is the name of a rule set; without it those that the caller names hold.
//!   - `start` is a position text, with or without `position` and `fen` before it, or `startpos`; without it the game
//!     begins at the start of the rules. A semicolon may end a position.
//!   - `play` is `moves` with moves of the protocol (`moves c2b2 b3b1`), which may do without the word where there is
//!     no `start`, or a game record (`1. e5; b4`), comments and result included.
//!   - What stands behind a tab is left alone unless it is the next part of the above, so tables of positions with more
//!     columns can be read.
//! - A match record: tags, and behind them the moves up to the result, over several lines.
//!
//! Every move is checked. After something that can't be read, reading goes on with the next line, or behind the match
//! record that it is in. No more than one item is held in memory, and none of more than [`LONGEST_ITEM`] bytes is read.

use crate::game::Game;
use crate::lines::{Input, LineReader};
use crate::moves::Move;
use crate::notation::coordinates::MoveText;
use crate::notation::fen::{self, Fen};
use crate::notation::match_record::{self, Record, parse_result};
use crate::notation::{TextError, quoted, words};
use crate::position::Position;
use crate::rules::RuleSet;
use std::fmt;
use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::path::PathBuf;
use std::sync::Arc;

/// Longest line and longest match record that is read, in bytes.
pub const LONGEST_ITEM: u64 = 1 << 20;

/// The name that stands for standard input on a command line.
pub const STANDARD_INPUT: &str = "-";

/// Where something stands.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Place {
    /// The file's name as it was given; [`STANDARD_INPUT`] for standard input.
    pub file: Arc<str>,
    /// Line, from 1; 0 for the file as a whole.
    pub line: usize,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            0 => write!(f, "{}", self.file.escape_debug()),
            line => write!(f, "{}:{line}", self.file.escape_debug()),
        }
    }
}

/// A position or a game.
#[derive(Clone, Debug)]
pub struct Item {
    /// The line where it begins.
    pub place: Place,
    /// The game, without moves if it is a position. What stands on a line has no tags.
    pub record: Record,
}

impl Item {
    /// The game: where it starts, and its moves.
    pub const fn game(&self) -> &Game {
        &self.record.game
    }
}

/// Something that can't be read.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ReadError {
    /// The file and the line.
    pub place: Place,
    /// The column, in characters from 1, where there is one.
    pub column: Option<usize>,
    /// What was found and expected, without the place.
    pub message: String,
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.column {
            Some(column) => write!(f, "{}:{column}: {}", self.place, self.message),
            None => write!(f, "{}: {}", self.place, self.message),
        }
    }
}

impl std::error::Error for ReadError {}

/// The items of several files, one file after another. Each is opened when its turn comes.
pub struct Files {
    names: std::vec::IntoIter<PathBuf>,
    rules: &'static RuleSet,
    open: Option<Items<Box<dyn BufRead + Send>>>,
}

impl Files {
    /// The items of these files; of standard input where one is named `-`, or none is named. Where a line names no rule
    /// set it is read by these rules.
    pub fn new(mut names: Vec<PathBuf>, rules: &'static RuleSet) -> Self {
        if names.is_empty() {
            names.push(PathBuf::from(STANDARD_INPUT));
        }
        Self { names: names.into_iter(), rules, open: None }
    }

    fn open_next(&mut self, name: PathBuf) -> Result<(), ReadError> {
        let file = name.to_string_lossy().into_owned();
        let input: Box<dyn BufRead + Send> = if file == STANDARD_INPUT {
            Box::new(BufReader::new(io::stdin()))
        } else {
            let place = || Place { file: file.as_str().into(), line: 0 };
            let opened = File::open(name);
            Box::new(BufReader::new(opened.map_err(|error| whole_file(place(), &error))?))
        };
        self.open = Some(Items::new(&file, input, self.rules));
        Ok(())
    }
}

impl Iterator for Files {
    type Item = Result<Item, ReadError>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if let Some(item) = self.open.as_mut().and_then(Iterator::next) {
                return Some(item);
            }
            let name = self.names.next()?;
            if let Err(fault) = self.open_next(name) {
                return Some(Err(fault));
            }
        }
    }
}

fn whole_file(place: Place, error: &io::Error) -> ReadError {
    ReadError { place, column: None, message: format!("can't be read: {error}") }
}

/// The items of one input.
pub struct Items<R> {
    lines: LineReader<R>,
    file: Arc<str>,
    rules: &'static RuleSet,
    /// Number of the last line that was read, from 1.
    number: usize,
    /// A line that was read but belongs to the next item.
    put_back: Option<String>,
    is_over: bool,
}

impl<R: BufRead> Items<R> {
    /// The items of an input, which messages call `file`; by these rules where it names none.
    pub fn new(file: &str, input: R, rules: &'static RuleSet) -> Self {
        let lines = LineReader::new(input, LONGEST_ITEM);
        Self { lines, file: file.into(), rules, number: 0, put_back: None, is_over: false }
    }

    fn place(&self, line: usize) -> Place {
        Place { file: Arc::clone(&self.file), line }
    }

    /// The next line; `None` at the end of the input.
    fn line(&mut self) -> Result<Option<String>, ReadError> {
        if let Some(line) = self.put_back.take() {
            self.number += 1;
            return Ok(Some(line));
        }
        if self.is_over {
            return Ok(None);
        }
        match self.lines.read() {
            Ok(Input::Line(line)) => {
                self.number += 1;
                Ok(Some(if self.number == 1 { line.trim_start_matches('\u{FEFF}').to_owned() } else { line }))
            }
            Ok(Input::TooLong) => {
                self.number += 1;
                Err(self.too_long(self.number))
            }
            Ok(Input::End) => {
                self.is_over = true;
                Ok(None)
            }
            Err(error) => {
                self.is_over = true;
                let line = if self.number == 0 { 0 } else { self.number + 1 };
                Err(whole_file(self.place(line), &error))
            }
        }
    }

    fn put_back(&mut self, line: String) {
        self.put_back = Some(line);
        self.number -= 1;
    }

    fn too_long(&self, line: usize) -> ReadError {
        let message = format!("found more than {LONGEST_ITEM} bytes, expected a position or a game");
        ReadError { place: self.place(line), column: None, message }
    }

    /// The item that begins with a line.
    fn item(&mut self, line: String) -> Result<Item, ReadError> {
        let first = self.number;
        let (text, added, read): (_, _, fn(&str, _) -> _) = if line.trim_start().starts_with('[') {
            let text = self.whole_record(line)?;
            let has_rules = text.lines().any(|line| line.trim_start().starts_with("[Rules "));
            let rules = format!("[Rules \"{}\"]\n", self.rules.name);
            (if has_rules { text } else { rules + &text }, usize::from(!has_rules), |text, _| only_record(text))
        } else {
            (line, 0, read_line)
        };
        let record = read(&text, self.rules).map_err(|error| {
            let place = self.place((first + error.line).saturating_sub(1 + added).max(first));
            let message = format!("found {}, expected {}", error.found, error.expected);
            ReadError { place, column: Some(error.column), message }
        })?;
        Ok(Item { place: self.place(first), record })
    }

    /// The text of the match record that begins with a line.
    fn whole_record(&mut self, line: String) -> Result<String, ReadError> {
        let first = self.number;
        let mut extent = RecordExtent::default();
        let mut text = String::new();
        let mut next = Some(line);
        while let Some(line) = next {
            if extent.is_over_before(&line) {
                self.put_back(line);
                break;
            }
            extent.add(&line);
            if text.len() as u64 <= LONGEST_ITEM {
                text += &line;
            }
            if extent.has_result {
                break;
            }
            next = self.line()?;
        }
        if text.len() as u64 > LONGEST_ITEM { Err(self.too_long(first)) } else { Ok(text) }
    }
}

impl<R: BufRead> Iterator for Items<R> {
    type Item = Result<Item, ReadError>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            match self.line() {
                Ok(Some(line)) if line.trim().is_empty() || line.starts_with('#') => {}
                Ok(Some(line)) => return Some(self.item(line)),
                Ok(None) => return None,
                Err(fault) => return Some(Err(fault)),
            }
        }
    }
}

/// How far a match record goes: its tags, then its moves up to the result.
#[derive(Default)]
struct RecordExtent {
    has_moves: bool,
    is_in_comment: bool,
    has_result: bool,
}

impl RecordExtent {
    /// Whether a line begins the next record, though this one has no result. Within a comment, which may have lost its
    /// end, a line that is a tag and nothing else does.
    fn is_over_before(&self, line: &str) -> bool {
        let line = line.trim();
        self.has_moves && line.starts_with('[') && (!self.is_in_comment || is_tag(line))
    }

    fn add(&mut self, line: &str) {
        if !self.has_moves && (line.trim().is_empty() || line.trim_start().starts_with('[')) {
            return;
        }
        self.has_moves = true;
        let mut rest = line;
        while !rest.is_empty() && !self.has_result {
            let (part, after) = rest.split_once(if self.is_in_comment { '}' } else { '{' }).unwrap_or((rest, ""));
            let is_whole = part.len() == rest.len();
            self.has_result = !self.is_in_comment && part.split_whitespace().any(|word| parse_result(word).is_some());
            // A brace has been passed, so that a comment begins or ends.
            if !is_whole {
                self.is_in_comment = !self.is_in_comment;
            }
            rest = after;
        }
    }
}

/// Whether a line looks like a tag: `[Name "value"]`.
fn is_tag(line: &str) -> bool {
    let inner = line.strip_prefix('[').and_then(|line| line.strip_suffix("\"]"));
    let name = inner.and_then(|inner| inner.split_once(" \"")).map(|(name, _)| name);
    name.is_some_and(|name| !name.is_empty() && name.bytes().all(|letter| letter.is_ascii_alphanumeric()))
}

/// The one record that a text has.
fn only_record(text: &str) -> Result<Record, TextError> {
    let mut records = match_record::read_all(text)?.into_iter();
    match (records.next(), records.next()) {
        (Some(record), None) => Ok(record),
        (found, _) => {
            let found = if found.is_some() { "more than one game" } else { "no game" };
            Err(error(text, text.trim_end().len(), found, "one game"))
        }
    }
}

const START: &str = "a rule set, a position or moves";

/// The position or game of a line.
fn read_line(line: &str, rules: &'static RuleSet) -> Result<Record, TextError> {
    let line = line.trim_end();
    let (rules, rest) = named_rules(line, rules)?;
    let (start, play) = start_and_play(line, own_columns(rest.trim_start()), rules)?;
    match words(play).next() {
        Some((_, word)) if is_move_number(word) => read_record(line, play, start),
        _ => {
            let moves = play.trim_start().strip_prefix("moves").unwrap_or(play);
            read_moves(line, moves, start)
        }
    }
}

/// The rules that a line begins with, or else the usual ones, and what stands behind.
fn named_rules<'a>(line: &'a str, usual: &'static RuleSet) -> Result<(&'static RuleSet, &'a str), TextError> {
    let Some((at, word)) = words(line).next() else {
        return Err(error(line, line.len(), "the end", START));
    };
    let rest = line.get(at + word.len()..).unwrap_or_default();
    match RuleSet::named(word) {
        Some(rules) => Ok((rules, rest)),
        None if is_name(word) => {
            Err(error(line, at, &quoted(word), &format!("{START}; rules are {}", RuleSet::names())))
        }
        None => Ok((usual, line)),
    }
}

/// Whether a word looks like a rule set's name, and is neither a move nor a word that has a meaning here.
fn is_name(word: &str) -> bool {
    word.starts_with(char::is_alphabetic)
        && !word.contains('/')
        && MoveText::parse(word).is_err()
        && !["position", "fen", "startpos", "moves"].contains(&word)
}

/// A text without the columns that are none of ours: those behind a tab, unless the moves follow there.
fn own_columns(text: &str) -> &str {
    let is_foreign = |after: &str| words(after).next().is_none_or(|(_, word)| !begins_play(word));
    let tab = text.match_indices('\t').find(|(at, _)| text.get(at + 1..).is_none_or(is_foreign));
    tab.and_then(|(at, _)| text.get(..at)).unwrap_or(text)
}

fn begins_play(word: &str) -> bool {
    word == "moves" || is_move_number(word)
}

/// Whether a word is a move number with its full stop, or begins with one.
fn is_move_number(word: &str) -> bool {
    let digits = word.bytes().take_while(u8::is_ascii_digit).count();
    digits > 0 && word.as_bytes().get(digits) == Some(&b'.')
}

/// Where the game of a text starts, and the part of the text that has the moves.
fn start_and_play<'a>(line: &str, text: &'a str, rules: &'static RuleSet) -> Result<(Position, &'a str), TextError> {
    let usual = Position::start(rules);
    let mut words = words(text).peekable();
    let says_position = words.next_if(|(_, word)| *word == "position").is_some();
    let Some((at, word)) = words.next() else {
        let expected = "'startpos' or a position";
        return if says_position { Err(error(line, line.len(), "the end", expected)) } else { Ok((usual, "")) };
    };
    let from = |at: usize| text.get(at..).unwrap_or_default();
    if word == "startpos" {
        return match words.next() {
            None => Ok((usual, "")),
            Some((at, word)) if begins_play(word) => Ok((usual, from(at))),
            Some((at, word)) => {
                let found = offset(line, text) + at;
                Err(error(line, found, &quoted(word), "'moves', or a move number as '1.'"))
            }
        };
    }
    if word != "fen" && !word.contains('/') {
        let is_play = begins_play(word) || MoveText::parse(word).is_ok();
        return match is_play && !says_position {
            true => Ok((usual, from(at))),
            false => Err(error(line, offset(line, text) + at, &quoted(word), START)),
        };
    }
    let begin = if word == "fen" { at + word.len() } else { at };
    let end = words.find(|(_, word)| begins_play(word)).map_or(text.len(), |(at, _)| at);
    let position = text.get(begin..end).unwrap_or_default().trim_end();
    let position = position.strip_suffix(';').filter(|_| end == text.len()).unwrap_or(position);
    let start = fen::parse(rules, position).map_err(|error| moved(line, position, error))?;
    Ok((start, from(end)))
}

/// A game from protocol moves.
fn read_moves(line: &str, moves: &str, start: Position) -> Result<Record, TextError> {
    let mut game = Game::new(start);
    for (at, word) in words(moves) {
        game.play(legal_move(game.position(), word).map_err(|why| {
            let at = offset(line, moves) + at;
            error(line, at, &why.0, &why.1)
        })?);
    }
    let comments = vec![String::new(); game.moves().len()];
    Ok(Record { tags: Vec::new(), game, preface: String::new(), comments, reason: String::new(), result: None })
}

/// The legal move of a word, or what was found and expected.
fn legal_move(position: &Position, word: &str) -> Result<Move, (String, String)> {
    let text = MoveText::parse(word).map_err(|error| (error.found, error.expected))?;
    let side = position.side();
    text.find(position).map_err(|why| (format!("{} ({why})", quoted(word)), format!("a legal move of {side}")))
}

/// A game from a record as `1. e5; b4`, which may have comments and a result.
fn read_record(line: &str, play: &str, start: Position) -> Result<Record, TextError> {
    let before = line.get(..offset(line, play)).unwrap_or_default();
    let is_over = play.split(['}', ' ', '\t']).next_back().is_some_and(|word| parse_result(word).is_some());
    // The columns of the line are kept by blanks.
    let text = format!(
        "[Rules \"{}\"]\n[FEN \"{}\"]\n{}{play}{}",
        start.rules().name,
        Fen(&start),
        " ".repeat(before.chars().count()),
        if is_over { "" } else { " *" }
    );
    only_record(&text).map_err(|error| TextError { line: 1, ..error })
}

/// Where a part of a text begins in it, in bytes.
fn offset(text: &str, part: &str) -> usize {
    (part.as_ptr() as usize).saturating_sub(text.as_ptr() as usize)
}

/// An error in a part of a line as an error in the line.
fn moved(line: &str, part: &str, error: TextError) -> TextError {
    let before = line.get(..offset(line, part)).unwrap_or_default().chars().count();
    TextError { column: before + error.column, ..error }
}

/// An error at a byte offset of a text.
fn error(text: &str, at: usize, found: &str, expected: &str) -> TextError {
    let before = text.get(..at).unwrap_or(text);
    let line = before.matches('\n').count() + 1;
    let column = before.chars().rev().take_while(|letter| *letter != '\n').count() + 1;
    TextError { line, column, found: found.to_owned(), expected: expected.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::notation::record::write;

    fn items(text: &str) -> Vec<Result<Item, ReadError>> {
        Items::new("x", text.as_bytes(), RuleSet::standard()).collect()
    }

    /// Each item as its line, rules, start and moves; or the fault.
    fn shown(text: &str) -> Vec<String> {
        let show = |item: Result<Item, ReadError>| match item {
            Err(fault) => fault.to_string(),
            Ok(item) => {
                let game = item.game();
                let moves = game.moves().iter().map(|mv| format!(" {mv}")).collect::<String>();
                format!("{} {:?}{moves}", item.place, game.start())
            }
        };
        items(text).into_iter().map(show).collect()
    }

    const START: &str = "baghbandi 5/2E1E/1t1t1/2E1E/5 w 0 1";

    #[test]
    fn lines_may_have_any_form() {
        let position = "5/2E1E/1t1t1/2E1E/5 w";
        for line in [
            "startpos moves e4e5 b3b4",
            "baghbandi\tstartpos moves e4e5 b3b4",
            "BaghBandi position startpos moves e4e5 b3b4",
            &format!("{position} moves e4e5 b3b4"),
            &format!("position fen {position} 0 1 moves e4e5 b3b4\r"),
            &format!("fen {position}\tmoves E4E5  b3b4\tmore\tcolumns"),
            "e4e5 b3b4",
            "moves e4e5 b3b4",
            "1. e5; b4",
            "1.e4-e5;b3-b4\tA note",
            "startpos 1. e5 {why not}; b4 {so} 1/2-1/2",
            &format!("  {position}\t1. e5; b4 *"),
        ] {
            assert_eq!(shown(line), [format!("x:1 {START} e4e5 b3b4")], "{line}");
        }
        for line in [position, "startpos", "baghbandi", "5/2E1E/1t1t1/2E1E/5 w 0 1;", "startpos moves", "\u{FEFF}moves"]
        {
            assert_eq!(shown(line), [format!("x:1 {START}")], "{line}");
        }
        let other = shown("super\t5/2E1E/1t1t1/1AD1E/5 b 0 7 7. ...; b3xb1 8. e5");
        assert_eq!(other, ["x:1 super 5/2E1E/1t1t1/1AD1E/5 b 0 7 b3b1 e4e5"]);
    }

    #[test]
    fn match_records_stand_among_lines() {
        let text = "# games\n\n[Event \"x\"]\n[Rules \"super\"]\n\n1. e5 {1-0 {is not it}; b4\n2. e4-e3 *\nstartpos\n\
                    [White \"x\"]\n\n1. e5 {a\nb} 1-0\n";
        let found = shown(text);
        let [first, second, third] = found.as_slice() else { panic!("{found:?}") };
        assert_eq!(first, "x:3 super 5/2E1E/1t1t1/2E1E/5 w 0 1 e4e5 b3b4 e4e3");
        assert_eq!(second, &format!("x:8 {START}"));
        assert_eq!(third, &format!("x:9 {START} e4e5"));
        let read = items(text);
        let record = &read[2].as_ref().unwrap().record;
        assert_eq!((record.tag("White"), record.comments.as_slice()), (Some("x"), ["a b".to_owned()].as_slice()));
    }

    #[test]
    fn the_rules_of_the_caller_hold_where_a_text_names_none() {
        let rules = RuleSet::named("super").unwrap();
        for text in ["startpos", "[White \"x\"]\n*"] {
            let item = Items::new("x", text.as_bytes(), rules).next().unwrap().unwrap();
            assert_eq!((item.game().rules(), item.place.line), (rules, 1));
        }
        assert!(
            Items::new("x", "[White \"x\"]\n1. x *".as_bytes(), rules).next().unwrap().unwrap_err().place.line == 2
        );
    }

    #[test]
    fn faults_say_where_and_reading_goes_on() {
        for (text, fault) in [
            (
                "bagbandi startpos",
                "x:1:1: found 'bagbandi', expected a rule set, a position or moves; rules are baghbandi",
            ),
            ("5/2E1E/1t1t1/2F1E/5 w", "x:1:15: found 'F', expected a digit"),
            ("super position fen 5/2E1E/1t1t1/2F1E/5 w", "x:1:34: found 'F', expected a digit"),
            ("é/5 w", "x:1:1: found 2 ranks"),
            ("5/2E1E/1t1t1/2E1E/5", "x:1:20: found the end, expected the side to move"),
            ("5/2E1E/1t1t1/2E1E/5\tw", "x:1:20: found the end, expected the side to move"),
            ("startpos c2b2", "x:1:10: found 'c2b2', expected 'moves', or a move number"),
            ("position", "x:1:9: found the end, expected 'startpos' or a position"),
            ("startpos moves c2b2 c2", "x:1:21: found 'c2', expected a move"),
            ("é startpos", "x:1:1: found 'é', expected a rule set"),
            (
                "startpos moves c2b2 c2b2",
                "x:1:21: found 'c2b2' (Black has no piece on c2), expected a legal move of Black",
            ),
            ("super 1. e5; b4 2. e9", "x:1:20: found 'e9', expected a move as"),
            ("1. e5;", "x:1:6: found the end, expected a move of Black"),
            ("2. e5", "x:1:1: found '2.', expected '1.'"),
            ("1. e5 * 1. e5", "x:1:16: found more than one game, expected one game"),
            ("[Rules \"x\"]\n*", "x:1:1: found rules 'x', expected one of"),
            ("[White \"x\"]\n\n1. e5; b4\n2. x *", "x:4:4: found 'x', expected a move as"),
            ("[Rules \"super\"]\n\n1. e5; b4\n2. x *", "x:4:4: found 'x', expected a move as"),
            ("12", "x:1:1: found '12', expected a rule set"),
            ("\tfoo", "x:1:2: found 'foo', expected a rule set"),
            ("\t?\tsuper", "x:1:2: found '?', expected a rule set"),
            ("super\t\t?", "x:1:8: found '?', expected a rule set"),
            ("\u{0}\u{1b}[2J", "x:1:1: found '\\0\\u{1b}[2J', expected a rule set"),
        ] {
            let found = shown(&format!("{text}\n\nsuper\n"));
            assert!(found.len() == 2 && found[0].starts_with(fault), "{text:?}: {found:?}");
            assert!(found[1].ends_with("super 5/2E1E/1t1t1/2E1E/5 w 0 1"), "{found:?}");
        }
    }

    #[test]
    fn a_record_without_its_end_does_not_take_the_next_one() {
        let next = "[Event \"y\"]\n\n1. e5 *\n";
        for (text, fault) in [
            ("[Event \"x\"]\n\n1. e5; b4\n\n", "x:6:1: found the end, expected a result"),
            ("[Event \"x\"]\n\n1. e5 {; b4\n\n", "x:3:7: found no end of the comment, expected '}'"),
        ] {
            let found = shown(&(text.to_owned() + next));
            assert!(found.len() == 2 && found[1].contains("e4e5"), "{found:?}");
            assert!(found[0].starts_with(fault) || found[0].contains("a result"), "{found:?}");
        }
        assert!(shown("[Event \"x\"]\n\n1. e5; b4\n")[0].contains("found the end, expected a result"));
    }

    #[test]
    fn a_comment_without_its_end_does_not_take_the_next_record() {
        for next in ["\n[White \"y\"]\n\n1. e5 *\n", "[Rules \"baghbandi\"]\n\n1. e5 *\n"] {
            let found = shown(&format!("[White \"x\"]\n\n1. e5 {{oops; b4 *\n{next}"));
            assert!(found.len() == 2 && found[1].ends_with("e4e5"), "{found:?}");
            assert!(found[0].starts_with("x:3:7: found no end of the comment, expected '}'"), "{found:?}");
        }
        let whole = shown("[White \"x\"]\n\n1. e5 {a\n[see] [White \"y\"] there\n[b]} *\n");
        assert!(whole.len() == 1 && whole[0].ends_with("e4e5"), "{whole:?}");
    }

    #[test]
    fn what_is_too_long_is_passed_over() {
        let long = "x".repeat(LONGEST_ITEM as usize);
        let record = format!("[Rules \"super\"]\n1. e5 {{{}}} *\n", "word\n".repeat(LONGEST_ITEM as usize / 5 + 1));
        let found = shown(&format!("{long}\n{record}startpos\n"));
        assert_eq!(found.len(), 3);
        assert!(found[0].starts_with("x:1: found more than 1048576 bytes") && found[1].starts_with("x:2: found more"));
        assert!(found[2].ends_with(START));
    }

    #[test]
    fn the_game_of_the_seed_reads_as_one_line() {
        let text = format!("super {}", include_str!("../../tests/data/super-game.txt"));
        let item = items(&text).remove(0).unwrap();
        assert_eq!(item.game().moves().len(), 87);
        assert!(write(item.game().start(), item.game().moves()).starts_with("1. e5; b4 2. e4-e3; b4xd4"));
    }

    #[test]
    fn files_come_one_after_another() {
        let rules = RuleSet::standard();
        let names = [concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/values.tsv"), "/nowhere", "/"];
        let found: Vec<_> = Files::new(names.map(PathBuf::from).to_vec(), rules).collect();
        assert_eq!(found.len(), 2_002);
        assert!(found[..2_000].iter().all(Result::is_ok));
        let faults: Vec<String> = found[2_000..].iter().map(|item| item.as_ref().unwrap_err().to_string()).collect();
        assert!(faults[0].starts_with("/nowhere: can't be read: ") && faults[1].starts_with("/: can't be read: "));
    }
}
