//! Drives the commands for scripts as a shell does: `analyze`, `convert`, `moves`, `eval`, `random`.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, clippy::string_slice)]

mod reader;

use reader::json::{self, Value};
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

const BINARY: &str = env!("CARGO_BIN_EXE_sundarban");
const START: &str = "5/2E1E/1t1t1/2E1E/5 w 0 1";

fn data(name: &str) -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data").join(name)).unwrap()
}

/// An empty folder for a test.
fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("analysis-{name}"));
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    folder
}

fn start(words: &[&str]) -> Child {
    let mut command = Command::new(BINARY);
    command.args(words).env_remove("RUST_LOG").stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command.spawn().unwrap()
}

/// Runs the program with this on standard input.
fn run(words: &[&str], input: impl AsRef<[u8]>) -> Output {
    let mut child = start(words);
    let mut stdin = child.stdin.take().unwrap();
    let input = input.as_ref().to_owned();
    // The program may not read all of it.
    let writer = std::thread::spawn(move || stdin.write_all(&input));
    let output = child.wait_with_output().unwrap();
    let _ = writer.join().unwrap();
    output
}

/// What a run that must succeed prints.
fn output(words: &[&str], input: &str) -> String {
    let output = run(words, input);
    let errors = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success() && errors.is_empty(), "{words:?}: {errors}");
    String::from_utf8(output.stdout).unwrap()
}

fn lines(output: &[u8]) -> Vec<String> {
    String::from_utf8(output.to_owned()).unwrap().lines().map(str::to_owned).collect()
}

/// What a run of `analyze --format json` prints, and its exit code.
fn records(words: &[&str], input: impl AsRef<[u8]>) -> (Vec<Value>, Option<i32>) {
    let output = run(&[&["analyze", "--format", "json"], words].concat(), input);
    let read = |line: String| json::read(&line).unwrap_or_else(|why| panic!("{why}: {line}"));
    (lines(&output.stdout).into_iter().map(read).collect(), output.status.code())
}

/// A line with its time taken out.
fn timeless(text: &str) -> String {
    let words: Vec<&str> = text.split(' ').collect();
    let is_time = |index: usize| index > 0 && words[index - 1] == "time";
    let kept = words.iter().enumerate().filter(|(index, _)| !is_time(*index));
    kept.map(|(_, word)| *word).collect::<Vec<_>>().join(" ")
}

// convert

#[test]
fn the_game_of_the_seed_converts_there_and_back() {
    let seed = data("super-game.txt");
    let moves = output(&["convert", "--rules", "super", "--to", "moves"], &seed);
    assert!(moves.starts_with(&format!("super\t{START} moves e4e5 b3b4 e4e3 b4d4 c4b4 ")), "{moves}");
    assert_eq!(moves.split_whitespace().count(), 1 + 4 + 1 + 87);
    let record = output(&["convert", "--to", "record"], &moves);
    // The seed names both points of one move where one would do.
    assert_eq!(record, format!("super\t{}\n", seed.trim()).replace("33. a1; a3-b3", "33. a1; b3"));
    assert_eq!(output(&["convert", "--to", "moves"], &record), moves);
    let match_record = output(&["convert", "--to", "match"], &record);
    assert!(match_record.starts_with("[Rules \"super\"]\n[Result \"1-0\"]\n\n1. e5; b4 2. e4-e3;"), "{match_record}");
    assert!(
        match_record.replace('\n', " ").ends_with("44. c1-b2 {White wins: the tigers can't move} 1-0  "),
        "{match_record}"
    );
    assert_eq!(output(&["convert"], &match_record), moves);
    let positions = output(&["convert", "--to", "position", "--all"], &moves);
    assert_eq!(positions.lines().count(), 88);
    let last = positions.lines().last().unwrap();
    assert_eq!(format!("{last}\n"), output(&["convert", "--to", "position"], &seed.replace("1. e5;", "super 1. e5;")));
    assert_eq!(output(&["convert", "--to", "position"], &positions), positions);
    assert_eq!(output(&["moves"], last), "(none)\n");
}

