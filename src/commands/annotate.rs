//! `sundarban annotate`: games with each move judged.

use crate::annotate::assess::assess;
use crate::annotate::review::Review;
use crate::annotate::{page, record, text};
use crate::commands::args::{InputArgs, InputTally, number};
use crate::commands::engine_args::{DrawPliesArg, HashArg, LimitsArgs, TablebaseOpener, TablesArg, ThreadsArg};
use crate::commands::error::CliError;
use crate::commands::output::CommandOutput;
use crate::engine::Engine;
use crate::engine::options::Options;
use crate::game::DrawPlies;
use crate::notation::match_record::Record;
use crate::platform;
use crate::rules::RuleSet;
use crate::text::counted;
use clap::{Args, ValueEnum};
use std::io::{self, IsTerminal, Write};
use std::path::PathBuf;

/// Nodes of a search if nothing else bounds it: a game of 90 plies takes a quarter of a minute.
const DEFAULT_NODES: u64 = 200_000;

/// Options of `annotate`.
#[derive(Args)]
#[command(
    after_help = EXAMPLES,
    mut_arg("depth", |arg| arg.help("Depth of the search of each position, in plies")),
    mut_arg("nodes", |arg| arg.help("Nodes of the search of each position; 200000 if nothing else bounds it")),
    mut_arg("movetime", |arg| arg
        .help("Milliseconds for each position; with this the judgement may differ from run to run")
        .value_parser(number(1..=86_400_000))),
    mut_arg("tables", |arg| arg
        .help("Folder of solved tables, which judge exactly; rule sets that have none there are searched, with a warning")),
    mut_arg("threads", |arg| arg
        .help("Threads of a search; with more than one the judgement may differ from run to run")),
)]
pub struct AnnotateArgs {
    #[command(flatten)]
    input: InputArgs,
    /// Only the game of this number, from 1
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = number(1..=u64::MAX))]
    game: Option<u64>,
    #[command(flatten)]
    limits: LimitsArgs,
    #[command(flatten)]
    tables: TablesArg,
    #[command(flatten)]
    hash: HashArg,
    #[command(flatten)]
    threads: ThreadsArg,
    #[command(flatten)]
    draw_plies: DrawPliesArg,
    /// What to write: text for people, match records with judgements as comments, or a page for a browser
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    format: AnnotationFormat,
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
enum AnnotationFormat {
    Text,
    Match,
    Html,
}

/// Annotates the games of the input. What can't be read is reported on standard error, and the rest goes on.
///
/// # Errors
/// If a game can't be read, there is none or none of the number chosen, the folder of tables can't be read, or the output
/// fails.
pub fn run(args: &AnnotateArgs) -> Result<(), CliError> {
    let mut annotator = Annotator::new(args)?;
    let mut output = CommandOutput::to(args.output.as_deref())?;
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
                // If standard error is closed, the exit code has to do.
                let _ = writeln!(io::stderr(), "{fault}");
                continue;
            }
        };
        if args.format == AnnotationFormat::Html && args.game.is_none() && (count > 1 || games.peek().is_some()) {
            let message = "found several games, expected one for a page: choose it with --game";
            return Err(CliError::Usage(message.to_owned()));
        }
        let gap = if written > 0 && args.format == AnnotationFormat::Text { "\n\n" } else { "" };
        written += 1;
        output.add(format!("{gap}{}", annotator.annotated(item.record)?))?;
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
    /// The engine's options, but for the rules, which each game brings along.
    options: Options,
    /// The engine of the game before, for the next one by the same rules.
    engine: Option<Engine>,
    opener: TablebaseOpener,
}

impl<'a> Annotator<'a> {
    fn new(args: &'a AnnotateArgs) -> Result<Self, CliError> {
        let options = Options {
            hash: args.hash.megabytes(),
            threads: args.threads.count(),
            table_path: args.tables.readable_path()?,
            ..Options::default()
        };
        Ok(Self { args, options, engine: None, opener: TablebaseOpener::default() })
    }

    fn annotated(&mut self, mut record: Record) -> Result<String, CliError> {
        if let Some(plies) = self.args.draw_plies.given() {
            record.game.set_draw_plies(DrawPlies::new(plies as u32));
        }
        let total = record.game.moves().len() + 1;
        let mut progress =
            ProgressLine { is_shown: io::stderr().is_terminal() && platform::enable_terminal_escapes(), total };
        let limits = self.args.limits.limits(DEFAULT_NODES);
        let mut engine = self.engine(record.game.rules())?;
        let assessments = assess(&mut engine, &record.game, &limits, |done| progress.show(done));
        self.engine = Some(engine);
        progress.clear();
        let review = Review::new(record, &assessments);
        Ok(match self.args.format {
            AnnotationFormat::Text => text::write(&review),
            AnnotationFormat::Match => record::annotated(&review).write(),
            AnnotationFormat::Html => page::write(&review),
        })
    }

    /// The engine for a rule set, with its tables opened.
    fn engine(&mut self, rules: &'static RuleSet) -> Result<Engine, CliError> {
        if let Some(engine) = self.engine.take().filter(|engine| engine.options().rules == rules) {
            return Ok(engine);
        }
        let mut engine = Engine::new(Options { rules, ..self.options.clone() })?;
        self.opener.open(&mut engine);
        Ok(engine)
    }
}

/// The number of positions done, on one line of a terminal.
struct ProgressLine {
    is_shown: bool,
    total: usize,
}

impl ProgressLine {
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
