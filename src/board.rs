//! The Alquerque board: its 25 points, the segments between them and the jumps along them.
//!
//! Everything is computed by `const fn`; there is no start-up work. A set of points is one `u32`.

use std::fmt;
use std::ops::{BitAnd, BitOr, BitXor, Index, Not, Sub};

/// One of the 25 points, `a1` to `e5`. Its index is `5 * rank + file`, so `a1` is 0, `b1` is 1 and `e5` is 24.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Point(u8);

impl Point {
    /// Number of points on the board.
    pub const COUNT: usize = 25;
    /// Points in a row and in a column.
    pub const SIDE: u8 = 5;

    /// The point with this index.
    ///
    /// Returns `None` for an index of 25 or more.
    pub const fn from_index(index: usize) -> Option<Self> {
        if index < Self::COUNT { Some(Self(index as u8)) } else { None }
    }

    /// The point on `file` 0 to 4 (a to e) and `rank` 0 to 4 (1 to 5).
    ///
    /// Returns `None` off the board.
    pub const fn at(file: u8, rank: u8) -> Option<Self> {
        if file < Self::SIDE && rank < Self::SIDE { Some(Self(rank * Self::SIDE + file)) } else { None }
    }

    /// A point by its two-letter name, for tables written in code.
    ///
    /// A wrong name stops the compilation where the call is a `const`.
    pub(crate) const fn named(name: &[u8; 2]) -> Self {
        let [file, rank] = *name;
        assert!(file >= b'a' && file <= b'e' && rank >= b'1' && rank <= b'5');
        Self((rank - b'1') * Self::SIDE + (file - b'a'))
    }

    /// The point that two letters name, in either case.
    ///
    /// Returns `None` if they name none.
    pub const fn from_name(file: u8, rank: u8) -> Option<Self> {
        Self::at(file.to_ascii_lowercase().wrapping_sub(b'a'), rank.wrapping_sub(b'1'))
    }

    /// 0 to 24.
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// 0 to 4 for a to e.
    pub const fn file(self) -> u8 {
        self.0 % Self::SIDE
    }

    /// 0 to 4 for 1 to 5.
    pub const fn rank(self) -> u8 {
        self.0 / Self::SIDE
    }

    /// The set of this point alone.
    pub const fn set(self) -> PointSet {
        PointSet(1 << self.0)
    }

    /// Every point, `a1` first, `e5` last.
    pub fn all() -> impl Iterator<Item = Self> {
        (0..Self::COUNT as u8).map(Self)
    }

    /// The point halfway between this one and another; the point jumped over, if a jump joins them.
    #[inline]
    pub const fn midpoint(self, other: Self) -> Self {
        Self((self.0 + other.0) / 2)
    }

    /// The point `steps` segments away along a direction, whether or not a line is drawn there.
    const fn offset(self, (file, rank): (i8, i8), steps: i8) -> Option<Self> {
        let file = self.file() as i8 + file * steps;
        let rank = self.rank() as i8 + rank * steps;
        if file < 0 || rank < 0 { None } else { Self::at(file as u8, rank as u8) }
    }

    /// Whether diagonals meet here: file and rank are both odd or both even.
    const fn has_diagonals(self) -> bool {
        (self.file() + self.rank()).is_multiple_of(2)
    }
}

impl fmt::Display for Point {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", char::from(b'a' + self.file()), char::from(b'1' + self.rank()))
    }
}

impl fmt::Debug for Point {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// A set of points: bit `i` stands for the point with index `i`.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Default)]
pub struct PointSet(u32);

impl PointSet {
    /// No point.
    pub const EMPTY: Self = Self(0);
    /// The whole board.
    pub const FULL: Self = Self((1 << Point::COUNT) - 1);

    /// The set with these bits; bits from 25 up are dropped.
    pub const fn from_bits(bits: u32) -> Self {
        Self(bits & Self::FULL.0)
    }

    /// Whether the point belongs to the set.
    pub const fn has(self, point: Point) -> bool {
        self.0 >> point.0 & 1 != 0
    }

