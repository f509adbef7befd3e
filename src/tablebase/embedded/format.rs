//! The compact format of tables that are part of the program.
//!
//! Such a table has the positions without a herd and with 1 to 6 goats at most, too few to immobilise the tigers: Black
//! wins, in some number of plies, or nobody does. Of positions that symmetries turn into each other it has one, and it
//! keeps those with White to move alone: with Black to move the value follows from the moves. Most are draws, which are
//! kept as runs. So the 27 million positions with up to five goats take 160 kB.
//!
//! # Format (version 1; all numbers little-endian)
//!
//! | bytes | what |
//! |---|---|
//! | 8 | `SundEnd`, line feed |
//! | 4 | version |
//! | 4 | most goats, 1 to 6 |
//! | 24 | name of the rule set that it was made for, filled up with zero bytes |
//! | 8 a block | the directory: bytes of the block when decoded, bytes of it in the file |
//! | the rest | the blocks, coded as `huffman.rs` says |
//! | 8 | checksum: FNV-1a, 64 bits, of all bytes before it |
//!
//! There is a block for every number of goats, from 1 on, and for each number of them every pair of tigers of the 49 that
//! [`PairView`] numbers. Its positions are those with White to move, the tigers on that pair and the goats on any of the
//! 23 other points, in order of the number whose binary digits are these points, `a1` (or the next free one) lowest. Of
//! each there is half the distance to Black's win in plies, or 0 for a draw. A half above 0 is a byte, one higher than
//! itself; the length of a run of zeros is written with the digits 1 and 2 (bijective base 2, lowest first), which are
//! the bytes 0 and 1.

use crate::board::{Point, PointSet};
use crate::checksum::fnv1a_64;
use crate::position::{Position, Setup};
use crate::rules::{GOATS_TO_IMMOBILISE, RuleSet, Side};
use crate::symmetry::{PAIRS, PairView, pair_points};
use crate::tablebase::file::FileError;
use crate::tablebase::huffman;
use crate::tablebase::probe::{Probe, ProbeError, Tablebase};
use crate::tablebase::value::TableValue;
use std::fmt;

/// Most goats that a table can have: one fewer than immobilise the tigers.
pub const MOST_GOATS: u32 = GOATS_TO_IMMOBILISE - 1;

const MAGIC: [u8; 8] = *b"SundEnd\n";
const VERSION: u32 = 1;
const NAME_BYTES: usize = 24;
const HEADER_BYTES: usize = 16 + NAME_BYTES;
/// Bytes of an entry of the directory.
const ENTRY_BYTES: usize = 8;
const CHECKSUM_BYTES: usize = 8;

/// Points beside a pair of tigers.
const SLOTS: usize = Point::COUNT - 2;
/// The bytes that are the digits 1 and 2 of the length of a run of zeros; halves follow.
const RUN_DIGITS: u8 = 2;

/// By number of goats and of slots, how many ways there are to put so many goats on so many slots.
const WAYS: [[u32; SLOTS + 1]; MOST_GOATS as usize + 1] = ways();

#[allow(clippy::indexing_slicing)] // runs in the compiler
const fn ways() -> [[u32; SLOTS + 1]; MOST_GOATS as usize + 1] {
    let mut ways = [[0; SLOTS + 1]; MOST_GOATS as usize + 1];
    let mut slots = 0;
    while slots <= SLOTS {
        ways[0][slots] = 1;
        let mut goats = 1;
        while goats < ways.len() && slots > 0 {
            ways[goats][slots] = ways[goats][slots - 1] + ways[goats - 1][slots - 1];
            goats += 1;
        }
        slots += 1;
    }
    ways
}

/// How many ways there are to put goats, [`MOST_GOATS`] at most, on the slots beside a pair of tigers.
#[allow(clippy::indexing_slicing)] // callers count goats up to `MOST_GOATS`
const fn block_size(goats: u32) -> usize {
    WAYS[goats as usize][SLOTS] as usize
}

/// A table that is part of the program, decoded.
#[derive(Debug)]
pub struct EmbeddedTable {
    goats: u32,
    /// For each number of goats, from none on, the halves of its blocks, one after the other.
    halves: Vec<Box<[u8]>>,
}

