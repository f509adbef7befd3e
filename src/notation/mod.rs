//! Text: positions ([`fen`]), protocol moves ([`coordinates`]), and game records ([`record`]), as `1. e5; b4`;
//! games with tags ([`match_record`]); and the one reader of all of them from files ([`reader`]).

mod algebraic;
pub mod coordinates;
mod extent;
pub mod fen;
pub mod files;
mod item;
mod line;
pub mod match_record;
pub mod reader;
pub mod record;

use crate::text::place_name;
pub use crate::text::quoted;
pub(crate) use algebraic::parse_move;
use std::fmt;
use std::sync::Arc;

/// What is wrong with a text, and where: `games.txt:3:7: found 'x', expected a move`.
///
/// An error without a file prints as `line 3, column 7: …`, on the first line as `column 7: …`; one without a line as
/// the message alone.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TextError {
    /// The file's name, where the text is that of a file.
    pub file: Option<Arc<str>>,
    /// Line of the fault, from 1; 0 for the text as a whole.
    pub line: usize,
    /// Column of the fault, in characters from 1; 0 for the line as a whole.
    pub column: usize,
    /// What was found and what was expected, without the place.
    pub message: String,
}

impl TextError {
    /// An error at a byte offset of a text.
    pub(crate) fn new(text: &str, offset: usize, found: impl fmt::Display, expected: impl fmt::Display) -> Self {
        Self::unplaced(found, expected).within(text, offset)
    }

    /// An error of a word, wherever it stands.
    pub(crate) fn unplaced(found: impl fmt::Display, expected: impl fmt::Display) -> Self {
        Self { file: None, line: 0, column: 0, message: format!("found {found}, expected {expected}") }
    }

    /// An error in a part of a text, placed in the text in which the part begins at a byte offset.
    pub(crate) fn within(self, text: &str, offset: usize) -> Self {
        let (line, column) = line_and_column(text, offset);
        match self.line {
            0 | 1 => Self { line, column: column + self.column.saturating_sub(1), ..self },
            own => Self { line: line + own - 1, ..self },
        }
    }

    /// File, line and column, as far as there are any, with colons between them.
    pub(crate) fn place(&self) -> String {
        let file = self.file.iter().map(|file| place_name(file));
        let numbers = [self.line, self.column].into_iter().take_while(|number| *number > 0);
        file.chain(numbers.map(|number| number.to_string())).collect::<Vec<_>>().join(":")
    }
}

impl fmt::Display for TextError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self { file: Some(_), message, .. } => write!(f, "{}: {message}", self.place()),
            Self { line: 0, message, .. } => write!(f, "{message}"),
            Self { line: 1, column, message, .. } => write!(f, "column {column}: {message}"),
            Self { line, column, message, .. } => write!(f, "line {line}, column {column}: {message}"),
        }
    }
}

impl std::error::Error for TextError {}

/// Line and column of a byte offset of a text, both from 1, the column in characters.
fn line_and_column(text: &str, offset: usize) -> (usize, usize) {
    let before = text.get(..offset).unwrap_or(text);
    let line = before.rsplit('\n').next().unwrap_or_default();
    (before.matches('\n').count() + 1, line.chars().count() + 1)
}

/// Where a part of a text begins in it, in bytes; the part must be a slice of the text.
pub(crate) fn offset_in(text: &str, part: &str) -> usize {
    (part.as_ptr() as usize).saturating_sub(text.as_ptr() as usize)
}

/// The words of a text with their byte offsets.
pub(crate) fn words(text: &str) -> impl Iterator<Item = (usize, &str)> {
    text.split_whitespace().map(move |word| (offset_in(text, word), word))
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
    fn an_error_in_a_part_is_placed_in_the_whole() {
        let inner = |text: &str, at| TextError::new(text, at, "'x'", "'y'").within("ab\ncde", 4);
        assert_eq!(inner("é x", 3).to_string(), "line 2, column 4: found 'x', expected 'y'");
        assert_eq!(inner("\n x", 2).to_string(), "line 3, column 2: found 'x', expected 'y'");
        let named = TextError { file: Some("a\n".into()), column: 0, ..inner("", 0) };
        assert_eq!(named.to_string(), "a\\n:2: found 'x', expected 'y'");
        assert_eq!(TextError::unplaced("'x'", "'y'").to_string(), "found 'x', expected 'y'");
    }

    #[test]
    fn words_know_their_offsets() {
        let text = "  a\tbc  d ";
        assert_eq!(words(text).collect::<Vec<_>>(), [(2, "a"), (4, "bc"), (8, "d")]);
    }
}
