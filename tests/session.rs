//! The session as its clients see it: the built program over pipes.
//!
//! The order follows the list "UCI, point by point" of the project's notes on clients; then come the exchanges of the
//! tournament managers, bad input, options, time, and the commands beside the session.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, clippy::string_slice)]
#![allow(missing_docs)]

mod driver;

use driver::{
    Answer, Engine, Info, PATIENCE, RULE_SETS, SILENCE, START, Score, first_line_then_close, in_some_attempt, run,
    stopwatch,
};
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

/// White has won: both tigers are stuck, with the fewest goats that can do it.
const STUCK: &str = "5/5/AAA2/AA3/ttAA1 b 0 1";
/// White sticks both tigers with e1d1.
const WHITE_MATES: &str = "5/5/AAA2/AA3/ttA1A w 0 1";
/// Black takes the last goat.
const BLACK_MATES: &str = "5/5/5/1A3/t3t b 0 1";
/// The last goat is gone.
const EATEN: &str = "5/5/5/5/t3t w 0 1";
/// A move of a goat from a herd, then four plies that come back to the position after it.
const CYCLE: [&str; 4] = ["b3a3", "b2b1", "a3b3", "b1b2"];

/// A game in which a position occurs for the n-th time at the end.
fn repeated(times: usize) -> String {
    let cycles = vec![CYCLE.join(" "); times - 1];
    format!("position startpos moves c2b2 {}", cycles.join(" "))
}

fn millis(count: u64) -> Duration {
    Duration::from_millis(count)
}

/// The positions of the data file: rule set, position, sorted moves.
fn cases() -> Vec<[&'static str; 3]> {
    let lines = include_str!("data/positions.tsv").lines();
    lines
        .map(|line| {
            let fields: Vec<&str> = line.split('\t').collect();
            [fields[0], fields[1], fields[2]]
        })
        .collect()
}

/// Leaf counts by rule set, from depth 1.
fn perft_counts() -> Vec<(&'static str, Vec<u64>)> {
    let lines = include_str!("data/perft.tsv").lines().filter(|line| !line.starts_with('#'));
    lines
        .map(|line| {
            let mut fields = line.split('\t');
            (fields.next().unwrap(), fields.map(|count| count.parse().unwrap()).collect())
        })
        .collect()
}

/// The command for a position after more moves.
fn after(position: &str, moves: &[String]) -> String {
    let word = if position.contains(" moves") || moves.is_empty() { "" } else { " moves" };
    moves.iter().fold(format!("{position}{word}"), |text, mv| text + " " + mv)
}

/// Plays a line of moves from a position: every move must be legal.
fn expect_legal(engine: &mut Engine, position: &str, pv: &[String]) {
    for (index, mv) in pv.iter().enumerate() {
        engine.send(&after(position, &pv[..index]));
        assert_eq!(engine.query(&format!("islegal {mv}")), "true", "{position}: pv {pv:?}\n{}", engine.tail());
    }
    engine.send(position);
}

/// Checks the lines of a search: all legal, and the last of two moves or more unless its move ends the game.
fn expect_good_lines(engine: &mut Engine, position: &str, answer: &Answer) {
    let mut lines: Vec<&[String]> = answer.infos.iter().map(|info| info.pv.as_slice()).collect();
    lines.dedup();
    for pv in lines {
        expect_legal(engine, position, pv);
    }
    if answer.last().pv.len() == 1 {
        engine.send(&after(position, &answer.last().pv));
        assert_eq!(engine.query("gameover"), "true", "{position}: pv of one move\n{}", engine.tail());
        engine.send(position);
    }
}

// 1. Silence, skipped words, blanks, line ends.

#[test]
fn it_is_silent_until_spoken_to() {
    let mut engine = Engine::start();
    assert_eq!(engine.line_within(SILENCE), None);
    for silent in
        ["", "   ", "\t", "\r", "debug on", "debug off", "ucinewgame", "position startpos", "stop", "ponderhit"]
    {
        engine.expect_nothing_for(silent);
    }
    engine.expect_nothing_for("register later");
    engine.expect_nothing_for("register name Nobody code 4359874324");
}

#[test]
fn the_handshake_is_prompt_and_complete() {
    let _alone = stopwatch();
    let mut lines = Vec::new();
    in_some_attempt(|| {
        let began = Instant::now();
        lines = Engine::start().ask("uci", "uciok");
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
    engine.ask("uci", "uciok");
    engine.search("go depth 2");
    engine.send("quit");
    assert_eq!(engine.exit_code_within(PATIENCE), Some(0));
}

#[test]
fn unknown_leading_words_are_skipped() {
    let mut engine = Engine::uci();
    engine.expect_nothing_for("joho debug on");
    engine.expect_nothing_for("joho debug off");
    assert!(engine.ask("what is this isready", "readyok").is_empty());
    assert!(engine.complaint("joho").contains("joho"));
}

#[test]
fn blanks_and_line_ends_of_every_kind_are_read() {
    let mut engine = Engine::uci();
    engine.send_bytes(b"\r\n\n  \t \n\tisready \r\n");
    assert_eq!(engine.line(), "readyok");
    engine.send_bytes(b"  position \t startpos\tmoves   c2b2  \r\n\tquery  \t fen\r\n");
    assert_eq!(engine.line(), "response 5/2E1E/1t1t1/1AD1E/5 b 0 1");
    engine.send_bytes(b"go\t depth   2 \r\n");
    engine.answer(Instant::now());
}

// 2. `isready` at any time.

#[test]
fn isready_is_answered_during_a_search() {
    let _alone = stopwatch();
    let mut engine = Engine::uci();
    engine.search("go depth 1");
    engine.send("go infinite");
    in_some_attempt(|| {
        let mut times: Vec<Duration> = (0..40).map(|_| engine.ping()).collect();
        times.sort();
        println!("readyok during a search: median {:?}, worst {:?}", times[20], times[39]);
        assert!(times[20] < millis(50) && times[39] < millis(500), "{times:?}");
    });
    // The search goes on.
    engine.expect_no_answer();
    engine.send("stop");
    engine.answer(Instant::now());
    in_some_attempt(|| {
        let answer = expect_silence_until(&mut engine, "go infinite", "stop");
        println!("bestmove {:?} after stop", answer.time);
        assert!(answer.time < millis(100), "{:?}", answer.time);
    });
}

#[test]
fn isready_is_answered_while_several_threads_search_and_leaves_are_counted() {
    let _alone = stopwatch();
    let mut engine = Engine::uci();
    engine.send("setoption name Threads value 4\ngo infinite");
    in_some_attempt(|| {
        let worst = (0..10).map(|_| engine.ping()).max().unwrap();
        println!("readyok, four threads: worst {worst:?}");
        assert!(worst < millis(500), "{worst:?}");
    });
    engine.send("stop");
    engine.answer(Instant::now());
    engine.send("go perft 30");
    assert!(engine.ask("isready", "readyok").len() < 20);
    engine.send("quit");
    assert_eq!(engine.exit_code_within(PATIENCE), Some(0));
}

#[test]
fn a_session_needs_no_new_game_nor_greeting() {
    let mut engine = Engine::start();
    assert_eq!(engine.search("go depth 4").last().depth, 4);
}

// 3. Options.

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
        assert_eq!(engine.complaints(silent), Vec::<String>::new(), "{silent}");
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
        engine.complaint(bad);
    }
    assert_eq!(engine.query("fen"), "5/2E1E/1t1t1/1AD1E/5 b 0 1");
    let answer = engine.search("go depth 2");
    assert_eq!(answer.infos.iter().map(|info| info.multipv).max(), Some(2));
    assert_eq!(answer.last().wdl, None);
}

// 4. Positions.

