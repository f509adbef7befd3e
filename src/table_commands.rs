//! The commands of `sundarban tables`: build, verify, inspect and ask endgame tables.

use crate::notation::fen::{self, Fen};
use crate::position::Position;
use crate::rules::{GOATS, HERDS, RuleSet, Side};
use crate::tables::build::{BuildError, Plan, Progress, build};
use crate::tables::layer::Layer;
use crate::tables::probe::Table;
use crate::tables::verify::{Counts, count, verify};
use crate::tables::{OpenError, Tables, Verdict};
use clap::{Args, Subcommand};
use std::io::{self, Write};
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// Shortest time between two progress lines.
const PROGRESS_EVERY: Duration = Duration::from_secs(1);

/// Sweeps that a layer takes, by which an unfinished one is guessed to be partly solved.
const USUAL_SWEEPS: f64 = 66.0;

/// What to do with tables.
#[derive(Subcommand)]
pub enum TablesCommand {
    /// Solve positions, layer by layer; an interrupted build goes on where it was
    Build(BuildArgs),
    /// Check the files, and every value against those of the moves
    Verify(VerifyArgs),
    /// Count wins, draws and losses by side to move and goats
    Stat(StatArgs),
    /// Give a position's value and each move's
    Probe(ProbeArgs),
}

/// Where the tables are.
#[derive(Args)]
pub struct Place {
    /// Rule set; there are no tables of those played for points
    #[arg(long, value_name = "NAME", default_value = "baghbandi", value_parser = RuleSet::parse)]
    rules: &'static RuleSet,
    /// Folder of the tables
    #[arg(long, value_name = "DIR")]
    dir: PathBuf,
}

/// Options of `tables build`.
#[derive(Args)]
#[command(
    after_help = "Example:\n  sundarban tables build --dir tables --max-goats 6 --herds 1\n\nThe same files come \
    of any number of threads. All positions without a herd (20 goats) take 1.3 GB of disk at most and 2.6 GB of memory."
)]
pub struct BuildArgs {
    #[command(flatten)]
    place: Place,
    /// Most goats in a position, those in herds included
    #[arg(long, value_name = "N", default_value_t = GOATS, value_parser = clap::value_parser!(u32).range(..=i64::from(GOATS)))]
    max_goats: u32,
    /// Most herds of two goats or more in a position
    #[arg(long, value_name = "N", default_value_t = HERDS as u8, value_parser = clap::value_parser!(u8).range(..=HERDS as i64))]
    herds: u8,
    /// Memory that may be used, in gigabytes
    #[arg(long, value_name = "GB", default_value_t = 8.0)]
    memory: f64,
    /// Threads
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: u16,
}

/// Options of `tables verify`.
#[derive(Args)]
#[command(
    after_help = "Example:\n  sundarban tables verify --dir tables --sample 100000\n\nA block that can't be read \
    or a wrong value ends it with exit code 1."
)]
pub struct VerifyArgs {
    #[command(flatten)]
    place: Place,
    /// Positions of each layer to look at, evenly spaced, instead of all; checksums are always all read
    #[arg(long, value_name = "N")]
    sample: Option<u64>,
    /// Threads
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: u16,
}

/// Options of `tables stat`.
#[derive(Args)]
#[command(after_help = "Example:\n  sundarban tables stat --dir tables")]
pub struct StatArgs {
    #[command(flatten)]
    place: Place,
}

/// Options of `tables probe`.
#[derive(Args)]
#[command(after_help = "Example:\n  sundarban tables probe --dir tables '5/2A1A/1t1t1/5/5 w'")]
pub struct ProbeArgs {
    #[command(flatten)]
    place: Place,
    /// Position text; protocol.md describes it
    #[arg(value_name = "FEN")]
    position: String,
}

/// Why a command has failed.
pub enum TablesError {
    /// It was asked wrongly.
    Usage(String),
    /// It was asked rightly and failed.
    Work(String),
}

impl From<OpenError> for TablesError {
    fn from(error: OpenError) -> Self {
        match error {
            OpenError::Scored(_) => Self::Usage(error.to_string()),
            OpenError::Folder(..) | OpenError::Nothing(..) => Self::Work(error.to_string()),
        }
    }
}

impl From<BuildError> for TablesError {
    fn from(error: BuildError) -> Self {
        match error {
            BuildError::Open(error) => error.into(),
            error => Self::Work(error.to_string()),
        }
    }
}

impl From<io::Error> for TablesError {
    fn from(error: io::Error) -> Self {
        Self::Work(error.to_string())
    }
}

/// Runs a command.
///
/// # Errors
/// Says why it failed, and whether it was asked wrongly.
pub fn run(command: TablesCommand) -> Result<(), TablesError> {
    match command {
        TablesCommand::Build(args) => run_build(args),
        TablesCommand::Verify(args) => run_verify(&args),
        TablesCommand::Stat(args) => run_stat(&args),
        TablesCommand::Probe(args) => run_probe(&args),
    }
}

/// Writes progress lines to standard error, not too many.
struct Reporter {
    began: Instant,
    last: Option<Instant>,
}

