//! Counting the games of several matches together, from their record files.

use crate::files;
use crate::game::GameResult;
use crate::notation::TextError;
use crate::notation::fen::Fen;
use crate::notation::match_record::Record;
use crate::notation::reader::{InputItem, Items};
use crate::rules::{RuleSet, Side};
use crate::text;
use crate::tournament::MatchError;
use crate::tournament::checkpoint::checksum;
use crate::tournament::console::Output;
use crate::tournament::fault::FaultKind;
use crate::tournament::limits::EngineLimits;
use crate::tournament::report::{self, Contender, Pace};
use crate::tournament::results::{Counted, Results};
use crate::tournament::scoreboard::Scoreboard;
use crate::tournament::sprt::Sprt;
use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};

/// A request to count games together.
pub struct MergeRequest {
    /// Record files.
    pub files: Vec<PathBuf>,
    /// A test to weigh them by.
    pub sprt: Option<Sprt>,
    /// File for all games.
    pub record: Option<PathBuf>,
    /// File for the results.
    pub json: Option<PathBuf>,
}

/// The games of all files.
#[derive(Default)]
struct Pool {
    /// Engines by name, with their limits and these in words.
    engines: Vec<(String, Pace, String)>,
    rules: Vec<&'static RuleSet>,
    results: Results,
    /// The records of all pairs, numbered anew.
    records: String,
    pairs: u64,
    /// Games whose partner is in no file.
    single: u64,
    /// Checksums of the games by engines, rules and moves.
    games: BTreeSet<u64>,
    /// Games that were there before, but for their comments.
    twice: u64,
    /// Where each game is, by a checksum of all of it: the number of the file, and the pair.
    sources: BTreeMap<u64, (usize, String)>,
    /// Games that were there before, comments included, and were left out.
    copies: u64,
    /// Records that can't be read.
    damaged: u64,
    /// Engines that have been met with other limits, with both.
    mixed: BTreeSet<(String, String, String)>,
}

/// Counts the games of the files and prints what they come to.
///
/// # Errors
/// Says which file can't be used, and why; or, after all is done, how many records were damaged.
pub fn run(request: &MergeRequest) -> Result<(), MatchError> {
    if let Some(path) = &request.json {
        files::check(path).map_err(|error| MatchError::Work(format!("--json: '{}': {error}", path.display())))?;
    }
    if let Some(path) = &request.record {
        files::check(path).map_err(|error| MatchError::Work(format!("--record: '{}': {error}", path.display())))?;
    }
    let pool = Pool::gather(&request.files)?;
    pool.warn();
    let engines = pool.engines.iter();
    let engines: Vec<Contender<'_>> =
        engines.map(|(name, pace, _)| Contender { name, pace: *pace, threads: None, hash_mb: None }).collect();
    if request.sprt.is_some() && engines.len() != 2 {
        return Err(MatchError::Usage(format!("--sprt: found {} engines, expected 2", engines.len())));
    }
    let standing = Scoreboard {
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
        files::replace(path, text).map_err(|error| MatchError::Work(format!("{option}: '{}': {error}", path.display())))
    };
    if let Some(path) = &request.json {
        write("--json", path, &format!("{}\n", standing.json(true)))?;
    }
    request.record.as_deref().map_or(Ok(()), |path| write("--record", path, &pool.records))?;
    match pool.damaged {
        0 => Ok(()),
        count => Err(MatchError::Work(format!("--merge: {count} damaged records were skipped"))),
    }
}

impl Pool {
    /// The games of these files.
    fn gather(files: &[PathBuf]) -> Result<Self, MatchError> {
        let mut pool = Self::default();
        let mut seen = Vec::new();
        for path in files {
            let named = |why: String| MatchError::Work(format!("--merge: '{}': {why}", path.display()));
            let real = fs::canonicalize(path).map_err(|error| named(error.to_string()))?;
            if seen.contains(&real) {
                let found = format!("--merge: found '{}' twice, expected it once", path.display());
                return Err(MatchError::Usage(found));
            }
            seen.push(real);
            let file = File::open(path).map_err(|error| named(error.to_string()))?;
            let items = Items::new(&path.to_string_lossy(), BufReader::new(file), RuleSet::standard());
            pool.take_in(items, seen.len()).map_err(named)?;
        }
        Ok(pool)
    }

    /// Says what is doubtful about the games.
    fn warn(&self) {
        if self.single > 0 {
            log::warn!("{} games have no partner with the sides swapped and are not counted", self.single);
        }
        if self.copies > 0 {
            log::warn!("{} games are copies of others (moves and comments) and are counted once", self.copies);
        }
        if self.twice > 0 {
            log::warn!(
                "{} games are there twice (the same engines, rules, opening and moves) and are counted twice",
                self.twice
            );
        }
        for (name, one, other) in &self.mixed {
            log::warn!("{name} has played with '{one}' and with '{other}'; both are counted together");
        }
    }

    /// Takes in a file, the `file`th. Records that can't be read are left out, and so is half a record at its end, as an
    /// interrupted match leaves it.
    fn take_in(&mut self, items: Items<impl BufRead>, file: usize) -> Result<(), String> {
        let (records, damaged) = self.read(items);
        if records.is_empty() {
            let nothing = "found no games, expected records of a match";
            let first = damaged.into_iter().next();
            return Err(first.map_or(nothing.to_owned(), |error| TextError { file: None, ..error }.to_string()));
        }
        let mut waiting: BTreeMap<String, Record> = BTreeMap::new();
        for record in records {
            let pair = record.tag("Pair").ok_or("found a game without the tag 'Pair', expected records of matches")?;
            match waiting.remove(pair) {
                Some(first) if is_pair(&first, &record) => self.add_pair(first, record, file)?,
                // Its partner was damaged, and another match has a pair of this number.
                first => {
                    self.single += u64::from(first.is_some());
                    waiting.insert(pair.to_owned(), record);
                }
            }
        }
        self.single += waiting.len() as u64;
        Ok(())
    }

