//! UCI and UGI: every line of output is protocol, and there is one legal `bestmove` for each `go`.

use super::plan::{Line, Plan};
use super::process::run_in;
use super::source::Source;
use crate::driver::{Info, RULE_SETS, empty_folder, is_current_move, is_move};
use crate::reference::State;
use std::path::Path;

/// The first words of commands, as protocol.md lists them.
const COMMANDS: [&str; 19] = [
    "uci",
    "ugi",
    "isready",
    "ucinewgame",
    "uginewgame",
    "stop",
    "ponderhit",
    "register",
    "quit",
    "d",
    "eval",
    "help",
    "moves",
    "setoption",
    "position",
    "go",
    "debug",
    "query",
    "bench",
];

/// Longest line that answers bad input, in characters.
const LONGEST_MESSAGE: usize = 4_000;

/// Whether after `quit` the `bestmove` that is owed is written.
const QUIT_ANSWERS: bool = true;

/// Whether paths are escaped, and cut where they are long, where they are repeated.
const PATHS_ARE_QUOTED: bool = true;

/// The command of a line and its words, if it has one.
fn command(line: &str) -> Option<(&str, Vec<&str>)> {
    let mut words = line.strip_prefix('\u{FEFF}').unwrap_or(line).split_whitespace();
    let name = words.find(|word| COMMANDS.contains(word))?;
    Some((name, words.collect()))
}

/// A line to the session that may be anything but work without an end.
fn line(source: &mut Source) -> Line {
    let game = source.game();
    let moves = game.moves().iter().map(ToString::to_string).collect::<Vec<_>>().join(" ");
    let text = match source.below(20) {
        0..=2 => format!("position startpos moves {moves}"),
        3..=5 => format!("position fen {}", source.position()),
        6 => format!("position fen {} moves {} {}", source.position(), source.any_move(), source.any_move()),
        7 => format!("moves {}", source.move_of(game.position())),
        8 => format!("setoption name UCI_Variant value {}", source.rules()),
        9 => format!("setoption name {} value {}", source.option(), source.number()),
        10 => format!(
            "setoption name {} value {}",
            source.option(),
            source.pick(&["true", "false", "on", "<empty>", "/nowhere", ""])
        ),
        11 => format!(
            "query {}",
            source.pick(&["gameover", "p1turn", "result", "fen", "legal", "islegal c2b2", "islegal", "x"])
        ),
        12 => source
            .pick(&[
                "isready",
                "uci",
                "ugi",
                "eval",
                "d",
                "help",
                "ucinewgame",
                "debug on",
                "debug off",
                "ponderhit",
                "stop",
                "register x",
            ])
            .to_owned(),
        13 => source.words(),
        _ => go(source, &game),
    };
    source.perhaps_mutated(text.into_bytes(), 4)
}

fn go(source: &mut Source, game: &sundarban::game::Game) -> String {
    let mut text = "go".to_owned();
    if source.one_in(3) {
        let word = source.pick(&[
            "wtime",
            "btime",
            "winc",
            "movestogo",
            "p1time",
            "movetime",
            "mate",
            "depth",
            "nodes",
            "perft",
            "infinite",
            "ponder",
        ]);
        text += &format!(" {word} {}", source.number());
    }
    text += &match source.below(4) {
        0 => format!(" depth {}", 1 + source.below(3)),
        1 => format!(" nodes {}", 1 + source.below(300)),
        2 => " movetime 1".to_owned(),
        _ => " depth 1 nodes 9".to_owned(),
    };
    if source.one_in(5) {
        text += &format!(" searchmoves {} {}", source.move_of(game.position()), source.any_move());
    }
    text
}

/// Whether work is known to end at once: limits of one or two digits, or three of nodes, and no word but them.
fn is_short(words: &[&str]) -> bool {
    matches!(words, ["depth", depth, ..] if depth.len() == 1 && depth.as_bytes()[0] <= b'3' && words.len() == 2)
        || matches!(words, ["nodes", nodes] if nodes.len() <= 3 && nodes.parse::<u32>().is_ok_and(|nodes| nodes > 0))
}

