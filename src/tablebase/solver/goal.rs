//! The goals that a layer is solved for, one after the other.

use crate::rules::{GOATS, GOATS_TO_IMMOBILISE, RuleSet, Side};
use crate::tablebase::value::TableValue;

/// What one side, the attacker, wants to force against the other, the defender: a win, and where wins are scored, one
/// with at least a number of goats left.
#[derive(Copy, Clone, Debug)]
pub struct Goal {
    /// Who wants it.
    pub attacker: Side,
    /// The value of the positions in which it can be forced, and no goal before it can.
    pub value: TableValue,
    /// Fewest goats, herds included, with which it can be reached.
    pub goats: u32,
}

/// The goals of a rule set, in the order in which they are solved: White's, that with most points first, then Black's.
pub fn goals(rules: &RuleSet) -> Vec<Goal> {
    let white = |goats| Goal { attacker: Side::White, value: TableValue::white(rules, goats), goats };
    let mut goals: Vec<Goal> = if rules.scored {
        (GOATS_TO_IMMOBILISE..=GOATS).rev().map(white).collect()
    } else {
        vec![white(GOATS_TO_IMMOBILISE)]
    };
    goals.push(Goal { attacker: Side::Black, value: TableValue::BLACK, goats: 0 });
    goals
}
