//! The loss of a score against the value that a position has: an ordinal model with logistic thresholds.

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

/// The loss of a score, in logits, for a value with this rank: 0 for Black's win, 1 for a draw, then White's wins.
pub fn loss(score: f32, thresholds: &[f32], rank: usize) -> Loss {
    let above = |threshold: Option<&f32>| threshold.map(|threshold| logistic(f64::from(score) - f64::from(*threshold)));
    let lower = rank.checked_sub(1).and_then(|rank| above(thresholds.get(rank)));
    let upper = above(thresholds.get(rank));
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

/// The rank of the likeliest value by a score.
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
    fn slopes_are_those_of_the_loss() {
        let thresholds = [-8.0, 8.0, 10.0, 15.0];
        let near = |found: f32, loss_at: &dyn Fn(f32) -> f64, what: &str| {
            let slope = (loss_at(0.01) - loss_at(-0.01)) / 0.02;
            assert!((f64::from(found) - slope).abs() < 2e-3, "{what}: {found} {slope}");
        };
        for rank in 0..=4 {
            for score in [-11.0, -8.0, 0.0, 3.0, 9.0, 12.0, 16.0] {
                let found = loss(score, &thresholds, rank);
                let moved = |place: usize, by: f32| {
                    let mut thresholds = thresholds;
                    thresholds[place] += by;
                    loss(score, &thresholds, rank).loss
                };
                let what = format!("{rank} at {score}");
                near(found.by_score, &|by| loss(score + by, &thresholds, rank).loss, &what);
                if rank > 0 {
                    near(found.by_lower, &|by| moved(rank - 1, by), &what);
                }
                if rank < 4 {
                    near(found.by_upper, &|by| moved(rank, by), &what);
                }
            }
        }
    }

    #[test]
    fn chances_of_all_values_add_up() {
        let thresholds = [-8.0, 8.0, 9.0];
        for score in [-20.0, -8.0, 0.5, 8.5, 30.0] {
            let sum: f64 = (0..4).map(|rank| (-loss(score, &thresholds, rank).loss).exp()).sum();
            assert!((sum - 1.0).abs() < 1e-6, "{score}");
        }
        assert_eq!([-9.0, 0.0, 8.5, 9.5].map(|score| rank_of(score, &thresholds)), [0, 1, 2, 3]);
    }
}
