//! `sundarban eval`: the static evaluation of positions, and what it is made of.

use crate::commands::args::InputArgs;
use crate::commands::error::CliError;
use crate::commands::listing::{ListingFormat, place_members};
use crate::eval::wdl::{WinChances, expected_points};
use crate::eval::{contributions, evaluate_for_white};
use crate::json::{Json, OneLine};
use crate::notation::fen::{Fen, piece_letter};
use crate::notation::reader::InputItem;
use crate::render::text::evaluation;
use clap::Args;
use std::io::{self, Write};

const EXAMPLES: &str = "\
Examples:
  sundarban eval --fen startpos
  echo 'super 1. e5; b4' | sundarban eval --format json

The evaluation is in goats from White's side, before any search; from +2.00 White is likelier to win than to draw, from -2.00
Black. A piece's line says how much higher it is than without that goat or herd, or with that tiger elsewhere. What can't be
read is told of on standard error; the rest goes on, and the exit code is 1 in the end.";

/// Options of `eval`.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct EvalArgs {
    #[command(flatten)]
    input: InputArgs,
    /// How they are printed
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    format: ListingFormat,
}

/// Shows the static evaluation of positions, the chances behind it and what each piece contributes.
///
/// # Errors
/// If something could not be read.
pub fn run(args: &EvalArgs) -> Result<(), CliError> {
    let mut is_first = true;
    args.input.for_each(|out, item| {
        let position = item.game().position();
        if args.format == ListingFormat::Json {
            return eval_object(out, item);
        }
        let gap = if std::mem::take(&mut is_first) { "" } else { "\n" };
        writeln!(out, "{gap}{} {}", position.rules().name, Fen(position))?;
        writeln!(out, "{}", evaluation(position))
    })
}

fn eval_object(out: &mut dyn Write, item: &InputItem) -> io::Result<()> {
    let position = item.game().position();
    let evaluation = evaluate_for_white(position);
    let chances = WinChances::of_evaluation(evaluation, 0, position.rules());
    // Four digits are more than the chances are good for.
    let rounded = |value: f64| Json::Number((value * 10_000.0).round() / 10_000.0);
    let pieces = contributions(position).into_iter().map(|piece| {
        Json::object([
            ("point", Json::text(piece.point.to_string())),
            ("piece", Json::optional_text(piece_letter(position, piece.point))),
            ("contribution", Json::Number(f64::from(piece.centigoats))),
        ])
    });
    let mut members = place_members(item);
    members.extend([
        ("pieces".to_owned(), Json::List(pieces.collect())),
        ("white".to_owned(), rounded(chances.white)),
        ("draw".to_owned(), rounded(chances.draw())),
        ("black".to_owned(), rounded(chances.black)),
        ("expected".to_owned(), rounded(expected_points(evaluation, 0, position))),
        ("evaluation".to_owned(), Json::Number(f64::from(evaluation))),
    ]);
    writeln!(out, "{}", OneLine(&Json::Object(members)))
}
