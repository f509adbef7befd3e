//! A judged game as a match record: the judgement in the comments, so that all that reads match records reads it.

use crate::annotate::review::{Review, Step};
use crate::annotate::value::Value;
use crate::notation::match_record::Record;
use crate::rules::Side;

/// The record with a comment for each move, `-0.52/12 mistake, …; better 12. e5; b4`, before what stood there, and tags
/// for who annotated it and for the accuracy of both sides.
///
/// Scores are those of the side that moves, as in every match record; `+M7` is a win in seven plies.
pub fn annotated(review: &Review) -> Record {
    let mut record = review.record.clone();
    let old = |index: usize| review.record.comments.get(index).map_or("", String::as_str);
    record.comments = review.steps.iter().enumerate().map(|(index, step)| comment(step, old(index))).collect();
    set(&mut record, "Annotator", concat!("Sundarban ", env!("CARGO_PKG_VERSION")).to_owned());
    for (name, side) in [("WhiteAccuracy", Side::White), ("BlackAccuracy", Side::Black)] {
        if let Some(percent) = review.accuracy(side) {
            set(&mut record, name, format!("{percent:.1}"));
        }
    }
    record
}

fn set(record: &mut Record, name: &str, value: String) {
    match record.tags.iter_mut().find(|(found, _)| found == name) {
        Some((_, old)) => *old = value,
        None => record.tags.push((name.to_owned(), value)),
    }
}

fn comment(step: &Step, old: &str) -> String {
    let mut text = format!("{}/{}", score(step), step.depth);
    if step.is_fault() {
        text += &format!(" {}", step.grade_name());
        step.remark().into_iter().for_each(|remark| text += &format!(", {remark}"));
        step.better().into_iter().for_each(|better| text += &format!("; better {better}"));
    }
    if old.is_empty() { text } else { format!("{text} - {old}") }
}

/// The value after a move for the side that has made it.
fn score(step: &Step) -> String {
    let is_white = step.side() == Side::White;
    match step.values[1] {
        Value::Open(centigoats) => Value::Open(if is_white { centigoats } else { -centigoats }).to_string(),
        Value::Drawn => "+0.00".to_owned(),
        Value::Won { winner, plies, .. } => {
            let sign = if winner == step.side() { '+' } else { '-' };
            plies.map_or_else(|| format!("{sign}win"), |plies| format!("{sign}M{plies}"))
        }
    }
}
