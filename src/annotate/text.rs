//! A reviewed game as text, 80 columns wide.

use crate::annotate::chart;
use crate::annotate::grade::GRADES;
use crate::annotate::review::{Review, ReviewedMove};
use crate::notation::fen::Fen;
use crate::notation::match_record::result_text;
use crate::position::Position;
use crate::rules::Side;
use crate::text::counted;
use std::fmt::Write;

/// Columns of a line.
const WIDTH: usize = 80;

/// The game with its moves, values from White's side, a note on each fault, the counts of both sides and a chart.
pub fn write(review: &Review) -> String {
    let mut text = heading(review);
    text += "\n   #  White              value   Black              value\n";
    let mut moves = review.moves.iter().peekable();
    while let Some(first) = moves.next() {
        let second = if first.side() == Side::White { moves.next() } else { None };
        let white = if first.side() == Side::White { column(first) } else { format!("{:<24}", "...") };
        let black = if first.side() == Side::White { second } else { Some(first) }.map_or_else(String::new, column);
        let row = format!("{:>4}. {white}   {black}", first.position.move_number());
        // Writing to a string can't fail, here and below.
        let _ = writeln!(text, "{}", row.trim_end());
        [Some(first), second].into_iter().flatten().for_each(|reviewed| text += &note(reviewed));
    }
    text + "\n" + &summary(review) + "\n" + &chart::text(review)
}

fn heading(review: &Review) -> String {
    let game = &review.record.game;
    let [white, black] = review.players().map(plain);
    let title = format!("{white} - {black} {}", result_text(review.record.result));
    let facts =
        format!("{}, {}: {}", game.rules().name, counted(game.moves().len() as u64, "ply"), plain(&review.ending()));
    let mut text = wrapped(&title, "", "") + &wrapped(&facts, "", "");
    if *game.start() != Position::start(game.rules()) {
        let _ = writeln!(text, "From {}", Fen(game.start()));
    }
    text
}

/// A text from a file with its control characters escaped, so that it can't change the terminal.
fn plain(text: &str) -> String {
    let shown =
        |letter: char| if letter.is_control() { letter.escape_default().to_string() } else { letter.to_string() };
    text.chars().map(shown).collect()
}

fn column(reviewed: &ReviewedMove) -> String {
    let mv = format!("{} {}", reviewed.text, reviewed.sign());
    format!("{:<16}{:>8}", mv.trim_end(), reviewed.value_after)
}

/// The description of a fault and the better line, on lines of their own; empty for other moves.
fn note(reviewed: &ReviewedMove) -> String {
    let Some(better) = reviewed.better() else {
        return String::new();
    };
    let text = format!("{}: {}. Better: {better}", reviewed.numbered(), reviewed.description());
    wrapped(&text, "        ", "          ")
}

/// Breaks a text at blanks, but not behind the number of a move, into lines that begin as given.
fn wrapped(text: &str, first: &str, others: &str) -> String {
    let mut lines = String::new();
    let mut line = first.to_owned();
    let mut begin = first.len();
    let mut words = text.split_whitespace().peekable();
    while let Some(word) = words.next() {
        let mut word = word.to_owned();
        while is_number(&word)
            && let Some(next) = words.next()
        {
            word = format!("{word} {next}");
        }
        if line.len() > begin {
            if line.chars().count() + 1 + word.chars().count() > WIDTH {
                lines += &line;
                lines.push('\n');
                line = others.to_owned();
                begin = others.len();
            } else {
                line.push(' ');
            }
        }
        line += &word;
    }
    lines + &line + "\n"
}

/// Whether a word is the number of a move, with or without the dots of a move that is not White's.
fn is_number(word: &str) -> bool {
    let dots = word.trim_start_matches(|letter: char| letter.is_ascii_digit());
    dots.len() < word.len() && [".", ". ...;"].contains(&dots)
}

fn summary(review: &Review) -> String {
    let sides = [Side::White, Side::Black];
    let row = |name: &str, [white, black]: [String; 2]| format!("{name:<16}{white:>9}{black:>9}\n");
    let accuracy = |side| review.accuracy(side).map_or("-".to_owned(), |percent| format!("{percent:.1} %"));
    let mut text = row("", sides.map(|side| side.to_string()));
    text += &row("accuracy", sides.map(accuracy));
    for info in GRADES {
        text += &row(info.plural, sides.map(|side| review.count(side, info.grade).to_string()));
    }
    text += &row("only moves", sides.map(|side| review.forced(side).to_string()));
    if review.has_book() {
        text += &row("book moves", sides.map(|side| review.book(side).to_string()));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn notes_are_broken_at_blanks() {
        let text = wrapped(&"word ".repeat(40), "  ", "    ");
        assert!(text.lines().all(|line| line.chars().count() <= WIDTH && !line.ends_with(' ')), "{text}");
        assert_eq!((text.lines().count(), text.split_whitespace().count()), (3, 40));
        let text = wrapped(&"12. ...; b3xb1 ".repeat(40), "", "");
        assert!(text.lines().all(|line| line.starts_with("12. ...; b3xb1") && line.ends_with("xb1")), "{text}");
    }

    #[test]
    fn names_of_files_can_not_change_the_terminal() {
        assert_eq!(plain("a'b\u{1b}[31m\nb"), "a'b\\u{1b}[31m\\nb");
    }
}
