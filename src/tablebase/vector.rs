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

/// For 0 to 8 the members of a vector with at most so many goats in the low slots.
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
pub fn up_to(most: i32) -> Vector {
    usize::try_from(most).map_or(NONE, |most| UP_TO.get(most).copied().unwrap_or([u64::MAX; LANES]))
}

/// What an operation on words gives for two vectors.
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

/// The indices of the members of a vector with these slots beyond the lowest eight.
pub fn members(high: u32, vector: Vector) -> impl Iterator<Item = u32> {
    let is_member = move |low: &u32| vector.get((low >> 6) as usize).is_some_and(|word| word >> (low & 63) & 1 != 0);
    (0..1 << VECTOR_SLOTS).filter(is_member).map(move |low| high << VECTOR_SLOTS | low)
}
