//! The review of a game: a grade for each move, from the assessments of the positions before and after it.

use crate::annotate::assess::Assessment;
use crate::annotate::grade::{Grade, accuracy};
use crate::annotate::value::{PositionValue, sign};
use crate::game::GameResult;
use crate::moves::Move;
use crate::notation::match_record::{BOOK, Record};
use crate::notation::record::{self, move_text};
use crate::position::Position;
use crate::rules::Side;

/// A move of a reviewed game.
#[derive(Clone, Debug)]
pub struct ReviewedMove {
    /// The position before it.
    pub position: Position,
    /// The move itself.
    pub mv: Move,
    /// The move in the notation of records.
    pub text: String,
    /// Value of the position before it.
    pub value_before: PositionValue,
    /// Value of the position after it; a draw where the move has made one by repetition or quiet plies.
    pub value_after: PositionValue,
    /// Depth of the search of the position after it, in plies.
    pub depth: u32,
    /// Whether it belongs to the opening that a match was given, and was nobody's choice.
    pub is_book: bool,
    /// Its grade; `None` where it was nobody's choice, or the only legal move.
    pub grade: Option<Grade>,
    /// Share of a game that it gave away, 0 or more; a game won instead of lost, at the points of Black's win, is 1.
    pub loss: f64,
    /// Whether both values are exact: from solved tables, or of the end of the game.
    pub is_exact: bool,
    /// The best line from the position before it; its first move is another one where the grade is a fault.
    pub best_line: Vec<Move>,
}

/// A game with its moves graded.
#[derive(Clone, Debug)]
pub struct Review {
    /// The game with its tags. A result that follows from the moves is filled in.
    pub record: Record,
    /// The moves of the game, in order.
    pub moves: Vec<ReviewedMove>,
    /// Expected result for White at the start and after each move, in points.
    pub expected_results: Vec<f64>,
}

impl Review {
    /// Grades the moves of a game by the assessments of its positions, one more than there are moves.
    pub fn new(mut record: Record, assessments: &[Assessment]) -> Self {
        let game = &record.game;
        if record.result.is_none() {
            record.result = game.outcome().map(|outcome| GameResult::seen_by(Side::White, outcome.winner()));
        }
        let pairs = assessments.iter().zip(assessments.iter().skip(1));
        let moves = record.game.positions().zip(record.game.moves()).zip(pairs);
        let moves = moves.enumerate().map(|(index, ((position, mv), (before, after)))| {
            let found = reviewed(position, *mv, before, after);
            if record.is_book(index) { found.into_book() } else { found }
        });
        let moves = moves.collect();
        let positions = record.game.positions().zip(assessments);
        let expected_results = positions
            .map(|(position, assessment)| assessment.value.expected_result(assessment.depth, position))
            .collect();
        Self { record, moves, expected_results }
    }

    /// The moves of a side.
    pub fn moves_of(&self, side: Side) -> impl Iterator<Item = &ReviewedMove> {
        self.moves.iter().filter(move |reviewed| reviewed.position.side() == side)
    }

    /// The names of the players; the sides' where the record has none.
    pub fn players(&self) -> [&str; 2] {
        [("White", "White"), ("Black", "Black")].map(|(tag, usual)| self.record.tag(tag).unwrap_or(usual))
    }

    /// How the game has ended, by its moves or by its record.
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

    /// The number of moves of a side that have this grade.
    pub fn count(&self, side: Side, grade: Grade) -> usize {
        self.moves_of(side).filter(|reviewed| reviewed.grade == Some(grade)).count()
    }

    /// The number of moves of a side that were the only legal ones.
    pub fn forced(&self, side: Side) -> usize {
        self.moves_of(side).filter(|reviewed| reviewed.grade.is_none() && !reviewed.is_book).count()
    }

    /// The number of moves of a side that belong to the opening.
    pub fn book(&self, side: Side) -> usize {
        self.moves_of(side).filter(|reviewed| reviewed.is_book).count()
    }

    /// Whether any move belongs to the opening.
    pub fn has_book(&self) -> bool {
        self.moves.iter().any(|reviewed| reviewed.is_book)
    }

    /// The accuracy of a side in percent: the mean over its graded moves; `None` if there are none.
    pub fn accuracy(&self, side: Side) -> Option<f64> {
        let all: Vec<f64> = self
            .moves_of(side)
            .filter(|reviewed| reviewed.grade.is_some())
            .map(|reviewed| accuracy(reviewed.loss))
            .collect();
        (!all.is_empty()).then(|| all.iter().sum::<f64>() / all.len() as f64)
    }
}

