//! Arguments that several commands have: the rule set, the positions and games to read, numbers and ranges.

use crate::commands::error::CliError;
use crate::notation::TextError;
use crate::notation::files::Files;
use crate::notation::reader::{InputItem, Items};
use crate::rules::RuleSet;
use clap::Args;
use clap::builder::NonEmptyStringValueParser;
use std::io::{self, Cursor, Write};
use std::ops::RangeInclusive;
use std::path::PathBuf;

/// `--rules`: the rule set.
#[derive(Args)]
pub struct RulesArg {
    /// Rule set; protocol.md lists them, and so does a wrong name
    #[arg(long, value_name = "NAME", default_value = "baghbandi", value_parser = RuleSet::parse)]
    pub rules: &'static RuleSet,
}

/// The positions and games to read: files, standard input, or the text of `--fen`.
#[derive(Args)]
#[command(mut_arg("rules", |arg| arg
    .help("Rule set where a line or record names none; protocol.md lists them, and so does a wrong name")))]
pub struct InputArgs {
    /// Files with positions and games, '-' for standard input, which is read as well where no file is named
    #[arg(value_name = "FILE")]
    files: Vec<PathBuf>,
    /// A position or game instead of files, in any form that a line of a file may have
    #[arg(long, value_name = "TEXT", conflicts_with = "files", value_parser = NonEmptyStringValueParser::new())]
    fen: Option<String>,
    #[command(flatten)]
    rules: RulesArg,
}

impl InputArgs {
    /// The positions and games, one after another.
    pub fn items(&self) -> Box<dyn Iterator<Item = Result<InputItem, TextError>> + Send> {
        match &self.fen {
            Some(text) => Box::new(Items::new("--fen", Cursor::new(text.clone()), self.rules.rules)),
            None => Box::new(Files::new(self.files.clone(), self.rules.rules)),
        }
    }

    /// Calls `each` with every position or game for it to write its output, which is then flushed. What can't be read is
    /// reported on standard error, and the rest goes on.
    ///
    /// # Errors
    /// If something could not be read, or the output fails.
    pub fn for_each(&self, mut each: impl FnMut(&mut dyn Write, &InputItem) -> io::Result<()>) -> Result<(), CliError> {
        self.try_each(|out, item| Ok(each(out, item)?))
    }

    /// The same for what may refuse an item, which is then reported like one that can't be read.
    ///
    /// # Errors
    /// As for [`InputArgs::for_each`].
    pub fn try_each(
        &self,
        mut each: impl FnMut(&mut dyn Write, &InputItem) -> Result<(), ItemError>,
    ) -> Result<(), CliError> {
        let mut tally = InputTally::default();
        let mut out = io::stdout().lock();
        for item in self.items() {
            let done = match item {
                Err(fault) => Err(fault),
                Ok(item) => match each(&mut out, &item) {
                    Ok(()) => Ok(out.flush()?),
                    Err(ItemError::Output(error)) => return Err(error.into()),
                    Err(ItemError::Refused(message)) => Err(item.place.error(message)),
                },
            };
            tally.count(done.is_err());
            if let Err(fault) = done {
                // If standard error is closed, the exit code has to do.
                let _ = writeln!(io::stderr(), "{fault}");
            }
        }
        tally.conclude()
    }
}

/// A whole number in a range, for an option of a command line.
pub fn number(range: RangeInclusive<u64>) -> impl Fn(&str) -> Result<u64, String> + Clone + Send + Sync + 'static {
    move |text| match (text.parse(), range.start(), *range.end()) {
        (Ok(number), ..) if range.contains(&number) => Ok(number),
        (_, low, u64::MAX) => Err(format!("expected a number from {low} on")),
        (_, low, high) => Err(format!("expected a number from {low} to {high}")),
    }
}

/// Why nothing was written for an item of the input.
#[derive(Debug)]
pub enum ItemError {
    /// The command can't do its work with this item, for this reason.
    Refused(String),
    /// The output has failed.
    Output(io::Error),
}

impl From<io::Error> for ItemError {
    fn from(error: io::Error) -> Self {
        Self::Output(error)
    }
}

/// The number of items of the input, and of those that could not be read.
#[derive(Copy, Clone, Default)]
pub struct InputTally {
    all: u64,
    faults: u64,
}

impl InputTally {
    /// Counts one item more.
    pub fn count(&mut self, is_fault: bool) {
        self.all += 1;
        self.faults += u64::from(is_fault);
    }

    /// Ends the command.
    ///
    /// # Errors
    /// If there was an item that could not be read.
    pub fn conclude(self) -> Result<(), CliError> {
        match self.faults {
            0 => Ok(()),
            faults => Err(CliError::Work(format!("{faults} of {} inputs can't be read", self.all))),
        }
    }
}

/// A number, or two with a hyphen between them: `7`, `3-7`.
///
/// # Errors
/// If it is anything else; the text says what was expected.
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
