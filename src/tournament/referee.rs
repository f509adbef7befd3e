//! One game: the referee keeps the rules and both clocks, and believes no engine.

use crate::game::Game;
use crate::moves::Move;
use crate::notation::coordinates::MoveText;
use crate::notation::fen::Fen;
use crate::notation::quoted;
use crate::position::Position;
use crate::rules::Side;
use crate::tablebase::{Probe, TableValue, Tablebase};
use crate::tournament::adjudication::{AdjudicationRules, Adjudicator};
use crate::tournament::engine::{Answer, EngineClient, Info, ReportedScore};
use crate::tournament::fault::{EngineFault, FaultKind, GameEnd};
use crate::tournament::limits::{EngineLimits, GameClock, go_line};
use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::time::Duration;

/// What is noted of a move.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum MoveNote {
    /// It belongs to the opening.
    Book,
    /// What the engine said of it, and the time it took.
    Searched {
        /// Score and depth.
        info: Info,
        /// Time.
        time: Duration,
    },
}

impl fmt::Display for MoveNote {
    /// As records have it: `+0.31/12 0.45s`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self::Searched { info, time } = self else { return f.write_str("book") };
        match info.score {
            None => {}
            Some(ReportedScore::Centigoats(score)) => write!(f, "{:+.2}", f64::from(score) / 100.0)?,
            Some(ReportedScore::Mate(moves)) if moves > 0 => write!(f, "+M{moves}")?,
            Some(ReportedScore::Mate(moves)) => write!(f, "-M{}", moves.unsigned_abs())?,
        }
        match (info.score, info.depth) {
            (None, _) => {}
            (Some(_), None) => f.write_str(" ")?,
            (Some(_), Some(depth)) => write!(f, "/{depth} ")?,
        }
        write!(f, "{:.3}s", time.as_secs_f64())
    }
}

/// A finished game.
#[derive(Clone, Debug)]
pub struct PlayedGame {
    /// Where it began, and its moves.
    pub game: Game,
    /// What is noted of each move.
    pub notes: Vec<MoveNote>,
    /// How it ended.
    pub reason: GameEnd,
}

/// An engine with what bounds its searches in this game, or why it could not be started.
pub type EngineSeat<'a> = (Result<&'a mut EngineClient, EngineFault>, EngineLimits);

/// Plays a game from the last position of `opening` to its end.
///
/// When `stop` is set it breaks the game off, with a result of no meaning.
/// Games end by the word of `tables` as soon as a capture or a goat's leaving its herd has led to a position of theirs.
pub fn play(
    opening: Game,
    white: EngineSeat,
    black: EngineSeat,
    (conditions, tables): (AdjudicationRules, Option<&Tablebase>),
    stop: &AtomicBool,
) -> PlayedGame {
    let clocks = [GameClock::new(white.1), GameClock::new(black.1)];
    let notes = vec![MoveNote::Book; opening.moves().len()];
    let mut table = GameInProgress { tables, position_line: position_line(&opening), game: opening, notes, clocks };
    let reason = match (white.0, black.0) {
        (Ok(white), Ok(black)) => table.play(white, black, conditions, stop),
        (Err(fault), Ok(_)) => GameEnd::EngineFault(Side::White, fault),
        (Ok(_), Err(fault)) => GameEnd::EngineFault(Side::Black, fault),
        (Err(fault), Err(_)) => GameEnd::NeitherStarted(fault),
    };
    PlayedGame { game: table.game, notes: table.notes, reason }
}

/// The line that sets up a game's last position.
fn position_line(game: &Game) -> String {
    let start = game.start();
    let mut line = if *start == Position::start(game.rules()) {
        "position startpos".to_owned()
    } else {
        format!("position fen {}", Fen(start))
    };
    game.moves().iter().for_each(|&mv| add_move(&mut line, mv));
    line
}

fn add_move(position_line: &mut String, mv: Move) {
    // Nothing stands behind `moves` in vain: some engines stumble over that.
    let word = if position_line.contains(" moves ") { "" } else { " moves" };
    *position_line += &format!("{word} {mv}");
}

struct GameInProgress<'a> {
    tables: Option<&'a Tablebase>,
    game: Game,
    notes: Vec<MoveNote>,
    clocks: [GameClock; 2],
    position_line: String,
}

