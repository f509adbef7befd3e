//! Move ordering: the table's move, captures by what they win, killers, and the history of what has cut before.

use crate::board::Point;
use crate::moves::Move;
use crate::position::{Key, Position};
use crate::search::path_score::Ply;
use crate::search::tt::Entry;

/// A move in a node's list.
#[derive(Copy, Clone, Debug)]
pub struct ScoredMove {
    /// The move.
    pub mv: Move,
    /// Its number in the order of generation, by which the table knows it.
    pub number: u16,
    rank: i32,
    /// For a capture, the key of the position it leads to.
    leads_to: Key,
}

/// The moves of one node, handed out best first.
#[derive(Default)]
pub struct MovePicker {
    list: Vec<ScoredMove>,
    next: usize,
}

const TABLE_MOVE: i32 = i32::MAX;
const CAPTURE: i32 = 1 << 24;
const JUMP: i32 = 1 << 16;
const KILLER: i32 = 1 << 20;

impl MovePicker {
    /// Lists the legal moves; of captures that lead to the same position only the first.
    pub fn fill(&mut self, position: &Position) {
        self.fill_chosen(position, &[]);
    }

    /// Lists the legal moves among `wanted`, or all if that is empty; of captures that lead to the same position only
    /// the first.
    pub fn fill_chosen(&mut self, position: &Position, wanted: &[Move]) {
        self.reset();
        position.for_each_move(|mv| self.push(position, mv));
        self.list.retain(|ranked| wanted.is_empty() || wanted.contains(&ranked.mv));
        self.drop_twins();
    }

    /// Takes moves off the list, before any was handed out.
    pub fn remove(&mut self, taken: &[Move]) {
        self.list.retain(|ranked| !taken.contains(&ranked.mv));
    }

    /// Lists the legal captures of Black, who must be to move, each result once.
    pub fn fill_captures(&mut self, position: &Position) {
        self.reset();
        position.for_each_capture(|mv| self.push(position, mv));
        self.drop_twins();
    }

    fn reset(&mut self) {
        self.list.clear();
        self.next = 0;
    }

    fn push(&mut self, position: &Position, mv: Move) {
        let leads_to = if mv.is_capture() { position.play(mv).key() } else { Key::default() };
        // Only a list of 65,535 moves, a hundred times the longest, would give two the same number.
        let number = u16::try_from(self.list.len()).unwrap_or(u16::MAX);
        self.list.push(ScoredMove { mv, number, rank: 0, leads_to });
    }

    /// Captures stand before steps, so twins are among the moves before the first step.
    fn drop_twins(&mut self) {
        let captures = self.list.iter().take_while(|ranked| ranked.mv.is_capture()).count();
        if captures < 2 {
            return;
        }
        let steps = self.list.split_off(captures);
        self.list.sort_unstable_by_key(|ranked| (ranked.leads_to.bits(), ranked.number));
        self.list.dedup_by_key(|ranked| ranked.leads_to);
        self.list.sort_unstable_by_key(|ranked| ranked.number);
        self.list.extend(steps);
    }

    /// The first `count` moves handed out.
    pub fn handed_out(&self, count: usize) -> &[ScoredMove] {
        self.list.get(..count).unwrap_or_default()
    }

    /// Number of moves.
    pub fn len(&self) -> usize {
        self.list.len()
    }

    /// Ranks the moves for [`MovePicker::next`].
    pub fn rank(&mut self, table: Option<Entry>, memory: &History, side: usize, ply: Ply) {
        let table_move = table.and_then(|entry| entry.best);
        for ranked in &mut self.list {
            ranked.rank = if Some(ranked.number) == table_move {
                TABLE_MOVE
            } else if ranked.mv.is_capture() {
                CAPTURE + JUMP * ranked.mv.jumps() as i32 + memory.history(side, ranked.mv)
            } else {
                memory.rank_of_step(side, ranked.mv, ply)
            };
        }
    }

