//! How good a move was: grades by the share of a game that it gave away, and accuracy.

/// What a move is called.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Grade {
    /// Nothing better was found.
    Best,
    /// It gave away hardly anything.
    Good,
    /// It gave away a little.
    Inaccuracy,
    /// It gave away much.
    Mistake,
    /// It gave away so much that it may have decided the game.
    Blunder,
}

/// All that there is to say of a grade.
#[derive(Copy, Clone, Debug)]
pub struct Spec {
    /// The grade.
    pub grade: Grade,
    /// Its name.
    pub name: &'static str,
    /// Its name for a count of moves.
    pub plural: &'static str,
    /// The sign behind the move.
    pub sign: &'static str,
    /// The least share that such a move gives away; a game won instead of lost is 1.
    pub from: f64,
}

/// The grades, best first. The thresholds from the inaccuracy on are those of Lichess (lila, `Advice.scala`): 0.1, 0.2
/// and 0.3 on its scale, where a game won instead of lost is 2.
pub const GRADES: [Spec; 5] = [
    Spec { grade: Grade::Best, name: "best", plural: "best moves", sign: "", from: 0.0 },
    Spec { grade: Grade::Good, name: "good", plural: "good moves", sign: "", from: f64::MIN_POSITIVE },
    Spec { grade: Grade::Inaccuracy, name: "inaccuracy", plural: "inaccuracies", sign: "?!", from: 0.05 },
    Spec { grade: Grade::Mistake, name: "mistake", plural: "mistakes", sign: "?", from: 0.10 },
    Spec { grade: Grade::Blunder, name: "blunder", plural: "blunders", sign: "??", from: 0.15 },
];

/// How fast accuracy falls with what is given away.
const ACCURACY_FALL: f64 = 4.0;

impl Grade {
    /// The grade of a move that gave away this share of a game.
    pub fn of(loss: f64) -> Self {
        GRADES.iter().rev().find(|spec| loss >= spec.from).map_or(Self::Best, |spec| spec.grade)
    }

    /// What there is to say of it.
    pub fn spec(self) -> Spec {
        let [best, ..] = GRADES;
        GRADES.into_iter().find(|spec| spec.grade == self).unwrap_or(best)
    }

    /// Whether there was something to do better.
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
        assert!(GRADES.iter().all(|spec| spec.grade.spec().name == spec.name));
        assert!(GRADES.is_sorted_by(|low, high| low.from < high.from && low.grade < high.grade));
    }

    #[test]
    fn accuracy_is_what_the_documents_say() {
        let rounded = |loss| accuracy(loss).round();
        assert_eq!([0.0, 0.05, 0.15, 0.5, 1.0].map(rounded), [100.0, 82.0, 55.0, 14.0, 2.0]);
    }
}
