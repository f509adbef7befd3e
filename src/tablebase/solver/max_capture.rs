//! Maximum capture: where captures are obligatory and must take as many goats as possible, over both tigers, in which
//! positions a jump begins such a chain, or ends it.
//!
//! How long the longest chain of a position is does not depend on the goal, and is computed once: length by length, the
//! positions from which a tiger has a chain of at least that many jumps. A jump begins a longest chain just where the
//! longest chain after it is one jump shorter.

use crate::parallel::for_each;
use crate::rules::{Chain, RuleSet};
use crate::tablebase::layout::{Chunks, Layout};
use crate::tablebase::solver::bit_planes::BitPlanes;
use crate::tablebase::solver::capture_chains::{CaptureOrigin, ChainJump, StateJumps};
use crate::tablebase::solver::permute::permute_set;
use crate::tablebase::solver::sets::{PositionSet, RowMask};
use crate::tablebase::vector::{NONE, Vector, both, either, without};
use std::sync::Arc;

/// By state and row the positions from which a tiger has a chain of some length. States where chains end have no rows.
type ChainsOfLength = Vec<Vec<Vec<Vector>>>;

/// Jumps of the longest chains that the estimate of memory reckons with.
const USUAL_LONGEST: usize = 10;

/// Where the jumps of one row may be played.
pub struct RowMasks {
    /// Positions whose longest chain is a single jump: a chain may stop after it.
    pub single: Arc<RowMask>,
    /// By jump of the row the positions in which it begins a longest chain, and is not all of it.
    pub begins: Vec<Arc<RowMask>>,
}

/// The masks and lengths of one group.
#[derive(Default)]
struct GroupCaptures {
    /// By state and row.
    masks: Vec<Vec<RowMasks>>,
    /// By row of state 0 the lengths of the longest chains.
    lengths: Vec<BitPlanes>,
}

/// Which captures are the longest, by group.
pub struct MaxCapture {
    groups: Vec<GroupCaptures>,
}

/// Which captures are the longest beside a pair of tigers.
pub struct PairMasks {
    /// Positions without any capture.
    pub quiet: RowMask,
    /// For each tiger the positions where no capture of the other is longer than its own.
    pub by_tiger: [RowMask; 2],
}

impl MaxCapture {
    /// Computes the lengths of chains and the masks.
    pub fn new(rules: &RuleSet, states: &[StateJumps], layouts: &[&Layout], threads: usize) -> Self {
        let most = if rules.chain == Chain::Single { 1 } else { usize::MAX };
        let mut groups: Vec<GroupCaptures> = states[0].iter().map(|_| GroupCaptures::default()).collect();
        for_each(threads, groups.iter_mut().enumerate(), |(number, group)| {
            let jumps = jumps_of_group(states, number);
            let levels = exactly(at_least(&jumps, layouts, most));
            *group = GroupCaptures { masks: masks(&jumps, layouts, &levels), lengths: lengths(&jumps, &levels) };
        });
        Self { groups }
    }

    /// Bytes that `groups` groups of a layer take, but for a few percent; `layouts` are those of the states with jumps, the
    /// layer's own first.
    pub fn bytes(layouts: &[&Layout], groups: usize, threads: usize) -> u64 {
        let digits = (usize::BITS - USUAL_LONGEST.leading_zeros()) as usize;
        let own = layouts[0];
        let lengths = PositionSet::bytes(own.chunks(), groups * own.by_place().len() * digits + 3 * own.rows().len());
        let of_layout = |layout: &&Layout| {
            let rows = layout.by_place().len();
            // A row has the mask of single jumps, and one for each jump: 80 in all. Few chunks of them are empty.
            let masks = groups * (rows + 80);
            let levels = threads.min(groups) * rows * USUAL_LONGEST;
            PositionSet::bytes(layout.chunks(), masks + levels)
        };
        lengths + layouts.iter().map(of_layout).sum::<u64>()
    }

    /// The masks of a row.
    pub fn masks(&self, group: usize, state: usize, row: usize) -> &RowMasks {
        &self.groups[group].masks[state][row]
    }

    /// Which captures are the longest beside a pair of tigers whose captures have these origins.
    pub fn of_pair(&self, chunks: &Chunks, origins: &[CaptureOrigin; 2]) -> PairMasks {
        let [one, other] = origins.each_ref().map(|origin| self.lengths(chunks, origin));
        PairMasks {
            quiet: RowMask::new(chunks, |at| both(one.equal(at, 0), other.equal(at, 0))),
            by_tiger: [
                RowMask::new(chunks, |at| one.at_least(&other, at)),
                RowMask::new(chunks, |at| other.at_least(&one, at)),
            ],
        }
    }

    /// The lengths of the longest chains of a tiger, beside the pair that the origin belongs to.
    fn lengths(&self, chunks: &Chunks, origin: &CaptureOrigin) -> BitPlanes {
        let lengths = &self.groups[origin.group].lengths[origin.row];
        match &origin.slots {
            None => lengths.clone(),
            Some(slots) => {
                let planes = lengths.planes().iter();
                BitPlanes::from_planes(planes.map(|plane| permute_set(plane, chunks, chunks, slots)).collect())
            }
        }
    }
}

/// The jumps of one group by state and row; no rows in states where chains end.
fn jumps_of_group(states: &[StateJumps], group: usize) -> Vec<&[Vec<ChainJump>]> {
    states.iter().map(|groups| if groups.is_empty() { &[][..] } else { groups[group].as_slice() }).collect()
}

