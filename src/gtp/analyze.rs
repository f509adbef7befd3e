//! The `sundarban-*` commands, whose results GoGui shows on its board and in windows of its own, and their menu.

use crate::board::PointSet;
use crate::engine::Engine;
use crate::engine::options::NumberOption;
use crate::gtp::protocol::{Arguments, Click, GtpError, Reply, count, vertex, vertices};
use crate::gtp::rules::threatened;
use crate::gtp::session::GtpSession;
use crate::gtp::strength::LEVELS;
use crate::moves::Move;
use crate::notation::fen::Fen;
use crate::notation::quoted;
use crate::render::text;
use crate::search::{Line, SearchResult};
use crate::tablebase::{Tablebase, Wdl};
use std::fmt::Write;
use std::time::Duration;

/// The menu in the form of `gogui-analyze_commands`: type of output, name, command.
const ANALYZE_MENU: &str = "\
gfx/Value of Each Click/sundarban-click_values
hstring/Value of Each Move/sundarban-move_values
gfx/Best Line/sundarban-best_line
gfx/Goats in Danger/sundarban-threats
hstring/Evaluation/sundarban-evaluation
string/Position Text/sundarban-position
param/Settings/sundarban-param";

/// What the menu adds where there are solved tables.
const TABLEBASE_MENU: &str = "\ngfx/Verdict on Each Click/sundarban-table_values";

/// Background of the best click.
const BEST_COLOUR: &str = "#5fa050";
/// Moves of the best line that are shown at most.
const MAX_MOVES_SHOWN: usize = 8;

/// The tables, if some were given beside the program's own.
fn tables_given(session: &GtpSession) -> Option<&Tablebase> {
    session.engine.tablebase().filter(|tablebase| tablebase.has_files())
}

/// `gogui-analyze_commands`.
pub(super) fn menu(session: &mut GtpSession, arguments: &Arguments) -> Reply {
    let [] = arguments.exactly()?;
    let of_tables = tables_given(session).map_or("", |_| TABLEBASE_MENU);
    Ok(ANALYZE_MENU.to_owned() + of_tables)
}

/// Searches for `lines` best lines; an error if the game is over.
fn analyze(session: &GtpSession, lines: usize) -> Result<SearchResult, GtpError> {
    if session.clicks.game().outcome().is_some() {
        return Err(GtpError::Other("the game is over".to_owned()));
    }
    let result = session.search(session.strength.analysis_limits(), lines);
    result.ok_or_else(|| GtpError::Other("internal error".to_owned()))
}

/// A move in the form that GoGui's text windows recognise: `C2-B2`.
fn hyphenated(mv: Move) -> String {
    mv.points().map(vertex).collect::<Vec<_>>().join("-")
}

fn line_text(line: &Line) -> String {
    line.moves.iter().map(|mv| hyphenated(*mv)).collect::<Vec<_>>().join(" ")
}

/// Labels each point that can be clicked next with the value of the best move through it, for the side to move.
pub(super) fn click_values(session: &mut GtpSession, arguments: &Arguments) -> Reply {
    let [] = arguments.exactly()?;
    let result = analyze(session, session.clicks.candidates().len())?;
    let mut labelled = PointSet::EMPTY;
    let (mut text, mut stopping) = (String::new(), String::new());
    for line in &result.lines {
        let Some(mv) = line.moves.first() else { continue };
        match session.clicks.next_click(*mv) {
            Click::Pass => stopping = format!(", pass {}", line.score),
            // The lines come best first.
            Click::Point(point) if labelled.has(point) => {}
            Click::Point(point) => {
                if text.is_empty() {
                    text = format!("COLOR {BEST_COLOUR} {}\n", vertex(point));
                }
                labelled = labelled.with(point);
                // Writing to a string can't fail, here and below.
                let _ = writeln!(text, "LABEL {} {}", vertex(point), line.score);
            }
        }
    }
    let best = result.lines.first().map_or_else(String::new, |line| {
        let mv = line.moves.first().map_or_else(String::new, |mv| hyphenated(*mv));
        format!("best {mv} {}, depth {}", line.score, line.depth)
    });
    Ok(text + "TEXT " + &best + &stopping)
}

/// Lists the moves with their values for the side to move, best first, and the play expected after each.
pub(super) fn move_values(session: &mut GtpSession, arguments: &Arguments) -> Reply {
    let [] = arguments.exactly()?;
    let result = analyze(session, session.clicks.candidates().len())?;
    let depth = result.lines.first().map_or(0, |line| line.depth);
    let head = format!("Values: in goats for {}, depth {depth}\n", session.side());
    Ok(result
        .lines
        .iter()
        .fold(head, |text, line| text + &format!("{:>6} {}\n", line.score.to_string(), line_text(line))))
}

/// Shows the play expected: the first move's points are marked, then each move's destination is numbered.
pub(super) fn best_line(session: &mut GtpSession, arguments: &Arguments) -> Reply {
    let [] = arguments.exactly()?;
    let result = analyze(session, 1)?;
    let line = result.lines.first().ok_or_else(|| GtpError::Other("no line".to_owned()))?;
    let mut side = session.side();
    let (mut taken, mut stones) = (PointSet::EMPTY, String::new());
    for mv in line.moves.iter().take(MAX_MOVES_SHOWN).take_while(|mv| {
        // One number a point.
        let is_new = !taken.has(mv.to());
        taken = taken.with(mv.to());
        is_new
    }) {
        let _ = write!(stones, " {} {}", side.letter(), vertex(mv.to()));
        side = side.opponent();
    }
    let first = line.moves.first().map_or_else(String::new, |mv| vertices(mv.points()));
    let Line { score, depth, .. } = line;
    Ok(format!("TRIANGLE {first}\nVAR{stones}\nTEXT {score} depth {depth}: {}", line_text(line)))
}

