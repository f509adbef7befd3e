//! The examples of README.md and protocol.md, executed.
//!
//! In a block marked `session` lines with `> ` are sent to a session one after another, and what stands between them
//! must be what is answered. In a block marked `console` lines with `$ ` are run by the shell. Figures that differ
//! from run to run or with the strength of the search (times, speeds, node counts) are not compared.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Command, Stdio};

const BINARY: &str = env!("CARGO_BIN_EXE_sundarban");

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
fn settled(line: &str) -> String {
    let varies_before = ["nps", "nodes", "million", "s,"];
    let varies_after = ["nps", "nodes", "time", "hashfull", "seldepth"];
    let words: Vec<&str> = line.split_whitespace().collect();
    let is_figure = |word: &str| word.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    let mut text = Vec::new();
    for (index, word) in words.iter().enumerate() {
        let after = words.get(index + 1).copied().unwrap_or_default();
        let before = if index > 0 { words[index - 1] } else { "" };
        let varies = is_figure(word) && (varies_before.contains(&after) || varies_after.contains(&before));
        text.push(if varies { "N" } else { word });
    }
    text.join(" ")
}

fn hold_session(block: &[&str]) {
    let mut child = Command::new(BINARY).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut input = child.stdin.take().unwrap();
    let mut output = BufReader::new(child.stdout.take().unwrap()).lines();
    for line in block {
        if let Some(command) = line.strip_prefix("> ") {
            writeln!(input, "{command}").unwrap();
        } else {
            // Which move is searched is said after a second only: on a machine that is very busy.
            let mut lines = output.by_ref().map(Result::unwrap);
            let answer = lines.find(|line| !line.contains(" currmove ")).expect("an answer");
            assert_eq!(settled(&answer), settled(line));
        }
    }
    drop(input);
    let rest: Vec<String> = output.map(Result::unwrap).collect();
    assert!(rest.is_empty(), "not in the document: {rest:?}");
    assert!(child.wait().unwrap().success());
}

fn run_shell(block: &[&str]) {
    let path = format!("{}:{}", Path::new(BINARY).parent().unwrap().display(), std::env::var("PATH").unwrap());
    let mut expected = block.iter().peekable();
    while let Some(line) = expected.next() {
        let command = line.strip_prefix("$ ").expect("a command");
        let output = Command::new("sh").args(["-c", command]).env("PATH", &path).output().unwrap();
        let text = String::from_utf8(output.stdout).unwrap() + &String::from_utf8(output.stderr).unwrap();
        let found: Vec<String> = text.lines().map(settled).collect();
        let mut wanted = Vec::new();
        while let Some(line) = expected.next_if(|line| !line.starts_with("$ ")) {
            wanted.push(settled(line));
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

#[test]
fn the_examples_of_the_protocol_are_true() {
    assert!(execute(include_str!("../protocol.md")) > 0);
}

#[test]
fn the_examples_of_the_readme_are_true() {
    assert!(execute(include_str!("../README.md")) > 0);
}

#[test]
fn figures_that_vary_are_taken_out() {
    assert_eq!(
        settled("info depth 3 seldepth 4 nodes 12 nps 5 time 7 pv a1a2"),
        "info depth 3 seldepth N nodes N nps N time N pv a1a2"
    );
    assert_eq!(
        settled("depth 4: 16034 leaves in 0.001 s, 9.5 million a second"),
        "depth 4: 16034 leaves in N s, N million a second"
    );
}
