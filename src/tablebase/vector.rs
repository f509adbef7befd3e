//! Sets of positions, 256 at a time.

/// Slots inside a vector.
pub const VECTOR_SLOTS: u32 = 8;
/// Slots inside one of its words.
pub const WORD_SLOTS: u32 = 6;
/// Words of a vector.
pub const LANES: usize = 4;

/// One bit for each of the sets of goats that differ in the lowest eight slots only.
pub type Vector = [u64; LANES];

/// No position.
pub const NONE: Vector = [0; LANES];

/// By number of goats, 0 to 8, the members of a vector with at most that many in the low slots.
const UP_TO: [Vector; VECTOR_SLOTS as usize + 1] = members_up_to();

#[allow(clippy::indexing_slicing)] // runs in the compiler
const fn members_up_to() -> [Vector; VECTOR_SLOTS as usize + 1] {
    let mut sets = [[0; LANES]; VECTOR_SLOTS as usize + 1];
    let mut low = 0u32;
    while low < 1 << VECTOR_SLOTS {
        let mut most = low.count_ones() as usize;
        while most < sets.len() {
            sets[most][(low >> WORD_SLOTS) as usize] |= 1 << (low & 63);
            most += 1;
        }
        low += 1;
    }
    sets
}

/// The members of a vector with at most `most` goats in the low slots; none if it is negative.
#[inline]
#[allow(clippy::indexing_slicing)] // the number is below 9
pub fn up_to(most: i32) -> Vector {
    if most < 0 { NONE } else { UP_TO[(most as usize).min(VECTOR_SLOTS as usize)] }
}

/// Two vectors joined word by word.
#[inline]
pub fn join(one: Vector, other: Vector, with: impl Fn(u64, u64) -> u64) -> Vector {
    let ([a, b, c, d], [e, f, g, h]) = (one, other);
    [with(a, e), with(b, f), with(c, g), with(d, h)]
}

/// The members of the first that are not in the second.
#[inline]
pub fn without(one: Vector, other: Vector) -> Vector {
    join(one, other, |one, other| one & !other)
}

/// Members of either.
#[inline]
pub fn either(one: Vector, other: Vector) -> Vector {
    join(one, other, |one, other| one | other)
}

/// Members of both.
#[inline]
pub fn both(one: Vector, other: Vector) -> Vector {
    join(one, other, |one, other| one & other)
}

/// Number of members.
#[inline]
pub fn count(vector: Vector) -> u32 {
    vector.iter().map(|word| word.count_ones()).sum()
}

/// The indices of the members of a vector with these slots beyond the lowest eight, in order.
pub fn members(high: u32, vector: Vector) -> impl Iterator<Item = u32> {
    (0..).zip(vector).flat_map(move |(lane, word)| {
        let bits = (0..1 << WORD_SLOTS).filter(move |bit| word >> bit & 1 != 0);
        bits.map(move |bit| high << VECTOR_SLOTS | lane << WORD_SLOTS | bit)
    })
}
