//! Sets of positions in memory, shared by threads, and the order of a layer's words.

use super::links::Links;
use super::term::Term;
use crate::tables::layout::{Highs, Layout};
use std::ops::Range;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed};

/// No number: the high part is left out.
const LEFT_OUT: u32 = u32::MAX;
/// Fewest slots that tell the high parts of a block apart: 16 KB of words if none is left out.
const BLOCK_SLOTS: u32 = 10;
/// Where many are left out, a block takes more slots, until it has about so many high parts.
const BLOCK_HIGHS: usize = 512;

/// The numbers of the high parts of a layer, both ways.
#[derive(Debug)]
pub struct Grid {
    highs: Vec<u32>,
    numbers: Vec<u32>,
    block_slots: u32,
    blocks: Vec<Range<usize>>,
}

impl Grid {
    /// The high parts in the order of their numbers, in blocks of those that share their top slots.
    pub fn new(highs: &Highs) -> Self {
        let all: Vec<u32> = highs.all().collect();
        let mut numbers = vec![LEFT_OUT; 1 << highs.slots()];
        for (number, high) in all.iter().enumerate() {
            if let Some(slot) = numbers.get_mut(*high as usize) {
                *slot = number as u32;
            }
        }
        let slots = highs.slots();
        let is_enough = |block_slots: &u32| all.len() >> (slots - block_slots) >= BLOCK_HIGHS;
        let block_slots = (BLOCK_SLOTS.min(slots)..slots).find(is_enough).unwrap_or(slots);
        let first = |top: u32| all.partition_point(|high| high >> block_slots < top);
        let blocks = (0..1 << (slots - block_slots)).map(|top| first(top)..first(top + 1)).collect();
        Self { highs: all, numbers, block_slots, blocks }
    }

    /// The high parts by number.
    pub fn highs(&self) -> &[u32] {
        &self.highs
    }

    /// The numbers of each block's high parts.
    pub fn blocks(&self) -> &[Range<usize>] {
        &self.blocks
    }

    /// The high parts of a block.
    pub fn highs_of(&self, block: usize) -> &[u32] {
        self.blocks.get(block).and_then(|range| self.highs.get(range.clone())).unwrap_or_default()
    }

    /// Whether no high part is left out, so that each is its own number.
    #[inline]
    pub const fn is_dense(&self) -> bool {
        self.highs.len() == self.numbers.len()
    }

    /// The number of a high part.
    ///
    /// Returns `None` if it is left out.
    #[inline]
    pub fn number(&self, high: u32) -> Option<usize> {
        self.numbers.get(high as usize).filter(|number| **number != LEFT_OUT).map(|number| *number as usize)
    }

    /// The first number of a block.
    #[inline]
    pub fn first_of(&self, block: usize) -> usize {
        self.blocks.get(block).map_or(0, |range| range.start)
    }

    /// The block that a term leads to from a block.
    ///
    /// Returns `None` if no position of the block can move so.
    #[inline]
    pub const fn target_block(&self, term: &Term, block: usize) -> Option<usize> {
        let (care, set) = (term.care >> self.block_slots, term.set >> self.block_slots);
        if block as u32 & care == set { Some((block as u32 ^ term.change >> self.block_slots) as usize) } else { None }
    }

    /// Adds the positions of a block from which a term leads into the sets of a row of the same layer.
    #[inline]
    pub fn gather(&self, block: usize, term: &Term, links: &Links, row: Row, found: &mut [Found]) {
        let Some(target) = self.target_block(term, block) else { return };
        if let Some(links) = links.of(term, block) {
            let row = row.from(self.first_of(target));
            for (number, target) in links {
                if let (Some(found), Some(pair)) = (found.get_mut(usize::from(*number)), row.pair((*target).into())) {
                    found.add(term, pair);
                }
            }
        } else if self.is_dense() {
            let row = row.from(self.first_of(target));
            let within = (1 << self.block_slots) - 1;
            self.each_of(term, |high| {
                let after = (high ^ term.change) & within;
                if let (Some(found), Some(pair)) = (found.get_mut(high as usize), row.pair(after as usize)) {
                    found.add(term, pair);
                }
            });
        } else {
            self.gather_from(block, term, self, row, found);
        }
    }

