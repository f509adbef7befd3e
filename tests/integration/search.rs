//! The search against plain minimax, against solved positions, and against itself.

use crate::data::{self, rows};
use crate::reference::{self, Minimax, State, Value};
use std::collections::HashSet;
use std::time::Duration;
use sundarban::eval::evaluate;
use sundarban::game::Game;
use sundarban::moves::Move;
use sundarban::notation::fen::{self, Fen};
use sundarban::position::Position;
use sundarban::rules::{RuleSet, Side};
use sundarban::search::control::{Control, Hold};
use sundarban::search::limits::Limits;
use sundarban::search::score::{Score, ScoreKind};
use sundarban::search::tt::TranspositionTable;
use sundarban::search::{SearchMode, SearchResult, SearchSettings, search};

fn position(rules: &str, text: &str) -> Position {
    fen::parse(RuleSet::named(rules).unwrap(), text).unwrap()
}

fn to_depth(game: &Game, depth: u32, mode: SearchMode, tt: &TranspositionTable) -> SearchResult {
    let limits = Limits { depth: Some(depth), ..Limits::default() };
    search(game, &limits, &SearchSettings { mode, ..SearchSettings::default() }, tt, &Control::default(), |_| {})
}

fn score_of(position: Position, depth: u32, mode: SearchMode) -> Score {
    to_depth(&Game::new(position), depth, mode, &TranspositionTable::new(4)).lines[0].score
}

/// A finished game's worth for the side to move, by the reference.
fn finished(state: &State, ply: u32) -> i32 {
    let points = state.points().map_or(1, |points| points.unsigned_abs());
    let winner = state.over().unwrap();
    let has_won = (winner == reference::Result::WhiteWins) == (state.side == reference::Side::White);
    let score = if has_won { Score::win(points, ply) } else { Score::loss(points, ply) };
    i32::from(score.raw())
}

fn minimax(state: &State, depth: u32) -> i32 {
    let rules = RuleSet::named(state.rules.name).unwrap();
    let eval = |state: &State| evaluate(&fen::parse(rules, &state.to_fen()).unwrap());
    Minimax { eval: &eval, finished: &finished, drawn: &reference::drawn_on_path }.value(state, depth)
}

/// Positions of all rule sets and stages, the game not over.
fn sample(step: usize) -> Vec<(&'static str, &'static str)> {
    rows(data::POSITIONS).filter(|row| row[2] != "(none)").step_by(step).map(|row| (row[0], row[1])).collect()
}

#[test]
fn without_pruning_it_is_plain_minimax() {
    for (rules, text) in sample(4) {
        for depth in 1..=3 {
            let expected = minimax(&State::from_fen(rules, text), depth);
            let found = score_of(position(rules, text), depth, SearchMode::Minimax);
            assert_eq!(i32::from(found.raw()), expected, "{rules} {text} depth {depth}");
        }
    }
}

#[test]
fn repetitions_on_the_path_are_draws_as_in_minimax() {
    // Few pieces and no captures: much of the tree repeats itself.
    for text in ["t4/5/5/5/A3t w", "4t/4A/5/5/t4 b", "t3t/5/5/5/2A2 w", "AA3/5/5/3t1/4t b"] {
        for depth in 4..=7 {
            let expected = minimax(&State::from_fen("baghbandi", text), depth);
            let found = score_of(position("baghbandi", text), depth, SearchMode::Minimax);
            assert_eq!(i32::from(found.raw()), expected, "{text} depth {depth}");
        }
    }
}

/// The distance and the winner that a score announces.
fn forced(score: Score) -> Option<(bool, u32)> {
    match score.kind() {
        ScoreKind::Win(mate) => Some((true, mate.plies)),
        ScoreKind::Loss(mate) => Some((false, mate.plies)),
        ScoreKind::Evaluation(_) => None,
    }
}

