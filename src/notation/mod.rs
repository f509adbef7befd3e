//! Text: positions ([`fen`]), protocol moves ([`coordinates`]), and game records ([`record`]), as `1. e5; b4`.

pub mod coordinates;
pub mod fen;
pub mod match_record;
pub mod reader;
pub mod record;

use std::fmt;

/// Longest piece of a bad text that an error repeats, in characters.
const LONGEST_QUOTE: usize = 40;

/// What is wrong with a text, and where.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TextError {
    /// Line of the fault, from 1.
    pub line: usize,
    /// Column of the fault, in characters from 1.
    pub column: usize,
    /// What stands there, ready to print: in quotes, or in words.
    pub found: String,
    /// What should stand there.
    pub expected: String,
}

impl TextError {
    /// An error at a byte offset of a text.
    fn new(text: &str, offset: usize, found: impl Into<String>, expected: impl Into<String>) -> Self {
        let before = text.get(..offset).unwrap_or(text);
        let line = before.matches('\n').count() + 1;
        let column = before.chars().rev().take_while(|letter| *letter != '\n').count() + 1;
        Self { line, column, found: found.into(), expected: expected.into() }
    }
}

impl fmt::Display for TextError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.line > 1 {
            write!(f, "line {}, ", self.line)?;
        }
        write!(f, "column {}: found {}, expected {}", self.column, self.found, self.expected)
    }
}

impl std::error::Error for TextError {}

/// Why a text names no legal move, wherever it stands.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MoveError {
    /// What the text is, ready to print.
    pub found: String,
    /// What should stand there.
    pub expected: String,
}

impl fmt::Display for MoveError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "found {}, expected {}", self.found, self.expected)
    }
}

impl std::error::Error for MoveError {}

/// A piece of hostile text, fit to print: in quotes, on one line, cut where it is long.
pub fn quoted(text: &str) -> String {
    let mut quote: String = text.chars().take(LONGEST_QUOTE).flat_map(char::escape_debug).collect();
    if text.chars().nth(LONGEST_QUOTE).is_some() {
        quote.push('…');
    }
    format!("'{quote}'")
}

/// The words of a text with their byte offsets.
pub(crate) fn words(text: &str) -> impl Iterator<Item = (usize, &str)> {
    text.split_whitespace().map(move |word| (word.as_ptr() as usize - text.as_ptr() as usize, word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_count_lines_and_characters() {
        let error = TextError::new("ab\nc é x", 8, "'x'", "'y'");
        assert_eq!(error.to_string(), "line 2, column 5: found 'x', expected 'y'");
        assert_eq!(TextError::new("é x", 3, "'x'", "'y'").to_string(), "column 3: found 'x', expected 'y'");
    }

    #[test]
    fn quotes_are_short_and_harmless() {
        assert_eq!(quoted("a\n\u{1b}[0m"), "'a\\n\\u{1b}[0m'");
        assert_eq!(quoted(&"x".repeat(1_000_000)).chars().count(), LONGEST_QUOTE + 3);
    }

    #[test]
    fn words_know_their_offsets() {
        let text = "  a\tbc  d ";
        assert_eq!(words(text).collect::<Vec<_>>(), [(2, "a"), (4, "bc"), (8, "d")]);
    }
}
