//! How a game ends by the rules, and its points.

use super::position::{Result, Side, State};

impl State {
    /// How the game ended, or nothing where it goes on. Draws are left to the caller.
    pub fn over(&self) -> Option<Result> {
        if self.too_few_goats() {
            Some(Result::BlackWins)
        } else if self.side == Side::Black && self.paths().is_empty() {
            Some(Result::WhiteWins)
        } else {
            None
        }
    }

    /// The points of a finished game of a scored rule set, seen by White: goats left minus 2, or -10. Nothing where
    /// the game goes on, or the rule set isn't scored.
    pub fn points(&self) -> Option<i32> {
        if !self.rules.scored {
            return None;
        }
        match self.over()? {
            Result::WhiteWins => Some(self.goats() as i32 - 2),
            Result::BlackWins => Some(-10),
        }
    }

    /// Whether the side to move has won a finished game. Only a position that was set up can be so: Black to move with
    /// too few goats.
    pub(super) fn mover_has_won(&self, result: Result) -> bool {
        matches!((self.side, result), (Side::White, Result::WhiteWins) | (Side::Black, Result::BlackWins))
    }
}
