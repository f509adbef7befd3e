//! Positions drawn by number, in the order in which tables store them.
//!
//! All positions that may be drawn stand in one long row: table after table, White's before Black's, a row of the table after
//! the other, each number as often as there are positions that symmetries turn into its own. The row is cut into as many
//! shares as positions are wanted, all of one size, and one is drawn of each (stratified sampling). So the draws come in
//! order, each can be made without the others, and every position is as likely as any other.

use crate::board::Point;
use crate::position::{Position, Setup};
use crate::rng::SplitMix64;
use crate::rules::Side;
use crate::symmetry::Symmetry;
use crate::tablebase::expect_invariant;
use crate::tablebase::file::{BLOCK_POSITIONS, Block, FileError};
use crate::tablebase::layer::Layer;
use crate::tablebase::layout::Layout;
use crate::tablebase::probe::{LayerTable, Probe};
use crate::tablebase::sample::{Sample, SampleCounts, SampleError, SamplePlan, SampleSource, Unit, in_order};
use crate::tablebase::stats::weights;
use crate::tablebase::symmetry;
use crate::tablebase::value::TableValue;
use crate::tablebase::vector::{VECTOR_SLOTS, Vector, WORD_SLOTS, both, count};
use std::ops::RangeInclusive;

/// Draws of a unit.
const UNIT_DRAWS: u64 = 1 << 14;

/// Draws the samples of a plan.
pub(super) fn sample<E: From<SampleError>>(
    plan: &SamplePlan,
    encode: &(impl Fn(&Sample, &mut Vec<u8>) + Sync),
    write: &mut impl FnMut(&[u8]) -> Result<(), E>,
    sum: &mut SampleCounts,
) -> Result<(), E> {
    let parts = parts(plan);
    let share = |number: usize| (u128::from(plan.count) * number as u128 / parts.len().max(1) as u128) as u64;
    for (number, (tables, goats)) in parts.iter().enumerate() {
        let wanted = share(number + 1) - share(number);
        let part = Part::new(plan, tables, goats, wanted, SplitMix64::nth(plan.seed, number as u64));
        sum.missing += wanted - part.draws;
        in_order(
            plan.threads,
            0..part.draws.div_ceil(UNIT_DRAWS),
            |unit| part.unit(plan, unit, encode),
            |mut unit| {
                unit.counts.written = unit.ends.len() as u64;
                sum.add(unit.counts);
                write(&unit.bytes).map(|()| true)
            },
        )?;
    }
    Ok(())
}

/// Whether no table has positions with the goats, layers and rules wanted.
pub(super) fn is_empty(plan: &SamplePlan) -> bool {
    parts(plan).is_empty()
}

/// The tables and numbers of goats of which equal numbers of positions are drawn; none without a position.
fn parts<'a>(plan: &SamplePlan<'a>) -> Vec<(Vec<&'a LayerTable>, RangeInclusive<u32>)> {
    let least = plan.rules().goats_to_live.max(*plan.goats.start());
    let goats = least..=*plan.goats.end();
    let tables: Vec<&LayerTable> =
        plan.tables.layers().filter(|table| plan.has_layer(table.layout().layer())).collect();
    let has_any = |table: &&LayerTable, goats: &RangeInclusive<u32>| {
        table.layout().layer().goats() <= *goats.end() && table.file().header().goats >= *goats.start()
    };
    let within = |goats: RangeInclusive<u32>| {
        (tables.iter().copied().filter(|table| has_any(table, &goats)).collect::<Vec<_>>(), goats)
    };
    let mut parts: Vec<_> = match plan.source {
        SampleSource::Goats => goats.map(|number| within(number..=number)).collect(),
        SampleSource::Layers => within(goats.clone()).0.into_iter().map(|table| (vec![table], goats.clone())).collect(),
        SampleSource::Positions | SampleSource::Games => vec![within(goats)],
    };
    parts.retain(|(tables, _)| !tables.is_empty());
    parts
}

/// The positions of a table that may be drawn.
struct Selection<'a> {
    table: &'a LayerTable,
    goats: RangeInclusive<u32>,
    /// The symmetries that turn the layer into one of the rules.
    symmetries: Vec<Symmetry>,
    /// The slots beyond the lowest eight of each vector of a row.
    highs: Vec<u32>,
    /// For each vector how many positions of a row there are up to its end.
    ends: Vec<u64>,
}

