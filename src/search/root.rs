//! Iterative deepening with aspiration windows, and the list of best lines (MultiPV).

use crate::eval::evaluate;
use crate::moves::Move;
use crate::position::Position;
use crate::search::context::SearchContext;
use crate::search::movepick::MovePicker;
use crate::search::pvs::Node;
use crate::search::result::{Line, SearchInfo};
use crate::search::score::{Score, ScoreKind};
use crate::search::searcher::Searcher;
use crate::search::window::{Bound, Window};
use crate::tablebase::Probe;
use std::ops::RangeInclusive;
use std::time::Duration;

/// First iteration with an aspiration window around the last score, in plies.
const ASPIRATION_DEPTH: u32 = 5;
/// Half of its width, in centigoats.
const ASPIRATION: i32 = 30;
/// Half of the width from which on the full window is used, in centigoats.
const MAX_ASPIRATION: i32 = 16 * ASPIRATION;
/// Bounds and current moves are reported only after this time.
const VERBOSE_AFTER: Duration = Duration::from_secs(1);
/// Moves that a reported line should have at least where the game allows.
const SHORTEST_LINE: usize = 2;

/// An aspiration window, which grows on the side on which the search fails (Slate and Atkin 1977; Shams, Kaindl and
/// Horacek 1991).
#[derive(Copy, Clone)]
struct Aspiration {
    center: Score,
    /// Centigoats from the center to alpha.
    below: i32,
    /// Centigoats from the center to beta.
    above: i32,
}

impl Aspiration {
    /// The window to begin with at a depth, around the last iteration's score; `None` stands for the full window.
    fn new(center: Option<Score>, depth: u32) -> Option<Self> {
        let center = center.filter(|score| depth >= ASPIRATION_DEPTH && !score.is_decisive())?;
        Some(Self { center, below: ASPIRATION, above: ASPIRATION })
    }

    fn window(self) -> Window {
        Window::around(self.center, self.below, self.above)
    }

    /// The window to try after this one has failed with a score that is a bound; `None` stands for the full window.
    fn widened(mut self, score: Score, bound: Bound) -> Option<Self> {
        *(if bound == Bound::Upper { &mut self.below } else { &mut self.above }) *= 4;
        (self.below.max(self.above) <= MAX_ASPIRATION && !score.is_decisive()).then_some(self)
    }
}

/// Iterative deepening of one thread.
pub struct RootSearch<'a> {
    context: &'a SearchContext<'a>,
    searcher: Searcher<'a>,
    /// 0 for the main thread, which gives the result and watches the time.
    thread: usize,
    root: &'a Position,
    /// The best lines of the last iteration, best first, as far as it went.
    lines: Vec<Line>,
    /// Iterations in a row with the same best move.
    stable_iterations: u32,
}

impl<'a> RootSearch<'a> {
    pub fn new(context: &'a SearchContext<'a>, thread: usize) -> Self {
        let mut searcher = Searcher::new(context);
        searcher.may_stop = thread > 0;
        Self { context, searcher, thread, root: context.game.position(), lines: Vec::new(), stable_iterations: 0 }
    }

    /// Runs the iterations of these depths, up to that at which a limit is reached; false if one is.
    pub fn iterate(&mut self, depths: RangeInclusive<u32>, on_info: &mut dyn FnMut(SearchInfo)) -> bool {
        let root_moves = self.root_moves(&[]).len();
        let is_going_on = depths.into_iter().all(|depth| {
            // Every other thread is a ply ahead, so that they are not all at the same work.
            let ahead = (self.thread % 2) as u32;
            let is_complete = self.iteration(depth + ahead, root_moves, on_info);
            is_complete && (self.thread > 0 || !self.is_enough(depth, root_moves))
        });
        self.searcher.report_counts();
        is_going_on
    }

    /// The best lines found, best first.
    pub fn into_lines(self) -> Vec<Line> {
        self.lines
    }

    /// The root's moves that the limits allow, each result once, without those `excluded`.
    fn root_moves(&self, excluded: &[Move]) -> MovePicker {
        let mut moves = MovePicker::default();
        moves.generate_root(self.root, &self.context.limits.root_moves, excluded);
        moves
    }

