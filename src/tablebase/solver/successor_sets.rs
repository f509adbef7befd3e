//! The positions of a successor layer, which is solved: their values as read from its table, and the set of those that
//! count for the present goal, to which they are admitted ply by ply.

use crate::parallel::for_each;
use crate::rules::Side;
use crate::tablebase::file::{BLOCK_POSITIONS, FileError};
use crate::tablebase::layout::Layout;
use crate::tablebase::probe::LayerTable;
use crate::tablebase::solver::bit_planes::BitPlanes;
use crate::tablebase::solver::distance_buckets::{DistanceBuckets, bucket_key};
use crate::tablebase::solver::permute::permute_set;
use crate::tablebase::solver::predecessors::SourceSet;
use crate::tablebase::solver::sets::PositionSet;
use crate::tablebase::solver::slot_permutation::SlotPermutation;
use crate::tablebase::value::TableValue;
use crate::tablebase::vector::{LANES, NONE, VECTOR_SLOTS, either, without};
use std::sync::{Mutex, OnceLock, PoisonError};

/// What the table says of the positions of a pair.
enum PairValues {
    /// Classes of values; without distances all positions of a value are admitted at once.
    Classes(BitPlanes),
    /// Values and distances.
    Buckets(DistanceBuckets),
}

/// The positions of one side to move of a successor layer, row by row as that layer's pairs.
pub struct SuccessorSet {
    layout: Layout,
    /// By pair; `None` for those that no move leads to.
    pairs: Vec<Option<PairValues>>,
    /// The set for the goal: what is admitted so far, or what is not excluded so far.
    set: PositionSet,
    /// The value that is admitted, and whether it is put into the set or taken out of it.
    value: TableValue,
    is_added: bool,
    /// Whether values without distances have been admitted.
    is_admitted: bool,
}

impl SuccessorSet {
    /// Reads the positions of one side to move beside the `needed` pairs of `layout` from its layer's table, with or
    /// without distances.
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
            let (row, slots) = layout.stored(*pair);
            images[row].push((*pair, slots));
        }
        let pairs = Mutex::new(layout.pairs().iter().map(|_| None).collect::<Vec<_>>());
        let fault = OnceLock::new();
        for_each(threads, images.iter().enumerate().filter(|(_, images)| !images.is_empty()), |(row, images)| {
            if fault.get().is_some() {
                return;
            }
            let stored = StoredRow { table, number: side.index() * table.layout().rows().len() + row };
            let put = |pair: usize, values| {
                pairs.lock().unwrap_or_else(PoisonError::into_inner)[pair] = Some(values);
            };
            let read =
                if has_distances { stored.buckets(layout, images, put) } else { stored.classes(layout, images, put) };
            if let Err(error) = read {
                // One fault is enough.
                drop(fault.set(error));
            }
        });
        if let Some(fault) = fault.into_inner() {
            return Err(fault);
        }
        let pairs = pairs.into_inner().unwrap_or_else(PoisonError::into_inner);
        let set = PositionSet::with_rows(layout.chunks(), pairs.len(), needed);
        Ok(Self { layout: layout.clone(), pairs, set, value: TableValue::DRAW, is_added: true, is_admitted: true })
    }

    /// Bytes that `pairs` pairs of one side of a layer take at most, with a table of `digits` binary digits a class.
    pub fn bytes(layout: &Layout, pairs: usize, digits: usize, has_distances: bool) -> u64 {
        let bits = 1 + if has_distances { DistanceBuckets::BITS } else { digits };
        PositionSet::bytes(layout.chunks(), bits * pairs)
    }

    /// The set for the goal.
    pub const fn source(&self) -> SourceSet<'_> {
        SourceSet { set: &self.set, chunks: self.layout.chunks() }
    }

    /// The layout of the layer.
    pub const fn layout(&self) -> &Layout {
        &self.layout
    }

    /// Begins anew: with no position, to which those admitted are added, or with all, from which they are taken.
    pub fn reset(&mut self, is_added: bool, now: u32) {
        self.set.fill(&self.layout, !is_added, now);
        self.is_added = is_added;
    }

    /// Begins to admit the positions with a value.
    pub fn start_value(&mut self, value: TableValue) {
        self.value = value;
        self.is_admitted = false;
        for values in self.pairs.iter_mut().flatten() {
            if let PairValues::Buckets(buckets) = values {
                buckets.seek(value);
            }
        }
    }

    /// Admits the positions with that value and half a distance.
    pub fn admit(&mut self, half: u8, threads: usize, now: u32) {
        if !self.has_more() {
            return;
        }
        let (chunks, value, is_added) = (self.layout.chunks(), self.value, self.is_added);
        let rows = self.set.rows.iter_mut().zip(&mut self.pairs);
        let needed = rows.filter_map(|(row, values)| Some((row, values.as_mut()?)));
        for_each(threads, needed, |(row, values)| match values {
            PairValues::Buckets(buckets) => buckets.admit(value, half, row, chunks, now),
            PairValues::Classes(classes) => {
                for (at, vector) in row.vectors_mut().iter_mut().enumerate() {
                    let members = classes.equal(at, u32::from(value.class()));
                    *vector = if is_added { either(*vector, members) } else { without(*vector, members) };
                }
                row.mark_all_changed(now);
            }
        });
        self.is_admitted = true;
    }

    /// Whether positions with the value are still to be admitted.
    pub fn has_more(&self) -> bool {
        self.pairs.iter().flatten().any(|values| match values {
            PairValues::Classes(_) => !self.is_admitted,
            PairValues::Buckets(buckets) => buckets.has_more(self.value),
        })
    }
}

