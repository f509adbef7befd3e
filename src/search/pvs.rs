//! Principal variation search (Marsland and Campbell 1982) of the nodes above the horizon.

use crate::eval::evaluate;
use crate::moves::Move;
use crate::position::Position;
use crate::search::movepick::{MovePicker, ScoredMove};
use crate::search::path_score::{PathScore, Ply};
use crate::search::score::Score;
use crate::search::searcher::Searcher;
use crate::search::tt::Entry;
use crate::search::window::{Bound, Window};
use crate::search::{MAX_PLY, SearchMode};

/// Deepest node at which a static evaluation far above beta ends the search (reverse futility).
const FUTILITY_DEPTH: i32 = 6;
/// How far above, in centigoats a ply.
const FUTILITY_MARGIN: i32 = 90;
/// Shallowest node whose late moves are searched less deeply (late move reductions).
const REDUCTION_DEPTH: i32 = 3;
/// Product of the binary logarithms of depth and move number, each in eighths, that reduces by a ply.
const EIGHTHS_PER_PLY: i32 = 110;
/// History that makes up for a ply of reduction.
const HISTORY_PER_PLY: i32 = 6_000;
/// Moves of a node that are never reduced.
const FULL_DEPTH_MOVES: usize = 3;

/// Shallowest node at which solved tables are asked after any move; near the horizon only after moves that lead to other
/// layers of them.
const LEAST_TABLE_DEPTH: i32 = 2;

/// A node being searched.
pub(super) struct Node<'p> {
    pub position: &'p Position,
    /// Plies left to the horizon.
    pub depth: i32,
    pub ply: Ply,
    pub is_pv: bool,
    /// Whether all legal moves are searched; at the root some may be left out.
    pub is_whole: bool,
}

/// The best that has been found in a node so far.
struct Best {
    value: PathScore,
    mv: Option<ScoredMove>,
    is_cut: bool,
}

