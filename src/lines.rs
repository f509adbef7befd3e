//! Reading lines of untrusted input: of any length, of any bytes, in bounded memory.

use std::io::{self, BufRead, Read};

/// Longest line of a protocol that is read, in bytes; a longer one is dropped.
pub const LONGEST_LINE: u64 = 16 << 20;
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

/// Calls `on_line` with each line, and with [`Input::End`] at the end of the input or an error; ends before if that
/// returns `false`.
pub fn read_lines(input: impl BufRead, on_line: impl Fn(Input) -> bool) {
    let mut lines = LineReader::new(input, LONGEST_LINE);
    loop {
        let line = lines.read().unwrap_or(Input::End);
        let is_end = line == Input::End;
        if !on_line(line) || is_end {
            return;
        }
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
        read_lines(bytes.as_slice(), |input| {
            read.borrow_mut().push(input);
            true
        });
        let line = |text: &str| Input::Line(text.to_owned());
        assert_eq!(read.into_inner(), [line("one\r\n"), line("\u{FFFD}\n"), Input::TooLong, line("last"), Input::End]);
    }

    #[test]
    fn a_line_without_an_end_is_given_up() {
        let mut lines = LineReader::new(io::BufReader::with_capacity(1 << 20, io::repeat(0)), 9);
        assert!(lines.read().unwrap_err().to_string().starts_with("a line without an end"));
    }
}
