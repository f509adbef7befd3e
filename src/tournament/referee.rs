//! The referee of one game: keeps the rules and both clocks, decides who forfeits, and trusts no engine.

use crate::game::Game;
use crate::moves::Move;
use crate::notation::coordinates::MoveText;
use crate::notation::fen::Fen;
use crate::notation::match_record::BOOK;
use crate::notation::quoted;
use crate::position::Position;
use crate::rules::Side;
use crate::tablebase::Tablebase;
use crate::tournament::adjudication::{AdjudicationRules, Adjudicator, TableAdjudicator};
use crate::tournament::engine_client::{BestMove, EngineClient};
use crate::tournament::engine_info::{ReportedInfo, ReportedScore};
use crate::tournament::engine_spec::EngineProtocol;
use crate::tournament::fault::{EngineFault, FaultKind, GameEnd};
use crate::tournament::limits::{EngineLimits, GameClock, go_line};
use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::time::Duration;

/// The comment on a move.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum MoveNote {
    /// It belongs to the opening.
    Book,
    /// It was played by an engine, which took this time and reported this.
    Searched { info: ReportedInfo, time: Duration },
}

impl fmt::Display for MoveNote {
    /// As records have it: `+0.31/12 0.45s`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self::Searched { info, time } = self else { return f.write_str(BOOK) };
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
    /// With the moves of the opening.
    pub game: Game,
    /// One for each move.
    pub notes: Vec<MoveNote>,
    pub end: GameEnd,
}

/// One side's engine, or why it could not be started, and its limits.
pub type EngineSeat<'a> = (Result<&'a mut EngineClient, EngineFault>, EngineLimits);

/// Plays a game from the last position of `opening` to its end.
///
/// When `stop` is set it breaks the game off, with a result of no meaning.
pub fn play(
    opening: Game,
    white: EngineSeat,
    black: EngineSeat,
    (adjudication, tables): (AdjudicationRules, Option<&Tablebase>),
    stop: &AtomicBool,
) -> PlayedGame {
    let clocks = [GameClock::new(white.1), GameClock::new(black.1)];
    let notes = vec![MoveNote::Book; opening.moves().len()];
    let mut in_progress =
        GameInProgress { tables, position_line: position_line(&opening), game: opening, notes, clocks };
    let end = match (white.0, black.0) {
        (Ok(white), Ok(black)) => in_progress.play(white, black, adjudication, stop),
        (Err(fault), Ok(_)) => GameEnd::Fault(Side::White, fault),
        (Ok(_), Err(fault)) => GameEnd::Fault(Side::Black, fault),
        (Err(fault), Err(_)) => GameEnd::NeitherStarted(fault),
    };
    PlayedGame { game: in_progress.game, notes: in_progress.notes, end }
}

/// The `position` command for a game's last position.
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
    // Some engines can't read `moves` without a move.
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
        adjudication: AdjudicationRules,
        stop: &AtomicBool,
    ) -> GameEnd {
        for (side, engine) in [(Side::White, &mut *white), (Side::Black, &mut *black)] {
            if let Err(fault) = engine.new_game(self.game.rules()) {
                return GameEnd::Fault(side, fault);
            }
        }
        let mut adjudicator = Adjudicator::new(adjudication);
        let mut table_adjudicator = self.tables.zip(adjudication.tables.map(TableAdjudicator::new));
        loop {
            if let Some(outcome) = self.game.outcome() {
                return GameEnd::Rules(outcome);
            }
            if stop.load(SeqCst) {
                return GameEnd::AdjudicatedDraw;
            }
            let side = self.game.position().side();
            let engine = if side == Side::White { &mut *white } else { &mut *black };
            let info = match self.make_move(side, engine) {
                Ok(info) => info,
                Err(fault) => return GameEnd::Fault(side, fault),
            };
            let by_tables = table_adjudicator.as_mut().and_then(|(tables, adjudicator)| {
                let value = adjudicator.after_move(tables, self.game.position(), self.game.draw_plies())?;
                Some(GameEnd::Tables(value.winner(), value.points(self.game.rules())))
            });
            let adjudicated = by_tables.or(adjudicator.after_move(side, info.score));
            if self.game.outcome().is_none()
                && let Some(end) = adjudicated
            {
                return end;
            }
        }
    }

    /// Has a side's engine search, and plays its move.
    fn make_move(&mut self, side: Side, engine: &mut EngineClient) -> Result<ReportedInfo, EngineFault> {
        let [white, black] = &mut self.clocks;
        let clock = if side == Side::White { white } else { black };
        let allowance = clock.allowance();
        let go = go_line(side, &self.clocks, engine.protocol() == EngineProtocol::Ugi);
        let BestMove { text, time, info } = engine.search(&self.position_line, &go, allowance)?;
        let [white, black] = &mut self.clocks;
        let clock = if side == Side::White { white } else { black };
        if !clock.spend(time) {
            let (found, expected) = (time.as_secs_f64(), allowance.unwrap_or_default().as_secs_f64());
            let detail = format!("found an answer after {found:.3} s, expected one within {expected:.3} s");
            return Err(EngineFault::new(FaultKind::TimeForfeit, detail));
        }
        let mv = self.legal_move(&text)?;
        self.game.play(mv);
        add_move(&mut self.position_line, mv);
        self.notes.push(MoveNote::Searched { info: info.clone(), time });
        Ok(info)
    }

    /// The move that an engine has sent, if it is one and legal.
    fn legal_move(&self, text: &str) -> Result<Move, EngineFault> {
        let position = self.game.position();
        let illegal = |why: String| {
            let detail = format!("{why} in {}, after '{}'", Fen(position), self.position_line);
            Err(EngineFault::new(FaultKind::IllegalMove, detail))
        };
        match MoveText::parse(text) {
            Ok(read) => read.find(position).or_else(|error| illegal(format!("found {}: {error}", quoted(text)))),
            // UCI engines send these where they see no move.
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

    fn game_in_progress(rules: &str, moves: &str) -> GameInProgress<'static> {
        let mut game = Game::new(Position::start(RuleSet::named(rules).unwrap()));
        for word in moves.split_whitespace() {
            game.play(coordinates::parse(game.position(), word).unwrap());
        }
        let clocks = [GameClock::new(EngineLimits::default()); 2];
        GameInProgress { tables: None, position_line: position_line(&game), game, notes: Vec::new(), clocks }
    }

    #[test]
    fn moves_are_checked_by_our_own_rules() {
        let game = game_in_progress("super", "e4e5 b3b4");
        assert!(game.legal_move("e4e3").is_ok() && game.legal_move("E4E3").is_ok());
        for (text, kind, detail) in [
            ("a1a2", FaultKind::IllegalMove, "found 'a1a2': White has no piece on a1 in 4A/"),
            ("(none)", FaultKind::IllegalMove, "found '(none)', expected one of"),
            ("", FaultKind::Garbage, "bestmove: column 1: found nothing"),
            ("xyzzy", FaultKind::Garbage, "bestmove: column 1: found 'xyzzy'"),
        ] {
            let fault = game.legal_move(text).unwrap_err();
            assert!(fault.kind == kind && fault.detail.starts_with(detail), "{fault}");
        }
        assert!(game.legal_move("a1a2").unwrap_err().detail.ends_with("after 'position startpos moves e4e5 b3b4'"));
    }

    #[test]
    fn a_game_from_elsewhere_is_set_up_by_its_text() {
        let start = fen::parse(RuleSet::standard(), "t4/5/5/5/A3t w 3 9").unwrap();
        assert_eq!(position_line(&Game::new(start)), "position fen t4/5/5/5/A3t w 3 9");
    }
}