impl Reporter {
    fn report(&mut self, progress: &Progress) {
        if !progress.is_finished && self.last.is_some_and(|last| last.elapsed() < PROGRESS_EVERY) {
            return;
        }
        self.last = Some(Instant::now());
        let seconds = self.began.elapsed().as_secs_f64().max(1e-6);
        let ((done, all), (sweeps, changed)) = (progress.layers, progress.sweeps);
        let (mut solved, total) = progress.positions;
        if !progress.is_finished {
            let share = (f64::from(sweeps) / USUAL_SWEEPS).min(0.95);
            solved += (progress.size as f64 * share) as u64;
        }
        let rate = (solved as f64 / seconds).max(1.0);
        let left = total.saturating_sub(solved) as f64 / rate;
        let state = if progress.is_finished { "done".to_owned() } else { format!("sweep {sweeps}, {changed} blocks") };
        // Progress is for those who look; nobody does if standard error is closed.
        let _ = writeln!(
            io::stderr(),
            "{done}/{all} layers, {}: {state}; {solved} of {total} positions in {seconds:.1} s, {:.2} million a second, \
             {left:.0} s left",
            progress.layer,
            rate / 1e6
        );
    }
}

fn run_build(args: BuildArgs) -> Result<(), TablesError> {
    if !(args.memory > 0.0 && args.memory <= 1e6) {
        return Err(TablesError::Usage(format!("--memory: found {}, expected a number above 0", args.memory)));
    }
    let plan = Plan {
        rules: args.place.rules,
        dir: args.place.dir,
        goats: args.max_goats,
        herds: usize::from(args.herds),
        memory: (args.memory * f64::from(1 << 30)) as u64,
        threads: usize::from(args.threads),
    };
    let mut reporter = Reporter { began: Instant::now(), last: None };
    build(&plan, |progress| reporter.report(progress))?;
    let layers = Layer::all(plan.herds, plan.goats).len();
    writeln!(io::stdout(), "{layers} layers of {} with at most {} goats", plan.rules.name, plan.goats)?;
    Ok(())
}

fn open(place: &Place, cache: usize) -> Result<Tables, TablesError> {
    Ok(Tables::with_cache(&place.dir, place.rules, cache)?)
}

fn name(tables: &Tables, table: &Table) -> String {
    format!("{}-{}", tables.rules().name, table.layout().layer())
}

fn run_verify(args: &VerifyArgs) -> Result<(), TablesError> {
    let tables = open(&args.place, 512)?;
    let mut faults = tables.unsound().len();
    let mut out = io::stdout().lock();
    for table in tables.layers() {
        let began = Instant::now();
        match verify(&tables, table, args.sample, usize::from(args.threads)) {
            Ok(verified) => {
                let rate = verified.checked as f64 / began.elapsed().as_secs_f64().max(1e-6) / 1e6;
                let (layer, checked, wrong) = (name(&tables, table), verified.checked, verified.wrong);
                writeln!(out, "{layer}: {checked} positions, {wrong} wrong, {rate:.2} million a second")?;
                if let Some(position) = verified.example {
                    writeln!(out, "  for example {}", Fen(&position))?;
                }
                faults += usize::from(wrong > 0);
            }
            Err(error) => {
                writeln!(out, "{}: {error}", name(&tables, table))?;
                faults += 1;
            }
        }
    }
    if faults > 0 { Err(TablesError::Work(format!("tables with faults: {faults}"))) } else { Ok(()) }
}

fn run_stat(args: &StatArgs) -> Result<(), TablesError> {
    let tables = open(&args.place, 1)?;
    let mut sum = [[Counts::default(); GOATS as usize + 1]; 2];
    let (mut layers, mut positions) = (0, 0);
    for table in tables.layers() {
        let counts = count(table).map_err(|error| TablesError::Work(format!("{}: {error}", name(&tables, table))))?;
        for (sum, counts) in sum.iter_mut().flatten().zip(counts.iter().flatten()) {
            sum.iter_mut().zip(counts).for_each(|(sum, count)| *sum += count);
        }
        layers += 1;
        positions += table.layout().positions();
    }
    let mut out = io::stdout().lock();
    writeln!(out, "{}: {layers} layers, {positions} positions", tables.rules().name)?;
    writeln!(out, "{:>5} {:>5} {:>14} {:>14} {:>14}", "side", "goats", "won", "drawn", "lost")?;
    for (side, counts) in [Side::White, Side::Black].into_iter().zip(&sum) {
        for (goats, [won, drawn, lost]) in counts.iter().enumerate() {
            if won + drawn + lost > 0 {
                writeln!(out, "{:>5} {goats:>5} {won:>14} {drawn:>14} {lost:>14}", side.letter())?;
            }
        }
    }
    Ok(())
}

fn run_probe(args: &ProbeArgs) -> Result<(), TablesError> {
    let position = fen::parse(args.place.rules, &args.position)
        .map_err(|error| TablesError::Usage(format!("position: {error}")))?;
    let tables = open(&args.place, 4)?;
    let value = |position: &Position| tables.probe(position);
    let Some(verdict) = value(&position) else {
        return Err(TablesError::Work(format!("no table has {}", Fen(&position))));
    };
    let mut out = io::stdout().lock();
    writeln!(out, "{} {verdict}", Fen(&position))?;
    let mut moves = position.legal_moves();
    moves.sort_by_cached_key(ToString::to_string);
    for mv in moves {
        match value(&position.play(mv)).map(Verdict::opposite) {
            Some(verdict) => writeln!(out, "{mv} {verdict}")?,
            None => writeln!(out, "{mv} unknown")?,
        }
    }
    Ok(())
}