    /// Whether there is no point in the set.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Number of points in the set.
    pub const fn len(self) -> u32 {
        self.0.count_ones()
    }

    /// The set with the point put in.
    pub const fn with(self, point: Point) -> Self {
        Self(self.0 | point.set().0)
    }

    /// The set with the point taken out.
    pub const fn without(self, point: Point) -> Self {
        Self(self.0 & !point.set().0)
    }

    /// The point of the set with the lowest number; the set must not be empty.
    pub const fn lowest(self) -> Point {
        assert!(!self.is_empty(), "the lowest point of no points");
        Point(self.0.trailing_zeros() as u8)
    }

    /// The point of the set with the highest number; the set must not be empty.
    pub const fn highest(self) -> Point {
        assert!(!self.is_empty(), "the highest point of no points");
        Point(self.0.ilog2() as u8)
    }

    /// Points that a segment ties to a point of the set.
    #[inline]
    pub const fn neighbours(self) -> Self {
        let mut all = 0;
        let mut direction = 0;
        while direction < DIRECTIONS.len() {
            all |= self.ahead(direction).0;
            direction += 1;
        }
        Self(all)
    }

    /// The ends of the segments from the points of the set in a direction, below 8.
    #[inline]
    const fn ahead(self, direction: usize) -> Self {
        #[allow(clippy::indexing_slicing)] // callers count directions
        let (shift, from) = SHIFTS[direction];
        let (up, down) = if shift > 0 { (shift, 0) } else { (0, -shift) };
        Self((self.0 & from.0) << up >> down)
    }

    /// The points of `over` that can be jumped over from a point of the set to one of `to`.
    #[inline]
    pub const fn jumped(self, over: Self, to: Self) -> Self {
        let mut all = 0;
        let mut direction = 0;
        while direction < DIRECTIONS.len() {
            let over = self.ahead(direction).0 & over.0;
            // The opposite direction is four further round.
            let back = to.ahead((direction + 4) % DIRECTIONS.len());
            all |= over & back.0;
            direction += 1;
        }
        Self(all)
    }
}

impl BitOr for PointSet {
    type Output = Self;
    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

impl BitAnd for PointSet {
    type Output = Self;
    fn bitand(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }
}

impl BitXor for PointSet {
    type Output = Self;
    fn bitxor(self, other: Self) -> Self {
        Self(self.0 ^ other.0)
    }
}

impl Sub for PointSet {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }
}

impl Not for PointSet {
    type Output = Self;
    fn not(self) -> Self {
        Self(!self.0 & Self::FULL.0)
    }
}

impl FromIterator<Point> for PointSet {
    fn from_iter<I: IntoIterator<Item = Point>>(points: I) -> Self {
        points.into_iter().fold(Self::EMPTY, Self::with)
    }
}

/// The points of a set, lowest index first.
pub struct Points(u32);

impl Iterator for Points {
    type Item = Point;

    #[inline]
    fn next(&mut self) -> Option<Point> {
        if self.0 == 0 {
            return None;
        }
        let point = Point(self.0.trailing_zeros() as u8);
        self.0 &= self.0 - 1;
        Some(point)
    }
}

impl IntoIterator for PointSet {
    type Item = Point;
    type IntoIter = Points;

    fn into_iter(self) -> Points {
        Points(self.0)
    }
}

impl fmt::Debug for PointSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(*self).finish()
    }
}

/// A value for every point. 32 slots, so that an index needs no bounds check.
#[derive(Clone, Debug)]
pub struct PointMap<T>([T; 32]);

impl<T> PointMap<T> {
    /// A map from 32 slots, of which those from 25 up are never read.
    pub(crate) const fn new(slots: [T; 32]) -> Self {
        Self(slots)
    }
}

impl<T> Index<Point> for PointMap<T> {
    type Output = T;

    #[inline]
    #[allow(clippy::indexing_slicing)] // the mask keeps the index below 32
    fn index(&self, point: Point) -> &T {
        &self.0[point.index() & 31]
    }
}

/// The eight directions as steps of file and rank, counter-clockwise from east.
const DIRECTIONS: [(i8, i8); 8] = [(1, 0), (1, 1), (0, 1), (-1, 1), (-1, 0), (-1, -1), (0, -1), (1, -1)];

