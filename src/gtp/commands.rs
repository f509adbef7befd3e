//! The table of commands, and those that every GTP program has.

use crate::board::Point;
use crate::gtp::clock::TimeSettings;
use crate::gtp::player::Player;
use crate::gtp::protocol::{Arguments, Click, Failure, Reply, colour, count, seconds};
use crate::gtp::{analyze, rules};
use crate::render::text;
use crate::rules::Side;

/// The command that ends the session.
pub(super) const QUIT: &str = "quit";

type Handler = fn(&mut Player, &Arguments) -> Reply;

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
pub(super) fn execute(player: &mut Player, name: &str, arguments: &Arguments) -> Reply {
    let handler = COMMANDS.iter().find(|(known, _)| *known == name).map(|(_, handler)| handler);
    handler.ok_or(Failure::UnknownCommand)?(player, arguments)
}

fn constant(arguments: &Arguments, text: &str) -> Reply {
    let [] = arguments.exactly()?;
    Ok(text.to_owned())
}

fn done((): ()) -> String {
    String::new()
}

fn known_command(_: &mut Player, arguments: &Arguments) -> Reply {
    let [name] = arguments.exactly()?;
    Ok(COMMANDS.iter().any(|(known, _)| *known == name).to_string())
}

fn list_commands(_: &mut Player, arguments: &Arguments) -> Reply {
    let [] = arguments.exactly()?;
    Ok(COMMANDS.map(|(name, _)| name).join("\n"))
}

fn boardsize(_: &mut Player, arguments: &Arguments) -> Reply {
    let [size] = arguments.exactly()?;
    if count(size)? == u64::from(Point::SIDE) { Ok(String::new()) } else { Err(Failure::UnacceptableSize) }
}

fn clear_board(player: &mut Player, arguments: &Arguments) -> Reply {
    let [] = arguments.exactly()?;
    player.clear();
    Ok(String::new())
}

/// Taken and forgotten: there is nothing to make up for here.
fn komi(_: &mut Player, arguments: &Arguments) -> Reply {
    let [komi] = arguments.exactly()?;
    let is_number = komi.parse().is_ok_and(f64::is_finite);
    if is_number { Ok(String::new()) } else { Err(Failure::SyntaxError) }
}

fn play(player: &mut Player, arguments: &Arguments) -> Reply {
    let [side, click] = arguments.exactly()?;
    player.play(colour(side)?, Click::parse(click)?).map(done)
}

fn play_sequence(player: &mut Player, arguments: &Arguments) -> Reply {
    let words: Vec<&str> = arguments.all().collect();
    let (pairs, rest) = words.as_chunks::<2>();
    if !rest.is_empty() {
        return Err(Failure::SyntaxError);
    }
    let clicks: Result<Vec<(Side, Click)>, Failure> =
        pairs.iter().map(|[side, click]| Ok((colour(side)?, Click::parse(click)?))).collect();
    player.play_all(&clicks?).map(done)
}

/// The side that is asked to move must be the one whose turn it is.
fn check_turn(player: &Player, arguments: &Arguments) -> Result<(), Failure> {
    let [side] = arguments.exactly()?;
    let to_move = player.side();
    if colour(side)? == to_move { Ok(()) } else { Err(Failure::Other(format!("it is {to_move}'s turn"))) }
}

fn genmove(player: &mut Player, arguments: &Arguments) -> Reply {
    check_turn(player, arguments)?;
    Ok(player.move_on().unwrap_or(Click::Pass).to_string())
}

fn reg_genmove(player: &mut Player, arguments: &Arguments) -> Reply {
    check_turn(player, arguments)?;
    Ok(player.choose().map_or(Click::Pass, |mv| player.clicks.next_towards(mv)).to_string())
}

fn undo(player: &mut Player, arguments: &Arguments) -> Reply {
    let [] = arguments.exactly()?;
    player.undo(1).map(done)
}

fn gg_undo(player: &mut Player, arguments: &Arguments) -> Reply {
    let clicks = match arguments.all().len() {
        0 => 1,
        _ => {
            let [clicks] = arguments.exactly()?;
            count(clicks)?
        }
    };
    player.undo(usize::try_from(clicks).unwrap_or(usize::MAX)).map(done)
}

fn time_settings(player: &mut Player, arguments: &Arguments) -> Reply {
    let [main, period, moves] = arguments.exactly()?;
    let moves = u32::try_from(count(moves)?).unwrap_or(u32::MAX);
    player.clocks.set(TimeSettings { main: seconds(main)?, period: seconds(period)?, moves });
    Ok(String::new())
}

fn time_left(player: &mut Player, arguments: &Arguments) -> Reply {
    let [side, time, moves] = arguments.exactly()?;
    let moves = u32::try_from(count(moves)?).unwrap_or(u32::MAX);
    player.clocks.correct(colour(side)?, seconds(time)?, moves);
    Ok(String::new())
}

/// The board, and where a move is half clicked, its points.
fn showboard(player: &mut Player, arguments: &Arguments) -> Reply {
    let [] = arguments.exactly()?;
    let clicked = super::protocol::vertices(player.clicks.path().iter().copied());
    let begun = if clicked.is_empty() { String::new() } else { format!("\nClicked: {clicked}") };
    Ok(text::board(player.clicks.game()) + &begun)
}
