//! `analyze`: its output, its errors, its options.

use super::{folder, lines, records};
use crate::driver::{ODD_NAME, START, has_shell, run, spawn};
use crate::reader::json::Value;
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::time::{Duration, Instant};

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
    let file = folder.join(ODD_NAME);
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
    if !has_shell() {
        return;
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
    let mut child = spawn(&["analyze", "--depth", "2", "--jobs", "2"]);
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
        let mut child = spawn(words);
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
