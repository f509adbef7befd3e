//! Searches without an end: `infinite`, `ponder`, and the commands that end them.

use super::{BLACK_MATES, EATEN, STUCK, WHITE_MATES, expect_silence_until, millis, repeated};
use crate::driver::{Engine, TIMEOUT, retry};
use std::time::Instant;

#[test]
fn infinite_is_silent_until_stop_whatever_is_exhausted() {
    let mut engine = Engine::uci();
    for position in ["startpos".to_owned(), format!("fen {WHITE_MATES}"), format!("fen {BLACK_MATES}")] {
        engine.send(&format!("position {position}"));
        for go in ["go infinite", "go infinite depth 2", "go depth 2 infinite", "go nodes 10 infinite movetime 1"] {
            let answer = expect_silence_until(&mut engine, go, "stop");
            assert_ne!(answer.best, "(none)", "{position} {go}");
        }
    }
}

#[test]
fn infinite_is_silent_until_stop_when_the_game_is_over() {
    let mut engine = Engine::uci();
    for position in [format!("position fen {STUCK}"), format!("position fen {EATEN}"), repeated(3)] {
        engine.send(&position);
        for go in ["go infinite", "go ponder"] {
            assert_eq!(expect_silence_until(&mut engine, go, "stop").best, "(none)", "{position}");
        }
        assert_eq!(expect_silence_until(&mut engine, "go ponder depth 3", "ponderhit").best, "(none)", "{position}");
    }
}

#[test]
fn ponder_is_silent_until_ponderhit_and_timed_from_then_on() {
    let mut engine = Engine::uci();
    engine.send("setoption name Ponder value true");
    let answer = expect_silence_until(&mut engine, "go ponder depth 2", "ponderhit");
    assert_eq!(answer.last().depth, 2);
    for (go, end) in [
        ("go ponder wtime 600 btime 600", "ponderhit"),
        ("go ponder movetime 50", "ponderhit"),
        ("go ponder wtime 100 btime 100", "stop"),
    ] {
        retry(|| {
            let answer = expect_silence_until(&mut engine, go, end);
            assert!(answer.time < millis(600), "{go}, {end}: {:?}", answer.time);
        });
    }
    expect_silence_until(&mut engine, "go ponder", "stop");
}

#[test]
fn the_time_in_infos_runs_on_over_ponderhit() {
    let mut engine = Engine::uci();
    engine.search("go depth 1");
    for end in ["ponderhit", "ponderhit\nstop"] {
        engine.send("ucinewgame\ngo ponder wtime 50 btime 50");
        let before = loop {
            if let Some(info) = engine.expect_no_bestmove().pop() {
                break info;
            }
        };
        engine.send(end);
        let last = engine.search_output(Instant::now()).last().clone();
        // It is the same search; a clock that starts anew makes a nonsense of nodes a second, too.
        assert!(last.time >= before.time, "{before:?}\n{last:?}");
        // The time is shown rounded down.
        let nodes = last.nodes * 1_000;
        assert!(last.nps * last.time <= nodes && nodes <= (last.nps + 1) * (last.time + 1), "{last:?}");
    }
}

#[test]
fn ponderhit_and_stop_in_any_order_are_answered_once() {
    let mut engine = Engine::uci();
    for end in ["ponderhit\nstop", "stop\nponderhit", "stop", "ponderhit\nponderhit\nstop\nstop"] {
        for _ in 0..5 {
            engine.send(&format!("go ponder depth 30\n{end}"));
            engine.search_output(Instant::now());
        }
    }
    engine.expect_silence_after("stop");
}

#[test]
fn an_endless_search_after_ponderhit_gives_way_as_any_other() {
    // A second `go` and the end of input both stop a search without an end; `ponderhit` gives it none.
    for go in ["go ponder", "go ponder infinite"] {
        let mut engine = Engine::uci();
        engine.search("go depth 1");
        engine.send(&format!("{go}\nponderhit"));
        engine.expect_no_bestmove();
        engine.send("go infinite");
        let first = engine.bestmove_within(TIMEOUT);
        engine.close_input();
        let second = engine.bestmove_within(TIMEOUT);
        assert!(first && second, "{go}: answered behind the second go {first}, behind the end of input {second}");
    }
}

#[test]
fn ponderhit_without_limits_leaves_an_endless_search() {
    let mut engine = Engine::uci();
    engine.send("go ponder infinite\nponderhit");
    engine.expect_no_bestmove();
    engine.send("stop");
    engine.search_output(Instant::now());
}

#[test]
fn stop_and_ponderhit_when_idle_are_nothing() {
    let mut engine = Engine::uci();
    for _ in 0..3 {
        engine.expect_silence_after("stop");
        engine.expect_silence_after("ponderhit");
    }
    // Nor do they act on the search after.
    assert_eq!(engine.search("go depth 5").last().depth, 5);
}

#[test]
fn stop_right_behind_go_is_answered_with_a_move() {
    let mut engine = Engine::uci();
    for _ in 0..50 {
        engine.send("go infinite\nstop");
        let answer = engine.search_output(Instant::now());
        assert!(answer.last().pv.len() > 1, "{:?}", answer.last());
        engine.send("go ponder depth 50\nstop");
        engine.search_output(Instant::now());
    }
    engine.expect_silence_after("stop");
}
