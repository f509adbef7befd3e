//! Scores: an evaluation in centigoats, or a forced end of the game with its points and its distance.

use crate::position::Position;
use crate::rules::Side;
use crate::search::ply::Ply;
use std::fmt;
use std::ops::Neg;

/// Scores from here up are forced wins, and from minus this down forced losses.
const DECISIVE: i16 = 10_000;
/// Distances that a score can tell apart for each number of points.
const BAND: i16 = 1_024;
/// Largest evaluation that is not a forced end, in centigoats.
pub const MAX_EVALUATION: i16 = DECISIVE - 1;
/// Longest distance to the end of the game that a score can hold, in plies.
pub const MAX_DISTANCE: u32 = BAND as u32 - 1;

/// The value of a position for the side to move.
///
/// Evaluations are centigoats: 100 stand for one goat. Forced ends are larger than all evaluations; among them more
/// points are better, and with the same points the nearer win and the farther loss.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub struct Score(i16);

/// What a score stands for.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum ScoreKind {
    /// An evaluation in centigoats, for the side to move.
    Evaluation(i32),
    /// A forced win for the side to move.
    Win(Mate),
    /// A forced loss for the side to move.
    Loss(Mate),
}

/// A forced end of the game, which chess engines call a mate.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Mate {
    /// Points for the winner; 1 in rule sets without points.
    pub points: u32,
    /// Plies to the end of the game.
    pub plies: u32,
}

impl Score {
    /// The value of a draw.
    pub const DRAW: Self = Self(0);
    /// Above every score.
    pub const INFINITE: Self = Self(32_000);

    /// An evaluation in centigoats, cut to the room that evaluations have.
    pub fn evaluation(centigoats: i32) -> Self {
        let most = i32::from(MAX_EVALUATION);
        Self(centigoats.clamp(-most, most) as i16)
    }

    /// A win of `points` (at most 18) in `plies`; distances beyond [`MAX_DISTANCE`] count as that.
    pub const fn win(points: u32, plies: u32) -> Self {
        debug_assert!(points <= 18, "points beyond the range of scores");
        let nearness = MAX_DISTANCE.saturating_sub(plies);
        Self(DECISIVE + points as i16 * BAND + nearness as i16)
    }

    /// A loss of `points` (at most 18) in `plies`; distances beyond [`MAX_DISTANCE`] count as that.
    pub const fn loss(points: u32, plies: u32) -> Self {
        Self(-Self::win(points, plies).0)
    }

    /// The score, for the side to move, of a game that `winner` wins in `plies` with the goats that this position has.
    pub const fn won_by(winner: Side, position: &Position, plies: u32) -> Self {
        let points = position.rules().win_points(winner, position.goats_alive());
        if winner.index() == position.side().index() { Self::win(points, plies) } else { Self::loss(points, plies) }
    }

    /// What it stands for.
    pub fn kind(self) -> ScoreKind {
        let beyond = self.0.unsigned_abs().checked_sub(DECISIVE as u16).map(u32::from);
        match beyond {
            None => ScoreKind::Evaluation(i32::from(self.0)),
            Some(beyond) => {
                let mate = Mate { points: beyond / BAND as u32, plies: MAX_DISTANCE - beyond % BAND as u32 };
                if self.0 > 0 { ScoreKind::Win(mate) } else { ScoreKind::Loss(mate) }
            }
        }
    }

    /// Whether it is a forced end of the game.
    pub const fn is_decisive(self) -> bool {
        self.0.unsigned_abs() >= DECISIVE as u16
    }

    /// The score as a number that orders like it.
    pub const fn raw(self) -> i16 {
        self.0
    }

    /// The score behind a number from [`Score::raw`]; other numbers are cut to the range of scores.
    pub fn from_raw(raw: i16) -> Self {
        Self(raw.clamp(-Self::INFINITE.0, Self::INFINITE.0))
    }

    /// The score with its distance counted from a node instead of from the root, `ply` moves before it, as the
    /// transposition table stores it.
    pub const fn root_to_node(self, ply: Ply) -> Self {
        self.shifted(ply as i16)
    }

    /// The score with its distance counted from the root instead of from a node `ply` moves after it.
    pub const fn node_to_root(self, ply: Ply) -> Self {
        self.shifted(-(ply as i16))
    }

    /// Shifts a forced end within its band.
    const fn shifted(self, by: i16) -> Self {
        if !self.is_decisive() {
            return self;
        }
        let beyond = self.0.unsigned_abs() as i16 - DECISIVE;
        let (band, nearness) = (beyond / BAND, beyond % BAND + by);
        let nearness = if nearness < 0 {
            0
        } else if nearness >= BAND {
            BAND - 1
        } else {
            nearness
        };
        let size = DECISIVE + band * BAND + nearness;
        if self.0 > 0 { Self(size) } else { Self(-size) }
    }

    /// The score with this much added, cut to the range of scores.
    pub fn saturating_add(self, centigoats: i32) -> Self {
        let most = i32::from(Self::INFINITE.0);
        Self((i32::from(self.0) + centigoats).clamp(-most, most) as i16)
    }
}

impl Neg for Score {
    type Output = Self;
    fn neg(self) -> Self {
        Self(-self.0)
    }
}

impl fmt::Display for Score {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.kind() {
            ScoreKind::Evaluation(centigoats) => write!(f, "{:+.2}", f64::from(centigoats) / 100.0),
            ScoreKind::Win(forced) => write!(f, "+M{}", forced.plies),
            ScoreKind::Loss(forced) => write!(f, "-M{}", forced.plies),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_come_before_distance_and_both_before_evaluations() {
        let rising = [
            Score::loss(18, 1),
            Score::loss(18, 9),
            Score::loss(10, 3),
            Score::evaluation(-50_000),
            Score::DRAW,
            Score::evaluation(50_000),
            Score::win(1, 1_000),
            Score::win(1, 3),
            Score::win(12, 1),
            Score::win(13, 900),
            Score::INFINITE,
        ];
        assert!(rising.is_sorted_by(|low, high| low < high));
    }

    #[test]
    fn kinds_read_back() {
        for points in 1..=18 {
            for plies in [0, 1, 17, MAX_DISTANCE] {
                assert_eq!(Score::win(points, plies).kind(), ScoreKind::Win(Mate { points, plies }));
                assert_eq!((-Score::win(points, plies)).kind(), ScoreKind::Loss(Mate { points, plies }));
            }
        }
        assert_eq!(Score::evaluation(-37).kind(), ScoreKind::Evaluation(-37));
    }

    #[test]
    fn shifts_stay_within_their_band() {
        assert_eq!(Score::win(12, 9).root_to_node(4), Score::win(12, 5));
        assert_eq!(Score::loss(12, 9).node_to_root(4), Score::loss(12, 13));
        assert_eq!(Score::win(12, 1_020).node_to_root(10), Score::win(12, MAX_DISTANCE));
        assert_eq!(Score::evaluation(31).root_to_node(4), Score::evaluation(31));
    }
}
