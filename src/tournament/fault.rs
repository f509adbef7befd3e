//! Faults of engines and ends of games, with the names that records and counts use for them.

use crate::game;
use crate::position::Ending;
use crate::rules::Side;
use std::fmt;

/// The kinds of faults. Each loses the game.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum FaultKind {
    /// It could not be started, or did not get through the first exchange.
    FailedToStart,
    /// It ended, or closed its output.
    Crash,
    /// It sent nothing until its time and the patience were over.
    NoAnswer,
    /// It sent what is not in the protocol.
    Garbage,
    /// It sent more than an honest engine would.
    Flood,
    /// It sent a move that the rules forbid.
    IllegalMove,
    /// It answered, but after its time.
    TimeForfeit,
}

impl FaultKind {
    pub const ALL: [Self; 7] = [
        Self::FailedToStart,
        Self::Crash,
        Self::NoAnswer,
        Self::Garbage,
        Self::Flood,
        Self::IllegalMove,
        Self::TimeForfeit,
    ];

    /// The name in records and counts.
    pub const fn name(self) -> &'static str {
        match self {
            Self::FailedToStart => "failed to start",
            Self::Crash => "crash",
            Self::NoAnswer => "no answer",
            Self::Garbage => "garbage",
            Self::Flood => "flood",
            Self::IllegalMove => "illegal move",
            Self::TimeForfeit => "time forfeit",
        }
    }
}

/// Why an engine could not be started.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum StartError {
    /// It has begun to run, and was at fault.
    Fault(EngineFault),
    /// Its program can't be run, or does not take the options that it is to have.
    Program(String),
    /// This process is out of memory, processes or open files.
    Resources(String),
}

impl StartError {
    /// What is wrong, with the name of the engine.
    pub fn describe(&self, engine: &str) -> String {
        match self {
            Self::Fault(fault) => format!("{engine}: {fault}"),
            Self::Program(why) | Self::Resources(why) => why.clone(),
        }
    }
}

impl From<EngineFault> for StartError {
    fn from(fault: EngineFault) -> Self {
        Self::Fault(fault.at_start())
    }
}

/// A fault of an engine.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct EngineFault {
    pub kind: FaultKind,
    /// What was found and expected; one line.
    pub detail: String,
}

impl EngineFault {
    pub fn new(kind: FaultKind, detail: impl Into<String>) -> Self {
        Self { kind, detail: detail.into() }
    }

    /// The same fault as that of an engine while it is started.
    pub fn at_start(self) -> Self {
        Self::new(FaultKind::FailedToStart, self.to_string())
    }
}

impl fmt::Display for EngineFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.kind.name(), self.detail)
    }
}

/// How a game has ended.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum GameEnd {
    /// By the rules.
    Rules(game::Outcome),
    /// By a fault of this side's engine.
    Fault(Side, EngineFault),
    /// Neither engine could be started; a draw. The fault is that of White's engine.
    NeitherStarted(EngineFault),
    /// A draw after this many moves of each side.
    MaxMoves(u32),
    /// By the value in the solved tables: the winner, `None` for a draw, and the winner's points (0 for a draw).
    Tables(Option<Side>, u32),
    /// A draw by the scores of both engines.
    AdjudicatedDraw,
    /// Lost for this side by the scores of its engine.
    AdjudicatedLoss(Side),
}

impl GameEnd {
    /// `None` for a draw.
    pub fn winner(&self) -> Option<Side> {
        match self {
            Self::Rules(outcome) => outcome.winner(),
            Self::Fault(side, _) | Self::AdjudicatedLoss(side) => Some(side.opponent()),
            Self::Tables(winner, _) => *winner,
            Self::NeitherStarted(_) | Self::MaxMoves(_) | Self::AdjudicatedDraw => None,
        }
    }

    /// The name in records and counts.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Rules(game::Outcome::Ended(Ending::GoatsTaken)) => "goats taken",
            Self::Rules(game::Outcome::Ended(Ending::Immobilised)) => "immobilised",
            Self::Rules(game::Outcome::Repetition) => "repetition",
            Self::Rules(game::Outcome::QuietPlies(_)) => "quiet plies",
            Self::Rules(game::Outcome::IllegalMove(_)) => FaultKind::IllegalMove.name(),
            Self::Fault(_, fault) | Self::NeitherStarted(fault) => fault.kind.name(),
            Self::MaxMoves(_) => "max moves",
            Self::Tables(..) => "tables",
            Self::AdjudicatedDraw | Self::AdjudicatedLoss(_) => "adjudicated",
        }
    }

    /// The side whose engine is at fault, with the fault. `None` also where neither engine started.
    pub const fn fault(&self) -> Option<(Side, &EngineFault)> {
        match self {
            Self::Fault(side, fault) => Some((*side, fault)),
            _ => None,
        }
    }
}

impl fmt::Display for GameEnd {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Rules(outcome) => outcome.fmt(f),
            Self::Fault(side, fault) => write!(f, "{} wins: {side}: {fault}", side.opponent()),
            Self::NeitherStarted(fault) => write!(f, "draw: neither engine started: {fault}"),
            Self::MaxMoves(moves) => write!(f, "draw: {moves} moves were played"),
            Self::Tables(Some(side), _) => write!(f, "{side} wins: solved tables"),
            Self::Tables(None, _) => write!(f, "draw: solved tables"),
            Self::AdjudicatedDraw => write!(f, "draw: adjudicated"),
            Self::AdjudicatedLoss(side) => write!(f, "{} wins: adjudicated", side.opponent()),
        }
    }
}
