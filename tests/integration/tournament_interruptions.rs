//! `sundarban match`: Ctrl-C, a stopped runner, and too little memory.

use crate::driver::{PROGRAM, TIMEOUT, has_shell, in_own_group, retry, stderr, stdout};
use crate::tournament::{PLAY, UCIOK, assert_all_dead, command, folder, good_against, records, script, two};
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

fn signal(name: &str, target: &str) {
    assert!(
        Command::new("kill").args([&format!("-{name}"), "--", target]).status().unwrap().success(),
        "{name} {target}"
    );
}

fn wait_until(what: &str, mut holds: impl FnMut() -> bool) {
    let deadline = Instant::now() + TIMEOUT;
    while !holds() {
        assert!(Instant::now() < deadline, "{what}");
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// A long match of a group of its own, in which some pairs of games are over.
fn long_match(folder: &Path, bad: &Path) -> Child {
    let words = good_against(bad, "depth=1 --patience 60")
        .replace("--rounds 1", "--rounds 5000 --max-moves 2 --record games --json json --interval 0");
    let mut long = command(folder, &words);
    long.env("SUNDARBAN", PROGRAM);
    start_long(folder, long)
}

/// Starts a match in a group of its own, and waits until some pairs of games are over.
fn start_long(folder: &Path, mut long: Command) -> Child {
    in_own_group(&mut long);
    let child = long.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    wait_until("no games", || {
        fs::read_to_string(folder.join("games")).unwrap_or_default().matches("[Event").count() >= 4
    });
    child
}

fn slow_script(folder: &Path) -> PathBuf {
    script(folder, "slow", "", UCIOK, &format!("trap '' INT TERM; sleep 0.02; {PLAY}"))
}

fn text_of(stream: Option<impl Read>) -> String {
    let mut text = String::new();
    stream.unwrap().read_to_string(&mut text).unwrap();
    text
}

#[test]
fn an_interrupted_match_prints_its_standing() {
    if !has_shell() {
        return;
    }
    retry(|| {
        // To the process alone, as `kill` sends it, and to the group, as a terminal does, `timeout` and service managers.
        for (name, is_group) in [("INT", false), ("INT", true), ("TERM", false), ("TERM", true)] {
            let folder = folder(&format!("interrupt-{name}-{is_group}"));
            let bad = slow_script(&folder);
            let mut child = long_match(&folder, &bad);
            let target = child.id().to_string();
            signal(name, &if is_group { format!("-{target}") } else { target });
            let (out, error) = (text_of(child.stdout.take()), text_of(child.stderr.take()));
            assert_eq!(child.wait().unwrap().code(), Some(130), "{error}");
            assert!(out.contains("Games: ") && out.ends_with("Tournament interrupted\n"), "{out}");
            assert!(error.is_empty(), "{error}");
            assert!(fs::read_to_string(folder.join("json")).unwrap().contains("\"over\": false"));
            assert!(records(&folder.join("games")).len().is_multiple_of(2));
            assert_all_dead(&folder);
        }
    });
}

#[test]
fn a_killed_match_ends_its_engines_whichever_process_is_killed() {
    if !has_shell() {
        return;
    }
    retry(|| {
        let folder = folder("killed-shell");
        let bad = slow_script(&folder);
        let mut child = long_match(&folder, &bad);
        child.kill().unwrap();
        child.wait().unwrap();
        assert_all_dead(&folder);
        // Nobody appends to the file any more.
        let length = || fs::metadata(folder.join("games")).unwrap().len();
        let before = length();
        std::thread::sleep(Duration::from_millis(300));
        assert_eq!(length(), before);
    });
}

/// An engine that says when its first search begins, in a file, and answers a while later; the next ones at once.
fn thinking_script(folder: &Path, seconds: &str) -> PathBuf {
    let go = format!("if [ $n = 1 ]; then echo > thinking; sleep {seconds}; fi; {PLAY}");
    script(folder, "thinking-engine", "", UCIOK, &go)
}

#[test]
fn a_pause_of_the_runner_is_charged_to_no_engine() {
    if !has_shell() {
        return;
    }
    retry(|| {
        // Stopped by a signal that nothing can catch and as by Ctrl-Z; the answer comes before the end of the pause or
        // after it; alone, and with the engine, which lives in a group of its own, stopped as well.
        let cases = [("STOP", "0.2", false), ("TSTP", "0.2", false), ("STOP", "1.9", false), ("STOP", "0.2", true)];
        let mut matches: Vec<(PathBuf, Child)> = Vec::new();
        for (number, (_, seconds, _)) in cases.iter().enumerate() {
            let folder = folder(&format!("paused-{number}"));
            let bad = thinking_script(&folder, seconds);
            let words =
                good_against(&bad, "st=0.8 timemargin=400 --patience 60") + "--max-moves 3 --record games --lenient";
            let mut paused = command(&folder, &words);
            in_own_group(&mut paused);
            paused.env("SUNDARBAN", PROGRAM).stdout(Stdio::piped()).stderr(Stdio::piped());
            let child = paused.spawn().unwrap();
            matches.push((folder, child));
        }
        let signal_all = |is_stop: bool| {
            for ((folder, child), (stop, _, with_engine)) in matches.iter().zip(cases) {
                wait_until("no search", || folder.join("thinking").exists());
                signal(if is_stop { stop } else { "CONT" }, &format!("-{}", child.id()));
                for pid in fs::read_to_string(folder.join("pids")).unwrap().lines().filter(|_| with_engine) {
                    signal(if is_stop { "STOP" } else { "CONT" }, &format!("-{pid}"));
                }
            }
        };
        signal_all(true);
        std::thread::sleep(Duration::from_millis(1700));
        signal_all(false);
        for (folder, mut child) in matches {
            let (out, error) = (text_of(child.stdout.take()), text_of(child.stderr.take()));
            assert!(child.wait().unwrap().success() && error.is_empty(), "{folder:?}: {out} {error}");
            let games = records(&folder.join("games"));
            assert!(games.len() == 2 && games.iter().all(|game| game.tag("Fault").is_none()), "{folder:?}: {out}");
        }
    });
}

#[test]
fn a_second_interruption_ends_a_match_that_can_not_print_its_standing() {
    if !has_shell() {
        return;
    }
    retry(|| {
        let folder = folder("interrupted-twice");
        let bad = slow_script(&folder);
        let words = good_against(&bad, "depth=1 --patience 60").replace("--rounds 1", "--rounds 5000 --max-moves 2");
        // Nobody reads, and the pipe has no room for a standing.
        let fill = format!("yes | head -c 65536; exec {PROGRAM} match {words} --json json --interval 0");
        let mut full = Command::new("sh");
        full.args(["-c", &fill]).env("SUNDARBAN", PROGRAM).current_dir(&folder);
        in_own_group(&mut full);
        let mut child = full.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        wait_until("no engine", || folder.join("pids").exists());
        let target = child.id().to_string();
        signal("INT", &target);
        std::thread::sleep(Duration::from_millis(300));
        assert!(child.try_wait().unwrap().is_none(), "the first one has ended it");
        signal("INT", &target);
        wait_until("still running", || child.try_wait().unwrap().is_some());
        assert_eq!(child.wait().unwrap().code(), Some(130), "{}", text_of(child.stderr.take()));
        assert!(!text_of(child.stdout.take()).ends_with("Tournament interrupted\n"));
        assert_all_dead(&folder);
    });
}

#[test]
fn little_memory_is_a_reason_and_no_abort() {
    if !has_shell() {
        return;
    }
    let folder = folder("little-memory");
    let words = two("depth=1", "depth=1") + "--rounds 1 --max-moves 2 --concurrency 8";
    let mut failed = 0;
    for kilobytes in (40_000..400_000).step_by(30_000) {
        let script = format!("ulimit -v {kilobytes}; exec {PROGRAM} match {words}");
        let output = Command::new("sh").args(["-c", &script]).current_dir(&folder).output().unwrap();
        let (code, error) = (output.status.code(), stderr(&output));
        assert!(matches!(code, Some(0 | 1)) && !error.contains("panicked"), "{kilobytes}: {code:?} {error}");
        assert!(code == Some(0) || error.contains("error: "), "{kilobytes}: {error} {}", stdout(&output));
        failed += u32::from(code == Some(1));
    }
    assert!(failed > 0);
}

/// As Ctrl-C does it on Windows: the process that the user has started ends, and the match is its child.
#[test]
fn on_windows_a_match_whose_parent_ends_prints_its_standing() {
    if cfg!(unix) {
        return;
    }
    let folder = folder("parent-ends");
    let words = two("depth=1", "depth=1") + "--rounds 5000 --max-moves 2 --record games --json json --interval 0";
    let mut child = start_long(&folder, command(&folder, &words));
    child.kill().unwrap();
    child.wait().unwrap();
    let (out, error) = (text_of(child.stdout.take()), text_of(child.stderr.take()));
    assert!(out.contains("Games: ") && out.ends_with("Tournament interrupted\n"), "{out} {error}");
    assert!(error.is_empty(), "{error}");
    assert!(fs::read_to_string(folder.join("json")).unwrap().contains("\"over\": false"));
    assert!(records(&folder.join("games")).len().is_multiple_of(2));
}
