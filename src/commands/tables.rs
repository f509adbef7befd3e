//! `sundarban tables`: builds, plans, verifies, counts and probes endgame tables.

use crate::checksum::fnv1a_64;
use crate::commands::args::RulesArg;
use crate::commands::error::CliError;
use crate::commands::output::CommandOutput;
use crate::commands::sample::{self, SampleArgs};
use crate::notation::fen::Fen;
use crate::notation::reader::only_position;
use crate::position::Position;
use crate::rules::{GOATS, HERDS, RuleSet, Side};
use crate::tablebase::build::{BuildPlan, BuildProgress, build, in_bytes};
use crate::tablebase::embedded::EMBEDDED_GOATS;
use crate::tablebase::embedded::format::{self, MOST_GOATS};
use crate::tablebase::layer::Layer;
use crate::tablebase::probe::LayerTable;
use crate::tablebase::stats::{self, Counts};
use crate::tablebase::verify::verify;
use crate::tablebase::{Probe, TableValue, Tablebase};
use crate::text::{counted, quoted_path};
use clap::{Args, Subcommand};
use std::fmt::Write as _;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Shortest time between two progress lines.
const PROGRESS_EVERY: Duration = Duration::from_secs(1);

/// Plies that a goal takes, by which the done part of an unfinished one is estimated.
const USUAL_PLIES: f64 = 120.0;

/// The commands of `sundarban tables`.
#[derive(Subcommand)]
pub enum TablesCommand {
    /// Solve positions, layer by layer; an interrupted build goes on where it was
    Build(BuildArgs),
    /// Print a Makefile that builds the layers side by side, each by a job of its own
    Plan(PlanArgs),
    /// Check the files, and every value and distance against those of the moves
    Verify(VerifyArgs),
    /// Count wins, draws and losses by side to move and goats, with the longest of each
    Stat(StatArgs),
    /// Give a position's value and distance, and each move's
    Probe(ProbeArgs),
    /// Draw positions with their values in bulk, for training and measuring
    Sample(Box<SampleArgs>),
    /// Write the compact table of positions without a herd that is part of the program
    Embed(EmbedArgs),
}

/// `--rules` and `--dir`: the rule set and the folder of its tables.
#[derive(Args)]
#[command(mut_arg("rules", |arg| arg.help("Rule set")))]
pub struct FolderArgs {
    #[command(flatten)]
    pub rules: RulesArg,
    /// Folder of the tables
    #[arg(long, value_name = "DIR")]
    pub dir: PathBuf,
}

/// `--threads`: the threads of a build, a verification or a count.
#[derive(Args)]
pub struct TableThreadsArg {
    /// Threads
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub threads: u16,
}

/// The positions to solve, and what the build may use.
#[derive(Args)]
pub struct BuildLimitsArgs {
    /// Most goats in a position, those in herds included
    #[arg(long, value_name = "N", default_value_t = GOATS, value_parser = clap::value_parser!(u32).range(..=i64::from(GOATS)))]
    max_goats: u32,
    /// Most herds of two goats or more in a position
    #[arg(long, value_name = "N", default_value_t = HERDS as u8, value_parser = clap::value_parser!(u8).range(..=HERDS as i64))]
    herds: u8,
    /// Leave the distances out: quicker, and smaller files
    #[arg(long)]
    values_only: bool,
    /// Memory that may be used, in gigabytes
    #[arg(long, value_name = "GB", default_value_t = 12.0)]
    memory: f64,
    #[command(flatten)]
    threads: TableThreadsArg,
}

/// Options of `tables build`.
#[derive(Args)]
#[command(
    after_help = "Example:\n  sundarban tables build --dir tables --max-goats 6 --herds 1\n\nThe same files come \
    of any number of threads. With --max-goats 20 --herds 0 --values-only all positions without a herd are solved."
)]
pub struct BuildArgs {
    #[command(flatten)]
    folder: FolderArgs,
    #[command(flatten)]
    limits: BuildLimitsArgs,
    /// Only the layer with herds of these heights (0, or 2 to 5), those that it leads to being there
    #[arg(long, value_name = "HEIGHTS", value_parser = parse_layer, conflicts_with = "herds")]
    layer: Option<Layer>,
}

