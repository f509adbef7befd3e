//! Sequential probability ratio test (A. Wald, 1945) of an engine's strength: H0 says that it is
//! `elo0` better, H1 that it is `elo1` better, and the test ends as soon as the results decide. The
//! log likelihood ratio is the generalized one: each hypothesis is represented by the distribution
//! of results that fits both it and the games best. It is computed anew from the counts, so it
//! can't drift, depends on no order, and a resumed match goes on where it was. A call costs below a
//! millisecond.

use std::fmt;
use std::str::FromStr;

use crate::tournament::elo::{NELO_PER_SIGMA, ScoreCount, score_of_elo};
use crate::tournament::tally::Pentanomial;

/// Count that stands for a class of results not seen yet, so that no hypothesis is impossible.
/// Source: fishtest `LLRcalc.py`, followed by fastchess.
const UNSEEN: f64 = 1e-3;

/// Greatest size of `elo0` and `elo1`; a score of 1 - 10^-12, more than games can tell.
pub const MAX_ELO: f64 = 5000.0;

/// What `elo0` and `elo1` measure.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum EloModel {
    /// Normalized Elo: the length of a test doesn't depend on how many games are drawn.
    #[default]
    Normalized,
    /// Logistic Elo, the ordinary kind.
    Logistic,
}

impl FromStr for EloModel {
    type Err = SprtError;

    fn from_str(text: &str) -> Result<Self, SprtError> {
        match text {
            "normalized" => Ok(Self::Normalized),
            "logistic" => Ok(Self::Logistic),
            _ => Err(SprtError::UnknownModel(text.to_owned())),
        }
    }
}

impl fmt::Display for EloModel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Normalized => "normalized",
            Self::Logistic => "logistic",
        })
    }
}

/// A parameter of the test that is out of range.
#[derive(Clone, Debug, PartialEq)]
pub enum SprtError {
    /// `elo0` or `elo1` (its name and value) out of range.
    EloRange { name: &'static str, found: f64 },
    /// `elo0` isn't less than `elo1`.
    EloOrder { elo0: f64, elo1: f64 },
    /// An error rate (its name and value) out of range.
    ErrorRate { name: &'static str, found: f64 },
    /// Both error rates together leave nothing to decide.
    ErrorRateSum {
        /// Chance to accept H1 wrongly.
        alpha: f64,
        /// Chance to accept H0 wrongly.
        beta: f64,
    },
    /// The text found where a model was expected.
    UnknownModel(String),
}

impl fmt::Display for SprtError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::EloRange { name, found } => {
                write!(f, "found {name}={found}, expected a number from -{MAX_ELO} to {MAX_ELO}")
            }
            Self::EloOrder { elo0, elo1 } => {
                write!(f, "found elo0={elo0} and elo1={elo1}, expected elo0 less than elo1")
            }
            Self::ErrorRate { name, found } => {
                write!(f, "found {name}={found}, expected a number between 0 and 1, both excluded")
            }
            Self::ErrorRateSum { alpha, beta } => {
                write!(f, "found alpha={alpha} and beta={beta}, expected a sum less than 1")
            }
            Self::UnknownModel(found) => {
                write!(f, "found model={found}, expected model=normalized or model=logistic")
            }
        }
    }
}

impl std::error::Error for SprtError {}

/// The decision of a test.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SprtStatus {
    /// None yet.
    Continue,
    /// The engine is not stronger than `elo0`.
    AcceptH0,
    /// The engine is at least as strong as `elo1`.
    AcceptH1,
}

/// A test with valid parameters.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sprt {
    elo0: f64,
    elo1: f64,
    alpha: f64,
    beta: f64,
    model: EloModel,
}

