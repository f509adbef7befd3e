//! The levels that networks are trained for: each end of a game, divided by how soon it comes, and draws by who gives them
//! away first, and how soon.
//!
//! Of most positions with herds only the value is known, since tables with distances take five times as long to solve and as
//! much room. There a hint says how far White's wins are on average with so many goats alive and below others in herds.
//! Otherwise all that is won would look alike, and nothing would lead from a won position with herds to one without.

use crate::eval::network::{End, Level};
use crate::rules::GOATS;

/// Bounds of the plies of Black's wins, the quickest first.
const BLACK_PLIES: [u32; 8] = [4, 8, 14, 22, 32, 46, 66, Level::ANY];
/// Bounds of the plies of White's wins, the quickest first.
const WHITE_PLIES: [u32; 15] = [4, 8, 14, 20, 28, 36, 46, 58, 70, 85, 100, 115, 130, 150, Level::ANY];
/// Bounds of the plies to the first error in a drawn position, the soonest first.
const ERROR_PLIES: [u32; 4] = [4, 12, 30, Level::ANY];
/// Fewest goats of [`MEAN_PLIES`]; with fewer there are too few wins to count.
const FEWEST_GOATS: u32 = GOATS + 1 - MEAN_PLIES.len() as u32;
/// Mean plies to White's win by the goats that live, from 13 to 20, and those below the top ones of herds, from 0 to 4, in
/// 293,000 won positions of `baghbandi` with distances. It hardly matters in which herds they are: with 16 goats, one below
/// the top of each of two herds is as far as two below that of one, 46 and 49 plies.
const MEAN_PLIES: [[u32; 5]; 8] = [
    [50, 54, 62, 69, 77],
    [55, 63, 75, 93, 108],
    [45, 54, 65, 83, 106],
    [30, 37, 47, 64, 81],
    [19, 24, 31, 42, 56],
    [12, 16, 21, 29, 39],
    [7, 11, 14, 21, 28],
    [4, 7, 10, 15, 21],
];
/// Half plies for each further goat below: as the start, with 16, is 123 plies from the end.
const FURTHER_HALF_PLIES: u32 = 17;

/// Plies that White's win takes on average with so many goats alive, of which `below` are below the top one of a herd.
pub fn mean_plies(goats: u32, below: u32) -> u32 {
    let row = goats.clamp(FEWEST_GOATS, GOATS) - FEWEST_GOATS;
    let means = MEAN_PLIES.get(row as usize).copied().unwrap_or_default();
    let counted = (below as usize).min(means.len() - 1);
    let further = (below - counted as u32) * FURTHER_HALF_PLIES / 2;
    means.get(counted).copied().unwrap_or_default() + further
}

/// The levels of all networks, the worst for White first. Points are left aside: that a win comes nearer counts for more than
/// that it may bring a goat's point more in the end, since a win that comes no nearer brings none.
pub fn levels() -> Vec<Level> {
    let levels = |end, plies: &[u32]| -> Vec<Level> {
        let ascends = end < End::Held;
        let level = |longest: &u32| Level { end, longest: *longest };
        if ascends { plies.iter().map(level).collect() } else { plies.iter().rev().map(level).collect() }
    };
    [
        levels(End::BlackWins, &BLACK_PLIES),
        levels(End::WhiteErrs, &ERROR_PLIES),
        vec![Level::HELD],
        levels(End::BlackErrs, &ERROR_PLIES),
        levels(End::WhiteWins, &WHITE_PLIES),
    ]
    .concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn herds_make_it_longer_and_goats_shorter() {
        let cases = [(20, 16), (20, 0), (16, 3), (15, 3), (16, 6), (9, 1)];
        assert_eq!(cases.map(|(goats, below)| mean_plies(goats, below)), [123, 4, 64, 83, 98, 54]);
    }

    #[test]
    fn levels_go_up_to_quicker_wins() {
        let levels = levels();
        let order = |level: &Level| match level.end {
            end if end < End::Held => (end, level.longest),
            end => (end, Level::ANY - level.longest),
        };
        assert!(levels.len() == 8 + 4 + 1 + 4 + 15 && levels.is_sorted_by(|low, high| order(low) < order(high)));
    }
}
