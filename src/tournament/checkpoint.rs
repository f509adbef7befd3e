//! The journal of a match: what is needed to go on after an interruption, with no game lost or counted twice.
//!
//! Lines are only ever appended, each with its checksum, so that a half-written last line is known and dropped. A game
//! is noted when it is over, together with its record; a pair when its two records are in the record file, with the
//! file's length then. What the record file holds beyond that length is dropped as well, so both files stay in step.

use crate::files;
use crate::notation::match_record::{parse_result, result_text};
use crate::tournament::results::GameSummary;
use std::collections::{BTreeMap, BTreeSet};
use std::fs::{File, OpenOptions};
use std::io::{self, Read, Write};
use std::path::Path;

/// First word of the file, with the format's version.
const HEADER: &str = "sundarban-match-journal-2";

/// What determines the games of a match: options and their values.
pub type Plan = [(String, String)];

/// What a journal says.
#[derive(Clone, Debug, Default)]
pub struct SavedMatch {
    /// Finished games by number, each with its record.
    pub games: BTreeMap<u64, (GameSummary, String)>,
    /// Pairs whose records are in the record file.
    pub pairs: BTreeSet<u64>,
    /// Length of the record file, in bytes.
    pub record_length: u64,
}

/// An open journal.
#[derive(Debug)]
pub struct Checkpoint {
    file: File,
}

impl Checkpoint {
    /// Opens the journal of a match, or begins it if there is none. `plan` describes what is played; `record_length`
    /// is what the record file holds already if it begins.
    ///
    /// # Errors
    /// Says why the file can't be used.
    pub fn open(path: &Path, plan: &Plan, record_length: u64) -> Result<(Self, SavedMatch), String> {
        Self::open_named(path, plan, record_length).map_err(|why| format!("'{}': {why}", path.display()))
    }

    fn open_named(path: &Path, plan: &Plan, record_length: u64) -> Result<(Self, SavedMatch), String> {
        let told = |error: io::Error| error.to_string();
        let mut file = OpenOptions::new().read(true).append(true).create(true).open(path).map_err(told)?;
        if !file.metadata().map_err(told)?.is_file() {
            return Err("found no regular file, expected one".to_owned());
        }
        files::lock(&file, false)?;
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).map_err(told)?;
        if let Some((past, length)) = read(&bytes, plan)? {
            let dropped = bytes.len() as u64 - length;
            if dropped > 0 {
                log::warn!("'{}': {dropped} bytes at the end were not whole lines and are dropped", path.display());
                file.set_len(length).map_err(told)?;
            }
            return Ok((Self { file }, past));
        }
        file.set_len(0).map_err(told)?;
        file.write_all(head(plan, record_length).as_bytes()).and_then(|()| file.sync_all()).map_err(told)?;
        Ok((Self { file }, SavedMatch { record_length, ..SavedMatch::default() }))
    }

    /// Notes a finished game.
    ///
    /// # Errors
    /// As writing does.
    pub fn note_game(&mut self, number: u64, game: &GameSummary, record: &str) -> io::Result<()> {
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

    /// Notes that both records of a pair are in the record file, which is so long now, and makes sure of it.
    ///
    /// # Errors
    /// As writing does.
    pub fn note_pair(&mut self, pair: u64, record_length: u64) -> io::Result<()> {
        self.file.write_all(line(&["pair", &pair.to_string(), &record_length.to_string()]).as_bytes())?;
        self.file.sync_data()
    }
}

/// The lines that a journal begins with.
fn head(plan: &Plan, record_length: u64) -> String {
    let mut text = line(&[HEADER]);
    plan.iter().for_each(|(option, value)| text += &line(&["plan", option, value]));
    text + &line(&["begin", &record_length.to_string()])
}

/// Fields as a line with its checksum.
fn line(fields: &[&str]) -> String {
    let escaped =
        |field: &&str| field.replace('\\', "\\\\").replace('\n', "\\n").replace('\t', "\\t").replace('\r', "\\r");
    let body = fields.iter().map(escaped).collect::<Vec<_>>().join("\t");
    format!("{body}\t{:016x}\n", checksum(&body))
}

