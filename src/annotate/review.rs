//! A game judged move by move. It takes no time: all searching is done before.

use crate::annotate::assess::Assessment;
use crate::annotate::grade::{Grade, accuracy};
use crate::annotate::value::{Value, sign};
use crate::game::GameResult;
use crate::moves::Move;
use crate::notation::match_record::Record;
use crate::notation::record::{self, move_text};
use crate::position::Position;
use crate::rules::Side;

/// A move with its judgement.
#[derive(Clone, Debug)]
pub struct Step {
    /// The position before it.
    pub position: Position,
    /// The move.
    pub mv: Move,
    /// The move in the notation of records.
    pub text: String,
    /// Value before and after it.
    pub values: [Value; 2],
    /// Depth of the search of the position after it, in plies.
    pub depth: u32,
    /// How good it was; `None` where there was no other move.
    pub grade: Option<Grade>,
    /// Share of a game that it gave away; one won instead of lost, as Black wins it, is 1.
    pub loss: f64,
    /// Whether the tables or the rules know both values.
    pub is_exact: bool,
    /// What was to be played; its first move is another one where `grade` is a fault.
    pub best: Vec<Move>,
}

/// A judged game.
#[derive(Clone, Debug)]
pub struct Review {
    /// The game with its tags. A result that follows from the moves is filled in.
    pub record: Record,
    /// The moves.
    pub steps: Vec<Step>,
    /// Expected result for White at the start and after each move, in points.
    pub expected: Vec<f64>,
}

impl Review {
    /// Judges a game of which each position was assessed.
    pub fn new(mut record: Record, assessments: &[Assessment]) -> Self {
        let game = &record.game;
        if record.result.is_none() {
            record.result = game.outcome().map(|outcome| match outcome.winner() {
                Some(Side::White) => GameResult::Win,
                Some(Side::Black) => GameResult::Loss,
                None => GameResult::Draw,
            });
        }
        let pairs = assessments.iter().zip(assessments.iter().skip(1));
        let steps = record.game.positions().zip(record.game.moves()).zip(pairs);
        let steps = steps.map(|((position, mv), (before, after))| judged(position, *mv, before, after)).collect();
        let expected = record.game.positions().zip(assessments);
        let expected = expected.map(|(position, assessment)| assessment.value.expected(position)).collect();
        Self { record, steps, expected }
    }

    /// The moves of a side.
    pub fn of(&self, side: Side) -> impl Iterator<Item = &Step> {
        self.steps.iter().filter(move |step| step.position.side() == side)
    }

    /// The names of the players; the sides' where the record has none.
    pub fn players(&self) -> [&str; 2] {
        [("White", "White"), ("Black", "Black")].map(|(tag, usual)| self.record.tag(tag).unwrap_or(usual))
    }

    /// How the game has ended, as far as the moves or the record say.
    pub fn ending(&self) -> String {
        let game = &self.record.game;
        let outcome = game.outcome().map(|outcome| {
            let (white, black) = game.points(outcome);
            let points = if game.rules().scored { format!(", {} points", white.max(black)) } else { String::new() };
            format!("{outcome}{points}")
        });
        match outcome {
            Some(text) => text,
            None if !self.record.reason.is_empty() => self.record.reason.clone(),
            None if self.record.result.is_some() => "the record says so".to_owned(),
            None => "the game is not over".to_owned(),
        }
    }

    /// How many moves of a side have a grade.
    pub fn count(&self, side: Side, grade: Grade) -> usize {
        self.of(side).filter(|step| step.grade == Some(grade)).count()
    }

    /// How many moves of a side were the only ones.
    pub fn forced(&self, side: Side) -> usize {
        self.of(side).filter(|step| step.grade.is_none()).count()
    }

    /// The accuracy of a side in percent: the mean over its moves that had a choice.
    ///
    /// Returns `None` if there is no such move.
    pub fn accuracy(&self, side: Side) -> Option<f64> {
        let all: Vec<f64> = self.of(side).filter(|step| step.grade.is_some()).map(|step| accuracy(step.loss)).collect();
        (!all.is_empty()).then(|| all.iter().sum::<f64>() / all.len() as f64)
    }
}

fn judged(position: &Position, mv: Move, before: &Assessment, after: &Assessment) -> Step {
    let next = position.play(mv);
    let side = position.side();
    let is_first_choice = before.line.first().is_some_and(|best| position.play(*best).key() == next.key());
    // A move that makes a draw has made one, even where the game was played on.
    let reached = if after.is_drawn && !before.is_drawn { Value::Drawn } else { after.value };
    let given_away = sign(side) * (before.value.expected(position) - reached.expected(&next));
    let whole = 2.0 * f64::from(position.rules().win_points(Side::Black, position.goats_alive()));
    // The end of a game that was drawn before says nothing of the move before it.
    let is_unknown = before.is_drawn && after.is_drawn && after.line.is_empty();
    let loss = if is_first_choice || is_unknown || before.choices <= 1 { 0.0 } else { (given_away / whole).max(0.0) };
    Step {
        position: *position,
        mv,
        text: move_text(position, mv),
        values: [before.value, reached],
        depth: after.depth,
        grade: (before.choices > 1).then(|| Grade::of(loss)),
        loss,
        is_exact: before.is_exact && after.is_exact,
        best: before.line.clone(),
    }
}

/// Most moves that are shown of what was better.
const LONGEST_LINE: usize = 6;

/// What a value means for the side that moves.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
enum Standing {
    Won,
    Drawn,
    Lost,
    Open,
}

impl Standing {
    fn of(value: Value, side: Side) -> Self {
        match value {
            Value::Open(_) => Self::Open,
            Value::Drawn => Self::Drawn,
            Value::Won { winner, .. } if winner == side => Self::Won,
            Value::Won { .. } => Self::Lost,
        }
    }
}

