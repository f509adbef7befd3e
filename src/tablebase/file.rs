//! One table file: written once, whole, and read block by block, every block checked. The format is described in
//! [`crate::tablebase`].

use crate::drafts;
use crate::parallel::for_each;
use crate::platform;
use crate::rules::{HERDS, RuleSet};
use crate::tablebase::huffman::{decode, encode};
use crate::tablebase::layer::Layer;
use crate::tablebase::value::TableValue;
use std::fmt;
use std::fs::{self, File};
use std::io::{self, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, OnceLock, PoisonError};

const MAGIC: [u8; 8] = *b"SundTab\n";
const VERSION: u32 = 2;
const NAME_BYTES: usize = 24;
/// Bytes of the header without its checksum.
const HEADER_BYTES: usize = 72;
/// Bytes of an entry of the directory.
const ENTRY_BYTES: usize = 16;
/// Positions of a block, but perhaps for the last.
pub const BLOCK_POSITIONS: u64 = 1 << 14;
/// Most positions of a file; the largest table has 2.4 thousand million.
const MOST_POSITIONS: u64 = 1 << 33;
/// Blocks that are made ready at a time.
const BATCH: usize = 256;

/// What a file says it holds.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Header {
    /// The layer.
    pub layer: Layer,
    /// Most goats in all, herds included; 0 to 20.
    pub goats: u32,
    /// Binary digits of the classes of values: see [`TableValue::digits`].
    pub digits: usize,
    /// Whether it has distances.
    pub has_distances: bool,
    /// Numbers of positions, both sides to move.
    pub positions: u64,
}

/// Why a file is no table.
#[derive(Debug)]
pub enum FileError {
    /// It can't be read or written.
    Io(io::Error),
    /// It is not what it should be; says what was found.
    Damaged(String),
    /// It is undamaged, but has not all that is needed; says what was found and expected.
    Lacking(String),
}

impl fmt::Display for FileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Io(error) => write!(f, "{error}"),
            Self::Damaged(what) => write!(f, "damaged: {what}"),
            Self::Lacking(what) => f.write_str(what),
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
    let (words, rest) = bytes.as_chunks::<8>();
    let mut last = [0; 8];
    last.iter_mut().zip(rest).for_each(|(slot, byte)| *slot = *byte);
    for word in words.iter().chain((!rest.is_empty()).then_some(&last)) {
        // Both steps are bijections of the sum so far, so a difference can't vanish by itself.
        sum = (sum ^ u64::from_le_bytes(*word)).wrapping_mul(0xFF51_AFD7_ED55_8CCD);
        sum ^= sum >> 32;
    }
    sum
}

/// What a file has of the positions of a block.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct Block {
    /// For every 64 positions the words of their classes' binary digits, the lowest first.
    pub classes: Vec<u64>,
    /// Half the distance in plies, rounded down, of every position that is no draw, in order.
    pub halves: Vec<u8>,
}

/// The digits of classes as bytes: each byte has the same few positions of every digit, so that what belongs together
/// is coded together.
fn interleave(words: &[u64], digits: usize) -> Vec<u8> {
    let bits = 8 / digits;
    let mask = (1 << bits) - 1;
    let mix = |group: &[u64], part: usize| {
        group.iter().rev().fold(0, |byte, word| byte << bits | (word >> (part * bits) & mask) as u8)
    };
    words.chunks(digits).flat_map(|group| (0..64 / bits).map(move |part| mix(group, part))).collect()
}

fn deinterleave(bytes: &[u8], digits: usize) -> Vec<u64> {
    let bits = 8 / digits;
    let mask = (1u64 << bits) - 1;
    let word = |group: &[u8], digit: usize| {
        group.iter().rev().fold(0, |word, byte| word << bits | u64::from(*byte) >> (digit * bits) & mask)
    };
    bytes.chunks(64 / bits).flat_map(|group| (0..digits).map(move |digit| word(group, digit))).collect()
}

impl Header {
    /// What is in a table of these rules: `positions` numbers, with or without distances.
    pub const fn new(rules: &RuleSet, layer: Layer, goats: u32, positions: u64, has_distances: bool) -> Self {
        Self { layer, goats, digits: TableValue::digits(rules), has_distances, positions }
    }

