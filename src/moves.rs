//! A move as one word that names its whole path.
//!
//! Bits 0-4 hold the origin, 5-9 the destination, 10-14 the number of jumps (0 for a step), and from bit 15 up three
//! bits name the direction of each jump. No point is jumped twice in a move, and a tiger's jumps land on points of
//! one kind only; the kind with the most points to jump over (a1, c1, ... e5) has 16 of them, so 16 jumps are the
//! most and every path fits. Two chains with the same ends are two different words.

use crate::board::{JUMPS, Jump, Point};
use std::fmt;

/// The most jumps that fit in one move, and the most that the rules allow.
pub const MAX_JUMPS: u32 = 16;

const JUMPS_AT: u32 = 10;
const PATH_AT: u32 = 15;

/// A move of either side: a step along a segment, or a tiger's jump or chain of jumps.
///
/// It says nothing about legality; see [`crate::position::Position::is_legal`].
#[derive(Copy, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Move(u64);

impl Move {
    /// A step along a segment.
    pub const fn step(from: Point, to: Point) -> Self {
        Self(from.index() as u64 | (to.index() as u64) << 5)
    }

    /// A chain of no jumps yet, to be lengthened with [`Move::then`].
    pub(crate) const fn chain(from: Point) -> Self {
        Self::step(from, from)
    }

    /// The chain with one more jump, which must start where the chain ends.
    pub(crate) const fn then(self, jump: &Jump) -> Self {
        let jumps = self.jumps();
        debug_assert!(jumps < MAX_JUMPS);
        let head = self.0 & !(0x1F << 5) | (jump.to.index() as u64) << 5;
        Self((head + (1 << JUMPS_AT)) | (jump.direction as u64) << (PATH_AT + 3 * jumps))
    }

    const fn point_at(self, shift: u32) -> Point {
        match Point::from_index((self.0 >> shift & 0x1F) as usize) {
            Some(point) => point,
            None => unreachable!(), // both points were put in as points
        }
    }

    /// Where the piece starts.
    #[inline]
    pub const fn from(self) -> Point {
        self.point_at(0)
    }

    /// Where the piece ends.
    #[inline]
    pub const fn to(self) -> Point {
        self.point_at(5)
    }

    /// Number of jumps, each of which takes one goat; 0 for a step.
    #[inline]
    pub const fn jumps(self) -> u32 {
        (self.0 >> JUMPS_AT & 0x1F) as u32
    }

    /// Whether the move takes goats.
    #[inline]
    pub const fn is_capture(self) -> bool {
        self.jumps() > 0
    }

    /// The points that the piece stands on, the origin first; they name the move.
    pub fn points(self) -> impl Iterator<Item = Point> {
        let end = (!self.is_capture()).then(|| self.to());
        std::iter::once(self.from()).chain(self.path().map(|jump| jump.to)).chain(end)
    }

    /// The first jumps of a chain as a move of its own, which may stop where the rules go on.
    pub(crate) fn first_jumps(self, count: usize) -> Self {
        self.path().take(count).fold(Self::chain(self.from()), |chain, jump| chain.then(&jump))
    }

    /// The jumps in order; nothing for a step.
    pub fn path(self) -> impl Iterator<Item = Jump> {
        let mut at = self.from();
        (0..self.jumps()).map_while(move |number| {
            let direction = (self.0 >> (PATH_AT + 3 * number) & 7) as u8;
            let jump = JUMPS[at].towards(direction)?;
            at = jump.to;
            Some(jump)
        })
    }
}

/// The protocol's text: the points in a row, as in `c2b2` and `c1c3a5`.
impl fmt::Display for Move {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.points().try_for_each(|point| write!(f, "{point}"))
    }
}

impl fmt::Debug for Move {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
