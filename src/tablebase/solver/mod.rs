//! Solves one layer by bit-parallel retrograde analysis: sets of positions are bit vectors, and a kind of move is a shift
//! and a mask that takes 256 positions back at a time.
//!
//! # Method
//!
//! Retrograde analysis (Thompson, "Retrograde analysis of certain endgames", ICCA Journal 1986) goes back from the ends of
//! the game, distance by distance. Layers that captures and herd moves lead to are solved first and read from their files,
//! as for nine men's morris (Gasser, "Solving nine men's morris", 1996) and awari (Romein and Bal, "Solving awari with
//! parallel retrograde analysis", 2003). Wu and Beal ("A memory efficient retrograde algorithm and its application to
//! Chinese chess endgames", 2002) keep little in memory; here it is one bit a position, and as with bitboards one
//! operation moves a whole word of them.
//!
//! The values are those of a few goals, one after the other ([`goal`]): from which positions can White (or Black) force
//! a win, and where wins are scored, one with at least a number of points? A goal has an attacker, who wants it, and a
//! defender. Two sets are kept: the *undecided* positions with the attacker to move, from which the goal is not known to
//! be forced, and the *lost* ones with the defender to move, who can't prevent it. At first nothing is lost and everything
//! is undecided. In ply 0, 2, 4 ... a position becomes lost that has no move to an undecided one; in ply 1, 3, 5 ... one
//! is decided that has a move to a lost one. So each is found in just the ply that is its distance to the end of the game,
//! both sides doing their best; what is never found is a draw, or worth less.
//!
//! White's goals with many points come first, and those with fewer on top of them, so a distance is that to an end with
//! just the points that the position is worth: points first, then haste or delay.
//!
//! A kind of move is a [`shift_mask`]; the moves of a row are its [`predecessors`], made by [`move_masks`]. Moves out of
//! the layer lead into [`successor_sets`], whose positions are admitted in the ply after their own distance
//! ([`distance_buckets`]). The captures of a tiger are computed jump by jump ([`capture_chains`], [`capture_sets`]); where
//! only the longest are allowed, masks say which jumps those are ([`max_capture`]). Only what depends on a chunk that has
//! changed is computed again ([`row_task`]).
//!
//! Of pairs of tigers that symmetries of the layer turn into each other one, the one that the table has, is computed; what
//! changes in its set is changed in theirs as well ([`slot_permutation`]).
//!
//! # Invariants
//!
//! - Within a goal, undecided sets only lose positions and lost sets only gain them; a position is solved once
//!   ([`bit_planes`] ends the build otherwise).
//! - Sets have members only where the layout has positions, so a move to an occupied point finds nothing there; capture
//!   sets alone may have members with more goats, which no position's value depends on.
//! - A row that is read is kept, and chunks that belong together are of one size: what is not so ends the build.
//! - The result does not depend on the order of rows: a ply reads one side's sets and changes the other's.
//!
//! # Cost
//!
//! Memory is a bit for each position of a set, one set a side, and 2 to 12 for its solution; [`Solver::bytes`] adds all up.
//! A position of a successor layer takes up to 16 bits with distances. Two chunks fit a processor's first cache.
//!
//! # One ply by hand
//!
//! (The test `worked_example` does the same.) In Bagh Bandi without herds, tigers on c1 and e5, the lowest slots are a1,
//! b1, d1, e1: a goat on a1 is index 1, on b1 index 2, on d1 index 4. Take a set of positions *after* White's step a1-b1,
//! with goats on b1, on d1, and on b1 and d1: indices 2, 4 and 6, as a word `101_0100`. The step needs slot 0 occupied and
//! slot 1 empty and toggles both, so a position was at an index smaller by 2 - 1: the word is shifted right by 1,
//! `10_1010`, and masked with the members that have slot 0 and not slot 1 (`10_0010_0010`...). What is left, `10_0010`, are
//! the indices 1 and 5: goats on a1, and on a1 and d1. Index 3 is masked out: with goats on a1 and b1 there is no such
//! step.
//!
//! Now Black's goal, with at most one goat. In ply 0 just the positions without a goat are lost, index 0 beside every
//! pair, the word `1`. In ply 1 Black is to move, the tigers on a1 and e1, where the slots are c4 (a spare point, in the
//! hole of a1), b1, d1, e4 (the other, in the hole of e1), a2, a4: no goat is index 0, a goat on these points index 1, 2,
//! 4, 8, 16 and 32. All seven are undecided, the word `0x1_0001_0117`. The capture a1xb1-c1 leads to index 0 beside c1 and
//! e1; it needs slot 1 occupied (and c1 empty), and `1` shifted left by 2 is index 2. Likewise e1xd1-c1 gives index 4 and
//! a1xa2-a3 index 16; a tiger's step, without a goat, leads from index 0 to index 0. These four (`0x1_0015`) are won in one
//! ply, and `0x1_0000_0102` stays undecided: a goat on c4, e4 or a4.
#![allow(clippy::indexing_slicing)] // an index out of range is a bug, and ends the build before a wrong table is written

