//! The journal of a match: what is needed to go on after an interruption, with no game lost or counted twice.
//!
//! Lines are only ever appended, each with its checksum, so that a half-written last line is known and dropped. A game
//! is noted when it is over, together with its record; a pair when its two records are in the record file, with the
//! file's length then. What the record file holds beyond that length is dropped as well, so both files stay in step.

use super::record::{parse_result, result_text};
use super::results::Counted;
use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// First word of the file, with the format's version.
const HEADER: &str = "sundarban-match-journal-1";

/// What a journal says.
#[derive(Clone, Debug, Default)]
pub struct Past {
    /// Finished games by number, each with its record.
    pub games: BTreeMap<u64, (Counted, String)>,
    /// Pairs whose records are in the record file.
    pub pairs: BTreeSet<u64>,
    /// Length of the record file, in bytes.
    pub record_length: u64,
}

/// An open journal.
#[derive(Debug)]
pub struct Journal {
    file: File,
}

impl Journal {
    /// Opens the journal of a match, or begins it if there is none. `plan` describes what is played; `record_length`
    /// is what the record file holds already if it begins.
    ///
    /// # Errors
    /// Says why the file can't be used.
    pub fn open(path: &Path, plan: &[String], record_length: u64) -> Result<(Self, Past), String> {
        let named = |error: io::Error| format!("'{}': {error}", path.display());
        match fs::read(path) {
            Ok(bytes) => {
                let (past, length) = read(&bytes, plan).map_err(|why| format!("'{}': {why}", path.display()))?;
                let dropped = bytes.len() as u64 - length;
                if dropped > 0 {
                    log::warn!("'{}': {dropped} bytes at the end were not whole lines and are dropped", path.display());
                }
                let mut file = OpenOptions::new().write(true).open(path).map_err(named)?;
                file.set_len(length).map_err(named)?;
                io::Seek::seek(&mut file, io::SeekFrom::End(0)).map_err(named)?;
                Ok((Self { file }, past))
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                let mut text = line(&[HEADER]);
                plan.iter().for_each(|entry| text += &line(&["plan", entry]));
                text += &line(&["begin", &record_length.to_string()]);
                replace(path, &text).map_err(named)?;
                let file = OpenOptions::new().append(true).open(path).map_err(named)?;
                Ok((Self { file }, Past { record_length, ..Past::default() }))
            }
            Err(error) => Err(named(error)),
        }
    }

    /// Notes a finished game.
    ///
    /// # Errors
    /// As writing does.
    pub fn note_game(&mut self, number: u64, game: &Counted, record: &str) -> io::Result<()> {
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

/// Writes a file so that at any moment the old one or the new one is there.
///
/// # Errors
/// As writing does.
pub fn replace(path: &Path, text: &str) -> io::Result<()> {
    let mut temporary = path.as_os_str().to_owned();
    temporary.push(".tmp");
    let temporary = PathBuf::from(temporary);
    let mut file = File::create(&temporary)?;
    file.write_all(text.as_bytes())?;
    file.sync_all()?;
    fs::rename(&temporary, path)
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
fn checksum(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |sum, byte| (sum ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

/// What a journal's whole lines say, and their length in bytes.
fn read(bytes: &[u8], plan: &[String]) -> Result<(Past, u64), String> {
    let mut past = Past::default();
    let mut planned = Vec::new();
    let mut length = 0;
    for (index, bytes) in bytes.split_inclusive(|byte| *byte == b'\n').enumerate() {
        let text = str::from_utf8(bytes).ok().and_then(|text| text.strip_suffix('\n'));
        let Some(fields) = text.and_then(fields) else { break };
        let fields: Vec<&str> = fields.iter().map(String::as_str).collect();
        match (index, fields.as_slice()) {
            (0, [HEADER]) => {}
            (1.., ["plan", entry]) => planned.push((*entry).to_owned()),
            (1.., ["begin", bytes]) => past.record_length = number(bytes)?,
            (1.., ["game", number, rest @ .., record]) => {
                past.games.insert(self::number(number)?, (counted(rest)?, (*record).to_owned()));
            }
            (1.., ["pair", pair, bytes]) => {
                past.pairs.insert(number(pair)?);
                past.record_length = number(bytes)?;
            }
            (_, found) => {
                return Err(format!("found line {} '{}', expected one of a match", index + 1, found.join(" ")));
            }
        }
        length += bytes.len() as u64;
    }
    if length == 0 {
        return Err("found another kind of file, expected one that --resume has made".to_owned());
    }
    let difference = plan.iter().zip(&planned).find(|(wanted, found)| wanted != found);
    if let Some((wanted, found)) = difference {
        return Err(format!("found a match with '{found}', expected '{wanted}': give the options it was begun with"));
    }
    if plan.len() != planned.len() {
        return Err("found a match with other engines, give the options it was begun with".to_owned());
    }
    Ok((past, length))
}

fn number<T: std::str::FromStr>(text: &str) -> Result<T, String> {
    text.parse().map_err(|_| format!("found '{text}', expected a number"))
}

fn counted(fields: &[&str]) -> Result<Counted, String> {
    let [white, black, result, points, ending, at_fault] = fields else {
        return Err(format!("found {} fields of a game, expected 6", fields.len()));
    };
    let points = match points.split_once(':') {
        Some((white, black)) => Some((number(white)?, number(black)?)),
        None => None,
    };
    Ok(Counted {
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
    use super::super::stats::Outcome;
    use super::*;

    fn game() -> Counted {
        Counted {
            white: 1,
            black: 0,
            result: Outcome::Loss,
            points: Some((0, 10)),
            ending: "no answer".to_owned(),
            at_fault: Some(1),
        }
    }

    fn text() -> String {
        line(&[HEADER])
            + &line(&["plan", "engine a"])
            + &line(&["begin", "5"])
            + &line(&["game", "2", "1", "0", "0-1", "0:10", "no answer", "1", "[White \"\\x\"]\n\t1. e5"])
            + &line(&["pair", "0", "77"])
    }

    fn plan() -> Vec<String> {
        vec!["engine a".to_owned()]
    }

    #[test]
    fn a_journal_reads_back() {
        let text = text();
        let (past, length) = read(text.as_bytes(), &plan()).unwrap();
        assert_eq!(length, text.len() as u64);
        assert_eq!(past.games, BTreeMap::from([(2, (game(), "[White \"\\x\"]\n\t1. e5".to_owned()))]));
        assert_eq!((past.pairs, past.record_length), (BTreeSet::from([0]), 77));
    }

    #[test]
    fn a_torn_line_is_dropped() {
        let text = text();
        let last = text.trim_end().rfind('\n').unwrap() + 1;
        for cut in last..text.len() {
            let (past, length) = read(&text.as_bytes()[..cut], &plan()).unwrap();
            assert_eq!((past.pairs.len(), past.games.len(), length), (0, 1, last as u64));
        }
        let mut damaged = text.into_bytes();
        damaged[last + 6] ^= 1;
        assert_eq!(read(&damaged, &plan()).unwrap().1, last as u64);
    }

    #[test]
    fn another_match_or_file_is_refused() {
        let other = read(text().as_bytes(), &["engine b".to_owned()]).unwrap_err();
        assert!(other.starts_with("found a match with 'engine a', expected 'engine b'"), "{other}");
        assert!(read(b"[White \"x\"]\n", &plan()).unwrap_err().starts_with("found another kind of file"));
        assert!(read(b"", &plan()).is_err());
    }
}