/// Options of `tables plan`.
#[derive(Args)]
#[command(
    after_help = "Example:\n  sundarban tables plan --dir tables --max-goats 6 --herds 1 > Makefile\n  make -j 2\n\n\
    The jobs may run on several machines that share the folder."
)]
pub struct PlanArgs {
    #[command(flatten)]
    folder: FolderArgs,
    #[command(flatten)]
    limits: BuildLimitsArgs,
}

/// Options of `tables verify`.
#[derive(Args)]
#[command(
    after_help = "Example:\n  sundarban tables verify --dir tables --sample 100000\n\nA block that can't be read \
    or a wrong value ends it with exit code 1."
)]
pub struct VerifyArgs {
    #[command(flatten)]
    folder: FolderArgs,
    /// Positions of each layer to look at, evenly spaced, instead of all; checksums are always all read
    #[arg(long, value_name = "N")]
    sample: Option<u64>,
    #[command(flatten)]
    threads: TableThreadsArg,
}

/// Options of `tables stat`.
#[derive(Args)]
#[command(after_help = "Example:\n  sundarban tables stat --dir tables")]
pub struct StatArgs {
    #[command(flatten)]
    folder: FolderArgs,
    #[command(flatten)]
    threads: TableThreadsArg,
}

/// Options of `tables probe`.
#[derive(Args)]
#[command(after_help = "Example:\n  sundarban tables probe --dir tables '5/2A1A/1t1t1/5/5 w'")]
pub struct ProbeArgs {
    #[command(flatten)]
    folder: FolderArgs,
    /// Position text (protocol.md describes it), or startpos
    #[arg(value_name = "FEN", num_args = 1.., required = true)]
    position: Vec<String>,
}

/// Options of `tables embed`.
#[derive(Args)]
#[command(
    after_help = "Example:\n  sundarban tables embed --dir tables --max-goats 2 --output baghbandi.endings\n\nThe tables \
    must have distances. What the file says of every position is compared with them before it is written. The program \
    takes its own from src/tablebase/embedded, where tables.md says how they were made."
)]
pub struct EmbedArgs {
    #[command(flatten)]
    folder: FolderArgs,
    /// Most goats in a position
    #[arg(long, value_name = "N", default_value_t = EMBEDDED_GOATS, value_parser = clap::value_parser!(u32).range(1..=i64::from(MOST_GOATS)))]
    max_goats: u32,
    /// File to write, '-' for standard output
    #[arg(long, value_name = "FILE")]
    output: PathBuf,
}

/// Runs a command.
///
/// # Errors
/// If the options are wrong, the tables can't be read, built or found sound, or the output fails.
pub fn run(command: TablesCommand) -> Result<(), CliError> {
    match command {
        TablesCommand::Build(args) => run_build(args),
        TablesCommand::Plan(args) => run_plan(args),
        TablesCommand::Verify(args) => run_verify(&args),
        TablesCommand::Stat(args) => run_stat(&args),
        TablesCommand::Probe(args) => run_probe(&args),
        TablesCommand::Sample(args) => sample::run(&args),
        TablesCommand::Embed(args) => run_embed(&args),
    }
}

/// The layer with these heights.
pub fn parse_layer(text: &str) -> Result<Layer, String> {
    let heights: Option<Vec<u8>> =
        text.chars().map(|letter| letter.to_digit(10).and_then(|digit| u8::try_from(digit).ok())).collect();
    let layer = heights.and_then(|heights| heights.try_into().ok()).and_then(Layer::new);
    layer.ok_or_else(|| "expected the heights of the four herds, each 0 or 2 to 5, as in 5023".to_owned())
}

/// Writes progress lines to standard error, one a second at most.
struct Reporter {
    began: Instant,
    last: Option<Instant>,
}

