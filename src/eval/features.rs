//! What the networks see of a position: which of a bucket's rows of weights are summed.
//!
//! The eight symmetries of the board leave 49 pairs of tigers; with the side to move each is a bucket. The board is laid so
//! that the tigers stand where their bucket has them, and then every goat has a row by its point, and the goats below
//! the top one of a herd have one by point and number. Herds stand on 12 points in that view, or on four more in
//! Bagh Guti; one numbering serves both. Rule sets that share a network have a row of their own where their chains differ.
//!
//! How free the tigers are has rows of its own, which all buckets of a side share: the number of free points that they
//! can walk to, together and each; of their steps; of goats that each can jump over. A sum over single goats can't tell
//! which points a wall of them closes off.

use crate::board::{Point, PointSet, STEPS};
#[cfg(test)]
use crate::position::Position;
use crate::rules::{Chain, HERD, HERDS, RuleSet, Side};
use crate::symmetry::{PAIRS, PairView, Symmetry};

/// Buckets: a pair of tigers and the side to move.
pub const BUCKETS: usize = 2 * PAIRS;
/// Points where a herd can stand in some rule set and view.
const HERD_VIEWS: usize = 16;
/// Numbers of goats below the top one of a herd: 1 to 4.
const BELOW: usize = HERD as usize - 1;
/// The row that is summed where chains are free: rule sets that share a network differ in that.
const FREE_CHAINS: usize = Point::COUNT + HERD_VIEWS * BELOW;
/// The row that is always summed: the bias.
const BIAS: usize = FREE_CHAINS + 1;
/// Rows of a bucket.
pub const BUCKET_ROWS: usize = BIAS + 1;
/// Most rows of a position: 20 goats on points of their own, or herds of two or more, each of which saves a point; the
/// one for the rules and the bias.
const MOST_ROWS: usize = 26;

/// Points that tigers can walk to: at most those without two tigers.
const GROUND: usize = Point::COUNT - 1;
/// Steps of a tiger: 0 to 8.
const STEP_COUNTS: usize = 9;
/// Goats that a tiger can jump over: 0 to 3, or more.
const PREY_COUNTS: usize = 5;
/// Rows for what one tiger can do.
const TIGER_ROWS: usize = GROUND + STEP_COUNTS + PREY_COUNTS;
/// Rows for how free the tigers are.
pub const FREEDOM_ROWS: usize = GROUND + 2 * TIGER_ROWS;
/// How many of these a position has.
const FREEDOMS: usize = 7;

/// The bucket and the rows of a position.
#[derive(Copy, Clone, Debug)]
pub struct Features {
    bucket: u8,
    len: u8,
    rows: [u8; MOST_ROWS],
    freedom: [u8; FREEDOMS],
}

impl Features {
    /// The features of a position.
    #[cfg(test)]
    pub fn of(position: &Position) -> Self {
        let rules = position.rules();
        let below = rules.start.herds.map(|point| position.height(point).saturating_sub(1));
        Self::new(rules, position.goats(), position.tiger_pair(), below, position.side())
    }

    /// The features of a position by its parts: the rules, the points with goats, the tigers, the goats below the top one
    /// on each of the start's herd points (0 to 4), and the side to move.
    #[allow(clippy::indexing_slicing)] // points are below 32
    pub fn new(rules: &RuleSet, goats: PointSet, tigers: [Point; 2], below: [u32; HERDS], side: Side) -> Self {
        let view = PairView::of(tigers);
        let bucket = 2 * view.pair() + side.index();
        let freedom = freedom(goats, in_view_order(tigers, view));
        let mut features = Self { bucket: bucket as u8, len: 0, rows: [0; MOST_ROWS], freedom };
        for goat in goats {
            features.push(view.point(goat).index() as u8);
        }
        for (point, below) in rules.start.herds.iter().zip(below).filter(|(_, below)| *below > 0) {
            let herd = usize::from(HERD_NUMBERS[view.point(*point).index() & 31]);
            features.push((Point::COUNT + herd * BELOW) as u8 + below as u8 - 1);
        }
        if rules.chain == Chain::Free {
            features.push(FREE_CHAINS as u8);
        }
        features.push(BIAS as u8);
        features
    }

    /// Takes a row in; those beyond the most that a position has are dropped.
    #[inline]
    fn push(&mut self, row: u8) {
        if let Some(place) = self.rows.get_mut(usize::from(self.len)) {
            *place = row;
            self.len += 1;
        }
    }

    /// The bucket, below [`BUCKETS`]; even with White to move.
    pub const fn bucket(&self) -> usize {
        self.bucket as usize
    }

    /// The side to move.
    pub const fn side_index(&self) -> usize {
        self.bucket as usize & 1
    }

    /// The rows for how free the tigers are, each below [`FREEDOM_ROWS`].
    pub const fn freedom(&self) -> &[u8] {
        &self.freedom
    }

    /// The rows of the bucket, each below [`BUCKET_ROWS`].
    #[inline]
    pub fn rows(&self) -> &[u8] {
        self.rows.get(..usize::from(self.len)).unwrap_or(&self.rows)
    }
}

/// The tigers, first the one whose point in the view is lower.
fn in_view_order([one, other]: [Point; 2], view: PairView) -> [Point; 2] {
    if view.point(one) < view.point(other) { [one, other] } else { [other, one] }
}

