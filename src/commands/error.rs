//! Why a command failed.

use crate::tournament::MatchError;
use std::io;

/// Why a command did not do what it was asked, or not to its end.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum CliError {
    /// It was asked wrongly.
    Usage(String),
    /// It was asked rightly and failed.
    Work(String),
    /// Nobody reads its output any more.
    Closed,
}

impl std::fmt::Display for CliError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Usage(message) | Self::Work(message) => f.write_str(message),
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
        }
    }
}
