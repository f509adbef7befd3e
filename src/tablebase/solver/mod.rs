//! Solves one layer: sets of positions, 256 a step, that change until nothing changes any more.
//!
//! The values are the answers to a few *questions*: from which positions can White (or Black) force a win, and where
//! wins are scored, one with at least so many points? A question has an attacker, who wants that, and a defender. Two
//! sets are kept: the *open* positions with the attacker to move, from which that is not known to be possible, and the
//! *lost* ones with the defender to move, where it can't be prevented. At first nothing is lost and all is open. In ply
//! 0, 2, 4 ... a position becomes lost where no move leads to an open one, in ply 1, 3, 5 ... one ceases to be open that
//! has a move to a lost one. So each is found in just the ply that is its distance to the end of the game, both sides
//! doing their best; what is never found is a draw, or worth less.
//!
//! White's wins with many points are asked for first, and those with fewer on top of them, so a distance is that to an
//! end with just the points that the position is worth: points come first, then haste or delay.
//!
//! Each kind of move is an operation on sets ([`term`]). What leads out of the layer reads finished layers
//! ([`finished`]), whose positions appear in the ply after their own distance. The captures of a tiger are worked out
//! jump by jump ([`jumps`], [`closure`]); where only the longest are allowed, masks say which jumps those are
//! ([`longest`]). Only what depends on a chunk that has changed is worked out again.
//!
//! Of pairs of tigers that symmetries of the layer turn into each other one, the one that the table has, is worked out;
//! what changes in its set is changed in theirs as well ([`turn`], [`step`]).

mod below;
mod closure;
mod finished;
mod image;
mod jumps;
mod longest;
mod schedule;
mod sets;
mod step;
mod term;
mod turn;
mod ways;

pub use below::{Below, Needed, below};
pub use finished::Finished;

use crate::board::Point;
use crate::rules::{Capture, Chain, GOATS, GOATS_TO_IMMOBILISE, RuleSet, Side};
use crate::tablebase::file::Block;
use crate::tablebase::layout::Layout;
use crate::tablebase::solver::closure::Closure;
use crate::tablebase::solver::jumps::{Origin, chains, standing_points};
use crate::tablebase::solver::longest::Longest;
use crate::tablebase::solver::sets::{Known, Row, Set, unknown};
use crate::tablebase::solver::step::{Pair, Step, Work, leads};
use crate::tablebase::solver::turn::Turn;
use crate::tablebase::solver::ways::{Lowered, Source, Ways, of_tigers, of_white};
use crate::tablebase::symmetry::{self, Symmetry};
use crate::tablebase::value::TableValue;
use crate::tablebase::vector::{LANES, VECTOR_SLOTS};
use std::sync::Arc;

/// Longest distance that a table can hold, in plies.
pub const LONGEST: u32 = 511;

/// One question.
#[derive(Copy, Clone, Debug)]
struct Question {
    attacker: Side,
    /// The value of positions whose answer is yes, and was no before.
    value: TableValue,
    /// Fewest goats with which the answer can be yes.
    goats: u32,
}

/// The questions of a rule set, in the order in which they are asked.
fn questions(rules: &RuleSet) -> Vec<Question> {
    let white = |goats| Question { attacker: Side::White, value: TableValue::white(rules, goats), goats };
    let mut all: Vec<Question> = if rules.scored {
        (GOATS_TO_IMMOBILISE..=GOATS).rev().map(white).collect()
    } else {
        vec![white(GOATS_TO_IMMOBILISE)]
    };
    all.push(Question { attacker: Side::Black, value: TableValue::BLACK, goats: 0 });
    all
}

/// How far a layer is.
#[derive(Copy, Clone, Debug)]
pub struct Progress {
    /// Questions asked so far, and in all.
    pub questions: (usize, usize),
    /// The ply of the present one.
    pub ply: u32,
    /// Positions found in it, of those that symmetries turn into each other one.
    pub found: u64,
}

