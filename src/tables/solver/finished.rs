//! A finished layer in memory: what its table says, and for the question that is asked the set that is known so far.

use super::image::image;
use super::sets::{Known, Numbers, Set};
use super::ways::Source;
use crate::tables::file::{BLOCK_POSITIONS, FileError};
use crate::tables::layout::Layout;
use crate::tables::probe::Table;
use crate::tables::value::Value;
use crate::tables::vector::{NONE, VECTOR_SLOTS, both, either, without};

/// For each chunk of a row which half distances occur in it, a bit each.
type Present = Vec<[u64; 4]>;

/// The positions of one side to move of a finished layer, row by row as the layer's pairs.
pub struct Finished {
    layout: Layout,
    known: Vec<Known>,
    present: Vec<Present>,
    /// By class of values the longest half distance.
    longest: [u32; CLASSES],
    /// The set for the question: those won (or lost) so far, or those not won so far.
    set: Set,
}

/// Classes of values.
const CLASSES: usize = 16;

/// What to show of a finished layer: positions of one class, and with one half distance unless all at once.
#[derive(Copy, Clone, Debug)]
pub struct Shown {
    /// The class.
    pub value: Value,
    /// Half the distance in plies, rounded down.
    pub half: Option<u32>,
}

impl Finished {
    /// Reads one side's positions (0 White, 1 Black) of a layer's table, in the arrangement of `layout`, with distances
    /// or without.
    ///
    /// # Errors
    /// If the file can't be read or is damaged.
    pub fn read(table: &Table, side: usize, layout: Layout, has_distances: bool) -> Result<Self, FileError> {
        let mut known = vec![Known::default(); layout.pairs().len()];
        let mut pairs: Vec<(usize, usize, Vec<u32>)> =
            (0..known.len()).filter_map(|pair| layout.stored(pair).map(|(row, slots)| (row, pair, slots))).collect();
        pairs.sort_unstable();
        for group in pairs.chunk_by(|one, other| one.0 == other.0) {
            let Some((row, ..)) = group.first() else { continue };
            let stored = stored_row(table, side, *row, has_distances)?;
            for (_, pair, slots) in group {
                let turned = |numbers: &Numbers| {
                    let (from, to) = (table.layout().chunks(), layout.chunks());
                    Numbers::from_digits(numbers.digits().iter().map(|set| image(set, from, to, slots)).collect())
                };
                if let Some(place) = known.get_mut(*pair) {
                    *place = Known { classes: turned(&stored.classes), halves: turned(&stored.halves) };
                }
            }
        }
        let mut longest = [0; CLASSES];
        let present = known.iter().map(|known| present(known, &layout, &mut longest)).collect();
        let set = Set::new(layout.chunks(), known.len());
        Ok(Self { layout, known, present, longest, set })
    }

    /// Bytes that one side of a layer takes in memory, with a table of so many digits in all.
    pub fn bytes(layout: &Layout, digits: usize) -> u64 {
        Set::bytes(layout.chunks(), (1 + digits) * layout.pairs().len())
    }

    /// Longest half distance of the positions of one class, 0 where there are none.
    pub fn longest(&self, value: Value) -> u32 {
        self.longest.get(usize::from(value.class())).copied().unwrap_or(0)
    }

