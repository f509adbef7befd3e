//! The books of a running match: which games are over, what they come to, and the files that keep them.

use crate::files;
use crate::tournament::MatchError;
use crate::tournament::checkpoint::{Checkpoint, Plan, SavedMatch};
use crate::tournament::results::{GameSummary, MatchResults};
use crate::tournament::schedule::{Fixture, GameNumber, Leg, Schedule};
use crate::tournament::settings::MatchSettings;
use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::Path;

/// The file with the records of all games, which is only ever appended to.
#[derive(Debug)]
struct RecordFile {
    file: File,
    length: u64,
    /// A device or a pipe has no length, and can't be cut.
    is_regular: bool,
    /// Whether it was not there before.
    is_new: bool,
}

impl RecordFile {
    /// Opens the file; one that others may append to as well if it is shared.
    fn open(path: &Path, is_shared: bool) -> Result<Self, MatchError> {
        let named = |why: String| MatchError::Work(format!("--record: '{}': {why}", path.display()));
        let open = || -> io::Result<Self> {
            let is_new = !path.exists();
            let file = OpenOptions::new().create(true).append(true).open(path)?;
            let found = file.metadata()?;
            let is_regular = found.is_file();
            Ok(Self { file, length: if is_regular { found.len() } else { 0 }, is_regular, is_new })
        };
        let record = open().map_err(|error| named(error.to_string()))?;
        files::lock(&record.file, is_shared).map_err(named)?;
        Ok(record)
    }

    /// Goes back to a length that the journal vouches for.
    fn cut(&mut self, length: u64, path: &Path) -> Result<(), MatchError> {
        if !self.is_regular {
            return Ok(());
        }
        if self.length < length {
            return Err(MatchError::Work(format!(
                "--record: '{}': found {} bytes, expected the {length} or more that the journal knows",
                path.display(),
                self.length
            )));
        }
        self.file.set_len(length)?;
        self.length = length;
        Ok(())
    }

    /// Appends in one piece, so that nothing of others comes between.
    fn append(&mut self, text: &str) -> io::Result<()> {
        self.file.write_all(text.as_bytes())?;
        if self.is_regular {
            self.file.sync_data()?;
            self.length += text.len() as u64;
        }
        Ok(())
    }

    /// Leaves nothing behind where there was nothing.
    fn discard(&self, path: &Path) {
        if self.is_new && self.file.metadata().is_ok_and(|found| found.len() == 0) {
            // A file too many does no harm.
            let _ = fs::remove_file(files::followed(path));
        }
    }
}

/// The books.
#[derive(Debug)]
pub struct MatchStore {
    record: Option<RecordFile>,
    journal: Option<Checkpoint>,
    /// Games that are over.
    done: BTreeSet<u64>,
    /// Of the pairs with one game over: that game with its record.
    half: BTreeMap<u64, (GameSummary, String)>,
    /// What the finished pairs come to.
    pub results: MatchResults,
}

impl MatchStore {
    /// Opens the books, and the old ones where there are any.
    ///
    /// # Errors
    /// Says which file can't be used.
    pub fn open(settings: &MatchSettings, plan: &Plan, schedule: &Schedule) -> Result<Self, MatchError> {
        let is_shared = settings.resume.is_none();
        let mut record = settings.record.as_deref().map(|path| RecordFile::open(path, is_shared)).transpose()?;
        let opened = Self::open_journal(settings, plan, record.as_mut());
        if let (Err(_), Some(record), Some(path)) = (&opened, &record, &settings.record) {
            record.discard(path);
        }
        let (journal, past) = opened?;
        let mut ledger =
            Self { record, journal, done: BTreeSet::new(), half: BTreeMap::new(), results: MatchResults::default() };
        ledger.take_over(past, schedule)?;
        Ok(ledger)
    }

    fn open_journal(
        settings: &MatchSettings,
        plan: &Plan,
        record: Option<&mut RecordFile>,
    ) -> Result<(Option<Checkpoint>, SavedMatch), MatchError> {
        let Some(path) = &settings.resume else { return Ok((None, SavedMatch::default())) };
        let length = record.as_ref().map_or(0, |record| record.length);
        let (journal, past) =
            Checkpoint::open(path, plan, length).map_err(|why| MatchError::Work(format!("--resume: {why}")))?;
        if let (Some(record), Some(path)) = (record, &settings.record) {
            record.cut(past.record_length, path)?;
        }
        Ok((Some(journal), past))
    }

    /// Enters what an old journal knows.
    fn take_over(&mut self, past: SavedMatch, schedule: &Schedule) -> Result<(), MatchError> {
        for (number, (counted, record)) in past.games {
            // A match that is shorter now than it was leaves the rest out.
            let Some(game) = schedule.game(GameNumber(number)) else { continue };
            self.enter(&game, counted, record, past.pairs.contains(&game.pair))?;
        }
        Ok(())
    }

    /// Numbers of the games that are over.
    pub fn done(&self) -> BTreeSet<u64> {
        self.done.clone()
    }

    /// Enters a game that has just ended; true if its pair is finished by it.
    ///
    /// # Errors
    /// As writing the files does.
    pub fn finish(&mut self, game: &Fixture, counted: GameSummary, record: String) -> Result<bool, MatchError> {
        // Without a record file nobody will ask for it.
        let record = if self.record.is_some() { record } else { String::new() };
        if let Some(journal) = &mut self.journal {
            journal.note_game(game.number.0, &counted, &record).map_err(|error| named("--resume", &error))?;
        }
        self.enter(game, counted, record, false)
    }

    fn enter(
        &mut self,
        game: &Fixture,
        counted: GameSummary,
        record: String,
        is_filed: bool,
    ) -> Result<bool, MatchError> {
        if !self.done.insert(game.number.0) {
            return Ok(false);
        }
        let Some((other, other_record)) = self.half.remove(&game.pair) else {
            self.half.insert(game.pair, (counted, record));
            return Ok(false);
        };
        let (games, records) = match game.leg {
            Leg::First => ([&counted, &other], record + &other_record),
            Leg::Second => ([&other, &counted], other_record + &record),
        };
        if !is_filed {
            self.file(game.pair, &records)?;
        }
        self.results.add_pair(game.rules, games);
        Ok(true)
    }

    /// Puts the records of a pair into the record file, and notes it.
    fn file(&mut self, pair: u64, records: &str) -> Result<(), MatchError> {
        if let Some(record) = &mut self.record {
            record.append(records).map_err(|error| named("--record", &error))?;
        }
        if let Some(journal) = &mut self.journal {
            let length = self.record.as_ref().map_or(0, |record| record.length);
            journal.note_pair(pair, length).map_err(|error| named("--resume", &error))?;
        }
        Ok(())
    }
}

fn named(option: &str, error: &io::Error) -> MatchError {
    MatchError::Work(format!("{option}: {error}"))
}
