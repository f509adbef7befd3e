//! Sets of positions in memory, chunk by chunk, with the times of their changes.
//!
//! Times are a counter of the solver that starts at 1; 0 is never.

use crate::tablebase::layout::{Chunks, Layout};
use crate::tablebase::vector::{LANES, NONE, VECTOR_SLOTS, Vector, WORD_SLOTS};

/// The set of one row: a bit for each position, when each chunk last changed, and when the row was last computed from
/// the sets it depends on. The default is a row that is not kept: it has no chunks, and to read one ends the build.
#[derive(Clone, Default, Debug)]
pub struct SetRow {
    vectors: Vec<Vector>,
    chunk_changes: Vec<u32>,
    last_change: u32,
    computed_at: u32,
}

impl SetRow {
    fn new(chunks: &Chunks) -> Self {
        Self {
            vectors: vec![NONE; chunks.row_size()],
            chunk_changes: vec![0; chunks.count()],
            last_change: 0,
            computed_at: 0,
        }
    }

    /// The vectors of all chunks, in order.
    pub fn vectors_mut(&mut self) -> &mut [Vector] {
        &mut self.vectors
    }

    /// The vectors of a chunk, `size` of them.
    #[inline]
    pub fn chunk(&self, chunk: usize, size: usize) -> &[Vector] {
        &self.vectors[chunk * size..(chunk + 1) * size]
    }

    /// The vectors of a chunk, `size` of them, to change; the caller says so by [`SetRow::mark_changed`].
    #[inline]
    pub fn chunk_mut(&mut self, chunk: usize, size: usize) -> &mut [Vector] {
        &mut self.vectors[chunk * size..(chunk + 1) * size]
    }

    /// When a chunk last changed.
    #[inline]
    pub fn changed_at(&self, chunk: usize) -> u32 {
        self.chunk_changes[chunk]
    }

    /// The chunks that have changed at time `since` or later.
    #[inline]
    pub fn chunks_changed_since(&self, since: u32) -> impl Iterator<Item = usize> {
        let all = if self.last_change >= since { self.chunk_changes.as_slice() } else { &[] };
        all.iter().enumerate().filter(move |(_, changed)| **changed >= since).map(|(chunk, _)| chunk)
    }

    /// When the row was last computed; 0 if all of it is to be computed anew.
    pub const fn computed_at(&self) -> u32 {
        self.computed_at
    }

    /// Notes that the row is up to date with everything that changed before `now`.
    pub const fn set_computed(&mut self, now: u32) {
        self.computed_at = now;
    }

    /// Notes that all of the row is to be computed anew.
    pub const fn invalidate(&mut self) {
        self.computed_at = 0;
    }

    /// Notes that a chunk has changed.
    pub fn mark_changed(&mut self, chunk: usize, now: u32) {
        self.chunk_changes[chunk] = now;
        self.last_change = now;
    }

    /// Notes that all chunks have changed.
    pub fn mark_all_changed(&mut self, now: u32) {
        self.chunk_changes.fill(now);
        self.last_change = now;
    }

    /// Puts a position, which must be in a chunk of the layout, into the set if it is not in it, else takes it out.
    #[inline]
    pub fn toggle(&mut self, chunks: &Chunks, index: u32, now: u32) {
        let Some(number) = chunks.vector(index >> VECTOR_SLOTS) else {
            unreachable!("index {index:#x} is in a chunk that is left out")
        };
        self.vectors[number][(index >> WORD_SLOTS) as usize & (LANES - 1)] ^= 1 << (index & 63);
        self.mark_changed(number >> chunks.slots(), now);
    }
}

/// Sets of positions for many rows. What a row stands for (a pair of tigers, or the place of a jumping tiger) depends
/// on the set's use.
#[derive(Clone, Default, Debug)]
pub struct PositionSet {
    /// The rows, by number.
    pub rows: Vec<SetRow>,
}

impl PositionSet {
    /// Empty sets for `rows` rows.
    pub fn new(chunks: &Chunks, rows: usize) -> Self {
        Self { rows: vec![SetRow::new(chunks); rows] }
    }

    /// Empty sets for the `kept` ones of `rows` rows; the others take no memory.
    pub fn with_rows(chunks: &Chunks, rows: usize, kept: &[usize]) -> Self {
        let mut set = Self { rows: vec![SetRow::default(); rows] };
        for row in kept {
            set.rows[*row] = SetRow::new(chunks);
        }
        set
    }

    /// Fills each row, a pair's, with all positions of the layer or none.
    pub fn fill(&mut self, layout: &Layout, is_full: bool, now: u32) {
        for row in &mut self.rows {
            for (vector, high) in row.vectors_mut().iter_mut().zip(layout.chunks().highs()) {
                *vector = if is_full { layout.valid(high) } else { NONE };
            }
            row.mark_all_changed(now);
            row.invalidate();
        }
    }

    /// Bytes that `rows` rows take, but for a few percent.
    pub const fn bytes(chunks: &Chunks, rows: usize) -> u64 {
        size_of::<Vector>() as u64 * (rows * chunks.row_size()) as u64
    }
}

/// Positions of a row that don't change; chunks without any take no memory.
#[derive(Clone, Debug)]
pub struct RowMask {
    chunks: Vec<Vec<Vector>>,
}

impl RowMask {
    /// The positions that `vector_at` gives for each vector of the row, by number.
    pub fn new(chunks: &Chunks, vector_at: impl Fn(usize) -> Vector) -> Self {
        let chunk = |chunk: usize| {
            let vectors: Vec<Vector> = (chunk * chunks.size()..(chunk + 1) * chunks.size()).map(&vector_at).collect();
            if vectors.iter().all(|vector| *vector == NONE) { Vec::new() } else { vectors }
        };
        Self { chunks: (0..chunks.count()).map(chunk).collect() }
    }

    /// The vectors of a chunk; an empty slice if none has a member.
    #[inline]
    pub fn chunk(&self, chunk: usize) -> &[Vector] {
        &self.chunks[chunk]
    }
}
