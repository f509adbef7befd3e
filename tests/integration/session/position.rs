//! `position`: what is read and what is refused.

use super::STUCK;
use crate::data::{self, rows};
use crate::driver::{Engine, RULE_SETS, START, Score};
use std::collections::BTreeMap;

#[test]
fn positions_with_nothing_behind_them_are_survived() {
    let mut engine = Engine::uci();
    engine.send("position startpos moves c2b2");
    engine.info_string("position");
    engine.info_string("position fen");
    engine.info_string("position fen moves c2b2");
    engine.info_string("position moves c2b2");
    assert_eq!(engine.query("fen"), "5/2E1E/1t1t1/1AD1E/5 b 0 1");
    assert_eq!(engine.info_strings("moves"), Vec::<String>::new());
    assert_eq!(engine.info_strings("position startpos moves"), Vec::<String>::new());
    assert_eq!(engine.query("fen"), START);
    assert_eq!(engine.info_strings(&format!("position fen {STUCK} moves")), Vec::<String>::new());
    assert_eq!(engine.query("fen"), STUCK);
    assert_eq!(engine.info_strings("position startpos"), Vec::<String>::new());
    assert_eq!(engine.query("fen"), START);
}

#[test]
fn counters_of_a_position_may_be_left_out() {
    let mut engine = Engine::uci();
    for (text, full) in [
        ("5/2E1E/1t1t1/2E1E/5 w", START),
        ("5/2E1E/1t1t1/2E1E/5 b 7", "5/2E1E/1t1t1/2E1E/5 b 7 1"),
        ("11111/2E1E/1t1t1/2E1E/32 w 12 34", "5/2E1E/1t1t1/2E1E/5 w 12 34"),
    ] {
        assert_eq!(engine.info_strings(&format!("position fen {text}")), Vec::<String>::new(), "{text}");
        assert_eq!(engine.query("fen"), full);
    }
}

#[test]
fn bad_positions_are_refused_with_the_reason_and_the_old_one_stays() {
    let mut engine = Engine::uci();
    engine.send("position startpos moves c2b2");
    let kept = engine.query("fen");
    for (text, reasons) in [
        ("bla", &["rank"][..]),
        ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", &["rank", "'r'"]),
        ("5/2E1E/1t1t1/2E1E w", &["rank"]),
        ("5/2E1E/1t1t1/2E1E/5/5 w", &["rank"]),
        ("4/2E1E/1t1t1/2E1E/5 w", &["point"]),
        ("5/2E1E1/1t1t1/2E1E/5 w", &["point"]),
        ("6/2E1E/1t1t1/2E1E/5 w", &["'6'", "point"]),
        ("0/2E1E/1t1t1/2E1E/5 w", &["'0'"]),
        ("5//1t1t1/2E1E/5 w", &["point"]),
        ("5/2E1E/1t3/2E1E/5 w", &["tiger"]),
        ("5/2E1E/5/2E1E/5 w", &["tiger"]),
        ("5/2E1E/ttt2/2E1E/5 w", &["tiger"]),
        ("AAAAA/2E1E/1t1t1/2E1E/5 w", &["goats"]),
        ("5/2F1E/1t1t1/2E1E/5 w", &["'F'"]),
        ("5/2a1E/1t1t1/2E1E/5 w", &["'a'"]),
        ("5/2X1E/1t1t1/2E1E/5 w", &["'X'"]),
        ("5/2é1E/1t1t1/2E1E/5 w", &["'é'"]),
        ("B4/2A1E/1t1t1/2E1E/5 w", &["herd"]),
        ("5/1E1E1/1t1t1/1E1E1/5 w", &["herd"]),
        ("5/2E1E/1t1t1/2E1E/5", &["side", "'w'"]),
        ("5/2E1E/1t1t1/2E1E/5 x", &["'x'"]),
        ("5/2E1E/1t1t1/2E1E/5 w x", &["'x'"]),
        ("5/2E1E/1t1t1/2E1E/5 w -1 1", &["'-1'"]),
        ("5/2E1E/1t1t1/2E1E/5 w 0 x", &["'x'"]),
        ("5/2E1E/1t1t1/2E1E/5 w 0 -3", &["'-3'"]),
        ("5/2E1E/1t1t1/2E1E/5 w 0 1.5", &["'1.5'"]),
        ("5/2E1E/1t1t1/2E1E/5 w 99999999999999999999 1", &["99999999999999999999"]),
        ("5/2E1E/1t1t1/2E1E/5 w 0 99999999999999999999", &["99999999999999999999"]),
        ("5/2E1E/1t1t1/2E1E/5 w 0 1 junk", &["junk"]),
    ] {
        let message = engine.info_string(&format!("position fen {text} moves c2b2"));
        assert!(reasons.iter().any(|reason| message.contains(reason)), "{text}: {message}");
        assert_eq!(engine.query("fen"), kept, "{text}");
    }
    engine.search("go depth 2");
}

