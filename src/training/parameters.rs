//! Parameters that Adam adapts (D. Kingma, J. Ba, "Adam: A Method for Stochastic Optimization", 2015).

/// Decay of the average of gradients and of that of their squares.
const DECAY: [f32; 2] = [0.9, 0.999];
/// Keeps the quotient finite.
const EPSILON: f32 = 1e-8;

/// One step of the optimiser: how far it goes, and what makes up for the averages having begun at 0.
#[derive(Copy, Clone, Debug)]
pub struct AdamStep {
    rate: f32,
    corrections: [f32; 2],
    /// What gradients are multiplied with: they are summed over a batch.
    scale: f32,
}

/// The optimiser's count of steps.
#[derive(Clone, Debug)]
pub struct Adam {
    /// The decays, each to the power of the steps so far.
    powers: [f32; 2],
}

impl Default for Adam {
    fn default() -> Self {
        Self { powers: [1.0; 2] }
    }
}

impl Adam {
    /// The next step, at a learning rate, for gradients summed over `batch` samples.
    pub fn step(&mut self, rate: f32, batch: usize) -> AdamStep {
        for (power, decay) in self.powers.iter_mut().zip(DECAY) {
            *power *= decay;
        }
        AdamStep { rate, corrections: self.powers.map(|power| 1.0 / (1.0 - power)), scale: 1.0 / batch as f32 }
    }
}

/// Numbers with their gradients and the averages of these.
#[derive(Clone, Debug)]
pub struct Parameters {
    values: Vec<f32>,
    /// Sum over the batch; the step clears it.
    pub gradient: Vec<f32>,
    averages: Vec<f32>,
    squares: Vec<f32>,
    /// Values are kept between this and minus this.
    limit: f32,
}

impl Parameters {
    /// Parameters that begin with these values, and stay within `limit` of 0.
    pub fn new(values: Vec<f32>, limit: f32) -> Self {
        let zeros = vec![0.0; values.len()];
        Self { values, gradient: zeros.clone(), averages: zeros.clone(), squares: zeros, limit }
    }

    /// The values.
    pub fn values(&self) -> &[f32] {
        &self.values
    }

    /// The values in rows of `N`.
    pub fn rows<const N: usize>(&self) -> &[[f32; N]] {
        self.values.as_chunks().0
    }

    /// The values and the gradient, in rows of `N`.
    pub fn rows_with_gradient<const N: usize>(&mut self) -> impl Iterator<Item = (&[f32; N], &mut [f32; N])> {
        self.values.as_chunks().0.iter().zip(self.gradient.as_chunks_mut().0)
    }

    /// Moves values that are nearer than `gap` to one before them apart. Two of them stay, those numbered `low` and `high`:
    /// values before and after them move outwards, those between them to where there is room.
    pub fn spread_around(&mut self, low: usize, high: usize, gap: f32) {
        let stays = |number: usize| number == low || number == high;
        let mut last = f32::NEG_INFINITY;
        for (number, value) in self.values.iter_mut().enumerate().skip(low) {
            *value = if stays(number) { *value } else { value.max(last + gap) };
            last = *value;
        }
        last = f32::INFINITY;
        for (number, value) in self.values.iter_mut().enumerate().take(high + 1).rev() {
            *value = if stays(number) { *value } else { value.min(last - gap) };
            last = *value;
        }
    }

    /// Makes a step down the gradient, and clears that.
    pub fn apply(&mut self, step: AdamStep) {
        let [first, second] = DECAY;
        let [correction, square_correction] = step.corrections;
        let moments = self.averages.iter_mut().zip(&mut self.squares);
        for ((value, gradient), (average, square)) in self.values.iter_mut().zip(&mut self.gradient).zip(moments) {
            let slope = *gradient * step.scale;
            *gradient = 0.0;
            *average = first * *average + (1.0 - first) * slope;
            *square = second * *square + (1.0 - second) * slope * slope;
            let size = (*square * square_correction).sqrt() + EPSILON;
            *value = (*value - step.rate * (*average * correction) / size).clamp(-self.limit, self.limit);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_parabola_is_descended_and_limits_hold() {
        let mut parameters = Parameters::new(vec![3.0, -3.0], 4.0);
        let mut adam = Adam::default();
        for _ in 0..4_000 {
            // Minima at 1 and, beyond the limit, at 9; the gradients are those of a batch of two.
            parameters.gradient =
                parameters.values().iter().zip([1.0, 9.0]).map(|(value, least)| 4.0 * (value - least)).collect();
            parameters.apply(adam.step(0.01, 2));
        }
        let [near, far] = parameters.values() else { unreachable!() };
        assert!((near - 1.0).abs() < 0.01, "{near}");
        assert!((far - 4.0).abs() < f32::EPSILON, "{far}");
        assert_eq!(parameters.gradient, [0.0, 0.0]);
    }

    #[test]
    fn values_are_spread_around_two_that_stay() {
        let spread = |values: &[f32]| {
            let mut parameters = Parameters::new(values.to_vec(), f32::MAX);
            parameters.spread_around(2, 5, 1.0);
            parameters.values().to_vec()
        };
        assert_eq!(spread(&[-5.0, 0.5, 0.0, 3.5, 9.0, 4.0, 4.0, 9.0]), [-5.0, -1.0, 0.0, 2.0, 3.0, 4.0, 5.0, 9.0]);
        assert_eq!(spread(&[0.5, 0.5, 0.0, -2.0, 1.5, 4.0, 4.0, 4.5]), [-2.0, -1.0, 0.0, 1.0, 2.0, 4.0, 5.0, 6.0]);
    }

    #[test]
    fn the_first_step_is_as_long_as_the_rate() {
        let mut parameters = Parameters::new(vec![0.0], 1.0);
        parameters.gradient = vec![50.0];
        parameters.apply(Adam::default().step(0.125, 10));
        assert!((parameters.values()[0] + 0.125).abs() < 1e-6);
    }
}
