//! Lines of input from anybody: of any length, of any bytes.

use std::io::{BufRead, Read};

/// Longest line that is read, in bytes; a longer one is dropped.
pub const LONGEST_LINE: u64 = 16 << 20;

/// What comes from the other side.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Input {
    /// A line, with its end.
    Line(String),
    /// A line that was too long to be read.
    TooLong,
    /// The end.
    End,
}

/// Reads lines to the end of the input, or until `hear` says that nobody listens any more.
pub fn read_lines(mut input: impl BufRead, hear: impl Fn(Input) -> bool) {
    let mut bytes = Vec::new();
    loop {
        bytes.clear();
        let count = input.by_ref().take(LONGEST_LINE).read_until(b'\n', &mut bytes);
        let heard = match count {
            Ok(0) | Err(_) => Input::End,
            Ok(_) if bytes.len() as u64 == LONGEST_LINE && bytes.last() != Some(&b'\n') => {
                skip_line(&mut input);
                Input::TooLong
            }
            Ok(_) => Input::Line(String::from_utf8_lossy(&bytes).into_owned()),
        };
        let is_end = heard == Input::End;
        if !hear(heard) || is_end {
            return;
        }
    }
}

/// Reads on to the end of a line, or of the input.
fn skip_line(input: &mut impl BufRead) {
    while let Ok(chunk) = input.fill_buf() {
        let end = chunk.iter().position(|byte| *byte == b'\n');
        let used = end.map_or(chunk.len(), |at| at + 1);
        input.consume(used);
        if end.is_some() || used == 0 {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::RefCell;

    #[test]
    fn lines_end_with_the_input_and_long_ones_are_dropped() {
        let mut bytes = b"one\r\n\xFF\n".to_vec();
        bytes.extend(std::iter::repeat_n(b'x', LONGEST_LINE as usize + 5));
        bytes.extend(b"\nlast");
        let heard = RefCell::new(Vec::new());
        read_lines(bytes.as_slice(), |input| {
            heard.borrow_mut().push(input);
            true
        });
        let line = |text: &str| Input::Line(text.to_owned());
        assert_eq!(heard.into_inner(), [line("one\r\n"), line("\u{FFFD}\n"), Input::TooLong, line("last"), Input::End]);
    }
}
