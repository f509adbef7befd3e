//! A game: where it started, what was played, and whether it is over.
//!
//! Draws live here, since a position alone does not know them: a position that occurs for the third time, and a
//! number of plies in a row without a capture and without a goat leaving a herd.

use crate::moves::Move;
use crate::position::{Ending, Position};
use crate::rules::{RuleSet, Side};
use std::fmt;

/// Occurrences of a position that make a draw.
const REPETITIONS: usize = 3;

/// How many quiet plies in a row (without a capture and without a goat leaving a herd) make a draw, if any number does.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct DrawPlies(u32);

impl DrawPlies {
    /// No number of quiet plies makes a draw.
    pub const NEVER: Self = Self(0);

    /// A draw after this many quiet plies; 0 for none.
    pub const fn new(plies: u32) -> Self {
        Self(plies)
    }

    /// The number; 0 for none.
    pub const fn get(self) -> u32 {
        self.0
    }

    /// Whether a position is drawn by its quiet plies, unless the game has ended there.
    #[inline]
    pub const fn are_reached(self, position: &Position) -> bool {
        self.0 > 0 && position.quiet_plies() >= self.0
    }

    /// Whether an end of the game this many plies after a position comes before the draw, even if all plies until then are
    /// quiet. Search, tablebase and adjudication accept a forced end by this rule alone.
    #[inline]
    pub const fn allow_end_after(self, position: &Position, plies: u32) -> bool {
        self.0 == 0 || plies == 0 || position.quiet_plies() + plies < self.0
    }
}

impl Default for DrawPlies {
    /// 300; some forced wins go far beyond 100 plies without a capture or a goat leaving a herd.
    fn default() -> Self {
        Self(300)
    }
}

/// How a game has ended.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Outcome {
    /// By the position on the board.
    Ended(Ending),
    /// A position has occurred for the third time.
    Repetition,
    /// This many plies without a capture and without a goat leaving a herd.
    QuietPlies(u32),
    /// This side has sent an illegal move, and loses.
    IllegalMove(Side),
}

impl Outcome {
    /// Who has won; `None` for a draw.
    pub const fn winner(self) -> Option<Side> {
        match self {
            Self::Ended(ending) => Some(ending.winner()),
            Self::IllegalMove(side) => Some(side.opponent()),
            Self::Repetition | Self::QuietPlies(_) => None,
        }
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Ended(Ending::GoatsTaken) => write!(f, "Black wins: too few goats are left"),
            Self::Ended(Ending::Immobilised) => write!(f, "White wins: the tigers can't move"),
            Self::Repetition => write!(f, "draw: the position occurs for the third time"),
            Self::QuietPlies(1) => write!(f, "draw: 1 ply without a capture or a goat leaving a herd"),
            Self::QuietPlies(plies) => write!(f, "draw: {plies} plies without a capture or a goat leaving a herd"),
            Self::IllegalMove(side) => write!(f, "{} wins: {side} played an illegal move", side.opponent()),
        }
    }
}

/// The result of a game as one side sees it: White, or in a tournament the first engine of a pairing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum GameResult {
    /// Won.
    Win,
    /// Drawn.
    Draw,
    /// Lost.
    Loss,
}

impl GameResult {
    /// The result as `side` sees it of a game that `winner` has won, or nobody.
    pub fn seen_by(side: Side, winner: Option<Side>) -> Self {
        match winner {
            None => Self::Draw,
            Some(winner) if winner == side => Self::Win,
            Some(_) => Self::Loss,
        }
    }

    /// The same game as the other side sees it.
    pub const fn flipped(self) -> Self {
        match self {
            Self::Win => Self::Loss,
            Self::Draw => Self::Draw,
            Self::Loss => Self::Win,
        }
    }
}

/// A game in progress or over. It always holds at least one position, and every move in it was legal.
#[derive(Clone, Debug)]
pub struct Game {
    start: Position,
    moves: Vec<Move>,
    /// The positions after each move.
    after: Vec<Position>,
    draw_plies: DrawPlies,
    illegal: Option<Side>,
}

impl Game {
    /// A game that starts in a position, with the usual number of quiet plies to a draw.
    pub fn new(start: Position) -> Self {
        Self { start, moves: Vec::new(), after: Vec::new(), draw_plies: DrawPlies::default(), illegal: None }
    }

    /// The same game with another number of quiet plies to a draw.
    pub const fn with_draw_plies(mut self, plies: DrawPlies) -> Self {
        self.draw_plies = plies;
        self
    }

    /// Changes the number of quiet plies to a draw.
    pub const fn set_draw_plies(&mut self, plies: DrawPlies) {
        self.draw_plies = plies;
    }

