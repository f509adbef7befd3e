//! A kind of move as an operation on sets of positions: shift and mask.
//!
//! Beside one pair of tigers every move is "some slots must be occupied and some empty; then some are toggled", and leads
//! beside another pair (or the same), perhaps in another layer. Given the set of positions after the move, an exchange of
//! words, a shift and a mask give the positions before it, 256 at a time; the slots beyond a vector say which vector and
//! which chunk belong together.

use crate::board::{Point, PointSet};
use crate::tablebase::layout::{Chunks, Layout};
use crate::tablebase::vector::{LANES, VECTOR_SLOTS, Vector, WORD_SLOTS, both};

/// What a move needs of the top slots, those that number the chunks, and does to them.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct TopSlots {
    tested: u32,
    occupied: u32,
    toggled: u32,
}

impl TopSlots {
    /// The chunk before the move, in the layout of `before`, given the top slots after it.
    ///
    /// Returns `None` if there is none.
    #[inline]
    pub fn chunk_before(&self, top_after: u32, before: &Chunks) -> Option<usize> {
        // The layer after the move may have slots that this one lacks; the move says what stands there.
        let top = top_after ^ self.toggled;
        if top & self.tested == self.occupied && before.has_top(top) { before.number(top) } else { None }
    }
}

/// The operation of one kind of move: which positions can make it, and where they lead.
#[derive(Clone, Debug)]
pub struct ShiftMask {
    /// Row, in the set of positions after the move, that it leads to.
    pub row: u32,
    /// Slots beyond the vector (slot 8 is bit 0) that must be occupied or empty.
    tested: u32,
    /// Those of them that must be occupied.
    occupied: u32,
    /// Slots beyond the vector that the move toggles.
    toggled: u32,
    /// Shift of each word of the positions after the move, first to the left, then to the right; one of them is 0.
    left: u32,
    right: u32,
    /// Slots 6 and 7 that the move toggles: word `n` of a vector comes from word `n ^ lane_toggle`.
    lane_toggle: usize,
    /// The members of a vector whose lowest eight slots allow the move.
    mask: Vector,
}

impl ShiftMask {
    /// The operation that leads from each position to the same in another row.
    pub const fn identity(row: u32) -> Self {
        Self { row, tested: 0, occupied: 0, toggled: 0, left: 0, right: 0, lane_toggle: 0, mask: [u64::MAX; LANES] }
    }

    /// The same operation into another row.
    pub fn into_row(mut self, row: usize) -> Self {
        self.row = row as u32;
        self
    }

    /// What it needs of the top slots, and does to them.
    pub const fn top_slots(&self, chunks: &Chunks) -> TopSlots {
        let slots = chunks.slots();
        TopSlots { tested: self.tested >> slots, occupied: self.occupied >> slots, toggled: self.toggled >> slots }
    }

    /// The chunk after the move, in the layout of `after`, given the top slots before it.
    ///
    /// Returns `None` if no position with these top slots can make the move.
    #[inline]
    pub fn chunk_after(&self, top: u32, after: &Chunks) -> Option<usize> {
        let slots = after.slots();
        if top & self.tested >> slots == self.occupied >> slots {
            after.number(top ^ self.toggled >> slots)
        } else {
            None
        }
    }

    /// Adds to `found`, a chunk before the move, the positions that lead into `after`, the chunk after it; with a mask
    /// only its members. All have the same number of vectors, a power of two.
    #[inline]
    pub fn gather(&self, after: &[Vector], mask: Option<&[Vector]>, found: &mut [Vector]) {
        match self.lane_toggle {
            0 => self.gather_lanes::<0>(after, mask, found),
            1 => self.gather_lanes::<1>(after, mask, found),
            2 => self.gather_lanes::<2>(after, mask, found),
            _ => self.gather_lanes::<3>(after, mask, found),
        }
    }

