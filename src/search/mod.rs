//! The search: iterative deepening over a principal variation search, with any number of threads.
//!
//! It is a library with a callback: it prints nothing and knows no protocol. One thread gives the same result every
//! time; more threads search the same tree and help each other through the table (lazy SMP).

pub mod limits;
mod node;
mod order;
mod quiescence;
pub mod score;
pub mod table;
pub mod window;
mod worker;

use crate::eval::evaluate;
use crate::game::{Game, Outcome};
use crate::moves::Move;
use crate::position::Position;
use limits::{Budget, Control, Limits};
use node::Node;
use order::Moves;
use score::{Score, Verdict};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::time::Duration;
use table::Table;
use window::{Bound, Ply, Window};
use worker::{Job, Worker};

/// Deepest iteration, in plies.
pub const MAX_DEPTH: u32 = 200;
/// Longest path from the root.
const MAX_PLY: Ply = 240;
/// First iteration with an aspiration window around the last score.
const ASPIRATION_DEPTH: u32 = 5;
/// Half its width, in centigoats.
const ASPIRATION: i32 = 30;
/// Bounds and current moves are reported only after this time.
const CHATTY_AFTER: Duration = Duration::from_secs(1);
/// Moves that the shown variation should have at least where the game allows.
const SHORTEST_LINE: usize = 2;

/// What the search may leave out.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub enum Style {
    /// All that makes it strong: reductions, pruning, the table.
    #[default]
    Selective,
    /// No reductions and no pruning but alpha-beta's own; from the table only forced ends. What it says of a forced
    /// end within its depth is exact.
    FullWidth,
    /// Plain minimax to its depth with the static evaluation there, a repetition on the path counting as a draw. It
    /// takes nothing but move ordering from the table.
    Minimax,
}

/// Settings that outlast a search.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Settings {
    /// Threads, 1 or more.
    pub threads: usize,
    /// Best lines wanted, 1 or more.
    pub lines: usize,
    /// Time kept back for what happens between the clocks.
    pub overhead: Duration,
    /// What the search may leave out.
    pub style: Style,
}

impl Default for Settings {
    fn default() -> Self {
        Self { threads: 1, lines: 1, overhead: Duration::ZERO, style: Style::Selective }
    }
}

/// A line of play with its value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Line {
    /// Moves from the root on; the first is the move to play. Empty only where there is no move.
    pub moves: Vec<Move>,
    /// Value for the side to move at the root, distances counted from there.
    pub score: Score,
    /// Whether the score is a bound.
    pub bound: Bound,
    /// Depth of the iteration that found it, in plies.
    pub depth: u32,
    /// Deepest ply that iteration has visited.
    pub deepest: u32,
}

/// News of a running search.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum News<'a> {
    /// A line of the list of best lines.
    Line {
        /// Its place in the list, from 1.
        rank: usize,
        /// The line.
        line: &'a Line,
        /// Effort so far.
        effort: Effort,
    },
    /// The root move that is being searched.
    Current {
        /// The iteration's depth, in plies.
        depth: u32,
        /// The move.
        mv: Move,
        /// Its number in the iteration, from 1.
        number: usize,
    },
}

/// What a search has cost so far.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub struct Effort {
    /// Nodes visited, quiescence included, over all threads.
    pub nodes: u64,
    /// Time since it began.
    pub time: Duration,
    /// How full the transposition table is, in permille.
    pub permille_full: u32,
}

/// What a search has found.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Answer {
    /// The best lines, best first; one with no moves if there is no move to play.
    pub lines: Vec<Line>,
    /// What it has cost.
    pub effort: Effort,
}

impl Answer {
    /// The move to play; `None` where the game is over.
    pub fn best(&self) -> Option<Move> {
        self.lines.first()?.moves.first().copied()
    }

    /// The reply that is expected.
    pub fn expected_reply(&self) -> Option<Move> {
        self.lines.first()?.moves.get(1).copied()
    }
}

