//! A kind of move as an operation on sets of positions.
//!
//! Beside one pair of tigers every move is "some slots must be set and some clear; then some change", and leads beside
//! another pair (or the same), perhaps in another layer. Where the set of the positions after the move is known, one
//! rotation and one mask give, 64 at a time, the positions before it.

use crate::board::{Point, PointSet};
use crate::tables::layout::{LOW_SLOTS, Layout};

/// One operation.
#[derive(Copy, Clone, Debug)]
pub struct Term {
    /// The row of sets that the move leads to; what it counts is the maker's affair.
    pub row: u32,
    /// High slots that matter.
    pub care: u32,
    /// Those of them that must be set.
    pub set: u32,
    /// High slots that change.
    pub change: u32,
    /// Rotation of a word to the right, 0 to 63.
    pub rotation: u32,
    /// The low parts that can move so.
    pub mask: u64,
    /// Number of the links that lead the same way, if the solver has made them.
    pub links: Option<u32>,
}

impl Term {
    /// The high part after the move.
    ///
    /// Returns `None` where there is no such move.
    #[inline]
    pub const fn target(&self, high: u32) -> Option<u32> {
        if high & self.care == self.set { Some(high ^ self.change) } else { None }
    }

    /// The positions before the move, from the set after it.
    #[inline]
    pub const fn before(&self, after: u64) -> u64 {
        after.rotate_right(self.rotation) & self.mask
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
pub fn terms(from: Place, to: Place, row: u32, change: Change) -> Vec<Term> {
    let fixed = change.goats | change.free;
    let moves_slot = |point: &Point| {
        let before = from.layout.slot(from.pair, *point);
        before.is_some() && before != to.layout.slot(to.pair, *point)
    };
    let moved: Vec<Point> = (!fixed).into_iter().filter(moves_slot).collect();
    (0..1u32 << moved.len()).map(|choice| one_term(from, to, row, change, &moved, choice)).collect()
}

/// The operation for those positions where just the chosen ones of the `moved` points have a goat.
fn one_term(from: Place, to: Place, row: u32, change: Change, moved: &[Point], choice: u32) -> Term {
    let all: PointSet = moved.iter().copied().collect();
    let chosen: PointSet =
        moved.iter().enumerate().filter(|(bit, _)| choice >> bit & 1 != 0).map(|(_, point)| *point).collect();
    let set = from.layout.index(from.pair, change.goats | chosen);
    let clear = from.layout.index(from.pair, change.free | (all - chosen));
    let after = to.layout.index(to.pair, change.after | chosen);
    let low = (1 << LOW_SLOTS) - 1;
    let (care_low, set_low) = ((set | clear) & low, set & low);
    let mask = (0..64).filter(|part| part & care_low == set_low).fold(0, |mask, part| mask | 1 << part);
    Term {
        row,
        care: (set | clear) >> LOW_SLOTS,
        set: set >> LOW_SLOTS,
        change: (set ^ after) >> LOW_SLOTS,
        rotation: (after & low).wrapping_sub(set_low) & 63,
        mask,
        links: None,
    }
}
