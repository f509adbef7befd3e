//! `sundarban show`: a position as a picture.

use crate::board::{Point, PointSet};
use crate::commands::args::RulesArg;
use crate::commands::error::CliError;
use crate::commands::output::CommandOutput;
use crate::game::Game;
use crate::moves::Move;
use crate::notation::fen::Fen;
use crate::notation::reader::{Items, STANDARD_INPUT, only_game, read_moves};
use crate::notation::{quoted, record};
use crate::platform;
use crate::position::Position;
use crate::render::terminal::{self, TerminalStyle};
use crate::render::{Arrow, Diagram, Meaning, svg};
use crate::rules::GOATS;
use crate::text::counted;
use clap::{Args, ValueEnum};
use std::fmt::Write;
use std::io::{self, IsTerminal};

/// Sizes that a picture may have, in pixels.
const SIZES: std::ops::RangeInclusive<i64> = 16..=8_192;

/// Options of `show`.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct ShowArgs {
    /// Position or game, in quotes or not, instead of the rule set's start; - for standard input
    #[arg(value_name = "FEN")]
    position: Vec<String>,
    #[command(flatten)]
    rules: RulesArg,
    /// Moves to play first, as 'c2b2 b3b1' or as a record, '1. b2; b3xb1'; the last one is shown
    #[arg(long, value_name = "MOVES", num_args = 1..)]
    moves: Vec<String>,
    /// Moves to come, shown as numbered arrows
    #[arg(long, value_name = "MOVES", num_args = 1..)]
    line: Vec<String>,
    /// Arrow over points that lines join, as c2b2 or c1c3a5, whether or not the rules allow it; may be repeated
    #[arg(long, value_name = "POINTS", num_args = 1..)]
    arrow: Vec<String>,
    /// Point to mark; may be repeated
    #[arg(long, value_name = "POINT", num_args = 1..)]
    mark: Vec<String>,
    /// Write an SVG picture instead
    #[arg(long)]
    svg: bool,
    /// Width and height of the SVG picture in pixels
    #[arg(long, value_name = "PIXELS", default_value_t = 480, requires = "svg", allow_negative_numbers = true, value_parser = clap::value_parser!(u32).range(SIZES))]
    size: u32,
    /// Colours in the terminal; auto: on a terminal, unless NO_COLOR is set or TERM is dumb
    #[arg(long, value_name = "WHEN", default_value = "auto", conflicts_with = "svg")]
    color: ColorWhen,
    /// Draw with ASCII characters alone
    #[arg(long, conflicts_with = "svg")]
    ascii: bool,
}

const EXAMPLES: &str = "\
Examples:
  sundarban show
  sundarban show --moves c2b2 b3b1 --line e4e5 b1a1
  sundarban show 5/2A1A/1t1t1/5/5 w --mark c4 --arrow b3d3
  sundarban show --rules super --svg --size 200 > start.svg

In the terminal T is a tiger, o a goat, and a digit a herd of so many.";

/// When the terminal's picture has colours.
#[derive(Copy, Clone, PartialEq, Eq, Debug, ValueEnum)]
enum ColorWhen {
    Auto,
    Always,
    Never,
}

impl ColorWhen {
    fn is_now(self) -> bool {
        let is_set = |name| std::env::var_os(name).is_some_and(|value| !value.is_empty());
        match self {
            Self::Always => {
                if io::stdout().is_terminal() {
                    platform::enable_terminal_escapes();
                }
                true
            }
            Self::Never => false,
            Self::Auto => {
                let is_dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
                io::stdout().is_terminal() && !is_set("NO_COLOR") && !is_dumb && platform::enable_terminal_escapes()
            }
        }
    }
}

/// Draws the position.
///
/// # Errors
/// If the position, the moves, an arrow or a mark can't be read, or the output fails.
pub fn run(args: &ShowArgs) -> Result<(), CliError> {
    let picture = picture(args, game(args)?).map_err(CliError::Usage)?;
    Ok(CommandOutput::Standard.add(&picture)?)
}

