//! `sundarban bench`: the benchmark on standard output.

use crate::commands::error::CliError;
use crate::engine::bench;
use crate::search::control::Control;
use clap::Args;
use std::io::{self, Write};

/// Options of `bench`.
#[derive(Args)]
#[command(
    after_help = "Example:\n  sundarban bench --depth 10\n\nThe last line is '<n> nodes <m> nps'; n is the same \
    on every machine and every run."
)]
pub struct BenchArgs {
    /// Depth of the searches in plies
    #[arg(long, value_name = "PLIES", default_value_t = bench::DEFAULT_DEPTH, allow_negative_numbers = true, value_parser = clap::value_parser!(u32).range(1..=i64::from(bench::MAX_DEPTH)))]
    depth: u32,
}

/// Runs the benchmark.
///
/// # Errors
/// If the output fails.
pub fn run(args: &BenchArgs) -> Result<(), CliError> {
    let mut out = io::stdout().lock();
    let mut output_error = None;
    let sum = bench::run(args.depth, &Control::default(), |row| {
        writeln!(out, "{row}").map_err(|error| {
            let kind = error.kind();
            output_error = Some(error);
            kind.into()
        })
    });
    if let Some(error) = output_error {
        return Err(error.into());
    }
    let sum = sum.map_err(CliError::Work)?;
    writeln!(out, "{} nodes {} nps", sum.nodes, sum.nodes_per_second())?;
    Ok(())
}
