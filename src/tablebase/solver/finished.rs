//! A finished layer in memory: what its table says, and for the question that is asked the set that is known so far.

use crate::parallel::for_each;
use crate::rules::Side;
use crate::tablebase::file::{BLOCK_POSITIONS, FileError};
use crate::tablebase::layout::Layout;
use crate::tablebase::probe::LayerTable;
use crate::tablebase::solver::image::image;
use crate::tablebase::solver::schedule::{self, Schedule};
use crate::tablebase::solver::sets::{Numbers, Set};
use crate::tablebase::solver::turn::Turn;
use crate::tablebase::solver::ways::Source;
use crate::tablebase::value::TableValue;
use crate::tablebase::vector::{LANES, NONE, VECTOR_SLOTS, either, without};
use std::sync::{Mutex, OnceLock, PoisonError};

/// What the table says of the positions of a pair.
enum Content {
    /// Classes of values: all positions appear at once.
    Values(Numbers),
    /// They appear by their distance.
    Schedule(Schedule),
}

/// The positions of one side to move of a finished layer, row by row as the layer's pairs.
pub struct Finished {
    layout: Layout,
    /// By pair; nothing for those that are not needed.
    pairs: Vec<Option<Content>>,
    /// The set for the question: those won (or lost) so far, or those not won so far.
    set: Set,
    /// The value that is asked for, and whether positions with it are put into the set (or taken out of it).
    value: TableValue,
    puts_in: bool,
    /// Whether values without distances have been shown.
    is_shown: bool,
}

impl Finished {
    /// Reads the positions of one side to move beside some pairs from a layer's table, in the arrangement of `layout`, with
    /// distances or without.
    ///
    /// # Errors
    /// If the file can't be read or is damaged.
    pub fn read(
        table: &LayerTable,
        side: Side,
        layout: &Layout,
        needed: &[usize],
        has_distances: bool,
        threads: usize,
    ) -> Result<Self, FileError> {
        let mut images: Vec<Vec<(usize, Vec<u32>)>> = vec![Vec::new(); table.layout().rows().len()];
        for pair in needed {
            let stored = layout.stored(*pair);
            if let Some((images, slots)) = stored.and_then(|(row, slots)| Some((images.get_mut(row)?, slots))) {
                images.push((*pair, slots));
            }
        }
        let pairs = Mutex::new(layout.pairs().iter().map(|_| None).collect::<Vec<_>>());
        let fault = OnceLock::new();
        for_each(threads, images.iter().enumerate().filter(|(_, images)| !images.is_empty()), |(row, images)| {
            if fault.get().is_some() {
                return;
            }
            let stored = StoredRow { table, number: side.index() * table.layout().rows().len() + row };
            let put = |pair: usize, content| {
                if let Some(place) = pairs.lock().unwrap_or_else(PoisonError::into_inner).get_mut(pair) {
                    *place = Some(content);
                }
            };
            let read =
                if has_distances { stored.schedules(layout, images, put) } else { stored.values(layout, images, put) };
            if let Err(error) = read {
                // One fault is enough.
                drop(fault.set(error));
            }
        });
        if let Some(fault) = fault.into_inner() {
            return Err(fault);
        }
        let pairs = pairs.into_inner().unwrap_or_else(PoisonError::into_inner);
        let set = Set::with_rows(layout.chunks(), pairs.len(), needed);
        Ok(Self { layout: layout.clone(), pairs, set, value: TableValue::DRAW, puts_in: true, is_shown: true })
    }

    /// Bytes that so many pairs of one side of a layer take in memory at most, with a table of so many digits a class.
    pub fn bytes(layout: &Layout, pairs: usize, digits: usize, has_distances: bool) -> u64 {
        Set::bytes(layout.chunks(), (1 + if has_distances { Schedule::DIGITS } else { digits }) * pairs)
    }

