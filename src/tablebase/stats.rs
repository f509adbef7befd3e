//! Counts what is in tables.

use crate::parallel::for_each;
use crate::position::Position;
use crate::rules::{GOATS, RuleSet, Side};
use crate::tablebase::file::{BLOCK_POSITIONS, FileError};
use crate::tablebase::layer::Layer;
use crate::tablebase::layout::Layout;
use crate::tablebase::probe::{LayerTable, Tablebase};
use crate::tablebase::symmetry::images;
use crate::tablebase::value::TableValue;
use crate::tablebase::vector::VECTOR_SLOTS;
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
    /// By side to move, number of goats and winner (White first) the longest distance.
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
    /// Positions of a side to move with so many goats and one value.
    pub fn of(&self, side: Side, goats: u32, value: TableValue) -> u64 {
        let goats = self.positions.get(side.index()).and_then(|side| side.get(goats as usize));
        goats.and_then(|classes| classes.get(usize::from(value.class()))).copied().unwrap_or(0)
    }

    /// The longest win of `winner` with so many goats and a side to move.
    pub fn longest_of(&self, side: Side, goats: u32, winner: Side) -> Option<&Extreme> {
        self.longest.get(side.index())?.get(goats as usize)?.get(winner.index())?.as_ref()
    }

    fn add(&mut self, side: usize, goats: usize, class: usize, count: u64) {
        let place =
            self.positions.get_mut(side).and_then(|side| side.get_mut(goats)).and_then(|goats| goats.get_mut(class));
        if let Some(place) = place {
            *place += count;
        }
    }

    fn note(
        &mut self,
        side: usize,
        goats: usize,
        winner: Side,
        plies: u32,
        position: impl FnOnce() -> Option<Position>,
    ) {
        let place = self
            .longest
            .get_mut(side)
            .and_then(|side| side.get_mut(goats))
            .and_then(|goats| goats.get_mut(winner.index()));
        if let Some(place) = place.filter(|place| place.as_ref().is_none_or(|known| known.plies < plies)) {
            *place = position().map(|position| Extreme { plies, position });
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
    let weights = weights(rules, layout);
    let highs: Vec<u32> = layout.chunks().highs().collect();
    let sum =
        Mutex::new(Ok(Counts { bytes: table.file().length(), stored: layout.positions_stored(), ..Counts::default() }));
    let blocks = table.file().header().blocks();
    // A thread's share is large enough for its counts to be worth merging.
    let share_size = blocks.div_ceil(8 * threads as u64).max(1);
    for_each(threads, (0..blocks).step_by(share_size as usize), |first| {
        let mut counts = Counts::default();
        let all = (first..(first + share_size).min(blocks))
            .try_for_each(|block| count_block(rules, table, (&weights, &highs), block, &mut counts));
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
fn weights(rules: &RuleSet, layout: &Layout) -> Vec<u64> {
    let layer = layout.layer();
    let images = images(rules, layer);
    let mut weights = vec![0; layout.rows().len()];
    for pair in 0..layout.pairs().len() {
        if let Some(weight) = layout.stored(pair).and_then(|(row, _)| weights.get_mut(row)) {
            *weight += images;
        }
    }
    weights
}

fn count_block(
    rules: &'static RuleSet,
    table: &LayerTable,
    (weights, highs): (&[u64], &[u32]),
    number: u64,
    counts: &mut Counts,
) -> Result<(), FileError> {
    let (layout, digits) = (table.layout(), table.file().header().digits);
    let block = table.file().block(number)?;
    let mut halves = block.halves.iter();
    for (word, group) in block.classes.chunks(digits).enumerate() {
        let at = number * BLOCK_POSITIONS + 64 * word as u64;
        let vector = (at >> VECTOR_SLOTS) as usize;
        let all_rows = vector / highs.len();
        let (side, row) = (all_rows / layout.rows().len(), all_rows % layout.rows().len());
        let high = highs.get(vector % highs.len()).copied().unwrap_or(0);
        let lane = (at >> 6) as u32 & 3;
        let (valid, weight) = (layout.valid(high), weights.get(row).copied().unwrap_or(0));
        let valid = valid.get(lane as usize).copied().unwrap_or(0);
        let singles = high.count_ones() + lane.count_ones();
        let decided = group.iter().fold(0, |all, digit| all | digit);
        for (few, members) in BY_GOATS.iter().enumerate() {
            let goats = singles as usize + few + layout.layer().goats() as usize;
            let members = members & valid;
            if members == 0 {
                continue;
            }
            for class in 0..1usize << digits {
                let own = group
                    .iter()
                    .enumerate()
                    .fold(members, |own, (digit, word)| own & if class >> digit & 1 != 0 { *word } else { !word });
                counts.add(side, goats, class, u64::from(own.count_ones()) * weight);
            }
        }
        let mut rest = decided;
        while rest != 0 {
            let bit = rest.trailing_zeros();
            rest &= rest - 1;
            let Some(half) = halves.next() else { continue };
            let class = group.iter().rev().fold(0, |class, word| class << 1 | (word >> bit & 1) as u8);
            let Some(winner) = TableValue::from_class(class).winner() else { continue };
            let mover = if side == 0 { Side::White } else { Side::Black };
            let goats = singles + bit.count_ones() + layout.layer().goats();
            // A game that is over is not played on, though the table knows how.
            let plies = if goats < rules.goats_to_live { 0 } else { 2 * u32::from(*half) + u32::from(winner == mover) };
            let index = high << VECTOR_SLOTS | lane << 6 | bit;
            counts.note(side, goats as usize, winner, plies, || {
                layout.position_at(rules, *layout.rows().get(row)?, index, mover)
            });
        }
    }
    Ok(())
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
