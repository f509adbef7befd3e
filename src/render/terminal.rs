//! The board in a terminal: lines, pieces, arrows along the lines, marks, with colours or without.
//!
//! A canvas of cells, six wide and three high between two points, which is nearly square in most fonts.

use crate::board::{Point, STEPS};
use crate::position::Position;
use crate::render::{Arrow, Diagram, Meaning, hops};

/// Cells from a point to the next, to the right and downwards.
const ACROSS: usize = 6;
const DOWN: usize = 3;
/// Cells to the left of the board, with the ranks' names.
const MARGIN: usize = 4;
/// Size of the canvas: the board, its margin, room for a mark at the right, a row for the files' names.
const WIDTH: usize = MARGIN + ACROSS * (Point::SIDE as usize - 1) + 2;
const HEIGHT: usize = DOWN * (Point::SIDE as usize - 1) + 2;

/// The characters and colours of a picture.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub struct TerminalStyle {
    /// With the colours of ANSI terminals.
    pub with_colour: bool,
    /// With nothing but ASCII characters.
    pub in_ascii: bool,
}

/// A set of characters. Directions are those of [`direction`].
struct Glyphs {
    free: char,
    /// Lines: across, down, rising, falling.
    lines: [char; 4],
    /// Lines under an arrow, in the same order.
    shafts: [char; 4],
    /// Heads of arrows: from left to right, rising, upwards and so on, counter-clockwise.
    heads: [char; 8],
}

const UNICODE: Glyphs = Glyphs {
    free: '·',
    lines: ['─', '│', '╱', '╲'],
    shafts: ['━', '┃', '╱', '╲'],
    heads: ['→', '↗', '↑', '↖', '←', '↙', '↓', '↘'],
};

const ASCII: Glyphs = Glyphs {
    free: '.',
    lines: ['-', '|', '/', '\\'],
    shafts: ['=', '#', '/', '\\'],
    heads: ['>', '^', '^', '^', '<', 'v', 'v', 'v'],
};

/// The colour of a cell, by what it shows.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
enum CellColour {
    Plain,
    Line,
    Goat,
    Tiger,
    Mark,
    Played,
    Shown,
    Planned,
}

impl CellColour {
    /// The parameters of the ANSI escape sequence (SGR) that sets the colour, one of the 16 that every theme defines.
    const fn code(self) -> &'static str {
        match self {
            Self::Plain => "",
            Self::Line => "2",
            Self::Goat => "1",
            Self::Tiger => "1;31",
            Self::Mark => "1;36",
            Self::Played => "33",
            Self::Shown => "1;32",
            Self::Planned => "1;34",
        }
    }
}

impl From<Meaning> for CellColour {
    fn from(meaning: Meaning) -> Self {
        match meaning {
            Meaning::Played => Self::Played,
            Meaning::Shown => Self::Shown,
            Meaning::Planned(_) => Self::Planned,
        }
    }
}

/// The board as lines of text, each with its end; no line ends in blanks.
pub fn picture(diagram: &Diagram, style: TerminalStyle) -> String {
    let glyphs = if style.in_ascii { &ASCII } else { &UNICODE };
    let mut canvas = Canvas::new();
    for point in Point::all() {
        STEPS[point].into_iter().for_each(|end| canvas.segment(point, end, &glyphs.lines, CellColour::Line));
    }
    diagram.arrows.iter().for_each(|arrow| canvas.arrow(arrow, glyphs));
    for point in Point::all() {
        let (letter, colour) = piece(diagram.position, point, glyphs);
        canvas.put(cell_of(point), letter, colour);
    }
    for (column, row) in diagram.marks.into_iter().map(cell_of) {
        canvas.put((column - 1, row), '[', CellColour::Mark);
        canvas.put((column + 1, row), ']', CellColour::Mark);
    }
    canvas.names();
    canvas.text(style.with_colour)
}

/// The character of a point: `T` for a tiger, `o` for a goat, the number of goats for a herd.
fn piece(position: &Position, point: Point, glyphs: &Glyphs) -> (char, CellColour) {
    match position.height(point) {
        0 if position.tigers().has(point) => ('T', CellColour::Tiger),
        0 => (glyphs.free, CellColour::Line),
        1 => ('o', CellColour::Goat),
        height => (char::from_digit(height, 10).unwrap_or('?'), CellColour::Goat),
    }
}

/// Column and row of a point.
fn cell_of(point: Point) -> (usize, usize) {
    let from_top = usize::from(Point::SIDE - 1 - point.rank());
    (MARGIN + ACROSS * usize::from(point.file()), DOWN * from_top)
}

/// The direction from a point to another, 0 to 7 counter-clockwise from the right.
fn direction(from: Point, to: Point) -> usize {
    let sign = |from: u8, to: u8| (i32::from(to) - i32::from(from)).signum();
    match (sign(from.file(), to.file()), sign(from.rank(), to.rank())) {
        (1, 1) => 1,
        (0, 1) => 2,
        (-1, 1) => 3,
        (-1, 0) => 4,
        (-1, -1) => 5,
        (0, -1) => 6,
        (1, -1) => 7,
        _ => 0,
    }
}

/// The cells between the ends of a segment, in order.
fn between(from: Point, to: Point) -> Vec<(usize, usize)> {
    let ((column, row), (last_column, last_row)) = (cell_of(from), cell_of(to));
    let steps = if row == last_row { ACROSS } else { DOWN };
    let part = |from: usize, to: usize, number: usize| (from * (steps - number) + to * number) / steps;
    (1..steps).map(|number| (part(column, last_column, number), part(row, last_row, number))).collect()
}

