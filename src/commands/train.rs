//! `sundarban train`: a network that tells how positions end, trained on samples of solved ones.

use crate::commands::args::number;
use crate::commands::error::CliError;
use crate::commands::sample::exclusion;
use crate::commands::tables::TableThreadsArg;
use crate::eval::network::{EncodedNetwork, Network, networks};
use crate::files::replace;
use crate::rules::{NETWORKS, RuleSet};
use crate::tablebase::sample::record::{PackedSample, SampleReader};
use crate::text::{counted, quoted_path};
use crate::training::model::{Model, Tally};
use crate::training::{SamplePart, TrainingPlan, TrainingProgress, TrainingSet, levels, measure, train};
use clap::Args;
use std::fs::File;
use std::io::{self, BufReader, Write};
use std::path::{Path, PathBuf};
use std::time::Instant;

const EXAMPLES: &str = "\
Examples:
  sundarban tables sample --dir tables --count 20000 --format binary --output labels.bin
  sundarban train --samples labels.bin --positions 100000 --output networks.bin

The file holds one network for each group of rule sets that share one; the one of the samples' rules is put in, the
others stay. The same samples, options and seed give the same bytes on every machine and with any number of threads.";

/// Options of `train`.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct TrainArgs {
    /// Samples from 'tables sample --format binary'; may be given several times
    #[arg(long, value_name = "FILE", required = true)]
    samples: Vec<PathBuf>,
    /// Leave out the positions of a file, and all that symmetries turn into one of them; may be given several times
    #[arg(long, value_name = "FILE")]
    exclude: Vec<PathBuf>,
    /// Samples to tell how well the network does on ones that it has not seen; may be given several times
    #[arg(long, value_name = "FILE")]
    check: Vec<PathBuf>,
    /// File of the network
    #[arg(long, value_name = "FILE")]
    output: PathBuf,
    /// File with a network to go on from, instead of random weights
    #[arg(long, value_name = "FILE")]
    from: Option<PathBuf>,
    /// Name of the network to go on from [default: the one that is trained]
    #[arg(long, value_name = "NAME", requires = "from")]
    from_name: Option<String>,
    /// Positions to go through; the samples are repeated when they run out
    #[arg(long, value_name = "N", default_value_t = 100_000_000, allow_negative_numbers = true, value_parser = number(1..=1 << 40))]
    positions: u64,
    /// Positions between two changes of the weights
    #[arg(long, value_name = "N", default_value_t = 4096, allow_negative_numbers = true, value_parser = number(1..=1 << 20))]
    batch: u64,
    /// Learning rate at its height, from where it falls evenly to 0
    #[arg(long, value_name = "RATE", default_value_t = 0.01, allow_negative_numbers = true, value_parser = parse_rate)]
    rate: f32,
    /// Random numbers begin with it
    #[arg(long, value_name = "N", default_value_t = 1, allow_negative_numbers = true, value_parser = number(0..=u64::MAX))]
    seed: u64,
    #[command(flatten)]
    threads: TableThreadsArg,
}

fn parse_rate(text: &str) -> Result<f32, String> {
    let rate = text.parse().ok().filter(|rate| (1e-9..=1.0).contains(rate));
    rate.ok_or_else(|| "expected a number above 0, at most 1".to_owned())
}

/// Trains a network and writes it; progress goes to standard error.
///
/// # Errors
/// If a file can't be read or written, is damaged, or is of rules with another network.
pub fn run(args: &TrainArgs) -> Result<(), CliError> {
    let set = load(&args.samples, &args.exclude)?;
    let Some(rules) = set.rules() else {
        return Err(CliError::Work("--samples: found no positions".to_owned()));
    };
    let check = load(&args.check, &[])?;
    let mut model = beginning(args, rules)?;
    let plan = TrainingPlan {
        count: args.positions,
        batch: args.batch as usize,
        rate: args.rate,
        seed: args.seed,
        threads: usize::from(args.threads.threads),
    };
    let began = Instant::now();
    train(&mut model, &set, plan, |progress| tell(progress, args.positions, began));
    let network = model.quantised();
    for (set, what) in [(&set, "the samples"), (&check, "those of --check")] {
        if !set.is_empty() {
            let tally = measure(&network, set, plan.threads);
            let _ = writeln!(io::stderr(), "right about {:.2} % of {what}", percent(tally));
        }
    }
    write(&args.output, &network)
}

