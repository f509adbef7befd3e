//! The command `sundarban annotate`: games with each move judged.

use crate::annotate::assess::assess;
use crate::annotate::review::Review;
use crate::annotate::{page, record, text};
use crate::commands::args::{InputArgs, InputTally, number, set_option};
use crate::commands::error::CliError;
use crate::commands::output::Output;
use crate::engine::Engine;
use crate::engine::solved::{self, Warned};
use crate::game::DrawPlies;
use crate::notation::match_record::Record;
use crate::position::MAX_QUIET_PLIES;
use crate::rules::RuleSet;
use crate::search::MAX_DEPTH;
use crate::search::limits::Limits;
use crate::text::counted;
use clap::{Args, ValueEnum};
use std::io::{self, IsTerminal, Write};
use std::path::PathBuf;
use std::time::Duration;

/// Nodes of a search if nothing else bounds it: a game of 90 plies takes a quarter of a minute.
const DEFAULT_NODES: u64 = 200_000;

/// Options of `annotate`.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct AnnotateArgs {
    #[command(flatten)]
    input: InputArgs,
    /// Only the game of this number, from 1
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = number(1..=u64::MAX))]
    game: Option<u64>,
    /// Depth of the search of each position, in plies
    #[arg(long, value_name = "PLIES", allow_negative_numbers = true, value_parser = clap::value_parser!(u32).range(1..=i64::from(MAX_DEPTH)))]
    depth: Option<u32>,
    /// Nodes of the search of each position; 200000 if nothing else bounds it
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = number(1..=u64::MAX))]
    nodes: Option<u64>,
    /// Milliseconds for each position; with this the judgement may differ from run to run
    #[arg(long, value_name = "MS", allow_negative_numbers = true, value_parser = number(1..=86_400_000))]
    movetime: Option<u64>,
    /// Folder of solved tables, which judge exactly; rule sets that have none there are searched, with a warning
    #[arg(long, value_name = "DIR")]
    tables: Option<PathBuf>,
    /// Most megabytes of the transposition table
    #[arg(long, value_name = "MB", allow_negative_numbers = true, value_parser = number(1..=65_536))]
    hash: Option<u64>,
    /// Threads of a search; with more than one the judgement may differ from run to run
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = number(1..=256))]
    threads: Option<u64>,
    /// Plies without a capture and without a goat leaving a herd that make a draw; 0 for none, 300 if left out
    #[arg(long, value_name = "PLIES", allow_negative_numbers = true, value_parser = clap::value_parser!(u32).range(..=i64::from(MAX_QUIET_PLIES)))]
    draw_plies: Option<u32>,
    /// What to write: text for people, match records with judgements as comments, or a page for a browser
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    format: Format,
    /// File to write instead of standard output
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
}

const EXAMPLES: &str = "\
Examples:
  sundarban annotate --rules super game.txt
  sundarban annotate monday.txt --game 2 --depth 14 --format html --output game2.html
  sundarban annotate --tables tables --format match - < monday.txt > annotated.txt

Values are goats from White's side; +M7: White wins in 7 plies, -M7: Black does, = a certain draw. A move
that gives away 5, 10 or 15 % of a game is an inaccuracy ?!, a mistake ?, a blunder ??; protocol.md
tells how that is reckoned.";

/// What to write.
#[derive(Copy, Clone, PartialEq, Eq, Debug, ValueEnum)]
enum Format {
    Text,
    Match,
    Html,
}

