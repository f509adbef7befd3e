//! Drives `sundarban match` as a user does, with good engines (this program) and bad ones (shell scripts).

use crate::data;
use crate::driver::{
    DEVICES, PROGRAM, TIMEOUT, empty_folder, has_shell, hold, make_executable, retry, side_by_side, stderr, stdout,
};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};
use sundarban::notation::match_record::{self, Record};

pub fn folder(name: &str) -> PathBuf {
    empty_folder(&format!("tournament-{name}"))
}

/// A match with these words.
pub fn command(folder: &Path, words: &str) -> Command {
    let mut command = Command::new(PROGRAM);
    command.arg("match").args(words.split_whitespace()).current_dir(folder).stdin(Stdio::null());
    command.env_remove("RUST_LOG");
    command
}

pub fn play(folder: &Path, words: &str) -> Output {
    command(folder, words).output().unwrap()
}

pub fn records(path: &Path) -> Vec<Record> {
    sundarban::notation::reader::read_all(&fs::read_to_string(path).unwrap()).unwrap()
}

/// The moves of each game by its number, and that no number comes twice.
fn games(path: &Path) -> BTreeMap<u64, String> {
    let mut games = BTreeMap::new();
    for record in records(path) {
        let number = record.tag("Game").unwrap().parse().unwrap();
        let old = games.insert(number, format!("{:?} {:?}", record.game.start(), record.game.moves()));
        assert!(old.is_none(), "game {number} is there twice");
    }
    games
}

/// Two engines of this program, and time enough for them on a busy machine.
pub fn two(first: &str, second: &str) -> String {
    format!(
        "--engine cmd={PROGRAM} name=a {first} --engine cmd={PROGRAM} name=b {second} --each option.Hash=2 --patience 60 "
    )
}

/// An engine made of a shell script: what it does when it is started, on `uci`, and on `go`. It notes the
/// numbers of its processes in the file `pids`.
pub fn script(folder: &Path, name: &str, start: &str, greeting: &str, go: &str) -> PathBuf {
    let text = format!(
        "#!/bin/sh\necho $$ >> pids\n{start}\nn=0\nwhile read -r line; do\ncase \"$line\" in\nuci) {greeting} ;;\n\
         isready) echo readyok ;;\nposition*) position=$line ;;\ngo*) n=$((n + 1)); {go} ;;\nquit) exit 0 ;;\nesac\ndone\n"
    );
    let path = folder.join(name);
    fs::write(&path, text).unwrap();
    make_executable(&path);
    path
}

pub fn is_alive(pid: &str) -> bool {
    let state = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    let state = state.rsplit_once(") ").map_or("", |(_, rest)| rest);
    !(state.is_empty() || state.starts_with('Z'))
}

