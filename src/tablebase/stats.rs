//! Statistics of tables: positions by value, and the longest distances.

use crate::parallel::for_each;
use crate::position::Position;
use crate::rules::{GOATS, RuleSet, Side};
use crate::tablebase::file::{BLOCK_POSITIONS, FileError};
use crate::tablebase::layer::Layer;
use crate::tablebase::layout::Layout;
use crate::tablebase::probe::{LayerTable, Tablebase};
use crate::tablebase::symmetry::images;
use crate::tablebase::value::TableValue;
use crate::tablebase::vector::{VECTOR_SLOTS, WORD_SLOTS};
use std::sync::{Mutex, PoisonError};

/// Classes of values.
const CLASSES: usize = 16;
/// Numbers of goats, 0 to 20.
const NUMBERS: usize = GOATS as usize + 1;

/// The longest win or loss of a kind.
#[derive(Clone, Debug)]
pub struct Extreme {
    /// Its plies.
    pub plies: u32,
    /// A position with it.
    pub position: Position,
}

/// What was counted of a rule set's tables.
#[derive(Clone, Debug)]
pub struct Counts {
    /// By side to move (White first), number of goats (herds included) and class of value the positions; those that
    /// symmetries turn into each other all count.
    pub positions: [[[u64; CLASSES]; NUMBERS]; 2],
    /// By side to move, number of goats and winner (White first each) the longest distance.
    pub longest: Vec<Vec<[Option<Extreme>; 2]>>,
    /// Bytes of the files.
    pub bytes: u64,
    /// Positions that the files hold.
    pub stored: u64,
}

impl Default for Counts {
    fn default() -> Self {
        let none = vec![[const { None }; 2]; NUMBERS];
        Self { positions: [[[0; CLASSES]; NUMBERS]; 2], longest: vec![none.clone(), none], bytes: 0, stored: 0 }
    }
}

impl Counts {
    /// Positions of a side to move with `goats` goats, 0 to 20, and one value.
    #[allow(clippy::indexing_slicing)] // the callers count goats
    pub fn of(&self, side: Side, goats: u32, value: TableValue) -> u64 {
        self.positions[side.index()][goats as usize][usize::from(value.class())]
    }

    /// The longest win of `winner` with `goats` goats, 0 to 20, and a side to move.
    #[allow(clippy::indexing_slicing)] // the callers count goats
    pub fn longest_of(&self, side: Side, goats: u32, winner: Side) -> Option<&Extreme> {
        self.longest[side.index()][goats as usize][winner.index()].as_ref()
    }

    /// Notes a distance, if it is longer than the longest known.
    #[allow(clippy::indexing_slicing)] // the callers count goats
    fn note_distance(
        &mut self,
        side: Side,
        goats: usize,
        winner: Side,
        plies: u32,
        position: impl FnOnce() -> Option<Position>,
    ) {
        let longest = &mut self.longest[side.index()][goats][winner.index()];
        if longest.as_ref().is_none_or(|known| known.plies < plies) {
            *longest = position().map(|position| Extreme { plies, position });
        }
    }

    fn merge(&mut self, other: Self) {
        for (own, other) in
            self.positions.iter_mut().flatten().flatten().zip(other.positions.iter().flatten().flatten())
        {
            *own += other;
        }
        for (own, other) in
            self.longest.iter_mut().flatten().flatten().zip(other.longest.into_iter().flatten().flatten())
        {
            if other.as_ref().map(|extreme| extreme.plies) > own.as_ref().map(|extreme| extreme.plies) {
                *own = other;
            }
        }
        self.bytes += other.bytes;
        self.stored += other.stored;
    }
}

/// Counts all tables of a rule set.
///
/// # Errors
/// Says which layer's file can't be read or is damaged.
pub fn count(tables: &Tablebase, threads: usize) -> Result<Counts, (Layer, FileError)> {
    let mut counts = Counts::default();
    for table in tables.layers() {
        counts.merge(count_one(tables.rules(), table, threads).map_err(|error| (table.layout().layer(), error))?);
    }
    Ok(counts)
}

fn count_one(rules: &'static RuleSet, table: &LayerTable, threads: usize) -> Result<Counts, FileError> {
    let layout = table.layout();
    let counter = BlockCounter {
        rules,
        table,
        digits: table.file().header().digits,
        weights: weights(rules, layout),
        highs: layout.chunks().highs().collect(),
    };
    let sum =
        Mutex::new(Ok(Counts { bytes: table.file().length(), stored: layout.positions_stored(), ..Counts::default() }));
    let blocks = table.file().header().blocks();
    // A thread's share is large enough for its counts to be worth merging.
    let share_size = blocks.div_ceil(8 * threads as u64).max(1);
    for_each(threads, (0..blocks).step_by(share_size as usize), |first| {
        let mut counts = Counts::default();
        let all = (first..(first + share_size).min(blocks)).try_for_each(|block| counter.count(block, &mut counts));
        let mut sum = sum.lock().unwrap_or_else(PoisonError::into_inner);
        match (&mut *sum, all) {
            (Ok(sum), Ok(())) => sum.merge(counts),
            (sum, Err(error)) => *sum = Err(error),
            (Err(_), Ok(())) => {}
        }
    });
    sum.into_inner().unwrap_or_else(PoisonError::into_inner)
}

