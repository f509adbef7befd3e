//! The checkpoint of a match (users call its file the journal), from which it goes on after an interruption, with no
//! game lost or counted twice.
//!
//! Lines are only ever appended, each with its checksum, so that a half-written last line is recognised and dropped. A
//! game is saved when it is over, together with its record; a pair when its two records are in the record file, with the
//! file's length then. What the record file holds beyond that length is dropped as well, so both files stay in step.

use crate::checksum::fnv1a_64;
use crate::files;
use crate::notation::match_record::{Record, parse_result, result_text};
use crate::notation::quoted;
use crate::notation::reader::read_all;
use crate::platform::{self, PathKind};
use crate::text::{self, quoted_path};
use crate::tournament::results::GameSummary;
use crate::tournament::schedule::{GameNumber, Schedule};
use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::{self, Read, Write};
use std::path::Path;

/// First word of the file, with the format's version.
const HEADER: &str = "sundarban-match-journal-2";
/// More than a game is worth by any rules.
const MOST_POINTS: u64 = 1_000;

/// The options that determine the games of a match, with their values.
pub type OptionValues = [(String, String)];

/// The content of a checkpoint.
#[derive(Clone, Debug, Default)]
pub struct SavedMatch {
    /// Finished games by number, each with its record.
    pub games: BTreeMap<u64, (GameSummary, String)>,
    /// Pairs whose records are in the record file.
    pub pairs: BTreeSet<u64>,
    /// Length of the record file, in bytes.
    pub record_length: u64,
}

impl SavedMatch {
    /// Adds a line behind the beginning, by its first field and the others.
    fn add(&mut self, kind: &str, fields: &[&str]) -> Result<(), String> {
        let is_new = match (kind, fields) {
            ("game", [number, rest @ .., record]) => {
                let (number, game) = (self::number(number)?, summary(rest)?);
                self.games.insert(number, (game, (*record).to_owned())).is_none()
            }
            ("pair", [pair, bytes]) => {
                let length = number(bytes)?;
                if length < self.record_length {
                    return Err(format!("found {length} bytes, expected {} or more", self.record_length));
                }
                self.record_length = length;
                self.pairs.insert(number(pair)?)
            }
            _ => false,
        };
        let found = || quoted(&[&[kind], fields].concat().join(" "));
        match kind {
            _ if is_new => Ok(()),
            "game" | "pair" if fields.len() >= 2 => Err(format!("found {} again, expected each once", found())),
            _ => Err(format!("found {}, expected a game or a pair", found())),
        }
    }

    /// Checks that the games are those of a match, and their records those of the games. Games beyond its end are not
    /// looked at: it may be shorter now than it was.
    ///
    /// # Errors
    /// Says what is wrong with which game.
    pub fn check(&self, schedule: &Schedule) -> Result<(), String> {
        for (&number, (summary, record)) in &self.games {
            let at = |why: String| format!("game {number}: {why}");
            let Some(game) = schedule.game(GameNumber(number)) else {
                if number == 0 {
                    return Err(at("found this number, expected one from 1".to_owned()));
                }
                continue;
            };
            let (found, expected) = ([summary.white, summary.black], [game.white(), game.black()]);
            if found != expected {
                return Err(at(format!("found the engines {found:?}, expected {expected:?}")));
            }
            if let Some(engine) = summary.at_fault.filter(|engine| !expected.contains(engine)) {
                return Err(at(format!("found engine {engine} at fault, expected one of {expected:?}")));
            }
            check_record(number, summary, record).map_err(at)?;
        }
        let is_whole = |pair: &u64| {
            let second = pair.checked_add(1).and_then(|count| count.checked_mul(2)).unwrap_or(u64::MAX);
            [second - 1, second]
                .iter()
                .all(|number| self.games.contains_key(number) || schedule.game(GameNumber(*number)).is_none())
        };
        match self.pairs.iter().find(|pair| !is_whole(pair)) {
            Some(pair) => Err(format!("pair {pair}: found it without its games, expected both")),
            None => Ok(()),
        }
    }
}

