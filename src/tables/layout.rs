//! Where a layer's positions stand in its table.
//!
//! A position is a pair of tigers and a set of single goats on the other free points. The set is the bits of an index,
//! one *slot* a point, the same slots for every pair but for the two holes under the tigers, which the two last points
//! (the spare ones) fill. The six lowest slots are the bits of a 64-bit word, the others ("high part") its address;
//! high parts with more bits than goats may live are left out.

use super::layer::Layer;
use crate::board::{Point, PointSet, STEPS};
use crate::rules::RuleSet;

/// Slots inside a word.
pub const LOW_SLOTS: u32 = 6;
/// Most slots of the high part: 25 points without two tigers and the low slots.
pub const MAX_HIGH_SLOTS: usize = Point::COUNT - 2 - LOW_SLOTS as usize;
/// No slot: a tiger or a herd stands there.
const NOWHERE: u8 = u8::MAX;

/// For 0 to 6 the 6-bit numbers with at most so many bits, as a set.
const LOW_UP_TO: [u64; 7] = low_up_to();

#[allow(clippy::indexing_slicing)] // runs in the compiler
const fn low_up_to() -> [u64; 7] {
    let mut sets = [0; 7];
    let mut low = 0u32;
    while low < 64 {
        let mut most = low.count_ones() as usize;
        while most < 7 {
            sets[most] |= 1 << low;
            most += 1;
        }
        low += 1;
    }
    sets
}

/// The low parts that have at most `most` goats; none if it is negative.
pub fn low_parts(most: i32) -> u64 {
    usize::try_from(most).map_or(0, |most| LOW_UP_TO.get(most).copied().unwrap_or(u64::MAX))
}

/// The high parts of at most so many goats, in ascending order, and their numbers in it.
#[derive(Clone, Debug)]
pub struct Highs {
    slots: u32,
    goats: u32,
    /// `[slots][goats]`: sets of so many slots with at most so many goats.
    sums: [[u32; MAX_HIGH_SLOTS + 1]; MAX_HIGH_SLOTS + 1],
}

impl Highs {
    /// High parts of `slots` slots (0 to 17) with at most `goats` goats.
    #[allow(clippy::indexing_slicing)] // all indices are at most `MAX_HIGH_SLOTS`
    fn new(slots: u32, goats: u32) -> Self {
        let mut sums = [[1; MAX_HIGH_SLOTS + 1]; MAX_HIGH_SLOTS + 1];
        for slot in 1..=MAX_HIGH_SLOTS {
            for most in 1..=MAX_HIGH_SLOTS {
                sums[slot][most] = sums[slot - 1][most] + sums[slot - 1][most - 1];
            }
        }
        Self { slots: slots.min(MAX_HIGH_SLOTS as u32), goats, sums }
    }

    /// Sets of so many slots with at most so many goats.
    #[inline]
    fn sum(&self, slots: u32, goats: u32) -> u32 {
        let row = self.sums.get(slots as usize);
        row.and_then(|row| row.get((goats as usize).min(MAX_HIGH_SLOTS))).copied().unwrap_or(0)
    }

    /// How many there are, at most 2^17.
    pub fn count(&self) -> usize {
        self.sum(self.slots, self.goats) as usize
    }

    /// Slots of a high part, 13 to 17.
    pub const fn slots(&self) -> u32 {
        self.slots
    }

    /// The number of a high part.
    ///
    /// Returns `None` if it has too many goats.
    #[inline]
    pub fn number(&self, high: u32) -> Option<usize> {
        let (mut rest, mut number, mut goats) = (high, 0, self.goats);
        if high.count_ones() > goats {
            return None;
        }
        while rest != 0 {
            let top = 31 - rest.leading_zeros();
            number += self.sum(top, goats);
            goats -= 1;
            rest ^= 1 << top;
        }
        Some(number as usize)
    }

    /// The high parts in order.
    pub fn all(&self) -> impl Iterator<Item = u32> + use<> {
        let goats = self.goats;
        (0..1u32 << self.slots).filter(move |high| high.count_ones() <= goats)
    }
}

/// The arrangement of one layer's positions.
#[derive(Clone, Debug)]
pub struct Layout {
    layer: Layer,
    goats: u32,
    /// The free points, slot by slot, the two spare ones last.
    points: Vec<Point>,
    /// Each point's place among them, `NOWHERE` for herds.
    place: [u8; Point::COUNT],
    pairs: Vec<[Point; 2]>,
    /// Each point's slot for each pair.
    slots: Vec<[u8; Point::COUNT]>,
    highs: Highs,
}

impl Layout {
    /// The arrangement of a layer's positions with at most `goats` goats in all, those in herds included (which must
    /// not be more than that).
    pub fn new(rules: &RuleSet, layer: Layer, goats: u32) -> Self {
        let (standing, starts) = (layer.points(rules), rules.start.herd_points());
        // Points that touch few others lie low: fewer moves lead from word to word.
        let mut points: Vec<Point> = (!starts).into_iter().collect();
        points.sort_by_key(|point| (STEPS[*point].len(), *point));
        points.extend(rules.start.herds.iter().filter(|point| !standing.has(**point)));
        let mut place = [NOWHERE; Point::COUNT];
        for (number, point) in points.iter().enumerate() {
            set(&mut place, *point, number as u8);
        }
        let mut layout = Self {
            layer,
            goats: goats.saturating_sub(layer.goats()).min(points.len() as u32 - 2),
            highs: Highs::new(0, 0),
            pairs: Vec::new(),
            slots: Vec::new(),
            points,
            place,
        };
        layout.highs = Highs::new(layout.points.len() as u32 - 2 - LOW_SLOTS, layout.goats);
        for (number, second) in layout.points.iter().enumerate() {
            layout.pairs.extend(layout.points.iter().take(number).map(|first| [*first, *second]));
        }
        layout.slots = layout.pairs.iter().map(|pair| layout.slots_beside(*pair)).collect();
        layout
    }

