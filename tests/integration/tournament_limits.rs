//! `sundarban match`: clocks, numbers that engines make up, and when games are adjudicated.

use crate::driver::{PROGRAM, Tables, has_shell, run, stderr, stdout};
use crate::tournament::{PLAY, UCIOK, command, folder, good_against, play, records, script, two};
use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;
use sundarban::notation::match_record::result_text;

#[test]
fn an_increment_alone_is_a_clock() {
    for clock in ["tc=0+0.6", "tc=40/0+0.6"] {
        let folder = folder(&format!("increment-{}", clock.len()));
        let words = two(clock, "depth=1") + "--rounds 1 --max-moves 4 --record games";
        let output = play(&folder, &words);
        assert!(output.status.success() && stderr(&output).is_empty(), "{clock}: {}", stderr(&output));
        assert!(records(&folder.join("games")).iter().all(|game| game.tag("Termination") != Some("time forfeit")));
    }
}

#[test]
fn what_no_engine_can_keep_is_refused() {
    let folder = folder("impossible");
    for (limit, found) in [
        ("tc=0", "found tc=0+0"),
        ("tc=0.001", "found tc=0.001+0"),
        ("tc=40/0+0.001", "found tc=40/0+0.001"),
        ("st=0", "found st=0"),
        ("st=0.0001", "found st=0.0001"),
    ] {
        let output = play(&folder, &two(limit, "depth=1"));
        assert_eq!(output.status.code(), Some(2), "{limit}");
        let expected = format!("error: --engine number 1: {found}, expected 0.01 s or more for the first move");
        assert!(stderr(&output).starts_with(&expected), "{limit}: {}", stderr(&output));
    }
}

/// The terminations of a match between this program and an engine that sends this before each move.
fn ends_against(name: &str, info: &str, words: &str) -> BTreeSet<String> {
    let folder = folder(name);
    let liar = script(&folder, "liar", "", UCIOK, &format!("echo '{info}'; {PLAY}"));
    let words = good_against(&liar, "depth=1 --patience 60") + "--max-moves 6 --record games --json json " + words;
    let output = command(&folder, &words).env("SUNDARBAN", PROGRAM).output().unwrap();
    assert!(output.status.success() && !stderr(&output).contains("panicked"), "{info}: {}", stderr(&output));
    let records = records(&folder.join("games"));
    assert_eq!(records.len(), 2, "{info}");
    records.iter().map(|record| record.tag("Termination").unwrap().to_owned()).collect()
}

#[test]
fn numbers_that_engines_make_up_overflow_nothing() {
    if !has_shell() {
        return;
    }
    let huge = "9".repeat(500);
    let draw = "--draw movenumber=1 movecount=1 score=30000";
    let of = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect::<BTreeSet<_>>();
    for (name, score) in
        [("least", "cp -2147483648"), ("greatest", "cp 2147483647"), ("long", "cp -99999999999999999999")]
    {
        // The script's own search reports nothing, so this is its score; it is not near 0.
        let info = format!("info depth 4294967296 score {score} nodes {huge} time {huge}");
        assert_eq!(ends_against(&format!("score-{name}"), &info, draw), of(&["max moves"]), "{score}");
    }
    let lost = format!("info depth {huge} score mate -{huge}");
    assert_eq!(ends_against("score-mate", &lost, "--resign movecount=1 score=900"), of(&["adjudicated"]));
    let even = "info depth 1 score cp 0";
    assert_eq!(ends_against("score-even", even, draw), of(&["adjudicated"]));
}

/// A journal's line with the checksum that belongs to it.
fn journal_line(body: &str) -> String {
    let step = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    format!("{body}\t{:016x}\n", body.bytes().fold(0xcbf2_9ce4_8422_2325, step))
}

/// A change to the bodies of a journal's lines.
type Forgery = Box<dyn Fn(&mut Vec<String>)>;

