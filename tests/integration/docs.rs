//! The examples of README.md and protocol.md, executed.
//!
//! In a block marked `session` lines with `> ` are sent to a session one after another, and what stands between them
//! must be what is answered. In a block marked `console` lines with `$ ` are run by the shell. Figures that differ
//! from run to run or with the strength of the search (times, speeds, node counts) are not compared. Commands of blocks
//! marked `sh` and the examples of every command's help run in a folder that has the files they name; they must succeed,
//! or be at work without an error where they would take hours.

use crate::data;
use crate::driver::{PROGRAM, empty_folder, has_shell, in_own_group, link, make_executable, side_by_side};
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// The blocks of a document that are marked with a word.
fn blocks<'a>(document: &'a str, mark: &str) -> Vec<Vec<&'a str>> {
    let fence = format!("```{mark}");
    let mut blocks = Vec::new();
    let mut lines = document.lines();
    while lines.by_ref().any(|line| line == fence) {
        blocks.push(lines.by_ref().take_while(|line| *line != "```").collect());
    }
    blocks
}

/// A line with the figures that vary taken out.
fn without_figures(line: &str) -> String {
    let varies_before = ["nps", "nodes", "million", "s,"];
    let varies_after = ["nps", "nodes", "time", "hashfull", "seldepth"];
    let words: Vec<&str> = line.split_whitespace().collect();
    let is_figure = |word: &str| !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    // In JSON the words have these about them.
    fn bare(word: &str) -> &str {
        word.trim_matches(['"', ':', '}', ','])
    }
    let mut text = Vec::new();
    for (index, word) in words.iter().enumerate() {
        let after = words.get(index + 1).copied().unwrap_or_default();
        let before = if index > 0 { bare(words[index - 1]) } else { "" };
        let varies = varies_before.contains(&after) && is_figure(word)
            || varies_after.contains(&before) && is_figure(bare(word));
        text.push(if varies { word.replace(bare(word), "N") } else { (*word).to_owned() });
    }
    text.join(" ")
}

fn hold_session(block: &[&str]) {
    let mut child = Command::new(PROGRAM).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut input = child.stdin.take().unwrap();
    let mut output = BufReader::new(child.stdout.take().unwrap()).lines();
    for line in block {
        if let Some(command) = line.strip_prefix("> ") {
            writeln!(input, "{command}").unwrap();
        } else {
            // `currmove` comes after a second only: on a machine that is very busy.
            let mut lines = output.by_ref().map(Result::unwrap);
            let answer = lines.find(|line| !line.contains(" currmove ")).expect("an answer");
            assert_eq!(without_figures(&answer), without_figures(line));
        }
    }
    drop(input);
    let rest: Vec<String> = output.map(Result::unwrap).collect();
    assert!(rest.is_empty(), "not in the document: {rest:?}");
    assert!(child.wait().unwrap().success());
}

fn run_shell(block: &[&str]) {
    let path = format!("{}:{}", Path::new(PROGRAM).parent().unwrap().display(), std::env::var("PATH").unwrap());
    let mut expected = block.iter().peekable();
    while let Some(line) = expected.next() {
        let command = line.strip_prefix("$ ").expect("a command");
        let output = Command::new("sh").args(["-c", command]).env("PATH", &path).output().unwrap();
        let text = String::from_utf8(output.stdout).unwrap() + &String::from_utf8(output.stderr).unwrap();
        let found: Vec<String> = text.lines().map(without_figures).collect();
        let mut wanted = Vec::new();
        while let Some(line) = expected.next_if(|line| !line.starts_with("$ ")) {
            wanted.push(without_figures(line));
        }
        assert_eq!(found, wanted, "{command}");
    }
}

fn execute(document: &str) -> usize {
    let (sessions, consoles) = (blocks(document, "session"), blocks(document, "console"));
    sessions.iter().for_each(|block| hold_session(block));
    consoles.iter().for_each(|block| run_shell(block));
    sessions.len() + consoles.len()
}

