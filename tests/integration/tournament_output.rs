//! `sundarban match`: readers that go away, and what killed matches leave behind.

use crate::driver::{PROGRAM, TIMEOUT, has_shell, retry, stderr};
use crate::tournament::{PLAY, UCIOK, assert_all_dead, command, folder, good_against, play, script, two};
use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// Runs a match, reads `lines` of its output and closes it. Returns its exit code and standard error.
fn read_and_close(folder: &Path, words: &str, lines: usize) -> (Option<i32>, String) {
    let mut match_command = command(folder, words);
    let mut child =
        match_command.env("SUNDARBAN", PROGRAM).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut out = BufReader::with_capacity(1, child.stdout.take().unwrap());
    for _ in 0..lines {
        out.read_line(&mut String::new()).unwrap();
    }
    drop(out);
    let mut error = String::new();
    child.stderr.take().unwrap().read_to_string(&mut error).unwrap();
    let deadline = Instant::now() + TIMEOUT;
    loop {
        if let Some(status) = child.try_wait().unwrap() {
            return (status.code(), error);
        }
        assert!(Instant::now() < deadline, "it goes on without a reader");
        std::thread::sleep(Duration::from_millis(10));
    }
}

#[test]
fn a_reader_that_goes_away_is_no_failure() {
    let folder = folder("closed");
    let words = two("depth=1", "depth=1") + "--rounds 3 --max-moves 3 ";
    assert!(play(&folder, &(words.clone() + "--record games")).status.success());
    // Windows has no path for standard output.
    let on_this_system = |words: &[&'static str]| {
        words.iter().copied().filter(|word| cfg!(unix) || !word.contains("/dev/")).collect::<Vec<_>>()
    };
    for more in on_this_system(&["", "--quiet", "--json /dev/stdout --interval 1 --quiet"]) {
        let lines = usize::from(more.is_empty());
        assert_eq!(read_and_close(&folder, &(words.clone() + more), lines), (Some(0), String::new()), "{more}");
    }
    // The last standing has no reader, but the file of results is whole.
    assert_eq!(read_and_close(&folder, &(words.clone() + "--quiet --json results"), 0).0, Some(0));
    assert!(fs::read_to_string(folder.join("results")).unwrap().contains("\"over\": true"));
    for merge in on_this_system(&["--merge games", "--merge games --json /dev/stdout"]) {
        assert_eq!(read_and_close(&folder, merge, 0), (Some(0), String::new()), "{merge}");
    }
}

#[test]
fn engines_end_when_the_reader_goes_away() {
    if !has_shell() {
        return;
    }
    retry(|| {
        let folder = folder("closed-engines");
        let slow = script(&folder, "slow", "", UCIOK, &format!("trap '' HUP TERM; sleep 0.1; {PLAY}"));
        let words = good_against(&slow, "depth=1 --patience 60") + "--rounds 50 --max-moves 4";
        let (code, error) = read_and_close(&folder, &words, 1);
        assert_eq!(code, Some(0), "{error}");
        assert_all_dead(&folder);
    });
}

#[test]
fn drafts_of_killed_matches_are_removed() {
    let folder = folder("dead-drafts");
    for name in ["x.json.77.tmp", "x.json.part-1-2", "y.json.77.tmp"] {
        fs::write(folder.join(name), "half").unwrap();
    }
    let words = two("depth=1", "depth=1") + "--rounds 1 --max-moves 2 --json x.json --resume journal";
    let output = play(&folder, &words);
    assert!(output.status.success(), "{}", stderr(&output));
    let mut names: Vec<_> =
        fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    assert_eq!(names, ["journal", "x.json", "y.json.77.tmp"]);
}

#[test]
fn drafts_of_killed_builds_are_removed_by_the_next() {
    let folder = folder("dead-tables");
    let build = || {
        let mut command = Command::new(PROGRAM);
        command.args(["tables", "build", "--max-goats", "3", "--herds", "1", "--dir"]).arg(&folder);
        command.stdout(Stdio::null()).stderr(Stdio::null());
        command
    };
    let drafts = || {
        let names = fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
        names.filter(|name| name.contains(".part-")).count()
    };
    for _ in 0..3 {
        let mut child = build().spawn().unwrap();
        let deadline = Instant::now() + TIMEOUT;
        while drafts() == 0 && child.try_wait().unwrap().is_none() {
            assert!(Instant::now() < deadline);
            std::thread::sleep(Duration::from_millis(1));
        }
        child.kill().unwrap();
        child.wait().unwrap();
        // One at most is left, since each build removes those before it.
        assert!(drafts() <= 1);
    }
    assert!(build().status().unwrap().success());
    assert_eq!(drafts(), 0);
}

#[test]
fn warnings_are_named_and_the_dialogue_is_logged_with_the_time() {
    let folder = folder("log");
    let words = two("depth=1", "depth=1") + "--rounds 1 --max-moves 2 -v --quiet";
    let output = play(&folder, &words);
    let log = stderr(&output);
    assert!(output.status.success(), "{log}");
    for sent in [" < go depth 1", " > bestmove ", " < isready", " > readyok"] {
        let line = log.lines().find(|line| line.contains(sent)).unwrap_or_else(|| panic!("{sent}: {log}"));
        let (time, rest) = line.split_once(' ').unwrap();
        let (seconds, millis) = time.split_once('.').unwrap();
        assert!(seconds.parse::<u64>().is_ok() && millis.len() == 3 && millis.parse::<u64>().is_ok(), "{line}");
        assert!(rest.starts_with("a (") || rest.starts_with("b ("), "{line}");
    }
    fs::write(folder.join("openings"), "startpos\nt4/5/5/5/4t w\n").unwrap();
    let output = play(&folder, &(two("depth=1", "depth=1") + "--rounds 1 --max-moves 2 --openings openings"));
    assert_eq!(stderr(&output), "warning: --openings: 'openings': 1 positions are over already and are skipped\n");
}
