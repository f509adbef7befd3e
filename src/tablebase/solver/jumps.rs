//! The captures of the tigers, jump by jump.
//!
//! A chain is a walk through *states*: a state is the set of herds that the chain has jumped already. State 0 is none of
//! them, in the layer that is being solved; each other belongs to a layer where those herds are one goat lower, and no
//! jump goes over their points again. Where a jump over a herd ends the move, the chain ends in such a state.
//!
//! While one tiger jumps the other stands still, so the rows of one state fall into groups, one for each point where the
//! standing tiger may be; a row of a group is the place of the jumping one. Of points that symmetries of the layer turn
//! into each other one has a group ([`standing_points`]); what is asked of the others is found there ([`Origin`]).

use crate::board::{Point, PointSet};
use crate::rules::{Chain, HERDS, RuleSet};
use crate::tablebase::layer::Layer;
use crate::tablebase::layout::Layout;
use crate::tablebase::solver::term::Term;
use crate::tablebase::solver::ways::{over_goats, over_herd};
use crate::tablebase::symmetry::Symmetry;

/// A jump from one row.
pub struct Jump {
    /// The state after it.
    pub state: usize,
    /// The row of that state's group.
    pub row: usize,
    /// The operations into the rows of pairs of that state's layer.
    pub terms: Vec<Term>,
}

impl Jump {
    /// The same operations into the rows of the group.
    pub fn in_group(&self) -> Vec<Term> {
        self.terms.iter().map(|term| term.clone().into_row(self.row)).collect()
    }
}

/// The jumps in one state by group (the number of the standing tiger's point) and row. There are none where a chain ends
/// in this state.
pub type State = Vec<Vec<Vec<Jump>>>;

/// The herds that the bits of a state stand for, lowered.
///
/// Returns `None` if one does not stand.
pub fn lowered(layer: Layer, jumped: u8) -> Option<Layer> {
    let herds = (0..HERDS).filter(|herd| jumped >> herd & 1 != 0);
    herds.into_iter().try_fold(layer, Layer::lowered)
}

/// The states that captures of a layer can lead to, none jumped first, then by number of herds jumped.
pub fn states(rules: &RuleSet, layer: Layer) -> Vec<u8> {
    let most = if rules.chain == Chain::Free { HERDS as u32 } else { 1 };
    let mut states: Vec<u8> = (0..1 << HERDS)
        .filter(|jumped: &u8| jumped.count_ones() <= most && lowered(layer, *jumped).is_some())
        .collect();
    states.sort_by_key(|jumped| (jumped.count_ones(), *jumped));
    states
}

/// The jumps of chains by state, for tigers that stand on these points; `layouts` are those of the states' layers.
pub fn chains(rules: &RuleSet, states: &[u8], layouts: &[&Layout], standing: &[Point]) -> Vec<State> {
    let one = |state: usize| {
        let goes_on = state == 0 || rules.chain == Chain::Free;
        let points = if goes_on { standing } else { &[] };
        points.iter().map(|point| group(rules, states, layouts, state, *point)).collect()
    };
    (0..layouts.len()).map(one).collect()
}

/// The points of a standing tiger that have groups: of those that symmetries turn into each other the first by place.
pub fn standing_points(layout: &Layout, symmetries: &[Symmetry]) -> Vec<Point> {
    let is_first = |point: &&Point| {
        let images = symmetries.iter().filter_map(|symmetry| layout.place(symmetry.point(**point)));
        images.min() == layout.place(**point)
    };
    layout.by_place().iter().filter(is_first).copied().collect()
}

/// Where the captures of a tiger are worked out, the other standing still.
pub struct Origin {
    /// Number of the group.
    pub group: usize,
    /// The row in it.
    pub row: usize,
    /// For each slot there the slot beside the tigers; `None` if it is the same.
    pub slots: Option<Vec<u32>>,
}

impl Origin {
    /// The origin in the groups of [`standing_points`].
    pub fn new(
        layout: &Layout,
        symmetries: &[Symmetry],
        standing: &[Point],
        [tiger, other]: [Point; 2],
    ) -> Option<Self> {
        // The identity comes first.
        symmetries.iter().enumerate().find_map(|(number, symmetry)| {
            let group = standing.iter().position(|point| symmetry.point(*point) == other)?;
            let row = layout.by_place().iter().position(|point| symmetry.point(*point) == tiger)?;
            let (_, slots) =
                layout.turned(layout.pair(*layout.by_place().get(row)?, *standing.get(group)?)?, *symmetry)?;
            Some(Self { group, row, slots: (number > 0).then_some(slots) })
        })
    }
}

fn group(rules: &RuleSet, states: &[u8], layouts: &[&Layout], state: usize, standing: Point) -> Vec<Vec<Jump>> {
    let (Some(layout), Some(jumped)) = (layouts.get(state), states.get(state)) else { return Vec::new() };
    let barred: PointSet = (0..HERDS)
        .filter(|herd| jumped >> herd & 1 != 0)
        .filter_map(|herd| rules.start.herds.get(herd).copied())
        .collect();
    let row = |tiger: Point| {
        let to_goats = over_goats(layout, [tiger, standing], barred);
        let mut jumps: Vec<Jump> = to_goats
            .into_iter()
            .filter_map(|(to, terms)| Some(Jump { state, row: layout.place(to)?, terms }))
            .collect();
        for herd in (0..HERDS).filter(|herd| jumped >> herd & 1 == 0) {
            let next = states.iter().position(|other| *other == jumped | 1 << herd);
            let Some((number, lower)) = next.and_then(|next| Some((next, *layouts.get(next)?))) else { continue };
            let to_herds = over_herd(rules, layout, [tiger, standing], herd, lower);
            jumps.extend(
                to_herds
                    .into_iter()
                    .filter_map(|(to, terms)| Some(Jump { state: number, row: lower.place(to)?, terms })),
            );
        }
        jumps
    };
    layout.by_place().iter().copied().map(row).collect()
}
