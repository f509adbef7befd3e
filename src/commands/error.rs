//! Why a command failed, and the exit code that says so.

use crate::tournament::{MatchError, interrupt};
use std::io;

/// The exit code for options or arguments that are wrong.
pub const BAD_USAGE: u8 = 2;

/// Why a command did not do its work, or not to its end.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum CliError {
    /// Its options or arguments are wrong.
    Usage(String),
    /// Something else went wrong.
    Work(String),
    /// Nobody reads its output any more, as when it is piped into `head`: no failure.
    Closed,
    /// The user has interrupted it.
    Interrupted,
}

impl CliError {
    /// The exit code of the program: 0 done, 1 failed, 2 bad usage, 130 interrupted.
    pub const fn exit_code(&self) -> u8 {
        match self {
            Self::Closed => 0,
            Self::Work(_) => 1,
            Self::Usage(_) => BAD_USAGE,
            Self::Interrupted => interrupt::EXIT_CODE,
        }
    }
}

impl std::fmt::Display for CliError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Usage(message) | Self::Work(message) => f.write_str(message),
            Self::Interrupted => f.write_str("interrupted"),
            Self::Closed => f.write_str("nobody reads the output any more"),
        }
    }
}

impl std::error::Error for CliError {}

impl From<io::Error> for CliError {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::BrokenPipe => Self::Closed,
            _ => Self::Work(error.to_string()),
        }
    }
}

impl From<MatchError> for CliError {
    fn from(error: MatchError) -> Self {
        match error {
            MatchError::Settings(message) => Self::Usage(message),
            MatchError::Failed(message) => Self::Work(message),
            MatchError::Closed => Self::Closed,
            MatchError::Interrupted => Self::Interrupted,
        }
    }
}