impl Sprt {
    /// `elo0` and `elo1` in Elo of the model, -5000 to 5000, `elo0 < elo1`; `alpha` (chance to
    /// accept H1 though H0 holds) and `beta` (the other way round) in (0, 1) with `alpha + beta <
    /// 1`.
    pub fn new(elo0: f64, elo1: f64, alpha: f64, beta: f64, model: EloModel) -> Result<Self, SprtError> {
        for (name, found) in [("elo0", elo0), ("elo1", elo1)] {
            if !(-MAX_ELO..=MAX_ELO).contains(&found) {
                return Err(SprtError::EloRange { name, found });
            }
        }
        if elo0 >= elo1 {
            return Err(SprtError::EloOrder { elo0, elo1 });
        }
        for (name, found) in [("alpha", alpha), ("beta", beta)] {
            if !(found > 0.0 && found < 1.0) {
                return Err(SprtError::ErrorRate { name, found });
            }
        }
        if alpha + beta >= 1.0 {
            return Err(SprtError::ErrorRateSum { alpha, beta });
        }
        Ok(Self { elo0, elo1, alpha, beta, model })
    }

    /// Strength of H0 in Elo of the model.
    pub fn elo0(&self) -> f64 {
        self.elo0
    }

    /// Strength of H1 in Elo of the model.
    pub fn elo1(&self) -> f64 {
        self.elo1
    }

    pub fn model(&self) -> EloModel {
        self.model
    }

    /// Log likelihood ratio at which H0 is accepted; negative.
    pub fn lower_bound(&self) -> f64 {
        (self.beta / (1.0 - self.alpha)).ln()
    }

    /// Log likelihood ratio at which H1 is accepted; positive.
    pub fn upper_bound(&self) -> f64 {
        ((1.0 - self.beta) / self.alpha).ln()
    }

    /// Log likelihood ratio of H1 against H0; 0 without results. Always finite.
    pub fn llr(&self, pairs: &Pentanomial) -> f64 {
        self.llr_of_counts(&pairs.score_counts(), 2.0)
    }

    /// The decision at this log likelihood ratio.
    pub fn status(&self, llr: f64) -> SprtStatus {
        if llr >= self.upper_bound() {
            SprtStatus::AcceptH1
        } else if llr <= self.lower_bound() {
            SprtStatus::AcceptH0
        } else {
            SprtStatus::Continue
        }
    }

    /// How far the test is towards the bound it leans to, signed: 1 accepts H1, -1 accepts H0.
    pub fn fraction(&self, llr: f64) -> f64 {
        if llr >= 0.0 { llr / self.upper_bound() } else { -llr / self.lower_bound() }
    }

    fn llr_of_counts<const N: usize>(&self, counts: &[ScoreCount; N], games_per_result: f64) -> f64 {
        if counts.iter().all(|class| class.count == 0.0) {
            return 0.0;
        }
        let sample = ScoreSample::new(counts);
        let fit = |elo: f64| match self.model {
            EloModel::Logistic => Some(sample.fit_score(score_of_elo(elo))),
            EloModel::Normalized => sample.fit_t_value(games_per_result.sqrt() * elo / NELO_PER_SIGMA),
        };
        match (fit(self.elo0), fit(self.elo1)) {
            (Some(h0), Some(h1)) => sample.results * (sample.log_likelihood(h1) - sample.log_likelihood(h0)),
            // Not met with parameters in range; a hypothesis that can't be weighed decides nothing.
            _ => 0.0,
        }
    }
}

/// Observed results, every class with a positive share.
struct ScoreSample<const N: usize> {
    results: f64,
    classes: [ResultClass; N],
}

/// The results with one score.
#[derive(Clone, Copy)]
struct ResultClass {
    /// Score per game less 1/2, -1/2 to 1/2.
    offset: f64,
    /// Part of all results, 0 to 1, both excluded.
    share: f64,
}

/// A hypothesis as a constraint on the distribution of results: the expectation of
/// `offset - constant - square * offset^2` is 0.
#[derive(Clone, Copy)]
struct Constraint {
    constant: f64,
    square: f64,
}

impl Constraint {
    fn at(&self, offset: f64) -> f64 {
        offset - self.constant - self.square * offset * offset
    }
}

/// The distribution that fits the sample best among those under a constraint: each share is divided
/// by `1 + theta * constraint`.
#[derive(Clone, Copy)]
struct ConstrainedFit {
    constraint: Constraint,
    theta: f64,
}

