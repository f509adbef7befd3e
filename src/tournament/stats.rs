//! Counts of a match and the strength figures that follow from them.
//! Games are counted as won, drawn, lost, or in pairs (same opening, sides swapped), always as the
//! first engine sees them. Two games from one opening depend on each other, so the pairs are the
//! honest sample and give the narrower error bars. Pure arithmetic; a call costs microseconds.

use crate::game::GameResult;
use std::f64::consts::{LN_10, PI, SQRT_2};
use std::ops::AddAssign;

/// Two-sided 95 % quantile of the standard normal distribution.
const Z_95: f64 = 1.959_963_984_540_054;

/// Probability that a 95 % interval misses.
const MISS_95: f64 = 0.05;

/// Normalized Elo per unit of (score - 1/2) / standard deviation of one game, 800 / ln 10 = 347.44.
/// Source: M. Van den Bergh, "Comments on normalized Elo",
/// cantate.be/Fishtest/normalized_elo_practical.pdf.
pub const NELO_PER_SIGMA: f64 = 800.0 / LN_10;

/// Games won, drawn and lost (trinomial counts).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Trinomial {
    /// Games won.
    pub wins: u64,
    /// Games drawn.
    pub draws: u64,
    /// Games lost.
    pub losses: u64,
}

impl Trinomial {
    /// Counts a game.
    pub fn add(&mut self, outcome: GameResult) {
        match outcome {
            GameResult::Win => self.wins += 1,
            GameResult::Draw => self.draws += 1,
            GameResult::Loss => self.losses += 1,
        }
    }

    /// All games.
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

    /// Drawn games per game, 0 to 1. `None` without games.
    pub fn draw_ratio(&self) -> Option<f64> {
        share(self.draws as f64, self.games())
    }

    /// The same games as the other engine sees them.
    pub fn flipped(&self) -> Self {
        Self { wins: self.losses, draws: self.draws, losses: self.wins }
    }

    /// Score of a single game and how often it occurred, worst first.
    pub fn cells(&self) -> [Cell; 3] {
        [Cell::new(0.0, self.losses), Cell::new(0.5, self.draws), Cell::new(1.0, self.wins)]
    }

