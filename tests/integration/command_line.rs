//! The command line: counts, help, exit codes.

use crate::data::perft_counts;
use crate::driver::{
    DEVICES, Engine, PROGRAM, empty_folder, first_line_then_close, name_without_unicode, run, skipped,
};
use crate::session::WHITE_MATES;
use std::ffi::OsStr;
use std::fs::{self, OpenOptions};
use std::io::Write;
use std::process::{Command, Stdio};

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
        (&["bench", "--depth", "201"], "1..=200"),
        (&["bench", "--depth", "4294967295"], "1..=200"),
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

/// Runs the program with an output that takes nothing: its exit code and standard error.
fn with_full_output(full: &str, args: &[&str], input: &str) -> (Option<i32>, String) {
    let full = OpenOptions::new().write(true).open(full).unwrap();
    let mut child =
        Command::new(PROGRAM).args(args).stdin(Stdio::piped()).stdout(full).stderr(Stdio::piped()).spawn().unwrap();
    // A program that ends without reading closes the pipe; that is its right.
    let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
    let output = child.wait_with_output().unwrap();
    (output.status.code(), String::from_utf8(output.stderr).unwrap())
}

#[test]
fn an_output_that_takes_nothing_is_told_of() {
    let (_, Some(full)) = DEVICES else {
        skipped("a device that takes nothing");
        return;
    };
    let folder = empty_folder("full-output");
    let dir = folder.to_str().unwrap();
    assert!(run(&["tables", "build", "--max-goats", "1", "--herds", "0", "--dir", dir], "").status.success());
    for (args, input) in [
        (&[][..], "uci\nquit\n"),
        (&[], "isready"),
        (&[], "go depth 3\n"),
        (&[], "go depth 3\nquit\n"),
        (&["uci"], "d\nquit\n"),
        (&["gtp"], "name\n"),
        (&["gtp"], "name\nquit\n"),
        (&["gtp"], "quit\n"),
        (&["analyze", "--depth", "1"], "startpos\n"),
        (&["analyze", "--depth", "1", "--format", "csv"], ""),
        (&["annotate", "--depth", "1"], "1. e5; b4\n"),
        (&["annotate", "--depth", "1", "--output", full], "1. e5; b4\n"),
        (&["convert"], "startpos\n"),
        (&["moves", "--format", "json"], "startpos\n"),
        (&["eval"], "startpos\n"),
        (&["random"], ""),
        (&["show"], ""),
        (&["show", "--svg"], ""),
        (&["perft", "--depth", "1"], ""),
        (&["bench", "--depth", "1"], ""),
        (&["tables", "stat", "--dir", dir], ""),
        (&["tables", "verify", "--dir", dir], ""),
        (&["tables", "plan", "--dir", dir, "--max-goats", "1"], ""),
        (&["tables", "build", "--dir", dir, "--max-goats", "1", "--herds", "0"], ""),
        (&["tables", "probe", "--dir", dir, "A4/5/5/5/t1t2 w"], ""),
        (&["--help"], ""),
        (&["analyze", "--help"], ""),
        (&["--version"], ""),
    ] {
        for _ in 0..3 {
            let (code, why) = with_full_output(full, args, input);
            assert_eq!(code, Some(1), "{args:?} {input:?}: {why}");
            assert!(why.contains("No space left on device"), "{args:?} {input:?}: {why}");
        }
    }
}

#[test]
fn names_are_quoted_and_cut_in_messages() {
    let long = "x".repeat(3_000) + "\u{1b}[0m\nbestmove a1a2";
    let nowhere = format!("/nowhere/{long}");
    let engines = [
        "match",
        "--engine",
        &format!("cmd={PROGRAM}"),
        "name=a",
        "depth=1",
        "--engine",
        &format!("cmd={PROGRAM}"),
        "depth=1",
    ];
    for args in [
        &["analyze", "--tables", &long][..],
        &["annotate", "--tables", &long],
        &["gtp", "--tables", &long],
        &["annotate", "--output", &format!("/nowhere/{long}")],
        &["tables", "probe", "--dir", &long, "startpos"],
        &["tables", "plan", "--dir", &long],
        &["show", "--mark", &long],
        &["show", "--arrow", &long],
        &["show", "--moves", &long],
        &["suite", &long],
        &["match", "--merge", &long],
        &["match", "--config", &long],
        &[&engines[..], &["--record", &nowhere]].concat(),
        &[&engines[..], &["--json", &nowhere]].concat(),
        &[&engines[..], &["--resume", &nowhere]].concat(),
        &[&engines[..], &["--openings", &long]].concat(),
        &[&engines[..], &["--tables", &long]].concat(),
        &[&engines[..], &["--draw", &long]].concat(),
        &[&engines[..], &["--sprt", &long]].concat(),
    ] {
        let output = run(args, "1. e5; b4\n");
        let why = String::from_utf8(output.stderr).unwrap();
        assert!(!why.is_empty() && output.status.code() != Some(0), "{:?}", &args[..2]);
        // Of several files that can't be read the last line says how many there are.
        assert!(
            why.lines().count() <= 1 + usize::from(args[0] == "suite") && why.len() < 700 && !why.contains('\u{1b}'),
            "{:.40?}: {why}",
            &args
        );
        assert!(why.contains("x…'") || why.contains("x…:"), "{why}");
    }
}

#[test]
fn commands_survive_a_reader_that_leaves() {
    for args in [&["bench", "--depth", "6"][..], &["perft", "--depth", "6", "--divide"]] {
        let (line, code) = first_line_then_close(args, "");
        assert!(!line.is_empty(), "{args:?}");
        assert!(matches!(code, Some(0 | 1)), "{args:?}: {code:?}");
    }
}

#[test]
fn paths_that_are_not_unicode_are_taken_as_they_are() {
    let folder = empty_folder("not-unicode");
    let [input, output, dir, record, journal] =
        ["input", "output", "dir", "record", "journal"].map(name_without_unicode);
    // Some file systems have no such names.
    if fs::write(folder.join(&input), "startpos\n").is_err() || fs::read_dir(&folder).unwrap().count() != 1 {
        skipped("file names that are not Unicode");
        return;
    }
    let words = |text: &'static str| text.split(' ').map(OsStr::new);
    let with = |text, path| words(text).chain([path]).collect::<Vec<&OsStr>>();
    let engines =
        format!("match --engine name=a cmd={PROGRAM} --engine name=b cmd={PROGRAM} --each nodes=1 option.Hash=1");
    let mut played: Vec<&OsStr> = engines.split(' ').map(OsStr::new).collect();
    played.extend(words("--rounds 1 --max-moves 2 --record").chain([
        record.as_os_str(),
        OsStr::new("--resume"),
        &journal,
    ]));
    for args in [
        with("analyze --depth 1", &input),
        [with("annotate --depth 1 --output", &output), vec![&input]].concat(),
        with("tables build --max-goats 1 --herds 0 --dir", &dir),
        [with("tables probe --dir", &dir), vec![OsStr::new("A4/5/5/5/t1t2 w")]].concat(),
        [with("analyze --depth 1 --tables", &dir), vec![&input]].concat(),
        played,
        with("match --merge", &record),
    ] {
        let done = Command::new(PROGRAM).args(&args).current_dir(&folder).stdin(Stdio::null()).output().unwrap();
        let why = String::from_utf8_lossy(&done.stderr).into_owned();
        assert!(done.status.success() && !why.contains("error"), "{args:?}: {why}");
    }
    let mut found: Vec<_> = fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    let mut expected = vec![input, output, dir, record, journal];
    found.sort();
    expected.sort();
    assert_eq!(found, expected);
}
