//! The network in real numbers, with the slopes of its loss.
//!
//! A batch goes through it in three passes: bucket by bucket to the hidden units, head by head to the loss and back to
//! the hidden units' slopes, and bucket by bucket again to the rows. Each pass works on its parts side by side, and each
//! part takes its samples in the batch's order, so the sums are the same with any number of threads.

use crate::eval::features::{BUCKETS, Features};
use crate::eval::network::{
    BUCKET_ROWS, CENTIGOATS_PER_LOGIT, DENSE_ONE, HIDDEN, Head, Network, OUTPUT_LOGITS, ROW_ONE, UNITS,
};
use crate::parallel::for_each;
use crate::rng::SplitMix64;
use crate::training::ordinal::{loss, rank_of};
use crate::training::parameters::{AdamStep, Parameters};

/// Largest weight of a row: what a byte can hold.
const ROW_LIMIT: f32 = 127.0 / ROW_ONE as f32;
/// Largest weight of a dense layer.
const DENSE_LIMIT: f32 = 16.0;
/// The first two thresholds in logits, which are not trained: a draw lies between them.
const DRAW: [f32; 2] = [-8.0, 8.0];
/// Least distance of two thresholds.
const LEAST_GAP: f32 = 0.25;

/// A sample as the network sees it.
#[derive(Copy, Clone, Debug)]
pub struct TrainingSample {
    /// What is seen of the position.
    pub features: Features,
    /// The value's rank: 0 for Black's win, 1 for a draw, then White's wins by points.
    pub rank: usize,
}

/// Where a sample stands among those of its bucket and of its head.
#[derive(Copy, Clone, Debug)]
struct SamplePlace {
    in_bucket: usize,
    in_head: usize,
}

/// The rows of one bucket.
struct BucketModel {
    weights: Parameters,
    /// The weights as a byte can hold them: these are what positions go through (quantisation-aware training).
    rounded: Vec<f32>,
    /// The batch's samples of this bucket, and their sums before clipping.
    samples: Vec<usize>,
    sums: Vec<[f32; HIDDEN]>,
}

/// The dense layers of one side to move; weights by unit, then by input.
struct HeadModel {
    first: Parameters,
    first_bias: Parameters,
    second: Parameters,
    second_bias: Parameters,
    output: Parameters,
    output_bias: Parameters,
    /// The batch's samples with this side to move, and the slopes of their hidden sums.
    samples: Vec<usize>,
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
    /// Those with the right value as the likeliest one.
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

/// The network in real numbers.
pub struct Model {
    name: String,
    buckets: Vec<BucketModel>,
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

impl BucketModel {
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

    /// The hidden sums of the bucket's samples.
    fn forward(&mut self, batch: &[TrainingSample]) {
        let rows = self.rounded.as_chunks::<HIDDEN>().0;
        self.sums.clear();
        for sample in self.samples.iter().filter_map(|number| batch.get(*number)) {
            let mut sums = rows.last().copied().unwrap_or([0.0; HIDDEN]);
            for row in sample.features.rows().filter_map(|row| rows.get(row)) {
                add_scaled(&mut sums, 1.0, row);
            }
            self.sums.push(sums);
        }
    }