    /// The set.
    pub const fn source(&self) -> Source<'_> {
        Source { set: &self.set, chunks: self.layout.chunks() }
    }

    /// The arrangement.
    pub const fn layout(&self) -> &Layout {
        &self.layout
    }

    /// Begins anew: all positions, or none.
    pub fn reset(&mut self, is_full: bool, now: u32) {
        self.set.fill(&self.layout, is_full, now);
    }

    /// Puts positions into the set, or takes them out of it.
    pub fn show(&mut self, shown: Shown, puts_in: bool, now: u32) {
        let chunks = self.layout.chunks();
        for ((row, known), present) in self.set.rows.iter_mut().zip(&self.known).zip(&self.present) {
            for (chunk, _) in present.iter().enumerate().filter(|(_, present)| occurs(present, shown.half)) {
                let first = chunk * chunks.size();
                let mut has_changed = false;
                for (at, vector) in (first..).zip(row.chunk_mut(chunk, chunks.size())) {
                    let mut members = known.classes.equal(at, u32::from(shown.value.class()));
                    if let Some(half) = shown.half {
                        members = both(members, known.halves.equal(at, half));
                    }
                    let new = if puts_in { either(*vector, members) } else { without(*vector, members) };
                    has_changed |= new != *vector;
                    *vector = new;
                }
                if has_changed {
                    row.touch(chunk, now);
                }
            }
        }
    }
}

fn occurs(present: &[u64; 4], half: Option<u32>) -> bool {
    half.is_none_or(|half| present.get((half >> 6) as usize).is_some_and(|word| word >> (half & 63) & 1 != 0))
}

/// A row of the table as the file has it.
fn stored_row(table: &Table, side: usize, row: usize, has_distances: bool) -> Result<Known, FileError> {
    let layout = table.layout();
    let digits = table.file().header().digits;
    let size = layout.chunks().row_size();
    let mut classes = vec![vec![NONE; size]; digits];
    let mut known = Known::default();
    let first = ((side * layout.rows().len() + row) * size) as u64 * (1 << VECTOR_SLOTS);
    let end = first + ((size as u64) << VECTOR_SLOTS);
    for number in first / BLOCK_POSITIONS..end.div_ceil(BLOCK_POSITIONS) {
        let found = table.file().classes(number)?;
        let halves = if has_distances { table.file().halves(number, &found)? } else { Vec::new() };
        let start = number * BLOCK_POSITIONS;
        let mut halves = halves.iter();
        for (word, group) in found.chunks(digits).enumerate() {
            let at = start + 64 * word as u64;
            let decided = group.iter().fold(0, |all, digit| all | digit);
            let mut own = halves.by_ref().take(decided.count_ones() as usize);
            let Some(at) = at.checked_sub(first).filter(|_| at < end) else {
                own.for_each(drop);
                continue;
            };
            let (vector, lane) = ((at >> VECTOR_SLOTS) as usize, (at >> 6) as usize & 3);
            for (set, digit) in classes.iter_mut().zip(group) {
                if let Some(place) = set.get_mut(vector).and_then(|vector| vector.get_mut(lane)) {
                    *place = *digit;
                }
            }
            let mut rest = decided;
            while let Some(half) = own.next().filter(|_| rest != 0) {
                let mut members = NONE;
                if let Some(word) = members.get_mut(lane) {
                    *word = rest & rest.wrapping_neg();
                }
                known.halves.put(vector, size, members, u32::from(*half));
                rest &= rest - 1;
            }
        }
    }
    known.classes = Numbers::from_digits(classes);
    Ok(known)
}

fn present(known: &Known, layout: &Layout, longest: &mut [u32; CLASSES]) -> Present {
    let chunks = layout.chunks();
    let mut present = vec![[0u64; 4]; chunks.count()];
    for (chunk, words) in present.iter_mut().enumerate() {
        for at in chunk * chunks.size()..(chunk + 1) * chunks.size() {
            for (class, longest) in longest.iter_mut().enumerate().skip(1) {
                let mut rest = known.classes.equal(at, class as u32);
                while let Some((lane, word)) = rest.iter().enumerate().find(|(_, word)| **word != 0) {
                    let half = known.halves.get(at, lane as u32 * 64 + word.trailing_zeros());
                    rest = without(rest, known.halves.equal(at, half));
                    *longest = half.max(*longest);
                    if let Some(word) = words.get_mut((half >> 6) as usize) {
                        *word |= 1 << (half & 63);
                    }
                }
            }
        }
    }
    present
}
