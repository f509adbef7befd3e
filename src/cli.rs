//! The command line: a thin layer of options over the library.

use crate::analysis::ScriptError;
use crate::analysis::analyze::{self, AnalyzeArgs};
use crate::analysis::convert::{self, ConvertArgs};
use crate::analysis::inspect::{self, EvalArgs, MovesArgs};
use crate::analysis::options::number;
use crate::analysis::random::{self, RandomArgs};
use crate::annotate_command::{self, AnnotateArgs};
use crate::bench;
use crate::engine::Engine;
use crate::gtp::{self, LEVELS, Strength};
use crate::notation::fen::{self, Fen};
use crate::perft::{MAX_DEPTH, Perft};
use crate::position::{MAX_QUIET_PLIES, Position};
use crate::rules::RuleSet;
use crate::search::limits::Control;
use crate::session;
use crate::show_command::{self, ShowArgs};
use crate::table_commands::{self, TablesCommand, TablesError};
use crate::tournament::options::MatchArgs;
use crate::tournament::{self, MatchError};
use clap::{Args, Parser, Subcommand};
use log::LevelFilter;
use std::io::{self, BufReader, Write};
use std::process::ExitCode;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

/// An engine for Bagh Bandi, the tiger hunt of Lower Bengal.
///
/// Without a command it opens a session: UCI and UGI over standard input and output, for board programs, tournament
/// managers and scripts. protocol.md describes it.
#[derive(Parser)]
#[command(name = "sundarban", version, after_help = EXAMPLES)]
struct Cli {
    #[command(subcommand)]
    command: Option<Command>,
    /// Log to standard error what the session reads and writes (-v), or everything (-vv); RUST_LOG says it finer.
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

Exit codes: 0 done, 1 failed, 2 bad usage.";

const TABLES_EXAMPLES: &str = "\
Examples:
  sundarban tables build --dir tables --max-goats 6 --herds 1
  sundarban tables probe --dir tables '5/2A1A/1t1t1/5/5 w'";

#[derive(Subcommand)]
enum Command {
    /// Hold a session: UCI and UGI over standard input and output (the same as no command)
    #[command(after_help = "Example:\n  printf 'position startpos moves c2b2\\ngo depth 10\\n' | sundarban uci")]
    Uci,
    /// Play by GTP, with the extension by which GoGui shows the board
    Gtp(GtpArgs),
    /// Find the values and best lines of positions and games, one result a line
    Analyze(Box<AnalyzeArgs>),
    /// Turn games and positions from any form into another: records, moves, positions, match records
    Convert(ConvertArgs),
    /// List the legal moves of positions
    Moves(MovesArgs),
    /// Show the static evaluation of positions term by term
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
}

#[derive(Args)]
#[command(after_help = "Example:\n  sundarban perft --rules baghguti --depth 4 --divide")]
struct PerftArgs {
    /// Rule set; protocol.md lists them, and so does a wrong name
    #[arg(long, value_name = "NAME", default_value = "baghbandi", value_parser = RuleSet::parse)]
    rules: &'static RuleSet,
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

#[derive(Args)]
#[command(
    after_help = "Example:\n  sundarban bench --depth 10\n\nThe last line is '<n> nodes <m> nps'; n is the same \
    on every machine and every run."
)]
struct BenchArgs {
    /// Depth of the searches in plies
    #[arg(long, value_name = "PLIES", default_value_t = bench::DEFAULT_DEPTH, allow_negative_numbers = true, value_parser = clap::value_parser!(u32).range(1..))]
    depth: u32,
}

#[derive(Args)]
#[command(after_help = "Examples:\n  gogui -program \"sundarban gtp --level 5\"\n  \
    printf 'genmove w\\ngenmove w\\nshowboard\\n' | sundarban gtp --rules super --movetime 500")]
