//! Solved tables where they are used: in the session, in GTP and in matches.

use crate::driver::{Engine, PROGRAM, Score, Tables, empty_folder, run, stdout};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;
use sundarban::game::Game;
use sundarban::notation::{coordinates, fen};
use sundarban::rng::SplitMix64;
use sundarban::rules::{RuleSet, Side};
use sundarban::tablebase::Tablebase;

/// Two goats against tigers far away: Black wins, but not at once.
const LOST: &str = "A4/5/4A/5/t1t2 w";

/// Tables of baghbandi with up to two goats and no herd.
fn tables() -> &'static Path {
    static TABLES: OnceLock<PathBuf> = OnceLock::new();
    TABLES.get_or_init(|| {
        let dir = empty_folder("tables-in-use");
        let words = ["tables", "build", "--max-goats", "2", "--herds", "0", "--dir"];
        assert!(Command::new(PROGRAM).args(words).arg(&dir).stderr(Stdio::null()).status().unwrap().success());
        dir
    })
}

/// What the program prints on standard output for this input.
fn answers(arguments: &[&str], input: &str) -> String {
    stdout(&run(arguments, input))
}

#[test]
fn the_session_keeps_to_the_tables() {
    let dir = tables().display();
    // Black to move: every move but those that keep the win is left out.
    let input = format!("setoption name TablePath value {dir}\nposition fen A4/5/4A/5/t1t2 b\ngo depth 2\n");
    let text = answers(&[], &input);
    assert!(text.contains("info string TablePath: 1 table of baghbandi in"), "{text}");
    assert!(text.contains("info string tables: a win in 41, which 2 of 8 moves keep"), "{text}");
    // And the score is the exact distance, at any depth: 41 plies are 21 moves.
    assert!(text.contains("info depth 1 seldepth 1 multipv 1 score mate 21 "), "{text}");
    let last = text.lines().rfind(|line| line.contains(" score ")).unwrap();
    assert!(!last.contains("tbhits 0 "), "{last}");
    let input =
        format!("setoption name TablePath value {dir}/nowhere\nsetoption name TablePath value <empty>\ngo depth 1\n");
    let text = answers(&[], &input);
    assert!(text.contains("info string TablePath: ") && text.contains("nowhere"), "{text}");
    assert!(text.contains("tbhits 0 "), "{text}");
}

/// Lets one engine without any folder of tables play both sides, and counts the plies to the end of the game.
fn plies_to_the_end(rules: &str, start: &str, go: &str) -> usize {
    let mut engine = Engine::under(rules);
    let mut moves = String::new();
    for plies in 0..300 {
        engine.send(&format!("position fen {start} moves{moves}"));
        let answer = engine.search(go);
        if answer.best == "(none)" {
            return plies;
        }
        assert!(matches!(answer.last().score, Score::Mate(_)), "{rules} {moves}: {answer:?}");
        moves += &format!(" {}", answer.best);
    }
    panic!("{rules} {start}: no end after{moves}")
}

#[test]
fn few_goats_are_played_out_without_tables() {
    // The longest wins over four goats (in the last two five and three): each takes as many plies as it must.
    for (rules, start, plies) in [
        ("baghbandi", "1t3/2A2/2A2/A4/1t1A1 b", 127),
        ("moderno", "1t3/2A2/2A2/A4/1t1A1 b", 133),
        ("super", "1t3/2A2/2A2/A4/1tA2 w", 134),
        ("baghguti", "1t3/2A2/2A2/A4/1tA2 w", 128),
        ("baghguti-murray", "5/3A1/AA3/2AA1/tt3 b", 131),
    ] {
        assert_eq!(plies_to_the_end(rules, start, "go depth 1"), plies, "{rules} {start}");
    }
    assert_eq!(plies_to_the_end("baghbandi", "5/A4/2A1A/5/tt3 b", "go nodes 200"), 111);
}

