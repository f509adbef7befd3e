//! Test suites: positions with known best moves or a known value, and how much of them is got right.
//!
//! A line of a suite is a position with EPD operations (`bm` the best moves, `am` moves to avoid, `id` its name), or with
//! columns behind it: the value for the side to move (`W`, `D` or `L`), the moves that keep it (`-` where none are given),
//! the number of legal moves, which is checked; more columns are passed over.

use crate::engine::reliability::Reliability;
use crate::eval::evaluate;
use crate::eval::wdl::permille;
use crate::game::Game;
use crate::moves::Move;
use crate::notation::reader::{InputItem, Location};
use crate::notation::{TextError, parse_move, quoted};
use crate::position::Position;
use crate::rules::Side;
use crate::tablebase::Wdl;
use crate::text::counted;
use std::collections::BTreeMap;

/// What stands in a column that is left empty.
const NOTHING: &str = "-";

/// A position of a suite.
#[derive(Clone, Debug)]
pub struct TestPosition {
    /// Where it begins.
    pub place: Location,
    /// The position on its board; it has no moves, and is not over.
    pub game: Game,
    /// Its name, by `id`.
    pub id: Option<String>,
    /// The moves of which one is to be played; empty where nothing is said of them.
    pub best: Vec<Move>,
    /// The moves of which none is to be played.
    pub avoid: Vec<Move>,
    /// The value for the side to move, if it is given.
    pub value: Option<Wdl>,
}

impl TestPosition {
    /// What an item of a suite says.
    ///
    /// # Errors
    /// If it has moves, is over, says neither which moves are best nor its value, or what it says is no move or value.
    pub fn of(item: InputItem) -> Result<Self, TextError> {
        let place = item.place.clone();
        Self::read(item).map_err(|message| place.error(message))
    }

    fn read(item: InputItem) -> Result<Self, String> {
        let position = *item.game().position();
        if !item.game().moves().is_empty() {
            let moves = counted(item.game().moves().len() as u64, "ply");
            return Err(format!("found a game of {moves}, expected a position with its best moves or its value"));
        }
        if let Some(outcome) = item.game().outcome_on_board() {
            return Err(format!("found a game that is over ({outcome}), expected a position to play on from"));
        }
        let tagged = |name: &str| item.record.tag(name).map(|words| moves(&position, words)).transpose();
        let (mut best, avoid) = (tagged("bm")?.unwrap_or_default(), tagged("am")?.unwrap_or_default());
        let column = |number: usize| item.columns.get(number).map(String::as_str).filter(|text| *text != NOTHING);
        let has_operations = !best.is_empty() || !avoid.is_empty();
        // The columns behind a position with operations are somebody else's.
        let value = column(0).filter(|_| !has_operations).map(value).transpose()?;
        if value.is_some() {
            best = column(1).map(|words| moves(&position, words)).transpose()?.unwrap_or_default();
            column(2).map_or(Ok(()), |count| check_count(&position, count))?;
        }
        if !has_operations && value.is_none() {
            return Err("found no best moves and no value, expected 'bm', 'am' or a column with W, D or L".to_owned());
        }
        let id = item.record.tag("id").map(str::to_owned);
        Ok(Self { place: item.place, game: item.record.game, id, best, avoid, value })
    }

    /// The position.
    pub fn position(&self) -> &Position {
        self.game.position()
    }

    /// Whether it says which moves are right.
    pub const fn asks_for_move(&self) -> bool {
        !self.best.is_empty() || !self.avoid.is_empty()
    }

    /// Whether a move is right: one of the best, where these are given, and none to avoid.
    pub fn is_solved_by(&self, mv: Move) -> bool {
        (self.best.is_empty() || self.best.contains(&mv)) && !self.avoid.contains(&mv)
    }
}

/// The moves of a column or operation, at least one.
fn moves(position: &Position, words: &str) -> Result<Vec<Move>, String> {
    let moves: Result<Vec<Move>, TextError> = words.split_whitespace().map(|word| parse_move(position, word)).collect();
    match moves {
        Ok(moves) if moves.is_empty() => Err("found no moves, expected at least one".to_owned()),
        Ok(moves) => Ok(moves),
        Err(error) => Err(error.message),
    }
}

fn value(text: &str) -> Result<Wdl, String> {
    match text {
        "W" => Ok(Wdl::Win),
        "D" => Ok(Wdl::Draw),
        "L" => Ok(Wdl::Loss),
        other => Err(format!("found {} behind the position, expected its value: W, D or L", quoted(other))),
    }
}

