//! Iterative deepening with aspiration windows, and the list of best lines.

use crate::eval::evaluate;
use crate::moves::Move;
use crate::position::Position;
use crate::search::movepick::MovePicker;
use crate::search::pvs::Node;
use crate::search::score::{Score, ScoreKind};
use crate::search::searcher::{SearchContext, Searcher};
use crate::search::window::{Bound, Window};
use crate::search::{Line, MAX_DEPTH, SearchInfo, SearchStats};
use crate::tablebase::Probe;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;

/// First iteration with an aspiration window around the last score.
const ASPIRATION_DEPTH: u32 = 5;
/// Half its width, in centigoats.
const ASPIRATION: i32 = 30;
/// Bounds and current moves are reported only after this time.
const CHATTY_AFTER: Duration = Duration::from_secs(1);
/// Moves that the shown variation should have at least where the game allows.
const SHORTEST_LINE: usize = 2;

impl SearchContext<'_> {
    pub fn effort(&self) -> SearchStats {
        SearchStats {
            nodes: self.nodes.load(Relaxed),
            time: self.control.elapsed(),
            permille_full: self.table.permille_full(),
            table_hits: self.table_hits.load(Relaxed),
        }
    }

    /// Deepest iteration to run.
    fn last_depth(&self) -> u32 {
        let mate = self.limits.mate.map(|moves| moves.saturating_mul(2));
        [self.limits.depth, mate].into_iter().flatten().min().unwrap_or(MAX_DEPTH).clamp(1, MAX_DEPTH)
    }
}

/// Iterative deepening of one thread.
pub(super) struct RootSearch<'a> {
    job: &'a SearchContext<'a>,
    worker: Searcher<'a>,
    /// 0 for the thread that gives the answer.
    number: usize,
    root: &'a Position,
    /// The best lines of the last iteration, as far as it went.
    lines: Vec<Line>,
    /// How many iterations in a row the best move has been the same.
    stable_for: u32,
}

impl<'a> RootSearch<'a> {
    pub fn new(job: &'a SearchContext<'a>, number: usize) -> Self {
        let worker = Searcher::new(job);
        Self { job, worker, number, root: job.game.position(), lines: Vec::new(), stable_for: 0 }
    }

    /// Runs iterations until a limit is reached.
    pub fn iterate(mut self, tell: &mut dyn FnMut(SearchInfo)) -> Vec<Line> {
        let root_moves = self.root_moves(&[]).len();
        for depth in 1..=self.job.last_depth() {
            // Helpers look ahead by turns, so that the threads are not all at the same work.
            let ahead = (self.number % 2) as u32;
            let is_complete = self.iteration(depth + ahead, root_moves, tell);
            if !is_complete || self.number == 0 && self.is_enough(depth, root_moves) {
                break;
            }
        }
        self.worker.bring_in_nodes();
        self.lines
    }

    /// The root's moves, each result once, without those `taken`.
    fn root_moves(&self, taken: &[Move]) -> MovePicker {
        let mut moves = MovePicker::default();
        moves.fill_chosen(self.root, &self.job.limits.root_moves);
        moves.remove(taken);
        moves
    }