/// Checks that a game's record, if there is one, is whole and has its number and result.
fn check_record(number: u64, summary: &GameSummary, record: &str) -> Result<(), String> {
    if record.is_empty() {
        return Ok(());
    }
    let records = read_all(record).map_err(|error| format!("its record: {error}"))?;
    let is_its =
        |record: &Record| record.tag("Game") == Some(&number.to_string()) && record.result == Some(summary.result);
    match records.as_slice() {
        [record] if is_its(record) => Ok(()),
        [_] => Err("found a record with another number or result, expected its own".to_owned()),
        other => Err(format!("found {} records, expected one", other.len())),
    }
}

/// An open checkpoint file.
#[derive(Debug)]
pub struct Checkpoint {
    file: File,
}

impl Checkpoint {
    /// Opens the checkpoint of a match, or begins one if there is none; `record_length` is the record file's length, in
    /// bytes, at the beginning.
    ///
    /// # Errors
    /// The file can't be used, or is that of a match with other options.
    pub fn open(path: &Path, options: &OptionValues, record_length: u64) -> Result<(Self, SavedMatch), String> {
        Self::open_file(path, options, record_length).map_err(|why| format!("{}: {why}", quoted_path(path)))
    }

    fn open_file(path: &Path, options: &OptionValues, record_length: u64) -> Result<(Self, SavedMatch), String> {
        let message = |error: io::Error| error.to_string();
        // To open a pipe would wait for its reader.
        if platform::path_kind(path).is_ok_and(|kind| kind != PathKind::File) {
            return Err("found no regular file, expected one".to_owned());
        }
        let mut file = files::open_append(path, false)?;
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).map_err(message)?;
        if let Some((saved, length)) = read(&bytes, options)? {
            let dropped = bytes.len() as u64 - length;
            if dropped > 0 {
                log::warn!("{}: {dropped} bytes at the end were not whole lines and are dropped", quoted_path(path));
                files::truncate(&file, length).map_err(message)?;
            }
            return Ok((Self { file }, saved));
        }
        files::truncate(&file, 0).map_err(message)?;
        file.write_all(header(options, record_length).as_bytes()).and_then(|()| file.sync_all()).map_err(message)?;
        Ok((Self { file }, SavedMatch { record_length, ..SavedMatch::default() }))
    }

    /// Saves a finished game.
    ///
    /// # Errors
    /// As writing does.
    pub fn save_game(&mut self, number: u64, game: &GameSummary, record: &str) -> io::Result<()> {
        let optional = |number: Option<usize>| number.map_or("-".to_owned(), |number| number.to_string());
        let points = game.points.map_or("-".to_owned(), |(white, black)| format!("{white}:{black}"));
        let text = line(&[
            "game",
            &number.to_string(),
            &game.white.to_string(),
            &game.black.to_string(),
            result_text(Some(game.result)),
            &points,
            &game.ending,
            &optional(game.at_fault),
            record,
        ]);
        self.file.write_all(text.as_bytes())
    }

    /// Saves that both records of a pair are in the record file, with its length in bytes, and flushes all to the disk.
    ///
    /// # Errors
    /// As writing does.
    pub fn save_pair(&mut self, pair: u64, record_length: u64) -> io::Result<()> {
        self.file.write_all(line(&["pair", &pair.to_string(), &record_length.to_string()]).as_bytes())?;
        self.file.sync_data()
    }
}

/// The lines that a checkpoint begins with.
fn header(options: &OptionValues, record_length: u64) -> String {
    let mut text = line(&[HEADER]);
    options.iter().for_each(|(option, value)| text += &line(&["plan", option, value]));
    text + &line(&["begin", &record_length.to_string()])
}

/// Fields as a line with its checksum.
fn line(fields: &[&str]) -> String {
    let escaped =
        |field: &&str| field.replace('\\', "\\\\").replace('\n', "\\n").replace('\t', "\\t").replace('\r', "\\r");
    let body = fields.iter().map(escaped).collect::<Vec<_>>().join("\t");
    format!("{body}\t{:016x}\n", fnv1a_64(body.as_bytes()))
}