/// Searches the position on the board of a game, whether or not somebody has lost it by an illegal move.
///
/// `tell` hears of every finished line, and once more of all of them at the end. The search ends at the first limit
/// reached or when `control` stops it, and not as long as `control` holds it. There is always an answer,
/// since the first iteration is never broken off.
pub fn search(
    game: &Game,
    limits: &Limits,
    settings: &Settings,
    table: &Table,
    control: &Control,
    mut tell: impl FnMut(News),
) -> Answer {
    table.grow_older();
    let job = Job {
        game,
        limits,
        budget: Budget::new(limits, settings.overhead),
        style: if limits.mate.is_some() { settings.style.max_width() } else { settings.style },
        lines: settings.lines.max(1),
        table,
        control,
        nodes: AtomicU64::new(0),
        done: AtomicBool::new(false),
    };
    let lines = match final_line(game) {
        Some(line) => vec![line],
        None => run_threads(&job, settings.threads, &mut tell),
    };
    control.wait_until_free();
    let effort = job.effort();
    for (index, line) in lines.iter().enumerate() {
        tell(News::Line { rank: index + 1, line, effort });
    }
    Answer { lines, effort }
}

impl Style {
    const fn max_width(self) -> Self {
        match self {
            Self::Selective | Self::FullWidth => Self::FullWidth,
            Self::Minimax => Self::Minimax,
        }
    }
}

/// The empty line of a game that is over, with its value for the side to move.
fn final_line(game: &Game) -> Option<Line> {
    let outcome = game.outcome_on_board()?;
    let position = game.position();
    let score = match outcome.winner() {
        None => Score::DRAW,
        Some(winner) => {
            let points = position.rules().win_points(winner, position.goats_alive());
            if winner == position.side() { Score::win(points, 0) } else { Score::loss(points, 0) }
        }
    };
    debug_assert!(!matches!(outcome, Outcome::Ended(_)) || position.legal_moves().is_empty());
    Some(Line { moves: Vec::new(), score, bound: Bound::Exact, depth: 0, deepest: 0 })
}

fn run_threads(job: &Job, threads: usize, tell: &mut dyn FnMut(News)) -> Vec<Line> {
    std::thread::scope(|scope| {
        for number in 1..threads.max(1) {
            // A helper that can't be started is done without.
            let helper = std::thread::Builder::new().name(format!("search {number}"));
            let _ = helper.spawn_scoped(scope, move || Driver::new(job, number).iterate(&mut |_| {}));
        }
        let lines = Driver::new(job, 0).iterate(tell);
        job.done.store(true, Relaxed);
        lines
    })
}

impl Job<'_> {
    fn effort(&self) -> Effort {
        Effort {
            nodes: self.nodes.load(Relaxed),
            time: self.control.elapsed(),
            permille_full: self.table.permille_full(),
        }
    }

    /// Deepest iteration to run.
    fn last_depth(&self) -> u32 {
        let mate = self.limits.mate.map(|moves| moves.saturating_mul(2));
        [self.limits.depth, mate].into_iter().flatten().min().unwrap_or(MAX_DEPTH).clamp(1, MAX_DEPTH)
    }
}

/// Iterative deepening of one thread.
struct Driver<'a> {
    job: &'a Job<'a>,
    worker: Worker<'a>,
    /// 0 for the thread that gives the answer.
    number: usize,
    root: &'a Position,
    /// The best lines of the last iteration, as far as it went.
    lines: Vec<Line>,
    /// How many iterations in a row the best move has been the same.
    stable_for: u32,
}

impl<'a> Driver<'a> {
    fn new(job: &'a Job<'a>, number: usize) -> Self {
        let worker = Worker::new(job);
        Self { job, worker, number, root: job.game.position(), lines: Vec::new(), stable_for: 0 }
    }

    /// Runs iterations until a limit is reached.
    fn iterate(mut self, tell: &mut dyn FnMut(News)) -> Vec<Line> {
        let root_moves = self.root_moves(&[]).len();
        for depth in 1..=self.job.last_depth() {
            // Helpers look ahead by turns, so that the threads are not all at the same work.
            let ahead = (self.number % 2) as u32;
            let is_complete = self.iteration(depth + ahead, root_moves, tell);
            self.worker.may_stop = true;
            if !is_complete || self.number == 0 && self.is_enough(depth, root_moves) {
                break;
            }
        }
        self.worker.bring_in_nodes();
        self.lines
    }

