//! A checksum, against damage and not against forgery.

/// 64-bit FNV-1a (Fowler, Noll and Vo): `draft-eastlake-fnv`.
pub fn fnv1a_64(data: &[u8]) -> u64 {
    data.iter().fold(0xcbf2_9ce4_8422_2325, |sum, byte| (sum ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3))
}

#[cfg(test)]
mod tests {
    use super::*;

    // Test vectors of the same draft.
    #[test]
    fn reference() {
        assert_eq!(
            ["", "a", "foobar"].map(|text| fnv1a_64(text.as_bytes())),
            [0xcbf2_9ce4_8422_2325, 0xaf63_dc4c_8601_ec8c, 0x8594_4171_f739_67e8]
        );
    }
}
