//! Small numbers for all positions of a row, bit-sliced, so that 256 of them are read or compared at a time.

use crate::tablebase::vector::{LANES, NONE, Vector, both, either, join, without};

/// A number for each position of a row: one set of positions (a bit plane) for each binary digit, the lowest first, as
/// many as the largest number needs. Without a plane all numbers are 0.
#[derive(Clone, Default, Debug)]
pub struct BitPlanes {
    planes: Vec<Vec<Vector>>,
}

impl BitPlanes {
    /// The numbers with these planes, the lowest digit's first.
    pub const fn from_planes(planes: Vec<Vec<Vector>>) -> Self {
        Self { planes }
    }

    /// The planes, the lowest digit's first.
    pub fn planes(&self) -> &[Vec<Vector>] {
        &self.planes
    }

    /// Vector number `at` of a digit's plane.
    #[inline]
    pub fn digit(&self, digit: usize, at: usize) -> Vector {
        match self.planes.get(digit) {
            Some(plane) => plane[at],
            None => NONE, // leading zeros have no plane
        }
    }

    /// Sets the numbers of the members of vector number `at`, in a row of `row_size` vectors. They must be 0 before: a
    /// position is solved once.
    pub fn set(&mut self, at: usize, row_size: usize, members: Vector, number: u32) {
        assert!(self.planes.iter().all(|plane| both(plane[at], members) == NONE), "a position has a number already");
        let digits = (u32::BITS - number.leading_zeros()) as usize;
        while self.planes.len() < digits {
            self.planes.push(vec![NONE; row_size]);
        }
        for (_, plane) in self.planes.iter_mut().enumerate().filter(|(digit, _)| number >> digit & 1 != 0) {
            plane[at] = either(plane[at], members);
        }
    }

    /// The members of vector number `at` whose number is at least that of `other`.
    pub fn at_least(&self, other: &Self, at: usize) -> Vector {
        let (mut is_less, mut is_equal) = (NONE, [u64::MAX; LANES]);
        for digit in (0..self.planes.len().max(other.planes.len())).rev() {
            let (own, theirs) = (self.digit(digit, at), other.digit(digit, at));
            is_less = either(is_less, both(is_equal, without(theirs, own)));
            is_equal = without(is_equal, join(own, theirs, |own, theirs| own ^ theirs));
        }
        without([u64::MAX; LANES], is_less)
    }

    /// The members of vector number `at` whose number is `number`.
    #[inline]
    pub fn equal(&self, at: usize, number: u32) -> Vector {
        if number >> self.planes.len() != 0 {
            return NONE;
        }
        let mut members = [u64::MAX; LANES];
        for (digit, plane) in self.planes.iter().enumerate() {
            let flip = if number >> digit & 1 != 0 { 0 } else { u64::MAX };
            members.iter_mut().zip(plane[at]).for_each(|(member, word)| *member &= word ^ flip);
        }
        members
    }

    /// The number of one member, 0 to 255, of vector number `at`.
    #[inline]
    pub fn get(&self, at: usize, member: u32) -> u32 {
        let bit = |plane: &Vec<Vector>| (plane[at][(member >> 6) as usize] >> (member & 63) & 1) as u32;
        self.planes.iter().rev().fold(0, |number, plane| number << 1 | bit(plane))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_come_back_and_compare() {
        let (mut some, mut others) = (BitPlanes::default(), BitPlanes::default());
        let member = |number: u32| {
            let mut members = NONE;
            members[number as usize >> 6] = 1 << (number & 63);
            members
        };
        for number in 1..200 {
            some.set(1, 2, member(number), number);
            others.set(1, 2, member(number), 100);
        }
        for number in 1..200 {
            assert_eq!(some.get(1, number), number);
            assert_eq!(some.equal(1, number), member(number));
            let is_at_least = both(some.at_least(&others, 1), member(number)) != NONE;
            assert_eq!(is_at_least, number >= 100);
        }
    }

    #[test]
    #[should_panic(expected = "has a number already")]
    fn a_position_that_is_solved_twice_ends_the_build() {
        let mut numbers = BitPlanes::default();
        numbers.set(0, 1, [1, 0, 0, 0], 1);
        numbers.set(0, 1, [3, 0, 0, 0], 2);
    }
}
