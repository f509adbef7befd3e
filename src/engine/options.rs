//! The options of an engine, one field each, with the ranges of those that are numbers.
//!
//! Their names in UCI are in `uci::options`, their flags in `commands::engine_args`.

use crate::game::DrawPlies;
use crate::platform;
use crate::position::MAX_QUIET_PLIES;
use crate::rules::RuleSet;
use crate::tablebase::probe::DEFAULT_CACHE;
use std::fmt;
use std::ops::RangeInclusive;
use std::path::PathBuf;

/// The values of all options.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Options {
    /// Size of the transposition table, in megabytes.
    pub hash: u64,
    /// Threads of a search.
    pub threads: u64,
    /// Best lines wanted.
    pub multi_pv: u64,
    /// Whether the expected reply is named with the best move.
    pub ponder: bool,
    /// The rule set.
    pub rules: &'static RuleSet,
    /// Whether games that are drawn by their history are searched all the same.
    pub analyse: bool,
    /// Whether scores come with chances of win, draw and loss.
    pub show_wdl: bool,
    /// Time of each move that the search does not use, so that it may pass between the clocks, in milliseconds.
    pub overhead: u64,
    /// Quiet plies that make a draw; 0 for none.
    pub draw_plies: u64,
    /// Folder of the solved tables, or several separated as in the system's `PATH`; empty for none.
    pub table_path: PathBuf,
    /// Most memory for blocks of solved tables, in megabytes.
    pub table_cache: u64,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            hash: 64,
            threads: 1,
            multi_pv: 1,
            ponder: false,
            rules: RuleSet::standard(),
            analyse: false,
            show_wdl: false,
            overhead: 10,
            draw_plies: u64::from(DrawPlies::default().get()),
            table_path: PathBuf::new(),
            table_cache: DEFAULT_CACHE as u64,
        }
    }
}

/// An option that is a number.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum NumberOption {
    /// [`Options::hash`].
    Hash,
    /// [`Options::threads`].
    Threads,
    /// [`Options::multi_pv`].
    MultiPv,
    /// [`Options::overhead`].
    Overhead,
    /// [`Options::draw_plies`].
    DrawPlies,
    /// [`Options::table_cache`].
    TableCache,
}

impl NumberOption {
    const ALL: [Self; 6] =
        [Self::Hash, Self::Threads, Self::MultiPv, Self::Overhead, Self::DrawPlies, Self::TableCache];

    /// The numbers that it may hold.
    pub const fn range(self) -> RangeInclusive<u64> {
        match self {
            Self::Hash | Self::TableCache => 1..=65_536,
            Self::Threads => 1..=256,
            Self::MultiPv => 1..=500,
            Self::Overhead => 0..=5_000,
            Self::DrawPlies => 0..=MAX_QUIET_PLIES as u64,
        }
    }

    /// A number of its range from a text; `None` for anything else.
    pub fn parse(self, text: &str) -> Option<u64> {
        text.parse().ok().filter(|number| self.range().contains(number))
    }

    /// What [`NumberOption::parse`] takes, in words.
    pub fn expected(self) -> String {
        let (low, high) = self.range().into_inner();
        format!("a number from {low} to {high}")
    }

    /// Its value.
    pub const fn value(self, options: &Options) -> u64 {
        match self {
            Self::Hash => options.hash,
            Self::Threads => options.threads,
            Self::MultiPv => options.multi_pv,
            Self::Overhead => options.overhead,
            Self::DrawPlies => options.draw_plies,
            Self::TableCache => options.table_cache,
        }
    }

    /// Its field.
    pub const fn value_mut(self, options: &mut Options) -> &mut u64 {
        match self {
            Self::Hash => &mut options.hash,
            Self::Threads => &mut options.threads,
            Self::MultiPv => &mut options.multi_pv,
            Self::Overhead => &mut options.overhead,
            Self::DrawPlies => &mut options.draw_plies,
            Self::TableCache => &mut options.table_cache,
        }
    }
}

impl Options {
    /// Sees whether an engine can have these options.
    ///
    /// A transposition table of `hash_in_use` megabytes makes room for the new one.
    ///
    /// # Errors
    /// If a number is out of its range, or the transposition table larger than the memory left.
    pub fn check(&self, hash_in_use: u64) -> Result<(), OptionError> {
        for option in NumberOption::ALL {
            let found = option.value(self);
            if !option.range().contains(&found) {
                return Err(OptionError::OutOfRange { option, found });
            }
        }
        match platform::available_memory().map(|available| available + hash_in_use) {
            Some(most) if self.hash > most => Err(OptionError::TooMuchHash { found: self.hash, most }),
            _ => Ok(()),
        }
    }
}

/// Why an engine can't have these options. Its text leaves out the option's name, which is another in each protocol.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum OptionError {
    /// A number is out of its range.
    OutOfRange {
        /// The option.
        option: NumberOption,
        /// Its number.
        found: u64,
    },
    /// There is no memory for so large a transposition table.
    TooMuchHash {
        /// The size wanted, in megabytes.
        found: u64,
        /// The largest size that there is memory for, in megabytes.
        most: u64,
    },
}

impl OptionError {
    /// The option at fault.
    pub const fn option(self) -> NumberOption {
        match self {
            Self::OutOfRange { option, .. } => option,
            Self::TooMuchHash { .. } => NumberOption::Hash,
        }
    }
}

impl fmt::Display for OptionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::OutOfRange { option, found } => write!(f, "found {found}, expected {}", option.expected()),
            Self::TooMuchHash { found, most } => write!(f, "found {found}, expected at most {most} here"),
        }
    }
}

impl std::error::Error for OptionError {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_number_keeps_to_its_range() {
        assert_eq!(Options::default().check(0), Ok(()));
        for option in NumberOption::ALL {
            let (low, high) = option.range().into_inner();
            for (number, is_allowed) in [(low, true), (high + 1, false), (u64::MAX, false)] {
                let mut options = Options::default();
                *option.value_mut(&mut options) = number;
                let error = OptionError::OutOfRange { option, found: number };
                assert_eq!(options.check(0), if is_allowed { Ok(()) } else { Err(error) });
            }
        }
    }

    #[test]
    fn the_table_in_use_makes_room() {
        let most = 65_536;
        let options = Options { hash: most, ..Options::default() };
        assert_eq!(options.check(most), Ok(()));
        if let Err(error) = options.check(0) {
            assert_eq!(error.option(), NumberOption::Hash);
            assert!(error.to_string().starts_with("found 65536, expected at most "));
        }
    }
}
