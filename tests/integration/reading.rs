//! What people bring is read alike by all commands, and nothing is misread in silence.

use crate::driver::{Engine, PROGRAM, empty_folder, run};
use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};

/// The position that each of the forms has.
const POSITION: &str = "5/2E1E/1t1t1/2E1E/5 w 0 1";

/// Forms of the usual start, and of a game from it with the same first move.
const FORMS: [&str; 25] = [
    "startpos",
    "startpos;",
    "\u{FEFF}startpos",
    "baghbandi",
    "baghbandi startpos",
    "baghbandi\tstartpos",
    "5/2E1E/1t1t1/2E1E/5 w",
    "5/2E1E/1t1t1/2E1E/5 w 0 1;",
    "5/2E1E/1t1t1/2E1E/5 w - -",
    "5/2E1E/1t1t1/2E1E/5 w bm e4e5; id \"x\";",
    "fen 5/2E1E/1t1t1/2E1E/5 w 0 1",
    "position startpos",
    "position fen 5/2E1E/1t1t1/2E1E/5 w",
    "baghbandi 5/2E1E/1t1t1/2E1E/5 w 0 1",
    "{why} startpos",
    "startpos moves",
    "e4e5",
    "moves e4e5",
    "startpos moves e4e5",
    "baghbandi e4e5",
    "1. e5",
    "1. e4-e5! {good} 1/2-1/2",
    "e5",
    "position fen 5/2E1E/1t1t1/2E1E/5 w 1. e5 *",
    "5/2E1E/1t1t1/2E1E/5 w\tmoves e4e5\tmore\tcolumns",
];

