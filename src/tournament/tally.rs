//! Counts of a match: games won, drawn and lost, and pairs of games (same opening, sides swapped), always as the first
//! engine of a pairing sees them.

use crate::game::GameResult;
use crate::tournament::elo::{Figures, ScoreCount};
use std::ops::AddAssign;

/// Games won, drawn and lost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Trinomial {
    pub wins: u64,
    pub draws: u64,
    pub losses: u64,
}

impl Trinomial {
    pub fn add(&mut self, result: GameResult) {
        match result {
            GameResult::Win => self.wins += 1,
            GameResult::Draw => self.draws += 1,
            GameResult::Loss => self.losses += 1,
        }
    }

    pub fn games(&self) -> u64 {
        self.wins + self.draws + self.losses
    }

    /// Wins plus half the draws, 0 to `games`.
    pub fn points(&self) -> f64 {
        self.wins as f64 + 0.5 * self.draws as f64
    }

    /// Points per game, 0 to 1. `None` without games.
    pub fn score(&self) -> Option<f64> {
        share(self.points(), self.games())
    }

    /// The same games as the other engine sees them.
    pub fn flipped(&self) -> Self {
        Self { wins: self.losses, draws: self.draws, losses: self.wins }
    }
}

impl AddAssign for Trinomial {
    fn add_assign(&mut self, other: Self) {
        self.wins += other.wins;
        self.draws += other.draws;
        self.losses += other.losses;
    }
}

/// Finished pairs of games, by the two results (pentanomial counts). The middle of the five classes
/// is kept in its two parts, since they say how balanced the openings were.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Pentanomial {
    /// Both lost: 0 points of 2.
    pub ll: u64,
    /// One lost, one drawn: 1/2.
    pub ld: u64,
    /// One won, one lost: 1.
    pub wl: u64,
    /// Both drawn: 1.
    pub dd: u64,
    /// One won, one drawn: 3/2.
    pub wd: u64,
    /// Both won: 2.
    pub ww: u64,
}

impl Pentanomial {
    /// Counts the pair with these two results, in either order.
    pub fn add(&mut self, one: GameResult, other: GameResult) {
        use GameResult::{Draw, Loss, Win};
        match (one, other) {
            (Loss, Loss) => self.ll += 1,
            (Loss, Draw) | (Draw, Loss) => self.ld += 1,
            (Win, Loss) | (Loss, Win) => self.wl += 1,
            (Draw, Draw) => self.dd += 1,
            (Win, Draw) | (Draw, Win) => self.wd += 1,
            (Win, Win) => self.ww += 1,
        }
    }

    /// Pairs that scored 0, 1/2, 1, 3/2 and 2 points, in this order.
    pub fn counts(&self) -> [u64; 5] {
        [self.ll, self.ld, self.wl + self.dd, self.wd, self.ww]
    }

    pub fn pairs(&self) -> u64 {
        self.counts().iter().sum()
    }

    /// The games of these pairs one by one.
    pub fn wdl(&self) -> Trinomial {
        Trinomial {
            wins: 2 * self.ww + self.wd + self.wl,
            draws: self.wd + 2 * self.dd + self.ld,
            losses: self.wl + self.ld + 2 * self.ll,
        }
    }

    /// Pairs that ended level (1 point of 2) per pair, 0 to 1. `None` without pairs.
    pub fn draw_ratio(&self) -> Option<f64> {
        share((self.wl + self.dd) as f64, self.pairs())
    }

    /// Pairs won per pair lost, 0 to infinity. `None` when neither occurred.
    pub fn pairs_ratio(&self) -> Option<f64> {
        ratio(self.wd + self.ww, self.ld + self.ll)
    }

    /// Level pairs with a win and a loss per level pair with two draws, 0 to infinity; above 1 the
    /// openings favour one side. `None` when neither occurred.
    pub fn wl_dd_ratio(&self) -> Option<f64> {
        ratio(self.wl, self.dd)
    }

    /// The same pairs as the other engine sees them.
    pub fn flipped(&self) -> Self {
        Self { ll: self.ww, ld: self.wd, wl: self.wl, dd: self.dd, wd: self.ld, ww: self.ll }
    }

    /// Pairs by their score per game, worst first.
    pub fn score_counts(&self) -> [ScoreCount; 5] {
        [
            ScoreCount::new(0.0, self.ll),
            ScoreCount::new(0.25, self.ld),
            ScoreCount::new(0.5, self.wl + self.dd),
            ScoreCount::new(0.75, self.wd),
            ScoreCount::new(1.0, self.ww),
        ]
    }

    /// Strength figures that take every pair as independent. `None` without pairs.
    pub fn figures(&self) -> Option<Figures> {
        Figures::from_counts(&self.score_counts(), 2.0)
    }
}

impl AddAssign for Pentanomial {
    fn add_assign(&mut self, other: Self) {
        self.ll += other.ll;
        self.ld += other.ld;
        self.wl += other.wl;
        self.dd += other.dd;
        self.wd += other.wd;
        self.ww += other.ww;
    }
}

/// The first engine's games apart by the side it played. This game is not symmetrical.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sides {
    /// Its games with the goats.
    pub as_white: Trinomial,
    /// Its games with the tigers.
    pub as_black: Trinomial,
}

