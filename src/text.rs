//! Small helpers for texts: words split as in a shell, `key=value` words, numbers in a range, counts with their
//! nouns, and quotes of what can't be trusted.

use std::path::Path;

/// Longest piece of a bad text that a message repeats, in characters.
const LONGEST_QUOTE: usize = 40;
/// Longest line that a message repeats as a whole, in characters.
const LONGEST_LINE: usize = 500;
/// Longest name of a file or folder that a message repeats, in characters.
const LONGEST_PATH: usize = 200;

/// A piece of hostile text, fit to print: in quotes, on one line, cut where it is long. Every message that repeats what
/// came from outside does so by this.
pub fn quoted(text: &str) -> String {
    quoted_up_to(text, LONGEST_QUOTE)
}

/// A line that is shown for its own sake, fit to print as [`quoted`] makes it, but longer.
pub fn quoted_line(line: &str) -> String {
    quoted_up_to(line, LONGEST_LINE)
}

/// The name of a file or folder, fit to print as [`quoted`] makes it, but longer.
pub fn quoted_path(path: &Path) -> String {
    quoted_up_to(&path.to_string_lossy(), LONGEST_PATH)
}

/// The name of a file in front of a line number, fit to print as [`quoted_path`] makes it, without the quotes.
pub fn place_name(file: &str) -> String {
    printable(file, LONGEST_PATH)
}

fn quoted_up_to(text: &str, longest: usize) -> String {
    format!("'{}'", printable(text, longest))
}

fn printable(text: &str, longest: usize) -> String {
    let mut printable: String = text.chars().take(longest).flat_map(char::escape_debug).collect();
    if text.chars().nth(longest).is_some() {
        printable.push('…');
    }
    printable
}

/// The words of a line: separated by blanks, joined by single or double quotes; `#` at the start of a word begins a
/// comment.
///
/// # Errors
/// Says which quote is never closed.
pub fn split(line: &str) -> Result<Vec<String>, String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut letters = line.chars();
    while let Some(letter) = letters.next() {
        match letter {
            '#' if word.is_none() => break,
            '\'' | '"' => {
                let word = word.get_or_insert_default();
                loop {
                    match letters.next() {
                        Some(next) if next == letter => break,
                        Some(next) => word.push(next),
                        None => {
                            return Err(format!("found no end of the quote that {letter} opens in: {}", quoted(line)));
                        }
                    }
                }
            }
            blank if blank.is_whitespace() => words.extend(word.take()),
            other => word.get_or_insert_default().push(other),
        }
    }
    words.extend(word);
    Ok(words)
}

/// A count with its noun: `1 game`, `2 games`; `1 ply`, `2 plies`.
pub fn counted(count: impl Into<u64>, noun: &str) -> String {
    match (count.into(), noun.strip_suffix('y')) {
        (1, _) => format!("1 {noun}"),
        (count, Some(stem)) => format!("{count} {stem}ies"),
        (count, None) => format!("{count} {noun}s"),
    }
}

/// A word `key=value` in its two parts.
///
/// # Errors
/// Says that it has no `=`.
pub fn key_value(word: &str) -> Result<(&str, &str), String> {
    word.split_once('=').ok_or_else(|| format!("found {}, expected key=value", quoted(word)))
}

/// A number in a range.
///
/// # Errors
/// Says what was found and expected.
pub fn number<T>(key: &str, text: &str, low: T, high: T) -> Result<T, String>
where
    T: std::str::FromStr + PartialOrd + std::fmt::Display,
{
    text.parse()
        .ok()
        .filter(|value| (&low..=&high).contains(&value))
        .ok_or_else(|| format!("found {key}={}, expected a number from {low} to {high}", quoted(text)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hostile_text_is_escaped_and_cut() {
        assert_eq!(quoted("a\n\u{1b}[0m\r\u{202e}"), "'a\\n\\u{1b}[0m\\r\\u{202e}'");
        assert_eq!(quoted(&"x".repeat(1_000_000)).chars().count(), LONGEST_QUOTE + 3);
        let path = quoted_path(Path::new(&format!("x\rbestmove a1a2{}", "y".repeat(5_000))));
        assert!(path.starts_with("'x\\rbestmove") && path.chars().count() < LONGEST_PATH + 10, "{path}");
    }

    #[test]
    fn words_are_split_as_in_a_shell() {
        for (line, words) in [
            ("  a\tb ", &["a", "b"][..]),
            ("cmd='ssh host x' name=\"a b\"c", &["cmd=ssh host x", "name=a bc"]),
            ("a # b", &["a"]),
            ("a#b ''", &["a#b", ""]),
            ("", &[]),
        ] {
            assert_eq!(split(line).unwrap(), words, "{line}");
        }
        assert!(split("a 'b").unwrap_err().contains("'"));
    }

    #[test]
    fn numbers_keep_to_their_range() {
        assert_eq!(number("x", "7", 1, 9), Ok(7));
        assert_eq!(number("x", "0", 1, 9).unwrap_err(), "found x='0', expected a number from 1 to 9");
        assert!(number("x", "nan", 0.0, 9.0).is_err() && number::<u8>("x", "", 0, 9).is_err());
    }
}