/// Waits until none of the processes in `pids` lives any more.
pub fn assert_all_dead(folder: &Path) {
    let deadline = Instant::now() + TIMEOUT;
    let pids = fs::read_to_string(folder.join("pids")).unwrap();
    while pids.split_whitespace().any(is_alive) {
        assert!(Instant::now() < deadline, "still alive: {pids}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

pub const UCIOK: &str = "echo uciok";
/// Plays its own first moves well, through this program.
pub const PLAY: &str =
    "printf 'setoption name Hash value 1\\n%s\\ngo depth 1\\n' \"$position\" | $SUNDARBAN | grep bestmove";

/// Limits of an engine whose fault shows at once, however busy the machine is.
const LONG: &str = "st=20 --patience 20";
/// Of one whose fault is silence, which has to be waited for.
const SHORT: &str = "st=0.5 --patience 2";
/// Of one that answers after its time.
const LATE: &str = "st=0.5 --patience 20";

/// A match of one round between this program and a script, with the script's limits.
pub fn good_against(bad: &Path, limits: &str) -> String {
    let good = format!("--engine cmd={PROGRAM} name=good depth=2 option.Hash=2");
    format!("{good} --engine cmd={} name=bad {limits} --rounds 1 ", bad.display())
}

/// What goes wrong, how, within which limits, and what it is called.
fn faults() -> Vec<(&'static str, [String; 3], &'static str, &'static str, &'static str)> {
    let greet = || UCIOK.to_owned();
    let on_go = |go: &str| [String::new(), greet(), go.to_owned()];
    let third = |go: &str| [String::new(), greet(), format!("if [ $n -lt 3 ]; then {PLAY}; else {go}; fi")];
    vec![
        ("crash", on_go("exit 3"), LONG, "crash", "ended with exit status: 3"),
        ("killed", third("kill -SEGV $$"), LONG, "crash", "ended with signal: 11"),
        ("closed", on_go("exec >&-; sleep 1000 & echo $! >> pids; wait"), LONG, "crash", "closed its output"),
        ("hang", on_go("sleep 1000 & echo $! >> pids; wait"), SHORT, "no answer", "found none in 2.5 s"),
        ("busy", on_go("while :; do :; done"), SHORT, "no answer", "found none in 2.5 s"),
        ("garbage", on_go("echo '%&/()'; echo 'what now?'"), SHORT, "garbage", "found '%&/()' in 2.5 s"),
        ("nonsense", third("echo bestmove xyzzy"), LONG, "garbage", "found 'xyzzy', expected a move"),
        ("binary", on_go("printf 'bestmove \\377\\376\\n'"), LONG, "garbage", "expected a move"),
        ("illegal", third("echo bestmove a1e5"), LONG, "illegal move", "found 'a1e5': "),
        ("nothing", on_go("echo 'bestmove (none)'"), LONG, "illegal move", "found '(none)', expected one of"),
        ("late", on_go("sleep 0.6; echo bestmove a1e5"), LATE, "time forfeit", "expected one within 0.500 s"),
        ("flood", third("yes info string nothing but words"), LONG, "flood", "found more than 16 MiB of output"),
        ("line", on_go("yes x | tr -d '\\n'"), LONG, "flood", "found a line of more than"),
        (
            "absent",
            ["exit 1".to_owned(), greet(), String::new()],
            LONG,
            "failed to start",
            "crash: ended with exit status: 1",
        ),
        ("mute", ["sleep 1000".to_owned(), greet(), String::new()], SHORT, "failed to start", "no answer: found none"),
        (
            "babble",
            [String::new(), "echo hello".to_owned(), String::new()],
            SHORT,
            "failed to start",
            "garbage: found 'hello'",
        ),
    ]
}

#[test]
fn each_fault_loses_its_game_under_its_own_name_and_the_match_goes_on() {
    if !has_shell() {
        return;
    }
    side_by_side(&faults(), |(name, script, limits, termination, detail)| {
        retry(|| expect_fault(name, script, limits, termination, detail));
    });
}

fn expect_fault(name: &str, [start, greeting, go]: &[String; 3], limits: &str, termination: &str, detail: &str) {
    let folder = folder(&format!("fault-{name}"));
    let bad = script(&folder, "bad", start, greeting, go);
    // One that is never ready ends the match unless that is lenient.
    let lenient = if termination == "failed to start" { " --lenient" } else { "" };
    let words = good_against(&bad, limits) + "--record games --json results" + lenient;
    let output = command(&folder, &words).env("SUNDARBAN", PROGRAM).output().unwrap();
    let (out, err) = (stdout(&output), stderr(&output));
    assert!(output.status.success(), "{name}: {err}");
    assert!(out.contains("Games: 2, Wins: 2, Losses: 0, Draws: 0"), "{name}: {out}");
    assert!(out.contains(&format!("Faults of bad: {termination} 2\n")), "{name}: {out}");
    assert_eq!(err.lines().filter(|line| line.contains(detail)).count(), 2, "{name}: {err}");
    let records = records(&folder.join("games"));
    assert_eq!(records.len(), 2, "{name}");
    for record in records {
        assert_eq!(record.tag("Termination"), Some(termination), "{name}");
        let (winner, loser) = if record.tag("White") == Some("good") { ("1-0", "Black") } else { ("0-1", "White") };
        assert_eq!((match_record::result_text(record.result), record.tag("Fault")), (winner, Some(loser)), "{name}");
        assert!(record.reason.contains(termination), "{name}: {}", record.reason);
    }
    let json = fs::read_to_string(folder.join("results")).unwrap();
    assert!(json.contains(&format!("\"{termination}\": 2")) && json.contains("\"over\": true"), "{name}: {json}");
    assert_all_dead(&folder);
}

#[test]
fn what_the_runner_itself_lacks_is_no_fault_of_an_engine() {
    if !has_shell() {
        return;
    }
    let folder = folder("lacks");
    for (limit, reason) in [("-n 12", "Too many open files"), ("-n 9", "")] {
        let words = two("depth=1", "depth=1") + "--rounds 2 --concurrency 2";
        let script = format!("ulimit {limit}; exec {PROGRAM} match {words}");
        let output = Command::new("sh").args(["-c", &script]).current_dir(&folder).output().unwrap();
        let error = stderr(&output);
        assert!(output.status.code() == Some(1) && error.contains(reason), "{limit}: {error}");
        assert!(!error.contains("panicked") && !stdout(&output).contains("Finished game"), "{limit}: {error}");
    }
}

#[test]
fn an_engine_that_its_child_survives_has_crashed_and_half_a_line_is_shown() {
    if !has_shell() {
        return;
    }
    let survived = "echo ouch >&2; sleep 1000 & echo $! >> pids; exit 7";
    for (name, go, limits, detail) in [
        ("survived", survived, LONG, "crash: ended with exit status: 7, expected"),
        ("words", "echo ouch >&2; exit 7", LONG, "its last words were 'ouch'"),
        ("half", "printf 'bestmove c2'; sleep 1000", SHORT, "no answer: found an unfinished line 'bestmove c2' in"),
        ("half-crash", "printf 'bestmove c2'; exit 1", LONG, "after an unfinished line 'bestmove c2', expected"),
    ] {
        retry(|| {
            let folder = folder(&format!("child-{name}"));
            let bad = script(&folder, "bad", "", "echo option name X type string; echo uciok", go);
            let output = play(&folder, &good_against(&bad, limits));
            assert!(stderr(&output).lines().filter(|line| line.contains(detail)).count() == 2, "{}", stderr(&output));
            assert_all_dead(&folder);
        });
    }
}

#[test]
fn files_are_checked_and_kept_apart() {
    let folder = folder("files");
    let words = two("depth=1", "depth=1") + "--rounds 1 ";
    let run = |more: &str| play(&folder, &(words.clone() + more));
    let (null, full) = DEVICES;
    for file in ["none/file", "/"].into_iter().chain(full) {
        let output = run(&format!("--json {file} --record games"));
        assert!(output.status.code() == Some(1) && stderr(&output).contains("error: --json: "), "{}", stderr(&output));
        assert!(Some(file) == full || !folder.join("games").exists(), "{file}");
    }
    let kept = format!("--record {null} --resume journal");
    for more in [&format!("--json {null}"), &kept, &kept] {
        assert!(run(more).status.success(), "{more}");
    }
    if has_shell() {
        let output = run("--json /dev/stdout");
        assert!(output.status.success() && stdout(&output).contains("\"over\": true"), "{}", stderr(&output));
    }
    fs::write(folder.join("empty"), "").unwrap();
    assert!(run("--resume empty").status.success());
    let output = run("--resume empty --rules super");
    assert!(
        output.status.code() == Some(1)
            && stderr(&output).contains("'empty': --rules: found 'super', expected 'baghbandi', with which"),
        "{}",
        stderr(&output)
    );
    let output = run("--resume empty --random-plies 200 --record new");
    assert!(output.status.code() != Some(0) && !folder.join("new").exists(), "{}", stderr(&output));
    let _held = hold(&folder.join("empty"));
    let output = run("--resume empty --record new");
    assert!(
        output.status.code() == Some(1) && stderr(&output).contains("--resume: 'empty': found it in use"),
        "{}",
        stderr(&output)
    );
    assert!(!folder.join("new").exists());
}

#[test]
fn another_file_of_openings_is_another_match() {
    let folder = folder("other-openings");
    let words = two("depth=1", "depth=1") + "--rounds 1 --openings list --resume journal";
    fs::write(folder.join("list"), "1. e5\n").unwrap();
    assert!(play(&folder, &words).status.success());
    fs::write(folder.join("list"), "1. e5; b4\n").unwrap();
    let output = play(&folder, &words);
    assert!(
        output.status.code() == Some(1) && stderr(&output).contains("content of --openings"),
        "{}",
        stderr(&output)
    );
}

#[test]
fn forty_games_go_without_a_warning_and_the_same_again() {
    let folder = folder("forty");
    let words = two("nodes=2000", "nodes=2000") + "--seed 7 --max-moves 150 --concurrency 2 ";
    let output = play(&folder, &(words.clone() + "--rounds 20 --record first"));
    assert!(output.status.success() && stderr(&output).is_empty(), "{}", stderr(&output));
    let out = stdout(&output);
    assert!(out.contains("Games: 40,") && out.ends_with("Tournament finished\n"), "{out}");
    // The openings leave something to win: if this fails, the evaluation has moved and the edge in opening.rs with it.
    let decisive =
        records(&folder.join("first")).iter().filter(|r| match_record::result_text(r.result) != "1/2-1/2").count();
    assert!((6..=34).contains(&decisive), "{decisive} of 40 games have a winner");
    let first = games(&folder.join("first"));
    assert!(first.keys().copied().eq(1..=40));
    // As many openings as pairs: nothing is played twice for nothing.
    let distinct: BTreeSet<&String> = first.values().collect();
    assert!(distinct.len() >= 19, "{}", distinct.len());
    let output = play(&folder, &(words + "--rounds 2 --record again --quiet"));
    assert!(stdout(&output).starts_with("-----"), "{}", stdout(&output));
    let again = games(&folder.join("again"));
    assert_eq!(again.len(), 4);
    assert!(again.iter().all(|(number, moves)| first[number] == *moves));
}

#[test]
fn the_sequential_test_accepts_what_is_better_and_rejects_what_is_not() {
    let folder = folder("sprt");
    // Where the engines differ, the order in which games end may decide: such games are played one by one.
    let alike = two("nodes=100", "nodes=100") + "--max-moves 60 --concurrency 2";
    for (engines, bounds, verdict) in [
        (two("nodes=1000", "nodes=50"), "elo0=0 elo1=200", "SPRT ([0.00, 200.00]) completed - H1 was accepted"),
        (alike.clone(), "elo0=0 elo1=200", "SPRT ([0.00, 200.00]) completed - H0 was accepted"),
        (alike, "elo0=-200 elo1=0", "SPRT ([-200.00, 0.00]) completed - H1 was accepted"),
    ] {
        let words = format!("{engines} --sprt {bounds} model=normalized --rounds 300 --json json --quiet");
        let output = play(&folder, &words);
        assert!(stdout(&output).ends_with(&format!("{verdict}\n")), "{} {}", stdout(&output), stderr(&output));
        assert!(stderr(&output).is_empty(), "{}", stderr(&output));
        let accepted = if verdict.contains("H1") { "\"accepted\": \"H1\"" } else { "\"accepted\": \"H0\"" };
        assert!(fs::read_to_string(folder.join("json")).unwrap().contains(accepted));
    }
}

/// Runs a match until its record has `at_least` games, and kills it without warning; should it be over before that is
/// noticed, there is nothing to kill.
fn kill_midway(folder: &Path, words: &str, at_least: usize) {
    let mut child = command(folder, words).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let deadline = Instant::now() + 5 * TIMEOUT;
    let count = || fs::read_to_string(folder.join("games")).unwrap_or_default().matches("[Event").count();
    while count() < at_least && child.try_wait().unwrap().is_none() {
        assert!(Instant::now() < deadline, "{} games", count());
        std::thread::sleep(Duration::from_millis(5));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    // On Windows the match is a child of this process, and lets the files go a little later.
    let is_free = || fs::OpenOptions::new().append(true).open(folder.join("journal")).is_ok();
    while folder.join("journal").exists() && !is_free() {
        assert!(Instant::now() < deadline, "the journal is still in use");
        std::thread::sleep(Duration::from_millis(5));
    }
    assert!(count() >= at_least, "{} games", count());
}

#[test]
fn a_killed_match_goes_on_with_no_game_lost_or_counted_twice() {
    let folder = folder("resume");
    let words =
        two("nodes=300", "nodes=200") + "--rounds 30 --rules baghbandi super --max-moves 40 --concurrency 2 --quiet ";
    let reference = play(&folder, &(words.clone() + "--record reference"));
    let resumed = words + "--record games --resume journal";
    kill_midway(&folder, &resumed, 10);
    kill_midway(&folder, &resumed, 30);
    // What a power cut leaves: half a record, half a line.
    let torn = fs::read_to_string(folder.join("games")).unwrap() + "[Event \"sundarban match\"]\n[Da";
    fs::write(folder.join("games"), torn).unwrap();
    let torn = fs::read_to_string(folder.join("journal")).unwrap() + "game\t59\t0\t1\t1-0";
    fs::write(folder.join("journal"), torn).unwrap();
    let output = play(&folder, &resumed);
    assert_eq!(stdout(&output), stdout(&reference), "{}", stderr(&output));
    assert!(stderr(&output).contains("15 bytes at the end were not whole lines"), "{}", stderr(&output));
    assert_eq!(games(&folder.join("games")), games(&folder.join("reference")));
    // Once more there is nothing left to play.
    let length = fs::metadata(folder.join("games")).unwrap().len();
    assert_eq!(stdout(&play(&folder, &resumed)), stdout(&reference));
    assert_eq!(fs::metadata(folder.join("games")).unwrap().len(), length);
    // A journal of another match, or another file, is refused.
    let output = play(&folder, &resumed.replace("nodes=300", "nodes=301"));
    assert!(
        output.status.code() == Some(1)
            && stderr(&output).contains("--engine number 1: nodes: found '301', expected '300'"),
        "{}",
        stderr(&output)
    );
    let output = play(&folder, &resumed.replace("--resume journal", "--resume reference"));
    assert!(output.status.code() == Some(1) && stderr(&output).contains("another kind of file"), "{}", stderr(&output));
}

#[test]
fn engines_that_hang_die_with_the_match() {
    if !has_shell() {
        return;
    }
    // A script can't be run as long as a process that another test starts still holds it open for writing.
    retry(|| {
        let folder = folder("orphans");
        let bad =
            script(&folder, "bad", "", UCIOK, "trap '' HUP TERM INT; sleep 1000 & echo $! >> pids; wait; sleep 1000");
        let words = format!(
            "--engine cmd={} name=x --engine cmd={PROGRAM} --each tc=1000 --patience 60 --lenient",
            bad.display()
        );
        let mut child = command(&folder, &words).stdout(Stdio::null()).spawn().unwrap();
        let deadline = Instant::now() + TIMEOUT;
        let pids = || fs::read_to_string(folder.join("pids")).unwrap_or_default();
        while pids().lines().count() < 2 {
            assert!(Instant::now() < deadline && child.try_wait().unwrap().is_none());
            std::thread::sleep(Duration::from_millis(10));
        }
        assert!(pids().split_whitespace().all(is_alive));
        child.kill().unwrap();
        child.wait().unwrap();
        assert_all_dead(&folder);
    });
}

#[test]
fn scored_rule_sets_count_points_and_several_take_turns() {
    let folder = folder("points");
    let output =
        play(&folder, &(two("nodes=300", "nodes=100") + "--rules super moderno wikipedia --rounds 9 --record games"));
    let out = stdout(&output);
    assert!(out.contains("Points in super: a ") && out.contains("Points in moderno: a "), "{out}");
    assert!(!out.contains("Points in wikipedia"), "{out}");
    let records = records(&folder.join("games"));
    let mut by_rules: BTreeMap<&str, (u32, u64)> = BTreeMap::new();
    for record in &records {
        let game = &record.game;
        let entry = by_rules.entry(game.rules().name).or_default();
        entry.0 += 1;
        let Some((white, black)) = record.tag("Points").and_then(|points| points.split_once('-')) else { continue };
        let (white, black): (u64, u64) = (white.parse().unwrap(), black.parse().unwrap());
        let (expected_white, expected_black) = game.outcome().map_or((0.0, 0.0), |outcome| game.points(outcome));
        assert_eq!((white as f64, black as f64), (expected_white, expected_black));
        entry.1 += if record.tag("White") == Some("a") { white } else { black };
    }
    assert_eq!(by_rules.values().map(|(games, _)| *games).collect::<Vec<_>>(), [6, 6, 6]);
    assert!(out.contains(&format!("Points in super: a {} - ", by_rules["super"].1)), "{out}");
    assert!(!records.iter().any(|record| record.game.rules().name == "wikipedia" && record.tag("Points").is_some()));
}

#[test]
fn many_engines_meet_in_a_table_and_in_a_gauntlet() {
    let folder = folder("many");
    let engines = two("nodes=50", "nodes=100") + &format!("--engine cmd={PROGRAM} name=c nodes=200 proto=ugi ");
    let output = play(&folder, &(engines.clone() + "--rounds 2 --rules baghguti --concurrency 2"));
    let out = stdout(&output);
    assert!(stderr(&output).is_empty() && out.contains("Rank Name"), "{out} {}", stderr(&output));
    assert!(out.contains("Started game 12 of 12 (c vs b)"), "{out}");
    let output = play(&folder, &(engines + "--rounds 2 --tournament gauntlet"));
    let out = stdout(&output);
    assert!(out.contains("Started game 8 of 8 (c vs a)") && !out.contains("(b vs c)"), "{out}");
}

#[test]
fn openings_come_from_a_file_in_order_and_files_of_games_merge() {
    let folder = folder("openings");
    let list = data::path("openings.tsv");
    let words = two("nodes=20", "nodes=20") + &format!("--openings {} order=sequential ", list.display());
    let output = play(&folder, &(words.clone() + "--rounds 2 --record one --sprt elo0=0 elo1=900"));
    assert!(stderr(&output).is_empty(), "{}", stderr(&output));
    let text = fs::read_to_string(&list).unwrap();
    let mut lines = text.lines().map(|line| line.split('\t').next().unwrap());
    let started: Vec<String> =
        records(&folder.join("one")).iter().step_by(2).map(|r| format!("{:?}", r.game.start())).collect();
    assert!(started[0].contains(lines.next().unwrap()) && started[1].contains(lines.next().unwrap()), "{started:?}");
    play(&folder, &(words + "start=3 --rounds 3 --record two"));
    let output = play(&folder, "--merge one two --record both --json results --sprt elo0=0 elo1=900");
    let out = stdout(&output);
    assert!(
        out.contains("Results of a vs b (20 nodes") && out.contains("Games: 10,") && out.contains("LLR: "),
        "{out}"
    );
    assert_eq!(games(&folder.join("both")).keys().copied().collect::<Vec<_>>(), (1..=10).collect::<Vec<_>>());
    let torn = fs::read_to_string(folder.join("two")).unwrap() + "[Event \"x\"]\n";
    fs::write(folder.join("two"), torn).unwrap();
    let output = play(&folder, "--merge one two");
    assert!(stdout(&output).contains("Games: 10,") && stderr(&output).contains("found the end"), "{}", stderr(&output));
    assert_eq!(play(&folder, "--merge one one").status.code(), Some(2));
    // The same games again, with other limits, one of them damaged.
    let copy = fs::read_to_string(folder.join("one")).unwrap().replace("nodes=20", "nodes=30");
    fs::write(folder.join("copy"), copy.replacen("[Result \"", "[Result \"x", 1)).unwrap();
    let output = play(&folder, "--merge one copy");
    let error = stderr(&output);
    assert!(output.status.code() == Some(1) && stdout(&output).contains("Games: 6,"), "{error}");
    for part in [
        "2 games are there twice",
        "a has played with 'nodes=20' and with 'nodes=30'",
        "this record is skipped",
        "1 games have no partner",
        "error: --merge: 1 damaged records were skipped",
    ] {
        assert!(error.contains(part), "{part}: {error}");
    }
    fs::write(folder.join("blank"), "\n").unwrap();
    let output = play(&folder, "--merge one blank");
    assert!(output.status.code() == Some(1) && stderr(&output).contains("'blank': found no games"));
    assert_eq!(play(&folder, "--merge one none").status.code(), Some(1));
}

#[test]
fn a_game_is_adjudicated_and_cut_short_when_asked() {
    let folder = folder("adjudication");
    let all = two("depth=1", "depth=1") + "--rounds 2 --openings list --record ";
    // Twenty goats around two tigers in the open: White is far ahead.
    fs::write(folder.join("list"), "5/2E1E/1t1t1/2E1E/5 w\n").unwrap();
    let ends = |name: &str, words: &str| {
        play(&folder, &format!("{all}{name} {words}"));
        records(&folder.join(name))
            .iter()
            .map(|r| (r.tag("Termination").unwrap().to_owned(), r.game.moves().len()))
            .collect::<Vec<_>>()
    };
    assert!(ends("max", "--max-moves 3").iter().all(|end| *end == ("max moves".to_owned(), 6)));
    assert!(
        ends("draw", "--draw movenumber=2 movecount=2 score=30000")
            .iter()
            .all(|end| *end == ("adjudicated".to_owned(), 4))
    );
    assert!(ends("resign", "--resign movecount=1 score=1").iter().all(|end| end.0 == "adjudicated"));
    assert!(ends("quiet", "--draw-plies 1").iter().all(|end| end.0 == "quiet plies"));
}

#[test]
fn options_may_stand_in_a_file_and_bad_ones_are_refused() {
    let folder = folder("options");
    let config = format!(
        "# a match\n--engine name='the first' cmd={PROGRAM}\n--engine name=second cmd={PROGRAM}\n--each nodes=10\n--rounds 9\n"
    );
    fs::write(folder.join("config"), config).unwrap();
    let output = play(&folder, "--config config --rounds 1");
    assert!(
        stdout(&output).contains("Started game 2 of 2 (second vs the first)"),
        "{} {}",
        stdout(&output),
        stderr(&output)
    );
    fs::write(folder.join("nested"), "--config config\n").unwrap();
    fs::write(folder.join("over"), "t4/5/5/5/4t w\n").unwrap();
    let verbose = fs::read_to_string(folder.join("config")).unwrap() + "-v --quiet\n";
    fs::write(folder.join("verbose"), verbose).unwrap();
    assert!(play(&folder, "--config verbose --rounds 1").status.success());
    for (words, reason) in [
        ("--config none", "error: --config: 'none': "),
        ("", "error: found 0 of --engine, expected 2 or more"),
        (
            "--engine cmd=x --engine cmd=y",
            "error: --engine number 1: found no limit, expected tc=, st=, nodes= or depth=",
        ),
        ("--engine cmd=x tc=1 --engine cmd=y tc=1 --openings none", "error: --openings: 'none': "),
        (
            "--engine cmd=x tc=1 --engine cmd=y tc=1 --openings over",
            "error: --openings: 'over': found no opening for baghbandi (1 positions are over already and were skipped)",
        ),
        ("--config nested", "error: --config: 'nested': found --config in it"),
        ("--config config --config config", "error: --config: found 2 of them"),
        ("--engine cmd=x tc=1 --engine cmd=y tc=1 --tournament gauntlet --seeds 2", "error: found 2 gauntlet seeds"),
    ] {
        let output = play(&folder, words);
        assert!(output.status.code() == Some(2) && stderr(&output).starts_with(reason), "{words}: {}", stderr(&output));
        assert!(stdout(&output).is_empty());
    }
}
