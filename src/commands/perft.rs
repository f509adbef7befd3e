//! `sundarban perft`: counts the leaves of the game tree.

use crate::commands::args::RulesArg;
use crate::commands::error::CliError;
use crate::notation::fen::Fen;
use crate::notation::reader::only_position;
use crate::position::Position;
use crate::position::perft::{MAX_DEPTH, Perft, count_text};
use clap::Args;
use std::io::{self, Write};
use std::sync::atomic::AtomicBool;
use std::time::Instant;

/// Options of `perft`.
#[derive(Args)]
#[command(after_help = "Example:\n  sundarban perft --rules baghguti --depth 4 --divide")]
pub struct PerftArgs {
    #[command(flatten)]
    rules: RulesArg,
    /// Plies to look ahead
    #[arg(long, value_name = "PLIES", default_value_t = 6, allow_negative_numbers = true, value_parser = clap::value_parser!(u32).range(..=i64::from(MAX_DEPTH)))]
    depth: u32,
    /// Position to start from, instead of the rule set's start
    #[arg(long, value_name = "POSITION")]
    fen: Option<String>,
    /// Count each first move apart
    #[arg(long)]
    divide: bool,
    /// Remember subtrees in a table of this many megabytes; 0 for none
    #[arg(long, value_name = "MB", default_value_t = 0)]
    hash: usize,
}

/// Counts the leaves, one depth after the other.
///
/// # Errors
/// If the position can't be read, there is no memory for the table, or the output fails.
pub fn run(args: &PerftArgs) -> Result<(), CliError> {
    let position = match &args.fen {
        None => Position::start(args.rules.rules),
        Some(text) => only_position("--fen", text, args.rules.rules).map_err(CliError::Usage)?,
    };
    let never = AtomicBool::new(false);
    let mut perft = Perft::new(args.hash, &never)
        .map_err(|error| CliError::Work(format!("no table of {} MB: {error}", args.hash)))?;
    let mut out = io::stdout().lock();
    writeln!(out, "{} {}", position.rules().name, Fen(&position))?;
    if args.divide && args.depth > 0 {
        let mut rows = Vec::new();
        perft.divide(&position, args.depth, |mv, count| rows.push((mv, count)));
        rows.iter().try_for_each(|(mv, count)| writeln!(out, "{mv}: {}", count_text(*count)))?;
    }
    for depth in 0..=args.depth {
        let began = Instant::now();
        let Some(leaves) = perft.count(&position, depth) else { break };
        let seconds = began.elapsed().as_secs_f64().max(1e-6);
        let millions = leaves as f64 / seconds / 1e6;
        writeln!(
            out,
            "depth {depth}: {} leaves in {seconds:.3} s, {millions:.1} million a second",
            count_text(leaves)
        )?;
    }
    Ok(())
}
