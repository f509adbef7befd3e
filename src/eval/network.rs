//! A small quantised network that tells how a position ends, in integer arithmetic: the same score on every machine.
//!
//! The rows of weights of the position's [`Features`] are summed into 64 hidden units; two dense layers of 16 units and
//! one output follow, a set of them for each side to move. The sum is made anew for each position: it is some 25 rows.
//! Units are clipped between 0 and 1, as in NNUE (Y. Nasu, "Efficiently Updatable Neural-Network-based Evaluation Functions
//! for Computer Shogi", 2018). The buckets by pairs of tigers take the place of its king buckets.
//!
//! Its one output is a score; thresholds cut the scale of scores into [`Level`]s, from Black's quickest win over the draw to
//! White's quickest (an ordinal model: P. McCullagh, "Regression Models for Ordinal Data", 1980): the chance that a game
//! ends above a threshold is a logistic function of the score's distance from it. Since quick wins lie above slow ones,
//! a score that grows is also progress towards the end of a game that is won. Drawn positions are divided by the side that
//! in games between weak players gives the draw away first, and how soon: so of drawn moves the one that is hardest to
//! answer has the highest score.
//!
//! # Format of a network (version 3; all numbers little-endian)
//!
//! | bytes | what |
//! |---|---|
//! | 8 | `SundNet`, line feed |
//! | 4 | version |
//! | 4 | bytes of the network, from the first to the last one of this table |
//! | 24 | its name, filled up with zero bytes |
//! | 4 | number of levels |
//! | 8 a level | its [`End`], -2 to 2, and the most plies to it, all bits set for any number |
//! | 4 a threshold | the thresholds between the levels, in 65536ths of a logit, ascending |
//! | 98 × 91 × 64 | the rows, by bucket, a byte a weight (64 stands for 1); a bucket's last row is its bias |
//! | for White, then for Black to move: | |
//! | 100 × 64 | the rows for how free the tigers are, a byte a weight (64 stands for 1) |
//! | 2 × 16 × 64, 4 × 16 | weights (256), by unit, and biases (16384) of the first dense layer |
//! | 2 × 16 × 16, 4 × 16 | weights (256) and biases (65536) of the second |
//! | 2 × 16, 4 | weights (256) and bias (65536) of the output |
//! | at the end: 8 | checksum: FNV-1a, 64 bits, of all bytes before it |
//!
//! A file is one network after another.

use crate::checksum::fnv1a_64;
use crate::eval::features::{BUCKET_ROWS, BUCKETS, FREEDOM_ROWS, Features};
use std::array;
use std::fmt;

/// Hidden units.
pub const HIDDEN: usize = 64;
/// Units of each of the two dense layers.
pub const UNITS: usize = 16;
/// What stands for 1 in the rows and in hidden units.
pub const ROW_ONE: i32 = 1 << ROW_BITS;
const ROW_BITS: u32 = 6;
/// What stands for 1 in dense weights and in units of dense layers.
pub const DENSE_ONE: i32 = 1 << DENSE_BITS;
const DENSE_BITS: u32 = 8;
/// Logits for an output of 1.
pub const OUTPUT_LOGITS: i32 = 16;
/// Centigoats that stand for one logit.
pub const CENTIGOATS_PER_LOGIT: i32 = 25;

const MAGIC: [u8; 8] = *b"SundNet\n";
const VERSION: u32 = 3;
const NAME_BYTES: usize = 24;
/// Bytes before the levels.
const HEADER_BYTES: usize = 16 + NAME_BYTES;
const CHECKSUM_BYTES: usize = 8;

/// The weights for one side to move.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Head {
    /// [`FREEDOM_ROWS`] rows of weights of the hidden units.
    pub freedom: Vec<[i8; HIDDEN]>,
    /// For each unit of the first layer its weights.
    pub first: [[i16; HIDDEN]; UNITS],
    /// Biases of the first layer.
    pub first_bias: [i32; UNITS],
    /// For each unit of the second layer its weights.
    pub second: [[i16; UNITS]; UNITS],
    /// Biases of the second layer.
    pub second_bias: [i32; UNITS],
    /// Weights of the output.
    pub output: [i16; UNITS],
    /// Bias of the output.
    pub output_bias: i32,
}

/// What the games of a stretch of the scale of scores come to, the worst for White first.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum End {
    /// Black wins.
    BlackWins = -2,
    /// The position is drawn, and White is the first of two weak players who gives that away.
    WhiteErrs = -1,
    /// The position is drawn, and both keep to that.
    Held = 0,
    /// The position is drawn, and Black is the first of two weak players who gives that away.
    BlackErrs = 1,
    /// White wins.
    WhiteWins = 2,
}

