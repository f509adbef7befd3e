//! The network in real numbers, with the slopes of its loss.
//!
//! A batch goes through it in three passes: bucket by bucket to the hidden units, head by head to the loss and back to
//! the hidden units' slopes, and bucket by bucket again to the rows. Each pass works on its parts side by side, and each
//! part takes its samples in the batch's order, so the sums are the same with any number of threads.

use crate::eval::features::{BUCKET_ROWS, BUCKETS, FREEDOM_ROWS, Features};
use crate::eval::network::{DENSE_ONE, HIDDEN, Head, Level, Network, OUTPUT_LOGITS, ROW_ONE, UNITS};
use crate::parallel::for_each;
use crate::rng::SplitMix64;
use crate::training::ordinal::{Ranks, loss, rank_of};
use crate::training::parameters::{AdamStep, Parameters};

/// Largest weight of a row: what a byte can hold.
const ROW_LIMIT: f32 = 127.0 / ROW_ONE as f32;
/// Largest weight of a dense layer.
const DENSE_LIMIT: f32 = 16.0;
/// The thresholds below and above all draws in logits, which are not trained: they set the scale.
const DRAW: [f32; 2] = [-8.0, 8.0];
/// Least distance of two thresholds.
const LEAST_GAP: f32 = 0.25;
/// How much the loss by a hint counts: as little as leaves it to decide among positions whose outcome is certain, since all
/// that tells won from drawn counts in full.
const HINT_WEIGHT: f32 = 0.05;
/// Distance of the thresholds among wins at the beginning.
const FIRST_GAP: f32 = 2.0;

/// A sample as the network sees it.
#[derive(Copy, Clone, Debug)]
pub struct TrainingSample {
    /// What is seen of the position.
    pub features: Features,
    /// Where its end lies among the network's levels.
    pub ranks: Ranks,
    /// Where among these it lies in games of weak players or on average, if more than one is possible.
    pub hint: Option<Ranks>,
}

/// Where a sample stands among those of its bucket and of its head.
#[derive(Copy, Clone, Debug)]
struct SamplePlace {
    in_bucket: usize,
    in_head: usize,
}

/// Which rows are summed for what is seen of a position.
type RowsOf = fn(&Features) -> &[u8];

/// Rows of weights of the hidden units: those of a bucket, or those for how free the tigers are with one side to move.
struct RowsModel {
    weights: Parameters,
    /// The weights as a byte can hold them: these are what positions go through (quantisation-aware training).
    rounded: Vec<f32>,
    /// The batch's samples that these rows are for, and their sums.
    samples: Vec<usize>,
    sums: Vec<[f32; HIDDEN]>,
}

/// The weights for one side to move; those of dense layers by unit, then by input.
struct HeadModel {
    freedom: RowsModel,
    first: Parameters,
    first_bias: Parameters,
    second: Parameters,
    second_bias: Parameters,
    output: Parameters,
    output_bias: Parameters,
    /// The slopes of the hidden sums of the batch's samples with this side to move.
    slopes: Vec<[f32; HIDDEN]>,
    /// Slopes of the thresholds, summed.
    threshold_slopes: Vec<f32>,
    tally: Tally,
}

/// How well samples were told apart.
#[derive(Copy, Clone, Default, Debug)]
pub struct Tally {
    /// Samples.
    pub samples: u64,
    /// Those whose score lies in a level with the right outcome.
    pub right: u64,
    /// Sum of the losses.
    pub loss: f64,
}

impl Tally {
    /// Takes in another tally.
    pub fn add(&mut self, other: Self) {
        self.samples += other.samples;
        self.right += other.right;
        self.loss += other.loss;
    }
}

/// The levels of scores and the thresholds between them.
struct Scale<'a> {
    levels: &'a [Level],
    thresholds: &'a [f32],
}

impl Scale<'_> {
    fn outcome(&self, rank: usize) -> Option<i32> {
        self.levels.get(rank).map(Level::outcome)
    }
}

/// The network in real numbers.
pub struct Model {
    name: String,
    levels: Vec<Level>,
    buckets: Vec<RowsModel>,
    heads: Vec<HeadModel>,
    thresholds: Parameters,
}

fn clipped(sum: f32) -> f32 {
    sum.clamp(0.0, 1.0)
}

/// Whether clipping lets a change of the sum through.
fn is_open(sum: f32) -> bool {
    sum > 0.0 && sum < 1.0
}