    /// Calls `visit` with the high parts within a block (without the block's own slots) that a term can move.
    #[inline]
    fn each_of(&self, term: &Term, mut visit: impl FnMut(u32)) {
        let within = (1u32 << self.block_slots) - 1;
        let (base, free) = (term.set & within, within & !term.care);
        let mut rest = 0u32;
        loop {
            visit(base | rest);
            if rest == free {
                return;
            }
            rest = rest.wrapping_sub(free) & free; // the next subset of `free`
        }
    }

    /// The same for the sets of another layer, whose words `target` numbers.
    pub fn gather_from(&self, block: usize, term: &Term, target: &Self, row: Row, found: &mut [Found]) {
        if self.target_block(term, block).is_none() {
            return;
        }
        let choices = self.block_slots - (term.care & ((1 << self.block_slots) - 1)).count_ones();
        if found.len() < 1 << choices {
            for (high, found) in self.highs_of(block).iter().zip(found) {
                if let Some(after) = term.target(*high) {
                    found.add(term, target.pair(after, row));
                }
            }
            return;
        }
        let (base, first) = ((block as u32) << self.block_slots, self.first_of(block));
        self.each_of(term, |high| {
            let number = self.number(base | high).unwrap_or(usize::MAX);
            if let Some(found) = found.get_mut(number.wrapping_sub(first)) {
                found.add(term, target.pair((base | high) ^ term.change, row));
            }
        });
    }

    /// The two words of a high part in a row.
    #[inline]
    fn pair(&self, high: u32, row: Row) -> [u64; 2] {
        self.number(high).and_then(|number| row.pair(number)).unwrap_or_default()
    }
}

/// What a block's positions can reach, 64 at a time.
#[derive(Copy, Clone, Default, Debug)]
pub struct Found {
    /// A position that is lost for the opponent.
    pub lost: u64,
    /// A position that is not known to be won for the opponent.
    pub open: u64,
}

impl Found {
    #[inline]
    fn add(&mut self, term: &Term, [lost, open]: [u64; 2]) {
        self.lost |= term.before(lost);
        self.open |= term.before(open);
    }
}

/// The words of one row: for each high part the lost positions, then those not known to be won.
#[derive(Copy, Clone, Debug)]
pub struct Row<'a>(&'a [AtomicU64]);

impl Row<'_> {
    /// The row without the high parts below this number.
    #[inline]
    fn from(self, number: usize) -> Self {
        Self(self.0.get(2 * number..).unwrap_or_default())
    }

    /// Both words of the high part of this number.
    ///
    /// Returns `None` if there is none.
    #[inline]
    pub fn pair(self, number: usize) -> Option<[u64; 2]> {
        let at = number.wrapping_mul(2);
        let pair = self.0.get(at..at.wrapping_add(2))?;
        if let [lost, open] = pair { Some([lost.load(Relaxed), open.load(Relaxed)]) } else { None }
    }

    /// Changes both words; false if they were so already.
    #[inline]
    pub fn put(self, number: usize, [lost, open]: [u64; 2]) -> bool {
        let at = number.wrapping_mul(2);
        let Some([old_lost, old_open]) = self.0.get(at..at.wrapping_add(2)) else { return false };
        let changes = old_lost.load(Relaxed) != lost || old_open.load(Relaxed) != open;
        if changes {
            old_lost.store(lost, Relaxed);
            old_open.store(open, Relaxed);
        }
        changes
    }
}

/// Sets for many rows (a row is a pair of tigers, or a pair and the one of them that jumps), and when each block of them
/// was worked out and changed.
#[derive(Debug)]
pub struct Field {
    words: Vec<AtomicU64>,
    row_words: usize,
    blocks: usize,
    /// For each block when it changed last, and when it was worked out last.
    times: Vec<[AtomicU32; 2]>,
}

impl Field {
    /// Empty sets for so many rows.
    pub fn new(grid: &Grid, rows: usize) -> Self {
        let (row_words, blocks) = (2 * grid.highs.len(), grid.blocks.len());
        let times = (0..rows * blocks).map(|_| [AtomicU32::new(1), AtomicU32::new(0)]).collect();
        let words = (0..rows * row_words).map(|_| AtomicU64::new(0)).collect();
        Self { words, row_words, blocks, times }
    }

