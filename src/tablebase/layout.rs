//! Where a layer's positions stand in its table, and in memory while they are solved.
//!
//! A position is a pair of tigers and a set of single goats on the other free points. The set is the bits of an index,
//! one *slot* a point, the same slots for every pair but for the two holes under the tigers, which the two last points
//! (the spare ones) fill. The eight lowest slots tell the members of a [`Vector`] apart, the next
//! the vectors of a *chunk*; the top slots are the chunk's address, and chunks with more goats there than may live are
//! left out.
//!
//! Of positions that a symmetry turns into each other a table has one: the layer is the canonical one of its images, and
//! the pair of tigers the first of its images in that layer.
#![allow(clippy::indexing_slicing)] // pairs, chunks and slots have their numbers from here: one out of range is a bug

use crate::board::{Point, PointMap, PointSet, STEPS};
use crate::position::{Position, Setup};
use crate::rules::{GOATS, RuleSet, Side};
use crate::symmetry::Symmetry;
use crate::tablebase::expect_invariant;
use crate::tablebase::layer::Layer;
use crate::tablebase::symmetry;
use crate::tablebase::vector::{VECTOR_SLOTS, Vector, up_to, without};

/// Stands for a point's slot or place where it has none: a tiger or a herd stands there.
const NOWHERE: u8 = u8::MAX;

/// Stands for a chunk's number where it is left out.
const LEFT_OUT: u32 = u32::MAX;

/// Slots that tell a chunk's vectors apart, by most goats: small chunks where they are few, so that many can be left
/// out; else as much as two of them fit a processor's first cache. At most 8: the solver's buckets number the positions
/// of a chunk with 16 bits.
const CHUNK_SLOTS: [u32; GOATS as usize + 1] = [0, 0, 1, 0, 1, 2, 4, 6, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8];

/// The chunks of a row, a row being what belongs to one pair of tigers.
#[derive(Clone, Debug)]
pub struct Chunks {
    chunk_slots: u32,
    /// The top slots of each chunk.
    tops: Vec<u32>,
    /// The number of the chunk with these top slots.
    numbers: Vec<u32>,
}

impl Chunks {
    /// Chunks of `1 << chunk_slots` vectors for `slots` slots in all, with at most `goats` goats in the top slots.
    fn new(slots: u32, chunk_slots: u32, goats: u32) -> Self {
        let all = 0..1u32 << (slots - VECTOR_SLOTS - chunk_slots);
        let mut numbers = vec![LEFT_OUT; all.len()];
        let tops: Vec<u32> = all.filter(|top| top.count_ones() <= goats).collect();
        for (number, top) in tops.iter().enumerate() {
            numbers[*top as usize] = number as u32;
        }
        Self { chunk_slots, tops, numbers }
    }

    /// Number of chunks of a row.
    pub const fn count(&self) -> usize {
        self.tops.len()
    }

    /// Slots that tell the vectors of a chunk apart.
    pub const fn slots(&self) -> u32 {
        self.chunk_slots
    }

    /// Vectors of a chunk.
    pub const fn size(&self) -> usize {
        1 << self.chunk_slots
    }

    /// Vectors of a row.
    pub const fn row_size(&self) -> usize {
        self.count() << self.chunk_slots
    }

    /// The top slots of a chunk.
    pub fn top(&self, chunk: usize) -> u32 {
        self.tops[chunk]
    }

    /// Whether top slots are slots of this layer; another layer may have more.
    #[inline]
    pub const fn has_top(&self, top: u32) -> bool {
        (top as usize) < self.numbers.len()
    }

    /// The number of the chunk with these top slots.
    ///
    /// Returns `None` if it is left out.
    #[inline]
    pub fn number(&self, top: u32) -> Option<usize> {
        let number = self.numbers[top as usize];
        (number != LEFT_OUT).then_some(number as usize)
    }

    /// The number in a row of the vector with these slots beyond the lowest eight.
    ///
    /// Returns `None` if its chunk is left out.
    pub fn vector(&self, high: u32) -> Option<usize> {
        let within = high as usize & (self.size() - 1);
        self.number(high >> self.chunk_slots).map(|chunk| chunk << self.chunk_slots | within)
    }