/// Sum of products in a fixed order, eight sums side by side.
fn dot<const N: usize>(left: &[f32; N], right: &[f32; N]) -> f32 {
    let mut sums = [0.0; 8];
    for (left, right) in left.as_chunks::<8>().0.iter().zip(right.as_chunks::<8>().0) {
        for (sum, (left, right)) in sums.iter_mut().zip(left.iter().zip(right)) {
            *sum += left * right;
        }
    }
    sums.iter().sum()
}

/// Adds `factor` times a row to sums.
fn add_scaled<const N: usize>(sums: &mut [f32; N], factor: f32, row: &[f32; N]) {
    for (sum, weight) in sums.iter_mut().zip(row) {
        *sum += factor * weight;
    }
}

/// The sums of a dense layer.
fn dense<const N: usize>(units: &[f32; N], weights: &[[f32; N]], bias: &[f32]) -> [f32; UNITS] {
    let mut sums = [0.0; UNITS];
    for (sum, (row, bias)) in sums.iter_mut().zip(weights.iter().zip(bias)) {
        *sum = bias + dot(row, units);
    }
    sums
}

/// The slopes of a dense layer's input sums, given those of its output sums; its weights' slopes are added up.
fn dense_back<const N: usize>(sums: &[f32; N], slopes: &[f32; UNITS], weights: &mut Parameters) -> [f32; N] {
    let units = sums.map(clipped);
    let mut back = [0.0; N];
    for (slope, (row, row_gradient)) in slopes.iter().zip(weights.rows_with_gradient()) {
        add_scaled(&mut back, *slope, row);
        add_scaled(row_gradient, *slope, &units);
    }
    back.iter_mut().zip(sums).for_each(|(back, sum)| *back = if is_open(*sum) { *back } else { 0.0 });
    back
}

fn add_all(sums: &mut [f32], slopes: &[f32]) {
    sums.iter_mut().zip(slopes).for_each(|(sum, slope)| *sum += slope);
}

impl RowsModel {
    fn new(weights: Vec<f32>) -> Self {
        let mut bucket = Self {
            rounded: vec![0.0; weights.len()],
            weights: Parameters::new(weights, ROW_LIMIT),
            samples: Vec::new(),
            sums: Vec::new(),
        };
        bucket.round();
        bucket
    }

    fn round(&mut self) {
        let one = ROW_ONE as f32;
        for (rounded, weight) in self.rounded.iter_mut().zip(self.weights.values()) {
            *rounded = (weight * one + 0.5).floor() / one;
        }
    }

    /// Sums the rows of the samples.
    fn forward(&mut self, batch: &[TrainingSample], rows_of: RowsOf) {
        let rows = self.rounded.as_chunks::<HIDDEN>().0;
        self.sums.clear();
        for sample in self.samples.iter().filter_map(|number| batch.get(*number)) {
            let mut sums = [0.0; HIDDEN];
            for row in rows_of(&sample.features).iter().filter_map(|row| rows.get(usize::from(*row))) {
                add_scaled(&mut sums, 1.0, row);
            }
            self.sums.push(sums);
        }
    }

    /// Takes the slopes of the samples' hidden sums into the rows, and makes a step.
    fn backward<'a>(
        &mut self,
        batch: &[TrainingSample],
        rows_of: RowsOf,
        slopes_of: impl Fn(usize) -> Option<&'a [f32; HIDDEN]>,
        step: AdamStep,
    ) {
        let gradient = self.weights.gradient.as_chunks_mut::<HIDDEN>().0;
        for number in &self.samples {
            let (Some(sample), Some(slopes)) = (batch.get(*number), slopes_of(*number)) else { continue };
            for row in rows_of(&sample.features) {
                if let Some(row) = gradient.get_mut(usize::from(*row)) {
                    add_scaled(row, 1.0, slopes);
                }
            }
        }
        self.weights.apply(step);
        self.round();
    }
}

impl HeadModel {
    /// A head of random weights.
    fn random(random: &mut SplitMix64) -> Self {
        let mut uniform = |count: usize, inputs: usize| {
            // Half of the units of clipped layers are silent, so inputs count twice (He initialisation).
            let bound = (6.0 / inputs as f32).sqrt();
            (0..count).map(|_| uniform(random, bound)).collect::<Vec<f32>>()
        };
        let first = uniform(HIDDEN * UNITS, HIDDEN);
        let second = uniform(UNITS * UNITS, UNITS);
        let output = uniform(UNITS, UNITS);
        let freedom = (0..FREEDOM_ROWS * HIDDEN).map(|_| self::uniform(random, 0.1)).collect();
        Self::new(freedom, [first, vec![0.2; UNITS], second, vec![0.2; UNITS], output, vec![0.0]])
    }