    /// Number of blocks.
    pub const fn blocks(&self) -> u64 {
        self.positions.div_ceil(BLOCK_POSITIONS)
    }

    /// Positions of a block.
    const fn positions_of(&self, block: u64) -> u64 {
        let rest = self.positions.saturating_sub(block * BLOCK_POSITIONS);
        if rest < BLOCK_POSITIONS { rest } else { BLOCK_POSITIONS }
    }

    /// Entries of the directory: one a block, or two, the second for distances.
    const fn entries(&self) -> u64 {
        self.blocks() * if self.has_distances { 2 } else { 1 }
    }

    /// Where the first block begins.
    const fn first(&self) -> u64 {
        HEADER_BYTES as u64 + 8 + self.entries() * ENTRY_BYTES as u64 + 8
    }

    fn bytes(&self, rules: &RuleSet, length: u64) -> [u8; HEADER_BYTES] {
        let mut name = [0; NAME_BYTES];
        name.iter_mut().zip(rules.name.bytes()).for_each(|(slot, byte)| *slot = byte);
        let kind = [self.digits as u8, u8::from(self.has_distances), 0, 0];
        let fields = MAGIC.into_iter().chain(VERSION.to_le_bytes()).chain((BLOCK_POSITIONS as u32).to_le_bytes());
        let fields = fields.chain(name).chain(self.layer.heights()).chain(self.goats.to_le_bytes()).chain(kind);
        let fields = fields.chain([0; 4]).chain(self.positions.to_le_bytes()).chain(length.to_le_bytes());
        let mut bytes = [0; HEADER_BYTES];
        bytes.iter_mut().zip(fields).for_each(|(slot, byte)| *slot = byte);
        bytes
    }

    /// Reads what [`Header::bytes`] writes, and the file's length; everything else must be as expected.
    fn parse(bytes: &[u8; HEADER_BYTES], rules: &RuleSet) -> Result<(Self, u64), FileError> {
        let number = |at: usize, size: usize| {
            bytes.iter().skip(at).take(size).rev().fold(0, |number, byte| number << 8 | u64::from(*byte))
        };
        let mut heights = [0; HERDS];
        heights.iter_mut().zip(bytes.iter().skip(40)).for_each(|(slot, byte)| *slot = *byte);
        let Some(layer) = Layer::new(heights) else { return damaged(format!("herds of {heights:?} goats")) };
        let header = Self {
            layer,
            goats: number(44, 4) as u32,
            digits: TableValue::digits(rules),
            has_distances: number(49, 1) == 1,
            positions: number(56, 8),
        };
        let length = number(64, 8);
        if header.bytes(rules, length) != *bytes {
            return damaged(format!("the header is not that of a {} table of version {VERSION}", rules.name));
        }
        if header.positions > MOST_POSITIONS {
            return damaged(format!("{} positions", header.positions));
        }
        Ok((header, length))
    }
}

/// A file that is being written, under a name of its own, so that a table is there whole or not at all and several
/// builds don't get in each other's way. It is gone if it is not finished.
pub struct TableDraft {
    file: BufWriter<File>,
    temporary: PathBuf,
    path: PathBuf,
}

impl TableDraft {
    /// Begins to write a table.
    ///
    /// # Errors
    /// If the folder can't be written to.
    pub fn create(path: &Path) -> Result<Self, FileError> {
        let (file, temporary) = drafts::create(path)?;
        Ok(Self { file: BufWriter::with_capacity(1 << 20, file), temporary, path: path.to_owned() })
    }

