//! The example of the module's description, checked.

use crate::board::Point;
use crate::rules::{RuleSet, Side};
use crate::tablebase::layer::Layer;
use crate::tablebase::layout::Layout;
use crate::tablebase::solver::Solver;
use crate::tablebase::solver::goal::goals;
use crate::tablebase::solver::shift_mask::{MoveEffect, PairInLayer, shift_masks};
use crate::tablebase::vector::members;

fn point(name: &str) -> Point {
    Point::all().find(|point| point.to_string() == name).unwrap()
}

fn pair(layout: &Layout, one: &str, other: &str) -> usize {
    layout.pair(point(one), point(other)).unwrap()
}

#[test]
fn a_step_is_taken_back_by_a_shift_and_a_mask() {
    let rules = RuleSet::named("baghbandi").unwrap();
    let layout = Layout::new(rules, Layer::FLAT, 2);
    let pair = pair(&layout, "c1", "e5");
    let here = PairInLayer { layout: &layout, pair };
    let (from, to) = (point("a1"), point("b1"));
    let step = MoveEffect { goats: from.set(), free: to.set(), goats_after: to.set() };
    let operations = shift_masks(here, here, pair, step);
    assert_eq!(operations.len(), 1);
    let after = [[0b101_0100, 0, 0, 0]];
    let mut before = [[0; 4]];
    operations[0].gather(&after, None, &mut before);
    assert_eq!(before, [[0b10_0010, 0, 0, 0]]);
    // The move generator agrees: each of these has the move, and it leads into the set.
    let indices_after: Vec<u32> = members(0, after[0]).collect();
    assert_eq!(indices_after, [2, 4, 6]);
    for index in members(0, before[0]) {
        let position = layout.position_at(rules, pair, index, Side::White).unwrap();
        let moves = position.legal_moves();
        let step = moves.iter().find(|mv| mv.to_string() == "a1b1").unwrap();
        assert!(indices_after.contains(&layout.index(pair, position.play(*step).goats())));
    }
}

#[test]
fn the_first_two_plies_are_those_worked_by_hand() {
    let rules = RuleSet::named("baghbandi").unwrap();
    let mut solver = Solver::new(rules, Layout::new(rules, Layer::FLAT, 1), Vec::new(), 1, true);
    let goal = *goals(rules).last().unwrap();
    assert_eq!(goal.attacker, Side::Black);
    let (a1_e1, c1_e1) = (pair(&solver.layout, "a1", "e1"), pair(&solver.layout, "c1", "e1"));
    solver.reset(goal.attacker);
    let undecided = |solver: &Solver| solver.black.rows[a1_e1].chunk(0, 1)[0][0];
    assert_eq!(undecided(&solver), 0x1_0001_0117);
    solver.solve_ply(goal, 0);
    assert_eq!(solver.white.rows[c1_e1].chunk(0, 1)[0], [1, 0, 0, 0]);
    solver.solve_ply(goal, 1);
    assert_eq!(undecided(&solver), 0x1_0000_0102);
    let left = ["c4", "e4", "a4"].map(|name| solver.layout.index(a1_e1, point(name).set()));
    assert_eq!(left, [1, 8, 32]);
}
