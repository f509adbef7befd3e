//! `sundarban gtp`: the Go Text Protocol on standard input and output.

use crate::commands::args::{RulesArg, number};
use crate::commands::engine_args::{DrawPliesArg, HashArg, TablesArg, ThreadsArg};
use crate::commands::error::CliError;
use crate::engine::Engine;
use crate::engine::options::{NumberOption, Options};
use crate::gtp::{self, LEVELS, Strength};
use clap::Args;
use clap::builder::{OsStringValueParser, TypedValueParser};
use std::io::{self, BufReader};
use std::path::PathBuf;
use std::time::Duration;

/// Options of `gtp`.
#[derive(Args)]
#[command(
    after_help = "Examples:\n  gogui -program \"sundarban gtp --level 5\"\n  \
        printf 'genmove w\\ngenmove w\\nshowboard\\n' | sundarban gtp --rules super --movetime 500",
    mut_arg("draw_plies", |arg| arg.value_parser(number(NumberOption::DrawPlies.range()))),
    // An empty name stands for no tables.
    mut_arg("tables", |arg| arg.value_parser(OsStringValueParser::new().map(PathBuf::from))),
)]
pub struct GtpArgs {
    #[command(flatten)]
    rules: RulesArg,
    /// Strength, from 1 to 10: each level looks at four times as many positions as the one below
    #[arg(long, value_name = "LEVEL", allow_negative_numbers = true, value_parser = clap::value_parser!(u32).range(i64::from(*LEVELS.start())..=i64::from(*LEVELS.end())))]
    level: Option<u32>,
    /// Most milliseconds for a move; without this, a level or a clock it is 1000
    #[arg(long, value_name = "MS", allow_negative_numbers = true, value_parser = number(0..=u64::MAX))]
    movetime: Option<u64>,
    #[command(flatten)]
    hash: HashArg,
    #[command(flatten)]
    threads: ThreadsArg,
    #[command(flatten)]
    draw_plies: DrawPliesArg,
    #[command(flatten)]
    tables: TablesArg,
}

/// Plays until the other side quits.
///
/// # Errors
/// If an option is wrong, the tables can't be opened, or the system has no thread for the session.
pub fn run(args: &GtpArgs) -> Result<(), CliError> {
    let mut engine = Engine::new(Options {
        rules: args.rules.rules,
        hash: args.hash.megabytes(),
        threads: args.threads.count(),
        draw_plies: args.draw_plies.plies(),
        table_path: args.tables.path(),
        ..Options::default()
    })?;
    let found = engine.open_tablebase().map_err(|error| CliError::Usage(format!("--tables: {error}")))?;
    found.iter().for_each(|found| log::info!("{found}"));
    let strength = Strength { level: args.level, move_time: args.movetime.map(Duration::from_millis) };
    gtp::run(engine, strength, BufReader::new(io::stdin()), io::stdout())?;
    Ok(())
}
