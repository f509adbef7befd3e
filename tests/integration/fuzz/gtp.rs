//! GTP: one response for each command, in the form of the protocol.

use super::plan::{Line, Plan};
use super::process::run_in;
use super::source::Source;
use crate::driver::empty_folder;
use std::path::Path;

const COMMANDS: &[&str] = &[
    "protocol_version",
    "name",
    "version",
    "known_command",
    "list_commands",
    "boardsize",
    "clear_board",
    "komi",
    "play",
    "gogui-play_sequence",
    "genmove",
    "reg_genmove",
    "undo",
    "gg-undo",
    "time_settings",
    "time_left",
    "showboard",
    "final_score",
    "gogui-interrupt",
    "gogui-rules_game_id",
    "gogui-rules_board_size",
    "gogui-rules_board",
    "gogui-rules_board_gfx",
    "gogui-rules_legal_moves",
    "gogui-rules_side_to_move",
    "gogui-rules_captured_count",
    "gogui-rules_final_result",
    "gogui-analyze_commands",
    "sundarban-click_values",
    "sundarban-move_values",
    "sundarban-best_line",
    "sundarban-table_values",
    "sundarban-threats",
    "sundarban-evaluation",
    "sundarban-position",
    "sundarban-param",
    "loadsgf",
    "# interrupt",
    "",
];

fn line(source: &mut Source) -> Line {
    let colour = source.pick(&["w", "b", "white", "BLACK"]);
    let game = source.game();
    let mv = game.moves().first().map_or("c2b2".to_owned(), ToString::to_string);
    let id = if source.one_in(4) { format!("{} ", source.number()) } else { String::new() };
    let text = match source.below(10) {
        0 | 1 => format!("genmove {}", source.pick(&["w", "b"])),
        2 => format!("play {colour} {}", &mv[..2]),
        3 => format!("gogui-play_sequence w {} w {}", &mv[..2], &mv[2..4]),
        4 => format!("time_left {colour} {} {}", source.number(), source.number()),
        5 => format!("time_settings {} {} {}", source.number(), source.number(), source.number()),
        6 => source.words(),
        7 => source.pick(&["sundarban-param Level 1", "sundarban-param Hash 1", "undo", "clear_board"]).to_owned(),
        _ => format!("{} {}", source.pick(COMMANDS), source.word()),
    };
    source.perhaps_mutated(format!("{id}{text}").into_bytes(), 4)
}

/// The id and the words of a command; `None` for a line that is not answered.
fn command(line: &[u8]) -> Option<(String, Vec<String>)> {
    let text = String::from_utf8_lossy(line);
    let text = text.split('#').next().unwrap_or_default();
    let kept: String = text.chars().filter(|letter| *letter == '\t' || !letter.is_control()).collect();
    let mut words: Vec<String> = kept.split_whitespace().map(str::to_owned).collect();
    let is_id = |word: &String| word.bytes().all(|byte| byte.is_ascii_digit()) && word.parse::<u32>().is_ok();
    let first = words.first().filter(|word| is_id(word)).cloned();
    if first.is_some() {
        words.remove(0);
    }
    let id = first.and_then(|id| id.parse::<u32>().ok()).map(|id| id.to_string());
    (id.is_some() || !words.is_empty()).then(|| (id.unwrap_or_default(), words))
}

/// Puts the question for the legal moves before each `genmove`, and keeps the level low.
fn dialogue(lines: &[Line]) -> Vec<Line> {
    let mut sent: Vec<Line> = Vec::new();
    for (number, line) in lines.iter().enumerate() {
        let line = if number == 0 { line.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(line) } else { line };
        let name = command(line).and_then(|(_, words)| words.first().cloned()).unwrap_or_default();
        if name == "genmove" {
            sent.push(b"gogui-rules_legal_moves".to_vec());
        }
        sent.push(line.to_vec());
        if name == "sundarban-param" {
            sent.extend([b"sundarban-param Level 1".to_vec(), b"sundarban-param Milliseconds_per_move 1".to_vec()]);
        }
    }
    sent
}

fn check(folder: &Path, lines: &[Line]) -> Result<(), String> {
    let sent = dialogue(lines);
    let run = run_in(folder, &["gtp", "--level", "1", "--movetime", "1", "--hash", "1"], &sent.join(&b'\n'))?;
    if run.code != 0 || !run.err.is_empty() {
        return Err(format!("exit code {}, standard error: {}", run.code, run.err));
    }
    let text = run.text()?;
    let mut responses = text.split_terminator("\n\n");
    let mut legal = Vec::new();
    for (id, words) in sent.iter().filter_map(|line| command(line)) {
        let response = responses.next().ok_or_else(|| format!("no response to {words:?}"))?;
        let name = words.first().map_or("", String::as_str);
        let text = body(response, &id).ok_or_else(|| format!("{id} {words:?} is answered {response:?}"))?;
        let is_failure = response.starts_with('?');
        match name {
            "gogui-rules_legal_moves" if !is_failure => {
                legal = text.split_whitespace().map(str::to_owned).collect();
            }
            "genmove" if !is_failure => {
                let is_legal = if legal.is_empty() { text == "pass" } else { legal.iter().any(|legal| legal == text) };
                if !is_legal {
                    return Err(format!("genmove {text} of {legal:?}"));
                }
            }
            "quit" if !is_failure => break,
            _ => {}
        }
    }
    match responses.next() {
        None => Ok(()),
        Some(more) => Err(format!("a response to nothing: {more:?}")),
    }
}

/// The text of a response in the right form.
fn body<'a>(response: &'a str, id: &str) -> Option<&'a str> {
    let text = response.strip_prefix(['=', '?'])?.strip_prefix(id)?.strip_prefix(' ')?;
    let is_text = response.split('\n').all(|line| !line.is_empty() && !line.chars().any(char::is_control));
    is_text.then_some(text)
}

#[test]
fn every_command_has_one_response() {
    let folder = empty_folder("fuzz-gtp");
    Plan { name: "gtp", percent: 10.0, case: 500 }.run(line, |lines| check(&folder, lines));
}