const fn network_name(rules: &RuleSet) -> &'static str {
    #[allow(clippy::indexing_slicing)] // every rule set's network is one of these
    NETWORKS[rules.network]
}

/// The samples of files without those to leave out.
fn load(files: &[PathBuf], exclude: &[PathBuf]) -> Result<TrainingSet, CliError> {
    let mut set = TrainingSet::default();
    for path in files {
        let part = load_file(path, exclude)?;
        if set.rules().is_some_and(|rules| rules.network != part.rules.network) {
            let (name, first) = (part.rules.name, set.rules().map_or("", |rules| rules.name));
            let what = format!("{}: found samples of {name}, expected ones of {first}", quoted_path(path));
            return Err(CliError::Work(what));
        }
        set.add(part);
    }
    Ok(set)
}

fn load_file(path: &Path, exclude: &[PathBuf]) -> Result<SamplePart, CliError> {
    let fail = |error: &dyn std::fmt::Display| CliError::Work(format!("{}: {error}", quoted_path(path)));
    let file = File::open(path).map_err(|error| fail(&error))?;
    let reader = SampleReader::new(BufReader::with_capacity(1 << 20, file)).map_err(|error| fail(&error))?;
    let rules = reader.rules();
    let exclusion = exclusion(exclude, rules)?;
    let mut samples: Vec<PackedSample> = Vec::new();
    for (number, sample) in (1_u64..).zip(reader) {
        let sample = sample.map_err(|error| fail(&error))?;
        let Some(position) = sample.position(rules) else {
            return Err(fail(&format!("record {number} is no position of {}", rules.name)));
        };
        if !exclusion.has(&position) {
            samples.push(sample);
        }
    }
    Ok(SamplePart { rules, samples })
}

/// The model to begin with.
fn beginning(args: &TrainArgs, rules: &RuleSet) -> Result<Model, CliError> {
    let (name, levels) = (network_name(rules), levels());
    let Some(path) = &args.from else {
        return Ok(Model::random(name, levels, args.seed));
    };
    let from = args.from_name.as_deref().unwrap_or(name);
    let all = read(path)?;
    match all.iter().find(|network| network.name == from) {
        Some(network) => Ok(Model::from_network(network, name, levels)),
        None => Err(CliError::Work(format!("{}: found no network {from}", quoted_path(path)))),
    }
}

/// The networks of a file.
fn read(path: &Path) -> Result<Vec<Network>, CliError> {
    let fail = |error: &dyn std::fmt::Display| CliError::Work(format!("{}: {error}", quoted_path(path)));
    let bytes = std::fs::read(path).map_err(|error| fail(&error))?;
    let all = networks(&bytes).map_err(|error| fail(&error))?;
    all.iter().map(EncodedNetwork::decode).collect::<Result<_, _>>().map_err(|error| fail(&error))
}

fn tell(progress: TrainingProgress, all: u64, began: Instant) {
    let TrainingProgress { done, tally } = progress;
    let seconds = began.elapsed().as_secs_f64();
    let rate = done as f64 / seconds.max(1e-6);
    let left = all.saturating_sub(done) as f64 / rate;
    let loss = tally.loss / tally.samples.max(1) as f64;
    // Told for those who look; nobody does if standard error is closed.
    let _ = writeln!(
        io::stderr(),
        "{} in {seconds:.0} s, {left:.0} s left; loss {loss:.4}, right {:.2} %",
        counted(done, "position"),
        percent(tally)
    );
}

fn percent(tally: Tally) -> f64 {
    100.0 * tally.right as f64 / tally.samples.max(1) as f64
}

/// Puts a network into a file, in place of the one of its name.
fn write(path: &Path, network: &Network) -> Result<(), CliError> {
    let mut all = if path.exists() { read(path)? } else { Vec::new() };
    all.retain(|other| other.name != network.name);
    all.push(network.clone());
    all.sort_by_key(|network| NETWORKS.iter().position(|name| *name == network.name));
    let bytes: Vec<u8> = all.iter().flat_map(Network::encode).collect();
    replace(path, &bytes).map_err(|error| CliError::Work(format!("{}: {error}", quoted_path(path))))
}
