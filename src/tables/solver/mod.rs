//! Solves one layer: sets of positions, 64 a word, that change until nothing changes any more.
//!
//! For each side to move two sets are kept, both empty where there is no position: the *lost* and the *open* (not known
//! to be won). A position is won that has a move to a lost one, and lost where no move leads to an open one. At first
//! nothing is lost but finished games, and all else is open. Words change one way only, so several threads may read
//! and write in any order, and a stale word does no harm: its block's time says that what depends on it must be looked
//! at again. What ends up open and not lost is a draw. The result is the one least fixed point, whatever the order.
//!
//! A tiger's captures over single goats are worked out jump by jump: for each pair of tigers, and each of the two as the
//! one that jumps, the sets of positions where a jump (or chain) of it reaches a lost or an open position. Moves of herds
//! and jumps over them leave the layer; they are worked out once ([`exits`]).
//!
//! Cost: about 30 ns for each word (64 positions if none is left out), field and sweep on one core; a flat layer takes
//! some 65 sweeps.

mod exits;
mod field;
mod links;
mod term;

pub use exits::Finished;

use self::exits::Exits;
use self::field::{Field, Found, Grid};
use self::links::Links;
use self::term::{Change, Place, Term, terms};
use super::layout::Layout;
use super::probe::Tables;
use super::share::share;
use crate::board::{JUMPS, Point, STEPS};
use crate::rules::{Chain, RuleSet};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// One layer being solved.
pub struct Solver {
    layout: Layout,
    grid: Grid,
    threads: usize,
    goats_to_live: u32,
    goes_on: bool,
    exits: Exits,
    /// White to move, a row for each pair of tigers.
    white: Field,
    /// Black to move, likewise.
    black: Field,
    /// Black to capture, two rows for each pair: the first of its tigers jumps, the second.
    jumps: Field,
    /// Steps of single goats, by pair.
    goat_steps: Vec<Vec<Term>>,
    /// Steps of tigers, by pair; rows are pairs.
    tiger_steps: Vec<Vec<Term>>,
    /// Jumps over single goats, by row of `jumps`, as are their rows.
    tiger_jumps: Vec<Vec<Term>>,
    /// Where goats', tigers' and jumps' terms lead.
    links: [Links; 3],
    time: u32,
}

/// What the solver reads of finished layers.
pub struct Before<'a> {
    /// For each herd the layer where it is one goat lower, if the herd stands.
    pub lowered: Vec<(usize, Finished)>,
    /// All finished tables; needed where a chain may go on after a jump over a herd.
    pub tables: Option<&'a Tables>,
}

/// Row of `jumps` for a pair and the point of the one of them that jumps.
fn jump_row(layout: &Layout, tiger: Point, other: Point) -> Option<usize> {
    let pair = layout.pair(tiger, other)?;
    let is_second = layout.pairs().get(pair)?.first() != Some(&tiger);
    Some(2 * pair + usize::from(is_second))
}

/// Both tigers of each row of `jumps`: the one that jumps, the other.
fn jumpers(layout: &Layout) -> impl Iterator<Item = (Point, Point)> {
    layout.pairs().iter().flat_map(|[one, other]| [(*one, *other), (*other, *one)])
}

impl Solver {
    /// A layer with what it needs of finished ones.
    ///
    /// Returns `None` if the finished tables lack a position that a move leads to.
    pub fn new(rules: &RuleSet, layout: Layout, before: &Before, threads: usize) -> Option<Self> {
        let grid = Grid::new(layout.highs());
        let pairs = layout.pairs().len();
        let (white, black) = (Field::new(&grid, pairs), Field::new(&grid, pairs));
        let jumps = Field::new(&grid, 2 * pairs);
        let mut terms = [
            (0..pairs).map(|pair| goat_steps(&layout, pair)).collect::<Vec<_>>(),
            (0..pairs).map(|pair| tiger_steps(&layout, pair)).collect(),
            jumpers(&layout).map(|(tiger, other)| tiger_jumps(&layout, tiger, other)).collect(),
        ];
        let links = terms.each_mut().map(|terms| Links::new(&grid, terms));
        let [goat_steps, tiger_steps, tiger_jumps] = terms;
        let mut solver = Self {
            goat_steps,
            tiger_steps,
            tiger_jumps,
            links,
            exits: Exits::default(),
            goes_on: rules.chain != Chain::Single,
            goats_to_live: rules.goats_to_live,
            time: 1,
            layout,
            grid,
            threads,
            white,
            black,
            jumps,
        };
        solver.start();
        solver.exits = Exits::new(&solver, rules, before)?;
        Some(solver)
    }

