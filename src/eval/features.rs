//! What the networks see of a position: which of a bucket's rows of weights are summed.
//!
//! The eight symmetries of the board leave 49 pairs of tigers; with the side to move each is a bucket. The board is laid so
//! that the tigers stand where their bucket has them, and then every goat has a row by its point, and the goats below
//! the top one of a herd have one by point and number. Herds stand on 12 points in that view, or on four more in
//! Bagh Guti; one numbering serves both. Rule sets that share a network have a row of their own where their chains differ.

use crate::board::{Point, PointSet};
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
/// Rows of a bucket, without the bias.
pub const ROWS: usize = FREE_CHAINS + 1;
/// Most rows of a position: 20 goats on points of their own, or herds of two or more, each of which saves a point; and
/// the one for the rules.
const MOST_ROWS: usize = 25;

/// The bucket and the rows of a position.
#[derive(Copy, Clone, Debug)]
pub struct Features {
    bucket: u8,
    len: u8,
    rows: [u8; MOST_ROWS],
}

impl Features {
    /// The features of a position.
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
        let mut features = Self { bucket: bucket as u8, len: 0, rows: [0; MOST_ROWS] };
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

    /// The rows, each below [`ROWS`].
    pub fn rows(&self) -> impl Iterator<Item = usize> {
        self.rows.iter().take(usize::from(self.len)).map(|row| usize::from(*row))
    }
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

    fn seen(position: &Position) -> (usize, BTreeSet<usize>) {
        let features = Features::of(position);
        (features.bucket(), features.rows().collect())
    }

    #[test]
    fn rows_tell_goats_and_heights_apart() {
        let rules = RuleSet::standard();
        let mut all = BTreeSet::new();
        let texts = ["t4/5/5/2A2/4t w", "t4/5/5/2B2/4t w", "t4/5/5/2E2/4t w", "t4/5/5/4B/4t w", "t4/5/5/2A2/4t b"];
        for text in texts {
            let position = fen::parse(rules, text).unwrap();
            let (bucket, rows) = seen(&position);
            assert_eq!(rows.len(), if text.contains('A') { 1 } else { 2 }, "{text}");
            assert!(bucket < BUCKETS && rows.iter().all(|row| *row < ROWS));
            assert!(all.insert((bucket, rows)), "{text}");
        }
    }

    #[test]
    fn every_start_and_its_images_look_the_same() {
        for rules in RuleSet::all() {
            let (_, rows) = seen(&Position::start(rules));
            assert_eq!(rows.len(), if rules.chain == Chain::Free { 9 } else { 8 }, "{}", rules.name);
        }
        let rules = RuleSet::standard();
        let images = ["t4/2A2/3A1/5/3t1 b", "4t/2A2/1A3/5/1t3 b", "5/t4/2A2/5/4t b"]
            .map(|text| seen(&fen::parse(rules, text).unwrap()));
        assert_eq!(images[0], images[1]);
        assert_eq!(images[0].0, images[2].0, "the same tigers, transposed");
    }
}
