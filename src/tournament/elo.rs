//! Elo difference, normalized Elo and likelihood of superiority, from counts of results. Pure arithmetic; a call costs
//! microseconds.
//!
//! Two games from one opening depend on each other, so pairs of games are the sample to use; they also give the
//! narrower error bars.

use std::f64::consts::{LN_10, PI, SQRT_2};

/// Two-sided 95 % quantile of the standard normal distribution.
const Z_95: f64 = 1.959_963_984_540_054;

/// Probability that a 95 % interval misses.
const MISS_95: f64 = 0.05;

/// Normalized Elo per unit of (score - 1/2) / standard deviation of one game, 800 / ln 10 = 347.44.
/// Source: M. Van den Bergh, "Comments on normalized Elo",
/// cantate.be/Fishtest/normalized_elo_practical.pdf.
pub const NELO_PER_SIGMA: f64 = 800.0 / LN_10;

/// A possible score of a result (a game, or a pair of games) and the number of results with it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ScoreCount {
    /// Points per game, 0 to 1.
    pub score: f64,
    /// A whole number.
    pub count: f64,
}

impl ScoreCount {
    /// `score` in points per game, 0 to 1.
    pub fn new(score: f64, count: u64) -> Self {
        Self { score, count: count as f64 }
    }
}

/// An estimated figure and half the width of its 95 % interval.
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
    pub low: f64,
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
    pub fn from_counts(counts: &[ScoreCount], games_per_result: f64) -> Option<Self> {
        let results: f64 = counts.iter().map(|class| class.count).sum();
        if results == 0.0 {
            return None;
        }
        let (score, variance) = moments(counts, results);
        let sigma = (variance / results).sqrt();
        let elo_interval = elo_interval(score, sigma, results);
        Some(Self {
            score,
            elo: Estimate { value: elo_of_score(score), error: elo_interval.half_width() },
            elo_interval,
            nelo: nelo(score, (games_per_result * variance).sqrt(), games_per_result * results),
            los: standard_normal_cdf(in_sigmas(score - 0.5, sigma)),
        })
    }
}

