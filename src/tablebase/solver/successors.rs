//! The successor layers, which a layer's moves lead to and which are solved before it: what is needed of them, and that
//! in memory.

use crate::board::JUMPS;
use crate::rules::{Chain, RuleSet, Side};
use crate::tablebase::expect_invariant;
use crate::tablebase::file::FileError;
use crate::tablebase::layer::Layer;
use crate::tablebase::layout::Layout;
use crate::tablebase::probe::LayerTable;
use crate::tablebase::solver::capture_chains::{chain_states, lowered, standing_points};
use crate::tablebase::solver::successor_sets::SuccessorSet;
use crate::tablebase::symmetry;
use crate::tablebase::value::TableValue;

/// The layers that moves lead to, each with the herds that are one goat lower there, a bit each; in the order of the
/// states of chains (see [`chain_states`]).
pub fn successor_layers(rules: &RuleSet, layer: Layer) -> Vec<(u8, Layer)> {
    let states = chain_states(rules, layer).into_iter().filter(|state| *state != 0);
    states.filter_map(|state| Some((state, lowered(layer, state)?))).collect()
}

/// A successor layer, and the pairs of tigers beside which its positions are needed.
pub struct SuccessorNeeds {
    /// The herds that are one goat lower there, a bit each.
    lowered_herds: u8,
    layout: Layout,
    /// Pairs needed with White to move.
    white: Vec<usize>,
    /// Pairs needed with Black to move, where just one herd is lower.
    black: Option<Vec<usize>>,
}

impl SuccessorNeeds {
    /// What a layer needs of each of its successors, in the order of [`successor_layers`]; `layout_of` gives their layouts.
    pub fn of(rules: &RuleSet, own: &Layout, layout_of: impl Fn(Layer) -> Layout) -> Vec<Self> {
        let needed = |(lowered_herds, layer): (u8, Layer)| {
            let layout = layout_of(layer);
            let (white, black) =
                (pairs_after_captures(rules, own, lowered_herds, &layout), pairs_beside_steps(own, &layout));
            Self { lowered_herds, layout, white, black: (lowered_herds.count_ones() == 1).then_some(black) }
        };
        successor_layers(rules, own.layer()).into_iter().map(needed).collect()
    }

    /// The layout of the layer.
    pub const fn layout(&self) -> &Layout {
        &self.layout
    }

    /// Bytes that it takes in memory, but for a few percent.
    pub fn bytes(&self, rules: &RuleSet, has_distances: bool) -> u64 {
        let pairs = self.white.len() + self.black.as_ref().map_or(0, Vec::len);
        SuccessorSet::bytes(&self.layout, pairs, TableValue::digits(rules), has_distances)
    }

    /// Reads it from the layer's table.
    ///
    /// # Errors
    /// If the file can't be read or is damaged.
    pub fn read(&self, table: &LayerTable, has_distances: bool, threads: usize) -> Result<Successor, FileError> {
        let read =
            |side, pairs: &Vec<usize>| SuccessorSet::read(table, side, &self.layout, pairs, has_distances, threads);
        let white = read(Side::White, &self.white)?;
        let black = self.black.as_ref().map(|pairs| read(Side::Black, pairs)).transpose()?;
        Ok(Successor { lowered_herds: self.lowered_herds, white, black })
    }
}

/// The pairs that captures over the lowered herds lead to.
fn pairs_after_captures(rules: &RuleSet, own: &Layout, lowered_herds: u8, layout: &Layout) -> Vec<usize> {
    if rules.chain == Chain::Free {
        // Chains that go on after a herd lead nearly everywhere.
        return (0..layout.pairs().len()).collect();
    }
    let herd = rules.start.herds[lowered_herds.trailing_zeros() as usize];
    let jumps = own.by_place().iter().flat_map(|tiger| JUMPS[*tiger].iter()).filter(|jump| jump.over == herd);
    let standing = standing_points(own, &symmetry::of_layer(rules, own.layer()));
    let pairs = jumps.flat_map(|jump| standing.iter().filter_map(|point| layout.pair(jump.to, *point)));
    sorted(pairs.collect())
}

/// The pairs of the table's rows, beside which a goat may leave a herd.
fn pairs_beside_steps(own: &Layout, layout: &Layout) -> Vec<usize> {
    let pair = |row: &usize| {
        let [one, other] = own.pairs()[*row];
        expect_invariant(layout.pair(one, other), "a lower layer has all points free that this one has")
    };
    sorted(own.rows().iter().map(pair).collect())
}

fn sorted(mut pairs: Vec<usize>) -> Vec<usize> {
    pairs.sort_unstable();
    pairs.dedup();
    pairs
}

/// A successor layer, what is needed of it.
pub struct Successor {
    /// The herds that are one goat lower there, a bit each.
    pub lowered_herds: u8,
    /// Its positions with White to move.
    pub white: SuccessorSet,
    /// Its positions with Black to move, where just one herd is lower.
    pub black: Option<SuccessorSet>,
}

impl Successor {
    /// Its positions, both sides to move.
    pub fn sides(&self) -> impl Iterator<Item = &SuccessorSet> {
        std::iter::once(&self.white).chain(&self.black)
    }

    /// Its positions, both sides to move, to change.
    pub fn sides_mut(&mut self) -> impl Iterator<Item = &mut SuccessorSet> {
        std::iter::once(&mut self.white).chain(&mut self.black)
    }
}
