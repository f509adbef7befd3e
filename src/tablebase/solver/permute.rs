//! Whole rows with their slots in another order: what a symmetry makes of a set of positions. The slots are exchanged two
//! by two, each exchange being shifts and masks of words or an exchange of whole words (after the bit permutations of
//! bitboards by delta swaps).

use crate::tablebase::expect_invariant;
use crate::tablebase::layout::Chunks;
use crate::tablebase::vector::{LANES, NONE, VECTOR_SLOTS, Vector, WORD_SLOTS, count, members};

/// Members up to which moving each is quicker than moving all.
const FEW_MEMBERS: u32 = 2_000;

/// The set of a row of `from` in the order of a row of `to`, where slot `n` has become slot `slots[n]`. Positions in
/// chunks that `to` leaves out are dropped.
pub fn permute_set(set: &[Vector], from: &Chunks, to: &Chunks, slots: &[u32]) -> Vec<Vector> {
    if set.iter().map(|vector| count(*vector)).sum::<u32>() <= FEW_MEMBERS {
        return permute_members(set, from, to, slots);
    }
    let mut whole = with_all_chunks(set, from, slots.len() as u32);
    permute_slots(whole.as_flattened_mut(), slots.to_vec());
    to.highs().map(|high| whole[high as usize]).collect()
}

/// The same, member by member.
fn permute_members(set: &[Vector], from: &Chunks, to: &Chunks, slots: &[u32]) -> Vec<Vector> {
    let mut image = vec![NONE; to.row_size()];
    for (high, vector) in from.highs().zip(set).filter(|(_, vector)| **vector != NONE) {
        for index in members(high, *vector) {
            let bits = slots.iter().enumerate();
            let index = bits.fold(0u32, |image, (bit, slot)| image | (index >> bit & 1) << slot);
            if let Some(number) = to.vector(index >> VECTOR_SLOTS) {
                image[number][(index >> WORD_SLOTS) as usize & (LANES - 1)] |= 1 << (index & 63);
            }
        }
    }
    image
}

/// The vectors of all chunks, empty ones for those left out.
fn with_all_chunks(set: &[Vector], chunks: &Chunks, slots: u32) -> Vec<Vector> {
    let mut whole = vec![NONE; 1 << (slots - VECTOR_SLOTS)];
    for (high, vector) in chunks.highs().zip(set) {
        whole[high as usize] = *vector;
    }
    whole
}

/// Moves the bits of every index: bit `n` becomes bit `to[n]`.
fn permute_slots(words: &mut [u64], mut to: Vec<u32>) {
    for slot in 0..to.len() {
        let other =
            expect_invariant(to.iter().position(|target| *target as usize == slot), "a permutation has each slot");
        if other != slot {
            swap_slots(words, slot as u32, other as u32);
            to.swap(slot, other);
        }
    }
}

/// Swaps two bits, the first the lower one, of every index.
fn swap_slots(words: &mut [u64], low: u32, high: u32) {
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
    fn members_one_by_one_and_whole_rows_come_to_the_same() {
        let layout = Layout::new(RuleSet::standard(), Layer::FLAT, 4);
        let (from, to) = (layout.chunks(), Layout::new(RuleSet::standard(), Layer::FLAT, 20));
        for pair in [3, 77, 250] {
            let (_, slots) = layout.stored(pair);
            let set: Vec<Vector> = from.highs().map(|high| layout.valid(high).map(|word| word & 0x8421_0F37)).collect();
            let mut whole = with_all_chunks(&set, from, slots.len() as u32);
            permute_slots(whole.as_flattened_mut(), slots.clone());
            assert_eq!(permute_members(&set, from, to.chunks(), &slots), whole);
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
            permute_slots(&mut moved, to.to_vec());
            for index in 0..1usize << slots {
                let image = to.iter().enumerate().fold(0, |image, (bit, to)| image | (index >> bit & 1) << to);
                assert_eq!(moved[image >> 6] >> (image & 63) & 1, words[index >> 6] >> (index & 63) & 1);
            }
        }
    }
}
