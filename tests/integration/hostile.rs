//! Matches against an engine that does all it can to spoil them, which needs no shell and runs on every system: this test
//! program itself, told by the environment how to behave.

use crate::driver::{PROGRAM, TIMEOUT, empty_folder, retry, side_by_side, stderr, stdout};
use std::fs;
use std::io::{BufRead, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant, SystemTime};

/// The variable that says how the engine behaves.
const BEHAVIOUR: &str = "SUNDARBAN_HOSTILE";
/// The file in its working directory in which a process that it has started shows that it lives.
const HEARTBEAT: &str = "heartbeat";
/// The words by which this program becomes the engine.
const AS_ENGINE: [&str; 3] = ["hostile::acts", "--exact", "--nocapture"];

/// No test, but the engine itself, where it is told how to behave.
#[test]
fn acts() {
    let Ok(behaviour) = std::env::var(BEHAVIOUR) else { return };
    if behaviour == "beat" {
        // Long after every test has failed that waits for its end.
        for beat in 0..100_000 {
            let _ = fs::write(HEARTBEAT, beat.to_string());
            std::thread::sleep(Duration::from_millis(20));
        }
    }
    for line in std::io::stdin().lock().lines().map_while(Result::ok) {
        match line.split_whitespace().next() {
            Some("uci") if behaviour == "silent" => std::thread::sleep(TIMEOUT),
            Some("uci") => say("uciok"),
            Some("isready") => say("readyok"),
            Some("go") => misbehave(&behaviour),
            Some("quit") if behaviour != "hang" => std::process::exit(0),
            _ => {}
        }
    }
    // One that does not care that nobody listens any more.
    std::thread::sleep(if behaviour == "hang" { TIMEOUT } else { Duration::ZERO });
}

fn say(line: &str) {
    // As other programs of its system do.
    let end = if cfg!(windows) { "\r\n" } else { "\n" };
    let mut out = std::io::stdout().lock();
    let _ = write!(out, "{line}{end}").and_then(|()| out.flush());
}

fn misbehave(behaviour: &str) {
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    let quick = ["crash", "illegal", "nonsense", "none", "line"];
    match if behaviour == "any" { quick[now.subsec_micros() as usize % quick.len()] } else { behaviour } {
        "crash" => {
            eprintln!("ouch");
            std::process::exit(3)
        }
        "abort" => std::process::abort(),
        "illegal" => say("bestmove a1e5"),
        "nonsense" => say("bestmove xyzzy"),
        "none" => say("bestmove (none)"),
        "late" => {
            std::thread::sleep(Duration::from_millis(600));
            say("bestmove a1e5");
        }
        "flood" => (0..1 << 12).for_each(|_| say(&"info string nothing but words\n".repeat(1 << 10))),
        "line" => say(&"x".repeat(3 << 20)),
        "hang" => {
            let own = std::env::current_exe().unwrap();
            let mut beat = Command::new(own);
            beat.args(AS_ENGINE).env(BEHAVIOUR, "beat").stdin(Stdio::null()).stdout(Stdio::null());
            let _ = beat.spawn().unwrap().wait();
        }
        "busy" => loop {
            std::hint::spin_loop();
        },
        other => panic!("no behaviour {other}"),
    }
}

/// A match of one round in a folder, between a copy of the program by a path with blanks and the hostile engine.
fn against(folder: &Path, behaviour: &str, limits: &[&str]) -> Command {
    let good = folder.join(format!("good engine{}", std::env::consts::EXE_SUFFIX));
    fs::copy(PROGRAM, &good).unwrap();
    let bad = std::env::current_exe().unwrap();
    let mut command = Command::new(PROGRAM);
    command.args(["match", "--engine", "name=good", &format!("cmd={}", good.display()), "depth=1", "option.Hash=2"]);
    command.args(["--engine", "name=bad", &format!("cmd='{}' {}", bad.display(), AS_ENGINE.join(" "))]);
    command.args(limits).args(["--rounds", "1", "--record", "games"]);
    command.current_dir(folder).env(BEHAVIOUR, behaviour).env_remove("RUST_LOG");
    command.stdin(Stdio::null());
    command
}

const LONG: [&str; 3] = ["st=20", "--patience", "20"];
const SHORT: [&str; 3] = ["st=0.5", "--patience", "2"];
const LATE: [&str; 3] = ["st=0.5", "--patience", "20"];

#[test]
fn each_fault_loses_its_game_on_every_system() {
    let faults = [
        ("crash", LONG, "crash", "its last words were 'ouch'"),
        ("abort", LONG, "crash", "ended with "),
        ("illegal", LONG, "illegal move", "found 'a1e5': "),
        ("nonsense", LONG, "garbage", "found 'xyzzy', expected a move"),
        ("none", LONG, "illegal move", "found '(none)', expected one of"),
        ("late", LATE, "time forfeit", "expected one within 0.500 s"),
        ("flood", LONG, "flood", "found more than 16 MiB of output"),
        ("line", LONG, "flood", "found a line of more than"),
        ("hang", SHORT, "no answer", "found none in 2.5 s"),
        ("busy", SHORT, "no answer", "found none in 2.5 s"),
        ("silent", SHORT, "failed to start", " in 2.0 s, expected 'uciok'"),
    ];
    side_by_side(&faults, |&(behaviour, limits, termination, detail)| {
        retry(|| {
            let folder = empty_folder(&format!("hostile {behaviour}"));
            // One that is never ready ends the match unless that is lenient.
            let lenient = (termination == "failed to start").then_some("--lenient");
            let output = against(&folder, behaviour, &limits).args(lenient).output().unwrap();
            let (out, err) = (stdout(&output), stderr(&output));
            assert!(output.status.success(), "{behaviour}: {err}");
            assert!(out.contains("Games: 2, Wins: 2, Losses: 0, Draws: 0"), "{behaviour}: {out}");
            assert!(out.contains(&format!("Faults of bad: {termination} 2\n")), "{behaviour}: {out}");
            assert_eq!(err.lines().filter(|line| line.contains(detail)).count(), 2, "{behaviour}: {err}");
            let games = fs::read_to_string(folder.join("games")).unwrap();
            assert!(games.matches(&format!("[Termination \"{termination}\"]")).count() == 2, "{behaviour}: {games}");
            assert!(!games.contains('\r'), "{behaviour}");
        });
    });
}

/// Whether the process that the engine has started shows itself.
fn is_beating(folder: &Path) -> bool {
    let beat = || fs::read_to_string(folder.join(HEARTBEAT)).unwrap_or_default();
    let (before, until) = (beat(), Instant::now() + Duration::from_millis(500));
    while Instant::now() < until {
        let now = beat();
        if !now.is_empty() && now != before {
            return true;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    false
}

fn wait_for(folder: &Path, state: bool) {
    let until = Instant::now() + TIMEOUT;
    while is_beating(folder) != state {
        assert!(Instant::now() < until, "expected a heartbeat: {state}");
    }
}

#[test]
fn what_an_engine_has_started_ends_with_it_and_with_a_match_that_is_killed() {
    let folder = empty_folder("hostile child");
    let output = against(&folder, "hang", &SHORT).output().unwrap();
    assert!(output.status.success() && folder.join(HEARTBEAT).exists(), "{}", stderr(&output));
    wait_for(&folder, false);
    fs::remove_file(folder.join(HEARTBEAT)).unwrap();
    let mut command = against(&folder, "hang", &["st=1000"]);
    let mut running = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    wait_for(&folder, true);
    running.kill().unwrap();
    running.wait().unwrap();
    wait_for(&folder, false);
}