#[test]
fn solved_positions_are_searched_to_their_distance() {
    for rules in ["baghbandi", "moderno", "super", "baghguti"] {
        let solution = reference::solve(rules, 2, 2);
        let near = solution.iter().filter_map(|(state, value)| match value {
            Value::Win(plies) if (1..=5).contains(&plies) => Some((state, true, plies)),
            Value::Loss(plies) if (1..=5).contains(&plies) => Some((state, false, plies)),
            _ => None,
        });
        let mut checked = 0;
        for (state, is_won, plies) in near.step_by(97) {
            let position = position(rules, &state.to_fen());
            let exact = forced(score_of(position, plies, SearchMode::FullWidth));
            assert_eq!(exact, Some((is_won, plies)), "{rules} {}", state.to_fen());
            let selective = forced(score_of(position, plies + 6, SearchMode::Selective)).unwrap();
            assert!(selective.0 == is_won && selective.1 >= plies, "{rules} {}", state.to_fen());
            checked += 1;
        }
        assert!(checked > 50, "{rules}: {checked}");
    }
}

#[test]
fn the_goats_find_the_immobilisation() {
    // The last move of the record, and the same a move earlier.
    let game = |plies: usize| {
        let start = Position::start(RuleSet::named("super").unwrap());
        let moves = sundarban::notation::record::read(&start, data::SUPER_GAME).unwrap();
        let mut game = Game::new(start);
        moves[..plies].iter().for_each(|mv| game.play(*mv));
        game
    };
    let tt = TranspositionTable::new(4);
    let last = to_depth(&game(86), 4, SearchMode::Selective, &tt);
    assert_eq!(last.best().unwrap().to_string(), "c1b2");
    assert_eq!(last.lines[0].score, Score::win(12, 1));
    let earlier = to_depth(&game(84), 6, SearchMode::FullWidth, &tt);
    assert_eq!(forced(earlier.lines[0].score), Some((true, 3)));
}

#[test]
fn mate_searches_find_the_distance_and_stop() {
    let game = Game::new(position(FORCED.0, FORCED.1));
    for most in [5, 6, 9] {
        let limits = Limits { mate: Some(most), ..Limits::default() };
        let result = search(
            &game,
            &limits,
            &SearchSettings::default(),
            &TranspositionTable::new(4),
            &Control::default(),
            |_| {},
        );
        assert_eq!(forced(result.lines[0].score), Some((true, 9)));
        assert!(result.lines[0].depth <= 10, "{}", result.lines[0].depth);
    }
    let limits = Limits { mate: Some(4), ..Limits::default() };
    let result =
        search(&game, &limits, &SearchSettings::default(), &TranspositionTable::new(4), &Control::default(), |_| {});
    assert_eq!((forced(result.lines[0].score), result.lines[0].depth), (None, 8));
}

/// White wins by force in five moves.
const FORCED: (&str, &str) = ("wikipedia", "AAA2/AAA1A/AAAA1/AtA1A/tAAA1 w");

#[test]
fn more_points_come_before_a_nearer_end() {
    let mut seen = 0;
    for (rules, text) in sample(1).into_iter().filter(|(rules, _)| ["moderno", "super"].contains(rules)) {
        let expected = minimax(&State::from_fen(rules, text), 3);
        if expected.abs() >= 10_000 {
            seen += 1;
            let found = score_of(position(rules, text), 3, SearchMode::FullWidth);
            assert_eq!(i32::from(found.raw()), expected, "{rules} {text}");
        }
    }
    assert!(seen > 0);
}

#[test]
fn one_thread_gives_the_same_every_time() {
    for rules in RuleSet::all() {
        let game = Game::new(Position::start(rules));
        let run = || {
            let result = to_depth(&game, 9, SearchMode::Selective, &TranspositionTable::new(1));
            (result.lines, result.stats.nodes)
        };
        assert_eq!(run(), run());
    }
}