impl End {
    const ALL: [Self; 5] = [Self::BlackWins, Self::WhiteErrs, Self::Held, Self::BlackErrs, Self::WhiteWins];

    fn from_number(number: i32) -> Option<Self> {
        Self::ALL.into_iter().find(|end| *end as i32 == number)
    }
}

/// A stretch of the scale of scores: positions whose games end so.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Level {
    /// The end.
    pub end: End,
    /// Most plies to the end, in drawn positions to the first error. Slower ones, up to the next such bound, have a level
    /// of their own, nearer to the middle.
    pub longest: u32,
}

impl Level {
    /// Draws that both sides keep.
    pub const HELD: Self = Self { end: End::Held, longest: Self::ANY };
    /// Stands for any number of plies.
    pub const ANY: u32 = u32::MAX;

    /// What the positions are worth: 1 if White wins, 0 if they are drawn, -1 if Black wins.
    pub const fn outcome(&self) -> i32 {
        match self.end {
            End::BlackWins => -1,
            End::WhiteErrs | End::Held | End::BlackErrs => 0,
            End::WhiteWins => 1,
        }
    }
}

/// A network; scales as in the file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Network {
    /// Its name: the rule set that it was trained for.
    pub name: String,
    /// The levels, the worst for White first.
    pub levels: Vec<Level>,
    /// The scores between one level and the next, in 65536ths of a logit: there both sides are as likely.
    pub thresholds: Vec<i32>,
    /// [`BUCKETS`] times [`BUCKET_ROWS`] rows.
    pub rows: Vec<[i8; HIDDEN]>,
    /// With White and with Black to move.
    pub heads: [Head; 2],
}

/// Sum of products.
#[inline]
fn dot<const N: usize>(weights: &[i16; N], units: &[i16; N]) -> i32 {
    weights.iter().zip(units).map(|(weight, unit)| i32::from(*weight) * i32::from(*unit)).sum()
}

/// A unit of a dense layer: the sum brought down to its scale and clipped.
#[inline]
fn unit(sum: i32, shift: u32) -> i16 {
    (sum >> shift).clamp(0, DENSE_ONE) as i16
}

impl Network {
    /// The score in centigoats from White's view.
    pub fn score(&self, features: &Features) -> i32 {
        let [white, black] = &self.heads;
        let head = if features.side_index() == 0 { white } else { black };
        head.score(&self.hidden(features, head))
    }

    /// The rank of the level in which the score lies: its number, from 0.
    pub fn rank(&self, features: &Features) -> usize {
        let score = i64::from(self.score(features)) * 65_536 / i64::from(CENTIGOATS_PER_LOGIT);
        self.thresholds.iter().take_while(|threshold| score > i64::from(**threshold)).count()
    }

    /// The hidden units, with the head for the side to move.
    #[inline]
    fn hidden(&self, features: &Features, head: &Head) -> [i16; HIDDEN] {
        let bucket = self.bucket(features.bucket());
        let rows = features.rows().iter().filter_map(|row| bucket.get(usize::from(*row)));
        let freedom = features.freedom().iter().filter_map(|row| head.freedom.get(usize::from(*row)));
        let mut sums = [0; HIDDEN];
        for row in rows.chain(freedom) {
            for (sum, weight) in sums.iter_mut().zip(row) {
                *sum += i16::from(*weight);
            }
        }
        sums.map(|sum| sum.clamp(0, ROW_ONE as i16))
    }

    /// The rows of a bucket.
    #[inline]
    #[allow(clippy::indexing_slicing)] // a network has all rows of all buckets, and features have no others
    fn bucket(&self, bucket: usize) -> &[[i8; HIDDEN]] {
        &self.rows[bucket * BUCKET_ROWS..][..BUCKET_ROWS]
    }
}

impl Head {
    fn score(&self, hidden: &[i16; HIDDEN]) -> i32 {
        let mut first = [0; UNITS];
        for ((place, weights), bias) in first.iter_mut().zip(&self.first).zip(&self.first_bias) {
            *place = unit(bias + dot(weights, hidden), ROW_BITS);
        }
        let mut second = [0; UNITS];
        for ((place, weights), bias) in second.iter_mut().zip(&self.second).zip(&self.second_bias) {
            *place = unit(bias + dot(weights, &first), DENSE_BITS);
        }
        let output = i64::from(self.output_bias + dot(&self.output, &second));
        ((output * i64::from(OUTPUT_LOGITS * CENTIGOATS_PER_LOGIT)) >> (2 * DENSE_BITS)) as i32
    }
}

