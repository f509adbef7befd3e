//! Merging matches: the games in several record files are counted together.

use crate::checksum::fnv1a_64;
use crate::files;
use crate::game::GameResult;
use crate::notation::TextError;
use crate::notation::fen::Fen;
use crate::notation::match_record::Record;
use crate::notation::reader::{InputItem, Items};
use crate::rules::{RuleSet, Side};
use crate::text::{self, quoted_path};
use crate::tournament::MatchError;
use crate::tournament::console::MatchConsole;
use crate::tournament::fault::FaultKind;
use crate::tournament::limits::{EngineLimits, MainLimit};
use crate::tournament::report::{self, Contender};
use crate::tournament::results::{GameSummary, MatchResults};
use crate::tournament::scoreboard::Scoreboard;
use crate::tournament::sprt::Sprt;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::fs::{self, File};
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};

/// The files of a merge.
pub struct MergeRequest {
    /// The record files to read.
    pub files: Vec<PathBuf>,
    /// The rules of records that name none.
    pub rules: &'static RuleSet,
    /// A sequential test of all games.
    pub sprt: Option<Sprt>,
    /// File for all counted games.
    pub record: Option<PathBuf>,
    /// File for the results as JSON.
    pub json: Option<PathBuf>,
}

/// The games of all files.
#[derive(Default)]
struct MergedGames {
    /// Names, limits if there are any, and the limits as in the record.
    engines: Vec<(String, Option<MainLimit>, String)>,
    rules: Vec<&'static RuleSet>,
    results: MatchResults,
    /// The records of all pairs, numbered anew.
    records: String,
    pairs: u64,
    /// Games whose partner is in no file.
    unpaired: u64,
    /// Checksums of the games by engines, rules, opening and moves.
    checksums: BTreeSet<u64>,
    /// Games that equal an earlier one but for their comments; they are counted.
    duplicates: u64,
    /// Where each game is, by a checksum of all of it: the number of the file, and the pair.
    sources: BTreeMap<u64, (usize, String)>,
    /// Games that equal an earlier one, comments included; they are not counted again.
    copies: u64,
    /// Records that can't be read.
    damaged: u64,
    /// Engines with different limits in different games: name and both limits.
    mixed: BTreeSet<(String, String, String)>,
}

/// Counts the games of the files and prints their results.
///
/// # Errors
/// A file can't be used; or, after all is done, records were damaged.
pub fn run(request: &MergeRequest) -> Result<(), MatchError> {
    if let Some(path) = &request.json {
        files::check(path).map_err(|error| MatchError::Failed(format!("--json: {}: {error}", quoted_path(path))))?;
    }
    if let Some(path) = &request.record {
        files::check(path).map_err(|error| MatchError::Failed(format!("--record: {}: {error}", quoted_path(path))))?;
    }
    let merged = MergedGames::read(&request.files, request.rules)?;
    merged.log_warnings();
    let engines = merged.engines.iter();
    let engines: Vec<Contender<'_>> =
        engines.map(|(name, limit, _)| Contender { name, limit: *limit, threads: None, hash_mb: None }).collect();
    if request.sprt.is_some() && engines.len() != 2 {
        return Err(MatchError::Settings(format!("--sprt: found {} engines, expected 2", engines.len())));
    }
    let scoreboard = Scoreboard {
        engines: &engines,
        rules: &merged.rules,
        openings: None,
        sprt: request.sprt,
        results: &merged.results,
        total: None,
    };
    let mut console = MatchConsole::new(false);
    let verdict = scoreboard.verdict().map(|(sprt, _, status)| report::verdict_line(&sprt, status));
    let printed = console
        .important(&scoreboard.text())
        .and_then(|()| verdict.map_or(Ok(()), |verdict| console.important(&verdict)));
    // The files are written even if nobody reads the text.
    let write = |option: &str, path: &Path, text: &str| {
        files::replace(path, text).map_err(|error| MatchError::unwritten(option, path, &error))
    };
    if let Some(path) = &request.json {
        write("--json", path, &format!("{}\n", scoreboard.json(true)))?;
    }
    request.record.as_deref().map_or(Ok(()), |path| write("--record", path, &merged.records))?;
    match merged.damaged {
        0 => Ok(printed?),
        count => Err(MatchError::Failed(format!("--merge: {count} damaged records were skipped"))),
    }
}

impl MergedGames {
    fn read(files: &[PathBuf], rules: &'static RuleSet) -> Result<Self, MatchError> {
        let mut merged = Self::default();
        let mut seen = Vec::new();
        for path in files {
            let named = |why: String| MatchError::Failed(format!("--merge: {}: {why}", quoted_path(path)));
            let real = fs::canonicalize(path).map_err(|error| named(error.to_string()))?;
            if seen.contains(&real) {
                let found = format!("--merge: found {} twice, expected it once", quoted_path(path));
                return Err(MatchError::Settings(found));
            }
            seen.push(real);
            let file = File::open(path).map_err(|error| named(error.to_string()))?;
            let items = Items::new(&path.to_string_lossy(), BufReader::new(file), rules);
            merged.add_file(items, rules, seen.len()).map_err(named)?;
        }
        Ok(merged)
    }