/// A jump: over a neighbour along a straight line to the point right behind it.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Jump {
    /// 0 to 7, counter-clockwise from east; with the origin it names the jump.
    pub direction: u8,
    /// The point jumped over.
    pub over: Point,
    /// The point landed on.
    pub to: Point,
}

/// The jumps that start on one point; eight at most.
#[derive(Copy, Clone, Debug)]
pub struct JumpList {
    jumps: [Jump; 8],
    len: u8,
}

impl JumpList {
    /// The jumps, by direction.
    #[inline]
    pub fn iter(&self) -> impl Iterator<Item = &Jump> {
        self.jumps.iter().take(self.len as usize)
    }

    /// The jump in this direction, if the board has one.
    pub fn towards(&self, direction: u8) -> Option<Jump> {
        self.iter().find(|jump| jump.direction == direction).copied()
    }
}

/// The point at the end of the segment from a point in a direction, if a segment is drawn there.
const fn neighbour(point: Point, direction: usize) -> Option<Point> {
    let is_diagonal = direction % 2 == 1;
    if is_diagonal && !point.has_diagonals() {
        return None;
    }
    #[allow(clippy::indexing_slicing)] // directions are below 8, and this runs in the compiler
    point.offset(DIRECTIONS[direction], 1)
}

/// For each direction how far a point's index is from that of the segment's other end, and the points that have a segment
/// in this direction.
const SHIFTS: [(i32, PointSet); DIRECTIONS.len()] = shifts();

#[allow(clippy::indexing_slicing)] // runs in the compiler
const fn shifts() -> [(i32, PointSet); DIRECTIONS.len()] {
    let mut shifts = [(0, PointSet::EMPTY); DIRECTIONS.len()];
    let mut direction = 0;
    while direction < DIRECTIONS.len() {
        let mut index = 0;
        while let Some(point) = Point::from_index(index) {
            if let Some(end) = neighbour(point, direction) {
                shifts[direction] = (end.0 as i32 - point.0 as i32, shifts[direction].1.with(point));
            }
            index += 1;
        }
        direction += 1;
    }
    shifts
}

/// For each point its neighbours: the ends of its segments.
pub static STEPS: PointMap<PointSet> = PointMap::new(steps());

/// For each point its jumps; 80 in all.
pub static JUMPS: PointMap<JumpList> = PointMap::new(jumps());

/// For each point the points that its jumps land on.
pub static LANDINGS: PointMap<PointSet> = PointMap::new(landings());

#[allow(clippy::indexing_slicing)] // runs in the compiler
const fn steps() -> [PointSet; 32] {
    let mut steps = [PointSet::EMPTY; 32];
    let mut index = 0;
    while let Some(point) = Point::from_index(index) {
        let mut direction = 0;
        while direction < DIRECTIONS.len() {
            if let Some(end) = neighbour(point, direction) {
                steps[index] = steps[index].with(end);
            }
            direction += 1;
        }
        index += 1;
    }
    steps
}

#[allow(clippy::indexing_slicing)] // runs in the compiler
const fn jumps() -> [JumpList; 32] {
    let none = Jump { direction: 0, over: Point(0), to: Point(0) };
    let mut jumps = [JumpList { jumps: [none; 8], len: 0 }; 32];
    let mut index = 0;
    while let Some(point) = Point::from_index(index) {
        let list = &mut jumps[index];
        let mut direction = 0;
        while direction < DIRECTIONS.len() {
            if let Some(over) = neighbour(point, direction)
                && let Some(to) = neighbour(over, direction)
            {
                list.jumps[list.len as usize] = Jump { direction: direction as u8, over, to };
                list.len += 1;
            }
            direction += 1;
        }
        index += 1;
    }
    jumps
}

#[allow(clippy::indexing_slicing)] // runs in the compiler
const fn landings() -> [PointSet; 32] {
    let jumps = jumps();
    let mut landings = [PointSet::EMPTY; 32];
    let mut index = 0;
    while index < Point::COUNT {
        let mut number = 0;
        while number < jumps[index].len as usize {
            landings[index] = landings[index].with(jumps[index].jumps[number].to);
            number += 1;
        }
        index += 1;
    }
    landings
}

