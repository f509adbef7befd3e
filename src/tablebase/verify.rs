//! Checks tables. Verification shares nothing with the solver but the layout of the positions: it takes them one by one
//! and plays the moves of the ordinary move generator.

use crate::parallel::for_each;
use crate::position::Position;
use crate::rules::Side;
use crate::tablebase::expect_invariant;
use crate::tablebase::file::FileError;
use crate::tablebase::probe::{LayerTable, Tablebase};
use crate::tablebase::vector::members;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};

/// The result of verifying one layer.
#[derive(Debug)]
pub struct Verified {
    /// Positions looked at.
    pub checked: u64,
    /// Of these the ones that can't be compared, since a table that they lead to is missing, damaged, or has fewer goats
    /// or no distances.
    pub unknown: u64,
    /// Positions whose value or distance does not follow from those of the positions one move away.
    pub wrong: u64,
    /// One of these.
    pub example: Option<Position>,
}

/// Reads every block of a layer and compares positions with the definition: all of them, or `sample` evenly spaced ones.
///
/// With distances, all positions looked at, this is a proof: a won position has a move to one that is lost one ply
/// sooner, a lost position has only moves to won ones, and where neither holds the game need not end. Without them it
/// shows every value that does not follow from the others, but not a set of wins that hold each other up.
///
/// # Errors
/// If a block can't be read or is damaged.
pub fn verify(
    tables: &Tablebase,
    table: &LayerTable,
    sample: Option<u64>,
    threads: usize,
) -> Result<Verified, FileError> {
    table.check(threads)?;
    let layout = table.layout();
    let every = sample.map_or(1, |sample| (layout.positions_stored() / sample.max(1)).max(1));
    let rows = 2 * layout.rows().len();
    let per_row = layout.positions_stored() / rows as u64;
    let (checked, unknown, wrong) = (AtomicU64::new(0), AtomicU64::new(0), AtomicU64::new(0));
    let example = Mutex::new(None);
    for_each(threads, 0..rows, |row| {
        let side = if row % 2 == 0 { Side::White } else { Side::Black };
        let pair = expect_invariant(layout.rows().get(row / 2), "two sides for each row");
        let mut number = row as u64 * per_row;
        for high in layout.chunks().highs() {
            for index in members(high, layout.valid(high)) {
                number += 1;
                if !number.is_multiple_of(every) {
                    continue;
                }
                checked.fetch_add(1, Relaxed);
                let position = layout.position_at(tables.rules(), *pair, index, side);
                match position.as_ref().and_then(|position| is_right(tables, position)) {
                    Some(true) => {}
                    None => {
                        unknown.fetch_add(1, Relaxed);
                    }
                    Some(false) => {
                        wrong.fetch_add(1, Relaxed);
                        *example.lock().unwrap_or_else(PoisonError::into_inner) = position;
                    }
                }
            }
        }
    });
    let example = example.into_inner().unwrap_or_else(PoisonError::into_inner);
    let [checked, unknown, wrong] = [checked, unknown, wrong].map(AtomicU64::into_inner);
    Ok(Verified { checked, unknown, wrong, example })
}

/// Whether a position's value, and its distance if tables have that, are those by the definition.
///
/// Returns `None` if a table that is needed to tell is missing.
fn is_right(tables: &Tablebase, position: &Position) -> Option<bool> {
    let expected = tables.one_ply_value(position).ok()?;
    let stored = tables.probe(position).ok()?;
    let needs_plies = stored.plies.is_some() && expected.value.winner().is_some();
    let lacks_plies = needs_plies && expected.plies.is_none();
    if lacks_plies && stored.value == expected.value { None } else { Some(stored == expected) }
}