#[test]
fn positions_with_nothing_behind_them_are_survived() {
    let mut engine = Engine::uci();
    engine.send("position startpos moves c2b2");
    engine.complaint("position");
    engine.complaint("position fen");
    engine.complaint("position fen moves c2b2");
    engine.complaint("position moves c2b2");
    assert_eq!(engine.query("fen"), "5/2E1E/1t1t1/1AD1E/5 b 0 1");
    assert_eq!(engine.complaints("moves"), Vec::<String>::new());
    assert_eq!(engine.complaints("position startpos moves"), Vec::<String>::new());
    assert_eq!(engine.query("fen"), START);
    assert_eq!(engine.complaints(&format!("position fen {STUCK} moves")), Vec::<String>::new());
    assert_eq!(engine.query("fen"), STUCK);
    assert_eq!(engine.complaints("position startpos"), Vec::<String>::new());
    assert_eq!(engine.query("fen"), START);
}

#[test]
fn counters_of_a_position_may_be_left_out() {
    let mut engine = Engine::uci();
    for (text, full) in [
        ("5/2E1E/1t1t1/2E1E/5 w", START),
        ("5/2E1E/1t1t1/2E1E/5 b 7", "5/2E1E/1t1t1/2E1E/5 b 7 1"),
        ("11111/2E1E/1t1t1/2E1E/32 w 12 34", "5/2E1E/1t1t1/2E1E/5 w 12 34"),
    ] {
        assert_eq!(engine.complaints(&format!("position fen {text}")), Vec::<String>::new(), "{text}");
        assert_eq!(engine.query("fen"), full);
    }
}

#[test]
fn bad_positions_are_refused_with_the_reason_and_the_old_one_stays() {
    let mut engine = Engine::uci();
    engine.send("position startpos moves c2b2");
    let kept = engine.query("fen");
    for (text, reasons) in [
        ("bla", &["rank"][..]),
        ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", &["rank", "'r'"]),
        ("5/2E1E/1t1t1/2E1E w", &["rank"]),
        ("5/2E1E/1t1t1/2E1E/5/5 w", &["rank"]),
        ("4/2E1E/1t1t1/2E1E/5 w", &["point"]),
        ("5/2E1E1/1t1t1/2E1E/5 w", &["point"]),
        ("6/2E1E/1t1t1/2E1E/5 w", &["'6'", "point"]),
        ("0/2E1E/1t1t1/2E1E/5 w", &["'0'"]),
        ("5//1t1t1/2E1E/5 w", &["point"]),
        ("5/2E1E/1t3/2E1E/5 w", &["tiger"]),
        ("5/2E1E/5/2E1E/5 w", &["tiger"]),
        ("5/2E1E/ttt2/2E1E/5 w", &["tiger"]),
        ("AAAAA/2E1E/1t1t1/2E1E/5 w", &["goats"]),
        ("5/2F1E/1t1t1/2E1E/5 w", &["'F'"]),
        ("5/2a1E/1t1t1/2E1E/5 w", &["'a'"]),
        ("5/2X1E/1t1t1/2E1E/5 w", &["'X'"]),
        ("5/2é1E/1t1t1/2E1E/5 w", &["'é'"]),
        ("B4/2A1E/1t1t1/2E1E/5 w", &["herd"]),
        ("5/1E1E1/1t1t1/1E1E1/5 w", &["herd"]),
        ("5/2E1E/1t1t1/2E1E/5", &["side", "'w'"]),
        ("5/2E1E/1t1t1/2E1E/5 x", &["'x'"]),
        ("5/2E1E/1t1t1/2E1E/5 w x", &["'x'"]),
        ("5/2E1E/1t1t1/2E1E/5 w -1 1", &["'-1'"]),
        ("5/2E1E/1t1t1/2E1E/5 w 0 x", &["'x'"]),
        ("5/2E1E/1t1t1/2E1E/5 w 0 -3", &["'-3'"]),
        ("5/2E1E/1t1t1/2E1E/5 w 0 1.5", &["'1.5'"]),
        ("5/2E1E/1t1t1/2E1E/5 w 99999999999999999999 1", &["99999999999999999999"]),
        ("5/2E1E/1t1t1/2E1E/5 w 0 99999999999999999999", &["99999999999999999999"]),
        ("5/2E1E/1t1t1/2E1E/5 w 0 1 junk", &["junk"]),
    ] {
        let complaint = engine.complaint(&format!("position fen {text} moves c2b2"));
        assert!(reasons.iter().any(|reason| complaint.contains(reason)), "{text}: {complaint}");
        assert_eq!(engine.query("fen"), kept, "{text}");
    }
    engine.search("go depth 2");
}

#[test]
fn herds_are_read_where_the_rule_set_has_them() {
    let mut engine = Engine::under("baghguti");
    engine.complaint(&format!("position fen {START}"));
    assert_eq!(engine.query("fen"), "2t2/1E1E1/5/1E1E1/2t2 w 0 1");
    assert_eq!(engine.complaints("position fen 5/1E1E1/1t1t1/1E1E1/5 w"), Vec::<String>::new());
    assert_eq!(engine.query("fen"), "5/1E1E1/1t1t1/1E1E1/5 w 0 1");
}

#[test]
fn an_illegal_move_is_reported_and_the_moves_before_it_stand() {
    let mut engine = Engine::uci();
    for bad in [
        "a1a2",
        "b2b1",
        "c2c2",
        "c4c4",
        "b3b2b1b3",
        "c2c3",
        "e9e8",
        "c2",
        "c2b",
        "c2b2b1",
        "0000",
        "(none)",
        "bla",
        "e2e3q",
        "c2-b2",
        "xxxx",
        "é",
        "c4b4\u{0}",
        "moves",
    ] {
        let complaint = engine.complaint(&format!("position startpos moves c2b2 {bad} c4b4"));
        assert!(complaint.contains('2') && complaint.contains(bad.trim_end_matches('\0')), "{complaint}");
        assert_eq!(engine.query("fen"), "5/2E1E/1t1t1/1AD1E/5 b 0 1", "{bad}");
        assert_eq!(engine.query("gameover"), "true");
        assert_eq!(engine.query("result"), "p1win");
        // Whoever asks for a move all the same gets one.
        assert_ne!(engine.search("go depth 1").best, "(none)");
    }
}

#[test]
fn moves_are_read_in_either_case() {
    let mut engine = Engine::uci();
    engine.send("position startpos moves C2B2 B3b1");
    assert_eq!(engine.query("fen"), "5/2E1E/3t1/2D1E/1t3 w 0 2");
    assert_eq!(engine.query("islegal C2C3"), "true");
}

#[test]
fn legal_moves_are_those_of_the_reference() {
    let mut engines: BTreeMap<&str, Engine> = RULE_SETS.iter().map(|rules| (*rules, Engine::under(rules))).collect();
    for [rules, position, moves] in cases() {
        let engine = engines.get_mut(rules).unwrap();
        engine.send(&format!("position fen {position}"));
        let legal = engine.query("legal");
        let mut legal: Vec<&str> = legal.split(' ').collect();
        legal.sort_unstable();
        assert_eq!(legal.join(" "), moves, "{rules} {position}");
        assert_eq!(engine.query("gameover"), (moves == "(none)").to_string(), "{rules} {position}");
    }
}