#[test]
fn herds_are_read_where_the_rule_set_has_them() {
    let mut engine = Engine::under("baghguti");
    engine.info_string(&format!("position fen {START}"));
    assert_eq!(engine.query("fen"), "2t2/1E1E1/5/1E1E1/2t2 w 0 1");
    assert_eq!(engine.info_strings("position fen 5/1E1E1/1t1t1/1E1E1/5 w"), Vec::<String>::new());
    assert_eq!(engine.query("fen"), "5/1E1E1/1t1t1/1E1E1/5 w 0 1");
}

#[test]
fn an_illegal_move_is_reported_and_the_moves_before_it_stand() {
    let mut engine = Engine::uci();
    for bad in [
        "a1a2",
        "b2b1",
        "c2c2",
        "c4c4",
        "b3b2b1b3",
        "c2c3",
        "e9e8",
        "c2",
        "c2b",
        "c2b2b1",
        "0000",
        "(none)",
        "bla",
        "e2e3q",
        "c2-b2",
        "xxxx",
        "é",
        "c4b4\u{0}",
        "moves",
    ] {
        let message = engine.info_string(&format!("position startpos moves c2b2 {bad} c4b4"));
        assert!(message.contains('2') && message.contains(bad.trim_end_matches('\0')), "{message}");
        assert_eq!(engine.query("fen"), "5/2E1E/1t1t1/1AD1E/5 b 0 1", "{bad}");
        assert_eq!(engine.query("gameover"), "true");
        assert_eq!(engine.query("result"), "p1win");
        // A `go` is answered all the same.
        assert_ne!(engine.search("go depth 1").best, "(none)");
    }
}

#[test]
fn moves_are_read_in_either_case() {
    let mut engine = Engine::uci();
    engine.send("position startpos moves C2B2 B3b1");
    assert_eq!(engine.query("fen"), "5/2E1E/3t1/2D1E/1t3 w 0 2");
    assert_eq!(engine.query("islegal C2C3"), "true");
}

#[test]
fn legal_moves_are_those_of_the_reference() {
    let mut engines: BTreeMap<&str, Engine> = RULE_SETS.iter().map(|rules| (*rules, Engine::under(rules))).collect();
    for row in rows(data::POSITIONS) {
        let [rules, position, moves] = [row[0], row[1], row[2]];
        let engine = engines.get_mut(rules).unwrap();
        engine.send(&format!("position fen {position}"));
        let legal = engine.query("legal");
        let mut legal: Vec<&str> = legal.split(' ').collect();
        legal.sort_unstable();
        assert_eq!(legal.join(" "), moves, "{rules} {position}");
        assert_eq!(engine.query("gameover"), (moves == "(none)").to_string(), "{rules} {position}");
    }
}

#[test]
fn the_example_game_is_played_to_its_end() {
    let mut engine = Engine::under("super");
    let record = data::SUPER_GAME;
    let texts = record.split([' ', ';', '\n']).filter(|text| !text.is_empty() && !text.ends_with('.'));
    let mut played = Vec::new();
    for text in texts {
        let legal = engine.query("legal");
        let fits = |mv: &&str| match (text.contains(['-', 'x']), is_step(mv)) {
            (true, _) => **mv == text.replace(['-', 'x'], ""),
            (false, is_step) => is_step && mv.ends_with(text),
        };
        let fitting: Vec<&str> = legal.split(' ').filter(fits).collect();
        assert_eq!(fitting.len(), 1, "{text}: {legal}");
        played.push(fitting[0].to_owned());
        engine.send(&format!("moves {}", fitting[0]));
    }
    assert_eq!(
        (played.len(), engine.query("gameover").as_str(), engine.query("result").as_str()),
        (87, "true", "p1win")
    );
    engine.send(&format!("position startpos moves {}", played.join(" ")));
    assert_eq!(engine.query("result"), "p1win");
    assert_eq!(engine.query("legal"), "(none)");
    engine.send(&format!("position startpos moves {}", played[..86].join(" ")));
    assert_eq!(engine.query("gameover"), "false");
    let answer = engine.search("go depth 4");
    assert_eq!((answer.last().score, answer.best.as_str()), (Score::Mate(1), "c1b2"));
}

/// Whether a move is one step, not a capture.
fn is_step(mv: &str) -> bool {
    let bytes = mv.as_bytes();
    bytes.len() == 4 && bytes[0].abs_diff(bytes[2]) < 2 && bytes[1].abs_diff(bytes[3]) < 2
}
