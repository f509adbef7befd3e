//! Positions and games from text, one after another: what every command reads.
//!
//! A text may mix these forms. Blank lines and lines that begin with `#` are passed over.
//!
//! - A line with a position, or with a game: `[rules] [start] [play]`.
//!   - `rules` is the name of a rule set; without it those that the caller names hold.
//!   - `start` is a position text, with or without `position` and `fen` before it, or `startpos`; without it the game
//!     begins at the start of the rules. A semicolon may end a position, and EPD operations may follow.
//!   - `play` is `moves` with moves of the protocol (`moves c2b2 b3b1`), which may do without the word where there is
//!     no `start`, or a game record (`1. e5; b4`), comments and result included. A game record goes on over the next
//!     lines as long as they begin with its next move number or with what can begin no other item.
//!   - What stands behind a tab is left alone unless it is the next part of the above, so tables of positions with more
//!     columns can be read; [`InputItem::columns`] has them.
//! - A match record: tags, and behind them the moves up to the result, over several lines.
//!
//! Comments may stand before each of them. A text is UTF-8, with or without a byte order mark; a line that is not is
//! read as Latin-1. Every move is checked. After something that can't be read, reading goes on with the next line, or
//! behind the match record that it is in. No more than one item is held in memory, and none of more than
//! [`LONGEST_ITEM`] bytes is read.

use crate::game::Game;
use crate::lines::{Input, LineReader};
use crate::moves::Move;
use crate::notation::extent::{ItemExtent, is_tag};
use crate::notation::item::{self, ParsedRecord};
use crate::notation::match_record::Record;
use crate::notation::{TextError, line};
use crate::position::Position;
use crate::rules::RuleSet;
use std::collections::VecDeque;
use std::fmt;
use std::io::{self, BufRead};
use std::sync::Arc;

/// Longest line and longest match record that is read, in bytes.
pub const LONGEST_ITEM: u64 = 1 << 20;

/// How far the end of a comment is looked for behind what may be the next item, in bytes.
const LONGEST_LOOKAHEAD: usize = 16 << 10;

/// The name that stands for standard input on a command line.
pub const STANDARD_INPUT: &str = "-";

/// The line where an item begins.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Location {
    /// The file's name as it was given; [`STANDARD_INPUT`] for standard input.
    pub file: Arc<str>,
    /// Line, from 1; 0 for the file as a whole.
    pub line: usize,
}

impl Location {
    /// An error of what stands here.
    pub fn error(&self, message: String) -> TextError {
        TextError { file: Some(Arc::clone(&self.file)), line: self.line, column: 0, message }
    }
}

impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            0 => write!(f, "{}", self.file.escape_debug()),
            line => write!(f, "{}:{line}", self.file.escape_debug()),
        }
    }
}

/// A position or a game.
#[derive(Clone, Debug)]
pub struct InputItem {
    /// Where it begins.
    pub place: Location,
    /// The game, without moves if it is a position. What stands on a line has no tags but those of EPD operations.
    pub record: Record,
    /// Whether a result stands at the end of its text.
    pub has_result: bool,
    /// What is odd about it and does not keep it from being read.
    pub warnings: Vec<TextError>,
    /// What stands behind a tab on the line of a position or game and is part of neither, column by column, without the
    /// blanks about it.
    pub columns: Vec<String>,
}

impl InputItem {
    /// The game: where it starts, and its moves.
    pub const fn game(&self) -> &Game {
        &self.record.game
    }
}

pub(crate) fn unreadable(error: &io::Error) -> String {
    format!("can't be read: {error}")
}

/// All records of a text; those that name no rule set are by the standard one.
///
/// # Errors
/// Says where the text stops being records of legal games.
pub fn read_all(text: &str) -> Result<Vec<Record>, TextError> {
    let items = Items::new("", text.as_bytes(), RuleSet::standard());
    items.map(|item| item.map(|item| item.record).map_err(|error| TextError { file: None, ..error })).collect()
}

/// The one position or game of a text.
///
/// # Errors
/// Says what is wrong with it, or that there are none or several.
pub fn only_game(mut items: Items<impl BufRead>) -> Result<Game, String> {
    let first = items.next().ok_or("found nothing, expected a position or a game")?;
    let item = first.map_err(|fault| fault.to_string())?;
    match items.next() {
        None => Ok(item.record.game),
        Some(Ok(next)) => Err(format!("{}: found another position or game, expected the end", next.place)),
        Some(Err(fault)) => Err(fault.to_string()),
    }
}

