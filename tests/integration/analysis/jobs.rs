//! `analyze` with several jobs, on many positions.

use super::{folder, lines, timeless};
use crate::data;
use crate::driver::{has_proc, output, peak_memory, run, spawn};
use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::Child;
use std::time::{Duration, Instant};

#[test]
fn jobs_change_nothing_but_the_time() {
    let positions = data::POSITIONS;
    let run = |jobs: &str| {
        let text = run(&["analyze", "--nodes", "300", "--jobs", jobs, "--multipv", "2"], positions);
        lines(&text.stdout).iter().map(|line| timeless(line)).collect::<Vec<_>>()
    };
    let one = run("1");
    assert!(one.len() > 380);
    assert_eq!(one, run("2"));
    assert_eq!(one, run("7"));
}

/// What each thread of a process has used of the processors so far, in clock ticks.
fn ticks(child: &Child) -> Vec<f64> {
    let threads = fs::read_dir(format!("/proc/{}/task", child.id())).into_iter().flatten().flatten();
    let stats = threads.filter_map(|thread| fs::read_to_string(thread.path().join("stat")).ok());
    let used = |stat: String| {
        let fields = stat.rsplit_once(") ").unwrap().1;
        fields.split(' ').skip(11).take(2).map(|ticks| ticks.parse::<f64>().unwrap()).sum()
    };
    stats.map(used).collect()
}

/// What a run over a file has printed and taken.
struct Run {
    /// The lines without their times.
    lines: Vec<String>,
    time: Duration,
    /// Most memory that was seen in use, in kilobytes.
    memory: u64,
    /// What each thread has used of the processors, shortly before the end.
    ticks: Vec<f64>,
}

impl Run {
    /// What its busiest threads have used, the busiest first, and what all have used.
    fn busiest(&self) -> (f64, f64, f64) {
        let mut ticks = self.ticks.clone();
        ticks.sort_by(|one, other| other.total_cmp(one));
        (ticks[0], ticks[1], ticks.iter().sum())
    }
}

fn analyze_file(file: &Path, nodes: &str, jobs: &str) -> Run {
    let began = Instant::now();
    let mut child = spawn(&["analyze", "--nodes", nodes, "--jobs", jobs, file.to_str().unwrap()]);
    let output = BufReader::new(child.stdout.take().unwrap());
    let mut run = Run { lines: Vec::new(), time: Duration::ZERO, memory: 0, ticks: Vec::new() };
    for line in output.lines() {
        if run.lines.len() % 1_000 == 500 {
            run.memory = run.memory.max(peak_memory(child.id()).unwrap_or(0));
            run.ticks = ticks(&child);
        }
        run.lines.push(timeless(&line.unwrap()));
    }
    assert!(child.wait().unwrap().success());
    run.time = began.elapsed();
    run
}

/// Writes random positions to a file of this name; returns their lines.
fn write_positions(folder: &Path, name: &str, count: usize) -> (PathBuf, String) {
    let text = output(&["random", "--count", &count.to_string()], "");
    let path = folder.join(name);
    fs::write(&path, &text).unwrap();
    (path, text)
}

#[test]
fn a_hundred_thousand_positions_come_in_order_and_in_constant_memory() {
    let folder = folder("many");
    let (few, _) = write_positions(&folder, "few.txt", 5_000);
    let (many, text) = write_positions(&folder, "many.txt", 100_000);
    // Nothing here depends on how long a search is.
    let (small, large) = (analyze_file(&few, "10", "2"), analyze_file(&many, "10", "2"));
    assert_eq!(large.lines.len(), 100_000);
    for (number, (found, line)) in large.lines.iter().zip(text.lines()).enumerate() {
        let head = format!("many.txt:{}: ply 0 {} rank 1 value ", number + 1, line.replace('\t', " "));
        assert!(found.contains(&head), "{found}: {head}");
    }
    if !has_proc() {
        return;
    }
    println!("at most {} kB for 5,000 positions, {} kB for 100,000", small.memory, large.memory);
    assert!(large.memory < small.memory + small.memory / 2 + 16_384);
}

#[test]
fn two_jobs_share_the_work_and_print_the_same() {
    let folder = folder("shared");
    let (file, _) = write_positions(&folder, "positions.txt", 20_000);
    let (one, two) = (analyze_file(&file, "100", "1"), analyze_file(&file, "100", "2"));
    assert!(one.lines == two.lines, "one job and two differ");
    if !has_proc() {
        return;
    }
    // How much faster two jobs are depends on what else the machine does. What depends on the program is that nothing
    // but the work of one job is slow with one, that two jobs together use no more, and that both of them work.
    let ratio = one.time.as_secs_f64() / two.time.as_secs_f64();
    println!("{:?} with one job, {:?} with two: {ratio:.2} times as fast", one.time, two.time);
    let ((longest, ..), (first, second, all)) = (one.busiest(), two.busiest());
    let ratio = longest / (all / 2.0);
    println!("two processors with nothing else to do: {ratio:.2} times as fast; {:?}, {:?}", one.ticks, two.ticks);
    assert!(ratio > 1.4 && second > first / 20.0, "{ratio}: {:?} with one job, {:?} with two", one.ticks, two.ticks);
}
