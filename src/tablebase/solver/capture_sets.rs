//! Capture sets: for each row of jumps the positions from which some chain that Black may play reaches a set of White's
//! positions.
//!
//! A chain may stop after any jump, or where the longest is obligatory, only in the positions that masks say
//! ([`super::max_capture`]).

use crate::parallel::for_each;
use crate::rules::{Chain, RuleSet};
use crate::tablebase::layout::{Chunks, Layout};
use crate::tablebase::solver::capture_chains::{CaptureOrigin, ChainJump, StateJumps};
use crate::tablebase::solver::max_capture::{MaxCapture, RowMasks};
use crate::tablebase::solver::predecessors::{PredecessorMove, PredecessorMoves, SourceSet};
use crate::tablebase::solver::sets::{PositionSet, RowMask};
use crate::tablebase::solver::shift_mask::ShiftMask;
use crate::tablebase::solver::slot_permutation::SlotPermutation;
use crate::tablebase::vector::{NONE, Vector, both, join};
use std::sync::{Arc, Mutex, PoisonError};

/// Where a jump leads.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
enum JumpTarget {
    /// The positions with White to move of a state's layer: the chain stops.
    Positions(usize),
    /// The capture sets of a state: the chain goes on.
    Jumps(usize),
}

/// The capture sets of one state with the standing tiger on one point.
#[derive(Default)]
struct CaptureGroup {
    set: PositionSet,
    /// By row; sources are `targets`.
    moves: Vec<PredecessorMoves>,
    targets: Vec<JumpTarget>,
    /// Images of rows that pairs read: the row, and how it becomes its image among `images`.
    permutations: Vec<(usize, SlotPermutation)>,
    images: PositionSet,
}

/// For each state and group the positions from which captures reach a set.
pub struct CaptureSets {
    states: Vec<Vec<CaptureGroup>>,
}

impl CaptureSets {
    /// Empty sets for the captures of a layer.
    pub fn new(rules: &RuleSet, states: &[StateJumps], layouts: &[&Layout], max_capture: Option<&MaxCapture>) -> Self {
        let goes_on = |state: usize| rules.chain != Chain::Single && !states[state].is_empty();
        let state = |(state, (groups, layout)): (usize, (&StateJumps, &&Layout))| {
            let masks = |number: usize| move |row| max_capture.map(|captures| captures.masks(number, state, row));
            let groups = groups.iter().enumerate();
            groups.map(|(number, rows)| CaptureGroup::new(layout, rows, masks(number), goes_on)).collect()
        };
        Self { states: states.iter().zip(layouts).enumerate().map(state).collect() }
    }

    /// The move from a pair to its captures with one tiger, for the positions of a mask if there is one; the sources are
    /// those of [`CaptureSets::sources`], counted from `first`.
    pub fn captures_of(
        &mut self,
        chunks: &Chunks,
        origin: &CaptureOrigin,
        first: usize,
        mask: Option<Arc<RowMask>>,
    ) -> PredecessorMove {
        let group = &mut self.states[0][origin.group];
        let source = first + 2 * origin.group;
        let (source, row) = match &origin.slots {
            None => (source, origin.row),
            Some(slots) => (source + 1, group.add_image(chunks, origin.row, slots)),
        };
        PredecessorMove { source, shift_mask: ShiftMask::identity(row as u32), mask }
    }

    /// The sets of the layer's own groups, each followed by that of its images.
    pub fn sources<'a>(&'a self, chunks: &'a Chunks) -> impl Iterator<Item = SourceSet<'a>> {
        let sets = self.states[0].iter().flat_map(|group| [&group.set, &group.images]);
        sets.map(move |set| SourceSet { set, chunks })
    }

    /// Brings the sets up to date after the sets of White's positions (by state) have changed; `grows` if they only
    /// grow. Returns the time after it.
    pub fn update(
        &mut self,
        positions: &[SourceSet],
        layouts: &[&Layout],
        threads: usize,
        grows: bool,
        now: u32,
    ) -> u32 {
        let mut time = now;
        // Jumps lead to states with more herds jumped, which come later.
        for state in (0..self.states.len()).rev() {
            let (earlier, later) = self.states.split_at_mut(state + 1);
            let later = &*later;
            let end = Mutex::new(time);
            for_each(threads, earlier[state].iter_mut().enumerate(), |(number, group)| {
                let source = |target| match target {
                    JumpTarget::Positions(state) => positions[state],
                    JumpTarget::Jumps(next) => {
                        SourceSet { set: &later[next - (state + 1)][number].set, chunks: layouts[next].chunks() }
                    }
                };
                let group_end = group.update(&source, layouts[state], state, grows, time);
                let mut end = end.lock().unwrap_or_else(PoisonError::into_inner);
                *end = group_end.max(*end);
            });
            time = end.into_inner().unwrap_or_else(PoisonError::into_inner);
        }
        time
    }

