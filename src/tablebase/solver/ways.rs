//! Where each row's moves lead: which sets, and by which operations.

use crate::board::{JUMPS, Jump, Point, PointSet, STEPS};
use crate::rules::RuleSet;
use crate::tablebase::layout::{Chunks, Layout};
use crate::tablebase::solver::sets::{Mask, Row, Set};
use crate::tablebase::solver::term::{Change, Place, Term, Tops, terms};
use crate::tablebase::vector::Vector;
use std::sync::Arc;

/// A set that moves lead into, with its layer's chunks.
#[derive(Copy, Clone)]
pub struct Source<'a> {
    /// The set.
    pub set: &'a Set,
    /// How its rows are laid out.
    pub chunks: &'a Chunks,
}

/// One operation, into one of several sets.
#[derive(Clone, Debug)]
pub struct Way {
    /// Number of the set among the sources.
    pub source: usize,
    /// The operation.
    pub term: Term,
    /// The positions that may move so, if not all.
    pub mask: Option<Arc<Mask>>,
}

impl Way {
    /// The ways of some terms into one source, for the positions of a mask if there is one.
    pub fn all(source: usize, terms: Vec<Term>, mask: Option<Arc<Mask>>) -> impl Iterator<Item = Self> {
        terms.into_iter().map(move |term| Self { source, term, mask: mask.clone() })
    }
}

/// Which chunks of a row depend on which of another.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Link {
    source: usize,
    row: u32,
    tops: Tops,
}

/// All ways from one row.
#[derive(Clone, Default, Debug)]
pub struct Ways {
    ways: Vec<Way>,
    /// What the ways have in common, each once.
    links: Vec<Link>,
}

impl Ways {
    /// The ways from a row with such chunks.
    pub fn new(ways: Vec<Way>, chunks: &Chunks) -> Self {
        let link = |way: &Way| Link { source: way.source, row: way.term.row, tops: way.term.tops(chunks) };
        let mut links: Vec<Link> = ways.iter().map(link).collect();
        links.sort_unstable();
        links.dedup();
        Self { ways, links }
    }

    /// Marks the row's chunks from which positions reach a chunk that has changed since some time.
    pub fn mark(&self, sources: &[Source], chunks: &Chunks, since: u32, marks: &mut [bool]) {
        for link in &self.links {
            let Some((row, source)) = row_of(sources, link.source, link.row) else { continue };
            for after in row.changes(since) {
                if let Some(mark) =
                    link.tops.before(source.chunks.top(after), chunks).and_then(|chunk| marks.get_mut(chunk))
                {
                    *mark = true;
                }
            }
        }
    }

    /// Adds to `found` the positions of a chunk that have a move into a source, where that has changed since some time
    /// (0: at all).
    pub fn gather(&self, sources: &[Source], chunks: &Chunks, chunk: usize, since: u32, found: &mut [Vector]) {
        let top = chunks.top(chunk);
        for way in &self.ways {
            let mask = way.mask.as_ref().map(|mask| mask.chunk(chunk));
            if mask.is_some_and(<[Vector]>::is_empty) {
                continue; // no position of the chunk may move so
            }
            let Some((row, source)) = row_of(sources, way.source, way.term.row) else { continue };
            let Some(after) = way.term.target(top, source.chunks) else { continue };
            if row.changed(after) >= since {
                way.term.gather(row.chunk(after, source.chunks.size()), mask, found);
            }
        }
    }
}

#[inline]
fn row_of<'a>(sources: &[Source<'a>], source: usize, row: u32) -> Option<(&'a Row, Source<'a>)> {
    let source = sources.get(source)?;
    Some((source.set.rows.get(row as usize)?, *source))
}

/// The layer that a herd of a layer leads to when it is one goat lower.
#[derive(Copy, Clone)]
pub struct Lowered<'a> {
    /// Number of the herd.
    pub herd: usize,
    /// Number of the source that has its positions.
    pub source: usize,
    /// Its arrangement.
    pub layout: &'a Layout,
}

/// The single goat that is left of a herd of two after one is gone.
fn left_of(rules: &RuleSet, layout: &Layout, herd: usize) -> PointSet {
    let point = rules.start.herds.get(herd).map_or(PointSet::EMPTY, |point| point.set());
    if layout.layer().height(herd) == 2 { point } else { PointSet::EMPTY }
}