/// Why no compact table can be made.
#[derive(Debug)]
pub enum EmbedError {
    /// With so few goats the game is over.
    Over(&'static RuleSet),
    /// The tables have no value of a position.
    Unknown(Box<Position>, ProbeError),
    /// What the tables say of a position is not what a compact table can say: Black's win in a number of plies, or a draw.
    Unfit(Box<Position>, Probe),
    /// The position's value does not follow from those with White to move.
    Wrong(Box<Position>),
}

impl fmt::Display for EmbedError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        use crate::notation::fen::Fen;
        match self {
            Self::Over(rules) => {
                write!(f, "found {}, expected rules by which Black has to take every goat", rules.name)
            }
            Self::Unknown(position, error) => write!(f, "{}: {error}", Fen(position)),
            Self::Unfit(position, probe) => {
                let found = match probe.value.winner() {
                    Some(Side::Black) if probe.plies.is_none() => "Black's win in an unknown number of plies",
                    Some(Side::Black) => "another number of plies",
                    Some(Side::White) => "White's win",
                    None => "a draw",
                };
                write!(
                    f,
                    "{}: found {found}, expected Black's win in an even number of plies, or a draw",
                    Fen(position)
                )
            }
            Self::Wrong(position) => write!(f, "{}: its value does not follow from those one move on", Fen(position)),
        }
    }
}

impl std::error::Error for EmbedError {}

impl EmbeddedTable {
    /// The value of a position without a herd, in which the game is not over, and the plies to its end.
    ///
    /// Returns `None` if it has more goats than the table.
    #[inline]
    pub fn probe(&self, position: &Position) -> Option<Probe> {
        if position.goats().len() > self.goats {
            return None;
        }
        let plies = match position.side() {
            Side::White => match self.half(position.tiger_pair(), position.goats()) {
                0 => None,
                half => Some(2 * u32::from(half)),
            },
            Side::Black => self.soonest_win(position),
        };
        let value = if plies.is_some() { TableValue::BLACK } else { TableValue::DRAW };
        Some(Probe { value, plies })
    }

    /// Plies to the soonest win of Black, who is to move; `None` if there is none.
    fn soonest_win(&self, position: &Position) -> Option<u32> {
        let mut soonest: Option<u32> = None;
        position.for_each_move(|mv| {
            let tigers = position.tigers().without(mv.from()).with(mv.to());
            let goats = mv.path().fold(position.goats(), |goats, jump| goats.without(jump.over));
            // Draws, which are 0, come after all wins; that no goat is left is the soonest one.
            let half = u32::from(self.half([tigers.lowest(), tigers.highest()], goats));
            if half > 0 || goats.is_empty() {
                soonest = Some(soonest.map_or(half, |soonest| soonest.min(half)));
            }
        });
        soonest.map(|half| 2 * half + 1)
    }

    /// Half the distance to Black's win with White to move; 0 for a draw, and if no goat is left. There are no more goats
    /// than the table has.
    #[inline]
    #[allow(clippy::indexing_slicing)] // sets of goats have their numbers from here: one out of range is a bug
    fn half(&self, tigers: [Point; 2], goats: PointSet) -> u8 {
        let view = PairView::of(tigers);
        let [low, high] = view.points();
        let mut number = view.pair() * block_size(goats.len());
        for (before, goat) in view.image(goats).into_iter().enumerate() {
            let slot = goat.index() - usize::from(goat > low) - usize::from(goat > high);
            number += WAYS[before + 1][slot] as usize;
        }
        self.halves[goats.len() as usize][number]
    }