/// The position at the end of the one game of a text, by `rules` where it names none; errors call the text `name`.
///
/// # Errors
/// As for [`only_game`].
pub fn only_position(name: &str, text: &str, rules: &'static RuleSet) -> Result<Position, String> {
    only_game(Items::new(name, text.as_bytes(), rules)).map(|game| *game.position())
}

/// Legal moves from a position on, of the protocol or as a record.
///
/// # Errors
/// Says where they stop being that.
pub fn read_moves(start: &Position, text: &str) -> Result<Vec<Move>, TextError> {
    Ok(line::read_play(start, text, 0)?.moves.into_iter().map(|played| played.mv).collect())
}

/// The text of an item, not yet read.
pub struct ItemText {
    text: String,
    place: Location,
}

impl ItemText {
    /// Reads it, by `rules` where it names none.
    ///
    /// # Errors
    /// Says where it stops being a position or a game.
    pub fn parse(&self, rules: &'static RuleSet) -> Result<InputItem, TextError> {
        let place = |error: TextError| TextError {
            file: Some(Arc::clone(&self.place.file)),
            line: (self.place.line + error.line).saturating_sub(1).max(self.place.line),
            ..error
        };
        let ParsedRecord { record, warnings, has_result, columns } = item::parse(&self.text, rules).map_err(place)?;
        let warnings = warnings.into_iter().map(place).collect();
        Ok(InputItem { place: self.place.clone(), record, has_result, warnings, columns })
    }

    /// Whether a record begins here as `sundarban match` writes it.
    pub fn is_of_match(&self) -> bool {
        self.text.trim_start().starts_with("[Event ")
    }

    /// The error, with a hint if the text can be read by other rules than these.
    pub fn with_hint(&self, error: TextError, rules: &'static RuleSet) -> TextError {
        let others = RuleSet::all().iter().filter(|other| *other != rules);
        let legal: Vec<&str> =
            others.filter(|other| item::parse(&self.text, other).is_ok()).map(|other| other.name).collect();
        if legal.is_empty() {
            return error;
        }
        let message = format!("{}; by the rules {} it would be legal", error.message, legal.join(", "));
        TextError { message, ..error }
    }

    /// Whether it does not even begin as a position or a game does.
    fn is_foreign(&self) -> bool {
        let mut text = self.text.trim_start();
        while let Some(comment) = text.strip_prefix('{') {
            text = comment.split_once('}').map_or("", |(_, after)| after.trim_start());
        }
        let is_tagged = text.starts_with('[') && text.lines().next().is_some_and(|line| is_tag(line.trim()));
        !is_tagged && !line::is_recognised(text)
    }
}

/// The items of one input.
pub struct Items<R> {
    lines: LineReader<R>,
    file: Arc<str>,
    rules: &'static RuleSet,
    /// Number of the last line that was read, from 1.
    number: usize,
    /// Lines that were read but belong to the next items.
    put_back: VecDeque<String>,
    is_over: bool,
    has_latin1: bool,
    /// Whether the last item did not even begin as a position or a game does.
    pub(crate) was_foreign: bool,
}

impl<R: BufRead> Items<R> {
    /// The items of an input, which messages call `file`; by these rules where it names none.
    pub fn new(file: &str, input: R, rules: &'static RuleSet) -> Self {
        Self {
            lines: LineReader::new(input, LONGEST_ITEM),
            file: file.into(),
            rules,
            number: 0,
            put_back: VecDeque::new(),
            is_over: false,
            has_latin1: false,
            was_foreign: false,
        }
    }

    fn place(&self, line: usize) -> Location {
        Location { file: Arc::clone(&self.file), line }
    }

    /// The next line; `None` at the end of the input.
    fn line(&mut self) -> Result<Option<String>, TextError> {
        if let Some(line) = self.put_back.pop_front() {
            self.number += 1;
            return Ok(Some(line));
        }
        if self.is_over {
            return Ok(None);
        }
        match self.lines.read() {
            Ok(Input::Line(line)) => {
                self.number += 1;
                Ok(Some(self.decoded(line)))
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
                Err(self.place(line).error(unreadable(&error)))
            }
        }
    }

    /// A line as Latin-1 has it, if it is not UTF-8.
    fn decoded(&mut self, line: String) -> String {
        let bytes = self.lines.bytes();
        if std::str::from_utf8(bytes).is_ok() {
            return line;
        }
        let line = bytes.iter().map(|byte| char::from(*byte)).collect();
        if !std::mem::replace(&mut self.has_latin1, true) {
            log::warn!("{}: not UTF-8, and so read as Latin-1, where it is not", self.place(self.number));
        }
        line
    }