struct GtpArgs {
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

/// Why a command did not do what it was asked.
enum Failure {
    /// It was asked wrongly: exit code 2.
    Usage(String),
    /// It was asked rightly and failed: exit code 1.
    Work(String),
    /// Nobody reads the output any more, which is no failure: in a pipe the one that reads says when it has enough.
    Closed,
}

impl From<ScriptError> for Failure {
    fn from(error: ScriptError) -> Self {
        match error {
            ScriptError::Usage(message) => Self::Usage(message),
            ScriptError::Work(message) => Self::Work(message),
            ScriptError::Closed => Self::Closed,
        }
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        ScriptError::from(error).into()
    }
}

impl From<MatchError> for Failure {
    fn from(error: MatchError) -> Self {
        match error {
            MatchError::Usage(message) => Self::Usage(message),
            MatchError::Work(message) => Self::Work(message),
        }
    }
}

impl From<TablesError> for Failure {
    fn from(error: TablesError) -> Self {
        match error {
            TablesError::Usage(message) => Self::Usage(message),
            TablesError::Work(message) => Self::Work(message),
            TablesError::Closed => Self::Closed,
        }
    }
}

/// Runs the program with the process's arguments.
///
/// Returns its exit code: 0 done, 1 failed, 2 bad usage.
pub fn run() -> ExitCode {
    let cli = Cli::parse();
    let configured = match &cli.command {
        Some(Command::Match(args)) => args.configured_verbosity(),
        _ => 0,
    };
    start_logging(cli.verbose.saturating_add(configured));
    let done = match cli.command.unwrap_or(Command::Uci) {
        Command::Uci => session::run(BufReader::new(io::stdin()), io::stdout()).map_err(Failure::from),
        Command::Gtp(args) => play_gtp(&args),
        Command::Analyze(args) => analyze::run(&args).map_err(Failure::from),
        Command::Convert(args) => convert::run(&args).map_err(Failure::from),
        Command::Moves(args) => inspect::moves(&args).map_err(Failure::from),
        Command::Eval(args) => inspect::eval(&args).map_err(Failure::from),
        Command::Random(args) => random::run(&args).map_err(Failure::from),
        Command::Show(args) => show_command::run(&args).map_err(Failure::from),
        Command::Annotate(args) => annotate_command::run(&args).map_err(Failure::from),
        Command::Perft(args) => perft(&args),
        Command::Bench(args) => run_bench(&args),
        Command::Match(args) => tournament::run(*args).map_err(Failure::from),
        Command::Tables(command) => table_commands::run(command).map_err(Failure::from),
    };
    let (code, message) = match done {
        Ok(()) | Err(Failure::Closed) => return ExitCode::SUCCESS,
        Err(Failure::Work(message)) => (1, message),
        Err(Failure::Usage(message)) => (2, message),
    };
    // If standard error is closed as well, the exit code has to do.
    let _ = writeln!(io::stderr(), "error: {message}");
    ExitCode::from(code)
}

fn start_logging(verbose: u8) {
    let level = match verbose {
        0 => LevelFilter::Warn,
        1 => LevelFilter::Debug,
        _ => LevelFilter::Trace,
    };
    env_logger::Builder::new().filter_level(level).parse_default_env().init();
}

fn play_gtp(args: &GtpArgs) -> Result<(), Failure> {
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
            engine.set_option(name, value.as_deref()).map_err(Failure::Usage)?;
        }
    }
    if let Some(note) = engine.open_tables() {
        if engine.tables().is_none() {
            return Err(Failure::Usage(format!("--tables: {note}")));
        }
        log::info!("{note}");
    }
    let strength = Strength { level: args.level, move_time: args.movetime.map(Duration::from_millis) };
    gtp::run(engine, strength, BufReader::new(io::stdin()), io::stdout())?;
    Ok(())
}

fn perft(args: &PerftArgs) -> Result<(), Failure> {
    let position = match &args.fen {
        None => Position::start(args.rules),
        Some(text) => fen::parse(args.rules, text).map_err(|error| Failure::Usage(format!("--fen: {error}")))?,
    };
    let never = AtomicBool::new(false);
    let mut perft = Perft::new(args.hash, &never)
        .map_err(|error| Failure::Work(format!("no table of {} MB: {error}", args.hash)))?;
    let mut out = io::stdout().lock();
    writeln!(out, "{} {}", args.rules.name, Fen(&position))?;
    if args.divide && args.depth > 0 {
        let mut rows = Vec::new();
        perft.divide(&position, args.depth, |mv, count| rows.push((mv, count)));
        rows.iter().try_for_each(|(mv, count)| writeln!(out, "{mv}: {count}"))?;
    }
    for depth in 0..=args.depth {
        let began = Instant::now();
        let Some(leaves) = perft.count(&position, depth) else { break };
        let seconds = began.elapsed().as_secs_f64().max(1e-6);
        let millions = leaves as f64 / seconds / 1e6;
        writeln!(out, "depth {depth}: {leaves} leaves in {seconds:.3} s, {millions:.1} million a second")?;
    }
    Ok(())
}

fn run_bench(args: &BenchArgs) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    let mut unheard = None;
    let sum = bench::run(args.depth, &Control::default(), |row| {
        writeln!(out, "{row}").map_err(|error| {
            unheard = Some(error.kind());
            error
        })
    });
    if let Some(kind) = unheard {
        return Err(io::Error::from(kind).into());
    }
    let sum = sum.map_err(Failure::Work)?;
    writeln!(out, "{} nodes {} nps", sum.nodes, sum.nodes_per_second())?;
    Ok(())
}