#[test]
fn the_game_of_the_seed_is_played_to_its_end() {
    let mut engine = Engine::under("super");
    let record = include_str!("data/super-game.txt");
    let texts = record.split([' ', ';', '\n']).filter(|text| !text.is_empty() && !text.ends_with('.'));
    let mut played = Vec::new();
    for text in texts {
        let legal = engine.query("legal");
        let fits = |mv: &&str| match (text.contains(['-', 'x']), is_step(mv)) {
            (true, _) => **mv == text.replace(['-', 'x'], ""),
            (false, is_step) => is_step && mv.ends_with(text),
        };
        let fitting: Vec<&str> = legal.split(' ').filter(fits).collect();
        assert_eq!(fitting.len(), 1, "{text}: {legal}");
        played.push(fitting[0].to_owned());
        engine.send(&format!("moves {}", fitting[0]));
    }
    assert_eq!(
        (played.len(), engine.query("gameover").as_str(), engine.query("result").as_str()),
        (87, "true", "p1win")
    );
    engine.send(&format!("position startpos moves {}", played.join(" ")));
    assert_eq!(engine.query("result"), "p1win");
    assert_eq!(engine.query("legal"), "(none)");
    engine.send(&format!("position startpos moves {}", played[..86].join(" ")));
    assert_eq!(engine.query("gameover"), "false");
    let answer = engine.search("go depth 4");
    assert_eq!((answer.last().score, answer.best.as_str()), (Score::Mate(1), "c1b2"));
}

/// Whether a move is one step, not a capture.
fn is_step(mv: &str) -> bool {
    let bytes = mv.as_bytes();
    bytes.len() == 4 && bytes[0].abs_diff(bytes[2]) < 2 && bytes[1].abs_diff(bytes[3]) < 2
}

// 5. `go` and its limits.

#[test]
fn malformed_limits_are_survived_and_answered() {
    let mut engine = Engine::uci();
    for go in [
        "go depth abc",
        "go depth",
        "go depth -3",
        "go depth 0",
        "go depth 2.5",
        "go movetime",
        "go movetime x",
        "go movetime -5",
        "go movetime 0",
        "go nodes",
        "go nodes 0",
        "go nodes -1",
        "go nodes x",
        "go mate",
        "go mate x",
        "go mate 0",
        "go mate -1",
        "go wtime",
        "go wtime x btime y",
        "go wtime 0 btime 0",
        "go wtime -100 btime -100",
        "go wtime 0 btime 0 winc 0 binc 0 movestogo 0",
        "go wtime 40 btime 40 movestogo 0",
        "go wtime 40 btime 40 movestogo -1",
        "go wtime 40 btime 40 winc -5 binc x",
        "go wtime 40",
        "go btime 40",
        "go winc 10 binc 10 depth 2",
        "go movestogo 5 depth 2",
        "go searchmoves depth 2",
        "go searchmoves zz depth 2",
        "go nonsense depth 2",
        "go depth 2 depth 3",
        "go depth depth 2",
        "go perft",
        "go perft x",
    ] {
        // A count without a number owes a complaint or an answer, and no silence.
        if go.starts_with("go perft") {
            engine.send(&format!("{go}\nstop"));
            let lines = engine.lines_until(|line| {
                line.starts_with("bestmove") || line.starts_with("Nodes searched") || line.contains("perft")
            });
            assert!(lines[0].starts_with("info string"), "{go}: {lines:?}");
            engine = Engine::uci();
            continue;
        }
        let answer = engine.search(go);
        assert_ne!(answer.best, "(none)", "{go}");
    }
}

#[test]
fn go_alone_searches_until_stop() {
    let mut engine = Engine::start();
    engine.send("go");
    engine.expect_no_answer();
    engine.send("stop");
    engine.answer(Instant::now());
}

#[test]
fn the_first_limit_reached_stops() {
    let mut engine = Engine::uci();
    assert_eq!(engine.search("go depth 3 nodes 100000000 movetime 100000").last().depth, 3);
    let answer = engine.search("go depth 90 nodes 20000 movetime 100000");
    assert!(answer.last().nodes <= 21_000, "{}", answer.last().nodes);
    // The other limits would take it hours.
    let answer = engine.search("go depth 90 nodes 10000000000 movetime 60");
    assert!(answer.time < PATIENCE, "{:?}", answer.time);
    assert_eq!(engine.search("go wtime 100000000 btime 100000000 depth 4").last().depth, 4);
    engine.send(&format!("position fen {WHITE_MATES}"));
    let answer = engine.search("go mate 1");
    assert_eq!((answer.last().score, answer.best.as_str()), (Score::Mate(1), "e1d1"));
}

#[test]
fn huge_numbers_are_read_as_huge() {
    let mut engine = Engine::uci();
    engine.search("go depth 99999999999999999999 nodes 1000");
    engine.search("go nodes 99999999999999999999 depth 2");
    engine.search("go wtime 99999999999999999999 btime 99999999999999999999 winc 99999999999999999999 depth 2");
    engine.search("go movetime 99999999999999999999 depth 2");
    engine.search("go movetime -99999999999999999999 depth 2");
    engine.search("go mate 99999999999999999999 depth 2");
    engine.search("go wtime 1000 btime 1000 movestogo 99999999999999999999 depth 2");
}

#[test]
fn movetime_zero_means_at_once() {
    let _alone = stopwatch();
    let mut engine = Engine::uci();
    engine.search("go depth 1");
    in_some_attempt(|| {
        let mut times: Vec<Duration> = (0..9).map(|_| engine.search("go movetime 0").time).collect();
        times.sort();
        println!("movetime 0: median {:?}, worst {:?}", times[4], times[8]);
        assert!(times[4] < millis(20), "{times:?}");
    });
}

// 6. Searches without an end.

/// Starts a search that must be silent, then ends it.
fn expect_silence_until(engine: &mut Engine, go: &str, end: &str) -> Answer {
    engine.send(go);
    engine.expect_no_answer();
    let began = Instant::now();
    engine.send(end);
    let answer = engine.answer(began);
    engine.expect_nothing_for(end);
    answer
}

#[test]
fn infinite_is_silent_until_stop_whatever_is_exhausted() {
    let mut engine = Engine::uci();
    for position in ["startpos".to_owned(), format!("fen {WHITE_MATES}"), format!("fen {BLACK_MATES}")] {
        engine.send(&format!("position {position}"));
        for go in ["go infinite", "go infinite depth 2", "go depth 2 infinite", "go nodes 10 infinite movetime 1"] {
            let answer = expect_silence_until(&mut engine, go, "stop");
            assert_ne!(answer.best, "(none)", "{position} {go}");
        }
    }
}

#[test]
fn infinite_is_silent_until_stop_when_the_game_is_over() {
    let mut engine = Engine::uci();
    for position in [format!("position fen {STUCK}"), format!("position fen {EATEN}"), repeated(3)] {
        engine.send(&position);
        for go in ["go infinite", "go ponder"] {
            assert_eq!(expect_silence_until(&mut engine, go, "stop").best, "(none)", "{position}");
        }
        assert_eq!(expect_silence_until(&mut engine, "go ponder depth 3", "ponderhit").best, "(none)", "{position}");
    }
}

#[test]
fn ponder_is_silent_until_ponderhit_and_timed_from_then_on() {
    let mut engine = Engine::uci();
    engine.send("setoption name Ponder value true");
    let answer = expect_silence_until(&mut engine, "go ponder depth 2", "ponderhit");
    assert_eq!(answer.last().depth, 2);
    for (go, end) in [
        ("go ponder wtime 600 btime 600", "ponderhit"),
        ("go ponder movetime 50", "ponderhit"),
        ("go ponder wtime 100 btime 100", "stop"),
    ] {
        in_some_attempt(|| {
            let answer = expect_silence_until(&mut engine, go, end);
            assert!(answer.time < millis(600), "{go}, {end}: {:?}", answer.time);
        });
    }
    expect_silence_until(&mut engine, "go ponder", "stop");
}

