//! Moves that leave the layer: a goat's step from a herd, and a tiger's jump over one. They read finished tables, and
//! are worked out once.

use super::field::{Field, Found, Grid};
use super::term::{Change, Place, terms};
use super::{Before, Solver, jump_row, jumpers};
use crate::board::{JUMPS, Jump, Point, PointSet, STEPS};
use crate::position::Position;
use crate::rules::{Chain, RuleSet, Side};
use crate::tables::layout::{LOW_SLOTS, Layout};
use crate::tables::probe::{Table, Tables};
use crate::tables::share::share;
use crate::tables::{Verdict, verify};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// A finished layer, whole in memory.
pub struct Finished {
    layout: Layout,
    grid: Grid,
    white: Field,
    black: Field,
}

impl Finished {
    /// Reads a layer's file.
    ///
    /// # Errors
    /// If it can't be read or is damaged.
    pub fn read(table: &Table) -> Result<Self, crate::tables::file::FileError> {
        let layout = table.layout().clone();
        let grid = Grid::new(layout.highs());
        let pairs = layout.pairs().len();
        let (white, black) = (Field::new(&grid, pairs), Field::new(&grid, pairs));
        let highs = grid.highs().len();
        let mut number = 0;
        table.file().all_words(|words| {
            for pair in words.chunks_exact(2) {
                let (row, high) = (number / highs, number % highs);
                number += 1;
                if let [won, lost] = pair {
                    let valid = grid.highs().get(high).map_or(0, |high| layout.valid(*high));
                    let field = if row < pairs { white.row(row) } else { black.row(row - pairs) };
                    field.put(high, [*lost, valid & !won]);
                }
            }
        })?;
        Ok(Self { layout, grid, white, black })
    }

    /// Bytes that a finished layer takes in memory.
    pub fn bytes(layout: &Layout) -> u64 {
        Field::bytes(layout, 2 * layout.pairs().len())
    }
}

/// What the moves out of the layer reach. Empty for a layer without herds.
#[derive(Default)]
pub struct Exits {
    /// By pair: White's moves from herds.
    white: Option<Field>,
    /// By row of jumps: chains of Black that begin with a jump over a herd.
    jumps: Option<Field>,
}

impl Exits {
    /// Works them out.
    ///
    /// Returns `None` if the finished tables lack a position that a move leads to.
    pub fn new(solver: &Solver, rules: &RuleSet, before: &Before) -> Option<Self> {
        if before.lowered.is_empty() {
            return Some(Self::default());
        }
        let lacking = AtomicBool::new(false);
        let (grid, layout) = (&solver.grid, &solver.layout);
        let pairs = layout.pairs().len();
        let (white, jumps) = (Field::new(grid, pairs), Field::new(grid, 2 * pairs));
        let rows: Vec<(Point, Point)> = jumpers(layout).collect();
        let one_row = |row: usize| {
            let Some((tiger, other)) = rows.get(row).copied() else { return };
            if row.is_multiple_of(2) {
                collect(grid, white.row(row / 2), |block, found| {
                    herd_steps(solver, rules, before, (row / 2, block), found);
                });
            }
            match before.tables {
                Some(tables) if rules.chain == Chain::Free => {
                    collect(grid, jumps.row(row), |block, found| {
                        herd_chains(solver, tables, &lacking, (tiger, other, block), found);
                    });
                }
                _ => collect(grid, jumps.row(row), |block, found| {
                    herd_jumps(solver, rules, before, (tiger, other, block), found);
                }),
            }
        };
        share(solver.threads, 2 * pairs, one_row);
        (!lacking.into_inner()).then_some(Self { white: Some(white), jumps: Some(jumps) })
    }

    /// What White's moves from herds reach.
    #[inline]
    pub fn white(&self, pair: usize, number: usize) -> [u64; 2] {
        self.white.as_ref().and_then(|field| field.row(pair).pair(number)).unwrap_or_default()
    }

    /// What chains that begin with a jump over a herd reach.
    #[inline]
    pub fn jumps(&self, row: usize, number: usize) -> [u64; 2] {
        self.jumps.as_ref().and_then(|field| field.row(row).pair(number)).unwrap_or_default()
    }
}

/// Fills a row, block by block.
fn collect(grid: &Grid, row: super::field::Row, work: impl Fn(usize, &mut [Found])) {
    for (block, range) in grid.blocks().iter().enumerate() {
        let mut found = vec![Found::default(); range.len()];
        work(block, &mut found);
        for (number, found) in range.clone().zip(found) {
            row.put(number, [found.lost, found.open]);
        }
    }
}