/// For each row of a table how many pairs of tigers, of all layers that symmetries turn into this, it stands for.
#[allow(clippy::indexing_slicing)] // the layout numbers the rows
pub(super) fn weights(rules: &RuleSet, layout: &Layout) -> Vec<u64> {
    let layer = layout.layer();
    let images = images(rules, layer);
    let mut weights = vec![0; layout.rows().len()];
    for pair in 0..layout.pairs().len() {
        weights[layout.stored(pair).0] += images;
    }
    weights
}

/// Counts the blocks of one table.
struct BlockCounter<'a> {
    rules: &'static RuleSet,
    table: &'a LayerTable,
    /// Binary digits of a class.
    digits: usize,
    /// By row, see [`weights`].
    weights: Vec<u64>,
    /// The slots beyond the lowest eight of each vector of a row.
    highs: Vec<u32>,
}

/// Which positions a word of a table stands for.
struct WordPlace {
    side: Side,
    row: usize,
    high: u32,
    lane: u32,
}

impl BlockCounter<'_> {
    /// Counts one block.
    fn count(&self, number: u64, counts: &mut Counts) -> Result<(), FileError> {
        let block = self.table.file().block(number)?;
        let mut halves = block.halves.iter();
        for (word, digits) in block.classes.chunks(self.digits).enumerate() {
            let place = self.place(number * BLOCK_POSITIONS + 64 * word as u64);
            self.count_values(&place, digits, counts)?;
            if self.table.file().header().has_distances {
                self.count_distances(&place, digits, &mut halves, counts)?;
            }
        }
        Ok(())
    }

    /// The place of the word with position number `at` of the table.
    #[allow(clippy::indexing_slicing)] // a remainder of its length
    fn place(&self, at: u64) -> WordPlace {
        let vector = (at >> VECTOR_SLOTS) as usize;
        let (row, rows) = (vector / self.highs.len(), self.table.layout().rows().len());
        WordPlace {
            side: if row < rows { Side::White } else { Side::Black },
            row: row % rows,
            high: self.highs[vector % self.highs.len()],
            lane: (at >> WORD_SLOTS) as u32 & 3,
        }
    }

    /// Counts a word's values, its classes being given by their digits.
    #[allow(clippy::indexing_slicing)] // valid positions have at most 20 goats
    fn count_values(&self, place: &WordPlace, digits: &[u64], counts: &mut Counts) -> Result<(), FileError> {
        let layout = self.table.layout();
        let valid = layout.valid(place.high)[place.lane as usize];
        if digits.iter().any(|word| word & !valid != 0) {
            return Err(FileError::Damaged("a value where there is no position".to_owned()));
        }
        for (few, members) in BY_GOATS.iter().enumerate().filter(|(_, members)| *members & valid != 0) {
            let goats = (place.high.count_ones() + place.lane.count_ones() + layout.layer().goats()) as usize + few;
            for (class, count) in
                counts.positions[place.side.index()][goats].iter_mut().enumerate().take(1 << self.digits)
            {
                let is_set = |digit: usize| class >> digit & 1 != 0;
                let own = digits
                    .iter()
                    .enumerate()
                    .fold(members & valid, |own, (digit, word)| own & if is_set(digit) { *word } else { !word });
                *count += u64::from(own.count_ones()) * self.weights[place.row];
            }
        }
        Ok(())
    }

    /// Notes the distances of a word's positions that are no draws, taking their halves from `halves`.
    fn count_distances<'h>(
        &self,
        place: &WordPlace,
        digits: &[u64],
        halves: &mut impl Iterator<Item = &'h u8>,
        counts: &mut Counts,
    ) -> Result<(), FileError> {
        let layout = self.table.layout();
        let mut rest = digits.iter().fold(0, |all, digit| all | digit);
        while rest != 0 {
            let bit = rest.trailing_zeros();
            rest &= rest - 1;
            let Some(half) = halves.next() else {
                return Err(FileError::Damaged("a block has too few distances".to_owned()));
            };
            let class = digits.iter().rev().fold(0, |class, word| class << 1 | (word >> bit & 1) as u8);
            let Some(winner) = TableValue::from_class(class).winner() else { continue };
            let index = place.high << VECTOR_SLOTS | place.lane << WORD_SLOTS | bit;
            let goats = index.count_ones() + layout.layer().goats();
            // A game that is over is not played on, though the table knows how.
            let is_over = goats < self.rules.goats_to_live;
            let plies = if is_over { 0 } else { 2 * u32::from(*half) + u32::from(winner == place.side) };
            counts.note_distance(place.side, goats as usize, winner, plies, || {
                layout.position_at(self.rules, *layout.rows().get(place.row)?, index, place.side)
            });
        }
        Ok(())
    }
}

/// The members of a word with 0 to 6 goats in the lowest six slots.
const BY_GOATS: [u64; 7] = by_goats();

#[allow(clippy::indexing_slicing)] // runs in the compiler
const fn by_goats() -> [u64; 7] {
    let mut sets = [0; 7];
    let mut member = 0u64;
    while member < 64 {
        sets[member.count_ones() as usize] |= 1 << member;
        member += 1;
    }
    sets
}
