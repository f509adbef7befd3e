//! The exchanges of the tournament managers, and queries during a search.

use super::{BLACK_MATES, EATEN, STUCK, WHITE_MATES, repeated};
use crate::driver::{Engine, RULE_SETS, START, Score, TIMEOUT};
use std::time::Instant;

/// The three queries of cutegames.
fn referee(engine: &mut Engine) -> [String; 3] {
    let answers = ["p1turn", "gameover", "result"].map(|what| engine.query(what));
    assert!(answers.iter().all(|word| !word.contains(' ')));
    answers
}

#[test]
fn cutegames_plays_a_game() {
    let mut players = [Engine::start(), Engine::start()];
    for engine in &mut players {
        let lines = engine.send_until("ugi", "ugiok");
        assert!(lines.iter().all(|line| line.starts_with("id ") || line.starts_with("option ")), "{lines:?}");
        engine.send("setoption name Move Overhead value 10\nsetoption name DrawPlies value 12\nsetoption name Ponder value true");
        assert!(engine.send_until("isready", "readyok").is_empty());
        assert!(engine.send_until("isready", "readyok").is_empty());
        engine.send("uginewgame");
        assert!(engine.send_until("isready", "readyok").is_empty());
    }
    let mut game = "position startpos".to_owned();
    let goes = ["go p1time 400 p2time 400 p1inc 5 p2inc 5", "go depth 3", "go nodes 500", "go movetime 10"];
    for ply in 0.. {
        players.iter_mut().for_each(|engine| engine.send(&game));
        let [turn, over, _] = referee(&mut players[0]);
        assert_eq!(turn, (ply % 2 == 0).to_string());
        if over == "true" || ply == 80 {
            break;
        }
        let engine = &mut players[ply % 2];
        let answer = engine.search(goes[ply / 2 % goes.len()]);
        // More than the move on its line would hang cutegames.
        assert_eq!(answer.ponder, None);
        game += if ply == 0 { " moves " } else { " " };
        game += &answer.best;
    }
    let results = players.each_mut().map(|engine| engine.query("result"));
    assert_eq!(results[0], results[1]);
    assert!(["p1win", "p2win", "draw", "none"].contains(&results[0].as_str()));
    for engine in &mut players {
        engine.send("quit");
        assert_eq!(engine.exit_code_within(TIMEOUT), Some(0));
    }
}

#[test]
fn the_referee_reports_wins_draws_and_illegal_moves() {
    let mut engine = Engine::ugi();
    for (position, answers) in [
        ("position startpos".to_owned(), ["true", "false", "none"]),
        ("position startpos moves c2b2".to_owned(), ["false", "false", "none"]),
        (format!("position fen {STUCK}"), ["false", "true", "p1win"]),
        (format!("position fen {WHITE_MATES} moves e1d1"), ["false", "true", "p1win"]),
        (format!("position fen {EATEN}"), ["true", "true", "p2win"]),
        (format!("position fen {BLACK_MATES} moves a1c3"), ["true", "true", "p2win"]),
        (repeated(2), ["false", "false", "none"]),
        (repeated(3), ["false", "true", "draw"]),
        ("position fen 5/2E1E/1t1t1/2E1E/5 w 299 150".to_owned(), ["true", "false", "none"]),
        ("position fen 5/2E1E/1t1t1/2E1E/5 w 300 150".to_owned(), ["true", "true", "draw"]),
    ] {
        engine.send(&position);
        assert_eq!(referee(&mut engine), answers, "{position}");
    }
    for (moves, result) in [("a1a2", "p2win"), ("c2b2 a1a2", "p1win"), ("c2b2 b3b1 b1b2", "p2win"), ("bla", "p2win")] {
        engine.info_string(&format!("position startpos moves {moves}"));
        assert_eq!(engine.query("gameover"), "true", "{moves}");
        assert_eq!(engine.query("result"), result, "{moves}");
    }
    // Forgotten with the next position.
    engine.send("position startpos");
    assert_eq!(referee(&mut engine), ["true", "false", "none"]);
    assert!(!engine.info_strings("moves a1a2").is_empty());
    assert_eq!(referee(&mut engine)[1..], ["true", "p2win"]);
}

#[test]
fn few_goats_lose_under_the_wikipedia_rules_only() {
    let six = "AAA2/AAA2/5/5/t3t w 0 1";
    for rules in RULE_SETS {
        let mut engine = Engine::under(rules);
        engine.send(&format!("position fen {six}"));
        let lost = rules.starts_with("wikipedia");
        assert_eq!(engine.query("gameover"), lost.to_string(), "{rules}");
        assert_eq!(engine.query("result"), if lost { "p2win" } else { "none" }, "{rules}");
    }
}