    /// Decodes a table of a rule set.
    ///
    /// # Errors
    /// If it is damaged, or of other rules.
    pub fn decode(bytes: &[u8], rules: &RuleSet) -> Result<Self, FileError> {
        let damaged = |what: &str| FileError::Damaged(what.to_owned());
        let (bytes, sum) = bytes.split_last_chunk::<CHECKSUM_BYTES>().ok_or_else(|| damaged("it is too short"))?;
        if fnv1a_64(bytes) != u64::from_le_bytes(*sum) {
            return Err(damaged("the checksum does not fit"));
        }
        let (head, rest) = bytes.split_first_chunk::<HEADER_BYTES>().ok_or_else(|| damaged("it is too short"))?;
        let goats = head.iter().skip(12).take(4).rev().fold(0, |number, byte| number << 8 | u32::from(*byte));
        if !(1..=MOST_GOATS).contains(&goats) || *head != header(rules, goats) {
            let what = format!("the header is not that of a table of {} of version {VERSION}", rules.name);
            return Err(FileError::Damaged(what));
        }
        let entries = goats as usize * PAIRS * ENTRY_BYTES;
        let (directory, mut rest) = rest.split_at_checked(entries).ok_or_else(|| damaged("it is too short"))?;
        // Without goats there is nothing to look up, whichever pair.
        let mut halves = vec![vec![0; PAIRS * block_size(0)].into_boxed_slice()];
        let mut entries = directory.as_chunks::<ENTRY_BYTES>().0.iter().map(|[a, b, c, d, e, f, g, h]| {
            [[*a, *b, *c, *d], [*e, *f, *g, *h]].map(|number| u32::from_le_bytes(number) as usize)
        });
        for goats in 1..=goats {
            let mut blocks = Vec::with_capacity(PAIRS * block_size(goats));
            for [tokens, length] in entries.by_ref().take(PAIRS) {
                let (coded, after) = rest.split_at_checked(length).ok_or_else(|| damaged("it is too short"))?;
                rest = after;
                let tokens = (tokens <= block_size(goats)).then(|| huffman::decode(coded, tokens)).flatten();
                let end = blocks.len() + block_size(goats);
                tokens
                    .and_then(|tokens| expand_runs(&tokens, &mut blocks, end))
                    .ok_or_else(|| damaged("a block can't be decoded"))?;
            }
            halves.push(blocks.into_boxed_slice());
        }
        if rest.is_empty() { Ok(Self { goats, halves }) } else { Err(damaged("it is too long")) }
    }
}

fn header(rules: &RuleSet, goats: u32) -> [u8; HEADER_BYTES] {
    let mut header = [0; HEADER_BYTES];
    let fields = MAGIC.into_iter().chain(VERSION.to_le_bytes()).chain(goats.to_le_bytes()).chain(rules.name.bytes());
    header.iter_mut().zip(fields).for_each(|(slot, byte)| *slot = byte);
    header
}

/// Makes a compact table of the positions without a herd and with at most `goats` goats, 1 to [`MOST_GOATS`], out of the
/// tables of a rule set. What it says of any position was then compared with them.
///
/// # Errors
/// If the tables lack a position or a distance, or have one that the format can't say.
pub fn encode(tables: &Tablebase, goats: u32) -> Result<Vec<u8>, EmbedError> {
    let rules = tables.rules();
    if rules.goats_to_live > 1 {
        return Err(EmbedError::Over(rules));
    }
    let (mut directory, mut blocks) = (Vec::new(), Vec::new());
    for goats in 1..=goats.min(MOST_GOATS) {
        for pair in 0..PAIRS {
            let halves = positions(rules, pair, goats, Side::White).map(|position| half_in(tables, position));
            let tokens = shorten_runs(&halves.collect::<Result<Vec<u8>, EmbedError>>()?);
            let coded = huffman::encode(&tokens);
            directory.extend((tokens.len() as u32).to_le_bytes());
            directory.extend((coded.len() as u32).to_le_bytes());
            blocks.extend(coded);
        }
    }
    let mut bytes = [&header(rules, goats)[..], &directory, &blocks].concat();
    bytes.extend(fnv1a_64(&bytes).to_le_bytes());
    compare(&bytes, tables)?;
    Ok(bytes)
}

