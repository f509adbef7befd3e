//! `sundarban eval`: the static evaluation of positions, term by term.

use crate::commands::args::InputArgs;
use crate::commands::error::CliError;
use crate::commands::listing::{ListingFormat, place_members};
use crate::eval::Terms;
use crate::json::{Json, OneLine};
use crate::notation::fen::Fen;
use crate::notation::reader::InputItem;
use clap::Args;
use std::io::{self, Write};

const EXAMPLES: &str = "\
Examples:
  sundarban eval --fen startpos
  echo 'super 1. e5; b4' | sundarban eval --format json

The evaluation is in goats from White's side, before any search. What can't be read is told of on standard error; the
rest goes on, and the exit code is 1 in the end.";

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

/// Shows the static evaluation of positions term by term.
///
/// # Errors
/// If something could not be read.
pub fn run(args: &EvalArgs) -> Result<(), CliError> {
    let mut is_first = true;
    args.input.for_each(|out, item| {
        let position = item.game().position();
        let terms = Terms::of(position);
        if args.format == ListingFormat::Json {
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
    let mut members = place_members(item);
    members.extend(terms.named().map(|(name, value)| (name.to_owned(), centigoats(value))));
    members.push(("evaluation".to_owned(), centigoats(terms.sum())));
    writeln!(out, "{}", OneLine(&Json::Object(members)))
}
