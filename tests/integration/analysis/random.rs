//! `random`.

use crate::driver::{output, run};

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
