//! Captures that are optional and may stop after any jump: for each row of jumps the positions from which some chain
//! reaches a set.

use super::jumps::{Jump, State};
use super::sets::Set;
use super::ways::{Source, Way, Ways};
use crate::rules::{Chain, RuleSet};
use crate::tables::layout::Layout;
use crate::tables::share::share;
use crate::tables::vector::NONE;

/// Where the operations of a group lead.
#[derive(Copy, Clone, Debug)]
enum Target {
    /// The positions with White to move of a state's layer.
    Positions(usize),
    /// Further jumps: a state's group.
    Jumps(usize, usize),
}

#[derive(Default)]
struct Group {
    set: Set,
    /// By row; sources are `targets`.
    ways: Vec<Ways>,
    targets: Vec<Target>,
}

/// For each state and group the positions that reach a set.
#[derive(Default)]
pub struct Closure {
    states: Vec<Vec<Group>>,
}

impl Closure {
    /// Empty sets for the captures of a layer.
    pub fn new(rules: &RuleSet, states: &[State], layouts: &[&Layout]) -> Self {
        let goes_on = |state: usize| {
            rules.chain != Chain::Single && states.get(state).is_some_and(|state| !state.jumps.is_empty())
        };
        let mut all = Vec::new();
        for (state, layout) in states.iter().zip(layouts) {
            let group = |(place, rows): (usize, &Vec<Vec<Jump>>)| {
                let mut group = Group { set: Set::new(layout.chunks(), rows.len()), ..Group::default() };
                let first = state.groups.iter().position(|group| *group == place);
                for jumps in rows {
                    let ways = jumps.iter().flat_map(|jump| {
                        let source = group.target(Target::Positions(jump.state));
                        let mut ways: Vec<Way> = Way::all(source, jump.terms.clone()).collect();
                        let next = states.get(jump.state).zip(first).and_then(|(next, first)| next.groups.get(first));
                        if let Some(next) = next.filter(|_| goes_on(jump.state)) {
                            let source = group.target(Target::Jumps(jump.state, *next));
                            ways.extend(Way::all(source, jump.in_group()));
                        }
                        ways
                    });
                    let ways = Ways::new(ways.collect(), layout.chunks());
                    group.ways.push(ways);
                }
                group
            };
            all.push(state.jumps.iter().enumerate().map(group).collect());
        }
        Self { states: all }
    }

    /// The sets of one group of the layer's own, by place of the tiger that stands still; rows are places of the other.
    pub fn group(&self, place: usize) -> Option<&Set> {
        self.states.first().and_then(|groups| groups.get(place)).map(|group| &group.set)
    }

    /// Brings the sets up to date after the sets of White's positions (by state) have changed; `grows` if they only
    /// grow. Returns the time after it.
    pub fn update(&mut self, positions: &[Source], layouts: &[&Layout], threads: usize, grows: bool, now: u32) -> u32 {
        let mut time = now;
        for state in (0..self.states.len()).rev() {
            let Some(mut groups) = self.states.get_mut(state).map(std::mem::take) else { continue };
            let (this, Some(layout)) = (&*self, layouts.get(state)) else { continue };
            let times = std::sync::Mutex::new(time);
            share(threads, groups.iter_mut(), |group| {
                let end = group.update(&|target| this.source(target, positions, layouts), (layout, state), grows, time);
                let mut times = times.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
                *times = end.max(*times);
            });
            time = times.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
            if let Some(place) = self.states.get_mut(state) {
                *place = groups;
            }
        }
        time
    }

    /// A target's sets; `None` for the group itself, which is away while it is worked on.
    fn source<'a>(&'a self, target: Target, positions: &[Source<'a>], layouts: &[&'a Layout]) -> Option<Source<'a>> {
        match target {
            Target::Positions(state) => positions.get(state).copied(),
            Target::Jumps(state, group) => {
                let set = &self.states.get(state)?.get(group)?.set;
                Some(Source { set, chunks: layouts.get(state)?.chunks() })
            }
        }
    }
}

impl Group {
    fn target(&mut self, target: Target) -> usize {
        let is_same = |known: &Target| match (known, target) {
            (Target::Positions(known), Target::Positions(state)) => *known == state,
            (Target::Jumps(known, _), Target::Jumps(state, _)) => *known == state,
            _ => false,
        };
        self.targets.iter().position(is_same).unwrap_or_else(|| {
            self.targets.push(target);
            self.targets.len() - 1
        })
    }

    /// Works rows out until nothing changes; a chain has an end, so it does.
    fn update<'a>(
        &mut self,
        source: &dyn Fn(Target) -> Option<Source<'a>>,
        (layout, state): (&Layout, usize),
        grows: bool,
        mut now: u32,
    ) -> u32 {
        let chunks = layout.chunks();
        let (mut found, mut marks) = (vec![NONE; chunks.size()], vec![false; chunks.count()]);
        loop {
            now += 1;
            let mut has_changed = false;
            for number in 0..self.ways.len() {
                let Some(mut row) = self.set.rows.get_mut(number).map(std::mem::take) else { continue };
                let own = Source { set: &self.set, chunks };
                let of = |target: &Target| match target {
                    Target::Jumps(other, _) if *other == state => own,
                    target => source(*target).unwrap_or(own),
                };
                let sources: Vec<Source> = self.targets.iter().map(of).collect();
                if let Some(ways) = self.ways.get(number) {
                    let since = row.done();
                    marks.fill(since == 0);
                    ways.mark(&sources, chunks, since, &mut marks);
                    for chunk in marks.iter().enumerate().filter(|(_, mark)| **mark).map(|(chunk, _)| chunk) {
                        if grows {
                            found.copy_from_slice(row.chunk(chunk, chunks.size()));
                        } else {
                            found.fill(NONE);
                        }
                        ways.gather(&sources, chunks.top(chunk), if grows { since } else { 0 }, &mut found);
                        has_changed |= row.replace(chunk, &found, now);
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

    fn forget(&mut self, now: u32) {
        for row in &mut self.set.rows {
            row.vectors_mut().fill(NONE);
            row.touch_all(now);
        }
    }
}

impl Closure {
    /// Empties all sets, for another question.
    pub fn forget(&mut self, now: u32) {
        self.states.iter_mut().flatten().for_each(|group| group.forget(now));
    }
}
