//! Captures: for each row of jumps the positions from which some chain that Black may play reaches a set of White's
//! positions.
//!
//! A chain may stop after any jump, or where the longest is obligatory, only in the positions that masks say
//! ([`super::longest`]).

use crate::parallel::for_each;
use crate::rules::{Chain, RuleSet};
use crate::tablebase::layout::{Chunks, Layout};
use crate::tablebase::solver::jumps::{Jump, Origin, State};
use crate::tablebase::solver::longest::{Longest, Masks};
use crate::tablebase::solver::sets::{Mask, Set};
use crate::tablebase::solver::term::Term;
use crate::tablebase::solver::turn::Turn;
use crate::tablebase::solver::ways::{Source, Way, Ways};
use crate::tablebase::vector::{NONE, join};
use std::sync::{Arc, Mutex, PoisonError};

/// Where the operations of a group lead.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
enum Target {
    /// The positions with White to move of a state's layer.
    Positions(usize),
    /// Further jumps in a state.
    Jumps(usize),
}

/// The rows of one state with the standing tiger on one point.
#[derive(Default)]
struct Group {
    set: Set,
    /// By row; sources are `targets`.
    ways: Vec<Ways>,
    targets: Vec<Target>,
    /// Images of rows that are asked for: the row, and the one of `images` that it becomes.
    turns: Vec<(usize, Turn)>,
    images: Set,
}

/// For each state and group the positions that reach a set.
pub struct Closure {
    states: Vec<Vec<Group>>,
}

impl Closure {
    /// Empty sets for the captures of a layer.
    pub fn new(rules: &RuleSet, states: &[State], layouts: &[&Layout], longest: Option<&Longest>) -> Self {
        let goes_on =
            |state: usize| rules.chain != Chain::Single && states.get(state).is_some_and(|groups| !groups.is_empty());
        let state = |(state, (groups, layout)): (usize, (&State, &&Layout))| {
            let masks = |number: usize| move |row| longest.map(|longest| longest.masks(number, state, row));
            let groups = groups.iter().enumerate();
            groups.map(|(number, rows)| Group::new(layout, rows, masks(number), goes_on)).collect()
        };
        Self { states: states.iter().zip(layouts).enumerate().map(state).collect() }
    }

    /// The way from a pair to its captures with one tiger, for the positions of a mask if there is one; sources are
    /// counted from `first`.
    pub fn way(&mut self, chunks: &Chunks, origin: &Origin, first: usize, mask: Option<Arc<Mask>>) -> Option<Way> {
        let group = self.states.first_mut()?.get_mut(origin.group)?;
        let source = first + 2 * origin.group;
        let (source, row) = match &origin.slots {
            None => (source, origin.row),
            Some(slots) => (source + 1, group.add_image(chunks, origin.row, slots)),
        };
        Some(Way { source, term: Term::same(row as u32), mask })
    }

    /// The sets of the layer's own groups, each followed by that of its images.
    pub fn sources<'a>(&'a self, chunks: &'a Chunks) -> impl Iterator<Item = Source<'a>> {
        let groups = self.states.first().into_iter().flatten();
        groups.flat_map(|group| [&group.set, &group.images]).map(move |set| Source { set, chunks })
    }

    /// Brings the sets up to date after the sets of White's positions (by state) have changed; `grows` if they only
    /// grow. Returns the time after it.
    pub fn update(&mut self, positions: &[Source], layouts: &[&Layout], threads: usize, grows: bool, now: u32) -> u32 {
        let mut time = now;
        // Jumps lead to states with more herds jumped, which come later.
        for state in (0..self.states.len()).rev() {
            let Some((groups, later)) = self.states.split_at_mut(state).1.split_first_mut() else { continue };
            let (Some(layout), later) = (layouts.get(state), &*later) else { continue };
            let times = Mutex::new(time);
            for_each(threads, groups.iter_mut().enumerate(), |(number, group)| {
                let source = |target| match target {
                    Target::Positions(state) => positions.get(state).copied(),
                    Target::Jumps(next) => {
                        let group = later.get(next.checked_sub(state + 1)?)?.get(number)?;
                        Some(Source { set: &group.set, chunks: layouts.get(next)?.chunks() })
                    }
                };
                let end = group.update(&source, layout, state, grows, time);
                let mut times = times.lock().unwrap_or_else(PoisonError::into_inner);
                *times = end.max(*times);
            });
            time = times.into_inner().unwrap_or_else(PoisonError::into_inner);
        }
        time
    }