fn reviewed(position: &Position, mv: Move, before: &Assessment, after: &Assessment) -> ReviewedMove {
    let next = position.play(mv);
    let side = position.side();
    let is_first_choice = before.line.first().is_some_and(|best| position.play(*best).key() == next.key());
    // A move that made a draw reaches a draw, even where the game was played on.
    let reached = if after.is_drawn && !before.is_drawn { PositionValue::Draw } else { after.value };
    let given_away = sign(side)
        * (before.value.expected_result(before.depth, position) - reached.expected_result(after.depth, &next));
    let whole_game = 2.0 * f64::from(position.rules().win_points(Side::Black, position.goats_alive()));
    // Nothing was searched after a move that ends a game by a draw which had been reached before.
    let is_unknown = before.is_drawn && after.is_drawn && after.line.is_empty();
    let loss =
        if is_first_choice || is_unknown || before.choices <= 1 { 0.0 } else { (given_away / whole_game).max(0.0) };
    ReviewedMove {
        position: *position,
        mv,
        text: move_text(position, mv),
        value_before: before.value,
        value_after: reached,
        depth: after.depth,
        is_book: false,
        grade: (before.choices > 1).then(|| Grade::of(loss)),
        loss,
        is_exact: before.is_exact && after.is_exact,
        best_line: before.line.clone(),
    }
}

/// Moves of the better line that are shown at most.
const MAX_LINE_SHOWN: usize = 6;

/// The remark on a fault, by the known results before and after it as the side that moves sees them; `None` stands for an
/// evaluation.
const REMARKS: [(Option<GameResult>, Option<GameResult>, &str); 5] = [
    (Some(GameResult::Win), Some(GameResult::Loss), "turns a win into a loss"),
    (Some(GameResult::Win), Some(GameResult::Draw), "throws away a win"),
    (Some(GameResult::Win), None, "misses a forced win"),
    (Some(GameResult::Draw), Some(GameResult::Loss), "throws away a draw"),
    (None, Some(GameResult::Loss), "allows a forced loss"),
];

impl ReviewedMove {
    /// The same move as one of the opening, which nobody is charged with.
    fn into_book(self) -> Self {
        Self { is_book: true, grade: None, loss: 0.0, ..self }
    }

    /// The side that moves.
    pub const fn side(&self) -> Side {
        self.position.side()
    }

    /// Whether its grade is a fault.
    pub fn is_fault(&self) -> bool {
        self.grade.is_some_and(Grade::is_fault)
    }

