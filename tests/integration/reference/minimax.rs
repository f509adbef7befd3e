//! Full-width search.

use super::position::{Board, State};

/// The worth of a draw.
pub const DRAW: i32 = 0;

/// A full-width negamax without any pruning. All values are seen by the side to move of the position they belong to.
///
/// The order of the tests at each position: is the game over; is it a draw (not at the root); is the depth
/// used up.
pub struct Minimax<'a> {
    /// The worth of a position at depth 0 that is neither finished nor drawn.
    pub eval: &'a dyn Fn(&State) -> i32,
    /// The worth of a finished game, given its position and its distance from the root in plies.
    pub finished: &'a dyn Fn(&State, u32) -> i32,
    /// Whether a position is a draw, given the positions on the path from the root (first) to its parent (last).
    pub drawn: &'a dyn Fn(&State, &[Board]) -> bool,
}

impl Minimax<'_> {
    /// The worth of a position.
    pub fn value(&self, state: &State, depth: u32) -> i32 {
        self.below(state, depth, &mut Vec::new())
    }

    fn below(&self, state: &State, depth: u32, path: &mut Vec<Board>) -> i32 {
        if state.over().is_some() {
            return (self.finished)(state, path.len() as u32);
        }
        if !path.is_empty() && (self.drawn)(state, path) {
            return DRAW;
        }
        if depth == 0 {
            return (self.eval)(state);
        }
        path.push(state.board());
        let best = state
            .children()
            .iter()
            .map(|child| -self.below(child, depth - 1, path))
            .max()
            .expect("a game that isn't over has a move");
        path.pop();
        best
    }
}

/// The usual draw of a search: a position that already stands on the path from the root.
pub fn drawn_on_path(state: &State, path: &[Board]) -> bool {
    path.contains(&state.board())
}
