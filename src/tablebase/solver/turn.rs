//! What symmetries of a layer make of a row: of rows that they turn into each other one is worked out, and what changes
//! in it is changed in the others.

use crate::tablebase::layout::Chunks;
use crate::tablebase::solver::schedule::Key;
use crate::tablebase::solver::sets::Row;
use crate::tablebase::vector::{VECTOR_SLOTS, Vector};

/// Slots of each of the two groups beyond a vector's.
const GROUP_SLOTS: u32 = 8;

/// How the members of a row become those of its image.
pub struct Turn {
    /// The row of the image; what it counts is the maker's affair.
    pub row: usize,
    /// What every choice of the slots inside a vector adds to the index of the image, and every choice of the slots of
    /// the two groups beyond.
    low: Vec<u32>,
    groups: [Vec<u32>; 2],
    /// Whether every slot stays what it is.
    is_same: bool,
}

impl Turn {
    /// The image in a row where the point of slot `n` has slot `slots[n]`.
    pub fn new(row: usize, slots: &[u32]) -> Self {
        let choices = |first: u32, size: u32| {
            let own = slots.iter().skip(first as usize).take(size as usize);
            let image =
                |choice: u32| own.clone().enumerate().fold(0, |image, (bit, slot)| image | (choice >> bit & 1) << slot);
            (0..1u32 << size).map(image).collect()
        };
        let groups = [VECTOR_SLOTS, VECTOR_SLOTS + GROUP_SLOTS].map(|first| choices(first, GROUP_SLOTS));
        let is_same = (0..).zip(slots).all(|(slot, image)| slot == *image);
        Self { row, low: choices(0, VECTOR_SLOTS), groups, is_same }
    }

    /// What the slots beyond the lowest eight add to the index of an image.
    #[inline]
    fn base(&self, high: u32) -> u32 {
        let [middle, top] = &self.groups;
        let choice = |choices: &[u32], choice: u32| choices.get((choice & 0xFF) as usize).copied().unwrap_or(0);
        choice(middle, high) | choice(top, high >> GROUP_SLOTS)
    }

    /// Puts the images of some members of a vector, its slots beyond the lowest eight given, into the image if they are
    /// not in it, else takes them out.
    pub fn toggle(&self, high: u32, members: Vector, image: &mut Row, chunks: &Chunks, now: u32) {
        let base = self.base(high);
        for (word, low) in members.into_iter().zip(self.low.chunks(64)) {
            let mut rest = word;
            while rest != 0 {
                let index = low.get(rest.trailing_zeros() as usize).copied().unwrap_or(0);
                image.toggle(chunks, base | index, now);
                rest &= rest - 1;
            }
        }
    }

    /// The image of the keys of all positions of a row of `from`, in the order of a row of `to`.
    ///
    /// Returns `None` if it is the same.
    pub fn keys(&self, keys: &[Key], from: &Chunks, to: &Chunks) -> Option<Vec<Key>> {
        if self.is_same && from.highs().eq(to.highs()) {
            return None;
        }
        let mut image = vec![0; to.row_size() << VECTOR_SLOTS];
        for (high, keys) in from.highs().zip(keys.chunks(1 << VECTOR_SLOTS)) {
            let base = self.base(high);
            for (key, low) in keys.iter().zip(&self.low).filter(|(key, _)| **key != 0) {
                let index = base | low;
                let vector = to.vector(index >> VECTOR_SLOTS).map(|vector| vector << VECTOR_SLOTS);
                if let Some(place) = vector.and_then(|first| image.get_mut(first | (index & 0xFF) as usize)) {
                    *place = *key;
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
    use crate::tablebase::solver::image::image;
    use crate::tablebase::solver::sets::Set;
    use crate::tablebase::symmetry;

    #[test]
    fn members_and_numbers_come_where_the_image_of_the_set_has_them() {
        let layout = Layout::new(RuleSet::standard(), Layer::FLAT, 5);
        let chunks = layout.chunks();
        for (number, symmetry) in symmetry::of_layer(RuleSet::standard(), Layer::FLAT).into_iter().enumerate() {
            let pair = 31 * number + 5;
            let (row, slots) = layout.turned(pair, symmetry).unwrap();
            let turn = Turn::new(row, &slots);
            let set: Vec<Vector> =
                chunks.highs().map(|high| layout.valid(high).map(|word| word & 0x1248_F731)).collect();
            let expected = image(&set, chunks, chunks, &slots);
            let mut toggled = Set::new(chunks, 1).rows.remove(0);
            for (high, vector) in chunks.highs().zip(&set) {
                turn.toggle(high, *vector, &mut toggled, chunks, 1);
            }
            assert_eq!(toggled.vectors_mut(), expected);
            let keys = |set: &[Vector]| -> Vec<Key> {
                let words = set.iter().flatten();
                words.flat_map(|word| (0..64).map(move |bit| 3 * (word >> bit & 1) as u16)).collect()
            };
            assert_eq!(turn.keys(&keys(&set), chunks, chunks).unwrap_or_else(|| keys(&set)), keys(&expected));
        }
    }
}
