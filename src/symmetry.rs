//! The symmetries of the square, which are those of the board's lines.

use crate::board::{Point, PointSet};

/// One of the eight ways to lay a square on itself.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Symmetry {
    /// Files become ranks first.
    transposes: bool,
    flips_files: bool,
    flips_ranks: bool,
}

impl Symmetry {
    /// Number of symmetries.
    pub const COUNT: usize = 8;
    /// The one that leaves everything where it is.
    pub const IDENTITY: Self = Self::numbered(0);

    /// The symmetry with a number below [`Symmetry::COUNT`], 0 for the identity; of larger numbers the last digit counts.
    pub const fn numbered(number: usize) -> Self {
        Self { transposes: number & 4 != 0, flips_files: number & 2 != 0, flips_ranks: number & 1 != 0 }
    }

    /// All of them, the identity first.
    pub fn all() -> impl Iterator<Item = Self> {
        (0..Self::COUNT).map(Self::numbered)
    }

    /// The image of a point.
    pub const fn point(self, point: Point) -> Point {
        let (file, rank) = if self.transposes { (point.rank(), point.file()) } else { (point.file(), point.rank()) };
        let file = if self.flips_files { Point::SIDE - 1 - file } else { file };
        let rank = if self.flips_ranks { Point::SIDE - 1 - rank } else { rank };
        match Point::at(file, rank) {
            Some(image) => image,
            None => unreachable!(),
        }
    }
}

/// Pairs of points that no symmetry turns into each other.
pub const PAIRS: usize = 49;

/// How a pair of points, as the two tigers, becomes the one that stands for all its images.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct PairView {
    pair: u8,
    symmetry: u8,
}

impl PairView {
    /// The view of a pair of two different points, in either order.
    #[inline]
    #[allow(clippy::indexing_slicing)] // points are below 32
    pub fn of([one, other]: [Point; 2]) -> Self {
        let (low, high) = if one < other { (one, other) } else { (other, one) };
        VIEWS[low.index() & 31][high.index() & 31]
    }

    /// The number of the pair that it becomes, below [`PAIRS`].
    pub const fn pair(self) -> usize {
        self.pair as usize
    }

    /// The pair that it becomes, the lower point first.
    #[inline]
    pub fn points(self) -> [Point; 2] {
        pair_points(self.pair())
    }

    /// The image of a point as the pair becomes that one.
    #[inline]
    #[allow(clippy::indexing_slicing)] // symmetries are below 8, points below 32
    pub fn point(self, point: Point) -> Point {
        IMAGES[usize::from(self.symmetry) & 7][point.index() & 31]
    }

    /// The images of points as the pair becomes that one.
    #[inline]
    #[allow(clippy::indexing_slicing)] // symmetries are below 8, points below 32
    pub fn image(self, points: PointSet) -> PointSet {
        let images = &IMAGES[usize::from(self.symmetry) & 7];
        points.into_iter().fold(PointSet::EMPTY, |image, point| image.with(images[point.index() & 31]))
    }
}

/// The pair with a number below [`PAIRS`], the lower point first.
#[inline]
#[allow(clippy::indexing_slicing)] // callers count pairs below `PAIRS`
pub fn pair_points(number: usize) -> [Point; 2] {
    PAIR_POINTS[number]
}

/// The image of each point under each symmetry.
static IMAGES: [[Point; 32]; Symmetry::COUNT] = images();
/// The view of each pair, the lower point first.
static VIEWS: [[PairView; 32]; 32] = views().0;
/// The pairs that stand for all their images: of these the one whose lower point, then whose higher point is lowest.
static PAIR_POINTS: [[Point; 2]; PAIRS] = views().1;

#[allow(clippy::indexing_slicing)] // runs in the compiler, as those below
const fn images() -> [[Point; 32]; Symmetry::COUNT] {
    let mut images = [[Point::named(b"a1"); 32]; Symmetry::COUNT];
    let mut number = 0;
    while number < Symmetry::COUNT {
        let mut index = 0;
        while let Some(point) = Point::from_index(index) {
            images[number][index] = Symmetry::numbered(number).point(point);
            index += 1;
        }
        number += 1;
    }
    images
}

/// The symmetry that undoes another one.
#[allow(clippy::indexing_slicing)]
const fn inverse(images: &[[Point; 32]; Symmetry::COUNT], number: usize) -> usize {
    let mut other = 0;
    while other < Symmetry::COUNT {
        let mut index = 0;
        while index < Point::COUNT && images[other][images[number][index].index()].index() == index {
            index += 1;
        }
        if index == Point::COUNT {
            return other;
        }
        other += 1;
    }
    unreachable!()
}

#[allow(clippy::indexing_slicing)]
const fn views() -> ([[PairView; 32]; 32], [[Point; 2]; PAIRS]) {
    const NONE: u8 = u8::MAX;
    let images = images();
    let mut views = [[PairView { pair: NONE, symmetry: 0 }; 32]; 32];
    let mut points = [[Point::named(b"a1"); 2]; PAIRS];
    let mut pairs = 0;
    let mut low = 0;
    while let Some(one) = Point::from_index(low) {
        let mut high = low + 1;
        while let Some(other) = Point::from_index(high) {
            if views[low][high].pair == NONE {
                points[pairs as usize] = [one, other];
                let mut number = 0;
                while number < Symmetry::COUNT {
                    let (first, second) = (images[number][low].index(), images[number][high].index());
                    let view = if first < second { &mut views[first][second] } else { &mut views[second][first] };
                    if view.pair == NONE {
                        *view = PairView { pair: pairs, symmetry: inverse(&images, number) as u8 };
                    }
                    number += 1;
                }
                pairs += 1;
            }
            high += 1;
        }
        low += 1;
    }
    assert!(pairs as usize == PAIRS);
    (views, points)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::{JUMPS, STEPS};

    fn image_of(symmetry: Symmetry, points: PointSet) -> PointSet {
        points.into_iter().map(|point| symmetry.point(point)).collect()
    }

    #[test]
    fn lines_and_jumps_stay_lines_and_jumps() {
        for symmetry in Symmetry::all() {
            for point in Point::all() {
                assert_eq!(image_of(symmetry, STEPS[point]), STEPS[symmetry.point(point)]);
                let landings = JUMPS[point].iter().map(|jump| symmetry.point(jump.to)).collect::<PointSet>();
                assert_eq!(landings, JUMPS[symmetry.point(point)].iter().map(|jump| jump.to).collect());
            }
        }
    }

    #[test]
    fn a_pair_becomes_the_one_that_stands_for_its_images() {
        for low in Point::all() {
            for high in Point::all().filter(|high| *high > low) {
                let view = PairView::of([high, low]);
                assert_eq!(view, PairView::of([low, high]));
                let [first, second] = view.points();
                assert!(first < second && [first, second] == pair_points(view.pair()));
                assert_eq!(view.image(low.set().with(high)), first.set().with(second));
                assert_eq!(view.image(PointSet::FULL), PointSet::FULL);
                for symmetry in Symmetry::all() {
                    assert_eq!(PairView::of([symmetry.point(low), symmetry.point(high)]).pair(), view.pair());
                }
            }
        }
        for number in 0..PAIRS {
            let view = PairView::of(pair_points(number));
            assert_eq!((view.pair(), usize::from(view.symmetry)), (number, 0));
        }
    }
}
