//! What engines send to a match.

use super::plan::{Line, Plan};
use super::process::run_in;
use super::source::Source;
use super::texts::{check_writing, replay};
use crate::driver::{PROGRAM, empty_folder};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use sundarban::notation::reader::read_all;

/// Moves of each side in a game.
const MOVES: u32 = 3;

/// A line that an engine may send.
fn line(source: &mut Source) -> Line {
    let text = match source.below(12) {
        0..=5 => {
            let mut text = "info".to_owned();
            for _ in 0..source.below(7) {
                let word = source.pick(&[
                    "depth",
                    "seldepth",
                    "multipv",
                    "score cp",
                    "score mate",
                    "nodes",
                    "nps",
                    "time",
                    "lowerbound",
                    "pv",
                    "string",
                    "wdl",
                ]);
                text += &format!(" {word} {}", source.number());
            }
            text
        }
        6 => format!(
            "option name {} type {} default {}",
            source.option(),
            source.pick(&["spin", "check", "button", "x", ""]),
            source.number()
        ),
        7 => format!("info string {}", source.words()),
        8 => source.pick(&["readyok", "uciok", "id name x", "id author", "ugiok", "copyprotection ok"]).to_owned(),
        _ => source.words(),
    };
    let line = source.perhaps_mutated(text.into_bytes(), 3);
    // An answer is tried once in a while, and ends what comes before it.
    if line.starts_with(b"bestmove") && !source.one_in(20) { b"info".to_vec() } else { line }
}

/// An engine that sends a part of the lines before each of its answers, and then a move of this program.
fn script(folder: &Path, lines: &[Line]) -> std::io::Result<()> {
    let part = lines.len().div_ceil(2 * MOVES as usize + 1).max(1);
    let text = format!(
        "#!/bin/sh\nn=1\nhostile() {{ sed -n \"$n,$((n + {part} - 1))p\" lines; n=$((n + {part})); }}\n\
         while read -r line; do\ncase \"$line\" in\nuci) hostile; echo uciok ;;\nisready) echo readyok ;;\n\
         position*) position=$line ;;\ngo*) hostile; printf '%s\\ngo depth 1\\n' \"$position\" | {PROGRAM} | grep bestmove ;;\n\
         quit) exit 0 ;;\nesac\ndone\n"
    );
    fs::write(folder.join("lines"), [lines.join(&b'\n'), b"\n".to_vec()].concat())?;
    fs::write(folder.join("engine"), text)?;
    fs::set_permissions(folder.join("engine"), fs::Permissions::from_mode(0o755))
}

fn check(folder: &Path, lines: &[Line]) -> Result<(), String> {
    script(folder, lines).map_err(|error| error.to_string())?;
    let _ = fs::remove_file(folder.join("games"));
    let good = format!("cmd={PROGRAM}");
    let moves = MOVES.to_string();
    let args = [
        "match",
        "--engine",
        &good,
        "name=good",
        "depth=1",
        "--engine",
        "cmd=./engine",
        "name=bad",
        "st=30",
        "--rounds",
        "1",
        "--max-moves",
        &moves,
        "--draw",
        "movecount=1",
        "--resign",
        "movecount=2",
        "--patience",
        "30",
        "--random-plies",
        "2",
        // What it sends may look like the answer of another protocol, which loses its games and does not end the match.
        "--lenient",
        "--record",
        "games",
    ];
    let run = run_in(folder, &args, b"")?;
    let is_text = |text: &str| !text.chars().any(|letter| letter.is_control() && letter != '\n');
    if run.code != 0 || !is_text(run.text()?) || !is_text(&run.err) || !run.text()?.contains("Games: 2,") {
        return Err(format!("exit code {}: {} {}", run.code, run.text()?, run.err));
    }
    let text = fs::read_to_string(folder.join("games")).map_err(|error| error.to_string())?;
    let records = read_all(&text).map_err(|error| format!("{error}: {text}"))?;
    if records.len() != 2
        || records.iter().map(sundarban::notation::match_record::Record::write).collect::<String>() != text
    {
        return Err(format!("the records are not whole: {text}"));
    }
    records.iter().try_for_each(|record| replay(&record.game).and_then(|_| check_writing(record)))
}

#[test]
fn a_match_goes_on_whatever_an_engine_sends() {
    let folder = empty_folder("fuzz-engine");
    Plan { name: "engine", percent: 2.7, case: 400 }.run(line, |lines| check(&folder, lines));
}
