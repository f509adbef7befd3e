//! The commands beside the protocol: `perft`, `d`, `eval`, `help`, `query`.

use super::{STUCK, millis};
use crate::data::perft_counts;
use crate::driver::{Engine, START, is_move, retry};
use std::time::Instant;

#[test]
fn perft_prints_moves_a_blank_line_and_the_sum() {
    for (rules, counts) in perft_counts() {
        let mut engine = Engine::under(rules);
        for (index, count) in counts[..4].iter().enumerate() {
            engine.send(&format!("go perft {}", index + 1));
            let mut lines = engine.lines_until(|line| line.starts_with("Nodes searched: "));
            assert_eq!(lines.pop().unwrap(), format!("Nodes searched: {count}"), "{rules}");
            assert_eq!(lines.pop().as_deref(), Some(""));
            let parts = lines.iter().map(|line| line.split_once(": ").unwrap());
            let (mut moves, mut sum) = (Vec::new(), 0);
            for (mv, part) in parts {
                assert!(is_move(mv), "{mv}");
                moves.push(mv);
                sum += part.parse::<u64>().unwrap();
            }
            assert_eq!((moves.len() as u64, sum), (counts[0], *count), "{rules}");
        }
    }
}

#[test]
fn perft_stops() {
    let mut engine = Engine::uci();
    retry(|| {
        engine.send("go perft 30");
        engine.ping();
        let began = Instant::now();
        engine.send("stop");
        engine.lines_until(|line| line == "info string perft stopped");
        assert!(began.elapsed() < millis(500), "{:?}", began.elapsed());
    });
}

#[test]
fn d_shows_the_board_and_ends_with_the_position() {
    let mut engine = Engine::uci();
    for position in [START, STUCK, "A4/2A1E/1t1t1/2E1C/5 b 3 17"] {
        engine.send(&format!("position fen {position}\nd"));
        let lines = engine.lines_until(|line| line.starts_with("Fen: "));
        assert_eq!(lines.last().unwrap(), &format!("Fen: {position}"));
        assert!(lines.len() > 5);
        engine.expect_silence_after("");
    }
}

#[test]
fn eval_and_help_answer() {
    let mut engine = Engine::uci();
    for command in ["eval", "help"] {
        engine.send(&format!("{command}\nquery p1turn"));
        let lines = engine.lines_until(|line| line.starts_with("response "));
        assert!(lines.len() > 1, "{command}");
    }
}

#[test]
fn unknown_queries_get_an_info_string() {
    let mut engine = Engine::uci();
    engine.info_string("query");
    engine.info_string("query weather");
    for no in ["", "a1a1", "zz", "c2b2b1", "b3b2"] {
        assert_eq!(engine.query(&format!("islegal {no}")), "false", "{no}");
    }
}

#[test]
fn searches_with_one_thread_repeat_themselves() {
    for rules in ["baghbandi", "super", "wikipedia-multi"] {
        let mut engine = Engine::under(rules);
        let mut runs = Vec::new();
        for _ in 0..2 {
            engine.send("ucinewgame\nposition startpos moves");
            let answer = engine.search("go depth 10");
            runs.push((answer.timeless().join("\n"), answer.best));
        }
        let mut other = Engine::under(rules);
        let answer = other.search("go depth 10");
        runs.push((answer.timeless().join("\n"), answer.best));
        assert_eq!(runs[0], runs[1], "{rules}: not forgotten by ucinewgame");
        assert_eq!(runs[0], runs[2], "{rules}: not the same in another process");
    }
}
