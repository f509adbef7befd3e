//! Endgame tables: the exact value of every position with few goats or few herds.
//!
//! Captured goats never come back and a goat that has left a herd never forms one again, so positions fall into layers
//! ([`layer`]) that are solved one after another. Each layer is a file, `<rule set>-<heights of the herds>.table`; it
//! holds all positions of the layer with at most the file's number of goats, both sides to move.
//!
//! # Format (version 1; all numbers little-endian)
//!
//! | bytes | what |
//! |---|---|
//! | 8 | `SundTab`, line feed |
//! | 4 | version |
//! | 4 | words in a block: 2048 |
//! | 24 | name of the rule set, filled up with zero bytes |
//! | 4 | heights of the four herds, 0 or 2 to 5 |
//! | 4 | most goats in all, herds included |
//! | 8 | words of 64 bits in the table |
//! | 8 | zero |
//! | 16 a block | where the block ends in the file, its checksum |
//! | 8 | checksum of all the above |
//! | the rest | the blocks |
//!
//! The table is an array of pairs of words, first the positions won for their side to move, then the lost ones; what is
//! neither is drawn (endless play) or no position. Pair number `((side * pairs) + tigers) * highs + high` (White 0,
//! Black 1) holds 64 positions, told apart by their low slots: see [`layout`] for `tigers`, slots and high parts. A
//! block's words are stored without their zero bytes: for every 64 words a bitmap of those that are not zero, then for
//! each of these a bitmap of its bytes that are not zero, and those bytes. No symmetry is used yet.

pub mod build;
pub mod file;
pub mod layer;
pub mod layout;
pub mod probe;
mod share;
mod solver;
pub mod verify;

pub use probe::{OpenError, Tables};

use crate::rules::{Capture, RuleSet};
use std::fmt;

/// The exact value of a position for its side to move.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Verdict {
    /// The other side can force a win.
    Loss,
    /// Neither side can: the game need never end.
    Draw,
    /// It can force a win.
    Win,
}

impl Verdict {
    /// The same for the other side.
    pub const fn opposite(self) -> Self {
        match self {
            Self::Win => Self::Loss,
            Self::Draw => Self::Draw,
            Self::Loss => Self::Win,
        }
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Win => "win",
            Self::Draw => "draw",
            Self::Loss => "loss",
        })
    }
}

/// Whether there are tables for a rule set: wins must be worth no points, and captures be optional.
pub fn supports(rules: &RuleSet) -> bool {
    !rules.scored && rules.capture == Capture::Optional
}
