//! A reviewed game as one page for a browser: boards, chart, moves to click and keys to press, and nothing from elsewhere.
//!
//! The page is well-formed XML as well as HTML, so its script and style do without `<` and `&`. Without scripts it shows
//! all positions one below the other. All text that comes from a file is escaped.

use crate::annotate::chart;
use crate::annotate::grade::GRADES;
use crate::annotate::review::{Review, ReviewedMove};
use crate::board::PointSet;
use crate::notation::fen::Fen;
use crate::notation::match_record::result_text;
use crate::position::Position;
use crate::render::markup::Escaped;
use crate::render::svg;
use crate::render::{Arrow, Diagram, Meaning};
use crate::rules::Side;
use crate::text::counted;
use std::fmt::Write;

const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");

/// What the page may load: nothing but what it holds itself.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'";

const BUTTONS: &str = "<div id=\"buttons\"><button type=\"button\" data-key=\"Home\" title=\"Home\">start</button>\
    <button type=\"button\" data-key=\"ArrowLeft\" title=\"left arrow\">back</button>\
    <button type=\"button\" data-key=\"ArrowRight\" title=\"right arrow\">next</button>\
    <button type=\"button\" data-key=\"End\" title=\"End\">end</button>\
    <button type=\"button\" data-key=\"p\" title=\"p\">previous fault</button>\
    <button type=\"button\" data-key=\"n\" title=\"n\">next fault</button></div>\n";

/// The page with everything that it needs.
pub fn write(review: &Review) -> String {
    let [white, black] = review.players();
    let title = format!("{white} - {black}");
    let mut text = format!(
        "<!DOCTYPE html>\n<html xmlns=\"http://www.w3.org/1999/xhtml\" lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"{POLICY}\"/>\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n\
         <title>{}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n",
        Escaped(&title)
    );
    text += &svg::shapes();
    text += &heading(review);
    text += &chart::svg(review);
    text += "<main>\n<div>\n";
    text += BUTTONS;
    text += &start(review);
    for (index, reviewed) in review.moves.iter().enumerate() {
        text += &ply(index + 1, reviewed, review.record.comments.get(index).map_or("", String::as_str));
    }
    text += "</div>\n<div>\n";
    text += &counts(review);
    text += &moves(review);
    text += "</div>\n</main>\n<script>\n";
    text + SCRIPT + "</script>\n</body>\n</html>\n"
}

fn heading(review: &Review) -> String {
    let game = &review.record.game;
    let [white, black] = review.players();
    let facts = format!("{}, {}: {}", game.rules().name, counted(game.moves().len() as u64, "ply"), review.ending());
    let tag = |name| review.record.tag(name);
    let event: Vec<&str> = ["Event", "Date"].into_iter().filter_map(tag).collect();
    let mut text = format!(
        "<header><h1>{} - {} <span class=\"faint\">{}</span></h1>\n<p>{}</p>\n",
        Escaped(white),
        Escaped(black),
        result_text(review.record.result),
        Escaped(&facts)
    );
    if !event.is_empty() {
        // Writing to a string can't fail, here and below.
        let _ = writeln!(text, "<p class=\"faint\">{}</p>", Escaped(&event.join(", ")));
    }
    text + "</header>\n"
}

/// The section of the start position.
fn start(review: &Review) -> String {
    let position = review.record.game.start();
    let value = review.moves.first().map_or_else(String::new, |reviewed| format!(" ({})", reviewed.value_before));
    format!(
        "<section class=\"ply\" id=\"p0\">\n{}<h2>Start{}</h2>\n{}</section>\n",
        board(position, Vec::new()),
        Escaped(&value),
        fen(position)
    )
}