    /// The slots beyond the lowest eight of each vector of a row, in order.
    pub fn highs(&self) -> impl Iterator<Item = u32> {
        (0..self.count()).flat_map(|chunk| self.highs_of(chunk))
    }

    /// The slots beyond the lowest eight of each vector of a chunk, in order.
    pub fn highs_of(&self, chunk: usize) -> impl Iterator<Item = u32> + use<> {
        let first = self.top(chunk) << self.chunk_slots;
        (0..1 << self.chunk_slots).map(move |within| first | within)
    }
}

/// The points, pairs and slots of one layer.
#[derive(Clone, Debug)]
struct SlotAssignment {
    /// The free points, slot by slot, the two spare ones last.
    points: Vec<Point>,
    /// Each point's place among them, `NOWHERE` for herds.
    place: PointMap<u8>,
    /// The pairs of points for the tigers.
    pairs: Vec<[Point; 2]>,
    /// Each point's slot for each pair.
    slots: Vec<PointMap<u8>>,
}

impl SlotAssignment {
    fn new(rules: &RuleSet, layer: Layer) -> Self {
        let (standing, starts) = (layer.points(rules), rules.start.herd_points());
        // Moves within a vector or chunk are the quick ones: points that touch few others lie at both ends, those that
        // touch many inside the chunk.
        let mut points: Vec<Point> = (!starts).into_iter().collect();
        points.sort_by_key(|point| (STEPS[*point].len(), *point));
        if let Some(inner) = points.get_mut(VECTOR_SLOTS as usize..) {
            inner.sort_by_key(|point| (25 - STEPS[*point].len(), *point));
        }
        points.extend(rules.start.herds.iter().filter(|point| !standing.has(**point)));
        let place =
            point_map(|point| points.iter().position(|other| *other == point).map_or(NOWHERE, |place| place as u8));
        let mut pairs = Vec::new();
        for (number, second) in points.iter().enumerate() {
            pairs.extend(points.iter().take(number).map(|first| [*first, *second]));
        }
        let slots = pairs.iter().map(|pair| slots_beside(&points, *pair)).collect();
        Self { points, place, pairs, slots }
    }

    fn place(&self, point: Point) -> Option<usize> {
        let place = self.place[point];
        (place != NOWHERE).then_some(usize::from(place))
    }

    fn pair(&self, one: Point, other: Point) -> Option<usize> {
        let (one, other) = (self.place(one)?, self.place(other)?);
        let (low, high) = (one.min(other), one.max(other));
        (low != high).then(|| high * (high - 1) / 2 + low)
    }

    /// The first of the images of another layer's pair under symmetries that lead from that layer to this one, and the
    /// symmetry.
    fn first_image(&self, [one, other]: [Point; 2], symmetries: &[Symmetry]) -> (usize, Symmetry) {
        let image = |symmetry: &Symmetry| {
            let pair = self.pair(symmetry.point(one), symmetry.point(other));
            (expect_invariant(pair, "a layer's free points become the image's free points"), *symmetry)
        };
        expect_invariant(symmetries.iter().map(image).min_by_key(|(pair, _)| *pair), "there is a symmetry")
    }
}

/// Each point's slot when the tigers stand on these points.
fn slots_beside(points: &[Point], tigers: [Point; 2]) -> PointMap<u8> {
    let (own, spare) = points.split_at(points.len() - 2);
    let mut by_slot = own.to_vec();
    let holes = by_slot.iter_mut().filter(|point| tigers.contains(point));
    let fillers = spare.iter().filter(|point| !tigers.contains(point));
    holes.zip(fillers).for_each(|(hole, filler)| *hole = *filler);
    point_map(|point| by_slot.iter().position(|other| *other == point).map_or(NOWHERE, |slot| slot as u8))
}

fn point_map(of: impl Fn(Point) -> u8) -> PointMap<u8> {
    PointMap::new(std::array::from_fn(|index| Point::from_index(index).map_or(NOWHERE, &of)))
}

/// Where a pair's positions are in the table.
#[derive(Clone, Debug)]
struct StoredPair {
    /// Row of the table.
    row: usize,
    /// Each point's slot there.
    slots: PointMap<u8>,
}

