//! Sets of positions and numbers of positions in memory, chunk by chunk.

use crate::tables::layout::{Chunks, Layout};
use crate::tables::vector::{NONE, Vector, both, either, join, without};

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

    /// Puts a chunk in place; whether it has changed.
    pub fn replace(&mut self, chunk: usize, vectors: &[Vector], now: u32) -> bool {
        let old = self.chunk_mut(chunk, vectors.len());
        let has_changed = old != vectors;
        if has_changed {
            old.copy_from_slice(vectors);
            self.touch(chunk, now);
        }
        has_changed
    }

    /// Notes that the row must be worked out as a whole.
    pub const fn forget_done(&mut self) {
        self.done = 0;
    }

    /// Notes that all chunks have changed, and the row must be worked out as a whole.
    pub fn touch_all(&mut self, now: u32) {
        self.changed.fill(now);
        self.last_change = now;
        self.done = 0;
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

    /// Makes each row, a pair's, all positions of the layer or none, all changed now.
    pub fn fill(&mut self, layout: &Layout, is_full: bool, now: u32) {
        for row in &mut self.rows {
            for (vector, high) in row.vectors_mut().iter_mut().zip(layout.chunks().highs()) {
                *vector = if is_full { layout.valid(high) } else { NONE };
            }
            row.touch_all(now);
        }
    }

    /// Bytes that so many rows take, but for a few percent.
    pub const fn bytes(chunks: &Chunks, rows: usize) -> u64 {
        size_of::<Vector>() as u64 * (rows * chunks.row_size()) as u64
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
        for (digit, set) in self.digits.iter_mut().enumerate().filter(|(digit, _)| number >> digit & 1 != 0) {
            debug_assert!(digit < digits);
            if let Some(vector) = set.get_mut(at) {
                vector.iter_mut().zip(members).for_each(|(word, member)| *word |= member);
            }
        }
    }

    /// Gives the members of vector number `at` of a row of so many vectors this number, whatever they had.
    pub fn assign(&mut self, at: usize, row_size: usize, members: Vector, number: u32) {
        for set in &mut self.digits {
            if let Some(vector) = set.get_mut(at) {
                vector.iter_mut().zip(members).for_each(|(word, member)| *word &= !member);
            }
        }
        self.put(at, row_size, members, number);
    }

    /// Makes each number as large as that of `other`, where it is smaller.
    pub fn raise_to(&mut self, other: &Self) {
        let Some(row_size) = other.digits.first().map(Vec::len) else { return };
        while self.digits.len() < other.digits.len() {
            self.digits.push(vec![NONE; row_size]);
        }
        for at in 0..row_size {
            let digit = |numbers: &Self, digit: usize| {
                numbers.digits.get(digit).and_then(|set| set.get(at)).copied().unwrap_or(NONE)
            };
            let (mut is_less, mut is_same) = (NONE, [u64::MAX; 4]);
            for number in (0..self.digits.len()).rev() {
                let (own, theirs) = (digit(self, number), digit(other, number));
                is_less = either(is_less, both(is_same, without(theirs, own)));
                is_same = without(is_same, join(own, theirs, |own, theirs| own ^ theirs));
            }
            for number in 0..self.digits.len() {
                let theirs = digit(other, number);
                if let Some(own) = self.digits.get_mut(number).and_then(|set| set.get_mut(at)) {
                    *own = either(without(*own, is_less), both(theirs, is_less));
                }
            }
        }
    }

    /// The members of vector number `at` whose number is this one.
    #[inline]
    pub fn equal(&self, at: usize, number: u32) -> Vector {
        let mut members = [u64::MAX; 4];
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
    /// Classes of values, see [`crate::tables::value`].
    pub classes: Numbers,
    /// Half the distance to the end in plies, rounded down, where the class is not 0.
    pub halves: Numbers,
}

/// The two sides' rows, White's first, by row of the table.
pub fn unknown(layout: &Layout) -> [Vec<Known>; 2] {
    [vec![Known::default(); layout.rows().len()], vec![Known::default(); layout.rows().len()]]
}
