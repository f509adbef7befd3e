//! Values of positions: win, draw or loss, and where wins are scored, the points.

use crate::rules::{GOATS_TO_IMMOBILISE, RuleSet, Side};
use std::cmp::Ordering;
use std::fmt;

/// The exact value of a position for its side to move.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Wdl {
    /// The other side can force a win.
    Loss,
    /// Neither side can: the game need never end.
    Draw,
    /// It can force a win.
    Win,
}

impl Wdl {
    /// The value for the other side.
    pub const fn opposite(self) -> Self {
        match self {
            Self::Win => Self::Loss,
            Self::Draw => Self::Draw,
            Self::Loss => Self::Win,
        }
    }
}

impl fmt::Display for Wdl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Win => "win",
            Self::Draw => "draw",
            Self::Loss => "loss",
        })
    }
}

/// Who wins a position that both play perfectly and, where wins are scored, with how many points: the class that tables
/// store. 0 is a draw (endless play), 1 Black's win; White's wins are 2 where wins are not scored, else the goats left
/// minus 5, 2 to 15.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub struct TableValue(u8);

impl TableValue {
    /// Neither side can force a win.
    pub const DRAW: Self = Self(0);
    /// Black wins.
    pub const BLACK: Self = Self(1);

    /// White wins with `goats` goats left, [`GOATS_TO_IMMOBILISE`] to 20.
    pub const fn white(rules: &RuleSet, goats: u32) -> Self {
        Self(if rules.scored { goats.saturating_sub(GOATS_TO_IMMOBILISE) as u8 + 2 } else { 2 })
    }

    /// The value of a game that `winner` has won, `goats` goats being left.
    pub const fn won(rules: &RuleSet, winner: Side, goats: u32) -> Self {
        match winner {
            Side::White => Self::white(rules, goats),
            Side::Black => Self::BLACK,
        }
    }

    /// The value that tables store as this number, 0 to 15.
    pub const fn from_class(class: u8) -> Self {
        Self(class)
    }

    /// The number that tables store.
    pub const fn class(self) -> u8 {
        self.0
    }

    /// Binary digits of the classes of a rule set.
    pub const fn digits(rules: &RuleSet) -> usize {
        if rules.scored { 4 } else { 2 }
    }

    /// Who wins.
    pub const fn winner(self) -> Option<Side> {
        match self.0 {
            0 => None,
            1 => Some(Side::Black),
            _ => Some(Side::White),
        }
    }

    /// The winner's points: 0 for a draw, 1 for a win where wins are not scored.
    pub const fn points(self, rules: &RuleSet) -> u32 {
        match self.winner() {
            None => 0,
            Some(side) => rules.win_points(side, self.0 as u32 + GOATS_TO_IMMOBILISE - 2),
        }
    }

    /// The value for one side, without points.
    pub fn wdl(self, side: Side) -> Wdl {
        match self.winner() {
            None => Wdl::Draw,
            Some(winner) if winner == side => Wdl::Win,
            Some(_) => Wdl::Loss,
        }
    }

    /// Which of two values is better for a side.
    pub fn compare(self, other: Self, side: Side) -> Ordering {
        // Black's win is White's worst, a draw comes next.
        let rank = |value: Self| match value.0 {
            0 => 1,
            1 => 0,
            class => class,
        };
        match side {
            Side::White => rank(self).cmp(&rank(other)),
            Side::Black => rank(other).cmp(&rank(self)),
        }
    }
}