#[test]
fn games_from_other_starts_convert_in_every_form() {
    let line = "wikipedia\t5/2E1E/1t1t1/1AD1E/5 b 0 7";
    let game = format!("{line} 7. ...; b3xb1 8. e5; a1\n");
    let moves = output(&["convert"], &game);
    assert_eq!(moves, format!("{line} moves b3b1 e4e5 b1a1\n"));
    assert_eq!(output(&["convert", "--to", "record"], &moves), game);
    let records = output(&["convert", "--to", "match"], &moves);
    assert_eq!(output(&["convert", "--to", "record"], &(records.clone() + &records)), game.repeat(2));
    for form in ["record", "position"] {
        assert_eq!(output(&["convert", "--to", form], &format!("{line}\n")), format!("{line}\n"));
    }
}

#[test]
fn what_can_not_be_converted_is_told_of_and_the_rest_goes_on() {
    let output = run(&["convert", "--to", "record"], "startpos moves c2b2 c2b2\nstartpos moves c2b2\n");
    assert_eq!((lines(&output.stdout), output.status.code()), (vec!["baghbandi\t1. b2".to_owned()], Some(1)));
    let fault = "-:1:21: found 'c2b2' (Black has no piece on c2), expected a legal move of Black";
    assert_eq!(lines(&output.stderr), [fault, "error: 1 of 2 inputs can't be read"]);
    let output = run(&["convert", "--all"], "");
    assert_eq!(output.status.code(), Some(2));
}

#[test]
fn a_result_against_the_rules_is_told_of() {
    let line = "super 1AA2/AA1A1/AtAA1/t1AA1/AAA1A w 55 44 44. c1-b2";
    let output = run(&["convert", "--to", "match"], format!("{line} 0-1\n"));
    assert_eq!((output.status.code(), output.stdout.len()), (Some(1), 0));
    let fault = "-:1:54: found 0-1, expected 1-0 (White wins: the tigers can't move)";
    assert_eq!(lines(&output.stderr)[0], fault);
    assert!(run(&["convert", "--to", "match"], format!("{line} 1-0\n")).status.success());
}

#[test]
fn a_comment_before_the_first_move_stays_there() {
    let text = output(&["convert", "--to", "match"], "[White \"x\"]\n{hello} 1. e5; b4 {x} *\n1. {hello} e5 *\n");
    assert_eq!(text.matches("\n\n{hello} 1. e5").count(), 2, "{text}");
    assert_eq!(output(&["convert", "--to", "match"], &text), text);
}

#[test]
fn what_would_not_read_back_is_not_written() {
    let moves = "a1a2 a5a4 a2a1 a4a5 ".repeat(45_000);
    let output = run(&["convert", "--to", "record"], format!("t4/5/5/5/A3t w moves {moves}\nstartpos moves c2b2\n"));
    assert_eq!((lines(&output.stdout), output.status.code()), (vec!["baghbandi\t1. b2".to_owned()], Some(1)));
    let message = String::from_utf8(output.stderr).unwrap();
    assert!(message.starts_with("-:1: found a game of ") && message.contains("expected at most 1048576"), "{message}");
}

// moves, eval

#[test]
fn the_legal_moves_are_those_of_the_cases() {
    let cases = data("positions.tsv");
    let cases: Vec<&str> = cases.lines().filter(|line| !line.starts_with('#')).collect();
    let found = output(&["moves"], &cases.join("\n"));
    assert_eq!(found.lines().count(), cases.len());
    for (case, found) in cases.iter().zip(found.lines()) {
        assert_eq!(case.split('\t').nth(2), Some(found), "{case}");
    }
}

#[test]
fn moves_come_with_their_results() {
    let text = output(&["moves", "--results", "--fen", "super 1. e5"], "");
    assert!(text.contains("b3b4\tb4\t4A/1tE1D/3t1/2E1E/5 w 1 2\n"), "{text}");
    let text = output(&["moves", "--format", "json"], "super 1. e5\nt4/5/5/5/4t w\n");
    let values: Vec<Value> = text.lines().map(|line| json::read(line).unwrap()).collect();
    assert_eq!(values[0].at("position").text(), "4A/2E1D/1t1t1/2E1E/5 b 0 1");
    assert!(
        values[0].at("moves").list().iter().any(|mv| mv.at("move").text() == "b3b4" && mv.at("record").text() == "b4")
    );
    assert_eq!(
        (values[1].at("over").text(), values[1].at("line").number()),
        ("Black wins: too few goats are left", 2.0)
    );
}

