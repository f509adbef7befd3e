//! Tournaments of engines that speak the session protocol.
//!
//! What is played and what it proves is worked out by pure functions ([`schedule`], [`stats`], [`sprt`], [`results`],
//! [`report`]); [`referee`] plays one game and trusts no engine ([`engine`]); [`runner`] plays them all. Finished games
//! go into [`record`]s and, so that an interrupted match can go on, into a [`journal`].

pub mod adjudicate;
pub mod engine;
pub mod fault;
pub mod files;
pub mod group;
pub mod journal;
pub mod ledger;
pub mod limits;
pub mod merge;
pub mod opening;
pub mod options;
pub mod output;
pub mod record;
pub mod referee;
pub mod report;
pub mod results;
pub mod runner;
pub mod schedule;
pub mod settings;
pub mod sprt;
pub mod standing;
pub mod stats;
pub mod words;

use group::Guard;
use options::{MatchArgs, Request};
use std::io;
use std::process::Command;

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

/// Does what the options ask for.
///
/// # Errors
/// Says what is wrong with the options or a file, or what failed.
pub fn run(args: MatchArgs) -> Result<(), MatchError> {
    match args.request()? {
        Request::Guard => {
            group::keep_guard(io::stdin().lock());
            Ok(())
        }
        Request::Merge(request) => merge::run(&request),
        Request::Play(settings) => {
            let mut guard = Command::new(std::env::current_exe()?);
            guard.args(["match", "--guard"]);
            runner::run(&settings, Guard::start(guard))
        }
    }
}
