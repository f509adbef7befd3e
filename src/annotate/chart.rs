//! The expected result after each move as a chart: of characters, or as SVG for a page.

use crate::annotate::review::Review;
use crate::render::markup::Escaped;
use crate::rules::Side;
use std::fmt::Write;

/// Most columns of a chart of characters.
const WIDTH: usize = 70;
/// Most columns of a position in it, if there are few.
const WIDEST: usize = 4;
/// Columns before them, with the names of the rows.
const MARGIN: usize = 8;
/// Rows above and below the middle.
const ROWS: i64 = 4;
/// Fewest columns between two names on the axis.
const NAME_EVERY: usize = 5;

/// The results that the chart reaches from: White's largest win and Black's win.
fn range(review: &Review) -> (f64, f64) {
    let start = review.record.game.start();
    let points = |side| f64::from(start.rules().win_points(side, start.goats_alive()).max(1));
    (points(Side::White), points(Side::Black))
}

/// The chart in characters, 80 columns wide at most, each line with its end.
pub(super) fn text(review: &Review) -> String {
    let (top, bottom) = range(review);
    let columns = columns(&review.expected);
    let mut text = String::new();
    for row in (-ROWS..=ROWS).rev() {
        let name = match row {
            ROWS => format!("{top:+}"),
            0 => "0".to_owned(),
            row if row == -ROWS => format!("{:+}", -bottom),
            _ => String::new(),
        };
        let cells: String = columns.iter().map(|value| cell(*value, row, top, bottom)).collect();
        let axis = if row == 0 { '┼' } else { '│' };
        // Writing to a string can't fail, here and below.
        let _ = writeln!(text, "{}", format!("{name:>6} {axis}{cells}").trim_end());
    }
    text + &axis(review, columns.len())
}

/// The values of the chart's columns: several for each position, or the mean of several positions.
fn columns(values: &[f64]) -> Vec<f64> {
    let count = values.len().max(1);
    let width = if count > WIDTH { WIDTH } else { count * (WIDTH / count).min(WIDEST) };
    let column = |number: usize| {
        let (first, end) = (number * count / width, ((number + 1) * count).div_ceil(width));
        let part = values.get(first..end).unwrap_or_default();
        part.iter().sum::<f64>() / part.len().max(1) as f64
    };
    (0..width).map(column).collect()
}

/// A character of a column: a bar from the middle in steps of half a row.
fn cell(value: f64, row: i64, top: f64, bottom: f64) -> char {
    let full = if value >= 0.0 { top } else { bottom };
    let level = (value / full * 2.0 * ROWS as f64).round() as i64;
    let (reach, half) = if level >= 0 { (level - 2 * (row - 1), '▄') } else { (-level - 2 * (-row - 1), '▀') };
    match reach {
        _ if row == 0 => '─',
        _ if (row > 0) != (level >= 0) => ' ',
        ..=0 => ' ',
        1 => half,
        _ => '█',
    }
}

/// The numbers of the moves below the chart: all, or every second, fifth, tenth and so on.
fn axis(review: &Review, width: usize) -> String {
    let count = review.expected.len().max(1);
    let tens = std::iter::successors(Some(1), |ten: &usize| ten.checked_mul(10));
    let mut steps = tens.flat_map(|ten| [ten, 2 * ten, 5 * ten]);
    let every = steps.find(|every| 2 * every * width / count >= NAME_EVERY).unwrap_or(1);
    let mut text = String::new();
    for (index, step) in review.steps.iter().enumerate() {
        let number = step.position.move_number();
        let is_due = step.side() == Side::White && (index < 2 || number.is_multiple_of(every as u32));
        let column = MARGIN + (index + 1) * width / count;
        if let Some(blanks) = column.checked_sub(text.len()).filter(|blanks| is_due && (text.is_empty() || *blanks > 0))
        {
            let _ = write!(text, "{}{number}", " ".repeat(blanks));
        }
    }
    text + "\n"
}

/// Size of the plane of the SVG chart.
const PLANE: (f64, f64) = (1000.0, 200.0);

/// The chart as SVG: White's part light, Black's dark, a dot for each fault, and a link `#pN` for each position N.
pub(super) fn svg(review: &Review) -> String {
    let (top, bottom) = range(review);
    let (width, height) = PLANE;
    let middle = height * top / (top + bottom);
    let step = width / review.expected.len().max(1) as f64;
    let x = |index: usize| step * (index as f64 + 0.5);
    let y = |value: f64| (middle - value.clamp(-bottom, top) / top.max(1.0) * middle.min(height)).clamp(0.0, height);
    // From edge to edge.
    let mut line = format!("M0 {:.1}", y(review.expected.first().copied().unwrap_or_default()));
    for (index, value) in review.expected.iter().enumerate() {
        let _ = write!(line, "L{:.1} {:.1}", x(index), y(*value));
    }
    let _ = write!(line, "L{width} {:.1}", y(review.expected.last().copied().unwrap_or_default()));
    let mut text = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"chart\" viewBox=\"0 0 {width} {height}\" \
         preserveAspectRatio=\"none\" role=\"img\"><title>Expected result after each move</title>\n\
         <rect class=\"ground\" width=\"{width}\" height=\"{height}\"/>\n\
         <path class=\"area\" d=\"{line}V{height}H0Z\"/>\n\
         <path class=\"middle\" d=\"M0 {middle:.1}H{width}\"/>\n<path class=\"line\" d=\"{line}\"/>\n\
         <rect id=\"cursor\" y=\"0\" width=\"{:.2}\" height=\"{height}\" x=\"0\"/>\n",
        step.max(1.0)
    );
    for (index, value) in review.expected.iter().enumerate() {
        let judged = index.checked_sub(1).and_then(|before| review.steps.get(before));
        let name = judged.map_or("start".to_owned(), |step| {
            let grade = if step.is_fault() { step.verdict() } else { step.values[1].to_string() };
            format!("{}: {grade}", step.numbered())
        });
        let dot = judged.filter(|step| step.is_fault()).map_or_else(String::new, |step| {
            format!("<path class=\"dot {}\" d=\"M{1:.1} {2:.1}h0.01\"/>", step.grade_name(), x(index), y(*value))
        });
        let _ = writeln!(
            text,
            "<a href=\"#p{index}\" data-ply=\"{index}\"><title>{}</title>{dot}<rect class=\"hit\" x=\"{:.2}\" y=\"0\" \
             width=\"{step:.2}\" height=\"{height}\"/></a>",
            Escaped(&name),
            step * index as f64
        );
    }
    text + "</svg>\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_positions_are_stretched_and_many_pressed_together() {
        assert_eq!(columns(&[1.0, -1.0]), [1.0, 1.0, 1.0, 1.0, -1.0, -1.0, -1.0, -1.0]);
        let many: Vec<f64> = (0..140).map(f64::from).collect();
        assert_eq!((columns(&many).len(), columns(&many)[1]), (WIDTH, 2.5));
        assert!(columns(&[0.0; 100]).iter().all(|value| *value == 0.0));
    }

    #[test]
    fn bars_grow_from_the_middle_by_half_rows() {
        let column = |value| (-ROWS..=ROWS).rev().map(|row| cell(value, row, 1.0, 1.0)).collect::<String>();
        assert_eq!(column(1.0), "████─    ");
        assert_eq!(column(0.38), "  ▄█─    ");
        assert_eq!(column(0.0), "    ─    ");
        assert_eq!(column(-0.12), "    ─▀   ");
        assert_eq!(column(-1.0), "    ─████");
    }
}
