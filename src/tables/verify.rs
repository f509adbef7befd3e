//! Checks tables and counts what is in them. Verification shares nothing with the solver but the arrangement of the
//! positions: it takes them one by one and asks the ordinary move generator.

use super::Verdict;
use super::file::FileError;
use super::layout::{LOW_SLOTS, Layout, low_parts};
use super::probe::{Table, Tables};
use super::share::share;
use crate::board::Point;
use crate::position::{Position, Setup};
use crate::rules::{GOATS, RuleSet, Side};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};

/// The position of an index beside a pair of tigers; the counters are 0 and 1.
///
/// Returns `None` if there is no such pair, or more than 20 goats.
pub fn position_at(rules: &'static RuleSet, layout: &Layout, pair: usize, index: u32, side: Side) -> Option<Position> {
    let tigers = layout.pairs().get(pair)?.iter().copied().collect();
    let singles = layout.goats_at(pair, index);
    let heights = layout.layer().heights();
    let height = |point: Point| {
        let herd = heights.get(usize::from(rules.start.herd_on[point])).copied().unwrap_or(0);
        u32::from(herd) + u32::from(singles.has(point))
    };
    let mut goats = [0; Point::COUNT];
    goats.iter_mut().zip(Point::all()).for_each(|(slot, point)| *slot = height(point));
    Position::new(rules, &Setup { goats, tigers, side, quiet: 0, number: 1 }).ok()
}

/// The value of a position by the definition, from the values of those one move away.
///
/// Returns `None` if the tables lack one of these.
pub fn by_definition(tables: &Tables, position: &Position) -> Option<Verdict> {
    if let Some(ending) = position.ending() {
        return Some(if ending.winner() == position.side() { Verdict::Win } else { Verdict::Loss });
    }
    let mut best = Some(Verdict::Loss);
    position.for_each_move(|mv| {
        let value = tables.probe(&position.play(mv)).map(Verdict::opposite);
        best = best.zip(value).map(|values| match values {
            (Verdict::Win, _) | (_, Verdict::Win) => Verdict::Win,
            (Verdict::Draw, _) | (_, Verdict::Draw) => Verdict::Draw,
            _ => Verdict::Loss,
        });
    });
    best
}

/// What came of the verification of one layer.
#[derive(Debug)]
pub struct Verified {
    /// Positions looked at.
    pub checked: u64,
    /// Positions whose value is not the best of their moves' values, or is not to be had.
    pub wrong: u64,
    /// One of these.
    pub example: Option<Position>,
}

/// Reads every block of a layer and compares positions with the definition: all of them, or `sample` evenly spaced ones.
///
/// A table without distances can only be compared with itself in this way: it shows every value that does not follow
/// from the others, but not a set of values that hold each other up.
///
/// # Errors
/// If a block can't be read or is damaged.
pub fn verify(tables: &Tables, table: &Table, sample: Option<u64>, threads: usize) -> Result<Verified, FileError> {
    table.file().all_words(|_| {})?;
    let layout = table.layout();
    let every = sample.map_or(1, |sample| (layout.positions() / sample.max(1)).max(1));
    let rows = 2 * layout.pairs().len();
    let per_row = layout.positions() / rows as u64;
    let (checked, wrong, example) = (AtomicU64::new(0), AtomicU64::new(0), Mutex::new(None));
    share(threads, rows, |row| {
        let (side, pair) = (if row % 2 == 0 { Side::White } else { Side::Black }, row / 2);
        let mut number = row as u64 * per_row;
        for high in layout.highs().all() {
            let valid = layout.valid(high);
            for low in (0..1 << LOW_SLOTS).filter(|low| valid >> low & 1 != 0) {
                number += 1;
                if !number.is_multiple_of(every) {
                    continue;
                }
                checked.fetch_add(1, Relaxed);
                let position = position_at(tables.rules(), layout, pair, high << LOW_SLOTS | low, side);
                let is_right = |position: &Position| {
                    let value = tables.probe(position);
                    value.is_some() && value == by_definition(tables, position)
                };
                if !position.as_ref().is_some_and(is_right) {
                    wrong.fetch_add(1, Relaxed);
                    *example.lock().unwrap_or_else(PoisonError::into_inner) = position;
                }
            }
        }
    });
    let example = example.into_inner().unwrap_or_else(PoisonError::into_inner);
    Ok(Verified { checked: checked.into_inner(), wrong: wrong.into_inner(), example })
}

/// Positions won, drawn and lost for the side to move.
pub type Counts = [u64; 3];

/// For each side to move (White first) and number of goats (herds included) the positions of a layer.
///
/// # Errors
/// If a block can't be read or is damaged.
pub fn count(table: &Table) -> Result<[[Counts; GOATS as usize + 1]; 2], FileError> {
    let layout = table.layout();
    let highs: Vec<u32> = layout.highs().all().collect();
    let mut counts = [[Counts::default(); GOATS as usize + 1]; 2];
    let mut number = 0;
    table.file().all_words(|words| {
        for pair in words.chunks_exact(2) {
            let (row, high) = (number / highs.len(), highs.get(number % highs.len()).copied().unwrap_or(0));
            number += 1;
            let Some(side) = counts.get_mut(row / layout.pairs().len()) else { continue };
            let [won, lost] = pair else { continue };
            for low_goats in 0..=LOW_SLOTS {
                let goats = high.count_ones() + low_goats;
                let parts = low_parts(low_goats as i32) & !low_parts(low_goats as i32 - 1) & layout.valid(high);
                let slot = side.get_mut((goats + layout.layer().goats()) as usize);
                if let Some([wins, draws, losses]) = slot.filter(|_| parts != 0) {
                    *wins += u64::from((won & parts).count_ones());
                    *losses += u64::from((lost & parts).count_ones());
                    *draws += u64::from((parts & !won & !lost).count_ones());
                }
            }
        }
    })?;
    Ok(counts)
}
