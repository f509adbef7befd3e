//! The window of an alpha-beta search.

use crate::search::score::Score;

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
}