fn check_count(position: &Position, text: &str) -> Result<(), String> {
    let count = position.legal_moves().len();
    if text.parse() == Ok(count) {
        return Ok(());
    }
    Err(format!("found {} behind the moves, expected the number of legal moves, {count}", quoted(text)))
}

/// How many of how many.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub struct Share {
    /// Those that are right.
    pub right: u64,
    /// All of them.
    pub all: u64,
}

impl Share {
    /// The part that is right, 0 to 1; `None` of nothing.
    pub fn part(self) -> Option<f64> {
        (self.all > 0).then(|| self.right as f64 / self.all as f64)
    }

    fn count(&mut self, is_right: bool) {
        self.all += 1;
        self.right += u64::from(is_right);
    }
}

/// Positions that are counted together: those of a rule set, with one value for the side to move or without any.
pub type TestGroup = (&'static str, Option<Wdl>);

/// How many positions were got right, in all and by group.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct SuiteScore {
    groups: BTreeMap<TestGroup, Share>,
}

impl SuiteScore {
    /// Counts a position.
    pub fn count(&mut self, test: &TestPosition, is_right: bool) {
        self.groups.entry((test.game.rules().name, test.value)).or_default().count(is_right);
    }

    /// All positions.
    pub fn total(&self) -> Share {
        self.groups
            .values()
            .fold(Share::default(), |sum, share| Share { right: sum.right + share.right, all: sum.all + share.all })
    }

    /// The groups that have positions.
    pub fn groups(&self) -> impl ExactSizeIterator<Item = (TestGroup, Share)> {
        self.groups.iter().map(|(group, share)| (*group, *share))
    }
}

/// How well the static evaluation tells won, drawn and lost positions apart.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct StaticScore {
    /// The positions for which the likeliest of win, draw and loss by the evaluation is what they are.
    pub likeliest: SuiteScore,
    /// How often what its chances say is true.
    pub reliability: Reliability,
    /// By rule set and evaluation from White's side the positions that Black wins, that are drawn, that White wins.
    evaluations: BTreeMap<&'static str, BTreeMap<i32, [u64; 3]>>,
}

impl StaticScore {
    /// Counts a position, if its value is known.
    pub fn count(&mut self, test: &TestPosition) {
        let Some(value) = test.value else { return };
        let position = test.position();
        let evaluation = evaluate(position);
        let chances = permille(evaluation, 0, position);
        self.likeliest.count(test, likeliest(chances) == value);
        self.reliability.count(chances, value);
        let (evaluation, value) = match position.side() {
            Side::White => (evaluation, value),
            Side::Black => (-evaluation, value.opposite()),
        };
        let [black, draw, white] =
            self.evaluations.entry(position.rules().name).or_default().entry(evaluation).or_default();
        *(match value {
            Wdl::Loss => black,
            Wdl::Draw => draw,
            Wdl::Win => white,
        }) += 1;
    }

    /// How many positions the evaluation tells apart at best: with the two bounds of it, for each rule set, that divide
    /// them into Black's wins, draws and White's wins with the fewest errors. It tells what an evaluation knows, however
    /// its scale is chosen.
    pub fn divided(&self) -> Share {
        let right = self.evaluations.values().map(|evaluations| most_divided(evaluations.values())).sum();
        Share { right, all: self.likeliest.total().all }
    }
}

/// The likeliest of win, draw and loss.
const fn likeliest([win, draw, loss]: [u32; 3]) -> Wdl {
    if draw >= win && draw >= loss {
        Wdl::Draw
    } else if win > loss {
        Wdl::Win
    } else {
        Wdl::Loss
    }
}