#[test]
fn cutergames_plays_a_game() {
    let mut engine = Engine::start_with(&["--game", "ataxx"]);
    engine.send_until("ugi", "ugiok");
    engine.send("setoption name DrawPlies value 10");
    engine.send_until("isready", "readyok");
    engine.send("uginewgame");
    engine.send_until("isready", "readyok");
    engine.send(&format!("position fen {START}"));
    let mut plies = 0;
    while engine.query("gameover") == "false" && plies < 40 {
        engine.send("go movetime 10");
        let lines = engine.lines_until(|line| line.starts_with("bestmove "));
        // It looks at the first eight bytes of each.
        assert!(lines.iter().all(|line| line.is_char_boundary(8) && line.len() >= 8), "{lines:?}");
        let best = lines.last().unwrap().strip_prefix("bestmove ").unwrap();
        assert_eq!(engine.query(&format!("islegal {best}")), "true");
        engine.send(&format!("moves {best}"));
        plies += 1;
    }
    assert!(plies > 5);
}

#[test]
fn variantfishtest_plays_a_game() {
    let mut engine = Engine::start();
    engine.send_until("uci", "uciok");
    engine.send("setoption name UCI_Variant value wikipedia-multi\nsetoption name hash value 16");
    engine.send("setoption name DrawPlies value 14");
    engine.send_until("isready", "readyok");
    let mut moves: Vec<String> = Vec::new();
    engine.send("ucinewgame\nsetoption name clear hash value true");
    engine.send_until("isready", "readyok");
    loop {
        engine.send(&format!("position startpos moves {}", moves.join(" ")));
        let answer = engine.search("go wtime 100000 btime 100000 winc 1000 binc 1000 depth 5");
        let last = answer.last();
        assert!(u128::from(last.time) <= answer.time.as_millis() + 1, "{last:?}");
        if answer.best == "(none)" {
            assert!(last.pv.is_empty() && matches!(last.score, Score::Mate(0) | Score::Cp(0)), "{last:?}");
            break;
        }
        let ends = last.pv.len() == 1;
        moves.push(answer.best.clone());
        engine.send(&format!("position startpos moves {}", moves.join(" ")));
        if ends {
            assert_eq!(engine.query("gameover"), "true");
        }
        // What it takes for a win on the spot is one.
        if last.score == Score::Mate(1) {
            assert!(engine.query("result").ends_with("win"));
        }
        assert!(moves.len() < 1000, "no end");
    }
}

#[test]
fn a_greeting_in_the_other_protocol_changes_the_session() {
    let mut engine = Engine::uci();
    engine.send("setoption name Ponder value true");
    assert!(engine.search("go depth 3").ponder.is_some());
    engine.send_until("ugi", "ugiok");
    assert_eq!(engine.search("go depth 3").ponder, None);
    engine.send_until("uci", "uciok");
    assert!(engine.search("go depth 3").ponder.is_some());
}

/// Starts an endless search, then says this; whether `query p1turn` behind it is answered while the search goes on.
fn is_answered_while_searching(engine: &mut Engine, setting: &str) -> bool {
    engine.send(&format!("go infinite\n{setting}\nquery p1turn"));
    let end = Instant::now() + TIMEOUT;
    let mut is_answered = false;
    while !is_answered && let Some(line) = engine.line_within(end.saturating_duration_since(Instant::now())) {
        is_answered = line == "response true";
    }
    engine.send("stop");
    engine.lines_until(|line| line.starts_with("bestmove "));
    engine.send("query fen");
    engine.lines_until(|line| line.starts_with("response 5"));
    is_answered
}

#[test]
fn queries_during_a_search_are_answered() {
    let mut engine = Engine::uci();
    engine.search("go depth 1");
    assert!(is_answered_while_searching(&mut engine, ""));
}

#[test]
fn queries_during_the_first_search_are_answered() {
    // The table may still be in the making when `go` comes.
    let answered: Vec<bool> = (0..3).map(|_| is_answered_while_searching(&mut Engine::start(), "")).collect();
    assert_eq!(answered, [true; 3], "a query during a search that a script begins with");
}

#[test]
fn queries_behind_a_setting_during_a_search_are_answered() {
    let mut engine = Engine::uci();
    engine.search("go depth 1");
    for setting in ["setoption name Nonsense value 1", "position fen bla", "setoption name Ponder value true"] {
        assert!(is_answered_while_searching(&mut engine, setting), "{setting}: {}", engine.tail());
    }
}
