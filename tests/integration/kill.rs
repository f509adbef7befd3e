//! Matches and builds of tables that are killed at random moments and go on: nothing is lost, nothing is there twice.
//!
//! `SUNDARBAN_KILLS` sets how many kills there are, `SUNDARBAN_FUZZ_SEED` the moments, as far as a machine repeats them.

use crate::driver::{TIMEOUT, command, empty_folder};
use crate::fuzz::plan::{seed, setting};
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Stdio;
use std::thread;
use std::time::{Duration, Instant};
use sundarban::notation::match_record::Record;
use sundarban::notation::reader::read_all;
use sundarban::rng::SplitMix64;

/// Kills where the environment names no number.
const KILLS: u64 = 8;

/// Whether a match removes the drafts of its `--json` that a killed one has left.
const MATCH_REMOVES_DRAFTS: bool = true;

/// Whether a build removes the drafts that a killed one has left.
const BUILD_REMOVES_DRAFTS: bool = true;

/// Engines that play fast, and a match of them by two rule sets.
fn words() -> Vec<String> {
    let engine = format!("cmd={}", crate::driver::PROGRAM);
    let words = "--each option.Hash=1 --rounds 16 --rules baghbandi super --max-moves 24 --concurrency 2 --random-plies 6 \
                 --seed 3 --quiet";
    let mut all: Vec<String> =
        ["match", "--engine", &engine, "name=a", "nodes=60", "--engine", &engine, "name=b", "nodes=40"]
            .map(str::to_owned)
            .to_vec();
    all.extend(words.split_whitespace().map(str::to_owned));
    all
}

/// Runs the program in a folder to its end, or kills it after a time; what it has printed if it came to its end.
fn run_for(folder: &Path, words: &[String], time: Duration) -> Option<String> {
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let errors = fs::File::create(folder.join("errors")).unwrap();
    let mut child = command(&words).current_dir(folder).stdin(Stdio::null()).stderr(errors).spawn().unwrap();
    let began = Instant::now();
    loop {
        if let Some(status) = child.try_wait().unwrap() {
            let output = child.wait_with_output().unwrap();
            let errors = fs::read_to_string(folder.join("errors")).unwrap();
            assert!(status.success(), "{words:?}: {status}: {errors}");
            return Some(String::from_utf8(output.stdout).unwrap());
        }
        if began.elapsed() >= time {
            child.kill().unwrap();
            child.wait().unwrap();
            return None;
        }
        thread::sleep(Duration::from_micros(500));
    }
}

/// Starts it again until it comes to its end, killing it at random moments; what the last run has printed, and the kills.
fn run_through_kills(folder: &Path, words: &[String], usual: Duration, random: &mut SplitMix64) -> (String, u64) {
    let mut kills = 0;
    loop {
        // The later ones get more time, so that it ends even if no run saves anything.
        let most = usual.as_micros() as u64 * (8 + kills / 4) / 10;
        let time = if kills > 60 { 5 * TIMEOUT } else { Duration::from_micros(random.below(most.max(1))) };
        match run_for(folder, words, time) {
            Some(out) => return (out, kills),
            None => kills += 1,
        }
    }
}

fn names(folder: &Path) -> BTreeSet<String> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    entries.collect()
}

/// The games of a record file by number, with their moves; none may be there twice.
fn games(path: &Path) -> Vec<(u64, String)> {
    let text = fs::read_to_string(path).unwrap();
    let records = read_all(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    assert_eq!(records.iter().map(Record::write).collect::<String>(), text, "the record file is not whole");
    let number = |record: &Record| record.tag("Game").unwrap().parse().unwrap();
    let mut all: Vec<(u64, String)> = records
        .iter()
        .map(|record| {
            (number(record), format!("{:?} {:?} {:?}", record.game.start(), record.game.moves(), record.result))
        })
        .collect();
    all.sort();
    assert!(all.windows(2).all(|pair| pair[0].0 < pair[1].0), "a game is there twice");
    all
}

fn more(words: &[String], more: &str) -> Vec<String> {
    words.iter().cloned().chain(more.split_whitespace().map(str::to_owned)).collect()
}

#[test]
fn killed_matches_lose_no_game_and_count_none_twice() {
    let wanted = setting("SUNDARBAN_KILLS", KILLS).div_ceil(2);
    let folder = empty_folder("kill-match");
    let began = Instant::now();
    let expected = run_for(&folder, &more(&words(), "--record reference --json reference.json"), 5 * TIMEOUT).unwrap();
    let usual = began.elapsed();
    let reference = games(&folder.join("reference"));
    let mut random = SplitMix64(seed());
    let (mut kills, mut matches) = (0, 0);
    while kills < wanted {
        for name in ["games", "journal", "results.json"] {
            let _ = fs::remove_file(folder.join(name));
        }
        let resumed = more(&words(), "--record games --resume journal --json results.json");
        let (out, count) = run_through_kills(&folder, &resumed, usual, &mut random);
        assert_eq!(out, expected, "match {matches}, after {count} kills");
        assert_eq!(games(&folder.join("games")), reference, "match {matches}, after {count} kills");
        let json = |name: &str| fs::read_to_string(folder.join(name)).unwrap();
        assert_eq!(json("results.json"), json("reference.json"), "match {matches}, after {count} kills");
        let own = ["games", "journal", "results.json", "reference", "reference.json", "errors"].map(str::to_owned);
        let left: Vec<String> = names(&folder).into_iter().filter(|name| !own.contains(name)).collect();
        assert!(left.is_empty() || !MATCH_REMOVES_DRAFTS, "match {matches}: left behind: {left:?}");
        (kills, matches) = (kills + count, matches + 1);
        println!("{kills} kills in {matches} matches of {} games: none lost or counted twice", reference.len());
    }
}

#[test]
fn killed_builds_come_to_the_same_tables() {
    let wanted = setting("SUNDARBAN_KILLS", KILLS) / 2;
    let folder = empty_folder("kill-build");
    let build = |dir: &str| {
        let words = format!("tables build --dir {dir} --max-goats 2 --herds 1 --threads 2");
        words.split_whitespace().map(str::to_owned).collect::<Vec<_>>()
    };
    let began = Instant::now();
    run_for(&folder, &build("reference"), 5 * TIMEOUT).unwrap();
    let usual = began.elapsed();
    let mut random = SplitMix64(seed().wrapping_add(1));
    let (mut kills, mut builds) = (0, 0);
    while kills < wanted {
        let _ = fs::remove_dir_all(folder.join("tables"));
        let (_, count) = run_through_kills(&folder, &build("tables"), usual, &mut random);
        let expected = names(&folder.join("reference"));
        for name in &expected {
            let read = |dir: &str| fs::read(folder.join(dir).join(name)).unwrap();
            assert!(read("tables") == read("reference"), "build {builds}: {name} differs after {count} kills");
        }
        let left: Vec<String> = names(&folder.join("tables")).difference(&expected).cloned().collect();
        assert!(left.is_empty() || !BUILD_REMOVES_DRAFTS, "build {builds}: left behind: {left:?}");
        (kills, builds) = (kills + count, builds + 1);
        println!("{kills} kills in {builds} builds: the same tables");
    }
}