#[test]
fn lists_of_lines_lead_to_different_positions() {
    let game = Game::new(position("baghbandi", "1AtAA/tAAAA/1A1AA/2AAB/1AAAA b"));
    let keys = |moves: &mut dyn Iterator<Item = Move>| -> HashSet<u64> {
        moves.map(|mv| game.position().play(mv).key().bits()).collect()
    };
    let settings = SearchSettings { multi_pv: 500, ..SearchSettings::default() };
    let limits = Limits { depth: Some(3), ..Limits::default() };
    let result = search(&game, &limits, &settings, &TranspositionTable::new(4), &Control::default(), |_| {});
    let all = keys(&mut game.position().legal_moves().into_iter());
    assert!(all.len() < game.position().legal_moves().len());
    assert_eq!(result.lines.len(), all.len());
    assert_eq!(keys(&mut result.lines.iter().map(|line| line.moves[0])), all);
}

#[test]
fn lines_are_legal_and_lists_of_lines_are_ordered() {
    for (rules, text) in sample(9) {
        let game = Game::new(position(rules, text));
        let limits = Limits { nodes: Some(20_000), ..Limits::default() };
        let settings = SearchSettings { multi_pv: 3, ..SearchSettings::default() };
        let result = search(&game, &limits, &settings, &TranspositionTable::new(4), &Control::default(), |_| {});
        assert!(result.lines.windows(2).all(|pair| pair[0].score >= pair[1].score || pair[0].depth != pair[1].depth));
        for line in &result.lines {
            let mut board = *game.position();
            for mv in &line.moves {
                assert!(board.is_legal(*mv), "{rules} {text} {:?}", line.moves);
                board = board.play(*mv);
            }
            assert!(line.moves.len() >= 2 || board.legal_moves().is_empty(), "{rules} {text}");
        }
        let firsts: HashSet<_> = result.lines.iter().map(|line| line.moves[0]).collect();
        assert_eq!(firsts.len(), result.lines.len());
    }
}

/// With reductions the depth at which a win is found depends on how the threads meet in the transposition table; whose it is does not,
/// and without reductions it is found within its distance.
#[test]
fn many_threads_agree_on_what_is_forced() {
    let game = Game::new(position(FORCED.0, FORCED.1));
    let winner = |mode, depth| {
        let limits = Limits { depth: Some(depth), ..Limits::default() };
        let settings = SearchSettings { threads: 4, mode, ..SearchSettings::default() };
        let result = search(&game, &limits, &settings, &TranspositionTable::new(4), &Control::default(), |_| {});
        forced(result.lines[0].score).map(|(is_won, _)| is_won)
    };
    assert_eq!(winner(SearchMode::FullWidth, 9), Some(true));
    for _ in 0..10 {
        assert_ne!(winner(SearchMode::Selective, 12), Some(false));
    }
}

#[test]
fn node_limits_are_kept_to_the_node() {
    let game = Game::new(Position::start(RuleSet::standard()));
    for most in [1, 100, 5_000, 123_457] {
        let limits = Limits { nodes: Some(most), ..Limits::default() };
        let tt = TranspositionTable::new(4);
        let result = search(&game, &limits, &SearchSettings::default(), &tt, &Control::default(), |_| {});
        // The first iteration is always finished.
        assert!(result.stats.nodes <= most.max(100), "{most}: {}", result.stats.nodes);
        assert!(result.stats.nodes >= most.min(20), "{most}: {}", result.stats.nodes);
    }
}

#[test]
fn many_threads_share_the_nodes_of_a_limit() {
    let game = Game::new(Position::start(RuleSet::standard()));
    for (most, runs) in [(1, 20), (150, 40), (1_000, 40), (5_000, 20), (60_000, 5)] {
        for threads in [2, 3, 4] {
            for _ in 0..runs {
                let limits = Limits { nodes: Some(most), ..Limits::default() };
                let settings = SearchSettings { threads, ..SearchSettings::default() };
                let tt = TranspositionTable::new(1);
                let result = search(&game, &limits, &settings, &tt, &Control::default(), |_| {});
                let (nodes, threads) = (result.stats.nodes, threads as u64);
                assert!(nodes <= most.max(100) + 2 * threads, "{threads} threads, {most}: {nodes}");
                // What a thread has not come to when the last node is handed out is missing.
                assert!(nodes + 64 * (threads - 1) >= most, "{threads} threads, {most}: {nodes}");
            }
        }
    }
}