mod bit_planes;
mod capture_chains;
mod capture_sets;
mod distance_buckets;
mod goal;
mod max_capture;
mod move_masks;
mod pair_moves;
mod permute;
mod predecessors;
mod row_task;
mod sets;
mod shift_mask;
mod slot_permutation;
mod solution;
mod successor_sets;
mod successors;
#[cfg(test)]
mod worked_example;

pub use successors::{Successor, SuccessorNeeds, successor_layers};

use crate::rules::{Capture, Chain, RuleSet, Side};
use crate::tablebase::file::Block;
use crate::tablebase::layout::Layout;
use crate::tablebase::solver::capture_chains::{chain_jumps, standing_points};
use crate::tablebase::solver::capture_sets::CaptureSets;
use crate::tablebase::solver::goal::{Goal, goals};
use crate::tablebase::solver::max_capture::MaxCapture;
use crate::tablebase::solver::move_masks::LoweredLayer;
use crate::tablebase::solver::pair_moves::{PairMoves, all_pair_moves};
use crate::tablebase::solver::predecessors::SourceSet;
use crate::tablebase::solver::row_task::{PlyKind, RetrogradePly, row_tasks};
use crate::tablebase::solver::sets::{PositionSet, SetRow};
use crate::tablebase::solver::solution::Solution;
use crate::tablebase::solver::successor_sets::SuccessorSet;
use crate::tablebase::symmetry;
use crate::tablebase::value::TableValue;

/// Longest distance that a table can hold, in plies.
pub const MAX_DISTANCE: u32 = 511;

/// How far a layer is.
#[derive(Copy, Clone, Debug)]
pub struct SolverProgress {
    /// Goals done so far, and in all.
    pub goals: (usize, usize),
    /// The ply of the present one.
    pub ply: u32,
    /// Positions solved in it, of those that symmetries turn into each other one.
    pub solved: u64,
}

/// One layer being solved.
pub struct Solver {
    rules: &'static RuleSet,
    layout: Layout,
    threads: usize,
    has_distances: bool,
    successors: Vec<Successor>,
    /// By pair the positions with White to move: undecided ones if White attacks, else lost ones.
    white: PositionSet,
    /// Likewise with Black to move, of the pairs with rows in the table only: White's moves lead to no other pair.
    black: PositionSet,
    captures: CaptureSets,
    pairs: Vec<PairMoves>,
    solution: Solution,
    time: u32,
}

impl Solver {
    /// A layer with its successors, in the order of [`successor_layers`].
    pub fn new(
        rules: &'static RuleSet,
        layout: Layout,
        successors: Vec<Successor>,
        threads: usize,
        has_distances: bool,
    ) -> Self {
        let (captures, pairs) = moves_and_captures(rules, &layout, &successors, threads);
        Self {
            rules,
            threads,
            has_distances,
            white: PositionSet::new(layout.chunks(), layout.pairs().len()),
            black: PositionSet::with_rows(layout.chunks(), layout.pairs().len(), layout.rows()),
            captures,
            pairs,
            solution: Solution::new(&layout),
            time: 0,
            successors,
            layout,
        }
    }

