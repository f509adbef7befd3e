//! Scores that may depend on the path: graph history interaction.
//!
//! The value of a position with draws by repetition depends on how it was reached, so a score found on one path may be
//! wrong on another and must not reach it through the transposition table (graph history interaction: Palay 1983,
//! Campbell 1985; a survey and a general solution: Kishimoto and Mueller 2004). Here every score knows how much of the
//! path it depends on, and those that depend on the path above their node are not stored.
//!
//! In the tree a position that repeats one on the path from the root counts as a draw at once, though the rule asks for
//! a third occurrence: whoever could do better by going round again could do so the first time.

use crate::search::ply::Ply;
use crate::search::score::Score;

/// A score, and how far up the path it depends on a draw.
///
/// A repetition is a draw because of the positions before it, so a score that depends on one holds for this path only.
/// Once the path is taken back beyond the position that was repeated, the score stands on its own.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct PathScore {
    /// The score for the side to move.
    pub score: Score,
    /// What it depends on; of several things the one nearest to the root.
    pub dependence: Dependence,
}

/// What a score depends on besides the position itself. The order is by how much of the path it needs, most first.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Dependence {
    /// The game before the root, or the count of quiet plies.
    Game,
    /// The path from the position at this ply on.
    Path(Ply),
    /// Nothing.
    None,
}

impl PathScore {
    /// A score that depends on nothing but its position.
    pub const fn independent(score: Score) -> Self {
        Self { score, dependence: Dependence::None }
    }

    /// A draw because of what came before.
    pub const fn draw(dependence: Dependence) -> Self {
        Self { score: Score::DRAW, dependence }
    }

    /// The score as the opponent sees it (negamax).
    pub fn flipped(self) -> Self {
        Self { score: -self.score, ..self }
    }

    /// Whether the score of a position at this ply is the same on any path to it.
    pub fn is_independent_at(self, ply: Ply) -> bool {
        self.dependence >= Dependence::Path(ply)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_repetition_depends_on_the_path_below_the_repeated_position() {
        let value = PathScore::draw(Dependence::Path(3));
        assert!(value.is_independent_at(3) && value.is_independent_at(2) && !value.is_independent_at(4));
        assert!(PathScore::independent(Score::DRAW).is_independent_at(9));
        assert!(!PathScore::draw(Dependence::Game).is_independent_at(0));
    }
}