/// The most of a row of things of three kinds that lie as they should if it is cut in three, the kinds in order.
fn most_divided<'a>(row: impl Iterator<Item = &'a [u64; 3]>) -> u64 {
    // The most so far where the last of the row lies in the first, second or third part.
    let (mut first, mut second, mut third) = (0, 0, 0);
    for [one, two, three] in row {
        third = third.max(second).max(first) + three;
        second = second.max(first) + two;
        first += one;
    }
    first.max(second).max(third)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::notation::reader::Items;
    use crate::rules::RuleSet;

    fn read(line: &str) -> Result<TestPosition, String> {
        let item = Items::new("x", line.as_bytes(), RuleSet::standard()).next().unwrap();
        item.and_then(TestPosition::of).map_err(|error| error.to_string())
    }

    const START: &str = "5/2E1E/1t1t1/2E1E/5 w";

    #[test]
    fn operations_and_columns_say_what_is_right() {
        for (more, best, avoid, value) in [
            (" bm e5 c2b2; id \"x\"", 2, 0, None),
            (" am e4e5;", 0, 1, None),
            (" bm e4e5; am c5;\tL\tx", 1, 1, None),
            ("\tW\tc2b2\t14", 1, 0, Some(Wdl::Win)),
            ("\tD\tc2b2 e4e5", 2, 0, Some(Wdl::Draw)),
            ("\t L \t-\t14\t3\t-", 0, 0, Some(Wdl::Loss)),
            ("\tD\t\t", 0, 0, Some(Wdl::Draw)),
        ] {
            match read(&format!("{START}{more}")) {
                Ok(test) => {
                    assert_eq!((test.best.len(), test.avoid.len(), test.value), (best, avoid, value), "{more}");
                }
                Err(error) => assert!(more == "\tD\t\t" && error.contains("no moves"), "{more}: {error}"),
            }
        }
        let test = read(&format!("super\t{START} bm e5; am c2b2; id \"x y\";")).unwrap();
        assert_eq!((test.id.as_deref(), test.game.rules().name), (Some("x y"), "super"));
        let solved = |word: &str| test.is_solved_by(parse_move(test.position(), word).unwrap());
        assert_eq!((solved("e4e5"), solved("c2b2"), solved("c4c5")), (true, false, false));
        let avoid = read(&format!("{START} am c2b2;")).unwrap();
        let solved = |word: &str| avoid.is_solved_by(parse_move(avoid.position(), word).unwrap());
        assert_eq!((solved("c2b2"), solved("e4e5")), (false, true));
    }

    #[test]
    fn what_is_no_test_is_refused() {
        for (line, fault) in [
            (START.to_owned(), "x:1: found no best moves and no value, expected 'bm', 'am' or a column"),
            (format!("{START} id \"x\";"), "x:1: found no best moves"),
            (format!("{START}\tX"), "x:1: found 'X' behind the position, expected its value: W, D or L"),
            (format!("{START}\tW\ta1a2"), "x:1: found 'a1a2' (White has no piece on a1), expected a legal move"),
            (
                format!("{START}\tW\tc2b2\t13"),
                "x:1: found '13' behind the moves, expected the number of legal moves, 14",
            ),
            (format!("{START} moves c2b2"), "x:1: found a game of 1 ply, expected a position"),
            ("5/5/AAA2/AA3/ttAA1 b\tL".to_owned(), "x:1: found a game that is over ("),
            (format!("{START} bm ;"), "x:1: found no moves, expected at least one"),
        ] {
            let error = read(&line).unwrap_err();
            assert!(error.starts_with(fault), "{line}: {error}");
        }
    }

    #[test]
    fn shares_are_counted_by_rules_and_value() {
        let mut score = SuiteScore::default();
        for (line, is_right) in [
            (format!("{START}\tW\tc2b2"), true),
            (format!("{START}\tD\tc2b2"), false),
            (format!("super\t{START}\tD\tc2b2"), true),
            (format!("{START}\tD\tc2b2"), true),
        ] {
            score.count(&read(&line).unwrap(), is_right);
        }
        assert_eq!(score.total(), Share { right: 3, all: 4 });
        let groups: Vec<_> =
            score.groups().map(|((rules, value), share)| (rules, value, share.right, share.all)).collect();
        let (draw, win) = (Some(Wdl::Draw), Some(Wdl::Win));
        assert_eq!(groups, [("baghbandi", draw, 1, 2), ("baghbandi", win, 1, 1), ("super", draw, 1, 1)]);
    }

    #[test]
    fn a_row_is_divided_where_it_costs_least() {
        assert_eq!(most_divided([].iter()), 0);
        assert_eq!(most_divided([[5, 1, 0], [1, 4, 0], [0, 6, 2], [0, 0, 9]].iter()), 5 + 4 + 6 + 9);
        // A kind may be missing, and what lies on the wrong side is lost.
        assert_eq!(most_divided([[0, 0, 7], [3, 0, 0]].iter()), 7);
        assert_eq!(most_divided([[3, 0, 0], [0, 0, 7]].iter()), 10);
    }

    #[test]
    fn the_static_evaluation_is_held_against_the_values() {
        let mut score = StaticScore::default();
        // The material alone decides these: hardly any goat, and twenty of them that pen the tigers in.
        for line in ["5/5/2t2/1A3/4t b\tW", "1AAAA/AAAAA/AAAAA/AAAAA/1tAt1 w\tW", "1AAAA/AAAAA/AAAAA/AAAAA/1tAt1 b\tW"]
        {
            score.count(&read(line).unwrap());
        }
        let total = score.likeliest.total();
        assert_eq!(total.all, 3);
        assert!(score.divided().right >= total.right);
    }
}
