//! The commands of the shell that read positions and games.

use super::plan::{Line, Plan};
use super::process::{Run, run_in};
use super::source::Source;
use crate::driver::{PROGRAM, empty_folder};
use crate::reader::json;
use crate::reference::State;
use std::fs;
use std::path::Path;

/// What stands on standard error must be whole lines of text.
fn check_errors(run: &Run) -> Result<(), String> {
    let is_text = |line: &str| !line.is_empty() && !line.chars().any(char::is_control);
    match run.err.lines().find(|line| !is_text(line)) {
        Some(line) => Err(format!("standard error has {line:?}")),
        None => Ok(()),
    }
}

/// A run with lines on standard input, which can only do its work or say what can't be read.
fn run(folder: &Path, args: &[&str], input: &[u8]) -> Result<Run, String> {
    let run = run_in(folder, args, input)?;
    check_errors(&run)?;
    let has_error = run.err.lines().any(|line| line.starts_with("error: "));
    match run.code {
        0 if !has_error => Ok(run),
        1 if has_error => Ok(run),
        code => Err(format!("{args:?}: exit code {code}: {}", run.err)),
    }
}

/// What `convert` writes must read back, and be written the same again.
fn check_convert(folder: &Path, form: &str, input: &[u8]) -> Result<(), String> {
    let args = ["convert", "--to", form];
    let first = run(folder, &args, input)?;
    let again = run(folder, &args, &first.out)?;
    if again.code != 0 {
        return Err(format!("what convert --to {form} writes is refused: {}", again.err));
    }
    if again.out != first.out {
        let (one, other) = (first.text()?, again.text()?);
        let line = one.lines().zip(other.lines()).find(|(one, other)| one != other);
        return Err(format!("convert --to {form} writes otherwise the second time: {line:?}"));
    }
    Ok(())
}

/// The moves of each position must be those of the plain reference.
fn check_moves(folder: &Path, input: &[u8]) -> Result<(), String> {
    let run = run(folder, &["moves", "--format", "json"], input)?;
    for line in run.lines()? {
        let value = json::read(line).map_err(|why| format!("{why}: {line}"))?;
        let state = State::read_fen(value.at("rules").text(), value.at("position").text())?;
        let mut moves: Vec<String> =
            value.at("moves").list().iter().map(|mv| mv.at("move").text().to_owned()).collect();
        moves.sort();
        if moves != state.legal_moves() && *value.at("over") == json::Value::Null {
            return Err(format!("{line}: the reference has {:?}", state.legal_moves()));
        }
    }
    Ok(())
}

/// The best move of each position must be legal.
fn check_analyze(folder: &Path, input: &[u8]) -> Result<(), String> {
    let run = run(folder, &["analyze", "--depth", "1", "--format", "json"], input)?;
    for line in run.lines()? {
        let value = json::read(line).map_err(|why| format!("{why}: {line}"))?;
        if let json::Value::Object(members) = &value
            && members.contains_key("error")
        {
            continue;
        }
        let state = State::read_fen(value.at("rules").text(), value.at("position").text())?;
        let moves = state.legal_moves();
        let is_legal = match value.at("best") {
            json::Value::Null => moves.is_empty() || value.at("pv").list().is_empty(),
            best => moves.contains(&best.text().to_owned()),
        };
        if !is_legal {
            return Err(format!("not legal: {line}"));
        }
    }
    Ok(())
}

fn check_streams(folder: &Path, lines: &[Line]) -> Result<(), String> {
    let input = lines.join(&b'\n');
    for form in ["moves", "record", "position", "match"] {
        check_convert(folder, form, &input)?;
    }
    check_moves(folder, &input)?;
    check_analyze(folder, &input)?;
    for args in [&["eval", "--format", "json"][..], &["suite", "--depth", "1", "--format", "json"]] {
        for line in run(folder, args, &input)?.lines()? {
            json::read(line).map_err(|why| format!("{why}: {line}"))?;
        }
    }
    let annotated = run(folder, &["annotate", "--depth", "1", "--format", "match"], &input)?;
    let read = run(folder, &["convert", "--to", "match"], &annotated.out)?;
    if read.code == 0 { Ok(()) } else { Err(format!("what annotate writes is refused: {}", read.err)) }
}

#[test]
fn the_commands_for_scripts_answer_or_refuse_every_line() {
    let folder = empty_folder("fuzz-streams");
    let plan = Plan { name: "streams", percent: 8.0, case: 400 };
    plan.run(|source| source.item(), |lines| check_streams(&folder, lines));
}

#[test]
fn positions_among_the_arguments_are_read_or_refused() {
    let folder = empty_folder("fuzz-arguments");
    let plan = Plan { name: "arguments", percent: 0.1, case: 5 };
    plan.run(
        |source| source.item(),
        |lines| {
            for line in lines {
                let text = String::from_utf8_lossy(line).replace('\0', " ");
                for args in [
                    &["show", &text] as &[&str],
                    &["show", "--svg", "--moves", &text],
                    &["perft", "--depth", "1", "--fen", &text],
                    &["tables", "probe", "--dir", "/nowhere", &text],
                    &["convert", "--fen", &text],
                ] {
                    let run = run_in(&folder, args, b"startpos")?;
                    if run.code != 0 && run.err.is_empty() {
                        return Err(format!("{args:?}: exit code {} without a word", run.code));
                    }
                }
            }
            Ok(())
        },
    );
}