/// The fields of a line, if it is whole.
fn fields(line: &str) -> Option<Vec<String>> {
    let (body, sum) = line.rsplit_once('\t')?;
    (sum == format!("{:016x}", checksum(body))).then(|| body.split('\t').map(unescaped).collect())
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

/// 64-bit FNV-1a (Fowler, Noll and Vo).
pub fn checksum(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |sum, byte| (sum ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

/// What a journal's lines say, and their length in bytes without an unfinished last one. `None` if no match has begun.
fn read(bytes: &[u8], plan: &Plan) -> Result<Option<(SavedMatch, u64)>, String> {
    if line(&[HEADER]).as_bytes().starts_with(bytes) {
        return Ok(None);
    }
    let mut past = SavedMatch::default();
    let mut planned = Vec::new();
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
            (1.., ["plan", option, value]) => planned.push(((*option).to_owned(), (*value).to_owned())),
            (1.., ["begin", bytes]) => {
                has_begun = true;
                past.record_length = number(bytes).map_err(at)?;
            }
            (1.., ["game", number, rest @ .., record]) => {
                let number = self::number(number).map_err(at)?;
                past.games.insert(number, (counted(rest).map_err(at)?, (*record).to_owned()));
            }
            (1.., ["pair", pair, bytes]) => {
                past.pairs.insert(number(pair).map_err(at)?);
                past.record_length = number(bytes).map_err(at)?;
            }
            (_, found) => return Err(at(format!("found '{}', expected a line of a match", found.join(" ")))),
        }
        length += bytes.len() as u64;
    }
    if !has_begun {
        return Ok(None);
    }
    match difference(&planned, plan) {
        Some(why) => Err(why),
        None => Ok(Some((past, length))),
    }
}

/// The first option that two plans have different values for, in words.
fn difference(old: &Plan, new: &Plan) -> Option<String> {
    let value = |plan: &Plan, option: &str| {
        let values = plan.iter().filter(|(found, _)| found == option).map(|(_, value)| value.as_str());
        let values = values.collect::<Vec<_>>().join(" ");
        if values.is_empty() { "nothing".to_owned() } else { format!("'{values}'") }
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
    text.parse().map_err(|_| format!("found '{text}', expected a number"))
}

fn counted(fields: &[&str]) -> Result<GameSummary, String> {
    let [white, black, result, points, ending, at_fault] = fields else {
        return Err(format!("found {} fields of a game, expected 6", fields.len()));
    };
    let points = match points.split_once(':') {
        Some((white, black)) => Some((number(white)?, number(black)?)),
        None => None,
    };
    Ok(GameSummary {
        white: number(white)?,
        black: number(black)?,
        result: parse_result(result).flatten().ok_or_else(|| format!("found '{result}', expected a result"))?,
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

    fn plan(rules: &str) -> Vec<(String, String)> {
        vec![("--rules".to_owned(), rules.to_owned())]
    }

    #[test]
    fn a_journal_reads_back() {
        let text = text();
        let (past, length) = read(text.as_bytes(), &plan("super")).unwrap().unwrap();
        assert_eq!(length, text.len() as u64);
        assert_eq!(past.games, BTreeMap::from([(2, (game(), "[White \"\\x\"]\n\t1. e5".to_owned()))]));
        assert_eq!((past.pairs, past.record_length), (BTreeSet::from([0]), 77));
    }

    #[test]
    fn a_torn_line_is_dropped_and_a_damaged_one_is_told() {
        let text = text();
        let last = text.trim_end().rfind('\n').unwrap() + 1;
        for cut in last..text.len() {
            let (past, length) = read(&text.as_bytes()[..cut], &plan("super")).unwrap().unwrap();
            assert_eq!((past.pairs.len(), past.games.len(), length), (0, 1, last as u64));
        }
        let begin = text.find("begin").unwrap();
        let middle = text.find("no answer").unwrap();
        for (at, number) in [(begin, 3), (middle, 4), (last + 6, 5)] {
            let mut damaged = text.clone().into_bytes();
            damaged[at] ^= 1;
            let error = read(&damaged, &plan("super")).unwrap_err();
            assert!(error.starts_with(&format!("line {number}: found it damaged")), "{error}");
        }
    }

    #[test]
    fn a_journal_that_was_not_begun_begins() {
        let head = head(&plan("super"), 5);
        for cut in 0..head.len() {
            assert!(read(&head.as_bytes()[..cut], &plan("super")).unwrap().is_none(), "{cut}");
        }
        assert!(read(head.as_bytes(), &plan("super")).unwrap().is_some());
    }

    #[test]
    fn another_match_or_file_is_refused() {
        let other = read(text().as_bytes(), &plan("moderno")).unwrap_err();
        assert_eq!(other, "--rules: found 'moderno', expected 'super', with which the match was begun");
        let none = read(text().as_bytes(), &[]).unwrap_err();
        assert!(none.starts_with("--rules: found nothing, expected 'super'"), "{none}");
        assert!(read(b"[White \"x\"]\n", &plan("super")).unwrap_err().starts_with("found another kind of file"));
        assert!(read(b"[White", &plan("super")).is_err());
        let old = line(&["sundarban-match-journal-1"]);
        assert!(read(old.as_bytes(), &plan("super")).unwrap_err().starts_with("found a journal of another version"));
    }
}
