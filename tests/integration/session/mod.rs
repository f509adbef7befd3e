//! The session as its clients see it: the built program over pipes.

mod commands;
mod end;
mod handshake;
mod infinite;
mod limits;
mod managers;
mod options;
mod position;
mod robustness;
mod search_output;
mod time;

use crate::driver::{Engine, Info, Score, SearchOutput};
use std::time::{Duration, Instant};

/// White has won: both tigers are stuck, with the fewest goats that can do it.
const STUCK: &str = "5/5/AAA2/AA3/ttAA1 b 0 1";
/// White sticks both tigers with e1d1.
pub const WHITE_MATES: &str = "5/5/AAA2/AA3/ttA1A w 0 1";
/// Black takes the last goat.
const BLACK_MATES: &str = "5/5/5/1A3/t3t b 0 1";
/// The last goat is gone.
const EATEN: &str = "5/5/5/5/t3t w 0 1";
/// A move of a goat from a herd, then four plies that come back to the position after it.
const CYCLE: [&str; 4] = ["b3a3", "b2b1", "a3b3", "b1b2"];

/// A game in which a position occurs for the n-th time at the end.
fn repeated(times: usize) -> String {
    let cycles = vec![CYCLE.join(" "); times - 1];
    format!("position startpos moves c2b2 {}", cycles.join(" "))
}

fn millis(count: u64) -> Duration {
    Duration::from_millis(count)
}

/// The command for a position after more moves.
fn after(position: &str, moves: &[String]) -> String {
    let word = if position.contains(" moves") || moves.is_empty() { "" } else { " moves" };
    moves.iter().fold(format!("{position}{word}"), |text, mv| text + " " + mv)
}

/// Plays a line of moves from a position: every move must be legal.
fn expect_legal(engine: &mut Engine, position: &str, pv: &[String]) {
    for (index, mv) in pv.iter().enumerate() {
        engine.send(&after(position, &pv[..index]));
        assert_eq!(engine.query(&format!("islegal {mv}")), "true", "{position}: pv {pv:?}\n{}", engine.tail());
    }
    engine.send(position);
}

/// Checks the lines of a search: all legal, and the last of two moves or more unless its move ends the game.
fn expect_good_lines(engine: &mut Engine, position: &str, answer: &SearchOutput) {
    let mut lines: Vec<&[String]> = answer.infos.iter().map(|info| info.pv.as_slice()).collect();
    lines.dedup();
    for pv in lines {
        expect_legal(engine, position, pv);
    }
    if answer.last().pv.len() == 1 {
        engine.send(&after(position, &answer.last().pv));
        assert_eq!(engine.query("gameover"), "true", "{position}: pv of one move\n{}", engine.tail());
        engine.send(position);
    }
}

/// Starts a search that must be silent, then ends it.
fn expect_silence_until(engine: &mut Engine, go: &str, end: &str) -> SearchOutput {
    engine.send(go);
    engine.expect_no_bestmove();
    let began = Instant::now();
    engine.send(end);
    let answer = engine.search_output(began);
    engine.expect_silence_after(end);
    answer
}

/// Checks that lines come in whole groups, from the first on and best first; returns their number.
///
/// Where a search is cut short, the lines that it did not get to any more may stand behind with the depth before.
/// Bounds, which come after a second only, stand by themselves.
fn expect_groups(infos: &[Info]) -> usize {
    let infos: Vec<&Info> = infos.iter().filter(|info| !info.is_bound).collect();
    let count = infos.last().unwrap().multipv as usize;
    assert_eq!(infos.len() % count, 0, "{infos:#?}");
    for group in infos.chunks(count) {
        let numbers: Vec<u64> = group.iter().map(|info| info.multipv).collect();
        assert_eq!(numbers, (1..=count as u64).collect::<Vec<_>>());
        for pair in group.windows(2) {
            let (better, worse) = (pair[0], pair[1]);
            assert!(better.depth >= worse.depth, "{pair:#?}");
            assert!(better.depth > worse.depth || worth(better.score) >= worth(worse.score), "{pair:#?}");
        }
        let mut firsts: Vec<&String> = group.iter().map(|info| &info.pv[0]).collect();
        firsts.sort();
        firsts.dedup();
        assert_eq!(firsts.len(), count, "{group:#?}");
    }
    count
}

/// A score as one number.
fn worth(score: Score) -> i64 {
    match score {
        Score::Cp(cp) => cp,
        Score::Mate(moves) if moves > 0 => 1_000_000 - moves,
        Score::Mate(moves) => -1_000_000 - moves,
    }
}
