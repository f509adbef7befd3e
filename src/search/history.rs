//! What one thread has learnt of moves by the cutoffs that they caused: killer moves and the butterfly history.

use crate::board::Point;
use crate::moves::Move;
use crate::rules::Side;
use crate::search::ply::{PLY_COUNT, Ply};

/// Largest history score of a move, and minus the smallest; [`History::update`] approaches it and never passes it.
const MAX_HISTORY: i32 = 1 << 14;
/// Killer moves of a ply.
const KILLERS: usize = 2;

/// Killer moves by ply and history scores by side, origin and destination, of one thread and one search.
pub struct History {
    /// Butterfly boards (Hartmann 1988), flattened: see [`History::index`].
    butterfly: [i32; 2 * Point::COUNT * Point::COUNT],
    /// The killers of each ply, the newest first.
    killers: [[Option<Move>; KILLERS]; PLY_COUNT],
}

impl History {
    /// No killers, and a score of 0 for all moves.
    pub const fn new() -> Self {
        Self { butterfly: [0; 2 * Point::COUNT * Point::COUNT], killers: [[None; KILLERS]; PLY_COUNT] }
    }

    const fn index(side: Side, mv: Move) -> usize {
        (side.index() * Point::COUNT + mv.from().index()) * Point::COUNT + mv.to().index()
    }

    /// How well moves of a side between the same points have done, from minus to plus 2^14.
    pub fn score(&self, side: Side, mv: Move) -> i32 {
        self.butterfly[Self::index(side, mv)]
    }

    /// Which of the killers of a ply a move is: 0 for the newest.
    pub fn killer_rank(&self, mv: Move, ply: Ply) -> Option<usize> {
        self.killers[usize::from(ply)].iter().position(|killer| *killer == Some(mv))
    }

    /// Makes a move the newest killer of a ply (killer heuristic, Huberman 1968; Akl and Newborn 1977).
    pub fn add_killer(&mut self, mv: Move, ply: Ply) {
        let [first, second] = &mut self.killers[usize::from(ply)];
        if *first != Some(mv) {
            *second = *first;
            *first = Some(mv);
        }
    }

    /// Adds a bonus, or a malus below 0, to a move's score (history heuristic, Schaeffer 1983), by less the nearer the
    /// score is to its bounds (history gravity, Stockfish). A bonus is smaller than 2^14.
    pub fn update(&mut self, side: Side, mv: Move, bonus: i32) {
        let score = &mut self.butterfly[Self::index(side, mv)];
        *score += bonus - *score * bonus.abs() / MAX_HISTORY;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::position::Position;
    use crate::rules::RuleSet;

    #[test]
    fn history_stays_in_bounds() {
        let mut history = History::new();
        let mv = Position::start(RuleSet::standard()).legal_moves()[0];
        for _ in 0..1_000 {
            history.update(Side::White, mv, 1_000);
        }
        assert!((MAX_HISTORY - 1_000..=MAX_HISTORY).contains(&history.score(Side::White, mv)));
        assert_eq!(history.score(Side::Black, mv), 0);
    }
}
