//! `sundarban tables sample`: labelled positions drawn out of solved tables, as text or in a compact binary form.

use crate::commands::args::{number, parse_range};
use crate::commands::error::CliError;
use crate::commands::output::CommandOutput;
use crate::commands::random::SideArg;
use crate::commands::tables::{FolderArgs, TableThreadsArg, parse_layer};
use crate::notation::fen::Fen;
use crate::notation::files::Files;
use crate::rules::{GOATS, RuleSet};
use crate::tablebase::layer::Layer;
use crate::tablebase::sample::exclusion::Exclusion;
use crate::tablebase::sample::record::{PackedSample, RECORD_BYTES, RecordSum, header};
use crate::tablebase::sample::{Sample, SampleCounts, SampleError, SamplePlan, SampleSource, sample};
use crate::tablebase::{Tablebase, Wdl};
use crate::text::counted;
use clap::{Args, ValueEnum};
use std::io::{self, Write};
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::time::Instant;

const EXAMPLES: &str = "\
Examples:
  sundarban tables sample --dir tables --count 5
  sundarban tables sample --dir tables --count 1000 --by goats --critical --exclude tests/data/values.tsv
  sundarban tables sample --dir tables --count 200 --format binary --output labels.bin

A line has rule set, position, value for the side to move (W, D, L), the moves that keep it ('-' without --moves), the
number of legal moves, the winner's points, and the plies to the end ('-' for none), with tabs between them; 'suite'
reads it. protocol.md describes the binary form. Positions are drawn without regard to --critical, --exclude and
whether the game is over, and then left out, so fewer are written; with --by games as many as wanted are written.";

/// Where positions come from.
#[derive(Copy, Clone, PartialEq, Eq, Debug, ValueEnum)]
enum SourceArg {
    /// Each position is as likely as any other
    Positions,
    /// As many from each layer's table, as far as it has them
    Layers,
    /// As many for each number of goats, as far as there are
    Goats,
    /// Positions that games come to, both sides playing simply and partly at random
    Games,
}

impl SourceArg {
    const fn source(self) -> SampleSource {
        match self {
            Self::Positions => SampleSource::Positions,
            Self::Layers => SampleSource::Layers,
            Self::Goats => SampleSource::Goats,
            Self::Games => SampleSource::Games,
        }
    }
}

/// How samples are written.
#[derive(Copy, Clone, PartialEq, Eq, Debug, ValueEnum)]
enum SampleFormat {
    /// A line for each
    Text,
    /// 8 bytes for each
    Binary,
}

/// Options of `tables sample`.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct SampleArgs {
    #[command(flatten)]
    folder: FolderArgs,
    /// How many positions to draw
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = number(0..=u64::MAX))]
    count: u64,
    /// Draws them; another seed gives other ones
    #[arg(long, value_name = "N", default_value_t = 1, allow_negative_numbers = true, value_parser = number(0..=u64::MAX))]
    seed: u64,
    /// How they are drawn
    #[arg(long, value_name = "SOURCE", default_value = "positions")]
    by: SourceArg,
    /// Goats alive: a number, or two as 3-6
    #[arg(long, value_name = "RANGE", allow_negative_numbers = true, value_parser = parse_range)]
    goats: Option<RangeInclusive<u32>>,
    /// Only layers with herds of these heights, or what symmetries make of them; may be given several times
    #[arg(long, value_name = "HEIGHTS", value_parser = parse_layer)]
    layer: Vec<Layer>,
    /// Side to move
    #[arg(long, value_name = "SIDE")]
    side: Option<SideArg>,
    /// Only positions in which some moves keep the value and some don't
    #[arg(long)]
    critical: bool,
    /// Find the moves that keep the value; --critical does it as well
    #[arg(long)]
    moves: bool,
    /// Write the positions after each of the moves instead, which --moves does not go with
    #[arg(long, conflicts_with = "moves")]
    children: bool,
    /// Leave out the positions of a file, and all that symmetries turn into one of them; may be given several times
    #[arg(long, value_name = "FILE")]
    exclude: Vec<PathBuf>,
    /// How they are written
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    format: SampleFormat,
    /// File to write, '-' for standard output
    #[arg(long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Megabytes for the blocks that --critical, --moves and --by games look up
    #[arg(long, value_name = "MB", default_value_t = 512, allow_negative_numbers = true, value_parser = number(1..=1 << 20))]
    cache: u64,
    #[command(flatten)]
    threads: TableThreadsArg,
}

