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
//! jump by jump ([`jumps`]), either all chains that may stop anywhere ([`closure`]) or only the longest ([`longest`]).
//! Only what depends on a chunk that has changed is worked out again.

mod closure;
mod finished;
mod image;
mod jumps;
mod longest;
mod sets;
mod term;
mod ways;

pub use finished::Finished;
pub use jumps::{lowered, states};

use self::closure::Closure;
use self::finished::Shown;
use self::jumps::{State, chains};
use self::longest::Longest;
use self::sets::{Known, Row, Set, unknown};
use self::term::Term;
use self::ways::{Lowered, Source, Way, Ways, of_tigers, of_white};
use super::file::Block;
use super::layout::Layout;
use super::share::share;
use super::value::{FEWEST_TO_WIN, Value};
use super::vector::{NONE, VECTOR_SLOTS, Vector, both, count, without};
use crate::board::Point;
use crate::rules::{Capture, Chain, GOATS, RuleSet, Side};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Longest distance that a table can hold, in plies.
pub const LONGEST: u32 = 511;

/// One question.
#[derive(Copy, Clone, Debug)]
struct Question {
    attacker: Side,
    /// The value of positions whose answer is yes, and was no before.
    value: Value,
    /// Fewest goats with which the answer can be yes.
    goats: u32,
}

/// The questions of a rule set, in the order in which they are asked.
fn questions(rules: &RuleSet) -> Vec<Question> {
    let white = |goats| Question { attacker: Side::White, value: Value::white(rules, goats), goats };
    let mut all: Vec<Question> =
        if rules.scored { (FEWEST_TO_WIN..=GOATS).rev().map(white).collect() } else { vec![white(FEWEST_TO_WIN)] };
    all.push(Question { attacker: Side::Black, value: Value::BLACK, goats: 0 });
    all
}

/// A finished layer that moves lead to.
pub struct Below {
    /// The herds that are one goat lower there, a bit each.
    pub jumped: u8,
    /// Its positions with White to move.
    pub white: Finished,
    /// Its positions with Black to move, where just one herd is lower.
    pub black: Option<Finished>,
}

impl Below {
    fn each(&mut self) -> impl Iterator<Item = &mut Finished> {
        std::iter::once(&mut self.white).chain(&mut self.black)
    }
}

/// How the captures of the tigers are worked out.
enum Captures {
    Optional(Closure),
    Longest(Longest),
}

impl Captures {
    /// The sets of one group, by place of the tiger that stands still.
    fn group(&self, place: usize) -> Option<&Set> {
        match self {
            Self::Optional(closure) => closure.group(place),
            Self::Longest(longest) => longest.group(place),
        }
    }
}

/// How far a layer is.
#[derive(Copy, Clone, Debug)]
pub struct Progress {
    /// Questions asked so far, and in all.
    pub questions: (usize, usize),
    /// The ply of the present one.
    pub ply: u32,
    /// Positions found in it.
    pub found: u64,
}

/// One layer being solved.
pub struct Solver {
    rules: &'static RuleSet,
    layout: Layout,
    threads: usize,
    has_distances: bool,
    below: Vec<Below>,
    states: Vec<State>,
    /// Positions with White to move: open ones if White attacks, else lost ones; and likewise with Black to move.
    white: Set,
    black: Set,
    captures: Captures,
    /// White's moves by pair: into `black`, and into the finished layers with Black to move.
    white_ways: Vec<Ways>,
    /// Black's steps by pair, into `white`.
    tiger_ways: Vec<Ways>,
    /// Captures by pair, into the groups.
    capture_ways: Vec<Ways>,
    /// Of each pair the row of the table, if its positions are there.
    table_rows: Vec<Option<usize>>,
    known: [Vec<Known>; 2],
    time: u32,
}

/// What a step does to the set of the side to move.
#[derive(Copy, Clone, PartialEq, Eq)]
enum Step {
    /// Those that have a move into the other set are won, and no more open.
    Attack,
    /// Those that have none are lost.
    Defend,
}