/// Where one layer's positions stand.
#[derive(Clone, Debug)]
pub struct Layout {
    layer: Layer,
    /// Most single goats.
    goats: u32,
    own: SlotAssignment,
    /// By pair.
    stored: Vec<StoredPair>,
    /// For each row of the table the pair of the canonical layer that it belongs to.
    rows: Vec<usize>,
    chunks: Chunks,
}

impl Layout {
    /// The layout of a layer's positions with at most `goats` goats in all, 0 to 20, those in herds included (which must
    /// not be more than that).
    pub fn new(rules: &RuleSet, layer: Layer, goats: u32) -> Self {
        let own = SlotAssignment::new(rules, layer);
        let (canonical, to_canonical) = symmetry::canonical(rules, layer);
        let theirs = SlotAssignment::new(rules, canonical);
        let symmetries: Vec<Symmetry> = {
            let same = Symmetry::all().filter(|same| symmetry::image(*same, rules, layer) == Some(canonical));
            std::iter::once(to_canonical).chain(same).collect()
        };
        let images: Vec<_> = own.pairs.iter().map(|pair| theirs.first_image(*pair, &symmetries)).collect();
        let mut rows: Vec<usize> = images.iter().map(|(pair, _)| *pair).collect();
        rows.sort_unstable();
        rows.dedup();
        let stored = images.iter().map(|(pair, symmetry)| StoredPair {
            row: expect_invariant(rows.binary_search(pair).ok(), "every image has a row"),
            slots: point_map(|point| theirs.slots[*pair][symmetry.point(point)]),
        });
        let stored = stored.collect();
        assert!((layer.goats()..=GOATS).contains(&goats), "layer {layer} with at most {goats} goats");
        let slots = own.points.len() as u32 - 2;
        let singles = (goats - layer.goats()).min(slots);
        let chunks = Chunks::new(slots, CHUNK_SLOTS[goats as usize], singles);
        Self { layer, goats: singles, own, stored, rows, chunks }
    }

    /// The layer.
    pub const fn layer(&self) -> Layer {
        self.layer
    }

    /// The pairs of points for the tigers, by number.
    pub fn pairs(&self) -> &[[Point; 2]] {
        &self.own.pairs
    }

    /// The pairs whose positions are in the table, by row; for a canonical layer they are its own pairs, and have there
    /// the slots that they have here.
    pub fn rows(&self) -> &[usize] {
        &self.rows
    }

    /// The chunks of a row.
    pub const fn chunks(&self) -> &Chunks {
        &self.chunks
    }

    /// The free points: all but those with herds of two or more.
    pub fn points(&self) -> PointSet {
        self.own.points.iter().copied().collect()
    }

    /// The free points by place: slot by slot, the two spare ones last.
    pub fn by_place(&self) -> &[Point] {
        &self.own.points
    }

    /// Slots of a pair, 19 to 23.
    pub fn slots(&self) -> u32 {
        self.own.points.len() as u32 - 2
    }

    /// The place of a point among the free ones.
    ///
    /// Returns `None` where a herd stands.
    pub fn place(&self, point: Point) -> Option<usize> {
        self.own.place(point)
    }

    /// The number of the pair of tigers on two points.
    ///
    /// Returns `None` if they are one, or a herd stands there.
    pub fn pair(&self, one: Point, other: Point) -> Option<usize> {
        self.own.pair(one, other)
    }

    /// The slot of a point beside a pair of tigers.
    ///
    /// Returns `None` where a tiger or a herd stands.
    #[inline]
    pub fn slot(&self, pair: usize, point: Point) -> Option<u32> {
        let slot = self.own.slots[pair][point];
        (slot != NOWHERE).then_some(u32::from(slot))
    }

    /// The index of a set of points beside a pair of tigers; points without a slot don't count.
    pub fn index(&self, pair: usize, goats: PointSet) -> u32 {
        goats.into_iter().filter_map(|point| self.slot(pair, point)).fold(0, |index, slot| index | 1 << slot)
    }

