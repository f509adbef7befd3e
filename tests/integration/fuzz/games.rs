//! Games that are played, written, and read again.

use super::plan::{games, seed};
use super::process::run_in;
use super::texts::{check_writing, replay};
use crate::driver::{PROGRAM, RULE_SETS, empty_folder};
use crate::reference::State;
use std::fs;
use sundarban::notation::match_record::Record;
use sundarban::notation::reader::{Items, read_all};
use sundarban::notation::record;
use sundarban::rng::SplitMix64;
use sundarban::rules::RuleSet;

/// Of all games, one in so many is played by the program.
const PLAYED: u64 = 10;
/// Longest random games, in plies.
const LONGEST: u64 = 160;

/// A random game by the plain reference: its line, its moves and its end.
fn random_game(random: &mut SplitMix64, name: &str) -> (String, Vec<String>, State) {
    let mut state = State::start(name);
    let mut moves = Vec::new();
    for _ in 0..random.below(LONGEST) {
        let legal = state.legal_moves();
        if state.over().is_some() || legal.is_empty() {
            break;
        }
        let mv = legal[random.below(legal.len() as u64) as usize].clone();
        state = state.play(&mv);
        moves.push(mv);
    }
    (format!("{name} startpos moves {}", moves.join(" ")), moves, state)
}

/// The one record of a text.
fn only(text: &str) -> Record {
    let records = read_all(text).unwrap_or_else(|error| panic!("{error}: {text}"));
    let [record] = records.try_into().unwrap_or_else(|found: Vec<Record>| panic!("{} records: {text}", found.len()));
    record
}

#[test]
fn random_games_read_as_they_were_written() {
    let count = games();
    for number in 0..count {
        let mut random = SplitMix64(SplitMix64::nth(seed(), number));
        let name = RULE_SETS[(number % 7) as usize];
        let (line, moves, end) = random_game(&mut random, name);
        let mut written = only(&line);
        let shown: Vec<String> = written.game.moves().iter().map(ToString::to_string).collect();
        assert_eq!(shown, moves, "seed {}, game {number}", seed());
        written.comments.iter_mut().for_each(|comment| *comment = format!("{:+}", random.below(900) as i64 - 450));
        check_writing(&written).unwrap_or_else(|why| panic!("seed {}, game {number}: {why}", seed()));
        let read = only(&written.write());
        assert_eq!((read.game.moves(), &read.comments), (written.game.moves(), &written.comments), "game {number}");
        let played = replay(&read.game).unwrap_or_else(|why| panic!("seed {}, game {number}: {why}", seed()));
        assert_eq!(played.board(), end.board(), "seed {}, game {number}", seed());
        let text = record::write(written.game.start(), written.game.moves());
        let again = Items::new("x", text.as_bytes(), RuleSet::named(name).unwrap()).next();
        let is_same = again.is_none_or(|item| item.is_ok_and(|item| item.game().moves() == written.game.moves()));
        assert!(is_same, "seed {}, game {number}: {text}", seed());
    }
    println!("{count} random games are the same again, seed {}", seed());
}

#[test]
fn games_of_engines_read_as_they_were_written() {
    let folder = empty_folder("fuzz-games");
    let rounds = (games() / PLAYED / 2).max(1).to_string();
    let (engine, seed) = (format!("cmd={PROGRAM}"), seed().to_string());
    let mut args = vec!["match", "--engine", &engine, "name=a", "nodes=60", "--engine", &engine, "name=b", "nodes=30"];
    args.extend(["--each", "option.Hash=1", "--rounds", &rounds, "--seed", &seed, "--max-moves", "120", "--quiet"]);
    args.extend(["--random-plies", "8", "--record", "games", "--rules"]);
    args.extend(RULE_SETS);
    let run = run_in(&folder, &args, b"").unwrap();
    assert!(run.code == 0 && run.err.is_empty(), "{}", run.err);
    let text = fs::read_to_string(folder.join("games")).unwrap();
    let records = read_all(&text).unwrap();
    assert_eq!(records.len() as u64, 2 * rounds.parse::<u64>().unwrap());
    assert_eq!(records.iter().map(Record::write).collect::<String>(), text);
    for (number, record) in records.iter().enumerate() {
        let checked = replay(&record.game).and_then(|_| check_writing(record));
        checked.unwrap_or_else(|why| panic!("game {number}: {why}"));
    }
    let again = run_in(&folder, &["convert", "--to", "match", "games"], b"").unwrap();
    assert!(again.code == 0 && again.out == text.as_bytes(), "{}", again.err);
    println!("{} games of engines are the same again, seed {seed}", records.len());
}