impl Sides {
    /// All games as White sees them, whoever had White.
    pub fn white_vs_black(&self) -> Trinomial {
        let mut white = self.as_white;
        white += self.as_black.flipped();
        white
    }
}

/// Totals in a scored rule set, where a pair of games is a match won by the greater sum of points.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PointsTally {
    /// Points of the first engine over all its games.
    pub first: u64,
    /// Points of the second engine.
    pub second: u64,
    /// Matches (pairs) won, drawn and lost by the first engine.
    pub matches: Trinomial,
}

impl PointsTally {
    /// Counts one match from the points that either engine made in its two games together.
    pub fn add_match(&mut self, first: u64, second: u64) {
        self.first = self.first.saturating_add(first);
        self.second = self.second.saturating_add(second);
        self.matches.add(match first.cmp(&second) {
            std::cmp::Ordering::Greater => GameResult::Win,
            std::cmp::Ordering::Equal => GameResult::Draw,
            std::cmp::Ordering::Less => GameResult::Loss,
        });
    }
}

/// `part / whole`, `None` for an empty whole.
fn share(part: f64, whole: u64) -> Option<f64> {
    (whole > 0).then(|| part / whole as f64)
}

/// `a / b`, infinite for b = 0, `None` for 0 / 0.
fn ratio(a: u64, b: u64) -> Option<f64> {
    (a + b > 0).then(|| a as f64 / b as f64)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn close(found: f64, expected: f64, tolerance: f64) {
        assert!((found - expected).abs() <= tolerance, "found {found}, expected {expected} to within {tolerance}");
    }

    fn penta([ll, ld, wl, dd, wd, ww]: [u64; 6]) -> Pentanomial {
        Pentanomial { ll, ld, wl, dd, wd, ww }
    }

    // The ratios in the same published fastchess output as the Elo figures of elo.rs: its issue 807, RubiChess pull
    // request 523, princhess 343, Lynx 1899, cinder 836. Middle classes as counted there, undivided.
    #[test]
    fn fastchess_ratios() {
        for (counts, draws, ratio) in [
            ([30, 6, 18, 0, 0, 6], 30.00, 0.17),
            ([8, 633, 0, 1558, 804, 6], 51.78, 1.26),
            ([1, 22, 0, 52, 21, 4], 52.00, 1.09),
            ([235, 1384, 0, 2521, 1341, 239], 44.07, 0.98),
            ([835, 6884, 0, 13116, 7201, 852], 45.40, 1.04),
        ] {
            let pairs = penta(counts);
            close(100.0 * pairs.draw_ratio().unwrap(), draws, 0.005_001);
            close(pairs.pairs_ratio().unwrap(), ratio, 0.005_001);
        }
    }

    #[test]
    fn ratios_without_a_denominator() {
        let won = penta([0, 0, 0, 0, 0, 3]);
        assert_eq!((won.pairs_ratio(), won.wl_dd_ratio()), (Some(f64::INFINITY), None));
        let empty = Pentanomial::default();
        assert_eq!((empty.figures(), empty.draw_ratio(), empty.pairs_ratio()), (None, None, None));
    }

    // The six outcomes in fastchess `app/tests/scoreboard_test.cpp`.
    #[test]
    fn pairs_are_counted_by_both_results() {
        use GameResult::{Draw, Loss, Win};
        let mut pairs = Pentanomial::default();
        let all = [Win, Draw, Loss];
        for one in all {
            for other in all {
                pairs.add(one, other);
            }
        }
        assert_eq!(pairs, penta([1, 2, 2, 1, 2, 1]));
        assert_eq!(pairs.counts(), [1, 2, 3, 2, 1]);
        assert_eq!(pairs.wdl(), Trinomial { wins: 6, draws: 6, losses: 6 });
        assert_eq!(pairs.flipped(), pairs);
        assert_eq!(all.map(GameResult::flipped), [Loss, Draw, Win]);
    }

    #[test]
    fn sums() {
        let mut pairs = penta([1, 2, 3, 4, 5, 6]);
        pairs += penta([6, 5, 4, 3, 2, 1]);
        assert_eq!(pairs, penta([7; 6]));
        let mut games = Trinomial { wins: 1, draws: 2, losses: 3 };
        games += games.flipped();
        assert_eq!((games, games.points()), (Trinomial { wins: 4, draws: 4, losses: 4 }, 6.0));
    }

    // talkchess.com t=84211.
    #[test]
    fn sides_add_up() {
        let sides = Sides {
            as_white: Trinomial { wins: 181, losses: 167, draws: 116 },
            as_black: Trinomial { wins: 183, losses: 179, draws: 102 },
        };
        assert_eq!(sides.white_vs_black(), Trinomial { wins: 360, losses: 350, draws: 218 });
    }

    // Goats that win with 14 left score 12, tigers 10; two games with the sides swapped make a match.
    #[test]
    fn matches_by_points() {
        let mut points = PointsTally::default();
        points.add_match(12, 10);
        points.add_match(10, 10);
        points.add_match(0, 28);
        assert_eq!((points.first, points.second), (22, 48));
        assert_eq!(points.matches, Trinomial { wins: 1, draws: 1, losses: 1 });
    }
}
