//! What a position is worth: from a search or from solved tables, always from White's side.
//!
//! Judging compares expected results. The expected result of a position is what White can expect to win minus what
//! Black can, in points of a game: 1 for a win, in the scored rule sets what the win is worth. A forced win counts with
//! all its points and a draw with nothing. An evaluation of `x` centigoats counts with `2 / (1 + e^(-x / 150)) - 1`
//! times the points that the side in front would win: the logistic model of Elo's rating system.

use crate::position::Position;
use crate::rules::Side;
use crate::search::score::{self, Score};
use crate::tables;
use std::fmt;

/// Centigoats by which the odds of a win grow e-fold. A guess that agrees with the chances that the session shows
/// (`UCI_ShowWDL`): at 160 centigoats three quarters of a point.
const CENTIGOATS_PER_E_FOLD: f64 = 150.0;

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
        let won =
            |winner, forced: score::Forced| Self::Won { winner, points: forced.points, plies: Some(forced.plies) };
        match score.verdict() {
            score::Verdict::Evaluation(centigoats) if side == Side::White => Self::Open(centigoats),
            score::Verdict::Evaluation(centigoats) => Self::Open(-centigoats),
            score::Verdict::Win(forced) => won(side, forced),
            score::Verdict::Loss(forced) => won(side.opponent(), forced),
        }
    }

    /// What solved tables have said of a position; the distance is that of the search if it has found the same.
    pub fn of_tables(verdict: tables::Verdict, searched: Self, position: &Position) -> Self {
        let side = position.side();
        let winner = match verdict {
            tables::Verdict::Draw => return Self::Drawn,
            tables::Verdict::Win => side,
            tables::Verdict::Loss => side.opponent(),
        };
        if searched.winner() == Some(winner) {
            return searched;
        }
        Self::Won { winner, points: position.rules().win_points(winner, position.goats_alive()), plies: None }
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
                let leader = if centigoats < 0 { Side::Black } else { Side::White };
                let points = position.rules().win_points(leader, position.goats_alive());
                f64::from(points) * (2.0 / (1.0 + (-f64::from(centigoats) / CENTIGOATS_PER_E_FOLD).exp()) - 1.0)
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

    fn position(rules: &str, text: &str) -> Position {
        fen::parse(RuleSet::named(rules).unwrap(), text).unwrap()
    }

    #[test]
    fn expected_results_grow_with_the_value_and_mirror() {
        let plain = position("baghbandi", "5/2E1E/1t1t1/2E1E/5 w");
        let expected = |value: Value| value.expected(&plain);
        assert_eq!((expected(Value::Open(0)), expected(Value::Drawn)), (0.0, 0.0));
        let mut last = expected(Value::Won { winner: Side::Black, points: 1, plies: None });
        for centigoats in (-9_000..=9_000).step_by(500) {
            let next = expected(Value::Open(centigoats));
            assert!(next >= last && (next + expected(Value::Open(-centigoats))).abs() < 1e-9, "{centigoats}");
            last = next;
        }
        assert!((0.48..0.5).contains(&expected(Value::Open(160))), "three quarters of a point of two");
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
        for (verdict, text) in
            [(tables::Verdict::Win, "-win"), (tables::Verdict::Draw, "="), (tables::Verdict::Loss, "+win")]
        {
            assert_eq!(Value::of_tables(verdict, Value::Open(3), &black).to_string(), text);
        }
        let searched = Value::of_score(Score::win(1, 7), &black);
        assert_eq!(Value::of_tables(tables::Verdict::Win, searched, &black), searched);
    }
}