    /// Bytes that solving a layer takes, but for a few percent.
    pub fn bytes(
        rules: &RuleSet,
        own: &Layout,
        successors: &[SuccessorNeeds],
        threads: usize,
        has_distances: bool,
    ) -> u64 {
        let (rows, digits) = (own.rows().len(), TableValue::digits(rules) + if has_distances { 8 } else { 0 });
        let groups = standing_points(own, &symmetry::of_layer(rules, own.layer())).len();
        // Images of captures are two a row at most.
        let sets = PositionSet::bytes(own.chunks(), own.pairs().len() + rows + 2 * digits * rows + 2 * rows);
        let others = if rules.chain == Chain::Free { successors } else { &[] };
        let jumping: Vec<&Layout> = std::iter::once(own).chain(others.iter().map(SuccessorNeeds::layout)).collect();
        let captures =
            jumping.iter().map(|layout| PositionSet::bytes(layout.chunks(), groups * layout.by_place().len()));
        let masks = match rules.capture {
            Capture::Optional => 0,
            Capture::Longest => MaxCapture::bytes(&jumping, groups, threads),
        };
        let values = successors.iter().map(|needs| needs.bytes(rules, has_distances));
        sets + captures.sum::<u64>() + masks + values.sum::<u64>()
    }

    /// Solves all goals.
    ///
    /// Returns `None` if a distance is longer than [`MAX_DISTANCE`].
    pub fn solve(&mut self, mut progress: impl FnMut(SolverProgress)) -> Option<()> {
        let goals = goals(self.rules);
        let count = goals.len();
        for (number, goal) in goals.into_iter().enumerate() {
            let is_new_attacker = number == 0 || goal.attacker == Side::Black;
            self.solve_goal(goal, is_new_attacker, |ply, solved| {
                progress(SolverProgress { goals: (number, count), ply, solved });
            })?;
        }
        Some(())
    }

    fn solve_goal(&mut self, goal: Goal, is_new_attacker: bool, mut progress: impl FnMut(u32, u64)) -> Option<()> {
        if is_new_attacker {
            self.reset(goal.attacker);
        } else {
            // The goal can be reached with fewer goats than the last one, so more positions may be lost.
            self.black.rows.iter_mut().for_each(SetRow::invalidate);
        }
        for set in self.successors.iter_mut().flat_map(Successor::sides_mut) {
            set.start_value(goal.value);
        }
        let mut solved_before = 0;
        for ply in 0.. {
            self.admit_successors(goal, ply);
            let solved = self.solve_ply(goal, ply);
            progress(ply, solved);
            if solved > 0 && self.has_distances && ply > MAX_DISTANCE {
                return None;
            }
            let has_more = || self.successors.iter().flat_map(Successor::sides).any(SuccessorSet::has_more);
            if solved == 0 && solved_before == 0 && ply > 0 && !has_more() {
                return Some(());
            }
            solved_before = solved;
        }
        None
    }

    /// Nothing is lost, and everything is undecided.
    fn reset(&mut self, attacker: Side) {
        self.time += 1;
        let now = self.time;
        self.white.fill(&self.layout, attacker == Side::White, now);
        self.black.fill(&self.layout, attacker == Side::Black, now);
        for successor in &mut self.successors {
            successor.white.reset(attacker == Side::Black, now);
            if let Some(black) = &mut successor.black {
                black.reset(attacker == Side::White, now);
            }
        }
        self.captures.clear(now);
    }

    /// Admits the positions of successor layers that count from this ply on: in an odd ply those that the defender has
    /// lost, in an even one those that the attacker has won, one ply after their own distance. Without distances all of
    /// them count from the first such ply on.
    fn admit_successors(&mut self, goal: Goal, ply: u32) {
        // Before ply 1 nothing counts. Half distances end with 255, so after ply 512 all is admitted.
        let Some(half) = ply.checked_sub(1).and_then(|distance| u8::try_from(distance / 2).ok()) else { return };
        self.time += 1;
        let to_move = if ply % 2 == 1 { goal.attacker.opponent() } else { goal.attacker };
        for successor in &mut self.successors {
            let set = match to_move {
                Side::White => Some(&mut successor.white),
                Side::Black => successor.black.as_mut(),
            };
            if let Some(set) = set {
                set.admit(half, self.threads, self.time);
            }
        }
    }