/// Labels each point that can be clicked next with the tables' value of the best move through it, for the side to move.
pub(super) fn table_values(session: &mut GtpSession, arguments: &Arguments) -> Reply {
    let [] = arguments.exactly()?;
    let missing = || GtpError::Other("no tables; see --tables".to_owned());
    let tablebase = session.engine.tablebase().ok_or_else(missing)?;
    let position = session.clicks.game().position();
    let unknown =
        || tables_given(session).map_or_else(missing, |_| GtpError::Other("no table has this position".to_owned()));
    let root_value = tablebase.probe_wdl(position).map_err(|_| unknown())?;
    let mut labels: Vec<(Click, Wdl)> = Vec::new();
    for mv in session.clicks.candidates() {
        let Ok(value) = tablebase.probe_wdl(&position.play(mv)).map(Wdl::opposite) else { continue };
        let click = session.clicks.next_click(mv);
        match labels.iter_mut().find(|(other, _)| *other == click) {
            Some((_, best)) => *best = (*best).max(value),
            None => labels.push((click, value)),
        }
    }
    let (passes, points): (Vec<_>, Vec<_>) = labels.into_iter().partition(|(click, _)| *click == Click::Pass);
    let text = points.iter().fold(String::new(), |text, (click, value)| text + &format!("LABEL {click} {value}\n"));
    let passing = passes.first().map_or_else(String::new, |(_, value)| format!(", pass {value}"));
    Ok(format!("{text}TEXT {root_value} for {}{passing}", session.side()))
}

/// Marks the goats that Black could capture if it were to move.
pub(super) fn threats(session: &mut GtpSession, arguments: &Arguments) -> Reply {
    let [] = arguments.exactly()?;
    let threatened = threatened(&session.clicks.position_shown());
    let (mark, count) = (vertices(threatened), threatened.len());
    Ok(if threatened.is_empty() {
        "TEXT no goat in danger".to_owned()
    } else {
        format!("MARK {mark}\nTEXT in danger: {count}")
    })
}

/// The static evaluation term by term.
pub(super) fn evaluation(session: &mut GtpSession, arguments: &Arguments) -> Reply {
    let [] = arguments.exactly()?;
    Ok(text::evaluation(session.clicks.game().position()))
}

/// `sundarban-position`: the position's text.
pub(super) fn position(session: &mut GtpSession, arguments: &Arguments) -> Reply {
    let [] = arguments.exactly()?;
    Ok(Fen(session.clicks.game().position()).to_string())
}

/// The engine's options that can be changed here.
const OPTIONS: [(&str, NumberOption); 3] =
    [("Hash", NumberOption::Hash), ("Threads", NumberOption::Threads), ("Move Overhead", NumberOption::Overhead)];

/// Shows the settings, or changes one: `sundarban-param`, `sundarban-param NAME VALUE`. Blanks in names are `_`.
pub(super) fn param(session: &mut GtpSession, arguments: &Arguments) -> Reply {
    if arguments.is_empty() {
        return Ok(settings(session));
    }
    let [name, value] = arguments.exactly()?;
    let name = name.replace('_', " ");
    if name.eq_ignore_ascii_case("level") {
        let level = if value == "by_time" { None } else { Some(level(value)?) };
        session.strength.level = level;
    } else if name.eq_ignore_ascii_case("milliseconds per move") {
        let milliseconds = if value == "default" { None } else { Some(count(value)?) };
        session.strength.move_time = milliseconds.map(Duration::from_millis);
    } else if let Some((name, option)) = OPTIONS.iter().find(|(own, _)| own.eq_ignore_ascii_case(&name)) {
        set_option(&mut session.engine, *option, value)
            .map_err(|error| GtpError::Other(format!("{name}: {error}; nothing changed")))?;
    } else {
        return Err(GtpError::Other(format!(
            "no such setting; there are {}",
            OPTIONS.map(|(name, _)| name).join(", ")
        )));
    }
    Ok(String::new())
}

fn set_option(engine: &mut Engine, option: NumberOption, text: &str) -> Result<(), String> {
    let number = option.parse(text);
    let number = number.ok_or_else(|| format!("found {}, expected {}", quoted(text), option.expected()))?;
    let mut options = engine.options().clone();
    *option.value_mut(&mut options) = number;
    engine.set_options(options).map_err(|error| error.to_string())?;
    if option == NumberOption::Hash {
        engine.clear_hash();
    }
    Ok(())
}

fn level(word: &str) -> Result<u32, GtpError> {
    let level = u32::try_from(count(word)?).ok().filter(|level| LEVELS.contains(level));
    level.ok_or_else(|| GtpError::Other(format!("levels are {} to {}", LEVELS.start(), LEVELS.end())))
}

fn settings(session: &GtpSession) -> String {
    let levels = LEVELS.fold("by_time".to_owned(), |text, level| format!("{text}/{level}"));
    let level = session.strength.level.map_or_else(|| "by_time".to_owned(), |level| level.to_string());
    let time = session.strength.move_time.map_or_else(|| "default".to_owned(), |time| time.as_millis().to_string());
    let head = format!("[list/{levels}] Level {level}\n[string] Milliseconds_per_move {time}\n");
    OPTIONS.iter().fold(head, |text, (name, option)| {
        let value = option.value(session.engine.options());
        text + &format!("[string] {} {value}\n", name.replace(' ', "_"))
    })
}
