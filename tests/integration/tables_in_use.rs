//! Solved tables where they are used: in the session, in GTP and in matches.

use crate::driver::{PROGRAM, empty_folder, run, stdout};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;

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
    std::fs::write(&openings, format!("{LOST}\n")).unwrap();
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
    let games = std::fs::read_to_string(&record).unwrap();
    assert_eq!(games.matches("[Termination \"tables\"]").count(), 2, "{games}");
    assert_eq!(games.matches("[Result \"0-1\"]").count(), 2, "{games}");
    assert!(std::fs::read_to_string(&json).unwrap().contains("\"tables\": 2"), "{json:?}");
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
    let all = std::fs::read_dir(&first).unwrap().count();
    assert!(all > 1);
    for dir in [&second, &odd] {
        std::fs::create_dir(dir).unwrap();
    }
    let name = "baghbandi-0000.table";
    std::fs::copy(Path::new(&first).join(name), Path::new(&odd).join(name)).unwrap();
    std::fs::rename(Path::new(&first).join(name), Path::new(&second).join(name)).unwrap();
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
