//! Compression of blocks: a canonical Huffman code for each, its code lengths stored with it.
//!
//! A coded block is a byte that says how, then:
//! - 0: one byte, which all bytes of the block are;
//! - 1: the bytes themselves;
//! - 2: 32 bytes with a bit for each byte value that occurs, then the lengths of their codes, 4 bits each (the lower half
//!   of a byte first), then the codes, the first bit of each in the lowest bit not used yet.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Bits of the longest code.
const MAX_LENGTH: u32 = 12;

const SAME: u8 = 0;
const PLAIN: u8 = 1;
const CODED: u8 = 2;

/// Compresses bytes.
#[allow(clippy::indexing_slicing)] // a byte is below 256
pub fn encode(bytes: &[u8]) -> Vec<u8> {
    let mut counts = [0u32; 256];
    for byte in bytes {
        counts[usize::from(*byte)] += 1;
    }
    let plain = || [&[PLAIN], bytes].concat();
    match bytes.first() {
        None => return plain(),
        Some(first) if bytes.iter().all(|byte| byte == first) => return vec![SAME, *first],
        Some(_) => {}
    }
    let lengths = limited_lengths(&counts);
    let codes = codes(&lengths);
    let mut out = Vec::with_capacity(bytes.len() / 2 + 160);
    out.push(CODED);
    for group in lengths.chunks(8) {
        out.push(group.iter().enumerate().fold(0, |bits, (bit, length)| bits | u8::from(*length > 0) << bit));
    }
    let used: Vec<u8> = lengths.iter().copied().filter(|length| *length > 0).collect();
    out.extend(used.chunks(2).map(|pair| pair.iter().rev().fold(0, |both, length| both << 4 | length)));
    let (mut bits, mut count) = (0u64, 0);
    for byte in bytes {
        let (code, length) = codes[usize::from(*byte)];
        bits |= u64::from(code) << count;
        count += u32::from(length);
        if count >= 32 {
            out.extend((bits as u32).to_le_bytes());
            bits >>= 32;
            count -= 32;
        }
    }
    out.extend(bits.to_le_bytes().iter().take(count.div_ceil(8) as usize));
    if out.len() > bytes.len() { plain() } else { out }
}

/// The bytes that [`encode`] has compressed.
///
/// Returns `None` if the code is damaged or does not give just `size` bytes.
pub fn decode(coded: &[u8], size: usize) -> Option<Vec<u8>> {
    let (how, rest) = coded.split_first()?;
    match *how {
        SAME => <[u8; 1]>::try_from(rest).ok().map(|[byte]| vec![byte; size]),
        PLAIN => (rest.len() == size).then(|| rest.to_vec()),
        CODED => {
            let (occurs, rest) = rest.split_first_chunk::<32>()?;
            let used: Vec<usize> =
                (0..256).filter(|byte| occurs.get(byte / 8).is_some_and(|bits| bits >> (byte % 8) & 1 != 0)).collect();
            let (halves, rest) = rest.split_at_checked(used.len().div_ceil(2))?;
            let mut lengths = [0; 256];
            for (number, byte) in used.iter().enumerate() {
                *lengths.get_mut(*byte)? = halves.get(number / 2)? >> (4 * (number % 2)) & 15;
            }
            decode_huffman(&lengths, rest, size)
        }
        _ => None,
    }
}

fn decode_huffman(lengths: &[u8; 256], coded: &[u8], size: usize) -> Option<Vec<u8>> {
    if lengths.iter().any(|length| u32::from(*length) > MAX_LENGTH) {
        return None;
    }
    let used = lengths.iter().filter(|length| **length > 0);
    let sum: u32 = used.map(|length| 1 << (MAX_LENGTH - u32::from(*length))).sum();
    if sum != 1 << MAX_LENGTH {
        return None;
    }
    // For each choice of the next bits, as many as the longest code has, the byte and the length of its code.
    let mut table = vec![(0u8, 0u8); 1 << MAX_LENGTH];
    for (byte, (code, length)) in codes(lengths).iter().enumerate().filter(|(_, (_, length))| *length > 0) {
        for entry in table.iter_mut().skip(usize::from(*code)).step_by(1 << length) {
            *entry = (byte as u8, *length);
        }
    }
    let mut bytes = Vec::with_capacity(size);
    let mut words = coded.chunks(4).map(|word| word.iter().rev().fold(0u64, |bits, byte| bits << 8 | u64::from(*byte)));
    let (mut bits, mut count, mut taken) = (0u64, 0u32, 0usize);
    while bytes.len() < size {
        if count < MAX_LENGTH {
            // Beyond the end there are zeros; that a code was read there shows in `taken`.
            bits |= words.next().unwrap_or(0) << count;
            count += 32;
        }
        let (byte, length) = *table.get((bits & ((1 << MAX_LENGTH) - 1)) as usize)?;
        bytes.push(byte);
        bits >>= length;
        count -= u32::from(length);
        taken += usize::from(length);
    }
    (taken.div_ceil(8) == coded.len()).then_some(bytes)
}