    fn new(freedom: Vec<f32>, layers: [Vec<f32>; 6]) -> Self {
        let [first, first_bias, second, second_bias, output, output_bias] =
            layers.map(|values| Parameters::new(values, DENSE_LIMIT));
        Self {
            freedom: RowsModel::new(freedom),
            first,
            first_bias,
            second,
            second_bias,
            output,
            output_bias,
            slopes: Vec::new(),
            threshold_slopes: Vec::new(),
            tally: Tally::default(),
        }
    }

    /// The loss of one sample with these hidden sums, and the slopes of these; the weights' slopes are added up.
    fn sample(&mut self, hidden: &[f32; HIDDEN], sample: &TrainingSample, scale: &Scale) -> [f32; HIDDEN] {
        let first = dense(&hidden.map(clipped), self.first.rows(), self.first_bias.values());
        let second = dense(&first.map(clipped), self.second.rows(), self.second_bias.values());
        let (output, bias) = (self.output.rows::<UNITS>().first().copied(), self.output_bias.values().first());
        let (Some(output), Some(bias)) = (output, bias) else { return [0.0; HIDDEN] };
        let logits = OUTPUT_LOGITS as f32;
        let score = logits * (bias + dot(&output, &second.map(clipped)));
        let slope = logits * self.loss(score, sample, scale);
        let mut second_slopes = output;
        for (back, sum) in second_slopes.iter_mut().zip(&second) {
            *back = if is_open(*sum) { slope * *back } else { 0.0 };
        }
        add_all(&mut self.output.gradient, &second.map(|sum| slope * clipped(sum)));
        add_all(&mut self.output_bias.gradient, &[slope]);
        add_all(&mut self.second_bias.gradient, &second_slopes);
        let first_slopes = dense_back(&first, &second_slopes, &mut self.second);
        add_all(&mut self.first_bias.gradient, &first_slopes);
        dense_back(hidden, &first_slopes, &mut self.first)
    }

    /// Counts the loss of a score, adds up the slopes of the thresholds, and returns the score's own.
    fn loss(&mut self, score: f32, sample: &TrainingSample, scale: &Scale) -> f32 {
        let known = loss(score, scale.thresholds, sample.ranks);
        let is_right = scale.outcome(rank_of(score, scale.thresholds)) == scale.outcome(sample.ranks.lowest);
        self.tally.add(Tally { samples: 1, right: u64::from(is_right), loss: known.loss });
        let hint = sample.hint.map(|hint| (hint, loss(score, scale.thresholds, hint), HINT_WEIGHT));
        let mut slope = 0.0;
        for (ranks, loss, weight) in [(sample.ranks, known, 1.0)].into_iter().chain(hint) {
            slope += weight * loss.by_score;
            if let Some(lower) = ranks.below().and_then(|below| self.threshold_slopes.get_mut(below)) {
                *lower += weight * loss.by_lower;
            }
            if let Some(upper) = self.threshold_slopes.get_mut(ranks.highest) {
                *upper += weight * loss.by_upper;
            }
        }
        slope
    }

    fn layers(&mut self) -> [&mut Parameters; 6] {
        [
            &mut self.first,
            &mut self.first_bias,
            &mut self.second,
            &mut self.second_bias,
            &mut self.output,
            &mut self.output_bias,
        ]
    }
}

/// A number between minus `bound` and `bound`.
fn uniform(random: &mut SplitMix64, bound: f32) -> f32 {
    let unit = (random.next_u64() >> 40) as f32 / (1_u64 << 24) as f32;
    (2.0 * unit - 1.0) * bound
}

