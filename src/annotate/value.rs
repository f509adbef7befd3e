//! What a position is worth: from a search or from solved tables, always from White's side.
//!
//! Judging compares expected results. The expected result of a position is what White can expect to win minus what
//! Black can, in points of a game: 1 for a win, in the scored rule sets what the win is worth. A forced win counts with
//! all its points and a draw with nothing. Behind an evaluation each side's win counts with its chance, a logistic
//! function of the evaluation as in Elo's rating system, but with a centre of its own: the game is drawn over a wide
//! range, and Black's win is farther from an even evaluation than White's.

use crate::position::Position;
use crate::rules::{RuleSet, Side};
use crate::search::score::{self, Score};
use crate::tablebase::Probe;
use std::fmt;

/// Where a side's win is as likely as not, and how fast the odds change there: in centigoats from its own side, for an
/// evaluation after some 20,000 nodes.
struct Chance {
    /// The evaluation with even odds.
    centre: f64,
    /// By so much more the odds grow e-fold.
    spread: f64,
}

/// Measured on 2,000 solved positions of `baghbandi` with up to 20 goats, of which White wins one in two at +1.25; the
/// spread is twice as wide as theirs, since people err.
const WHITE_WINS: Chance = Chance { centre: 125.0, spread: 40.0 };

/// Measured on 1,500 solved positions of `baghbandi` with 3 to 7 goats, of which Black wins one in two at -10.30.
const BLACK_WINS: Chance = Chance { centre: 1030.0, spread: 80.0 };

/// By so much Black's win is nearer for each goat that may be left.
const GOAT: f64 = 72.0;

impl Chance {
    fn at(&self, centigoats: f64) -> f64 {
        1.0 / (1.0 + ((self.centre - centigoats) / self.spread).exp())
    }
}

/// What is known of a position.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Value {
    /// The evaluation of a search, in centigoats from White's side.
    Open(i32),
    /// The game is drawn, or neither side can force a win.
    Drawn,
    /// One side wins by force, or has won.
    Won {
        /// Who.
        winner: Side,
        /// What the win is worth; 1 in rule sets without points.
        points: u32,
        /// Plies to the end of the game, where they are known.
        plies: Option<u32>,
    },
}

impl Value {
    /// What a search has said of a position.
    pub fn of_score(score: Score, position: &Position) -> Self {
        let side = position.side();
        let won = |winner, forced: score::Mate| Self::Won { winner, points: forced.points, plies: Some(forced.plies) };
        match score.kind() {
            score::ScoreKind::Evaluation(centigoats) if side == Side::White => Self::Open(centigoats),
            score::ScoreKind::Evaluation(centigoats) => Self::Open(-centigoats),
            score::ScoreKind::Win(forced) => won(side, forced),
            score::ScoreKind::Loss(forced) => won(side.opponent(), forced),
        }
    }

    /// What solved tables have said of a position, with the plies to the end if they know these.
    pub fn of_tables(known: Probe, rules: &RuleSet) -> Self {
        let Probe { value, plies } = known;
        let points = value.points(rules);
        value.winner().map_or(Self::Drawn, |winner| Self::Won { winner, points, plies })
    }

    /// Who wins by force.
    pub const fn winner(self) -> Option<Side> {
        match self {
            Self::Won { winner, .. } => Some(winner),
            Self::Open(_) | Self::Drawn => None,
        }
    }

    /// The expected result in points, from White's side; see the top of this file.
    pub fn expected(self, position: &Position) -> f64 {
        match self {
            Self::Drawn => 0.0,
            Self::Won { winner, points, .. } => f64::from(points) * sign(winner),
            Self::Open(centigoats) => {
                let lead = f64::from(centigoats);
                let rules = position.rules();
                let points = |side| f64::from(rules.win_points(side, position.goats_alive()));
                let nearer = GOAT * f64::from(rules.goats_to_live.saturating_sub(1));
                WHITE_WINS.at(lead) * points(Side::White) - BLACK_WINS.at(nearer - lead) * points(Side::Black)
            }
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
impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (winner, points, plies) = match self {
            Self::Open(centigoats) => return f.pad(&format!("{:+.2}", f64::from(*centigoats) / 100.0)),
            Self::Drawn => return f.pad("="),
            Self::Won { winner, points, plies } => (*winner, *points, *plies),
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
    fn expected_results_grow_with_the_value() {
        for rules in ["baghbandi", "super", "wikipedia"] {
            let start = position(rules, "5/2E1E/1t1t1/2E1E/5 w");
            let values: Vec<f64> = (-9_000..=9_000).step_by(50).map(|cp| Value::Open(cp).expected(&start)).collect();
            assert!(values.is_sorted(), "{rules}: {values:?}");
        }
    }

    #[test]
    fn expected_results_are_as_measured() {
        let plain = position("baghbandi", "5/2E1E/1t1t1/2E1E/5 w");
        let expected = |centigoats| Value::Open(centigoats).expected(&plain);
        assert!((0.49..0.51).contains(&expected(125)) && (-0.51..-0.49).contains(&expected(-1030)));
        assert!(expected(250) > 0.95 && expected(-1300) < -0.95);
        assert!([0, -200, -500, -700].iter().all(|centigoats| expected(*centigoats).abs() < 0.05), "drawn");
        assert!(Value::Drawn.expected(&plain).abs() < f64::EPSILON);
    }

    #[test]
    fn points_count_where_they_are_played_for() {
        let scored = position("super", "1AA2/AA1A1/AtAA1/t1AA1/AAA1A w");
        assert!((11.9..=12.0).contains(&Value::Open(9_000).expected(&scored)));
        assert!((-10.0..=-9.9).contains(&Value::Open(-9_000).expected(&scored)));
        let won = Value::of_score(Score::win(12, 1), &scored);
        assert_eq!((won.expected(&scored), won.to_string()), (12.0, "+12 M1".to_owned()));
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
            assert_eq!(Value::of_score(score, &black).to_string(), text);
        }
        let rules = RuleSet::standard();
        for (value, plies, text) in [
            (TableValue::BLACK, None, "-win"),
            (TableValue::DRAW, None, "="),
            (TableValue::white(rules, 9), None, "+win"),
            (TableValue::BLACK, Some(7), "-M7"),
        ] {
            assert_eq!(Value::of_tables(Probe { value, plies }, rules).to_string(), text);
        }
    }
}