impl ConstrainedFit {
    fn divisor(&self, offset: f64) -> f64 {
        1.0 + self.theta * self.constraint.at(offset)
    }
}

impl<const N: usize> ScoreSample<N> {
    fn new(counts: &[ScoreCount; N]) -> Self {
        let count = |class: &ScoreCount| {
            if class.count == 0.0 { UNSEEN } else { class.count }
        };
        let results = counts.iter().map(count).sum();
        let classes = counts.map(|class| ResultClass { offset: class.score - 0.5, share: count(&class) / results });
        Self { results, classes }
    }

    /// Sum over the classes of share times `value`.
    fn mean(&self, value: impl Fn(f64) -> f64) -> f64 {
        self.classes.iter().map(|class| class.share * value(class.offset)).sum()
    }

    /// Log likelihood per result of a fitted distribution less that of the sample; at most 0.
    fn log_likelihood(&self, fit: ConstrainedFit) -> f64 {
        -self.mean(|offset| fit.divisor(offset).ln())
    }

    /// Best fit with this expected score, in (0, 1).
    fn fit_score(&self, score: f64) -> ConstrainedFit {
        self.fit(Constraint { constant: score - 0.5, square: 0.0 })
    }

    /// Best fit with `t` = (expected score - 1/2) / standard deviation.
    ///
    /// In offsets `u` with root mean square `s` this says `E[u] = r s`, where `r = t / hypot(1, t)`. Now
    /// `s` is at most `(E[u^2] / x + x) / 2` for any `x`, and equal to it at `x = s`, so each `x` gives
    /// a linear constraint, and the fits sought are those whose own `s` is the `x` they were made
    /// with. Far from the sample there may be two; the likelier one counts.
    ///
    /// The same distributions as in section 4.1 of `normalized_elo_practical.pdf`, whose iteration
    /// from a uniform distribution fails for one-sided results (fastchess issue 879).
    fn fit_t_value(&self, t: f64) -> Option<ConstrainedFit> {
        if t == 0.0 {
            return Some(self.fit_score(0.5));
        }
        let slope = t / t.hypot(1.0);
        let reach = slope.abs() / (1.0 + (1.0 - slope * slope).sqrt());
        self.classes
            .iter()
            .map(|class| class.offset * t.signum())
            .filter(|&offset| offset > 0.0)
            .flat_map(|offset| self.self_consistent(slope, offset * reach, (offset / reach).min(0.5)))
            .max_by(|a, b| self.log_likelihood(*a).total_cmp(&self.log_likelihood(*b)))
    }

    /// Fits whose root mean square is the one they were made with, among values in (`low`, `high`)
    /// such that the constraint takes both signs.
    fn self_consistent(&self, slope: f64, low: f64, high: f64) -> Vec<ConstrainedFit> {
        const STEPS: u32 = 24;
        let step = (high - low) / f64::from(STEPS);
        let mut found = Vec::new();
        let (mut below, mut rising) = (low, true);
        for k in 0..=STEPS {
            let last = k == STEPS;
            let here = if last { high } else { low + step * (f64::from(k) + 0.5) };
            let excess = !last && self.excess(slope, here) > 0.0;
            if rising && !excess {
                found.extend(self.self_consistent_between(slope, below, here));
            }
            (below, rising) = (here, excess);
        }
        found
    }

    /// As above, by bisection; `None` where the bounds don't hold one between them.
    fn self_consistent_between(&self, slope: f64, low: f64, high: f64) -> Option<ConstrainedFit> {
        let (mut low, mut high) = (low, high);
        for _ in 0..50 {
            let middle = 0.5 * (low + high);
            if self.excess(slope, middle) > 0.0 {
                low = middle;
            } else {
                high = middle;
            }
        }
        let middle = 0.5 * (low + high);
        (self.excess(slope, middle).abs() < 1e-9).then(|| self.fit(tangent(slope, middle)))
    }

    /// Root mean square of the fit made with root mean square `rms`, less `rms`.
    fn excess(&self, slope: f64, rms: f64) -> f64 {
        let fit = self.fit(tangent(slope, rms));
        self.mean(|offset| offset * offset / fit.divisor(offset)).sqrt() - rms
    }