impl Reporter {
    fn report(&mut self, progress: &BuildProgress) {
        if !progress.is_finished && self.last.is_some_and(|last| last.elapsed() < PROGRESS_EVERY) {
            return;
        }
        self.last = Some(Instant::now());
        let seconds = self.began.elapsed().as_secs_f64().max(1e-6);
        let (done, all) = progress.layers;
        let solver = progress.solver;
        let (goal, goals) = solver.goals;
        let (mut solved, total) = progress.positions;
        let mut state = "done".to_owned();
        if !progress.is_finished {
            let goals_solved = goal as f64 + (f64::from(solver.ply) / USUAL_PLIES).min(0.95);
            solved += (progress.size as f64 * goals_solved / goals as f64) as u64;
            state = format!("question {} of {goals}, ply {}, {} found", goal + 1, solver.ply, solver.solved);
        }
        let rate = (solved as f64 / seconds).max(1.0);
        // At first nothing is known of the speed, and so of the time left.
        let left = match total.saturating_sub(solved) as f64 / rate {
            left if seconds >= 10.0 || progress.is_finished => format!(", {left:.0} s left"),
            _ => String::new(),
        };
        // Progress is for those who look; nobody does if standard error is closed.
        let _ = writeln!(
            io::stderr(),
            "{done}/{all} layers, {}: {state}; {solved} of {total} positions in {seconds:.1} s, {:.2} million a second{left}",
            progress.layer,
            rate / 1e6
        );
    }
}

fn plan_of(folder: FolderArgs, limits: &BuildLimitsArgs, layer: Option<Layer>) -> Result<BuildPlan, CliError> {
    if !(limits.memory > 0.0 && limits.memory <= 1e6) {
        return Err(CliError::Usage(format!("--memory: found {}, expected a number above 0", limits.memory)));
    }
    if let Some(layer) = layer.filter(|layer| layer.goats() > limits.max_goats) {
        return Err(CliError::Usage(format!(
            "--layer: found {layer}, which has {} goats, expected at most {} (see --max-goats)",
            layer.goats(),
            limits.max_goats
        )));
    }
    Ok(BuildPlan {
        rules: folder.rules.rules,
        dir: folder.dir,
        goats: limits.max_goats,
        herds: usize::from(limits.herds),
        layer,
        distances: !limits.values_only,
        memory: (limits.memory * f64::from(1 << 30)) as u64,
        threads: usize::from(limits.threads.threads),
    })
}

fn run_build(args: BuildArgs) -> Result<(), CliError> {
    let plan = plan_of(args.folder, &args.limits, args.layer)?;
    let mut reporter = Reporter { began: Instant::now(), last: None };
    build(&plan, |progress| reporter.report(progress)).map_err(|error| CliError::Work(error.to_string()))?;
    let layers = counted(plan.layers().len() as u64, "layer");
    writeln!(io::stdout(), "{layers} of {} with at most {}", plan.rules.name, counted(plan.goats, "goat"))?;
    Ok(())
}

fn run_plan(args: PlanArgs) -> Result<(), CliError> {
    let (rules, limits) = (args.folder.rules.rules, &args.limits);
    let plan = plan_of(args.folder, limits, None)?;
    let Some(dir) = plan.dir.to_str().filter(|dir| !dir.contains(['\n', '\r'])) else {
        let dir = quoted_path(&plan.dir);
        return Err(CliError::Usage(format!("--dir: found {dir}, expected text in one line")));
    };
    // What a shell and make read otherwise.
    let dir = format!("'{}'", dir.replace('\'', "'\\''")).replace('$', "$$");
    let name = |layer: Layer| format!("{}-{layer}", rules.name);
    let values_only = if limits.values_only { " --values-only" } else { "" };
    let (goats, memory, threads) = (limits.max_goats, limits.memory, limits.threads.threads);
    let layers = plan.layers();
    let names: String = layers.iter().map(|layer| format!(" \\\n  {}", name(*layer))).collect();
    let mut text = format!(
        "# Tables of {} with at most {goats} goats, {}: each layer is a job, after those it leads to.\n\
         # A job whose table is there and whole does nothing.\n\
         SUNDARBAN ?= sundarban\nOPTIONS ?= --memory {memory} --threads {threads}\n\nall:{names}\n\n.PHONY: all{names}\n",
        rules.name,
        counted(layers.len() as u64, "layer")
    );
    for layer in layers {
        let needs: String = plan.needs(layer).into_iter().map(|need| format!(" {}", name(need))).collect();
        let needed = in_bytes(plan.memory_for(layer));
        let what = format!("--rules {} --dir={dir} --max-goats {goats}{values_only} --layer {layer}", rules.name);
        let job = format!("{}:{needs}\n\t$(SUNDARBAN) tables build {what} $(OPTIONS)", name(layer));
        text += &format!("\n# {needed} of memory\n{job}\n");
    }
    io::stdout().write_all(text.as_bytes())?;
    Ok(())
}

