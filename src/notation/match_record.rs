//! Match records: games as text, in the manner of PGN. Tags in brackets, moves as game records have them
//! (`1. e5; b4`), a comment in braces after each move, the reason in a last comment, the result. protocol.md has the grammar.
//!
//! The reader takes all that the writer writes, and records written by hand: comments and most tags may be missing.

use crate::game::Game;
use crate::game::GameResult;
use crate::moves::Move;
use crate::notation::fen::{self, Fen};
use crate::notation::record::{self, move_text};
use crate::notation::{TextError, quoted};
use crate::position::Position;
use crate::rules::{RuleSet, Side};
use std::fmt::Write;
use std::time::SystemTime;

/// Longest line of moves, in characters.
const WIDTH: usize = 100;

/// A game as a record has it.
#[derive(Clone, Debug)]
pub struct Record {
    /// Tags in order, but for those that follow from the other fields: `Rules`, `FEN`, `Result`.
    pub tags: Vec<(String, String)>,
    /// Where it began, and its moves.
    pub game: Game,
    /// The comment before the first move; empty for none. Without moves it is the reason.
    pub preface: String,
    /// The comment after each move; empty for none.
    pub comments: Vec<String>,
    /// The last comment, before the result: why it ended; empty for none.
    pub reason: String,
    /// The result as White sees it; `None` if it is not over.
    pub result: Option<GameResult>,
}

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
    match text {
        "1-0" => Some(Some(GameResult::Win)),
        "0-1" => Some(Some(GameResult::Loss)),
        "1/2-1/2" => Some(Some(GameResult::Draw)),
        "*" => Some(None),
        _ => None,
    }
}

impl Record {
    /// The value of a tag.
    pub fn tag(&self, name: &str) -> Option<&str> {
        self.tags.iter().find(|(found, _)| found == name).map(|(_, value)| value.as_str())
    }

    /// The record as text, with an empty line at its end.
    pub fn write(&self) -> String {
        let mut text = String::new();
        let start = self.game.start();
        let mut tag = |name: &str, value: &str| {
            let value = value.replace('\\', "\\\\").replace('"', "\\\"").replace(['\n', '\r'], " ");
            // Writing to a string can't fail.
            let _ = writeln!(text, "[{name} \"{value}\"]");
        };
        self.tags.iter().for_each(|(name, value)| tag(name, value));
        tag("Rules", self.game.rules().name);
        if *start != Position::start(self.game.rules()) {
            tag("FEN", &Fen(start).to_string());
        }
        tag("Result", result_text(self.result));
        text.push('\n');
        text += &wrapped(&self.moves_text());
        text += "\n\n";
        text
    }

    /// The moves with their comments, the reason and the result, on one line.
    fn moves_text(&self) -> String {
        let comment = |text: &str| {
            let text = text.replace(['{', '}', '\n', '\r'], " ");
            if text.is_empty() { String::new() } else { format!(" {{{text}}}") }
        };
        let mut text = if self.game.moves().is_empty() { String::new() } else { comment(&self.preface) };
        let mut position = *self.game.start();
        for (ply, &mv) in self.game.moves().iter().enumerate() {
            let word = move_text(&position, mv);
            text += &match (position.side(), ply) {
                (Side::White, _) => format!(" {}. {word}", position.move_number()),
                (Side::Black, 0) => format!(" {}. ...; {word}", position.move_number()),
                (Side::Black, _) => format!("; {word}"),
            };
            text += &comment(self.comments.get(ply).map_or("", String::as_str));
            position = position.play(mv);
        }
        text += &comment(&self.reason);
        format!("{} {}", text.trim_start(), result_text(self.result)).trim_start().to_owned()
    }
}

/// Today's date in UTC, as tags have it: `2026.11.29`.
pub fn today() -> String {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    let (year, month, day) = date(since.as_secs() / 86_400);
    format!("{year:04}.{month:02}.{day:02}")
}

/// Year, month and day so many days after 1 January 1970 (H. Hinnant, "chrono-Compatible Low-Level Date Algorithms").
fn date(days: u64) -> (u64, u64, u64) {
    let days = days + 719_468;
    let (era, day_of_era) = (days / 146_097, days % 146_097);
    let year = (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year + year / 4 - year / 100);
    let shifted = (5 * day_of_year + 2) / 153;
    let (day, month) =
        (day_of_year - (153 * shifted + 2) / 5 + 1, if shifted < 10 { shifted + 3 } else { shifted - 9 });
    (era * 400 + year + u64::from(month <= 2), month, day)
}

