//! The symmetries of the square, which are those of the board's lines.

use crate::board::Point;

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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::{JUMPS, PointSet, STEPS};

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
}