    /// The rules it is played by.
    pub const fn rules(&self) -> &'static RuleSet {
        self.start.rules()
    }

    /// The first position.
    pub const fn start(&self) -> &Position {
        &self.start
    }

    /// The position on the board.
    pub fn position(&self) -> &Position {
        self.after.last().unwrap_or(&self.start)
    }

    /// The moves so far.
    pub fn moves(&self) -> &[Move] {
        &self.moves
    }

    /// The quiet plies that make a draw.
    pub const fn draw_plies(&self) -> DrawPlies {
        self.draw_plies
    }

    /// All positions so far, the first one first.
    pub fn positions(&self) -> impl DoubleEndedIterator<Item = &Position> {
        std::iter::once(&self.start).chain(&self.after)
    }

    /// Plays a move, which must be legal; after a draw the game goes on if a move is made all the same.
    pub fn play(&mut self, mv: Move) {
        debug_assert!(self.position().is_legal(mv), "{mv} in {:?}", self.position());
        let next = self.position().play(mv);
        self.moves.push(mv);
        self.after.push(next);
    }

    /// Takes the last move back; false if there is none.
    pub fn undo(&mut self) -> bool {
        self.illegal = None;
        self.after.pop();
        self.moves.pop().is_some()
    }

    /// Notes that the side to move has sent an illegal move, which loses the game for it.
    pub fn forfeit(&mut self) {
        self.illegal = Some(self.position().side());
    }

    /// The side that has sent an illegal move, if one has.
    pub const fn forfeited(&self) -> Option<Side> {
        self.illegal
    }

    /// How the game has ended, if it has.
    pub fn outcome(&self) -> Option<Outcome> {
        self.illegal.map(Outcome::IllegalMove).or_else(|| self.outcome_on_board())
    }

    /// How the legal moves have ended the game, if they have.
    pub fn outcome_on_board(&self) -> Option<Outcome> {
        if let Some(ending) = self.position().ending() {
            return Some(Outcome::Ended(ending));
        }
        if self.occurrences() >= REPETITIONS {
            return Some(Outcome::Repetition);
        }
        self.draw_plies.are_reached(self.position()).then_some(Outcome::QuietPlies(self.draw_plies.get()))
    }

    /// Occurrences of the position on the board, itself included.
    fn occurrences(&self) -> usize {
        let key = self.position().key();
        let reach = self.position().quiet_plies() as usize + 1;
        self.positions().rev().take(reach).step_by(2).filter(|position| position.key() == key).count()
    }

    /// What a finished game is worth: (White's points, Black's). 1, or what the rules say for a win; half of 1 for
    /// each in a draw where wins are not scored, nothing where they are.
    pub fn points(&self, outcome: Outcome) -> (f64, f64) {
        let worth = |side| f64::from(self.rules().win_points(side, self.position().goats_alive()));
        match outcome.winner() {
            Some(Side::White) => (worth(Side::White), 0.0),
            Some(Side::Black) => (0.0, worth(Side::Black)),
            None if self.rules().scored => (0.0, 0.0),
            None => (0.5, 0.5),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::notation::{coordinates, fen, record};

    fn game(rules: &str, text: &str, moves: &str) -> Game {
        let mut game = Game::new(fen::parse(RuleSet::named(rules).unwrap(), text).unwrap());
        for word in moves.split_whitespace() {
            game.play(coordinates::parse(game.position(), word).unwrap());
        }
        game
    }

    const FLAT: &str = "t4/5/5/5/A3t w";

    #[test]
    fn the_third_occurrence_is_a_draw() {
        let round = "a1a2 a5a4 a2a1 a4a5 ";
        let moves = round.repeat(2);
        let mut game = game("baghbandi", FLAT, moves.trim_end().rsplit_once(' ').unwrap().0);
        assert_eq!(game.outcome(), None);
        game.play(coordinates::parse(game.position(), "a4a5").unwrap());
        assert_eq!(game.outcome(), Some(Outcome::Repetition));
        assert_eq!(game.points(Outcome::Repetition), (0.5, 0.5));
        assert!(game.undo());
        assert_eq!(game.outcome(), None);
    }

    #[test]
    fn quiet_plies_end_the_game() {
        let text = FLAT.replace(" w", " w 299");
        let mut game = game("baghbandi", &text, "a1a2");
        assert_eq!(game.outcome(), Some(Outcome::QuietPlies(300)));
        game = game.with_draw_plies(DrawPlies::NEVER);
        assert_eq!(game.outcome(), None);
        game = game.with_draw_plies(DrawPlies::new(301));
        assert_eq!(game.outcome(), None);
    }

    #[test]
    fn an_ending_comes_before_a_draw() {
        let stuck = "5/5/AAA2/AA3/ttAA1 b 300 200";
        let game = game("baghbandi", stuck, "");
        assert_eq!(game.outcome(), Some(Outcome::Ended(Ending::Immobilised)));
    }

    #[test]
    fn an_illegal_move_loses() {
        let mut game = game("baghbandi", FLAT, "a1a2");
        game.forfeit();
        let outcome = game.outcome().unwrap();
        assert_eq!((outcome, outcome.winner()), (Outcome::IllegalMove(Side::Black), Some(Side::White)));
    }

    #[test]
    fn a_published_game_ends_as_its_record_says() {
        let text = include_str!("../tests/data/super-game.txt").trim();
        let start = Position::start(RuleSet::named("super").unwrap());
        let moves = record::read(&start, text).unwrap();
        // The record names both points of one move where one would do.
        assert_eq!(record::write(&start, &moves), text.replace("33. a1; a3-b3", "33. a1; b3"));
        let mut game = Game::new(start);
        moves.iter().for_each(|mv| game.play(*mv));
        let outcome = game.outcome().unwrap();
        assert_eq!(outcome, Outcome::Ended(Ending::Immobilised));
        assert_eq!((moves.len(), game.position().goats_alive()), (87, 14));
        assert_eq!(game.points(outcome), (12.0, 0.0));
    }
}