#[test]
fn a_compact_table_is_made_of_tables_that_have_all() {
    let dir = empty_folder("tables-embedded");
    let [whole, values, few] = ["whole", "values", "few"].map(|name| dir.join(name).display().to_string());
    for (rules, folder, more) in
        [("baghbandi", &whole, &[][..]), ("baghbandi", &values, &["--values-only"]), ("wikipedia", &few, &[])]
    {
        let words = ["tables", "build", "--max-goats", "2", "--herds", "0", "--rules", rules, "--dir", folder];
        assert!(run(&[&words[..], more].concat(), "").status.success());
    }
    let file = dir.join("endings");
    let output = file.to_str().unwrap();
    let made = run(&["tables", "embed", "--dir", &whole, "--max-goats", "2", "--output", output], "");
    let told = String::from_utf8(made.stderr).unwrap();
    let bytes = fs::read(&file).unwrap();
    assert!(made.status.success() && made.stdout.is_empty(), "{told}");
    let size = format!("up to 2 goats of baghbandi: {} bytes, checksum ", bytes.len());
    assert!(told.starts_with(&size) && bytes.starts_with(b"SundEnd\n") && bytes.len() < 10_000, "{told}");
    // The same bytes on standard output.
    let printed = run(&["tables", "embed", "--dir", &whole, "--max-goats", "2", "--output", "-"], "");
    assert!(printed.stdout == bytes);
    for (words, why) in [
        (&["--dir", &whole, "--max-goats", "3"][..], "has positions with fewer goats only"),
        (&["--dir", &values, "--max-goats", "2"], "found Black's win in an unknown number of plies, expected"),
        (
            &["--dir", &few, "--rules", "wikipedia"],
            "found wikipedia, expected rules by which Black has to take every goat",
        ),
        (&["--dir", &few], "no tables of baghbandi"),
    ] {
        let refused = run(&[&["tables", "embed"], words, &["--output", output]].concat(), "");
        let told = String::from_utf8(refused.stderr).unwrap();
        assert!(refused.status.code() == Some(1) && told.starts_with("error: ") && told.contains(why), "{told}");
        assert!(fs::read(&file).unwrap() == bytes, "a file in the way is left alone");
    }
}

#[test]
fn only_tables_that_are_given_end_matches() {
    let dir = empty_folder("tables-not-given");
    let (openings, record) = (dir.join("openings.txt"), dir.join("games.txt"));
    fs::write(&openings, format!("{LOST}\n")).unwrap();
    let output = Command::new(PROGRAM)
        .args(["match", "--engine", "name=a", &format!("cmd={PROGRAM}"), "nodes=100"])
        .args(["--engine", "name=b", &format!("cmd={PROGRAM}"), "nodes=100", "--rounds", "1", "--openings"])
        .arg(&openings)
        .arg("--record")
        .arg(&record)
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let games = fs::read_to_string(&record).unwrap();
    assert!(!games.contains("[Termination \"tables\"]"), "{games}");
    // The engines need no tables to win it.
    assert_eq!(games.matches("[Result \"0-1\"]").count(), 2, "{games}");
}

#[test]
fn all_lines_of_a_list_have_exact_scores() {
    let dir = tables().display();
    let input = format!(
        "setoption name TableCache value 1\nsetoption name TablePath value {dir}\nsetoption name MultiPV value 8\n\
         position fen A4/5/4A/5/t1t2 b\ngo depth 3\n"
    );
    let text = answers(&[], &input);
    let scores: Vec<u32> = text
        .lines()
        .filter(|line| line.starts_with("info depth 3 "))
        .map(|line| line.split(" mate ").nth(1).unwrap().split(' ').next().unwrap().parse().unwrap())
        .collect();
    assert!(
        scores.len() >= 8 && scores[0] == 21 && scores.is_sorted_by(|one, other| one <= other || *other == 21),
        "{text}"
    );
    assert!(scores.iter().all(|score| (21..=25).contains(score)), "{text}");
}