    /// Solves one ply; returns how many positions were solved.
    fn solve_ply(&mut self, goal: Goal, ply: u32) -> u64 {
        let kind = if ply.is_multiple_of(2) { PlyKind::Defend } else { PlyKind::Attack };
        let is_white = (goal.attacker == Side::White) == (kind == PlyKind::Attack);
        if !is_white {
            self.update_captures(kind);
        }
        self.time += 1;
        let retrograde = RetrogradePly {
            layout: &self.layout,
            threads: self.threads,
            goal,
            kind,
            ply,
            now: self.time,
            has_distances: self.has_distances,
        };
        let chunks = self.layout.chunks();
        if is_white {
            let own = SourceSet { set: &self.black, chunks };
            let lowered = self.successors.iter().filter_map(|next| next.black.as_ref().map(SuccessorSet::source));
            let sources: Vec<SourceSet> = std::iter::once(own).chain(lowered).collect();
            let solution = self.solution.side_mut(Side::White);
            let tasks = row_tasks(&mut self.white, &self.pairs, solution, |pair| &pair.images);
            retrograde.run(tasks, &sources, |pair| &pair.white, self.rules.goats_to_live)
        } else {
            let own = SourceSet { set: &self.white, chunks };
            let sources: Vec<SourceSet> = std::iter::once(own).chain(self.captures.sources(chunks)).collect();
            let solution = self.solution.side_mut(Side::Black);
            let tasks = row_tasks(&mut self.black, &self.pairs, solution, |_| &[]);
            retrograde.run(tasks, &sources, |pair| &pair.black, 0)
        }
    }

    fn update_captures(&mut self, kind: PlyKind) {
        let layouts = state_layouts(&self.layout, &self.successors);
        let own = SourceSet { set: &self.white, chunks: self.layout.chunks() };
        let positions: Vec<SourceSet> =
            std::iter::once(own).chain(self.successors.iter().map(|next| next.white.source())).collect();
        // If Black attacks, more and more of White's positions are lost; else fewer and fewer are undecided.
        let grows = kind == PlyKind::Attack;
        self.time = self.captures.update(&positions, &layouts, self.threads, grows, self.time);
    }

    /// The layout of the layer.
    pub const fn layout(&self) -> &Layout {
        &self.layout
    }

    /// Block `number` of the layer's table.
    pub fn block(&self, number: u64) -> Block {
        self.solution.block(number, &self.layout, TableValue::digits(self.rules), self.has_distances)
    }
}

/// The layouts of the layers of all states of chains, the layer's own first.
fn state_layouts<'a>(layout: &'a Layout, successors: &'a [Successor]) -> Vec<&'a Layout> {
    std::iter::once(layout).chain(successors.iter().map(|next| next.white.layout())).collect()
}

/// The capture sets of a layer, and the moves beside its pairs.
fn moves_and_captures(
    rules: &RuleSet,
    layout: &Layout,
    successors: &[Successor],
    threads: usize,
) -> (CaptureSets, Vec<PairMoves>) {
    let symmetries = symmetry::of_layer(rules, layout.layer());
    let layouts = state_layouts(layout, successors);
    let states: Vec<u8> = std::iter::once(0).chain(successors.iter().map(|next| next.lowered_herds)).collect();
    let jumps = chain_jumps(rules, &states, &layouts, &standing_points(layout, &symmetries));
    let max_capture = match rules.capture {
        Capture::Optional => None,
        Capture::Longest => Some(MaxCapture::new(rules, &jumps, &layouts, threads)),
    };
    let mut captures = CaptureSets::new(rules, &jumps, &layouts, max_capture.as_ref());
    let with_black = successors
        .iter()
        .filter_map(|next| next.black.as_ref().map(|black| (next.lowered_herds.trailing_zeros() as usize, black)));
    let lowered: Vec<LoweredLayer> = with_black
        .zip(1..)
        .map(|((herd, black), source)| LoweredLayer { herd, source, layout: black.layout() })
        .collect();
    let pairs = all_pair_moves(rules, layout, &symmetries, &lowered, max_capture.as_ref(), &mut captures);
    (captures, pairs)
}