fn open(dir: &Path, rules: &'static RuleSet, cache: usize) -> Result<Tablebase, CliError> {
    Tablebase::with_cache(dir, rules, cache).map_err(|error| CliError::Work(error.to_string()))
}

fn table_name(tables: &Tablebase, table: &LayerTable) -> String {
    format!("{}-{}", tables.rules().name, table.layout().layer())
}

fn run_verify(args: &VerifyArgs) -> Result<(), CliError> {
    let tables = open(&args.folder.dir, args.folder.rules.rules, 512)?;
    let mut faults = tables.unusable_layers().len();
    let mut out = io::stdout().lock();
    for table in tables.layers() {
        let began = Instant::now();
        match verify(&tables, table, args.sample, usize::from(args.threads.threads)) {
            Ok(verified) => {
                let rate = verified.checked as f64 / began.elapsed().as_secs_f64().max(1e-6) / 1e6;
                let (layer, checked, wrong) = (table_name(&tables, table), verified.checked, verified.wrong);
                writeln!(out, "{layer}: {checked} positions, {wrong} wrong, {rate:.2} million a second")?;
                if verified.unknown > 0 {
                    let count = verified.unknown;
                    writeln!(out, "  {count} can't be compared: tables that they lead to are missing or have less")?;
                }
                if let Some(position) = verified.example {
                    writeln!(out, "  for example {}", Fen(&position))?;
                }
                faults += usize::from(wrong + verified.unknown > 0);
            }
            Err(error) => {
                writeln!(out, "{}: {error}", table_name(&tables, table))?;
                faults += 1;
            }
        }
    }
    if faults > 0 { Err(CliError::Work(format!("tables with faults: {faults}"))) } else { Ok(()) }
}

fn run_stat(args: &StatArgs) -> Result<(), CliError> {
    let tables = open(&args.folder.dir, args.folder.rules.rules, 1)?;
    let counts = stats::count(&tables, usize::from(args.threads.threads))
        .map_err(|(layer, error)| CliError::Work(format!("{}-{layer}: {error}", tables.rules().name)))?;
    io::stdout().lock().write_all(statistics(&tables, &counts).as_bytes())?;
    match tables.unusable_layers().len() {
        0 => Ok(()),
        count => Err(CliError::Work(format!("tables that can't be used: {count}"))),
    }
}