/// Number of segments with a point of `goats` at one end and a point of `free` at the other: the goats' moves.
///
/// The 56 segments, sorted by direction and packed without gaps, are the bits of one word, so one population count
/// does. `goats` and `free` must have no point in common.
#[inline]
pub const fn count_steps(goats: PointSet, free: PointSet) -> u32 {
    /// Points that have a neighbour to the east (d to the right of it is another file).
    const EAST: u64 = 0b01111_01111_01111_01111_01111;
    /// Points with diagonals: those with an even index.
    const DIAGONAL: u64 = 0x0155_5555;
    let (goats, free) = (goats.0 as u64, free.0 as u64);
    // Bit p of `tied(d)`: one of p and p + d has goats, the other is free.
    let (east, north) = (goats & free >> 1 | free & goats >> 1, goats & free >> 5 | free & goats >> 5);
    let (north_east, north_west) = (goats & free >> 6 | free & goats >> 6, goats & free >> 4 | free & goats >> 4);
    let diagonals = north_east & EAST & DIAGONAL | (north_west & (EAST << 1) & DIAGONAL) << 1;
    (east & EAST | north << 24 | diagonals << 44).count_ones()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::SplitMix64;

    #[test]
    fn the_board_has_56_segments_and_80_jumps() {
        let ends: u32 = Point::all().map(|point| STEPS[point].len()).sum();
        assert_eq!(ends, 2 * 56);
        assert_eq!(Point::all().map(|point| JUMPS[point].iter().count()).sum::<usize>(), 80);
    }

    #[test]
    fn jumps_land_where_they_should() {
        for point in Point::all() {
            assert_eq!(JUMPS[point].iter().map(|jump| jump.to).collect::<PointSet>(), LANDINGS[point]);
            for jump in JUMPS[point].iter() {
                assert_eq!(point.midpoint(jump.to), jump.over);
            }
        }
    }

    #[test]
    fn segments_lead_both_ways() {
        for point in Point::all() {
            for end in STEPS[point] {
                assert!(STEPS[end].has(point), "{point} {end}");
            }
        }
    }

    #[test]
    fn names_read_back() {
        for point in Point::all() {
            let name = point.to_string().into_bytes();
            assert_eq!(Point::from_name(name[0], name[1]), Some(point));
            assert_eq!(Point::from_name(name[0].to_ascii_uppercase(), name[1]), Some(point));
        }
        for (file, rank) in [(b'f', b'1'), (b'a', b'0'), (b'a', b'6'), (b'`', b'1'), (0, 0), (255, 255)] {
            assert_eq!(Point::from_name(file, rank), None);
        }
    }

    #[test]
    fn neighbours_and_jumps_of_sets_are_those_of_their_points() {
        let mut random = SplitMix64(4);
        for _ in 0..5_000 {
            let mut set = || PointSet::from_bits(random.next_u64() as u32 >> 7);
            let (from, over, to) = (set(), set(), set());
            let plain = from.into_iter().fold(PointSet::EMPTY, |all, point| all | STEPS[point]);
            assert_eq!(from.neighbours(), plain, "{from:?}");
            let jumps = from.into_iter().flat_map(|point| JUMPS[point].iter());
            let jumps = jumps.filter(|jump| over.has(jump.over) && to.has(jump.to));
            assert_eq!(from.jumped(over, to), jumps.map(|jump| jump.over).collect(), "{from:?} {over:?} {to:?}");
        }
    }

    #[test]
    fn counted_steps_are_the_steps() {
        let mut seed = 1u32;
        for _ in 0..20_000 {
            seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let goats = PointSet::from_bits(seed >> 7);
            seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let free = PointSet::from_bits(seed >> 7) - goats;
            let plain: u32 = goats.into_iter().map(|goat| (STEPS[goat] & free).len()).sum();
            assert_eq!(count_steps(goats, free), plain, "{goats:?} {free:?}");
        }
    }
}