/// The images of a row of the table: for each the pair, and for each slot of the row the slot beside the pair.
type PairImages = [(usize, Vec<u32>)];

/// A row of a table; those with White to move come first.
struct StoredRow<'a> {
    table: &'a LayerTable,
    number: usize,
}

impl StoredRow<'_> {
    /// Gives the row's values to `put` for each image, in the order of `layout`.
    fn classes(&self, layout: &Layout, images: &PairImages, put: impl Fn(usize, PairValues)) -> Result<(), FileError> {
        let (from, to) = (self.table.layout().chunks(), layout.chunks());
        let mut classes = vec![vec![NONE; from.row_size()]; self.table.file().header().digits];
        self.each_word(false, |number, digits, _| {
            for (plane, digit) in classes.iter_mut().zip(digits) {
                plane[number / LANES][number % LANES] = *digit;
            }
        })?;
        for (pair, slots) in images {
            let planes = classes.iter().map(|plane| permute_set(plane, from, to, slots)).collect();
            put(*pair, PairValues::Classes(BitPlanes::from_planes(planes)));
        }
        Ok(())
    }

    /// Gives the row's values and distances to `put` for each image, in the order of `layout`.
    fn buckets(&self, layout: &Layout, images: &PairImages, put: impl Fn(usize, PairValues)) -> Result<(), FileError> {
        let (from, to) = (self.table.layout().chunks(), layout.chunks());
        let mut keys = vec![0; from.row_size() << VECTOR_SLOTS];
        self.each_word(true, |number, digits, halves| {
            let mut decided = 0;
            for (bit, key) in keys[number * 64..(number + 1) * 64].iter_mut().enumerate() {
                let class = digits.iter().rev().fold(0, |class, word| class << 1 | (word >> bit & 1) as u8);
                if class > 0 {
                    *key = bucket_key(TableValue::from_class(class), halves[decided]);
                    decided += 1;
                }
            }
        })?;
        for (pair, slots) in images {
            let permuted = SlotPermutation::new(*pair, slots).permute_keys(&keys, from, to);
            put(*pair, PairValues::Buckets(DistanceBuckets::new(to, permuted.as_deref().unwrap_or(&keys))));
        }
        Ok(())
    }

    /// Calls `visit` with each word of the row: its number, the digits of its classes, and the half distances of its
    /// members that are no draws, one for each, or none at all without distances.
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
                let (own, others) = rest.split_at(if has_distances { decided } else { 0 });
                rest = others;
                if (first..end).contains(&at) {
                    visit(((at - first) / 64) as usize, group, own);
                }
            }
        }
        Ok(())
    }
}