/// What is done to the bodies of a journal's lines: its name, the change, and what is said of it.
fn forgeries() -> Vec<(&'static str, Forgery, &'static str)> {
    // A line by its beginning, with one piece replaced by another.
    let edit = |beginning: &'static str, from: &'static str, to: &'static str| -> Forgery {
        Box::new(move |lines| {
            let line = lines.iter_mut().find(|line| line.starts_with(beginning)).unwrap();
            assert!(line.contains(from), "{line}");
            *line = line.replacen(from, to, 1);
        })
    };
    let drop_lines = |beginning: &'static str| -> Forgery {
        Box::new(move |lines| lines.retain(|line| !line.starts_with(beginning)))
    };
    let again = |beginning: &'static str| -> Forgery {
        Box::new(move |lines| lines.extend(lines.iter().find(|line| line.starts_with(beginning)).cloned()))
    };
    vec![
        ("negative", edit("game\t1", "game\t1", "game\t-1"), "found '-1', expected a number"),
        ("signed", edit("game\t1", "game\t1", "game\t+1"), "found '+1', expected a number"),
        ("zeroth", edit("game\t1", "game\t1", "game\t0"), "game 0: found this number"),
        ("huge", edit("pair\t0", "pair\t0", "pair\t18446744073709551616"), "expected a number"),
        ("no number", edit("pair\t0", "pair\t0", "pair\tx"), "found 'x', expected a number"),
        ("no bytes", edit("begin", "begin\t0", "begin\t"), "found '', expected a number"),
        ("fields", edit("game\t1", "\t1/2-1/2", ""), "found 5 fields of a game, expected 6"),
        ("result", edit("game\t1", "\t1/2-1/2", "\t1-1"), "found '1-1', expected a result"),
        ("other result", edit("game\t1", "\t1/2-1/2", "\t1-0"), "game 1: found a record with another number or result"),
        (
            "points",
            edit("game\t1", "\t1/2-1/2\t-", "\t1/2-1/2\t7"),
            "found '7', expected the points of both sides or -",
        ),
        ("many points", edit("game\t1", "\t1/2-1/2\t-", "\t1/2-1/2\t18446744073709551615:0"), "found points="),
        (
            "engines",
            edit("game\t1", "game\t1\t0\t1", "game\t1\t1\t0"),
            "game 1: found the engines [1, 0], expected [0, 1]",
        ),
        ("no engine", edit("game\t1", "game\t1\t0\t1", "game\t1\t0\t7"), "game 1: found the engines [0, 7]"),
        ("fault", edit("game\t1", "max moves\t-", "crash\t9"), "game 1: found engine 9 at fault"),
        ("number", edit("game\t1", "game\t1\t0\t1", "game\t3\t0\t1"), "again, expected each once"),
        ("record", edit("game\t1", "[Game \"1\"]", "[Game \"2\"]"), "game 1: found a record with another number"),
        ("no record", edit("game\t1", "[Event ", "{x} (((["), "game 1: its record: "),
        ("game twice", again("game\t1"), "again, expected each once"),
        ("pair twice", again("pair\t1"), "again, expected each once"),
        ("shorter", Box::new(|lines| lines.push("pair\t9\t1".to_owned())), "found 1 bytes, expected"),
        ("no game", drop_lines("game\t2"), "pair 0: found it without its games"),
        ("no begin", drop_lines("begin"), "expected how the match begins"),
        ("begin twice", again("begin"), "expected a game or a pair"),
        ("late option", again("plan"), "expected a game or a pair"),
        (
            "unknown",
            Box::new(|lines| lines.push("gone\t1\t2\u{1b}[2J".to_owned())),
            "'gone 1 2\\u{1b}[2J', expected a game",
        ),
    ]
}

#[test]
fn a_forged_journal_is_refused_and_no_file_is_touched() {
    let folder = folder("forged");
    let words = two("depth=1", "depth=1") + "--rounds 2 --max-moves 2 --seed 5 --record games --resume journal";
    assert!(play(&folder, &words).status.success());
    let text = |name: &str| fs::read_to_string(folder.join(name)).unwrap();
    let (journal, games) = (text("journal"), text("games"));
    let bodies: Vec<String> = journal.lines().map(|line| line.rsplit_once('\t').unwrap().0.to_owned()).collect();
    assert_eq!(bodies.iter().map(|body| journal_line(body)).collect::<String>(), journal);
    for (name, forge, expected) in forgeries() {
        let mut lines = bodies.clone();
        forge(&mut lines);
        let forged: String = lines.iter().map(|body| journal_line(body)).collect();
        assert_ne!(forged, journal, "{name}");
        fs::write(folder.join("journal"), &forged).unwrap();
        let output = play(&folder, &words);
        let error = stderr(&output);
        assert!(error.starts_with("error: --resume: 'journal': ") && error.lines().count() == 1, "{name}: {error}");
        assert!(output.status.code() == Some(1) && error.contains(expected), "{name}: {error}");
        assert_eq!((text("journal"), text("games")), (forged, games.clone()), "{name}");
    }
    fs::write(folder.join("journal"), &journal).unwrap();
    assert!(play(&folder, &words).status.success());
}

#[test]
fn the_largest_interval_and_number_of_rounds_overflow_nothing() {
    let folder = folder("huge-options");
    let words = two("depth=1", "depth=1") + "--rounds 1 --max-moves 2 --interval 18446744073709551615";
    assert!(play(&folder, &words).status.success());
    let many = two("depth=1", "depth=1") + "--rounds 18446744073709551615";
    let output = play(&folder, &many);
    assert!(output.status.code() == Some(2) && stderr(&output).contains("less than 2^64 games"), "{}", stderr(&output));
}

/// Tables of baghbandi with up to three goats.
fn tables() -> PathBuf {
    Tables::with_distances(3).folder()
}

