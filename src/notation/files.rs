//! Positions and games from several files, one after another.

use crate::notation::TextError;
use crate::notation::reader::{InputItem, Items, Location, STANDARD_INPUT, unreadable};
use crate::rules::RuleSet;
use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::path::PathBuf;
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::thread::Builder;
use std::time::Duration;

/// Lines of a file that can be nothing of ours before it is given up.
const MOST_FOREIGN_LINES: usize = 20;

/// How long the errors of standard input are held back where more may show that none of it is ours: who writes into a
/// pipe may wait for the answer to a line.
const PATIENCE: Duration = Duration::from_millis(200);

/// Items that are read ahead of standard input.
const READ_AHEAD: usize = 32;

/// The next item of an input, `None` at its end; and whether it does not even begin as one of ours.
struct NextItem {
    item: Option<Result<InputItem, TextError>>,
    is_foreign: bool,
}

impl NextItem {
    fn of(items: &mut Items<Box<dyn BufRead + Send>>) -> Self {
        let item = items.next();
        let is_foreign = items.was_foreign && matches!(item, Some(Err(_)));
        Self { item, is_foreign }
    }
}

/// An input that is being read.
enum OpenInput {
    File(Items<Box<dyn BufRead + Send>>),
    /// Standard input, which a thread of its own reads.
    Piped(Receiver<NextItem>),
}

impl OpenInput {
    fn standard_input(rules: &'static RuleSet) -> io::Result<Self> {
        let (sender, receiver) = sync_channel(READ_AHEAD);
        // Never joined: a read may block for ever, and the process ends without it.
        Builder::new().name("reader".to_owned()).spawn(move || {
            let input: Box<dyn BufRead + Send> = Box::new(BufReader::new(io::stdin()));
            let mut items = Items::new(STANDARD_INPUT, input, rules);
            loop {
                let next = NextItem::of(&mut items);
                let is_end = next.item.is_none();
                if sender.send(next).is_err() || is_end {
                    return;
                }
            }
        })?;
        Ok(Self::Piped(receiver))
    }

    /// The next item; `None` if none comes within this time, for as long as which only standard input is waited for.
    fn next(&mut self, patience: Option<Duration>) -> Option<NextItem> {
        let end = NextItem { item: None, is_foreign: false };
        match (self, patience) {
            (Self::File(items), _) => Some(NextItem::of(items)),
            (Self::Piped(items), None) => Some(items.recv().unwrap_or(end)),
            (Self::Piped(items), Some(time)) => match items.recv_timeout(time) {
                Err(RecvTimeoutError::Timeout) => None,
                received => Some(received.unwrap_or(end)),
            },
        }
    }
}

/// The items of several files, one file after another. Each is opened when its turn comes.
pub struct Files {
    names: std::vec::IntoIter<PathBuf>,
    rules: &'static RuleSet,
    open: Option<OpenInput>,
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
        let place = Location { file: file.as_str().into(), line: 0 };
        let opened = if file == STANDARD_INPUT {
            OpenInput::standard_input(self.rules)
        } else {
            File::open(name).map(|opened| {
                let input: Box<dyn BufRead + Send> = Box::new(BufReader::new(opened));
                OpenInput::File(Items::new(&file, input, self.rules))
            })
        };
        self.open = Some(opened.map_err(|error| place.error(unreadable(&error)))?);
        self.is_foreign = true;
        Ok(())
    }

    /// Reads on in the open file, to its next item or, at its beginning, until there is no doubt what it is.
    fn read_on(&mut self) {
        while let Some(input) = &mut self.open {
            let patience = (!self.ready.is_empty()).then_some(PATIENCE);
            let Some(next) = input.next(patience) else {
                self.is_foreign = false;
                return;
            };
            let is_end = next.item.is_none();
            self.ready.extend(next.item);
            self.is_foreign &= next.is_foreign || is_end;
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