/// A match that only reads its files: its engines play a ply.
fn play(folder: &Path, more: &[&str]) -> Result<Run, String> {
    let (one, other) = (format!("cmd={PROGRAM}"), format!("cmd={PROGRAM}"));
    let engines = ["match", "--engine", &one, "name=a", "depth=1", "--engine", &other, "name=b", "depth=1"];
    let rest = ["--rounds", "1", "--max-moves", "1", "--quiet"];
    run_in(folder, &[&engines[..], &rest, more].concat(), b"")
}

#[test]
fn openings_are_read_or_refused() {
    let folder = empty_folder("fuzz-openings");
    Plan { name: "openings", percent: 0.4, case: 4 }.run(
        |source| source.item(),
        |lines| {
            fs::write(folder.join("list"), lines.join(&b'\n')).map_err(|error| error.to_string())?;
            let run = play(&folder, &["--openings", "list"])?;
            // What is refused is a wrong option: --openings.
            if run.code == 2 && run.err.contains("--openings: ") || run.code == 0 { Ok(()) } else { Err(run.err) }
        },
    );
}

/// Words of a configuration file. No word names a program that is there, or a file outside of the folder.
fn config_line(source: &mut Source) -> Line {
    const KEYS: &[&str] = &[
        "--engine",
        "--each",
        "--rounds",
        "--seed",
        "--rules",
        "--sprt",
        "--draw",
        "--resign",
        "--max-moves",
        "--quiet",
        "-v",
    ];
    const VALUES: &[&str] = &[
        "name=a",
        "name='b c'",
        "cmd=nothing-here",
        "tc=1+0.1",
        "tc=40/60",
        "st=0.1",
        "nodes=5",
        "depth=x",
        "option.Hash=2",
        "elo0=0",
        "elo1=5",
        "super",
        "movenumber=2",
        "score=20",
        "# x",
        "'",
        "\"",
        "\\",
    ];
    let mut text = String::new();
    for _ in 0..source.below(6) {
        text += match source.below(4) {
            0 => source.pick(KEYS),
            1 => source.number(),
            2 => source.word(),
            _ => source.pick(VALUES),
        };
        text.push(' ');
    }
    // Nothing that names a path.
    let line = source.perhaps_mutated(text.into_bytes(), 3);
    line.into_iter().filter(|byte| !b"/~".contains(byte)).collect()
}

#[test]
fn configuration_files_are_read_or_refused() {
    let folder = empty_folder("fuzz-config");
    Plan { name: "config", percent: 0.3, case: 5 }.run(config_line, |lines| {
        fs::write(folder.join("config"), lines.join(&b'\n')).map_err(|error| error.to_string())?;
        let run = run_in(&folder, &["match", "--config", "config", "--engine", "cmd=nothing-here", "tc=1"], b"")?;
        if run.code != 0 && run.err.is_empty() { Err(format!("exit code {} without a word", run.code)) } else { Ok(()) }
    });
}

/// A pair of games as a match writes them, or what is left of it.
fn pair(source: &mut Source) -> Line {
    let game = source.game();
    let number = source.below(50);
    let mut text = String::new();
    for (white, black) in [("a", "b"), ("b", "a")] {
        let mut record = source.written_record(game.clone());
        let tag = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        record.tags =
            vec![tag("Event", "x"), tag("Pair", &number.to_string()), tag("White", white), tag("Black", black)];
        record.result = None;
        text += &record.write().replace('*', source.pick(&["1/2-1/2", "1/2-1/2", "1-0", "0-1", "*"]));
    }
    source.perhaps_mutated(text.into_bytes(), 4)
}

/// The count of games in a standing.
fn games_counted(run: &Run) -> Result<u64, String> {
    let text = run.text()?;
    let count =
        text.split("Games: ").nth(1).and_then(|rest| rest.split(',').next()).and_then(|count| count.parse().ok());
    Ok(count.unwrap_or(0))
}

#[test]
fn merged_games_are_counted_or_told_of() {
    let folder = empty_folder("fuzz-merge");
    Plan { name: "merge", percent: 0.5, case: 20 }.run(pair, |lines| {
        fs::write(folder.join("games"), lines.join(&b'\n')).map_err(|error| error.to_string())?;
        let first = run_in(&folder, &["match", "--merge", "games", "--record", "both"], b"")?;
        check_errors(&first)?;
        let count = games_counted(&first)?;
        if count == 0 {
            return Ok(());
        }
        let again = run_in(&folder, &["match", "--merge", "both"], b"")?;
        if again.code == 0
            && games_counted(&again)? == count
            && again.err.lines().all(|line| line.contains("there twice"))
        {
            Ok(())
        } else {
            Err(format!("{count} games merged are {} again: {}", games_counted(&again)?, again.err))
        }
    });
}
