//! Principal variation search (Marsland and Campbell 1982) of the nodes above the horizon, with mate distance pruning,
//! transposition table cutoffs, reverse futility pruning, razoring and late move reductions.

use crate::moves::Move;
use crate::position::Position;
use crate::search::movepick::{MovePicker, ScoredMove};
use crate::search::path_score::PathScore;
use crate::search::ply::{MAX_PLY, Ply};
use crate::search::score::{Score, ScoreKind};
use crate::search::searcher::Searcher;
use crate::search::settings::SearchMode;
use crate::search::tt::Entry;
use crate::search::window::{Bound, Window};

/// Deepest node for reverse futility pruning.
const FUTILITY_DEPTH: i32 = 6;
/// How far above beta the static evaluation must be, in centigoats a ply.
const FUTILITY_MARGIN: i32 = 50;
/// Deepest node for razoring.
const RAZORING_DEPTH: i32 = 4;
/// How far below alpha the static evaluation must be, in centigoats a ply.
const RAZORING_MARGIN: i32 = 30;
/// Shallowest node for late move reductions.
const LMR_DEPTH: i32 = 3;
/// Moves of a node that are never reduced.
const FULL_DEPTH_MOVES: usize = 3;
/// Product of the binary logarithms of depth and move number, each in eighths, that reduces by a ply.
const LMR_DIVISOR: i32 = 90;
/// History score that makes up for a ply of reduction.
const LMR_HISTORY: i32 = 6_000;

/// Shallowest node at which the tablebase is probed after any move; below that only after moves that lead to another of
/// its layers.
const TABLEBASE_DEPTH: i32 = 2;

/// A node being searched.
pub struct Node<'p> {
    pub position: &'p Position,
    /// Plies left to the horizon.
    pub depth: i32,
    pub ply: Ply,
    pub is_pv: bool,
    /// Whether all legal moves are searched; at the root some may be left out.
    pub has_all_moves: bool,
}

/// The best that has been found in a node so far (fail-soft).
struct Best {
    value: PathScore,
    /// The move that raised alpha last.
    mv: Option<ScoredMove>,
    /// Whether it failed high.
    is_cutoff: bool,
}

