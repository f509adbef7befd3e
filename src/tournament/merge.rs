//! Counting the games of several matches together, from their record files.

use super::MatchError;
use super::fault::FaultKind;
use super::journal;
use super::limits::Limits;
use super::options::Merge;
use super::output::Output;
use super::record::{self, Record};
use super::report::{self, Contender, Pace};
use super::results::{Counted, Results};
use super::standing::Standing;
use super::stats::Outcome;
use super::words;
use crate::rules::{RuleSet, Side};
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// The games of all files.
#[derive(Default)]
struct Pool {
    /// Engines by name, with their limits.
    engines: Vec<(String, Pace)>,
    rules: Vec<&'static RuleSet>,
    results: Results,
    /// The records of all pairs, numbered anew.
    records: String,
    pairs: u64,
    /// Games whose partner is in no file.
    single: u64,
}

/// Counts the games of the files and prints what they come to.
///
/// # Errors
/// Says which file can't be used, and why.
pub fn run(request: &Merge) -> Result<(), MatchError> {
    let mut pool = Pool::default();
    let mut seen = Vec::new();
    for path in &request.files {
        let named = |why: String| MatchError::Work(format!("--merge: '{}': {why}", path.display()));
        let real = fs::canonicalize(path).map_err(|error| named(error.to_string()))?;
        if seen.contains(&real) {
            return Err(MatchError::Usage(format!("--merge: found '{}' twice, expected it once", path.display())));
        }
        seen.push(real);
        let text = fs::read_to_string(path).map_err(|error| named(error.to_string()))?;
        pool.take_in(&text, path).map_err(named)?;
    }
    if pool.single > 0 {
        log::warn!("{} games have no partner with the sides swapped and are not counted", pool.single);
    }
    let contender = |(name, pace): &'_ (String, Pace)| (name.clone(), *pace);
    let engines: Vec<(String, Pace)> = pool.engines.iter().map(contender).collect();
    let engines: Vec<Contender<'_>> =
        engines.iter().map(|(name, pace)| Contender { name, pace: *pace, threads: None, hash_mb: None }).collect();
    if request.sprt.is_some() && engines.len() != 2 {
        return Err(MatchError::Usage(format!("--sprt: found {} engines, expected 2", engines.len())));
    }
    let standing = Standing {
        engines: &engines,
        rules: &pool.rules,
        openings: None,
        sprt: request.sprt,
        results: &pool.results,
        total: None,
    };
    let mut output = Output::new(false);
    output.important(&standing.text())?;
    if let Some((sprt, _, status)) = standing.verdict() {
        output.important(&report::verdict_line(&sprt, status))?;
    }
    let write = |option: &str, path: &Path, text: &str| {
        journal::replace(path, text)
            .map_err(|error| MatchError::Work(format!("{option}: '{}': {error}", path.display())))
    };
    if let Some(path) = &request.json {
        write("--json", path, &format!("{}\n", standing.json(true)))?;
    }
    request.record.as_deref().map_or(Ok(()), |path| write("--record", path, &pool.records))
}

impl Pool {
    /// Takes in a file. Half a record at its end, as an interrupted match leaves it, is left out.
    fn take_in(&mut self, text: &str, path: &Path) -> Result<(), String> {
        let (records, fault) = record::read_whole(text);
        if let Some(error) = fault {
            if records.is_empty() {
                return Err(error.to_string());
            }
            log::warn!("'{}': {error}; {} games before it are counted", path.display(), records.len());
        }
        let mut waiting: BTreeMap<String, Record> = BTreeMap::new();
        for record in records {
            let pair = record.tag("Pair").ok_or("found a game without the tag 'Pair', expected records of matches")?;
            match waiting.remove(pair) {
                Some(first) => self.add_pair(first, record)?,
                None => _ = waiting.insert(pair.to_owned(), record),
            }
        }
        self.single += waiting.len() as u64;
        Ok(())
    }

    fn add_pair(&mut self, one: Record, other: Record) -> Result<(), String> {
        let games = [self.counted(&one)?, self.counted(&other)?];
        let [first, second] = &games;
        if (first.white, first.black) != (second.black, second.white) || one.game.rules() != other.game.rules() {
            return Err(format!("found a pair {} of other engines or rules", one.tag("Pair").unwrap_or_default()));
        }
        let rules = one.game.rules();
        let index = self.rules.iter().position(|known| *known == rules).unwrap_or(self.rules.len());
        if index == self.rules.len() {
            self.rules.push(rules);
        }
        // Each pairing is counted as the engine sees it that was met first.
        let ordered = if first.white < first.black { [first, second] } else { [second, first] };
        self.results.add_pair(index, ordered);
        self.pairs += 1;
        for (mut record, number) in [(one, 2 * self.pairs - 1), (other, 2 * self.pairs)] {
            for (name, value) in &mut record.tags {
                match name.as_str() {
                    "Game" => *value = number.to_string(),
                    "Pair" => *value = self.pairs.to_string(),
                    _ => {}
                }
            }
            self.records += &record.write();
        }
        Ok(())
    }

    fn counted(&mut self, record: &Record) -> Result<Counted, String> {
        let result = record.result.ok_or("found a game without a result")?;
        let (white, black) = (self.engine(record, Side::White)?, self.engine(record, Side::Black)?);
        let ending = record.tag("Termination").unwrap_or("unknown").to_owned();
        let at_fault = match record.tag("Fault") {
            Some("White") => Some(white),
            Some("Black") => Some(black),
            _ => None,
        };
        let is_known = FaultKind::ALL.iter().any(|kind| kind.name() == ending);
        Ok(Counted {
            white,
            black,
            result,
            points: points(record, result),
            ending,
            at_fault: at_fault.filter(|_| is_known),
        })
    }

    /// The number of an engine, a new one where it is met for the first time.
    fn engine(&mut self, record: &Record, side: Side) -> Result<usize, String> {
        let tags = if side == Side::White { ["White", "WhiteLimits"] } else { ["Black", "BlackLimits"] };
        let [name, limits] = tags.map(|tag| record.tag(tag));
        let name = name.ok_or_else(|| format!("found a game without the tag '{side}'"))?;
        if let Some(index) = self.engines.iter().position(|(known, _)| known == name) {
            return Ok(index);
        }
        let mut found = Limits::default();
        for word in limits.unwrap_or_default().split_whitespace() {
            let (key, value) = words::key_value(word)?;
            found.set(key, value)?;
        }
        self.engines.push((name.to_owned(), found.pace()));
        Ok(self.engines.len() - 1)
    }
}

/// Points of White and Black in a scored rule set.
fn points(record: &Record, result: Outcome) -> Option<(u64, u64)> {
    let game = &record.game;
    let worth = |side| u64::from(game.rules().win_points(side, game.position().goats_alive()));
    game.rules().scored.then(|| match result {
        Outcome::Win => (worth(Side::White), 0),
        Outcome::Loss => (0, worth(Side::Black)),
        Outcome::Draw => (0, 0),
    })
}