    /// Writes the table and renames it into place.
    ///
    /// `block(n)` gives block `n`; it is called from `threads` threads.
    ///
    /// # Errors
    /// If it can't be written.
    pub fn write(
        mut self,
        rules: &RuleSet,
        header: &Header,
        threads: usize,
        block: impl Fn(u64) -> Block + Sync,
    ) -> Result<(), FileError> {
        let file = &mut self.file;
        let mut end = header.first();
        file.seek(SeekFrom::Start(end))?;
        let mut directory = Vec::with_capacity(header.entries() as usize * ENTRY_BYTES);
        let mut ready: Vec<Vec<Vec<u8>>> = vec![Vec::new(); BATCH];
        for first in (0..header.blocks()).step_by(BATCH) {
            let count = (header.blocks() - first).min(BATCH as u64) as usize;
            for_each(threads, ready.iter_mut().take(count).zip(first..), |(place, number)| {
                let block = block(number);
                *place = vec![encode(&interleave(&block.classes, header.digits))];
                if header.has_distances {
                    place.push(encode(&block.halves));
                }
            });
            for bytes in ready.iter().take(count).flatten() {
                end += bytes.len() as u64;
                directory.extend(end.to_le_bytes());
                directory.extend(checksum(bytes).to_le_bytes());
                file.write_all(bytes)?;
            }
        }
        let head = header.bytes(rules, end);
        file.seek(SeekFrom::Start(0))?;
        file.write_all(&head)?;
        file.write_all(&checksum(&head).to_le_bytes())?;
        file.write_all(&directory)?;
        file.write_all(&checksum(&directory).to_le_bytes())?;
        file.flush()?;
        file.get_ref().sync_all()?;
        Ok(platform::rename_over(&self.temporary, &self.path)?)
    }
}

impl Drop for TableDraft {
    fn drop(&mut self) {
        // After it was renamed there is nothing left to remove.
        let _ = fs::remove_file(&self.temporary);
    }
}

/// Removes what builds that were killed have left in a folder; what is being written by others stays.
pub fn remove_dead_drafts(dir: &Path) {
    drafts::remove_dead(dir, is_table);
}

/// Whether a name is that of a table, as [`path`] makes it, with or without its extension.
fn is_table(name: &str) -> bool {
    let (rules, heights) = name.strip_suffix(".table").unwrap_or(name).rsplit_once('-').unwrap_or_default();
    RuleSet::all().iter().any(|known| known.name == rules)
        && heights.len() == HERDS
        && heights.bytes().all(|byte| byte.is_ascii_digit())
}

/// For each entry where it ends, and its checksum.
type Directory = Vec<(u64, u64)>;

/// An open file whose header is checked; the directory is read when it is first needed.
#[derive(Debug)]
pub struct TableFile {
    file: Mutex<File>,
    header: Header,
    length: u64,
    directory: OnceLock<Result<Directory, String>>,
}

impl TableFile {
    /// Opens the file of a layer.
    ///
    /// # Errors
    /// If it can't be read, its header is damaged, or it is shorter or longer than that says.
    pub fn open(path: &Path, rules: &RuleSet, layer: Layer) -> Result<Self, FileError> {
        let found = fs::metadata(path)?;
        // To open a pipe would wait for its writer.
        if !found.is_file() {
            return damaged("no regular file");
        }
        let found = found.len();
        if found < HEADER_BYTES as u64 + 8 {
            return damaged(format!("{found} bytes, too short"));
        }
        let mut file = File::open(path)?;
        let mut head = [0; HEADER_BYTES];
        let mut sum = [0; 8];
        file.read_exact(&mut head)?;
        file.read_exact(&mut sum)?;
        if checksum(&head) != u64::from_le_bytes(sum) {
            return damaged("the checksum of the header");
        }
        let (header, length) = Header::parse(&head, rules)?;
        if header.layer != layer {
            return damaged(format!("the header is that of layer {}", header.layer));
        }
        if length != found || length < header.first() {
            return damaged(format!("{found} bytes instead of {length}"));
        }
        Ok(Self { file: Mutex::new(file), header, length, directory: OnceLock::new() })
    }

    /// What it holds.
    pub const fn header(&self) -> &Header {
        &self.header
    }

    /// Its size in bytes.
    pub const fn length(&self) -> u64 {
        self.length
    }

    fn read(&self, start: u64, size: u64) -> Result<Vec<u8>, FileError> {
        let mut bytes = Vec::new();
        let size = usize::try_from(size).unwrap_or(usize::MAX);
        bytes.try_reserve_exact(size).map_err(|_| io::Error::from(io::ErrorKind::OutOfMemory))?;
        bytes.resize(size, 0);
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        file.seek(SeekFrom::Start(start))?;
        file.read_exact(&mut bytes)?;
        Ok(bytes)
    }

