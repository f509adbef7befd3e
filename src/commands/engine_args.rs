//! The options of the engine on the command line, each declared once and flattened into the commands that have it.
//!
//! A command with another help text, default or range than the one here sets it by `mut_arg`.

use crate::commands::args::number;
use crate::commands::error::CliError;
use crate::engine::Engine;
use crate::engine::options::{NumberOption, OptionError, Options};
use crate::position::MAX_QUIET_PLIES;
use crate::rules::RuleSet;
use crate::search::MAX_DEPTH;
use crate::search::limits::Limits;
use crate::tablebase::probe::readable_folders;
use clap::Args;
use clap::builder::TypedValueParser;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// `--depth`, `--nodes` and `--movetime`: what bounds the search of each position.
#[derive(Args)]
pub struct LimitsArgs {
    /// Most plies to search; limits combine, and the first one reached ends a search
    #[arg(long, value_name = "PLIES", allow_negative_numbers = true, value_parser = clap::value_parser!(u32).range(1..=i64::from(MAX_DEPTH)))]
    depth: Option<u32>,
    /// Most nodes for a position; 1000000 where no limit is given
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = number(1..=u64::MAX))]
    nodes: Option<u64>,
    /// Most milliseconds for a position
    #[arg(long, value_name = "MS", allow_negative_numbers = true, value_parser = number(0..=u64::MAX))]
    movetime: Option<u64>,
}

impl LimitsArgs {
    /// The limits; `default_nodes` if none is given.
    pub fn limits(&self, default_nodes: u64) -> Limits {
        let limits = Limits {
            depth: self.depth,
            nodes: self.nodes,
            move_time: self.movetime.map(Duration::from_millis),
            ..Limits::default()
        };
        if limits.is_bounded() { limits } else { Limits { nodes: Some(default_nodes), ..limits } }
    }
}

/// `--hash`: the size of the transposition table.
#[derive(Args)]
pub struct HashArg {
    /// Most megabytes of the transposition table
    #[arg(long, value_name = "MB", allow_negative_numbers = true, value_parser = number(NumberOption::Hash.range()))]
    hash: Option<u64>,
}

impl HashArg {
    /// The size in megabytes, or what the engine takes by default.
    pub fn megabytes(&self) -> u64 {
        self.hash.unwrap_or(Options::default().hash)
    }
}

/// `--threads`: the threads of a search.
#[derive(Args)]
pub struct ThreadsArg {
    /// Threads of a search
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = number(NumberOption::Threads.range()))]
    threads: Option<u64>,
}

impl ThreadsArg {
    /// The number of threads, or what the engine takes by default.
    pub fn count(&self) -> u64 {
        self.threads.unwrap_or(Options::default().threads)
    }
}

/// `--draw-plies`: the quiet plies that make a draw.
#[derive(Args)]
pub struct DrawPliesArg {
    /// Plies without a capture and without a goat leaving a herd that make a draw; 0 for none, 300 if left out
    #[arg(long, value_name = "PLIES", allow_negative_numbers = true, value_parser = clap::value_parser!(u32).range(..=i64::from(MAX_QUIET_PLIES)).map(u64::from))]
    draw_plies: Option<u64>,
}

impl DrawPliesArg {
    /// The number of plies, if it is given.
    pub const fn given(&self) -> Option<u64> {
        self.draw_plies
    }

    /// The number of plies, or what the engine takes by default.
    pub fn plies(&self) -> u64 {
        self.draw_plies.unwrap_or(Options::default().draw_plies)
    }
}

/// `--tables`: the folders of the solved tables.
#[derive(Args)]
pub struct TablesArg {
    /// Folder of solved tables, or several as in PATH
    #[arg(long, value_name = "DIR")]
    tables: Option<PathBuf>,
}

impl TablesArg {
    /// The path of the folder, whether or not there is one, or of several; an empty path if none is given.
    pub fn path(&self) -> PathBuf {
        self.tables.clone().unwrap_or_default()
    }

    /// The path of a folder, or of several, which can be read; an empty path if none is given.
    ///
    /// # Errors
    /// If one can't be read.
    pub fn readable_path(&self) -> Result<PathBuf, CliError> {
        if let Some(path) = &self.tables {
            readable_folders(path).map_err(|error| CliError::Work(format!("--tables: {error}")))?;
        }
        Ok(self.path())
    }
}

impl From<OptionError> for CliError {
    /// What is wrong with an option, by the name of its flag.
    fn from(error: OptionError) -> Self {
        let flag = match error.option() {
            NumberOption::Hash => "--hash",
            NumberOption::Threads => "--threads",
            NumberOption::MultiPv => "--multipv",
            NumberOption::DrawPlies => "--draw-plies",
            // No command has a flag for these.
            NumberOption::Overhead => "overhead",
            NumberOption::TableCache => "table cache",
        };
        Self::Usage(format!("{flag}: {error}"))
    }
}

/// Opens solved tables, and warns of each rule set that has none only once, however many engines look for them.
#[derive(Clone, Debug, Default)]
pub struct TablebaseOpener {
    /// The rule sets that were warned of; shared by the copies of this.
    warned: Arc<Mutex<Vec<&'static RuleSet>>>,
}

impl TablebaseOpener {
    /// Opens the tables of an engine's rules in the folders of `--tables`, if there are any.
    pub fn open(&self, engine: &mut Engine) {
        match engine.open_tablebase() {
            Ok(found) => found.iter().for_each(|found| log::info!("{found}")),
            Err(error) if self.is_first(engine.options().rules) => {
                log::warn!("--tables: {error}; searched without");
            }
            Err(_) => {}
        }
    }

    fn is_first(&self, rules: &'static RuleSet) -> bool {
        let mut warned = self.warned.lock().unwrap_or_else(PoisonError::into_inner);
        let is_first = !warned.contains(&rules);
        if is_first {
            warned.push(rules);
        }
        is_first
    }
}
