//! The board as SVG: lines, herds as piles with their number, tigers with a face, arrows and rings under the pieces.
//!
//! Made to be readable at 200 pixels: strokes, numbers and names keep above a pixel or ten there. Units are hundredths
//! of the distance between two points. A picture stands alone ([`document`]); many on one page share the shapes that
//! don't change ([`shapes`] once, then [`shared`]).

use crate::board::{Point, STEPS};
use crate::notation::fen::Fen;
use crate::position::Position;
use crate::render::markup::Escaped;
use crate::render::{Arrow, Diagram, Meaning, hops};
use crate::rules::{HERD, Side};
use std::fmt::Write;

/// The part of the plane that is shown; a1 lies at (0, 400), e5 at (400, 0).
const VIEW: &str = "-70 -60 530 530";
/// Distance between two points.
const STEP: f64 = 100.0;
/// Offset of each goat of a herd above the one below.
const PILE: f64 = 8.0;
/// Distance of an arrow's tip from the centre of its last point, if that is free or occupied.
const TIP_FREE: f64 = 8.0;
const TIP_OCCUPIED: f64 = 44.0;
/// Distance of the number of a planned move from its arrow.
const NUMBER_ASIDE: f64 = 21.0;
/// Length and half the width of an arrow's head.
const HEAD: (f64, f64) = (34.0, 22.0);

const GROUND: &str = r##"<rect x="-70" y="-60" width="530" height="530" rx="14" fill="#f2e2c4"/>"##;

const TIGER: &str = r##"<g stroke="#3b2412" stroke-width="3" stroke-linecap="round"><circle cx="-22" cy="-25" r="11" fill="#e07b1f"/><circle cx="22" cy="-25" r="11" fill="#e07b1f"/><circle r="34" fill="#f08c2a"/><ellipse cy="14" rx="14" ry="11" fill="#fbe3c2" stroke="none"/><path d="M0-33V-17M-12-31L-9-19M12-31L9-19M-33-2L-21 2M-32 11L-20 10M33-2L21 2M32 11L20 10" stroke-width="6" fill="none"/><path d="M-7 7H7L0 15Z" fill="#3b2412"/><circle cx="-12" cy="-5" r="4" fill="#3b2412"/><circle cx="12" cy="-5" r="4" fill="#3b2412"/></g>"##;

/// The colour of an arrow and its number.
const fn colour(meaning: Meaning) -> &'static str {
    match meaning {
        Meaning::Played => "#d19a00",
        Meaning::Shown => "#1f8a4c",
        Meaning::Planned(_) => "#2a67c0",
    }
}

/// How a picture draws pieces and lines.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
enum Shapes {
    /// The shape itself, each time.
    Inline,
    /// A reference to [`shapes`].
    Shared,
}

/// A picture as a document of its own, `pixels` wide and high.
pub fn document(diagram: &Diagram, pixels: u32) -> String {
    let head = format!("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{pixels}\" height=\"{pixels}\"");
    element(&head, diagram, Shapes::Inline)
}

/// A picture inside a page that has [`shapes`], as large as the page makes it.
pub fn shared(diagram: &Diagram) -> String {
    element("<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"board\"", diagram, Shapes::Shared)
}

/// The shapes that the pictures of a page refer to, in an element that shows nothing itself.
pub fn shapes() -> String {
    let mut text =
        String::from("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"0\" height=\"0\" class=\"shapes\"><defs>");
    // Writing to a string can't fail, here and below.
    let _ = write!(text, "<g id=\"ground\">{GROUND}{}</g><g id=\"tiger\">{TIGER}</g>", lines());
    for height in 1..=HERD {
        let _ = write!(text, "<g id=\"goats{height}\">{}</g>", pile(height));
    }
    text + "</defs></svg>\n"
}