#[test]
fn the_evaluation_is_that_of_the_session() {
    let position = "4A/1tE1C/3tA/2E1E/5 b 0 2";
    let session = output(&[], &format!("position fen {position}\neval\n"));
    let text = output(&["eval", "--fen", position], "");
    let (head, terms) = text.split_once('\n').unwrap();
    assert_eq!(head, format!("baghbandi {position}"));
    assert_eq!(terms.trim_end(), session.trim_end().trim_end_matches(" goats for White"));
    let both = output(&["eval"], &format!("{position}\n{position}\n"));
    assert_eq!(both, format!("{text}\n{text}"));
    let value = json::read(&output(&["eval", "--format", "json", "--fen", position], "")).unwrap();
    let shown = format!("{:+.2}", value.at("evaluation").number() / 100.0);
    assert!(terms.contains(&shown), "{shown} {terms}");
}

// random

#[test]
fn random_positions_follow_from_the_seed_and_the_filters() {
    let text = output(&["random", "--count", "50", "--goats", "3-6", "--herds", "1", "--side", "b", "--seed", "9"], "");
    assert_eq!(text.lines().count(), 50);
    for line in text.lines() {
        let board = line.split(['\t', ' ']).nth(1).unwrap();
        let goats: u32 = board.bytes().filter(u8::is_ascii_uppercase).map(|letter| u32::from(letter - b'A') + 1).sum();
        let herds = board.bytes().filter(|letter| (b'B'..=b'E').contains(letter)).count();
        assert!((3..=6).contains(&goats) && herds == 1 && line.ends_with(" b 0 1"), "{line}");
    }
    assert!(!output(&["moves"], &text).contains("(none)"));
    let ten = output(&["random", "--count", "10", "--goats", "3-6", "--herds", "1", "--side", "b", "--seed", "9"], "");
    assert!(text.starts_with(&ten));
    assert_ne!(output(&["random", "--seed", "1"], ""), output(&["random", "--seed", "2"], ""));
    for rules in ["moderno", "super", "baghguti", "baghguti-murray", "wikipedia", "wikipedia-multi"] {
        let text = output(&["random", "--rules", rules, "--count", "100"], "");
        assert_eq!(output(&["convert", "--to", "position"], &text), text);
    }
}

#[test]
fn random_games_read_back() {
    let words = ["random", "--games", "--count", "20", "--plies", "10-20", "--side", "w", "--to"];
    let moves = output(&[&words[..], &["moves"]].concat(), "");
    let record = output(&[&words[..], &["record"]].concat(), "");
    assert_eq!(output(&["convert"], &record), moves);
    for line in moves.lines() {
        assert!((10..=20).contains(&(line.split_whitespace().count() - 6)), "{line}");
    }
    for words in [
        &["random", "--goats", "9-3"][..],
        &["random", "--goats", "0-3"],
        &["random", "--goats", "21"],
        &["random", "--herds", "5"],
        &["random", "--goats", "3", "--herds", "2"],
        &["random", "--rules", "wikipedia", "--goats", "6"],
        &["random", "--games", "--plies", "1-999999999"],
        &["random", "--plies", "5"],
        &["random", "--to", "match"],
        &["random", "--seed", "-1"],
    ] {
        let output = run(words, "");
        assert_eq!((output.status.code(), output.stdout.len()), (Some(2), 0), "{words:?}");
    }
    let output = run(&["random", "--games", "--plies", "0", "--side", "b"], "");
    assert_eq!(output.status.code(), Some(1));
}

// analyze

#[test]
fn a_result_has_all_that_it_says() {
    let input = "super\t1AA2/AA1A1/AtAA1/t1AA1/AAA1A w 55 44\nstartpos moves c2b2\n";
    let (records, code) = records(&["--depth", "5"], input);
    assert_eq!((records.len(), code), (2, Some(0)));
    let [won, open] = records.as_slice() else { panic!() };
    for (name, text) in [("rules", "super"), ("value", "+M1"), ("result", "win"), ("best", "c1b2"), ("file", "-")] {
        assert_eq!(won.at(name).text(), text, "{name}");
    }
    for (name, number) in [("line", 1.0), ("ply", 0.0), ("rank", 1.0), ("plies", 1.0), ("points", 12.0), ("depth", 5.0)]
    {
        assert_eq!(won.at(name).number(), number, "{name}");
    }
    assert_eq!((won.at("exact"), won.at("cp")), (&Value::Bool(true), &Value::Null));
    assert_eq!(
        (open.at("exact"), open.at("result"), open.at("plies")),
        (&Value::Bool(false), &Value::Null, &Value::Null)
    );
    assert_eq!((open.at("line").number(), open.at("ply").number()), (2.0, 1.0));
    assert_eq!(open.at("value").text(), format!("{:+.2}", open.at("cp").number() / 100.0));
    assert_eq!(open.at("position").text(), "5/2E1E/1t1t1/1AD1E/5 b 0 1");
    assert_eq!(open.at("pv").list()[0], *open.at("best"));
    assert!(open.at("nodes").number() > 100.0 && open.at("time").number() >= 0.0);
}