    fn put_back(&mut self, lines: impl DoubleEndedIterator<Item = String>) {
        for line in lines.rev() {
            self.put_back.push_front(line);
            self.number -= 1;
        }
    }

    fn too_long(&self, line: usize) -> TextError {
        self.place(line).error(format!("found more than {LONGEST_ITEM} bytes, expected a position or a game"))
    }

    /// The text of the next item.
    pub fn next_text(&mut self) -> Option<Result<ItemText, TextError>> {
        loop {
            match self.line() {
                Ok(Some(line)) if line.trim().is_empty() || line.starts_with('#') => {}
                Ok(Some(line)) => {
                    let place = self.place(self.number);
                    match self.whole_item(line) {
                        Ok(None) => {}
                        Ok(Some(text)) => return Some(Ok(ItemText { text, place })),
                        Err(fault) => return Some(Err(fault)),
                    }
                }
                Ok(None) => return None,
                Err(fault) => return Some(Err(fault)),
            }
        }
    }

    /// The text of the item that begins with a line; `None` if it has nothing but comments.
    fn whole_item(&mut self, line: String) -> Result<Option<String>, TextError> {
        let first = self.number;
        let mut extent = ItemExtent::new(&line);
        let mut size = line.len();
        let mut is_too_long = false;
        let mut lines = vec![line];
        // The first line in a comment that may be the next item, and bytes read since.
        let mut doubt: Option<(usize, usize)> = None;
        while !extent.is_over() {
            let Some(line) = self.line()? else { break };
            if !extent.is_in_comment() {
                doubt = None;
                if !extent.accepts(&line) {
                    self.put_back(std::iter::once(line));
                    break;
                }
            } else {
                if doubt.is_none() && extent.may_be_next_item(&line) {
                    doubt = Some((lines.len(), 0));
                }
                let is_nested = line.chars().find(|letter| ['{', '}'].contains(letter)) == Some('{');
                let is_lost = |length: usize| is_nested || length > LONGEST_LOOKAHEAD || extent.gives_up_comment(&line);
                if doubt.is_some_and(|(_, length)| is_lost(length)) {
                    lines.push(line);
                    break;
                }
                doubt.iter_mut().for_each(|(_, length)| *length += line.len());
            }
            extent.add(&line);
            size += line.len();
            is_too_long |= size as u64 > LONGEST_ITEM && doubt.is_none();
            if !is_too_long {
                lines.push(line);
            }
        }
        if let Some((from, _)) = doubt.filter(|_| extent.is_in_comment()) {
            let rest = lines.split_off(from.min(lines.len()));
            self.put_back(rest.into_iter());
        }
        if extent.is_empty() {
            return Ok(None);
        }
        let text = lines.concat();
        is_too_long |= text.len() as u64 > LONGEST_ITEM;
        if is_too_long { Err(self.too_long(first)) } else { Ok(Some(text)) }
    }
}

impl<R: BufRead> Iterator for Items<R> {
    type Item = Result<InputItem, TextError>;