/// For each game its termination, result and number of plies that engines have played.
fn ends_by_tables(name: &str, opening: &str, words: &str) -> Vec<(String, &'static str, usize)> {
    let folder = folder(name);
    fs::write(folder.join("list"), opening).unwrap();
    let words = two("nodes=200", "nodes=200")
        + &format!("--rounds 1 --openings list --max-moves 60 --record games --tables {} {words}", tables().display());
    let output = play(&folder, &words);
    assert!(output.status.success(), "{}", stderr(&output));
    let end = |record: &sundarban::notation::match_record::Record| {
        let book = record.comments.iter().filter(|comment| *comment == "book").count();
        let termination = record.tag("Termination").unwrap().to_owned();
        (termination, result_text(record.result), record.game.moves().len() - book)
    };
    records(&folder.join("games")).iter().map(end).collect()
}

/// Drawn by the tables, though either side may still go wrong: a capture wins for Black.
const DRAWN: &str = "A3A/1A3/4t/4t/5 w\n";

#[test]
fn tables_end_no_game_before_an_engine_has_moved() {
    let probe = run(&["tables", "probe", "--dir", &tables().to_string_lossy(), DRAWN.trim()], "");
    let probed = stdout(&probe);
    let values: BTreeSet<&str> = probed.lines().skip(1).filter_map(|line| line.split(' ').nth(1)).collect();
    assert!(values.len() > 1, "{probed}");
    // The tables' word alone, at the earliest: one ply.
    for end in ends_by_tables("tables-at-once", DRAWN, "--tables-ends plies=1 safe=0") {
        assert!(end.0 == "tables" && end.2 == 1, "{end:?}");
    }
    for end in ends_by_tables("tables-nine", DRAWN, "--tables-ends plies=9 safe=0") {
        assert!(end.0 != "tables" || end.2 >= 9, "{end:?}");
    }
    // By default an end that can still be spoiled is none, however long it lasts.
    for (termination, _, plies) in ends_by_tables("tables-safe", DRAWN, "") {
        assert!(termination != "tables" || plies >= 8, "{termination} {plies}");
    }
    // Not at all.
    for end in ends_by_tables("tables-openings", DRAWN, "--tables-for openings") {
        assert_ne!(end.0, "tables");
    }
}

#[test]
fn tables_end_what_can_not_be_spoiled() {
    // One goat against two tigers: whatever is played, Black wins in the end.
    let ends = ends_by_tables("tables-one-goat", "t1t2/5/5/5/4A w\n", "");
    assert!(
        ends.iter().all(|(end, result, _)| *result == "0-1" && (end == "tables" || end == "goats taken")),
        "{ends:?}"
    );
    let folder = folder("tables-usage");
    for (words, reason) in [
        ("--tables-for ends", "--tables <DIR>"),
        ("--tables-ends plies=3", "--tables <DIR>"),
        ("--tables x --tables-ends safe=5", "error: --tables-ends: found safe='5', expected a number from 0 to 4"),
    ] {
        let output = play(&folder, &(two("depth=1", "depth=1") + words));
        assert!(output.status.code() == Some(2) && stderr(&output).contains(reason), "{words}: {}", stderr(&output));
    }
}

#[test]
fn annotate_charges_the_engines_with_their_own_moves_only() {
    let folder = folder("book-moves");
    let words = two("depth=2", "depth=2") + "--rounds 1 --random-plies 12 --max-moves 4 --record games";
    let output = play(&folder, &words);
    assert!(output.status.success(), "{}", stderr(&output));
    let games = fs::read_to_string(folder.join("games")).unwrap();
    let annotate = |format: &str, input: &str| {
        let words = ["annotate", "--depth", "3", "--game", "1", "--format", format];
        let output = run(&words, input);
        assert!(output.status.success(), "{}", stderr(&output));
        stdout(&output)
    };
    let text = annotate("text", &games);
    let row = |name: &str| {
        let line = text.lines().find(|line| line.starts_with(name)).unwrap_or_else(|| panic!("{name}: {text}"));
        let numbers = line.trim_start_matches(name).split_whitespace();
        numbers.map(|number| number.parse::<u32>().unwrap()).collect::<Vec<_>>()
    };
    assert_eq!(row("book moves"), [6, 6]);
    let names = ["best moves", "good moves", "inaccuracies", "mistakes", "blunders", "only moves"];
    let judged = names.map(row).into_iter().fold([0, 0], |[w, b], row| [w + row[0], b + row[1]]);
    assert_eq!(judged, [4, 4], "{text}");
    // Twelve random plies hold faults for certain, and none is named.
    let moves: Vec<&str> = text.lines().skip_while(|line| !line.starts_with("   #")).skip(1).take(6).collect();
    assert!(moves.iter().all(|line| line.matches(" book ").count() == 2 && !line.contains('?')), "{text}");
    let annotated = annotate("match", &games);
    let played = records_of(&annotated);
    assert_eq!(played.comments.iter().filter(|comment| *comment == "book").count(), 12, "{annotated}");
    // They are known again.
    assert!(annotate("text", &annotated).contains("book moves              6        6"));
    let page = annotate("html", &games);
    assert!(page.contains("<tr class=\"book\"><th>book moves</th><td>6</td><td>6</td></tr>"));
}

fn records_of(text: &str) -> sundarban::notation::match_record::Record {
    sundarban::notation::reader::read_all(text).unwrap().remove(0)
}
