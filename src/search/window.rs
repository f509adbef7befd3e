//! The window of an alpha-beta search, and the value that a node hands back.

use super::score::Score;

/// Scores between which a search tells values apart: at most `alpha` and at least `beta` are bounds only.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Window {
    /// The side to move is already sure of this much.
    pub alpha: Score,
    /// The opponent will not let it have this much.
    pub beta: Score,
}

impl Window {
    /// All scores.
    pub fn full() -> Self {
        Self { alpha: -Score::INFINITE, beta: Score::INFINITE }
    }

    /// The window that asks only whether a score is above `alpha`.
    pub fn null(alpha: Score) -> Self {
        Self { alpha, beta: alpha.plus(1) }
    }

    /// So many centigoats on either side of a score.
    pub fn around(score: Score, below: i32, above: i32) -> Self {
        Self { alpha: score.plus(-below), beta: score.plus(above) }
    }

    /// The window as the opponent sees it.
    pub fn flipped(self) -> Self {
        Self { alpha: -self.beta, beta: -self.alpha }
    }

    /// The null window at alpha, which a move must break to deserve more.
    pub fn scout(self) -> Self {
        Self::null(self.alpha)
    }

    /// Whether there is no score between alpha and beta.
    pub fn is_null(self) -> bool {
        self.beta <= self.alpha.plus(1)
    }

    /// Whether a score fails high.
    pub fn is_cut_by(self, score: Score) -> bool {
        score >= self.beta
    }

    /// Raises alpha to a score; true if it was below.
    pub fn raise(&mut self, score: Score) -> bool {
        let raises = score > self.alpha;
        if raises {
            self.alpha = score;
        }
        raises
    }
}

/// How a score relates to the true value of its search.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Bound {
    /// The value itself.
    Exact,
    /// The value is this or more.
    Lower,
    /// The value is this or less.
    Upper,
}

/// Number of a position on the path from the root: 0 is the root.
pub type Ply = u16;

/// A score, and how far up the path it rests on a draw.
///
/// A repetition is a draw because of the positions before it, so a score that rests on one holds for this path only.
/// Once the path is taken back beyond the position that was repeated, the score stands on its own.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Value {
    /// The score for the side to move.
    pub score: Score,
    /// The highest position on the path that the score rests on.
    pub rests_on: Support,
}

/// What a score rests on besides the position itself. The order is by how much of the path it needs.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Support {
    /// The game before the root, or the count of quiet plies.
    History,
    /// This position on the path.
    Path(Ply),
    /// Nothing.
    None,
}

impl Value {
    /// A score that rests on nothing but its position.
    pub const fn sound(score: Score) -> Self {
        Self { score, rests_on: Support::None }
    }

    /// A draw because of what came before.
    pub const fn draw(rests_on: Support) -> Self {
        Self { score: Score::DRAW, rests_on }
    }

    /// The value as the opponent sees it.
    pub fn flipped(self) -> Self {
        Self { score: -self.score, ..self }
    }

    /// Whether the value holds for the position at this ply whatever path leads to it.
    pub fn holds_at(self, ply: Ply) -> bool {
        self.rests_on >= Support::Path(ply)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn windows_flip_and_narrow() {
        let mut window = Window::around(Score::evaluation(10), 20, 30);
        assert_eq!(window.flipped().flipped(), window);
        assert!(!window.is_null() && window.scout().is_null() && window.scout().flipped().is_null());
        assert!(window.raise(Score::evaluation(0)) && !window.raise(Score::evaluation(0)));
        assert!(window.is_cut_by(Score::evaluation(40)) && !window.is_cut_by(Score::evaluation(39)));
        assert!(!Window::full().is_null());
    }

    #[test]
    fn a_repetition_holds_from_the_repeated_position_up() {
        let value = Value::draw(Support::Path(3));
        assert!(value.holds_at(3) && value.holds_at(2) && !value.holds_at(4));
        assert!(Value::sound(Score::DRAW).holds_at(9));
        assert!(!Value::draw(Support::History).holds_at(0));
    }
}
