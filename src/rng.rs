//! Pseudo-random numbers: the same for the same seed, on every machine.

/// SplitMix64, a pseudo-random number generator with 64 bits of state and a period of 2^64. It
/// passes the usual tests, and its n-th number can be had without those before. Not for secrets.
/// Source: G. Steele, D. Lea, C. Flood, "Fast Splittable Pseudorandom Number Generators", OOPSLA
/// 2014.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SplitMix64(pub u64);

impl SplitMix64 {
    /// 2^64 divided by the golden ratio, made odd: the step of the state.
    const GAMMA: u64 = 0x9E37_79B9_7F4A_7C15;

    /// The number in place `n` (0, 1, ...) of the sequence of this seed.
    pub const fn nth(seed: u64, n: u64) -> u64 {
        Self(seed.wrapping_add(n.wrapping_mul(Self::GAMMA))).next_u64()
    }

    /// The next number, uniform over all 64-bit values.
    pub const fn next_u64(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(Self::GAMMA);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// A number below `bound`, each equally likely; 0 for a bound of 0.
    /// Source: D. Lemire, "Fast Random Integer Generation in an Interval", ACM TOMACS 29(1), 2019.
    pub fn below(&mut self, bound: u64) -> u64 {
        let rejected = bound.wrapping_neg().checked_rem(bound).unwrap_or(0);
        loop {
            let product = u128::from(self.next_u64()) * u128::from(bound);
            if product as u64 >= rejected {
                return (product >> 64) as u64;
            }
        }
    }

    /// Puts the items into a random order, each equally likely (Fisher and Yates).
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            items.swap(last, self.below(last as u64 + 1) as usize);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // Published outputs of SplitMix64 for the seed 1234567: rosettacode.org, "Pseudo-random
    // numbers/Splitmix64".
    #[test]
    fn splitmix_reference() {
        let mut random = SplitMix64(1_234_567);
        let expected: [u64; 5] = [
            6_457_827_717_110_365_317,
            3_203_168_211_198_807_973,
            9_817_491_932_198_370_423,
            4_593_380_528_125_082_431,
            16_408_922_859_458_223_821,
        ];
        assert_eq!([(); 5].map(|()| random.next_u64()), expected);
        assert_eq!(SplitMix64::nth(1_234_567, 3), 4_593_380_528_125_082_431);
    }

    #[test]
    fn below_is_in_range_and_even() {
        let mut random = SplitMix64(7);
        let mut seen = [0u32; 6];
        for _ in 0..6000 {
            let number = random.below(6) as usize;
            *seen.get_mut(number).unwrap() += 1;
        }
        // Six standard deviations of a binomial count: 6 sqrt(6000 * 1/6 * 5/6) = 173.
        assert!(seen.iter().all(|&count| count.abs_diff(1000) < 173), "{seen:?}");
        assert_eq!((random.below(0), random.below(1)), (0, 0));
    }
}