/// A search that was asked for.
struct Search {
    /// How many boards, and answers to queries, were asked for before it.
    boards: usize,
    queries: usize,
    /// The words behind `searchmoves`, in small letters.
    moves: Vec<String>,
}

/// The lines as they are sent, and what has to come back.
#[derive(Default)]
struct Dialogue {
    input: Vec<u8>,
    searches: Vec<Search>,
    boards: usize,
    queries: usize,
    readies: usize,
    has_quit: bool,
}

impl Dialogue {
    /// Puts the questions before each search that its answer is compared with, and `stop` behind work that may be long.
    fn of(lines: &[Line]) -> Self {
        let mut dialogue = Self::default();
        for line in lines {
            let text = String::from_utf8_lossy(line);
            match command(&text) {
                Some((name @ ("go" | "bench"), words)) => {
                    dialogue.send(b"d");
                    dialogue.send(b"query gameover");
                    dialogue.send(line);
                    if name == "bench" || !is_short(&words) {
                        dialogue.send(b"stop");
                    }
                }
                _ => dialogue.send(line),
            }
            if dialogue.has_quit {
                break;
            }
        }
        dialogue
    }

    fn send(&mut self, line: &[u8]) {
        self.input.extend(line);
        self.input.push(b'\n');
        let text = String::from_utf8_lossy(line).into_owned();
        let Some((name, words)) = command(&text) else { return };
        match name {
            "d" => self.boards += 1,
            "isready" => self.readies += 1,
            "quit" => self.has_quit = true,
            "query"
                if words
                    .first()
                    .is_some_and(|word| ["gameover", "p1turn", "result", "fen", "islegal", "legal"].contains(word)) =>
            {
                self.queries += 1;
            }
            "go" if !words.contains(&"perft") => {
                let behind = words.iter().skip_while(|word| **word != "searchmoves").skip(1);
                let moves = behind.map(|word| word.to_lowercase()).collect();
                self.searches.push(Search { boards: self.boards, queries: self.queries, moves });
            }
            _ => {}
        }
    }
}

/// Whether a line is one of those that protocol.md knows.
fn is_protocol(line: &str) -> bool {
    let is_path = !PATHS_ARE_QUOTED && line.starts_with("info string TablePath: ");
    let is_text = line.chars().all(|letter| !letter.is_control()) || is_path;
    let words: Vec<&str> = line.split(' ').collect();
    is_text
        && match words.as_slice() {
            ["info", "string", _, ..] => is_path || line.chars().count() <= LONGEST_MESSAGE,
            ["info", ..] => is_current_move(line) || Info::read(line).is_ok(),
            ["bestmove", best] => is_move(best) || *best == "(none)",
            ["bestmove", best, "ponder", reply] => is_move(best) && is_move(reply),
            ["id", "name" | "author", _, ..] | ["option", "name", _, ..] => true,
            ["uciok" | "ugiok" | "readyok"] => true,
            ["response", rest @ ..] => is_response(rest),
            ["Nodes", "searched:", count] => count.parse::<u64>().is_ok(),
            [mv, count] if mv.ends_with(':') && is_move(&mv[..mv.len() - 1]) => count.parse::<u64>().is_ok(),
            _ => is_board(line) || is_evaluation(line),
        }
}

fn is_response(words: &[&str]) -> bool {
    match words {
        ["true" | "false" | "p1win" | "p2win" | "draw" | "none" | "(none)"] => true,
        [board, "w" | "b", quiet, number] => {
            board.split('/').count() == 5 && [quiet, number].iter().all(|word| word.parse::<u64>().is_ok())
        }
        moves => !moves.is_empty() && moves.iter().all(|mv| is_move(mv)),
    }
}

