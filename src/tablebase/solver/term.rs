//! A kind of move as an operation on sets of positions.
//!
//! Beside one pair of tigers every move is "some slots must be set and some clear; then some change", and leads beside
//! another pair (or the same), perhaps in another layer. Where the set of the positions after the move is known, a
//! shift, a mask and perhaps an exchange of words give, 256 at a time, the positions before it.

use crate::board::{Point, PointSet};
use crate::tablebase::layout::{Chunks, Layout};
use crate::tablebase::vector::{LANES, VECTOR_SLOTS, Vector, WORD_SLOTS, both};

/// What an operation asks of the top slots, and does to them.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Tops {
    care: u32,
    set: u32,
    change: u32,
}

impl Tops {
    /// The chunk before the move, among `before`, by the top slots after it.
    ///
    /// Returns `None` if there is none.
    #[inline]
    pub fn before(&self, top: u32, before: &Chunks) -> Option<usize> {
        let top = top ^ self.change;
        if top & self.care == self.set { before.number(top) } else { None }
    }
}

/// One operation.
#[derive(Clone, Debug)]
pub struct Term {
    /// The row of sets that the move leads to; what it counts is the maker's affair.
    pub row: u32,
    /// Slots beyond the vector that matter.
    care: u32,
    /// Those of them that must be set.
    set: u32,
    /// Slots beyond the vector that change.
    change: u32,
    /// Shift of a word, first to the left, then to the right; one of them is 0.
    left: u32,
    right: u32,
    /// How the words of a vector change places.
    lanes: usize,
    /// The members of a vector that can move so.
    mask: Vector,
}

impl Term {
    /// The operation that leads from each position to itself, in another row.
    pub const fn same(row: u32) -> Self {
        Self { row, care: 0, set: 0, change: 0, left: 0, right: 0, lanes: 0, mask: [u64::MAX; LANES] }
    }

    /// The same operation into another row.
    pub fn into_row(mut self, row: usize) -> Self {
        self.row = row as u32;
        self
    }

    /// What it asks of the top slots, and does to them.
    pub const fn tops(&self, chunks: &Chunks) -> Tops {
        let slots = chunks.slots();
        Tops { care: self.care >> slots, set: self.set >> slots, change: self.change >> slots }
    }

    /// The chunk after the move, among `after`.
    ///
    /// Returns `None` if no position of a chunk with these top slots can move so.
    #[inline]
    pub fn target(&self, top: u32, after: &Chunks) -> Option<usize> {
        let slots = after.slots();
        if top & self.care >> slots == self.set >> slots { after.number(top ^ self.change >> slots) } else { None }
    }

    /// Adds those of a chunk's positions that are before the move to `found`, given the chunk after it; of a mask, if
    /// there is one, only its members.
    #[inline]
    pub fn gather(&self, after: &[Vector], mask: Option<&[Vector]>, found: &mut [Vector]) {
        match self.lanes {
            0 => self.gather_lanes::<0>(after, mask, found),
            1 => self.gather_lanes::<1>(after, mask, found),
            2 => self.gather_lanes::<2>(after, mask, found),
            _ => self.gather_lanes::<3>(after, mask, found),
        }
    }

    fn gather_lanes<const EXCHANGE: usize>(&self, after: &[Vector], mask: Option<&[Vector]>, found: &mut [Vector]) {
        let within = (found.len() as u32).wrapping_sub(1);
        let (care, set, change) = (self.care & within, self.set & within, self.change & within);
        let run = 1u32 << care.trailing_zeros().min(found.len().trailing_zeros());
        let free = within & !care & !(run - 1);
        let mut rest = 0u32;
        loop {
            let (here, there) = ((set | rest) as usize, ((set | rest) ^ change) as usize);
            let size = run as usize;
            if let (Some(found), Some(after)) = (found.get_mut(here..here + size), after.get(there..there + size)) {
                let moved = found.iter_mut().zip(after);
                match mask {
                    None => moved.for_each(|(found, after)| self.add::<EXCHANGE>(found, *after, self.mask)),
                    Some(mask) => {
                        let masks = mask.get(here..here + size).unwrap_or_default();
                        moved.zip(masks).for_each(|((found, after), mask)| {
                            self.add::<EXCHANGE>(found, *after, both(self.mask, *mask));
                        });
                    }
                }
            }
            if rest == free {
                return;
            }
            rest = rest.wrapping_sub(free) & free; // the next subset of `free`
        }
    }

    #[inline]
    fn add<const EXCHANGE: usize>(&self, found: &mut Vector, [a, b, c, d]: Vector, mask: Vector) {
        let after = match EXCHANGE {
            0 => [a, b, c, d],
            1 => [b, a, d, c],
            2 => [c, d, a, b],
            _ => [d, c, b, a],
        };
        for ((found, after), mask) in found.iter_mut().zip(after).zip(mask) {
            *found |= (after << self.left) >> self.right & mask;
        }
    }
}

/// What a move asks of the points, and does to them.
#[derive(Copy, Clone, Default, Debug)]
pub struct Change {
    /// Points that must have a goat.
    pub goats: PointSet,
    /// Points that must be free.
    pub free: PointSet,
    /// Of these, and of the points that had a tiger or herd before, those that have a single goat after the move.
    pub after: PointSet,
}

/// A place in a table: a layer's arrangement and a pair of tigers in it.
#[derive(Copy, Clone)]
pub struct Place<'a> {
    /// The arrangement.
    pub layout: &'a Layout,
    /// Number of the pair of tigers.
    pub pair: usize,
}

/// The operations of a move from one place to another; several where a point's slot differs between them.
pub fn terms(from: Place, to: Place, row: usize, change: Change) -> Vec<Term> {
    let fixed = change.goats | change.free;
    let moves_slot = |point: &Point| {
        let before = from.layout.slot(from.pair, *point);
        before.is_some() && before != to.layout.slot(to.pair, *point)
    };
    let moved: Vec<Point> = (!fixed).into_iter().filter(moves_slot).collect();
    (0..1u32 << moved.len()).map(|choice| one_term(from, to, row, change, &moved, choice)).collect()
}

/// The operation for those positions where just the chosen ones of the `moved` points have a goat.
fn one_term(from: Place, to: Place, row: usize, change: Change, moved: &[Point], choice: u32) -> Term {
    let all: PointSet = moved.iter().copied().collect();
    let chosen: PointSet =
        moved.iter().enumerate().filter(|(bit, _)| choice >> bit & 1 != 0).map(|(_, point)| *point).collect();
    let set = from.layout.index(from.pair, change.goats | chosen);
    let clear = from.layout.index(from.pair, change.free | (all - chosen));
    let after = to.layout.index(to.pair, change.after | chosen);
    let care = set | clear;
    let word = (1u32 << WORD_SLOTS) - 1;
    let (before, behind) = (set & word, after & word);
    let mut mask = [0; LANES];
    for member in (0..1u32 << VECTOR_SLOTS).filter(|member| member & care & 0xFF == set & 0xFF) {
        if let Some(lane) = mask.get_mut((member >> WORD_SLOTS) as usize) {
            *lane |= 1 << (member & word);
        }
    }
    Term {
        row: row as u32,
        care: care >> VECTOR_SLOTS,
        set: set >> VECTOR_SLOTS,
        change: (set ^ after) >> VECTOR_SLOTS,
        left: before.saturating_sub(behind),
        right: behind.saturating_sub(before),
        lanes: ((set ^ after) >> WORD_SLOTS) as usize & (LANES - 1),
        mask,
    }
}
