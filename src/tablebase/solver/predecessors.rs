//! The predecessor moves of a row: which sets its moves lead into, and by which shift-and-mask.

use crate::tablebase::layout::Chunks;
use crate::tablebase::solver::sets::{PositionSet, RowMask, SetRow};
use crate::tablebase::solver::shift_mask::{ShiftMask, TopSlots};
use crate::tablebase::vector::Vector;
use std::sync::Arc;

/// A set of positions that moves lead into, with its layer's chunks.
#[derive(Copy, Clone)]
pub struct SourceSet<'a> {
    /// The positions.
    pub set: &'a PositionSet,
    /// How its rows are laid out.
    pub chunks: &'a Chunks,
}

impl<'a> SourceSet<'a> {
    #[inline]
    fn row(self, row: u32) -> &'a SetRow {
        &self.set.rows[row as usize]
    }
}

/// One kind of move, into one of several sets.
#[derive(Clone, Debug)]
pub struct PredecessorMove {
    /// Number of the set among the sources.
    pub source: usize,
    /// From the positions after the move to those before it.
    pub shift_mask: ShiftMask,
    /// The positions before the move that may make it, if not all.
    pub mask: Option<Arc<RowMask>>,
}

impl PredecessorMove {
    /// The moves of some operations into one source, for the positions of a mask if there is one.
    pub fn all(source: usize, shift_masks: Vec<ShiftMask>, mask: Option<Arc<RowMask>>) -> impl Iterator<Item = Self> {
        shift_masks.into_iter().map(move |shift_mask| Self { source, shift_mask, mask: mask.clone() })
    }
}

/// Which chunks of a row depend on which of a source's row.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct ChunkDependency {
    source: usize,
    row: u32,
    top_slots: TopSlots,
}

/// All predecessor moves of one row.
#[derive(Clone, Default, Debug)]
pub struct PredecessorMoves {
    moves: Vec<PredecessorMove>,
    /// Those of the moves, each once.
    dependencies: Vec<ChunkDependency>,
}

impl PredecessorMoves {
    /// The moves from a row with such chunks.
    pub fn new(moves: Vec<PredecessorMove>, chunks: &Chunks) -> Self {
        let dependency = |mv: &PredecessorMove| ChunkDependency {
            source: mv.source,
            row: mv.shift_mask.row,
            top_slots: mv.shift_mask.top_slots(chunks),
        };
        let mut dependencies: Vec<ChunkDependency> = moves.iter().map(dependency).collect();
        dependencies.sort_unstable();
        dependencies.dedup();
        Self { moves, dependencies }
    }

    /// Marks the row's chunks that depend on a chunk that has changed at time `since` or later.
    pub fn mark_dependents(&self, sources: &[SourceSet], chunks: &Chunks, since: u32, marks: &mut [bool]) {
        for dependency in &self.dependencies {
            let source = sources[dependency.source];
            for after in source.row(dependency.row).chunks_changed_since(since) {
                let top = source.chunks.top(after);
                if let Some(chunk) = dependency.top_slots.chunk_before(top, chunks) {
                    marks[chunk] = true;
                }
            }
        }
    }

    /// Adds to `found` the positions of a chunk that have a move into a source, of whose chunks only those count that
    /// have changed at time `since` or later (0: all).
    pub fn gather(&self, sources: &[SourceSet], chunks: &Chunks, chunk: usize, since: u32, found: &mut [Vector]) {
        let top = chunks.top(chunk);
        for mv in &self.moves {
            let mask = mv.mask.as_ref().map(|mask| mask.chunk(chunk));
            if mask.is_some_and(<[Vector]>::is_empty) {
                continue; // no position of the chunk may move so
            }
            let source = sources[mv.source];
            let Some(after) = mv.shift_mask.chunk_after(top, source.chunks) else { continue };
            let row = source.row(mv.shift_mask.row);
            if row.changed_at(after) >= since {
                mv.shift_mask.gather(row.chunk(after, source.chunks.size()), mask, found);
            }
        }
    }
}
