//! Positions and games from several files, one after another.

use crate::notation::TextError;
use crate::notation::reader::{InputItem, Items, Location, STANDARD_INPUT, unreadable};
use crate::rules::RuleSet;
use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::path::PathBuf;

/// Lines of a file that can be nothing of ours before it is given up.
const MOST_FOREIGN_LINES: usize = 20;

/// The items of several files, one file after another. Each is opened when its turn comes.
pub struct Files {
    names: std::vec::IntoIter<PathBuf>,
    rules: &'static RuleSet,
    open: Option<Items<Box<dyn BufRead + Send>>>,
    /// What was read and is still to be returned.
    ready: VecDeque<Result<InputItem, TextError>>,
    /// Whether it is still open if the file is one with positions and games.
    is_foreign: bool,
}

impl Files {
    /// The items of these files; of standard input where one is named `-`, or none is named. Where a line names no rule
    /// set it is read by these rules.
    pub fn new(mut names: Vec<PathBuf>, rules: &'static RuleSet) -> Self {
        if names.is_empty() {
            names.push(PathBuf::from(STANDARD_INPUT));
        }
        Self { names: names.into_iter(), rules, open: None, ready: VecDeque::new(), is_foreign: false }
    }

    fn open_next(&mut self, name: PathBuf) -> Result<(), TextError> {
        let file = name.to_string_lossy().into_owned();
        // Who writes into a pipe may wait for the answer to a line.
        self.is_foreign = file != STANDARD_INPUT;
        let input: Box<dyn BufRead + Send> = if file == STANDARD_INPUT {
            Box::new(BufReader::new(io::stdin()))
        } else {
            let place = Location { file: file.as_str().into(), line: 0 };
            let opened = File::open(name).map_err(|error| place.error(unreadable(&error)))?;
            Box::new(BufReader::new(opened))
        };
        self.open = Some(Items::new(&file, input, self.rules));
        Ok(())
    }

    /// Reads on in the open file, to its next item or, at its beginning, until there is no doubt what it is.
    fn read_on(&mut self) {
        while let Some(items) = &mut self.open {
            let next = items.next();
            let is_end = next.is_none();
            let is_foreign = items.was_foreign && matches!(next, Some(Err(_)));
            self.ready.extend(next);
            self.is_foreign &= is_foreign || is_end;
            let is_given_up = self.is_foreign && (self.ready.len() >= MOST_FOREIGN_LINES || is_end);
            if is_given_up && self.ready.len() > 1 {
                let first = self.ready.drain(..).next();
                self.ready.extend(first.map(|first| first.map_err(|error| not_ours(&error))));
            }
            if is_given_up || is_end {
                self.open = None;
            }
            if !self.is_foreign {
                return;
            }
        }
    }
}

/// The error of a file of which no line can be read.
fn not_ours(first: &TextError) -> TextError {
    TextError { message: format!("{}; nor is any other line a position or a game", first.message), ..first.clone() }
}

impl Iterator for Files {
    type Item = Result<InputItem, TextError>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if let Some(item) = self.ready.pop_front() {
                return Some(item);
            }
            if self.open.is_some() {
                self.read_on();
                continue;
            }
            let name = self.names.next()?;
            if let Err(fault) = self.open_next(name) {
                return Some(Err(fault));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_come_one_after_another() {
        let rules = RuleSet::standard();
        let names = [concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/values.tsv"), "/nowhere", "/"];
        let found: Vec<_> = Files::new(names.map(PathBuf::from).to_vec(), rules).collect();
        assert_eq!(found.len(), 2_002);
        assert!(found[..2_000].iter().all(Result::is_ok));
        let faults: Vec<String> = found[2_000..].iter().map(|item| item.as_ref().unwrap_err().to_string()).collect();
        assert!(faults[0].starts_with("/nowhere: can't be read: ") && faults[1].starts_with("/: can't be read: "));
    }

    #[test]
    fn a_file_that_is_no_game_has_one_error() {
        let name = concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.lock");
        let found: Vec<_> = Files::new(vec![PathBuf::from(name)], RuleSet::standard()).collect();
        assert_eq!(found.len(), 1, "{found:?}");
        let error = found[0].as_ref().unwrap_err().to_string();
        assert!(error.ends_with("; nor is any other line a position or a game"), "{error}");
    }
}