#[test]
fn gogui_shows_the_table_values() {
    let dir = tables().display().to_string();
    let text = answers(&["gtp", "--tables", &dir], "sundarban-table_values\n");
    assert!(text.starts_with("? no table has this position"), "{text}");
    let text = answers(&["gtp"], "sundarban-table_values\n");
    assert!(text.starts_with("? no tables"), "{text}");
    for (arguments, is_listed) in [(&["gtp"][..], false), (&["gtp", "--tables", &dir][..], true)] {
        let menu = answers(arguments, "gogui-analyze_commands\n");
        assert_eq!(menu.contains("sundarban-table_values"), is_listed, "{menu}");
    }
}

#[test]
fn a_match_ends_by_the_tables() {
    let dir = tables();
    let openings = dir.join("openings.txt");
    fs::write(&openings, format!("{LOST}\n")).unwrap();
    let (record, json) = (dir.join("games.txt"), dir.join("games.json"));
    let output = Command::new(PROGRAM)
        .args(["match", "--engine", "name=a", &format!("cmd={PROGRAM}"), "nodes=100"])
        .args(["--engine", "name=b", &format!("cmd={PROGRAM}"), "nodes=100", "--rounds", "1", "--openings"])
        .arg(&openings)
        .arg("--tables")
        .arg(dir)
        .arg("--record")
        .arg(&record)
        .arg("--json")
        .arg(&json)
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let games = fs::read_to_string(&record).unwrap();
    assert_eq!(games.matches("[Termination \"tables\"]").count(), 2, "{games}");
    assert_eq!(games.matches("[Result \"0-1\"]").count(), 2, "{games}");
    assert!(fs::read_to_string(&json).unwrap().contains("\"tables\": 2"), "{json:?}");
    let refused = Command::new(PROGRAM)
        .args(["match", "--engine", "name=a", &format!("cmd={PROGRAM}"), "nodes=1", "--rules", "super"])
        .args(["--engine", "name=b", &format!("cmd={PROGRAM}"), "nodes=1", "--tables"])
        .arg(dir)
        .output()
        .unwrap();
    assert_eq!(refused.status.code(), Some(2));
    let why = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(why.contains("no tables of super"), "{why}");
}

#[test]
fn tables_may_lie_in_several_folders() {
    let separator = if cfg!(windows) { ";" } else { ":" };
    let folder = empty_folder("tables-in-several");
    let [first, second, odd, nowhere] = ["C first", "second", &format!("odd{separator}name"), "nowhere"]
        .map(|name| folder.join(name).display().to_string());
    let built = run(&["tables", "build", "--max-goats", "2", "--herds", "1", "--values-only", "--dir", &first], "");
    assert!(built.status.success());
    let all = fs::read_dir(&first).unwrap().count();
    assert!(all > 1);
    for dir in [&second, &odd] {
        fs::create_dir(dir).unwrap();
    }
    let name = "baghbandi-0000.table";
    fs::copy(Path::new(&first).join(name), Path::new(&odd).join(name)).unwrap();
    fs::rename(Path::new(&first).join(name), Path::new(&second).join(name)).unwrap();
    let both = [first.as_str(), &second].join(separator);
    for (path, expected) in [
        (&both, format!("{all} tables of baghbandi in ")),
        (&second, "1 table of baghbandi in ".to_owned()),
        // A path that is a folder as a whole is that folder.
        (&odd, "1 table of baghbandi in ".to_owned()),
    ] {
        let text = answers(&[], &format!("setoption name TablePath value {path}\n"));
        assert!(text.contains(&format!("info string TablePath: {expected}")), "{path}: {text}");
    }
    let two_goats = "A4/5/4A/5/t1t2 w";
    assert!(answers(&["tables", "probe", "--dir", &both, two_goats], "").contains(" loss\n"));
    let judged = run(&["analyze", "--depth", "1", "--format", "json", "--tables", &both, "--fen", two_goats], "");
    assert!(stdout(&judged).contains("\"exact\": true"));
    // The one that can't be read is named, first or last.
    for path in [[both.as_str(), &nowhere].join(separator), [nowhere.as_str(), &both].join(separator)] {
        let refused = run(&["analyze", "--tables", &path], "startpos\n");
        let why = String::from_utf8_lossy(&refused.stderr).into_owned();
        assert_eq!(refused.status.code(), Some(1), "{why}");
        assert!(why.contains("nowhere': ") && !why.contains("second"), "{why}");
        let text = answers(&[], &format!("setoption name TablePath value {path}\n"));
        assert!(text.contains("nowhere': ") && !text.contains("second"), "{text}");
    }
    // None has what is wanted.
    let text =
        answers(&[], &format!("setoption name UCI_Variant value super\nsetoption name TablePath value {both}\n"));
    assert!(text.contains("no tables of super"), "{text}");
}

