//! `go` and its limits.

use super::{WHITE_MATES, millis};
use crate::driver::{Engine, Score, TIMEOUT, retry, timing_lock};
use std::time::{Duration, Instant};

#[test]
fn malformed_limits_are_survived_and_answered() {
    let mut engine = Engine::uci();
    for go in [
        "go depth abc",
        "go depth",
        "go depth -3",
        "go depth 0",
        "go depth 2.5",
        "go movetime",
        "go movetime x",
        "go movetime -5",
        "go movetime 0",
        "go nodes",
        "go nodes 0",
        "go nodes -1",
        "go nodes x",
        "go mate",
        "go mate x",
        "go mate 0",
        "go mate -1",
        "go wtime",
        "go wtime x btime y",
        "go wtime 0 btime 0",
        "go wtime -100 btime -100",
        "go wtime 0 btime 0 winc 0 binc 0 movestogo 0",
        "go wtime 40 btime 40 movestogo 0",
        "go wtime 40 btime 40 movestogo -1",
        "go wtime 40 btime 40 winc -5 binc x",
        "go wtime 40",
        "go btime 40",
        "go winc 10 binc 10 depth 2",
        "go movestogo 5 depth 2",
        "go searchmoves depth 2",
        "go searchmoves zz depth 2",
        "go nonsense depth 2",
        "go depth 2 depth 3",
        "go depth depth 2",
        "go perft",
        "go perft x",
    ] {
        // A count without a number must be answered, by an `info string` or a move.
        if go.starts_with("go perft") {
            engine.send(&format!("{go}\nstop"));
            let lines = engine.lines_until(|line| {
                line.starts_with("bestmove") || line.starts_with("Nodes searched") || line.contains("perft")
            });
            assert!(lines[0].starts_with("info string"), "{go}: {lines:?}");
            engine = Engine::uci();
            continue;
        }
        let answer = engine.search(go);
        assert_ne!(answer.best, "(none)", "{go}");
    }
}

#[test]
fn go_alone_searches_until_stop() {
    let mut engine = Engine::start();
    engine.send("go");
    engine.expect_no_bestmove();
    engine.send("stop");
    engine.search_output(Instant::now());
}

#[test]
fn the_first_limit_reached_stops() {
    let mut engine = Engine::uci();
    assert_eq!(engine.search("go depth 3 nodes 100000000 movetime 100000").last().depth, 3);
    let answer = engine.search("go depth 90 nodes 20000 movetime 100000");
    assert!(answer.last().nodes <= 21_000, "{}", answer.last().nodes);
    // The other limits would take it hours.
    let answer = engine.search("go depth 90 nodes 10000000000 movetime 60");
    assert!(answer.time < TIMEOUT, "{:?}", answer.time);
    assert_eq!(engine.search("go wtime 100000000 btime 100000000 depth 4").last().depth, 4);
    engine.send(&format!("position fen {WHITE_MATES}"));
    let answer = engine.search("go mate 1");
    assert_eq!((answer.last().score, answer.best.as_str()), (Score::Mate(1), "e1d1"));
}

#[test]
fn huge_numbers_are_read_as_huge() {
    let mut engine = Engine::uci();
    engine.search("go depth 99999999999999999999 nodes 1000");
    engine.search("go nodes 99999999999999999999 depth 2");
    engine.search("go wtime 99999999999999999999 btime 99999999999999999999 winc 99999999999999999999 depth 2");
    engine.search("go movetime 99999999999999999999 depth 2");
    engine.search("go movetime -99999999999999999999 depth 2");
    engine.search("go mate 99999999999999999999 depth 2");
    engine.search("go wtime 1000 btime 1000 movestogo 99999999999999999999 depth 2");
}

#[test]
fn movetime_zero_means_at_once() {
    let _alone = timing_lock();
    let mut engine = Engine::uci();
    engine.search("go depth 1");
    retry(|| {
        let mut times: Vec<Duration> = (0..9).map(|_| engine.search("go movetime 0").time).collect();
        times.sort();
        println!("movetime 0: median {:?}, worst {:?}", times[4], times[8]);
        assert!(times[4] < millis(20), "{times:?}");
    });
}

#[test]
fn searchmoves_takes_moves_up_to_the_next_keyword() {
    let mut engine = Engine::uci();
    for go in ["go searchmoves c2b2 depth 4", "go depth 4 searchmoves c2b2", "go searchmoves C2B2 nonsense depth 4"] {
        let answer = engine.search(go);
        assert!(answer.infos.iter().all(|info| info.pv[0] == "c2b2"), "{go}: {answer:#?}");
        assert_eq!(answer.last().depth, 4);
    }
    for mv in engine.query("legal").split(' ') {
        assert_eq!(engine.search(&format!("go movetime 0 searchmoves {mv}")).best, mv);
    }
    let answer = engine.search("go searchmoves c2b2 c4b4 wtime 200 btime 200");
    assert!(answer.infos.iter().all(|info| ["c2b2", "c4b4"].contains(&info.pv[0].as_str())), "{answer:#?}");
    let answer = engine.search("go searchmoves a1a1 c2b2 depth 3");
    assert_eq!((answer.best.as_str(), answer.strings.len()), ("c2b2", 1));
    // None that is legal: reported, and still answered with a legal move.
    let answer = engine.search("go searchmoves a1a1 depth 3");
    assert!(answer.best != "(none)" && !answer.strings.is_empty());
}