/// Programs of others that examples call; what the examples need of this one is tested elsewhere.
const FOREIGN: [&str; 9] =
    ["cargo", "make", "gogui", "cutegames", "cutergames", "python", "python3", "fastchess", "uci-test-suite"];

/// What examples begin with that take hours, or never end, and how long such an example is watched.
const ENDLESS: [&str; 2] = ["sundarban match --engine", "sundarban tables build"];
const WATCHED: Duration = Duration::from_millis(500);
/// How long any other example may take.
const TIMEOUT: Duration = Duration::from_secs(120);

/// A folder with all that the examples name: two versions of the program, another machine, records, tables.
fn scene() -> PathBuf {
    let folder = empty_folder("docs");
    fs::create_dir_all(folder.join("bin")).unwrap();
    for name in ["sundarban", "sundarban-1.0"] {
        link(PROGRAM, &folder.join(name));
    }
    // A machine far away that is this one: options are left alone, and so is its name.
    let ssh = folder.join("bin/ssh");
    fs::write(&ssh, "#!/bin/sh\nwhile [ \"$1\" = -o ]; do shift 2; done\nshift\nexec \"$@\"\n").unwrap();
    make_executable(&ssh);
    for (name, seed) in [("monday.txt", 1), ("tuesday.txt", 2)] {
        let engines = "--engine name=2x cmd=sundarban nodes=60 --engine name=1x cmd=sundarban nodes=30";
        let words = format!(
            "sundarban match {engines} --each option.Hash=1 --rounds 1 --max-moves 4 --seed {seed} --record {name}"
        );
        assert!(shell(&folder, &words).status().unwrap().success(), "{words}");
    }
    fs::create_dir_all(folder.join("tests/data")).unwrap();
    // A file is read the same whether it is short or long; all of these would take a while to search.
    let values: Vec<&str> = data::VALUES.lines().step_by(10).collect();
    fs::write(folder.join("tests/data/values.tsv"), values.join("\n")).unwrap();
    let beginning = data::SUPER_GAME.split(" 6. ").next().unwrap();
    for name in ["game.txt", "tests/data/super-game.txt"] {
        fs::write(folder.join(name), beginning).unwrap();
    }
    let build = "sundarban tables build --dir tables --max-goats 2 --herds 0";
    assert!(shell(&folder, build).status().unwrap().success());
    folder
}

/// A command for the shell in a folder, as a process group of its own, with nothing on its standard input.
fn shell(folder: &Path, command: &str) -> Command {
    let directories =
        [&folder.join("bin"), Path::new(PROGRAM).parent().unwrap()].map(|path| path.display().to_string());
    let path = format!("{}:{}", directories.join(":"), std::env::var("PATH").unwrap());
    let mut shell = Command::new("sh");
    shell.args(["-c", command]).current_dir(folder).env("PATH", path).env_remove("RUST_LOG");
    in_own_group(&mut shell);
    shell.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    shell
}

fn is_endless(command: &str) -> bool {
    ENDLESS.iter().any(|begin| command.starts_with(begin))
}

/// Runs an example; it must succeed, or go on without an error for a while.
fn run_example(folder: &Path, command: &str) {
    static NUMBER: AtomicUsize = AtomicUsize::new(0);
    let errors = folder.join(format!("errors-{}.txt", NUMBER.fetch_add(1, Ordering::Relaxed)));
    let mut child = shell(folder, command).stderr(fs::File::create(&errors).unwrap()).spawn().unwrap();
    let is_endless = is_endless(command);
    let began = Instant::now();
    let patience = if is_endless { WATCHED } else { TIMEOUT };
    let ended = loop {
        match child.try_wait().unwrap() {
            None if began.elapsed() < patience => std::thread::sleep(Duration::from_millis(20)),
            ended => break ended,
        }
    };
    if ended.is_none() {
        let group = format!("-{}", child.id());
        assert!(Command::new("kill").args(["-KILL", "--", &group]).status().unwrap().success());
        child.wait().unwrap();
    }
    let errors = fs::read_to_string(&errors).unwrap();
    let is_well = ended.map_or(is_endless, |status| status.success()) && !errors.contains("error");
    assert!(is_well, "{command}: {ended:?} {errors}");
}