/// The rows for how free the tigers are.
#[allow(clippy::indexing_slicing)] // points are below 32
fn freedom(goats: PointSet, tigers: [Point; 2]) -> [u8; FREEDOMS] {
    let [one, other] = tigers;
    let free = !(goats.with(one).with(other));
    let ground_of_one = ground(one, free);
    // Where one of them can go, the other one can as well if it can go to any of these points.
    let ground_of_other = match (STEPS[other] & ground_of_one).is_empty() {
        true => ground(other, free),
        false => ground_of_one,
    };
    let tiger = |number: usize, tiger: Point, ground: PointSet| {
        let first = GROUND + number * TIGER_ROWS;
        let steps = (STEPS[tiger] & free).len() as usize;
        let prey = (tiger.set().jumped(goats, free).len() as usize).min(PREY_COUNTS - 1);
        [first + ground.len() as usize, first + GROUND + steps, first + GROUND + STEP_COUNTS + prey]
            .map(|row| row as u8)
    };
    let [a, b, c] = tiger(0, one, ground_of_one);
    let [d, e, f] = tiger(1, other, ground_of_other);
    [(ground_of_one | ground_of_other).len() as u8, a, b, c, d, e, f]
}

/// The free points that a tiger can reach if only it moves and takes nothing.
#[allow(clippy::indexing_slicing)] // points are below 32
fn ground(tiger: Point, free: PointSet) -> PointSet {
    let mut ground = PointSet::EMPTY;
    let mut edge = STEPS[tiger] & free;
    while !edge.is_empty() {
        ground = ground | edge;
        edge = edge.neighbours() & (free - ground);
    }
    ground
}

/// The number of a point among those where herds can stand in some view.
static HERD_NUMBERS: [u8; 32] = herd_numbers();

#[allow(clippy::indexing_slicing)] // runs in the compiler
const fn herd_numbers() -> [u8; 32] {
    const NONE: u8 = u8::MAX;
    // One herd point of each kind: next to the middle, on the edge between corner and middle, on an inner corner.
    let kinds = [Point::named(b"c2"), Point::named(b"e2"), Point::named(b"b2")];
    let mut numbers = [NONE; 32];
    let mut count = 0;
    let mut kind = 0;
    while kind < kinds.len() {
        let mut number = 0;
        while number < Symmetry::COUNT {
            let point = Symmetry::numbered(number).point(kinds[kind]).index();
            if numbers[point] == NONE {
                numbers[point] = count;
                count += 1;
            }
            number += 1;
        }
        kind += 1;
    }
    assert!(count as usize == HERD_VIEWS);
    numbers
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::notation::fen;
    use crate::rules::RuleSet;
    use std::collections::BTreeSet;

    fn seen(position: &Position) -> (usize, BTreeSet<u8>) {
        let features = Features::of(position);
        (features.bucket(), features.rows().iter().copied().collect())
    }

    #[test]
    fn rows_tell_goats_and_heights_apart() {
        let rules = RuleSet::standard();
        let mut all = BTreeSet::new();
        let texts = ["t4/5/5/2A2/4t w", "t4/5/5/2B2/4t w", "t4/5/5/2E2/4t w", "t4/5/5/4B/4t w", "t4/5/5/2A2/4t b"];
        for text in texts {
            let position = fen::parse(rules, text).unwrap();
            let (bucket, rows) = seen(&position);
            assert_eq!(rows.len(), if text.contains('A') { 2 } else { 3 }, "{text}");
            assert!(bucket < BUCKETS && rows.iter().all(|row| usize::from(*row) < BUCKET_ROWS));
            assert!(all.insert((bucket, rows)), "{text}");
        }
    }

    #[test]
    fn walls_close_the_ground() {
        let row = |text: &str| {
            let features = Features::of(&fen::parse(RuleSet::standard(), text).unwrap());
            features.freedom().iter().map(|row| usize::from(*row)).collect::<Vec<_>>()
        };
        // b1 for the one; d1, everything to the right of and above the goats for the other, which can jump over c1.
        let penned = row("5/5/5/AAA2/t1A1t w");
        assert_eq!(penned[0], 25 - 4 - 2);
        let lens: Vec<usize> = [penned[1], penned[4]].iter().map(|row| (row - GROUND) % TIGER_ROWS).collect();
        assert_eq!(lens.iter().sum::<usize>(), 25 - 4 - 2);
        assert!(lens.contains(&1), "{lens:?}");
        let open = row("5/5/5/5/t1A1t w");
        assert_eq!((open[0], open[1]), (22, GROUND + 22));
        assert!(penned.iter().all(|row| *row < FREEDOM_ROWS));
    }

    #[test]
    fn every_start_and_its_images_look_the_same() {
        for rules in RuleSet::all() {
            let (_, rows) = seen(&Position::start(rules));
            assert_eq!(rows.len(), if rules.chain == Chain::Free { 10 } else { 9 }, "{}", rules.name);
        }
        let rules = RuleSet::standard();
        let images = ["t4/2A2/3A1/5/3t1 b", "4t/2A2/1A3/5/1t3 b", "5/t4/2A2/5/4t b"]
            .map(|text| seen(&fen::parse(rules, text).unwrap()));
        assert_eq!(images[0], images[1]);
        assert_eq!(images[0].0, images[2].0, "the same tigers, transposed");
    }
}