    /// Empties all sets, for another question.
    pub fn forget(&mut self, now: u32) {
        for row in
            self.states.iter_mut().flatten().flat_map(|group| group.set.rows.iter_mut().chain(&mut group.images.rows))
        {
            row.vectors_mut().fill(NONE);
            row.touch_all(now);
            row.forget_done();
        }
    }
}

impl Group {
    /// Empty sets for rows of jumps, of which those may be played that the masks of a row say, if there are any.
    fn new<'m>(
        layout: &Layout,
        rows: &[Vec<Jump>],
        masks: impl Fn(usize) -> Option<&'m Masks>,
        goes_on: impl Fn(usize) -> bool,
    ) -> Self {
        let mut group = Self { set: Set::new(layout.chunks(), rows.len()), ..Self::default() };
        for (row, jumps) in rows.iter().enumerate() {
            let masks = masks(row);
            let mut ways = Vec::new();
            for (at, jump) in jumps.iter().enumerate() {
                let source = group.target(Target::Positions(jump.state));
                ways.extend(Way::all(source, jump.terms.clone(), masks.map(|masks| Arc::clone(&masks.single))));
                if goes_on(jump.state) {
                    let source = group.target(Target::Jumps(jump.state));
                    ways.extend(Way::all(source, jump.in_group(), masks.map(|masks| masks.begins(at))));
                }
            }
            group.ways.push(Ways::new(ways, layout.chunks()));
        }
        group
    }

    fn target(&mut self, target: Target) -> usize {
        self.targets.iter().position(|known| *known == target).unwrap_or_else(|| {
            self.targets.push(target);
            self.targets.len() - 1
        })
    }

    /// Keeps an image of a row; its number among them.
    fn add_image(&mut self, chunks: &Chunks, row: usize, slots: &[u32]) -> usize {
        let number = self.images.rows.len();
        self.images.rows.extend(Set::new(chunks, 1).rows);
        self.turns.push((row, Turn::new(number, slots)));
        number
    }

    /// Works rows out until nothing changes; a chain has an end, so it does.
    fn update<'a>(
        &mut self,
        source: &dyn Fn(Target) -> Option<Source<'a>>,
        layout: &Layout,
        state: usize,
        grows: bool,
        mut now: u32,
    ) -> u32 {
        let chunks = layout.chunks();
        let nothing = Set::default();
        let (mut found, mut marks) = (vec![NONE; chunks.size()], vec![false; chunks.count()]);
        loop {
            now += 1;
            let mut has_changed = false;
            for number in 0..self.ways.len() {
                let Some(mut row) = self.set.rows.get_mut(number).map(std::mem::take) else { continue };
                let own = Source { set: &self.set, chunks };
                let none = Source { set: &nothing, chunks };
                let of = |target: &Target| match *target {
                    Target::Jumps(other) if other == state => own,
                    other => source(other).unwrap_or(none),
                };
                let sources: Vec<Source> = self.targets.iter().map(of).collect();
                if let Some(ways) = self.ways.get(number) {
                    let since = row.done();
                    marks.fill(since == 0);
                    ways.mark(&sources, chunks, since, &mut marks);
                    for chunk in marks.iter().enumerate().filter(|(_, mark)| **mark).map(|(chunk, _)| chunk) {
                        let old = row.chunk_mut(chunk, chunks.size());
                        if grows {
                            found.copy_from_slice(old);
                        } else {
                            found.fill(NONE);
                        }
                        ways.gather(&sources, chunks, chunk, if grows { since } else { 0 }, &mut found);
                        if old != found {
                            for (_, turn) in self.turns.iter().filter(|(row, _)| *row == number) {
                                let Some(image) = self.images.rows.get_mut(turn.row) else { continue };
                                for (high, (old, new)) in chunks.highs_of(chunk).zip(old.iter().zip(&found)) {
                                    turn.toggle(high, join(*old, *new, |old, new| old ^ new), image, chunks, now);
                                }
                            }
                            old.copy_from_slice(&found);
                            row.touch(chunk, now);
                            has_changed = true;
                        }
                    }
                    row.note(now);
                }
                if let Some(place) = self.set.rows.get_mut(number) {
                    *place = row;
                }
            }
            if !has_changed {
                return now;
            }
        }
    }
}
