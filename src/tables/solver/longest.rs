//! Captures that are obligatory and must take as many goats as possible, over both tigers: for each row of jumps the
//! positions from which a longest chain reaches a set.
//!
//! How long the longest chain of a position is does not depend on the question, and is worked out once. Then, level by
//! level, the positions from which a chain of exactly so many jumps reaches the set are worked out, and those kept for
//! which that is the longest.

use super::jumps::{Jump, State};
use super::sets::{Numbers, Set};
use super::ways::Source;
use crate::board::Point;
use crate::tables::layout::Layout;
use crate::tables::share::share;
use crate::tables::vector::{NONE, Vector, both, either};
use std::sync::{Mutex, PoisonError};

/// By state and row the positions from which a chain of some length reaches a set.
type Level = Vec<Vec<Vec<Vector>>>;

/// For each group the positions of state 0 that reach a set by a longest chain.
#[derive(Default)]
pub struct Longest {
    groups: Vec<Set>,
    /// When each group was worked out last.
    done: Vec<u32>,
    /// By pair the length of the longest chain of either tiger.
    lengths: Vec<Numbers>,
}

impl Longest {
    /// Works out the lengths, and empty sets.
    pub fn new(states: &[State], layouts: &[&Layout], threads: usize) -> Self {
        let Some(own) = layouts.first() else { return Self::default() };
        let all: Vec<Set> = layouts
            .iter()
            .map(|layout| {
                let mut set = Set::new(layout.chunks(), layout.pairs().len());
                set.fill(layout, true, 1);
                set
            })
            .collect();
        let sources: Vec<Source> =
            all.iter().zip(layouts).map(|(set, layout)| Source { set, chunks: layout.chunks() }).collect();
        let lengths: Vec<Mutex<Numbers>> = own.pairs().iter().map(|_| Mutex::default()).collect();
        let points = own.by_place();
        share(threads, points.iter(), |standing| {
            let mut own_lengths = vec![Numbers::default(); points.len()];
            each_level(states, layouts, &sources, *standing, |length, row, vectors| {
                if let Some(lengths) = own_lengths.get_mut(row) {
                    for (at, members) in vectors.iter().enumerate().filter(|(_, members)| **members != NONE) {
                        lengths.assign(at, vectors.len(), *members, length);
                    }
                }
            });
            for (row, own_lengths) in own_lengths.iter().enumerate() {
                let pair = points.get(row).and_then(|point| own.pair(*point, *standing));
                if let Some(lengths) = pair.and_then(|pair| lengths.get(pair)) {
                    lengths.lock().unwrap_or_else(PoisonError::into_inner).raise_to(own_lengths);
                }
            }
        });
        let lengths =
            lengths.into_iter().map(|lengths| lengths.into_inner().unwrap_or_else(PoisonError::into_inner)).collect();
        Self {
            groups: points.iter().map(|_| Set::new(own.chunks(), points.len())).collect(),
            done: vec![0; points.len()],
            lengths,
        }
    }

    /// The sets of one group, by place of the tiger that stands still; rows are places of the other.
    pub fn group(&self, place: usize) -> Option<&Set> {
        self.groups.get(place)
    }

    /// The members of vector number `at` of a pair that have no capture.
    pub fn quiet(&self, pair: usize, at: usize) -> Vector {
        self.lengths.get(pair).map_or([u64::MAX; 4], |lengths| lengths.equal(at, 0))
    }

    /// Works the sets out anew from the sets of White's positions, by state.
    pub fn update(&mut self, states: &[State], positions: &[Source], layouts: &[&Layout], threads: usize, now: u32) {
        let Some(own) = layouts.first() else { return };
        let (points, lengths, size) = (own.by_place(), &self.lengths, own.chunks().size());
        let groups = self.groups.iter_mut().zip(&mut self.done).zip(points);
        share(threads, groups, |((group, done), standing)| {
            if !is_stale(positions, layouts, *standing, *done) {
                return;
            }
            *done = now;
            let mut reached = vec![vec![NONE; own.chunks().row_size()]; points.len()];
            each_level(states, layouts, positions, *standing, |length, row, vectors| {
                let pair = points.get(row).and_then(|point| own.pair(*point, *standing));
                let lengths = pair.and_then(|pair| lengths.get(pair));
                if let (Some(lengths), Some(reached)) = (lengths, reached.get_mut(row)) {
                    for (at, (reached, members)) in reached.iter_mut().zip(vectors).enumerate() {
                        *reached = either(*reached, both(*members, lengths.equal(at, length)));
                    }
                }
            });
            for (row, reached) in group.rows.iter_mut().zip(&reached) {
                for (chunk, new) in reached.chunks(size).enumerate() {
                    row.replace(chunk, new, now);
                }
            }
        });
    }
}

/// Whether White's positions with a tiger on this point have changed since some time.
fn is_stale(positions: &[Source], layouts: &[&Layout], standing: Point, since: u32) -> bool {
    let has_news = |(source, layout): (&Source, &&Layout)| {
        let pairs = layout.by_place().iter().filter_map(|point| layout.pair(*point, standing));
        let mut rows = pairs.filter_map(|pair| source.set.rows.get(pair));
        rows.any(|row| row.changes(since).next().is_some())
    };
    since == 0 || positions.iter().zip(layouts).any(has_news)
}

/// Calls `visit` with a length, a row of state 0 and the positions of the row from which a chain of that length reaches
/// the sets of White's positions, the other tiger standing still; until there are none.
fn each_level(
    states: &[State],
    layouts: &[&Layout],
    positions: &[Source],
    standing: Point,
    mut visit: impl FnMut(u32, usize, &[Vector]),
) {
    let mut before: Option<Level> = None;
    for length in 1.. {
        let mut level: Level = Vec::new();
        let mut is_empty = true;
        for (state, layout) in states.iter().zip(layouts) {
            let group = layout.place(standing).and_then(|place| state.jumps.get(place)).map_or(&[][..], Vec::as_slice);
            let rows: Vec<Vec<Vector>> = group
                .iter()
                .map(|jumps| {
                    let reached = one_jump(layout, jumps, &before, positions, layouts);
                    is_empty &= reached.iter().all(|members| *members == NONE);
                    reached
                })
                .collect();
            level.push(rows);
        }
        if is_empty {
            return;
        }
        for (row, vectors) in level.first().into_iter().flatten().enumerate() {
            visit(length, row, vectors);
        }
        before = Some(level);
    }
}

/// The positions of a row from which a jump leads into the level before, or into White's positions if there is none.
fn one_jump(
    layout: &Layout,
    jumps: &[Jump],
    before: &Option<Level>,
    positions: &[Source],
    layouts: &[&Layout],
) -> Vec<Vector> {
    let (chunks, size) = (layout.chunks(), layout.chunks().size());
    let mut reached = vec![NONE; chunks.row_size()];
    for jump in jumps {
        let Some(target) = layouts.get(jump.state) else { continue };
        let further = match before {
            None => None,
            Some(level) => match level.get(jump.state).and_then(|rows| rows.get(jump.row)) {
                None => continue,
                some => some,
            },
        };
        for term in &jump.terms {
            let row = positions.get(jump.state).and_then(|source| source.set.rows.get(term.row as usize));
            for (chunk, reached) in reached.chunks_mut(size).enumerate() {
                let Some(after) = term.target(chunks.top(chunk), target.chunks()) else { continue };
                let after = match further {
                    Some(vectors) => vectors.get(after * size..(after + 1) * size),
                    None => row.map(|row| row.chunk(after, size)),
                };
                term.gather(after.unwrap_or_default(), reached);
            }
        }
    }
    reached
}