impl Model {
    /// A network of random weights for ends at these levels, one of which is the draw.
    pub fn random(name: &str, levels: Vec<Level>, seed: u64) -> Self {
        let mut random = SplitMix64(seed);
        let bucket = |random: &mut SplitMix64| {
            let rows = (BUCKET_ROWS - 1) * HIDDEN;
            let mut weights: Vec<f32> = (0..rows).map(|_| uniform(random, 0.25)).collect();
            weights.extend((0..HIDDEN).map(|_| 0.3 + uniform(random, 0.3)));
            RowsModel::new(weights)
        };
        Self {
            name: name.to_owned(),
            thresholds: Parameters::new(first_thresholds(&levels), f32::MAX),
            levels,
            buckets: (0..BUCKETS).map(|_| bucket(&mut random)).collect(),
            heads: (0..2).map(|_| HeadModel::random(&mut random)).collect(),
        }
    }

    /// The levels of its scores.
    pub fn levels(&self) -> &[Level] {
        &self.levels
    }

    /// A network to go on from, under a name and for these levels. If they are not its own, the thresholds begin at equal
    /// distances.
    pub fn from_network(network: &Network, name: &str, levels: Vec<Level>) -> Self {
        let real = |rows: &[[i8; HIDDEN]]| -> Vec<f32> {
            rows.iter().flatten().map(|weight| f32::from(*weight) / ROW_ONE as f32).collect()
        };
        let buckets = network.rows.chunks(BUCKET_ROWS).map(|rows| RowsModel::new(real(rows)));
        let heads = network.heads.iter().map(|head| {
            let dense_one = DENSE_ONE as f32;
            let weights = |numbers: &[i16]| numbers.iter().map(|weight| f32::from(*weight) / dense_one).collect();
            let biases = |numbers: &[i32], one: f32| numbers.iter().map(|bias| *bias as f32 / one).collect();
            HeadModel::new(
                real(&head.freedom),
                [
                    weights(head.first.as_flattened()),
                    biases(&head.first_bias, ROW_ONE as f32 * dense_one),
                    weights(head.second.as_flattened()),
                    biases(&head.second_bias, dense_one * dense_one),
                    weights(&head.output),
                    biases(&[head.output_bias], dense_one * dense_one),
                ],
            )
        });
        let mut model = Self { buckets: buckets.collect(), heads: heads.collect(), ..Self::random(name, levels, 0) };
        if model.levels == network.levels {
            let known = network.thresholds.iter().map(|threshold| *threshold as f32 / 65_536.0);
            model.thresholds = Parameters::new(known.collect(), f32::MAX);
        }
        model
    }

    /// Sends a batch through, adapts the weights, and tells how well its samples were told apart before.
    pub fn train(&mut self, batch: &[TrainingSample], step: AdamStep, threads: usize) -> Tally {
        let places = self.distribute(batch);
        for_each(threads, self.buckets.iter_mut(), |bucket| bucket.forward(batch, Features::rows));
        self.heads_pass(batch, &places, step, threads);
        let heads = &self.heads;
        let slopes_of = |number: usize| {
            let (sample, place) = (batch.get(number)?, places.get(number)?);
            heads.get(sample.features.side_index())?.slopes.get(place.in_head)
        };
        for_each(threads, self.buckets.iter_mut(), |bucket| bucket.backward(batch, Features::rows, slopes_of, step));
        self.threshold_pass(step);
        let mut tally = Tally::default();
        self.heads.iter_mut().for_each(|head| tally.add(std::mem::take(&mut head.tally)));
        tally
    }

    /// Hands the samples of a batch to their buckets and heads.
    fn distribute(&mut self, batch: &[TrainingSample]) -> Vec<SamplePlace> {
        self.buckets.iter_mut().for_each(|bucket| bucket.samples.clear());
        self.heads.iter_mut().for_each(|head| head.freedom.samples.clear());
        let mut places = Vec::with_capacity(batch.len());
        for (number, sample) in batch.iter().enumerate() {
            let bucket = self.buckets.get_mut(sample.features.bucket());
            let head = self.heads.get_mut(sample.features.side_index());
            let (Some(bucket), Some(head)) = (bucket, head) else { continue };
            places.push(SamplePlace { in_bucket: bucket.samples.len(), in_head: head.freedom.samples.len() });
            bucket.samples.push(number);
            head.freedom.samples.push(number);
        }
        places
    }