/// For length 1, 2, ... the positions from which there is a chain of at least that many jumps, up to `most` jumps.
fn at_least(jumps: &[&[Vec<ChainJump>]], layouts: &[&Layout], most: usize) -> Vec<ChainsOfLength> {
    let all: Vec<Vec<Vector>> =
        layouts.iter().map(|layout| layout.chunks().highs().map(|high| layout.valid(high)).collect()).collect();
    let mut levels: Vec<ChainsOfLength> = Vec::new();
    while levels.len() < most {
        let shorter = levels.last();
        let after = |jump: &ChainJump| match shorter {
            None => Some(all[jump.state].as_slice()),
            Some(level) => after_jump(level, jump),
        };
        let row = |layout: &Layout, jumps: &Vec<ChainJump>| {
            let mut reached = vec![NONE; layout.chunks().row_size()];
            for jump in jumps {
                if let Some(after) = after(jump) {
                    gather(jump, layout.chunks(), after, layouts[jump.state].chunks(), &mut reached);
                }
            }
            reached
        };
        let state =
            |(rows, layout): (&&[Vec<ChainJump>], &&Layout)| rows.iter().map(|jumps| row(layout, jumps)).collect();
        let level: ChainsOfLength = jumps.iter().zip(layouts).map(state).collect();
        if level.iter().flatten().flatten().all(|vector| *vector == NONE) {
            break;
        }
        levels.push(level);
    }
    levels
}

/// The row that a jump leads to.
///
/// Returns `None` if no chain goes on there.
fn after_jump<'a>(level: &'a ChainsOfLength, jump: &ChainJump) -> Option<&'a [Vector]> {
    let rows = &level[jump.state];
    if rows.is_empty() { None } else { Some(&rows[jump.row]) }
}

/// Adds the positions from which a jump leads into a set.
fn gather(jump: &ChainJump, chunks: &Chunks, after: &[Vector], after_chunks: &Chunks, reached: &mut [Vector]) {
    let size = after_chunks.size();
    for shift_mask in &jump.shift_masks {
        for (chunk, reached) in reached.chunks_mut(chunks.size()).enumerate() {
            if let Some(number) = shift_mask.chunk_after(chunks.top(chunk), after_chunks) {
                shift_mask.gather(&after[number * size..(number + 1) * size], None, reached);
            }
        }
    }
}

/// Of positions with a chain of at least each length those whose longest chain has it.
fn exactly(mut levels: Vec<ChainsOfLength>) -> Vec<ChainsOfLength> {
    for number in 1..levels.len() {
        let (shorter, longer) = levels.split_at_mut(number);
        let longer = longer[0].iter().flatten().flatten();
        let own = shorter[number - 1].iter_mut().flatten().flatten();
        own.zip(longer).for_each(|(own, longer)| *own = without(*own, *longer));
    }
    levels
}

/// By row of state 0 how long the longest chain is; 0 without any.
fn lengths(jumps: &[&[Vec<ChainJump>]], levels: &[ChainsOfLength]) -> Vec<BitPlanes> {
    let mut lengths = vec![BitPlanes::default(); jumps[0].len()];
    for (length, level) in (1..).zip(levels) {
        for (lengths, row) in lengths.iter_mut().zip(&level[0]) {
            for (at, members) in row.iter().enumerate().filter(|(_, members)| **members != NONE) {
                lengths.set(at, row.len(), *members, length);
            }
        }
    }
    lengths
}

/// The masks by state and row.
fn masks(jumps: &[&[Vec<ChainJump>]], layouts: &[&Layout], levels: &[ChainsOfLength]) -> Vec<Vec<RowMasks>> {
    let of_row = |state: usize, row: usize, jumps: &[ChainJump]| {
        let chunks = layouts[state].chunks();
        let single = match levels.first() {
            Some(level) => row_mask(chunks, &level[state][row]),
            None => RowMask::new(chunks, |_| NONE),
        };
        let begins = |jump: &ChainJump| Arc::new(begins(jump, (state, row), layouts, levels));
        RowMasks { single: Arc::new(single), begins: jumps.iter().map(begins).collect() }
    };
    let of_state = |(state, rows): (usize, &&[Vec<ChainJump>])| {
        rows.iter().enumerate().map(|(row, jumps)| of_row(state, row, jumps)).collect()
    };
    jumps.iter().enumerate().map(of_state).collect()
}

/// The positions of a row in which a jump begins a longest chain of two jumps or more.
fn begins(jump: &ChainJump, (state, row): (usize, usize), layouts: &[&Layout], levels: &[ChainsOfLength]) -> RowMask {
    let (chunks, after_chunks) = (layouts[state].chunks(), layouts[jump.state].chunks());
    let mut begins = vec![NONE; chunks.row_size()];
    let mut reached = begins.clone();
    for (shorter, level) in levels.iter().zip(levels.iter().skip(1)) {
        let Some(after) = after_jump(shorter, jump) else { continue };
        reached.fill(NONE);
        gather(jump, chunks, after, after_chunks, &mut reached);
        for ((begins, reached), own) in begins.iter_mut().zip(&reached).zip(&level[state][row]) {
            *begins = either(*begins, both(*reached, *own));
        }
    }
    row_mask(chunks, &begins)
}

fn row_mask(chunks: &Chunks, vectors: &[Vector]) -> RowMask {
    RowMask::new(chunks, |at| vectors[at])
}
