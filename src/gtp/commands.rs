//! The table of all commands, and those of GTP itself.

use crate::board::Point;
use crate::gtp::clock::TimeSettings;
use crate::gtp::protocol::{Arguments, Click, GtpError, Reply, colour, count, moves, seconds};
use crate::gtp::session::GtpSession;
use crate::gtp::{analyze, rules};
use crate::render::text;
use crate::rules::Side;

/// The command that ends the session.
pub(super) const QUIT: &str = "quit";

type Handler = fn(&mut GtpSession, &Arguments) -> Reply;

/// All commands, in the order in which they are listed.
const COMMANDS: [(&str, Handler); 37] = [
    ("protocol_version", |_, arguments| constant(arguments, "2")),
    ("name", |_, arguments| constant(arguments, "Sundarban")),
    ("version", |_, arguments| constant(arguments, env!("CARGO_PKG_VERSION"))),
    ("known_command", known_command),
    ("list_commands", list_commands),
    (QUIT, |_, arguments| constant(arguments, "")),
    ("boardsize", boardsize),
    ("clear_board", clear_board),
    ("komi", komi),
    ("play", play),
    ("gogui-play_sequence", play_sequence),
    ("genmove", genmove),
    ("reg_genmove", reg_genmove),
    ("undo", undo),
    ("gg-undo", gg_undo),
    ("time_settings", time_settings),
    ("time_left", time_left),
    ("showboard", showboard),
    ("final_score", rules::final_score),
    ("gogui-interrupt", |_, arguments| constant(arguments, "")),
    ("gogui-rules_game_id", rules::game_id),
    ("gogui-rules_board_size", rules::board_size),
    ("gogui-rules_board", rules::board),
    ("gogui-rules_board_gfx", rules::board_gfx),
    ("gogui-rules_legal_moves", rules::legal_moves),
    ("gogui-rules_side_to_move", rules::side_to_move),
    ("gogui-rules_captured_count", rules::captured_count),
    ("gogui-rules_final_result", rules::final_result),
    ("gogui-analyze_commands", analyze::menu),
    ("sundarban-click_values", analyze::click_values),
    ("sundarban-move_values", analyze::move_values),
    ("sundarban-best_line", analyze::best_line),
    ("sundarban-table_values", analyze::table_values),
    ("sundarban-threats", analyze::threats),
    ("sundarban-evaluation", analyze::evaluation),
    ("sundarban-position", analyze::position),
    ("sundarban-param", analyze::param),
];

/// Executes the command of this name.
pub(super) fn execute(session: &mut GtpSession, name: &str, arguments: &Arguments) -> Reply {
    let handler = COMMANDS.iter().find(|(known, _)| *known == name).map(|(_, handler)| handler);
    handler.ok_or(GtpError::UnknownCommand)?(session, arguments)
}

fn constant(arguments: &Arguments, text: &str) -> Reply {
    let [] = arguments.exactly()?;
    Ok(text.to_owned())
}

/// The empty reply of a command that only has an effect.
fn done((): ()) -> String {
    String::new()
}

fn known_command(_: &mut GtpSession, arguments: &Arguments) -> Reply {
    let [name] = arguments.exactly()?;
    Ok(COMMANDS.iter().any(|(known, _)| *known == name).to_string())
}

fn list_commands(_: &mut GtpSession, arguments: &Arguments) -> Reply {
    let [] = arguments.exactly()?;
    Ok(COMMANDS.map(|(name, _)| name).join("\n"))
}

fn boardsize(_: &mut GtpSession, arguments: &Arguments) -> Reply {
    let [size] = arguments.exactly()?;
    if count(size)? == u64::from(Point::SIDE) { Ok(String::new()) } else { Err(GtpError::UnacceptableSize) }
}

fn clear_board(session: &mut GtpSession, arguments: &Arguments) -> Reply {
    let [] = arguments.exactly()?;
    session.clear();
    Ok(String::new())
}

/// Accepts any number, which has no effect: the game has no komi.
fn komi(_: &mut GtpSession, arguments: &Arguments) -> Reply {
    let [komi] = arguments.exactly()?;
    let is_number = komi.parse().is_ok_and(f64::is_finite);
    if is_number { Ok(String::new()) } else { Err(GtpError::SyntaxError) }
}

fn play(session: &mut GtpSession, arguments: &Arguments) -> Reply {
    let [side, click] = arguments.exactly()?;
    session.play(colour(side)?, Click::parse(click)?).map(done)
}

fn play_sequence(session: &mut GtpSession, arguments: &Arguments) -> Reply {
    let mut words = arguments.all();
    let mut clicks: Vec<(Side, Click)> = Vec::new();
    while let Some(side) = words.next() {
        let click = words.next().ok_or(GtpError::SyntaxError)?;
        clicks.push((colour(side)?, Click::parse(click)?));
    }
    session.play_sequence(&clicks).map(done)
}

/// Checks that the side to generate a move for is the side to move.
fn check_turn(session: &GtpSession, arguments: &Arguments) -> Result<(), GtpError> {
    let [side] = arguments.exactly()?;
    let to_move = session.side();
    if colour(side)? == to_move { Ok(()) } else { Err(GtpError::Other(format!("it is {to_move}'s turn"))) }
}

fn genmove(session: &mut GtpSession, arguments: &Arguments) -> Reply {
    check_turn(session, arguments)?;
    Ok(session.generate_move().unwrap_or(Click::Pass).to_string())
}

fn reg_genmove(session: &mut GtpSession, arguments: &Arguments) -> Reply {
    check_turn(session, arguments)?;
    Ok(session.choose_move().map_or(Click::Pass, |mv| session.clicks.next_click(mv)).to_string())
}

fn undo(session: &mut GtpSession, arguments: &Arguments) -> Reply {
    let [] = arguments.exactly()?;
    session.undo(1).map(done)
}

fn gg_undo(session: &mut GtpSession, arguments: &Arguments) -> Reply {
    let clicks = if arguments.is_empty() {
        1
    } else {
        let [clicks] = arguments.exactly()?;
        count(clicks)?
    };
    session.undo(usize::try_from(clicks).unwrap_or(usize::MAX)).map(done)
}

fn time_settings(session: &mut GtpSession, arguments: &Arguments) -> Reply {
    let [main, period, count] = arguments.exactly()?;
    session.clocks.set(TimeSettings { main: seconds(main)?, period: seconds(period)?, moves: moves(count)? });
    Ok(String::new())
}

fn time_left(session: &mut GtpSession, arguments: &Arguments) -> Reply {
    let [side, time, count] = arguments.exactly()?;
    session.clocks.set_time_left(colour(side)?, seconds(time)?, moves(count)?);
    Ok(String::new())
}

/// The board, and the points clicked of an unfinished move.
fn showboard(session: &mut GtpSession, arguments: &Arguments) -> Reply {
    let [] = arguments.exactly()?;
    let clicked = super::protocol::vertices(session.clicks.path().iter().copied());
    let begun = if clicked.is_empty() { String::new() } else { format!("\nClicked: {clicked}") };
    Ok(text::board(session.clicks.game()) + &begun)
}