    /// Takes the slopes of the samples' hidden sums into the rows, and makes a step.
    fn backward<'a>(
        &mut self,
        batch: &[TrainingSample],
        slopes_of: impl Fn(usize) -> Option<&'a [f32; HIDDEN]>,
        step: AdamStep,
    ) {
        let gradient = self.weights.gradient.as_chunks_mut::<HIDDEN>().0;
        for number in &self.samples {
            let (Some(sample), Some(slopes)) = (batch.get(*number), slopes_of(*number)) else { continue };
            for row in sample.features.rows().chain([BUCKET_ROWS - 1]) {
                if let Some(row) = gradient.get_mut(row) {
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
        Self::new([first, vec![0.2; UNITS], second, vec![0.2; UNITS], output, vec![0.0]])
    }

    fn new(layers: [Vec<f32>; 6]) -> Self {
        let [first, first_bias, second, second_bias, output, output_bias] =
            layers.map(|values| Parameters::new(values, DENSE_LIMIT));
        Self {
            first,
            first_bias,
            second,
            second_bias,
            output,
            output_bias,
            samples: Vec::new(),
            slopes: Vec::new(),
            threshold_slopes: Vec::new(),
            tally: Tally::default(),
        }
    }

    /// The loss of one sample with these hidden sums, and the slopes of these; the weights' slopes are added up.
    fn sample(&mut self, hidden: &[f32; HIDDEN], rank: usize, thresholds: &[f32]) -> [f32; HIDDEN] {
        let first = dense(&hidden.map(clipped), self.first.rows(), self.first_bias.values());
        let second = dense(&first.map(clipped), self.second.rows(), self.second_bias.values());
        let (output, bias) = (self.output.rows::<UNITS>().first(), self.output_bias.values().first());
        let (Some(output), Some(bias)) = (output, bias) else { return [0.0; HIDDEN] };
        let logits = OUTPUT_LOGITS as f32;
        let score = logits * (bias + dot(output, &second.map(clipped)));
        let found = loss(score, thresholds, rank);
        self.tally.add(Tally { samples: 1, right: u64::from(rank_of(score, thresholds) == rank), loss: found.loss });
        let slope = found.by_score * logits;
        let mut second_slopes = *output;
        for (back, sum) in second_slopes.iter_mut().zip(&second) {
            *back = if is_open(*sum) { slope * *back } else { 0.0 };
        }
        add_all(&mut self.output.gradient, &second.map(|sum| slope * clipped(sum)));
        add_all(&mut self.output_bias.gradient, &[slope]);
        if let Some(lower) = rank.checked_sub(1).and_then(|lower| self.threshold_slopes.get_mut(lower)) {
            *lower += found.by_lower;
        }
        if let Some(upper) = self.threshold_slopes.get_mut(rank) {
            *upper += found.by_upper;
        }
        add_all(&mut self.second_bias.gradient, &second_slopes);
        let first_slopes = dense_back(&first, &second_slopes, &mut self.second);
        add_all(&mut self.first_bias.gradient, &first_slopes);
        dense_back(hidden, &first_slopes, &mut self.first)
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
    /// A network of random weights for games with so many values: 3, or in scored rule sets 16.
    pub fn random(name: &str, values: usize, seed: u64) -> Self {
        let mut random = SplitMix64(seed);
        let bucket = |random: &mut SplitMix64| {
            let rows = (BUCKET_ROWS - 1) * HIDDEN;
            let mut weights: Vec<f32> = (0..rows).map(|_| uniform(random, 0.25)).collect();
            weights.extend((0..HIDDEN).map(|_| 0.3 + uniform(random, 0.3)));
            BucketModel::new(weights)
        };
        let [black, white] = DRAW;
        let wins = (0..values.saturating_sub(2)).map(|rank| white + 4.0 * rank as f32);
        Self {
            name: name.to_owned(),
            buckets: (0..BUCKETS).map(|_| bucket(&mut random)).collect(),
            heads: (0..2).map(|_| HeadModel::random(&mut random)).collect(),
            thresholds: Parameters::new([black].into_iter().chain(wins).collect(), f32::MAX),
        }
    }

    /// A network to go on from, under a name and for games with so many values. Thresholds that it lacks lie at equal
    /// distances.
    pub fn from_network(network: &Network, name: &str, values: usize) -> Self {
        let row = |row: &[i8; HIDDEN]| row.map(|weight| f32::from(weight) / ROW_ONE as f32);
        let buckets =
            network.rows.chunks(BUCKET_ROWS).map(|rows| BucketModel::new(rows.iter().flat_map(row).collect()));
        let heads = network.heads.iter().map(|head| {
            let dense_one = DENSE_ONE as f32;
            let weights = |numbers: &[i16]| numbers.iter().map(|weight| f32::from(*weight) / dense_one).collect();
            let biases = |numbers: &[i32], one: f32| numbers.iter().map(|bias| *bias as f32 / one).collect();
            HeadModel::new([
                weights(head.first.as_flattened()),
                biases(&head.first_bias, ROW_ONE as f32 * dense_one),
                weights(head.second.as_flattened()),
                biases(&head.second_bias, dense_one * dense_one),
                weights(&head.output),
                biases(&[head.output_bias], dense_one * dense_one),
            ])
        });
        let mut model = Self { buckets: buckets.collect(), heads: heads.collect(), ..Self::random(name, values, 0) };
        let known: Vec<f32> = network.thresholds.iter().map(|threshold| *threshold as f32 / 65_536.0).collect();
        if known.len() + 1 == values {
            model.thresholds = Parameters::new(known, f32::MAX);
        }
        model
    }

    /// Sends a batch through, adapts the weights, and tells how well its samples were told apart before.
    pub fn train(&mut self, batch: &[TrainingSample], step: AdamStep, threads: usize) -> Tally {
        let places = self.distribute(batch);
        for_each(threads, self.buckets.iter_mut(), |bucket| bucket.forward(batch));
        self.heads_pass(batch, &places, step, threads);
        let heads = &self.heads;
        let slopes_of = |number: usize| {
            let (sample, place) = (batch.get(number)?, places.get(number)?);
            heads.get(sample.features.side_index())?.slopes.get(place.in_head)
        };
        for_each(threads, self.buckets.iter_mut(), |bucket| bucket.backward(batch, slopes_of, step));
        self.threshold_pass(step);
        let mut tally = Tally::default();
        self.heads.iter_mut().for_each(|head| tally.add(std::mem::take(&mut head.tally)));
        tally
    }

    /// Hands the samples of a batch to their buckets and heads.
    fn distribute(&mut self, batch: &[TrainingSample]) -> Vec<SamplePlace> {
        self.buckets.iter_mut().for_each(|bucket| bucket.samples.clear());
        self.heads.iter_mut().for_each(|head| head.samples.clear());
        let mut places = Vec::with_capacity(batch.len());
        for (number, sample) in batch.iter().enumerate() {
            let bucket = self.buckets.get_mut(sample.features.bucket());
            let head = self.heads.get_mut(sample.features.side_index());
            let (Some(bucket), Some(head)) = (bucket, head) else { continue };
            places.push(SamplePlace { in_bucket: bucket.samples.len(), in_head: head.samples.len() });
            bucket.samples.push(number);
            head.samples.push(number);
        }
        places
    }

    fn heads_pass(&mut self, batch: &[TrainingSample], places: &[SamplePlace], step: AdamStep, threads: usize) {
        let (buckets, thresholds) = (&self.buckets, self.thresholds.values());
        let sums_of = |number: usize| {
            let (sample, place) = (batch.get(number)?, places.get(number)?);
            let sums = buckets.get(sample.features.bucket())?.sums.get(place.in_bucket)?;
            Some((sums, sample.rank))
        };
        for_each(threads, self.heads.iter_mut(), |head| {
            head.slopes.clear();
            head.threshold_slopes.clear();
            head.threshold_slopes.resize(thresholds.len(), 0.0);
            for number in std::mem::take(&mut head.samples) {
                if let Some((sums, rank)) = sums_of(number) {
                    let slopes = head.sample(sums, rank, thresholds);
                    head.slopes.push(slopes);
                }
            }
            head.layers().into_iter().for_each(|layer| layer.apply(step));
        });
    }

    /// Adapts the thresholds but for the first two, and keeps them ascending.
    fn threshold_pass(&mut self, step: AdamStep) {
        for head in &self.heads {
            add_all(&mut self.thresholds.gradient, &head.threshold_slopes);
        }
        self.thresholds.gradient.iter_mut().take(DRAW.len()).for_each(|slope| *slope = 0.0);
        self.thresholds.apply(step);
        let mut least = f32::MIN;
        self.thresholds.map(|threshold| {
            least = threshold.max(least + LEAST_GAP);
            least
        });
    }

    /// The network in integers.
    pub fn quantised(&self) -> Network {
        let dense_one = DENSE_ONE as f32;
        let whole = |value: f32, one: f32| (value * one + 0.5).floor();
        let weight = |value: f32| whole(value, dense_one) as i16;
        let rows = self.buckets.iter().flat_map(|bucket| bucket.rounded.as_chunks::<HIDDEN>().0);
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
            to
        });
        Network {
            name: self.name.clone(),
            thresholds: self.thresholds.values().iter().map(|logits| whole(*logits, 65_536.0) as i32).collect(),
            rows: rows.map(|row| row.map(|weight| whole(weight, ROW_ONE as f32) as i8)).collect(),
            heads,
        }
    }
}

/// The likeliest rank by a network's score, in centigoats.
pub fn likeliest_rank(network: &Network, centigoats: i32) -> usize {
    let score = i64::from(centigoats) * 65_536 / i64::from(CENTIGOATS_PER_LOGIT);
    network.thresholds.iter().take_while(|threshold| score > i64::from(**threshold)).count()
}
