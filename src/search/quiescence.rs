//! The horizon: captures are played out before a position is evaluated.
//!
//! Only Black captures. Where captures are optional Black may also stand pat; where they are obligatory it may not,
//! and a position with captures is never evaluated as it stands.

use crate::eval::evaluate;
use crate::position::Position;
use crate::rules::{Capture, Side};
use crate::search::path_score::{PathScore, Ply};
use crate::search::score::Score;
use crate::search::searcher::Searcher;
use crate::search::window::Window;
use crate::search::{MAX_PLY, SearchMode};

impl Searcher<'_> {
    /// The value of the last position on the path, with no plies left.
    ///
    /// Returns `None` if the search was broken off.
    pub fn horizon(&mut self, position: &Position, mut window: Window, ply: Ply) -> Option<PathScore> {
        self.enter(ply)?;
        self.clear_variation(ply);
        if let Some(value) = self.settled(position, ply) {
            return Some(value);
        }
        let has_captures = position.side() == Side::Black && position.has_capture();
        let standing = PathScore::sound(Score::evaluation(evaluate(position)));
        if !has_captures || self.job.style == SearchMode::Minimax || ply >= MAX_PLY {
            return Some(standing);
        }
        let mut best = PathScore::sound(-Score::INFINITE);
        if position.rules().capture == Capture::Optional {
            best = standing;
            if window.is_cut_by(best.score) {
                return Some(best);
            }
            window.raise(best.score);
        }
        let mut moves = self.take_list(ply);
        moves.fill_captures(position);
        moves.rank(None, &self.memory, Side::Black.index(), ply);
        while let Some(ranked) = moves.next() {
            let child = position.play(ranked.mv);
            self.path.push(child.key());
            let value = self.horizon(&child, window.flipped(), ply + 1)?.flipped();
            self.path.pop();
            if value.score > best.score {
                best = value;
                if window.raise(value.score) && !window.is_null() {
                    self.extend_variation(ranked.mv, ply);
                }
                if window.is_cut_by(value.score) {
                    break;
                }
            }
        }
        self.return_list(ply, moves);
        Some(best)
    }
}