#[test]
fn the_formats_agree() {
    let input = "startpos\nbagbandi x\n\"a,b\"\nsuper 1. e5; b4\nt4/5/5/5/4t w\n";
    let (records, _) = records(&["--nodes", "500", "--multipv", "2"], input);
    let text = run(&["analyze", "--nodes", "500", "--multipv", "2"], input);
    let csv = run(&["analyze", "--nodes", "500", "--multipv", "2", "--format", "csv"], input);
    assert_eq!((text.status.code(), csv.status.code()), (Some(1), Some(1)));
    let (text, csv) = (lines(&text.stdout), lines(&csv.stdout));
    assert_eq!((records.len(), text.len(), csv.len()), (7, 7, 8));
    let names = cells(&csv[0]);
    for ((record, text), csv) in records.iter().zip(&text).zip(&csv[1..]) {
        let cells = cells(csv);
        assert_eq!(cells.len(), names.len());
        for (name, cell) in names.iter().zip(&cells).filter(|(name, _)| *name != "time") {
            let shown = match record.at(name) {
                Value::Null => String::new(),
                Value::Bool(value) => value.to_string(),
                Value::Number(number) => number.to_string(),
                Value::Text(text) => text.clone(),
                Value::List(items) => items.iter().map(Value::text).collect::<Vec<_>>().join(" "),
                Value::Object(_) => panic!("{name}"),
            };
            assert_eq!(&shown, cell, "{name}");
        }
        match record.at("error") {
            Value::Text(error) => assert!(text.ends_with(&format!("error: {error}")), "{text}"),
            _ => {
                let head = format!(" {} {} rank ", record.at("rules").text(), record.at("position").text());
                assert!(
                    text.contains(&head) && text.contains(&format!(" value {} ", record.at("value").text())),
                    "{text}"
                );
            }
        }
    }
}

/// The fields of a line of comma-separated values.
fn cells(line: &str) -> Vec<String> {
    let mut cells = vec![String::new()];
    let mut is_quoted = false;
    let mut letters = line.chars().peekable();
    while let Some(letter) = letters.next() {
        let cell = cells.last_mut().unwrap();
        match letter {
            '"' if is_quoted && letters.peek() == Some(&'"') => cell.extend(letters.next()),
            '"' => is_quoted = !is_quoted,
            ',' if !is_quoted => cells.push(String::new()),
            other => cell.push(other),
        }
    }
    assert!(!is_quoted, "{line}");
    cells
}

#[test]
fn every_position_of_a_game_on_request() {
    let (records, code) = records(&["--all", "--depth", "2", "--jobs", "2"], "super 1. e5; b4 2. e4-e3\nstartpos\n");
    let plies: Vec<f64> = records.iter().map(|record| record.at("ply").number()).collect();
    assert_eq!((plies, code), (vec![0.0, 1.0, 2.0, 3.0, 0.0], Some(0)));
    assert_eq!(records[3].at("position").text(), "4A/1tE1C/3tA/2E1E/5 b 0 2");
}

