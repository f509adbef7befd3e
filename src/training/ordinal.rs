//! The loss of a score against the end that a position's game has: an ordinal model with logistic thresholds.

use crate::eval::network::Level;

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
    /// The ranks of an end with this outcome in a number of plies, if that is known. `None` if there is no such outcome.
    pub fn of(levels: &[Level], outcome: i32, plies: Option<u32>) -> Option<Self> {
        let has_plies = |level: &Level| plies.is_none_or(|plies| plies <= level.longest);
        let mut ranks = (0..).zip(levels).filter(|(_, level)| level.outcome == outcome && has_plies(level));
        let (first, last) = (ranks.next()?.0, ranks.last().map(|(rank, _)| rank));
        let last = last.unwrap_or(first);
        Some(match plies {
            None => Self { lowest: first, highest: last },
            // Of all bounds that the plies are within, the tightest is the farthest from the draw.
            Some(_) if outcome < 0 => Self { lowest: first, highest: first },
            Some(_) => Self { lowest: last, highest: last },
        })
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
        let level = |outcome, longest| Level { outcome, longest };
        let any = Level::ANY;
        let levels = [level(-1, 9), level(-1, any), Level::DRAW, level(1, any), level(1, 40), level(1, 10)];
        for (outcome, plies, lowest, highest) in [
            (-1, Some(9), 0, 0),
            (-1, Some(10), 1, 1),
            (-1, None, 0, 1),
            (0, None, 2, 2),
            (1, None, 3, 5),
            (1, Some(41), 3, 3),
            (1, Some(40), 4, 4),
            (1, Some(0), 5, 5),
        ] {
            assert_eq!(Ranks::of(&levels, outcome, plies), Some(Ranks { lowest, highest }), "{outcome} in {plies:?}");
        }
        assert_eq!(Ranks::of(&levels, 2, None), None);
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