    /// Bytes that solving a layer takes, finished layers not counted.
    pub fn bytes(layout: &Layout) -> u64 {
        let herds = if layout.layer().herds() > 0 { 3 } else { 0 };
        let pairs = layout.pairs().len();
        Field::bytes(layout, (4 + herds) * pairs)
    }

    /// Nothing is lost but finished games, and all else is open.
    fn start(&self) {
        share(self.threads, self.layout.pairs().len(), |pair| {
            for (number, high) in self.grid.highs().iter().enumerate() {
                let valid = self.layout.valid(*high);
                let over = self.layout.too_few(*high, self.goats_to_live);
                self.white.row(pair).put(number, [over, valid]);
                self.black.row(pair).put(number, [0, valid & !over]);
                self.jumps.row(2 * pair).put(number, [0, valid]);
                self.jumps.row(2 * pair + 1).put(number, [0, valid]);
            }
        });
    }

    /// Looks once at all that may change.
    ///
    /// Returns how many blocks have changed; 0 when the layer is solved.
    pub fn sweep(&mut self) -> usize {
        let (pairs, changed) = (self.layout.pairs().len(), AtomicUsize::new(0));
        let now = self.time + 1;
        self.time += 3;
        let this = &*self;
        let count = |number| {
            changed.fetch_add(number, Relaxed);
        };
        share(self.threads, pairs, |pair| count(this.sweep_white(pair, now)));
        share(self.threads, 2 * pairs, |row| count(this.sweep_jumps(row, now + 1)));
        share(self.threads, pairs, |pair| count(this.sweep_black(pair, now + 2)));
        changed.into_inner()
    }

    /// Works out the blocks of a row for which `is_stale` says so; how many have changed.
    fn sweep_row(
        &self,
        (field, row, now): (&Field, usize, u32),
        is_stale: impl Fn(usize, u32) -> bool,
        work: impl Fn(usize, &mut [Found]) -> bool,
    ) -> usize {
        let mut found = Vec::new();
        let mut changes = 0;
        for (block, range) in self.grid.blocks().iter().enumerate() {
            let done = field.done(row, block);
            if range.is_empty() || done > 0 && !is_stale(block, done) {
                continue;
            }
            found.clear();
            found.resize(range.len(), Found::default());
            let has_changed = work(block, &mut found);
            field.note(row, block, now, has_changed);
            changes += usize::from(has_changed);
        }
        changes
    }

    /// Whether a term leads from a block to one of these that has changed since.
    fn leads_to_news(&self, term: &Term, block: usize, field: &Field, row: usize, done: u32) -> bool {
        self.grid.target_block(term, block).is_some_and(|target| field.changed(row, target) >= done)
    }

    fn sweep_white(&self, pair: usize, now: u32) -> usize {
        let [goat_links, ..] = &self.links;
        let steps = self.goat_steps.get(pair).map_or(&[][..], Vec::as_slice);
        let is_stale = |block, done| steps.iter().any(|term| self.leads_to_news(term, block, &self.black, pair, done));
        self.sweep_row((&self.white, pair, now), is_stale, |block, found| {
            for term in steps {
                self.grid.gather(block, term, goat_links, self.black.row(pair), found);
            }
            self.settle(&self.white, pair, block, found, |number, high, found| {
                let over = self.layout.too_few(high, self.goats_to_live);
                let [exit_lost, exit_open] = self.exits.white(pair, number);
                (Found { lost: found.lost | exit_lost, open: (found.open | exit_open) & !over }, 0)
            })
        })
    }

    fn sweep_black(&self, pair: usize, now: u32) -> usize {
        let [_, tiger_links, _] = &self.links;
        let steps = self.tiger_steps.get(pair).map_or(&[][..], Vec::as_slice);
        let rows = [2 * pair, 2 * pair + 1];
        let is_stale = |block, done| {
            rows.iter().any(|row| self.jumps.changed(*row, block) >= done)
                || steps.iter().any(|term| self.leads_to_news(term, block, &self.white, term.row as usize, done))
        };
        self.sweep_row((&self.black, pair, now), is_stale, |block, found| {
            for term in steps {
                self.grid.gather(block, term, tiger_links, self.white.row(term.row as usize), found);
            }
            self.settle(&self.black, pair, block, found, |number, high, mut found| {
                for row in rows {
                    let [lost, open] = self.jumps.row(row).pair(number).unwrap_or_default();
                    found.lost |= lost;
                    found.open |= open;
                }
                (found, self.layout.too_few(high, self.goats_to_live))
            })
        })
    }