    /// Best fit under a constraint that is positive for one class and negative for another.
    /// Source: M. Van den Bergh, cantate.be/Fishtest/support_MLE_multinomial.pdf, proposition 1.1.
    fn fit(&self, constraint: Constraint) -> ConstrainedFit {
        let values = self.classes.map(|class| constraint.at(class.offset));
        let greatest = values.iter().copied().fold(f64::MIN_POSITIVE, f64::max);
        let least = values.iter().copied().fold(-f64::MIN_POSITIVE, f64::min);
        let (mut low, mut high) = (-1.0 / greatest, -1.0 / least);
        for _ in 0..80 {
            let theta = 0.5 * (low + high);
            let fit = ConstrainedFit { constraint, theta };
            if self.mean(|offset| constraint.at(offset) / fit.divisor(offset)) > 0.0 {
                low = theta;
            } else {
                high = theta;
            }
        }
        let theta = 0.5 * (low + high);
        ConstrainedFit { constraint, theta }
    }
}

/// The linear constraint that touches `E[u] = slope * rms` at root mean square `rms`.
fn tangent(slope: f64, rms: f64) -> Constraint {
    Constraint { constant: 0.5 * slope * rms, square: 0.5 * slope / rms }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::rng::SplitMix64;

    fn pairs([ll, ld, dd, wd, ww]: [u64; 5]) -> Pentanomial {
        Pentanomial { ll, ld, wl: 0, dd, wd, ww }
    }

    fn llr(model: EloModel, elo0: f64, elo1: f64, pairs: Pentanomial) -> f64 {
        Sprt::new(elo0, elo1, 0.05, 0.05, model).unwrap().llr(&pairs)
    }

    /// From games taken as independent: won, lost, drawn.
    fn llr_of_games(model: EloModel, elo0: f64, elo1: f64, [wins, losses, draws]: [u64; 3]) -> f64 {
        let counts = [(0.0, losses), (0.5, draws), (1.0, wins)].map(|(score, count)| ScoreCount::new(score, count));
        Sprt::new(elo0, elo1, 0.05, 0.05, model).unwrap().llr_of_counts(&counts, 1.0)
    }

    fn close(found: f64, expected: f64, tolerance: f64) {
        assert!((found - expected).abs() <= tolerance, "found {found}, expected {expected} to within {tolerance}");
    }

    // fastchess `app/tests/sprt_test.cpp` and pull request 426 (its tolerance is 1 %).
    #[test]
    fn fastchess_pentanomial() {
        use EloModel::{Logistic, Normalized};
        for (model, elo0, elo1, counts, expected, tolerance) in [
            (Normalized, 0.0, 2.0, [365, 16618, 36229, 16974, 390], 2.25, 0.005),
            (Normalized, -1.75, 0.25, [127, 4883, 10712, 5150, 104], 3.01, 0.005),
            (Normalized, 0.0, 5.0, [0, 0, 0, 0, 5550], 111.82, 0.03),
            (Logistic, 0.5, 2.5, [223, 9863, 21279, 10037, 246], -3.07, 0.005),
            (Logistic, 0.0, 2.0, [871, 26175, 55983, 26678, 821], -4.98, 0.005),
        ] {
            close(llr(model, elo0, elo1, pairs(counts)), expected, tolerance);
        }
    }

    // As above, with games taken as independent.
    #[test]
    fn fastchess_trinomial() {
        use EloModel::{Logistic, Normalized};
        for (model, elo0, elo1, games, expected, tolerance) in [
            (Normalized, 0.0, 2.0, [36433, 36027, 68692], 0.92, 0.005),
            (Normalized, -1.75, 0.25, [10871, 10650, 20431], 2.30, 0.005),
            (Normalized, 0.0, 10.0, [4250, 0, 0], 120.56, 0.03),
            (Logistic, 0.5, 2.5, [21404, 21184, 40708], -1.57, 0.005),
            (Logistic, 0.0, 2.0, [57433, 57030, 106593], -2.59, 0.005),
        ] {
            close(llr_of_games(model, elo0, elo1, games), expected, tolerance);
        }
    }

    // cutechess `tests/sprt/tst_sprt.cpp` (its tolerance is 0.01), issue 543 and talkchess.com
    // t=84211. Its ratio is of another kind (BayesElo); it agrees where the engines are about
    // equal.
    #[test]
    fn cutechess_trinomial() {
        for (elo1, games, expected, tolerance) in [
            (10.0, [1477, 1351, 2942], 2.52, 0.005),
            (10.0, [555, 555, 298], -0.74, 0.005),
            (5.0, [880, 759, 1863], 2.95, 0.005),
            (10.0, [364, 346, 218], 0.174, 0.001),
        ] {
            close(llr_of_games(EloModel::Logistic, 0.0, elo1, games), expected, tolerance);
        }
    }

    // montytest.muzhen.org (a fishtest), /tests/stats/69d3c8dc7c5b3724e29d2712, "Normalized
    // (exact)" and "Logistic (exact)", where H1 in logistic Elo is rounded to 2.716; and fishtest's
    // `LLRcalc.py` run on an artificial case with empty classes, from rshogi pull request 1065.
    #[test]
    fn fishtest_exact() {
        let monty = pairs([13, 37, 50, 25, 3]);
        close(llr(EloModel::Normalized, 0.0, 4.0, monty), -0.54912, 1e-5);
        close(llr(EloModel::Logistic, 0.0, 2.716, monty), -0.53772, 1e-4);
        let gaps = pairs([0, 84, 840, 126, 0]);
        close(llr(EloModel::Normalized, 0.0, 10.0, gaps), 2.960_172_391, 1e-8);
    }

    // tests.stockfishchess.org, as quoted in Stockfish pull requests 5712, 6036 and 6285:
    // normalized bounds.
    #[test]
    fn stockfish_tests() {
        for (elo0, elo1, counts, expected) in [
            (0.0, 2.0, [831, 31795, 68460, 32448, 834], 2.93),
            (0.5, 2.5, [307, 54901, 140959, 56230, 281], 2.95),
            (0.5, 2.5, [1, 1098, 3954, 1346, 1], 2.94),
            (0.0, 2.0, [0, 1236, 4490, 1474, 1], 2.94),
            (-1.75, 0.25, [289, 26459, 62934, 26379, 331], 2.94),
        ] {
            close(llr(EloModel::Normalized, elo0, elo1, pairs(counts)), expected, 0.006);
        }
    }

    // The same site before it used normalized Elo (2020), as quoted in Stockfish pull requests
    // 3098, 2971: logistic bounds.
    #[test]
    fn stockfish_logistic_tests() {
        for (elo0, elo1, counts, expected) in [
            (-0.25, 1.25, [491, 7345, 29693, 7670, 465], 2.96),
            (0.25, 1.25, [53, 2220, 21459, 2445, 47], 2.97),
            (-0.5, 1.5, [17, 253, 1042, 337, 39], 2.96),
            (0.25, 1.75, [11, 407, 3238, 513, 11], 2.93),
        ] {
            close(llr(EloModel::Logistic, elo0, elo1, pairs(counts)), expected, 0.006);
        }
    }

    // One-sided matches: fastchess pull request 882, with its repaired start value; issue 879,
    // where it printed nan.
    #[test]
    fn one_sided() {
        let far = |counts, elo0| llr(EloModel::Normalized, elo0, -500.0, pairs(counts));
        close(far([77, 1, 0, 0, 0], -1000.0), -2.95, 0.005);
        close(far([72, 10, 0, 0, 0], -1000.0), -2.97, 0.005);
        assert!(far([144, 3, 1, 0, 0], -1500.0) < -2.94);
        // Pull request 881 printed 2.97 for this one, and accepted H1 for an engine that scored 5 %.
        let weak = pairs([549, 54, 33, 1, 0]);
        assert!(llr(EloModel::Normalized, 500.0, 1500.0, weak) < -100.0);
        let one_pair = far([1, 0, 0, 0, 0], -1500.0);
        assert!((-1.0..0.0).contains(&one_pair), "{one_pair}");
    }

    #[test]
    fn bounds_and_status() {
        // 2.94 and the unequal -2.25, 2.89 stand in every published fastchess result; ln 19, ln(0.1
        // / 0.95).
        let even = Sprt::new(0.0, 5.0, 0.05, 0.05, EloModel::Logistic).unwrap();
        close(even.upper_bound(), 19f64.ln(), 1e-12);
        close(even.lower_bound(), -19f64.ln(), 1e-12);
        assert_eq!(even.status(2.95), SprtStatus::AcceptH1);
        assert_eq!(even.status(-2.95), SprtStatus::AcceptH0);
        assert_eq!(even.status(2.94), SprtStatus::Continue);
        close(even.fraction(-2.95), -2.95 / 19f64.ln(), 1e-12);
        let bounds =
            Sprt::new(0.0, 3.0, 0.05, 0.10, EloModel::Normalized).map(|sprt| (sprt.lower_bound(), sprt.upper_bound()));
        assert_eq!(bounds, Ok(((0.10 / 0.95f64).ln(), (0.90 / 0.05f64).ln())));
    }

    #[test]
    fn refuses_bad_parameters() {
        let refusal =
            |elo0, elo1, alpha, beta| Sprt::new(elo0, elo1, alpha, beta, EloModel::Normalized).unwrap_err().to_string();
        assert_eq!(refusal(5.0, 5.0, 0.05, 0.05), "found elo0=5 and elo1=5, expected elo0 less than elo1");
        assert_eq!(refusal(f64::NAN, 5.0, 0.05, 0.05), "found elo0=NaN, expected a number from -5000 to 5000");
        assert_eq!(refusal(0.0, 5.0, 1.5, 0.05), "found alpha=1.5, expected a number between 0 and 1, both excluded");
        assert_eq!(refusal(0.0, 5.0, 0.05, 0.0), "found beta=0, expected a number between 0 and 1, both excluded");
        assert_eq!(refusal(0.0, 5.0, 0.5, 0.5), "found alpha=0.5 and beta=0.5, expected a sum less than 1");
        assert_eq!("logistic".parse(), Ok(EloModel::Logistic));
        assert_eq!("bayesian".parse::<EloModel>(), Err(SprtError::UnknownModel("bayesian".to_owned())));
    }

    /// Counts of all sizes, many of them 0.
    fn random_count(random: &mut SplitMix64) -> u64 {
        let size = random.below(17);
        random.below(1 << size)
    }

    #[test]
    fn every_hypothesis_is_fitted() {
        let mut random = SplitMix64(1);
        for _ in 0..300 {
            let mut sample = Pentanomial { wd: 1, ..Pentanomial::default() };
            for count in [&mut sample.ll, &mut sample.ld, &mut sample.dd, &mut sample.ww] {
                *count = random_count(&mut random);
            }
            let sample = ScoreSample::new(&sample.score_counts());
            let reach = 10f64.powi(random.below(5) as i32);
            let t = (random.below(2001) as f64 / 1000.0 - 1.0) * reach / NELO_PER_SIGMA;
            let fit = sample.fit_t_value(t).unwrap();
            let mean = sample.mean(|offset| offset / fit.divisor(offset));
            let square = sample.mean(|offset| offset * offset / fit.divisor(offset));
            close(sample.mean(|offset| 1.0 / fit.divisor(offset)), 1.0, 1e-6);
            close(mean, t * (square - mean * mean).sqrt(), 1e-6);
        }
    }

    #[test]
    fn antisymmetric_and_empty() {
        for model in [EloModel::Normalized, EloModel::Logistic] {
            assert_eq!(llr(model, 0.0, 5.0, pairs([0; 5])), 0.0);
            let sample = [3, 40, 100, 55, 9];
            let mut mirrored = sample;
            mirrored.reverse();
            let there = llr(model, 0.0, 5.0, pairs(sample));
            close(llr(model, -5.0, 0.0, pairs(mirrored)), -there, 1e-8);
        }
    }
}
