//! One table file: written once, whole, and read block by block, every block checked. The format is described in
//! [`crate::tables`].

use super::layer::Layer;
use crate::rules::{HERDS, RuleSet};
use std::fmt;
use std::fs::{self, File};
use std::io::{self, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

const MAGIC: [u8; 8] = *b"SundTab\n";
const VERSION: u32 = 1;
const NAME_BYTES: usize = 24;
/// Bytes of the header before the directory.
const HEADER_BYTES: usize = 64;
/// Bytes of a block's entry in the directory.
const ENTRY_BYTES: usize = 16;
/// Words of 64 bits in a block, but perhaps for the last.
pub const BLOCK_WORDS: usize = 2048;
/// Most blocks of a file; the largest table has 153,600.
const MAX_BLOCKS: u64 = 1 << 20;

/// What a file says it holds.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Header {
    /// The layer.
    pub layer: Layer,
    /// Most goats in all, herds included; 0 to 20.
    pub goats: u32,
    /// Number of 64-bit words.
    pub words: u64,
}

/// Why a file is no table.
#[derive(Debug)]
pub enum FileError {
    /// It can't be read or written.
    Io(io::Error),
    /// It is not what it should be; says what was found.
    Damaged(String),
}

impl fmt::Display for FileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Io(error) => write!(f, "{error}"),
            Self::Damaged(what) => write!(f, "damaged: {what}"),
        }
    }
}

impl std::error::Error for FileError {}

impl From<io::Error> for FileError {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

fn damaged<T>(what: impl Into<String>) -> Result<T, FileError> {
    Err(FileError::Damaged(what.into()))
}

/// The name of a layer's file within the folder.
pub fn path(dir: &Path, rules: &RuleSet, layer: Layer) -> PathBuf {
    dir.join(format!("{}-{layer}.table", rules.name))
}

/// A 64-bit sum of bytes in which any one changed byte shows.
fn checksum(bytes: &[u8]) -> u64 {
    let mut sum = 0x9E37_79B9_7F4A_7C15 ^ bytes.len() as u64;
    for chunk in bytes.chunks(8) {
        let mut word = [0; 8];
        word.iter_mut().zip(chunk).for_each(|(slot, byte)| *slot = *byte);
        // Both steps are bijections of the sum so far, so a difference can't vanish by itself.
        sum = (sum ^ u64::from_le_bytes(word)).wrapping_mul(0xFF51_AFD7_ED55_8CCD);
        sum ^= sum >> 32;
    }
    sum
}

/// A block's words without their zero bytes: for 64 words a bitmap of those that are not zero, then for each of these
/// a bitmap of its bytes that are not zero, and those.
fn packed(words: &[u64]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(words.len() * 9);
    for group in words.chunks(64) {
        let bitmap = group.iter().enumerate().fold(0, |map, (bit, word)| map | u64::from(*word != 0) << bit);
        bytes.extend(u64::to_le_bytes(bitmap));
        for word in group.iter().filter(|word| **word != 0) {
            let all = word.to_le_bytes();
            bytes.push(all.iter().enumerate().fold(0, |map, (bit, byte)| map | u8::from(*byte != 0) << bit));
            bytes.extend(all.iter().filter(|byte| **byte != 0));
        }
    }
    bytes
}

/// The words of a packed block.
///
/// Returns `None` if it does not hold just so many.
fn unpacked(bytes: &[u8], count: usize) -> Option<Vec<u64>> {
    let mut words = Vec::with_capacity(count);
    let mut rest = bytes;
    while words.len() < count {
        let (head, tail) = rest.split_first_chunk::<8>()?;
        rest = tail;
        let bitmap = u64::from_le_bytes(*head);
        for bit in 0..64.min(count - words.len()) {
            let word = if bitmap >> bit & 1 == 0 { 0 } else { unpacked_word(&mut rest)? };
            words.push(word);
        }
    }
    rest.is_empty().then_some(words)
}

fn unpacked_word(rest: &mut &[u8]) -> Option<u64> {
    let (map, tail) = rest.split_first()?;
    let (bytes, tail) = tail.split_at_checked(map.count_ones() as usize)?;
    *rest = tail;
    let mut word = [0; 8];
    let slots = word.iter_mut().enumerate().filter(|(bit, _)| map >> bit & 1 != 0);
    slots.zip(bytes).for_each(|((_, slot), byte)| *slot = *byte);
    Some(u64::from_le_bytes(word))
}

impl Header {
    fn blocks(&self) -> u64 {
        self.words.div_ceil(BLOCK_WORDS as u64)
    }

