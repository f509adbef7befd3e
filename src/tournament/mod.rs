//! Tournaments of engines that speak the session protocol, bottom to top:
//!
//! - pure: [`schedule`] (who plays whom from which opening), [`tally`] and [`results`] (counts), [`elo`] and [`sprt`]
//!   (statistics), [`report`] and [`scoreboard`] (text and JSON);
//! - one game: [`engine_spec`], [`process`], [`pauses`], [`engine_pipes`], [`engine_info`], [`engine_option`] and [`engine_client`] (an engine and the
//!   dialogue with it), [`limits`] (clocks), [`adjudication`], [`fault`] (how a game ends), [`referee`] (plays it);
//! - the match: [`settings`], [`opening`], [`checkpoint`] and [`store`] (files), [`headroom`] (memory), [`trial`] (engines tried before the first game), [`interrupt`] (Ctrl-C), [`runner`] (threads), [`merge`] (counts
//!   record files together).

pub mod adjudication;
pub mod checkpoint;
pub mod console;
pub mod elo;
pub mod engine_client;
pub mod engine_info;
pub mod engine_option;
pub mod engine_pipes;
pub mod engine_spec;
pub mod fault;
pub mod headroom;
pub mod interrupt;
pub mod limits;
pub mod merge;
pub mod opening;
pub mod pauses;
pub mod process;
pub mod referee;
pub mod report;
pub mod results;
pub mod runner;
pub mod schedule;
pub mod scoreboard;
pub mod settings;
pub mod sprt;
pub mod store;
pub mod tally;
pub mod trial;

use crate::text::quoted_path;
use std::io;
use std::path::Path;

/// Why a match, or a merge of matches, was not done to its end. It holds the message for the user.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum MatchError {
    /// The settings contradict each other or can't be played: bad usage.
    Settings(String),
    /// A file, a process or the system failed.
    Failed(String),
    /// Nobody reads standard output any more, as when it is piped into `head`: no failure.
    Closed,
    /// The user has interrupted it; the standing is printed.
    Interrupted,
}

impl MatchError {
    /// The file of an option can't be written. A pipe without a reader is no failure.
    pub fn unwritten(option: &str, path: &Path, error: &io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::BrokenPipe => Self::Closed,
            _ => Self::Failed(format!("{option}: {}: {error}", quoted_path(path))),
        }
    }
}

impl From<io::Error> for MatchError {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::BrokenPipe => Self::Closed,
            _ => Self::Failed(error.to_string()),
        }
    }
}
