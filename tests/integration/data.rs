//! The files in `tests/data`.

use std::path::{Path, PathBuf};

/// Leaf counts from the start by rule set, from depth 1.
pub const PERFT: &str = include_str!("../data/perft.tsv");
/// Rule set, position, legal moves (sorted, or `(none)`), perft 2 and perft 3.
pub const POSITIONS: &str = include_str!("../data/positions.tsv");
/// Position, and moves from the standard start that lead there.
pub const OPENINGS: &str = include_str!("../data/openings.tsv");
/// Solved positions: see the head of the file.
pub const VALUES: &str = include_str!("../data/values.tsv");
/// A whole game under the rules `super`, as a record.
pub const SUPER_GAME: &str = include_str!("../data/super-game.txt");

/// The fields of each line that is no comment.
pub fn rows(text: &'static str) -> impl Iterator<Item = Vec<&'static str>> {
    text.lines().filter(|line| !line.starts_with('#')).map(|line| line.split('\t').collect())
}

/// Leaf counts by rule set, from depth 1.
pub fn perft_counts() -> Vec<(&'static str, Vec<u64>)> {
    rows(PERFT).map(|row| (row[0], row[1..].iter().map(|count| count.parse().unwrap()).collect())).collect()
}

/// Where a file is.
pub fn path(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data").join(name)
}
