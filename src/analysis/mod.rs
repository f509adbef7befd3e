//! Positions and games in, one result a line out: the commands for scripts.
//!
//! [`source`] reads positions and games from text in any form that the program knows; [`options`] are the options that
//! say what is read. `sundarban analyze` ([`analyze`]) hands positions to jobs that run side by side ([`pool`]), each
//! with an [`analyst`] of its own, and prints what they find in the order of the input ([`report`]). What solved tables
//! make certain is in [`solved`]. The smaller commands are in [`convert`], [`inspect`] (`moves` and `eval`) and [`random`].

pub mod analyst;
pub mod analyze;
pub mod convert;
pub mod inspect;
pub mod options;
pub mod pool;
pub mod random;
pub mod report;
pub mod solved;
pub mod source;

use std::io;

/// Why a command did not do what it was asked, or not to its end.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ScriptError {
    /// It was asked wrongly.
    Usage(String),
    /// It was asked rightly and failed.
    Work(String),
    /// Nobody reads its output any more.
    Closed,
}

impl std::fmt::Display for ScriptError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Usage(message) | Self::Work(message) => f.write_str(message),
            Self::Closed => f.write_str("nobody reads the output any more"),
        }
    }
}

impl std::error::Error for ScriptError {}

impl From<io::Error> for ScriptError {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::BrokenPipe => Self::Closed,
            _ => Self::Work(error.to_string()),
        }
    }
}