    /// Searches all lines to a depth; false if it was broken off. What was finished is kept either way.
    fn iteration(&mut self, depth: u32, root_moves: usize, on_info: &mut dyn FnMut(SearchInfo)) -> bool {
        self.searcher.seldepth = 0;
        let mut lines: Vec<Line> = Vec::new();
        let mut is_complete = true;
        for rank in 0..self.context.multi_pv.min(root_moves) {
            let excluded: Vec<Move> = lines.iter().map(|line| line.moves[0]).collect();
            let (line, is_finished) = self.search_line(depth, rank, &excluded, on_info);
            lines.extend(line);
            self.searcher.may_stop = true;
            is_complete = is_finished;
            if !is_complete {
                break;
            }
        }
        lines.sort_by_key(|line| std::cmp::Reverse(line.score));
        // A list of lines of different depths would be in no order.
        if is_complete || self.context.multi_pv == 1 || self.lines.is_empty() {
            self.merge(lines);
        }
        self.searcher.report_counts();
        if is_complete {
            let stats = self.context.stats();
            for (index, line) in self.lines.iter().enumerate() {
                on_info(SearchInfo::Line { rank: index + 1, line, stats });
            }
        }
        is_complete
    }

    /// Puts the lines of this iteration before those of the last that start with other moves.
    fn merge(&mut self, mut lines: Vec<Line>) {
        let same_start = |one: &Line, other: &Line| one.moves[0] == other.moves[0];
        let is_same_best =
            matches!((lines.first(), self.lines.first()), (Some(new), Some(old)) if same_start(new, old));
        self.stable_iterations = if is_same_best { self.stable_iterations + 1 } else { 0 };
        for old in std::mem::take(&mut self.lines) {
            if lines.len() < self.context.multi_pv && !lines.iter().any(|new| same_start(new, &old)) {
                lines.push(old);
            }
        }
        self.lines = lines;
    }

    /// Searches the best line that starts with none of the moves `excluded`, with an aspiration window.
    ///
    /// Returns the line, if a move has raised alpha, and whether the search was finished.
    fn search_line(
        &mut self,
        depth: u32,
        rank: usize,
        excluded: &[Move],
        on_info: &mut dyn FnMut(SearchInfo),
    ) -> (Option<Line>, bool) {
        let mut aspiration = Aspiration::new(self.lines.get(rank).map(|line| line.score), depth);
        loop {
            let window = aspiration.map_or_else(Window::full, Aspiration::window);
            let Some(score) = self.search_root(depth, window, excluded, on_info) else {
                let line = self.searcher.root_score.map(|score| self.line(score, Bound::Exact, depth));
                return (line, false);
            };
            let bound = if window.fails_low(score) {
                Bound::Upper
            } else if window.fails_high(score) {
                Bound::Lower
            } else {
                return (Some(self.line(score, Bound::Exact, depth)), true);
            };
            self.report_bound(score, bound, depth, rank, on_info);
            aspiration = aspiration.and_then(|aspiration| aspiration.widened(score, bound));
        }
    }

    /// One search from the root; `None` if it was broken off.
    fn search_root(
        &mut self,
        depth: u32,
        window: Window,
        excluded: &[Move],
        on_info: &mut dyn FnMut(SearchInfo),
    ) -> Option<Score> {
        let mut moves = self.root_moves(excluded);
        self.searcher.reset_to_root();
        let has_all_moves = excluded.is_empty() && self.context.limits.root_moves.is_empty();
        let node = Node { position: self.root, depth: depth as i32, ply: 0, is_pv: true, has_all_moves };
        let entry = self.context.tt.probe(self.root.key());
        self.searcher.count_node(0)?;
        let mut number = excluded.len();
        let mut on_move = |mv: Move| {
            number += 1;
            if self.context.control.elapsed() >= VERBOSE_AFTER {
                on_info(SearchInfo::CurrentMove { depth, mv, number });
            }
        };
        self.searcher.search_moves(&node, &mut moves, entry, window, &mut on_move).map(|value| value.score)
    }

