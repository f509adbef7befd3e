//! Sets of positions and numbers of positions in memory, chunk by chunk.

use crate::tablebase::layout::{Chunks, Layout};
use crate::tablebase::vector::{LANES, NONE, VECTOR_SLOTS, Vector, WORD_SLOTS, both, either, join, without};

/// The set of one row, when it was worked out last and when each chunk of it changed last. Times count up from 1; 0 is
/// never.
#[derive(Clone, Default, Debug)]
pub struct Row {
    vectors: Vec<Vector>,
    changed: Vec<u32>,
    last_change: u32,
    done: u32,
}

impl Row {
    fn new(chunks: &Chunks) -> Self {
        Self { vectors: vec![NONE; chunks.row_size()], changed: vec![0; chunks.count()], last_change: 0, done: 0 }
    }

    /// The vectors of the row.
    pub fn vectors_mut(&mut self) -> &mut [Vector] {
        &mut self.vectors
    }

    /// The vectors of a chunk of so many.
    #[inline]
    pub fn chunk(&self, chunk: usize, size: usize) -> &[Vector] {
        self.vectors.get(chunk * size..(chunk + 1) * size).unwrap_or_default()
    }

    /// The same to change.
    #[inline]
    pub fn chunk_mut(&mut self, chunk: usize, size: usize) -> &mut [Vector] {
        self.vectors.get_mut(chunk * size..(chunk + 1) * size).unwrap_or_default()
    }

    /// When a chunk changed last.
    #[inline]
    pub fn changed(&self, chunk: usize) -> u32 {
        self.changed.get(chunk).copied().unwrap_or(0)
    }

    /// The chunks that have changed since some time.
    #[inline]
    pub fn changes(&self, since: u32) -> impl Iterator<Item = usize> {
        let all = if self.last_change >= since { self.changed.as_slice() } else { &[] };
        all.iter().enumerate().filter(move |(_, changed)| **changed >= since).map(|(chunk, _)| chunk)
    }

    /// When the row was worked out last.
    pub const fn done(&self) -> u32 {
        self.done
    }

    /// Notes that the row was worked out.
    pub const fn note(&mut self, now: u32) {
        self.done = now;
    }

    /// Notes that a chunk has changed.
    pub fn touch(&mut self, chunk: usize, now: u32) {
        if let Some(changed) = self.changed.get_mut(chunk) {
            *changed = now;
        }
        self.last_change = now;
    }

    /// Puts a position into the set if it is not in it, else takes it out.
    #[inline]
    pub fn toggle(&mut self, chunks: &Chunks, index: u32, now: u32) {
        let Some(number) = chunks.vector(index >> VECTOR_SLOTS) else { return };
        let vector = self.vectors.get_mut(number);
        if let Some(word) = vector.and_then(|vector| vector.get_mut((index >> WORD_SLOTS) as usize & (LANES - 1))) {
            *word ^= 1 << (index & 63);
        }
        self.touch(number >> chunks.slots(), now);
    }

    /// Notes that the row must be worked out as a whole.
    pub const fn forget_done(&mut self) {
        self.done = 0;
    }

    /// Notes that all chunks have changed.
    pub fn touch_all(&mut self, now: u32) {
        self.changed.fill(now);
        self.last_change = now;
    }
}

/// Sets for many rows: a row is a pair of tigers, or what else its maker says.
#[derive(Clone, Default, Debug)]
pub struct Set {
    /// The rows.
    pub rows: Vec<Row>,
}

impl Set {
    /// Empty sets for so many rows.
    pub fn new(chunks: &Chunks, rows: usize) -> Self {
        Self { rows: vec![Row::new(chunks); rows] }
    }

    /// Empty sets for those of so many rows that are needed; the others have no room for any position.
    pub fn with_rows(chunks: &Chunks, rows: usize, needed: &[usize]) -> Self {
        let mut set = Self { rows: vec![Row::default(); rows] };
        for row in needed {
            if let Some(place) = set.rows.get_mut(*row) {
                *place = Row::new(chunks);
            }
        }
        set
    }

    /// Makes each row, a pair's, all positions of the layer or none, all changed now.
    pub fn fill(&mut self, layout: &Layout, is_full: bool, now: u32) {
        for row in &mut self.rows {
            for (vector, high) in row.vectors_mut().iter_mut().zip(layout.chunks().highs()) {
                *vector = if is_full { layout.valid(high) } else { NONE };
            }
            row.touch_all(now);
            row.forget_done();
        }
    }