    /// The root's moves without those that lead elsewhere lines already.
    fn root_moves(&self, taken: &[Move]) -> Moves {
        let wanted = &self.job.limits.search_moves;
        let mut moves = Moves::default();
        moves.fill_chosen(self.root, |mv| (wanted.is_empty() || wanted.contains(&mv)) && !taken.contains(&mv));
        moves
    }

    /// Searches all lines to a depth; false if it was broken off. What was finished is kept either way.
    fn iteration(&mut self, depth: u32, root_moves: usize, tell: &mut dyn FnMut(News)) -> bool {
        self.worker.deepest = 0;
        let mut fresh: Vec<Line> = Vec::new();
        let mut is_complete = true;
        for rank in 0..self.job.lines.min(root_moves) {
            let taken: Vec<Move> = fresh.iter().filter_map(|line| line.moves.first().copied()).collect();
            let (line, is_whole) = self.search_line(depth, rank, &taken, tell);
            fresh.extend(line);
            is_complete = is_whole;
            if !is_complete {
                break;
            }
        }
        fresh.sort_by_key(|line| std::cmp::Reverse(line.score));
        // A list of lines of different depths would be in no order.
        if is_complete || self.job.lines == 1 {
            self.merge(fresh);
        }
        self.worker.bring_in_nodes();
        if is_complete {
            let effort = self.job.effort();
            for (index, line) in self.lines.iter().enumerate() {
                tell(News::Line { rank: index + 1, line, effort });
            }
        }
        is_complete
    }

    /// Puts the lines of this iteration before those of the last that start otherwise.
    fn merge(&mut self, mut fresh: Vec<Line>) {
        let same_start = |one: &Line, other: &Line| one.moves.first() == other.moves.first();
        let is_same_best =
            matches!((fresh.first(), self.lines.first()), (Some(new), Some(old)) if same_start(new, old));
        self.stable_for = if is_same_best { self.stable_for + 1 } else { 0 };
        for old in std::mem::take(&mut self.lines) {
            if fresh.len() < self.job.lines && !fresh.iter().any(|new| same_start(new, &old)) {
                fresh.push(old);
            }
        }
        self.lines = fresh;
    }

    /// Searches the best line that starts with none of the moves `taken`, with an aspiration window.
    ///
    /// Returns the line, if there is news of it, and whether the search was finished.
    fn search_line(
        &mut self,
        depth: u32,
        rank: usize,
        taken: &[Move],
        tell: &mut dyn FnMut(News),
    ) -> (Option<Line>, bool) {
        let last = self.lines.get(rank).map(|line| line.score);
        let (mut below, mut above) = (ASPIRATION, ASPIRATION);
        let mut window = match last {
            Some(score) if depth >= ASPIRATION_DEPTH && !score.is_decisive() => Window::around(score, below, above),
            _ => Window::full(),
        };
        loop {
            let Some(score) = self.search_root(depth, window, taken, tell) else {
                let line = self.worker.root_best.map(|score| self.line(score, Bound::Exact, depth));
                return (line, false);
            };
            let bound = if score <= window.alpha {
                below *= 4;
                Bound::Upper
            } else if window.is_cut_by(score) {
                above *= 4;
                Bound::Lower
            } else {
                return (Some(self.line(score, Bound::Exact, depth)), true);
            };
            self.tell_bound(score, bound, depth, rank, tell);
            let center = last.unwrap_or(Score::DRAW);
            let is_wild = below.max(above) > 16 * ASPIRATION || score.is_decisive();
            window = if is_wild { Window::full() } else { Window::around(center, below, above) };
        }
    }