fn picture(args: &ShowArgs, game: Game) -> Result<String, String> {
    let game = played_on(game, &args.moves)?;
    let line = moves(game.position(), &args.line).map_err(|error| format!("--line: {error}"))?;
    let diagram = Diagram { position: game.position(), arrows: arrows(args, &game, &line)?, marks: marks(&args.mark)? };
    if args.svg {
        return Ok(svg::document(&diagram, args.size));
    }
    let style = TerminalStyle { with_colour: args.color.is_now(), in_ascii: args.ascii };
    Ok(format!("\n{}\n{}", terminal::picture(&diagram, style), caption(&game, &line)))
}

/// The one game or position of the command line or standard input.
fn game(args: &ShowArgs) -> Result<Game, CliError> {
    let text = args.position.join(" ");
    match text.trim() {
        "" => Ok(Game::new(Position::start(args.rules.rules))),
        // What is wrong there is no fault of the command line.
        STANDARD_INPUT => {
            only_game(Items::new(STANDARD_INPUT, io::stdin().lock(), args.rules.rules)).map_err(CliError::Work)
        }
        text => only_game(Items::new("FEN", text.as_bytes(), args.rules.rules)).map_err(CliError::Usage),
    }
}

/// The game with the moves to play first.
fn played_on(mut game: Game, words: &[String]) -> Result<Game, String> {
    let moves = moves(game.position(), words).map_err(|error| format!("--moves: {error}"))?;
    moves.into_iter().for_each(|mv| game.play(mv));
    Ok(game)
}

/// Legal moves from a position on: points in a row, or a record.
fn moves(start: &Position, words: &[String]) -> Result<Vec<Move>, String> {
    read_moves(start, &words.join(" ")).map_err(|error| error.to_string())
}

fn arrows(args: &ShowArgs, game: &Game, line: &[Move]) -> Result<Vec<Arrow>, String> {
    let mut arrows: Vec<Arrow> =
        game.moves().last().map(|mv| Arrow::of_move(*mv, Meaning::Played)).into_iter().collect();
    for text in words(&args.arrow) {
        arrows.push(Arrow::parse(text, Meaning::Shown).map_err(|error| format!("--arrow: {error}"))?);
    }
    let planned = line.iter().enumerate().map(|(index, mv)| Arrow::of_move(*mv, Meaning::Planned(index + 1)));
    arrows.extend(planned);
    Ok(arrows)
}

fn marks(texts: &[String]) -> Result<PointSet, String> {
    let point = |text: &str| match text.as_bytes() {
        [file, rank] => Point::from_name(*file, *rank),
        _ => None,
    };
    let read = |text| point(text).ok_or_else(|| format!("--mark: found {}, expected a point, a1 to e5", quoted(text)));
    words(texts).map(read).collect()
}

fn words(texts: &[String]) -> impl Iterator<Item = &str> {
    texts.iter().flat_map(|text| text.split_whitespace())
}

/// What the picture can't show.
fn caption(game: &Game, line: &[Move]) -> String {
    let position = game.position();
    let (alive, herds) = (position.goats_alive(), position.herd_points());
    let in_herds: u32 = herds.into_iter().map(|point| position.height(point)).sum();
    let turn = match game.outcome() {
        Some(outcome) => outcome.to_string(),
        None => format!("{} to move", position.side()),
    };
    let mut text = String::new();
    // Writing to a string can't fail.
    let _ = writeln!(text, "{}, move {}: {turn}", position.rules().name, position.move_number());
    let _ = writeln!(text, "{} alive, {} taken, {in_herds} in herds", counted(alive, "goat"), GOATS - alive);
    if !game.moves().is_empty() {
        let _ = writeln!(text, "Played: {}", record::write(game.start(), game.moves()));
    }
    if !line.is_empty() {
        let _ = writeln!(text, "Line: {}", record::write(position, line));
    }
    let _ = writeln!(text, "{}", Fen(position));
    text
}
