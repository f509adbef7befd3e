//! `sundarban convert`: games from any form into another.

use crate::commands::args::{InputArgs, ItemError};
use crate::commands::error::CliError;
use crate::game::{Game, GameResult};
use crate::notation::fen::Fen;
use crate::notation::match_record::Record;
use crate::notation::reader::LONGEST_ITEM;
use crate::notation::record as notation;
use crate::position::Position;
use crate::rules::Side;
use clap::{Args, ValueEnum};
use std::borrow::Cow;
use std::io::{self, Write};

const EXAMPLES: &str = "\
Examples:
  echo 'super 1. e5; b4 2. e4-e3; b4xd4' | sundarban convert --to moves
  echo 'super e4e5 b3b4 e4e3 b4d4' | sundarban convert --to record
  echo 'super e4e5 b3b4 e4e3 b4d4' | sundarban convert --to position --all
  echo 'super e4e5 b3b4 e4e3 b4d4' | sundarban convert --to match

A line begins with the rule set and a tab, and reads back. What can't be read is told of on standard error; the rest
goes on, and the exit code is 1 in the end.";

/// What a game is turned into.
#[derive(Copy, Clone, PartialEq, Eq, Debug, ValueEnum)]
pub enum Form {
    /// A line with the position it starts in and the moves of the protocol
    Moves,
    /// A line with a game record, as '1. e5; b4', after its position if it starts in another than usual
    Record,
    /// A line with its last position
    Position,
    /// A match record with its tags and comments
    Match,
}

impl Form {
    /// The game in this form, with its line end.
    pub fn text(self, record: &Record) -> String {
        let game = &record.game;
        match self {
            Self::Moves => line_of_moves(game),
            Self::Record => line_of_record(game),
            Self::Position => line_of_position(game.position()),
            Self::Match => with_result(record).write(),
        }
    }
}

/// A record with the result that the rules give its game, where it has neither a result nor tags of its own.
fn with_result(record: &Record) -> Cow<'_, Record> {
    match record.game.outcome() {
        Some(outcome) if record.result.is_none() && record.tags.is_empty() => {
            let result = Some(GameResult::seen_by(Side::White, outcome.winner()));
            Cow::Owned(Record { result, reason: outcome.to_string(), ..record.clone() })
        }
        _ => Cow::Borrowed(record),
    }
}

/// A game as a line with its start and protocol moves.
fn line_of_moves(game: &Game) -> String {
    let moves: String = game.moves().iter().map(|mv| format!(" {mv}")).collect();
    format!("{}\t{} moves{moves}\n", game.rules().name, Fen(game.start()))
}

/// A game as a line with a record, as `1. e5; b4`.
fn line_of_record(game: &Game) -> String {
    let (rules, start) = (game.rules(), game.start());
    let moves = notation::write(start, game.moves());
    let is_usual = *start == Position::start(rules) && !moves.is_empty();
    match (is_usual, moves.is_empty()) {
        (true, _) => format!("{}\t{moves}\n", rules.name),
        (false, true) => line_of_position(start),
        (false, false) => format!("{}\t{} {moves}\n", rules.name, Fen(start)),
    }
}

/// A position as a line.
pub fn line_of_position(position: &Position) -> String {
    format!("{}\t{}\n", position.rules().name, Fen(position))
}

/// Options of `convert`.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct ConvertArgs {
    #[command(flatten)]
    input: InputArgs,
    /// What games are turned into
    #[arg(long, value_name = "FORM", default_value = "moves")]
    to: Form,
    /// Every position of a game from its start on, instead of its last one; only with --to position
    #[arg(long)]
    all: bool,
}

/// Converts the games of the input.
///
/// # Errors
/// If the options are wrong, something could not be read, or the output fails.
pub fn run(args: &ConvertArgs) -> Result<(), CliError> {
    if args.all && args.to != Form::Position {
        return Err(CliError::Usage("--all: found without '--to position', expected with it".to_owned()));
    }
    args.input.try_each(|out, item| match args.all {
        true => Ok(positions(out, item.game())?),
        false => Ok(out.write_all(checked(args.to.text(&item.record))?.as_bytes())?),
    })
}

/// The text of a game that is no longer than what is read back.
fn checked(text: String) -> Result<String, ItemError> {
    let length = text.len() as u64;
    if length <= LONGEST_ITEM {
        return Ok(text);
    }
    let message =
        format!("found a game of {length} bytes in this form, expected at most {LONGEST_ITEM}: no more reads back");
    Err(ItemError::Refused(message))
}

fn positions(out: &mut dyn Write, game: &Game) -> io::Result<()> {
    game.positions().try_for_each(|position| out.write_all(line_of_position(position).as_bytes()))
}