fn within(folder: &Path, words: &str) -> Output {
    let mut command = Command::new(PROGRAM);
    command.args(words.split_whitespace()).current_dir(folder).stdin(Stdio::null()).env_remove("RUST_LOG");
    command.output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

/// A record of a match between these engines, of a pair of games.
fn pair(number: u32, white: &str, black: &str, comment: &str) -> String {
    let game = |game: u32, white: &str, black: &str| {
        format!(
            "[Event \"x\"]\n[Game \"{game}\"]\n[Pair \"{number}\"]\n[White \"{white}\"]\n[Black \"{black}\"]\n\
             [Rules \"baghbandi\"]\n[Result \"1/2-1/2\"]\n\n1. e5 {{{comment}}}; b4 {{{comment}}} 1/2-1/2\n\n"
        )
    };
    game(2 * number - 1, white, black) + &game(2 * number, black, white)
}

#[test]
fn every_form_is_read_by_every_command() {
    let folder = empty_folder("forms");
    for form in FORMS {
        let last =
            if form.contains('5') && (form.contains("e5") && !form.contains("bm")) { "4A/2E1D" } else { POSITION };
        let converted = run(&["convert", "--to", "position", "--fen", form], "");
        let expected = text(&converted.stdout);
        assert!(converted.status.success() && expected.contains(last), "{form}: {expected}");
        let position = expected.trim().split_once('\t').unwrap().1;
        let piped = run(&["convert", "--to", "position"], form);
        assert_eq!(text(&piped.stdout), expected, "{form}");
        let perft = run(&["perft", "--depth", "0", "--fen", form], "");
        assert!(text(&perft.stdout).starts_with(&format!("baghbandi {position}\n")), "{form}: {perft:?}");
        let shown = run(&["show", form], "");
        assert!(text(&shown.stdout).trim_end().ends_with(position), "{form}");
        // No tables are there, which is said after the position was read.
        let probe = run(&["tables", "probe", "--dir", "/nowhere", form], "");
        assert!(text(&probe.stderr).contains("/nowhere"), "{form}: {probe:?}");
        // A byte order mark or a comment stands at the beginning of a text only.
        let value =
            form.trim_start_matches('\u{FEFF}').trim_start_matches("{why} ").replace('\\', "\\\\").replace('"', "\\\"");
        let tagged = run(&["convert", "--to", "position"], format!("[FEN \"{value}\"]\n\n*\n"));
        assert_eq!(text(&tagged.stdout), expected, "{form}: {tagged:?}");
        fs::write(folder.join("openings"), format!("{form}\n")).unwrap();
        let engines = format!("--engine name=a cmd={PROGRAM} depth=1 --engine name=b cmd={PROGRAM} depth=1");
        let words = format!("match {engines} --rounds 1 --max-moves 1 --openings openings");
        let played = within(&folder, &words);
        assert!(
            played.status.success() && (played.stderr.is_empty() || form == "e5"),
            "{form}: {}",
            text(&played.stderr)
        );
    }
}

#[test]
fn merge_reads_marks_counts_copies_once_and_damage() {
    let folder = empty_folder("reading-merge");
    let two = pair(1, "a", "b", "0.001s") + &pair(2, "a", "b", "0.002s");
    fs::write(folder.join("marked"), format!("\u{FEFF}{two}")).unwrap();
    fs::write(folder.join("plain"), &two).unwrap();
    fs::write(folder.join("cut"), two.get(..two.len() - 12).unwrap()).unwrap();
    let merged = within(&folder, "match --merge marked");
    assert!(text(&merged.stdout).contains("Games: 4,") && merged.status.success(), "{merged:?}");
    let copies = within(&folder, "match --merge marked plain");
    assert!(text(&copies.stdout).contains("Games: 4,"), "{copies:?}");
    assert!(text(&copies.stderr).contains("4 games are copies of others"), "{copies:?}");
    let cut = within(&folder, "match --merge cut");
    assert!(cut.status.code() == Some(1) && text(&cut.stdout).contains("Games: 2,"), "{cut:?}");
    assert!(text(&cut.stderr).contains("--merge: 1 damaged records were skipped"), "{cut:?}");
    let latin = pair(1, "Ren\u{e9}", "Ren\u{e8}", "x").chars().map(|letter| letter as u8).collect::<Vec<u8>>();
    fs::write(folder.join("latin"), latin).unwrap();
    let merged = within(&folder, "match --merge latin");
    assert!(text(&merged.stdout).contains("René vs Renè") && text(&merged.stdout).contains("Games: 2,"), "{merged:?}");
    assert_eq!(text(&merged.stderr).matches("Latin-1").count(), 1, "{merged:?}");
}

#[test]
fn records_of_other_programs_are_read() {
    let cutegames = "[Event \"x\"]\n[White \"a\"]\n[Black \"b\"]\n[Pair \"1\"]\n[FEN \"startpos\"]\n[Result \"0-1\"]\n\n\
                     1. e4e5 1... b3b4 2. e4e3 2... b4d4 0-1\n";
    let moves = run(&["convert"], cutegames);
    assert_eq!(text(&moves.stdout), format!("baghbandi\t{POSITION} moves e4e5 b3b4 e4e3 b4d4\n"), "{moves:?}");
    assert!(moves.stderr.is_empty(), "{moves:?}");
    let annotated = run(&["annotate", "--depth", "1"], cutegames);
    assert!(annotated.status.success(), "{annotated:?}");
    let signs = "[Variant \"super\"]\n\n1. e5! $1 {a} (1. c5; b4); b4?! 2. e4–e3 1–0\n";
    let written = text(&run(&["convert", "--to", "match"], signs).stdout);
    assert!(written.contains("1. e5! $1 {a} (1. c5; b4); b4?! 2. e4-e3 1-0"), "{written}");
    assert!(written.contains("[Rules \"super\"]"), "{written}");
    assert_eq!(text(&run(&["convert", "--to", "match"], &written).stdout), written);
    let odd = run(&["convert", "--to", "record"], "1. e5; b4 4. e4-e3\n");
    assert!(odd.status.success() && text(&odd.stderr).contains("-:1:11: found '4.', expected '2.'"), "{odd:?}");
}

/// A game as cutegames writes it.
fn cutegames_game(white: &str, black: &str, start: &str, moves: &str, result: &str) -> String {
    format!(
        "[Event \"x\"]\n[Site \"CuteGames\"]\n[Date \"??\"]\n[Round \"1\"]\n[White \"{white}\"]\n[Black \"{black}\"]\n\
         [Result \"{result}\"]\n[FEN \"{start}\"]\n[Adjudicated \"Illegal move\"]\n[PlyCount \"2\"]\n\n{moves} {result}\n\n\n"
    )
}

#[test]
fn games_without_pairs_are_merged_by_opening_and_sides() {
    let folder = empty_folder("reading-cutegames");
    let black = "5/2E1E/1t1t1/1AD1E/5 b 0 7";
    let games = [
        cutegames_game("a", "b", "startpos", "1. e4e5 b3b4 ", "1-0"),
        cutegames_game("a", "b", black, "1... b3b1 2. e4e5 ", "1-0"),
        cutegames_game("a", "b", "startpos", "1. e4e5 b3b4 ", "1-0"),
        cutegames_game("b", "a", black, "1... b3b1 2. e4e5 ", "1/2-1/2"),
        cutegames_game("b", "a", "startpos", "1. e4e5 b3b4 ", "0-1"),
        cutegames_game("b", "a", "startpos", "1. e4e5 b3b4 ", "*"),
        cutegames_game("b", "c", "startpos", "1. e4e5 b3b4 ", "0-1"),
    ];
    fs::write(folder.join("games"), games[..5].concat()).unwrap();
    let merged = within(&folder, "match --merge games --rules super --record both");
    let out = text(&merged.stdout);
    assert!(merged.status.success() && out.contains("Games: 4, Wins: 3, Losses: 0, Draws: 1"), "{merged:?}");
    assert!(out.contains("Points in super: a"), "{out}");
    assert!(text(&merged.stderr).contains("1 games have no partner"), "{merged:?}");
    let again = within(&folder, "match --merge both");
    assert!(text(&again.stdout).contains("Games: 4, Wins: 3, Losses: 0, Draws: 1"), "{again:?}");
    assert!(fs::read_to_string(folder.join("both")).unwrap().contains("[Pair \"2\"]"));
    fs::write(folder.join("copy"), games[..5].concat()).unwrap();
    let copies = within(&folder, "match --merge games copy");
    assert!(text(&copies.stdout).contains("Games: 4,"), "{copies:?}");
    // What is not over, and what names no engine, is told of.
    fs::write(folder.join("more"), games.concat().replace("[Black \"c\"]\n", "")).unwrap();
    let more = within(&folder, "match --merge more");
    assert!(more.status.code() == Some(1) && text(&more.stdout).contains("Games: 4,"), "{more:?}");
    for part in
        ["found the result *, expected a finished game", "found a game without the tag Black", "2 damaged records"]
    {
        assert!(text(&more.stderr).contains(part), "{part}: {more:?}");
    }
    let two = within(&folder, "match --merge games --rules super moderno");
    assert!(two.status.code() == Some(2) && text(&two.stderr).contains("found 2 of --rules, expected one"), "{two:?}");
}

#[test]
fn a_text_that_is_no_game_has_one_error_and_who_waits_for_it_gets_it() {
    let lock = fs::read(concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.lock")).unwrap();
    for (input, errors) in
        [(lock.as_slice(), 2), (b"x y\nz\n", 2), (b"x y\nz\nstartpos\n", 3), (b"startpos\nx y\nz\n", 3)]
    {
        let output = run(&["convert"], input);
        assert_eq!(text(&output.stderr).lines().count(), errors, "{output:?}");
        assert_eq!(output.status.code(), Some(1), "{output:?}");
    }
    let mut engine = Engine::start_with(&["analyze", "--depth", "1", "--format", "json"]);
    for line in ["x y", "z", "startpos", "z"] {
        engine.send(line);
        let answer = engine.line();
        assert_eq!(answer.contains("\"error\""), line != "startpos", "{answer}");
    }
}

#[test]
fn what_is_wrong_is_said_where_it_stands() {
    for (input, fault) in [
        ("1. e5; b4 1/2\n1. e5 *\n", "-:1:11: found '1/2'"),
        ("[White \"x\"]\n\n1. e5; b4 resigns\n\n[White \"y\"]\n\n1. e5 *\n", "-:3:11: found 'resigns'"),
        ("[White \"x\"]\n\n1. e5; b4 ½-½\n\n[White \"y\"]\n\n1. e5 *\n", "-:3:11: found '½-½'"),
        ("1. e5; b4 1:0\n1. e5 *\n", "-:1:11: found '1:0'"),
        ("1. e5; b4 1-0 {too late}\n1. e5 *\n", "-:1:15: found a comment, expected the end of the game"),
        ("[Rules \"super\"]\n[Rules \"moderno\"]\n*\n\n[White \"y\"]\n1. e5 *\n", "-:2:1: found tag 'Rules' twice"),
        ("[Rules \"super\"]\n[Variant \"moderno\"]\n*\n\n[White \"y\"]\n1. e5 *\n", "-:2:1: found variant 'moderno'"),
        ("2t2/1E1E1/5/1E1E1/2t2 w\n1. e5 *\n", "by the rules baghguti, baghguti-murray it would be legal"),
    ] {
        let output = run(&["convert"], input);
        let errors = text(&output.stderr);
        assert!(errors.contains(fault) && errors.lines().count() == 2, "{input}: {errors}");
        assert!(text(&output.stdout).ends_with("moves e4e5\n"), "{input}: {output:?}");
    }
    let game = fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/super-game.txt")).unwrap();
    let output = run(&["convert"], &game);
    assert!(text(&output.stderr).contains("by the rules super, wikipedia-multi it would be legal"), "{output:?}");
    let lock = concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.lock");
    let output = run(&["annotate", lock], "");
    assert!(text(&output.stderr).lines().count() == 2, "{output:?}");
}

#[test]
fn byte_order_marks_are_no_part_of_commands() {
    let gtp = run(&["gtp"], "\u{FEFF}name\nquit\n");
    assert_eq!(text(&gtp.stdout), "= Sundarban\n\n= \n\n");
    let folder = empty_folder("reading-config");
    let words =
        format!("\u{FEFF}--engine name=a cmd={PROGRAM} depth=1\n--engine name=b cmd={PROGRAM} depth=1\n--rounds 1\n");
    fs::write(folder.join("config"), words).unwrap();
    let output = within(&folder, "match --config config --max-moves 1");
    assert!(output.status.success(), "{output:?}");
}
