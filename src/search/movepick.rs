//! Move ordering: the transposition table's move, captures (most goats first), killers, then by history.

use crate::moves::Move;
use crate::position::{Key, Position};
use crate::rules::Side;
use crate::search::history::History;
use crate::search::ply::Ply;
use crate::search::tt::{Entry, NO_MOVE};

/// A move in a node's list.
#[derive(Copy, Clone, Debug)]
pub struct ScoredMove {
    pub mv: Move,
    /// Its number in the order of generation, from 0. Goats can be taken along so many paths that a position has tens of
    /// thousands of moves.
    index: u32,
    score: i32,
    /// For a capture, the key of the position it leads to.
    child_key: Key,
}

/// The moves of one node, handed out best first: a lazy selection sort, since most nodes are cut off early.
#[derive(Default)]
pub struct MovePicker {
    moves: Vec<ScoredMove>,
    /// Moves handed out, which stand before the others.
    picked: usize,
}

const TT_MOVE: i32 = i32::MAX;
const CAPTURE: i32 = 1 << 24;
const KILLER: i32 = 1 << 20;
/// What a goat taken is worth; more than any history score, so that captures go by the most goats first.
const GOAT_TAKEN: i32 = 1 << 16;

impl ScoredMove {
    /// The number by which the transposition table names the move; `None` if it has no room for it.
    pub fn tt_index(&self) -> Option<u16> {
        u16::try_from(self.index).ok().filter(|index| *index != NO_MOVE)
    }
}

impl MovePicker {
    /// Lists the legal moves; of captures that lead to the same position only the first.
    pub fn generate(&mut self, position: &Position) {
        self.clear();
        position.for_each_move(|mv| self.push(position, mv));
        self.dedup_by_child();
    }

    /// Lists the legal moves of the root that are among `wanted`, or all if that is empty, but none of `excluded`; of
    /// captures that lead to the same position only the first.
    pub fn generate_root(&mut self, position: &Position, wanted: &[Move], excluded: &[Move]) {
        self.clear();
        position.for_each_move(|mv| self.push(position, mv));
        self.moves.retain(|scored| wanted.is_empty() || wanted.contains(&scored.mv));
        self.dedup_by_child();
        self.moves.retain(|scored| !excluded.contains(&scored.mv));
    }

    /// Lists the legal captures of Black, who must be to move; of those that lead to the same position only the first.
    pub fn generate_captures(&mut self, position: &Position) {
        self.clear();
        position.for_each_capture(|mv| self.push(position, mv));
        self.dedup_by_child();
    }

    fn clear(&mut self) {
        self.moves.clear();
        self.picked = 0;
    }

    fn push(&mut self, position: &Position, mv: Move) {
        let child_key = if mv.is_capture() { position.play(mv).key() } else { Key::default() };
        self.moves.push(ScoredMove { mv, index: self.moves.len() as u32, score: 0, child_key });
    }

    /// Drops captures that lead to the same position as one before them. Captures are generated before steps, so only
    /// the moves before the first step are compared.
    fn dedup_by_child(&mut self) {
        let captures = self.moves.iter().take_while(|scored| scored.mv.is_capture()).count();
        if captures < 2 {
            return;
        }
        let steps = self.moves.split_off(captures);
        self.moves.sort_unstable_by_key(|scored| (scored.child_key.bits(), scored.index));
        self.moves.dedup_by_key(|scored| scored.child_key);
        self.moves.sort_unstable_by_key(|scored| scored.index);
        self.moves.extend(steps);
    }

    /// The moves handed out so far, in that order.
    pub fn picked(&self) -> &[ScoredMove] {
        &self.moves[..self.picked]
    }

    /// Number of moves, handed out or not.
    pub fn len(&self) -> usize {
        self.moves.len()
    }

    /// Scores the moves for [`MovePicker::next`].
    pub fn score(&mut self, entry: Option<Entry>, history: &History, side: Side, ply: Ply) {
        let tt_move = entry.and_then(|entry| entry.move_index).map(u32::from);
        for scored in &mut self.moves {
            scored.score = if Some(scored.index) == tt_move {
                TT_MOVE
            } else if scored.mv.is_capture() {
                CAPTURE + GOAT_TAKEN * scored.mv.jumps() as i32 + history.score(side, scored.mv)
            } else if let Some(rank) = history.killer_rank(scored.mv, ply) {
                KILLER - rank as i32
            } else {
                history.score(side, scored.mv)
            };
        }
    }

    /// The best of the moves not yet handed out; the first of equals.
    pub fn next(&mut self) -> Option<ScoredMove> {
        let rest = &mut self.moves[self.picked..];
        let best = (0..rest.len()).rev().max_by_key(|index| rest[*index].score)?;
        // Rotating keeps the others in order, so that equals come as they were generated.
        rest[..=best].rotate_right(1);
        self.picked += 1;
        Some(rest[0])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::notation::fen;
    use crate::rules::RuleSet;

    #[test]
    fn a_position_may_have_more_moves_than_the_table_has_indices_for() {
        let position = fen::parse(RuleSet::standard(), "1ttA1/AAAAA/1A1A1/AAAAA/1A1A1 b").unwrap();
        let mut picker = MovePicker::default();
        position.for_each_move(|mv| picker.push(&position, mv));
        assert_eq!(picker.len(), 79_531);
        assert_eq!(picker.moves[65_534].tt_index(), Some(65_534));
        assert_eq!([65_535, 65_536, 79_530].map(|index| picker.moves[index].tt_index()), [None; 3]);
        picker.dedup_by_child();
        assert!(picker.len() < 79_531 / 2);
    }

    #[test]
    fn captures_that_lead_to_the_same_position_are_listed_once() {
        // The tiger goes round the square b2, d2, d4, b4 either way, and stops anywhere.
        let text = "5/2A2/1AtA1/2A2/t4 b";
        let rules = RuleSet::named("wikipedia-multi").unwrap();
        let position = fen::parse(rules, &text.replace("2A2", "AAAAA")).unwrap();
        let mut moves = MovePicker::default();
        moves.generate(&position);
        let mut keys: Vec<u64> = position.legal_moves().iter().map(|mv| position.play(*mv).key().bits()).collect();
        let all = keys.len();
        keys.sort_unstable();
        keys.dedup();
        assert_eq!(moves.len(), keys.len());
        assert!(moves.len() < all, "{all}");
    }

    #[test]
    fn moves_come_best_first_and_equals_in_order() {
        let position = Position::start(RuleSet::standard());
        let side = Side::White;
        let mut history = History::new();
        let legal = position.legal_moves();
        history.update(side, legal[5], 400);
        history.add_killer(legal[9], 2);
        let entry = Entry { move_index: Some(7), score: Default::default(), bound: None, depth: 0 };
        let mut moves = MovePicker::default();
        moves.generate(&position);
        moves.score(Some(entry), &history, side, 2);
        let order: Vec<Move> = std::iter::from_fn(|| moves.next()).map(|scored| scored.mv).collect();
        let mut expected = vec![legal[7], legal[9], legal[5]];
        expected.extend(legal.iter().filter(|mv| ![legal[5], legal[7], legal[9]].contains(mv)));
        assert_eq!(order, expected);
    }
}
