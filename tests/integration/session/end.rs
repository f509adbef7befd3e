//! Ends of a session.

use super::millis;
use crate::driver::{Engine, TIMEOUT, first_line_then_close, output, retry, run, timing_lock};
use std::time::Instant;

#[test]
fn quit_is_obeyed_at_once_in_every_state() {
    let _alone = timing_lock();
    let huge = "go depth 100\ngo depth 100\ngo depth 100";
    for state in ["", "go infinite", "go ponder", "go depth 100", "go perft 30", "bench 60", huge] {
        for threads in [1, 3] {
            retry(|| {
                let mut engine = Engine::uci();
                engine.send(&format!("setoption name Threads value {threads}\n{state}"));
                engine.ping();
                let began = Instant::now();
                engine.send("quit");
                assert_eq!(engine.exit_code_within(millis(1000)), Some(0), "{state}");
                println!("quit in {state:?} with {threads} threads: {:?}", began.elapsed());
            });
        }
    }
}

/// Runs a script that is sent in one write and ends with `quit`, its input left open: its output and exit code.
fn quit_script(script: &str) -> Vec<String> {
    let mut engine = Engine::start();
    engine.send(script);
    assert_eq!(engine.exit_code_within(TIMEOUT), Some(0), "{script}");
    std::iter::from_fn(|| engine.line_within(TIMEOUT)).collect()
}

#[test]
fn quit_lets_every_answer_that_is_owed_be_written() {
    for (script, answers) in [
        ("go infinite\nstop\nquit", 1),
        ("go infinite\nquit", 1),
        ("go depth 8\nquit", 1),
        ("go depth 100\nquit", 1),
        ("go ponder\nponderhit\nquit", 1),
        ("go ponder wtime 100000 btime 100000\nponderhit\nquit", 1),
        ("go nodes 100000000\nposition startpos moves c2b2\ngo depth 90\ngo infinite\nquit", 3),
        ("go perft 40\nquit", 0),
        ("bench\nquit", 0),
        ("bench 200\ngo perft 40\nbench\nquit", 0),
        ("go perft 40\ngo depth 5\nbench\nquit", 1),
        ("go depth 100\nquit\ngo depth 1\nisready\nuci", 1),
    ] {
        for _ in 0..5 {
            let lines = quit_script(script);
            let moves: Vec<&String> = lines.iter().filter(|line| line.starts_with("bestmove ")).collect();
            assert_eq!(moves.len(), answers, "{script}: {lines:#?}");
            assert!(moves.iter().all(|line| !line.contains("(none)")), "{script}: {moves:?}");
            assert!(lines.iter().all(|line| line.starts_with("bestmove ") || line.starts_with("info ")), "{lines:#?}");
        }
    }
    // After a pause as well.
    let mut engine = Engine::start();
    engine.send("go infinite");
    engine.expect_no_bestmove();
    engine.send("stop\nquit");
    assert!(engine.bestmove_within(TIMEOUT));
    assert_eq!(engine.exit_code_within(TIMEOUT), Some(0));
}

/// The moves that answered a script, at the end of which the input ends.
fn answers_of_script(script: &str) -> Vec<String> {
    let output = run(&[], script);
    assert_eq!(output.status.code(), Some(0), "{script}");
    let text = String::from_utf8(output.stdout).unwrap();
    text.lines().filter(|line| line.starts_with("bestmove ")).map(str::to_owned).collect()
}

#[test]
fn a_piped_script_gets_every_answer() {
    let script = "uci\nposition startpos\ngo depth 7\nposition startpos moves c2b2\ngo depth 8\ngo nodes 30000\n\
                  ucinewgame\ngo depth 5\nsetoption name UCI_Variant value super\ngo depth 6\ngo movetime 30\ngo perft 3\ngo depth 1";
    for text in [format!("{script}\n"), script.to_owned(), script.replace('\n', "\r\n")] {
        let answers = answers_of_script(&text);
        assert_eq!(answers.len(), 7, "{answers:?}");
        assert!(answers.iter().all(|line| !line.contains("(none)")), "{answers:?}");
    }
}

#[test]
fn the_end_of_input_stops_what_has_no_end() {
    for script in [
        "go infinite\n",
        "go\n",
        "go ponder\n",
        "go ponder depth 3\n",
        "go depth 3\ngo infinite\n",
        "go infinite\ngo infinite",
    ] {
        let answers = answers_of_script(script);
        assert_eq!(answers.len(), script.matches("go").count(), "{script}");
    }
    for script in ["", "\n", "isready", "position", "stop\n", "uci\nquit\nuci\n"] {
        assert_eq!(answers_of_script(script), Vec::<String>::new(), "{script}");
    }
}

#[test]
fn the_end_of_input_stops_a_running_endless_search() {
    for go in ["go infinite", "go ponder", "go ponder wtime 1000 btime 1000"] {
        let mut engine = Engine::uci();
        engine.send(go);
        engine.expect_no_bestmove();
        engine.close_input();
        engine.search_output(Instant::now());
        assert_eq!(engine.exit_code_within(TIMEOUT), Some(0));
    }
}

#[test]
fn a_reader_that_leaves_ends_the_session() {
    for input in ["uci\nuci\ngo infinite\n", "uci\ngo depth 100\nisready\nuci\n"] {
        let (line, _) = first_line_then_close(&[], input);
        assert!(line.starts_with("id name"), "{line}");
    }
}

#[test]
fn the_searches_of_a_piped_script_run_to_their_limits() {
    let script = "go depth 9\nposition startpos moves c2b2\ngo nodes 40000\ngo mate 2\ngo movetime 50\ngo depth 7";
    let text = output(&[], script);
    let last_lines: Vec<Vec<&str>> = text
        .split("bestmove ")
        .map(|answer| answer.lines().rfind(|line| line.contains(" score ")).unwrap_or_default().split(' ').collect())
        .collect();
    let figure = |search: usize, name: &str| {
        let words = &last_lines[search];
        let at = words.iter().position(|word| *word == name).unwrap();
        words[at + 1].parse::<u64>().unwrap()
    };
    assert_eq!(text.matches("bestmove ").count(), 5);
    assert_eq!((figure(0, "depth"), figure(4, "depth")), (9, 7));
    assert!(figure(1, "nodes") >= 40_000 && figure(3, "time") >= 40, "{text}");
}