/// With values alone the tables don't tell which of the moves that keep a win brings it nearer; a circle never may.
#[test]
fn a_win_without_distances_is_never_played_in_a_circle() {
    let dir = empty_folder("tables-in-use-values");
    let words =
        ["tables", "build", "--max-goats", "2", "--herds", "1", "--values-only", "--dir", dir.to_str().unwrap()];
    assert!(run(&words, "").status.success());
    let mut engine = Engine::uci();
    engine.send(&format!("setoption name TablePath value {}", dir.display()));
    // The program's own table has no positions with a herd.
    let start = "t4/5/5/4B/4t b";
    let mut game = Game::new(fen::parse(RuleSet::standard(), start).unwrap());
    let mut random = SplitMix64(4);
    while game.outcome().is_none() {
        let moves: Vec<String> = game.moves().iter().map(ToString::to_string).collect();
        engine.send(&format!("position fen {start} moves {}", moves.join(" ")));
        let played = engine.search("go depth 1").best;
        game.play(coordinates::parse(game.position(), &played).unwrap());
        let times = game.positions().filter(|old| old.key() == game.position().key()).count();
        assert_eq!(times, 1, "{moves:?} {played}");
        let replies = game.position().legal_moves();
        if game.outcome().is_none() {
            game.play(replies[random.below(replies.len() as u64) as usize]);
        }
    }
    assert_eq!(game.outcome().and_then(|outcome| outcome.winner()), Some(Side::Black), "{:?}", game.moves());
}

#[test]
fn the_best_move_is_found_where_its_distance_is_not_known() {
    let rules = RuleSet::standard();
    let (full, dir) = (Tables::with_distances(3).folder(), empty_folder("tables-mixed"));
    for file in fs::read_dir(&full).unwrap() {
        let name = file.unwrap().file_name().into_string().unwrap();
        let flat = name.ends_with("-0000.table");
        if flat { Tables::values_only(3) } else { Tables::with_distances(3) }.copy(&name, &dir);
    }
    let (full, mixed) = (Tablebase::open(&full, rules).unwrap(), Tablebase::open(&dir, rules).unwrap());
    let start = fen::parse(rules, "5/2A1B/1t1t1/5/5 w").unwrap();
    let (mut position, mut random, mut unknown) = (start, 7_u64, 0);
    for _ in 0..2_000 {
        if position.goats_below() == 0 || position.ending().is_some() {
            position = start;
        }
        let (probe, best) = full.best_moves(&position).unwrap();
        let (same, found) = mixed.best_moves(&position).unwrap();
        assert_eq!(same, probe);
        assert!(best.iter().any(|mv| found.contains(mv)), "{position:?}: {best:?} {found:?}");
        let after: Vec<Option<u32>> = found.iter().map(|mv| mixed.probe(&position.play(*mv)).unwrap().plies).collect();
        let next = probe.plies.map(|plies| plies - 1);
        assert!(after.iter().all(|plies| plies.is_none() || *plies == next), "{position:?}: {found:?} {after:?}");
        unknown += u32::from(next.is_some() && after.contains(&None));
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        let moves = position.legal_moves();
        position = position.play(moves[(random >> 33) as usize % moves.len()]);
    }
    assert!(unknown > 50, "{unknown}");
}
