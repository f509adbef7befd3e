//! A reviewed game as a match record: the values and faults in the comments, where any reader of match records finds them.

use crate::annotate::review::{Review, ReviewedMove};
use crate::annotate::value::PositionValue;
use crate::notation::match_record::Record;
use crate::rules::Side;

/// The record with a comment for each move, `-0.52/12 mistake, …; better 12. e5; b4`, before what stood there, and tags
/// for who annotated it and for the accuracy of both sides. A move of the opening keeps its comment, by which it is known.
///
/// Scores are those of the side that moves, as in every match record; `+M7` is a win in seven plies.
pub fn annotated(review: &Review) -> Record {
    let mut record = review.record.clone();
    let old = |index: usize| review.record.comments.get(index).map_or("", String::as_str);
    record.comments = review.moves.iter().enumerate().map(|(index, reviewed)| comment(reviewed, old(index))).collect();
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

fn comment(reviewed: &ReviewedMove, old: &str) -> String {
    if reviewed.is_book {
        return old.to_owned();
    }
    let mut text = format!("{}/{}", score(reviewed), reviewed.depth);
    if reviewed.is_fault() {
        text += &format!(" {}", reviewed.grade_name());
        reviewed.remark().into_iter().for_each(|remark| text += &format!(", {remark}"));
        reviewed.better().into_iter().for_each(|better| text += &format!("; better {better}"));
    }
    if old.is_empty() { text } else { format!("{text} - {old}") }
}

/// The value after a move, from the side that made it.
fn score(reviewed: &ReviewedMove) -> String {
    let is_white = reviewed.side() == Side::White;
    match reviewed.value_after {
        PositionValue::Evaluation(centigoats) => {
            PositionValue::Evaluation(if is_white { centigoats } else { -centigoats }).to_string()
        }
        PositionValue::Draw => "+0.00".to_owned(),
        PositionValue::Win { winner, plies, .. } => {
            let sign = if winner == reviewed.side() { '+' } else { '-' };
            plies.map_or_else(|| format!("{sign}win"), |plies| format!("{sign}M{plies}"))
        }
    }
}
