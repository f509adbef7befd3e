//! Bad input in bulk.

use super::repeated;
use crate::driver::{
    Engine, PROGRAM, START, Score, has_proc, has_shell, peak_memory, retry, run, side_by_side, stderr, stdout,
};
use std::io::Write;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

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
        for message in engine.info_strings(&line) {
            assert!(message.len() < 2000, "a message of {} bytes", message.len());
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

/// Starts the program, sends a text and then a line again and again, 160 MB in all or until it takes no more; the most
/// memory that it has had after a while of that, in megabytes, where it can be seen.
fn memory_under_flood(args: &[&str], first: &str, line: &str) -> Option<u64> {
    let mut child = Command::new(PROGRAM)
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut input = child.stdin.take().unwrap();
    let (first, block) = (first.to_owned(), line.repeat((1 << 20) / line.len()));
    let writer = std::thread::spawn(move || {
        let _ =
            input.write_all(first.as_bytes()).is_ok() && (0..160).all(|_| input.write_all(block.as_bytes()).is_ok());
        // Still open: at its end the program would end as well, and its memory would be seen no more.
        input
    });
    // A reader without a bound would have taken in most of it by then; one that is done takes no more.
    let until = Instant::now() + Duration::from_millis(1500);
    while !writer.is_finished() && Instant::now() < until {
        std::thread::sleep(Duration::from_millis(20));
    }
    let kilobytes = peak_memory(child.id());
    child.kill().unwrap();
    child.wait().unwrap();
    drop(writer.join().unwrap());
    kilobytes.map(|kilobytes| kilobytes / 1024)
}

#[test]
fn memory_does_not_grow_with_what_is_sent() {
    if !has_proc() {
        return;
    }
    let moves = ["c2b2", "b3a3", "b2b1", "a3b3", "b1b2"].join(" ") + &" b3a3 b2b1 a3b3 b1b2".repeat(2_000);
    let long = format!("position startpos moves {moves}\n");
    let search = "setoption name Hash value 1\ngo depth 100\n";
    let cases = [
        (&[][..], "", "isready\n"),
        (&[], search, "isready\n"),
        (&[], "", &*long),
        // All of it waits behind a search that waits.
        (&[], "setoption name Hash value 1\ngo depth 100\ngo depth 100\n", "position startpos moves c2b2 b3b1 e4e5\n"),
        (&[], "setoption name Hash value 1\ngo depth 100\ngo depth 100\n", "go depth 1\n"),
        (&[], search, &*long),
        (&["gtp", "--movetime", "600000", "--hash", "1"], "genmove w\n", "name\n"),
        (&["gtp"], "", "showboard\n"),
    ];
    side_by_side(&cases, |&(args, first, line)| {
        let megabytes = memory_under_flood(args, first, line);
        println!("{args:?} {first:?} {line:.20?}: {megabytes:?} MB");
        assert!(megabytes.is_some_and(|size| size < 120), "{args:?} {first:?} {line:.20}: {megabytes:?} MB");
    });
}

#[test]
fn stop_and_quit_behind_thousands_of_lines_are_obeyed_at_once() {
    let lines = "position startpos moves c2b2 b3b1 e4e5\nd\nisready\n".repeat(5_000);
    for (go, answers) in [("go infinite\n", 1), ("go depth 100\n", 1), ("go depth 100\ngo depth 100\n", 2)] {
        for end in ["stop\n", "quit\n"] {
            retry(|| {
                let mut engine = Engine::uci();
                engine.send(go.trim_end());
                let began = Instant::now();
                engine.send_bytes((lines.clone() + end).as_bytes());
                (0..answers).for_each(|_| assert!(engine.bestmove_within(Duration::from_secs(20)), "{go} {end}"));
                println!("{end:?} behind 15,000 lines: {:?}", began.elapsed());
                assert!(began.elapsed() < Duration::from_secs(2), "{go} {end}: {:?}", began.elapsed());
            });
        }
    }
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

#[test]
fn a_table_larger_than_the_memory_leaves_some_for_the_search() {
    if !has_shell() {
        return;
    }
    let input = "setoption name Hash value 4096\nisready\nucinewgame\nisready\ngo depth 8\n";
    for kilobytes in [300_000, 600_000, 900_000] {
        let script = format!("ulimit -v {kilobytes}; printf '{}' | {PROGRAM}", input.replace('\n', "\\n"));
        let output = Command::new("sh").args(["-c", &script]).output().unwrap();
        let text = stdout(&output);
        assert!(output.status.success() && text.contains("info depth 8 "), "{kilobytes}: {text} {}", stderr(&output));
        assert!(text.lines().last().is_some_and(|line| line.starts_with("bestmove ")), "{kilobytes}: {text}");
    }
}