/// Draws positions and writes them; how many, and how many were left out, is told of on standard error.
///
/// # Errors
/// If the options are wrong, a table is damaged, there are no positions, or the output fails.
pub fn run(args: &SampleArgs) -> Result<(), CliError> {
    let rules = args.folder.rules.rules;
    let goats = args.goats.clone().unwrap_or(0..=GOATS);
    if *goats.end() > GOATS {
        return Err(CliError::Usage(format!("--goats: found {}, expected at most {GOATS}", goats.end())));
    }
    let exclusion = exclusion(&args.exclude, rules)?;
    let tables = open(&args.folder.dir, rules, args.cache as usize)?;
    let plan = SamplePlan {
        tables: &tables,
        source: args.by.source(),
        count: args.count,
        seed: args.seed,
        goats,
        layers: args.layer.clone(),
        side: args.side.map(SideArg::side),
        finds_moves: args.moves,
        only_critical: args.critical,
        writes_children: args.children,
        exclusion,
        threads: usize::from(args.threads.threads),
    };
    let began = Instant::now();
    let counts = write(&plan, args.format, CommandOutput::to(args.output.as_deref())?)?;
    // Told for those who look; nobody does if standard error is closed.
    let _ = writeln!(io::stderr(), "{}", summary(counts, began.elapsed().as_secs_f64()));
    Ok(())
}

/// The tables, all of which must be usable.
fn open(dir: &Path, rules: &'static RuleSet, cache: usize) -> Result<Tablebase, CliError> {
    let tables = Tablebase::with_cache(dir, rules, cache).map_err(|error| CliError::Work(error.to_string()))?;
    match tables.unusable_layers() {
        [] => Ok(tables),
        layers => {
            let names: Vec<String> = layers.iter().map(|layer| format!("{}-{layer}", rules.name)).collect();
            Err(CliError::Work(format!("tables that can't be used: {}", names.join(", "))))
        }
    }
}

/// The positions of files, of games all of them.
pub fn exclusion(files: &[PathBuf], rules: &'static RuleSet) -> Result<Exclusion, CliError> {
    let mut exclusion = Exclusion::default();
    if !files.is_empty() {
        for item in Files::new(files.to_vec(), rules) {
            let item = item.map_err(|error| CliError::Work(format!("--exclude: {error}")))?;
            item.game().positions().for_each(|position| exclusion.add(position, rules));
        }
    }
    Ok(exclusion)
}

fn write(plan: &SamplePlan, format: SampleFormat, mut output: CommandOutput) -> Result<SampleCounts, CliError> {
    // A file is written even if no position passes.
    output.add("")?;
    let counts = match format {
        SampleFormat::Text => sample(plan, encode_text, |bytes| Ok::<_, CliError>(output.add(bytes)?))?,
        SampleFormat::Binary => {
            output.add(header(plan.rules()))?;
            let mut sum = RecordSum::default();
            let encode = |sample: &Sample, bytes: &mut Vec<u8>| {
                let record = PackedSample::new(&sample.position, sample.probe);
                bytes.extend(sample.first_error.map_or(record, |error| record.with_first_error(error)).bytes());
            };
            let counts = sample(plan, encode, |bytes| {
                bytes
                    .as_chunks::<RECORD_BYTES>()
                    .0
                    .iter()
                    .for_each(|record| sum.add(PackedSample::from_bytes(*record)));
                Ok::<_, CliError>(output.add(bytes)?)
            })?;
            output.add(sum.trailer())?;
            counts
        }
    };
    output.finish()?;
    Ok(counts)
}

fn encode_text(sample: &Sample, bytes: &mut Vec<u8>) {
    let (position, probe) = (&sample.position, sample.probe);
    let value = match probe.value.wdl(position.side()) {
        Wdl::Win => 'W',
        Wdl::Draw => 'D',
        Wdl::Loss => 'L',
    };
    let best = sample.moves.as_ref().map(|moves| moves.best.iter().map(ToString::to_string).collect::<Vec<_>>());
    let best = best.map_or("-".to_owned(), |best| best.join(" "));
    let legal = sample.moves.as_ref().map_or_else(|| position.legal_moves().len(), |moves| moves.legal);
    let (rules, points) = (position.rules(), probe.value.points(position.rules()));
    let plies = probe.plies.map_or("-".to_owned(), |plies| plies.to_string());
    // Writing to a vector can't fail.
    let _ = writeln!(bytes, "{}\t{}\t{value}\t{best}\t{legal}\t{points}\t{plies}", rules.name, Fen(position));
}

fn summary(counts: SampleCounts, seconds: f64) -> String {
    let mut text = format!("{} written", counted(counts.written, "position"));
    let left_out = [
        (counts.over, "over"),
        (counts.excluded, "excluded"),
        (counts.uncritical, "not critical"),
        (counts.unknown, "with moves to unknown positions"),
        (counts.missing, "wanted and not there"),
    ];
    for (count, why) in left_out.into_iter().filter(|(count, _)| *count > 0) {
        text += &format!(", {count} {why}");
    }
    let rate = counts.written as f64 / seconds.max(1e-6) / 1e6;
    text + &format!(" in {seconds:.1} s, {rate:.2} million a second")
}

impl From<SampleError> for CliError {
    fn from(error: SampleError) -> Self {
        Self::Work(error.to_string())
    }
}