    /// Bytes that a field of so many rows takes, but for a few percent.
    pub fn bytes(layout: &Layout, rows: usize) -> u64 {
        16 * (rows * layout.highs().count()) as u64
    }

    /// One row.
    #[inline]
    pub fn row(&self, row: usize) -> Row<'_> {
        Row(self.words.get(row * self.row_words..(row + 1) * self.row_words).unwrap_or_default())
    }

    fn times(&self, row: usize, block: usize) -> Option<&[AtomicU32; 2]> {
        self.times.get(row * self.blocks + block)
    }

    /// When a block changed last; 1 if it never did.
    #[inline]
    pub fn changed(&self, row: usize, block: usize) -> u32 {
        self.times(row, block).map_or(0, |[changed, _]| changed.load(Relaxed))
    }

    /// When a block was worked out last; 0 if it never was.
    #[inline]
    pub fn done(&self, row: usize, block: usize) -> u32 {
        self.times(row, block).map_or(0, |[_, done]| done.load(Relaxed))
    }

    /// Notes that a block was worked out.
    pub fn note(&self, row: usize, block: usize, now: u32, has_changed: bool) {
        if let Some([changed, done]) = self.times(row, block) {
            done.store(now, Relaxed);
            if has_changed {
                changed.store(now, Relaxed);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::term::{Change, Place, terms};
    use super::*;
    use crate::board::{Point, STEPS};
    use crate::rules::RuleSet;
    use crate::tables::layer::Layer;

    /// The steps of goats beside a pair of tigers, on random sets: all ways to follow them find the same.
    fn agree(goats: u32, pair: usize) {
        let layout = Layout::new(RuleSet::standard(), Layer::FLAT, goats);
        let grid = Grid::new(layout.highs());
        assert_eq!(grid.is_dense(), goats == 20);
        let field = Field::new(&grid, 1);
        let mut word = 1u64;
        for number in 0..grid.highs().len() {
            let mut next = || {
                word = word.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                word ^ word >> 31
            };
            field.row(0).put(number, [next(), next()]);
        }
        let here = Place { layout: &layout, pair };
        let steps = Point::all().flat_map(|from| STEPS[from].into_iter().map(move |to| (from, to)));
        let steps = steps.filter(|(from, to)| [from, to].iter().all(|end| layout.slot(pair, **end).is_some()));
        let all = steps
            .flat_map(|(from, to)| terms(here, here, 0, Change { goats: from.set(), free: to.set(), after: to.set() }));
        let mut all = [all.collect::<Vec<_>>()];
        let links = Links::new(&grid, &mut all);
        for block in 0..grid.blocks().len() {
            let (mut quick, mut plain) = (vec![Found::default(); grid.highs_of(block).len()], Vec::new());
            plain.clone_from(&quick);
            for term in all.iter().flatten() {
                assert_eq!(term.links.is_some(), goats < 20);
                grid.gather(block, term, &links, field.row(0), &mut quick);
                grid.gather_from(block, term, &grid, field.row(0), &mut plain);
            }
            assert!(quick.iter().zip(&plain).all(|(one, other)| (one.lost, one.open) == (other.lost, other.open)));
            // Position by position, from the first principles of the index.
            for (number, high) in grid.highs_of(block).iter().enumerate().step_by(37) {
                for low in (0..64).filter(|low| layout.valid(*high) >> low & 1 != 0) {
                    let stands = layout.goats_at(pair, high << 6 | low);
                    let free = !stands.with(layout.pairs()[pair][0]).with(layout.pairs()[pair][1]);
                    let is_lost = stands.into_iter().any(|from| {
                        (STEPS[from] & free).into_iter().any(|to| {
                            let after = layout.index(pair, stands.without(from).with(to));
                            grid.pair(after >> 6, field.row(0))[0] >> (after & 63) & 1 != 0
                        })
                    });
                    assert_eq!(is_lost, quick[number].lost >> low & 1 != 0);
                }
            }
        }
    }

    #[test]
    fn all_ways_to_follow_a_term_find_the_same() {
        for pair in [0, 137, 299] {
            agree(20, pair);
            agree(5, pair);
        }
    }
}