/// What to say of a fault, by what the position was before the move and is after it.
const REMARKS: [(Standing, Standing, &str); 5] = [
    (Standing::Won, Standing::Lost, "turns a win into a loss"),
    (Standing::Won, Standing::Drawn, "throws away a win"),
    (Standing::Won, Standing::Open, "misses a forced win"),
    (Standing::Drawn, Standing::Lost, "throws away a draw"),
    (Standing::Open, Standing::Lost, "allows a forced loss"),
];

impl Step {
    /// The side that moves.
    pub const fn side(&self) -> Side {
        self.position.side()
    }

    /// Whether something better was to be played.
    pub fn is_fault(&self) -> bool {
        self.grade.is_some_and(Grade::is_fault)
    }

    /// The sign behind the move.
    pub fn sign(&self) -> &'static str {
        self.grade.map_or("", |grade| grade.spec().sign)
    }

    /// The move with its number: `5. e1`, `5. ...; c1xc3xa5`.
    pub fn numbered(&self) -> String {
        record::write(&self.position, &[self.mv])
    }

    /// The beginning of the play that was better, in the notation of records; `None` if there was none.
    pub fn better(&self) -> Option<String> {
        let line = self.best.get(..LONGEST_LINE).unwrap_or(&self.best);
        (self.is_fault() && !line.is_empty()).then(|| record::write(&self.position, line))
    }

    /// What there is to say of a fault: its name, what it has done, and the values before and after it.
    pub fn verdict(&self) -> String {
        let remark = self.remark().map_or_else(String::new, |remark| format!(", {remark}"));
        let [before, after] = self.values;
        let exact = if self.is_exact { ", exactly" } else { "" };
        format!("{}{remark} ({before} to {after}{exact})", self.grade_name())
    }

    /// The grade's name; `forced` where there was no other move.
    pub fn grade_name(&self) -> &'static str {
        self.grade.map_or("forced", |grade| grade.spec().name)
    }

    /// What a fault has done to the result, where that is known.
    pub fn remark(&self) -> Option<String> {
        if !self.is_fault() {
            return None;
        }
        let [before, after] = self.values;
        let standings = self.values.map(|value| Standing::of(value, self.side()));
        let found = REMARKS.iter().find(|(from, to, _)| [*from, *to] == standings);
        match (found, before, after) {
            (Some((_, _, text)), ..) => Some((*text).to_owned()),
            (None, Value::Won { points, .. }, Value::Won { points: left, .. }) if points != left => {
                let given = points.abs_diff(left);
                Some(format!("gives away {given} point{}", if given == 1 { "" } else { "s" }))
            }
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::Game;
    use crate::notation::coordinates;
    use crate::rules::RuleSet;

    fn review(rules: &str, moves: &str, values: &[Value]) -> Review {
        let mut game = Game::new(Position::start(RuleSet::named(rules).unwrap()));
        for word in moves.split_whitespace() {
            game.play(coordinates::parse(game.position(), word).unwrap());
        }
        let position = |value: &Value| Assessment {
            value: *value,
            is_exact: false,
            is_drawn: false,
            line: Vec::new(),
            depth: 5,
            choices: 9,
        };
        let assessments: Vec<Assessment> = values.iter().map(position).collect();
        Review::new(Record::new(game), &assessments)
    }

    const fn won(winner: Side, points: u32) -> Value {
        Value::Won { winner, points, plies: None }
    }

    #[test]
    fn what_is_thrown_away_is_a_blunder_with_its_remark() {
        let white = won(Side::White, 1);
        let found = review("baghbandi", "c2b2 b3b1 e4e5", &[white, Value::Drawn, Value::Drawn, won(Side::Black, 1)]);
        let remarks: Vec<_> = found.steps.iter().map(|step| (step.grade_name(), step.remark())).collect();
        let blunder = |text: &str| ("blunder", Some(text.to_owned()));
        assert_eq!(remarks, [blunder("throws away a win"), ("best", None), blunder("throws away a draw")]);
        assert_eq!([Side::White, Side::Black].map(|side| found.count(side, Grade::Blunder)), [2, 0]);
        assert_eq!(found.accuracy(Side::Black), Some(100.0));
        assert_eq!(found.accuracy(Side::White).map(f64::round), Some(14.0));
    }

    #[test]
    fn points_given_away_are_counted() {
        let found = review("super", "c2b2", &[won(Side::White, 15), won(Side::White, 12)]);
        assert_eq!(found.steps[0].remark().as_deref(), Some("gives away 3 points"));
        assert_eq!(found.expected, [15.0, 12.0]);
        // 3 of the 20 between a game that Black wins and one that White wins for as much.
        assert_eq!((found.steps[0].loss, found.steps[0].grade), (0.15, Some(Grade::Blunder)));
    }

    #[test]
    fn the_first_choice_is_best_whatever_comes_of_it() {
        let mut found = review("baghbandi", "c2b2", &[Value::Open(100), Value::Open(-100)]);
        assert!(found.steps[0].is_fault() && found.steps[0].loss > 0.15);
        let position = found.steps[0].position;
        let mv = found.steps[0].mv;
        let before = Assessment {
            value: Value::Open(100),
            is_exact: false,
            is_drawn: false,
            line: vec![mv],
            depth: 5,
            choices: 9,
        };
        let after = Assessment { value: Value::Open(-100), ..before.clone() };
        found.steps[0] = judged(&position, mv, &before, &after);
        assert_eq!(found.steps[0].grade, Some(Grade::Best));
        let only = Assessment { line: Vec::new(), choices: 1, ..before };
        assert_eq!(judged(&position, mv, &only, &after).grade, None);
    }
}