/// The commands of lines; a backslash at the end of a line goes on with the next.
fn commands<'a>(lines: impl Iterator<Item = &'a str>) -> Vec<String> {
    let mut commands = vec![String::new()];
    for line in lines {
        let last = commands.last_mut().unwrap();
        match line.trim().strip_suffix('\\') {
            Some(part) => *last += part,
            None => {
                *last += line.trim();
                commands.push(String::new());
            }
        }
    }
    commands.retain(|command| !command.is_empty());
    commands
}

/// The example commands of a help text: what stands indented under "Examples:", without a description far to the right.
fn help_examples(help: &str) -> Vec<String> {
    let lines = help.lines().skip_while(|line| !["Example:", "Examples:"].contains(line)).skip(1);
    let lines = lines.take_while(|line| line.starts_with("  "));
    commands(lines.map(|line| line.trim_start().split_once("    ").map_or(line, |(command, _)| command)))
}

/// The help texts of a command and of all commands below it, each with the command's words.
fn help_texts(words: &[String]) -> Vec<(String, String)> {
    let output = Command::new(PROGRAM).args(words).arg("--help").output().unwrap();
    let help = String::from_utf8(output.stdout).unwrap();
    let names = help.lines().skip_while(|line| *line != "Commands:").skip(1).take_while(|line| line.starts_with("  "));
    let names: Vec<&str> =
        names.filter_map(|line| line.split_whitespace().next()).filter(|name| *name != "help").collect();
    let below = names.iter().flat_map(|name| help_texts(&[words, &[(*name).to_owned()]].concat())).collect::<Vec<_>>();
    std::iter::once((words.join(" "), help.clone())).chain(below).collect()
}

#[test]
fn the_examples_of_all_help_texts_and_of_the_shell_run() {
    if !has_shell() {
        return;
    }
    let scene = scene();
    let mut examples = Vec::new();
    for (command, help) in help_texts(&[]) {
        let found = help_examples(&help);
        assert!(!found.is_empty(), "no example in the help of '{command}'");
        examples.extend(found);
    }
    for document in [include_str!("../../README.md"), include_str!("../../protocol.md")] {
        blocks(document, "sh").iter().for_each(|block| examples.extend(commands(block.iter().copied())));
    }
    assert!(examples.len() > 30, "{examples:?}");
    examples.sort();
    examples.dedup();
    examples.retain(|example| !FOREIGN.contains(&example.split(' ').next().unwrap()));
    // Those that are never done write to files that others read.
    let (endless, others): (Vec<_>, Vec<_>) = examples.into_iter().partition(|example| is_endless(example));
    side_by_side(&others, |example| run_example(&scene, example));
    side_by_side(&endless, |example| run_example(&scene, example));
}

#[test]
fn the_examples_of_the_protocol_are_true() {
    if !has_shell() {
        return;
    }
    assert!(execute(include_str!("../../protocol.md")) > 0);
}

#[test]
fn the_examples_of_the_readme_are_true() {
    if !has_shell() {
        return;
    }
    assert!(execute(include_str!("../../README.md")) > 0);
}

#[test]
fn figures_that_vary_are_taken_out() {
    assert_eq!(
        without_figures("info depth 3 seldepth 4 nodes 12 nps 5 time 7 pv a1a2"),
        "info depth 3 seldepth N nodes N nps N time N pv a1a2"
    );
    assert_eq!(
        without_figures("depth 4: 16034 leaves in 0.001 s, 9.5 million a second"),
        "depth 4: 16034 leaves in N s, N million a second"
    );
    assert_eq!(
        without_figures("{\"depth\": 3, \"nodes\": 12, \"time\": 7}"),
        "{\"depth\": 3, \"nodes\": N, \"time\": N}"
    );
}