/// Compares a table just made with those it was made of, position by position, both sides to move.
fn compare(bytes: &[u8], tables: &Tablebase) -> Result<(), EmbedError> {
    let table = match EmbeddedTable::decode(bytes, tables.rules()) {
        Ok(table) => table,
        Err(error) => unreachable!("broken invariant: what was encoded can be decoded: {error}"),
    };
    for goats in 1..=table.goats {
        for side in [Side::White, Side::Black] {
            for position in (0..PAIRS).flat_map(|pair| positions(tables.rules(), pair, goats, side)) {
                let expected = tables.probe(&position).map_err(|error| EmbedError::Unknown(position.into(), error))?;
                if table.probe(&position) != Some(expected) {
                    return Err(EmbedError::Wrong(position.into()));
                }
            }
        }
    }
    Ok(())
}

/// The positions of a block (there is one goat at least), in order, with a side to move.
pub fn positions(rules: &'static RuleSet, pair: usize, goats: u32, side: Side) -> impl Iterator<Item = Position> {
    let tigers: PointSet = pair_points(pair).into_iter().collect();
    let slots: Vec<Point> = (!tigers).into_iter().collect();
    let first = (1u32 << goats) - 1;
    // The next larger number with as many binary digits 1 (Gosper's hack).
    let next = |set: &u32| {
        let (lowest, carried) = (set & set.wrapping_neg(), set + (set & set.wrapping_neg()));
        Some(carried | ((set ^ carried) / lowest) >> 2)
    };
    std::iter::successors(Some(first), next).take(block_size(goats)).map(move |set| {
        let mut heights = [0; Point::COUNT];
        let stand = slots.iter().enumerate().filter(|(slot, _)| set >> slot & 1 != 0);
        stand.for_each(|(_, point)| heights.iter_mut().skip(point.index()).take(1).for_each(|height| *height = 1));
        match Position::new(rules, &Setup { goats: heights, tigers, side, quiet: 0, number: 1 }) {
            Ok(position) => position,
            Err(error) => unreachable!("broken invariant: few goats beside two tigers are a position: {error}"),
        }
    })
}

/// What tables say of a position with White to move, as half the distance to Black's win.
fn half_in(tables: &Tablebase, position: Position) -> Result<u8, EmbedError> {
    let probe = tables.probe(&position).map_err(|error| EmbedError::Unknown(position.into(), error))?;
    let half = match (probe.value.winner(), probe.plies) {
        (None, _) => Some(0),
        (Some(Side::Black), Some(plies)) if plies.is_multiple_of(2) => {
            u8::try_from(plies / 2).ok().filter(|half| *half <= u8::MAX - RUN_DIGITS)
        }
        _ => None,
    };
    half.ok_or_else(|| EmbedError::Unfit(position.into(), probe))
}

/// Halves with runs of zeros as numbers.
fn shorten_runs(halves: &[u8]) -> Vec<u8> {
    let mut tokens = Vec::new();
    let mut run = 0u32;
    let end_run = |run: &mut u32, tokens: &mut Vec<u8>| {
        while *run > 0 {
            let digit = if *run % 2 == 1 { 1 } else { 2 };
            tokens.push(digit as u8 - 1);
            *run = (*run - digit) / 2;
        }
    };
    for half in halves {
        if *half == 0 {
            run += 1;
        } else {
            end_run(&mut run, &mut tokens);
            tokens.push(half - 1 + RUN_DIGITS);
        }
    }
    end_run(&mut run, &mut tokens);
    tokens
}

/// Adds the halves that [`shorten_runs`] has made tokens of, up to just `end` in all.
///
/// Returns `None` if they are more or fewer.
fn expand_runs(tokens: &[u8], halves: &mut Vec<u8>, end: usize) -> Option<()> {
    let (mut run, mut worth) = (0usize, 1usize);
    for token in tokens {
        if *token < RUN_DIGITS {
            run += (usize::from(*token) + 1) * worth;
            worth *= 2;
            if run > end - halves.len() {
                return None;
            }
        } else {
            halves.resize(halves.len() + run, 0);
            (run, worth) = (0, 1);
            if halves.len() >= end {
                return None;
            }
            halves.push(token - RUN_DIGITS + 1);
        }
    }
    halves.resize(halves.len() + run, 0);
    (halves.len() == end).then_some(())
}