/// Mean and variance of the score per result.
fn moments(counts: &[ScoreCount], results: f64) -> (f64, f64) {
    let mean = |of: &dyn Fn(f64) -> f64| {
        let sum: f64 = counts.iter().map(|class| class.count * of(class.score)).sum();
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
    let value = in_sigmas(score - 0.5, sigma_per_game) * NELO_PER_SIGMA;
    let error = Z_95 * NELO_PER_SIGMA / games.sqrt();
    Estimate { value, error: value.is_finite().then_some(error) }
}

/// `difference / sigma`, with the limit where the results had no spread.
fn in_sigmas(difference: f64, sigma: f64) -> f64 {
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

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn close(found: f64, expected: f64, tolerance: f64) {
        assert!((found - expected).abs() <= tolerance, "found {found}, expected {expected} to within {tolerance}");
    }

    fn trinomial(wins: u64, losses: u64, draws: u64) -> Option<Figures> {
        let counts = [(0.0, losses), (0.5, draws), (1.0, wins)];
        Figures::from_counts(&counts.map(|(score, count)| ScoreCount::new(score, count)), 1.0)
    }

    /// Of pairs in the order of the fields of `Pentanomial`.
    fn pentanomial([ll, ld, wl, dd, wd, ww]: [u64; 6]) -> Option<Figures> {
        let counts = [(0.0, ll), (0.25, ld), (0.5, wl + dd), (0.75, wd), (1.0, ww)];
        Figures::from_counts(&counts.map(|(score, count)| ScoreCount::new(score, count)), 2.0)
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
            let figures = pentanomial(counts);
            same_figures(figures, expected);
            close(figures.unwrap().score, score, 0.0006);
        }
    }

    // The same file, "EloWDL 1" to "3"; the first and the last give no Elo, which is then
    // cutechess's formula.
    #[test]
    fn fastchess_trinomial() {
        let even = trinomial(136, 96, 111);
        same_figures(even, [40.70, 30.43, 49.77, 36.77, 99.60]);
        close(even.unwrap().score, 0.558, 0.0006);
        for ([wins, losses, draws], nelo, error, los, score) in
            [([76, 89, 123], -20.76, 40.13, 15.53, 0.477), ([34, 356, 0], -508.44, 34.48, 0.0, 0.087)]
        {
            let figures = trinomial(wins, losses, draws).unwrap();
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
        for (counts, expected) in [
            ([30, 6, 18, 0, 0, 6], [-168.40, 73.37, -170.08, 62.16, 0.0]),
            ([8, 633, 0, 1558, 804, 6], [9.64, 4.36, 19.42, 8.78, 100.0]),
            ([1, 22, 0, 52, 21, 4], [8.69, 27.04, 15.51, 48.15, 73.60]),
            ([235, 1384, 0, 2521, 1341, 239], [-1.06, 4.05, -1.67, 6.37, 30.33]),
            ([835, 6884, 0, 13116, 7201, 852], [2.11, 1.70, 3.52, 2.83, 99.25]),
        ] {
            same_figures(pentanomial(counts), expected);
        }
    }

    // Published cutechess output (one decimal): its issue 543, and talkchess.com t=84211. Its 95 %
    // quantile is an approximation that is 0.14 % too small.
    #[test]
    fn cutechess_matches() {
        for (wins, losses, draws, elo, error, los) in
            [(880, 759, 1863, 12.0, 7.9, 99.9), (364, 346, 218, 6.7, 19.5, 75.0)]
        {
            let figures = trinomial(wins, losses, draws).unwrap();
            close(figures.elo.value, elo, 0.05);
            close(0.9986 * figures.elo.error.unwrap(), error, 0.05);
            close(100.0 * figures.los, los, 0.05);
        }
    }

    // montytest.muzhen.org (a fishtest), /tests/stats/69d3c8dc7c5b3724e29d2712: score, deviation
    // per game, nElo.
    #[test]
    fn fishtest_figures() {
        let figures = pentanomial([13, 37, 27, 23, 25, 3]).unwrap();
        close(figures.score, 0.4375, 0.0);
        close(figures.elo.value, -43.6578, 0.001);
        close(figures.nelo.value, -63.97, 0.005);
        close((figures.score - 0.5) * NELO_PER_SIGMA / figures.nelo.value, 0.33946, 5e-6);
    }

    // Six games all won, [0, 0, 0, 0, 3]: fastchess pull request 556 prints inf +/- nan and LOS
    // 100.
    #[test]
    fn all_won_and_all_lost() {
        let figures = pentanomial([0, 0, 0, 0, 0, 3]).unwrap();
        let endless = Estimate { value: f64::INFINITY, error: None };
        assert_eq!((figures.elo, figures.nelo, figures.los), (endless, endless, 1.0));
        // Were pairs other than 2-0 more frequent than 1 - 0.05^(1/3), three 2-0 were rarer than 5
        // %.
        close(score_of_elo(figures.elo_interval.low), 0.05f64.powf(1.0 / 3.0), 1e-12);
        assert_eq!(figures.elo_interval.high, f64::INFINITY);
        let lost = pentanomial([3, 0, 0, 0, 0, 0]).unwrap();
        assert_eq!((lost.score, lost.los), (0.0, 0.0));
        assert_eq!(lost.elo.value, f64::NEG_INFINITY);
        close(lost.elo_interval.high, -figures.elo_interval.low, 1e-9);
    }

    #[test]
    fn one_pair_and_one_game() {
        let level = pentanomial([0, 0, 1, 0, 0, 0]).unwrap();
        assert_eq!((level.elo.value, level.nelo.value, level.los), (0.0, 0.0, 0.5));
        close(level.elo.error.unwrap(), elo_of_score(0.975), 1e-9);
        let ahead = pentanomial([0, 0, 0, 0, 1, 0]).unwrap();
        close(ahead.elo.value, 190.848_501_9, 1e-6);
        assert_eq!(ahead.nelo, Estimate { value: f64::INFINITY, error: None });
        assert!(ahead.elo.error.unwrap() > 190.0);
        let game = trinomial(1, 0, 0).unwrap();
        assert_eq!(game.elo, Estimate { value: f64::INFINITY, error: None });
        close(game.elo_interval.low, elo_of_score(0.05), 1e-9);
    }

    #[test]
    fn nothing_played() {
        assert_eq!((trinomial(0, 0, 0), pentanomial([0; 6])), (None, None));
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
