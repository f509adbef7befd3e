//! Where a command's text goes: to standard output, or to a file that is replaced at once or not at all.

use crate::files::{self, Replacement};
use crate::text::quoted_path;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// The name that stands for standard output on a command line.
const STANDARD_OUTPUT: &str = "-";

/// Where a command writes to.
#[derive(Debug)]
pub enum CommandOutput {
    /// Standard output, piece by piece.
    Standard,
    /// A file, which is replaced at the end: at once, or not at all.
    File {
        /// The file.
        path: PathBuf,
        /// What takes its place, once something was written.
        next: Option<Replacement>,
    },
}

impl CommandOutput {
    /// Writes to a file, or to standard output for no path and for `-`.
    ///
    /// # Errors
    /// If it can be seen beforehand that the file can't be written.
    pub fn to(path: Option<&Path>) -> io::Result<Self> {
        match path.filter(|path| *path != Path::new(STANDARD_OUTPUT)) {
            None => Ok(Self::Standard),
            Some(path) => {
                files::check(path).map_err(|error| named(path, &error))?;
                Ok(Self::File { path: path.to_owned(), next: None })
            }
        }
    }

    /// Writes a piece.
    ///
    /// # Errors
    /// As writing does.
    pub fn add(&mut self, piece: impl AsRef<[u8]>) -> io::Result<()> {
        let piece = piece.as_ref();
        match self {
            Self::Standard => {
                let mut out = io::stdout().lock();
                out.write_all(piece)?;
                out.flush()
            }
            Self::File { path, next } => {
                let written = match next {
                    Some(next) => next.write(piece),
                    None => Replacement::begin(path).and_then(|new| next.insert(new).write(piece)),
                };
                written.map_err(|error| named(path, &error))
            }
        }
    }

    /// Ends the output.
    ///
    /// # Errors
    /// As writing does.
    pub fn finish(self) -> io::Result<()> {
        match self {
            Self::Standard => Ok(()),
            Self::File { path, next } => next.map_or(Ok(()), Replacement::finish).map_err(|error| named(&path, &error)),
        }
    }
}

/// An error that names its file; who has stopped reading keeps its kind.
fn named(path: &Path, error: &io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("{}: {error}", quoted_path(path)))
}