/// The tables of `tables stat`.
fn statistics(tables: &Tablebase, counts: &Counts) -> String {
    let rules = tables.rules();
    let all: u64 = counts.positions.iter().flatten().flatten().sum();
    let bits = counts.bytes as f64 * 8.0 / all.max(1) as f64;
    let mut text = format!(
        "{}: {}, {all} positions ({} stored), {} bytes, {bits:.3} bits a position\n",
        rules.name,
        counted(tables.layers().count() as u64, "layer"),
        counts.stored,
        counts.bytes
    );
    let values: Vec<TableValue> = (0..1 << TableValue::digits(rules)).map(TableValue::from_class).collect();
    let wins: Vec<TableValue> = values.iter().copied().filter(|value| value.winner() == Some(Side::White)).collect();
    let wins = if rules.scored { wins } else { vec![TableValue::white(rules, GOATS)] };
    let white = |value: &TableValue| {
        if rules.scored { format!("White {}", value.points(rules)) } else { "White wins".to_owned() }
    };
    let _ = write!(text, "{:>4} {:>5} {:>14} {:>14}", "side", "goats", "Black wins", "drawn");
    wins.iter().for_each(|value| {
        let _ = write!(text, " {:>14}", white(value));
    });
    text += "\n";
    let rows = || [Side::White, Side::Black].into_iter().flat_map(|side| (0..=GOATS).map(move |goats| (side, goats)));
    for (side, goats) in rows() {
        let columns: Vec<u64> = [TableValue::BLACK, TableValue::DRAW]
            .iter()
            .chain(&wins)
            .map(|value| counts.of(side, goats, *value))
            .collect();
        if columns.iter().any(|count| *count > 0) {
            let _ = write!(text, "{:>4} {goats:>5}", side.letter());
            columns.iter().for_each(|count| {
                let _ = write!(text, " {count:>14}");
            });
            text += "\n";
        }
    }
    let mut longest = String::new();
    for (side, goats) in rows() {
        for winner in [Side::White, Side::Black] {
            if let Some(extreme) = counts.longest_of(side, goats, winner) {
                let _ = writeln!(
                    longest,
                    "{:>4} {goats:>5} {:>6} {:>5}  {}",
                    side.letter(),
                    winner.to_string(),
                    extreme.plies,
                    Fen(&extreme.position)
                );
            }
        }
    }
    if !longest.is_empty() {
        let _ =
            write!(text, "longest:\n{:>4} {:>5} {:>6} {:>5}  example\n{longest}", "side", "goats", "winner", "plies");
    }
    text
}

fn run_probe(args: &ProbeArgs) -> Result<(), CliError> {
    let position = only_position("FEN", &args.position.join(" "), args.folder.rules.rules).map_err(CliError::Usage)?;
    let tables = open(&args.folder.dir, position.rules(), 4)?;
    let Some(text) = probe_text(&tables, &position, position.side(), 0) else {
        return Err(CliError::Work(format!("no table has {}", Fen(&position))));
    };
    let mut out = io::stdout().lock();
    writeln!(out, "{} {text}", Fen(&position))?;
    let mut moves = position.legal_moves();
    moves.sort_by_cached_key(ToString::to_string);
    for mv in moves {
        let text = probe_text(&tables, &position.play(mv), position.side(), 1);
        writeln!(out, "{mv} {}", text.as_deref().unwrap_or("unknown"))?;
    }
    Ok(())
}

fn run_embed(args: &EmbedArgs) -> Result<(), CliError> {
    let tables = open(&args.folder.dir, args.folder.rules.rules, 64)?;
    let mut output = CommandOutput::to(Some(&args.output))?;
    let bytes = format::encode(&tables, args.max_goats).map_err(|error| CliError::Work(error.to_string()))?;
    output.add(&bytes)?;
    output.finish()?;
    let (goats, sum) = (counted(args.max_goats, "goat"), fnv1a_64(&bytes));
    // Told for those who look; nobody does if standard error is closed.
    let _ =
        writeln!(io::stderr(), "up to {goats} of {}: {} bytes, checksum {sum:016x}", tables.rules().name, bytes.len());
    Ok(())
}

/// What the tables say of a position: the value for a side, points where they are scored, and the distance in plies,
/// counted from `plies_before` plies before the position.
fn probe_text(tables: &Tablebase, position: &Position, side: Side, plies_before: u32) -> Option<String> {
    let Probe { value, plies } = tables.probe(position).ok()?;
    let mut text = value.wdl(side).to_string();
    if tables.rules().scored && value.winner().is_some() {
        let _ = write!(text, " {} points", value.points(tables.rules()));
    }
    if let Some(plies) = plies {
        let _ = write!(text, " in {}", plies + plies_before);
    }
    Some(text)
}