    /// The best of the moves not yet handed out; the first of equals.
    pub fn next(&mut self) -> Option<ScoredMove> {
        let rest = self.list.get_mut(self.next..)?;
        let best = (0..rest.len()).rev().max_by_key(|index| rest.get(*index).map(|ranked| ranked.rank))?;
        // Rotating keeps the others in order, so that equals come as they were generated.
        rest.get_mut(..=best)?.rotate_right(1);
        self.next += 1;
        rest.first().copied()
    }
}

/// Largest history of a move; [`History::reward`] approaches it and never passes it.
const MOST_HISTORY: i32 = 1 << 14;
const KILLERS: usize = 2;

/// What one thread remembers of the moves that have cut off nodes.
pub struct History {
    history: Vec<i32>,
    killers: Vec<[Option<Move>; KILLERS]>,
}

impl History {
    /// Nothing remembered, for plies below `plies`.
    pub fn new(plies: usize) -> Self {
        let moves = 2 * Point::COUNT * Point::COUNT;
        Self { history: vec![0; moves], killers: vec![[None; KILLERS]; plies] }
    }

    const fn slot(side: usize, mv: Move) -> usize {
        (side * Point::COUNT + mv.from().index()) * Point::COUNT + mv.to().index()
    }

    /// How well moves of a side between the same points have done, from minus to plus 2^14.
    pub fn history(&self, side: usize, mv: Move) -> i32 {
        self.history.get(Self::slot(side, mv)).copied().unwrap_or(0)
    }

    fn rank_of_step(&self, side: usize, mv: Move, ply: Ply) -> i32 {
        let killers = self.killers.get(usize::from(ply)).into_iter().flatten();
        let killer = killers.enumerate().find(|(_, killer)| **killer == Some(mv));
        killer.map_or_else(|| self.history(side, mv), |(age, _)| KILLER - age as i32)
    }

    /// Remembers that a move has cut off a node at this ply (killer heuristic, Huberman 1968).
    pub fn note_killer(&mut self, mv: Move, ply: Ply) {
        if let Some([first, second]) = self.killers.get_mut(usize::from(ply))
            && *first != Some(mv)
        {
            *second = *first;
            *first = Some(mv);
        }
    }

    /// Adds to a move's history, less the nearer it is to its bounds (history heuristic, Schaeffer 1983).
    pub fn reward(&mut self, side: usize, mv: Move, bonus: i32) {
        if let Some(history) = self.history.get_mut(Self::slot(side, mv)) {
            *history += bonus - *history * bonus.abs() / MOST_HISTORY;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::notation::fen;
    use crate::rules::{RuleSet, Side};

    #[test]
    fn captures_that_lead_to_the_same_position_are_listed_once() {
        // The tiger goes round the square b2, d2, d4, b4 either way, and stops anywhere.
        let text = "5/2A2/1AtA1/2A2/t4 b";
        let rules = RuleSet::named("wikipedia-multi").unwrap();
        let position = fen::parse(rules, &text.replace("2A2", "AAAAA")).unwrap();
        let mut moves = MovePicker::default();
        moves.fill(&position);
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
        let side = Side::White.index();
        let mut memory = History::new(4);
        let legal = position.legal_moves();
        memory.reward(side, legal[5], 400);
        memory.note_killer(legal[9], 2);
        let table = Entry { best: Some(7), score: Default::default(), bound: None, depth: 0 };
        let mut moves = MovePicker::default();
        moves.fill(&position);
        moves.rank(Some(table), &memory, side, 2);
        let order: Vec<Move> = std::iter::from_fn(|| moves.next()).map(|ranked| ranked.mv).collect();
        let mut expected = vec![legal[7], legal[9], legal[5]];
        expected.extend(legal.iter().filter(|mv| ![legal[5], legal[7], legal[9]].contains(mv)));
        assert_eq!(order, expected);
    }

    #[test]
    fn history_stays_in_bounds() {
        let mut memory = History::new(1);
        let mv = Position::start(RuleSet::standard()).legal_moves()[0];
        for _ in 0..1_000 {
            memory.reward(0, mv, 1_000);
        }
        assert!((MOST_HISTORY - 1_000..=MOST_HISTORY).contains(&memory.history(0, mv)));
    }
}
