//! `sundarban annotate`: games judged, in all formats, by search and by solved tables.

use crate::driver::{PROGRAM, Tables, empty_folder, has_shell, run};
use crate::reader::xml;
use std::fs;
use std::path::PathBuf;
use std::process::{Command, Output};
use sundarban::board::Point;
use sundarban::game::GameResult;
use sundarban::moves::Move;
use sundarban::notation::fen::Fen;
use sundarban::notation::match_record::Record;
use sundarban::notation::reader::read_all;
use sundarban::notation::record::{move_text, write};
use sundarban::position::{Position, Setup};
use sundarban::rules::{RuleSet, Side};
use sundarban::tablebase::{Tablebase, Wdl};

const EXAMPLE_GAME: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/super-game.txt");

fn annotate(args: &[&str], input: &str) -> Output {
    run(&[&["annotate"], args].concat(), input)
}

fn annotated(args: &[&str], input: &str) -> String {
    let output = annotate(args, input);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(output.stderr.is_empty());
    String::from_utf8(output.stdout).unwrap()
}

/// The example game with shallow searches.
fn example_game(format: &str) -> String {
    annotated(&["--rules", "super", "--depth", "5", "--format", format, EXAMPLE_GAME], "")
}

fn folder(name: &str) -> PathBuf {
    empty_folder(&format!("annotate-{name}"))
}

#[test]
fn the_example_game_as_text() {
    let text = example_game("text");
    assert_eq!(example_game("text"), text, "the same again");
    let lines: Vec<&str> = text.lines().collect();
    assert!(text.starts_with("White - Black 1-0\nsuper, 87 plies: White wins: the tigers can't move, 12 points\n\n"));
    assert!(lines.iter().all(|line| line.chars().count() <= 80 && !line.ends_with(' ')), "{text}");
    for number in 1..=44 {
        let row = format!("{number:>4}. ");
        assert!(lines.iter().filter(|line| line.starts_with(&row)).count() >= 1, "{number}: {text}");
    }
    assert!(text.contains("\n  44. c1-b2               12-0\n"), "{text}");
    assert!(text.contains("  43. e2-e1             +12 M2   a2                +12 M1\n"), "{text}");
    assert!(lines.iter().any(|line| line.starts_with("accuracy") && line.matches(" %").count() == 2), "{text}");
    assert!(text.contains("\n   +18 │") && text.contains("\n     0 ┼─") && text.contains("\n   -10 │"), "{text}");
    // Every fault has its note, and nothing else has one.
    let signs = lines.iter().flat_map(|line| line.split_whitespace()).filter(|word| ["?!", "?", "??"].contains(word));
    assert!(signs.count() > 0);
    for (sign, name) in [("?!", "inaccuracy"), ("?", "mistake"), ("??", "blunder")] {
        let count = lines.iter().flat_map(|line| line.split_whitespace()).filter(|word| *word == sign).count();
        assert_eq!(text.matches(&format!(": {name}")).count(), count, "{name}: {text}");
    }
}

#[test]
fn the_example_game_as_a_match_record() {
    let text = example_game("match");
    let records = read_all(&text).unwrap();
    let [record] = records.as_slice() else { panic!("{text}") };
    assert_eq!((record.game.moves().len(), record.result), (87, Some(GameResult::Win)));
    assert_eq!(record.tag("Annotator"), Some(concat!("Sundarban ", env!("CARGO_PKG_VERSION"))));
    let percent = |name| record.tag(name).unwrap().parse::<f64>().unwrap();
    assert!((50.0..=100.0).contains(&percent("WhiteAccuracy")) && (50.0..=100.0).contains(&percent("BlackAccuracy")));
    assert!(record.comments.iter().all(|comment| comment.starts_with(['+', '-'])), "{:?}", record.comments);
    assert_eq!(record.comments.last().unwrap(), "+M0/0");
    // What was written is read again, and comments are kept behind the new ones.
    let again = annotated(&["--depth", "2", "--format", "match", "-"], &text);
    let read: Record = read_all(&again).unwrap().remove(0);
    assert_eq!(read.game.moves(), record.game.moves());
    assert!(read.comments.iter().zip(&record.comments).all(|(new, old)| new.ends_with(&format!(" - {old}"))));
    assert_eq!(again.matches("[Annotator ").count(), 1);
}

#[test]
fn the_example_game_as_a_page() {
    let text = example_game("html");
    let page = xml::parse(&text).unwrap();
    assert_eq!(page.name, "html");
    let plies = page.all("section");
    let ids: Vec<&str> = plies.iter().filter_map(|ply| ply.attribute("id")).collect();
    let wanted: Vec<String> = (0..=87).map(|number| format!("p{number}")).collect();
    assert_eq!(ids, wanted);
    let links: Vec<&str> = page.all("a").iter().filter_map(|link| link.attribute("href")).collect();
    assert_eq!(links.len(), 88 + 87, "the chart's and the moves'");
    assert!(links.iter().all(|link| wanted.iter().any(|id| link.strip_prefix('#') == Some(id))), "{links:?}");
    // Whatever is referred to is on the page.
    let shapes: Vec<&str> = page.all("g").iter().filter_map(|shape| shape.attribute("id")).collect();
    for used in page.all("use").iter().filter_map(|used| used.attribute("href")) {
        assert!(shapes.contains(&used.trim_start_matches('#')), "{used}");
    }
    // Nothing comes from elsewhere.
    let elsewhere = text.replace("http://www.w3.org/2000/svg", "").replace("http://www.w3.org/1999/xhtml", "");
    for word in ["http:", "https:", "src=", "url(", "@import", "<link"] {
        assert!(!elsewhere.contains(word), "{word}");
    }
    assert_eq!(plies[87].all("title")[0].text(), format!("Black to move: {}", last_position()));
}

