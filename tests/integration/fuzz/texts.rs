//! The library's readers of positions, moves, games and commands.

use super::plan::{Line, Plan};
use crate::reference::State;
use std::collections::HashSet;
use sundarban::game::Game;
use sundarban::notation::fen::{self, Fen};
use sundarban::notation::match_record::Record;
use sundarban::notation::reader::{InputItem, Items, read_all, read_moves};
use sundarban::notation::{TextError, coordinates, record};
use sundarban::position::Position;
use sundarban::rules::RuleSet;
use sundarban::uci::command::Command;

/// Longest message about a text, in characters: what was found is quoted in part.
const LONGEST_MESSAGE: usize = 1_000;

/// An error must be one line, short, and say where.
fn check_error(error: &TextError, lines: usize) -> Result<(), String> {
    let text = error.to_string();
    if text.chars().any(char::is_control) || text.chars().count() > LONGEST_MESSAGE {
        return Err(format!("an error that is no line: {text:?}"));
    }
    if error.line == 0 || error.line > lines + 1 {
        return Err(format!("line {} of {lines}: {text}", error.line));
    }
    Ok(())
}

/// A game must be legal by the plain reference as well; the position at its end by that. Panics at a move that is not.
pub fn replay(game: &Game) -> Result<State, String> {
    let mut state = State::read_fen(game.rules().name, &Fen(game.start()).to_string())?;
    for mv in game.moves() {
        state = state.play(&mv.to_string());
    }
    let (end, expected) = (Fen(game.position()).to_string(), state.to_fen());
    // The quiet plies of a text go to 30,000.
    if end.split(' ').take(2).eq(expected.split(' ').take(2)) {
        Ok(state)
    } else {
        Err(format!("{end}, not {expected}"))
    }
}

/// What is written must read back as the same, and be written the same again.
pub fn check_writing(written: &Record) -> Result<(), String> {
    let text = written.write();
    let [again] = read_all(&text)
        .map_err(|error| format!("{error}: {text}"))?
        .try_into()
        .map_err(|all: Vec<Record>| format!("{} records of one: {text}", all.len()))?;
    if again.write() != text {
        return Err(format!("written otherwise the second time: {text}\n{}", again.write()));
    }
    let same = again.game.start() == written.game.start()
        && again.game.moves() == written.game.moves()
        && again.result == written.result;
    if !same {
        return Err(format!("another game: {text}"));
    }
    let start = written.game.start();
    let line = record::write(start, written.game.moves());
    let moves = record::read(start, &line).map_err(|error| format!("{error}: {line}"))?;
    if moves == written.game.moves() { Ok(()) } else { Err(format!("another game: {line}")) }
}

/// `replayed` are the games that were found legal before.
fn check_item(item: &InputItem, lines: usize, replayed: &mut HashSet<String>) -> Result<(), String> {
    item.warnings.iter().try_for_each(|warning| check_error(warning, lines))?;
    if replayed.insert(format!("{:?} {:?}", item.game().start(), item.game().moves())) {
        replay(item.game())?;
    }
    check_writing(&item.record)
}

/// All lines as one text, by any rules.
fn check_text(lines: &[Line]) -> Result<(), String> {
    let text = lines.join(&b'\n');
    let rules = &RuleSet::all()[lines.len() % 7];
    let mut replayed = HashSet::new();
    for item in Items::new("x", text.as_slice(), rules) {
        match item {
            Ok(item) => {
                let place = item.place.to_string();
                check_item(&item, lines.len(), &mut replayed).map_err(|why| format!("{place}: {why}"))?;
            }
            Err(error) => check_error(&error, lines.len())?,
        }
    }
    Ok(())
}

/// Each line by itself, by the readers of its parts.
fn check_parts(lines: &[Line]) -> Result<(), String> {
    for (number, line) in lines.iter().enumerate() {
        let text = String::from_utf8_lossy(line);
        let rules = &RuleSet::all()[number % 7];
        let start = Position::start(rules);
        if let Ok(position) = fen::parse(rules, &text) {
            let written = Fen(&position).to_string();
            if fen::parse(rules, &written) != Ok(position) || State::read_fen(rules.name, &written).is_err() {
                return Err(format!("position {written}"));
            }
        }
        if let Ok(mv) = coordinates::parse(&start, &text) {
            // Panics where it is not legal.
            State::start(rules.name).play(&mv.to_string());
        }
        if let Err(error) = read_moves(&start, &text) {
            check_error(&error, text.matches('\n').count() + 1)?;
        }
        if let Err(message) = Command::parse(&text)
            && message.chars().any(char::is_control)
        {
            return Err(format!("message {message:?}"));
        }
    }
    Ok(())
}

#[test]
fn texts_of_positions_and_games_are_read_or_refused() {
    Plan { name: "texts", percent: 35.0, case: 400 }.run(|source| source.item(), check_text);
}

#[test]
fn positions_moves_records_and_commands_are_read_or_refused() {
    let plan = Plan { name: "parts", percent: 25.0, case: 1_000 };
    plan.run(
        |source| match source.below(4) {
            0 => source.item(),
            1 => source.position().into_bytes(),
            2 => source.any_move().into_bytes(),
            _ => {
                let words = source.words().into_bytes();
                source.perhaps_mutated(words, 2)
            }
        },
        check_parts,
    );
}