/// The glyph of a line in a direction, of those for across, down, rising, falling.
fn line_glyph([across, down, rising, falling]: &[char; 4], direction: usize) -> char {
    match direction % 4 {
        0 => *across,
        1 => *rising,
        2 => *down,
        _ => *falling,
    }
}

/// The picture as rows of [`WIDTH`] cells.
struct Canvas {
    cells: Vec<(char, CellColour)>,
}

impl Canvas {
    fn new() -> Self {
        Self { cells: vec![(' ', CellColour::Plain); WIDTH * HEIGHT] }
    }

    fn put(&mut self, (column, row): (usize, usize), letter: char, colour: CellColour) {
        if let Some(cell) = self.cells.get_mut(row * WIDTH + column) {
            *cell = (letter, colour);
        }
    }

    fn segment(&mut self, from: Point, to: Point, glyphs: &[char; 4], colour: CellColour) {
        let letter = line_glyph(glyphs, direction(from, to));
        between(from, to).into_iter().for_each(|at| self.put(at, letter, colour));
    }

    fn arrow(&mut self, arrow: &Arrow, glyphs: &Glyphs) {
        let colour = arrow.meaning().into();
        for (from, to) in hops(arrow.points()) {
            let mut last = from;
            if !STEPS[from].has(to) {
                last = from.midpoint(to);
                self.segment(from, last, &glyphs.shafts, colour);
            }
            self.segment(last, to, &glyphs.shafts, colour);
            if let (Some(at), Some(head)) = (between(last, to).last(), glyphs.heads.get(direction(last, to))) {
                self.put(*at, *head, colour);
            }
        }
        if let (Meaning::Planned(number), [from, to, ..]) = (arrow.meaning(), arrow.points()) {
            let next = if STEPS[*from].has(*to) { *to } else { from.midpoint(*to) };
            let digit = u32::try_from(number).ok().and_then(|number| char::from_digit(number % 10, 10));
            let cells = between(*from, next);
            if let (Some(at), Some(digit)) = (cells.get((cells.len() - 1) / 2), digit) {
                self.put(*at, digit, colour);
            }
        }
    }

    /// The names of ranks and files at the edges.
    fn names(&mut self) {
        for number in 0..Point::SIDE {
            if let (Some(first), Some(lowest)) = (Point::at(0, number), Point::at(number, 0)) {
                self.put((1, cell_of(first).1), char::from(b'1' + number), CellColour::Plain);
                self.put((cell_of(lowest).0, HEIGHT - 1), char::from(b'a' + number), CellColour::Plain);
            }
        }
    }

    fn text(&self, with_colour: bool) -> String {
        let mut text = String::new();
        for row in self.cells.chunks(WIDTH) {
            let end = row.iter().rposition(|(letter, _)| *letter != ' ').map_or(0, |last| last + 1);
            let mut current = CellColour::Plain;
            for (letter, colour) in row.iter().take(end) {
                if with_colour && *colour != current && *letter != ' ' {
                    text += &format!("\x1b[0;{}m", colour.code());
                    current = *colour;
                }
                text.push(*letter);
            }
            text += if current == CellColour::Plain { "\n" } else { "\x1b[0m\n" };
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::PointSet;
    use crate::rules::RuleSet;

    fn diagram(position: &Position) -> Diagram<'_> {
        Diagram { position, arrows: Vec::new(), marks: PointSet::EMPTY }
    }

    #[test]
    fn the_start_is_drawn_with_all_lines() {
        let start = Position::start(RuleSet::standard());
        let expected = "
 5  ·─────·─────·─────·─────·
    │ ╲   │   ╱ │ ╲   │   ╱ │
    │   ╲ │ ╱   │   ╲ │ ╱   │
 4  ·─────·─────5─────·─────5
    │   ╱ │ ╲   │   ╱ │ ╲   │
    │ ╱   │   ╲ │ ╱   │   ╲ │
 3  ·─────T─────·─────T─────·
    │ ╲   │   ╱ │ ╲   │   ╱ │
    │   ╲ │ ╱   │   ╲ │ ╱   │
 2  ·─────·─────5─────·─────5
    │   ╱ │ ╲   │   ╱ │ ╲   │
    │ ╱   │   ╲ │ ╱   │   ╲ │
 1  ·─────·─────·─────·─────·
    a     b     c     d     e
";
        assert_eq!(picture(&diagram(&start), TerminalStyle::default()), expected.trim_start_matches('\n'));
        let ascii = picture(&diagram(&start), TerminalStyle { in_ascii: true, ..TerminalStyle::default() });
        assert!(ascii.is_ascii() && ascii.lines().count() == 14, "{ascii}");
    }

    #[test]
    fn arrows_and_marks_keep_to_their_places() {
        let start = Position::start(RuleSet::standard());
        let mut diagram = diagram(&start);
        diagram.marks = PointSet::from_iter(Point::from_name(b'e', b'1'));
        diagram.arrows.push(Arrow::parse("c2b2", Meaning::Planned(1)).unwrap());
        diagram.arrows.push(Arrow::parse("c1a3", Meaning::Shown).unwrap());
        let text = picture(&diagram, TerminalStyle::default());
        assert!(text.contains(" 2  ·─────·←━1━━5─"), "{text}");
        assert!(text.contains("    │ ↖   │") && text.ends_with("[·]\n    a     b     c     d     e\n"), "{text}");
    }

    #[test]
    fn colours_are_turned_off_at_the_end_of_each_line() {
        let start = Position::start(RuleSet::standard());
        let text = picture(&diagram(&start), TerminalStyle { with_colour: true, in_ascii: false });
        for line in text.lines() {
            assert!(!line.contains('\x1b') || line.ends_with("\x1b[0m"), "{line:?}");
        }
        assert!(!picture(&diagram(&start), TerminalStyle::default()).contains('\x1b'));
    }
}
