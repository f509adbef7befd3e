//! Adjudication: ending games early by the scores that the engines report, as in cutechess and fastchess, or by solved
//! tables.

use crate::game::DrawPlies;
use crate::position::Position;
use crate::rules::Side;
use crate::tablebase::{TableValue, Tablebase};
use crate::tournament::engine_info::ReportedScore;
use crate::tournament::fault::GameEnd;
use std::fmt;

/// A game is a draw if the scores of both engines' last `move_count` moves are all near 0.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct DrawRule {
    /// Not before this many moves of each side.
    pub move_number: u32,
    /// Moves in a row of each side; 1 or more.
    pub move_count: u32,
    /// Greatest distance of the scores from 0, in centigoats.
    pub score: i32,
}

impl fmt::Display for DrawRule {
    /// As the option's keys and values.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "movenumber={} movecount={} score={}", self.move_number, self.move_count, self.score)
    }
}

/// A game is lost for an engine if the scores of its last `move_count` moves are all far below 0.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct ResignRule {
    /// Moves in a row; 1 or more.
    pub move_count: u32,
    /// Least distance of the scores from 0, in centigoats.
    pub score: i32,
    /// The scores of the opponent's last `move_count` moves must be as far above 0.
    pub two_sided: bool,
}

impl fmt::Display for ResignRule {
    /// As the option's keys and values.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "movecount={} score={} twosided={}", self.move_count, self.score, self.two_sided)
    }
}

/// A game ends by the tables if after each of the engines' last `plies` plies they gave the same value, and whatever the
/// engines could have played in the next `safe` plies would not have changed it.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct TableRule {
    /// Plies in a row, of both sides together; 1 or more.
    pub plies: u32,
    /// 0 to 4; a search of so many plies.
    pub safe: u32,
}

impl fmt::Display for TableRule {
    /// As the option's keys and values.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "plies={} safe={}", self.plies, self.safe)
    }
}

/// What ends games beside the rules of the game.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub struct AdjudicationRules {
    /// Moves of each side after which it is a draw.
    pub max_moves: Option<u32>,
    pub draw: Option<DrawRule>,
    pub resign: Option<ResignRule>,
    /// Needs tables.
    pub tables: Option<TableRule>,
}

/// The adjudication of one game by tables.
#[derive(Clone, Debug)]
pub struct TableAdjudicator {
    rule: TableRule,
    /// The value after the last ply, if it was safe.
    value: Option<TableValue>,
    /// Plies in a row with this value.
    streak: u32,
}

impl TableAdjudicator {
    /// Starts at the end of the opening.
    pub const fn new(rule: TableRule) -> Self {
        Self { rule, value: None, streak: 0 }
    }

    /// Counts a move of an engine, which has led to this position. Returns the value by which the game ends, if it does.
    pub fn after_move(&mut self, tables: &Tablebase, position: &Position, draw_plies: DrawPlies) -> Option<TableValue> {
        let found = value_in_force(tables, position, draw_plies);
        let safe = found.filter(|value| keeps(tables, position, *value, self.rule.safe));
        let goes_on = safe.is_some() && safe == self.value;
        self.streak = if goes_on { self.streak.saturating_add(1) } else { u32::from(safe.is_some()) };
        self.value = safe;
        safe.filter(|_| self.streak >= self.rule.plies)
    }
}

/// The tables' value of a position; `None` for a win that the draw by quiet plies would come before. A win of unknown
/// length counts.
fn value_in_force(tables: &Tablebase, position: &Position, draw_plies: DrawPlies) -> Option<TableValue> {
    let probe = tables.probe(position).ok()?;
    let is_in_time = probe.plies.is_none_or(|plies| draw_plies.allow_end_after(position, plies));
    (probe.value.winner().is_none() || is_in_time).then_some(probe.value)
}

/// Whether a position of this value keeps it whatever is played in the next `plies` plies. False if a table is missing.
fn keeps(tables: &Tablebase, position: &Position, value: TableValue, plies: u32) -> bool {
    if plies == 0 || position.ending().is_some() {
        return true;
    }
    let next: Vec<Position> = position.legal_moves().iter().map(|mv| position.play(*mv)).collect();
    // The near plies first: most positions fail there.
    next.iter().all(|position| tables.probe_value(position) == Ok(value))
        && next.iter().all(|position| keeps(tables, position, value, plies - 1))
}

/// The adjudication of one game by scores.
#[derive(Clone, Debug)]
pub struct Adjudicator {
    rules: AdjudicationRules,
    /// Plies since the opening.
    plies: u32,
    /// Last plies in a row with scores near 0.
    level_plies: u32,
    /// Of White and Black.
    streaks: [ScoreStreak; 2],
}

/// One side's last moves in a row with scores far from 0.
#[derive(Copy, Clone, Default, Debug)]
struct ScoreStreak {
    /// Far below.
    losing: u32,
    /// Far above.
    winning: u32,
}

