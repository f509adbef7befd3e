//! Quiescence search (Shannon 1950; Beal 1990): captures are played out before a position is evaluated.
//!
//! Only Black captures. Where captures are optional Black may also stand pat; where they are obligatory it may not,
//! and a position with captures is never evaluated as it stands.

use crate::position::Position;
use crate::rules::{Capture, Side};
use crate::search::path_score::PathScore;
use crate::search::ply::{MAX_PLY, Ply};
use crate::search::score::Score;
use crate::search::searcher::Searcher;
use crate::search::settings::SearchMode;
use crate::search::window::Window;

impl Searcher<'_> {
    /// The score of the last position on the path, with no plies left to the horizon.
    ///
    /// Returns `None` if the search was broken off.
    pub fn quiescence(&mut self, position: &Position, mut window: Window, ply: Ply) -> Option<PathScore> {
        self.count_node(ply)?;
        self.clear_pv(ply);
        if let Some(value) = self.terminal_score(position, ply) {
            return Some(value);
        }
        let has_captures = position.side() == Side::Black && position.has_capture();
        let is_horizon = !has_captures || self.context.mode == SearchMode::Minimax || ply >= MAX_PLY;
        let mut best = PathScore::independent(-Score::INFINITE);
        if is_horizon || position.rules().capture == Capture::Optional {
            best.score = Score::evaluation(self.eval_cache.evaluate(position));
            if is_horizon || window.fails_high(best.score) {
                return Some(best);
            }
            window.raise_alpha(best.score);
        }
        let mut moves = self.take_move_picker(ply);
        moves.generate_captures(position);
        moves.score(None, &self.history, Side::Black, ply);
        while let Some(scored) = moves.next() {
            let child = position.play(scored.mv);
            self.path.push(child.key());
            let value = self.quiescence(&child, window.flipped(), ply + 1)?.flipped();
            self.path.pop();
            if value.score > best.score {
                best = value;
                if window.raise_alpha(value.score) && !window.is_null() {
                    self.update_pv(scored.mv, ply);
                }
                if window.fails_high(value.score) {
                    break;
                }
            }
        }
        self.return_move_picker(ply, moves);
        Some(best)
    }
}