/// The text of the last position of the example game.
fn last_position() -> String {
    let record =
        read_all(&format!("[Rules \"super\"]\n{} *", fs::read_to_string(EXAMPLE_GAME).unwrap())).unwrap().remove(0);
    Fen(record.game.position()).to_string()
}

#[test]
fn text_of_a_file_is_never_markup() {
    let hostile = "</title><script>alert(1)</script>&\u{1b}[31m'";
    let game = format!("[White \"{hostile}\"]\n[Event \"<b>\"]\n\n1. e5; b4 {{]]>}} {{<i>why</i>}} 1-0\n");
    let page = xml::parse(&annotated(&["--depth", "1", "--format", "html", "-"], &game)).unwrap();
    assert_eq!((page.all("script").len(), page.all("b").len(), page.all("i").len()), (1, 0, 0));
    assert!(page.all("title")[0].text().starts_with("</title><script>alert(1)</script>&\u{fffd}[31m' - Black"));
    assert!(page.all("header")[0].text().contains("<i>why</i>"));
    assert!(page.all("section")[2].text().contains("]]>"), "the comment of the move");
    let text = annotated(&["--depth", "1", "-"], &game);
    assert!(text.starts_with("</title><script>alert(1)</script>&\\u{1b}[31m' - Black 1-0\n"), "{text}");
}

/// A drawn position with a move of White that loses, and that move.
fn throw_away(tables: &Tablebase) -> (Position, Move) {
    let rules = RuleSet::standard();
    let tigers = ["a1", "b2"].map(|name| Point::from_name(name.as_bytes()[0], name.as_bytes()[1]).unwrap());
    for places in 0..25_usize.pow(3) {
        let mut goats = [0; 25];
        [places % 25, places / 25 % 25, places / 625].into_iter().for_each(|place| goats[place] = 1);
        let setup = Setup { goats, tigers: tigers.into_iter().collect(), side: Side::White, quiet: 0, number: 1 };
        let Ok(position) = Position::new(rules, &setup) else { continue };
        let loses = |mv: &Move| tables.probe_wdl(&position.play(*mv)).ok() == Some(Wdl::Win);
        if tables.probe_wdl(&position).ok() == Some(Wdl::Draw)
            && let Some(loser) = position.legal_moves().into_iter().find(loses)
        {
            return (position, loser);
        }
    }
    panic!("no draw can be thrown away");
}

#[test]
fn tables_judge_exactly() {
    let dir = Tables::with_distances(3).folder();
    let tables = Tablebase::open(&dir, RuleSet::standard()).unwrap();
    let (position, loser) = throw_away(&tables);
    let game = format!("{} {}", Fen(&position), write(&position, &[loser]));
    let (dir, word) = (dir.display().to_string(), move_text(&position, loser));
    let text = annotated(&["--depth", "2", "--tables", &dir, "-"], &game);
    assert!(text.contains(&format!("1. {word}: blunder, throws away a draw (= to -")), "{text}");
    assert!(text.contains(", exactly). Better: 1. ") || text.contains("exactly).\n"), "{text}");
    assert!(text.contains("accuracy           13.5 %        -\n"), "{text}");
    let record = annotated(&["--depth", "2", "--tables", &dir, "--format", "match", "-"], &game);
    assert!(record.contains("blunder, throws away a draw; better 1. "), "{record}");
}

#[test]
fn tables_are_believed_as_far_as_the_count_of_quiet_plies_lets_them() {
    let dir = Tables::with_distances(3).folder().display().to_string();
    // Black wins by the tables, but nobody can before the draw.
    let start = "5/2A1A/1t1t1/2A2/5 w 298 5";
    for end in ["", "; a3", "; a3 6. e4", "; a3 6. e4; b3"] {
        let text = annotated(&["--depth", "4", "--tables", &dir], &format!("{start} 5. e3{end}\n"));
        assert!(!text.contains('?') && !text.contains("throws away"), "{text}");
        let row = text.lines().find(|line| line.starts_with("   5. e3 ")).unwrap();
        assert!(row.contains(" +0.00"), "{text}");
        assert!(end.is_empty() || row.contains(" a3 ") && row.ends_with(" ="), "{text}");
    }
    let text = annotated(&["--depth", "4", "--draw-plies", "0", "--tables", &dir], &format!("{start} 5. e3\n"));
    assert!(text.contains(" -M"), "{text}");
}

