//! The finished layers that a layer's moves lead to: what is needed of them, and that in memory.

use crate::board::JUMPS;
use crate::rules::{Chain, RuleSet, Side};
use crate::tablebase::file::FileError;
use crate::tablebase::layer::Layer;
use crate::tablebase::layout::Layout;
use crate::tablebase::probe::LayerTable;
use crate::tablebase::solver::finished::Finished;
use crate::tablebase::solver::jumps::{lowered, standing_points, states};
use crate::tablebase::symmetry;
use crate::tablebase::value::TableValue;

/// The layers that moves lead to, each with the herds that are one goat lower there, a bit each; in the order of the
/// states of chains (see [`states`]).
pub fn below(rules: &RuleSet, layer: Layer) -> Vec<(u8, Layer)> {
    let states = states(rules, layer).into_iter().filter(|state| *state != 0);
    states.filter_map(|state| Some((state, lowered(layer, state)?))).collect()
}

/// A layer that moves lead to, and the pairs of tigers beside which its positions are needed.
pub struct Needed {
    jumped: u8,
    layout: Layout,
    /// Those with White to move.
    white: Vec<usize>,
    /// Those with Black to move, where just one herd is lower.
    black: Option<Vec<usize>>,
}

impl Needed {
    /// What a layer needs; `layout_of` gives the arrangement of the others.
    pub fn of(rules: &RuleSet, own: &Layout, layout_of: impl Fn(Layer) -> Layout) -> Vec<Self> {
        let needed = |(jumped, layer): (u8, Layer)| {
            let layout = layout_of(layer);
            let (white, black) = (landings(rules, own, jumped, &layout), left_by_goats(own, &layout));
            Self { jumped, layout, white, black: (jumped.count_ones() == 1).then_some(black) }
        };
        below(rules, own.layer()).into_iter().map(needed).collect()
    }

    /// The arrangement of the layer.
    pub const fn layout(&self) -> &Layout {
        &self.layout
    }

    /// Bytes that it takes in memory, but for a few percent.
    pub fn bytes(&self, rules: &RuleSet, has_distances: bool) -> u64 {
        let pairs = self.white.len() + self.black.as_ref().map_or(0, Vec::len);
        Finished::bytes(&self.layout, pairs, TableValue::digits(rules), has_distances)
    }

    /// Reads it from the layer's table.
    ///
    /// # Errors
    /// If the file can't be read or is damaged.
    pub fn read(&self, table: &LayerTable, has_distances: bool, threads: usize) -> Result<Below, FileError> {
        let read = |side, pairs: &Vec<usize>| Finished::read(table, side, &self.layout, pairs, has_distances, threads);
        let white = read(Side::White, &self.white)?;
        let black = self.black.as_ref().map(|pairs| read(Side::Black, pairs)).transpose()?;
        Ok(Below { jumped: self.jumped, white, black })
    }
}

/// The pairs that captures over the jumped herds lead to.
fn landings(rules: &RuleSet, own: &Layout, jumped: u8, layout: &Layout) -> Vec<usize> {
    if rules.chain == Chain::Free {
        // Chains that go on after a herd lead nearly everywhere.
        return (0..layout.pairs().len()).collect();
    }
    let herd = rules.start.herds.get(jumped.trailing_zeros() as usize);
    let jumps = own.by_place().iter().flat_map(|tiger| JUMPS[*tiger].iter()).filter(|jump| Some(&jump.over) == herd);
    let standing = standing_points(own, &symmetry::of_layer(rules, own.layer()));
    let pairs = jumps.flat_map(|jump| standing.iter().filter_map(|point| layout.pair(jump.to, *point)));
    sorted(pairs.collect())
}

/// The pairs that are worked out, beside which a goat may leave a herd.
fn left_by_goats(own: &Layout, layout: &Layout) -> Vec<usize> {
    let pairs = own.rows().iter().filter_map(|pair| own.pairs().get(*pair));
    sorted(pairs.filter_map(|[one, other]| layout.pair(*one, *other)).collect())
}

fn sorted(mut pairs: Vec<usize>) -> Vec<usize> {
    pairs.sort_unstable();
    pairs.dedup();
    pairs
}

/// A finished layer that moves lead to, what is needed of it.
pub struct Below {
    /// The herds that are one goat lower there, a bit each.
    pub jumped: u8,
    /// Its positions with White to move.
    pub white: Finished,
    /// Its positions with Black to move, where just one herd is lower.
    pub black: Option<Finished>,
}

impl Below {
    /// Its positions, both sides to move.
    pub fn sides(&self) -> impl Iterator<Item = &Finished> {
        std::iter::once(&self.white).chain(&self.black)
    }

    /// The same to change.
    pub fn sides_mut(&mut self) -> impl Iterator<Item = &mut Finished> {
        std::iter::once(&mut self.white).chain(&mut self.black)
    }
}
