//! What a search prints: lines, scores, several lines at once.

use super::{BLACK_MATES, EATEN, STUCK, WHITE_MATES, after, expect_good_lines, expect_groups, repeated};
use crate::data::{self, rows};
use crate::driver::{Engine, RULE_SETS, SILENCE, Score};
use std::time::Instant;

#[test]
fn a_second_go_while_searching_is_survived() {
    let mut engine = Engine::uci();
    engine.send("go infinite\ngo depth 3");
    engine.search_output(Instant::now());
    engine.search_output(Instant::now());
    engine.send("go depth 6\ngo depth 3\ngo depth 2");
    let depths: Vec<u64> = (0..3).map(|_| engine.search_output(Instant::now()).last().depth).collect();
    assert_eq!(depths, [6, 3, 2]);
    assert_eq!(engine.line_within(SILENCE), None);
}

#[test]
fn lines_are_legal_to_their_end_and_two_moves_long_in_every_rule_set() {
    for rules in RULE_SETS {
        let mut engine = Engine::under(rules);
        let positions =
            rows(data::POSITIONS).filter(|row| row[0] == rules).map(|row| format!("position fen {}", row[1]));
        for position in positions.step_by(6).chain(["position startpos".to_owned()]) {
            engine.send(&position);
            for go in ["go depth 6", "go depth 1", "go nodes 1", "go movetime 0", "go nodes 300"] {
                let answer = engine.search(go);
                if engine.query("gameover") == "true" {
                    assert_eq!(answer.best, "(none)", "{rules} {position}");
                } else {
                    expect_good_lines(&mut engine, &position, &answer);
                }
            }
        }
    }
}

#[test]
fn lines_are_whole_after_a_long_search_filled_the_table() {
    let mut engine = Engine::uci();
    engine.send("setoption name Hash value 1");
    for position in ["position startpos", "position startpos moves c2b2 d3d2", "position startpos moves c2b2 b3b1 c2c3"]
    {
        engine.send(position);
        engine.search("go nodes 150000");
        for go in ["go depth 1", "go depth 8", "go movetime 0", "go movetime 5"] {
            let answer = engine.search(go);
            expect_good_lines(&mut engine, position, &answer);
        }
    }
}

#[test]
fn lines_respect_draws_by_repetition() {
    let mut engine = Engine::uci();
    let position = repeated(2);
    engine.send(&format!("setoption name DrawPlies value 6\n{position}"));
    // Quiet plies run out here already: four of six are played.
    engine.send("position startpos moves c2b2 b3a3 b2b1 a3b3 b1b2");
    let answer = engine.search("go depth 6");
    expect_good_lines(&mut engine, "position startpos moves c2b2 b3a3 b2b1 a3b3 b1b2", &answer);
    engine.send(&format!("setoption name DrawPlies value 300\n{position}"));
    let answer = engine.search("go depth 7");
    expect_good_lines(&mut engine, &position, &answer);
}

#[test]
fn a_decided_game_is_scored_and_has_no_move() {
    let mut engine = Engine::uci();
    for (position, score) in [
        (format!("position fen {STUCK}"), Score::Mate(0)),
        (format!("position fen {EATEN}"), Score::Mate(0)),
        (repeated(3), Score::Cp(0)),
        ("position fen 5/2E1E/1t1t1/2E1E/5 w 300 200".to_owned(), Score::Cp(0)),
    ] {
        engine.send(&position);
        for go in ["go depth 3", "go movetime 10", "go wtime 100 btime 100", "go nodes 5", "go mate 3", "go movetime 0"]
        {
            let answer = engine.search(go);
            assert_eq!((answer.best.as_str(), answer.last().score), ("(none)", score), "{position} {go}");
            assert!(answer.last().pv.is_empty());
        }
    }
}

/// Whether the side to move, under no threat of a longer game, is lost at once: each of its moves has an answer that wins.
fn is_lost_in_two_plies(engine: &mut Engine, position: &str) -> bool {
    let moves_after = |engine: &mut Engine, played: &[String]| {
        engine.send(&after(position, played));
        let legal = engine.query("legal");
        legal.split(' ').map(str::to_owned).collect::<Vec<_>>()
    };
    moves_after(engine, &[]).into_iter().all(|mv| {
        moves_after(engine, std::slice::from_ref(&mv)).into_iter().any(|reply| {
            engine.send(&after(position, &[mv.clone(), reply]));
            engine.query("result") == "p1win"
        })
    })
}

#[test]
fn a_forced_end_is_counted_in_moves_in_uci_and_in_plies_in_ugi() {
    let mut engine = Engine::under("baghguti");
    let before = "position fen 2AAA/2A2/A2AA/AAAAA/tAt1A w 0 1";
    let lost = format!("{before} moves c4c3");
    assert!(is_lost_in_two_plies(&mut engine, &lost));
    for (position, moves, plies) in [
        (&format!("position fen {WHITE_MATES}"), 1, 1),
        (&format!("position fen {BLACK_MATES}"), 1, 1),
        (&lost, -1, -2),
        (&before.to_owned(), 2, 3),
    ] {
        for (greeting, end, distance) in [("uci", "uciok", moves), ("ugi", "ugiok", plies)] {
            engine.send_until(greeting, end);
            engine.send(position);
            let answer = engine.search("go depth 6");
            assert_eq!(answer.last().score, Score::Mate(distance), "{position}\n{}", engine.tail());
            expect_good_lines(&mut engine, position, &answer);
        }
    }
}

#[test]
fn lines_come_together_and_in_order() {
    for rules in RULE_SETS {
        let mut engine = Engine::under(rules);
        engine.send("setoption name MultiPV value 4");
        let answer = engine.search("go depth 6");
        assert_eq!(expect_groups(&answer.infos), 4);
        expect_good_lines(&mut engine, "position startpos", &answer);
        engine.send("go infinite\nstop");
        expect_groups(&engine.search_output(Instant::now()).infos);
    }
}

#[test]
fn more_lines_than_moves_are_as_many_as_moves() {
    let mut engine = Engine::uci();
    engine.send("setoption name MultiPV value 500");
    assert_eq!(expect_groups(&engine.search("go depth 3").infos), 14);
    assert_eq!(expect_groups(&engine.search("go depth 3 searchmoves c2b2 c4b4").infos), 2);
    engine.send(&format!("position fen {STUCK}"));
    assert_eq!(engine.search("go depth 3").infos.len(), 1);
}