#[test]
fn a_fault_gives_a_record_with_its_place_and_the_rest_goes_on() {
    let folder = folder("faults");
    let file = folder.join("a \"b\"\\c\n.txt");
    fs::write(&file, b"startpos\n5/2E1E/1t1t1/2F1E/5 w\n\xFF\xFE\0\n[Event \"x\"]\n\n1. e5 *\n\nstartpos moves\n")
        .unwrap();
    let names = [file.to_str().unwrap(), "/nowhere/at/all", folder.to_str().unwrap(), "-"];
    let (records, code) = records(&[&["--depth", "1"][..], &names].concat(), "startpos\r\n");
    assert_eq!(code, Some(1));
    let places: Vec<(String, Value, bool)> = records
        .iter()
        .map(|record| {
            (record.at("file").text().to_owned(), record.at("line").clone(), *record.at("error") != Value::Null)
        })
        .collect();
    let line = |number: f64| Value::Number(number);
    let expected = [
        (0, line(1.0), false),
        (0, line(2.0), true),
        (0, line(3.0), true),
        (0, line(4.0), false),
        (0, line(8.0), false),
        (1, Value::Null, true),
        (2, Value::Null, true),
        (3, line(1.0), false),
    ];
    assert_eq!(places, expected.map(|(name, line, is_fault)| (names[name].to_owned(), line, is_fault)));
    assert_eq!(records[1].at("column").number(), 15.0);
    let error = records[1].at("error").text();
    assert_eq!(error, "found 'F', expected a digit 1 to 5, 't', or a letter 'A' to 'E'");
}

#[test]
fn hostile_input_is_survived() {
    for input in [
        vec![0; 3 << 20],
        vec![b'\n'; 1 << 20],
        vec![b'['; 2 << 20],
        b"[Rules \"super\"]\n{".repeat(100_000),
        [b"startpos moves ".as_slice(), &b"c2b2 ".repeat(1 << 19)].concat(),
        b"1. e5 {".to_vec(),
        "\u{202e}\u{1b}[2J\u{7}".into(),
        (0..=255).cycle().take(100_000).collect(),
    ] {
        let began = Instant::now();
        let (records, code) = records(&["--depth", "1"], &input);
        let faults = records.iter().filter(|record| *record.at("error") != Value::Null).count();
        assert!(code == Some(i32::from(faults > 0)) && began.elapsed() < Duration::from_secs(60));
    }
    let (records, code) = records(&["--depth", "1", "/dev/zero"], "");
    assert_eq!((records.len(), code), (1, Some(1)));
    assert!(records[0].at("error").text().contains("a line without an end"));
}

#[test]
fn contradictory_and_senseless_options_are_refused() {
    for words in [
        &["--depth", "0"][..],
        &["--depth", "201"],
        &["--nodes", "0"],
        &["--nodes", "-1"],
        &["--jobs", "0"],
        &["--multipv", "0"],
        &["--threads", "1000"],
        &["--hash", "0"],
        &["--format", "xml"],
        &["--rules", "chess"],
        &["--draw-plies", "40000"],
        &["--draw-plies", "-1"],
        &["--hash", "65537"],
        &["--fen", "startpos", "file.txt"],
        &["--fen", ""],
    ] {
        let output = run(&[&["analyze"], words].concat(), "startpos\n");
        assert_eq!((output.status.code(), output.stdout.len()), (Some(2), 0), "{words:?}");
        assert!(String::from_utf8(output.stderr).unwrap().starts_with("error: "), "{words:?}");
    }
    let output = run(&["analyze", "--tables", "/nowhere"], "startpos\n");
    assert_eq!((output.status.code(), output.stdout.len()), (Some(1), 0));
}

#[test]
fn a_result_is_written_as_soon_as_it_is_there() {
    let mut child = start(&["analyze", "--depth", "2", "--jobs", "2"]);
    let mut input = child.stdin.take().unwrap();
    let mut output = BufReader::new(child.stdout.take().unwrap()).lines();
    for number in 1..=5 {
        writeln!(input, "startpos").unwrap();
        let line = output.next().unwrap().unwrap();
        assert!(line.starts_with(&format!("-:{number}: ply 0 baghbandi {START} rank 1 value ")), "{line}");
    }
    drop(input);
    assert!(child.wait().unwrap().success());
}

#[test]
fn a_reader_that_leaves_ends_every_command_quietly() {
    for words in [
        &["analyze", "--nodes", "50", "--jobs", "2"][..],
        &["convert"],
        &["moves", "--results"],
        &["eval"],
        &["random", "--count", "1000000000"],
        &["perft", "--depth", "3", "--divide"],
    ] {
        let mut child = start(words);
        let mut input = child.stdin.take().unwrap();
        // An input without an end; writing to it fails when the program has gone.
        let writer = std::thread::spawn(move || while input.write_all(&b"startpos\n".repeat(100)).is_ok() {});
        let mut first = [0];
        let mut output = child.stdout.take().unwrap();
        output.read_exact(&mut first).unwrap();
        drop(output);
        let mut errors = String::new();
        child.stderr.take().unwrap().read_to_string(&mut errors).unwrap();
        assert_eq!((child.wait().unwrap().code(), errors.as_str()), (Some(0), ""), "{words:?}");
        writer.join().unwrap();
    }
}

