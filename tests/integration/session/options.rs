//! `setoption`: how it is read, and that each option does something.

use super::{STUCK, WHITE_MATES, expect_good_lines, expect_groups, repeated};
use crate::driver::{Engine, START, TIMEOUT, has_proc};
use std::time::Instant;

#[test]
fn what_is_repeated_is_quoted_and_cut() {
    let mut engine = Engine::uci();
    for hostile in ["x\rbestmove a1a2", "\u{1b}[2J\u{202e}x", &"y".repeat(5_000), &"é\u{0}".repeat(3_000)] {
        for line in [
            format!("setoption name TablePath value {hostile}"),
            format!("setoption name {hostile} value 1"),
            format!("setoption name Hash value {hostile}"),
            format!("setoption name UCI_Variant value {hostile}"),
            format!("position fen {hostile}"),
            format!("position startpos {hostile}"),
            format!("position startpos moves {hostile}"),
            format!("x{hostile}"),
            format!("debug {hostile}"),
            format!("bench {hostile}"),
            format!("query {hostile}"),
        ] {
            let answer = engine.info_string(&line);
            assert!(answer.chars().count() < 700 && !answer.contains(char::is_control), "{line:.80}: {answer}");
        }
    }
    assert!(engine.info_string("bench 201").contains("found '201', expected a depth of 1 to 200"));
}

#[test]
fn option_names_are_read_in_any_case_and_with_blanks() {
    let mut engine = Engine::uci();
    for silent in [
        "setoption name hAsH value 16",
        "setoption name MULTIPV value 1",
        "setoption name clear hash",
        "setoption name Clear Hash value true",
        "setoption name clear  hash value",
        "setoption name move overhead value 20",
        "setoption name Move   Overhead value 20",
        "setoption name TablePath value <empty>",
        "setoption name TablePath value",
        "setoption name uci_variant value super",
        "setoption name ponder value true",
    ] {
        assert_eq!(engine.info_strings(silent), Vec::<String>::new(), "{silent}");
    }
}

#[test]
fn options_out_of_range_or_unknown_change_nothing() {
    let mut engine = Engine::uci();
    engine.send("position startpos moves c2b2\nsetoption name MultiPV value 2");
    for bad in [
        "setoption name Nonsense value 3",
        "setoption name Nonsense",
        "setoption name MultiPV value 0",
        "setoption name MultiPV value -1",
        "setoption name MultiPV value 100000",
        "setoption name MultiPV value 99999999999999999999999999",
        "setoption name MultiPV value three",
        "setoption name MultiPV value 3.5",
        "setoption name MultiPV value",
        "setoption name MultiPV",
        "setoption name Hash value 0",
        "setoption name Hash value 1000000000",
        "setoption name Threads value 0",
        "setoption name Threads value 100000",
        "setoption name UCI_ShowWDL value perhaps",
        "setoption name UCI_Variant value chess",
        "setoption name UCI_Variant value",
        "setoption name DrawPlies value -1",
        "setoption name",
        "setoption",
        "setoption MultiPV 3",
        "setoption name value 3",
        "setoption name value",
    ] {
        engine.info_string(bad);
    }
    assert_eq!(engine.query("fen"), "5/2E1E/1t1t1/1AD1E/5 b 0 1");
    let answer = engine.search("go depth 2");
    assert_eq!(answer.infos.iter().map(|info| info.multipv).max(), Some(2));
    assert_eq!(answer.last().wdl, None);
}

#[test]
fn hash_and_its_clearing_change_what_is_remembered() {
    let mut engine = Engine::uci();
    engine.send("setoption name Hash value 1");
    let full = engine.search("go depth 11").last().hashfull;
    engine.send("setoption name Hash value 64");
    let first = engine.search("go depth 11");
    assert!(full > 2 * first.last().hashfull, "{full} {}", first.last().hashfull);
    let again = engine.search("go depth 11");
    assert!(4 * again.last().nodes < 3 * first.last().nodes, "{} {}", again.last().nodes, first.last().nodes);
    for clear in ["setoption name Clear Hash", "ucinewgame", "uginewgame", "setoption name Hash value 64"] {
        engine.send(clear);
        assert_eq!(engine.search("go depth 11").timeless(), first.timeless(), "{clear}");
    }
}