/// Why bytes are no network.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum NetworkError {
    /// The beginning is not that of a network of this version.
    Header,
    /// There are not as many bytes as the network has.
    Length,
    /// The checksum does not fit.
    Checksum,
    /// The name is not ASCII.
    Name,
    /// The levels or thresholds of the network of this name don't ascend.
    Levels(String),
}

impl fmt::Display for NetworkError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Header => write!(f, "the beginning is not that of a network of version {VERSION}"),
            Self::Length => f.write_str("there are not as many bytes as the network has"),
            Self::Checksum => f.write_str("the checksum is wrong"),
            Self::Name => f.write_str("the name is not ASCII"),
            Self::Levels(name) => write!(f, "{name}: the levels don't ascend"),
        }
    }
}

impl std::error::Error for NetworkError {}

/// A network's bytes within a file.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct EncodedNetwork<'a> {
    name: [u8; NAME_BYTES],
    /// What follows the name, up to the checksum.
    content: &'a [u8],
    /// All of it, up to the checksum.
    bytes: &'a [u8],
    checksum: u64,
}

/// The networks of a file, not yet decoded or compared with their checksums.
///
/// # Errors
/// If the bytes are not one network after another.
pub fn networks(mut file: &[u8]) -> Result<Vec<EncodedNetwork<'_>>, NetworkError> {
    let mut found = Vec::new();
    while !file.is_empty() {
        let mut input = NetworkBytes(file);
        if input.array() != Some(MAGIC) || input.number() != Some(VERSION as i32) {
            return Err(NetworkError::Header);
        }
        let length = input.number().and_then(|length| usize::try_from(length).ok());
        let (own, rest) = length.and_then(|length| file.split_at_checked(length)).ok_or(NetworkError::Length)?;
        let (bytes, checksum) = own.split_last_chunk().ok_or(NetworkError::Length)?;
        let name: [u8; NAME_BYTES] = input.array().ok_or(NetworkError::Length)?;
        if !name.is_ascii() {
            return Err(NetworkError::Name);
        }
        let content = bytes.get(HEADER_BYTES..).ok_or(NetworkError::Length)?;
        found.push(EncodedNetwork { name, content, bytes, checksum: u64::from_le_bytes(*checksum) });
        file = rest;
    }
    Ok(found)
}

impl<'a> EncodedNetwork<'a> {
    /// The network's name.
    pub fn name(&self) -> String {
        self.name.iter().take_while(|byte| **byte != 0).map(|byte| char::from(*byte)).collect()
    }

    /// The network.
    ///
    /// # Errors
    /// If it is damaged.
    pub fn decode(&self) -> Result<Network, NetworkError> {
        if fnv1a_64(self.bytes) != self.checksum {
            return Err(NetworkError::Checksum);
        }
        let mut input = NetworkBytes(self.content);
        let network = input.network(self.name()).filter(|_| input.0.is_empty()).ok_or(NetworkError::Length)?;
        let ascends = network.levels.is_sorted_by_key(|level| level.end) && network.thresholds.is_sorted();
        match ascends && network.levels.contains(&Level::HELD) {
            true => Ok(network),
            false => Err(NetworkError::Levels(network.name)),
        }
    }
}

impl Network {
    /// The bytes of the network.
    pub fn encode(&self) -> Vec<u8> {
        let words = |numbers: &[i32]| numbers.iter().flat_map(|number| number.to_le_bytes()).collect::<Vec<u8>>();
        let halves = |numbers: &[i16]| numbers.iter().flat_map(|number| number.to_le_bytes()).collect::<Vec<u8>>();
        let bytes_of =
            |rows: &[[i8; HIDDEN]]| rows.iter().flatten().map(|weight| weight.cast_unsigned()).collect::<Vec<u8>>();
        let mut content = words(&[self.levels.len() as i32]);
        content.extend(self.levels.iter().flat_map(|level| words(&[level.end as i32, level.longest.cast_signed()])));
        content.extend(words(&self.thresholds));
        content.extend(bytes_of(&self.rows));
        for head in &self.heads {
            content.extend(bytes_of(&head.freedom));
            content.extend(halves(head.first.as_flattened()));
            content.extend(words(&head.first_bias));
            content.extend(halves(head.second.as_flattened()));
            content.extend(words(&head.second_bias));
            content.extend(halves(&head.output));
            content.extend(words(&[head.output_bias]));
        }
        let mut bytes = MAGIC.to_vec();
        bytes.extend(VERSION.to_le_bytes());
        bytes.extend(((HEADER_BYTES + content.len() + CHECKSUM_BYTES) as u32).to_le_bytes());
        bytes.extend(self.name.bytes());
        bytes.resize(HEADER_BYTES, 0);
        bytes.extend(content);
        bytes.extend(fnv1a_64(&bytes).to_le_bytes());
        bytes
    }
}