/// One layer being solved.
pub struct Solver {
    rules: &'static RuleSet,
    layout: Layout,
    threads: usize,
    has_distances: bool,
    below: Vec<Below>,
    /// By pair the positions with White to move: open ones if White attacks, else lost ones.
    white: Set,
    /// Likewise with Black to move, of the pairs that are worked out only: White's moves lead to no other pair.
    black: Set,
    captures: Closure,
    pairs: Vec<Pair>,
    known: [Vec<Known>; 2],
    time: u32,
}

impl Solver {
    /// A layer with the finished ones that its moves lead to, in the order of [`below`].
    pub fn new(
        rules: &'static RuleSet,
        layout: Layout,
        below: Vec<Below>,
        threads: usize,
        has_distances: bool,
    ) -> Self {
        let symmetries = symmetry::of_layer(rules, layout.layer());
        let (captures, pairs) = {
            let layouts: Vec<&Layout> =
                std::iter::once(&layout).chain(below.iter().map(|below| below.white.layout())).collect();
            let jumped: Vec<u8> = std::iter::once(0).chain(below.iter().map(|below| below.jumped)).collect();
            let standing = standing_points(&layout, &symmetries);
            let states = chains(rules, &jumped, &layouts, &standing);
            let longest = match rules.capture {
                Capture::Optional => None,
                Capture::Longest => Some(Longest::new(rules, &states, &layouts, threads)),
            };
            let mut captures = Closure::new(rules, &states, &layouts, longest.as_ref());
            let lowered: Vec<Lowered> = below
                .iter()
                .filter_map(|below| below.black.as_ref().map(|black| (below.jumped.trailing_zeros() as usize, black)))
                .enumerate()
                .map(|(number, (herd, black))| Lowered { herd, source: number + 1, layout: black.layout() })
                .collect();
            let pair = |number: &usize| Pair {
                number: *number,
                turns: turns(&layout, &symmetries, *number),
                white: of_white(rules, &layout, &lowered, *number),
                black: of_black(&layout, &symmetries, &standing, *number, longest.as_ref(), &mut captures),
            };
            let pairs = layout.rows().iter().map(pair).collect();
            (captures, pairs)
        };
        Self {
            rules,
            threads,
            has_distances,
            white: Set::new(layout.chunks(), layout.pairs().len()),
            black: Set::with_rows(layout.chunks(), layout.pairs().len(), layout.rows()),
            captures,
            pairs,
            known: unknown(&layout),
            time: 0,
            below,
            layout,
        }
    }

    /// Bytes that solving a layer takes, but for a few percent.
    pub fn bytes(rules: &RuleSet, own: &Layout, needed: &[Needed], threads: usize, has_distances: bool) -> u64 {
        let (rows, digits) = (own.rows().len(), TableValue::digits(rules) + if has_distances { 8 } else { 0 });
        let groups = standing_points(own, &symmetry::of_layer(rules, own.layer())).len();
        // Images of captures are two a row at most.
        let sets = Set::bytes(own.chunks(), own.pairs().len() + rows + 2 * digits * rows + 2 * rows);
        let others = if rules.chain == Chain::Free { needed } else { &[] };
        let jumping: Vec<&Layout> = std::iter::once(own).chain(others.iter().map(Needed::layout)).collect();
        let captures = jumping.iter().map(|layout| Set::bytes(layout.chunks(), groups * layout.by_place().len()));
        let masks = match rules.capture {
            Capture::Optional => 0,
            Capture::Longest => Longest::bytes(&jumping, groups, threads),
        };
        let finished = needed.iter().map(|needed| needed.bytes(rules, has_distances));
        sets + captures.sum::<u64>() + masks + finished.sum::<u64>()
    }

