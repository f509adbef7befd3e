//! What real clients send, as it was recorded from them, and what each needs to get back.
//!
//! The tournament managers (cutegames, cutergames, variantfishtest) are in `session::managers`, GoGui is in `gtp`.

use crate::driver::{Engine, START, SearchOutput, TIMEOUT};
use std::time::Instant;

/// Whether the answer is what every client can use: a score, and the best move at the head of its line.
fn expect_usable(answer: &SearchOutput) {
    let last = answer.last();
    assert!(last.depth > 0 && last.pv.first() == Some(&answer.best), "{answer:?}");
}

/// Searches; `info string` lines before `bestmove` are allowed.
fn searched(engine: &mut Engine, go: &str) -> SearchOutput {
    let answer = engine.search(go);
    expect_usable(&answer);
    answer
}

#[test]
fn fastchess_checks_compliance() {
    let mut engine = Engine::start();
    let lines = engine.send_until("uci", "uciok");
    assert!(lines.iter().any(|line| line.starts_with("id name ")));
    assert!(lines.iter().any(|line| line.starts_with("id author ")));
    engine.ping();
    engine.send("ucinewgame");
    engine.ping();
    engine.send("position startpos");
    engine.ping();
    // It knows chess only; what can't be read leaves the old position in force.
    engine.info_string("position fen 3r2k1/p5n1/1pq1p2p/2p3p1/2P1P1n1/1P1P2pP/PN1Q2K1/5R2 w - - 0 27");
    engine.ping();
    searched(&mut engine, "go wtime 100");
    engine.info_string("position fen rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1");
    searched(&mut engine, "go btime 100");
    searched(&mut engine, "go wtime 100 winc 100 btime 100 binc 100");
    searched(&mut engine, "go btime 100 binc 100 wtime 100 winc 100");
    engine.send("ucinewgame\nposition startpos");
    searched(&mut engine, "go wtime 100 btime 100");
    engine.info_string("position startpos moves e2e4 e7e5");
    searched(&mut engine, "go wtime 100 btime 100");
    engine.send("quit");
    assert_eq!(engine.exit_code_within(TIMEOUT), Some(0));
}

#[test]
fn uci_test_suite_checks_levels_0_to_6() {
    let mut engine = Engine::start();
    engine.send("junk at first\nmore of it");
    engine.send_until("uci", "uciok");
    engine.ping();
    for quiet in ["ucinewgame", "position startpos", "debug on", "debug off", "register later", "stop", "ponderhit"] {
        engine.expect_silence_after(quiet);
    }
    for malformed in [
        "position fen",
        "position",
        "setoption",
        "setoption name",
        "setoption value 3",
        "position startpos moves e2e4 e2e4",
        "position startpos moves z9z9",
        "position fen 8/8/8/8/8/8/8/8 w - - 0 1",
    ] {
        assert!(!engine.info_strings(malformed).is_empty(), "{malformed}");
        engine.ping();
    }
    engine.send("position startpos");
    for go in ["go depth abc", "go movetime", "go wtime btime"] {
        searched(&mut engine, go);
    }
    let answer = searched(&mut engine, "go depth 4 searchmoves e4e5 c2b2");
    assert!(["e4e5", "c2b2"].contains(&answer.best.as_str()));
    // Two at once: two answers.
    let began = Instant::now();
    engine.send("go movetime 50\ngo movetime 50");
    expect_usable(&engine.search_output(began));
    expect_usable(&engine.search_output(began));
    for junk in 0..1_000 {
        engine.send(&format!("junk line {junk} with some tokens"));
    }
    engine.ping();
    engine.send("go infinite");
    engine.ping();
    engine.send("quit");
    assert_eq!(engine.exit_code_within(TIMEOUT), Some(0));
}

#[test]
fn python_chess_configures_analyses_and_plays() {
    let mut engine = Engine::start();
    engine.send_until("uci", "uciok");
    engine.ping();
    for (name, value) in [
        ("Hash", " value 32"),
        ("hash", " value 16"),
        ("Move Overhead", " value 20"),
        ("UCI_ShowWDL", " value true"),
        ("UCI_ShowWDL", " value false"),
        ("Clear Hash", ""),
        ("TablePath", " value "),
        ("UCI_AnalyseMode", " value true"),
    ] {
        engine.expect_silence_after(&format!("setoption name {name}{value}"));
    }
    let start = format!("position fen {START}");
    engine.send("ucinewgame");
    engine.ping();
    engine.send(&start);
    searched(&mut engine, "go depth 6");
    engine.send("setoption name MultiPV value 3");
    let answer = engine.search("go depth 5");
    let ranks: Vec<u64> = answer.infos.iter().rev().take(3).map(|info| info.multipv).collect();
    assert_eq!(ranks, [3, 2, 1]);
    engine.send("setoption name UCI_AnalyseMode value false\nsetoption name MultiPV value 1");
    engine.send(&start);
    assert_eq!(searched(&mut engine, "go nodes 500 searchmoves c2c1").best, "c2c1");
    let began = Instant::now();
    engine.send("go infinite");
    engine.expect_no_bestmove();
    engine.send("stop");
    expect_usable(&engine.search_output(began));
    // Pondering on the reply that it expects, which is then played.
    engine.send("setoption name Ponder value true");
    let first = searched(&mut engine, "go wtime 300 btime 300 winc 10 binc 10");
    let reply = first.ponder.unwrap();
    let began = Instant::now();
    engine.send(&format!("{start} moves {} {reply}", first.best));
    engine.send("go ponder wtime 290 btime 310 winc 10 binc 10");
    engine.expect_no_bestmove();
    engine.send("ponderhit");
    expect_usable(&engine.search_output(began));
    engine.send("setoption name Ponder value false\nucinewgame");
    engine.ping();
    engine.send("setoption name UCI_Variant value super");
    let mut game = format!("{start} moves");
    for _ in 0..4 {
        engine.send(if game.ends_with("moves") { &start } else { &game });
        game += &format!(" {}", searched(&mut engine, "go movetime 20").best);
    }
    engine.send("quit");
    assert_eq!(engine.exit_code_within(TIMEOUT), Some(0));
}