    /// The set of points of an index beside a pair of tigers.
    pub fn goats_at(&self, pair: usize, index: u32) -> PointSet {
        let stands = |point: &Point| self.slot(pair, *point).is_some_and(|slot| index >> slot & 1 != 0);
        self.own.points.iter().copied().filter(stands).collect()
    }

    /// The position of an index beside a pair of tigers; the counters are 0 and 1.
    ///
    /// Returns `None` if there are more than 20 goats.
    pub fn position_at(&self, rules: &'static RuleSet, pair: usize, index: u32, side: Side) -> Option<Position> {
        let tigers = self.pairs()[pair].into_iter().collect();
        let singles = self.goats_at(pair, index);
        let height = |point: Point| {
            let herd = rules.start.herds.iter().position(|herd| *herd == point);
            u32::from(herd.map_or(0, |herd| self.layer.height(herd))) + u32::from(singles.has(point))
        };
        let mut goats = [0; Point::COUNT];
        goats.iter_mut().zip(Point::all()).for_each(|(slot, point)| *slot = height(point));
        Position::new(rules, &Setup { goats, tigers, side, quiet: 0, number: 1 }).ok()
    }

    /// Row of the table that has a pair's positions, and for each slot there (lowest first) the slot here.
    pub fn stored(&self, pair: usize) -> (usize, Vec<u32>) {
        let stored = &self.stored[pair];
        let mut slots = vec![0; self.slots() as usize];
        for point in &self.own.points {
            if let Some(slot) = self.slot(pair, *point) {
                slots[usize::from(stored.slots[*point])] = slot;
            }
        }
        (stored.row, slots)
    }

    /// The image of a pair under a symmetry of the layer, and for each slot beside the pair the slot of the same point's
    /// image beside that.
    pub fn image_of_pair(&self, pair: usize, symmetry: Symmetry) -> (usize, Vec<u32>) {
        const FREE: &str = "a symmetry of the layer leads from free points to free points";
        let [one, other] = self.own.pairs[pair].map(|point| symmetry.point(point));
        let image = expect_invariant(self.pair(one, other), FREE);
        let mut slots = vec![0; self.slots() as usize];
        for point in &self.own.points {
            if let Some(slot) = self.slot(pair, *point) {
                slots[slot as usize] = expect_invariant(self.slot(image, symmetry.point(*point)), FREE);
            }
        }
        (image, slots)
    }

    /// The number of a position among a side's in the table.
    ///
    /// Returns `None` if it is not in the table.
    #[inline]
    pub fn number(&self, tigers: [Point; 2], goats: PointSet) -> Option<u64> {
        let [one, other] = tigers;
        let stored = &self.stored[self.pair(one, other)?];
        let mut index = 0u32;
        for point in goats {
            let slot = stored.slots[point];
            if slot != NOWHERE {
                index |= 1 << slot; // others are the layer's herds
            }
        }
        if index.count_ones() > self.goats {
            return None;
        }
        let shift = VECTOR_SLOTS + self.chunks.chunk_slots;
        let chunk = self.chunks.number(index >> shift)?;
        let row = stored.row * self.chunks.count() + chunk;
        Some((row as u64) << shift | u64::from(index & ((1 << shift) - 1)))
    }

    /// How many numbers a side's positions have.
    pub fn numbers(&self) -> u64 {
        (self.rows.len() * self.chunks.row_size()) as u64 * (1 << VECTOR_SLOTS)
    }

    /// The members of the vector with these slots beyond the lowest eight that are positions: not too many goats.
    #[inline]
    pub fn valid(&self, high: u32) -> Vector {
        up_to(self.goats as i32 - high.count_ones() as i32)
    }

    /// The valid members of a vector with fewer than `goats` goats, herds included.
    #[inline]
    pub fn fewer(&self, high: u32, goats: u32) -> Vector {
        let most = goats as i32 - 1 - self.layer.goats() as i32;
        up_to(most.min(self.goats as i32) - high.count_ones() as i32)
    }

    /// The valid members of a vector with at least `goats` goats, herds included.
    #[inline]
    pub fn at_least(&self, high: u32, goats: u32) -> Vector {
        without(self.valid(high), self.fewer(high, goats))
    }

