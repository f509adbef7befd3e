//! The value of a position from a search, from solved tables or by the rules, always from White's side.

use crate::eval::wdl::expected_points;
use crate::game::GameResult;
use crate::position::Position;
use crate::rules::{RuleSet, Side};
use crate::search::score::{Mate, Score, ScoreKind};
use crate::tablebase::Probe;
use std::fmt;

/// The value of a position, from White's side.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum PositionValue {
    /// The evaluation of a search, in centigoats from White's side.
    Evaluation(i32),
    /// The game is drawn, or neither side can force a win.
    Draw,
    /// One side wins by force, or has won.
    Win {
        /// The side that wins.
        winner: Side,
        /// Points for the winner; 1 in rule sets without points.
        points: u32,
        /// Plies to the end of the game, where they are known.
        plies: Option<u32>,
    },
}

impl PositionValue {
    /// The value that a search of this position has found.
    pub fn of_score(score: Score, position: &Position) -> Self {
        let side = position.side();
        let won = |winner, mate: Mate| Self::Win { winner, points: mate.points, plies: Some(mate.plies) };
        match score.kind() {
            ScoreKind::Evaluation(centigoats) if side == Side::White => Self::Evaluation(centigoats),
            ScoreKind::Evaluation(centigoats) => Self::Evaluation(-centigoats),
            ScoreKind::Win(mate) => won(side, mate),
            ScoreKind::Loss(mate) => won(side.opponent(), mate),
        }
    }

    /// The value that solved tables give a position.
    pub fn of_tables(probe: Probe, rules: &RuleSet) -> Self {
        let Probe { value, plies } = probe;
        let points = value.points(rules);
        value.winner().map_or(Self::Draw, |winner| Self::Win { winner, points, plies })
    }

    /// This value; if it is a win whose distance is not known, the same win as a search has seen it to its end.
    pub fn or_distance_of(self, seen: Self) -> Self {
        match (self, seen) {
            (Self::Win { winner, points, plies: None }, Self::Win { winner: by, points: worth, .. })
                if (winner, points) == (by, worth) =>
            {
                seen
            }
            _ => self,
        }
    }

    /// The result for a side where it is known; `None` for an evaluation.
    pub fn result_for(self, side: Side) -> Option<GameResult> {
        match self {
            Self::Evaluation(_) => None,
            Self::Draw => Some(GameResult::Draw),
            Self::Win { winner, .. } => Some(GameResult::seen_by(side, Some(winner))),
        }
    }

    /// The expected result: what White can expect to win minus what Black can, in points of a game.
    ///
    /// A win is worth 1, in the scored rule sets the points of the rules. A forced win counts with all its points, a draw with
    /// 0, and behind an evaluation that a search of `depth` plies has found each side's win with its chance by the
    /// win/draw/loss model.
    pub fn expected_result(self, depth: u32, position: &Position) -> f64 {
        match self {
            Self::Draw => 0.0,
            Self::Win { winner, points, .. } => f64::from(points) * sign(winner),
            Self::Evaluation(centigoats) => expected_points(centigoats, depth, position),
        }
    }
}

/// 1 for White, -1 for Black.
pub const fn sign(side: Side) -> f64 {
    match side {
        Side::White => 1.0,
        Side::Black => -1.0,
    }
}

