//! The moves of both sides as shift-and-mask operations: steps of goats and tigers, and single jumps of tigers.

use crate::board::{JUMPS, Jump, Point, PointSet, STEPS};
use crate::rules::RuleSet;
use crate::tablebase::expect_invariant;
use crate::tablebase::layout::Layout;
use crate::tablebase::solver::predecessors::{PredecessorMove, PredecessorMoves};
use crate::tablebase::solver::sets::RowMask;
use crate::tablebase::solver::shift_mask::{MoveEffect, PairInLayer, ShiftMask, shift_masks};
use std::sync::Arc;

/// The layer that a goat leaving a herd leads to.
#[derive(Copy, Clone)]
pub struct LoweredLayer<'a> {
    /// Number of the herd.
    pub herd: usize,
    /// Number of the source that has its positions.
    pub source: usize,
    /// Its layout.
    pub layout: &'a Layout,
}

/// The single goat that is left of a herd of two after one is gone.
fn goat_left(rules: &RuleSet, layout: &Layout, herd: usize) -> PointSet {
    if layout.layer().height(herd) == 2 { rules.start.herds[herd].set() } else { PointSet::EMPTY }
}

/// White's moves beside a pair of tigers: steps of single goats lead into row `pair` of source 0, steps from herds into
/// the sources of the `lowered` layers.
pub fn white_moves(rules: &RuleSet, layout: &Layout, lowered: &[LoweredLayer], pair: usize) -> PredecessorMoves {
    let here = PairInLayer { layout, pair };
    let has_slot = |point: &Point| layout.slot(pair, *point).is_some();
    let mut moves = Vec::new();
    for from in Point::all().filter(has_slot) {
        for to in STEPS[from].into_iter().filter(has_slot) {
            let effect = MoveEffect { goats: from.set(), free: to.set(), goats_after: to.set() };
            moves.extend(PredecessorMove::all(0, shift_masks(here, here, pair, effect), None));
        }
    }
    let [one, other] = layout.pairs()[pair];
    for next in lowered {
        let row = expect_invariant(next.layout.pair(one, other), "a lower layer has all points free that this one has");
        let there = PairInLayer { layout: next.layout, pair: row };
        for to in STEPS[rules.start.herds[next.herd]].into_iter().filter(has_slot) {
            let goats_after = goat_left(rules, layout, next.herd).with(to);
            let effect = MoveEffect { free: to.set(), goats_after, ..MoveEffect::default() };
            moves.extend(PredecessorMove::all(next.source, shift_masks(here, there, row, effect), None));
        }
    }
    PredecessorMoves::new(moves, layout.chunks())
}

/// Steps of the tigers of a pair, into source 0 (a row a pair); for the positions of a mask if there is one.
pub fn tiger_steps(layout: &Layout, pair: usize, mask: Option<&Arc<RowMask>>) -> Vec<PredecessorMove> {
    let mut moves = Vec::new();
    let [one, other] = layout.pairs()[pair];
    for (tiger, other) in [(one, other), (other, one)] {
        for to in STEPS[tiger] {
            // Neither onto a herd nor onto the other tiger.
            let Some(row) = layout.pair(to, other) else { continue };
            let effect = MoveEffect { free: to.set(), ..MoveEffect::default() };
            let there = PairInLayer { layout, pair: row };
            moves.extend(PredecessorMove::all(
                0,
                shift_masks(PairInLayer { layout, pair }, there, row, effect),
                mask.cloned(),
            ));
        }
    }
    moves
}

/// The jumps of a tiger, the other standing elsewhere, to points where no herd or tiger is.
fn jumps_to_free_points(layout: &Layout, tiger: Point, other: Point) -> impl Iterator<Item = &'static Jump> {
    let free = layout.points().without(other);
    JUMPS[tiger].iter().filter(move |jump| free.has(jump.to) && jump.over != other)
}

/// The jumps of a tiger over single goats outside `barred`: where it lands, and the operations into the rows of pairs.
pub fn jumps_over_goats(layout: &Layout, [tiger, other]: [Point; 2], barred: PointSet) -> Vec<(Point, Vec<ShiftMask>)> {
    // There are none where both tigers would stand on one point.
    let Some(pair) = layout.pair(tiger, other) else { return Vec::new() };
    let goats = layout.points() - barred;
    let operations = |jump: &Jump| {
        let row = expect_invariant(layout.pair(jump.to, other), "a jump lands on a free point");
        let effect = MoveEffect { goats: jump.over.set(), free: jump.to.set(), ..MoveEffect::default() };
        (jump.to, shift_masks(PairInLayer { layout, pair }, PairInLayer { layout, pair: row }, row, effect))
    };
    jumps_to_free_points(layout, tiger, other).filter(|jump| goats.has(jump.over)).map(operations).collect()
}

/// The jumps of a tiger over a herd: where it lands, and the operations into the rows of pairs of the lowered layer.
pub fn jumps_over_herd(
    rules: &RuleSet,
    layout: &Layout,
    [tiger, other]: [Point; 2],
    herd: usize,
    lowered: &Layout,
) -> Vec<(Point, Vec<ShiftMask>)> {
    // There are none where both tigers would stand on one point.
    let Some(pair) = layout.pair(tiger, other) else { return Vec::new() };
    let herd_point = rules.start.herds[herd];
    let operations = |jump: &Jump| {
        let row = expect_invariant(lowered.pair(jump.to, other), "a jump lands on a free point");
        let goats_after = goat_left(rules, layout, herd);
        let effect = MoveEffect { free: jump.to.set(), goats_after, ..MoveEffect::default() };
        (jump.to, shift_masks(PairInLayer { layout, pair }, PairInLayer { layout: lowered, pair: row }, row, effect))
    };
    jumps_to_free_points(layout, tiger, other).filter(|jump| jump.over == herd_point).map(operations).collect()
}
