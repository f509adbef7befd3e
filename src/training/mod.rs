//! Training of networks on labelled positions.
//!
//! The same samples, seed and settings give the same network, bit for bit, on every machine and with any number of
//! threads: all arithmetic is that of IEEE 754 in an order that the code fixes.

mod levels;
pub mod model;
mod ordinal;
mod parameters;

use crate::eval::features::Features;
use crate::eval::network::{End, Level, Network};
use crate::parallel::for_each;
use crate::rng::SplitMix64;
use crate::rules::{RuleSet, Side};
use crate::tablebase::sample::record::{FirstError, PackedSample};
pub use levels::levels;
use levels::mean_plies;
use model::{Model, Tally, TrainingSample};
use ordinal::Ranks;
use parameters::Adam;
use std::sync::Mutex;

/// Steps in which the learning rate grows to its full size.
const WARM_UP: f32 = 200.0;

/// Samples of one rule set.
pub struct SamplePart {
    /// Their rules.
    pub rules: &'static RuleSet,
    /// The samples.
    pub samples: Vec<PackedSample>,
}

/// What a network is trained on.
#[derive(Default)]
pub struct TrainingSet {
    parts: Vec<SamplePart>,
}

impl TrainingSet {
    /// Adds samples; their rules must share the network of those that are there.
    pub fn add(&mut self, part: SamplePart) {
        self.parts.push(part);
    }

    /// The rules of the first samples, if there are any; all share a network.
    pub fn rules(&self) -> Option<&'static RuleSet> {
        self.parts.first().map(|part| part.rules)
    }

    /// Number of samples.
    pub fn len(&self) -> u64 {
        self.parts.iter().map(|part| part.samples.len() as u64).sum()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The sample with a number below [`TrainingSet::len`], for a network with these levels.
    fn sample(&self, number: u64, levels: &[Level]) -> Option<TrainingSample> {
        let mut number = number as usize;
        for part in &self.parts {
            match part.samples.get(number) {
                Some(sample) => return training_sample(part.rules, *sample, levels),
                None => number -= part.samples.len(),
            }
        }
        None
    }
}

/// What the network sees of a packed sample; `None` of a damaged one.
fn training_sample(rules: &RuleSet, sample: PackedSample, levels: &[Level]) -> Option<TrainingSample> {
    let below = sample.goats_below();
    let features = Features::new(rules, sample.goats(), sample.tigers()?, below, sample.side());
    let winner = sample.value().winner();
    let ranks = Ranks::of_outcome(levels, winner.map_or(0, |side| if side == Side::White { 1 } else { -1 }))?;
    let end_in = |end, plies| Ranks::of(levels, end, plies);
    let (known, hint) = match (winner, sample.plies()) {
        (Some(Side::White), Some(plies)) => (end_in(End::WhiteWins, plies), None),
        (Some(Side::Black), Some(plies)) => (end_in(End::BlackWins, plies), None),
        (Some(Side::White), None) => {
            let below: u32 = below.iter().sum();
            (None, end_in(End::WhiteWins, mean_plies(sample.goats().len() + below, below)))
        }
        (Some(Side::Black), None) => (None, None),
        (None, _) => (None, sample.first_error().and_then(|error| first_error_rank(levels, error))),
    };
    Some(TrainingSample { features, ranks: known.unwrap_or(ranks), hint })
}

/// The rank of a draw with this first error.
fn first_error_rank(levels: &[Level], error: FirstError) -> Option<Ranks> {
    match error {
        FirstError::By(Side::White, plies) => Ranks::of(levels, End::WhiteErrs, plies),
        FirstError::By(Side::Black, plies) => Ranks::of(levels, End::BlackErrs, plies),
        FirstError::Neither => Ranks::of(levels, End::Held, 0),
    }
}

/// How a network is trained.
#[derive(Copy, Clone, Debug)]
pub struct TrainingPlan {
    /// Samples to go through; those of the set are repeated when they run out.
    pub count: u64,
    /// Samples between two changes of the weights.
    pub batch: usize,
    /// Learning rate at its height; it falls evenly to 0.
    pub rate: f32,
    /// What the order of the samples follows from.
    pub seed: u64,
    /// Threads.
    pub threads: usize,
}

/// How far training has come.
#[derive(Copy, Clone, Debug)]
pub struct TrainingProgress {
    /// Samples gone through.
    pub done: u64,
    /// How well those since the last report were told apart, each before it was learned from.
    pub tally: Tally,
}

/// Trains a model; `report` is called some 50 times.
pub fn train(model: &mut Model, set: &TrainingSet, plan: TrainingPlan, mut report: impl FnMut(TrainingProgress)) {
    let steps = plan.count.div_ceil(plan.batch as u64);
    let mut order = SampleOrder::new(set.len(), plan.seed);
    let mut adam = Adam::default();
    let mut tally = Tally::default();
    let levels = model.levels().to_vec();
    for number in 0..steps {
        let progress = number as f32 / steps as f32;
        let rate = plan.rate * ((number + 1) as f32 / WARM_UP).min(1.0) * (1.0 - progress);
        let numbers: Vec<u64> = order.by_ref().take(plan.batch).collect();
        let batch = samples(set, &numbers, &levels, plan.threads);
        tally.add(model.train(&batch, adam.step(rate, plan.batch), plan.threads));
        let done = number + 1;
        if done == steps || done % steps.div_ceil(50) == 0 {
            report(TrainingProgress { done: done * plan.batch as u64, tally: std::mem::take(&mut tally) });
        }
    }
}