/// Breaks a line at blanks.
fn wrapped(text: &str) -> String {
    let mut lines = String::new();
    let mut width = 0;
    for word in text.split_whitespace() {
        let length = word.chars().count();
        if width > 0 {
            let breaks = width + 1 + length > WIDTH;
            lines.push(if breaks { '\n' } else { ' ' });
            width = if breaks { 0 } else { width + 1 };
        }
        lines += word;
        width += length;
    }
    lines
}

/// All records of a text.
///
/// # Errors
/// Says where the text stops being records of legal games.
pub fn read_all(text: &str) -> Result<Vec<Record>, TextError> {
    let mut reader = Reader::new(text);
    let mut records = Vec::new();
    while let Some(record) = reader.next_record() {
        records.push(record?);
    }
    Ok(records)
}

/// What can be read of a text that may be damaged.
#[derive(Debug, Default)]
pub struct Salvage {
    /// The whole records.
    pub records: Vec<Record>,
    /// What is wrong with each of the others, which were passed over.
    pub damaged: Vec<TextError>,
    /// What is wrong at the end, if a match that was broken off has left half a record there.
    pub unfinished: Option<TextError>,
}

/// All whole records of a text; after a damaged one it goes on at the next tag `Event`.
pub fn read_whole(text: &str) -> Salvage {
    const HEAD: &str = "\n[Event ";
    let mut reader = Reader::new(text);
    let mut found = Salvage::default();
    loop {
        reader.skip_blanks();
        let begin = reader.at;
        match reader.next_record() {
            None => return found,
            Some(Ok(record)) => found.records.push(record),
            Some(Err(error)) => {
                let next = text.get(begin..).and_then(|rest| rest.find(HEAD));
                match next {
                    Some(next) => {
                        found.damaged.push(error);
                        reader = Reader::new(text);
                        reader.at = begin + next + 1;
                    }
                    // A record is written with an empty line at its end.
                    None if text.ends_with("\n\n") && error.found != "the end" => {
                        found.damaged.push(error);
                        return found;
                    }
                    None => {
                        found.unfinished = Some(error);
                        return found;
                    }
                }
            }
        }
    }
}

struct Reader<'a> {
    text: &'a str,
    /// Offset of what is still to be read.
    at: usize,
    /// An offset up to which lines have been counted, and their number.
    counted: (usize, usize),
}

impl<'a> Reader<'a> {
    fn new(text: &'a str) -> Self {
        Self { text, at: 0, counted: (0, 0) }
    }

    /// The line that is being read, from 1.
    fn line(&mut self) -> usize {
        let (from, lines) = self.counted;
        let lines = lines + self.text.get(from..self.at).unwrap_or_default().matches('\n').count();
        self.counted = (self.at, lines);
        lines + 1
    }

    fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn skip_blanks(&mut self) {
        self.at += self.rest().len() - self.rest().trim_start().len();
    }

    fn error(&self, at: usize, found: String, expected: &str) -> TextError {
        let before = self.text.get(..at).unwrap_or(self.text);
        let line = before.matches('\n').count() + 1;
        let column = before.chars().rev().take_while(|letter| *letter != '\n').count() + 1;
        TextError { line, column, found, expected: expected.to_owned() }
    }

    fn next_record(&mut self) -> Option<Result<Record, TextError>> {
        self.skip_blanks();
        (!self.rest().is_empty()).then(|| self.record())
    }

    fn record(&mut self) -> Result<Record, TextError> {
        let begin = self.at;
        let mut tags = Vec::new();
        while self.rest().starts_with('[') {
            tags.push(self.tag()?);
            self.skip_blanks();
        }
        let mut take = |name: &str| {
            let index = tags.iter().position(|(found, _): &(String, String)| found == name)?;
            Some(tags.remove(index).1)
        };
        let (rules, start, tagged) = (take("Rules"), take("FEN"), take("Result"));
        let rules = match rules {
            None => RuleSet::standard(),
            Some(name) => RuleSet::named(&name).ok_or_else(|| {
                self.error(begin, format!("rules {}", quoted(&name)), &format!("one of {}", RuleSet::names()))
            })?,
        };
        let start = match start {
            None => Position::start(rules),
            Some(text) => fen::parse(rules, &text).map_err(|error| {
                self.error(begin, format!("FEN {}: {}", quoted(&text), error.found), &error.expected)
            })?,
        };
        let movetext = self.movetext()?;
        let moves = record::read(&start, &movetext.moves)
            .map_err(|error| TextError { line: movetext.first_line + error.line - 1, ..error })?;
        if let Some(tagged) = tagged.filter(|tagged| parse_result(tagged) != Some(movetext.result)) {
            let found = format!("{} after tag Result {}", result_text(movetext.result), quoted(&tagged));
            return Err(self.error(self.at, found, "the same result in both places"));
        }
        let (preface, comments, reason) = movetext.comments_of(moves.len());
        let mut game = Game::new(start);
        moves.iter().for_each(|&mv: &Move| game.play(mv));
        let record = Record { tags, game, preface, comments, reason, result: movetext.result };
        self.check_end(begin, &record)?;
        Ok(record)
    }

