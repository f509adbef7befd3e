//! What a match prints: lines in fastchess's words, or on a terminal one line of progress that is written over.

use std::io::{self, IsTerminal, Write};

/// Standard output during a match.
pub struct Output {
    is_terminal: bool,
    is_quiet: bool,
    has_progress: bool,
}

impl Output {
    /// Standard output; a quiet one prints only what is important.
    pub fn new(is_quiet: bool) -> Self {
        Self { is_terminal: io::stdout().is_terminal(), is_quiet, has_progress: false }
    }

    /// A line about a game, which a terminal shows as progress instead.
    ///
    /// # Errors
    /// As writing does.
    pub fn line(&mut self, text: &str) -> io::Result<()> {
        if self.is_quiet || self.is_terminal { Ok(()) } else { self.print(text) }
    }

    /// Lines that only a quiet match does without.
    ///
    /// # Errors
    /// As writing does.
    pub fn standing(&mut self, text: &str) -> io::Result<()> {
        if self.is_quiet { Ok(()) } else { self.important(text) }
    }

    /// Lines that are always printed.
    ///
    /// # Errors
    /// As writing does.
    pub fn important(&mut self, text: &str) -> io::Result<()> {
        self.clear()?;
        self.print(text.trim_end())
    }

    /// Shows how far it has come, on a terminal.
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

    /// Takes the progress off the terminal, to make room for something else.
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
