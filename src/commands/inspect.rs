//! `sundarban moves` and `sundarban eval`: what can be said of a position without a search.

use crate::commands::args::InputArgs;
use crate::commands::error::CliError;
use crate::eval::Terms;
use crate::json::{Json, OneLine};
use crate::moves::Move;
use crate::notation::fen::Fen;
use crate::notation::reader::InputItem;
use crate::notation::record::move_text;
use crate::position::Position;
use clap::{Args, ValueEnum};
use std::io::{self, Write};

const MOVES_EXAMPLES: &str = "\
Examples:
  sundarban moves --fen startpos
  sundarban moves --fen '5/2E1E/1t1t1/1AD1E/5 b' --results
  echo 'super 1. e5; b4' | sundarban moves --format json

A line for each position, '(none)' where the game is over. What can't be read is told of on standard error; the rest
goes on, and the exit code is 1 in the end.";

const EVAL_EXAMPLES: &str = "\
Examples:
  sundarban eval --fen startpos
  echo 'super 1. e5; b4' | sundarban eval --format json

The evaluation is in goats from White's side, before any search. What can't be read is told of on standard error; the
rest goes on, and the exit code is 1 in the end.";

/// How positions are described.
#[derive(Copy, Clone, PartialEq, Eq, Debug, ValueEnum)]
pub enum Format {
    /// Words
    Text,
    /// One JSON object a line
    Json,
}

/// Options of `moves`.
#[derive(Args)]
#[command(after_help = MOVES_EXAMPLES)]
pub struct MovesArgs {
    #[command(flatten)]
    input: InputArgs,
    /// A line for each move instead: the move, the same in the notation of records, and the position after it
    #[arg(long)]
    results: bool,
    /// How they are printed
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    format: Format,
}

/// Options of `eval`.
#[derive(Args)]
#[command(after_help = EVAL_EXAMPLES)]
pub struct EvalArgs {
    #[command(flatten)]
    input: InputArgs,
    /// How they are printed
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    format: Format,
}

/// Lists the legal moves of positions.
///
/// # Errors
/// If something could not be read.
pub fn moves(args: &MovesArgs) -> Result<(), CliError> {
    args.input.for_each(|out, item| {
        let position = item.game().position();
        let mut moves = if item.game().outcome_on_board().is_some() { Vec::new() } else { position.legal_moves() };
        moves.sort_by_cached_key(Move::to_string);
        match (args.format, args.results) {
            (Format::Json, _) => moves_object(out, item, &moves),
            (Format::Text, true) => moves_with_results(out, position, &moves),
            (Format::Text, false) => writeln!(out, "{}", move_list(&moves)),
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

/// What tells a position from the others of the input.
fn head(item: &InputItem) -> Vec<(String, Json)> {
    let (place, position) = (&item.place, item.game().position());
    let Json::Object(members) = Json::object([
        ("file", Json::text(&*place.file)),
        ("line", Json::Count(place.line as u64)),
        ("rules", Json::text(position.rules().name)),
        ("position", Json::text(Fen(position).to_string())),
    ]) else {
        return Vec::new();
    };
    members
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
    let mut members = head(item);
    let over = item.game().outcome_on_board().map(|outcome| outcome.to_string());
    members.push(("over".to_owned(), Json::maybe_text(over)));
    members.push(("moves".to_owned(), Json::List(moves.iter().map(described).collect())));
    writeln!(out, "{}", OneLine(&Json::Object(members)))
}

/// Shows the static evaluation of positions term by term.
///
/// # Errors
/// If something could not be read.
pub fn eval(args: &EvalArgs) -> Result<(), CliError> {
    let mut is_first = true;
    args.input.for_each(|out, item| {
        let position = item.game().position();
        let terms = Terms::of(position);
        if args.format == Format::Json {
            return eval_object(out, item, &terms);
        }
        let gap = if std::mem::take(&mut is_first) { "" } else { "\n" };
        writeln!(out, "{gap}{} {}", position.rules().name, Fen(position))?;
        let goats = |centigoats: i32| f64::from(centigoats) / 100.0;
        terms.named().iter().try_for_each(|(name, value)| writeln!(out, "{name:<10} {:>+7.2}", goats(*value)))?;
        writeln!(out, "{:<10} {:>+7.2}", "evaluation", goats(terms.sum()))
    })
}

fn eval_object(out: &mut dyn Write, item: &InputItem, terms: &Terms) -> io::Result<()> {
    let centigoats = |value: i32| Json::Number(f64::from(value));
    let mut members = head(item);
    members.extend(terms.named().map(|(name, value)| (name.to_owned(), centigoats(value))));
    members.push(("evaluation".to_owned(), centigoats(terms.sum())));
    writeln!(out, "{}", OneLine(&Json::Object(members)))
}
