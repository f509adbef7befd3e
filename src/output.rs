//! Texts for standard output or a file. Who stops reading a pipe has read enough: that is no error.

use crate::tournament::files;
use std::io::{self, ErrorKind, Write};
use std::path::Path;

/// Writes a whole text to a file, which is replaced at once or not at all, or to standard output for no path and for
/// `-`.
///
/// # Errors
/// As writing does; not if nobody reads the pipe behind standard output any more.
pub fn write(path: Option<&Path>, text: &str) -> io::Result<()> {
    match path {
        Some(path) if path != Path::new("-") => files::replace(path, text),
        _ => unless_closed(to_stdout(text)),
    }
}

fn to_stdout(text: &str) -> io::Result<()> {
    let mut out = io::stdout().lock();
    out.write_all(text.as_bytes())?;
    out.flush()
}

/// Takes a closed pipe for a quiet end.
///
/// # Errors
/// Any other error stays.
pub fn unless_closed(result: io::Result<()>) -> io::Result<()> {
    match result {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
        other => other,
    }
}