impl Searcher<'_> {
    /// The score of the last position on the path.
    ///
    /// Returns `None` if the search was broken off.
    pub fn search(&mut self, position: &Position, window: Window, depth: i32, ply: Ply) -> Option<PathScore> {
        // A block that is not in memory costs as much as hundreds of nodes: the tablebase is probed where it saves that.
        let is_probed = ply == 1 || depth >= TABLEBASE_DEPTH || depth > 0 && position.quiet_plies() == 0;
        let may_probe = is_probed && self.context.tablebase.is_some_and(|tablebase| tablebase.may_know(position));
        if depth <= 0 && !may_probe {
            return self.quiescence(position, window, ply);
        }
        self.count_node(ply)?;
        self.clear_pv(ply);
        if let Some(value) = self.terminal_score(position, ply) {
            return Some(value);
        }
        if ply >= MAX_PLY {
            return Some(PathScore::independent(Score::evaluation(self.eval_cache.evaluate(position))));
        }
        if may_probe && let Some(score) = self.probe_tablebase(position, window, ply) {
            return Some(PathScore::independent(score));
        }
        if depth <= 0 {
            return self.quiescence(position, window, ply);
        }
        let (worst, best) = Self::mate_distance_bounds(position, ply);
        if window.fails_high(worst) || window.fails_low(best) {
            return Some(PathScore::independent(if window.fails_high(worst) { worst } else { best }));
        }
        let node = Node { position, depth, ply, is_pv: !window.is_null(), has_all_moves: true };
        let entry = self.context.tt.probe(position.key());
        if let Some(score) = entry.and_then(|entry| self.tt_cutoff(&node, &entry, window)) {
            return Some(PathScore::independent(score));
        }
        if let Some(score) = self.reverse_futility(&node, window) {
            return Some(PathScore::independent(score));
        }
        if self.is_razored(&node, window) {
            let value = self.quiescence(position, window, ply)?;
            if window.fails_low(value.score) {
                return Some(value);
            }
        }
        let mut moves = self.take_move_picker(ply);
        moves.generate(position);
        let value = self.search_moves(&node, &mut moves, entry, window, &mut |_| {})?;
        self.return_move_picker(ply, moves);
        Some(value)
    }

    /// The score of a transposition table entry, if it is bound enough to end the search of the node.
    fn tt_cutoff(&self, node: &Node, entry: &Entry, window: Window) -> Option<Score> {
        let score = entry.score.node_to_root(node.ply);
        let bound = entry.bound?;
        let cuts_high = window.fails_high(score) && bound != Bound::Upper;
        let cuts_low = window.fails_low(score) && bound != Bound::Lower;
        // A win is at least as good as was found, and a loss at least as bad, whatever the depth.
        let is_proven = score.is_decisive() && if score > Score::DRAW { cuts_high } else { cuts_low };
        let is_deep = i32::from(entry.depth) >= node.depth;
        let is_trusted = match self.context.mode {
            SearchMode::Selective => is_deep || is_proven,
            SearchMode::FullWidth => is_proven,
            SearchMode::Minimax => false,
        };
        let cuts = cuts_high || cuts_low;
        (is_trusted && cuts && !node.is_pv && self.ends_before_draw(node, entry)).then_some(score)
    }

    /// Whether the plies behind an entry's score, or to its forced end, come before the count of quiet plies makes a draw.
    fn ends_before_draw(&self, node: &Node, entry: &Entry) -> bool {
        let depth = u32::from(entry.depth);
        let plies = match entry.score.kind() {
            ScoreKind::Evaluation(_) => depth,
            ScoreKind::Win(mate) | ScoreKind::Loss(mate) => mate.plies.max(depth),
        };
        self.context.game.draw_plies().allow_end_after(node.position, plies)
    }

    /// A static evaluation so far above beta that no reply is expected to bring it down (reverse futility pruning, also
    /// static null move pruning; after Heinz 1998, Extended futility pruning).
    fn reverse_futility(&mut self, node: &Node, window: Window) -> Option<Score> {
        if self.context.mode != SearchMode::Selective
            || node.is_pv
            || node.depth > FUTILITY_DEPTH
            || window.beta.is_decisive()
        {
            return None;
        }
        let score = Score::evaluation(self.eval_cache.evaluate(node.position) - FUTILITY_MARGIN * node.depth);
        window.fails_high(score).then_some(score)
    }

    /// Whether the static evaluation is so far below alpha that only captures are expected to lift it (razoring, Birmingham
    /// and Kent 1977).
    fn is_razored(&mut self, node: &Node, window: Window) -> bool {
        if self.context.mode != SearchMode::Selective
            || node.is_pv
            || node.depth > RAZORING_DEPTH
            || window.alpha.is_decisive()
        {
            return false;
        }
        let evaluation = self.eval_cache.evaluate(node.position) + RAZORING_MARGIN * node.depth;
        window.fails_low(Score::evaluation(evaluation))
    }

    /// Searches the moves of a node in turn, calling `on_move` with each, and stores the result in the transposition
    /// table and the history.
    pub fn search_moves(
        &mut self,
        node: &Node,
        moves: &mut MovePicker,
        entry: Option<Entry>,
        mut window: Window,
        on_move: &mut impl FnMut(Move),
    ) -> Option<PathScore> {
        moves.score(entry, &self.history, node.position.side(), node.ply);
        let old_alpha = window.alpha;
        let mut best = Best { value: PathScore::independent(-Score::INFINITE), mv: None, is_cutoff: false };
        let mut searched = 0;
        while let Some(scored) = moves.next() {
            on_move(scored.mv);
            let value = self.search_move(node, scored.mv, searched, window)?;
            searched += 1;
            if value.score > best.value.score {
                best.value.score = value.score;
                if window.raise_alpha(value.score) {
                    best.mv = Some(scored);
                    self.note_best(node, scored.mv, value.score);
                }
            }
            if window.fails_high(value.score) {
                best.value.dependence = value.dependence;
                best.is_cutoff = true;
                break;
            }
            best.value.dependence = best.value.dependence.min(value.dependence);
        }
        if best.is_cutoff {
            self.update_history(node, moves.picked());
        }
        let bound = match (best.is_cutoff, best.value.score > old_alpha) {
            (true, _) => Bound::Lower,
            (false, true) => Bound::Exact,
            (false, false) => Bound::Upper,
        };
        self.store(node, &best, bound);
        Some(best.value)
    }

    /// Notes a move that has raised alpha in the principal variation, and at the root its score.
    fn note_best(&mut self, node: &Node, mv: Move, score: Score) {
        if node.is_pv {
            self.update_pv(mv, node.ply);
        }
        if node.ply == 0 {
            self.root_score = Some(score);
        }
    }

    /// Plays a move and searches the position it leads to, after `searched` moves before it: the first with the whole
    /// window, the others with a null window, and again if they turn out to be better (principal variation search).
    fn search_move(&mut self, node: &Node, mv: Move, searched: usize, window: Window) -> Option<PathScore> {
        let child = node.position.play(mv);
        let depth = node.depth - 1;
        let ply = node.ply + 1;
        self.path.push(child.key());
        let value = if searched == 0 {
            self.search(&child, window.flipped(), depth, ply)?.flipped()
        } else {
            let scout = window.scout().flipped();
            let reduction = self.reduction(node, mv, searched);
            let mut value = self.search(&child, scout, depth - reduction, ply)?.flipped();
            if reduction > 0 && value.score > window.alpha {
                value = self.search(&child, scout, depth, ply)?.flipped();
            }
            if value.score > window.alpha && !window.is_null() {
                value = self.search(&child, window.flipped(), depth, ply)?.flipped();
            }
            value
        };
        self.path.pop();
        Some(value)
    }

    /// Plies by which a move that comes after `searched` others is searched less deeply (late move reductions, Romstad
    /// 2006; by the logarithms of depth and move number as in Stockfish).
    fn reduction(&self, node: &Node, mv: Move, searched: usize) -> i32 {
        let is_early = searched < FULL_DEPTH_MOVES || node.depth < LMR_DEPTH;
        if self.context.mode != SearchMode::Selective || is_early || mv.is_capture() {
            return 0;
        }
        let base = (log2_eighths(node.depth as u32) * log2_eighths(searched as u32)) as i32 / LMR_DIVISOR;
        let history = self.history.score(node.position.side(), mv) / LMR_HISTORY;
        (base - i32::from(node.is_pv) - history).clamp(0, node.depth - 2)
    }

    /// Gives a bonus to the last of the moves searched, which has cut the node off, and a malus to the others.
    fn update_history(&mut self, node: &Node, searched: &[ScoredMove]) {
        let side = node.position.side();
        let bonus = (16 * node.depth * node.depth).min(1_600);
        if let Some((cutoff, others)) = searched.split_last() {
            if !cutoff.mv.is_capture() {
                self.history.add_killer(cutoff.mv, node.ply);
            }
            self.history.update(side, cutoff.mv, bonus);
            for other in others {
                self.history.update(side, other.mv, -bonus);
            }
        }
    }

    /// Stores a node's result in the transposition table: of one that depends on the path, or on a choice of moves, only
    /// the move.
    fn store(&self, node: &Node, best: &Best, bound: Bound) {
        let is_independent = node.has_all_moves && best.value.is_independent_at(node.ply);
        let entry = Entry {
            move_index: best.mv.and_then(|scored| scored.tt_index()),
            score: best.value.score.root_to_node(node.ply),
            bound: is_independent.then_some(bound),
            depth: node.depth.clamp(0, i32::from(u8::MAX)) as u8,
        };
        self.context.tt.store(node.position.key(), entry);
    }
}

/// Eight times the binary logarithm of a number from 1 to 255; whole numbers, so that all machines agree.
fn log2_eighths(number: u32) -> u32 {
    u128::from(number.clamp(1, 255)).pow(8).ilog2()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn logarithms_are_rounded_down_to_eighths() {
        for (number, eighths) in [(0, 0), (1, 0), (2, 8), (3, 12), (4, 16), (10, 26), (255, 63), (1_000, 63)] {
            assert_eq!(log2_eighths(number), eighths);
        }
    }
}