impl Searcher<'_> {
    /// The value of the last position on the path.
    ///
    /// Returns `None` if the search was broken off.
    pub fn search(&mut self, position: &Position, window: Window, depth: i32, ply: Ply) -> Option<PathScore> {
        // A block that is not in memory costs as much as hundreds of nodes: tables are asked where they save that.
        let asks_tables = ply == 1 || depth >= LEAST_TABLE_DEPTH || depth > 0 && position.quiet_plies() == 0;
        if depth <= 0 && !(asks_tables && self.job.tables.is_some()) {
            return self.horizon(position, window, ply);
        }
        self.enter(ply)?;
        self.clear_variation(ply);
        if let Some(value) = self.settled(position, ply) {
            return Some(value);
        }
        if ply >= MAX_PLY {
            return Some(PathScore::sound(Score::evaluation(evaluate(position))));
        }
        if asks_tables && let Some(score) = self.known(position, window, ply) {
            return Some(PathScore::sound(score));
        }
        if depth <= 0 {
            return self.horizon(position, window, ply);
        }
        let (worst, best) = Self::bounds(position, ply);
        if window.is_cut_by(worst) || window.alpha >= best {
            return Some(PathScore::sound(if window.is_cut_by(worst) { worst } else { best }));
        }
        let node = Node { position, depth, ply, is_pv: !window.is_null(), is_whole: true };
        let entry = self.job.table.get(position.key());
        if let Some(score) = entry.and_then(|entry| self.table_cutoff(&node, &entry, window)) {
            return Some(PathScore::sound(score));
        }
        if let Some(score) = self.futility(&node, window) {
            return Some(PathScore::sound(score));
        }
        let mut moves = self.take_list(ply);
        moves.fill(position);
        let value = self.search_list(&node, &mut moves, entry, window, &mut |_| {})?;
        self.return_list(ply, moves);
        Some(value)
    }

    /// A score from the table that makes the search needless.
    fn table_cutoff(&self, node: &Node, entry: &Entry, window: Window) -> Option<Score> {
        let score = entry.score_at(node.ply);
        let bound = entry.bound?;
        let cuts_high = window.is_cut_by(score) && bound != Bound::Upper;
        let cuts_low = score <= window.alpha && bound != Bound::Lower;
        // A win is at least as good as was found, and a loss at least as bad, whatever the depth.
        let is_proven = score.is_decisive() && if score > Score::DRAW { cuts_high } else { cuts_low };
        let is_deep = i32::from(entry.depth) >= node.depth;
        let is_trusted = match self.job.style {
            SearchMode::Selective => is_deep || is_proven,
            SearchMode::FullWidth => is_proven,
            SearchMode::Minimax => false,
        };
        let cuts = cuts_high || cuts_low;
        (is_trusted && cuts && !node.is_pv && self.ends_before_draw(node, entry)).then_some(score)
    }

    /// Whether what an entry says comes about before the count of quiet plies makes a draw.
    fn ends_before_draw(&self, node: &Node, entry: &Entry) -> bool {
        use super::score::ScoreKind::{Evaluation, Loss, Win};
        let plies = match entry.score.kind() {
            Evaluation(_) => u32::from(entry.depth),
            Win(forced) | Loss(forced) => forced.plies.max(u32::from(entry.depth)),
        };
        self.job.game.draw_plies().allow_end_after(node.position, plies)
    }

    /// A static evaluation so far above beta that no reply is expected to bring it down.
    fn futility(&self, node: &Node, window: Window) -> Option<Score> {
        if self.job.style != SearchMode::Selective
            || node.is_pv
            || node.depth > FUTILITY_DEPTH
            || window.beta.is_decisive()
        {
            return None;
        }
        let score = Score::evaluation(evaluate(node.position) - FUTILITY_MARGIN * node.depth);
        window.is_cut_by(score).then_some(score)
    }

    /// Searches the moves of a node in turn, calling `before` with each, and notes in the table and the memory what
    /// came out.
    pub fn search_list(
        &mut self,
        node: &Node,
        moves: &mut MovePicker,
        entry: Option<Entry>,
        mut window: Window,
        before: &mut impl FnMut(Move),
    ) -> Option<PathScore> {
        let side = node.position.side().index();
        moves.rank(entry, &self.memory, side, node.ply);
        let old_alpha = window.alpha;
        let mut best = Best { value: PathScore::sound(-Score::INFINITE), mv: None, is_cut: false };
        let mut tried = 0;
        while let Some(ranked) = moves.next() {
            before(ranked.mv);
            let value = self.search_move(node, ranked.mv, tried, window)?;
            tried += 1;
            if value.score > best.value.score {
                best.value.score = value.score;
                if window.raise(value.score) {
                    best.mv = Some(ranked);
                    self.note_best(node, ranked.mv, value.score);
                }
            }
            if window.is_cut_by(value.score) {
                best.value.rests_on = value.rests_on;
                best.is_cut = true;
                break;
            }
            best.value.rests_on = best.value.rests_on.min(value.rests_on);
        }
        if best.is_cut {
            self.reward(node, moves, tried);
        }
        let bound = match (best.is_cut, best.value.score > old_alpha) {
            (true, _) => Bound::Lower,
            (false, true) => Bound::Exact,
            (false, false) => Bound::Upper,
        };
        self.remember(node, &best, bound);
        Some(best.value)
    }

    /// Keeps the principal variation and the root's best score up to date.
    fn note_best(&mut self, node: &Node, mv: Move, score: Score) {
        if node.is_pv {
            self.extend_variation(mv, node.ply);
        }
        if node.ply == 0 {
            self.root_best = Some(score);
        }
    }

    /// Plays a move and searches what it leads to: the first with the whole window, the others to see whether they
    /// are better at all.
    fn search_move(&mut self, node: &Node, mv: Move, tried: usize, window: Window) -> Option<PathScore> {
        let child = node.position.play(mv);
        let depth = node.depth - 1;
        let ply = node.ply + 1;
        self.path.push(child.key());
        let value = if tried == 0 {
            self.search(&child, window.flipped(), depth, ply)?.flipped()
        } else {
            let scout = window.scout().flipped();
            let reduction = self.reduction(node, mv, tried);
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

    /// Plies by which a late move is searched less deeply.
    fn reduction(&self, node: &Node, mv: Move, tried: usize) -> i32 {
        let is_early = tried < FULL_DEPTH_MOVES || node.depth < REDUCTION_DEPTH;
        if self.job.style != SearchMode::Selective || is_early || mv.is_capture() {
            return 0;
        }
        let base = (log2_eighths(node.depth as u32) * log2_eighths(tried as u32)) as i32 / EIGHTHS_PER_PLY;
        let history = self.memory.history(node.position.side().index(), mv) / HISTORY_PER_PLY;
        (base - i32::from(node.is_pv) - history).clamp(0, node.depth - 2)
    }

    /// Rewards the move that has cut a node off, and blames those that were tried before it.
    fn reward(&mut self, node: &Node, moves: &MovePicker, tried: usize) {
        let side = node.position.side().index();
        let bonus = (16 * node.depth * node.depth).min(1_600);
        if let Some((cutter, failed)) = moves.handed_out(tried).split_last() {
            if !cutter.mv.is_capture() {
                self.memory.note_killer(cutter.mv, node.ply);
            }
            self.memory.reward(side, cutter.mv, bonus);
            for other in failed {
                self.memory.reward(side, other.mv, -bonus);
            }
        }
    }

    /// Puts a node's result in the table; of one that rests on the path or on a choice of moves only the move.
    fn remember(&self, node: &Node, best: &Best, bound: Bound) {
        let is_true = node.is_whole && best.value.holds_at(node.ply);
        let entry = Entry {
            best: best.mv.map(|ranked| ranked.number),
            score: best.value.score,
            bound: is_true.then_some(bound),
            depth: node.depth.clamp(0, i32::from(u8::MAX)) as u8,
        };
        self.job.table.put(node.position.key(), node.ply, entry);
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