/// White's moves beside a pair of tigers: steps of single goats lead into source 0.
pub fn of_white(rules: &RuleSet, layout: &Layout, lowered: &[Lowered], pair: usize) -> Ways {
    let here = Place { layout, pair };
    let has_slot = |point: &Point| layout.slot(pair, *point).is_some();
    let mut ways = Vec::new();
    for from in Point::all().filter(has_slot) {
        for to in STEPS[from].into_iter().filter(has_slot) {
            let change = Change { goats: from.set(), free: to.set(), after: to.set() };
            ways.extend(Way::all(0, terms(here, here, pair, change), None));
        }
    }
    let Some([one, other]) = layout.pairs().get(pair).copied() else { return Ways::default() };
    for next in lowered {
        let (Some(from), Some(row)) = (rules.start.herds.get(next.herd), next.layout.pair(one, other)) else {
            continue;
        };
        let there = Place { layout: next.layout, pair: row };
        for to in STEPS[*from].into_iter().filter(has_slot) {
            let after = left_of(rules, layout, next.herd).with(to);
            let change = Change { free: to.set(), after, ..Change::default() };
            ways.extend(Way::all(next.source, terms(here, there, row, change), None));
        }
    }
    Ways::new(ways, layout.chunks())
}

/// Steps of the tigers of a pair, into source 0; for the positions of a mask if there is one.
pub fn of_tigers(layout: &Layout, pair: usize, mask: Option<&Arc<Mask>>) -> Vec<Way> {
    let mut ways = Vec::new();
    let Some([one, other]) = layout.pairs().get(pair).copied() else { return ways };
    for (tiger, other) in [(one, other), (other, one)] {
        for to in STEPS[tiger] {
            if let (Some(_), Some(row)) = (layout.slot(pair, to), layout.pair(to, other)) {
                let change = Change { free: to.set(), ..Change::default() };
                let terms = terms(Place { layout, pair }, Place { layout, pair: row }, row, change);
                ways.extend(Way::all(0, terms, mask.cloned()));
            }
        }
    }
    ways
}

/// The jumps of a tiger, the other standing elsewhere, to points where no herd or tiger is.
fn jumps_of(layout: &Layout, tiger: Point, other: Point) -> impl Iterator<Item = &'static Jump> {
    let free = layout.points().without(other);
    JUMPS[tiger].iter().filter(move |jump| free.has(jump.to) && jump.over != other)
}

/// The jumps of a tiger over single goats outside `barred`: where it lands, and the operation into the rows of pairs.
pub fn over_goats(layout: &Layout, [tiger, other]: [Point; 2], barred: PointSet) -> Vec<(Point, Vec<Term>)> {
    let Some(pair) = layout.pair(tiger, other) else { return Vec::new() };
    let goats = layout.points() - barred;
    let jumps = jumps_of(layout, tiger, other).filter(|jump| goats.has(jump.over));
    let operation = |jump: &Jump| {
        let row = layout.pair(jump.to, other)?;
        let change = Change { goats: jump.over.set(), free: jump.to.set(), ..Change::default() };
        Some((jump.to, terms(Place { layout, pair }, Place { layout, pair: row }, row, change)))
    };
    jumps.filter_map(operation).collect()
}

/// The jumps of a tiger over a herd: where it lands, and the operation into the rows of pairs of the lowered layer.
pub fn over_herd(
    rules: &RuleSet,
    layout: &Layout,
    [tiger, other]: [Point; 2],
    herd: usize,
    lower: &Layout,
) -> Vec<(Point, Vec<Term>)> {
    let (Some(pair), Some(point)) = (layout.pair(tiger, other), rules.start.herds.get(herd)) else {
        return Vec::new();
    };
    let operation = |jump: &Jump| {
        let row = lower.pair(jump.to, other)?;
        let change = Change { free: jump.to.set(), after: left_of(rules, layout, herd), ..Change::default() };
        Some((jump.to, terms(Place { layout, pair }, Place { layout: lower, pair: row }, row, change)))
    };
    jumps_of(layout, tiger, other).filter(|jump| jump.over == *point).filter_map(operation).collect()
}