    /// The whole records of a file, and what is wrong with each of the others. After a damaged one it goes on at the
    /// next that begins as those of matches do.
    fn read(&mut self, mut items: Items<impl BufRead>) -> (Vec<Record>, Vec<TextError>) {
        let (mut records, mut damaged) = (Vec::new(), Vec::new());
        let mut is_in_damage = false;
        while let Some(text) = items.next_text() {
            let begins_record = text.as_ref().is_ok_and(|text| text.is_of_match());
            if is_in_damage && !begins_record {
                continue;
            }
            match text.and_then(|text| text.parse(RuleSet::standard())).and_then(finished) {
                Ok(record) => {
                    is_in_damage = false;
                    records.push(record);
                }
                Err(error) => {
                    log::warn!("{error}; this record is skipped");
                    is_in_damage = true;
                    damaged.push(error);
                }
            }
        }
        self.damaged += damaged.len() as u64;
        (records, damaged)
    }

    /// Whether both games of a pair have been met before; remembers them.
    fn is_copy(&mut self, pair: [&Record; 2], file: usize) -> bool {
        let mut is_copy = |record: &Record| {
            let number = record.tag("Pair").unwrap_or_default().to_owned();
            let source = (file, number);
            let key = checksum(&format!("{:?}{}", limits(record), with_comments(record)));
            // An engine may play the same game again in another pair of its match.
            match self.sources.get(&key) {
                Some(known) => known.0 != file || *known == source,
                None => {
                    self.sources.insert(key, source);
                    false
                }
            }
        };
        let [one, other] = pair.map(&mut is_copy);
        one && other
    }

    fn add_pair(&mut self, one: Record, other: Record, file: usize) -> Result<(), String> {
        if self.is_copy([&one, &other], file) {
            self.copies += 2;
            return Ok(());
        }
        let games = [self.counted(&one)?, self.counted(&other)?];
        let [first, second] = &games;
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
            self.twice += u64::from(!self.games.insert(checksum(&moves_of(&record))));
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
        let limits = limits.unwrap_or_default();
        if let Some(index) = self.engines.iter().position(|(known, ..)| known == name) {
            let others = self.engines.get(index).map(|(_, _, words)| words).filter(|words| *words != limits);
            self.mixed.extend(others.map(|words| (name.to_owned(), words.clone(), limits.to_owned())));
            return Ok(index);
        }
        let mut found = EngineLimits::default();
        for word in limits.split_whitespace() {
            let (key, value) = text::key_value(word)?;
            found.set(key, value)?;
        }
        self.engines.push((name.to_owned(), found.pace(), limits.to_owned()));
        Ok(self.engines.len() - 1)
    }
}

/// Whether two games are by the same rules, between the same engines, with the sides swapped.
fn is_pair(one: &Record, other: &Record) -> bool {
    let names = |record: &Record, tags: [&str; 2]| tags.map(|tag| record.tag(tag).map(str::to_owned));
    names(one, ["White", "Black"]) == names(other, ["Black", "White"]) && one.game.rules() == other.game.rules()
}

/// The record of an item that has its result.
fn finished(item: InputItem) -> Result<Record, TextError> {
    let missing = item.warnings.last().filter(|_| !item.has_result).cloned();
    match missing {
        Some(missing) => Err(missing),
        None if !item.has_result => Err(item.place.error("found a game without a result, expected one".to_owned())),
        None => {
            item.warnings.iter().for_each(|warning| log::warn!("{warning}"));
            Ok(item.record)
        }
    }
}

/// The limits of both engines.
fn limits(record: &Record) -> [&str; 2] {
    ["WhiteLimits", "BlackLimits"].map(|tag| record.tag(tag).unwrap_or_default())
}

/// What makes a game the same as another: engines, rules, opening and moves.
fn moves_of(record: &Record) -> String {
    let game = &record.game;
    let engines = ["White", "Black"].map(|tag| record.tag(tag).unwrap_or_default());
    let moves: Vec<String> = game.moves().iter().map(ToString::to_string).collect();
    format!("{engines:?} {} {} {}", game.rules().name, Fen(game.start()), moves.join(" "))
}

/// The same with the comments, in which the times of the moves stand.
fn with_comments(record: &Record) -> String {
    format!("{} {:?} {}", moves_of(record), record.comments, record.reason)
}

/// Points of White and Black in a scored rule set: those that the record names, or else those of the position.
fn points(record: &Record, result: GameResult) -> Option<(u64, u64)> {
    let game = &record.game;
    let named = record.tag("Points").and_then(|text| text.split_once('-'));
    let named = named.and_then(|(white, black)| Some((white.parse().ok()?, black.parse().ok()?)));
    if let Some(points) = named.filter(|_| game.rules().scored) {
        return Some(points);
    }
    let worth = |side| u64::from(game.rules().win_points(side, game.position().goats_alive()));
    game.rules().scored.then(|| match result {
        GameResult::Win => (worth(Side::White), 0),
        GameResult::Loss => (0, worth(Side::Black)),
        GameResult::Draw => (0, 0),
    })
}
