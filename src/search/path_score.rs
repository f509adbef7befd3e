//! The value that a node hands back: a score, and whether it holds on other paths too.
//!
//! In the tree a position that repeats one on the path from the root counts as a draw at once, though the rule asks for
//! a third occurrence: whoever could do better by going round again could do so the first time.

use crate::search::score::Score;

/// Number of a position on the path from the root: 0 is the root.
pub type Ply = u16;

/// A score, and how far up the path it rests on a draw.
///
/// A repetition is a draw because of the positions before it, so a score that rests on one holds for this path only.
/// Once the path is taken back beyond the position that was repeated, the score stands on its own.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct PathScore {
    /// The score for the side to move.
    pub score: Score,
    /// What it rests on; of several things the one nearest to the root.
    pub rests_on: Dependence,
}

/// What a score rests on besides the position itself. The order is by how much of the path it needs.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Dependence {
    /// The game before the root, or the count of quiet plies.
    History,
    /// This position on the path.
    Path(Ply),
    /// Nothing.
    None,
}

impl PathScore {
    /// A score that rests on nothing but its position.
    pub const fn sound(score: Score) -> Self {
        Self { score, rests_on: Dependence::None }
    }

    /// A draw because of what came before.
    pub const fn draw(rests_on: Dependence) -> Self {
        Self { score: Score::DRAW, rests_on }
    }

    /// The value as the opponent sees it.
    pub fn flipped(self) -> Self {
        Self { score: -self.score, ..self }
    }

    /// Whether the value holds for the position at this ply whatever path leads to it.
    pub fn holds_at(self, ply: Ply) -> bool {
        self.rests_on >= Dependence::Path(ply)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_repetition_holds_from_the_repeated_position_up() {
        let value = PathScore::draw(Dependence::Path(3));
        assert!(value.holds_at(3) && value.holds_at(2) && !value.holds_at(4));
        assert!(PathScore::sound(Score::DRAW).holds_at(9));
        assert!(!PathScore::draw(Dependence::History).holds_at(0));
    }
}