/// What is left to read; every reader gives `None` where there is too little.
struct NetworkBytes<'a>(&'a [u8]);

impl NetworkBytes<'_> {
    fn array<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (taken, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(*taken)
    }

    fn number(&mut self) -> Option<i32> {
        self.array().map(i32::from_le_bytes)
    }

    fn words<const N: usize>(&mut self) -> Option<[i32; N]> {
        let mut words = [0; N];
        for word in &mut words {
            *word = self.number()?;
        }
        Some(words)
    }

    fn halves<const N: usize>(&mut self) -> Option<[i16; N]> {
        let mut halves = [0; N];
        for half in &mut halves {
            *half = i16::from_le_bytes(self.array()?);
        }
        Some(halves)
    }

    fn rows<const N: usize>(&mut self) -> Option<[[i16; N]; UNITS]> {
        let mut rows = [[0; N]; UNITS];
        for row in &mut rows {
            *row = self.halves()?;
        }
        Some(rows)
    }

    fn head(&mut self) -> Option<Head> {
        Some(Head {
            freedom: self.byte_rows(FREEDOM_ROWS)?,
            first: self.rows()?,
            first_bias: self.words()?,
            second: self.rows()?,
            second_bias: self.words()?,
            output: self.halves()?,
            output_bias: self.number()?,
        })
    }

    fn byte_rows(&mut self, count: usize) -> Option<Vec<[i8; HIDDEN]>> {
        (0..count).map(|_| self.array::<HIDDEN>().map(|row| row.map(u8::cast_signed))).collect()
    }

    fn level(&mut self) -> Option<Level> {
        Some(Level { end: End::from_number(self.number()?)?, longest: self.number()?.cast_unsigned() })
    }

    fn network(&mut self, name: String) -> Option<Network> {
        let count = self.number()?;
        let levels = (0..count).map(|_| self.level()).collect::<Option<_>>()?;
        let thresholds = (1..count).map(|_| self.number()).collect::<Option<_>>()?;
        let rows = self.byte_rows(BUCKETS * BUCKET_ROWS)?;
        Some(Network { name, levels, thresholds, rows, heads: [self.head()?, self.head()?] })
    }
}