    /// One search from the root; `None` if it was broken off.
    fn search_root(&mut self, depth: u32, window: Window, taken: &[Move], tell: &mut dyn FnMut(News)) -> Option<Score> {
        let mut moves = self.root_moves(taken);
        self.worker.return_to_root();
        self.worker.is_root_partial = !taken.is_empty() || !self.job.limits.search_moves.is_empty();
        let node = Node { position: self.root, depth: depth as i32, ply: 0, is_pv: true };
        let entry = self.job.table.get(self.root.key());
        self.worker.enter(0)?;
        let mut number = 0;
        let mut current = |mv: Move| {
            number += 1;
            if self.job.control.elapsed() >= CHATTY_AFTER {
                tell(News::Current { depth, mv, number: number + taken.len() });
            }
        };
        self.worker.search_moves(&node, &mut moves, entry, window, &mut current).map(|value| value.score)
    }

    fn tell_bound(&mut self, score: Score, bound: Bound, depth: u32, rank: usize, tell: &mut dyn FnMut(News)) {
        if self.job.control.elapsed() < CHATTY_AFTER {
            return;
        }
        self.worker.bring_in_nodes();
        let mut line = self.line(score, bound, depth);
        if let (true, Some(last)) = (line.moves.is_empty(), self.lines.get(rank)) {
            line.moves.clone_from(&last.moves);
        }
        tell(News::Line { rank: rank + 1, line: &line, effort: self.job.effort() });
    }

    /// The line that the worker has just found, made long enough to be shown.
    fn line(&self, score: Score, bound: Bound, depth: u32) -> Line {
        let mut moves = self.worker.line().to_vec();
        if !moves.is_empty() {
            self.lengthen(&mut moves);
        }
        Line { moves, score, bound, depth, deepest: u32::from(self.worker.deepest) }
    }

    /// Adds likely moves to a line that is too short to be shown.
    fn lengthen(&self, moves: &mut Vec<Move>) {
        let mut position = moves.iter().fold(*self.root, |position, mv| position.play(*mv));
        while moves.len() < SHORTEST_LINE
            && let Some(mv) = self.likely_move(&position)
        {
            moves.push(mv);
            position = position.play(mv);
        }
    }

    /// The table's move, or else the one that looks best at once.
    fn likely_move(&self, position: &Position) -> Option<Move> {
        let legal = position.legal_moves();
        let known = self.job.table.get(position.key()).and_then(|entry| legal.get(usize::from(entry.best?)).copied());
        known.or_else(|| {
            let looks = |mv: &&Move| {
                let child = position.play(**mv);
                let lost = child.ending().map(|ending| ending.winner() == child.side());
                (lost.map_or(0, |lost| if lost { 1 } else { -1 }), evaluate(&child))
            };
            legal.iter().min_by_key(looks).copied()
        })
    }

    /// Whether no further iteration is worth beginning.
    fn is_enough(&self, depth: u32, root_moves: usize) -> bool {
        let Some(best) = self.lines.first() else {
            return true;
        };
        if self.job.control.is_held() {
            return false;
        }
        if let Some(most) = self.job.limits.mate
            && is_forced_within(best.score, most)
        {
            return true;
        }
        let Some(budget) = self.job.budget else {
            return false;
        };
        let elapsed = self.job.control.time_used();
        if budget.is_fixed {
            return elapsed >= budget.hard;
        }
        let is_settled = match best.score.verdict() {
            Verdict::Win(forced) | Verdict::Loss(forced) => forced.plies < depth,
            Verdict::Evaluation(_) => false,
        };
        is_settled || root_moves == 1 || elapsed >= budget.soft.mul_f64(self.patience())
    }

    /// Share of the soft time to use: less for a best move that has stayed the same, more for one that is new.
    fn patience(&self) -> f64 {
        match self.stable_for {
            0 => 1.4,
            1..4 => 1.0,
            _ => 0.6,
        }
    }
}

/// Whether a score says that the game ends within so many moves of the winner.
fn is_forced_within(score: Score, moves: u32) -> bool {
    match score.verdict() {
        Verdict::Win(forced) => forced.plies.div_ceil(2) <= moves,
        Verdict::Loss(forced) => forced.plies / 2 <= moves,
        Verdict::Evaluation(_) => false,
    }
}
