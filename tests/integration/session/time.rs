//! Time: clocks, overhead, the first move.

use super::millis;
use crate::driver::{Engine, retry, timing_lock};
use std::time::Duration;

#[test]
fn overhead_is_kept_back() {
    let _alone = timing_lock();
    let mut engine = Engine::uci();
    engine.send("setoption name Move Overhead value 400");
    retry(|| {
        let answer = engine.search("go wtime 500 btime 500 movestogo 1");
        assert!(answer.time < millis(300), "{:?}", answer.time);
    });
    engine.send("setoption name Move Overhead value 0\nucinewgame");
    let answer = engine.search("go wtime 500 btime 500 movestogo 1");
    assert!(answer.time > millis(200), "{:?}", answer.time);
}

#[test]
fn a_move_time_is_kept() {
    let _alone = timing_lock();
    let mut engine = Engine::uci();
    engine.search("go depth 1");
    for time in [20, 100, 300] {
        let mut times = Vec::new();
        retry(|| {
            let answer = engine.search(&format!("go movetime {time}"));
            println!("movetime {time}: {:?}", answer.time);
            times.push(answer.time);
            assert!(answer.time <= millis(time + 100), "{time}: {:?}", answer.time);
        });
        // It is made use of on a busy machine, too.
        assert!(times.iter().all(|used| *used >= millis(time).saturating_sub(millis(30))), "{time}: {times:?}");
    }
}

#[test]
fn the_clock_is_never_exceeded() {
    let _alone = timing_lock();
    let mut engine = Engine::uci();
    engine.send("setoption name Move Overhead value 50");
    // The table is made by then; see the tests of the first move.
    engine.search("go depth 1");
    for position in ["position startpos", "position startpos moves c2b2"] {
        engine.send(position);
        for clock in [
            "go wtime 500 btime 500",
            "go wtime 500 btime 500 movestogo 1",
            "go wtime 1000 btime 1000 movestogo 2",
            "go wtime 1000 btime 1000 winc 5000 binc 5000",
            "go wtime 500 btime 500 winc 5000 binc 5000 movestogo 1",
            "go p1time 500 p2time 500 p1inc 10 p2inc 10",
        ] {
            let left: u64 = clock.split(' ').nth(2).unwrap().parse().unwrap();
            retry(|| {
                let answer = engine.search(clock);
                println!("{clock}: {:?}", answer.time);
                assert!(answer.time < millis(left), "{clock}: {:?}", answer.time);
            });
        }
    }
    retry(|| {
        let answer = engine.search("go wtime 1 btime 1");
        assert!(answer.time < millis(100), "{:?}", answer.time);
    });
}

#[test]
fn a_game_is_never_lost_on_time() {
    let _alone = timing_lock();
    let mut engine = Engine::under("wikipedia");
    retry(|| {
        let (mut clocks, increment) = ([millis(3000); 2], millis(10));
        let mut moves: Vec<String> = Vec::new();
        for ply in 0..40 {
            engine.send(&format!("position startpos moves {}", moves.join(" ")));
            let [white, black] = clocks.map(|clock| clock.as_millis());
            let answer = engine.search(&format!("go wtime {white} btime {black} winc 10 binc 10"));
            if answer.best == "(none)" {
                break;
            }
            let clock = &mut clocks[ply % 2];
            *clock = clock.checked_sub(answer.time).expect("lost on time") + increment;
            moves.push(answer.best);
        }
        println!("clocks after {} plies: {clocks:?}", moves.len());
    });
}

/// Waits for `readyok` as a client does before it starts a clock, then sends `go movetime 100`.
fn time_of_a_move_once_ready(engine: &mut Engine, before: &str) -> Duration {
    engine.send(before);
    engine.ping();
    let time = engine.search("go movetime 100").time;
    println!("movetime 100 behind {before:?} and readyok: {time:?}");
    time
}

#[test]
fn the_first_move_is_made_in_time() {
    let _alone = timing_lock();
    retry(|| {
        let time = time_of_a_move_once_ready(&mut Engine::uci(), "ucinewgame");
        assert!(time < millis(300), "{time:?}");
    });
}

#[test]
fn the_first_move_with_a_larger_table_is_made_in_time() {
    let _alone = timing_lock();
    retry(|| {
        let mut engine = Engine::uci();
        let time = time_of_a_move_once_ready(&mut engine, "setoption name Hash value 512");
        assert!(time < millis(300), "{time:?}");
        engine.search("go movetime 300");
        let time = time_of_a_move_once_ready(&mut engine, "ucinewgame");
        assert!(time < millis(300), "{time:?}");
    });
}