    /// Empties all sets, for another goal.
    pub fn clear(&mut self, now: u32) {
        for group in self.states.iter_mut().flatten() {
            for row in group.set.rows.iter_mut().chain(&mut group.images.rows) {
                row.vectors_mut().fill(NONE);
                row.mark_all_changed(now);
                row.invalidate();
            }
        }
    }
}

impl CaptureGroup {
    /// Empty sets for rows of jumps, which may be played only in the positions that the masks of the row say, if there are
    /// any.
    fn new<'m>(
        layout: &Layout,
        rows: &[Vec<ChainJump>],
        masks: impl Fn(usize) -> Option<&'m RowMasks>,
        goes_on: impl Fn(usize) -> bool,
    ) -> Self {
        let mut group = Self { set: PositionSet::new(layout.chunks(), rows.len()), ..Self::default() };
        for (row, jumps) in rows.iter().enumerate() {
            let masks = masks(row);
            let mut moves = Vec::new();
            for (number, jump) in jumps.iter().enumerate() {
                let source = group.target(JumpTarget::Positions(jump.state));
                let single = masks.map(|masks| Arc::clone(&masks.single));
                moves.extend(PredecessorMove::all(source, jump.shift_masks.clone(), single));
                if goes_on(jump.state) {
                    let source = group.target(JumpTarget::Jumps(jump.state));
                    let begins = masks.map(|masks| Arc::clone(&masks.begins[number]));
                    moves.extend(PredecessorMove::all(source, jump.group_shift_masks(), begins));
                }
            }
            group.moves.push(PredecessorMoves::new(moves, layout.chunks()));
        }
        group
    }

    /// The number of a target among the sources, which is added if it is new.
    fn target(&mut self, target: JumpTarget) -> usize {
        self.targets.iter().position(|known| *known == target).unwrap_or_else(|| {
            self.targets.push(target);
            self.targets.len() - 1
        })
    }

    /// Keeps an image of a row; its number among them.
    fn add_image(&mut self, chunks: &Chunks, row: usize, slots: &[u32]) -> usize {
        let number = self.images.rows.len();
        self.images.rows.extend(PositionSet::new(chunks, 1).rows);
        self.permutations.push((row, SlotPermutation::new(number, slots)));
        number
    }

    /// Computes rows until nothing changes; a chain has an end, so it does. Returns the time after it.
    fn update<'a>(
        &mut self,
        source: &dyn Fn(JumpTarget) -> SourceSet<'a>,
        layout: &Layout,
        state: usize,
        grows: bool,
        mut now: u32,
    ) -> u32 {
        let chunks = layout.chunks();
        let (mut found, mut marks) = (vec![NONE; chunks.size()], vec![false; chunks.count()]);
        loop {
            now += 1;
            let mut has_changed = false;
            for number in 0..self.moves.len() {
                // A jump leads to another row, so this one is not among its own sources.
                let mut row = std::mem::take(&mut self.set.rows[number]);
                let since = row.computed_at();
                let own = SourceSet { set: &self.set, chunks };
                let of_target = |target: &JumpTarget| match *target {
                    JumpTarget::Jumps(other) if other == state => own,
                    other => source(other),
                };
                let sources: Vec<SourceSet> = self.targets.iter().map(of_target).collect();
                let moves = &self.moves[number];
                marks.fill(since == 0);
                moves.mark_dependents(&sources, chunks, since, &mut marks);
                for chunk in marks.iter().enumerate().filter(|(_, mark)| **mark).map(|(chunk, _)| chunk) {
                    let old = row.chunk_mut(chunk, chunks.size());
                    if grows {
                        found.copy_from_slice(old);
                    } else {
                        found.fill(NONE);
                    }
                    moves.gather(&sources, chunks, chunk, if grows { since } else { 0 }, &mut found);
                    if old != found {
                        update_images(
                            &self.permutations,
                            &mut self.images,
                            layout,
                            (number, chunk),
                            (old, &found),
                            now,
                        );
                        old.copy_from_slice(&found);
                        row.mark_changed(chunk, now);
                        has_changed = true;
                    }
                }
                row.set_computed(now);
                self.set.rows[number] = row;
            }
            if !has_changed {
                return now;
            }
        }
    }
}

/// Changes in the images of a row what changes in one of its chunks.
fn update_images(
    permutations: &[(usize, SlotPermutation)],
    images: &mut PositionSet,
    layout: &Layout,
    (row, chunk): (usize, usize),
    (old, new): (&[Vector], &[Vector]),
    now: u32,
) {
    let chunks = layout.chunks();
    for (_, permutation) in permutations.iter().filter(|(own, _)| *own == row) {
        let image = &mut images.rows[permutation.row];
        for (high, (old, new)) in chunks.highs_of(chunk).zip(old.iter().zip(new)) {
            // A capture set may have members with one goat more than the layer has: the layout has no place for them.
            let changed = both(join(*old, *new, |old, new| old ^ new), layout.valid(high));
            permutation.toggle(high, changed, image, chunks, now);
        }
    }
}