#[test]
fn jobs_change_nothing_but_the_time() {
    let positions = data("positions.tsv");
    let run = |jobs: &str| {
        let text = run(&["analyze", "--nodes", "300", "--jobs", jobs, "--multipv", "2"], &positions);
        lines(&text.stdout).iter().map(|line| timeless(line)).collect::<Vec<_>>()
    };
    let one = run("1");
    assert!(one.len() > 380);
    assert_eq!(one, run("2"));
    assert_eq!(one, run("7"));
}

#[test]
fn solved_tables_make_values_exact() {
    let folder = folder("tables");
    let dir = folder.to_str().unwrap();
    let words = ["tables", "build", "--max-goats", "2", "--herds", "0", "--dir", dir];
    assert!(run(&words, "").status.success());
    // Two goats against tigers far away: Black wins, but not at once. The second has too many goats for these tables.
    let input = "A4/5/4A/5/t1t2 w\nstartpos\nsuper A4/5/4A/5/t1t2 w\n";
    let (with, code) = records(&["--depth", "1", "--tables", dir], input);
    let (without, _) = records(&["--depth", "1"], input);
    let exact = |records: &[Value]| records.iter().map(|record| record.at("exact").clone()).collect::<Vec<_>>();
    assert_eq!(code, Some(0));
    assert_eq!(exact(&with), [true, false, false].map(Value::Bool));
    assert_eq!(exact(&without), [false, false, false].map(Value::Bool));
    assert_eq!((with[0].at("value").text(), with[0].at("result").text()), ("-M46", "loss"));
    // In a list of lines all moves have their exact values.
    let (lines, _) = records(&["--depth", "1", "--tables", dir, "--multipv", "500"], "A4/5/4A/5/t1t2 b\n");
    assert_eq!((lines[0].at("value").text(), lines.len()), ("+M41", 8));
    assert!(lines.iter().all(|line| line.at("result").text() == "win" && *line.at("exact") == Value::Bool(true)));
}

#[test]
fn tables_are_believed_as_far_as_the_count_of_quiet_plies_lets_them() {
    let folder = folder("quiet");
    let dir = folder.to_str().unwrap();
    assert!(run(&["tables", "build", "--max-goats", "3", "--herds", "0", "--dir", dir], "").status.success());
    let input = "5/2A1A/1t1t1/2A2/5 w 298 5\n5/2A1A/1t1t1/2A2/5 w 0 5\n";
    let results = |draw_plies: &str, dir: &str| {
        let (found, code) = records(&["--depth", "4", "--tables", dir, "--draw-plies", draw_plies], input);
        assert_eq!(code, Some(0));
        found.iter().map(|record| (record.at("result").clone(), record.at("exact").clone())).collect::<Vec<_>>()
    };
    let (open, lost) = ((Value::Null, Value::Bool(false)), (Value::Text("loss".to_owned()), Value::Bool(true)));
    assert_eq!(results("300", dir), [open.clone(), lost.clone()]);
    assert_eq!(results("0", dir), [lost.clone(), lost.clone()]);
    // Without distances nothing is known of the time that it takes.
    let values = folder.join("values");
    let dir = values.to_str().unwrap();
    let words = ["tables", "build", "--max-goats", "3", "--herds", "0", "--values-only", "--dir", dir];
    assert!(run(&words, "").status.success());
    assert_eq!(results("300", dir)[0], open);
    assert_eq!(results("0", dir), [lost.clone(), lost]);
}

#[test]
fn rules_without_tables_are_searched_with_one_warning() {
    let folder = folder("mixed");
    let dir = folder.to_str().unwrap();
    assert!(run(&["tables", "build", "--max-goats", "1", "--herds", "0", "--dir", dir], "").status.success());
    let input = "super startpos\nstartpos\nmoderno startpos\n".repeat(20);
    let output = run(&["analyze", "--depth", "1", "--jobs", "3", "--tables", dir], input);
    assert_eq!((lines(&output.stdout).len(), output.status.code()), (60, Some(0)));
    let warnings = lines(&output.stderr);
    for rules in ["super", "moderno"] {
        let warning = format!(": no tables of {rules}; searched without");
        assert_eq!(warnings.iter().filter(|line| line.ends_with(&warning)).count(), 1, "{warnings:?}");
    }
    assert_eq!(warnings.len(), 2, "{warnings:?}");
}