/// Annotates the games of the input. What can't be read is told of on standard error, and the rest goes on.
///
/// # Errors
/// Says what failed: a game that can't be read, tables that are not there, a file that can't be written.
pub fn run(args: &AnnotateArgs) -> Result<(), CliError> {
    let mut annotator = Annotator::new(args)?;
    let mut output = Output::to(args.output.as_deref())?;
    let mut games = args.input.items().peekable();
    let (mut count, mut written, mut tally) = (0_u64, 0, InputTally::default());
    while let Some(read) = games.next() {
        count += 1;
        if args.game.is_some_and(|chosen| chosen != count) {
            continue;
        }
        tally.count(read.is_err());
        let item = match read {
            Ok(item) => item,
            Err(fault) => {
                // Nobody may be there to hear of it; the exit code tells as well.
                let _ = writeln!(io::stderr(), "{fault}");
                continue;
            }
        };
        if args.format == Format::Html && args.game.is_none() && (count > 1 || games.peek().is_some()) {
            let message = "found several games, expected one for a page: choose it with --game";
            return Err(CliError::Usage(message.to_owned()));
        }
        let gap = if written > 0 && args.format == Format::Text { "\n\n" } else { "" };
        written += 1;
        output.add(&format!("{gap}{}", annotator.annotated(item.record)?))?;
    }
    if written > 0 {
        output.finish()?;
    }
    tally.conclude()?;
    match args.game {
        _ if written > 0 => Ok(()),
        None => Err(CliError::Work("found no game, expected one".to_owned())),
        Some(chosen) => {
            let found = counted(count, "game");
            Err(CliError::Work(format!("--game: found {found}, expected {chosen} or more")))
        }
    }
}

/// Judges one game after another.
struct Annotator<'a> {
    args: &'a AnnotateArgs,
    /// Options of the engine.
    options: Vec<(&'static str, String)>,
    /// The engine of the game before, for the next one by the same rules.
    engine: Option<Engine>,
    warned: Warned,
}

impl<'a> Annotator<'a> {
    fn new(args: &'a AnnotateArgs) -> Result<Self, CliError> {
        let mut options = Vec::new();
        options.extend(args.hash.map(|megabytes| ("Hash", megabytes.to_string())));
        options.extend(args.threads.map(|threads| ("Threads", threads.to_string())));
        if let Some(folder) = &args.tables {
            options.push(("TablePath", solved::folder(folder)?));
        }
        Ok(Self { args, options, engine: None, warned: Warned::default() })
    }

    fn annotated(&mut self, mut record: Record) -> Result<String, CliError> {
        if let Some(plies) = self.args.draw_plies {
            record.game.set_draw_plies(DrawPlies::new(plies));
        }
        let total = record.game.moves().len() + 1;
        let mut progress = Progress { is_shown: io::stderr().is_terminal(), total };
        let mut engine = self.engine(record.game.rules())?;
        let assessments = assess(&mut engine, &record.game, &limits(self.args), |done| progress.show(done));
        self.engine = Some(engine);
        progress.clear();
        let review = Review::new(record, &assessments);
        Ok(match self.args.format {
            Format::Text => text::write(&review),
            Format::Match => record::annotated(&review).write(),
            Format::Html => page::write(&review),
        })
    }

    /// The engine for a rule set, with its tables opened.
    fn engine(&mut self, rules: &'static RuleSet) -> Result<Engine, CliError> {
        if let Some(engine) = self.engine.take().filter(|engine| engine.options().rules == rules) {
            return Ok(engine);
        }
        let mut engine = Engine::default();
        set_option(&mut engine, "UCI_Variant", rules.name)?;
        for (name, value) in &self.options {
            set_option(&mut engine, name, value)?;
        }
        self.warned.open_tables(&mut engine);
        Ok(engine)
    }
}

fn limits(args: &AnnotateArgs) -> Limits {
    let is_bounded = args.depth.is_some() || args.nodes.is_some() || args.movetime.is_some();
    Limits {
        depth: args.depth,
        nodes: args.nodes.or((!is_bounded).then_some(DEFAULT_NODES)),
        move_time: args.movetime.map(Duration::from_millis),
        ..Limits::default()
    }
}

/// How far it has come, on one line of a terminal.
struct Progress {
    is_shown: bool,
    total: usize,
}

impl Progress {
    // If standard error can't be written, nobody is waiting for it.
    fn show(&mut self, done: usize) {
        if self.is_shown {
            let _ = write!(io::stderr(), "\r{done} of {} positions", self.total);
        }
    }

    fn clear(&mut self) {
        if self.is_shown {
            let _ = write!(io::stderr(), "\r\x1b[K");
        }
    }
}
