//! The expected result after each move as a chart, in characters or as SVG.

use crate::annotate::review::Review;
use crate::render::markup::Escaped;
use crate::rules::Side;
use std::fmt::Write;

/// Columns of a chart of characters, at most.
const WIDTH: usize = 70;
/// Columns of one position in it, at most.
const MAX_POSITION_WIDTH: usize = 4;
/// Columns to the left of the chart, which name the results at the top, in the middle and at the bottom.
const MARGIN: usize = 8;
/// Rows above and below the middle.
const ROWS: i64 = 4;
/// Columns between the beginnings of two move numbers on the axis, at least.
const MIN_LABEL_DISTANCE: usize = 5;

/// The range of the chart, in points: White's largest win, and Black's win.
fn range(review: &Review) -> (f64, f64) {
    let start = review.record.game.start();
    let points = |side| f64::from(start.rules().win_points(side, start.goats_alive()).max(1));
    (points(Side::White), points(Side::Black))
}

/// The chart in characters: at most 80 columns wide, every line ended.
pub(super) fn text(review: &Review) -> String {
    let (top, bottom) = range(review);
    let columns = columns(&review.expected_results);
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

/// The expected result in each column: several columns for a position, or the mean of several positions in one.
fn columns(values: &[f64]) -> Vec<f64> {
    let count = values.len().max(1);
    let width = if count > WIDTH { WIDTH } else { count * (WIDTH / count).min(MAX_POSITION_WIDTH) };
    let column = |number: usize| {
        let (first, end) = (number * count / width, ((number + 1) * count).div_ceil(width));
        let part = values.get(first..end).unwrap_or_default();
        part.iter().sum::<f64>() / part.len().max(1) as f64
    };
    (0..width).map(column).collect()
}

/// One cell of a bar that grows from the middle row in steps of half a row.
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

/// The line of move numbers below the chart: all of them, or every second, fifth, tenth and so on.
fn axis(review: &Review, width: usize) -> String {
    let count = review.expected_results.len().max(1);
    let tens = std::iter::successors(Some(1), |ten: &usize| ten.checked_mul(10));
    let mut steps = tens.flat_map(|ten| [ten, 2 * ten, 5 * ten]);
    let every = steps.find(|every| 2 * every * width / count >= MIN_LABEL_DISTANCE).unwrap_or(1);
    let mut text = String::new();
    for (index, reviewed) in review.moves.iter().enumerate() {
        let number = reviewed.position.move_number();
        let is_due = reviewed.side() == Side::White && (index < 2 || number.is_multiple_of(every as u32));
        let column = MARGIN + (index + 1) * width / count;
        if let Some(blanks) = column.checked_sub(text.len()).filter(|blanks| is_due && (text.is_empty() || *blanks > 0))
        {
            let _ = write!(text, "{}{number}", " ".repeat(blanks));
        }
    }
    text + "\n"
}

/// Width and height of the SVG chart, in its own units.
const SIZE: (f64, f64) = (1000.0, 200.0);

/// The chart as SVG: White's part light, Black's dark, a dot for each fault, and a link `#pN` for each position N.
pub(super) fn svg(review: &Review) -> String {
    let (top, bottom) = range(review);
    let (width, height) = SIZE;
    let middle = height * top / (top + bottom);
    let column = width / review.expected_results.len().max(1) as f64;
    let x = |index: usize| column * (index as f64 + 0.5);
    let y = |value: f64| (middle - value.clamp(-bottom, top) / top.max(1.0) * middle.min(height)).clamp(0.0, height);
    // From edge to edge.
    let mut line = format!("M0 {:.1}", y(review.expected_results.first().copied().unwrap_or_default()));
    for (index, value) in review.expected_results.iter().enumerate() {
        let _ = write!(line, "L{:.1} {:.1}", x(index), y(*value));
    }
    let _ = write!(line, "L{width} {:.1}", y(review.expected_results.last().copied().unwrap_or_default()));
    let mut text = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"chart\" viewBox=\"0 0 {width} {height}\" \
         preserveAspectRatio=\"none\" role=\"img\"><title>Expected result after each move</title>\n\
         <rect class=\"ground\" width=\"{width}\" height=\"{height}\"/>\n\
         <path class=\"area\" d=\"{line}V{height}H0Z\"/>\n\
         <path class=\"middle\" d=\"M0 {middle:.1}H{width}\"/>\n<path class=\"line\" d=\"{line}\"/>\n\
         <rect id=\"cursor\" y=\"0\" width=\"{:.2}\" height=\"{height}\" x=\"0\"/>\n",
        column.max(1.0)
    );
    for (index, value) in review.expected_results.iter().enumerate() {
        let mv = index.checked_sub(1).and_then(|before| review.moves.get(before));
        let name = mv.map_or("start".to_owned(), |reviewed| {
            let grade = if reviewed.is_fault() { reviewed.description() } else { reviewed.value_after.to_string() };
            format!("{}: {grade}", reviewed.numbered())
        });
        let dot = mv.filter(|reviewed| reviewed.is_fault()).map_or_else(String::new, |reviewed| {
            format!("<path class=\"dot {}\" d=\"M{1:.1} {2:.1}h0.01\"/>", reviewed.grade_name(), x(index), y(*value))
        });
        let _ = writeln!(
            text,
            "<a href=\"#p{index}\" data-ply=\"{index}\"><title>{}</title>{dot}<rect class=\"hit\" x=\"{:.2}\" y=\"0\" \
             width=\"{column:.2}\" height=\"{height}\"/></a>",
            Escaped(&name),
            column * index as f64
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
