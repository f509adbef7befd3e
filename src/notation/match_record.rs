//! Match records: games as text, in the manner of PGN. Tags in brackets, moves as game records have them
//! (`1. e5; b4`), a comment in braces after each move, the reason in a last comment, the result. protocol.md has the grammar.
//!
//! What is written here reads back ([`reader`](super::reader)) and is then written the same.

pub use crate::notation::record::{parse_result, result_text};

use crate::game::{Game, GameResult};
use crate::notation::fen::Fen;
use crate::notation::record::{Annotation, move_text, one_line};
use crate::position::Position;
use crate::rules::Side;
use std::fmt::Write;
use std::time::SystemTime;

/// Longest line of moves, in characters.
const WIDTH: usize = 100;

/// The comment on a move that belongs to the opening, as match runners write it.
pub const BOOK: &str = "book";

/// A game as a record has it.
#[derive(Clone, Debug)]
pub struct Record {
    /// Tags in order, but for those that follow from the other fields: `Rules`, `FEN`, `Result`.
    pub tags: Vec<(String, String)>,
    /// Where it began, and its moves.
    pub game: Game,
    /// The comment before the first move; empty for none. Without moves it is the reason.
    pub preface: String,
    /// The comment after each move; empty for none.
    pub comments: Vec<String>,
    /// Signs and variations behind each move; where it is shorter than the game, the other moves have none.
    pub annotations: Vec<Annotation>,
    /// The last comment, before the result: why it ended; empty for none.
    pub reason: String,
    /// The result as White sees it; `None` if it is not over.
    pub result: Option<GameResult>,
}

impl Record {
    /// A record of a game and nothing else.
    pub fn new(game: Game) -> Self {
        let comments = vec![String::new(); game.moves().len()];
        let (preface, reason) = (String::new(), String::new());
        Self { tags: Vec::new(), game, preface, comments, annotations: Vec::new(), reason, result: None }
    }

    /// The value of a tag.
    pub fn tag(&self, name: &str) -> Option<&str> {
        self.tags.iter().find(|(found, _)| found == name).map(|(_, value)| value.as_str())
    }

    /// Whether the move of this index, from 0, belongs to the opening and was no player's choice, by its comment.
    pub fn is_book(&self, index: usize) -> bool {
        self.comments.get(index).is_some_and(|comment| comment.trim().eq_ignore_ascii_case(BOOK))
    }

    /// The record as text, with an empty line at its end.
    pub fn write(&self) -> String {
        let mut text = String::new();
        let start = self.game.start();
        let mut tag = |name: &str, value: &str| {
            let value = value.replace('\\', "\\\\").replace('"', "\\\"").replace(['\n', '\r'], " ");
            // Writing to a string can't fail.
            let _ = writeln!(text, "[{name} \"{value}\"]");
        };
        self.tags.iter().for_each(|(name, value)| tag(name, value));
        tag("Rules", self.game.rules().name);
        if *start != Position::start(self.game.rules()) {
            tag("FEN", &Fen(start).to_string());
        }
        tag("Result", result_text(self.result));
        text.push('\n');
        text += &wrapped(&self.moves_text());
        text += "\n\n";
        text
    }

    /// The moves with their comments, the reason and the result, on one line.
    fn moves_text(&self) -> String {
        let comment = |text: &str| {
            let text = one_line(&text.replace(['{', '}'], " "));
            if text.is_empty() { String::new() } else { format!(" {{{text}}}") }
        };
        let mut text = if self.game.moves().is_empty() { String::new() } else { comment(&self.preface) };
        let mut position = *self.game.start();
        for (ply, &mv) in self.game.moves().iter().enumerate() {
            let word = move_text(&position, mv);
            text += &match (position.side(), ply) {
                (Side::White, _) => format!(" {}. {word}", position.move_number()),
                (Side::Black, 0) => format!(" {}. ...; {word}", position.move_number()),
                (Side::Black, _) => format!("; {word}"),
            };
            let annotation = self.annotations.get(ply).cloned().unwrap_or_default();
            for (number, sign) in annotation.signs.iter().enumerate() {
                let touches = number == 0 && sign.starts_with(['!', '?']);
                text += &format!("{}{sign}", if touches { "" } else { " " });
            }
            text += &comment(self.comments.get(ply).map_or("", String::as_str));
            annotation.variations.iter().for_each(|variation| text += &format!(" {variation}"));
            position = position.play(mv);
        }
        text += &comment(&self.reason);
        format!("{} {}", text.trim_start(), result_text(self.result)).trim_start().to_owned()
    }
}

/// Today's date in UTC, as tags have it: `2026.11.29`.
pub fn today() -> String {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    let (year, month, day) = date(since.as_secs() / 86_400);
    format!("{year:04}.{month:02}.{day:02}")
}

/// Year, month and day of a number of days after 1 January 1970 (H. Hinnant, "chrono-Compatible Low-Level Date Algorithms").
fn date(days: u64) -> (u64, u64, u64) {
    let days = days + 719_468;
    let (era, day_of_era) = (days / 146_097, days % 146_097);
    let year = (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year + year / 4 - year / 100);
    let shifted = (5 * day_of_year + 2) / 153;
    let (day, month) =
        (day_of_year - (153 * shifted + 2) / 5 + 1, if shifted < 10 { shifted + 3 } else { shifted - 9 });
    (era * 400 + year + u64::from(month <= 2), month, day)
}

/// Breaks a line at blanks, but before no word that could be taken for a tag at the beginning of a line.
fn wrapped(text: &str) -> String {
    let mut lines = String::new();
    let mut width = 0;
    for word in text.split_whitespace() {
        let length = word.chars().count();
        if width > 0 {
            let breaks = width + 1 + length > WIDTH && !word.starts_with('[');
            lines.push(if breaks { '\n' } else { ' ' });
            width = if breaks { 0 } else { width + 1 };
        }
        lines += word;
        width += length;
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_know_leap_years() {
        assert_eq!([0, 11_016, 11_017, 20_786].map(date), [(1970, 1, 1), (2000, 2, 29), (2000, 3, 1), (2026, 11, 29)]);
    }

    #[test]
    fn no_line_begins_with_what_could_be_a_tag() {
        let text = format!("{} [White \"X\"] {}", "x".repeat(WIDTH - 2), "y".repeat(WIDTH));
        assert!(wrapped(&text).lines().all(|line| !line.starts_with('[')), "{}", wrapped(&text));
    }
}