    /// The bytes before the directory, without the checksum that follows it.
    fn bytes(&self, rules: &RuleSet) -> [u8; HEADER_BYTES] {
        let mut name = [0; NAME_BYTES];
        name.iter_mut().zip(rules.name.bytes()).for_each(|(slot, byte)| *slot = byte);
        let mut bytes = [0; HEADER_BYTES];
        let fields = MAGIC.into_iter().chain(VERSION.to_le_bytes()).chain((BLOCK_WORDS as u32).to_le_bytes());
        let fields = fields.chain(name).chain(self.layer.heights()).chain(self.goats.to_le_bytes());
        let fields = fields.chain(self.words.to_le_bytes());
        bytes.iter_mut().zip(fields).for_each(|(slot, byte)| *slot = byte);
        bytes
    }

    /// Reads what [`Header::bytes`] writes; everything that is not the layer, goats and words must be as expected.
    fn parse(bytes: &[u8; HEADER_BYTES], rules: &RuleSet) -> Result<Self, FileError> {
        let number = |at: usize, len: usize| {
            let field = bytes.iter().skip(at).take(len).rev();
            field.fold(0, |number, byte| number << 8 | u64::from(*byte))
        };
        let mut heights = [0; HERDS];
        heights.iter_mut().zip(bytes.iter().skip(40)).for_each(|(slot, byte)| *slot = *byte);
        let Some(layer) = Layer::new(heights) else { return damaged(format!("herds of {heights:?} goats")) };
        let header = Self { layer, goats: number(44, 4) as u32, words: number(48, 8) };
        if header.bytes(rules) != *bytes {
            return damaged(format!("the header is not that of a {} table of version {VERSION}", rules.name));
        }
        if header.blocks() > MAX_BLOCKS {
            return damaged(format!("{} words", header.words));
        }
        Ok(header)
    }
}

/// Writes a file under another name, then renames it into place, so that it is there whole or not at all.
///
/// `block(n)` gives the words of block `n`. What an interrupted run has left under the other name is overwritten; two
/// runs must not write the same file at a time.
///
/// # Errors
/// If it can't be written.
pub fn write(
    path: &Path,
    rules: &RuleSet,
    header: &Header,
    mut block: impl FnMut(u64) -> Vec<u64>,
) -> Result<(), FileError> {
    let temporary = path.with_extension("part");
    let mut file = BufWriter::with_capacity(1 << 20, File::create(&temporary)?);
    let directory_bytes = header.blocks() as usize * ENTRY_BYTES;
    let first = (HEADER_BYTES + directory_bytes + 8) as u64;
    file.seek(SeekFrom::Start(first))?;
    let mut head = header.bytes(rules).to_vec();
    let mut end = first;
    for number in 0..header.blocks() {
        let bytes = packed(&block(number));
        end += bytes.len() as u64;
        head.extend(end.to_le_bytes());
        head.extend(checksum(&bytes).to_le_bytes());
        file.write_all(&bytes)?;
    }
    head.extend(checksum(&head).to_le_bytes());
    file.seek(SeekFrom::Start(0))?;
    file.write_all(&head)?;
    let file = file.into_inner().map_err(io::IntoInnerError::into_error)?;
    file.sync_all()?;
    drop(file);
    Ok(fs::rename(&temporary, path)?)
}

/// An open file whose header and directory are sound.
#[derive(Debug)]
pub struct TableFile {
    file: Mutex<File>,
    header: Header,
    /// For each block where it ends, and its checksum.
    directory: Vec<(u64, u64)>,
    first: u64,
}

impl TableFile {
    /// Opens the file of a layer.
    ///
    /// # Errors
    /// If it can't be read, or its header or directory is not sound.
    pub fn open(path: &Path, rules: &RuleSet, layer: Layer) -> Result<Self, FileError> {
        let mut file = File::open(path)?;
        let length = file.metadata()?.len();
        let mut head = [0; HEADER_BYTES];
        file.read_exact(&mut head)?;
        let header = Header::parse(&head, rules)?;
        if header.layer != layer {
            return damaged(format!("the header is that of layer {}", header.layer));
        }
        let mut rest = vec![0; header.blocks() as usize * ENTRY_BYTES];
        let mut sum = [0; 8];
        file.read_exact(&mut rest)?;
        file.read_exact(&mut sum)?;
        if checksum(&[head.as_slice(), &rest].concat()) != u64::from_le_bytes(sum) {
            return damaged("the checksum of the header");
        }
        let entry = |bytes: &[u8]| {
            let (end, sum) = bytes.split_at(8);
            let number = |bytes: &[u8]| bytes.iter().rev().fold(0, |number, byte| number << 8 | u64::from(*byte));
            (number(end), number(sum))
        };
        let directory: Vec<(u64, u64)> = rest.chunks_exact(ENTRY_BYTES).map(entry).collect();
        let first = (HEADER_BYTES + rest.len() + sum.len()) as u64;
        let end = directory.last().map_or(first, |(end, _)| *end);
        if end != length {
            return damaged(format!("{length} bytes instead of {end}"));
        }
        Ok(Self { file: Mutex::new(file), header, directory, first })
    }

