//! What the commands for scripts read, and how they are told of it.

use crate::commands::error::CliError;
use crate::engine::Engine;
use crate::notation::TextError;
use crate::notation::files::Files;
use crate::notation::reader::{InputItem, Items};
use crate::rules::RuleSet;
use clap::Args;
use clap::builder::NonEmptyStringValueParser;
use std::io::{self, Cursor, Write};
use std::ops::RangeInclusive;
use std::path::PathBuf;

/// What is read.
#[derive(Args)]
pub struct InputArgs {
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

impl InputArgs {
    /// The positions and games, one after another.
    pub fn items(&self) -> Box<dyn Iterator<Item = Result<InputItem, TextError>> + Send> {
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
    pub fn for_each(&self, mut each: impl FnMut(&mut dyn Write, &InputItem) -> io::Result<()>) -> Result<(), CliError> {
        self.try_each(|out, item| Ok(each(out, item)?))
    }

    /// The same with what can refuse an item, which is told of like what can't be read.
    ///
    /// # Errors
    /// As for [`InputArgs::for_each`].
    pub fn try_each(
        &self,
        mut each: impl FnMut(&mut dyn Write, &InputItem) -> Result<(), Unwritten>,
    ) -> Result<(), CliError> {
        let mut tally = InputTally::default();
        let mut out = io::stdout().lock();
        for item in self.items() {
            let done = match item {
                Err(fault) => Err(fault),
                Ok(item) => match each(&mut out, &item) {
                    Ok(()) => Ok(out.flush()?),
                    Err(Unwritten::Failed(error)) => return Err(error.into()),
                    Err(Unwritten::Refused(message)) => Err(item.place.error(message)),
                },
            };
            tally.count(done.is_err());
            if let Err(fault) = done {
                // Nobody may be there to hear of it; the exit code tells as well.
                let _ = writeln!(io::stderr(), "{fault}");
            }
        }
        tally.conclude()
    }
}

/// Options of the engine by the names that the command line has for them.
const FLAGS: [(&str, &str); 6] = [
    ("UCI_Variant", "--rules"),
    ("Hash", "--hash"),
    ("Threads", "--threads"),
    ("MultiPV", "--multipv"),
    ("DrawPlies", "--draw-plies"),
    ("TablePath", "--tables"),
];

/// Sets an option of an engine by the session's name; what is refused is said in the command line's words.
///
/// # Errors
/// Says what was found and expected.
pub fn set_option(engine: &mut Engine, name: &str, value: &str) -> Result<(), CliError> {
    let refused = |message: String| {
        let message = message.strip_suffix("; nothing changed").unwrap_or(&message);
        let why = message.strip_prefix(name).and_then(|rest| rest.strip_prefix(": ")).unwrap_or(message);
        let flag = FLAGS.iter().find(|(known, _)| *known == name).map_or(name, |(_, flag)| *flag);
        CliError::Usage(format!("{flag}: {why}"))
    };
    engine.set_option(name, Some(value)).map(drop).map_err(refused)
}

/// A whole number in a range, for an option of a command line.
pub fn number(range: RangeInclusive<u64>) -> impl Fn(&str) -> Result<u64, String> + Clone + Send + Sync + 'static {
    move |text| match (text.parse(), range.start(), *range.end()) {
        (Ok(number), ..) if range.contains(&number) => Ok(number),
        (_, low, u64::MAX) => Err(format!("expected a number from {low} on")),
        (_, low, high) => Err(format!("expected a number from {low} to {high}")),
    }
}

/// Why nothing was written of an item.
#[derive(Debug)]
pub enum Unwritten {
    /// It can't be done; says why.
    Refused(String),
    /// Writing has failed.
    Failed(io::Error),
}

impl From<io::Error> for Unwritten {
    fn from(error: io::Error) -> Self {
        Self::Failed(error)
    }
}

/// How much was read, and how much of it could not be.
#[derive(Copy, Clone, Default)]
pub struct InputTally {
    all: u64,
    faults: u64,
}

impl InputTally {
    /// Counts one thing more.
    pub fn count(&mut self, is_fault: bool) {
        self.all += 1;
        self.faults += u64::from(is_fault);
    }

    /// What it comes to in the end.
    ///
    /// # Errors
    /// If there was anything that could not be read.
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
