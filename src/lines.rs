//! Reading lines of untrusted input: of any length, of any bytes, in bounded memory.

use std::io::{self, BufRead, Read};
use std::sync::{Arc, Condvar, Mutex, PoisonError};

/// Longest line of a protocol that is read, in bytes; a longer one is dropped.
pub const LONGEST_LINE: u64 = 4 << 20;
/// Lines that were read and wait to be executed, at most, in bytes: a hundred thousand short ones.
const LARGEST_BACKLOG: u64 = 32 << 20;
/// What a line takes in memory besides its bytes, at most.
const LINE_OVERHEAD: u64 = 256;
/// What some programs put at the beginning of a text in UTF-8.
const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

/// Longest line that is skipped to find its end, in bytes; input with a longer one is not made of lines.
const LONGEST_SKIP: u64 = 1 << 30;

/// What was read of the input.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Input {
    /// A line, with its line end.
    Line(String),
    /// In the place of a line that is too long.
    TooLong,
    /// The end of the input.
    End,
}

/// Reads lines of bounded length.
pub struct LineReader<R> {
    input: R,
    longest: u64,
    bytes: Vec<u8>,
    is_first: bool,
}

impl<R: BufRead> LineReader<R> {
    /// Reads this input; lines of more than `longest` bytes are skipped.
    pub const fn new(input: R, longest: u64) -> Self {
        Self { input, longest, bytes: Vec::new(), is_first: true }
    }

    /// The bytes of the line that was read last, with its end.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The next line. What is not UTF-8 becomes replacement characters; a byte order mark at the beginning of the input
    /// is dropped.
    ///
    /// # Errors
    /// If reading fails, or a line goes on for more than a gigabyte.
    pub fn read(&mut self) -> io::Result<Input> {
        self.bytes.clear();
        let count = self.input.by_ref().take(self.longest).read_until(b'\n', &mut self.bytes)?;
        if count == 0 {
            return Ok(Input::End);
        }
        if self.bytes.len() as u64 == self.longest && self.bytes.last() != Some(&b'\n') {
            skip_line(&mut self.input)?;
            return Ok(Input::TooLong);
        }
        if std::mem::take(&mut self.is_first) && self.bytes.starts_with(BYTE_ORDER_MARK) {
            self.bytes.drain(..BYTE_ORDER_MARK.len());
        }
        Ok(Input::Line(String::from_utf8_lossy(&self.bytes).into_owned()))
    }
}

/// Calls `on_line` with each line and its place in the backlog, and with [`Input::End`] at the end of the input or an
/// error; ends before if that returns `false`. Where there are too many lines that still have their places it waits.
pub fn read_lines(input: impl BufRead, on_line: impl Fn(Input, Place) -> bool) {
    let backlog = Arc::new(Backlog::default());
    let mut lines = LineReader::new(input, LONGEST_LINE);
    loop {
        let line = lines.read().unwrap_or_else(|error| {
            log::error!("the input can't be read: {error}; taken for its end");
            Input::End
        });
        let is_end = line == Input::End;
        let bytes = if let Input::Line(text) = &line { text.len() } else { 0 };
        let place = Backlog::place(&backlog, LINE_OVERHEAD + bytes as u64);
        if !on_line(line, place) || is_end {
            return;
        }
    }
}

/// The bytes of lines that were read and not yet done with: what keeps a reader from running ahead without a bound.
#[derive(Debug, Default)]
struct Backlog {
    bytes: Mutex<u64>,
    shrunk: Condvar,
}

impl Backlog {
    /// Waits until there is room for these bytes, and takes it.
    fn place(backlog: &Arc<Self>, bytes: u64) -> Place {
        let taken = backlog.bytes.lock().unwrap_or_else(PoisonError::into_inner);
        let is_full = |taken: &mut u64| *taken > 0 && *taken + bytes > LARGEST_BACKLOG;
        let mut taken = backlog.shrunk.wait_while(taken, is_full).unwrap_or_else(PoisonError::into_inner);
        *taken += bytes;
        Place { backlog: Arc::clone(backlog), bytes }
    }
}

/// The place of a line among those that were read and wait; dropped when the line is done with.
#[derive(Debug)]
pub struct Place {
    backlog: Arc<Backlog>,
    bytes: u64,
}

impl Drop for Place {
    fn drop(&mut self) {
        *self.backlog.bytes.lock().unwrap_or_else(PoisonError::into_inner) -= self.bytes;
        self.backlog.shrunk.notify_one();
    }
}

/// Reads on to the end of a line, or of the input.
fn skip_line(input: &mut impl BufRead) -> io::Result<()> {
    let mut skipped = 0;
    while skipped < LONGEST_SKIP {
        let chunk = match input.fill_buf() {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            read => read?,
        };
        let end = chunk.iter().position(|byte| *byte == b'\n');
        let used = end.map_or(chunk.len(), |at| at + 1);
        input.consume(used);
        skipped += used as u64;
        if end.is_some() || used == 0 {
            return Ok(());
        }
    }
    Err(io::Error::new(io::ErrorKind::InvalidData, "a line without an end: the rest is not read"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::RefCell;

    #[test]
    fn lines_end_with_the_input_and_long_ones_are_dropped() {
        let mut bytes = b"\xEF\xBB\xBFone\r\n\xFF\n".to_vec();
        bytes.extend(std::iter::repeat_n(b'x', LONGEST_LINE as usize + 5));
        bytes.extend(b"\nlast");
        let read = RefCell::new(Vec::new());
        read_lines(bytes.as_slice(), |input, _| {
            read.borrow_mut().push(input);
            true
        });
        let line = |text: &str| Input::Line(text.to_owned());
        assert_eq!(read.into_inner(), [line("one\r\n"), line("\u{FFFD}\n"), Input::TooLong, line("last"), Input::End]);
    }

    #[test]
    fn reading_waits_while_too_much_of_it_is_not_done_with() {
        let line = "x".repeat(1 << 20) + "\n";
        let (lines, count) = (line.repeat(100), RefCell::new(0));
        let (sender, waiting) = std::sync::mpsc::channel();
        std::thread::spawn(move || read_lines(lines.as_bytes(), |_, place| sender.send(place).is_ok()));
        // What nobody is done with stops the reader, and goes on with what makes room.
        let mut kept = Vec::new();
        while let Ok(place) =
            waiting.recv_timeout(std::time::Duration::from_millis(if kept.len() < 31 { 60_000 } else { 100 }))
        {
            kept.push(place);
        }
        assert_eq!(kept.len(), 31);
        drop(kept);
        waiting.iter().for_each(|_| *count.borrow_mut() += 1);
        assert_eq!(count.into_inner(), 70);
    }

    #[test]
    fn a_line_without_an_end_is_given_up() {
        let mut lines = LineReader::new(io::BufReader::with_capacity(1 << 20, io::repeat(0)), 9);
        assert!(lines.read().unwrap_err().to_string().starts_with("a line without an end"));
    }
}