impl<'a> Selection<'a> {
    fn new(plan: &SamplePlan, table: &'a LayerTable, goats: &RangeInclusive<u32>) -> Self {
        let (rules, layout) = (plan.rules(), table.layout());
        let symmetries = Symmetry::all().filter(|own| symmetry::image(*own, rules, layout.layer()).is_some()).collect();
        let highs: Vec<u32> = layout.chunks().highs().collect();
        let ends = highs.iter().scan(0, |sum, high| {
            *sum += u64::from(count(selected(layout, *high, goats)));
            Some(*sum)
        });
        Self { table, goats: goats.clone(), symmetries, ends: ends.collect(), highs }
    }

    /// The number of a row's vector, and the index, of its position with this rank among those selected.
    fn find(&self, rank: u64) -> Option<(usize, u32)> {
        let vector = self.ends.partition_point(|end| *end <= rank);
        let before = vector.checked_sub(1).map_or(Some(0), |before| self.ends.get(before).copied())?;
        let high = *self.highs.get(vector)?;
        let low = nth_member(selected(self.table.layout(), high, &self.goats), (rank - before) as u32)?;
        Some((vector, high << VECTOR_SLOTS | low))
    }
}

/// The members of a vector with so many goats.
fn selected(layout: &Layout, high: u32, goats: &RangeInclusive<u32>) -> Vector {
    both(layout.at_least(high, *goats.start()), layout.fewer(high, *goats.end() + 1))
}

/// The member with this rank among those of a vector.
fn nth_member(vector: Vector, mut rank: u32) -> Option<u32> {
    for (lane, word) in (0..).zip(vector) {
        if rank < word.count_ones() {
            let rest = (0..rank).fold(word, |rest, _| rest & (rest - 1));
            return Some(lane << WORD_SLOTS | rest.trailing_zeros());
        }
        rank -= word.count_ones();
    }
    None
}

/// A row of a table, for one side to move.
struct Section {
    /// Number of the selection.
    selection: usize,
    side: Side,
    row: usize,
    /// Positions that symmetries turn into each of its own.
    weight: u64,
    /// Positions up to its end, all sections before it included.
    end: u64,
}

/// What positions are drawn of evenly.
struct Part<'a> {
    selections: Vec<Selection<'a>>,
    sections: Vec<Section>,
    /// As many as are wanted, or as there are.
    draws: u64,
    seed: u64,
}

/// A position that was drawn.
struct Draw {
    selection: usize,
    side: Side,
    row: usize,
    index: u32,
    /// Its number in the table.
    number: u64,
    symmetry: Symmetry,
}