    fn heads_pass(&mut self, batch: &[TrainingSample], places: &[SamplePlace], step: AdamStep, threads: usize) {
        let (buckets, scale) = (&self.buckets, Scale { levels: &self.levels, thresholds: self.thresholds.values() });
        let sums_of = |number: usize| {
            let (sample, place) = (batch.get(number)?, places.get(number)?);
            let sums = buckets.get(sample.features.bucket())?.sums.get(place.in_bucket)?;
            Some((sums, sample))
        };
        for_each(threads, self.heads.iter_mut(), |head| {
            head.slopes.clear();
            head.threshold_slopes.clear();
            head.threshold_slopes.resize(scale.thresholds.len(), 0.0);
            head.freedom.forward(batch, Features::freedom);
            let freedom = std::mem::take(&mut head.freedom.sums);
            for (number, own) in head.freedom.samples.clone().into_iter().zip(&freedom) {
                if let Some((sums, sample)) = sums_of(number) {
                    let mut hidden = *own;
                    add_all(&mut hidden, sums);
                    let slopes = head.sample(&hidden, sample, &scale);
                    head.slopes.push(slopes);
                }
            }
            head.layers().into_iter().for_each(|layer| layer.apply(step));
            let slopes = &head.slopes;
            let slopes_of = |number: usize| slopes.get(places.get(number)?.in_head);
            head.freedom.backward(batch, Features::freedom, slopes_of, step);
        });
    }

    /// Adapts the thresholds but for the draw's two, and keeps them ascending.
    fn threshold_pass(&mut self, step: AdamStep) {
        for head in &self.heads {
            add_all(&mut self.thresholds.gradient, &head.threshold_slopes);
        }
        let [low, high] = draw_thresholds(&self.levels);
        for fixed in [low, high] {
            self.thresholds.gradient.iter_mut().skip(fixed).take(1).for_each(|slope| *slope = 0.0);
        }
        self.thresholds.apply(step);
        self.thresholds.spread_around(low, high, LEAST_GAP);
    }

    /// The network in integers.
    pub fn quantised(&self) -> Network {
        let dense_one = DENSE_ONE as f32;
        let whole = |value: f32, one: f32| (value * one + 0.5).floor();
        let weight = |value: f32| whole(value, dense_one) as i16;
        let bytes = |rows: &RowsModel| -> Vec<[i8; HIDDEN]> {
            let rows = rows.rounded.as_chunks::<HIDDEN>().0;
            rows.iter().map(|row| row.map(|weight| whole(weight, ROW_ONE as f32) as i8)).collect()
        };
        let heads = [0, 1].map(|side| {
            let mut to = Head::zero();
            let Some(head) = self.heads.get(side) else { return to };
            let set = |places: &mut [i16], values: &Parameters| {
                places.iter_mut().zip(values.values()).for_each(|(place, value)| *place = weight(*value));
            };
            set(to.first.as_flattened_mut(), &head.first);
            set(to.second.as_flattened_mut(), &head.second);
            set(&mut to.output, &head.output);
            let bias = |places: &mut [i32], values: &Parameters, one: f32| {
                places.iter_mut().zip(values.values()).for_each(|(place, value)| *place = whole(*value, one) as i32);
            };
            bias(&mut to.first_bias, &head.first_bias, ROW_ONE as f32 * dense_one);
            bias(&mut to.second_bias, &head.second_bias, dense_one * dense_one);
            bias(std::slice::from_mut(&mut to.output_bias), &head.output_bias, dense_one * dense_one);
            to.freedom = bytes(&head.freedom);
            to
        });
        Network {
            name: self.name.clone(),
            levels: self.levels.clone(),
            thresholds: self.thresholds.values().iter().map(|logits| whole(*logits, 65_536.0) as i32).collect(),
            rows: self.buckets.iter().flat_map(bytes).collect(),
            heads,
        }
    }
}

/// The numbers of the thresholds below and above all draws.
fn draw_thresholds(levels: &[Level]) -> [usize; 2] {
    [0, 1].map(|outcome| levels.iter().take_while(|level| level.outcome() < outcome).count().saturating_sub(1))
}

/// The thresholds between levels to begin with: the draw's two where they stay, those between them evenly spread, the others
/// at equal distances from them.
fn first_thresholds(levels: &[Level]) -> Vec<f32> {
    let ([black, white], [low, high]) = (DRAW, draw_thresholds(levels));
    let threshold = |number: usize| {
        if number < low {
            black - FIRST_GAP * (low - number) as f32
        } else if number <= high {
            black + (white - black) * (number - low) as f32 / (high - low).max(1) as f32
        } else {
            white + FIRST_GAP * (number - high) as f32
        }
    };
    (0..levels.len().saturating_sub(1)).map(threshold).collect()
}