impl GameInProgress<'_> {
    fn play(
        &mut self,
        white: &mut EngineClient,
        black: &mut EngineClient,
        conditions: AdjudicationRules,
        stop: &AtomicBool,
    ) -> GameEnd {
        for (side, engine) in [(Side::White, &mut *white), (Side::Black, &mut *black)] {
            if let Err(fault) = engine.new_game(self.game.rules()) {
                return GameEnd::EngineFault(side, fault);
            }
        }
        let mut watch = Adjudicator::new(conditions);
        loop {
            if let Some(outcome) = self.game.outcome() {
                return GameEnd::Rules(outcome);
            }
            if stop.load(SeqCst) {
                return GameEnd::AdjudicatedDraw;
            }
            if let Some(value) = self.value() {
                return GameEnd::Tables(value.winner(), value.points(self.game.rules()));
            }
            let side = self.game.position().side();
            let engine = if side == Side::White { &mut *white } else { &mut *black };
            let info = match self.make_move(side, engine) {
                Ok(info) => info,
                Err(fault) => return GameEnd::EngineFault(side, fault),
            };
            let verdict = watch.hear(side, info.score);
            if self.game.outcome().is_none()
                && let Some(reason) = verdict
            {
                return reason;
            }
        }
    }

    /// What the tables say of a position that an engine's capture or a goat's leaving its herd has led to; an opening
    /// that they have is played on, and so is a win that the count of quiet plies would make a draw of.
    fn value(&self) -> Option<TableValue> {
        let position = self.game.position();
        let is_new = position.quiet_plies() == 0 && matches!(self.notes.last(), Some(MoveNote::Searched { .. }));
        let Probe { value, plies } = self.tables.filter(|_| is_new)?.probe(position).ok()?;
        let is_in_time = |plies| self.game.draw_plies().allow_end_after(position, plies);
        plies.is_none_or(is_in_time).then_some(value)
    }

    /// Has a side make its move.
    fn make_move(&mut self, side: Side, engine: &mut EngineClient) -> Result<Info, EngineFault> {
        let [white, black] = &mut self.clocks;
        let clock = if side == Side::White { white } else { black };
        let allowance = clock.allowance();
        let go = go_line(side, &self.clocks, engine.is_ugi());
        let Answer { text, time, info } = engine.ask(&self.position_line, &go, allowance)?;
        let [white, black] = &mut self.clocks;
        let clock = if side == Side::White { white } else { black };
        if !clock.spend(time) {
            let (found, expected) = (time.as_secs_f64(), allowance.unwrap_or_default().as_secs_f64());
            let detail = format!("found an answer after {found:.3} s, expected one within {expected:.3} s");
            return Err(EngineFault::new(FaultKind::TimeForfeit, detail));
        }
        let mv = self.check(&text)?;
        self.game.play(mv);
        add_move(&mut self.position_line, mv);
        self.notes.push(MoveNote::Searched { info: info.clone(), time });
        Ok(info)
    }

    /// The move that an engine has sent, if it is one and legal.
    fn check(&self, text: &str) -> Result<Move, EngineFault> {
        let position = self.game.position();
        let illegal = |why: String| {
            let detail = format!("{why} in {}, after '{}'", Fen(position), self.position_line);
            Err(EngineFault::new(FaultKind::IllegalMove, detail))
        };
        match MoveText::parse(text) {
            Ok(read) => read.find(position).or_else(|error| illegal(format!("found {}: {error}", quoted(text)))),
            // What UCI engines send where they see no move.
            Err(_) if ["(none)", "0000", "none", "null"].contains(&text) => {
                illegal(format!("found {}, expected one of {} legal moves", quoted(text), position.legal_moves().len()))
            }
            Err(error) => Err(EngineFault::new(FaultKind::Garbage, format!("bestmove: {error}"))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::notation::{coordinates, fen};
    use crate::rules::RuleSet;

    fn table(rules: &str, moves: &str) -> GameInProgress<'static> {
        let mut game = Game::new(Position::start(RuleSet::named(rules).unwrap()));
        for word in moves.split_whitespace() {
            game.play(coordinates::parse(game.position(), word).unwrap());
        }
        let clocks = [GameClock::new(EngineLimits::default()); 2];
        GameInProgress { tables: None, position_line: position_line(&game), game, notes: Vec::new(), clocks }
    }

    #[test]
    fn moves_are_checked_by_our_own_rules() {
        let table = table("super", "e4e5 b3b4");
        assert!(table.check("e4e3").is_ok() && table.check("E4E3").is_ok());
        for (text, kind, detail) in [
            ("a1a2", FaultKind::IllegalMove, "found 'a1a2': White has no piece on a1 in 4A/"),
            ("(none)", FaultKind::IllegalMove, "found '(none)', expected one of"),
            ("", FaultKind::Garbage, "bestmove: column 1: found nothing"),
            ("xyzzy", FaultKind::Garbage, "bestmove: column 1: found 'xyzzy'"),
        ] {
            let fault = table.check(text).unwrap_err();
            assert!(fault.kind == kind && fault.detail.starts_with(detail), "{fault}");
        }
        assert!(table.check("a1a2").unwrap_err().detail.ends_with("after 'position startpos moves e4e5 b3b4'"));
    }

    #[test]
    fn a_game_from_elsewhere_is_set_up_by_its_text() {
        let start = fen::parse(RuleSet::standard(), "t4/5/5/5/A3t w 3 9").unwrap();
        assert_eq!(position_line(&Game::new(start)), "position fen t4/5/5/5/A3t w 3 9");
    }
}
