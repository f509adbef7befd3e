//! Row tasks: what one ply of retrograde analysis does to the set of the side to move, row by row.

use crate::parallel::for_each;
use crate::rules::Side;
use crate::tablebase::expect_invariant;
use crate::tablebase::layout::Layout;
use crate::tablebase::solver::goal::Goal;
use crate::tablebase::solver::pair_moves::PairMoves;
use crate::tablebase::solver::predecessors::{PredecessorMoves, SourceSet};
use crate::tablebase::solver::sets::{PositionSet, SetRow};
use crate::tablebase::solver::slot_permutation::SlotPermutation;
use crate::tablebase::solver::solution::RowSolution;
use crate::tablebase::vector::{NONE, Vector, both, count, join, without};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Whose turn it is in the positions that a ply solves.
#[derive(Copy, Clone, PartialEq, Eq)]
pub enum PlyKind {
    /// The attacker's: undecided positions with a move to a lost one are won, and undecided no more.
    Attack,
    /// The defender's: positions without a move to an undecided one are lost.
    Defend,
}

/// A row that is computed, with the rows that symmetries turn it into.
pub struct RowTask<'a> {
    moves: &'a PairMoves,
    row: &'a mut SetRow,
    solution: &'a mut RowSolution,
    images: Vec<(&'a mut SetRow, &'a SlotPermutation)>,
}

/// The rows of a set, a row a pair, that are computed; `images_of` says which of the pair's images the set has too.
pub fn row_tasks<'a>(
    set: &'a mut PositionSet,
    pairs: &'a [PairMoves],
    solution: &'a mut [RowSolution],
    images_of: impl Fn(&PairMoves) -> &[SlotPermutation] + Send,
) -> impl Iterator<Item = RowTask<'a>> + Send {
    let mut rows: Vec<Option<&mut SetRow>> = set.rows.iter_mut().map(Some).collect();
    pairs.iter().zip(solution).map(move |(moves, solution)| {
        let mut take = |row: usize| expect_invariant(rows[row].take(), "a row belongs to one pair of the table");
        let row = take(moves.pair);
        let images = images_of(moves).iter().map(|image| (take(image.row), image)).collect();
        RowTask { moves, row, solution, images }
    })
}

/// One ply: what is done to every row of the set of the side to move.
pub struct RetrogradePly<'a> {
    /// The layout of the layer.
    pub layout: &'a Layout,
    /// Threads to use.
    pub threads: usize,
    /// What the attacker wants.
    pub goal: Goal,
    /// Whose turn it is.
    pub kind: PlyKind,
    /// Number of the ply: the distance of the positions that it solves.
    pub ply: u32,
    /// The time that changes are given.
    pub now: u32,
    /// Whether distances are kept.
    pub has_distances: bool,
}

impl RetrogradePly<'_> {
    /// Does all rows, whose moves lead into the sources; returns how many positions were solved. With fewer than
    /// `goats_to_live` goats the game is over, whatever the moves.
    pub fn run<'l>(
        &self,
        tasks: impl Iterator<Item = RowTask<'l>> + Send,
        sources: &[SourceSet],
        moves_of: impl Fn(&PairMoves) -> &PredecessorMoves + Sync,
        goats_to_live: u32,
    ) -> u64 {
        let solved = AtomicU64::new(0);
        for_each(self.threads, tasks, |task| {
            let moves = moves_of(task.moves);
            solved.fetch_add(self.run_row(task, sources, moves, goats_to_live), Relaxed);
        });
        solved.into_inner()
    }

    /// Does the chunks of a row that depend on chunks that have changed.
    fn run_row(&self, mut task: RowTask, sources: &[SourceSet], moves: &PredecessorMoves, goats_to_live: u32) -> u64 {
        let chunks = self.layout.chunks();
        let since = task.row.computed_at();
        let mut marks = vec![since == 0; chunks.count()];
        if since > 0 {
            moves.mark_dependents(sources, chunks, since, &mut marks);
        }
        let mut found = vec![NONE; chunks.size()];
        let mut solved = 0;
        for chunk in marks.iter().enumerate().filter(|(_, mark)| **mark).map(|(chunk, _)| chunk) {
            if self.has_candidates(task.row, chunk) {
                found.fill(NONE);
                match self.kind {
                    PlyKind::Attack => moves.gather(sources, chunks, chunk, since, &mut found),
                    PlyKind::Defend => {
                        moves.gather(sources, chunks, chunk, 0, &mut found);
                        for (found, high) in found.iter_mut().zip(chunks.highs_of(chunk)) {
                            *found = without(*found, self.layout.fewer(high, goats_to_live));
                        }
                    }
                }
                solved += self.solve_chunk(&mut task, chunk, &found);
            }
        }
        task.row.set_computed(self.now);
        solved
    }

    /// Whether a chunk has positions that the ply may solve.
    fn has_candidates(&self, row: &SetRow, chunk: usize) -> bool {
        let chunks = self.layout.chunks();
        let mut vectors = row.chunk(chunk, chunks.size()).iter().zip(chunks.highs_of(chunk));
        vectors.any(|(set, high)| self.candidates(*set, high) != NONE)
    }

    /// The members of a vector that the ply may solve: the undecided ones, or those not lost yet.
    #[inline]
    fn candidates(&self, set: Vector, high: u32) -> Vector {
        match (self.kind, self.goal.attacker) {
            (PlyKind::Attack, _) => set,
            (PlyKind::Defend, Side::White) => without(self.layout.at_least(high, self.goal.goats), set),
            (PlyKind::Defend, Side::Black) => without(self.layout.valid(high), set),
        }
    }

    /// Solves a chunk's positions, `found` being those with a move into the sources; returns how many.
    fn solve_chunk(&self, task: &mut RowTask, chunk: usize, found: &[Vector]) -> u64 {
        let chunks = self.layout.chunks();
        let (first, row_size) = (chunk * chunks.size(), chunks.row_size());
        let mut solved = 0;
        let set = task.row.chunk_mut(chunk, chunks.size());
        for (number, ((vector, found), high)) in set.iter_mut().zip(found).zip(chunks.highs_of(chunk)).enumerate() {
            let candidates = self.candidates(*vector, high);
            let new = match self.kind {
                PlyKind::Attack => both(candidates, *found),
                PlyKind::Defend => without(candidates, *found),
            };
            if new == NONE {
                continue;
            }
            solved += u64::from(count(new));
            *vector = join(*vector, new, |old, new| old ^ new);
            for (image, permutation) in &mut task.images {
                permutation.toggle(high, new, image, chunks, self.now);
            }
            let at = first + number;
            task.solution.classes.set(at, row_size, new, u32::from(self.goal.value.class()));
            if self.has_distances {
                task.solution.half_plies.set(at, row_size, new, self.ply / 2);
            }
        }
        if solved > 0 {
            task.row.mark_changed(chunk, self.now);
        }
        solved
    }
}
