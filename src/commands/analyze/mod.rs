//! `sundarban analyze`: positions and games in, values and best lines out.

mod report;

use crate::commands::analyser::{AnalyserArgs, PositionAnalyser};
use crate::commands::args::{InputArgs, InputTally};
use crate::commands::engine_args::LimitsArgs;
use crate::commands::error::CliError;
use crate::engine::Engine;
use crate::game::Game;
use crate::notation::TextError;
use crate::notation::reader::{InputItem, Location};
use crate::parallel;
use crate::search::limits::Limits;
use clap::Args;
use report::{Report, ReportFormat};
use std::io::{self, Write};

/// Nodes of a search where no limit is given.
const DEFAULT_NODES: u64 = 1_000_000;

const EXAMPLES: &str = "\
Examples:
  echo startpos | sundarban analyze --depth 8
  sundarban analyze --fen '4A/2E1D/1t1t1/2E1E/5 b' --multipv 3 --nodes 10000
  printf 'super\\t1. e5; b4 2. e4-e3\\n' | sundarban analyze --all --depth 6 --format json
  sundarban random --count 100 | sundarban analyze --nodes 1000 --jobs 2 --format csv

What can't be read gives a record that says what was found and expected, and where; the rest goes on, and the exit code
is 1 in the end. protocol.md describes what is read and what is printed.";

/// Options of `analyze`.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct AnalyzeArgs {
    #[command(flatten)]
    input: InputArgs,
    /// Every position of a game from its start on, instead of its last one
    #[arg(long)]
    all: bool,
    #[command(flatten)]
    limits: LimitsArgs,
    /// Best lines for each position, each in a record of its own
    #[arg(long, value_name = "N", default_value_t = 1, allow_negative_numbers = true, value_parser = clap::value_parser!(u16).range(1..=500))]
    multipv: u16,
    #[command(flatten)]
    analyser: AnalyserArgs,
    /// How results are printed
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    format: ReportFormat,
}

/// Analyses the positions and games of the input, several side by side, and prints their reports in the input's order.
///
/// # Errors
/// If the options are wrong, something could not be read, or the output fails.
pub fn run(args: &AnalyzeArgs) -> Result<(), CliError> {
    let settings = args.analyser.settings(u64::from(args.multipv))?;
    // What is wrong with the options is said once, not for every position.
    Engine::new(settings.options.clone())?.threads_note().iter().for_each(|note| log::warn!("{note}"));
    let (format, is_every, limits) = (args.format, args.all, args.limits.limits(DEFAULT_NODES));
    let mut tally = InputTally::default();
    let mut out = io::stdout();
    print(&mut out, &format.heading())?;
    let tasks = args.input.items().flat_map(move |item| GamePositions::of(item, is_every));
    let job = move || {
        let (mut analyser, limits) = (PositionAnalyser::new(settings.clone()), limits.clone());
        move |task: Result<PlacedGame, TextError>| {
            let report = task.and_then(|task| task.report(&mut analyser, &limits));
            (report.is_err(), format.lines(&report))
        }
    };
    parallel::map_in_order(args.analyser.jobs(), tasks, job, |ready| {
        let mut text = String::new();
        for (is_fault, lines) in ready {
            tally.count(is_fault);
            text += &lines;
        }
        print(&mut out, &text)
    })?;
    tally.conclude()
}

fn print(out: &mut impl Write, text: &str) -> io::Result<()> {
    out.write_all(text.as_bytes())?;
    out.flush()
}

/// A game whose last position is to be analysed, and where it was read.
struct PlacedGame {
    place: Location,
    game: Game,
}

impl PlacedGame {
    fn report(self, analyser: &mut PositionAnalyser, limits: &Limits) -> Result<Report, TextError> {
        match analyser.analyse(&self.game, limits) {
            Ok(analysed) => Ok(Report { place: self.place, ply: self.game.moves().len(), analysed }),
            Err(message) => Err(self.place.error(message)),
        }
    }
}

/// The positions of a game that are to be analysed, one after another; or what could not be read.
enum GamePositions {
    TextError(Option<TextError>),
    Game {
        place: Location,
        whole: Game,
        /// The plies after which positions are still to come.
        next: std::ops::RangeInclusive<usize>,
        /// The game up to the position before.
        begun: Game,
    },
}

impl GamePositions {
    fn of(item: Result<InputItem, TextError>, is_every: bool) -> Self {
        match item {
            Err(fault) => Self::TextError(Some(fault)),
            Ok(item) => {
                let (place, whole) = (item.place, item.record.game);
                let plies = whole.moves().len();
                let next = if is_every { 0..=plies } else { plies..=plies };
                Self::Game { place, begun: Game::new(*whole.start()), whole, next }
            }
        }
    }
}

impl Iterator for GamePositions {
    type Item = Result<PlacedGame, TextError>;

    fn next(&mut self) -> Option<Self::Item> {
        match self {
            Self::TextError(fault) => fault.take().map(Err),
            Self::Game { place, whole, next, begun } => {
                let plies = next.next()?;
                let played = begun.moves().len();
                whole.moves().get(played..plies).unwrap_or_default().iter().for_each(|mv| begun.play(*mv));
                Some(Ok(PlacedGame { place: place.clone(), game: begun.clone() }))
            }
        }
    }
}
