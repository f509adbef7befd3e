//! `sundarban moves`: the legal moves of positions.

use crate::commands::args::InputArgs;
use crate::commands::error::CliError;
use crate::commands::listing::{ListingFormat, place_members};
use crate::json::{Json, OneLine};
use crate::moves::Move;
use crate::notation::fen::Fen;
use crate::notation::reader::InputItem;
use crate::notation::record::move_text;
use crate::position::Position;
use clap::Args;
use std::io::{self, Write};

const EXAMPLES: &str = "\
Examples:
  sundarban moves --fen startpos
  sundarban moves --fen '5/2E1E/1t1t1/1AD1E/5 b' --results
  echo 'super 1. e5; b4' | sundarban moves --format json

A line for each position, '(none)' where the game is over. What can't be read is told of on standard error; the rest
goes on, and the exit code is 1 in the end.";

/// Options of `moves`.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct MovesArgs {
    #[command(flatten)]
    input: InputArgs,
    /// A line for each move instead: the move, the same in the notation of records, and the position after it
    #[arg(long)]
    results: bool,
    /// How they are printed
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    format: ListingFormat,
}

/// Lists the legal moves of positions.
///
/// # Errors
/// If something could not be read.
pub fn run(args: &MovesArgs) -> Result<(), CliError> {
    args.input.for_each(|out, item| {
        let position = item.game().position();
        let mut moves = if item.game().outcome_on_board().is_some() { Vec::new() } else { position.legal_moves() };
        moves.sort_by_cached_key(Move::to_string);
        match (args.format, args.results) {
            (ListingFormat::Json, _) => moves_object(out, item, &moves),
            (ListingFormat::Text, true) => moves_with_results(out, position, &moves),
            (ListingFormat::Text, false) => writeln!(out, "{}", move_list(&moves)),
        }
    })
}

fn moves_with_results(out: &mut dyn Write, position: &Position, moves: &[Move]) -> io::Result<()> {
    if moves.is_empty() {
        return writeln!(out, "{}", move_list(moves));
    }
    moves.iter().try_for_each(|&mv| writeln!(out, "{mv}\t{}\t{}", move_text(position, mv), Fen(&position.play(mv))))
}

/// Move texts in a row, `(none)` for no move.
fn move_list(moves: &[Move]) -> String {
    let list: Vec<String> = moves.iter().map(Move::to_string).collect();
    if list.is_empty() { "(none)".to_owned() } else { list.join(" ") }
}

fn moves_object(out: &mut dyn Write, item: &InputItem, moves: &[Move]) -> io::Result<()> {
    let position = item.game().position();
    let described = |mv: &Move| {
        Json::object([
            ("move", Json::text(mv.to_string())),
            ("record", Json::text(move_text(position, *mv))),
            ("position", Json::text(Fen(&position.play(*mv)).to_string())),
        ])
    };
    let mut members = place_members(item);
    let over = item.game().outcome_on_board().map(|outcome| outcome.to_string());
    members.push(("over".to_owned(), Json::optional_text(over)));
    members.push(("moves".to_owned(), Json::List(moves.iter().map(described).collect())));
    writeln!(out, "{}", OneLine(&Json::Object(members)))
}