    fn directory(&self) -> Result<&Directory, FileError> {
        match self.directory.get_or_init(|| self.read_directory().map_err(|error| error.to_string())) {
            Ok(directory) => Ok(directory),
            Err(error) => damaged(format!("directory: {error}")),
        }
    }

    fn read_directory(&self) -> Result<Directory, FileError> {
        let size = self.header.entries() * ENTRY_BYTES as u64;
        let bytes = self.read(HEADER_BYTES as u64 + 8, size + 8)?;
        let Some((bytes, sum)) = bytes.split_last_chunk::<8>() else { return damaged("too short") };
        if checksum(bytes) != u64::from_le_bytes(*sum) {
            return damaged("the checksum");
        }
        let (entries, _) = bytes.as_chunks::<ENTRY_BYTES>();
        let words = entries.iter().map(|entry| u128::from_le_bytes(*entry));
        let directory: Directory = words.map(|both| (both as u64, (both >> 64) as u64)).collect();
        let end = directory.last().map_or(self.header.first(), |(end, _)| *end);
        if end == self.length { Ok(directory) } else { damaged(format!("{end} bytes instead of {}", self.length)) }
    }

    /// The bytes of an entry, decoded, which must be `size` bytes.
    fn entry(&self, number: u64, size: usize) -> Result<Vec<u8>, FileError> {
        let directory = self.directory()?;
        let entry = |number: u64| usize::try_from(number).ok().and_then(|number| directory.get(number).copied());
        let Some((end, sum)) = entry(number) else { return damaged(format!("no entry {number}")) };
        let start = number.checked_sub(1).and_then(entry).map_or(self.header.first(), |(end, _)| end);
        // None is longer than its bytes as they are; the directory's checksum was right, but still.
        let length = end.checked_sub(start).filter(|length| *length <= 1 + BLOCK_POSITIONS);
        let Some(length) = length else { return damaged(format!("the length of entry {number}")) };
        let bytes = self.read(start, length)?;
        if checksum(&bytes) != sum {
            return damaged(format!("the checksum of entry {number}"));
        }
        match decode(&bytes, size) {
            Some(bytes) => Ok(bytes),
            None => damaged(format!("the code of entry {number}")),
        }
    }

    /// The classes of a block: for every 64 positions the words of the binary digits, the lowest first.
    ///
    /// # Errors
    /// If there is none, it can't be read, or its checksum is wrong.
    pub fn classes(&self, block: u64) -> Result<Vec<u64>, FileError> {
        let (positions, digits) = (self.header.positions_of(block), self.header.digits);
        let kinds = if self.header.has_distances { 2 } else { 1 };
        let bytes = self.entry(block * kinds, positions as usize * digits / 8)?;
        Ok(deinterleave(&bytes, digits))
    }

    /// Half the distance in plies, rounded down, of a block's positions that are no draws, given its classes.
    ///
    /// # Errors
    /// As for [`TableFile::classes`], and if the file has no distances.
    pub fn halves(&self, block: u64, classes: &[u64]) -> Result<Vec<u8>, FileError> {
        if !self.header.has_distances {
            return damaged("no distances");
        }
        self.entry(2 * block + 1, decided(classes, self.header.digits) as usize)
    }

    /// All of a block.
    ///
    /// # Errors
    /// As for [`TableFile::classes`].
    pub fn block(&self, number: u64) -> Result<Block, FileError> {
        let classes = self.classes(number)?;
        let halves = if self.header.has_distances { self.halves(number, &classes)? } else { Vec::new() };
        Ok(Block { classes, halves })
    }
}

/// Number of positions that are no draws.
fn decided(classes: &[u64], digits: usize) -> u32 {
    classes.chunks(digits).map(|digits| digits.iter().fold(0, |all, word| all | word).count_ones()).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn interleaved_digits_come_back() {
        let mut word = 1u64;
        for digits in [2, 4] {
            let words: Vec<u64> = (0..digits * 256)
                .map(|_| {
                    word = word.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                    word ^ word >> 31
                })
                .collect();
            let bytes = interleave(&words, digits);
            assert_eq!(bytes.len() as u64, BLOCK_POSITIONS * digits as u64 / 8);
            assert_eq!(deinterleave(&bytes, digits), words);
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
