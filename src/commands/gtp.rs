//! `sundarban gtp`: the Go Text Protocol on standard input and output.

use crate::commands::args::number;
use crate::commands::error::CliError;
use crate::engine::Engine;
use crate::gtp::{self, LEVELS, Strength};
use crate::position::MAX_QUIET_PLIES;
use crate::rules::RuleSet;
use clap::Args;
use std::io::{self, BufReader};
use std::time::Duration;

/// Options of `gtp`.
#[derive(Args)]
#[command(after_help = "Examples:\n  gogui -program \"sundarban gtp --level 5\"\n  \
    printf 'genmove w\\ngenmove w\\nshowboard\\n' | sundarban gtp --rules super --movetime 500")]
pub struct GtpArgs {
    /// Rule set; protocol.md lists them, and so does a wrong name
    #[arg(long, value_name = "NAME", default_value = "baghbandi", value_parser = RuleSet::parse)]
    rules: &'static RuleSet,
    /// Strength, from 1 to 10: each level looks at four times as many positions as the one below
    #[arg(long, value_name = "LEVEL", allow_negative_numbers = true, value_parser = clap::value_parser!(u32).range(i64::from(*LEVELS.start())..=i64::from(*LEVELS.end())))]
    level: Option<u32>,
    /// Most milliseconds for a move; without this, a level or a clock it is 1000
    #[arg(long, value_name = "MS", allow_negative_numbers = true, value_parser = number(0..=u64::MAX))]
    movetime: Option<u64>,
    /// Most megabytes of the transposition table
    #[arg(long, value_name = "MB", allow_negative_numbers = true, value_parser = number(1..=65_536))]
    hash: Option<u64>,
    /// Threads of a search
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = number(1..=256))]
    threads: Option<u64>,
    /// Plies without a capture and without a goat leaving a herd that make a draw; 0 for none, 300 if left out
    #[arg(long, value_name = "PLIES", allow_negative_numbers = true, value_parser = number(0..=u64::from(MAX_QUIET_PLIES)))]
    draw_plies: Option<u64>,
    /// Folder of solved tables
    #[arg(long, value_name = "DIR")]
    tables: Option<String>,
}

/// Plays until the other side quits.
///
/// # Errors
/// Says which option is wrong, or that the output failed.
pub fn run(args: &GtpArgs) -> Result<(), CliError> {
    let mut engine = Engine::default();
    let options = [
        ("UCI_Variant", Some(args.rules.name.to_owned())),
        ("Hash", args.hash.map(|megabytes| megabytes.to_string())),
        ("Threads", args.threads.map(|threads| threads.to_string())),
        ("DrawPlies", args.draw_plies.map(|plies| plies.to_string())),
        ("TablePath", args.tables.clone()),
    ];
    for (name, value) in options {
        if value.is_some() {
            engine.set_option(name, value.as_deref()).map_err(CliError::Usage)?;
        }
    }
    if let Some(note) = engine.open_tables() {
        if engine.tables().is_none() {
            return Err(CliError::Usage(format!("--tables: {note}")));
        }
        log::info!("{note}");
    }
    let strength = Strength { level: args.level, move_time: args.movetime.map(Duration::from_millis) };
    gtp::run(engine, strength, BufReader::new(io::stdin()), io::stdout())?;
    Ok(())
}