    /// Bytes that so many rows take, but for a few percent.
    pub const fn bytes(chunks: &Chunks, rows: usize) -> u64 {
        size_of::<Vector>() as u64 * (rows * chunks.row_size()) as u64
    }
}

/// Positions of a row that don't change; chunks without any take no room.
#[derive(Clone, Default, Debug)]
pub struct Mask {
    chunks: Vec<Vec<Vector>>,
}

impl Mask {
    /// The positions that `of` gives for each vector of the row.
    pub fn new(chunks: &Chunks, of: impl Fn(usize) -> Vector) -> Self {
        let chunk = |chunk: usize| {
            let vectors = (chunk * chunks.size()..(chunk + 1) * chunks.size()).map(&of);
            let vectors: Vec<Vector> = vectors.collect();
            if vectors.iter().all(|vector| *vector == NONE) { Vec::new() } else { vectors }
        };
        Self { chunks: (0..chunks.count()).map(chunk).collect() }
    }

    /// The vectors of a chunk; none if none has a member.
    #[inline]
    pub fn chunk(&self, chunk: usize) -> &[Vector] {
        self.chunks.get(chunk).map_or(&[], Vec::as_slice)
    }
}

/// A number for each position of a row, bit by bit: one set for each binary digit, as many as are needed.
#[derive(Clone, Default, Debug)]
pub struct Numbers {
    digits: Vec<Vec<Vector>>,
}

impl Numbers {
    /// The numbers with these digits, the lowest first.
    pub const fn from_digits(digits: Vec<Vec<Vector>>) -> Self {
        Self { digits }
    }

    /// Digits, the lowest first.
    pub fn digits(&self) -> &[Vec<Vector>] {
        &self.digits
    }

    /// Adds a number to those of the members of vector number `at` of a row of so many vectors; they must be 0.
    pub fn put(&mut self, at: usize, row_size: usize, members: Vector, number: u32) {
        let digits = (u32::BITS - number.leading_zeros()) as usize;
        while self.digits.len() < digits {
            self.digits.push(vec![NONE; row_size]);
        }
        for (_, set) in self.digits.iter_mut().enumerate().filter(|(digit, _)| number >> digit & 1 != 0) {
            if let Some(vector) = set.get_mut(at) {
                vector.iter_mut().zip(members).for_each(|(word, member)| *word |= member);
            }
        }
    }

    /// The members of vector number `at` whose number is at least that of `other`.
    pub fn at_least(&self, other: &Self, at: usize) -> Vector {
        let digit = |numbers: &Self, digit: usize| {
            numbers.digits.get(digit).and_then(|set| set.get(at)).copied().unwrap_or(NONE)
        };
        let (mut is_less, mut is_same) = (NONE, [u64::MAX; LANES]);
        for number in (0..self.digits.len().max(other.digits.len())).rev() {
            let (own, theirs) = (digit(self, number), digit(other, number));
            is_less = either(is_less, both(is_same, without(theirs, own)));
            is_same = without(is_same, join(own, theirs, |own, theirs| own ^ theirs));
        }
        without([u64::MAX; LANES], is_less)
    }

    /// The members of vector number `at` whose number is this one.
    #[inline]
    pub fn equal(&self, at: usize, number: u32) -> Vector {
        let mut members = [u64::MAX; LANES];
        if number >> self.digits.len() != 0 {
            return NONE;
        }
        for (digit, set) in self.digits.iter().enumerate() {
            let flip = if number >> digit & 1 != 0 { 0 } else { u64::MAX };
            let vector = set.get(at).copied().unwrap_or(NONE);
            members.iter_mut().zip(vector).for_each(|(member, word)| *member &= word ^ flip);
        }
        members
    }

    /// The number of one member, 0 to 255, of vector number `at`.
    #[inline]
    pub fn get(&self, at: usize, member: u32) -> u32 {
        let digit = |set: &Vec<Vector>| {
            let word = set.get(at).and_then(|vector| vector.get((member >> 6) as usize)).copied().unwrap_or(0);
            (word >> (member & 63) & 1) as u32
        };
        self.digits.iter().rev().fold(0, |number, set| number << 1 | digit(set))
    }
}

/// What is known of the positions of a row.
#[derive(Clone, Default, Debug)]
pub struct Known {
    /// Classes of values, see [`crate::tablebase::value`].
    pub classes: Numbers,
    /// Half the distance to the end in plies, rounded down, where the class is not 0.
    pub halves: Numbers,
}

/// The two sides' rows, White's first, by row of the table.
pub fn unknown(layout: &Layout) -> [Vec<Known>; 2] {
    [vec![Known::default(); layout.rows().len()], vec![Known::default(); layout.rows().len()]]
}
