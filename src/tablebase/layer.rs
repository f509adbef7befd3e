//! A layer: which herds stand and how high. Within a layer only single goats and tigers move; a goat that leaves a
//! herd, or is taken from one, leads to a layer with fewer goats in herds.

use crate::board::PointSet;
use crate::position::Position;
use crate::rules::{HERD, HERDS, RuleSet};
use std::fmt;

/// The heights of the four herds, in the order of the rules' start: 0 where no herd of two or more stands, else 2 to 5.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Layer {
    heights: [u8; HERDS],
}

impl Layer {
    /// The layer without herds.
    pub const FLAT: Self = Self { heights: [0; HERDS] };

    /// The layer with these heights.
    ///
    /// Returns `None` if one is neither 0 nor 2 to 5.
    pub fn new(heights: [u8; HERDS]) -> Option<Self> {
        let fits = |height: &u8| *height == 0 || (2..=HERD).contains(&u32::from(*height));
        heights.iter().all(fits).then_some(Self { heights })
    }

    /// The layer of a position.
    pub fn of(position: &Position) -> Self {
        let height = |point| match position.height(point) {
            height @ 2.. => height as u8,
            _ => 0,
        };
        Self { heights: position.rules().start.herds.map(height) }
    }

    /// All layers with at most `herds` herds of two or more and at most `goats` goats in them, each after those it
    /// leads to.
    pub fn all(herds: usize, goats: u32) -> Vec<Self> {
        let heights = [0, 2, 3, 4, 5];
        let mut layers = vec![Self::FLAT];
        for herd in 0..HERDS {
            let with = |layer: &Self| heights.map(|height| layer.with(herd, height));
            layers = layers.iter().flat_map(with).collect();
        }
        layers.retain(|layer| layer.herds() <= herds && layer.goats() <= goats);
        layers.sort_by_key(|layer| (layer.goats(), *layer));
        layers
    }

    #[allow(clippy::indexing_slicing)] // callers count herds below `HERDS`
    const fn with(mut self, herd: usize, height: u8) -> Self {
        self.heights[herd] = height;
        self
    }

    /// Each herd's height, 0 or 2 to 5.
    pub const fn heights(self) -> [u8; HERDS] {
        self.heights
    }

    /// Height, 0 or 2 to 5, of herd `herd`, 0 to 3.
    #[allow(clippy::indexing_slicing)] // callers count herds below `HERDS`
    pub const fn height(self, herd: usize) -> u8 {
        self.heights[herd]
    }

    /// Goats in herds, 0 to 20.
    pub fn goats(self) -> u32 {
        self.heights.iter().map(|height| u32::from(*height)).sum()
    }

    /// Herds of two or more, 0 to 4.
    pub fn herds(self) -> usize {
        self.heights.iter().filter(|height| **height > 0).count()
    }

    /// The points where herds of two or more stand.
    pub fn points(self, rules: &RuleSet) -> PointSet {
        let standing = rules.start.herds.iter().zip(self.heights).filter(|(_, height)| *height > 0);
        standing.map(|(point, _)| *point).collect()
    }

    /// The layer after the top goat of a herd is gone; of a herd of two a single goat is left, and no herd.
    ///
    /// Returns `None` where no herd stands.
    pub fn lowered(self, herd: usize) -> Option<Self> {
        match self.height(herd) {
            0 => None,
            2 => Some(self.with(herd, 0)),
            height => Some(self.with(herd, height - 1)),
        }
    }
}

/// The four heights in a row, as in `0253`.
impl fmt::Display for Layer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.heights.iter().try_for_each(|height| write!(f, "{height}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_are_625_layers_each_after_those_it_leads_to() {
        let layers = Layer::all(HERDS, 20);
        assert_eq!(layers.len(), 625);
        assert_eq!((0..=4).map(|herds| Layer::all(herds, 20).len()).collect::<Vec<_>>(), [1, 17, 113, 369, 625]);
        for (number, layer) in layers.iter().enumerate() {
            for herd in 0..HERDS {
                if let Some(next) = layer.lowered(herd) {
                    assert!(layers.iter().position(|known| *known == next).unwrap() < number);
                }
            }
        }
    }
}
