//! What the commands for scripts read, and how they are told of it.

use super::ScriptError;
use super::source::{Fault, Files, Item, Items};
use crate::rules::RuleSet;
use clap::Args;
use clap::builder::NonEmptyStringValueParser;
use std::io::{self, Cursor, Write};
use std::ops::RangeInclusive;
use std::path::PathBuf;

/// What is read.
#[derive(Args)]
pub struct Input {
    /// Files with positions and games, '-' for standard input, which is read as well where no file is named
    #[arg(value_name = "FILE")]
    files: Vec<PathBuf>,
    /// A position or game instead of files, in any form that a line of a file may have
    #[arg(long, value_name = "TEXT", conflicts_with = "files", value_parser = NonEmptyStringValueParser::new())]
    fen: Option<String>,
    /// Rule set where a line or record names none; protocol.md lists them, and so does a wrong name
    #[arg(long, value_name = "NAME", default_value = "baghbandi", value_parser = RuleSet::parse)]
    rules: &'static RuleSet,
}

impl Input {
    /// The positions and games, one after another.
    pub fn items(&self) -> Box<dyn Iterator<Item = Result<Item, Fault>> + Send> {
        match &self.fen {
            Some(text) => Box::new(Items::new("--fen", Cursor::new(text.clone()), self.rules)),
            None => Box::new(Files::new(self.files.clone(), self.rules)),
        }
    }

    /// The rules where the input names none.
    pub const fn rules(&self) -> &'static RuleSet {
        self.rules
    }

    /// Calls `each` with every position or game, which writes what there is to say of it, and flushes. What can't be
    /// read is told of on standard error, and the rest goes on.
    ///
    /// # Errors
    /// If something could not be read, or nobody reads the output any more.
    pub fn for_each(&self, mut each: impl FnMut(&mut dyn Write, &Item) -> io::Result<()>) -> Result<(), ScriptError> {
        let mut tally = Tally::default();
        let mut out = io::stdout().lock();
        for item in self.items() {
            tally.count(item.is_err());
            match item {
                Ok(item) => {
                    each(&mut out, &item)?;
                    out.flush()?;
                }
                // Nobody may be there to hear of it; the exit code tells as well.
                Err(fault) => drop(writeln!(io::stderr(), "{fault}")),
            }
        }
        tally.conclude()
    }
}

/// How much was read, and how much of it could not be.
#[derive(Copy, Clone, Default)]
pub struct Tally {
    all: u64,
    faults: u64,
}

impl Tally {
    /// Counts one thing more.
    pub fn count(&mut self, is_fault: bool) {
        self.all += 1;
        self.faults += u64::from(is_fault);
    }

    /// What it comes to in the end.
    ///
    /// # Errors
    /// If there was anything that could not be read.
    pub fn conclude(self) -> Result<(), ScriptError> {
        match self.faults {
            0 => Ok(()),
            faults => Err(ScriptError::Work(format!("{faults} of {} inputs can't be read", self.all))),
        }
    }
}

/// A number, or two with a hyphen between them: `7`, `3-7`.
///
/// # Errors
/// Says what was expected.
pub fn parse_range(text: &str) -> Result<RangeInclusive<u32>, String> {
    let (low, high) = text.split_once('-').unwrap_or((text, text));
    match (low.parse(), high.parse()) {
        (Ok(low), Ok(high)) if low <= high => Ok(low..=high),
        _ => Err("expected a number, or two from the lower to the higher as 3-7".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_one_number_or_two() {
        assert_eq!((parse_range("7"), parse_range("3-7")), (Ok(7..=7), Ok(3..=7)));
        for text in ["", "-", "7-3", "a", "3-", "-3", "1-2-3", "99999999999"] {
            assert!(parse_range(text).is_err(), "{text}");
        }
    }
}