    /// Number of positions, both sides to move; those that symmetries turn into each other each count.
    pub fn positions(&self) -> u64 {
        2 * self.pairs().len() as u64 * self.positions_of_row()
    }

    /// Number of positions in the table, both sides to move.
    pub fn positions_stored(&self) -> u64 {
        2 * self.rows.len() as u64 * self.positions_of_row()
    }

    fn positions_of_row(&self) -> u64 {
        let slots = u64::from(self.slots());
        let mut choices = 1;
        let mut sum = 0;
        for goats in 0..=u64::from(self.goats) {
            sum += choices;
            choices = choices * (slots - goats) / (goats + 1);
        }
        sum
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tablebase::vector;

    #[test]
    fn every_pair_gives_every_free_point_its_own_slot() {
        for rules in RuleSet::all() {
            for heights in [[0; 4], [2, 0, 0, 0], [0, 0, 3, 0], [0, 5, 0, 2], [2, 3, 4, 5]] {
                let layout = Layout::new(rules, Layer::new(heights).unwrap(), 20);
                let slots = layout.slots();
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
    fn images_have_the_same_row_and_number() {
        for rules in ["baghbandi", "baghguti"].map(|name| RuleSet::named(name).unwrap()) {
            for heights in [[0; 4], [2, 0, 0, 0], [2, 2, 0, 0], [2, 0, 0, 2], [3, 0, 2, 0]] {
                let layer = Layer::new(heights).unwrap();
                let layout = Layout::new(rules, layer, 20);
                for symmetry in Symmetry::all() {
                    let Some(image) = symmetry::image(symmetry, rules, layer) else { continue };
                    let other = Layout::new(rules, image, 20);
                    let row = |number: Option<u64>| number.unwrap() / (layout.chunks().row_size() as u64 * 256);
                    for (pair, tigers) in layout.pairs().iter().enumerate().step_by(7) {
                        let goats = layout.goats_at(pair, 0x001A_5C93 & ((1 << layout.slots()) - 1));
                        let number = layout.number(*tigers, goats);
                        let [one, another] = tigers.map(|point| symmetry.point(point));
                        let theirs =
                            other.number([one, another], goats.into_iter().map(|goat| symmetry.point(goat)).collect());
                        assert_eq!(row(number), row(theirs));
                        // A row holds each of its positions twice where a symmetry leaves its tigers in place.
                        let is_fixed = |symmetry: Symmetry| {
                            symmetry::image(symmetry, rules, layer) == Some(layer)
                                && layout.pair(symmetry.point(tigers[0]), symmetry.point(tigers[1])) == Some(pair)
                        };
                        if Symmetry::all().filter(|symmetry| is_fixed(*symmetry)).count() == 1 {
                            assert_eq!(number, theirs);
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn rows_of_a_canonical_layer_have_their_own_slots() {
        for heights in [[0; 4], [5, 0, 0, 0], [5, 5, 0, 0]] {
            let rules = RuleSet::standard();
            let layer = symmetry::canonical(rules, Layer::new(heights).unwrap()).0;
            let layout = Layout::new(rules, layer, 20);
            for (row, pair) in layout.rows().iter().enumerate() {
                let own: Vec<u32> = (0..layout.slots()).collect();
                assert_eq!(layout.stored(*pair), (row, own));
            }
        }
        assert_eq!(Layout::new(RuleSet::standard(), Layer::FLAT, 20).rows().len(), 49);
    }

    #[test]
    fn positions_are_as_many_as_they_should_be() {
        let flat = |goats| Layout::new(RuleSet::standard(), Layer::FLAT, goats);
        assert_eq!(flat(1).positions(), 600 * 24);
        assert_eq!(flat(20).positions(), 600 * ((1 << 23) - 1 - 23 - 253));
        for goats in [0, 1, 3, 9, 20] {
            let layout = flat(goats);
            let counted: u32 = layout.chunks().highs().map(|high| vector::count(layout.valid(high))).sum();
            assert_eq!(u64::from(counted), layout.positions_of_row());
            let few: u32 = layout.chunks().highs().map(|high| vector::count(layout.fewer(high, 2))).sum();
            assert_eq!(few, if goats == 0 { 1 } else { 24 });
        }
    }
}