    /// Answers all questions.
    ///
    /// Returns `None` if a distance is longer than [`LONGEST`].
    pub fn solve(&mut self, mut progress: impl FnMut(Progress)) -> Option<()> {
        let questions = questions(self.rules);
        let count = questions.len();
        for (number, question) in questions.into_iter().enumerate() {
            let is_first = number == 0 || question.attacker == Side::Black;
            self.ask(question, is_first, |ply, found| progress(Progress { questions: (number, count), ply, found }))?;
        }
        Some(())
    }

    fn ask(&mut self, question: Question, is_first: bool, mut progress: impl FnMut(u32, u64)) -> Option<()> {
        if is_first {
            self.reset(question.attacker);
        } else {
            // More positions may be lost now.
            self.black.rows.iter_mut().for_each(Row::forget_done);
        }
        for finished in self.below.iter_mut().flat_map(Below::sides_mut) {
            finished.ask(question.value);
        }
        let mut found_before = 0;
        for ply in 0.. {
            self.reveal(question, ply);
            let found = self.step(question, ply);
            progress(ply, found);
            if found > 0 && self.has_distances && ply > LONGEST {
                return None;
            }
            let has_more = || self.below.iter().flat_map(Below::sides).any(Finished::has_more);
            if found == 0 && found_before == 0 && ply > 0 && !has_more() {
                return Some(());
            }
            found_before = found;
        }
        None
    }

    /// Nothing is lost, and all is open.
    fn reset(&mut self, attacker: Side) {
        self.time += 1;
        let now = self.time;
        self.white.fill(&self.layout, attacker == Side::White, now);
        self.black.fill(&self.layout, attacker == Side::Black, now);
        for below in &mut self.below {
            below.white.reset(attacker == Side::Black, now);
            if let Some(black) = &mut below.black {
                black.reset(attacker == Side::White, now);
            }
        }
        self.captures.forget(now);
    }

    /// Shows the positions of finished layers that are known from this ply on: in an odd ply those that the defender has
    /// lost, in an even one those that the attacker has won. Without distances all are known from the first on.
    fn reveal(&mut self, question: Question, ply: u32) {
        // No distance is longer than 511, and none shorter than 0.
        let Some(half) = ply.checked_sub(1).and_then(|before| u8::try_from(before / 2).ok()) else { return };
        self.time += 1;
        let shown = if ply % 2 == 1 { question.attacker.opponent() } else { question.attacker };
        for below in &mut self.below {
            let finished = match shown {
                Side::White => Some(&mut below.white),
                Side::Black => below.black.as_mut(),
            };
            if let Some(finished) = finished {
                finished.show(half, self.threads, self.time);
            }
        }
    }

    /// Works out one ply; how many positions were found.
    fn step(&mut self, question: Question, ply: u32) -> u64 {
        let step = if ply.is_multiple_of(2) { Step::Defend } else { Step::Attack };
        let is_white = (question.attacker == Side::White) == (step == Step::Attack);
        if !is_white {
            self.update_captures(step);
        }
        self.time += 1;
        let work = Work {
            layout: &self.layout,
            threads: self.threads,
            question,
            step,
            ply,
            now: self.time,
            keeps_distances: self.has_distances,
        };
        let [white, black] = &mut self.known;
        let chunks = self.layout.chunks();
        if is_white {
            let own = Source { set: &self.black, chunks };
            let finished = self.below.iter().filter_map(|below| below.black.as_ref().map(Finished::source));
            let sources: Vec<Source> = std::iter::once(own).chain(finished).collect();
            let leads = leads(&mut self.white, &self.pairs, white, |pair| &pair.turns);
            work.all(leads, &sources, |pair| &pair.white, self.rules.goats_to_live)
        } else {
            let own = Source { set: &self.white, chunks };
            let sources: Vec<Source> = std::iter::once(own).chain(self.captures.sources(chunks)).collect();
            let leads = leads(&mut self.black, &self.pairs, black, |_| &[]);
            work.all(leads, &sources, |pair| &pair.black, 0)
        }
    }