#[test]
fn threads_are_started() {
    /// The threads that help in a search, known by their names.
    fn helpers(id: u32) -> usize {
        let threads = std::fs::read_dir(format!("/proc/{id}/task")).unwrap();
        // One that has just ended has no name any more.
        let names =
            threads.map(|thread| std::fs::read_to_string(thread.unwrap().path().join("comm")).unwrap_or_default());
        names.filter(|name| name.starts_with("search ")).count()
    }
    if !has_proc() {
        return;
    }
    let mut engine = Engine::uci();
    engine.send("go infinite");
    engine.line();
    assert_eq!(helpers(engine.id()), 0);
    engine.send("stop");
    engine.search_output(Instant::now());
    engine.send("setoption name Threads value 4\ngo infinite");
    let end = Instant::now() + TIMEOUT;
    // Never more than there are processors.
    let most = std::thread::available_parallelism().map_or(4, |processors| processors.get().min(4));
    while helpers(engine.id()) < most - 1 {
        assert!(Instant::now() < end, "{} helpers", helpers(engine.id()));
        std::thread::yield_now();
    }
}

#[test]
fn many_threads_answer_with_good_lines() {
    let mut engine = Engine::uci();
    engine.send("setoption name Threads value 4\nsetoption name MultiPV value 2");
    for go in ["go depth 8", "go nodes 20000", "go movetime 30", "go movetime 0"] {
        let answer = engine.search(go);
        expect_groups(&answer.infos);
        expect_good_lines(&mut engine, "position startpos", &answer);
    }
    engine.send("setoption name Threads value 256\ngo infinite\nstop");
    engine.search_output(Instant::now());
}

#[test]
fn ponder_names_the_reply() {
    let mut engine = Engine::uci();
    assert_eq!(engine.search("go depth 4").ponder, None);
    engine.send("setoption name Ponder value true");
    let answer = engine.search("go depth 4");
    assert_eq!(answer.ponder.as_ref(), answer.last().pv.get(1));
    assert!(answer.ponder.is_some());
}

#[test]
fn chances_are_shown_on_demand() {
    let mut engine = Engine::uci();
    assert!(engine.search("go depth 3").infos.iter().all(|info| info.wdl.is_none()));
    engine.send("setoption name UCI_ShowWDL value true");
    assert!(engine.search("go depth 3").infos.iter().all(|info| info.wdl.is_some()));
    for (position, wdl) in [(WHITE_MATES, [1000, 0, 0]), (STUCK, [0, 0, 1000])] {
        engine.send(&format!("position fen {position}"));
        assert_eq!(engine.search("go depth 3").last().wdl, Some(wdl), "{position}");
    }
    engine.send(&repeated(3));
    assert_eq!(engine.search("go depth 3").last().wdl, Some([0, 1000, 0]));
}

#[test]
fn analysis_searches_drawn_games() {
    let mut engine = Engine::uci();
    engine.send(&repeated(3));
    assert_eq!(engine.search("go depth 3").best, "(none)");
    engine.send("setoption name UCI_AnalyseMode value true");
    assert_ne!(engine.search("go depth 3").best, "(none)");
}

#[test]
fn a_change_of_rules_sets_up_their_start() {
    let mut engine = Engine::uci();
    for (rules, start) in [
        ("super", START),
        ("baghguti", "2t2/1E1E1/5/1E1E1/2t2 w 0 1"),
        ("baghguti-murray", "2t2/1E1E1/2t2/1E1E1/5 w 0 1"),
        ("wikipedia-multi", START),
        ("moderno", START),
        ("wikipedia", START),
        ("baghbandi", START),
    ] {
        engine.send("position fen 5/5/1A3/t4/4t b 0 1");
        engine.send(&format!("setoption name UCI_Variant value {rules}"));
        assert_eq!(engine.query("fen"), start, "{rules}");
        engine.send("position startpos");
        assert_eq!(engine.query("fen"), start, "{rules}");
    }
}

#[test]
fn draw_plies_make_a_draw_and_zero_turns_it_off() {
    let mut engine = Engine::uci();
    let game = "position startpos moves c2b2 b3a3 b2b1 a3b3";
    for (plies, last, over) in [(4, "b1b2", "true"), (5, "b1b2", "false"), (3, "", "true"), (0, "b1b2", "false")] {
        engine.send(&format!("setoption name DrawPlies value {plies}\n{game} {last}"));
        assert_eq!(engine.query("gameover"), over, "{plies}");
        assert_eq!(engine.query("result"), if over == "true" { "draw" } else { "none" });
    }
    engine.send("setoption name DrawPlies value 0\nposition fen 5/2E1E/1t1t1/2E1E/5 w 5000 3000");
    assert_eq!(engine.query("gameover"), "false");
    engine.send("setoption name DrawPlies value 300");
    assert_eq!(engine.query("result"), "draw");
    // A win on the last ply is a win.
    engine.send("position fen 5/5/AAA2/AA3/ttAA1 b 300 200");
    assert_eq!(engine.query("result"), "p1win");
}

#[test]
fn a_table_path_is_looked_into() {
    let mut engine = Engine::uci();
    let message = engine.info_string("setoption name TablePath value /no such/folder");
    assert!(message.contains("/no such/folder"), "{message}");
    engine.search("go depth 2");
}