impl Solver {
    /// A layer with the finished ones that its moves lead to, by state (see [`states`]) without the first.
    pub fn new(
        rules: &'static RuleSet,
        layout: Layout,
        below: Vec<Below>,
        threads: usize,
        has_distances: bool,
    ) -> Self {
        let pairs = layout.pairs().len();
        let lowered: Vec<Lowered> = below
            .iter()
            .filter_map(|below| below.black.as_ref().map(|black| (below.jumped.trailing_zeros() as usize, black)))
            .enumerate()
            .map(|(number, (herd, black))| Lowered { herd, source: number + 1, layout: black.layout() })
            .collect();
        let white_ways = (0..pairs).map(|pair| of_white(rules, &layout, &lowered, pair)).collect();
        let (states, captures) = {
            let layouts: Vec<&Layout> =
                std::iter::once(&layout).chain(below.iter().map(|below| below.white.layout())).collect();
            let jumped: Vec<u8> = std::iter::once(0).chain(below.iter().map(|below| below.jumped)).collect();
            let states = chains(rules, &jumped, &layouts);
            let captures = match rules.capture {
                Capture::Optional => Captures::Optional(Closure::new(rules, &states, &layouts)),
                Capture::Longest => Captures::Longest(Longest::new(&states, &layouts, threads)),
            };
            (states, captures)
        };
        let mut table_rows = vec![None; pairs];
        for (row, pair) in layout.rows().iter().enumerate() {
            if let Some(place) = table_rows.get_mut(*pair) {
                *place = Some(row);
            }
        }
        Self {
            rules,
            threads,
            has_distances,
            states,
            white: Set::new(layout.chunks(), pairs),
            black: Set::new(layout.chunks(), pairs),
            captures,
            white_ways,
            tiger_ways: (0..pairs).map(|pair| of_tigers(&layout, pair)).collect(),
            capture_ways: capture_ways(&layout),
            table_rows,
            known: unknown(&layout),
            time: 0,
            below,
            layout,
        }
    }