/// The fields of a line, if it is whole.
fn fields(line: &str) -> Option<Vec<String>> {
    let (body, sum) = line.rsplit_once('\t')?;
    (sum == format!("{:016x}", fnv1a_64(body.as_bytes()))).then(|| body.split('\t').map(unescaped).collect())
}

fn unescaped(field: &str) -> String {
    let mut letters = field.chars();
    let mut text = String::new();
    while let Some(letter) = letters.next() {
        text.push(match (letter, letter == '\\') {
            (_, true) => match letters.next() {
                Some('n') => '\n',
                Some('t') => '\t',
                Some('r') => '\r',
                other => other.unwrap_or('\\'),
            },
            (letter, false) => letter,
        });
    }
    text
}

/// The content of a checkpoint and its length in bytes without an unfinished last line. `None` if no match has begun.
fn read(bytes: &[u8], options: &OptionValues) -> Result<Option<(SavedMatch, u64)>, String> {
    if line(&[HEADER]).as_bytes().starts_with(bytes) {
        return Ok(None);
    }
    let mut saved = SavedMatch::default();
    let mut saved_options = Vec::new();
    let mut has_begun = false;
    let mut length = 0;
    for (index, bytes) in bytes.split_inclusive(|byte| *byte == b'\n').enumerate() {
        let at = |why: String| format!("line {}: {why}", index + 1);
        let is_whole = bytes.ends_with(b"\n");
        if !is_whole && index > 0 {
            break;
        }
        let text = str::from_utf8(bytes).ok().and_then(|text| text.strip_suffix('\n'));
        let fields = match (text.and_then(fields), index) {
            (Some(fields), _) => fields,
            (None, 0) => return Err("found another kind of file, expected one that --resume has made".to_owned()),
            (None, _) => return Err(at("found it damaged, expected a line with its checksum".to_owned())),
        };
        let fields: Vec<&str> = fields.iter().map(String::as_str).collect();
        match (index, fields.as_slice()) {
            (0, [HEADER]) => {}
            (0, _) => return Err(format!("found a journal of another version, expected {HEADER}")),
            (1.., ["plan", option, value]) if !has_begun => {
                saved_options.push(((*option).to_owned(), (*value).to_owned()))
            }
            (1.., ["begin", bytes]) if !has_begun => {
                has_begun = true;
                saved.record_length = number(bytes).map_err(at)?;
            }
            (1.., [kind, fields @ ..]) if has_begun => saved.add(kind, fields).map_err(at)?,
            (_, found) => return Err(at(format!("found {}, expected how the match begins", quoted(&found.join(" "))))),
        }
        length += bytes.len() as u64;
    }
    if !has_begun {
        return Ok(None);
    }
    match difference(&saved_options, options) {
        Some(why) => Err(why),
        None => Ok(Some((saved, length))),
    }
}

/// A message about the first option whose values differ, if one does.
fn difference(old: &OptionValues, new: &OptionValues) -> Option<String> {
    let value = |options: &OptionValues, option: &str| {
        let values = options.iter().filter(|(found, _)| found == option).map(|(_, value)| value.as_str());
        let values = values.collect::<Vec<_>>().join(" ");
        if values.is_empty() { "nothing".to_owned() } else { quoted(&values) }
    };
    let differs = |option: &&String| value(old, option) != value(new, option);
    let option = new.iter().chain(old).map(|(option, _)| option).find(differs)?;
    Some(format!(
        "{option}: found {}, expected {}, with which the match was begun",
        value(new, option),
        value(old, option)
    ))
}

fn number<T: std::str::FromStr>(text: &str) -> Result<T, String> {
    let is_plain = text.bytes().all(|byte| byte.is_ascii_digit());
    let number = text.parse().ok().filter(|_| is_plain);
    number.ok_or_else(|| format!("found {}, expected a number", quoted(text)))
}