/// Most memory that a process has used so far, in kilobytes.
fn memory(child: &Child) -> u64 {
    let status = fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap_or("0");
    line.trim().trim_end_matches(" kB").parse().unwrap()
}

/// What each thread of a process has used of the processors so far, in clock ticks.
fn ticks(child: &Child) -> Vec<f64> {
    let threads = fs::read_dir(format!("/proc/{}/task", child.id())).into_iter().flatten().flatten();
    let stats = threads.filter_map(|thread| fs::read_to_string(thread.path().join("stat")).ok());
    let used = |stat: String| {
        let fields = stat.rsplit_once(") ").unwrap().1;
        fields.split(' ').skip(11).take(2).map(|ticks| ticks.parse::<f64>().unwrap()).sum()
    };
    stats.map(used).collect()
}

/// What a run over a file has printed and taken.
struct Run {
    /// The lines without their times.
    lines: Vec<String>,
    time: Duration,
    /// Most memory that was seen in use, in kilobytes.
    memory: u64,
    /// What each thread has used of the processors, shortly before the end.
    ticks: Vec<f64>,
}

impl Run {
    /// What its busiest threads have used, the busiest first, and what all have used.
    fn busiest(&self) -> (f64, f64, f64) {
        let mut ticks = self.ticks.clone();
        ticks.sort_by(|one, other| other.total_cmp(one));
        (ticks[0], ticks[1], ticks.iter().sum())
    }
}

fn analyze_file(file: &Path, jobs: &str) -> Run {
    let began = Instant::now();
    let mut child = start(&["analyze", "--nodes", "100", "--jobs", jobs, file.to_str().unwrap()]);
    let output = BufReader::new(child.stdout.take().unwrap());
    let mut run = Run { lines: Vec::new(), time: Duration::ZERO, memory: 0, ticks: Vec::new() };
    for line in output.lines() {
        if run.lines.len() % 1_000 == 500 {
            run.memory = run.memory.max(memory(&child));
            run.ticks = ticks(&child);
        }
        run.lines.push(timeless(&line.unwrap()));
    }
    assert!(child.wait().unwrap().success());
    run.time = began.elapsed();
    run
}

#[test]
fn a_hundred_thousand_positions_come_in_order_and_in_constant_memory() {
    let folder = folder("many");
    let (few, many) = (folder.join("few.txt"), folder.join("many.txt"));
    let text = output(&["random", "--count", "100000"], "");
    fs::write(&many, &text).unwrap();
    fs::write(&few, text.lines().take(5_000).map(|line| format!("{line}\n")).collect::<String>()).unwrap();
    let small = analyze_file(&few, "2");
    let (one, two) = (analyze_file(&many, "1"), analyze_file(&many, "2"));
    assert_eq!(one.lines.len(), 100_000);
    for (number, (found, line)) in one.lines.iter().zip(text.lines()).enumerate() {
        let head = format!("many.txt:{}: ply 0 {} rank 1 value ", number + 1, line.replace('\t', " "));
        assert!(found.contains(&head), "{found}: {head}");
    }
    assert!(one.lines == two.lines, "one job and two differ");
    println!("at most {} kB for 5,000 positions, {} kB for 100,000", small.memory, two.memory);
    assert!(two.memory < small.memory + small.memory / 2 + 16_384);
    // How much faster two jobs are depends on what else the machine does. What depends on the program is that nothing
    // but the work of one job is slow with one, that two jobs together use no more, and that both of them work.
    let ratio = one.time.as_secs_f64() / two.time.as_secs_f64();
    println!("{:?} with one job, {:?} with two: {ratio:.2} times as fast", one.time, two.time);
    let ((longest, ..), (first, second, all)) = (one.busiest(), two.busiest());
    let ratio = longest / (all / 2.0);
    println!("two processors with nothing else to do: {ratio:.2} times as fast; {:?}, {:?}", one.ticks, two.ticks);
    assert!(ratio > 1.4 && second > first / 20.0, "{ratio}: {:?} with one job, {:?} with two", one.ticks, two.ticks);
}

// The session keeps its place.

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
