//! The moves beside each pair of tigers that has a row in the table.

use crate::board::Point;
use crate::rules::RuleSet;
use crate::symmetry::Symmetry;
use crate::tablebase::layout::Layout;
use crate::tablebase::solver::capture_chains::{CaptureOrigin, standing_points};
use crate::tablebase::solver::capture_sets::CaptureSets;
use crate::tablebase::solver::max_capture::MaxCapture;
use crate::tablebase::solver::move_masks::{LoweredLayer, tiger_steps, white_moves};
use crate::tablebase::solver::predecessors::PredecessorMoves;
use crate::tablebase::solver::slot_permutation::SlotPermutation;
use std::sync::Arc;

/// A pair of tigers with a row in the table.
pub struct PairMoves {
    /// Its number.
    pub pair: usize,
    /// The pairs that symmetries turn it into.
    pub images: Vec<SlotPermutation>,
    /// White's moves: source 0 is the positions with Black to move, those of the lowered layers follow.
    pub white: PredecessorMoves,
    /// Black's moves: source 0 is the positions with White to move, those of the captures follow.
    pub black: PredecessorMoves,
}

/// The moves of all pairs with rows; the captures note what images they need.
pub fn all_pair_moves(
    rules: &RuleSet,
    layout: &Layout,
    symmetries: &[Symmetry],
    lowered: &[LoweredLayer],
    max_capture: Option<&MaxCapture>,
    captures: &mut CaptureSets,
) -> Vec<PairMoves> {
    let standing = standing_points(layout, symmetries);
    let pair_moves = |pair: &usize| PairMoves {
        pair: *pair,
        images: other_images(layout, symmetries, *pair),
        white: white_moves(rules, layout, lowered, *pair),
        black: black_moves(layout, symmetries, &standing, *pair, max_capture, captures),
    };
    layout.rows().iter().map(pair_moves).collect()
}

/// The other pairs that symmetries turn a pair into, each once.
fn other_images(layout: &Layout, symmetries: &[Symmetry], pair: usize) -> Vec<SlotPermutation> {
    let mut images: Vec<SlotPermutation> = Vec::new();
    for symmetry in symmetries {
        let (image, slots) = layout.image_of_pair(pair, *symmetry);
        if image != pair && images.iter().all(|known| known.row != image) {
            images.push(SlotPermutation::new(image, &slots));
        }
    }
    images
}

/// Black's moves beside a pair: steps lead into source 0, captures into those of `captures`, which follow. Where the
/// longest capture is obligatory, steps are for positions without any, and jumps for those where none is longer.
fn black_moves(
    layout: &Layout,
    symmetries: &[Symmetry],
    standing: &[Point],
    pair: usize,
    max_capture: Option<&MaxCapture>,
    captures: &mut CaptureSets,
) -> PredecessorMoves {
    let [one, other] = layout.pairs()[pair];
    let origin = |tigers| CaptureOrigin::new(layout, symmetries, standing, tigers);
    let origins = [origin([one, other]), origin([other, one])];
    let (quiet, by_tiger) = match max_capture.map(|captures| captures.of_pair(layout.chunks(), &origins)) {
        None => (None, [None, None]),
        Some(masks) => (Some(Arc::new(masks.quiet)), masks.by_tiger.map(|mask| Some(Arc::new(mask)))),
    };
    let mut moves = tiger_steps(layout, pair, quiet.as_ref());
    let jumps = origins.iter().zip(by_tiger);
    moves.extend(jumps.map(|(origin, mask)| captures.captures_of(layout.chunks(), origin, 1, mask)));
    PredecessorMoves::new(moves, layout.chunks())
}