    fn update_captures(&mut self, step: Step) {
        let layouts: Vec<&Layout> =
            std::iter::once(&self.layout).chain(self.below.iter().map(|below| below.white.layout())).collect();
        let own = Source { set: &self.white, chunks: self.layout.chunks() };
        let positions: Vec<Source> =
            std::iter::once(own).chain(self.below.iter().map(|below| below.white.source())).collect();
        // If Black attacks, more and more of White's positions are lost; else fewer and fewer are open.
        let grows = step == Step::Attack;
        self.time = self.captures.update(&positions, &layouts, self.threads, grows, self.time);
    }

    /// The arrangement of the layer's positions.
    pub const fn layout(&self) -> &Layout {
        &self.layout
    }

    /// Block `number` of the layer's table.
    pub fn block(&self, number: u64) -> Block {
        let digits = TableValue::digits(self.rules);
        let row_size = self.layout.chunks().row_size() as u64;
        let vectors = 2 * self.layout.rows().len() as u64 * row_size;
        let first = number * (super::file::BLOCK_POSITIONS >> VECTOR_SLOTS);
        let last = (first + (super::file::BLOCK_POSITIONS >> VECTOR_SLOTS)).min(vectors);
        let mut block = Block::default();
        for vector in first..last {
            let (row, at) = ((vector / row_size) as usize, (vector % row_size) as usize);
            let (side, row) = (row / self.layout.rows().len(), row % self.layout.rows().len());
            let Some(known) = self.known.get(side).and_then(|rows| rows.get(row)) else { continue };
            for lane in 0..LANES {
                let mut decided = 0;
                for digit in 0..digits {
                    let set = known.classes.digits().get(digit).and_then(|set| set.get(at));
                    let word = set.and_then(|vector| vector.get(lane)).copied().unwrap_or(0);
                    decided |= word;
                    block.classes.push(word);
                }
                while self.has_distances && decided != 0 {
                    let member = lane as u32 * 64 + decided.trailing_zeros();
                    block.halves.push(known.halves.get(at, member) as u8);
                    decided &= decided - 1;
                }
            }
        }
        block
    }
}

/// The other pairs that symmetries turn a pair into.
fn turns(layout: &Layout, symmetries: &[Symmetry], pair: usize) -> Vec<Turn> {
    let mut turns: Vec<Turn> = Vec::new();
    for (image, slots) in symmetries.iter().filter_map(|symmetry| layout.turned(pair, *symmetry)) {
        if image != pair && turns.iter().all(|turn| turn.row != image) {
            turns.push(Turn::new(image, &slots));
        }
    }
    turns
}

/// Black's moves beside a pair: steps lead into source 0, captures into those of `captures`, which follow.
fn of_black(
    layout: &Layout,
    symmetries: &[Symmetry],
    standing: &[Point],
    pair: usize,
    longest: Option<&Longest>,
    captures: &mut Closure,
) -> Ways {
    let Some([one, other]) = layout.pairs().get(pair).copied() else { return Ways::default() };
    let origin = |tigers| Origin::new(layout, symmetries, standing, tigers);
    let Some(origins) = origin([one, other]).zip(origin([other, one])) else { return Ways::default() };
    let origins = [origins.0, origins.1];
    let (quiet, by_tiger) = match longest.map(|longest| longest.of_pair(layout.chunks(), &origins)) {
        None => (None, [None, None]),
        Some(masks) => (Some(Arc::new(masks.quiet)), masks.by_tiger.map(|mask| Some(Arc::new(mask)))),
    };
    let mut ways = of_tigers(layout, pair, quiet.as_ref());
    let jumps = origins.iter().zip(by_tiger);
    ways.extend(jumps.filter_map(|(origin, mask)| captures.way(layout.chunks(), origin, 1, mask)));
    Ways::new(ways, layout.chunks())
}
