//! The command line: a thin layer of options over the library.

mod analyser;
mod analyze;
mod annotate;
mod args;
mod bench;
mod convert;
mod engine_args;
mod error;
mod eval;
mod gtp;
mod listing;
mod logging;
mod r#match;
mod match_settings;
mod moves;
mod output;
mod perft;
mod random;
mod sample;
mod show;
mod suite;
mod tables;
mod train;

use crate::platform;
use crate::uci;
use analyze::AnalyzeArgs;
use annotate::AnnotateArgs;
use bench::BenchArgs;
use clap::{Parser, Subcommand};
use convert::ConvertArgs;
use error::{BAD_USAGE, CliError};
use eval::EvalArgs;
use gtp::GtpArgs;
use r#match::MatchArgs;
use moves::MovesArgs;
use perft::PerftArgs;
use random::RandomArgs;
use show::ShowArgs;
use std::io::{self, BufReader, Write};
use std::process::ExitCode;
use suite::SuiteArgs;
use tables::TablesCommand;
use train::TrainArgs;

/// An engine for Bagh Bandi, the tiger hunt of Lower Bengal.
///
/// Without a command it opens a session: UCI and UGI over standard input and output, for board programs, tournament
/// managers and scripts. protocol.md describes it.
#[derive(Parser)]
#[command(name = "sundarban", version, after_help = EXAMPLES)]
struct Cli {
    #[command(subcommand)]
    command: Option<CliCommand>,
    /// Log to standard error what the session or a match reads and writes, with the seconds since the start (-v), or everything (-vv); RUST_LOG sets levels for single modules
    #[arg(short, long, action = clap::ArgAction::Count, global = true)]
    verbose: u8,
    /// The game's name as some tournament managers give it to every engine; the rules are chosen in the session.
    #[arg(long, hide = true)]
    game: Option<String>,
}

const EXAMPLES: &str = "\
Examples:
  sundarban                                  open a session
  printf 'go depth 12\\n' | sundarban         search the start position
  sundarban gtp --level 5                    play on GoGui's board
  sundarban analyze --fen startpos           find the best move of a position, or of many
  sundarban show --moves c2b2                draw a position
  sundarban annotate --fen '1. e5; b4'       judge the moves of a game
  sundarban perft --rules super --depth 6    count the leaves six plies ahead
  sundarban bench                            measure the search

Exit codes: 0 done, 1 failed, 2 bad usage, 130 a match that was interrupted.";

const TABLES_EXAMPLES: &str = "\
Examples:
  sundarban tables build --dir tables --max-goats 6 --herds 1
  sundarban tables probe --dir tables '5/2A1A/1t1t1/5/5 w'";

#[derive(Subcommand)]
enum CliCommand {
    /// Hold a session: UCI and UGI over standard input and output (the same as no command)
    #[command(after_help = "Example:\n  printf 'position startpos moves c2b2\\ngo depth 10\\n' | sundarban uci")]
    Uci,
    /// Play by GTP, with the extension by which GoGui shows the board
    Gtp(GtpArgs),
    /// Find the values and best lines of positions and games, one result a line
    Analyze(Box<AnalyzeArgs>),
    /// Score the engine on positions with known best moves
    Suite(Box<SuiteArgs>),
    /// Turn games and positions from any form into another: records, moves, positions, match records
    Convert(ConvertArgs),
    /// List the legal moves of positions
    Moves(MovesArgs),
    /// Show the static evaluation of positions, and what it is made of
    Eval(EvalArgs),
    /// Make random legal positions or games
    Random(RandomArgs),
    /// Draw a position: in the terminal, or as an SVG picture
    Show(ShowArgs),
    /// Judge each move of a game, with what was better, and how well both sides played
    Annotate(Box<AnnotateArgs>),
    /// Count the leaves of the game tree, the test of the rules and their speed
    Perft(PerftArgs),
    /// Search a fixed set of positions over all rule sets and count the nodes
    Bench(BenchArgs),
    /// Play a tournament between engines that speak the session protocol
    Match(Box<MatchArgs>),
    /// Solve positions exactly, and check, count and ask what was solved
    #[command(subcommand, after_help = TABLES_EXAMPLES)]
    Tables(TablesCommand),
    /// Train a network on samples of solved positions
    Train(TrainArgs),
}

/// Runs the program with the process's arguments.
///
/// Returns its exit code: 0 done, 1 failed, 2 bad usage, 130 interrupted.
pub fn run() -> ExitCode {
    match platform::missing_feature() {
        None => run_here(),
        Some(feature) => refuse_processor(feature),
    }
}

/// Says that the program is built for another processor. Nothing here is formatted: that may already need what is missing.
#[cold]
#[inline(never)]
fn refuse_processor(feature: &str) -> ExitCode {
    let mut errors = io::stderr();
    for piece in ["error: this program is built for a processor with ", feature, ", which this one lacks\n"] {
        // If standard error is closed, the exit code has to do.
        let _ = errors.write_all(piece.as_bytes());
    }
    ExitCode::FAILURE
}

/// Runs the program on a processor that it is built for.
#[inline(never)]
fn run_here() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(answer) => return answered(&answer),
    };
    let configured = match &cli.command {
        Some(CliCommand::Match(args)) => args.configured_verbosity(),
        _ => 0,
    };
    logging::start(cli.verbose.saturating_add(configured));
    match run_command(cli.command.unwrap_or(CliCommand::Uci)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => failed(&error),
    }
}

/// Prints the help, the version, or what is wrong with the arguments.
fn answered(answer: &clap::Error) -> ExitCode {
    let printed = answer.print().and_then(|()| io::stdout().flush());
    match printed {
        Err(error) if !answer.use_stderr() => failed(&error.into()),
        // If standard error is closed, the exit code has to do.
        _ => ExitCode::from(if answer.use_stderr() { BAD_USAGE } else { 0 }),
    }
}

/// Says why a command has failed, and returns its exit code.
fn failed(error: &CliError) -> ExitCode {
    if !matches!(error, CliError::Closed | CliError::Interrupted) {
        // If standard error is closed as well, the exit code has to do.
        let _ = writeln!(io::stderr(), "error: {error}");
    }
    ExitCode::from(error.exit_code())
}

fn run_command(command: CliCommand) -> Result<(), CliError> {
    match command {
        CliCommand::Uci => uci::run(BufReader::new(io::stdin()), io::stdout()).map_err(CliError::from),
        CliCommand::Gtp(args) => gtp::run(&args),
        CliCommand::Analyze(args) => analyze::run(&args),
        CliCommand::Suite(args) => suite::run(&args),
        CliCommand::Convert(args) => convert::run(&args),
        CliCommand::Moves(args) => moves::run(&args),
        CliCommand::Eval(args) => eval::run(&args),
        CliCommand::Random(args) => random::run(&args),
        CliCommand::Show(args) => show::run(&args),
        CliCommand::Annotate(args) => annotate::run(&args),
        CliCommand::Perft(args) => perft::run(&args),
        CliCommand::Bench(args) => bench::run(&args),
        CliCommand::Match(args) => r#match::run(*args),
        CliCommand::Tables(command) => tables::run(command),
        CliCommand::Train(args) => train::run(&args),
    }
}
