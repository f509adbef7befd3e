//! `sundarban show`: pictures of positions, as a person asks for them.

use crate::driver::{PROGRAM, has_shell, run};
use crate::reader::xml;
use std::process::{Command, Output};

fn show(args: &[&str], input: &str) -> Output {
    run(&[&["show"], args].concat(), input)
}

fn shown(args: &[&str]) -> String {
    let output = show(args, "");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn a_position_may_come_in_any_way() {
    let text = "5/2E1E/3t1/2D1E/1t3 w 0 2";
    let words: Vec<&str> = text.split(' ').collect();
    let expected = shown(&[text]);
    assert_eq!(shown(&words), expected);
    for input in [text.to_owned(), format!("{text}\r\n")] {
        assert_eq!(String::from_utf8(show(&["-"], &input).stdout).unwrap(), expected);
    }
    let played = shown(&["--moves", "c2b2", "b3b1"]);
    assert!(played.ends_with(&format!("Played: 1. b2; b3xb1\n{text}\n")), "{played}");
    assert_eq!(shown(&["--moves", "1. b2; b3xb1"]), played);
    assert_eq!(shown(&["startpos", "moves", "c2b2", "b3b1"]), played);
    assert_eq!(shown(&["1. b2", "--moves", "b3b1"]), played);
    assert_eq!(String::from_utf8(show(&["-"], "[White \"x\"]\n\n1. b2; b3xb1 *\n").stdout).unwrap(), played);
    assert_eq!(shown(&["--rules", "baghguti", "startpos"]), shown(&["--rules", "BaghGuti"]));
}

#[test]
fn what_can_not_be_shown_is_refused_with_the_place() {
    for (args, reason) in [
        (&["5/2E1E/1t1t1/2F1E/5 w"][..], "FEN:1:15: found 'F', expected a digit 1 to 5"),
        (
            &["--moves", "c2b2", "c2b3"],
            "--moves: column 6: found 'c2b3' (Black has no piece on c2), expected a legal move",
        ),
        (&["--moves", "1. b2; b3xb2"], "--moves: column 8: found 'b3xb2'"),
        (&["--line", "e4e6"], "--line: column 1: found 'e4e6', expected a move"),
        (&["--arrow", "a1c2"], "--arrow: found 'a1c2' with no line from a1 to c2"),
        (&["--mark", "f1"], "--mark: found 'f1', expected a point, a1 to e5"),
        (&["--size", "200"], "the following required arguments were not provided"),
        (&["--svg", "--size", "9999999"], "invalid value '9999999' for '--size <PIXELS>'"),
        (&["--rules", "chess"], "invalid value 'chess' for '--rules <NAME>': expected one of baghbandi"),
        (&["-"], "found nothing, expected a position or a game"),
    ] {
        let output = show(args, "");
        let message = String::from_utf8(output.stderr).unwrap();
        assert!(message.starts_with(&format!("error: {reason}")), "{args:?}: {message}");
        // What standard input holds is no fault of the command line.
        let code = if args.contains(&"-") { 1 } else { 2 };
        assert_eq!((output.status.code(), output.stdout.len()), (Some(code), 0), "{args:?}");
    }
}

#[test]
fn colour_is_for_terminals() {
    assert!(!shown(&[]).contains('\x1b'), "this is a pipe");
    assert!(shown(&["--color", "always"]).contains("\x1b[0;1;31mT"));
    assert!(shown(&["--ascii"]).is_ascii());
}

#[test]
fn pictures_are_well_formed() {
    let text = shown(&["--svg", "--size", "200", "--moves", "c2b2", "b3b1", "--line", "e4e5 b1a1", "--mark", "a5"]);
    let picture = xml::parse(&text).unwrap();
    assert_eq!((picture.name.as_str(), picture.attribute("width")), ("svg", Some("200")));
    assert_eq!(picture.all("title")[0].text(), "White to move: 5/2E1E/3t1/2D1E/1t3 w 0 2");
    let texts: Vec<String> = picture.all("text").iter().map(|text| text.text()).collect();
    assert_eq!(texts.concat().len(), 10 + 4 + 2, "names of files and ranks, herds, numbers of moves: {texts:?}");
    assert_eq!(picture.all("ellipse").len(), 2, "tigers");
}

#[test]
fn a_closed_pipe_is_a_quiet_end() {
    if !has_shell() {
        return;
    }
    let command = "\"$0\" show --svg | head -c 1; \"$0\" show --svg 2>&1 >/dev/full | head -c 60";
    let output = Command::new("bash").args(["-c", command, PROGRAM]).output().unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stdout), "<error: No space left on device (os error 28)\n");
    assert!(output.stderr.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn the_picture_of_the_readme_is_what_its_command_draws() {
    let readme = include_str!("../../README.md");
    let command = readme.lines().find(|line| line.ends_with(" > tests/data/board.svg")).unwrap();
    let words: Vec<&str> = command.trim_end_matches(" > tests/data/board.svg").split(' ').skip(2).collect();
    assert_eq!(shown(&words), include_str!("../data/board.svg"));
}