    /// Logs what is doubtful about the games.
    fn log_warnings(&self) {
        if self.unpaired > 0 {
            log::warn!("{} games have no partner with the sides swapped and are not counted", self.unpaired);
        }
        if self.copies > 0 {
            log::warn!("{} games are copies of others (moves and comments) and are counted once", self.copies);
        }
        if self.duplicates > 0 {
            log::warn!(
                "{} games are there twice (the same engines, rules, opening and moves) and are counted twice",
                self.duplicates
            );
        }
        for (name, one, other) in &self.mixed {
            log::warn!("{name} has played with '{one}' and with '{other}'; both are counted together");
        }
    }

    /// Adds the games of a file, the `file`th. Records that can't be read are left out, and so is half a record at its
    /// end, as an interrupted match leaves it.
    fn add_file(&mut self, items: Items<impl BufRead>, rules: &'static RuleSet, file: usize) -> Result<(), String> {
        let (records, damaged) = self.read_records(items, rules);
        if records.is_empty() {
            let nothing = "found no games, expected records of a match";
            let first = damaged.into_iter().next();
            return Err(first.map_or(nothing.to_owned(), |error| TextError { file: None, ..error }.to_string()));
        }
        let mut waiting: BTreeMap<String, Record> = BTreeMap::new();
        let mut unnumbered: BTreeMap<String, VecDeque<Record>> = BTreeMap::new();
        for record in records {
            let Some(pair) = record.tag("Pair").map(str::to_owned) else {
                match unnumbered.get_mut(&pairing(&record, ["Black", "White"])).and_then(VecDeque::pop_front) {
                    Some(first) => self.add_pair(first, record, file)?,
                    None => unnumbered.entry(pairing(&record, ["White", "Black"])).or_default().push_back(record),
                }
                continue;
            };
            match waiting.remove(&pair) {
                Some(first) if is_pair(&first, &record) => self.add_pair(first, record, file)?,
                // Its partner was damaged, and another match has a pair of this number.
                first => {
                    self.unpaired += u64::from(first.is_some());
                    waiting.insert(pair, record);
                }
            }
        }
        self.unpaired += (waiting.len() + unnumbered.values().map(VecDeque::len).sum::<usize>()) as u64;
        Ok(())
    }

    /// The whole records of a file, and what is wrong with each of the others. After a damaged one it goes on at the
    /// next that begins as those of matches do.
    fn read_records(
        &mut self,
        mut items: Items<impl BufRead>,
        rules: &'static RuleSet,
    ) -> (Vec<Record>, Vec<TextError>) {
        let (mut records, mut damaged) = (Vec::new(), Vec::new());
        let mut is_in_damage = false;
        while let Some(text) = items.next_text() {
            let begins_record = text.as_ref().is_ok_and(|text| text.is_of_match());
            if is_in_damage && !begins_record {
                continue;
            }
            let item = text.and_then(|text| text.parse(rules).map_err(|error| text.with_hint(error, rules)));
            is_in_damage = !item.as_ref().is_ok_and(|item| item.has_result);
            match item.and_then(finished) {
                Ok(record) => records.push(record),
                Err(error) => {
                    log::warn!("{error}; this record is skipped");
                    damaged.push(error);
                }
            }
        }
        self.damaged += damaged.len() as u64;
        (records, damaged)
    }