#[test]
fn the_time_in_infos_runs_on_over_ponderhit() {
    let mut engine = Engine::uci();
    engine.search("go depth 1");
    for end in ["ponderhit", "ponderhit\nstop"] {
        engine.send("ucinewgame\ngo ponder wtime 50 btime 50");
        let before = loop {
            if let Some(info) = engine.expect_no_answer().pop() {
                break info;
            }
        };
        engine.send(end);
        let last = engine.answer(Instant::now()).last().clone();
        // It is the same search; a clock that starts anew makes a nonsense of nodes a second, too.
        assert!(last.time >= before.time, "{before:?}\n{last:?}");
        // The time is shown rounded down.
        let nodes = last.nodes * 1_000;
        assert!(last.nps * last.time <= nodes && nodes <= (last.nps + 1) * (last.time + 1), "{last:?}");
    }
}

#[test]
fn ponderhit_and_stop_in_any_order_are_answered_once() {
    let mut engine = Engine::uci();
    for end in ["ponderhit\nstop", "stop\nponderhit", "stop", "ponderhit\nponderhit\nstop\nstop"] {
        for _ in 0..5 {
            engine.send(&format!("go ponder depth 30\n{end}"));
            engine.answer(Instant::now());
        }
    }
    engine.expect_nothing_for("stop");
}

#[test]
fn an_endless_search_after_ponderhit_gives_way_as_any_other() {
    // A second `go` and the end of input both stop a search without an end; `ponderhit` gives it none.
    for go in ["go ponder", "go ponder infinite"] {
        let mut engine = Engine::uci();
        engine.search("go depth 1");
        engine.send(&format!("{go}\nponderhit"));
        engine.expect_no_answer();
        engine.send("go infinite");
        let first = engine.answered_within(PATIENCE);
        engine.close_input();
        let second = engine.answered_within(PATIENCE);
        assert!(first && second, "{go}: answered behind the second go {first}, behind the end of input {second}");
    }
}

#[test]
fn ponderhit_without_limits_leaves_an_endless_search() {
    let mut engine = Engine::uci();
    engine.send("go ponder infinite\nponderhit");
    engine.expect_no_answer();
    engine.send("stop");
    engine.answer(Instant::now());
}

#[test]
fn stop_and_ponderhit_when_idle_are_nothing() {
    let mut engine = Engine::uci();
    for _ in 0..3 {
        engine.expect_nothing_for("stop");
        engine.expect_nothing_for("ponderhit");
    }
    // Nor do they act on the search after.
    assert_eq!(engine.search("go depth 5").last().depth, 5);
}

#[test]
fn stop_right_behind_go_is_answered_with_a_move() {
    let mut engine = Engine::uci();
    for _ in 0..50 {
        engine.send("go infinite\nstop");
        let answer = engine.answer(Instant::now());
        assert!(answer.last().pv.len() > 1, "{:?}", answer.last());
        engine.send("go ponder depth 50\nstop");
        engine.answer(Instant::now());
    }
    engine.expect_nothing_for("stop");
}

// 7. Answers.

#[test]
fn a_second_go_while_searching_is_survived() {
    let mut engine = Engine::uci();
    engine.send("go infinite\ngo depth 3");
    engine.answer(Instant::now());
    engine.answer(Instant::now());
    engine.send("go depth 6\ngo depth 3\ngo depth 2");
    let depths: Vec<u64> = (0..3).map(|_| engine.answer(Instant::now()).last().depth).collect();
    assert_eq!(depths, [6, 3, 2]);
    assert_eq!(engine.line_within(SILENCE), None);
}

#[test]
fn lines_are_legal_to_their_end_and_two_moves_long_in_every_rule_set() {
    for rules in RULE_SETS {
        let mut engine = Engine::under(rules);
        let positions =
            cases().into_iter().filter(|case| case[0] == rules).map(|case| format!("position fen {}", case[1]));
        for position in positions.step_by(6).chain(["position startpos".to_owned()]) {
            engine.send(&position);
            for go in ["go depth 6", "go depth 1", "go nodes 1", "go movetime 0", "go nodes 300"] {
                let answer = engine.search(go);
                if engine.query("gameover") == "true" {
                    assert_eq!(answer.best, "(none)", "{rules} {position}");
                } else {
                    expect_good_lines(&mut engine, &position, &answer);
                }
            }
        }
    }
}

#[test]
fn lines_are_whole_after_a_long_search_filled_the_table() {
    let mut engine = Engine::uci();
    engine.send("setoption name Hash value 1");
    for position in ["position startpos", "position startpos moves c2b2 d3d2", "position startpos moves c2b2 b3b1 c2c3"]
    {
        engine.send(position);
        engine.search("go nodes 150000");
        for go in ["go depth 1", "go depth 8", "go movetime 0", "go movetime 5"] {
            let answer = engine.search(go);
            expect_good_lines(&mut engine, position, &answer);
        }
    }
}

#[test]
fn lines_respect_draws_by_repetition() {
    let mut engine = Engine::uci();
    let position = repeated(2);
    engine.send(&format!("setoption name DrawPlies value 6\n{position}"));
    // Quiet plies run out here already: four of six are played.
    engine.send("position startpos moves c2b2 b3a3 b2b1 a3b3 b1b2");
    let answer = engine.search("go depth 6");
    expect_good_lines(&mut engine, "position startpos moves c2b2 b3a3 b2b1 a3b3 b1b2", &answer);
    engine.send(&format!("setoption name DrawPlies value 300\n{position}"));
    let answer = engine.search("go depth 7");
    expect_good_lines(&mut engine, &position, &answer);
}

#[test]
fn a_decided_game_is_scored_and_has_no_move() {
    let mut engine = Engine::uci();
    for (position, score) in [
        (format!("position fen {STUCK}"), Score::Mate(0)),
        (format!("position fen {EATEN}"), Score::Mate(0)),
        (repeated(3), Score::Cp(0)),
        ("position fen 5/2E1E/1t1t1/2E1E/5 w 300 200".to_owned(), Score::Cp(0)),
    ] {
        engine.send(&position);
        for go in ["go depth 3", "go movetime 10", "go wtime 100 btime 100", "go nodes 5", "go mate 3", "go movetime 0"]
        {
            let answer = engine.search(go);
            assert_eq!((answer.best.as_str(), answer.last().score), ("(none)", score), "{position} {go}");
            assert!(answer.last().pv.is_empty());
        }
    }
}

/// Whether the side to move, under no threat of a longer game, is lost at once: each of its moves has an answer that wins.
fn is_lost_in_two_plies(engine: &mut Engine, position: &str) -> bool {
    let moves_after = |engine: &mut Engine, played: &[String]| {
        engine.send(&after(position, played));
        let legal = engine.query("legal");
        legal.split(' ').map(str::to_owned).collect::<Vec<_>>()
    };
    moves_after(engine, &[]).into_iter().all(|mv| {
        moves_after(engine, std::slice::from_ref(&mv)).into_iter().any(|reply| {
            engine.send(&after(position, &[mv.clone(), reply]));
            engine.query("result") == "p1win"
        })
    })
}

#[test]
fn a_forced_end_is_counted_in_moves_in_uci_and_in_plies_in_ugi() {
    let mut engine = Engine::under("baghguti");
    let before = "position fen 2AAA/2A2/A2AA/AAAAA/tAt1A w 0 1";
    let lost = format!("{before} moves c4c3");
    assert!(is_lost_in_two_plies(&mut engine, &lost));
    for (position, moves, plies) in [
        (&format!("position fen {WHITE_MATES}"), 1, 1),
        (&format!("position fen {BLACK_MATES}"), 1, 1),
        (&lost, -1, -2),
        (&before.to_owned(), 2, 3),
    ] {
        for (greeting, end, distance) in [("uci", "uciok", moves), ("ugi", "ugiok", plies)] {
            engine.ask(greeting, end);
            engine.send(position);
            let answer = engine.search("go depth 6");
            assert_eq!(answer.last().score, Score::Mate(distance), "{position}\n{}", engine.tail());
            expect_good_lines(&mut engine, position, &answer);
        }
    }
}

// 8. Several lines.

