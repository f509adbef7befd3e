//! The greeting, `isready`, and how lines are read.

use super::{expect_silence_until, millis};
use crate::driver::{Engine, RULE_SETS, SILENCE, TIMEOUT, retry, timing_lock};
use std::time::{Duration, Instant};

#[test]
fn it_is_silent_until_the_first_command() {
    let mut engine = Engine::start();
    assert_eq!(engine.line_within(SILENCE), None);
    for silent in
        ["", "   ", "\t", "\r", "debug on", "debug off", "ucinewgame", "position startpos", "stop", "ponderhit"]
    {
        engine.expect_silence_after(silent);
    }
    engine.expect_silence_after("register later");
    engine.expect_silence_after("register name Nobody code 4359874324");
}

#[test]
fn the_handshake_is_prompt_and_complete() {
    let _alone = timing_lock();
    let mut lines = Vec::new();
    retry(|| {
        let began = Instant::now();
        lines = Engine::start().send_until("uci", "uciok");
        let time = began.elapsed();
        println!("uciok {time:?} after the start");
        assert!(time < millis(200), "{time:?}");
    });
    assert!(lines[0].starts_with("id name Sundarban"), "{lines:?}");
    assert!(lines[1].starts_with("id author "), "{lines:?}");
    let types = ["check", "spin", "combo", "button", "string"];
    for line in &lines[2..] {
        let (name, rest) = line.strip_prefix("option name ").unwrap().split_once(" type ").unwrap();
        assert!(types.contains(&rest.split(' ').next().unwrap()), "{line}");
        let forbidden = ["name", "value", "type", "default", "min", "max", "var"];
        assert!(name.split(' ').all(|word| !forbidden.contains(&word)), "{line}");
        assert!(rest == "button" || rest.contains(" default "), "{line}");
    }
    for (name, what) in [
        ("Hash", "spin default 64 min"),
        ("Threads", "spin default 1 min 1 max"),
        ("MultiPV", "spin default 1 min 1 max"),
        ("Ponder", "check default"),
        ("Clear Hash", "button"),
        ("UCI_Variant", "combo default baghbandi var"),
        ("UCI_AnalyseMode", "check default false"),
        ("UCI_ShowWDL", "check default false"),
        ("Move Overhead", "spin default"),
        ("DrawPlies", "spin default 300 min 0 max"),
        ("TablePath", "string default <empty>"),
    ] {
        let start = format!("option name {name} type {what}");
        assert!(lines.iter().any(|line| line.starts_with(&start)), "no {start}");
    }
    let variants = lines.iter().find(|line| line.contains("UCI_Variant")).unwrap();
    let values: Vec<&str> = variants.split(" var ").skip(1).collect();
    assert_eq!(values, RULE_SETS);
}

#[test]
fn uci_is_also_a_command_of_the_command_line() {
    let mut engine = Engine::start_with(&["uci"]);
    engine.send_until("uci", "uciok");
    engine.search("go depth 2");
    engine.send("quit");
    assert_eq!(engine.exit_code_within(TIMEOUT), Some(0));
}

#[test]
fn unknown_leading_words_are_skipped() {
    let mut engine = Engine::uci();
    engine.expect_silence_after("joho debug on");
    engine.expect_silence_after("joho debug off");
    assert!(engine.send_until("what is this isready", "readyok").is_empty());
    assert!(engine.info_string("joho").contains("joho"));
}

#[test]
fn blanks_and_line_ends_of_every_kind_are_read() {
    let mut engine = Engine::uci();
    engine.send_bytes(b"\r\n\n  \t \n\tisready \r\n");
    assert_eq!(engine.line(), "readyok");
    engine.send_bytes(b"  position \t startpos\tmoves   c2b2  \r\n\tquery  \t fen\r\n");
    assert_eq!(engine.line(), "response 5/2E1E/1t1t1/1AD1E/5 b 0 1");
    engine.send_bytes(b"go\t depth   2 \r\n");
    engine.search_output(Instant::now());
}

#[test]
fn isready_is_answered_during_a_search() {
    let _alone = timing_lock();
    let mut engine = Engine::uci();
    engine.search("go depth 1");
    engine.send("go infinite");
    retry(|| {
        let mut times: Vec<Duration> = (0..40).map(|_| engine.ping()).collect();
        times.sort();
        println!("readyok during a search: median {:?}, worst {:?}", times[20], times[39]);
        assert!(times[20] < millis(50) && times[39] < millis(500), "{times:?}");
    });
    // The search goes on.
    engine.expect_no_bestmove();
    engine.send("stop");
    engine.search_output(Instant::now());
    retry(|| {
        let answer = expect_silence_until(&mut engine, "go infinite", "stop");
        println!("bestmove {:?} after stop", answer.time);
        assert!(answer.time < millis(100), "{:?}", answer.time);
    });
}

#[test]
fn isready_is_answered_while_several_threads_search_and_leaves_are_counted() {
    let _alone = timing_lock();
    let mut engine = Engine::uci();
    engine.send("setoption name Threads value 4\ngo infinite");
    retry(|| {
        let worst = (0..10).map(|_| engine.ping()).max().unwrap();
        println!("readyok, four threads: worst {worst:?}");
        assert!(worst < millis(500), "{worst:?}");
    });
    engine.send("stop");
    engine.search_output(Instant::now());
    engine.send("go perft 30");
    assert!(engine.send_until("isready", "readyok").len() < 20);
    engine.send("quit");
    assert_eq!(engine.exit_code_within(TIMEOUT), Some(0));
}

#[test]
fn a_session_needs_no_new_game_nor_greeting() {
    let mut engine = Engine::start();
    assert_eq!(engine.search("go depth 4").last().depth, 4);
}
