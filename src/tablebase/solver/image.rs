//! A row's sets with its slots in another order, for what a symmetry turns into each other.

use crate::tablebase::layout::Chunks;
use crate::tablebase::vector::{NONE, VECTOR_SLOTS, Vector, WORD_SLOTS, count, members};

/// Members up to which moving each is quicker than moving all.
const FEW: u32 = 2_000;

/// The set of a row of `from` in the order of a row of `to`: the point of slot `n` there has slot `slots[n]` here.
pub fn image(set: &[Vector], from: &Chunks, to: &Chunks, slots: &[u32]) -> Vec<Vector> {
    if set.iter().map(|vector| count(*vector)).sum::<u32>() <= FEW {
        return one_by_one(set, from, to, slots);
    }
    let mut whole = spread(set, from, slots.len() as u32);
    permute(whole.as_flattened_mut(), slots.to_vec());
    to.highs().map(|high| whole.get(high as usize).copied().unwrap_or(NONE)).collect()
}

/// The same for few members.
fn one_by_one(set: &[Vector], from: &Chunks, to: &Chunks, slots: &[u32]) -> Vec<Vector> {
    let mut image = vec![NONE; to.row_size()];
    for (high, vector) in from.highs().zip(set).filter(|(_, vector)| **vector != NONE) {
        for index in members(high, *vector) {
            let bits = slots.iter().enumerate();
            let index = bits.fold(0u32, |image, (bit, slot)| image | (index >> bit & 1) << slot);
            let vector = to.vector(index >> VECTOR_SLOTS).and_then(|number| image.get_mut(number));
            if let Some(word) = vector.and_then(|vector| vector.get_mut((index >> WORD_SLOTS) as usize & 3)) {
                *word |= 1 << (index & 63);
            }
        }
    }
    image
}

/// The vectors of all chunks, those left out too.
fn spread(set: &[Vector], chunks: &Chunks, slots: u32) -> Vec<Vector> {
    let mut whole = vec![NONE; 1 << (slots - VECTOR_SLOTS)];
    for (high, vector) in chunks.highs().zip(set) {
        if let Some(place) = whole.get_mut(high as usize) {
            *place = *vector;
        }
    }
    whole
}

/// Moves the bits of every index: bit `n` becomes bit `to[n]`.
fn permute(words: &mut [u64], mut to: Vec<u32>) {
    for slot in 0..to.len() {
        let Some(other) = to.iter().position(|target| *target as usize == slot) else { continue };
        if other != slot {
            exchange(words, slot as u32, other as u32);
            to.swap(slot, other);
        }
    }
}

/// Exchanges two bits, the first the lower one, of every index.
fn exchange(words: &mut [u64], low: u32, high: u32) {
    let is_set = |index: u32, slot: u32| index >> slot & 1 != 0;
    let members =
        |is_one: &dyn Fn(u32) -> bool| (0..64).filter(|index| is_one(*index)).fold(0, |set, index| set | 1 << index);
    if high < WORD_SLOTS {
        let mask: u64 = members(&|index| is_set(index, low) && !is_set(index, high));
        let distance = (1 << high) - (1 << low);
        for word in words {
            let differing = (*word >> distance ^ *word) & mask;
            *word ^= differing | differing << distance;
        }
    } else if low < WORD_SLOTS {
        let mask: u64 = members(&|index| !is_set(index, low));
        let distance = 1 << low;
        for halves in words.chunks_exact_mut(2 << (high - WORD_SLOTS)) {
            let (without, with) = halves.split_at_mut(1 << (high - WORD_SLOTS));
            for (one, other) in without.iter_mut().zip(with) {
                let differing = (*one >> distance ^ *other) & mask;
                *other ^= differing;
                *one ^= differing << distance;
            }
        }
    } else {
        for halves in words.chunks_exact_mut(2 << (high - WORD_SLOTS)) {
            let (without, with) = halves.split_at_mut(1 << (high - WORD_SLOTS));
            let size = 1 << (low - WORD_SLOTS);
            for (one, other) in without.chunks_exact_mut(2 * size).zip(with.chunks_exact_mut(2 * size)) {
                one.iter_mut().skip(size).zip(other).for_each(|(one, other)| std::mem::swap(one, other));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::RuleSet;
    use crate::tablebase::layer::Layer;
    use crate::tablebase::layout::Layout;

    #[test]
    fn both_ways_give_the_same() {
        let layout = Layout::new(RuleSet::standard(), Layer::FLAT, 4);
        let (from, to) = (layout.chunks(), Layout::new(RuleSet::standard(), Layer::FLAT, 20));
        for pair in [3, 77, 250] {
            let (_, slots) = layout.stored(pair).unwrap();
            let set: Vec<Vector> = from.highs().map(|high| layout.valid(high).map(|word| word & 0x8421_0F37)).collect();
            let mut whole = spread(&set, from, slots.len() as u32);
            permute(whole.as_flattened_mut(), slots.clone());
            assert_eq!(one_by_one(&set, from, to.chunks(), &slots), whole);
        }
    }

    #[test]
    fn every_index_comes_where_its_bits_say() {
        let slots = 10;
        let mut word = 1u64;
        let words: Vec<u64> = (0..1 << (slots - WORD_SLOTS))
            .map(|_| {
                word = word.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                word ^ word >> 29
            })
            .collect();
        for to in [[0, 1, 2, 3, 4, 5, 6, 7, 8, 9], [9, 8, 7, 6, 5, 4, 3, 2, 1, 0], [3, 9, 0, 7, 1, 8, 2, 5, 6, 4]] {
            let mut moved = words.clone();
            permute(&mut moved, to.to_vec());
            for index in 0..1usize << slots {
                let image = to.iter().enumerate().fold(0, |image, (bit, to)| image | (index >> bit & 1) << to);
                assert_eq!(moved[image >> 6] >> (image & 63) & 1, words[index >> 6] >> (index & 63) & 1);
            }
        }
    }
}