    /// The annotation sign of its grade; `book` for a move of the opening.
    pub fn sign(&self) -> &'static str {
        self.grade.map_or(if self.is_book { BOOK } else { "" }, |grade| grade.info().sign)
    }

    /// The move with its number: `5. e1`, `5. ...; c1xc3xa5`.
    pub fn numbered(&self) -> String {
        record::write(&self.position, &[self.mv])
    }

    /// For a fault the beginning of the best line, in the notation of records.
    pub fn better(&self) -> Option<String> {
        let line = self.best_line.get(..MAX_LINE_SHOWN).unwrap_or(&self.best_line);
        (self.is_fault() && !line.is_empty()).then(|| record::write(&self.position, line))
    }

    /// The grade's name, the remark if there is one, and the values before and after the move.
    pub fn description(&self) -> String {
        let remark = self.remark().map_or_else(String::new, |remark| format!(", {remark}"));
        let (before, after) = (self.value_before, self.value_after);
        let exact = if self.is_exact { ", exactly" } else { "" };
        format!("{}{remark} ({before} to {after}{exact})", self.grade_name())
    }

    /// The grade's name; `book` for a move of the opening, `forced` where there was no other move.
    pub fn grade_name(&self) -> &'static str {
        self.grade.map_or(if self.is_book { BOOK } else { "forced" }, |grade| grade.info().name)
    }

    /// What a fault has done to a known result.
    pub fn remark(&self) -> Option<String> {
        if !self.is_fault() {
            return None;
        }
        let (before, after) = (self.value_before, self.value_after);
        let results = [before, after].map(|value| value.result_for(self.side()));
        let found = REMARKS.iter().find(|(from, to, _)| [*from, *to] == results);
        match (found, before, after) {
            (Some((_, _, text)), ..) => Some((*text).to_owned()),
            (None, PositionValue::Win { points, .. }, PositionValue::Win { points: left, .. }) if points != left => {
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

    fn review(rules: &str, moves: &str, values: &[PositionValue]) -> Review {
        let mut game = Game::new(Position::start(RuleSet::named(rules).unwrap()));
        for word in moves.split_whitespace() {
            game.play(coordinates::parse(game.position(), word).unwrap());
        }
        Review::new(Record::new(game), &assessments(values))
    }

    fn assessments(values: &[PositionValue]) -> Vec<Assessment> {
        let assessment = |value: &PositionValue| Assessment {
            value: *value,
            is_exact: false,
            is_drawn: false,
            line: Vec::new(),
            depth: 5,
            choices: 9,
        };
        values.iter().map(assessment).collect()
    }

    const fn won(winner: Side, points: u32) -> PositionValue {
        PositionValue::Win { winner, points, plies: None }
    }

    #[test]
    fn what_is_thrown_away_is_a_blunder_with_its_remark() {
        let white = won(Side::White, 1);
        let found = review(
            "baghbandi",
            "c2b2 b3b1 e4e5",
            &[white, PositionValue::Draw, PositionValue::Draw, won(Side::Black, 1)],
        );
        let remarks: Vec<_> = found.moves.iter().map(|reviewed| (reviewed.grade_name(), reviewed.remark())).collect();
        let blunder = |text: &str| ("blunder", Some(text.to_owned()));
        assert_eq!(remarks, [blunder("throws away a win"), ("best", None), blunder("throws away a draw")]);
        assert_eq!([Side::White, Side::Black].map(|side| found.count(side, Grade::Blunder)), [2, 0]);
        assert_eq!(found.accuracy(Side::Black), Some(100.0));
        assert_eq!(found.accuracy(Side::White).map(f64::round), Some(14.0));
    }

    #[test]
    fn moves_of_the_opening_are_charged_to_nobody() {
        let (white, black) = (won(Side::White, 1), won(Side::Black, 1));
        let mut record = review("baghbandi", "c2b2 b3b1 e4e5", &[white, black, white, black]).record;
        record.comments = vec!["book".to_owned(), " Book ".to_owned(), "bookish".to_owned()];
        let found = Review::new(record, &assessments(&[white, black, white, black]));
        let names: Vec<_> = found.moves.iter().map(|reviewed| (reviewed.grade_name(), reviewed.is_fault())).collect();
        assert_eq!(names, [("book", false), ("book", false), ("blunder", true)]);
        let sides = [Side::White, Side::Black];
        assert_eq!(sides.map(|side| (found.book(side), found.forced(side))), [(1, 0), (1, 0)]);
        assert_eq!(sides.map(|side| found.count(side, Grade::Blunder)), [1, 0]);
        assert_eq!(found.accuracy(Side::Black), None);
        assert_eq!(found.accuracy(Side::White).map(f64::round), Some(2.0));
    }

    #[test]
    fn points_given_away_are_counted() {
        let found = review("super", "c2b2", &[won(Side::White, 15), won(Side::White, 12)]);
        assert_eq!(found.moves[0].remark().as_deref(), Some("gives away 3 points"));
        assert_eq!(found.expected_results, [15.0, 12.0]);
        // 3 of the 20 between a game that Black wins and one that White wins for as much.
        assert_eq!((found.moves[0].loss, found.moves[0].grade), (0.15, Some(Grade::Blunder)));
    }

    #[test]
    fn the_first_choice_is_best_whatever_comes_of_it() {
        let mut found = review("baghbandi", "c2b2", &[PositionValue::Evaluation(250), PositionValue::Evaluation(100)]);
        assert!(found.moves[0].is_fault() && found.moves[0].loss > 0.15);
        let position = found.moves[0].position;
        let mv = found.moves[0].mv;
        let before = Assessment {
            value: PositionValue::Evaluation(250),
            is_exact: false,
            is_drawn: false,
            line: vec![mv],
            depth: 5,
            choices: 9,
        };
        let after = Assessment { value: PositionValue::Evaluation(100), ..before.clone() };
        found.moves[0] = reviewed(&position, mv, &before, &after);
        assert_eq!(found.moves[0].grade, Some(Grade::Best));
        let only = Assessment { line: Vec::new(), choices: 1, ..before };
        assert_eq!(reviewed(&position, mv, &only, &after).grade, None);
    }
}
