//! The commands for scripts, driven as a shell does: `analyze`, `convert`, `moves`, `eval`, `random`.

mod analyze;
mod convert;
mod jobs;
mod moves;
mod random;
mod suite;
mod tables;

use crate::driver::{empty_folder, run};
use crate::reader::json::{self, Value};
use std::path::PathBuf;

fn folder(name: &str) -> PathBuf {
    empty_folder(&format!("analysis-{name}"))
}

fn lines(output: &[u8]) -> Vec<String> {
    String::from_utf8(output.to_owned()).unwrap().lines().map(str::to_owned).collect()
}

/// What a run of `analyze --format json` prints, and its exit code.
fn records(words: &[&str], input: impl AsRef<[u8]>) -> (Vec<Value>, Option<i32>) {
    let output = run(&[&["analyze", "--format", "json"], words].concat(), input);
    let read = |line: String| json::read(&line).unwrap_or_else(|why| panic!("{why}: {line}"));
    (lines(&output.stdout).into_iter().map(read).collect(), output.status.code())
}

/// A line with its time taken out.
fn timeless(text: &str) -> String {
    let words: Vec<&str> = text.split(' ').collect();
    let is_time = |index: usize| index > 0 && words[index - 1] == "time";
    let kept = words.iter().enumerate().filter(|(index, _)| !is_time(*index));
    kept.map(|(_, word)| *word).collect::<Vec<_>>().join(" ")
}