    /// Puts a block's new sets in place, from what its positions reach; `complete` adds what no term says, and names
    /// the positions where the game is over and won.
    fn settle(
        &self,
        field: &Field,
        row: usize,
        block: usize,
        found: &[Found],
        complete: impl Fn(usize, u32, Found) -> (Found, u64),
    ) -> bool {
        let Some(range) = self.grid.blocks().get(block) else { return false };
        let mut has_changed = false;
        for ((number, high), found) in range.clone().zip(self.grid.highs_of(block)).zip(found) {
            let (found, won) = complete(number, *high, *found);
            let [lost, open] = field.row(row).pair(number).unwrap_or_default();
            let valid = self.layout.valid(*high) & !won;
            let sets = [lost | valid & !found.open, open & !found.lost];
            has_changed |= field.row(row).put(number, sets);
        }
        has_changed
    }

    fn sweep_jumps(&self, row: usize, now: u32) -> usize {
        let [.., jump_links] = &self.links;
        let jumps = self.tiger_jumps.get(row).map_or(&[][..], Vec::as_slice);
        let is_stale = |block, done| {
            jumps.iter().any(|term| {
                let row = term.row as usize;
                self.leads_to_news(term, block, &self.white, row / 2, done)
                    || self.goes_on && self.leads_to_news(term, block, &self.jumps, row, done)
            })
        };
        self.sweep_row((&self.jumps, row, now), is_stale, |block, found| {
            for term in jumps {
                let row = term.row as usize;
                self.grid.gather(block, term, jump_links, self.white.row(row / 2), found);
                if self.goes_on {
                    self.grid.gather(block, term, jump_links, self.jumps.row(row), found);
                }
            }
            let mut has_changed = false;
            let range = self.grid.blocks().get(block).cloned().unwrap_or_default();
            for (number, found) in range.zip(found) {
                let [lost, open] = self.jumps.row(row).pair(number).unwrap_or_default();
                let [exit_lost, exit_open] = self.exits.jumps(row, number);
                let sets = [lost | found.lost | exit_lost, open & (found.open | exit_open)];
                has_changed |= self.jumps.row(row).put(number, sets);
            }
            has_changed
        })
    }

    /// The arrangement of the layer's positions.
    pub const fn layout(&self) -> &Layout {
        &self.layout
    }

    /// The won and the lost positions of the table's pair of words of this number (see the format); nothing beyond the
    /// end.
    pub fn words(&self, number: u64) -> [u64; 2] {
        let (pairs, highs) = (self.layout.pairs().len(), self.grid.highs().len());
        let (row, high) = (number as usize / highs, number as usize % highs);
        let (field, pair) = if row < pairs { (&self.white, row) } else { (&self.black, row - pairs) };
        let [lost, open] = field.row(pair).pair(high).unwrap_or_default();
        let valid = self.grid.highs().get(high).map_or(0, |high| self.layout.valid(*high));
        [valid & !open, lost]
    }
}

fn goat_steps(layout: &Layout, pair: usize) -> Vec<Term> {
    let here = Place { layout, pair };
    let step = |from: Point, to: Point| {
        let change = Change { goats: from.set(), free: to.set(), after: to.set() };
        terms(here, here, pair as u32, change)
    };
    let has_slot = |point: &Point| layout.slot(pair, *point).is_some();
    let goats = Point::all().filter(has_slot);
    goats.flat_map(|from| STEPS[from].into_iter().filter(has_slot).flat_map(move |to| step(from, to))).collect()
}

fn tiger_steps(layout: &Layout, pair: usize) -> Vec<Term> {
    let mut all = Vec::new();
    let Some([one, other]) = layout.pairs().get(pair).copied() else { return all };
    for (tiger, other) in [(one, other), (other, one)] {
        for to in STEPS[tiger] {
            if let (Some(_), Some(row)) = (layout.slot(pair, to), layout.pair(to, other)) {
                let change = Change { free: to.set(), ..Change::default() };
                all.extend(terms(Place { layout, pair }, Place { layout, pair: row }, row as u32, change));
            }
        }
    }
    all
}

fn tiger_jumps(layout: &Layout, tiger: Point, other: Point) -> Vec<Term> {
    let mut all = Vec::new();
    let Some(pair) = layout.pair(tiger, other) else { return all };
    for jump in JUMPS[tiger].iter() {
        let has_slots = [jump.over, jump.to].iter().all(|point| layout.slot(pair, *point).is_some());
        if let (true, Some(row)) = (has_slots, jump_row(layout, jump.to, other)) {
            let change = Change { goats: jump.over.set(), free: jump.to.set(), ..Change::default() };
            all.extend(terms(Place { layout, pair }, Place { layout, pair: row / 2 }, row as u32, change));
        }
    }
    all
}