    /// Searches all lines to a depth; false if it was broken off. What was finished is kept either way.
    fn iteration(&mut self, depth: u32, root_moves: usize, tell: &mut dyn FnMut(SearchInfo)) -> bool {
        self.worker.deepest = 0;
        let mut fresh: Vec<Line> = Vec::new();
        let mut is_complete = true;
        for rank in 0..self.job.line_count.min(root_moves) {
            let taken: Vec<Move> = fresh.iter().filter_map(|line| line.moves.first().copied()).collect();
            let (line, is_whole) = self.search_line(depth, rank, &taken, tell);
            fresh.extend(line);
            self.worker.may_stop = true;
            is_complete = is_whole;
            if !is_complete {
                break;
            }
        }
        fresh.sort_by_key(|line| std::cmp::Reverse(line.score));
        // A list of lines of different depths would be in no order.
        if is_complete || self.job.line_count == 1 || self.lines.is_empty() {
            self.merge(fresh);
        }
        self.worker.bring_in_nodes();
        if is_complete {
            let effort = self.job.effort();
            for (index, line) in self.lines.iter().enumerate() {
                tell(SearchInfo::Line { rank: index + 1, line, effort });
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
            if fresh.len() < self.job.line_count && !fresh.iter().any(|new| same_start(new, &old)) {
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
        tell: &mut dyn FnMut(SearchInfo),
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
    fn search_root(
        &mut self,
        depth: u32,
        window: Window,
        taken: &[Move],
        tell: &mut dyn FnMut(SearchInfo),
    ) -> Option<Score> {
        let mut moves = self.root_moves(taken);
        self.worker.return_to_root();
        let is_whole = taken.is_empty() && self.job.limits.root_moves.is_empty();
        let node = Node { position: self.root, depth: depth as i32, ply: 0, is_pv: true, is_whole };
        let entry = self.job.table.get(self.root.key());
        self.worker.enter(0)?;
        let mut number = 0;
        let mut current = |mv: Move| {
            number += 1;
            if self.job.control.elapsed() >= CHATTY_AFTER {
                tell(SearchInfo::Current { depth, mv, number: number + taken.len() });
            }
        };
        self.worker.search_list(&node, &mut moves, entry, window, &mut current).map(|value| value.score)
    }

    fn tell_bound(&mut self, score: Score, bound: Bound, depth: u32, rank: usize, tell: &mut dyn FnMut(SearchInfo)) {
        if self.job.control.elapsed() < CHATTY_AFTER {
            return;
        }
        self.worker.bring_in_nodes();
        let mut line = self.line(score, bound, depth);
        if let (true, Some(last)) = (line.moves.is_empty(), self.lines.get(rank)) {
            line.moves.clone_from(&last.moves);
        }
        tell(SearchInfo::Line { rank: rank + 1, line: &line, effort: self.job.effort() });
    }

    /// The line that the worker has just found, made long enough to be shown.
    fn line(&self, score: Score, bound: Bound, depth: u32) -> Line {
        let mut moves = self.worker.variation().to_vec();
        if !moves.is_empty() {
            self.lengthen(&mut moves);
        }
        Line { moves, score, bound, depth, deepest: u32::from(self.worker.deepest) }
    }

    /// Adds likely moves to a line that is too short to be shown, unless the game ends with it.
    fn lengthen(&self, moves: &mut Vec<Move>) {
        if moves.len() >= SHORTEST_LINE {
            return;
        }
        let mut game = self.job.game.clone();
        moves.iter().for_each(|mv| game.play(*mv));
        while moves.len() < SHORTEST_LINE
            && game.outcome_on_board().is_none()
            && let Some(mv) = self.likely_move(game.position())
        {
            moves.push(mv);
            game.play(mv);
        }
    }

    /// A best move by the solved tables, the transposition table's move, or else the one that looks best at once.
    fn likely_move(&self, position: &Position) -> Option<Move> {
        if let Some((_, best)) = self.job.tables.and_then(|tables| tables.best_moves(position)) {
            return best.first().copied();
        }
        let legal = position.legal_moves();
        let known = self.job.table.get(position.key()).and_then(|entry| legal.get(usize::from(entry.best?)).copied());
        known.or_else(|| {
            let worth = |mv: &&Move| {
                let child = position.play(**mv);
                let end = child.ending().map(|ending| Score::of_end(&child, ending.winner(), 0));
                -end.unwrap_or_else(|| Score::evaluation(evaluate(&child)))
            };
            legal.iter().max_by_key(worth).copied()
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
        let is_settled = self.is_settled(best.score, depth);
        is_settled || root_moves == 1 || elapsed >= budget.soft.mul_f64(self.patience())
    }

    /// Whether no deeper search can change a forced end: it lies within the depth, for as many points as can be.
    fn is_settled(&self, score: Score, depth: u32) -> bool {
        let (winner, forced) = match score.kind() {
            ScoreKind::Win(forced) => (self.root.side(), forced),
            ScoreKind::Loss(forced) => (self.root.side().opponent(), forced),
            ScoreKind::Evaluation(_) => return false,
        };
        let most = self.root.rules().win_points(winner, self.root.goats_alive());
        let solved = self.job.tables.and_then(|tables| tables.probe(self.root).ok());
        let is_solved = solved.is_some_and(|Probe { value, plies }| {
            value.winner() == Some(winner)
                && value.points(self.root.rules()) == forced.points
                && plies == Some(forced.plies)
        });
        is_solved || forced.plies < depth && forced.points >= most
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
    match score.kind() {
        ScoreKind::Win(forced) => forced.plies.div_ceil(2) <= moves,
        ScoreKind::Loss(forced) => forced.plies / 2 <= moves,
        ScoreKind::Evaluation(_) => false,
    }
}