fn summary(fields: &[&str]) -> Result<GameSummary, String> {
    let [white, black, result, points, ending, at_fault] = fields else {
        return Err(format!("found {} fields of a game, expected 6", fields.len()));
    };
    let points = match points.split_once(':') {
        Some((white, black)) => {
            Some((text::number("points", white, 0, MOST_POINTS)?, text::number("points", black, 0, MOST_POINTS)?))
        }
        None if *points == "-" => None,
        None => return Err(format!("found {}, expected the points of both sides or -", quoted(points))),
    };
    Ok(GameSummary {
        white: number(white)?,
        black: number(black)?,
        result: parse_result(result).flatten().ok_or_else(|| format!("found {}, expected a result", quoted(result)))?,
        points,
        ending: (*ending).to_owned(),
        at_fault: if *at_fault == "-" { None } else { Some(number(at_fault)?) },
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::GameResult;

    fn game() -> GameSummary {
        GameSummary {
            white: 1,
            black: 0,
            result: GameResult::Loss,
            points: Some((0, 10)),
            ending: "no answer".to_owned(),
            at_fault: Some(1),
        }
    }

    fn text() -> String {
        line(&[HEADER])
            + &line(&["plan", "--rules", "super"])
            + &line(&["begin", "5"])
            + &line(&["game", "2", "1", "0", "0-1", "0:10", "no answer", "1", "[White \"\\x\"]\n\t1. e5"])
            + &line(&["pair", "0", "77"])
    }

    fn options(rules: &str) -> Vec<(String, String)> {
        vec![("--rules".to_owned(), rules.to_owned())]
    }

    #[test]
    fn a_checkpoint_reads_back() {
        let text = text();
        let (saved, length) = read(text.as_bytes(), &options("super")).unwrap().unwrap();
        assert_eq!(length, text.len() as u64);
        assert_eq!(saved.games, BTreeMap::from([(2, (game(), "[White \"\\x\"]\n\t1. e5".to_owned()))]));
        assert_eq!((saved.pairs, saved.record_length), (BTreeSet::from([0]), 77));
    }

    #[test]
    fn a_torn_line_is_dropped_and_a_damaged_one_is_refused() {
        let text = text();
        let last = text.trim_end().rfind('\n').unwrap() + 1;
        for cut in last..text.len() {
            let (saved, length) = read(&text.as_bytes()[..cut], &options("super")).unwrap().unwrap();
            assert_eq!((saved.pairs.len(), saved.games.len(), length), (0, 1, last as u64));
        }
        let begin = text.find("begin").unwrap();
        let middle = text.find("no answer").unwrap();
        for (at, number) in [(begin, 3), (middle, 4), (last + 6, 5)] {
            let mut damaged = text.clone().into_bytes();
            damaged[at] ^= 1;
            let error = read(&damaged, &options("super")).unwrap_err();
            assert!(error.starts_with(&format!("line {number}: found it damaged")), "{error}");
        }
    }

    #[test]
    fn a_checkpoint_that_was_not_begun_begins() {
        let header = header(&options("super"), 5);
        for cut in 0..header.len() {
            assert!(read(&header.as_bytes()[..cut], &options("super")).unwrap().is_none(), "{cut}");
        }
        assert!(read(header.as_bytes(), &options("super")).unwrap().is_some());
    }

    #[test]
    fn another_match_or_file_is_refused() {
        let other = read(text().as_bytes(), &options("moderno")).unwrap_err();
        assert_eq!(other, "--rules: found 'moderno', expected 'super', with which the match was begun");
        let none = read(text().as_bytes(), &[]).unwrap_err();
        assert!(none.starts_with("--rules: found nothing, expected 'super'"), "{none}");
        assert!(read(b"[White \"x\"]\n", &options("super")).unwrap_err().starts_with("found another kind of file"));
        assert!(read(b"[White", &options("super")).is_err());
        let old = line(&["sundarban-match-journal-1"]);
        assert!(read(old.as_bytes(), &options("super")).unwrap_err().starts_with("found a journal of another version"));
    }
}
