//! The symmetries of the square, which are those of the board's lines.

use crate::board::Point;
use crate::rules::{GOATS, HERDS, RuleSet};
use crate::tablebase::expect_invariant;
use crate::tablebase::layer::Layer;

/// One of the eight ways to lay a square on itself.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Symmetry {
    /// Files become ranks first.
    transposes: bool,
    flips_files: bool,
    flips_ranks: bool,
}

impl Symmetry {
    /// All of them, the identity first.
    pub fn all() -> impl Iterator<Item = Self> {
        let is_set = |number: u8, bit: u8| number >> bit & 1 != 0;
        (0..8).map(move |number| Self {
            transposes: is_set(number, 2),
            flips_files: is_set(number, 1),
            flips_ranks: is_set(number, 0),
        })
    }

    /// The image of a point.
    pub fn point(self, point: Point) -> Point {
        let (file, rank) = if self.transposes { (point.rank(), point.file()) } else { (point.file(), point.rank()) };
        let flip = |flips: bool, line: u8| if flips { Point::SIDE - 1 - line } else { line };
        let image = Point::at(flip(self.flips_files, file), flip(self.flips_ranks, rank));
        expect_invariant(image, "a symmetry leaves no point of the board")
    }

    /// The image of a layer.
    ///
    /// Returns `None` if a herd would stand where the rules have no herd point.
    pub fn layer(self, rules: &RuleSet, layer: Layer) -> Option<Layer> {
        let mut heights = layer.heights();
        heights.fill(0);
        for (point, height) in rules.start.herds.iter().zip(layer.heights()).filter(|(_, height)| *height > 0) {
            // Elsewhere than on herd points the number of the herd is out of range.
            *heights.get_mut(usize::from(rules.start.herd_on[self.point(*point)]))? = height;
        }
        Layer::new(heights)
    }
}

/// The one of a layer's images that has a table, and how the layer becomes it.
pub fn canonical(rules: &RuleSet, layer: Layer) -> (Layer, Symmetry) {
    let identity = Symmetry { transposes: false, flips_files: false, flips_ranks: false };
    let images = Symmetry::all().filter_map(|symmetry| Some((symmetry.layer(rules, layer)?, symmetry)));
    // Of equal images the first, so that a canonical layer becomes itself by the identity.
    images.fold((layer, identity), |best, image| if image.0 > best.0 { image } else { best })
}

/// The symmetries that turn a layer into itself, the identity first.
pub fn of_layer(rules: &RuleSet, layer: Layer) -> Vec<Symmetry> {
    Symmetry::all().filter(|symmetry| symmetry.layer(rules, layer) == Some(layer)).collect()
}

/// How many layers symmetries turn into a canonical one, itself included.
pub fn images(rules: &RuleSet, layer: Layer) -> u64 {
    Layer::all(HERDS, GOATS).into_iter().filter(|image| canonical(rules, *image).0 == layer).count() as u64
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

    #[test]
    fn every_layer_has_one_canonical_image() {
        for (rules, count) in [("baghbandi", 325), ("baghguti", 120)] {
            let rules = RuleSet::named(rules).unwrap();
            let layers = Layer::all(HERDS, 20);
            let is_canonical = |layer: &&Layer| canonical(rules, **layer).0 == **layer;
            assert!(layers.iter().filter(is_canonical).count() <= count);
            for layer in layers {
                let (image, symmetry) = canonical(rules, layer);
                assert_eq!(symmetry.layer(rules, layer), Some(image));
                assert_eq!(canonical(rules, image).0, image);
                let standing = image_of(symmetry, layer.points(rules));
                assert_eq!(standing, image.points(rules));
            }
        }
    }
}