    /// Reports a score outside the aspiration window, with the line of the last iteration if no move has raised alpha.
    fn report_bound(
        &mut self,
        score: Score,
        bound: Bound,
        depth: u32,
        rank: usize,
        on_info: &mut dyn FnMut(SearchInfo),
    ) {
        if self.context.control.elapsed() < VERBOSE_AFTER {
            return;
        }
        self.searcher.report_counts();
        let mut line = self.line(score, bound, depth);
        if line.moves.is_empty() {
            line.moves.clone_from(&self.lines[rank].moves);
        }
        on_info(SearchInfo::Line { rank: rank + 1, line: &line, stats: self.context.stats() });
    }

    /// The principal variation just found as a line, made long enough to be reported.
    fn line(&self, score: Score, bound: Bound, depth: u32) -> Line {
        let mut moves = self.searcher.root_pv().to_vec();
        if !moves.is_empty() {
            self.lengthen(&mut moves);
        }
        Line { moves, score, bound, depth, seldepth: u32::from(self.searcher.seldepth) }
    }

    /// Adds likely moves to a line that is too short to be reported, unless the game ends with it.
    fn lengthen(&self, moves: &mut Vec<Move>) {
        if moves.len() >= SHORTEST_LINE {
            return;
        }
        let mut game = self.context.game.clone();
        moves.iter().for_each(|mv| game.play(*mv));
        while moves.len() < SHORTEST_LINE
            && game.outcome_on_board().is_none()
            && let Some(mv) = self.likely_move(game.position())
        {
            moves.push(mv);
            game.play(mv);
        }
    }

    /// A best move by the tablebase, the transposition table's move, or else the one with the best static evaluation.
    fn likely_move(&self, position: &Position) -> Option<Move> {
        if let Some((_, best)) = self.context.tablebase.and_then(|tablebase| tablebase.best_moves(position)) {
            return best.first().copied();
        }
        let legal = position.legal_moves();
        let tt_move = self.context.tt.probe(position.key()).and_then(|entry| entry.move_index);
        tt_move.and_then(|index| legal.get(usize::from(index)).copied()).or_else(|| {
            let score_after = |mv: &&Move| {
                let child = position.play(**mv);
                let end = child.ending().map(|ending| Score::won_by(ending.winner(), &child, 0));
                -end.unwrap_or_else(|| Score::evaluation(evaluate(&child)))
            };
            legal.iter().max_by_key(score_after).copied()
        })
    }

    /// Whether no further iteration is worth beginning.
    fn is_enough(&self, depth: u32, root_moves: usize) -> bool {
        let Some(best) = self.lines.first() else {
            return true;
        };
        if self.context.control.is_held() {
            return false;
        }
        if let Some(most) = self.context.limits.mate
            && is_mate_within(best.score, most)
        {
            return true;
        }
        let Some(time) = self.context.time else {
            return false;
        };
        let elapsed = self.context.control.time_used();
        if time.is_fixed {
            return elapsed >= time.hard;
        }
        self.is_final(best.score, depth) || root_moves == 1 || elapsed >= time.soft_limit(self.stable_iterations)
    }

    /// Whether no deeper search can change a forced end: it lies within the depth, for as many points as can be, or is
    /// the tablebase's.
    fn is_final(&self, score: Score, depth: u32) -> bool {
        let (winner, mate) = match score.kind() {
            ScoreKind::Win(mate) => (self.root.side(), mate),
            ScoreKind::Loss(mate) => (self.root.side().opponent(), mate),
            ScoreKind::Evaluation(_) => return false,
        };
        let most = self.root.rules().win_points(winner, self.root.goats_alive());
        let probe = self.context.tablebase.and_then(|tablebase| tablebase.probe(self.root).ok());
        let is_in_tablebase = probe.is_some_and(|Probe { value, plies }| {
            value.winner() == Some(winner)
                && value.points(self.root.rules()) == mate.points
                && plies == Some(mate.plies)
        });
        is_in_tablebase || mate.plies < depth && mate.points >= most
    }
}

/// Whether a score is a forced end of the game within this many moves of the winner.
fn is_mate_within(score: Score, moves: u32) -> bool {
    match score.kind() {
        ScoreKind::Win(mate) => mate.plies.div_ceil(2) <= moves,
        ScoreKind::Loss(mate) => mate.plies / 2 <= moves,
        ScoreKind::Evaluation(_) => false,
    }
}
