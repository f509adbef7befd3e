//! Hash keys of positions (Zobrist 1970), computed in the compiler.
//!
//! A position is a vector of 63 bits: 25 for points with goats, 25 for tigers, 3 for the goats below the top one of each of
//! four herds, 1 for the side to move. Its key is the sum (xor) of one 64-bit constant for each bit set. The constants are
//! linearly independent, which the compiler checks, so two different positions never share a key, and a table that
//! stores whole keys knows no collisions.

use crate::board::{Point, PointMap};
use crate::rng::SplitMix64;
use crate::rules::HERDS;

/// The hash key of a position within its rule set.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Default, Debug)]
pub struct Key(u64);

impl Key {
    /// The key as a number, its bits evenly spread.
    #[inline]
    pub const fn bits(self) -> u64 {
        self.0
    }

    /// The key with goats put on a point that had none, or the other way round.
    #[inline]
    pub(super) fn toggle_goat(self, point: Point) -> Self {
        Self(self.0 ^ GOAT_KEYS[point])
    }

    /// The key with a tiger put on a point that had none, or the other way round.
    #[inline]
    pub(super) fn toggle_tiger(self, point: Point) -> Self {
        Self(self.0 ^ TIGER_KEYS[point])
    }

    /// The key with a herd of 0 to 4 goats below the top one counted in, or out again.
    #[inline]
    #[allow(clippy::indexing_slicing)] // both indices are masked
    pub(super) const fn toggle_herd(self, herd: u8, below: u32) -> Self {
        Self(self.0 ^ HERD_KEYS[herd as usize % HERDS][below as usize & 7])
    }

    /// The key with the other side to move.
    #[inline]
    pub(super) const fn toggle_side(self) -> Self {
        Self(self.0 ^ SIDE_KEY)
    }
}

/// Number of bits of a position, each of which has a constant.
const FEATURES: usize = 63;
const FIRST_TIGER_FEATURE: usize = Point::COUNT;
const FIRST_HERD_FEATURE: usize = 2 * Point::COUNT;
const SIDE_FEATURE: usize = FEATURES - 1;

const FEATURE_KEYS: [u64; FEATURES] = feature_keys();
const _: () = assert!(are_independent(FEATURE_KEYS), "two positions could share a key");

static GOAT_KEYS: PointMap<u64> = PointMap::new(point_keys(0));
static TIGER_KEYS: PointMap<u64> = PointMap::new(point_keys(FIRST_TIGER_FEATURE));
static HERD_KEYS: [[u64; 8]; HERDS] = herd_keys();
#[allow(clippy::indexing_slicing)] // runs in the compiler
const SIDE_KEY: u64 = FEATURE_KEYS[SIDE_FEATURE];

#[allow(clippy::indexing_slicing)] // runs in the compiler
const fn feature_keys() -> [u64; FEATURES] {
    let mut keys = [0; FEATURES];
    let mut random = SplitMix64(0x5375_6E64_6172_6261);
    let mut index = 0;
    while index < FEATURES {
        keys[index] = random.next_u64();
        index += 1;
    }
    keys
}

/// Whether no sum of keys is 0, by Gaussian elimination over the field of two elements.
#[allow(clippy::indexing_slicing)] // runs in the compiler
const fn are_independent(mut keys: [u64; FEATURES]) -> bool {
    let mut row = 0;
    while row < FEATURES {
        if keys[row] == 0 {
            return false;
        }
        let pivot = keys[row] & keys[row].wrapping_neg();
        let mut other = row + 1;
        while other < FEATURES {
            if keys[other] & pivot != 0 {
                keys[other] ^= keys[row];
            }
            other += 1;
        }
        row += 1;
    }
    true
}

#[allow(clippy::indexing_slicing)] // runs in the compiler
const fn point_keys(first: usize) -> [u64; 32] {
    let mut keys = [0; 32];
    let mut index = 0;
    while index < Point::COUNT {
        keys[index] = FEATURE_KEYS[first + index];
        index += 1;
    }
    keys
}

#[allow(clippy::indexing_slicing)] // runs in the compiler
const fn herd_keys() -> [[u64; 8]; HERDS] {
    let mut keys = [[0; 8]; HERDS];
    let mut herd = 0;
    while herd < HERDS {
        let mut below = 0;
        while below < 8 {
            let mut bit = 0;
            while bit < 3 {
                if below >> bit & 1 != 0 {
                    keys[herd][below] ^= FEATURE_KEYS[FIRST_HERD_FEATURE + 3 * herd + bit];
                }
                bit += 1;
            }
            below += 1;
        }
        herd += 1;
    }
    keys
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dependence_is_noticed() {
        let mut keys = FEATURE_KEYS;
        assert!(are_independent(keys));
        keys[40] = keys[3] ^ keys[17] ^ keys[62];
        assert!(!are_independent(keys));
    }
}
