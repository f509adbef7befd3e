//! `convert`.

use super::lines;
use crate::data;
use crate::driver::{START, output, run};

#[test]
fn the_example_game_converts_there_and_back() {
    let seed = data::SUPER_GAME;
    let moves = output(&["convert", "--rules", "super", "--to", "moves"], seed);
    assert!(moves.starts_with(&format!("super\t{START} moves e4e5 b3b4 e4e3 b4d4 c4b4 ")), "{moves}");
    assert_eq!(moves.split_whitespace().count(), 1 + 4 + 1 + 87);
    let record = output(&["convert", "--to", "record"], &moves);
    // The example game names both points of one move where one would do.
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
fn what_can_not_be_converted_is_reported_and_the_rest_goes_on() {
    let output = run(&["convert", "--to", "record"], "startpos moves c2b2 c2b2\nstartpos moves c2b2\n");
    assert_eq!((lines(&output.stdout), output.status.code()), (vec!["baghbandi\t1. b2".to_owned()], Some(1)));
    let fault = "-:1:21: found 'c2b2' (Black has no piece on c2), expected a legal move of Black";
    assert_eq!(lines(&output.stderr), [fault, "error: 1 of 2 inputs can't be read"]);
    let output = run(&["convert", "--all"], "");
    assert_eq!(output.status.code(), Some(2));
}

#[test]
fn a_result_against_the_rules_is_reported() {
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