/// The samples with these numbers, in their order.
fn samples(set: &TrainingSet, numbers: &[u64], levels: &[Level], threads: usize) -> Vec<TrainingSample> {
    let share = numbers.len().div_ceil(threads.max(1)).max(1);
    let mut parts: Vec<Vec<TrainingSample>> = numbers.chunks(share).map(|_| Vec::new()).collect();
    for_each(threads, numbers.chunks(share).zip(&mut parts), |(numbers, part)| {
        part.extend(numbers.iter().filter_map(|number| set.sample(*number, levels)));
    });
    parts.concat()
}

/// Numbers below a bound, each once before any comes again, every stretch of them spread evenly over all.
struct SampleOrder {
    bound: u64,
    stride: u64,
    next: u64,
}

impl SampleOrder {
    fn new(bound: u64, seed: u64) -> Self {
        let mut random = SplitMix64(seed);
        let is_coprime = |stride: &u64| gcd(*stride, bound) == 1;
        // Near the golden section, which spreads multiples best (Weyl).
        let golden = (bound as f64 * 0.618_033_988_749_894_9) as u64;
        let stride = (golden.saturating_add(random.below(1 + bound / 1_000))..).find(is_coprime).unwrap_or(1);
        Self { bound, stride, next: random.below(bound) }
    }
}

impl Iterator for SampleOrder {
    type Item = u64;

    fn next(&mut self) -> Option<u64> {
        let number = self.next;
        self.next = ((u128::from(number) + u128::from(self.stride)) % u128::from(self.bound.max(1))) as u64;
        (self.bound > 0).then_some(number)
    }
}

fn gcd(one: u64, other: u64) -> u64 {
    if other == 0 { one } else { gcd(other, one % other) }
}

/// How well a network tells samples apart.
pub fn measure(network: &Network, set: &TrainingSet, threads: usize) -> Tally {
    const SHARE: u64 = 4_096;
    let all = Mutex::new(Tally::default());
    let starts = (0..set.len()).step_by(SHARE as usize);
    for_each(threads, starts, |start| {
        let samples = (start..set.len().min(start + SHARE)).filter_map(|number| set.sample(number, &network.levels));
        let mut tally = Tally::default();
        for sample in samples {
            let outcome = |rank: usize| network.levels.get(rank).map(Level::outcome);
            let is_right = outcome(network.rank(&sample.features)) == outcome(sample.ranks.lowest);
            tally.add(Tally { samples: 1, right: u64::from(is_right), loss: 0.0 });
        }
        all.lock().unwrap_or_else(std::sync::PoisonError::into_inner).add(tally);
    });
    all.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::notation::fen;
    use crate::position::Position;
    use crate::rules::NETWORKS;
    use crate::tablebase::{Probe, TableValue};

    /// Positions of one goat, which Black wins if the goat stands in the lower half.
    fn set(rules: &'static RuleSet) -> TrainingSet {
        let mut samples = Vec::new();
        let mut random = SplitMix64(3);
        while samples.len() < 3_000 {
            let [goat, one, other] = [(); 3].map(|()| random.below(25));
            if goat == one || goat == other || one == other {
                continue;
            }
            let row = |rank: u64| -> String {
                (0..5)
                    .map(|file| match rank * 5 + file {
                        point if point == goat => 'A',
                        point if point == one || point == other => 't',
                        _ => '1',
                    })
                    .collect()
            };
            let rows: Vec<String> = (0..5).rev().map(row).collect();
            let text = format!("{} {}", rows.join("/"), if samples.len() % 2 == 0 { 'w' } else { 'b' });
            let position: Position = fen::parse(rules, &text).unwrap();
            // Symmetry turns the board, so the class must be one that it leaves alone: the goat on the edge or not.
            let is_inner = (1..4).contains(&(goat / 5)) && (1..4).contains(&(goat % 5));
            let value = TableValue::from_class(u8::from(is_inner));
            samples.push(PackedSample::new(&position, Probe { value, plies: None }));
        }
        let mut set = TrainingSet::default();
        set.add(SamplePart { rules, samples });
        set
    }

    #[test]
    fn the_same_network_comes_of_any_number_of_threads_and_learns() {
        let rules = RuleSet::standard();
        let set = set(rules);
        let plan = TrainingPlan { count: 60_000, batch: 500, rate: 0.01, seed: 1, threads: 1 };
        let trained = |threads, seed| {
            let mut model = Model::random(NETWORKS[rules.network], levels(), seed);
            let mut last = None;
            train(&mut model, &set, TrainingPlan { threads, seed, ..plan }, |progress| last = Some(progress));
            assert_eq!(last.unwrap().done, 60_000);
            model.quantised()
        };
        let network = trained(1, 1);
        assert_eq!(network, trained(3, 1));
        assert_ne!(network, trained(1, 2));
        let tally = measure(&network, &set, 2);
        assert_eq!(tally.samples, 3_000);
        assert!(tally.right > 2_700, "{tally:?}");
        // Going on from a network begins where it ended.
        let again = Model::from_network(&network, &network.name, levels()).quantised();
        assert_eq!(again, network);
    }

    #[test]
    fn an_order_takes_every_number_once() {
        for bound in [1, 2, 7, 1_000, 4_096] {
            let mut seen: Vec<u64> = SampleOrder::new(bound, 9).take(bound as usize).collect();
            seen.sort_unstable();
            assert_eq!(seen, (0..bound).collect::<Vec<_>>(), "{bound}");
        }
        assert_eq!(SampleOrder::new(0, 1).next(), None);
    }
}
