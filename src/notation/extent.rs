//! How far an item of a text goes: which lines belong to it.

use crate::notation::line::record_part;
use crate::notation::record::{number_length, parse_result};

/// What an item is, as its first line tells.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
enum ItemKind {
    /// Comments alone so far.
    Unknown,
    /// A match record: tags, then moves up to the result.
    Tagged,
    /// A line that is an item of its own.
    Line,
    /// A line with a game record, which may go on over the next lines.
    RecordLine,
}

/// Follows an item line by line.
#[derive(Debug)]
pub struct ItemExtent {
    kind: ItemKind,
    is_in_comment: bool,
    /// Variations that are open.
    depth: usize,
    has_event: bool,
    has_moves: bool,
    has_result: bool,
    /// The last move number of the game itself.
    last_number: u32,
    /// Whether a move must follow, after a move number or a semicolon.
    is_move_due: bool,
}

impl ItemExtent {
    /// The extent of the item that begins with this line.
    pub fn new(line: &str) -> Self {
        let mut extent = Self {
            kind: ItemKind::Unknown,
            is_in_comment: false,
            depth: 0,
            has_event: false,
            has_moves: false,
            has_result: false,
            last_number: 0,
            is_move_due: false,
        };
        extent.add(line);
        extent
    }

    /// Whether no further line can belong to the item.
    pub fn is_over(&self) -> bool {
        self.has_result || self.kind == ItemKind::Line
    }

    /// Whether the last line ends in a comment.
    pub const fn is_in_comment(&self) -> bool {
        self.is_in_comment
    }

    /// Whether there is nothing but comments.
    pub fn is_empty(&self) -> bool {
        self.kind == ItemKind::Unknown && !self.is_in_comment
    }

    /// Whether a line within a comment may be the next item instead, the end of the comment having been lost.
    pub fn may_be_next_item(&self, line: &str) -> bool {
        self.kind != ItemKind::Tagged || is_tag(line.trim())
    }

    /// Whether the comment of a hand-written game ends without its brace at this line, which is blank.
    pub fn gives_up_comment(&self, line: &str) -> bool {
        self.kind == ItemKind::RecordLine && line.trim().is_empty()
    }

    /// Whether the next line, which does not begin in a comment, belongs to the item.
    pub fn accepts(&self, line: &str) -> bool {
        let line = line.trim_start();
        match self.kind {
            ItemKind::Unknown => true,
            ItemKind::Tagged if !line.starts_with('[') => true,
            ItemKind::Tagged => !(self.has_moves || self.has_event && line.starts_with("[Event ")),
            ItemKind::Line => false,
            ItemKind::RecordLine => self.goes_on_with(line),
        }
    }

    /// Whether a game goes on with this line.
    fn goes_on_with(&self, line: &str) -> bool {
        let mut line = line;
        while let Some(comment) = line.strip_prefix('{') {
            line = comment.split_once('}').map_or("", |(_, after)| after.trim_start());
            if line.is_empty() {
                return true;
            }
        }
        let Some(word) = line.split_whitespace().next().filter(|_| !line.starts_with(['#', '['])) else {
            return false;
        };
        let length = number_length(word);
        let (number, behind) = word.split_at_checked(length).unwrap_or(("", word));
        let dots = number.len() - number.trim_end_matches(['.', '…']).len();
        match value(number) {
            Some(number) => number > self.last_number || number == self.last_number && dots > 1,
            None => {
                self.is_move_due
                    || self.depth > 0
                    || behind.starts_with([';', '(', '$'])
                    || parse_result(behind).is_some()
            }
        }
    }

    /// Takes in a line that belongs to the item.
    pub fn add(&mut self, line: &str) {
        let mut rest = line;
        while self.kind == ItemKind::Unknown {
            if self.is_in_comment {
                let Some((_, after)) = rest.split_once('}') else { return };
                (self.is_in_comment, rest) = (false, after);
            }
            rest = rest.trim_start();
            if let Some(comment) = rest.strip_prefix('{') {
                (self.is_in_comment, rest) = (true, comment);
            } else if rest.is_empty() {
                return;
            } else if rest.starts_with('[') {
                self.kind = ItemKind::Tagged;
            } else {
                let record = record_part(rest);
                self.kind = if record.is_some() { ItemKind::RecordLine } else { ItemKind::Line };
                rest = record.unwrap_or_default();
            }
        }
        let is_tag = self.kind == ItemKind::Tagged && !self.has_moves && !self.is_in_comment;
        match rest.trim_start().strip_prefix('[').filter(|_| is_tag) {
            Some(tag) => self.has_event |= tag.starts_with("Event "),
            None => self.scan(rest),
        }
    }

    /// Looks for comments, variations, move numbers and the result in the text of a game.
    fn scan(&mut self, mut rest: &str) {
        loop {
            if self.is_in_comment {
                let Some((_, after)) = rest.split_once('}') else { return };
                (self.is_in_comment, rest) = (false, after);
            }
            rest = rest.trim_start();
            let is_end = |letter: char| letter.is_whitespace() || ['{', '(', ')', ';'].contains(&letter);
            let (word, after) = rest.split_at_checked(rest.find(is_end).unwrap_or(rest.len())).unwrap_or((rest, ""));
            if !word.is_empty() {
                self.word(word);
                rest = after;
            }
            if self.has_result {
                return;
            }
            let mut letters = rest.chars();
            match letters.next() {
                None => return,
                Some('{') => self.is_in_comment = true,
                Some('(') => self.depth += 1,
                Some(')') => self.depth = self.depth.saturating_sub(1),
                Some(';') if self.depth == 0 => self.is_move_due = true,
                Some(_) => {}
            }
            rest = letters.as_str();
        }
    }

    fn word(&mut self, word: &str) {
        self.has_moves = true;
        if self.depth > 0 {
            return;
        }
        let length = number_length(word);
        if parse_result(word).is_some() {
            self.has_result = true;
        } else if let Some(number) = word.get(..length).and_then(value) {
            self.last_number = number;
            self.is_move_due = length == word.len();
        } else {
            self.is_move_due &= word.starts_with(['.', '…']);
        }
    }
}

/// The number of a move number; `None` for an empty text.
fn value(number: &str) -> Option<u32> {
    let digits = number.trim_end_matches(['.', '…']);
    (!digits.is_empty()).then(|| digits.parse().unwrap_or(u32::MAX))
}

/// Whether a line looks like a tag: `[Name "value"]`.
pub fn is_tag(line: &str) -> bool {
    let inner = line.strip_prefix('[').and_then(|line| line.strip_suffix("\"]"));
    let name = inner.and_then(|inner| inner.split_once(" \"")).map(|(name, _)| name);
    name.is_some_and(|name| !name.is_empty() && name.bytes().all(|letter| letter.is_ascii_alphanumeric()))
}
