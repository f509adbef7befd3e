//! Captures that are obligatory and must take as many goats as possible, over both tigers: in which positions a jump
//! begins such a chain, or ends it.
//!
//! How long the longest chain of a position is does not depend on the question, and is worked out once: level by level,
//! the positions from which a tiger has a chain of at least so many jumps. A jump begins a longest chain just where the
//! longest chain after it is one jump shorter.

use crate::parallel::for_each;
use crate::rules::{Chain, RuleSet};
use crate::tablebase::layout::{Chunks, Layout};
use crate::tablebase::solver::image::image;
use crate::tablebase::solver::jumps::{Jump, Origin, State};
use crate::tablebase::solver::sets::{Mask, Numbers, Set};
use crate::tablebase::vector::{NONE, Vector, both, either, without};
use std::sync::Arc;

/// By state and row the positions from which a tiger has a chain of some length.
type Level = Vec<Vec<Vec<Vector>>>;

/// Jumps of the longest chains that the estimate of memory reckons with.
const USUAL_LONGEST: usize = 10;

/// The masks of one row.
#[derive(Default)]
pub struct Masks {
    /// Positions whose longest chain is a single jump: a chain may stop after it.
    pub single: Arc<Mask>,
    begins: Vec<Arc<Mask>>,
}

impl Masks {
    /// Positions in which jump number `at` of the row begins a longest chain, and is not all of it.
    pub fn begins(&self, at: usize) -> Arc<Mask> {
        self.begins.get(at).cloned().unwrap_or_default()
    }
}

/// What is known of one group.
#[derive(Default)]
struct Group {
    /// By state and row.
    masks: Vec<Vec<Masks>>,
    /// By row of state 0 the lengths of the longest chains.
    lengths: Vec<Numbers>,
}

/// What captures are the longest.
pub struct Longest {
    groups: Vec<Group>,
    /// Those of a row without jumps.
    none: Masks,
}

/// What captures are the longest beside a pair of tigers.
pub struct OfPair {
    /// Positions without any capture.
    pub quiet: Mask,
    /// For each tiger the positions where no capture of the other is longer than its own.
    pub by_tiger: [Mask; 2],
}

impl Longest {
    /// Works out chains and masks.
    pub fn new(rules: &RuleSet, states: &[State], layouts: &[&Layout], threads: usize) -> Self {
        let most = if rules.chain == Chain::Single { 1 } else { usize::MAX };
        let count = states.first().map_or(0, Vec::len);
        let mut groups: Vec<Group> = (0..count).map(|_| Group::default()).collect();
        for_each(threads, groups.iter_mut().enumerate(), |(number, place)| {
            let jumps = jumps_of(states, number);
            let levels = exact(levels(&jumps, layouts, most));
            *place = Group { masks: masks(&jumps, layouts, &levels), lengths: lengths(&levels) };
        });
        Self { groups, none: Masks::default() }
    }

    /// Bytes that so many groups of a layer take, but for a few percent; `layouts` are those of the states with jumps.
    pub fn bytes(layouts: &[&Layout], groups: usize, threads: usize) -> u64 {
        let own = layouts.first().map_or(0, |own| {
            let lengths = usize::BITS - USUAL_LONGEST.leading_zeros();
            Set::bytes(own.chunks(), groups * own.by_place().len() * lengths as usize + 3 * own.rows().len())
        });
        let of_layout = |layout: &&Layout| {
            let rows = layout.by_place().len();
            // A row has the mask of single jumps, and one for each jump: 80 in all. Few chunks of them are empty.
            let masks = groups * (rows + 80);
            let levels = threads.min(groups) * rows * USUAL_LONGEST;
            Set::bytes(layout.chunks(), masks + levels)
        };
        own + layouts.iter().map(of_layout).sum::<u64>()
    }

    /// The masks of a row.
    pub fn masks(&self, group: usize, state: usize, row: usize) -> &Masks {
        let masks = self.groups.get(group).and_then(|group| group.masks.get(state)?.get(row));
        masks.unwrap_or(&self.none)
    }

    /// What captures are the longest beside a pair of tigers whose captures have these origins.
    pub fn of_pair(&self, chunks: &Chunks, origins: &[Origin; 2]) -> OfPair {
        let [one, other] = origins.each_ref().map(|origin| self.lengths(chunks, origin));
        OfPair {
            quiet: Mask::new(chunks, |at| both(one.equal(at, 0), other.equal(at, 0))),
            by_tiger: [
                Mask::new(chunks, |at| one.at_least(&other, at)),
                Mask::new(chunks, |at| other.at_least(&one, at)),
            ],
        }
    }

    fn lengths(&self, chunks: &Chunks, origin: &Origin) -> Numbers {
        let group = self.groups.get(origin.group);
        let Some(lengths) = group.and_then(|group| group.lengths.get(origin.row)) else { return Numbers::default() };
        match &origin.slots {
            None => lengths.clone(),
            Some(slots) => {
                Numbers::from_digits(lengths.digits().iter().map(|set| image(set, chunks, chunks, slots)).collect())
            }
        }
    }
}