/// The lengths of the codes of bytes with these counts, 0 for those that don't occur; at least two do.
fn limited_lengths(counts: &[u32; 256]) -> [u8; 256] {
    // Where the code gets too long, the rare bytes are taken for less rare until it does not.
    let mut least = 1;
    loop {
        let lengths = huffman_depths(&counts.map(|count| if count > 0 { count.max(least) } else { 0 }));
        if lengths.iter().all(|length| u32::from(*length) <= MAX_LENGTH) {
            return lengths;
        }
        least *= 2;
    }
}

/// The depths of the bytes in the Huffman tree of these counts.
#[allow(clippy::indexing_slicing)] // a tree of at most 256 leaves has at most 511 nodes
fn huffman_depths(counts: &[u32; 256]) -> [u8; 256] {
    let used = counts.iter().enumerate().filter(|(_, count)| **count > 0);
    let mut heap: BinaryHeap<_> = used.map(|(byte, count)| Reverse((u64::from(*count), byte))).collect();
    // Leaves are numbered by byte, inner nodes from 256 on, each after its children; the last one is the root.
    let mut parents = [0usize; 512];
    let mut next = 256;
    while let (Some(Reverse((one, first))), Some(Reverse((other, second)))) = (heap.pop(), heap.pop()) {
        parents[first] = next;
        parents[second] = next;
        heap.push(Reverse((one + other, next)));
        next += 1;
    }
    let root = next - 1;
    let mut depths = [0u8; 512];
    for node in (256..root).rev() {
        depths[node] = depths[parents[node]].saturating_add(1);
    }
    let leaf_depth = |byte: usize| if counts[byte] > 0 { depths[parents[byte]].saturating_add(1) } else { 0 };
    std::array::from_fn(leaf_depth)
}

/// The canonical codes of these lengths, first bit lowest, each with its length.
fn codes(lengths: &[u8; 256]) -> [(u16, u8); 256] {
    let mut codes = [(0, 0); 256];
    let mut next = 0u16;
    for length in 1..=MAX_LENGTH {
        for (slot, _) in codes.iter_mut().zip(lengths).filter(|(_, own)| u32::from(**own) == length) {
            *slot = (next.reverse_bits() >> (16 - length), length as u8);
            next += 1;
        }
        next <<= 1;
    }
    codes
}

#[cfg(test)]
mod tests {
    use super::*;

    fn samples() -> Vec<Vec<u8>> {
        let mut word = 1u64;
        let mut random = move || {
            word = word.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (word >> 33) as u32
        };
        let mut samples = vec![vec![], vec![7], vec![7; 100], vec![1, 2], (0..=255).collect()];
        samples.push((0..5000).map(|_| random() as u8).collect());
        // Geometric: bytes of every rarity, and codes that must be cut.
        samples.push((0..60_000).map(|_| random().trailing_zeros() as u8).collect());
        samples.push((0u32..30).flat_map(|byte| vec![byte as u8; 1 << byte.min(16)]).collect());
        samples
    }

    #[test]
    fn bytes_come_back() {
        for bytes in samples() {
            let short = encode(&bytes);
            assert!(short.len() <= bytes.len() + 1);
            assert_eq!(decode(&short, bytes.len()), Some(bytes.clone()));
            assert_eq!(decode(&short, bytes.len() + 64).filter(|_| short.first() != Some(&SAME)), None);
        }
    }

    #[test]
    fn garbage_is_refused_or_gives_bytes() {
        for bytes in samples() {
            let short = encode(&bytes);
            for cut in 0..short.len().min(200) {
                let _ = decode(&short[..cut], bytes.len());
                let mut other = short.clone();
                other[cut] ^= 1 << (cut % 8);
                let _ = decode(&other, bytes.len());
            }
        }
        // Lengths of 15 bits, which no code has.
        let long = [&[CODED], [0xFF; 32].as_slice(), &[0xFF; 128], &[0; 100]].concat();
        assert_eq!(decode(&long, 5), None);
        assert_eq!(decode(&[], 5), None);
        assert_eq!(decode(&[9, 1], 1), None);
    }

    #[test]
    fn frequent_bytes_are_short() {
        let bytes: Vec<u8> = (0..8000u32).map(|number| if number % 16 == 0 { 1 } else { 0 }).collect();
        assert!(encode(&bytes).len() < 8000 / 8 + 50);
    }
}