    /// Bytes that solving a layer takes, but for finished layers and a few percent; `layouts` are those of the states of
    /// its chains.
    pub fn bytes(rules: &RuleSet, layouts: &[Layout], threads: usize, has_distances: bool) -> u64 {
        let Some(own) = layouts.first() else { return 0 };
        let (pairs, digits) = (own.pairs().len(), Value::digits(rules) + if has_distances { 8 } else { 0 });
        let sets = Set::bytes(own.chunks(), 2 * pairs + 2 * digits * own.rows().len());
        let jumping = if rules.chain == Chain::Free { layouts } else { layouts.get(..1).unwrap_or_default() };
        let captures: u64 = match rules.capture {
            Capture::Optional => {
                jumping.iter().map(|layout| Set::bytes(layout.chunks(), 2 * layout.pairs().len())).sum()
            }
            Capture::Longest => {
                let level = |layout: &Layout| Set::bytes(layout.chunks(), 2 * layout.by_place().len());
                let levels: u64 = jumping.iter().map(level).sum();
                // The groups, the lengths of chains, and what each thread works with.
                Set::bytes(own.chunks(), 6 * pairs) + threads as u64 * (levels + level(own))
            }
        };
        sets + captures
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
        let below = self.below.iter_mut().flat_map(Below::each);
        let longest = below.map(|finished| finished.longest(question.value)).max().unwrap_or(0);
        let last = if self.has_distances { 2 * longest + 2 } else { 1 };
        let mut found_before = 0;
        for ply in 0.. {
            self.reveal(question, ply);
            let step = if ply % 2 == 0 { Step::Defend } else { Step::Attack };
            let is_white = (question.attacker == Side::White) == (step == Step::Attack);
            let found =
                if is_white { self.white_step(question, step, ply) } else { self.black_step(question, step, ply) };
            progress(ply, found);
            if found > 0 && self.has_distances && ply > LONGEST {
                return None;
            }
            if ply > last && found == 0 && found_before == 0 {
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
            below.white.reset(attacker == Side::White, now);
            if let Some(black) = &mut below.black {
                black.reset(attacker == Side::Black, now);
            }
        }
        if let Captures::Optional(closure) = &mut self.captures {
            closure.forget(now);
        }
    }

    /// Shows the positions of finished layers that are known from this ply on.
    fn reveal(&mut self, question: Question, ply: u32) {
        let half = match (self.has_distances, ply) {
            (true, 0) => return,
            (true, ply) => Some((ply - 1) / 2),
            (false, 0) => None,
            (false, _) => return,
        };
        self.time += 1;
        let (now, shown) = (self.time, Shown { value: question.value, half });
        // In an odd ply those that the defender has lost, in an even one those that the attacker has won.
        let shows_lost = half.is_none() || ply % 2 == 1;
        let shows_won = half.is_none() || ply.is_multiple_of(2);
        for below in &mut self.below {
            for (finished, side) in [(Some(&mut below.white), Side::White), (below.black.as_mut(), Side::Black)] {
                let is_attacker = side == question.attacker;
                if let Some(finished) = finished.filter(|_| if is_attacker { shows_won } else { shows_lost }) {
                    finished.show(shown, !is_attacker, now);
                }
            }
        }
    }

    fn white_step(&mut self, question: Question, step: Step, ply: u32) -> u64 {
        self.time += 1;
        let finished = self.below.iter().filter_map(|below| below.black.as_ref().map(Finished::source));
        let own = Source { set: &self.black, chunks: self.layout.chunks() };
        let sources: Vec<Source> = std::iter::once(own).chain(finished).collect();
        let work = Work { layout: &self.layout, question, step, ply, now: self.time, keeps: self.has_distances };
        let (ways, goats_to_live) = (&self.white_ways, self.rules.goats_to_live);
        let [known, _] = &mut self.known;
        let rows = work.rows(&mut self.white, known, &self.table_rows);
        let sum = AtomicU64::new(0);
        share(self.threads, rows, |(pair, row, known)| {
            let Some(ways) = ways.get(pair) else { return };
            let chunks = work.layout.chunks();
            let mark = |since, marks: &mut [bool]| ways.mark(&sources, chunks, since, marks);
            let found = work.row(row, known, &mark, &|chunk, since, found| {
                ways.gather(&sources, chunks.top(chunk), since, found);
                if step == Step::Defend {
                    // Where too few goats are left the game is over, whatever the moves.
                    for (found, high) in found.iter_mut().zip(chunks.highs_of(chunk)) {
                        *found = without(*found, work.layout.fewer(high, goats_to_live));
                    }
                }
            });
            sum.fetch_add(found, Relaxed);
        });
        sum.into_inner()
    }

    fn black_step(&mut self, question: Question, step: Step, ply: u32) -> u64 {
        self.update_captures(step);
        self.time += 1;
        let chunks = self.layout.chunks();
        let white = Source { set: &self.white, chunks };
        let steps = [white];
        let work = Work { layout: &self.layout, question, step, ply, now: self.time, keeps: self.has_distances };
        let [_, known] = &mut self.known;
        let rows = work.rows(&mut self.black, known, &self.table_rows);
        let (captures, tiger_ways, capture_ways) = (&self.captures, &self.tiger_ways, &self.capture_ways);
        let groups: Vec<Source> = (0..self.layout.points().len() as usize)
            .filter_map(|place| captures.group(place))
            .map(|set| Source { set, chunks })
            .collect();
        let sum = AtomicU64::new(0);
        share(self.threads, rows, |(pair, row, known)| {
            let (Some(ways), Some(jumps)) = (tiger_ways.get(pair), capture_ways.get(pair)) else { return };
            let mark = |since, marks: &mut [bool]| {
                ways.mark(&steps, chunks, since, marks);
                jumps.mark(&groups, chunks, since, marks);
            };
            let found = work.row(row, known, &mark, &|chunk, since, found| {
                let top = chunks.top(chunk);
                ways.gather(&steps, top, since, found);
                if let Captures::Longest(longest) = captures {
                    for (at, found) in (chunk * chunks.size()..).zip(found.iter_mut()) {
                        *found = both(*found, longest.quiet(pair, at));
                    }
                }
                jumps.gather(&groups, top, since, found);
            });
            sum.fetch_add(found, Relaxed);
        });
        sum.into_inner()
    }

    fn update_captures(&mut self, step: Step) {
        let layouts: Vec<&Layout> =
            std::iter::once(&self.layout).chain(self.below.iter().map(|below| below.white.layout())).collect();
        let own = Source { set: &self.white, chunks: self.layout.chunks() };
        let positions: Vec<Source> =
            std::iter::once(own).chain(self.below.iter().map(|below| below.white.source())).collect();
        match &mut self.captures {
            // If Black attacks, more and more of White's positions are lost; else fewer and fewer are open.
            Captures::Optional(closure) => {
                self.time = closure.update(&positions, &layouts, self.threads, step == Step::Attack, self.time);
            }
            Captures::Longest(longest) => {
                self.time += 1;
                longest.update(&self.states, &positions, &layouts, self.threads, self.time);
            }
        }
    }

    /// The arrangement of the layer's positions.
    pub const fn layout(&self) -> &Layout {
        &self.layout
    }

    /// Block `number` of the layer's table.
    pub fn block(&self, number: u64) -> Block {
        let digits = Value::digits(self.rules);
        let row_size = self.layout.chunks().row_size() as u64;
        let vectors = 2 * self.layout.rows().len() as u64 * row_size;
        let first = number * (super::file::BLOCK_POSITIONS >> VECTOR_SLOTS);
        let last = (first + (super::file::BLOCK_POSITIONS >> VECTOR_SLOTS)).min(vectors);
        let mut block = Block::default();
        for vector in first..last {
            let (row, at) = ((vector / row_size) as usize, (vector % row_size) as usize);
            let (side, row) = (row / self.layout.rows().len(), row % self.layout.rows().len());
            let Some(known) = self.known.get(side).and_then(|rows| rows.get(row)) else { continue };
            for lane in 0..super::vector::LANES {
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

/// For each pair the ways into the two groups of its captures.
fn capture_ways(layout: &Layout) -> Vec<Ways> {
    let place = |point| layout.place(point).unwrap_or(usize::MAX);
    let way = |tiger, standing| Way { source: place(standing), term: Term::same(place(tiger) as u32) };
    let both = |[one, other]: &[Point; 2]| Ways::new(vec![way(*one, *other), way(*other, *one)], layout.chunks());
    layout.pairs().iter().map(both).collect()
}

/// What is done in one step to every row of a set.
struct Work<'a> {
    layout: &'a Layout,
    question: Question,
    step: Step,
    ply: u32,
    now: u32,
    /// Whether distances are kept.
    keeps: bool,
}

impl Work<'_> {
    /// The rows of a set, by pair, with what is known of them if that is kept.
    fn rows<'r>(
        &self,
        set: &'r mut Set,
        known: &'r mut [Known],
        table_rows: &'r [Option<usize>],
    ) -> impl Iterator<Item = (usize, &'r mut Row, Option<&'r mut Known>)> + Send {
        // Rows of the table are in the order of their pairs.
        let mut known = known.iter_mut();
        set.rows
            .iter_mut()
            .zip(table_rows)
            .enumerate()
            .map(move |(pair, (row, table_row))| (pair, row, table_row.and_then(|_| known.next())))
    }

    /// Works out the chunks of a row that `mark` marks, since a time; how many positions were found. `reach` adds the
    /// positions of a chunk that have a move into the other set, where that has changed since a time.
    fn row(
        &self,
        row: &mut Row,
        mut known: Option<&mut Known>,
        mark: &dyn Fn(u32, &mut [bool]),
        reach: &dyn Fn(usize, u32, &mut [Vector]),
    ) -> u64 {
        let chunks = self.layout.chunks();
        let since = row.done();
        let mut marks = vec![since == 0; chunks.count()];
        if since > 0 {
            mark(since, &mut marks);
        }
        let mut found = vec![NONE; chunks.size()];
        let mut sum = 0;
        for chunk in marks.iter().enumerate().filter(|(_, mark)| **mark).map(|(chunk, _)| chunk) {
            if self.candidates(row, chunk).any(|candidates| candidates != NONE) {
                found.fill(NONE);
                reach(chunk, if self.step == Step::Attack { since } else { 0 }, &mut found);
                if self.settle(row, chunk, &found, known.as_deref_mut(), &mut sum) {
                    row.touch(chunk, self.now);
                }
            }
        }
        row.note(self.now);
        sum
    }

    /// The members of a chunk's vectors that may be found: open ones, or those not lost yet.
    fn candidates<'r>(&'r self, row: &'r Row, chunk: usize) -> impl Iterator<Item = Vector> + 'r {
        let chunks = self.layout.chunks();
        row.chunk(chunk, chunks.size()).iter().zip(chunks.highs_of(chunk)).map(|(set, high)| self.candidate(*set, high))
    }

    #[inline]
    fn candidate(&self, set: Vector, high: u32) -> Vector {
        match (self.step, self.question.attacker) {
            (Step::Attack, _) => set,
            (Step::Defend, Side::White) => without(self.layout.at_least(high, self.question.goats), set),
            (Step::Defend, Side::Black) => without(self.layout.valid(high), set),
        }
    }

    /// Puts a chunk's new set in place; whether it has changed.
    fn settle(&self, row: &mut Row, chunk: usize, found: &[Vector], known: Option<&mut Known>, sum: &mut u64) -> bool {
        let chunks = self.layout.chunks();
        let (first, row_size) = (chunk * chunks.size(), chunks.row_size());
        let mut known = known;
        let mut has_changed = false;
        let set = row.chunk_mut(chunk, chunks.size());
        for (number, ((vector, found), high)) in set.iter_mut().zip(found).zip(chunks.highs_of(chunk)).enumerate() {
            let candidates = self.candidate(*vector, high);
            let new = match self.step {
                Step::Attack => both(candidates, *found),
                Step::Defend => without(candidates, *found),
            };
            if new == NONE {
                continue;
            }
            has_changed = true;
            *sum += u64::from(count(new));
            *vector = super::vector::join(*vector, new, |old, new| old ^ new);
            if let Some(known) = known.as_deref_mut() {
                known.classes.put(first + number, row_size, new, u32::from(self.question.value.class()));
                if self.keeps {
                    known.halves.put(first + number, row_size, new, self.ply / 2);
                }
            }
        }
        has_changed
    }
}