/// A line of the board that `d` shows.
fn is_board(line: &str) -> bool {
    const HEADS: [&str; 5] = ["Rules: ", "Goats: ", "To move: ", "Over: ", "Fen: "];
    let is_rank = |line: &str| {
        let letters: Vec<char> = line.chars().collect();
        letters.len() == 21 && line.split("---").count() == 5 && ('1'..='5').contains(&letters[1])
    };
    line.is_empty()
        || HEADS.iter().any(|head| line.starts_with(head))
        || ["    | \\ | / | \\ | / |", "    | / | \\ | / | \\ |", "    a   b   c   d   e"].contains(&line)
        || is_rank(line)
}

/// A line of `eval`: a piece and what it contributes, the chance of a result, the expected points or the evaluation.
fn is_evaluation(line: &str) -> bool {
    let is_number = |word: &str| word.parse::<f64>().is_ok();
    match *line.split_whitespace().collect::<Vec<_>>() {
        [piece, _, value] if "tABCDE".contains(piece) => is_number(value),
        ["White" | "Black", "wins", chance, "%"] | ["draw", chance, "%"] => is_number(chance),
        ["expected", value, "points", "for", "White"] | ["evaluation", value, "goats", "for", "White"] => {
            is_number(value)
        }
        _ => false,
    }
}

/// Lines of `bench`, which `stop` cuts short, may only come where it was asked for.
fn is_bench(line: &str) -> bool {
    line.starts_with("position ") || line.ends_with(" nps")
}

fn check(folder: &Path, lines: &[Line]) -> Result<(), String> {
    let dialogue = Dialogue::of(lines);
    let run = run_in(folder, &[], &dialogue.input)?;
    if run.code != 0 || !run.err.is_empty() {
        return Err(format!("exit code {}, standard error: {}", run.code, run.err));
    }
    let out = run.lines()?;
    if let Some(line) = out.iter().find(|line| !is_protocol(line) && !is_bench(line)) {
        return Err(format!("no line of the protocol: {line:?}"));
    }
    let behind = |head: &str| out.iter().filter_map(|line| line.strip_prefix(head)).collect::<Vec<_>>();
    let (best, responses) = (behind("bestmove "), behind("response "));
    let boards: Vec<(&str, &str)> = behind("Rules: ").into_iter().zip(behind("Fen: ")).collect();
    let readies = out.iter().filter(|line| **line == "readyok").count();
    let found = [best.len(), responses.len(), boards.len(), readies];
    let due = [dialogue.searches.len(), dialogue.queries, dialogue.boards, dialogue.readies];
    let (owed, answered) = (due[0], found[0]);
    let is_cut = dialogue.has_quit && found.iter().zip(due).all(|(found, due)| *found <= due);
    if found != due && !(is_cut && (answered == owed || !QUIT_ANSWERS)) {
        return Err(format!("bestmoves, responses, boards, readyoks: found {found:?}, expected {due:?}"));
    }
    for (search, best) in dialogue.searches.iter().zip(best) {
        // Behind `quit` there are no questions.
        if let (Some(board), Some(is_over)) = (boards.get(search.boards - 1), responses.get(search.queries - 1)) {
            check_best(search, best, *board, is_over)?;
        }
    }
    Ok(())
}

/// Whether a search's answer is legal, and one of its moves.
fn check_best(search: &Search, best: &str, (rules, fen): (&str, &str), is_over: &str) -> Result<(), String> {
    let state = State::read_fen(RULE_SETS.iter().find(|name| **name == rules).ok_or(rules)?, fen)?;
    let legal = state.legal_moves();
    let mv = best.split(' ').next().unwrap_or_default();
    let wanted: Vec<&String> = search.moves.iter().filter(|mv| legal.contains(mv)).collect();
    let is_good = match mv {
        "(none)" => legal.is_empty() || is_over == "true",
        mv => legal.iter().any(|legal| legal == mv) && (wanted.is_empty() || wanted.iter().any(|wanted| *wanted == mv)),
    };
    if is_good { Ok(()) } else { Err(format!("bestmove {best} of {wanted:?} in {rules} {fen}, over: {is_over}")) }
}

#[test]
fn every_go_has_one_legal_answer_whatever_is_sent() {
    let folder = empty_folder("fuzz-session");
    Plan { name: "session", percent: 18.0, case: 900 }.run(line, |lines| check(&folder, lines));
}