    fn next(&mut self) -> Option<Self::Item> {
        let text = match self.next_text()? {
            Ok(text) => text,
            Err(fault) => {
                self.was_foreign = false;
                return Some(Err(fault));
            }
        };
        let item = text.parse(self.rules);
        self.was_foreign = item.is_err() && text.is_foreign();
        if let Ok(item) = &item {
            item.warnings.iter().for_each(|warning| log::warn!("{warning}"));
        }
        Some(item.map_err(|error| text.with_hint(error, self.rules)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::notation::record::write;

    fn items(text: &str) -> Vec<Result<InputItem, TextError>> {
        Items::new("x", text.as_bytes(), RuleSet::standard()).collect()
    }

    /// Each item as its line, rules, start and moves; or the fault.
    fn shown(text: &str) -> Vec<String> {
        let show = |item: Result<InputItem, TextError>| match item {
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
        assert!(Items::new("x", "[White \"x\"]\n1. x *".as_bytes(), rules).next().unwrap().unwrap_err().line == 2);
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
            ("1. e5;", "x:1:7: found the end, expected a move of Black"),
            ("1. e5 * 1. e5", "x:1:9: found '1.', expected the end of the game after its result"),
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
        for (text, first) in [
            ("[Event \"x\"]\n\n1. e5; b4\n\n", format!("x:1 {START} e4e5 b3b4")),
            ("[Event \"x\"]\n\n1. e5 {; b4\n\n", "x:3:7: found no end of the comment, expected '}'".to_owned()),
            ("[Event \"x\"]\n[White", "x:2:1: found '[White[Event".to_owned()),
            ("[Event \"x\"]\n\n", format!("x:1 {START}")),
        ] {
            let found = shown(&(text.to_owned() + next));
            assert!(found[0].starts_with(&first), "{found:?}");
            assert!(found.len() == 1 || found.len() == 2 && found[1].contains("e4e5"), "{found:?}");
        }
        let read = items("[Event \"x\"]\n\n1. e5; b4\n").remove(0).unwrap();
        assert!(
            !read.has_result && read.warnings[0].to_string().starts_with("x:3:10: found the end, expected a result")
        );
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
    fn a_closed_comment_may_hold_what_looks_like_a_tag() {
        for comment in ["a\n[White \"X\"]\nb", "[White \"X\"]\n\n#", "\n[Event \"X\"]\n"] {
            let found = shown(&format!("[White \"x\"]\n\n1. e5 {{{comment}}} *\n\n[White \"y\"]\n\n1. e5 {{z}} *\n"));
            assert!(found.len() == 2 && found.iter().all(|item| item.ends_with("e4e5")), "{found:?}");
        }
    }

    #[test]
    fn a_game_may_go_on_over_lines_without_a_tag() {
        let game = format!("{START} e4e5 b3b4 e4e3 b4d4");
        for text in [
            "1. e5; b4\n2. e4-e3; b4xd4 *\n",
            "1. e5;\nb4 2. e4-e3; b4xd4",
            "1.\ne5; b4 {a\nb}\n2. e4-e3\n2... b4xd4\n1/2-1/2",
            "startpos 1. e5! (1. c5;\nb4) b4\n{c}\n2. e4-e3; b4xd4\n",
            "{c}\n1. e5; b4\n2. e4-e3; b4xd4\n",
            "{c\n\nd} e5; b4\n2. e4-e3; b4xd4\n",
        ] {
            let found = shown(&format!("{text}\n\n1. e5\nstartpos\n1. e5; b4\n1. e5; b4\n"));
            assert_eq!(found.len(), 5, "{text}: {found:?}");
            assert!(found[0].ends_with(&game) && found[1].ends_with("e4e5"), "{text}: {found:?}");
        }
        let lost = shown("1. e5 {oops\n1. e5; b4\n1. e5 *\n");
        assert!(lost.len() == 3 && lost[0].contains("no end of the comment") && lost[2].ends_with("e4e5"), "{lost:?}");
    }

    #[test]
    fn comments_may_stand_before_tags() {
        let found = items("{a}\n{b}\n\n[White \"x\"]\n\n{c} 1. e5 *\n\n{the end}\n");
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].as_ref().unwrap().record.preface, "a b c");
        assert_eq!(shown("{a} startpos moves e4e5"), [format!("x:1 {START} e4e5")]);
    }

    #[test]
    fn other_rules_are_named_where_they_would_do() {
        let [found] = shown("1. e5; b4 2. e4-e3; b4xd4xb2").try_into().unwrap_or_else(|found| panic!("{found:?}"));
        assert!(!found.contains("it would be legal"), "{found}");
        let [found] = shown("2t2/1E1E1/5/1E1E1/2t2 w").try_into().unwrap_or_else(|found| panic!("{found:?}"));
        assert!(found.ends_with("by the rules baghguti, baghguti-murray it would be legal"), "{found}");
    }

    #[test]
    fn what_is_not_utf_8_is_latin_1() {
        let text = b"\xEF\xBB\xBF[White \"Ren\xe9\"]\n[Black \"Ren\xe8\"]\n\n1. e5 {\xC3\xA9} *\n";
        let item = Items::new("x", text.as_slice(), RuleSet::standard()).next().unwrap().unwrap();
        assert_eq!([item.record.tag("White"), item.record.tag("Black")], [Some("René"), Some("Renè")]);
        assert_eq!(item.record.comments, ["é"]);
    }

    #[test]
    fn the_game_of_the_seed_reads_as_one_line() {
        let text = format!("super {}", include_str!("../../tests/data/super-game.txt"));
        let item = items(&text).remove(0).unwrap();
        assert_eq!(item.game().moves().len(), 87);
        assert!(write(item.game().start(), item.game().moves()).starts_with("1. e5; b4 2. e4-e3; b4xd4"));
    }
}
