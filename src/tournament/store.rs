//! The store of a running match: which games are over, their results, and the record and checkpoint files.

use crate::files;
use crate::platform;
use crate::text::quoted_path;
use crate::tournament::MatchError;
use crate::tournament::checkpoint::{Checkpoint, OptionValues, SavedMatch};
use crate::tournament::results::{GameSummary, MatchResults};
use crate::tournament::schedule::{Fixture, GameNumber, Leg, Schedule};
use crate::tournament::settings::MatchSettings;
use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::io::{self, Seek, SeekFrom, Write};
use std::path::Path;

/// The append-only file with the records of all games.
#[derive(Debug)]
struct RecordFile {
    file: File,
    /// In bytes; 0 for a device or a pipe.
    length: u64,
    /// A device or a pipe can't be truncated.
    is_regular: bool,
    /// Whether this match has created it.
    is_new: bool,
}

impl RecordFile {
    /// A shared file is one that other matches may append to as well.
    fn open(path: &Path, is_shared: bool) -> Result<Self, MatchError> {
        let named = |why: String| MatchError::Failed(format!("--record: {}: {why}", quoted_path(path)));
        let is_new = !path.exists();
        let mut file = files::open_append(path, is_shared).map_err(named)?;
        let mut end = || -> io::Result<(bool, u64)> {
            let is_regular = platform::is_regular(&file)?;
            Ok((is_regular, if is_regular { file.seek(SeekFrom::End(0))? } else { 0 }))
        };
        let (is_regular, length) = end().map_err(|error| named(error.to_string()))?;
        Ok(Self { file, length, is_regular, is_new })
    }

    /// Truncates the file to the length in the checkpoint.
    fn truncate(&mut self, length: u64, path: &Path) -> Result<(), MatchError> {
        if !self.is_regular {
            return Ok(());
        }
        if self.length < length {
            return Err(MatchError::Failed(format!(
                "--record: {}: found {} bytes, expected the {length} or more that the journal knows",
                quoted_path(path),
                self.length
            )));
        }
        files::truncate(&self.file, length)?;
        self.length = length;
        Ok(())
    }

    /// Appends in one write, so that nothing of another match comes between.
    fn append(&mut self, text: &str) -> io::Result<()> {
        self.file.write_all(text.as_bytes())?;
        if self.is_regular {
            self.file.sync_data()?;
            self.length += text.len() as u64;
        }
        Ok(())
    }

    /// Removes the file if this match has created it and it is empty.
    fn discard(&self, path: &Path) {
        if self.is_new && self.file.metadata().is_ok_and(|found| found.len() == 0) {
            // An empty file that stays does no harm.
            let _ = fs::remove_file(files::resolve_links(path));
        }
    }
}

/// The results and files of a match.
#[derive(Debug)]
pub struct MatchStore {
    record: Option<RecordFile>,
    checkpoint: Option<Checkpoint>,
    /// Numbers of the games that are over.
    finished: BTreeSet<u64>,
    /// By number of the pair: the finished game of each pair with one game over, with its record.
    half_pairs: BTreeMap<u64, (GameSummary, String)>,
    /// Of the finished pairs.
    pub results: MatchResults,
}

impl MatchStore {
    /// Opens the files; if there is a checkpoint, the store begins with its games.
    ///
    /// # Errors
    /// Says which file can't be used.
    pub fn open(settings: &MatchSettings, options: &OptionValues, schedule: &Schedule) -> Result<Self, MatchError> {
        let is_shared = settings.resume.is_none();
        let mut record = settings.record.as_deref().map(|path| RecordFile::open(path, is_shared)).transpose()?;
        let opened = Self::open_checkpoint(settings, options, record.as_mut(), schedule);
        if let (Err(_), Some(record), Some(path)) = (&opened, &record, &settings.record) {
            record.discard(path);
        }
        let (checkpoint, saved) = opened?;
        let (finished, half_pairs, results) = (BTreeSet::new(), BTreeMap::new(), MatchResults::default());
        let mut store = Self { record, checkpoint, finished, half_pairs, results };
        store.restore(saved, schedule)?;
        Ok(store)
    }

    fn open_checkpoint(
        settings: &MatchSettings,
        options: &OptionValues,
        record: Option<&mut RecordFile>,
        schedule: &Schedule,
    ) -> Result<(Option<Checkpoint>, SavedMatch), MatchError> {
        let Some(path) = &settings.resume else { return Ok((None, SavedMatch::default())) };
        let length = record.as_ref().map_or(0, |record| record.length);
        let (checkpoint, saved) =
            Checkpoint::open(path, options, length).map_err(|why| MatchError::Failed(format!("--resume: {why}")))?;
        // Nothing is cut off for the sake of a journal that can't be right.
        saved.check(schedule).map_err(|why| MatchError::Failed(format!("--resume: {}: {why}", quoted_path(path))))?;
        if let (Some(record), Some(path)) = (record, &settings.record) {
            record.truncate(saved.record_length, path)?;
        }
        Ok((Some(checkpoint), saved))
    }

    /// Adds the games of a checkpoint.
    fn restore(&mut self, saved: SavedMatch, schedule: &Schedule) -> Result<(), MatchError> {
        for (number, (summary, record)) in saved.games {
            // The match may be shorter now than it was.
            let Some(game) = schedule.game(GameNumber(number)) else { continue };
            self.add(&game, summary, record, saved.pairs.contains(&game.pair))?;
        }
        Ok(())
    }

    /// Numbers of the games that are over.
    pub fn finished(&self) -> &BTreeSet<u64> {
        &self.finished
    }

    /// Adds a game that has just ended and saves it; true if its pair is finished by it.
    ///
    /// # Errors
    /// As writing the files does.
    pub fn finish(&mut self, game: &Fixture, summary: GameSummary, record: String) -> Result<bool, MatchError> {
        // Without a record file nobody will need it.
        let record = if self.record.is_some() { record } else { String::new() };
        if let Some(checkpoint) = &mut self.checkpoint {
            checkpoint.save_game(game.number.0, &summary, &record).map_err(|error| named("--resume", &error))?;
        }
        self.add(game, summary, record, false)
    }

    /// `is_saved` says that the pair's records are in the record file already.
    fn add(
        &mut self,
        game: &Fixture,
        summary: GameSummary,
        record: String,
        is_saved: bool,
    ) -> Result<bool, MatchError> {
        if !self.finished.insert(game.number.0) {
            return Ok(false);
        }
        let Some((other, other_record)) = self.half_pairs.remove(&game.pair) else {
            self.half_pairs.insert(game.pair, (summary, record));
            return Ok(false);
        };
        let (games, records) = match game.leg {
            Leg::First => ([&summary, &other], record + &other_record),
            Leg::Second => ([&other, &summary], other_record + &record),
        };
        if !is_saved {
            self.save_pair(game.pair, &records)?;
        }
        self.results.add_pair(game.rules, games);
        Ok(true)
    }

    /// Appends the records of a pair to the record file, and saves that they are there.
    fn save_pair(&mut self, pair: u64, records: &str) -> Result<(), MatchError> {
        if let Some(record) = &mut self.record {
            record.append(records).map_err(|error| named("--record", &error))?;
        }
        if let Some(checkpoint) = &mut self.checkpoint {
            let length = self.record.as_ref().map_or(0, |record| record.length);
            checkpoint.save_pair(pair, length).map_err(|error| named("--resume", &error))?;
        }
        Ok(())
    }
}

fn named(option: &str, error: &io::Error) -> MatchError {
    MatchError::Failed(format!("{option}: {error}"))
}
