//! Standard output of a match: lines in fastchess's words, or on a terminal one line of progress that is overwritten.

use crate::platform;
use std::io::{self, IsTerminal, Write};

/// Standard output during a match.
pub struct MatchConsole {
    /// Of those that erase lines.
    is_terminal: bool,
    is_quiet: bool,
    has_progress: bool,
}

impl MatchConsole {
    /// A quiet one prints only important lines.
    pub fn new(is_quiet: bool) -> Self {
        let is_terminal = io::stdout().is_terminal() && platform::enable_terminal_escapes();
        Self { is_terminal, is_quiet, has_progress: false }
    }

    /// Prints a line about a game, unless progress is shown instead.
    ///
    /// # Errors
    /// As writing does.
    pub fn line(&mut self, text: &str) -> io::Result<()> {
        if self.is_quiet || self.is_terminal { Ok(()) } else { self.print(text) }
    }

    /// Prints lines unless the match is quiet.
    ///
    /// # Errors
    /// As writing does.
    pub fn scoreboard(&mut self, text: &str) -> io::Result<()> {
        if self.is_quiet { Ok(()) } else { self.important(text) }
    }

    /// Prints lines in any case.
    ///
    /// # Errors
    /// As writing does.
    pub fn important(&mut self, text: &str) -> io::Result<()> {
        self.clear()?;
        self.print(text.trim_end())
    }

    /// Shows progress, on a terminal.
    ///
    /// # Errors
    /// As writing does.
    pub fn progress(&mut self, text: &str) -> io::Result<()> {
        if self.is_quiet || !self.is_terminal {
            return Ok(());
        }
        self.has_progress = true;
        let mut out = io::stdout().lock();
        write!(out, "\r{text}\x1b[K")?;
        out.flush()
    }

    /// Erases the progress, to make room for other lines.
    ///
    /// # Errors
    /// As writing does.
    pub fn clear(&mut self) -> io::Result<()> {
        if !std::mem::take(&mut self.has_progress) {
            return Ok(());
        }
        let mut out = io::stdout().lock();
        write!(out, "\r\x1b[K")?;
        out.flush()
    }

    fn print(&self, text: &str) -> io::Result<()> {
        let mut out = io::stdout().lock();
        writeln!(out, "{text}")?;
        out.flush()
    }
}