fn element(head: &str, diagram: &Diagram, shapes: Shapes) -> String {
    let position = diagram.position;
    let title = format!("{} to move: {}", position.side(), Fen(position));
    let mut text = format!("{head} viewBox=\"{VIEW}\" role=\"img\"><title>{}</title>\n", Escaped(&title));
    match shapes {
        Shapes::Inline => text += &format!("{GROUND}{}\n", lines()),
        Shapes::Shared => text += "<use href=\"#ground\"/>\n",
    }
    text += &side_to_move(position);
    for point in diagram.marks {
        let (x, y) = centre(point);
        let _ = writeln!(
            text,
            r##"<circle cx="{x}" cy="{y}" r="45" fill="none" stroke="#c0392b" stroke-width="8" opacity="0.85"/>"##
        );
    }
    diagram.arrows.iter().for_each(|shown| text += &arrow(shown, position));
    Point::all().for_each(|point| text += &piece(position, point, shapes));
    diagram.arrows.iter().for_each(|shown| text += &number(shown));
    text + "</svg>\n"
}

/// The centre of a point in the picture's units.
fn centre(point: Point) -> (f64, f64) {
    (STEP * f64::from(point.file()), STEP * f64::from(Point::SIDE - 1 - point.rank()))
}

/// The segments, the points, and the names of files and ranks.
fn lines() -> String {
    let mut path = String::new();
    let (mut dots, mut names) = (String::new(), String::new());
    for point in Point::all() {
        let (x, y) = centre(point);
        for end in STEPS[point].into_iter().filter(|end| *end > point) {
            let (end_x, end_y) = centre(end);
            let _ = write!(path, "M{x} {y}L{end_x} {end_y}");
        }
        let _ = write!(dots, r#"<circle cx="{x}" cy="{y}" r="7"/>"#);
    }
    for number in 0..Point::SIDE {
        let along = STEP * f64::from(number);
        let (file, rank) = (char::from(b'a' + number), char::from(b'1' + number));
        let _ = write!(names, r#"<text x="{along}" y="460">{file}</text>"#);
        let _ =
            write!(names, r#"<text x="-52" y="{}">{rank}</text>"#, STEP * f64::from(Point::SIDE - 1) - along + 10.0);
    }
    format!(
        r##"<path d="{path}" fill="none" stroke="#7a5c3e" stroke-width="4" stroke-linecap="round"/><g fill="#7a5c3e">{dots}</g><g fill="#5b4028" font-family="sans-serif" font-size="30" text-anchor="middle">{names}</g>"##
    )
}

/// A disc in the corner in the colour of the side to move.
fn side_to_move(position: &Position) -> String {
    let fill = if position.side() == Side::White { "#fffdf6" } else { "#f08c2a" };
    format!(r##"<circle cx="-50" cy="450" r="13" fill="{fill}" stroke="#3b2412" stroke-width="4"/>"##) + "\n"
}

fn piece(position: &Position, point: Point, shapes: Shapes) -> String {
    let height = position.height(point);
    let (name, shape) = match height {
        0 if position.tigers().has(point) => ("tiger".to_owned(), TIGER.to_owned()),
        0 => return String::new(),
        height => (format!("goats{height}"), pile(height)),
    };
    let (x, y) = centre(point);
    match shapes {
        Shapes::Inline => format!("<g transform=\"translate({x} {y})\">{shape}</g>\n"),
        Shapes::Shared => format!("<use href=\"#{name}\" x=\"{x}\" y=\"{y}\"/>\n"),
    }
}

/// Goats on top of each other around the origin, with their number if there are several.
fn pile(height: u32) -> String {
    let mut text = String::from("<g stroke=\"#3b2412\" stroke-width=\"3\" fill=\"#fffdf6\">");
    let lowest = PILE * f64::from(height - 1) / 2.0;
    for number in 0..height {
        let _ = write!(text, r#"<circle cy="{}" r="32"/>"#, lowest - PILE * f64::from(number));
    }
    text += "</g>";
    text += &match height {
        1 => r##"<circle r="20" fill="none" stroke="#b9a88c" stroke-width="3"/>"##.to_owned(),
        _ => format!(
            r##"<text y="{}" fill="#2a1a0c" font-family="sans-serif" font-size="46" font-weight="bold" text-anchor="middle">{height}</text>"##,
            16.0 - lowest
        ),
    };
    text
}

/// An arrow through the centres of its points, which the pieces on them will cover.
fn arrow(arrow: &Arrow, position: &Position) -> String {
    let Some(((from, to), end)) = hops(arrow.points()).last().zip(arrow.end()) else {
        return String::new();
    };
    let ((from_x, from_y), (to_x, to_y)) = (centre(from), centre(to));
    let length = (to_x - from_x).hypot(to_y - from_y).max(1.0);
    let (along_x, along_y) = ((to_x - from_x) / length, (to_y - from_y) / length);
    let inset = if position.free().has(end) { TIP_FREE } else { TIP_OCCUPIED };
    let back = |distance: f64| (to_x - along_x * distance, to_y - along_y * distance);
    let (tip, neck, shaft) = (back(inset), back(inset + HEAD.0), back(inset + 0.8 * HEAD.0));
    let side = |sign: f64| (neck.0 - sign * along_y * HEAD.1, neck.1 + sign * along_x * HEAD.1);
    let mut path = String::new();
    let stops = arrow.points().len() - 1;
    for (number, point) in arrow.points().iter().take(stops).enumerate() {
        let _ = write!(path, "{}{}", if number == 0 { "M" } else { "L" }, pair(centre(*point)));
    }
    let ink = colour(arrow.meaning());
    format!(
        r##"<g opacity="0.85"><path d="{path}L{}" fill="none" stroke="{ink}" stroke-width="17" stroke-linejoin="round" stroke-linecap="round"/><path d="M{}L{}L{}Z" fill="{ink}"/></g>"##,
        pair(shaft),
        pair(tip),
        pair(side(1.0)),
        pair(side(-1.0))
    ) + "\n"
}

/// The number of a planned move, to the right of the arrow's first segment; that of the move back lies on the other side.
fn number(arrow: &Arrow) -> String {
    let (Meaning::Planned(number), [from, to, ..]) = (arrow.meaning(), arrow.points()) else {
        return String::new();
    };
    let next = if STEPS[*from].has(*to) { *to } else { from.midpoint(*to) };
    let ((from_x, from_y), (next_x, next_y)) = (centre(*from), centre(next));
    let length = (next_x - from_x).hypot(next_y - from_y).max(1.0);
    let aside = NUMBER_ASIDE / length;
    let x = (from_x + next_x) / 2.0 - aside * (next_y - from_y);
    let y = (from_y + next_y) / 2.0 + aside * (next_x - from_x);
    let ink = colour(arrow.meaning());
    format!(
        r##"<circle cx="{}" cy="{}" r="17" fill="{ink}" stroke="#ffffff" stroke-width="2"/><text x="{}" y="{}" fill="#ffffff" font-family="sans-serif" font-size="25" font-weight="bold" text-anchor="middle">{number}</text>"##,
        short(x),
        short(y),
        short(x),
        short(y + 9.0)
    ) + "\n"
}

/// Coordinates as paths have them.
fn pair((x, y): (f64, f64)) -> String {
    format!("{} {}", short(x), short(y))
}

/// A number rounded to one decimal, which keeps the text short.
fn short(number: f64) -> f64 {
    (number * 10.0).round() / 10.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::PointSet;
    use crate::rules::RuleSet;

    #[test]
    fn herds_are_piles_with_their_number() {
        let start = Position::start(RuleSet::standard());
        let diagram = Diagram { position: &start, arrows: Vec::new(), marks: PointSet::EMPTY };
        let text = document(&diagram, 200);
        assert!(text.starts_with("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"200\" height=\"200\""));
        assert_eq!(text.matches(">5</text>").count(), 4 + 1, "four herds and a rank");
        assert_eq!(text.matches("<ellipse").count(), 2, "tigers");
        let shared = shared(&diagram);
        assert_eq!(shared.matches("href=\"#goats5\"").count(), 4);
        assert!(shapes().contains("id=\"goats5\"") && shapes().contains("id=\"tiger\""));
    }

    #[test]
    fn arrows_end_before_the_piece_they_lead_to() {
        let start = Position::start(RuleSet::standard());
        let arrow_to = |text| arrow(&Arrow::parse(text, Meaning::Shown).unwrap(), &start);
        assert!(arrow_to("c2b2").contains("<path d=\"M108 300L"), "{}", arrow_to("c2b2"));
        assert!(arrow_to("c3c2").contains("<path d=\"M200 256L"), "{}", arrow_to("c3c2"));
        assert!(arrow_to("c1c3a5").contains("<path d=\"M200 400L200 200L"), "{}", arrow_to("c1c3a5"));
    }
}