    /// Each point's slot when the tigers stand on these points.
    fn slots_beside(&self, tigers: [Point; 2]) -> [u8; Point::COUNT] {
        let own = self.points.len() - 2;
        let mut slots = [NOWHERE; Point::COUNT];
        let (below, spare) = self.points.split_at(own);
        let mut holes = below.iter().enumerate().filter(|(_, point)| tigers.contains(point));
        for (slot, point) in below.iter().enumerate().filter(|(_, point)| !tigers.contains(point)) {
            set(&mut slots, *point, slot as u8);
        }
        for point in spare.iter().filter(|point| !tigers.contains(point)) {
            if let Some((slot, _)) = holes.next() {
                set(&mut slots, *point, slot as u8);
            }
        }
        slots
    }

    /// The layer.
    pub const fn layer(&self) -> Layer {
        self.layer
    }

    /// Most single goats, 0 to 20.
    pub const fn goats(&self) -> u32 {
        self.goats
    }

    /// The pairs of points for the tigers, by number.
    pub fn pairs(&self) -> &[[Point; 2]] {
        &self.pairs
    }

    /// The high parts.
    pub const fn highs(&self) -> &Highs {
        &self.highs
    }

    /// The free points: all but those with herds of two or more.
    pub fn points(&self) -> PointSet {
        self.points.iter().copied().collect()
    }

    /// The number of the pair of tigers on two points.
    ///
    /// Returns `None` if they are one, or a herd stands there.
    pub fn pair(&self, one: Point, other: Point) -> Option<usize> {
        let place = |point: Point| self.place.get(point.index()).copied().filter(|place| *place != NOWHERE);
        let (one, other) = (usize::from(place(one)?), usize::from(place(other)?));
        let (low, high) = (one.min(other), one.max(other));
        (low != high).then(|| high * (high - 1) / 2 + low)
    }

    /// The slot of a point beside a pair of tigers.
    ///
    /// Returns `None` where a tiger or a herd stands.
    pub fn slot(&self, pair: usize, point: Point) -> Option<u32> {
        let slot = self.slots.get(pair)?.get(point.index()).copied()?;
        (slot != NOWHERE).then_some(u32::from(slot))
    }

    /// The index of a set of points beside a pair of tigers; points without a slot don't count.
    #[inline]
    pub fn index(&self, pair: usize, goats: PointSet) -> u32 {
        goats.into_iter().filter_map(|point| self.slot(pair, point)).fold(0, |index, slot| index | 1 << slot)
    }

    /// The set of points of an index beside a pair of tigers.
    pub fn goats_at(&self, pair: usize, index: u32) -> PointSet {
        let stands = |point: &Point| self.slot(pair, *point).is_some_and(|slot| index >> slot & 1 != 0);
        self.points.iter().copied().filter(stands).collect()
    }

    /// The low parts that are positions beside this high part: not too many goats.
    pub fn valid(&self, high: u32) -> u64 {
        low_parts(self.goats as i32 - high.count_ones() as i32)
    }

    /// The low parts beside this high part where Black has won because fewer than `goats_to_live` goats live.
    pub fn too_few(&self, high: u32, goats_to_live: u32) -> u64 {
        let lone = goats_to_live as i32 - 1 - self.layer.goats() as i32;
        low_parts(lone - high.count_ones() as i32) & self.valid(high)
    }

    /// Number of positions, both sides to move.
    pub fn positions(&self) -> u64 {
        let sets: u64 = self.highs.all().map(|high| u64::from(self.valid(high).count_ones())).sum();
        2 * self.pairs.len() as u64 * sets
    }
}

fn set(slots: &mut [u8; Point::COUNT], point: Point, value: u8) {
    if let Some(slot) = slots.get_mut(point.index()) {
        *slot = value;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_pair_gives_every_free_point_its_own_slot() {
        for rules in RuleSet::all() {
            for heights in [[0; 4], [2, 0, 0, 0], [0, 0, 3, 0], [0, 5, 0, 2], [2, 3, 4, 5]] {
                let layout = Layout::new(rules, Layer::new(heights).unwrap(), 20);
                let slots = layout.points().len() - 2;
                assert_eq!(layout.pairs().len() as u32, (slots + 2) * (slots + 1) / 2);
                for (number, [one, other]) in layout.pairs().iter().enumerate() {
                    assert_eq!(layout.pair(*other, *one), Some(number));
                    let free = layout.points().without(*one).without(*other);
                    assert_eq!(layout.index(number, free), (1 << slots) - 1);
                    assert_eq!(layout.goats_at(number, (1 << slots) - 1), free);
                }
            }
        }
    }

    #[test]
    fn high_parts_are_numbered_in_order() {
        for goats in [0, 1, 3, 9, 20] {
            let highs = Highs::new(13, goats);
            for (number, high) in highs.all().enumerate() {
                assert_eq!(highs.number(high), Some(number));
            }
            assert_eq!(highs.all().count(), highs.count());
        }
        assert_eq!(Highs::new(13, 2).number(7), None);
    }

    #[test]
    fn flat_positions_are_as_many_as_they_should_be() {
        let flat = |goats| Layout::new(RuleSet::standard(), Layer::FLAT, goats).positions();
        assert_eq!(flat(1), 600 * 24);
        assert_eq!(flat(20), 600 * ((1 << 23) - 1 - 23 - 253));
    }
}