#[test]
fn draws_by_the_count_of_plies_are_not_kept_for_other_paths() {
    let solution = reference::solve("baghbandi", 1, 0);
    let wins = solution.iter().filter(|(_, value)| *value == Value::Win(5)).step_by(7);
    let mut checked = 0;
    for (state, _) in wins {
        let fresh = position("baghbandi", &state.to_fen());
        let stale = position("baghbandi", &State { quiet: 296, ..state }.to_fen());
        let tt = TranspositionTable::new(4);
        let drawn = to_depth(&Game::new(stale), 6, SearchMode::Selective, &tt);
        assert_eq!(drawn.lines[0].score, Score::DRAW, "{fresh:?}");
        let won = to_depth(&Game::new(fresh), 10, SearchMode::Selective, &tt);
        assert_eq!(won.lines[0].score, Score::win(1, 5), "{fresh:?}");
        // And the other way round: a win that comes too late is no win.
        let drawn = to_depth(&Game::new(stale), 6, SearchMode::Selective, &tt);
        assert_eq!(drawn.lines[0].score, Score::DRAW, "{fresh:?}");
        checked += 1;
    }
    assert!(checked > 10, "{checked}");
}

#[test]
fn lines_end_with_the_game() {
    // The next quiet ply is the last.
    let game = Game::new(position("baghbandi", "t4/5/5/5/A3t w 299"));
    let line = &to_depth(&game, 3, SearchMode::Selective, &TranspositionTable::new(4)).lines[0];
    assert_eq!((line.moves.len(), line.score), (1, Score::DRAW));
}

#[test]
fn a_short_search_mostly_keeps_the_solved_value() {
    let (mut positions, mut kept) = (0, 0);
    for row in rows(data::VALUES).step_by(5) {
        let game = Game::new(position("baghbandi", row[0]));
        let limits = Limits { nodes: Some(3_000), ..Limits::default() };
        let result = search(
            &game,
            &limits,
            &SearchSettings::default(),
            &TranspositionTable::new(1),
            &Control::default(),
            |_| {},
        );
        if let Some((is_won, _)) = forced(result.lines[0].score) {
            assert!(is_won && row[1] == "W", "{row:?}");
        }
        let best = result.best().unwrap().to_string();
        positions += 1;
        kept += u32::from(row[2].split(' ').any(|mv| mv == best));
    }
    // One move in three keeps it on average.
    assert!(kept * 100 >= positions * 88, "{kept} of {positions}");
}

#[test]
fn the_bench_count_is_the_signature_of_the_search() {
    let sum = sundarban::engine::bench::run(7, &Control::default(), |_| Ok(())).unwrap();
    assert_eq!(sum.nodes, BENCH_7, "if the search was meant to change, so must this number");
}

const BENCH_7: u64 = 111_639;

#[test]
fn a_stopped_search_answers_at_once() {
    let game = Game::new(Position::start(RuleSet::standard()));
    let control = Control::new(Hold { ponder: false, infinite: true });
    let limits = Limits::default();
    let tt = TranspositionTable::new(4);
    std::thread::scope(|scope| {
        let result = scope.spawn(|| search(&game, &limits, &SearchSettings::default(), &tt, &control, |_| {}));
        std::thread::sleep(Duration::from_millis(50));
        assert!(!result.is_finished());
        control.stop();
        let result = result.join().unwrap();
        assert!(result.best().is_some() && game.position().side() == Side::White);
        assert!(game.position().is_legal(result.best().unwrap()), "{}", Fen(game.position()));
    });
}
