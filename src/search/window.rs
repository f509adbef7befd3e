//! The window of an alpha-beta search.

use crate::search::score::Score;

/// The scores that a search tells apart: one of `alpha` or less is an upper bound, one of `beta` or more a lower bound.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Window {
    /// What the side to move is already sure of.
    pub alpha: Score,
    /// What the opponent can hold it below.
    pub beta: Score,
}

impl Window {
    /// All scores.
    pub fn full() -> Self {
        Self { alpha: -Score::INFINITE, beta: Score::INFINITE }
    }

    /// The null window: tells only whether a score is above `alpha`.
    pub fn null(alpha: Score) -> Self {
        Self { alpha, beta: alpha.saturating_add(1) }
    }

    /// From `below` centigoats under a score to `above` over it.
    pub fn around(score: Score, below: i32, above: i32) -> Self {
        Self { alpha: score.saturating_add(-below), beta: score.saturating_add(above) }
    }

    /// The window as the opponent sees it (negamax).
    pub fn flipped(self) -> Self {
        Self { alpha: -self.beta, beta: -self.alpha }
    }

    /// The null window at alpha, in which moves after the first are tried (scout, Pearl 1980).
    pub fn scout(self) -> Self {
        Self::null(self.alpha)
    }

    /// Whether there is no score between alpha and beta.
    pub fn is_null(self) -> bool {
        self.beta <= self.alpha.saturating_add(1)
    }

    /// Whether a score is at most alpha, and so an upper bound.
    pub fn fails_low(self, score: Score) -> bool {
        score <= self.alpha
    }

    /// Whether a score is at least beta, and so a lower bound that ends the search of the node.
    pub fn fails_high(self, score: Score) -> bool {
        score >= self.beta
    }

    /// Raises alpha to a score; false if it was there or above already.
    pub fn raise_alpha(&mut self, score: Score) -> bool {
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
        assert!(window.raise_alpha(Score::evaluation(0)) && !window.raise_alpha(Score::evaluation(0)));
        assert!(window.fails_high(Score::evaluation(40)) && !window.fails_high(Score::evaluation(39)));
        assert!(!Window::full().is_null());
    }
}
