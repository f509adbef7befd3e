//! Grades of moves and their accuracy, both by the share of a game that a move gave away.

/// The grade of a move, from best to worst.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Grade {
    /// Nothing better was found.
    Best,
    /// Less than an inaccuracy.
    Good,
    /// At least 0.05 of a game given away.
    Inaccuracy,
    /// At least 0.10.
    Mistake,
    /// At least 0.15.
    Blunder,
}

/// A row of the table of grades.
#[derive(Copy, Clone, Debug)]
pub struct GradeInfo {
    /// The grade that the row describes.
    pub grade: Grade,
    /// Its name for one move.
    pub name: &'static str,
    /// Its name for several moves.
    pub plural: &'static str,
    /// The annotation sign behind the move, as in chess.
    pub sign: &'static str,
    /// The least share of a game that such a move gives away; a game won instead of lost is 1.
    pub min_loss: f64,
}

/// The grades, best first. The thresholds from the inaccuracy on are those of Lichess (lila, `Advice.scala`): 0.1, 0.2
/// and 0.3 on its scale, where a game won instead of lost is 2.
pub const GRADES: [GradeInfo; 5] = [
    GradeInfo { grade: Grade::Best, name: "best", plural: "best moves", sign: "", min_loss: 0.0 },
    GradeInfo { grade: Grade::Good, name: "good", plural: "good moves", sign: "", min_loss: f64::MIN_POSITIVE },
    GradeInfo { grade: Grade::Inaccuracy, name: "inaccuracy", plural: "inaccuracies", sign: "?!", min_loss: 0.05 },
    GradeInfo { grade: Grade::Mistake, name: "mistake", plural: "mistakes", sign: "?", min_loss: 0.10 },
    GradeInfo { grade: Grade::Blunder, name: "blunder", plural: "blunders", sign: "??", min_loss: 0.15 },
];

/// The exponent of accuracy for a whole game given away.
const ACCURACY_FALL: f64 = 4.0;

impl Grade {
    /// The grade of a move that gave away this share of a game.
    pub fn of(loss: f64) -> Self {
        GRADES.iter().rev().find(|info| loss >= info.min_loss).map_or(Self::Best, |info| info.grade)
    }

    /// Its row in [`GRADES`].
    pub fn info(self) -> GradeInfo {
        let [best, ..] = GRADES;
        GRADES.into_iter().find(|info| info.grade == self).unwrap_or(best)
    }

    /// Whether it is an inaccuracy or worse.
    pub fn is_fault(self) -> bool {
        self >= Self::Inaccuracy
    }
}

/// The accuracy of a move in percent, `100 e^(-4 loss)`: 82 for an inaccuracy at its threshold, 55 for a blunder at
/// its, 14 for a win turned into a draw, 2 for a win turned into a loss.
pub fn accuracy(loss: f64) -> f64 {
    100.0 * (-ACCURACY_FALL * loss).exp()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn grades_follow_their_thresholds() {
        for (loss, grade) in [
            (0.0, Grade::Best),
            (0.0001, Grade::Good),
            (0.0499, Grade::Good),
            (0.05, Grade::Inaccuracy),
            (0.1, Grade::Mistake),
            (0.15, Grade::Blunder),
            (1.4, Grade::Blunder),
        ] {
            assert_eq!(Grade::of(loss), grade, "{loss}");
        }
        assert!(GRADES.iter().all(|info| info.grade.info().name == info.name));
        assert!(GRADES.is_sorted_by(|low, high| low.min_loss < high.min_loss && low.grade < high.grade));
    }

    #[test]
    fn accuracy_is_what_the_documents_say() {
        let rounded = |loss| accuracy(loss).round();
        assert_eq!([0.0, 0.05, 0.15, 0.5, 1.0].map(rounded), [100.0, 82.0, 55.0, 14.0, 2.0]);
    }
}
