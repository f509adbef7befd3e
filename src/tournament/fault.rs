//! What an engine can do wrong, and how a game can end. Each way has a name of its own, which records and counts use.

use crate::game;
use crate::position::Ending;
use crate::rules::Side;
use std::fmt;

/// The ways in which an engine can fail. Each loses the game.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum FaultKind {
    /// It could not be started, or did not get through the first exchange.
    FailedToStart,
    /// It ended, or closed its output.
    Crash,
    /// It said nothing in time, and nothing for a good while after.
    NoAnswer,
    /// It said what is not in the protocol.
    Garbage,
    /// It said far too much.
    Flood,
    /// It sent a move that the rules forbid.
    IllegalMove,
    /// It answered, but after its time.
    TimeForfeit,
}

impl FaultKind {
    /// All of them.
    pub const ALL: [Self; 7] = [
        Self::FailedToStart,
        Self::Crash,
        Self::NoAnswer,
        Self::Garbage,
        Self::Flood,
        Self::IllegalMove,
        Self::TimeForfeit,
    ];

    /// Its name in records and counts.
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

/// Why an engine is not running.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum StartError {
    /// It has begun to run, and shown a fault.
    EngineFault(EngineFault),
    /// There is nothing to run.
    Program(String),
    /// This process lacks what it takes to run anything.
    Resources(String),
}

impl From<EngineFault> for StartError {
    fn from(fault: EngineFault) -> Self {
        Self::EngineFault(fault.at_start())
    }
}

/// A fault with what was seen.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct EngineFault {
    /// Which one.
    pub kind: FaultKind,
    /// What was found and expected, on one line.
    pub detail: String,
}

impl EngineFault {
    /// A fault of this kind.
    pub fn new(kind: FaultKind, detail: impl Into<String>) -> Self {
        Self { kind, detail: detail.into() }
    }

    /// The same trouble met while the engine was being started.
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
    EngineFault(Side, EngineFault),
    /// Neither engine could be started.
    NeitherStarted(EngineFault),
    /// So many moves were played; a draw.
    MaxMoves(u32),
    /// The solved tables say who wins, and with how many points where they count; 0 for a draw.
    Tables(Option<Side>, u32),
    /// Both engines have agreed for long that it is a draw.
    AdjudicatedDraw,
    /// This side's engine has said for long that it is lost.
    AdjudicatedLoss(Side),
}

impl GameEnd {
    /// Who has won; `None` for a draw.
    pub fn winner(&self) -> Option<Side> {
        match self {
            Self::Rules(outcome) => outcome.winner(),
            Self::EngineFault(side, _) | Self::AdjudicatedLoss(side) => Some(side.opponent()),
            Self::Tables(winner, _) => *winner,
            Self::NeitherStarted(_) | Self::MaxMoves(_) | Self::AdjudicatedDraw => None,
        }
    }

    /// Its name in records and counts.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Rules(game::Outcome::Ended(Ending::GoatsTaken)) => "goats taken",
            Self::Rules(game::Outcome::Ended(Ending::Immobilised)) => "immobilised",
            Self::Rules(game::Outcome::Repetition) => "repetition",
            Self::Rules(game::Outcome::QuietPlies(_)) => "quiet plies",
            Self::Rules(game::Outcome::IllegalMove(_)) => FaultKind::IllegalMove.name(),
            Self::EngineFault(_, fault) | Self::NeitherStarted(fault) => fault.kind.name(),
            Self::MaxMoves(_) => "max moves",
            Self::Tables(..) => "tables",
            Self::AdjudicatedDraw | Self::AdjudicatedLoss(_) => "adjudicated",
        }
    }

    /// The side whose engine is at fault, and how.
    pub const fn fault(&self) -> Option<(Side, &EngineFault)> {
        match self {
            Self::EngineFault(side, fault) => Some((*side, fault)),
            _ => None,
        }
    }
}

impl fmt::Display for GameEnd {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Rules(outcome) => outcome.fmt(f),
            Self::EngineFault(side, fault) => write!(f, "{} wins: {side}: {fault}", side.opponent()),
            Self::NeitherStarted(fault) => write!(f, "draw: neither engine started: {fault}"),
            Self::MaxMoves(moves) => write!(f, "draw: {moves} moves were played"),
            Self::Tables(Some(side), _) => write!(f, "{side} wins: solved tables"),
            Self::Tables(None, _) => write!(f, "draw: solved tables"),
            Self::AdjudicatedDraw => write!(f, "draw: adjudicated"),
            Self::AdjudicatedLoss(side) => write!(f, "{} wins: adjudicated", side.opponent()),
        }
    }
}