impl Head {
    /// A head of zeros.
    pub fn zero() -> Self {
        Self {
            freedom: vec![[0; HIDDEN]; FREEDOM_ROWS],
            first: array::from_fn(|_| [0; HIDDEN]),
            first_bias: [0; UNITS],
            second: [[0; UNITS]; UNITS],
            second_bias: [0; UNITS],
            output: [0; UNITS],
            output_bias: 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::notation::fen;
    use crate::rng::SplitMix64;
    use crate::rules::RuleSet;

    /// A network of random weights.
    fn random() -> Network {
        let mut random = SplitMix64(5);
        let mut number = |bound: i32| random.below(2 * bound as u64) as i32 - bound;
        let mut head = || {
            let mut head = Head::zero();
            head.first.as_flattened_mut().iter_mut().for_each(|weight| *weight = number(100) as i16);
            head.second.as_flattened_mut().iter_mut().for_each(|weight| *weight = number(100) as i16);
            head.output.iter_mut().for_each(|weight| *weight = number(2_000) as i16);
            head.first_bias.iter_mut().for_each(|bias| *bias = number(9_000));
            head.second_bias.iter_mut().for_each(|bias| *bias = number(30_000));
            head.output_bias = number(60_000);
            head.freedom.as_flattened_mut().iter_mut().for_each(|weight| *weight = number(64) as i8);
            head
        };
        let heads = [head(), head()];
        let rows = (0..BUCKETS * BUCKET_ROWS).map(|_| array::from_fn(|_| number(64) as i8)).collect();
        let levels = [End::BlackWins, End::Held, End::WhiteWins].map(|end| Level { end, longest: Level::ANY }).to_vec();
        Network { name: "baghbandi".to_owned(), levels, thresholds: vec![-8 << 16, 8 << 16], rows, heads }
    }

    #[test]
    fn what_is_encoded_comes_back_and_damage_is_noticed() {
        let network = random();
        let quick = Level { end: End::WhiteWins, longest: 7 };
        let levels = [random().levels, vec![quick]].concat();
        let other = Network { name: "super".to_owned(), levels, thresholds: vec![1, 2, 3], ..random() };
        let bytes = [network.encode(), other.encode()].concat();
        let decoded: Vec<Network> = networks(&bytes).unwrap().iter().map(|own| own.decode().unwrap()).collect();
        assert_eq!(decoded, [network.clone(), other]);
        let bytes = network.encode();
        let is_good = |bytes: &[u8]| {
            networks(bytes).is_ok_and(|all| all.len() == 1 && all.iter().all(|own| own.decode().is_ok()))
        };
        assert!(is_good(&bytes));
        for at in (0..200).chain((200..bytes.len()).step_by(9_973)) {
            let mut damaged = bytes.clone();
            damaged[at] ^= 0x10;
            assert!(!is_good(&damaged), "{at}");
            assert!(!is_good(&bytes[..at]), "{at}");
        }
        assert!(!is_good(&[bytes.as_slice(), &[0]].concat()));
        let named = Network { name: "f\u{fc}nf".to_owned(), ..network.clone() };
        assert_eq!(networks(&named.encode()).err(), Some(NetworkError::Name));
        let mut reversed = network.levels.clone();
        reversed.reverse();
        for falling in [Network { thresholds: vec![3, 2], ..network.clone() }, Network { levels: reversed, ..network }]
        {
            let decoded = networks(&falling.encode()).unwrap()[0].decode();
            assert_eq!(decoded, Err(NetworkError::Levels("baghbandi".to_owned())));
        }
    }

    /// The score by plain sums over all rows, in real numbers.
    fn plain_score(network: &Network, features: &Features) -> f64 {
        let clipped = |sum: f64| sum.clamp(0.0, 1.0);
        let bucket = features.bucket() * BUCKET_ROWS;
        let hidden: Vec<f64> = (0..HIDDEN)
            .map(|unit| {
                let rows = features.rows().iter().map(|row| &network.rows[bucket + usize::from(*row)]);
                let freedom = &network.heads[features.side_index()].freedom;
                let rows = rows.chain(features.freedom().iter().map(|row| &freedom[usize::from(*row)]));
                clipped(rows.map(|row| f64::from(row[unit]) / 64.0).sum())
            })
            .collect();
        let layer = |weights: Vec<Vec<i16>>, biases: &[i32], one: f64, units: &[f64]| -> Vec<f64> {
            let sum = |row: &Vec<i16>| row.iter().zip(units).map(|(w, u)| f64::from(*w) / 256.0 * u).sum::<f64>();
            weights.iter().zip(biases).map(|(row, bias)| f64::from(*bias) / one + sum(row)).collect()
        };
        let head = &network.heads[features.side_index()];
        let rows = |weights: &[i16]| weights.to_vec();
        let first = layer(head.first.iter().map(|row| rows(row)).collect(), &head.first_bias, 16_384.0, &hidden);
        let first: Vec<f64> = first.into_iter().map(clipped).collect();
        let second = layer(head.second.iter().map(|row| rows(row)).collect(), &head.second_bias, 65_536.0, &first);
        let second: Vec<f64> = second.into_iter().map(clipped).collect();
        let output = layer(vec![rows(&head.output)], &[head.output_bias], 65_536.0, &second);
        output[0] * f64::from(OUTPUT_LOGITS * CENTIGOATS_PER_LOGIT)
    }

    #[test]
    fn scores_are_those_of_real_numbers_but_for_rounding() {
        let network = random();
        let rules = RuleSet::standard();
        let texts = ["5/2E1E/1t1t1/2E1E/5", "1AA2/AA1A1/AtAA1/t1AA1/AAA1A", "t4/5/5/2C1B/4t", "5/5/5/5/tt2A"];
        let mut scores = Vec::new();
        for text in texts {
            for side in ["w", "b"] {
                let features = Features::of(&fen::parse(rules, &format!("{text} {side}")).unwrap());
                let (score, plain) = (network.score(&features), plain_score(&network, &features));
                assert!((f64::from(score) - plain).abs() < 40.0, "{text} {side}: {score} {plain}");
                scores.push(score);
            }
        }
        scores.sort_unstable();
        scores.dedup();
        assert!(scores.len() > 4, "{scores:?}");
    }
}