/// `+0.31` in goats; `=`; `+M7`: White wins in seven plies, `-M7` Black; `+12 M7` with its points where it is worth
/// more than one; `+win` where the distance is not known; `1-0`, `0-10` where the game is over.
impl fmt::Display for PositionValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (winner, points, plies) = match self {
            Self::Evaluation(centigoats) => return f.pad(&format!("{:+.2}", f64::from(*centigoats) / 100.0)),
            Self::Draw => return f.pad("="),
            Self::Win { winner, points, plies } => (*winner, *points, *plies),
        };
        match (winner, plies) {
            (Side::White, Some(0)) => return f.pad(&format!("{points}-0")),
            (Side::Black, Some(0)) => return f.pad(&format!("0-{points}")),
            _ => {}
        }
        let sign = if winner == Side::White { '+' } else { '-' };
        let distance = plies.map_or_else(|| "win".to_owned(), |plies| format!("M{plies}"));
        match points {
            1 => f.pad(&format!("{sign}{distance}")),
            _ => f.pad(&format!("{sign}{points} {distance}")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::notation::fen;
    use crate::rules::RuleSet;
    use crate::tablebase::TableValue;

    fn position(rules: &str, text: &str) -> Position {
        fen::parse(RuleSet::named(rules).unwrap(), text).unwrap()
    }

    #[test]
    fn a_win_takes_its_distance_from_the_search_that_has_seen_it() {
        let won = |winner, plies| PositionValue::Win { winner, points: 1, plies };
        let unknown = won(Side::White, None);
        assert_eq!(unknown.or_distance_of(won(Side::White, Some(7))), won(Side::White, Some(7)));
        for other in [won(Side::Black, Some(7)), PositionValue::Evaluation(300), PositionValue::Draw] {
            assert_eq!(unknown.or_distance_of(other), unknown);
        }
        assert_eq!(won(Side::White, Some(5)).or_distance_of(won(Side::White, Some(7))), won(Side::White, Some(5)));
    }

    #[test]
    fn expected_results_grow_with_the_value() {
        for rules in ["baghbandi", "super", "wikipedia"] {
            let start = position(rules, "5/2E1E/1t1t1/2E1E/5 w");
            let values: Vec<f64> = (-9_000..=9_000)
                .step_by(50)
                .map(|cp| PositionValue::Evaluation(cp).expected_result(0, &start))
                .collect();
            assert!(values.is_sorted(), "{rules}: {values:?}");
        }
    }

    #[test]
    fn expected_results_are_those_of_the_model() {
        let plain = position("baghbandi", "5/2E1E/1t1t1/2E1E/5 w");
        let expected = |centigoats| PositionValue::Evaluation(centigoats).expected_result(0, &plain);
        assert!((0.49..0.51).contains(&expected(200)) && (-0.51..-0.49).contains(&expected(-200)));
        assert!(expected(300) > 0.95 && expected(-300) < -0.95);
        assert!([-120, -50, 0, 120].iter().all(|centigoats| expected(*centigoats).abs() < 0.05), "drawn");
        assert!(PositionValue::Draw.expected_result(0, &plain).abs() < f64::EPSILON);
    }

    #[test]
    fn points_count_where_they_are_played_for() {
        let scored = position("super", "1AA2/AA1A1/AtAA1/t1AA1/AAA1A w");
        assert!((11.9..=12.0).contains(&PositionValue::Evaluation(9_000).expected_result(0, &scored)));
        assert!((-10.0..=-9.9).contains(&PositionValue::Evaluation(-9_000).expected_result(0, &scored)));
        let won = PositionValue::of_score(Score::win(12, 1), &scored);
        assert_eq!((won.expected_result(0, &scored), won.to_string()), (12.0, "+12 M1".to_owned()));
    }

    #[test]
    fn values_are_seen_from_white() {
        let black = position("baghbandi", "5/2A1A/1t1t1/5/5 b");
        for (score, text) in [
            (Score::evaluation(31), "-0.31"),
            (Score::win(1, 7), "-M7"),
            (Score::loss(1, 4), "+M4"),
            (Score::DRAW, "+0.00"),
            (Score::loss(14, 0), "14-0"),
        ] {
            assert_eq!(PositionValue::of_score(score, &black).to_string(), text);
        }
        let rules = RuleSet::standard();
        for (value, plies, text) in [
            (TableValue::BLACK, None, "-win"),
            (TableValue::DRAW, None, "="),
            (TableValue::white(rules, 9), None, "+win"),
            (TableValue::BLACK, Some(7), "-M7"),
        ] {
            assert_eq!(PositionValue::of_tables(Probe { value, plies }, rules).to_string(), text);
        }
    }
}
