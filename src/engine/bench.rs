//! The benchmark: a fixed set of positions over all rule sets, searched to a fixed depth by one thread.
//!
//! Its node count is the signature of the search: the same on every machine and every run, and different after any
//! change of what the search does.

use crate::game::Game;
use crate::notation::fen;
use crate::position::Position;
use crate::rules::RuleSet;
use crate::search::control::Control;
use crate::search::limits::Limits;
use crate::search::tt::TranspositionTable;
use crate::search::{SearchSettings, SearchStats, search};
use std::time::Instant;
use std::{fmt, io};

/// Depth of the searches where none is given, in plies.
pub const DEFAULT_DEPTH: u32 = 12;
/// Deepest searches, in plies.
pub use crate::search::MAX_DEPTH;
/// Size of the transposition table, in megabytes.
const HASH: usize = 16;

/// Positions besides the starts of the seven rule sets: the rule set and the position text.
const POSITIONS: [(&str, &str); 14] = [
    ("baghbandi", "1A1A1/2AAC/1tAAA/2C2/A2tA w 0 20"),
    ("baghbandi", "1tA2/2D1D/2tA1/2DAC/2A2 w 0 9"),
    ("baghbandi", "5/2A1E/4A/t1DtC/2A1A b 0 14"),
    ("baghbandi", "AAAA1/A1AAt/AAA2/1A1t1/1AA2 w 4 60"),
    ("moderno", "1A1AA/1A1AB/3t1/1tAAB/4A b 0 20"),
    ("moderno", "A1AAA/A2AA/1t1A1/A1tAA/AAA1A w 0 33"),
    ("super", "5/2DAD/1tA1A/2C1D/t2A1 b 0 12"),
    ("super", "AA1AA/AA1AA/A2tA/1t2A/AAA1A w 2 40"),
    ("baghguti", "2A2/1E1D1/t1A2/1D1D1/3t1 w 0 5"),
    ("baghguti", "AAtA1/1B1A1/A1A1A/tC1BA/1A1A1 b 0 25"),
    ("baghguti-murray", "1AA2/1D1C1/A1t1A/1D1DA/t4 w 0 8"),
    ("wikipedia", "1A2A/1A1AA/3AA/t3B/1tAAA w 0 30"),
    ("wikipedia-multi", "A3A/2A1A/1t1A1/2A1A/A1t1A b 0 44"),
    ("wikipedia-multi", "t4/2EAD/4A/2C1C/3At w 0 11"),
];

/// The positions: the starts of the rule sets, then a choice of others.
///
/// # Errors
/// None, as long as the list of positions is right.
pub fn positions() -> Result<Vec<Position>, String> {
    let starts = RuleSet::all().iter().map(|rules| Ok(Position::start(rules)));
    let others = POSITIONS.iter().map(|(name, text)| {
        let rules = RuleSet::named(name).ok_or_else(|| format!("no rule set {name}"))?;
        fen::parse(rules, text).map_err(|error| error.to_string())
    });
    starts.chain(others).collect()
}

/// Searches every position to `depth` plies, each with an empty transposition table, and calls `each` with what it took.
///
/// # Errors
/// Says why it has not run to its end: `control` has stopped it, or `each` has failed.
pub fn run(
    depth: u32,
    control: &Control,
    mut each: impl FnMut(&BenchPosition) -> io::Result<()>,
) -> Result<SearchStats, String> {
    let mut sum = SearchStats::default();
    for (index, position) in positions()?.into_iter().enumerate() {
        let limits = Limits { depth: Some(depth), ..Limits::default() };
        let began = Instant::now();
        let answer = search(
            &Game::new(position),
            &limits,
            &SearchSettings::default(),
            &TranspositionTable::new(HASH),
            control,
            |_| {},
        );
        if control.is_stopped() {
            return Err("stopped".to_owned());
        }
        sum.time += began.elapsed();
        sum.nodes += answer.stats.nodes;
        let row = BenchPosition { number: index + 1, nodes: answer.stats.nodes, position };
        each(&row).map_err(|error| error.to_string())?;
    }
    Ok(sum)
}

/// What one position of the benchmark took.
#[derive(Clone, Debug)]
pub struct BenchPosition {
    /// Its number, from 1.
    pub number: usize,
    /// Nodes visited.
    pub nodes: u64,
    /// The position.
    pub position: Position,
}

impl fmt::Display for BenchPosition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "position {:>2}: {:>9} nodes  {:?}", self.number, self.nodes, self.position)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_positions_cover_all_rule_sets_and_are_open() {
        let positions = positions().unwrap();
        assert_eq!(positions.len(), 21);
        for rules in RuleSet::all() {
            assert!(positions.iter().filter(|position| position.rules() == rules).count() >= 2, "{}", rules.name);
        }
        for position in positions {
            assert!(!position.legal_moves().is_empty(), "{position:?}");
        }
    }
}
