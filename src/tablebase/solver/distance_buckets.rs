//! The positions of a row of a solved layer, sorted into buckets by value and distance, so that those of one distance are
//! admitted to a set at a time (Thompson's order: all positions of one distance before those of the next).

use crate::tablebase::layout::Chunks;
use crate::tablebase::solver::sets::SetRow;
use crate::tablebase::value::TableValue;
use crate::tablebase::vector::{LANES, VECTOR_SLOTS, WORD_SLOTS};

/// What positions are sorted by: the class of a value that is no draw, and in the lower byte half a distance in plies.
/// Draws, which are in no bucket, have 0.
pub type BucketKey = u16;

/// The key of a value and half a distance.
pub const fn bucket_key(value: TableValue, half: u8) -> BucketKey {
    (value.class() as BucketKey) << 8 | half as BucketKey
}

/// Keys there may be: 16 classes, 256 half distances.
const KEYS: usize = 1 << 12;

/// The positions of a chunk with one key.
#[derive(Copy, Clone, Debug)]
struct Bucket {
    key: BucketKey,
    /// Where they end among the members.
    end: u32,
}

/// The positions of a row, chunk by chunk, sorted by key.
pub struct DistanceBuckets {
    /// Numbers of the positions within their chunk.
    members: Vec<u16>,
    buckets: Vec<Bucket>,
    /// By chunk where its buckets end.
    ends: Vec<u32>,
    /// By chunk the bucket that comes next.
    next: Vec<u32>,
}

impl DistanceBuckets {
    /// Bits that a position takes at most, but for the buckets: 8 bytes for each key that occurs in a chunk.
    pub const BITS: usize = 16;

    /// Sorts positions, whose keys are given by their number in the row.
    pub fn new(chunks: &Chunks, keys: &[BucketKey]) -> Self {
        let mut sorted = Self { members: Vec::new(), buckets: Vec::new(), ends: Vec::new(), next: Vec::new() };
        sorted.members.reserve_exact(keys.iter().filter(|key| **key != 0).count());
        let mut counts = vec![0u32; KEYS];
        for keys in keys.chunks(chunks.size() << VECTOR_SLOTS) {
            sorted.next.push(sorted.buckets.len() as u32);
            sorted.add_chunk(keys, &mut counts);
            sorted.ends.push(sorted.buckets.len() as u32);
        }
        sorted.buckets.shrink_to_fit();
        sorted
    }

    /// Adds a chunk's positions by a counting sort; `counts` (by key) are 0 before and after it.
    fn add_chunk(&mut self, keys: &[BucketKey], counts: &mut [u32]) {
        let mut seen = Vec::new();
        for key in keys.iter().filter(|key| **key != 0) {
            let count = &mut counts[usize::from(*key)];
            if *count == 0 {
                seen.push(*key);
            }
            *count += 1;
        }
        seen.sort_unstable();
        let mut end = self.members.len() as u32;
        for key in &seen {
            let count = &mut counts[usize::from(*key)];
            let first = end;
            end += *count;
            *count = first; // from here on the place of the key's next member
            self.buckets.push(Bucket { key: *key, end });
        }
        self.members.resize(end as usize, 0);
        for (within, key) in keys.iter().enumerate().filter(|(_, key)| **key != 0) {
            let place = &mut counts[usize::from(*key)];
            self.members[*place as usize] = within as u16;
            *place += 1;
        }
        for key in seen {
            counts[usize::from(key)] = 0;
        }
    }

    /// Goes to the first bucket with a value.
    pub fn seek(&mut self, value: TableValue) {
        let mut first = 0;
        for (next, end) in self.next.iter_mut().zip(&self.ends) {
            let buckets = &self.buckets[first as usize..*end as usize];
            *next = first + buckets.partition_point(|bucket| bucket.key < bucket_key(value, 0)) as u32;
            first = *end;
        }
    }

    /// Toggles the positions with a value and half a distance in the set of the row. Those with that value and less must
    /// have been admitted before.
    pub fn admit(&mut self, value: TableValue, half: u8, row: &mut SetRow, chunks: &Chunks, now: u32) {
        let key = bucket_key(value, half);
        for (chunk, (next, end)) in self.next.iter_mut().zip(&self.ends).enumerate() {
            let number = *next as usize;
            if *next == *end || self.buckets[number].key > key {
                continue;
            }
            assert!(self.buckets[number].key == key, "positions with a smaller distance were passed over");
            let first = if number == 0 { 0 } else { self.buckets[number - 1].end };
            let members = first as usize..self.buckets[number].end as usize;
            *next += 1;
            let vectors = row.chunk_mut(chunk, chunks.size());
            for member in &self.members[members] {
                let lane = usize::from(member >> WORD_SLOTS) & (LANES - 1);
                vectors[usize::from(member >> VECTOR_SLOTS)][lane] ^= 1 << (member & 63);
            }
            row.mark_changed(chunk, now);
        }
    }

    /// Whether positions with a value, whose first bucket was sought, are still to be admitted.
    pub fn has_more(&self, value: TableValue) -> bool {
        let is_of_value = |bucket: &Bucket| bucket.key >> 8 == BucketKey::from(value.class());
        self.next.iter().zip(&self.ends).any(|(next, end)| next < end && is_of_value(&self.buckets[*next as usize]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::RuleSet;
    use crate::tablebase::layer::Layer;
    use crate::tablebase::layout::Layout;
    use crate::tablebase::solver::sets::PositionSet;

    #[test]
    fn each_position_is_admitted_with_its_key_and_no_other() {
        let layout = Layout::new(RuleSet::standard(), Layer::FLAT, 4);
        let chunks = layout.chunks();
        let mut word = 1u64;
        let keys: Vec<BucketKey> = (0..chunks.row_size() << VECTOR_SLOTS)
            .map(|_| {
                word = word.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                if word >> 62 == 0 {
                    0
                } else {
                    bucket_key(TableValue::from_class(1 + (word >> 61) as u8 % 2), (word >> 40) as u8 % 9)
                }
            })
            .collect();
        let mut buckets = DistanceBuckets::new(chunks, &keys);
        for class in [2, 1, 3] {
            let value = TableValue::from_class(class);
            let mut row = PositionSet::new(chunks, 1).rows.remove(0);
            buckets.seek(value);
            for half in 0..9 {
                assert_eq!(buckets.has_more(value), class < 3);
                buckets.admit(value, half, &mut row, chunks, 1);
                for (number, own) in keys.iter().enumerate() {
                    let is_in = row.vectors_mut()[number >> 8][number >> 6 & 3] >> (number & 63) & 1 != 0;
                    assert_eq!(
                        is_in,
                        *own >> 8 == BucketKey::from(class) && *own <= bucket_key(value, half),
                        "{number} {half}"
                    );
                }
            }
            assert!(!buckets.has_more(value));
        }
    }
}