#[test]
fn rules_without_tables_are_searched_with_one_warning() {
    let dir = Tables::with_distances(1).folder();
    let games = "super 1. e5\n1. e5\nsuper 1. e5\nmoderno 1. e5\n";
    let output = annotate(&["--depth", "1", "--tables", dir.to_str().unwrap()], games);
    let (text, warnings) = (String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap());
    assert_eq!((text.matches("White - Black").count(), output.status.code()), (4, Some(0)), "{warnings}");
    assert_eq!(warnings.lines().count(), 2, "{warnings}");
    for rules in ["super", "moderno"] {
        assert_eq!(warnings.matches(&format!(": no tables of {rules}; searched without")).count(), 1, "{warnings}");
    }
}

#[test]
fn a_file_is_replaced_at_the_end_or_not_at_all() {
    let dir = folder("output");
    let (file, games) = (dir.join("out.txt"), "1. e5\n1. c1\n");
    let args = ["--depth", "1", "--output", file.to_str().unwrap()];
    assert!(annotated(&args, games).is_empty());
    let text = fs::read_to_string(&file).unwrap();
    assert_eq!(text, annotated(&["--depth", "1"], games));
    let output = annotate(&[&args[..], &["--format", "html"]].concat(), games);
    assert_eq!(output.status.code(), Some(2));
    assert_eq!((fs::read_to_string(&file).unwrap(), fs::read_dir(&dir).unwrap().count()), (text, 1));
}

#[test]
fn what_can_not_be_annotated_is_refused() {
    let dir = folder("refused");
    let (two, none) = (dir.join("two.txt"), dir.join("none.txt"));
    fs::write(&two, "1. e5; b4\n1. c1\n").unwrap();
    fs::write(&none, "# nothing\n\n").unwrap();
    let (two, none) = (two.to_str().unwrap(), none.to_str().unwrap());
    for (args, code, reason) in [
        (&["/nowhere"][..], 1, "1 of 1 inputs can't be read"),
        (&[none], 1, "found no game, expected one"),
        (&["--format", "html", two], 2, "found several games, expected one for a page: choose it with --game"),
        (&["--game", "3", two], 1, "--game: found 2 games, expected 3 or more"),
        (&["--game", "2", "--fen", "1. e5"], 1, "--game: found 1 game, expected 2 or more"),
        (&["--game", "-1", two], 2, "invalid value '-1' for '--game <N>': expected a number from 1 on"),
        (&["--game", "0", two], 2, "invalid value '0' for '--game <N>'"),
        (&["--depth", "0", two], 2, "invalid value '0' for '--depth <PLIES>'"),
        (&["--hash", "0", two], 2, "invalid value '0' for '--hash <MB>': expected a number from 1 to 65536"),
        (&["--tables", "/nowhere", two], 1, "error: --tables: '/nowhere': "),
        (&["--depth", "1", "--output", "/nowhere/x", two], 1, "error: '/nowhere/x': "),
        (&[], 1, "found no game, expected one"),
    ] {
        let output = annotate(args, "");
        let message = String::from_utf8(output.stderr).unwrap();
        assert!(
            message.lines().any(|line| line.starts_with("error: ")) && message.contains(reason),
            "{args:?}: {message}"
        );
        assert_eq!((output.status.code(), output.stdout.len()), (Some(code), 0), "{args:?}");
    }
    let output = annotate(&["--depth", "1", "-"], "1. e5; b4\n1. e5; b5\n1. c1\n");
    let (text, message) = (String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap());
    assert!(message.starts_with("-:2:8: found 'b5'"), "{message}");
    assert!(message.ends_with("error: 1 of 3 inputs can't be read\n") && output.status.code() == Some(1), "{message}");
    assert_eq!(text.matches("White - Black").count(), 2, "{text}");
    assert_eq!(annotated(&["--depth", "1", "--fen", "1. e5"], ""), annotated(&["--depth", "1"], "1. e5\n"));
    let one = annotated(&["--game", "2", "--depth", "1", two], "");
    assert!(one.contains("\n   1. c1 ") && !one.contains("e5 "), "{one}");
}

#[test]
fn a_game_without_moves_and_one_that_black_begins() {
    for format in ["text", "match", "html"] {
        let text = annotated(&["--depth", "2", "--format", format, "-"], "startpos\n");
        assert_eq!(format == "html", xml::parse(&text).is_ok(), "{text}");
        let text =
            annotated(&["--depth", "2", "--format", format, "-"], "5/2E1E/1t1t1/1AD1E/5 b 0 7 7. ...; b3xb1 8. e5");
        assert!(text.contains("b3xb1"), "{text}");
    }
}

#[test]
fn a_closed_pipe_is_a_quiet_end() {
    if !has_shell() {
        return;
    }
    let command = "echo '1. e5; b4' | \"$0\" annotate --depth 1 --format html - | head -c 15";
    let output = Command::new("bash").args(["-c", command, PROGRAM]).output().unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stdout), "<!DOCTYPE html>");
    assert!(output.stderr.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
}