/// The jumps of one group by state and row.
fn jumps_of(states: &[State], group: usize) -> Vec<&[Vec<Jump>]> {
    states.iter().map(|groups| groups.get(group).map_or(&[][..], Vec::as_slice)).collect()
}

/// From 1 on, the positions from which there is a chain of at least so many jumps.
fn levels(jumps: &[&[Vec<Jump>]], layouts: &[&Layout], most: usize) -> Vec<Level> {
    let whole: Vec<Vec<Vector>> =
        layouts.iter().map(|layout| layout.chunks().highs().map(|high| layout.valid(high)).collect()).collect();
    let mut levels: Vec<Level> = Vec::new();
    while levels.len() < most {
        let before = levels.last();
        let after = |jump: &Jump| match before {
            None => whole.get(jump.state).map(Vec::as_slice),
            Some(level) => row_of(level, jump.state, jump.row),
        };
        let row = |layout: &Layout, jumps: &Vec<Jump>| {
            let mut reached = vec![NONE; layout.chunks().row_size()];
            for jump in jumps {
                if let Some((after, target)) = after(jump).zip(layouts.get(jump.state)) {
                    gather(jump, layout.chunks(), after, target.chunks(), &mut reached);
                }
            }
            reached
        };
        let state = |(rows, layout): (&&[Vec<Jump>], &&Layout)| rows.iter().map(|jumps| row(layout, jumps)).collect();
        let level: Level = jumps.iter().zip(layouts).map(state).collect();
        if level.iter().flatten().flatten().all(|vector| *vector == NONE) {
            break;
        }
        levels.push(level);
    }
    levels
}

fn row_of(level: &Level, state: usize, row: usize) -> Option<&[Vector]> {
    level.get(state)?.get(row).map(Vec::as_slice)
}

/// Adds the positions from which a jump leads into a set.
fn gather(jump: &Jump, chunks: &Chunks, after: &[Vector], target: &Chunks, reached: &mut [Vector]) {
    for term in &jump.terms {
        for (chunk, reached) in reached.chunks_mut(chunks.size()).enumerate() {
            let size = target.size();
            let number = term.target(chunks.top(chunk), target);
            if let Some(after) = number.and_then(|number| after.get(number * size..(number + 1) * size)) {
                term.gather(after, None, reached);
            }
        }
    }
}

/// Of levels with at least so many jumps those with exactly so many.
fn exact(mut levels: Vec<Level>) -> Vec<Level> {
    for number in 1..levels.len() {
        let (before, behind) = levels.split_at_mut(number);
        let (Some(level), Some(next)) = (before.last_mut(), behind.first()) else { continue };
        let longer = next.iter().flatten().flatten();
        level.iter_mut().flatten().flatten().zip(longer).for_each(|(own, longer)| *own = without(*own, *longer));
    }
    levels
}

/// By row of state 0 how long the longest chain is.
fn lengths(levels: &[Level]) -> Vec<Numbers> {
    let rows = levels.first().and_then(|level| level.first()).map_or(0, Vec::len);
    let mut lengths = vec![Numbers::default(); rows];
    for (length, level) in (1..).zip(levels) {
        for (lengths, row) in lengths.iter_mut().zip(level.first().into_iter().flatten()) {
            for (at, members) in row.iter().enumerate().filter(|(_, members)| **members != NONE) {
                lengths.put(at, row.len(), *members, length);
            }
        }
    }
    lengths
}

/// The masks by state and row.
fn masks(jumps: &[&[Vec<Jump>]], layouts: &[&Layout], levels: &[Level]) -> Vec<Vec<Masks>> {
    let longer = |jump: &Jump, state: usize, row: usize| {
        let (Some(layout), Some(target)) = (layouts.get(state), layouts.get(jump.state)) else {
            return Mask::default();
        };
        let mut begins = vec![NONE; layout.chunks().row_size()];
        let mut reached = begins.clone();
        for pair in levels.windows(2) {
            let [shorter, level] = pair else { continue };
            let (Some(after), Some(own)) = (row_of(shorter, jump.state, jump.row), row_of(level, state, row)) else {
                continue;
            };
            reached.fill(NONE);
            gather(jump, layout.chunks(), after, target.chunks(), &mut reached);
            for ((begins, reached), own) in begins.iter_mut().zip(&reached).zip(own) {
                *begins = either(*begins, both(*reached, *own));
            }
        }
        of_vectors(layout.chunks(), &begins)
    };
    let of_row = |state: usize, row: usize, jumps: &[Jump]| {
        let single = levels.first().and_then(|level| row_of(level, state, row)).zip(layouts.get(state));
        Masks {
            single: Arc::new(single.map_or_else(Mask::default, |(single, layout)| of_vectors(layout.chunks(), single))),
            begins: jumps.iter().map(|jump| Arc::new(longer(jump, state, row))).collect(),
        }
    };
    let of_state = |(state, rows): (usize, &&[Vec<Jump>])| {
        rows.iter().enumerate().map(|(row, jumps)| of_row(state, row, jumps)).collect()
    };
    jumps.iter().enumerate().map(of_state).collect()
}

fn of_vectors(chunks: &Chunks, vectors: &[Vector]) -> Mask {
    Mask::new(chunks, |at| vectors.get(at).copied().unwrap_or(NONE))
}
