//! A judged game as one page for a browser: boards, chart, moves to click and keys to press, and nothing from elsewhere.
//!
//! The page is well-formed XML as well as HTML, so its script and style do without `<` and `&`. Without scripts it shows
//! all positions one below the other. All text that comes from a file is escaped.

use crate::annotate::chart;
use crate::annotate::grade::GRADES;
use crate::annotate::review::{Review, Step};
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

/// The page.
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
    for (index, step) in review.steps.iter().enumerate() {
        text += &ply(index + 1, step, review.record.comments.get(index).map_or("", String::as_str));
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

/// The first position.
fn start(review: &Review) -> String {
    let position = review.record.game.start();
    let value = review.steps.first().map_or_else(String::new, |step| format!(" ({})", step.values[0]));
    format!(
        "<section class=\"ply\" id=\"p0\">\n{}<h2>Start{}</h2>\n{}</section>\n",
        board(position, Vec::new()),
        Escaped(&value),
        fen(position)
    )
}

/// The position after a move, with what there is to say of the move and what its record says.
fn ply(number: usize, step: &Step, comment: &str) -> String {
    let next = step.position.play(step.mv);
    let fault = if step.is_fault() { " data-fault=\"\"" } else { "" };
    let said = if step.is_fault() { step.verdict() } else { format!("{} ({})", step.grade_name(), step.values[1]) };
    let mut text = format!(
        "<section class=\"ply\" id=\"p{number}\"{fault}>\n{}<h2>{} <span class=\"{}\">{} {}</span></h2>\n{}",
        board(&next, vec![Arrow::of_move(step.mv, Meaning::Played)]),
        Escaped(&step.numbered()),
        step.grade_name(),
        Escaped(step.sign()),
        Escaped(&said),
        fen(&next)
    );
    if !comment.is_empty() {
        let _ = writeln!(text, "<p>{}</p>", Escaped(comment));
    }
    if let (Some(better), Some(best)) = (step.better(), step.best.first()) {
        let arrow = Arrow::of_move(*best, Meaning::Shown);
        let _ = write!(
            text,
            "<div class=\"better\"><p>Better: {}</p>\n{}</div>\n",
            Escaped(&better),
            board(&step.position, vec![arrow])
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

/// Accuracy and numbers of moves by grade.
fn counts(review: &Review) -> String {
    let sides = [Side::White, Side::Black];
    let row = |name: &str, class: &str, [white, black]: [String; 2]| {
        format!("<tr class=\"{class}\"><th>{name}</th><td>{white}</td><td>{black}</td></tr>\n")
    };
    let accuracy = |side| review.accuracy(side).map_or("-".to_owned(), |percent| format!("{percent:.1} %"));
    let mut text = "<table class=\"counts\">\n<tr><th></th><th>White</th><th>Black</th></tr>\n".to_owned();
    text += &row("accuracy", "accuracy", sides.map(accuracy));
    for spec in GRADES {
        text += &row(spec.plural, spec.name, sides.map(|side| review.count(side, spec.grade).to_string()));
    }
    text += &row("only moves", "forced", sides.map(|side| review.forced(side).to_string()));
    text + "</table>\n"
}

/// The list of moves, each a link to its position.
fn moves(review: &Review) -> String {
    let mut text = "<div id=\"moves\"><table>\n".to_owned();
    for (index, step) in review.steps.iter().enumerate() {
        let is_white = step.side() == Side::White;
        if is_white || index == 0 {
            let _ = write!(text, "<tr><td>{}.</td>", step.position.move_number());
        }
        if !is_white && index == 0 {
            text += "<td>...</td>";
        }
        let _ = write!(
            text,
            "<td><a href=\"#p{0}\" data-ply=\"{0}\"><span class=\"{1}\">{2} {3}</span> <span class=\"faint\">{4}</span></a></td>",
            index + 1,
            step.grade_name(),
            Escaped(&step.text),
            Escaped(step.sign()),
            Escaped(&step.values[1].to_string())
        );
        let is_last = index + 1 == review.steps.len();
        if is_white && is_last {
            text += "<td></td>";
        }
        if !is_white || is_last {
            text += "</tr>\n";
        }
    }
    // A table needs a row.
    if review.steps.is_empty() {
        text += "<tr><td>no moves</td></tr>\n";
    }
    text + "</table></div>\n"
}
