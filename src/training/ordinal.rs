//! The loss of a score against the end that a position's game has: an ordinal model with logistic thresholds.

use crate::eval::network::{End, Level};

/// `e` to the power of `x`, by the same operations on every machine; within 1e-12 of it, relatively.
fn exp(x: f64) -> f64 {
    const LOG2_E: f64 = std::f64::consts::LOG2_E;
    const LN_2: f64 = std::f64::consts::LN_2;
    let x = x.clamp(-700.0, 700.0);
    let doublings = (x * LOG2_E + 0.5).floor();
    let rest = x - doublings * LN_2;
    // Taylor's series by Horner's rule; the rest is at most 0.35.
    let series = (1..=13).rev().fold(1.0, |sum, term| 1.0 + sum * rest / f64::from(term));
    series * f64::from_bits(((1023 + doublings as i64) as u64) << 52)
}

/// The logistic function.
fn logistic(x: f64) -> f64 {
    1.0 / (1.0 + exp(-x))
}

/// What is known of how a game ends: the lowest and the highest rank among a network's levels.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Ranks {
    /// The lowest one.
    pub lowest: usize,
    /// The highest one.
    pub highest: usize,
}

impl Ranks {
    /// The ranks of all levels with this outcome, -1 to 1. `None` if there are none.
    pub fn of_outcome(levels: &[Level], outcome: i32) -> Option<Self> {
        Self::all(levels, |level| level.outcome() == outcome)
    }

    /// The rank of an end in a number of plies. `None` if there is no such level.
    pub fn of(levels: &[Level], end: End, plies: u32) -> Option<Self> {
        let ranks = Self::all(levels, |level| level.end == end && plies <= level.longest)?;
        // Of all bounds that the plies are within, the tightest is the farthest from the middle.
        let rank = if end < End::Held { ranks.lowest } else { ranks.highest };
        Some(Self { lowest: rank, highest: rank })
    }

    /// From the first to the last of some levels.
    fn all(levels: &[Level], is_meant: impl Fn(&Level) -> bool) -> Option<Self> {
        Some(Self { lowest: levels.iter().position(&is_meant)?, highest: levels.iter().rposition(is_meant)? })
    }

    /// The number of the threshold below them, if there is one.
    pub const fn below(self) -> Option<usize> {
        self.lowest.checked_sub(1)
    }
}

/// The loss of one sample, and its slopes.
#[derive(Copy, Clone, Debug)]
pub struct Loss {
    /// Minus the logarithm of the chance that the model gives the value.
    pub loss: f64,
    /// Slope by the score.
    pub by_score: f32,
    /// Slope by the threshold below the value, if there is one.
    pub by_lower: f32,
    /// Slope by the threshold above the value, if there is one.
    pub by_upper: f32,
}

/// The loss of a score, in logits, for an end with one of these ranks, the numbers of its levels: more than one where the
/// distance is not known.
pub fn loss(score: f32, thresholds: &[f32], ranks: Ranks) -> Loss {
    let above = |threshold: Option<&f32>| threshold.map(|threshold| logistic(f64::from(score) - f64::from(*threshold)));
    let lower = ranks.below().and_then(|number| above(thresholds.get(number)));
    let upper = above(thresholds.get(ranks.highest));
    let (reached, passed) = (lower.unwrap_or(1.0), upper.unwrap_or(0.0));
    let chance = (reached - passed).max(1e-12);
    let slope = |chance_above: Option<f64>| chance_above.map_or(0.0, |p| p * (1.0 - p) / chance);
    Loss {
        loss: -chance.ln(),
        by_score: -(1.0 - reached - passed) as f32,
        by_lower: slope(lower) as f32,
        by_upper: -slope(upper) as f32,
    }
}

/// The rank of a score.
pub fn rank_of(score: f32, thresholds: &[f32]) -> usize {
    thresholds.iter().take_while(|threshold| score > **threshold).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exp_is_that_of_the_library() {
        for x in -7_000..7_000 {
            let x = f64::from(x) / 10.0;
            assert!((exp(x) / x.exp() - 1.0).abs() < 1e-12, "{x}");
        }
    }

    #[test]
    fn an_end_has_the_rank_of_its_tightest_level() {
        let level = |end, longest| Level { end, longest };
        let (any, black, errs, white) = (Level::ANY, End::BlackWins, End::BlackErrs, End::WhiteWins);
        let levels = [level(black, 9), level(black, any), Level::HELD, level(errs, 5)];
        let levels = [&levels[..], &[level(white, any), level(white, 40), level(white, 10)]].concat();
        for (end, plies, rank) in [
            (black, 9, Some(0)),
            (black, 10, Some(1)),
            (End::Held, 70, Some(2)),
            (errs, 5, Some(3)),
            (errs, 6, None),
            (End::WhiteErrs, 1, None),
            (white, 41, Some(4)),
            (white, 40, Some(5)),
            (white, 0, Some(6)),
        ] {
            let ranks = rank.map(|rank| Ranks { lowest: rank, highest: rank });
            assert_eq!(Ranks::of(&levels, end, plies), ranks, "{end:?} in {plies}");
        }
        for (outcome, lowest, highest) in [(-1, 0, 1), (0, 2, 3), (1, 4, 6)] {
            assert_eq!(Ranks::of_outcome(&levels, outcome), Some(Ranks { lowest, highest }), "{outcome}");
        }
        assert_eq!(Ranks::of_outcome(&levels, 2), None);
    }

    #[test]
    fn slopes_are_those_of_the_loss() {
        let thresholds = [-8.0, 8.0, 10.0, 15.0];
        let near = |found: f32, loss_at: &dyn Fn(f32) -> f64, what: &str| {
            let slope = (loss_at(0.01) - loss_at(-0.01)) / 0.02;
            assert!((f64::from(found) - slope).abs() < 2e-3, "{what}: {found} {slope}");
        };
        let ranks = (0..=4).flat_map(|lowest| (lowest..=4).map(move |highest| Ranks { lowest, highest }));
        for ranks in ranks {
            for score in [-11.0, -8.0, 0.0, 3.0, 9.0, 12.0, 16.0] {
                let found = loss(score, &thresholds, ranks);
                let moved = |place: usize, by: f32| {
                    let mut thresholds = thresholds;
                    thresholds[place] += by;
                    loss(score, &thresholds, ranks).loss
                };
                let what = format!("{ranks:?} at {score}");
                near(found.by_score, &|by| loss(score + by, &thresholds, ranks).loss, &what);
                if let Some(below) = ranks.below() {
                    near(found.by_lower, &|by| moved(below, by), &what);
                }
                if ranks.highest < 4 {
                    near(found.by_upper, &|by| moved(ranks.highest, by), &what);
                }
            }
        }
    }

    #[test]
    fn chances_of_all_values_add_up() {
        let thresholds = [-8.0, 8.0, 9.0];
        for score in [-20.0, -8.0, 0.5, 8.5, 30.0] {
            let chance = |lowest, highest| (-loss(score, &thresholds, Ranks { lowest, highest }).loss).exp();
            let sum: f64 = (0..4).map(|rank| chance(rank, rank)).sum();
            assert!((sum - 1.0).abs() < 1e-6, "{score}");
            assert!((chance(1, 2) - chance(1, 1) - chance(2, 2)).abs() < 1e-6, "{score}");
        }
        assert_eq!([-9.0, 0.0, 8.5, 9.5].map(|score| rank_of(score, &thresholds)), [0, 1, 2, 3]);
    }
}
