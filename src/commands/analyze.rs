//! `sundarban analyze`: positions and games in, values and best lines out.

use crate::commands::args::{InputArgs, InputTally, number};
use crate::commands::error::CliError;
use crate::commands::report::{Format, Report};
use crate::engine::analyst::{Analyst, Method};
use crate::engine::solved::{self, Warned};
use crate::game::Game;
use crate::notation::TextError;
use crate::notation::reader::{InputItem, Location};
use crate::pool;
use crate::position::MAX_QUIET_PLIES;
use crate::search::MAX_DEPTH;
use crate::search::limits::Limits;
use clap::Args;
use std::io::{self, Write};
use std::path::PathBuf;
use std::time::Duration;

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
    /// Most plies to search; limits combine, and the first one reached ends a search
    #[arg(long, value_name = "PLIES", allow_negative_numbers = true, value_parser = clap::value_parser!(u32).range(1..=i64::from(MAX_DEPTH)))]
    depth: Option<u32>,
    /// Most nodes for a position; 1000000 where no limit is given
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = number(1..=u64::MAX))]
    nodes: Option<u64>,
    /// Most milliseconds for a position
    #[arg(long, value_name = "MS", allow_negative_numbers = true, value_parser = number(0..=u64::MAX))]
    movetime: Option<u64>,
    /// Best lines for each position, each in a record of its own
    #[arg(long, value_name = "N", default_value_t = 1, allow_negative_numbers = true, value_parser = clap::value_parser!(u16).range(1..=500))]
    multipv: u16,
    /// Threads of a search; with one a result is the same every time
    #[arg(long, value_name = "N", default_value_t = 1, allow_negative_numbers = true, value_parser = clap::value_parser!(u16).range(1..=256))]
    threads: u16,
    /// Positions to search side by side; the output keeps the order of the input
    #[arg(long, value_name = "N", default_value_t = 1, allow_negative_numbers = true, value_parser = clap::value_parser!(u16).range(1..=256))]
    jobs: u16,
    /// Most megabytes of each job's transposition table
    #[arg(long, value_name = "MB", default_value_t = 64, allow_negative_numbers = true, value_parser = clap::value_parser!(u32).range(1..=65_536))]
    hash: u32,
    /// Folder of solved tables; rule sets that have none there are searched without, with a warning
    #[arg(long, value_name = "DIR")]
    tables: Option<PathBuf>,
    /// Plies without a capture and without a goat leaving a herd that make a draw; 0 for none, 300 if left out
    #[arg(long, value_name = "PLIES", allow_negative_numbers = true, value_parser = clap::value_parser!(u32).range(..=i64::from(MAX_QUIET_PLIES)))]
    draw_plies: Option<u32>,
    /// How results are printed
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    format: Format,
}

impl AnalyzeArgs {
    fn method(&self) -> Result<Method, CliError> {
        let is_unlimited = self.depth.is_none() && self.nodes.is_none() && self.movetime.is_none();
        let limits = Limits {
            depth: self.depth,
            nodes: if is_unlimited { Some(DEFAULT_NODES) } else { self.nodes },
            move_time: self.movetime.map(Duration::from_millis),
            ..Limits::default()
        };
        let mut options = vec![
            ("Hash", self.hash.to_string()),
            ("Threads", self.threads.to_string()),
            ("MultiPV", self.multipv.to_string()),
            // Nobody's clock is at stake.
            ("Move Overhead", "0".to_owned()),
        ];
        options.extend(self.draw_plies.map(|plies| ("DrawPlies", plies.to_string())));
        if let Some(folder) = &self.tables {
            options.push(("TablePath", solved::folder(folder)?));
        }
        Ok(Method { limits, options, warned: Warned::default() })
    }
}

/// Does what the options ask for.
///
/// # Errors
/// Says what is wrong with the options, or that something could not be read.
pub fn run(args: &AnalyzeArgs) -> Result<(), CliError> {
    let method = args.method()?;
    Analyst::new(method.clone()).check()?;
    let (format, is_every) = (args.format, args.all);
    let mut tally = InputTally::default();
    let mut out = io::stdout();
    print(&mut out, &format.heading())?;
    let tasks = args.input.items().flat_map(move |item| Positions::of(item, is_every));
    let job = move || {
        let mut analyst = Analyst::new(method.clone());
        move |task: Result<Task, TextError>| {
            let result = task.and_then(|task| task.report(&mut analyst));
            (result.is_err(), format.lines(&result))
        }
    };
    pool::run(usize::from(args.jobs), tasks, job, |ready| {
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

/// A position to analyse, at the end of its game.
struct Task {
    place: Location,
    game: Game,
}

impl Task {
    fn report(self, analyst: &mut Analyst) -> Result<Report, TextError> {
        match analyst.analyze(&self.game) {
            Ok(finding) => Ok(Report { place: self.place, ply: self.game.moves().len(), finding }),
            Err(message) => Err(self.place.error(message)),
        }
    }
}

/// The positions of a game that are to be analysed, one after another; or what could not be read.
enum Positions {
    Unreadable(Option<TextError>),
    /// What is left of the whole game.
    Game {
        place: Location,
        whole: Game,
        next: std::ops::RangeInclusive<usize>,
        begun: Game,
    },
}

impl Positions {
    fn of(item: Result<InputItem, TextError>, is_every: bool) -> Self {
        match item {
            Err(fault) => Self::Unreadable(Some(fault)),
            Ok(item) => {
                let (place, whole) = (item.place, item.record.game);
                let plies = whole.moves().len();
                let next = if is_every { 0..=plies } else { plies..=plies };
                Self::Game { place, begun: Game::new(*whole.start()), whole, next }
            }
        }
    }
}

impl Iterator for Positions {
    type Item = Result<Task, TextError>;

    fn next(&mut self) -> Option<Self::Item> {
        match self {
            Self::Unreadable(fault) => fault.take().map(Err),
            Self::Game { place, whole, next, begun } => {
                let plies = next.next()?;
                let played = begun.moves().len();
                whole.moves().get(played..plies).unwrap_or_default().iter().for_each(|mv| begun.play(*mv));
                Some(Ok(Task { place: place.clone(), game: begun.clone() }))
            }
        }
    }
}
