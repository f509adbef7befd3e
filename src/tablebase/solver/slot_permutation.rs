//! Slot permutations: what a symmetry does to a row. Of rows that symmetries of the layer turn into each other one is
//! computed, and what changes in it is changed in the others, position by position. (Whole rows are quicker to turn at
//! once: [`super::permute`].)

use crate::tablebase::layout::Chunks;
use crate::tablebase::solver::distance_buckets::BucketKey;
use crate::tablebase::solver::sets::SetRow;
use crate::tablebase::vector::{VECTOR_SLOTS, Vector};

/// Slots of each of the two groups beyond a vector's.
const GROUP_SLOTS: u32 = 8;

/// Where the positions of a row stand in the row of their images.
pub struct SlotPermutation {
    /// The row of the images; in which set depends on the use.
    pub row: usize,
    /// For each choice of the eight slots inside a vector what they contribute to the index of the image.
    low: Vec<u32>,
    /// The same for each choice of the next eight slots, and of those beyond.
    high: [Vec<u32>; 2],
    /// Whether every slot stays what it is.
    is_identity: bool,
}

impl SlotPermutation {
    /// The images in a row where slot `n` has become slot `slots[n]`.
    pub fn new(row: usize, slots: &[u32]) -> Self {
        let contributions = |first: u32, size: u32| {
            let group = slots.iter().skip(first as usize).take(size as usize);
            let image = |choice: u32| {
                group.clone().enumerate().fold(0, |image, (bit, slot)| image | (choice >> bit & 1) << slot)
            };
            (0..1u32 << size).map(image).collect()
        };
        let high = [VECTOR_SLOTS, VECTOR_SLOTS + GROUP_SLOTS].map(|first| contributions(first, GROUP_SLOTS));
        let is_identity = (0..).zip(slots).all(|(slot, image)| slot == *image);
        Self { row, low: contributions(0, VECTOR_SLOTS), high, is_identity }
    }

    /// What the slots beyond the lowest eight contribute to the index of an image.
    #[inline]
    fn base(&self, high: u32) -> u32 {
        let [middle, top] = &self.high;
        middle[(high & 0xFF) as usize] | top[(high >> GROUP_SLOTS) as usize]
    }

    /// Toggles the images of some positions, members of the vector with these slots beyond the lowest eight, in the row of
    /// the images.
    pub fn toggle(&self, high: u32, members: Vector, image: &mut SetRow, chunks: &Chunks, now: u32) {
        let base = self.base(high);
        for (word, low) in members.into_iter().zip(self.low.chunks_exact(64)) {
            let mut rest = word;
            while rest != 0 {
                image.toggle(chunks, base | low[rest.trailing_zeros() as usize], now);
                rest &= rest - 1;
            }
        }
    }

    /// The keys of all positions of a row of `from`, in the order of a row of `to`, which may have fewer chunks.
    ///
    /// Returns `None` if the order is the same.
    pub fn permute_keys(&self, keys: &[BucketKey], from: &Chunks, to: &Chunks) -> Option<Vec<BucketKey>> {
        if self.is_identity && from.highs().eq(to.highs()) {
            return None;
        }
        let mut image = vec![0; to.row_size() << VECTOR_SLOTS];
        for (high, keys) in from.highs().zip(keys.chunks_exact(1 << VECTOR_SLOTS)) {
            let base = self.base(high);
            for (key, low) in keys.iter().zip(&self.low).filter(|(key, _)| **key != 0) {
                let index = base | low;
                if let Some(vector) = to.vector(index >> VECTOR_SLOTS) {
                    image[vector << VECTOR_SLOTS | (index & 0xFF) as usize] = *key;
                }
            }
        }
        Some(image)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::RuleSet;
    use crate::tablebase::layer::Layer;
    use crate::tablebase::layout::Layout;
    use crate::tablebase::solver::permute::permute_set;
    use crate::tablebase::solver::sets::PositionSet;
    use crate::tablebase::symmetry;

    #[test]
    fn members_and_keys_come_where_the_permuted_set_has_them() {
        let layout = Layout::new(RuleSet::standard(), Layer::FLAT, 5);
        let chunks = layout.chunks();
        for (number, symmetry) in symmetry::of_layer(RuleSet::standard(), Layer::FLAT).into_iter().enumerate() {
            let pair = 31 * number + 5;
            let (row, slots) = layout.image_of_pair(pair, symmetry);
            let permutation = SlotPermutation::new(row, &slots);
            let set: Vec<Vector> =
                chunks.highs().map(|high| layout.valid(high).map(|word| word & 0x1248_F731)).collect();
            let expected = permute_set(&set, chunks, chunks, &slots);
            let mut toggled = PositionSet::new(chunks, 1).rows.remove(0);
            for (high, vector) in chunks.highs().zip(&set) {
                permutation.toggle(high, *vector, &mut toggled, chunks, 1);
            }
            assert_eq!(toggled.vectors_mut(), expected);
            let keys = |set: &[Vector]| -> Vec<BucketKey> {
                let words = set.iter().flatten();
                words.flat_map(|word| (0..64).map(move |bit| 3 * (word >> bit & 1) as u16)).collect()
            };
            let permuted = permutation.permute_keys(&keys(&set), chunks, chunks);
            assert_eq!(permuted.unwrap_or_else(|| keys(&set)), keys(&expected));
        }
    }
}
