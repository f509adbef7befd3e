//! What the symmetries of the board make of layers.

use crate::rules::{GOATS, HERDS, RuleSet};
use crate::symmetry::Symmetry;
use crate::tablebase::layer::Layer;

/// The image of a layer.
///
/// Returns `None` if a herd would stand where the rules have no herd point.
pub fn image(symmetry: Symmetry, rules: &RuleSet, layer: Layer) -> Option<Layer> {
    let mut heights = layer.heights();
    heights.fill(0);
    for (point, height) in rules.start.herds.iter().zip(layer.heights()).filter(|(_, height)| *height > 0) {
        // Elsewhere than on herd points the number of the herd is out of range.
        *heights.get_mut(usize::from(rules.start.herd_on[symmetry.point(*point)]))? = height;
    }
    Layer::new(heights)
}

/// The one of a layer's images that has a table, and how the layer becomes it.
pub fn canonical(rules: &RuleSet, layer: Layer) -> (Layer, Symmetry) {
    let images = Symmetry::all().filter_map(|symmetry| Some((image(symmetry, rules, layer)?, symmetry)));
    // Of equal images the first, so that a canonical layer becomes itself by the identity.
    images.fold((layer, Symmetry::IDENTITY), |best, image| if image.0 > best.0 { image } else { best })
}

/// The symmetries that turn a layer into itself, the identity first.
pub fn of_layer(rules: &RuleSet, layer: Layer) -> Vec<Symmetry> {
    Symmetry::all().filter(|symmetry| image(*symmetry, rules, layer) == Some(layer)).collect()
}

/// How many layers symmetries turn into a canonical one, itself included.
pub fn images(rules: &RuleSet, layer: Layer) -> u64 {
    Layer::all(HERDS, GOATS).into_iter().filter(|image| canonical(rules, *image).0 == layer).count() as u64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::PointSet;

    fn image_of(symmetry: Symmetry, points: PointSet) -> PointSet {
        points.into_iter().map(|point| symmetry.point(point)).collect()
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
                assert_eq!(super::image(symmetry, rules, layer), Some(image));
                assert_eq!(canonical(rules, image).0, image);
                let standing = image_of(symmetry, layer.points(rules));
                assert_eq!(standing, image.points(rules));
            }
        }
    }
}
