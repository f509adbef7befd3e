//! The captures of the tigers, jump by jump.
//!
//! A chain is a walk through *states*: a state is the set of herds that the chain has jumped already. State 0 is none of
//! them, in the layer that is being solved; each other belongs to a layer where those herds are one goat lower, and no
//! jump goes over their points again. Where a jump over a herd ends the move, the chain ends in such a state.
//!
//! While one tiger jumps the other stands still, so the rows of one state fall into groups, one for each point where the
//! standing tiger may be; a row of a group is the place of the jumping one. Of points that symmetries of the layer turn
//! into each other one has a group ([`standing_points`]); the captures of the others are found there
//! ([`CaptureOrigin`]).

use crate::board::{Point, PointSet};
use crate::rules::{Chain, HERDS, RuleSet};
use crate::symmetry::Symmetry;
use crate::tablebase::expect_invariant;
use crate::tablebase::layer::Layer;
use crate::tablebase::layout::Layout;
use crate::tablebase::solver::move_masks::{jumps_over_goats, jumps_over_herd};
use crate::tablebase::solver::shift_mask::ShiftMask;

/// A jump from one row.
pub struct ChainJump {
    /// The state after it.
    pub state: usize,
    /// The row of that state's group.
    pub row: usize,
    /// The operations into the rows of pairs of that state's layer.
    pub shift_masks: Vec<ShiftMask>,
}

impl ChainJump {
    /// The same operations into the rows of the group.
    pub fn group_shift_masks(&self) -> Vec<ShiftMask> {
        self.shift_masks.iter().map(|shift_mask| shift_mask.clone().into_row(self.row)).collect()
    }
}

/// The jumps in one state by group (the number of the standing tiger's point) and row. There are no groups where a chain
/// ends in this state.
pub type StateJumps = Vec<Vec<Vec<ChainJump>>>;

/// The layer with the herds of a state, a bit each, one goat lower.
///
/// Returns `None` if one of them does not stand.
pub fn lowered(layer: Layer, jumped: u8) -> Option<Layer> {
    let mut herds = (0..HERDS).filter(|herd| jumped >> herd & 1 != 0);
    herds.try_fold(layer, Layer::lowered)
}

/// The states that captures of a layer can lead to, as bits of the herds jumped: none first, then by number of herds.
pub fn chain_states(rules: &RuleSet, layer: Layer) -> Vec<u8> {
    let most = if rules.chain == Chain::Free { HERDS as u32 } else { 1 };
    let mut states: Vec<u8> = (0..1 << HERDS)
        .filter(|jumped: &u8| jumped.count_ones() <= most && lowered(layer, *jumped).is_some())
        .collect();
    states.sort_by_key(|jumped| (jumped.count_ones(), *jumped));
    states
}

/// The jumps of chains by state; `layouts` are those of the states' layers, and `standing` the points of the standing
/// tiger, one a group.
pub fn chain_jumps(rules: &RuleSet, states: &[u8], layouts: &[&Layout], standing: &[Point]) -> Vec<StateJumps> {
    let of_state = |state: usize| {
        let goes_on = state == 0 || rules.chain == Chain::Free;
        let points = if goes_on { standing } else { &[] };
        points.iter().map(|point| group_jumps(rules, states, layouts, state, *point)).collect()
    };
    (0..layouts.len()).map(of_state).collect()
}

/// The points of a standing tiger that have groups: of those that symmetries turn into each other the first by place.
pub fn standing_points(layout: &Layout, symmetries: &[Symmetry]) -> Vec<Point> {
    let is_first = |point: &&Point| {
        let images = symmetries.iter().filter_map(|symmetry| layout.place(symmetry.point(**point)));
        images.min() == layout.place(**point)
    };
    layout.by_place().iter().filter(is_first).copied().collect()
}

/// Where the captures of one tiger of a pair are computed, the other standing still.
pub struct CaptureOrigin {
    /// Number of the group.
    pub group: usize,
    /// The row in it.
    pub row: usize,
    /// For each slot there the slot beside the tigers; `None` if all are the same.
    pub slots: Option<Vec<u32>>,
}

impl CaptureOrigin {
    /// The origin in the groups of [`standing_points`]; of symmetries that lead there the first.
    pub fn new(layout: &Layout, symmetries: &[Symmetry], standing: &[Point], [tiger, other]: [Point; 2]) -> Self {
        let origin = symmetries.iter().enumerate().find_map(|(number, symmetry)| {
            let group = standing.iter().position(|point| symmetry.point(*point) == other)?;
            let row = layout.by_place().iter().position(|point| symmetry.point(*point) == tiger)?;
            let pair = layout.pair(layout.by_place()[row], standing[group])?;
            let (_, slots) = layout.image_of_pair(pair, *symmetry);
            // The identity comes first.
            Some(Self { group, row, slots: (number > 0).then_some(slots) })
        });
        expect_invariant(origin, "every point is an image of a standing point")
    }
}

/// The jumps of one state's group, by row.
fn group_jumps(
    rules: &RuleSet,
    states: &[u8],
    layouts: &[&Layout],
    state: usize,
    standing: Point,
) -> Vec<Vec<ChainJump>> {
    let (layout, jumped) = (layouts[state], states[state]);
    let is_jumped = |herd: &usize| jumped >> herd & 1 != 0;
    let barred: PointSet = (0..HERDS).filter(is_jumped).map(|herd| rules.start.herds[herd]).collect();
    let chain_jump = |state: usize, (to, shift_masks): (Point, Vec<ShiftMask>)| {
        let row = expect_invariant(layouts[state].place(to), "a jump lands on a free point");
        ChainJump { state, row, shift_masks }
    };
    let row = |tiger: Point| {
        let over_goats = jumps_over_goats(layout, [tiger, standing], barred);
        let mut jumps: Vec<ChainJump> = over_goats.into_iter().map(|jump| chain_jump(state, jump)).collect();
        for herd in (0..HERDS).filter(|herd| !is_jumped(herd)) {
            // There is no such state where no herd stands, or where the chain may not jump another.
            let next = states.iter().position(|other| *other == jumped | 1 << herd);
            if let Some(next) = next {
                let over_herd = jumps_over_herd(rules, layout, [tiger, standing], herd, layouts[next]);
                jumps.extend(over_herd.into_iter().map(|jump| chain_jump(next, jump)));
            }
        }
        jumps
    };
    layout.by_place().iter().copied().map(row).collect()
}