/// The single goat that is left where a herd of two was.
fn left_of(rules: &RuleSet, layout: &Layout, herd: usize) -> PointSet {
    let point = rules.start.herds.get(herd).map_or(PointSet::EMPTY, |point| point.set());
    if layout.layer().height(herd) == 2 { point } else { PointSet::EMPTY }
}

fn herd_steps(solver: &Solver, rules: &RuleSet, before: &Before, (pair, block): (usize, usize), found: &mut [Found]) {
    let layout = &solver.layout;
    let Some([one, other]) = layout.pairs().get(pair).copied() else { return };
    for (herd, next) in &before.lowered {
        let Some(from) = rules.start.herds.get(*herd) else { continue };
        let Some(target) = next.layout.pair(one, other) else { continue };
        for to in STEPS[*from].into_iter().filter(|point| layout.slot(pair, *point).is_some()) {
            let after = left_of(rules, layout, *herd).with(to);
            let change = Change { free: to.set(), after, ..Change::default() };
            let there = Place { layout: &next.layout, pair: target };
            for term in terms(Place { layout, pair }, there, 0, change) {
                solver.grid.gather_from(block, &term, &next.grid, next.black.row(target), found);
            }
        }
    }
}

/// The jumps of a tiger over herds to points where no herd or tiger is.
fn jumps_over_herds(layout: &Layout, tiger: Point, other: Point) -> impl Iterator<Item = &'static Jump> {
    let free = layout.points().without(other);
    let herds = !layout.points();
    JUMPS[tiger].iter().filter(move |jump| herds.has(jump.over) && free.has(jump.to))
}

/// Jumps over a herd that end the move.
fn herd_jumps(
    solver: &Solver,
    rules: &RuleSet,
    before: &Before,
    (tiger, other, block): (Point, Point, usize),
    found: &mut [Found],
) {
    let layout = &solver.layout;
    let Some(pair) = layout.pair(tiger, other) else { return };
    for jump in jumps_over_herds(layout, tiger, other) {
        let herd = usize::from(rules.start.herd_on[jump.over]);
        let Some((_, next)) = before.lowered.iter().find(|(lowered, _)| *lowered == herd) else { continue };
        let Some(target) = next.layout.pair(jump.to, other) else { continue };
        let change = Change { free: jump.to.set(), after: left_of(rules, layout, herd), ..Change::default() };
        for term in terms(Place { layout, pair }, Place { layout: &next.layout, pair: target }, 0, change) {
            solver.grid.gather_from(block, &term, &next.grid, next.white.row(target), found);
        }
    }
}

/// Chains that begin with a jump over a herd and may go on, position by position with the ordinary move generator:
/// no point may be jumped twice, which is not a matter of single jumps any more.
fn herd_chains(
    solver: &Solver,
    tables: &Tables,
    lacking: &AtomicBool,
    (tiger, other, block): (Point, Point, usize),
    found: &mut [Found],
) {
    let layout = &solver.layout;
    let landings: PointSet = jumps_over_herds(layout, tiger, other).map(|jump| jump.to).collect();
    let (Some(_), Some(pair)) = (jump_row(layout, tiger, other), layout.pair(tiger, other)) else { return };
    if landings.is_empty() {
        return;
    }
    for (high, found) in solver.grid.highs_of(block).iter().zip(found) {
        let valid = layout.valid(*high);
        for low in (0..64).filter(|low| valid >> low & 1 != 0) {
            let index = high << LOW_SLOTS | low;
            if (landings - layout.goats_at(pair, index)).is_empty() {
                continue;
            }
            let Some(position) = verify::position_at(tables.rules(), layout, pair, index, Side::Black) else {
                continue;
            };
            let Some((lost, open)) = reached_over_herds(&position, tables, tiger) else {
                lacking.store(true, Relaxed);
                return;
            };
            found.lost |= u64::from(lost) << low;
            found.open |= u64::from(open) << low;
        }
    }
}

/// Whether chains of a tiger that begin over a herd reach a position that White has lost, and one that is not won.
///
/// Returns `None` if the tables lack one of them.
fn reached_over_herds(position: &Position, tables: &Tables, tiger: Point) -> Option<(bool, bool)> {
    let herds = position.herd_points();
    let mut reached = Some((false, false));
    position.for_each_capture(|mv| {
        if mv.from() == tiger && mv.path().next().is_some_and(|jump| herds.has(jump.over)) {
            let verdict = tables.probe(&position.play(mv));
            reached = reached
                .zip(verdict)
                .map(|((lost, open), verdict)| (lost || verdict == Verdict::Loss, open || verdict != Verdict::Win));
        }
    });
    reached
}