impl<'a> Part<'a> {
    fn new(plan: &SamplePlan, tables: &[&'a LayerTable], goats: &RangeInclusive<u32>, wanted: u64, seed: u64) -> Self {
        let selections: Vec<Selection> = tables.iter().map(|table| Selection::new(plan, table, goats)).collect();
        let mut sections = Vec::new();
        let mut end = 0;
        for (number, selection) in selections.iter().enumerate() {
            let weights = weights(plan.rules(), selection.table.layout());
            let of_row = selection.ends.last().copied().unwrap_or(0);
            for side in [Side::White, Side::Black].into_iter().filter(|side| plan.side.is_none_or(|own| own == *side)) {
                for (row, weight) in weights.iter().enumerate() {
                    end += weight * of_row;
                    sections.push(Section { selection: number, side, row, weight: *weight, end });
                }
            }
        }
        Self { selections, sections, draws: wanted.min(end), seed }
    }

    /// Number of positions.
    fn total(&self) -> u64 {
        self.sections.last().map_or(0, |section| section.end)
    }

    /// The draw of this number.
    fn draw(&self, number: u64) -> Option<Draw> {
        let mut random = SplitMix64(SplitMix64::nth(self.seed, number));
        let begin = |number: u64| (u128::from(number) * u128::from(self.total()) / u128::from(self.draws)) as u64;
        let at = begin(number) + random.below(begin(number + 1) - begin(number));
        let section_number = self.sections.partition_point(|section| section.end <= at);
        let section = self.sections.get(section_number)?;
        let before = section_number.checked_sub(1).and_then(|before| self.sections.get(before));
        let rank = (at - before.map_or(0, |before| before.end)) / section.weight;
        let selection = self.selections.get(section.selection)?;
        let (vector, index) = selection.find(rank)?;
        let layout = selection.table.layout();
        let first = if section.side == Side::White { 0 } else { layout.numbers() };
        let vector = (section.row * layout.chunks().row_size() + vector) as u64;
        let low = u64::from(index) & ((1 << VECTOR_SLOTS) - 1);
        let symmetry = random.below(selection.symmetries.len() as u64) as usize;
        Some(Draw {
            selection: section.selection,
            side: section.side,
            row: section.row,
            index,
            number: first + (vector << VECTOR_SLOTS | low),
            symmetry: *selection.symmetries.get(symmetry)?,
        })
    }

    /// The samples of a unit.
    fn unit(
        &self,
        plan: &SamplePlan,
        number: u64,
        encode: &(impl Fn(&Sample, &mut Vec<u8>) + Sync),
    ) -> Result<Unit, SampleError> {
        const DRAWN: &str = "every share of the row has a position";
        let mut unit = Unit::default();
        let mut block: Option<OpenBlock> = None;
        for draw in number * UNIT_DRAWS..self.draws.min((number + 1) * UNIT_DRAWS) {
            let draw = expect_invariant(self.draw(draw), DRAWN);
            let selection = expect_invariant(self.selections.get(draw.selection), DRAWN);
            let position = expect_invariant(position(plan, selection, &draw), "a valid index is a position");
            if position.ending().is_some() {
                unit.counts.over += 1;
                continue;
            }
            let place = (selection.table.layout().layer(), draw.number / BLOCK_POSITIONS);
            if block.as_ref().is_none_or(|open| (open.layer, open.number) != place) {
                let opened = OpenBlock::read(selection.table, place.1);
                block = Some(opened.map_err(|error| SampleError::Table(place.0, error))?);
            }
            let probe = block.as_ref().and_then(|block| block.probe(draw.number % BLOCK_POSITIONS, draw.side));
            let short = || FileError::Damaged("a block is too short".to_owned());
            let probe = probe.ok_or_else(|| SampleError::Table(place.0, short()))?;
            plan.take(Sample::new(position, probe), &mut unit, encode)?;
        }
        Ok(unit)
    }
}

/// The position that was drawn, turned by its symmetry.
fn position(plan: &SamplePlan, selection: &Selection, draw: &Draw) -> Option<Position> {
    let (rules, layout) = (plan.rules(), selection.table.layout());
    let pair = *layout.rows().get(draw.row)?;
    let image = |point: Point| draw.symmetry.point(point);
    let mut goats = [0; Point::COUNT];
    for point in layout.goats_at(pair, draw.index) {
        *goats.get_mut(image(point).index())? = 1;
    }
    for (point, height) in rules.start.herds.iter().zip(layout.layer().heights()).filter(|(_, height)| *height > 0) {
        *goats.get_mut(image(*point).index())? = u32::from(height);
    }
    let tigers = layout.pairs().get(pair)?.iter().map(|tiger| image(*tiger)).collect();
    Position::new(rules, &Setup { goats, tigers, side: draw.side, quiet: 0, number: 1 }).ok()
}

/// A decoded block.
struct OpenBlock {
    layer: Layer,
    number: u64,
    block: Block,
    digits: usize,
    /// For every 64 positions how many before them are no draws; empty without distances.
    decided: Vec<usize>,
}

impl OpenBlock {
    fn read(table: &LayerTable, number: u64) -> Result<Self, FileError> {
        let block = table.file().block(number)?;
        let digits = table.file().header().digits;
        let has_distances = table.file().header().has_distances;
        let groups = block.classes.chunks(digits).filter(|_| has_distances);
        let decided = groups.scan(0, |sum, group| {
            let before = *sum;
            *sum += decided(group).count_ones() as usize;
            Some(before)
        });
        let decided = decided.collect();
        Ok(Self { layer: table.layout().layer(), number, digits, decided, block })
    }

    /// What it says of a position, by number within the block; `None` if it has no such position.
    fn probe(&self, at: u64, side: Side) -> Option<Probe> {
        let (group, bit) = ((at >> WORD_SLOTS) as usize, at & 63);
        let words = self.block.classes.get(group * self.digits..(group + 1) * self.digits)?;
        let class = words.iter().rev().fold(0, |class, word| class << 1 | (word >> bit & 1) as u8);
        let value = TableValue::from_class(class);
        let (Some(winner), Some(before)) = (value.winner(), self.decided.get(group)) else {
            return Some(Probe { value, plies: None });
        };
        let within = (decided(words) & ((1 << bit) - 1)).count_ones() as usize;
        let half = *self.block.halves.get(before + within)?;
        Some(Probe { value, plies: Some(2 * u32::from(half) + u32::from(winner == side)) })
    }
}

/// The positions of a word that are no draws.
fn decided(digits: &[u64]) -> u64 {
    digits.iter().fold(0, |all, word| all | word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_are_found_by_rank() {
        let vector = [0b1010, 0, 1 << 63, 7];
        let found: Vec<Option<u32>> = (0..7).map(|rank| nth_member(vector, rank)).collect();
        assert_eq!(found, [Some(1), Some(3), Some(191), Some(192), Some(193), Some(194), None]);
    }
}
