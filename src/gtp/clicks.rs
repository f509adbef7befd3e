//! A game played point by point, as GoGui sends it: the finished moves, and the points of one that is not finished.
//!
//! A move is clicked origin first, then destination, then further hops; `pass` ends a chain that could go on. As soon
//! as only one move is left and it is whole, it is played.

use crate::board::{Point, PointSet};
use crate::game::Game;
use crate::gtp::protocol::Click;
use crate::moves::Move;
use crate::position::Position;

/// A game, and the points clicked of its next move.
pub(super) struct Clicks {
    game: Game,
    /// The points of the move that is not finished yet.
    path: Vec<Point>,
    /// For each finished move, whether `pass` has ended it.
    passed: Vec<bool>,
}

/// The clicks that are legal next.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) struct Choices {
    pub points: PointSet,
    pub may_pass: bool,
}

impl Clicks {
    /// A game in which nothing was clicked yet; it has no moves.
    pub const fn new(game: Game) -> Self {
        Self { game, path: Vec::new(), passed: Vec::new() }
    }

    /// The game with its finished moves.
    pub const fn game(&self) -> &Game {
        &self.game
    }

    /// The points of the move that is not finished yet, the origin first.
    pub fn path(&self) -> &[Point] {
        &self.path
    }

    /// The number of clicks so far, those of finished moves and their `pass` included.
    pub fn count(&self) -> usize {
        let finished = self.game.moves().iter().zip(&self.passed);
        self.path.len() + finished.map(|(mv, by_pass)| mv.points().count() + usize::from(*by_pass)).sum::<usize>()
    }

    /// The legal moves that begin with the points clicked; none once the game is over.
    pub fn candidates(&self) -> Vec<Move> {
        let mut moves = Vec::new();
        if self.game.outcome().is_none() {
            self.game.position().for_each_move(|mv| {
                if self.path.iter().copied().eq(mv.points().take(self.path.len())) {
                    moves.push(mv);
                }
            });
        }
        moves
    }

    /// The next click of a move, which must be one of the candidates.
    pub fn next_click(&self, mv: Move) -> Click {
        mv.points().nth(self.path.len()).map_or(Click::Pass, Click::Point)
    }

    /// The legal clicks; none once the game is over.
    pub fn choices(&self) -> Choices {
        let mut choices = Choices { points: PointSet::EMPTY, may_pass: false };
        for mv in self.candidates() {
            match self.next_click(mv) {
                Click::Point(point) => choices.points = choices.points.with(point),
                Click::Pass => choices.may_pass = true,
            }
        }
        choices
    }

    /// Plays a click; returns false, and changes nothing, if it is not among the choices.
    pub fn click(&mut self, click: Click) -> bool {
        let mut matching: Vec<Move> = self.candidates();
        matching.retain(|mv| self.next_click(*mv) == click);
        let Some(first) = matching.first().copied() else { return false };
        match click {
            Click::Pass => self.finish(first, true),
            Click::Point(point) => {
                self.path.push(point);
                if matching.len() == 1 && self.next_click(first) == Click::Pass {
                    self.finish(first, false);
                }
            }
        }
        true
    }

    fn finish(&mut self, mv: Move, by_pass: bool) {
        self.game.play(mv);
        self.path.clear();
        self.passed.push(by_pass);
    }

    /// Takes the last click back; false if there is none.
    pub fn undo(&mut self) -> bool {
        if self.path.pop().is_some() {
            return true;
        }
        let (Some(mv), Some(by_pass)) = (self.game.moves().last().copied(), self.passed.pop()) else { return false };
        self.game.undo();
        self.path = mv.points().collect();
        if !by_pass {
            self.path.pop();
        }
        true
    }

    /// The board as it looks now, with the hops made so far; its side to move is not that of the game.
    pub fn position_shown(&self) -> Position {
        let position = *self.game.position();
        let hops = self.path.len().saturating_sub(1);
        match self.candidates().first() {
            Some(mv) if hops > 0 => position.play(mv.first_jumps(hops)),
            _ => position,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::notation::fen;
    use crate::rules::RuleSet;

    /// A tiger on a1 can take b2, then c4 by way of c3, and stop in between.
    const CHAIN: &str = "4t/2A2/5/1A3/t4 b";

    fn clicks(rules: &str, text: &str) -> Clicks {
        Clicks::new(Game::new(fen::parse(RuleSet::named(rules).unwrap(), text).unwrap()))
    }

    fn play(clicks: &mut Clicks, words: &str) {
        for word in words.split_whitespace() {
            assert!(clicks.click(Click::parse(word).unwrap()), "{word}");
        }
    }

    fn choices(clicks: &Clicks) -> String {
        let choices = clicks.choices();
        super::super::protocol::vertices(choices.points) + if choices.may_pass { " pass" } else { "" }
    }

    #[test]
    fn a_chain_is_clicked_hop_by_hop() {
        let mut game = clicks("baghbandi", CHAIN);
        assert_eq!(choices(&game), "A1 E5");
        play(&mut game, "A1 C3");
        assert_eq!((choices(&game).as_str(), game.game().moves().len()), ("C5 pass", 0));
        assert_eq!(game.position_shown().goats_alive(), 1);
        assert!(game.position_shown().tigers().has(Point::at(2, 2).unwrap()));
        play(&mut game, "C5");
        assert_eq!((game.path().len(), game.game().moves()[0].to_string()), (0, "a1c3c5".to_owned()));
        // All goats are gone, and with them every choice.
        assert_eq!(choices(&game), "");
    }

    #[test]
    fn pass_stops_a_chain_and_nothing_else() {
        let mut game = clicks("baghbandi", CHAIN);
        assert!(!game.click(Click::Pass));
        play(&mut game, "A1");
        assert!(!game.click(Click::Pass));
        play(&mut game, "C3 pass");
        assert_eq!(game.game().moves()[0].to_string(), "a1c3");
        let mut game = clicks("moderno", CHAIN);
        play(&mut game, "A1 C3");
        assert_eq!(choices(&game), "C5");
        assert!(!game.click(Click::Pass));
    }

    #[test]
    fn undo_takes_back_click_by_click() {
        for line in ["A1 C3 pass C4 C5 E5 D4", "A1 C3 C5", "A1 A2 B2 A1"] {
            let mut game = clicks("baghbandi", CHAIN);
            let mut before = Vec::new();
            for word in line.split_whitespace() {
                before.push((choices(&game), game.game().moves().len(), game.path().to_vec()));
                play(&mut game, word);
            }
            while let Some(expected) = before.pop() {
                assert_eq!(game.count(), before.len() + 1);
                assert!(game.undo());
                assert_eq!((choices(&game), game.game().moves().len(), game.path().to_vec()), expected, "{line}");
            }
            assert!(!game.undo());
        }
    }

    #[test]
    fn a_refused_click_changes_nothing() {
        let mut game = clicks("baghbandi", CHAIN);
        play(&mut game, "A1");
        for word in ["A1", "B2", "E5", "C4"] {
            assert!(!game.click(Click::parse(word).unwrap()), "{word}");
        }
        assert_eq!(game.path().len(), 1);
    }
}