/// Checks that lines come in whole groups, from the first on and best first; returns their number.
///
/// Where a search is cut short, the lines that it did not get to any more may stand behind with the depth before.
/// Bounds, which come after a second only, stand by themselves.
fn expect_groups(infos: &[Info]) -> usize {
    let infos: Vec<&Info> = infos.iter().filter(|info| !info.is_bound).collect();
    let count = infos.last().unwrap().multipv as usize;
    assert_eq!(infos.len() % count, 0, "{infos:#?}");
    for group in infos.chunks(count) {
        let numbers: Vec<u64> = group.iter().map(|info| info.multipv).collect();
        assert_eq!(numbers, (1..=count as u64).collect::<Vec<_>>());
        for pair in group.windows(2) {
            let (better, worse) = (pair[0], pair[1]);
            assert!(better.depth >= worse.depth, "{pair:#?}");
            assert!(better.depth > worse.depth || worth(better.score) >= worth(worse.score), "{pair:#?}");
        }
        let mut firsts: Vec<&String> = group.iter().map(|info| &info.pv[0]).collect();
        firsts.sort();
        firsts.dedup();
        assert_eq!(firsts.len(), count, "{group:#?}");
    }
    count
}

/// A score as one number.
fn worth(score: Score) -> i64 {
    match score {
        Score::Cp(cp) => cp,
        Score::Mate(moves) if moves > 0 => 1_000_000 - moves,
        Score::Mate(moves) => -1_000_000 - moves,
    }
}

#[test]
fn lines_come_together_and_in_order() {
    for rules in RULE_SETS {
        let mut engine = Engine::under(rules);
        engine.send("setoption name MultiPV value 4");
        let answer = engine.search("go depth 6");
        assert_eq!(expect_groups(&answer.infos), 4);
        expect_good_lines(&mut engine, "position startpos", &answer);
        engine.send("go infinite\nstop");
        expect_groups(&engine.answer(Instant::now()).infos);
    }
}

#[test]
fn more_lines_than_moves_are_as_many_as_moves() {
    let mut engine = Engine::uci();
    engine.send("setoption name MultiPV value 500");
    assert_eq!(expect_groups(&engine.search("go depth 3").infos), 14);
    assert_eq!(expect_groups(&engine.search("go depth 3 searchmoves c2b2 c4b4").infos), 2);
    engine.send(&format!("position fen {STUCK}"));
    assert_eq!(engine.search("go depth 3").infos.len(), 1);
}

// 9. `searchmoves`.

#[test]
fn searchmoves_takes_moves_up_to_the_next_keyword() {
    let mut engine = Engine::uci();
    for go in ["go searchmoves c2b2 depth 4", "go depth 4 searchmoves c2b2", "go searchmoves C2B2 nonsense depth 4"] {
        let answer = engine.search(go);
        assert!(answer.infos.iter().all(|info| info.pv[0] == "c2b2"), "{go}: {answer:#?}");
        assert_eq!(answer.last().depth, 4);
    }
    for mv in engine.query("legal").split(' ') {
        assert_eq!(engine.search(&format!("go movetime 0 searchmoves {mv}")).best, mv);
    }
    let answer = engine.search("go searchmoves c2b2 c4b4 wtime 200 btime 200");
    assert!(answer.infos.iter().all(|info| ["c2b2", "c4b4"].contains(&info.pv[0].as_str())), "{answer:#?}");
    let answer = engine.search("go searchmoves a1a1 c2b2 depth 3");
    assert_eq!((answer.best.as_str(), answer.strings.len()), ("c2b2", 1));
    // None that is legal: said, and still answered with a legal move.
    let answer = engine.search("go searchmoves a1a1 depth 3");
    assert!(answer.best != "(none)" && !answer.strings.is_empty());
}

// 10. Ends of a session.

