//! The static evaluations of positions that a thread has met lately (an evaluation hash table, see the Chess Programming
//! Wiki): the network takes longer than the rest of a node.

use crate::eval::evaluate;
use crate::position::{Key, Position};

/// Number of evaluations: as many as stay near the processor.
const SLOTS: usize = 1 << 13;

/// Evaluations by the lowest bits of the positions' keys. Keys are exact, so an evaluation that is found is the right one.
pub struct EvalCache(Vec<(Key, i32)>);

impl EvalCache {
    /// A cache without evaluations.
    pub fn new() -> Self {
        Self(Vec::new())
    }

    /// The static evaluation of a position for the side to move, in centigoats.
    #[inline]
    pub fn evaluate(&mut self, position: &Position) -> i32 {
        if self.0.is_empty() {
            self.0 = vec![(position.key(), evaluate(position)); SLOTS];
        }
        let slot = &mut self.0[position.key().bits() as usize % SLOTS];
        if slot.0 != position.key() {
            *slot = (position.key(), evaluate(position));
        }
        slot.1
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::RuleSet;

    #[test]
    fn evaluations_are_the_same_when_they_come_again() {
        for rules in RuleSet::all() {
            let mut cache = EvalCache::new();
            let start = Position::start(rules);
            let positions: Vec<Position> = start.legal_moves().iter().map(|mv| start.play(*mv)).collect();
            for position in positions.iter().chain(&positions) {
                assert_eq!(cache.evaluate(position), evaluate(position));
            }
        }
    }
}