    fn gather_lanes<const LANE_TOGGLE: usize>(&self, after: &[Vector], mask: Option<&[Vector]>, found: &mut [Vector]) {
        assert!(
            found.len().is_power_of_two()
                && after.len() == found.len()
                && mask.is_none_or(|mask| mask.len() == found.len()),
            "chunks of different sizes"
        );
        let within = found.len() as u32 - 1;
        let (tested, occupied, toggled) = (self.tested & within, self.occupied & within, self.toggled & within);
        // Vectors whose numbers differ in slots below the lowest tested one are handled in one run.
        let run = 1u32 << tested.trailing_zeros().min(found.len().trailing_zeros());
        let free = within & !tested & !(run - 1);
        let mut rest = 0u32;
        loop {
            let (here, there) = ((occupied | rest) as usize, ((occupied | rest) ^ toggled) as usize);
            let size = run as usize;
            let moved = found[here..here + size].iter_mut().zip(&after[there..there + size]);
            match mask {
                None => moved.for_each(|(found, after)| self.add::<LANE_TOGGLE>(found, *after, self.mask)),
                Some(mask) => moved.zip(&mask[here..here + size]).for_each(|((found, after), mask)| {
                    self.add::<LANE_TOGGLE>(found, *after, both(self.mask, *mask));
                }),
            }
            if rest == free {
                return;
            }
            rest = rest.wrapping_sub(free) & free; // the next subset of `free`
        }
    }

    #[inline]
    fn add<const LANE_TOGGLE: usize>(&self, found: &mut Vector, [a, b, c, d]: Vector, mask: Vector) {
        let after = match LANE_TOGGLE {
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

/// What a move needs of the points, and what stands there after it.
#[derive(Copy, Clone, Default, Debug)]
pub struct MoveEffect {
    /// Points that must have a single goat.
    pub goats: PointSet,
    /// Points that must be free.
    pub free: PointSet,
    /// Of these, and of the points that had a tiger or herd before, those that have a single goat after the move.
    pub goats_after: PointSet,
}

/// A pair of tigers in a layer.
#[derive(Copy, Clone)]
pub struct PairInLayer<'a> {
    /// The layer's layout.
    pub layout: &'a Layout,
    /// The pair's number in it.
    pub pair: usize,
}

/// The operations of a move from beside one pair to beside another, into row `row` of its set. They are several where a
/// point's slot differs between the two (a spare point fills another hole): one for each choice of goats there.
pub fn shift_masks(from: PairInLayer, to: PairInLayer, row: usize, effect: MoveEffect) -> Vec<ShiftMask> {
    let fixed = effect.goats | effect.free;
    let changes_slot = |point: &Point| {
        let before = from.layout.slot(from.pair, *point);
        before.is_some() && before != to.layout.slot(to.pair, *point)
    };
    let shifted: Vec<Point> = (!fixed).into_iter().filter(changes_slot).collect();
    let shifted_goats = |choice: u32| {
        shifted.iter().enumerate().filter(move |(bit, _)| choice >> bit & 1 != 0).map(|(_, point)| *point).collect()
    };
    let all: PointSet = shifted.iter().copied().collect();
    (0..1u32 << shifted.len())
        .map(|choice| {
            let goats: PointSet = shifted_goats(choice);
            let empty = from.layout.index(from.pair, effect.free | (all - goats));
            let occupied = from.layout.index(from.pair, effect.goats | goats);
            shift_mask(row, empty, occupied, to.layout.index(to.pair, effect.goats_after | goats))
        })
        .collect()
}

/// The operation for positions with these slots empty and these occupied, of which `after` are occupied after the move.
fn shift_mask(row: usize, empty: u32, occupied: u32, after: u32) -> ShiftMask {
    let tested = occupied | empty;
    let word = (1u32 << WORD_SLOTS) - 1;
    let vector = (1u32 << VECTOR_SLOTS) - 1;
    // Inside a word, position n after the move was at n + (occupied - after): a shift.
    let (word_before, word_after) = (occupied & word, after & word);
    let mut mask = [0; LANES];
    for member in (0..1u32 << VECTOR_SLOTS).filter(|member| member & tested & vector == occupied & vector) {
        mask[(member >> WORD_SLOTS) as usize] |= 1 << (member & word);
    }
    ShiftMask {
        row: row as u32,
        tested: tested >> VECTOR_SLOTS,
        occupied: occupied >> VECTOR_SLOTS,
        toggled: (occupied ^ after) >> VECTOR_SLOTS,
        left: word_before.saturating_sub(word_after),
        right: word_after.saturating_sub(word_before),
        lane_toggle: ((occupied ^ after) >> WORD_SLOTS) as usize & (LANES - 1),
        mask,
    }
}