#[test]
fn quit_is_obeyed_at_once_in_every_state() {
    let _alone = stopwatch();
    let huge = "go depth 100\ngo depth 100\ngo depth 100";
    for state in ["", "go infinite", "go ponder", "go depth 100", "go perft 30", "bench 60", huge] {
        for threads in [1, 3] {
            in_some_attempt(|| {
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
        engine.expect_no_answer();
        engine.close_input();
        engine.answer(Instant::now());
        assert_eq!(engine.exit_code_within(PATIENCE), Some(0));
    }
}

#[test]
fn a_reader_that_leaves_ends_the_session() {
    for input in ["uci\nuci\ngo infinite\n", "uci\ngo depth 100\nisready\nuci\n"] {
        let (line, _) = first_line_then_close(&[], input);
        assert!(line.starts_with("id name"), "{line}");
    }
}

// Bad input in bulk.

#[test]
fn a_thousand_lines_of_junk_are_survived() {
    let mut engine = Engine::uci();
    let mut seed = 0x9E37_79B9_7F4A_7C15_u64;
    let words = [
        "position",
        "go",
        "fen",
        "moves",
        "setoption",
        "name",
        "value",
        "xyzzy",
        "c2b2",
        "-1",
        "depth",
        "5/5",
        "é",
        "querry",
    ];
    let mut junk = String::new();
    for _ in 0..1000 {
        for _ in 0..6 {
            seed ^= seed << 13;
            seed ^= seed >> 7;
            seed ^= seed << 17;
            let word = words[(seed % words.len() as u64) as usize];
            // A search that starts from junk would have to be stopped first.
            junk += if word == "go" { "goo" } else { word };
            junk.push(' ');
        }
        junk.push('\n');
    }
    engine.send(&junk);
    engine.send("stop\nposition startpos\nquery fen");
    engine.lines_until(|line| line == format!("response {START}"));
    engine.search("go depth 3");
}

#[test]
fn bytes_of_every_value_are_survived() {
    let mut engine = Engine::uci();
    let all: Vec<u8> = (0..=255).collect();
    for bytes in
        [&all[..], &all[128..], b"\0\0\0", b"\xff\xfe", b"isready\0", b"position fen \xc3\x28 w", b"go depth \xff"]
    {
        engine.send_bytes(bytes);
        engine.send_bytes(b"\n");
    }
    engine.send("stop\nisready");
    engine.lines_until(|line| line == "readyok");
    engine.send("query fen");
    engine.lines_until(|line| line == format!("response {START}"));
}

#[test]
fn lines_of_a_megabyte_are_survived() {
    let mut engine = Engine::uci();
    let megabyte = "x".repeat(1 << 20);
    for line in [
        megabyte.clone(),
        "x ".repeat(1 << 19),
        " ".repeat(1 << 20),
        format!("position fen {megabyte}"),
        format!("position startpos moves {megabyte}"),
        format!("setoption name {megabyte} value {megabyte}"),
        format!("setoption name Hash value {}", "9".repeat(1 << 20)),
        format!("position fen {}", "5/".repeat(1 << 19)),
    ] {
        for complaint in engine.complaints(&line) {
            assert!(complaint.len() < 2000, "a complaint of {} bytes", complaint.len());
        }
    }
    engine.send("position startpos");
    assert_eq!(engine.query("fen"), START);
    let answer = engine.search(&format!("go depth 2 searchmoves {}", "c2b2 ".repeat(1 << 17)));
    assert_eq!(answer.best, "c2b2");
    let answer = engine.search(&format!("go depth {}", "9".repeat(1 << 10) + " nodes 100"));
    assert_ne!(answer.best, "(none)");
}

#[test]
fn ten_thousand_moves_are_played() {
    let mut engine = Engine::uci();
    engine.send("setoption name DrawPlies value 0");
    engine.send(&repeated(2501));
    let began = Instant::now();
    assert_eq!(engine.query("fen"), "5/2E1E/1t1t1/1AD1E/5 b 10000 5001");
    println!("10,001 moves in one position: {:?}", began.elapsed());
    assert_eq!((engine.query("gameover"), engine.query("result")), ("true".to_owned(), "draw".to_owned()));
    let answer = engine.search("go depth 3");
    assert_eq!((answer.best.as_str(), answer.last().score), ("(none)", Score::Cp(0)));
    engine.send("setoption name UCI_AnalyseMode value true");
    assert_ne!(engine.search("go depth 3").best, "(none)");
}

#[test]
fn stdout_carries_nothing_but_the_protocol() {
    let output = run(&["-vv"], "uci\nisready\nposition fen bla\ngo depth 4\nquit\n");
    assert_eq!(output.status.code(), Some(0));
    for line in String::from_utf8(output.stdout).unwrap().lines() {
        let first = line.split(' ').next().unwrap();
        assert!(["id", "option", "uciok", "readyok", "info", "bestmove"].contains(&first), "{line}");
    }
    assert!(!output.stderr.is_empty());
}

// Other commands of the session.

#[test]
fn perft_prints_moves_a_blank_line_and_the_sum() {
    for (rules, counts) in perft_counts() {
        let mut engine = Engine::under(rules);
        for (index, count) in counts[..4].iter().enumerate() {
            engine.send(&format!("go perft {}", index + 1));
            let mut lines = engine.lines_until(|line| line.starts_with("Nodes searched: "));
            assert_eq!(lines.pop().unwrap(), format!("Nodes searched: {count}"), "{rules}");
            assert_eq!(lines.pop().as_deref(), Some(""));
            let parts = lines.iter().map(|line| line.split_once(": ").unwrap());
            let (mut moves, mut sum) = (Vec::new(), 0);
            for (mv, part) in parts {
                assert!(driver::is_move(mv), "{mv}");
                moves.push(mv);
                sum += part.parse::<u64>().unwrap();
            }
            assert_eq!((moves.len() as u64, sum), (counts[0], *count), "{rules}");
        }
    }
}

#[test]
fn perft_stops() {
    let mut engine = Engine::uci();
    in_some_attempt(|| {
        engine.send("go perft 30");
        engine.ping();
        let began = Instant::now();
        engine.send("stop");
        engine.lines_until(|line| line == "info string perft stopped");
        assert!(began.elapsed() < millis(500), "{:?}", began.elapsed());
    });
}

#[test]
fn d_shows_the_board_and_ends_with_the_position() {
    let mut engine = Engine::uci();
    for position in [START, STUCK, "A4/2A1E/1t1t1/2E1C/5 b 3 17"] {
        engine.send(&format!("position fen {position}\nd"));
        let lines = engine.lines_until(|line| line.starts_with("Fen: "));
        assert_eq!(lines.last().unwrap(), &format!("Fen: {position}"));
        assert!(lines.len() > 5);
        engine.expect_nothing_for("");
    }
}

#[test]
fn eval_and_help_answer() {
    let mut engine = Engine::uci();
    for command in ["eval", "help"] {
        engine.send(&format!("{command}\nquery p1turn"));
        let lines = engine.lines_until(|line| line.starts_with("response "));
        assert!(lines.len() > 1, "{command}");
    }
}

#[test]
fn queries_that_nobody_knows_are_complained_about() {
    let mut engine = Engine::uci();
    engine.complaint("query");
    engine.complaint("query weather");
    for no in ["", "a1a1", "zz", "c2b2b1", "b3b2"] {
        assert_eq!(engine.query(&format!("islegal {no}")), "false", "{no}");
    }
}

#[test]
fn searches_with_one_thread_repeat_themselves() {
    for rules in ["baghbandi", "super", "wikipedia-multi"] {
        let mut engine = Engine::under(rules);
        let mut runs = Vec::new();
        for _ in 0..2 {
            engine.send("ucinewgame\nposition startpos moves");
            let answer = engine.search("go depth 10");
            runs.push((answer.timeless().join("\n"), answer.best));
        }
        let mut other = Engine::under(rules);
        let answer = other.search("go depth 10");
        runs.push((answer.timeless().join("\n"), answer.best));
        assert_eq!(runs[0], runs[1], "{rules}: not forgotten by ucinewgame");
        assert_eq!(runs[0], runs[2], "{rules}: not the same in another process");
    }
}

// Options: each does something.

#[test]
fn hash_and_its_clearing_change_what_is_remembered() {
    let mut engine = Engine::uci();
    engine.send("setoption name Hash value 1");
    let full = engine.search("go depth 11").last().hashfull;
    engine.send("setoption name Hash value 64");
    let first = engine.search("go depth 11");
    assert!(full > 2 * first.last().hashfull, "{full} {}", first.last().hashfull);
    let again = engine.search("go depth 11");
    assert!(again.last().nodes < first.last().nodes / 2, "{} {}", again.last().nodes, first.last().nodes);
    for clear in ["setoption name Clear Hash", "ucinewgame", "uginewgame", "setoption name Hash value 64"] {
        engine.send(clear);
        assert_eq!(engine.search("go depth 11").timeless(), first.timeless(), "{clear}");
    }
}

#[cfg(target_os = "linux")]
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
    let mut engine = Engine::uci();
    engine.send("go infinite");
    engine.line();
    assert_eq!(helpers(engine.id()), 0);
    engine.send("stop");
    engine.answer(Instant::now());
    engine.send("setoption name Threads value 4\ngo infinite");
    let end = Instant::now() + PATIENCE;
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
    engine.answer(Instant::now());
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
    let complaint = engine.complaint("setoption name TablePath value /no such/folder");
    assert!(complaint.contains("/no such/folder"), "{complaint}");
    engine.search("go depth 2");
}

// Time.

#[test]
fn overhead_is_kept_back() {
    let _alone = stopwatch();
    let mut engine = Engine::uci();
    engine.send("setoption name Move Overhead value 400");
    in_some_attempt(|| {
        let answer = engine.search("go wtime 500 btime 500 movestogo 1");
        assert!(answer.time < millis(300), "{:?}", answer.time);
    });
    engine.send("setoption name Move Overhead value 0\nucinewgame");
    let answer = engine.search("go wtime 500 btime 500 movestogo 1");
    assert!(answer.time > millis(200), "{:?}", answer.time);
}

#[test]
fn a_move_time_is_kept() {
    let _alone = stopwatch();
    let mut engine = Engine::uci();
    engine.search("go depth 1");
    for time in [20, 100, 300] {
        let mut times = Vec::new();
        in_some_attempt(|| {
            let answer = engine.search(&format!("go movetime {time}"));
            println!("movetime {time}: {:?}", answer.time);
            times.push(answer.time);
            assert!(answer.time <= millis(time + 100), "{time}: {:?}", answer.time);
        });
        // It is made use of on a busy machine, too.
        assert!(times.iter().all(|used| *used >= millis(time).saturating_sub(millis(30))), "{time}: {times:?}");
    }
}

#[test]
fn the_clock_is_never_exceeded() {
    let _alone = stopwatch();
    let mut engine = Engine::uci();
    engine.send("setoption name Move Overhead value 50");
    // The table is made by then; see the tests of the first move.
    engine.search("go depth 1");
    for position in ["position startpos", "position startpos moves c2b2"] {
        engine.send(position);
        for clock in [
            "go wtime 500 btime 500",
            "go wtime 500 btime 500 movestogo 1",
            "go wtime 1000 btime 1000 movestogo 2",
            "go wtime 1000 btime 1000 winc 5000 binc 5000",
            "go wtime 500 btime 500 winc 5000 binc 5000 movestogo 1",
            "go p1time 500 p2time 500 p1inc 10 p2inc 10",
        ] {
            let left: u64 = clock.split(' ').nth(2).unwrap().parse().unwrap();
            in_some_attempt(|| {
                let answer = engine.search(clock);
                println!("{clock}: {:?}", answer.time);
                assert!(answer.time < millis(left), "{clock}: {:?}", answer.time);
            });
        }
    }
    in_some_attempt(|| {
        let answer = engine.search("go wtime 1 btime 1");
        assert!(answer.time < millis(100), "{:?}", answer.time);
    });
}

#[test]
fn a_game_is_never_lost_on_time() {
    let _alone = stopwatch();
    let mut engine = Engine::under("wikipedia");
    in_some_attempt(|| {
        let (mut clocks, increment) = ([millis(3000); 2], millis(10));
        let mut moves: Vec<String> = Vec::new();
        for ply in 0..40 {
            engine.send(&format!("position startpos moves {}", moves.join(" ")));
            let [white, black] = clocks.map(|clock| clock.as_millis());
            let answer = engine.search(&format!("go wtime {white} btime {black} winc 10 binc 10"));
            if answer.best == "(none)" {
                break;
            }
            let clock = &mut clocks[ply % 2];
            *clock = clock.checked_sub(answer.time).expect("lost on time") + increment;
            moves.push(answer.best);
        }
        println!("clocks after {} plies: {clocks:?}", moves.len());
    });
}

/// Waits for `readyok` as a client does before it starts a clock, then asks for a move within 100 ms.
fn time_of_a_move_once_ready(engine: &mut Engine, before: &str) -> Duration {
    engine.send(before);
    engine.ping();
    let time = engine.search("go movetime 100").time;
    println!("movetime 100 behind {before:?} and readyok: {time:?}");
    time
}

#[test]
fn the_first_move_is_made_in_time() {
    let _alone = stopwatch();
    in_some_attempt(|| {
        let time = time_of_a_move_once_ready(&mut Engine::uci(), "ucinewgame");
        assert!(time < millis(300), "{time:?}");
    });
}

#[test]
fn the_first_move_with_a_larger_table_is_made_in_time() {
    let _alone = stopwatch();
    in_some_attempt(|| {
        let mut engine = Engine::uci();
        let time = time_of_a_move_once_ready(&mut engine, "setoption name Hash value 512");
        assert!(time < millis(300), "{time:?}");
        engine.search("go movetime 300");
        let time = time_of_a_move_once_ready(&mut engine, "ucinewgame");
        assert!(time < millis(300), "{time:?}");
    });
}

// Tournament managers.

/// Asks the three questions of cutegames.
fn referee(engine: &mut Engine) -> [String; 3] {
    let answers = ["p1turn", "gameover", "result"].map(|what| engine.query(what));
    assert!(answers.iter().all(|word| !word.contains(' ')));
    answers
}

#[test]
fn cutegames_plays_a_game() {
    let mut players = [Engine::start(), Engine::start()];
    for engine in &mut players {
        let lines = engine.ask("ugi", "ugiok");
        assert!(lines.iter().all(|line| line.starts_with("id ") || line.starts_with("option ")), "{lines:?}");
        engine.send("setoption name Move Overhead value 10\nsetoption name DrawPlies value 12\nsetoption name Ponder value true");
        assert!(engine.ask("isready", "readyok").is_empty());
        assert!(engine.ask("isready", "readyok").is_empty());
        engine.send("uginewgame");
        assert!(engine.ask("isready", "readyok").is_empty());
    }
    let mut game = "position startpos".to_owned();
    let goes = ["go p1time 400 p2time 400 p1inc 5 p2inc 5", "go depth 3", "go nodes 500", "go movetime 10"];
    for ply in 0.. {
        players.iter_mut().for_each(|engine| engine.send(&game));
        let [turn, over, _] = referee(&mut players[0]);
        assert_eq!(turn, (ply % 2 == 0).to_string());
        if over == "true" || ply == 80 {
            break;
        }
        let engine = &mut players[ply % 2];
        let answer = engine.search(goes[ply / 2 % goes.len()]);
        // More than the move on its line would hang cutegames.
        assert_eq!(answer.ponder, None);
        game += if ply == 0 { " moves " } else { " " };
        game += &answer.best;
    }
    let results = players.each_mut().map(|engine| engine.query("result"));
    assert_eq!(results[0], results[1]);
    assert!(["p1win", "p2win", "draw", "none"].contains(&results[0].as_str()));
    for engine in &mut players {
        engine.send("quit");
        assert_eq!(engine.exit_code_within(PATIENCE), Some(0));
    }
}

#[test]
fn the_referee_tells_wins_draws_and_illegal_moves() {
    let mut engine = Engine::ugi();
    for (position, answers) in [
        ("position startpos".to_owned(), ["true", "false", "none"]),
        ("position startpos moves c2b2".to_owned(), ["false", "false", "none"]),
        (format!("position fen {STUCK}"), ["false", "true", "p1win"]),
        (format!("position fen {WHITE_MATES} moves e1d1"), ["false", "true", "p1win"]),
        (format!("position fen {EATEN}"), ["true", "true", "p2win"]),
        (format!("position fen {BLACK_MATES} moves a1c3"), ["true", "true", "p2win"]),
        (repeated(2), ["false", "false", "none"]),
        (repeated(3), ["false", "true", "draw"]),
        ("position fen 5/2E1E/1t1t1/2E1E/5 w 299 150".to_owned(), ["true", "false", "none"]),
        ("position fen 5/2E1E/1t1t1/2E1E/5 w 300 150".to_owned(), ["true", "true", "draw"]),
    ] {
        engine.send(&position);
        assert_eq!(referee(&mut engine), answers, "{position}");
    }
    for (moves, result) in [("a1a2", "p2win"), ("c2b2 a1a2", "p1win"), ("c2b2 b3b1 b1b2", "p2win"), ("bla", "p2win")] {
        engine.complaint(&format!("position startpos moves {moves}"));
        assert_eq!(engine.query("gameover"), "true", "{moves}");
        assert_eq!(engine.query("result"), result, "{moves}");
    }
    // Forgotten with the next position.
    engine.send("position startpos");
    assert_eq!(referee(&mut engine), ["true", "false", "none"]);
    assert!(!engine.complaints("moves a1a2").is_empty());
    assert_eq!(referee(&mut engine)[1..], ["true", "p2win"]);
}

#[test]
fn few_goats_lose_under_the_wikipedia_rules_only() {
    let six = "AAA2/AAA2/5/5/t3t w 0 1";
    for rules in RULE_SETS {
        let mut engine = Engine::under(rules);
        engine.send(&format!("position fen {six}"));
        let lost = rules.starts_with("wikipedia");
        assert_eq!(engine.query("gameover"), lost.to_string(), "{rules}");
        assert_eq!(engine.query("result"), if lost { "p2win" } else { "none" }, "{rules}");
    }
}

#[test]
fn cutergames_plays_a_game() {
    let mut engine = Engine::start_with(&["--game", "ataxx"]);
    engine.ask("ugi", "ugiok");
    engine.send("setoption name DrawPlies value 10");
    engine.ask("isready", "readyok");
    engine.send("uginewgame");
    engine.ask("isready", "readyok");
    engine.send(&format!("position fen {START}"));
    let mut plies = 0;
    while engine.query("gameover") == "false" && plies < 40 {
        engine.send("go movetime 10");
        let lines = engine.lines_until(|line| line.starts_with("bestmove "));
        // It looks at the first eight bytes of each.
        assert!(lines.iter().all(|line| line.is_char_boundary(8) && line.len() >= 8), "{lines:?}");
        let best = lines.last().unwrap().strip_prefix("bestmove ").unwrap();
        assert_eq!(engine.query(&format!("islegal {best}")), "true");
        engine.send(&format!("moves {best}"));
        plies += 1;
    }
    assert!(plies > 5);
}

#[test]
fn variantfishtest_plays_a_game() {
    let mut engine = Engine::start();
    engine.ask("uci", "uciok");
    engine.send("setoption name UCI_Variant value wikipedia-multi\nsetoption name hash value 16");
    engine.send("setoption name DrawPlies value 14");
    engine.ask("isready", "readyok");
    let mut moves: Vec<String> = Vec::new();
    engine.send("ucinewgame\nsetoption name clear hash value true");
    engine.ask("isready", "readyok");
    loop {
        engine.send(&format!("position startpos moves {}", moves.join(" ")));
        let answer = engine.search("go wtime 100000 btime 100000 winc 1000 binc 1000 depth 5");
        let last = answer.last();
        assert!(u128::from(last.time) <= answer.time.as_millis() + 1, "{last:?}");
        if answer.best == "(none)" {
            assert!(last.pv.is_empty() && matches!(last.score, Score::Mate(0) | Score::Cp(0)), "{last:?}");
            break;
        }
        let ends = last.pv.len() == 1;
        moves.push(answer.best.clone());
        engine.send(&format!("position startpos moves {}", moves.join(" ")));
        if ends {
            assert_eq!(engine.query("gameover"), "true");
        }
        // What it takes for a win on the spot is one.
        if last.score == Score::Mate(1) {
            assert!(engine.query("result").ends_with("win"));
        }
        assert!(moves.len() < 1000, "no end");
    }
}

#[test]
fn a_greeting_in_the_other_protocol_changes_the_session() {
    let mut engine = Engine::uci();
    engine.send("setoption name Ponder value true");
    assert!(engine.search("go depth 3").ponder.is_some());
    engine.ask("ugi", "ugiok");
    assert_eq!(engine.search("go depth 3").ponder, None);
    engine.ask("uci", "uciok");
    assert!(engine.search("go depth 3").ponder.is_some());
}

/// Starts an endless search, then says this; whether `query p1turn` behind it is answered while the search goes on.
fn is_answered_while_searching(engine: &mut Engine, setting: &str) -> bool {
    engine.send(&format!("go infinite\n{setting}\nquery p1turn"));
    let end = Instant::now() + PATIENCE;
    let mut is_answered = false;
    while !is_answered && let Some(line) = engine.line_within(end.saturating_duration_since(Instant::now())) {
        is_answered = line == "response true";
    }
    engine.send("stop");
    engine.lines_until(|line| line.starts_with("bestmove "));
    engine.send("query fen");
    engine.lines_until(|line| line.starts_with("response 5"));
    is_answered
}

#[test]
fn questions_during_a_search_are_answered() {
    let mut engine = Engine::uci();
    engine.search("go depth 1");
    assert!(is_answered_while_searching(&mut engine, ""));
}

#[test]
fn questions_during_the_first_search_are_answered() {
    // The table may still be in the making when `go` comes.
    let answered: Vec<bool> = (0..3).map(|_| is_answered_while_searching(&mut Engine::start(), "")).collect();
    assert_eq!(answered, [true; 3], "a query during a search that a script begins with");
}

#[test]
fn questions_behind_a_setting_during_a_search_are_answered() {
    let mut engine = Engine::uci();
    engine.search("go depth 1");
    for setting in ["setoption name Nonsense value 1", "position fen bla", "setoption name Ponder value true"] {
        assert!(is_answered_while_searching(&mut engine, setting), "{setting}: {}", engine.tail());
    }
}

// The command line.

fn stdout_of(args: &[&str]) -> String {
    let output = run(args, "");
    assert_eq!(output.status.code(), Some(0), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn the_perft_command_counts() {
    for (rules, counts) in perft_counts() {
        let text = stdout_of(&["perft", "--rules", rules, "--depth", "5"]);
        for (index, count) in counts[..5].iter().enumerate() {
            let start = format!("depth {}: {count} leaves in ", index + 1);
            assert!(text.lines().any(|line| line.starts_with(&start)), "{rules}: {text}");
        }
    }
    let text = stdout_of(&["perft", "--depth", "5", "--hash", "16"]);
    assert!(text.contains("depth 5: 258960 leaves"), "{text}");
    let text = stdout_of(&["perft", "--depth", "2", "--divide", "--fen", WHITE_MATES]);
    assert!(text.contains("e1d1: 0\n"), "{text}");
}

#[test]
fn the_bench_is_the_same_every_time_and_in_the_session() {
    let nodes = |text: &str| {
        let last: Vec<&str> = text.lines().last().unwrap().split(' ').collect();
        let [nodes, "nodes", nps, "nps"] = last.as_slice() else { panic!("{text}") };
        assert!(nps.parse::<u64>().is_ok(), "{nps}");
        nodes.parse::<u64>().unwrap()
    };
    let first = nodes(&stdout_of(&["bench", "--depth", "7"]));
    assert_eq!(first, nodes(&stdout_of(&["bench", "--depth", "7"])));
    let mut engine = Engine::uci();
    for before in
        ["", "setoption name Hash value 1\nsetoption name Threads value 3\nsetoption name MultiPV value 3\ngo depth 5"]
    {
        engine.send(&format!("{before}\nbench 7"));
        let lines = engine.lines_until(|line| line.ends_with(" nps"));
        assert_eq!(first, nodes(&lines.join("\n")), "after {before}");
    }
}

#[test]
fn every_command_has_a_help_with_an_example() {
    for args in [&["--help"][..], &["uci", "--help"], &["gtp", "--help"], &["perft", "--help"], &["bench", "--help"]] {
        let text = stdout_of(args);
        assert!(text.contains("Usage: sundarban"), "{text}");
        assert!(text.contains("Example"), "{args:?} has no example:\n{text}");
    }
    assert!(stdout_of(&["--version"]).starts_with("sundarban "));
}

#[test]
fn bad_usage_is_exit_code_2_with_the_reason() {
    for (args, reason) in [
        (&["nonsense"][..], "nonsense"),
        (&["--nonsense"], "--nonsense"),
        (&["perft", "--depth", "x"], "x"),
        (&["perft", "--depth", "-1"], "-1"),
        (&["perft", "--depth"], "--depth"),
        (&["perft", "--rules", "chess"], "chess"),
        (&["perft", "--fen", "bla"], "bla"),
        (&["perft", "--fen", "5/2E1E/1t3/2E1E/5 w"], "tiger"),
        (&["perft", "stray"], "stray"),
        (&["gtp", "--rules", "chess"], "chess"),
        (&["gtp", "--level", "0"], "0"),
        (&["gtp", "--level", "11"], "11"),
        (&["gtp", "--movetime", "soon"], "soon"),
        (&["gtp", "--hash", "0"], "--hash"),
        (&["gtp", "--threads", "1000"], "--threads"),
        (&["gtp", "--draw-plies", "99999"], "--draw-plies"),
        (&["bench", "--depth", "0"], "0"),
        (&["bench", "--depth", "many"], "many"),
        (&["uci", "--depth", "3"], "--depth"),
    ] {
        let output = run(args, "");
        assert_eq!(output.status.code(), Some(2), "{args:?}");
        assert!(output.stdout.is_empty(), "{args:?}");
        let message = String::from_utf8(output.stderr).unwrap();
        assert!(message.contains(reason) && message.contains("error"), "{args:?}: {message}");
    }
}

#[test]
fn what_can_not_be_done_is_exit_code_1_with_the_reason() {
    let output = run(&["perft", "--depth", "2", "--hash", "9000000000000"], "");
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8(output.stderr).unwrap().starts_with("error: "));
}

#[test]
fn commands_survive_a_reader_that_leaves() {
    for args in [&["bench", "--depth", "6"][..], &["perft", "--depth", "6", "--divide"]] {
        let (line, code) = first_line_then_close(args, "");
        assert!(!line.is_empty(), "{args:?}");
        assert!(matches!(code, Some(0 | 1)), "{args:?}: {code:?}");
    }
}
