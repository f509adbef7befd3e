//! In what order the positions of a row of a finished layer appear: by value, then by distance.

use crate::tablebase::layout::Chunks;
use crate::tablebase::solver::sets::Row;
use crate::tablebase::value::TableValue;
use crate::tablebase::vector::{LANES, VECTOR_SLOTS, WORD_SLOTS};

/// What positions are sorted by: a value that is no draw and half a distance in plies. Draws, which never appear, have 0.
pub type Key = u16;

/// The key of a value and half a distance.
pub const fn key(value: TableValue, half: u8) -> Key {
    (value.class() as Key) << 8 | half as Key
}

/// Keys there may be.
const KEYS: usize = 1 << 12;

/// The positions of a chunk with one key.
#[derive(Copy, Clone, Debug)]
struct Run {
    key: Key,
    /// Where they end among the members.
    end: u32,
}

/// The positions of a row, chunk by chunk, sorted.
pub struct Schedule {
    /// Within their chunk.
    members: Vec<u16>,
    runs: Vec<Run>,
    /// By chunk where its runs end.
    ends: Vec<u32>,
    /// By chunk the run that comes next.
    next: Vec<u32>,
}

impl Schedule {
    /// Bits that a position takes at most, but for the runs: 8 bytes for each key that occurs in a chunk.
    pub const DIGITS: usize = 16;

    /// Sorts positions, whose keys are given by their number in the row.
    pub fn new(chunks: &Chunks, keys: &[Key]) -> Self {
        let mut schedule = Self { members: Vec::new(), runs: Vec::new(), ends: Vec::new(), next: Vec::new() };
        schedule.members.reserve_exact(keys.iter().filter(|key| **key != 0).count());
        let mut counts = vec![0u32; KEYS];
        for keys in keys.chunks(chunks.size() << VECTOR_SLOTS) {
            schedule.next.push(schedule.runs.len() as u32);
            schedule.add_chunk(keys, &mut counts);
            schedule.ends.push(schedule.runs.len() as u32);
        }
        schedule.runs.shrink_to_fit();
        schedule
    }

    /// Adds a chunk's positions; `counts` are 0 before and after it.
    fn add_chunk(&mut self, keys: &[Key], counts: &mut [u32]) {
        let mut seen = Vec::new();
        for key in keys.iter().filter(|key| **key != 0) {
            if let Some(count) = counts.get_mut(usize::from(*key)) {
                if *count == 0 {
                    seen.push(*key);
                }
                *count += 1;
            }
        }
        seen.sort_unstable();
        let mut end = self.members.len() as u32;
        for key in &seen {
            if let Some(count) = counts.get_mut(usize::from(*key)) {
                let first = end;
                end += *count;
                *count = first; // where the next one comes
                self.runs.push(Run { key: *key, end });
            }
        }
        self.members.resize(end as usize, 0);
        for (within, key) in keys.iter().enumerate().filter(|(_, key)| **key != 0) {
            if let Some(place) = counts.get_mut(usize::from(*key)) {
                if let Some(member) = self.members.get_mut(*place as usize) {
                    *member = within as u16;
                }
                *place += 1;
            }
        }
        for key in seen {
            if let Some(count) = counts.get_mut(usize::from(key)) {
                *count = 0;
            }
        }
    }

    /// Begins with the positions of a value.
    pub fn ask(&mut self, value: TableValue) {
        let mut first = 0;
        for (next, end) in self.next.iter_mut().zip(&self.ends) {
            let runs = self.runs.get(first as usize..*end as usize).unwrap_or_default();
            *next = first + runs.partition_point(|run| run.key < key(value, 0)) as u32;
            first = *end;
        }
    }

    /// Shows the positions with a value and half a distance: puts them into the set, or takes them out of it. Those with
    /// less must have been shown.
    pub fn show(&mut self, value: TableValue, half: u8, row: &mut Row, chunks: &Chunks, now: u32) {
        for (chunk, (next, end)) in self.next.iter_mut().zip(&self.ends).enumerate() {
            let number = *next as usize;
            let Some(run) = self.runs.get(number).filter(|run| *next < *end && run.key == key(value, half)) else {
                continue;
            };
            let first = number.checked_sub(1).and_then(|before| self.runs.get(before)).map_or(0, |before| before.end);
            *next += 1;
            let vectors = row.chunk_mut(chunk, chunks.size());
            for member in self.members.get(first as usize..run.end as usize).unwrap_or_default() {
                let vector = vectors.get_mut(usize::from(member >> VECTOR_SLOTS));
                if let Some(word) =
                    vector.and_then(|vector| vector.get_mut(usize::from(member >> WORD_SLOTS) & (LANES - 1)))
                {
                    *word ^= 1 << (member & 63);
                }
            }
            row.touch(chunk, now);
        }
    }

    /// Whether positions with a value are still to be shown.
    pub fn has_more(&self, value: TableValue) -> bool {
        let is_of_value = |run: &Run| run.key >> 8 == Key::from(value.class());
        self.next
            .iter()
            .zip(&self.ends)
            .any(|(next, end)| next < end && self.runs.get(*next as usize).is_some_and(is_of_value))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::RuleSet;
    use crate::tablebase::layer::Layer;
    use crate::tablebase::layout::Layout;
    use crate::tablebase::solver::sets::Set;

    #[test]
    fn each_position_appears_with_its_key_and_no_other() {
        let layout = Layout::new(RuleSet::standard(), Layer::FLAT, 4);
        let chunks = layout.chunks();
        let mut word = 1u64;
        let keys: Vec<Key> = (0..chunks.row_size() << VECTOR_SLOTS)
            .map(|_| {
                word = word.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                if word >> 62 == 0 {
                    0
                } else {
                    key(TableValue::from_class(1 + (word >> 61) as u8 % 2), (word >> 40) as u8 % 9)
                }
            })
            .collect();
        let mut schedule = Schedule::new(chunks, &keys);
        for class in [2, 1, 3] {
            let value = TableValue::from_class(class);
            let mut row = Set::new(chunks, 1).rows.remove(0);
            schedule.ask(value);
            for half in 0..9 {
                assert_eq!(schedule.has_more(value), class < 3);
                schedule.show(value, half, &mut row, chunks, 1);
                for (number, own) in keys.iter().enumerate() {
                    let is_in = row.vectors_mut()[number >> 8][number >> 6 & 3] >> (number & 63) & 1 != 0;
                    assert_eq!(is_in, *own >> 8 == Key::from(class) && *own <= key(value, half), "{number} {half}");
                }
            }
            assert!(!schedule.has_more(value));
        }
    }
}