    /// The set.
    pub const fn source(&self) -> Source<'_> {
        Source { set: &self.set, chunks: self.layout.chunks() }
    }

    /// The arrangement.
    pub const fn layout(&self) -> &Layout {
        &self.layout
    }

    /// Begins anew: no positions, which are put in, or all, which are taken out.
    pub fn reset(&mut self, puts_in: bool, now: u32) {
        self.set.fill(&self.layout, !puts_in, now);
        self.puts_in = puts_in;
    }

    /// Begins to show the positions with a value.
    pub fn ask(&mut self, value: TableValue) {
        self.value = value;
        self.is_shown = false;
        for content in self.pairs.iter_mut().flatten() {
            if let Content::Schedule(schedule) = content {
                schedule.ask(value);
            }
        }
    }

    /// Shows the positions with that value and half a distance.
    pub fn show(&mut self, half: u8, threads: usize, now: u32) {
        if !self.has_more() {
            return;
        }
        let (chunks, value, puts_in) = (self.layout.chunks(), self.value, self.puts_in);
        let rows = self.set.rows.iter_mut().zip(&mut self.pairs);
        let known = rows.filter_map(|(row, content)| Some((row, content.as_mut()?)));
        for_each(threads, known, |(row, content)| match content {
            Content::Schedule(schedule) => schedule.show(value, half, row, chunks, now),
            Content::Values(classes) => {
                for (at, vector) in row.vectors_mut().iter_mut().enumerate() {
                    let members = classes.equal(at, u32::from(value.class()));
                    *vector = if puts_in { either(*vector, members) } else { without(*vector, members) };
                }
                row.touch_all(now);
            }
        });
        self.is_shown = true;
    }

    /// Whether positions are still to be shown.
    pub fn has_more(&self) -> bool {
        self.pairs.iter().flatten().any(|content| match content {
            Content::Values(_) => !self.is_shown,
            Content::Schedule(schedule) => schedule.has_more(self.value),
        })
    }
}

/// The images of a row of the table: for each the pair, and for each slot of the row the slot beside the pair.
type Images = [(usize, Vec<u32>)];

/// A row of a table; White's come first.
struct StoredRow<'a> {
    table: &'a LayerTable,
    number: usize,
}

impl StoredRow<'_> {
    /// Gives the row's values to `put` for each image, in the arrangement of `layout`.
    fn values(&self, layout: &Layout, images: &Images, put: impl Fn(usize, Content)) -> Result<(), FileError> {
        let (from, to) = (self.table.layout().chunks(), layout.chunks());
        let mut classes = vec![vec![NONE; from.row_size()]; self.table.file().header().digits];
        self.each_word(false, |number, digits, _| {
            for (set, digit) in classes.iter_mut().zip(digits) {
                let vector = set.get_mut(number / LANES);
                if let Some(place) = vector.and_then(|vector| vector.get_mut(number % LANES)) {
                    *place = *digit;
                }
            }
        })?;
        for (pair, slots) in images {
            let turned = classes.iter().map(|set| image(set, from, to, slots)).collect();
            put(*pair, Content::Values(Numbers::from_digits(turned)));
        }
        Ok(())
    }

    /// The same with distances.
    fn schedules(&self, layout: &Layout, images: &Images, put: impl Fn(usize, Content)) -> Result<(), FileError> {
        let (from, to) = (self.table.layout().chunks(), layout.chunks());
        let mut keys = vec![0; from.row_size() << VECTOR_SLOTS];
        self.each_word(true, |number, digits, halves| {
            let mut halves = halves.iter();
            for (bit, key) in keys.iter_mut().skip(number * 64).take(64).enumerate() {
                let class = digits.iter().rev().fold(0, |class, word| class << 1 | (word >> bit & 1) as u8);
                if class > 0 {
                    *key = schedule::key(TableValue::from_class(class), halves.next().copied().unwrap_or(0));
                }
            }
        })?;
        for (pair, slots) in images {
            let turned = Turn::new(*pair, slots).keys(&keys, from, to);
            put(*pair, Content::Schedule(Schedule::new(to, turned.as_deref().unwrap_or(&keys))));
        }
        Ok(())
    }

    /// Calls `visit` with each word of the row: its number, the digits of its classes, and the half distances of its
    /// members that are no draws, or none.
    fn each_word(&self, has_distances: bool, mut visit: impl FnMut(usize, &[u64], &[u8])) -> Result<(), FileError> {
        let file = self.table.file();
        let digits = file.header().digits;
        let size = (self.table.layout().chunks().row_size() as u64) << VECTOR_SLOTS;
        let (first, end) = (self.number as u64 * size, (self.number as u64 + 1) * size);
        for number in first / BLOCK_POSITIONS..end.div_ceil(BLOCK_POSITIONS) {
            let classes = file.classes(number)?;
            let halves = if has_distances { file.halves(number, &classes)? } else { Vec::new() };
            let mut rest = halves.as_slice();
            for (at, group) in (number * BLOCK_POSITIONS..).step_by(64).zip(classes.chunks(digits)) {
                let decided = group.iter().fold(0, |all, digit| all | digit).count_ones() as usize;
                let (own, others) = rest.split_at(decided.min(rest.len()));
                rest = others;
                if (first..end).contains(&at) {
                    visit(((at - first) / 64) as usize, group, own);
                }
            }
        }
        Ok(())
    }
}