    /// Sees whether a game that has ended on the board has the result and the points that the rules give it.
    fn check_end(&self, begin: usize, record: &Record) -> Result<(), TextError> {
        let game = &record.game;
        let (Some(outcome), Some(claimed)) = (game.outcome_on_board(), record.result) else { return Ok(()) };
        let due = match outcome.winner() {
            Some(Side::White) => GameResult::Win,
            Some(Side::Black) => GameResult::Loss,
            // What is drawn may have been played for other draws than ours, or been played on.
            None => return Ok(()),
        };
        if claimed != due {
            let text = result_text(Some(claimed));
            let expected = format!("{} ({outcome})", result_text(Some(due)));
            return Err(self.error(self.at.saturating_sub(text.len()), text.to_owned(), &expected));
        }
        let (white, black) = game.points(outcome);
        let points = format!("{white}-{black}");
        match record.tag("Points").filter(|found| game.rules().scored && *found != points) {
            Some(found) => {
                Err(self.error(begin, format!("Points {}", quoted(found)), &format!("'{points}' ({outcome})")))
            }
            None => Ok(()),
        }
    }

    /// A tag: `[Name "value"]`, alone on its line.
    fn tag(&mut self) -> Result<(String, String), TextError> {
        let begin = self.at;
        let line = self.rest().lines().next().unwrap_or_default();
        self.at += line.len();
        let parts = line.trim_end().strip_prefix('[').and_then(|line| line.strip_suffix("\"]"));
        let (name, value) = parts
            .and_then(|inner| inner.split_once(" \""))
            .ok_or_else(|| self.error(begin, quoted(line), "a tag as [Name \"value\"]"))?;
        let mut letters = value.chars();
        let mut read = String::new();
        while let Some(letter) = letters.next() {
            match letter {
                '\\' => read.push(letters.next().unwrap_or(letter)),
                '"' => {
                    let expected = "one tag on a line, as [Name \"value\"]";
                    return Err(self.error(begin, quoted(line.trim_end()), expected));
                }
                letter => read.push(letter),
            }
        }
        Ok((name.trim().to_owned(), read))
    }

    /// The moves up to the result, comments apart.
    fn movetext(&mut self) -> Result<MoveSection, TextError> {
        let first_line = self.line();
        let column = self.text.get(..self.at).unwrap_or_default().chars().rev().take_while(|c| *c != '\n').count();
        let mut found =
            MoveSection { moves: " ".repeat(column), count: 0, comments: Vec::new(), result: None, first_line };
        loop {
            let rest = self.rest();
            let Some(first) = rest.chars().next() else {
                return Err(self.error(self.at, "the end".to_owned(), "a result: 1-0, 0-1, 1/2-1/2 or *"));
            };
            if first == '{' {
                let Some(length) = rest.find('}') else {
                    return Err(self.error(self.at, "no end of the comment".to_owned(), "'}'"));
                };
                let comment = rest.get(1..length).unwrap_or_default();
                found.comments.push((found.count, one_line(comment)));
                found.moves.extend(comment.chars().map(|letter| if letter == '\n' { '\n' } else { ' ' }));
                found.moves += "  ";
                self.at += length + 1;
                continue;
            }
            let length = rest.find(|letter: char| letter.is_whitespace() || letter == '{').unwrap_or(rest.len());
            let word = rest.get(..length).unwrap_or_default();
            if let Some(result) = parse_result(word) {
                self.at += length;
                found.result = result;
                return Ok(found);
            }
            if word.starts_with('[') {
                return Err(self.error(self.at, quoted(word), "a result: 1-0, 0-1, 1/2-1/2 or *"));
            }
            found.count += moves_in(word);
            let taken = length.max(first.len_utf8());
            found.moves += rest.get(..taken).unwrap_or_default();
            self.at += taken;
        }
    }
}