/// The position after a move, with the move's grade, the record's comment, and for a fault the better move on a board.
fn ply(number: usize, reviewed: &ReviewedMove, comment: &str) -> String {
    let next = reviewed.position.play(reviewed.mv);
    let fault = if reviewed.is_fault() { " data-fault=\"\"" } else { "" };
    let grade = if reviewed.is_fault() {
        reviewed.description()
    } else if reviewed.is_book {
        // Its sign is its name.
        format!("({})", reviewed.value_after)
    } else {
        format!("{} ({})", reviewed.grade_name(), reviewed.value_after)
    };
    let mut text = format!(
        "<section class=\"ply\" id=\"p{number}\"{fault}>\n{}<h2>{} <span class=\"{}\">{} {}</span></h2>\n{}",
        board(&next, vec![Arrow::of_move(reviewed.mv, Meaning::Played)]),
        Escaped(&reviewed.numbered()),
        reviewed.grade_name(),
        Escaped(reviewed.sign()),
        Escaped(&grade),
        fen(&next)
    );
    if !comment.is_empty() && !reviewed.is_book {
        let _ = writeln!(text, "<p>{}</p>", Escaped(comment));
    }
    if let (Some(better), Some(best)) = (reviewed.better(), reviewed.best_line.first()) {
        let arrow = Arrow::of_move(*best, Meaning::Shown);
        let _ = write!(
            text,
            "<div class=\"better\"><p>Better: {}</p>\n{}</div>\n",
            Escaped(&better),
            board(&reviewed.position, vec![arrow])
        );
    }
    text + "</section>\n"
}

fn board(position: &Position, arrows: Vec<Arrow>) -> String {
    svg::shared(&Diagram { position, arrows, marks: PointSet::EMPTY })
}

fn fen(position: &Position) -> String {
    format!("<p class=\"faint\">{}</p>\n", Escaped(&Fen(position).to_string()))
}

/// The table of accuracy and of the numbers of moves by grade.
fn counts(review: &Review) -> String {
    let sides = [Side::White, Side::Black];
    let row = |name: &str, class: &str, [white, black]: [String; 2]| {
        format!("<tr class=\"{class}\"><th>{name}</th><td>{white}</td><td>{black}</td></tr>\n")
    };
    let accuracy = |side| review.accuracy(side).map_or("-".to_owned(), |percent| format!("{percent:.1} %"));
    let mut text = "<table class=\"counts\">\n<tr><th></th><th>White</th><th>Black</th></tr>\n".to_owned();
    text += &row("accuracy", "accuracy", sides.map(accuracy));
    for info in GRADES {
        text += &row(info.plural, info.name, sides.map(|side| review.count(side, info.grade).to_string()));
    }
    text += &row("only moves", "forced", sides.map(|side| review.forced(side).to_string()));
    if review.has_book() {
        text += &row("book moves", "book", sides.map(|side| review.book(side).to_string()));
    }
    text + "</table>\n"
}

/// The table of moves, each a link to its position.
fn moves(review: &Review) -> String {
    let mut text = "<div id=\"moves\"><table>\n".to_owned();
    for (index, reviewed) in review.moves.iter().enumerate() {
        let is_white = reviewed.side() == Side::White;
        if is_white || index == 0 {
            let _ = write!(text, "<tr><td>{}.</td>", reviewed.position.move_number());
        }
        if !is_white && index == 0 {
            text += "<td>...</td>";
        }
        let _ = write!(
            text,
            "<td><a href=\"#p{0}\" data-ply=\"{0}\"><span class=\"{1}\">{2} {3}</span> <span class=\"faint\">{4}</span></a></td>",
            index + 1,
            reviewed.grade_name(),
            Escaped(&reviewed.text),
            Escaped(reviewed.sign()),
            Escaped(&reviewed.value_after.to_string())
        );
        let is_last = index + 1 == review.moves.len();
        if is_white && is_last {
            text += "<td></td>";
        }
        if !is_white || is_last {
            text += "</tr>\n";
        }
    }
    // A table needs a row.
    if review.moves.is_empty() {
        text += "<tr><td>no moves</td></tr>\n";
    }
    text + "</table></div>\n"
}
