//! Ending games early by what the engines themselves say of them.

use crate::rules::Side;
use crate::tournament::engine::ReportedScore;
use crate::tournament::fault::GameEnd;
use std::fmt;

/// When a game is called a draw.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct DrawRule {
    /// Not before this many moves of each side.
    pub move_number: u32,
    /// For so many moves in a row both engines
    pub move_count: u32,
    /// give scores this near to 0, in centigoats.
    pub score: i32,
}

impl fmt::Display for DrawRule {
    /// As the words that make it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "movenumber={} movecount={} score={}", self.move_number, self.move_count, self.score)
    }
}

/// When a game is given up for an engine.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct ResignRule {
    /// For so many of its moves in a row it
    pub move_count: u32,
    /// gives scores this far below 0, in centigoats.
    pub score: i32,
    /// And its opponent gives scores as far above 0.
    pub two_sided: bool,
}

impl fmt::Display for ResignRule {
    /// As the words that make it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "movecount={} score={} twosided={}", self.move_count, self.score, self.two_sided)
    }
}

/// The conditions under which a game ends beside the rules.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub struct AdjudicationRules {
    /// Moves of each side after which it is a draw.
    pub max_moves: Option<u32>,
    /// Calling it a draw.
    pub draw: Option<DrawRule>,
    /// Giving it up.
    pub resign: Option<ResignRule>,
}

/// Watches one game.
#[derive(Clone, Debug)]
pub struct Adjudicator {
    conditions: AdjudicationRules,
    plies: u32,
    /// Plies in a row with scores near 0.
    level: u32,
    /// Moves in a row, of each side, with scores that give the game up.
    lost: [u32; 2],
    /// Moves in a row, of each side, with scores that claim it.
    won: [u32; 2],
}

impl Adjudicator {
    /// A watch over a game from its first own move.
    pub const fn new(conditions: AdjudicationRules) -> Self {
        Self { conditions, plies: 0, level: 0, lost: [0; 2], won: [0; 2] }
    }

    /// Takes in a move of `side` with its score. Returns how the game ends now, if it does.
    pub fn hear(&mut self, side: Side, score: Option<ReportedScore>) -> Option<GameEnd> {
        self.plies += 1;
        let score = score.map(ReportedScore::centigoats);
        let count = |counter: &mut u32, holds: bool| *counter = if holds { *counter + 1 } else { 0 };
        let AdjudicationRules { max_moves, draw, resign } = self.conditions;
        if let Some(rule) = draw {
            count(&mut self.level, score.is_some_and(|score| score.abs() <= rule.score));
        }
        if let (Some(rule), [white_lost, black_lost], [white_won, black_won]) = (resign, &mut self.lost, &mut self.won)
        {
            let (lost, won) = if side == Side::White { (white_lost, white_won) } else { (black_lost, black_won) };
            count(lost, score.is_some_and(|score| score <= -rule.score));
            count(won, score.is_some_and(|score| score >= rule.score));
            let (has_lost, claimed) = (*lost >= rule.move_count, self.won_by(side.opponent()) >= rule.move_count);
            if has_lost && (claimed || !rule.two_sided) {
                return Some(GameEnd::AdjudicatedLoss(side));
            }
            let given_up = self.lost_by(side.opponent()) >= rule.move_count;
            if rule.two_sided && given_up && self.won_by(side) >= rule.move_count {
                return Some(GameEnd::AdjudicatedLoss(side.opponent()));
            }
        }
        let moves = self.plies / 2;
        if draw.is_some_and(|rule| moves >= rule.move_number && self.level >= 2 * rule.move_count) {
            return Some(GameEnd::AdjudicatedDraw);
        }
        max_moves.filter(|most| moves >= *most).map(GameEnd::MaxMoves)
    }

    fn won_by(&self, side: Side) -> u32 {
        self.won.get(side.index()).copied().unwrap_or(0)
    }

    fn lost_by(&self, side: Side) -> u32 {
        self.lost.get(side.index()).copied().unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ends_at(conditions: AdjudicationRules, scores: impl Fn(u32) -> Option<i32>) -> Option<(u32, GameEnd)> {
        let mut watch = Adjudicator::new(conditions);
        (1..=200).find_map(|ply| {
            let side = if ply % 2 == 1 { Side::White } else { Side::Black };
            watch.hear(side, scores(ply).map(ReportedScore::Centigoats)).map(|reason| (ply, reason))
        })
    }

    #[test]
    fn a_draw_takes_both_engines_and_time() {
        let draw = Some(DrawRule { move_number: 10, move_count: 4, score: 20 });
        let conditions = AdjudicationRules { draw, ..AdjudicationRules::default() };
        assert_eq!(ends_at(conditions, |_| Some(-20)), Some((20, GameEnd::AdjudicatedDraw)));
        assert_eq!(
            ends_at(conditions, |ply| Some(if ply == 18 { 21 } else { 0 })),
            Some((26, GameEnd::AdjudicatedDraw))
        );
        assert_eq!(ends_at(conditions, |ply| Some(if ply.is_multiple_of(2) { 21 } else { 0 })), None);
        assert_eq!(ends_at(conditions, |_| None), None);
    }

    #[test]
    fn a_lost_game_is_given_up() {
        let rule = ResignRule { move_count: 3, score: 500, two_sided: false };
        let mut conditions = AdjudicationRules { resign: Some(rule), ..AdjudicationRules::default() };
        let black_loses = |ply: u32| Some(if ply.is_multiple_of(2) { -600 } else { 0 });
        assert_eq!(ends_at(conditions, black_loses), Some((6, GameEnd::AdjudicatedLoss(Side::Black))));
        conditions.resign = Some(ResignRule { two_sided: true, ..rule });
        assert_eq!(ends_at(conditions, black_loses), None);
        let both_agree = |ply: u32| {
            Some(if ply.is_multiple_of(2) {
                -600
            } else if ply < 6 {
                0
            } else {
                500
            })
        };
        assert_eq!(ends_at(conditions, both_agree), Some((11, GameEnd::AdjudicatedLoss(Side::Black))));
    }

    #[test]
    fn a_long_game_is_a_draw() {
        let conditions = AdjudicationRules { max_moves: Some(30), ..AdjudicationRules::default() };
        assert_eq!(ends_at(conditions, |_| Some(9_000)), Some((60, GameEnd::MaxMoves(30))));
    }
}
