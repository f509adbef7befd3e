//! Tournaments of engines that speak the session protocol.
//!
//! What is played and what it proves is worked out by pure functions ([`schedule`], [`stats`], [`sprt`], [`results`],
//! [`report`]); [`referee`] plays one game and trusts no engine ([`engine`]); [`runner`] plays them all. Finished games
//! go into [`record`]s and, so that an interrupted match can go on, into a [`journal`].

pub mod adjudication;
pub mod checkpoint;
pub mod console;
pub mod engine;
pub mod fault;
pub mod limits;
pub mod merge;
pub mod opening;
pub mod process;
pub mod referee;
pub mod report;
pub mod results;
pub mod runner;
pub mod schedule;
pub mod scoreboard;
pub mod settings;
pub mod sprt;
pub mod stats;
pub mod store;

use std::io;

/// Why a match did not do what it was asked.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum MatchError {
    /// It was asked wrongly.
    Usage(String),
    /// It was asked rightly and failed.
    Work(String),
}

impl From<io::Error> for MatchError {
    fn from(error: io::Error) -> Self {
        Self::Work(error.to_string())
    }
}