    /// Whether both games of a pair have been met before; remembers them.
    fn is_copy(&mut self, pair: [&Record; 2], file: usize) -> bool {
        // Pairs without a number may be played alike.
        let unnumbered = format!("after {}", self.pairs + self.copies);
        let mut is_copy = |record: &Record| {
            let source = (file, record.tag("Pair").unwrap_or(&unnumbered).to_owned());
            let key = fnv1a_64(format!("{:?}{}", limits(record), with_comments(record)).as_bytes());
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
        let games = [self.summary(&one)?, self.summary(&other)?];
        let [first, second] = &games;
        let rules = one.game.rules();
        let index = self.rules.iter().position(|known| *known == rules).unwrap_or(self.rules.len());
        if index == self.rules.len() {
            self.rules.push(rules);
        }
        // The first engine of a pairing is the one that came first in the files.
        let ordered = if first.white < first.black { [first, second] } else { [second, first] };
        self.results.add_pair(index, ordered);
        self.pairs += 1;
        for (mut record, number) in [(one, 2 * self.pairs - 1), (other, 2 * self.pairs)] {
            self.duplicates += u64::from(!self.checksums.insert(fnv1a_64(identity(&record).as_bytes())));
            for (name, number) in [("Game", number), ("Pair", self.pairs)] {
                match record.tags.iter_mut().find(|(known, _)| known == name) {
                    Some((_, value)) => *value = number.to_string(),
                    None => record.tags.push((name.to_owned(), number.to_string())),
                }
            }
            self.records += &record.write();
        }
        Ok(())
    }

    fn summary(&mut self, record: &Record) -> Result<GameSummary, String> {
        let result = record.result.ok_or("found a game without a result")?;
        let (white, black) = (self.engine_index(record, Side::White)?, self.engine_index(record, Side::Black)?);
        // Cutegames has a tag of its own.
        let ending = record.tag("Termination").or(record.tag("Adjudicated")).unwrap_or("unknown").to_owned();
        let at_fault = match record.tag("Fault") {
            Some("White") => Some(white),
            Some("Black") => Some(black),
            _ => None,
        };
        let is_known = FaultKind::ALL.iter().any(|kind| kind.name() == ending);
        Ok(GameSummary {
            white,
            black,
            result,
            points: points(record, result),
            ending,
            at_fault: at_fault.filter(|_| is_known),
        })
    }

    /// The index of a side's engine; a new engine is added.
    fn engine_index(&mut self, record: &Record, side: Side) -> Result<usize, String> {
        let tags = if side == Side::White { ["White", "WhiteLimits"] } else { ["Black", "BlackLimits"] };
        let [name, limits] = tags.map(|tag| record.tag(tag));
        let name = name.ok_or_else(|| format!("found a game without the tag '{side}'"))?;
        let limits = limits.unwrap_or_default();
        if let Some(index) = self.engines.iter().position(|(known, ..)| known == name) {
            let others = self.engines.get(index).map(|(_, _, known)| known).filter(|known| *known != limits);
            self.mixed.extend(others.map(|known| (name.to_owned(), known.clone(), limits.to_owned())));
            return Ok(index);
        }
        let mut found = EngineLimits::default();
        for word in limits.split_whitespace() {
            let (key, value) = text::key_value(word)?;
            found.set(key, value)?;
        }
        self.engines.push((name.to_owned(), found.main_limit(), limits.to_owned()));
        Ok(self.engines.len() - 1)
    }
}

/// Whether two games are by the same rules, between the same engines, with the sides swapped.
fn is_pair(one: &Record, other: &Record) -> bool {
    let names = |record: &Record, tags: [&str; 2]| tags.map(|tag| record.tag(tag).map(str::to_owned));
    names(one, ["White", "Black"]) == names(other, ["Black", "White"]) && one.game.rules() == other.game.rules()
}

/// What two games without a number must have in common to be a pair: rules, first position and engines, which the tags
/// name in this order.
fn pairing(record: &Record, tags: [&str; 2]) -> String {
    format!("{} {} {:?}", record.game.rules().name, Fen(record.game.start()), tags.map(|tag| record.tag(tag)))
}

/// The record of a finished game between engines that it names.
fn finished(item: InputItem) -> Result<Record, TextError> {
    let missing = item.warnings.last().filter(|_| !item.has_result).cloned();
    match missing {
        Some(missing) => Err(missing),
        None if !item.has_result => Err(item.place.error("found a game without a result, expected one".to_owned())),
        None if item.record.result.is_none() => {
            Err(item.place.error("found the result *, expected a finished game".to_owned()))
        }
        None => {
            item.warnings.iter().for_each(|warning| log::warn!("{warning}"));
            match ["White", "Black"].into_iter().find(|tag| item.record.tag(tag).is_none()) {
                Some(tag) => {
                    Err(item.place.error(format!("found a game without the tag {tag}, expected both engines' names")))
                }
                None => Ok(item.record),
            }
        }
    }
}

/// The limits of both engines.
fn limits(record: &Record) -> [&str; 2] {
    ["WhiteLimits", "BlackLimits"].map(|tag| record.tag(tag).unwrap_or_default())
}

/// What makes two games equal: engines, rules, opening and moves.
fn identity(record: &Record) -> String {
    let game = &record.game;
    let engines = ["White", "Black"].map(|tag| record.tag(tag).unwrap_or_default());
    let moves: Vec<String> = game.moves().iter().map(ToString::to_string).collect();
    format!("{engines:?} {} {} {}", game.rules().name, Fen(game.start()), moves.join(" "))
}

/// The same with the comments, in which the times of the moves stand.
fn with_comments(record: &Record) -> String {
    format!("{} {:?} {}", identity(record), record.comments, record.reason)
}

/// Points of White and Black in a scored rule set: those in the record's tag, or else those of the last position.
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