impl Adjudicator {
    /// Starts at the end of the opening.
    pub const fn new(rules: AdjudicationRules) -> Self {
        Self { rules, plies: 0, level_plies: 0, streaks: [ScoreStreak { losing: 0, winning: 0 }; 2] }
    }

    /// Counts a move of `side` with its score. Returns how the game ends by it, if it does.
    pub fn after_move(&mut self, side: Side, score: Option<ReportedScore>) -> Option<GameEnd> {
        self.plies = self.plies.saturating_add(1);
        let score = score.map(ReportedScore::centigoats);
        let AdjudicationRules { max_moves, draw, resign, .. } = self.rules;
        if let Some(rule) = draw {
            extend_or_reset(
                &mut self.level_plies,
                score.is_some_and(|score| score.unsigned_abs() <= rule.score.unsigned_abs()),
            );
        }
        if let Some(loser) = resign.and_then(|rule| self.loser(rule, side, score)) {
            return Some(GameEnd::AdjudicatedLoss(loser));
        }
        let moves = self.plies / 2;
        if draw.is_some_and(|rule| moves >= rule.move_number && self.level_plies / 2 >= rule.move_count) {
            return Some(GameEnd::AdjudicatedDraw);
        }
        max_moves.filter(|most| moves >= *most).map(GameEnd::MaxMoves)
    }

    /// Counts a move of `side` for the resign rule. Returns the side that has lost by it.
    fn loser(&mut self, rule: ResignRule, side: Side, score: Option<i32>) -> Option<Side> {
        let [white, black] = &mut self.streaks;
        let (own, other) = if side == Side::White { (white, black) } else { (black, white) };
        extend_or_reset(&mut own.losing, score.is_some_and(|score| score <= -rule.score));
        extend_or_reset(&mut own.winning, score.is_some_and(|score| score >= rule.score));
        let has_lost = |loser: &ScoreStreak, winner: &ScoreStreak| {
            loser.losing >= rule.move_count && (winner.winning >= rule.move_count || !rule.two_sided)
        };
        if has_lost(own, other) {
            return Some(side);
        }
        has_lost(other, own).then_some(side.opponent())
    }
}

fn extend_or_reset(streak: &mut u32, holds: bool) {
    *streak = if holds { streak.saturating_add(1) } else { 0 };
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ends_at(rules: AdjudicationRules, scores: impl Fn(u32) -> Option<i32>) -> Option<(u32, GameEnd)> {
        let mut adjudicator = Adjudicator::new(rules);
        (1..=200).find_map(|ply| {
            let side = if ply % 2 == 1 { Side::White } else { Side::Black };
            adjudicator.after_move(side, scores(ply).map(ReportedScore::Centigoats)).map(|reason| (ply, reason))
        })
    }

    #[test]
    fn a_draw_takes_both_engines_and_time() {
        let draw = Some(DrawRule { move_number: 10, move_count: 4, score: 20 });
        let rules = AdjudicationRules { draw, ..AdjudicationRules::default() };
        assert_eq!(ends_at(rules, |_| Some(-20)), Some((20, GameEnd::AdjudicatedDraw)));
        assert_eq!(ends_at(rules, |ply| Some(if ply == 18 { 21 } else { 0 })), Some((26, GameEnd::AdjudicatedDraw)));
        assert_eq!(ends_at(rules, |ply| Some(if ply.is_multiple_of(2) { 21 } else { 0 })), None);
        assert_eq!(ends_at(rules, |_| None), None);
        assert_eq!(ends_at(rules, |_| Some(i32::MIN)), None);
        assert_eq!(ends_at(rules, |_| Some(i32::MAX)), None);
    }

    #[test]
    fn a_lost_game_is_given_up() {
        let rule = ResignRule { move_count: 3, score: 500, two_sided: false };
        let mut rules = AdjudicationRules { resign: Some(rule), ..AdjudicationRules::default() };
        let black_loses = |ply: u32| Some(if ply.is_multiple_of(2) { -600 } else { 0 });
        assert_eq!(ends_at(rules, black_loses), Some((6, GameEnd::AdjudicatedLoss(Side::Black))));
        rules.resign = Some(ResignRule { two_sided: true, ..rule });
        assert_eq!(ends_at(rules, black_loses), None);
        let both_agree = |ply: u32| {
            Some(if ply.is_multiple_of(2) {
                -600
            } else if ply < 6 {
                0
            } else {
                500
            })
        };
        assert_eq!(ends_at(rules, both_agree), Some((11, GameEnd::AdjudicatedLoss(Side::Black))));
    }

    #[test]
    fn a_long_game_is_a_draw() {
        let rules = AdjudicationRules { max_moves: Some(30), ..AdjudicationRules::default() };
        assert_eq!(ends_at(rules, |_| Some(9_000)), Some((60, GameEnd::MaxMoves(30))));
    }
}