    /// What it holds.
    pub const fn header(&self) -> &Header {
        &self.header
    }

    /// Number of blocks.
    pub const fn blocks(&self) -> u64 {
        self.directory.len() as u64
    }

    /// The words of a block.
    ///
    /// # Errors
    /// If there is none, it can't be read, or its checksum is wrong.
    pub fn block(&self, number: u64) -> Result<Vec<u64>, FileError> {
        let entry = |number: u64| usize::try_from(number).ok().and_then(|number| self.directory.get(number).copied());
        let Some((end, sum)) = entry(number) else { return damaged(format!("no block {number}")) };
        let start = number.checked_sub(1).and_then(entry).map_or(self.first, |(end, _)| end);
        // No block is longer than its words and their bitmaps; the directory's checksum was right, but still.
        let length = end.checked_sub(start).filter(|length| *length <= 10 * BLOCK_WORDS as u64);
        let Some(length) = length else { return damaged(format!("the length of block {number}")) };
        let mut bytes = vec![0; length as usize];
        {
            let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
            file.seek(SeekFrom::Start(start))?;
            file.read_exact(&mut bytes)?;
        }
        if checksum(&bytes) != sum {
            return damaged(format!("the checksum of block {number}"));
        }
        let count = (self.header.words - number * BLOCK_WORDS as u64).min(BLOCK_WORDS as u64);
        match unpacked(&bytes, count as usize) {
            Some(words) => Ok(words),
            None => damaged(format!("the words of block {number}")),
        }
    }

    /// All words, in order.
    ///
    /// # Errors
    /// As for [`TableFile::block`].
    pub fn all_words(&self, mut each: impl FnMut(&[u64])) -> Result<(), FileError> {
        (0..self.blocks()).try_for_each(|number| self.block(number).map(|words| each(&words)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_pack_and_unpack() {
        let mut word = 1u64;
        for count in [0, 1, 63, 64, 65, 2048] {
            let words: Vec<u64> = (0..count)
                .map(|number| {
                    word = word.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                    if number % 3 == 0 { 0 } else { word & (word << 13) }
                })
                .collect();
            let bytes = packed(&words);
            assert_eq!(unpacked(&bytes, words.len()), Some(words.clone()));
            assert_eq!(unpacked(&bytes, words.len() + 64), None);
            if let Some((_, shorter)) = bytes.split_last() {
                assert_eq!(unpacked(shorter, words.len()), None);
            }
        }
    }

    #[test]
    fn any_changed_byte_changes_the_checksum() {
        let bytes: Vec<u8> = (0..100).collect();
        for at in 0..bytes.len() {
            let mut other = bytes.clone();
            other[at] ^= 0x40;
            assert_ne!(checksum(&other), checksum(&bytes));
        }
        assert_ne!(checksum(&[]), checksum(&[0]));
    }
}