/// A comment without its line breaks.
fn one_line(comment: &str) -> String {
    comment.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Moves in a word of a game's text: `1.e5;b4` has two.
fn moves_in(word: &str) -> usize {
    let is_move = |part: &&str| part.rsplit('.').next().is_some_and(|tail| !tail.is_empty());
    word.split(';').filter(is_move).count()
}

struct MoveSection {
    /// The moves, with blanks where the comments are.
    moves: String,
    /// How many there are.
    count: usize,
    /// The comments, each with the number of moves before it.
    comments: Vec<(usize, String)>,
    result: Option<GameResult>,
    first_line: usize,
}

impl MoveSection {
    /// What stands before the first and after each of so many moves, and the reason, which is the last comment of all
    /// where the last move has one before it, or where there is no move.
    fn comments_of(&self, moves: usize) -> (String, Vec<String>, String) {
        let mut places = vec![Vec::new(); moves + 1];
        for (after, comment) in &self.comments {
            let at = (*after).min(moves);
            places.get_mut(at).into_iter().for_each(|place| place.push(comment.as_str()));
        }
        let reason = match places.last_mut() {
            Some(last) if moves == 0 => std::mem::take(last).join(" "),
            Some(last) if last.len() > 1 => last.pop().unwrap_or_default().to_owned(),
            _ => String::new(),
        };
        let mut texts = places.into_iter().map(|place| place.join(" "));
        let preface = texts.next().unwrap_or_default();
        (preface, texts.collect(), reason)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::notation::coordinates;

    fn sample(rules: &str, start: Option<&str>, moves: &str) -> Record {
        let rules = RuleSet::named(rules).unwrap();
        let start = start.map_or(Position::start(rules), |text| fen::parse(rules, text).unwrap());
        let mut game = Game::new(start);
        for word in moves.split_whitespace() {
            game.play(coordinates::parse(game.position(), word).unwrap());
        }
        let comments = (0..game.moves().len()).map(|ply| format!("+0.{ply}/12 0.45s")).collect();
        let tags = vec![("White".to_owned(), "a \"b\" \\c".to_owned()), ("Game".to_owned(), "7".to_owned())];
        Record {
            tags,
            game,
            preface: String::new(),
            comments,
            reason: "White wins: because".to_owned(),
            result: Some(GameResult::Win),
        }
    }

    fn assert_same(read: &Record, written: &Record) {
        assert_eq!(read.tags, written.tags);
        assert_eq!((read.game.start(), read.game.moves()), (written.game.start(), written.game.moves()));
        assert_eq!(read.preface, written.preface);
        assert_eq!((&read.comments, &read.reason, read.result), (&written.comments, &written.reason, written.result));
    }

    #[test]
    fn a_record_reads_as_its_game() {
        let record = sample("super", None, "e4e5 b3b4 e4e3 b4d4");
        let text = record.write();
        assert_eq!(
            text,
            "[White \"a \\\"b\\\" \\\\c\"]\n[Game \"7\"]\n[Rules \"super\"]\n[Result \"1-0\"]\n\n\
             1. e5 {+0.0/12 0.45s}; b4 {+0.1/12 0.45s} 2. e4-e3 {+0.2/12 0.45s}; b4xd4 {+0.3/12 0.45s} {White\n\
             wins: because} 1-0\n\n"
        );
        assert_same(&read_all(&text).unwrap()[0], &record);
    }

    #[test]
    fn several_records_and_other_starts_read_back() {
        let black = sample("baghbandi", Some("5/2E1E/1t1t1/1AD1E/5 b 0 7"), "b3b1 e4e5 b1a1");
        let mut empty = sample("baghguti", None, "");
        empty.result = None;
        let text = black.write() + &empty.write();
        let read = read_all(&text).unwrap();
        assert_eq!(read.len(), 2);
        assert_same(&read[0], &black);
        assert_same(&read[1], &empty);
    }

    #[test]
    fn records_by_hand_need_neither_tags_nor_comments() {
        let read = read_all("1.e5;b4 2.e4-e3 {good};b4xd4 *\n").unwrap();
        assert_eq!((read[0].game.moves().len(), read[0].comments[2].as_str()), (4, "good"));
    }

    #[test]
    fn comments_stay_where_they_are() {
        for (text, preface, comments, reason) in [
            ("{a} {b} 1. e5 {c}; b4 {d} *", "a b", ["c", "d"].as_slice(), ""),
            ("1. e5 {a} {b}; b4 {c} {d} {e} *", "", &["a b", "c d"], "e"),
            ("{a} {b} *", "", &[], "a b"),
            ("{a} 1. e5; b4 *", "a", &["", ""], ""),
        ] {
            let read = read_all(text).unwrap().remove(0);
            assert_eq!((read.preface.as_str(), read.reason.as_str()), (preface, reason), "{text}");
            assert_eq!(read.comments, comments, "{text}");
            assert_same(&read_all(&read.write()).unwrap()[0], &read);
        }
        let black = "[FEN \"5/2E1E/1t1t1/1AD1E/5 b 0 7\"]\n\n{a} 7. ...; b3xb1 *\n";
        assert!(read_all(black).unwrap()[0].write().ends_with("\n\n{a} 7. ...; b3xb1 *\n\n"));
    }

    #[test]
    fn the_result_of_a_finished_game_is_that_of_the_rules() {
        let game = |tags: &str, result: &str| {
            let fen = "[FEN \"1AA2/AA1A1/AtAA1/t1AA1/AAA1A w 55 44\"]";
            read_all(&format!("[Rules \"super\"]\n{fen}\n{tags}\n44. c1-b2 {result}\n")).map(|found| found.len())
        };
        for (tags, result) in [("", "1-0"), ("", "*"), ("[Points \"12-0\"]\n", "1-0")] {
            assert_eq!(game(tags, result), Ok(1), "{tags} {result}");
        }
        for (tags, result, why) in [
            ("", "0-1", "line 4, column 11: found 0-1, expected 1-0 (White wins: the tigers can't move)"),
            ("", "1/2-1/2", "line 4, column 11: found 1/2-1/2, expected 1-0 (White wins"),
            ("[Points \"11-0\"]\n", "1-0", "column 1: found Points '11-0', expected '12-0' (White wins"),
        ] {
            let found = game(tags, result).unwrap_err().to_string();
            assert!(found.starts_with(why), "{found}");
        }
    }

    #[test]
    fn dates_know_leap_years() {
        assert_eq!([0, 11_016, 11_017, 20_786].map(date), [(1970, 1, 1), (2000, 2, 29), (2000, 3, 1), (2026, 11, 29)]);
    }

    #[test]
    fn half_a_record_at_the_end_is_left_out() {
        let record = sample("super", None, "e4e5 b3b4 e4e3 b4d4");
        let text = record.write();
        for cut in 1..text.trim_end().len() {
            let found = read_whole(&(text.clone() + text.get(..cut).unwrap()));
            assert!(found.records.len() == 1 && found.unfinished.is_some() && found.damaged.is_empty(), "{cut}");
        }
    }

    #[test]
    fn damaged_records_are_passed_over() {
        let mut record = sample("super", None, "e4e5 b3b4 e4e3 b4d4");
        record.tags.insert(0, ("Event".to_owned(), "x".to_owned()));
        let text = record.write();
        let damaged = text.replace("b4xd4", "b4xd5");
        for bad in [damaged.clone(), text.replace("1-0\n\n", "\n\n"), text.replace("[White", "{White")] {
            let found = read_whole(&(text.clone() + &bad + &text + &text));
            assert_eq!((found.records.len(), found.damaged.len()), (3, 1), "{bad}");
            assert!(found.unfinished.is_none());
        }
        assert_eq!(read_whole(&(text + &damaged)).damaged.len(), 1);
    }

    #[test]
    fn a_bad_record_is_refused_with_the_place() {
        for (text, reason) in [
            ("[Rules \"chess\"]\n\n*", "column 1: found rules 'chess', expected one of baghbandi"),
            ("[FEN \"x\"]\n*", "column 1: found FEN 'x': "),
            ("[A \"b\"] [C \"d\"]\n*", r#"column 1: found '[A \"b\"] [C \"d\"]', expected one tag on a line"#),
            ("[White a]\n*", "column 1: found '[White a]', expected a tag"),
            ("1. e5; {x}\nx4 *", "line 2, column 1: found 'x4', expected a move"),
            ("1. e5 {x; b4 *", "column 7: found no end of the comment"),
            ("1. e5; b4", "column 10: found the end, expected a result"),
            ("[Result \"1-0\"]\n1. e5 0-1", "line 2, column 10: found 0-1 after tag Result '1-0'"),
            ("1. e5\n\n[White \"x\"]\n*", "line 3, column 1: found '[White', expected a result"),
        ] {
            let found = read_all(text).unwrap_err().to_string();
            assert!(found.starts_with(reason), "{text}: {found}");
        }
    }
}