    /// Strength figures that take every game as independent. `None` without games.
    pub fn figures(&self) -> Option<Figures> {
        Figures::from_cells(&self.cells(), 1.0)
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

    /// All pairs.
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

    /// Points per game, 0 to 1. `None` without pairs.
    pub fn score(&self) -> Option<f64> {
        self.wdl().score()
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

    /// Score per game of a pair and how often it occurred, worst first.
    pub fn cells(&self) -> [Cell; 5] {
        [
            Cell::new(0.0, self.ll),
            Cell::new(0.25, self.ld),
            Cell::new(0.5, self.wl + self.dd),
            Cell::new(0.75, self.wd),
            Cell::new(1.0, self.ww),
        ]
    }

    /// Strength figures that take every pair as independent. `None` without pairs.
    pub fn figures(&self) -> Option<Figures> {
        Figures::from_cells(&self.cells(), 2.0)
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

/// What a report or a sequential test is computed from: pairs, or single games where a match is not
/// played in pairs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PairTally {
    /// Finished pairs.
    Pairs(Pentanomial),
    /// Single games.
    Games(Trinomial),
}

impl PairTally {
    /// The games one by one.
    pub fn wdl(&self) -> Trinomial {
        match self {
            Self::Pairs(pairs) => pairs.wdl(),
            Self::Games(games) => *games,
        }
    }

    /// Strength figures. `None` without a finished pair (or game, for `Games`).
    pub fn figures(&self) -> Option<Figures> {
        match self {
            Self::Pairs(pairs) => pairs.figures(),
            Self::Games(games) => games.figures(),
        }
    }

    /// Level pairs per pair, or drawn games per game, 0 to 1.
    pub fn draw_ratio(&self) -> Option<f64> {
        match self {
            Self::Pairs(pairs) => pairs.draw_ratio(),
            Self::Games(games) => games.draw_ratio(),
        }
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

impl AddAssign for Sides {
    fn add_assign(&mut self, other: Self) {
        self.as_white += other.as_white;
        self.as_black += other.as_black;
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
        self.first += first;
        self.second += second;
        self.matches.add(match first.cmp(&second) {
            std::cmp::Ordering::Greater => GameResult::Win,
            std::cmp::Ordering::Equal => GameResult::Draw,
            std::cmp::Ordering::Less => GameResult::Loss,
        });
    }
}

impl AddAssign for PointsTally {
    fn add_assign(&mut self, other: Self) {
        self.first += other.first;
        self.second += other.second;
        self.matches += other.matches;
    }
}

/// One class of results: its score per game, 0 to 1, and how often it occurred.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cell {
    /// Score per game, 0 to 1.
    pub score: f64,
    /// How often it occurred.
    pub count: f64,
}

impl Cell {
    fn new(score: f64, count: u64) -> Self {
        Self { score, count: count as f64 }
    }
}

/// A figure and half the width of its 95 % interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    /// Infinite when every result was the best (or worst) possible. Never NaN.
    pub value: f64,
    /// `None` when an end of the interval is infinite. Never NaN or infinite.
    pub error: Option<f64>,
}

/// A 95 % interval; either end may be infinite, neither is NaN.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interval {
    /// Lower end.
    pub low: f64,
    /// Upper end.
    pub high: f64,
}

impl Interval {
    fn half_width(&self) -> Option<f64> {
        Some((self.high - self.low) / 2.0).filter(|width| width.is_finite())
    }
}

/// Strength figures of the first engine over the second.
///
/// Extremes: at 0 % and 100 % both Elo values are infinite without an error. When all pairs had the
/// same result (one pair among them) the spread is unknown, and the interval is the exact bound
/// that says how rare other results must be, instead of one of width 0.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Figures {
    /// Points per game, 0 to 1.
    pub score: f64,
    /// Logistic Elo difference.
    pub elo: Estimate,
    /// Elo values that the results leave possible at 95 %. Half its width is `elo.error`.
    pub elo_interval: Interval,
    /// Normalized Elo difference.
    pub nelo: Estimate,
    /// Likelihood of superiority, 0 to 1, from the normal approximation.
    pub los: f64,
}

impl Figures {
    /// Figures of independent results of `games_per_result` games each. `None` without results.
    fn from_cells(cells: &[Cell], games_per_result: f64) -> Option<Self> {
        let results: f64 = cells.iter().map(|cell| cell.count).sum();
        if results == 0.0 {
            return None;
        }
        let (score, variance) = moments(cells, results);
        let sigma = (variance / results).sqrt();
        let elo_interval = elo_interval(score, sigma, results);
        Some(Self {
            score,
            elo: Estimate { value: elo_of_score(score), error: elo_interval.half_width() },
            elo_interval,
            nelo: nelo(score, (games_per_result * variance).sqrt(), games_per_result * results),
            los: standard_normal_cdf(sigmas(score - 0.5, sigma)),
        })
    }
}

/// Mean and variance of the score per result.
fn moments(cells: &[Cell], results: f64) -> (f64, f64) {
    let mean = |of: &dyn Fn(f64) -> f64| {
        let sum: f64 = cells.iter().map(|cell| cell.count * of(cell.score)).sum();
        sum / results
    };
    let score = mean(&|score| score);
    (score, mean(&|other| (other - score).powi(2)))
}

/// Logistic Elo difference of an expected score (A. Elo's curve, base 10, scale 400): score 0 to 1,
/// infinite at both ends and beyond them.
pub fn elo_of_score(score: f64) -> f64 {
    if score <= 0.0 {
        f64::NEG_INFINITY
    } else if score >= 1.0 {
        f64::INFINITY
    } else {
        400.0 * (score / (1.0 - score)).log10()
    }
}

/// Expected score, 0 to 1, of a logistic Elo difference.
pub fn score_of_elo(elo: f64) -> f64 {
    1.0 / (1.0 + 10f64.powf(-elo / 400.0))
}

/// The normal interval of the mean, taken over to Elo. Without spread, the exact one: if a result
/// other than the one always seen had a chance above 1 - 0.05^(1/n), n results alike would be rarer
/// than 5 %.
fn elo_interval(score: f64, sigma: f64, results: f64) -> Interval {
    let (low, high) = if sigma > 0.0 {
        (score - Z_95 * sigma, score + Z_95 * sigma)
    } else {
        let same = MISS_95.powf(1.0 / results);
        (score * same, 1.0 - (1.0 - score) * same)
    };
    Interval { low: elo_of_score(low), high: elo_of_score(high) }
}

/// Normalized Elo from the score and the standard deviation of one game (Van den Bergh, as above).
/// Its error depends on the number of games alone.
fn nelo(score: f64, sigma_per_game: f64, games: f64) -> Estimate {
    let value = sigmas(score - 0.5, sigma_per_game) * NELO_PER_SIGMA;
    let error = Z_95 * NELO_PER_SIGMA / games.sqrt();
    Estimate { value, error: value.is_finite().then_some(error) }
}

/// `difference / sigma`, with the limit where the results had no spread.
fn sigmas(difference: f64, sigma: f64) -> f64 {
    if difference == 0.0 { 0.0 } else { difference / sigma }
}

/// Probability that a standard normal variable is at most `x`; absolute error below 1e-14.
/// Source: G. Marsaglia, "Evaluating the Normal Distribution", J. Stat. Softw. 11(4), 2004.
fn standard_normal_cdf(x: f64) -> f64 {
    if x.abs() > 8.0 {
        return if x > 0.0 { 1.0 } else { 0.0 };
    }
    let (mut sum, mut term, mut odd) = (x, x, 1.0);
    loop {
        odd += 2.0;
        term *= x * x / odd;
        let next = sum + term;
        if next == sum {
            break;
        }
        sum = next;
    }
    let density = (-x * x / 2.0).exp() / (SQRT_2 * PI.sqrt());
    (0.5 + density * sum).clamp(0.0, 1.0)
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

    /// Elo, its error, nElo, its error, LOS in percent: each with two decimals, so half a unit off
    /// at most.
    fn same_figures(figures: Option<Figures>, expected: [f64; 5]) {
        let figures = figures.unwrap();
        let found = [
            figures.elo.value,
            figures.elo.error.unwrap(),
            figures.nelo.value,
            figures.nelo.error.unwrap(),
            100.0 * figures.los,
        ];
        for (found, expected) in found.into_iter().zip(expected) {
            close(found, expected, 0.005_001);
        }
    }

    // fastchess `app/tests/elo_test.cpp`, "EloPentanomial 1" to "3".
    #[test]
    fn fastchess_pentanomial() {
        for (counts, score, expected) in [
            ([34, 54, 31, 32, 64, 75], 0.579, [55.58, 27.65, 57.94, 28.28, 100.00]),
            ([332, 433, 457, 41, 333, 334], 0.488, [-8.64, 10.33, -9.17, 10.96, 5.05]),
            ([7895, 8757, 5485, 200, 568, 9999], 0.470, [-21.04, 2.95, -19.01, 2.65, 0.0]),
        ] {
            let figures = penta(counts).figures();
            same_figures(figures, expected);
            close(figures.unwrap().score, score, 0.0006);
        }
    }

    // The same file, "EloWDL 1" to "3"; the first and the last give no Elo, which is then
    // cutechess's formula.
    #[test]
    fn fastchess_trinomial() {
        let games = |wins, losses, draws| Trinomial { wins, draws, losses };
        let even = games(136, 96, 111).figures();
        same_figures(even, [40.70, 30.43, 49.77, 36.77, 99.60]);
        close(even.unwrap().score, 0.558, 0.0006);
        for (games, nelo, error, los, score) in
            [(games(76, 89, 123), -20.76, 40.13, 15.53, 0.477), (games(34, 356, 0), -508.44, 34.48, 0.0, 0.087)]
        {
            let figures = games.figures().unwrap();
            close(figures.nelo.value, nelo, 0.005_001);
            close(figures.nelo.error.unwrap(), error, 0.005_001);
            close(100.0 * figures.los, los, 0.005_001);
            close(figures.score, score, 0.0006);
        }
    }

    // Published fastchess output: its issue 807, RubiChess pull request 523, princhess 343, Lynx
    // 1899, cinder 836. Middle classes as counted there, undivided.
    #[test]
    fn fastchess_matches() {
        for (counts, draws, ratio, expected) in [
            ([30, 6, 18, 0, 0, 6], 30.00, 0.17, [-168.40, 73.37, -170.08, 62.16, 0.0]),
            ([8, 633, 0, 1558, 804, 6], 51.78, 1.26, [9.64, 4.36, 19.42, 8.78, 100.0]),
            ([1, 22, 0, 52, 21, 4], 52.00, 1.09, [8.69, 27.04, 15.51, 48.15, 73.60]),
            ([235, 1384, 0, 2521, 1341, 239], 44.07, 0.98, [-1.06, 4.05, -1.67, 6.37, 30.33]),
            ([835, 6884, 0, 13116, 7201, 852], 45.40, 1.04, [2.11, 1.70, 3.52, 2.83, 99.25]),
        ] {
            let pairs = penta(counts);
            same_figures(pairs.figures(), expected);
            close(100.0 * pairs.draw_ratio().unwrap(), draws, 0.005_001);
            close(pairs.pairs_ratio().unwrap(), ratio, 0.005_001);
        }
    }

    // Published cutechess output (one decimal): its issue 543, and talkchess.com t=84211. Its 95 %
    // quantile is an approximation that is 0.14 % too small.
    #[test]
    fn cutechess_matches() {
        for (wins, losses, draws, elo, error, los, draw_ratio) in
            [(880, 759, 1863, 12.0, 7.9, 99.9, 53.2), (364, 346, 218, 6.7, 19.5, 75.0, 23.5)]
        {
            let games = Trinomial { wins, draws, losses };
            let figures = games.figures().unwrap();
            close(figures.elo.value, elo, 0.05);
            close(0.9986 * figures.elo.error.unwrap(), error, 0.05);
            close(100.0 * figures.los, los, 0.05);
            close(100.0 * games.draw_ratio().unwrap(), draw_ratio, 0.05);
        }
    }

    // montytest.muzhen.org (a fishtest), /tests/stats/69d3c8dc7c5b3724e29d2712: score, deviation
    // per game, nElo.
    #[test]
    fn fishtest_figures() {
        let figures = penta([13, 37, 27, 23, 25, 3]).figures().unwrap();
        close(figures.score, 0.4375, 0.0);
        close(figures.elo.value, -43.6578, 0.001);
        close(figures.nelo.value, -63.97, 0.005);
        close((figures.score - 0.5) * NELO_PER_SIGMA / figures.nelo.value, 0.33946, 5e-6);
    }

    // Six games all won, [0, 0, 0, 0, 3]: fastchess pull request 556 prints inf +/- nan and LOS
    // 100.
    #[test]
    fn all_won_and_all_lost() {
        let won = penta([0, 0, 0, 0, 0, 3]);
        let figures = won.figures().unwrap();
        let endless = Estimate { value: f64::INFINITY, error: None };
        assert_eq!((figures.elo, figures.nelo, figures.los), (endless, endless, 1.0));
        // Were pairs other than 2-0 more frequent than 1 - 0.05^(1/3), three 2-0 were rarer than 5
        // %.
        close(score_of_elo(figures.elo_interval.low), 0.05f64.powf(1.0 / 3.0), 1e-12);
        assert_eq!(figures.elo_interval.high, f64::INFINITY);
        assert_eq!(won.pairs_ratio(), Some(f64::INFINITY));
        assert_eq!(won.wl_dd_ratio(), None);
        let lost = won.flipped().figures().unwrap();
        assert_eq!((lost.score, lost.los), (0.0, 0.0));
        assert_eq!(lost.elo.value, f64::NEG_INFINITY);
        close(lost.elo_interval.high, -figures.elo_interval.low, 1e-9);
    }

    #[test]
    fn one_pair_and_one_game() {
        let level = penta([0, 0, 1, 0, 0, 0]).figures().unwrap();
        assert_eq!((level.elo.value, level.nelo.value, level.los), (0.0, 0.0, 0.5));
        close(level.elo.error.unwrap(), elo_of_score(0.975), 1e-9);
        let ahead = penta([0, 0, 0, 0, 1, 0]).figures().unwrap();
        close(ahead.elo.value, 190.848_501_9, 1e-6);
        assert_eq!(ahead.nelo, Estimate { value: f64::INFINITY, error: None });
        assert!(ahead.elo.error.unwrap() > 190.0);
        let game = Trinomial { wins: 1, ..Trinomial::default() }.figures().unwrap();
        assert_eq!(game.elo, Estimate { value: f64::INFINITY, error: None });
        close(game.elo_interval.low, elo_of_score(0.05), 1e-9);
    }

    #[test]
    fn nothing_played() {
        let empty = Pentanomial::default();
        assert_eq!(empty.figures(), None);
        assert_eq!(Trinomial::default().figures(), None);
        assert_eq!((empty.score(), empty.draw_ratio(), empty.pairs_ratio()), (None, None, None));
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
        let mut sides = Sides {
            as_white: Trinomial { wins: 181, losses: 167, draws: 116 },
            as_black: Trinomial { wins: 183, losses: 179, draws: 102 },
        };
        sides += Sides::default();
        assert_eq!(sides.white_vs_black(), Trinomial { wins: 360, losses: 350, draws: 218 });
    }

    // Seed 000: goats won with 14 left score 12, tigers 10; two games with the sides swapped make a
    // match.
    #[test]
    fn matches_by_points() {
        let mut points = PointsTally::default();
        points.add_match(12, 10);
        points.add_match(10, 10);
        points.add_match(0, 28);
        points += PointsTally::default();
        assert_eq!((points.first, points.second), (22, 48));
        assert_eq!(points.matches, Trinomial { wins: 1, draws: 1, losses: 1 });
    }

    // M. Abramowitz, I. Stegun, "Handbook of Mathematical Functions", table 26.1.
    #[test]
    fn normal_distribution() {
        close(standard_normal_cdf(0.0), 0.5, 0.0);
        close(standard_normal_cdf(1.0), 0.841_344_746_068_543, 1e-14);
        close(standard_normal_cdf(Z_95), 0.975, 1e-14);
        close(standard_normal_cdf(-3.0), 0.001_349_898_031_630, 1e-14);
        assert_eq!(standard_normal_cdf(f64::INFINITY), 1.0);
        assert_eq!(standard_normal_cdf(-40.0), 0.0);
    }

    #[test]
    fn elo_and_score_are_inverse() {
        // 400 log10(3): a score of 3/4.
        close(elo_of_score(0.75), 190.848_501_887_865, 1e-9);
        close(score_of_elo(elo_of_score(0.1)), 0.1, 1e-12);
        assert_eq!(elo_of_score(0.5), 0.0);
        assert_eq!((elo_of_score(0.0), elo_of_score(1.2)), (f64::NEG_INFINITY, f64::INFINITY));
    }
}
