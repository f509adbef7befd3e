//! An engine's process. It is never trusted: every read has a deadline, what it says is bounded, what it should read
//! is written by a thread of its own, and its standard error is thrown away.
//!
//! Three threads serve a process. None is ever joined: they end with the pipes, at the latest when the process group
//! is killed.

use super::fault::{Fault, FaultKind};
use super::group::Guard;
use super::limits::Limits;
use crate::notation::quoted;
use crate::rules::RuleSet;
use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, SyncSender, channel, sync_channel};
use std::time::{Duration, Instant};

/// Longest line that an engine may send, in bytes.
const LONGEST_LINE: u64 = 1 << 20;
/// Most that it may send before it answers, in bytes, each line counted as [`LINE_WEIGHT`] at least.
const FLOOD: usize = 16 << 20;
/// What a short line counts as, in bytes.
const LINE_WEIGHT: usize = 32;
/// Lines that may wait to be looked at; an engine that sends more has to wait as well.
const WAITING_LINES: usize = 256;
/// Time that an engine has to end by itself after `quit`.
const QUIT_TIME: Duration = Duration::from_secs(1);
/// Time between the end of an engine's output and its exit status.
const EXIT_TIME: Duration = Duration::from_millis(300);
/// A search without a clock may take so many times as long as other answers.
const PATIENCE_WITHOUT_CLOCK: u32 = 30;

/// The protocol an engine is spoken to in.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub enum Protocol {
    /// UCI.
    #[default]
    Uci,
    /// UGI.
    Ugi,
}

impl Protocol {
    /// The two in the order of their words: greeting, its answer, new game.
    const fn words(self) -> [&'static str; 3] {
        match self {
            Self::Uci => ["uci", "uciok", "ucinewgame"],
            Self::Ugi => ["ugi", "ugiok", "uginewgame"],
        }
    }
}

/// How an engine is started and set up.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct EngineSpec {
    /// Its name, different from all others'.
    pub name: String,
    /// The program.
    pub program: PathBuf,
    /// Its arguments.
    pub args: Vec<String>,
    /// The folder it works in; `None` for ours.
    pub dir: Option<PathBuf>,
    /// What it speaks.
    pub protocol: Protocol,
    /// What bounds its searches.
    pub limits: Limits,
    /// Its options with their values, in order.
    pub options: Vec<(String, String)>,
}

impl EngineSpec {
    /// The value given for an option, its name in any case.
    pub fn option(&self, name: &str) -> Option<&str> {
        self.options.iter().rev().find(|(found, _)| found.eq_ignore_ascii_case(name)).map(|(_, value)| value.as_str())
    }
}

/// What holds for all engines of a match.
#[derive(Clone, Debug)]
pub struct House {
    /// Time that an engine may take for an answer beside its clock.
    pub patience: Duration,
    /// Quiet plies that make a draw.
    pub draw_plies: u32,
    /// Knows the process groups.
    pub guard: Arc<Guard>,
}

/// What comes from an engine.
enum Output {
    Line(Instant, String),
    LineTooLong,
    End,
}

/// What an engine says of a search before its move.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Info {
    /// Its score, if it has given one.
    pub score: Option<Reported>,
    /// Its depth in plies, if it has given one.
    pub depth: Option<u32>,
}

/// A score as an engine gives it, for the side to move.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Reported {
    /// Centigoats.
    Centigoats(i32),
    /// A forced end in so many moves; negative if it loses.
    Mate(i32),
}

impl Reported {
    /// As centigoats, a forced end as more than any evaluation.
    pub fn centigoats(self) -> i32 {
        match self {
            Self::Centigoats(score) => score,
            Self::Mate(moves) if moves > 0 => 30_000 - moves.min(1_000),
            Self::Mate(moves) => -30_000 - moves.max(-1_000),
        }
    }
}

impl Info {
    /// Takes in an `info` line; only the best line counts, and no bounds.
    pub fn hear(&mut self, line: &str) {
        let mut words = line.split_whitespace();
        if words.next() != Some("info") {
            return;
        }
        let (mut depth, mut score) = (None, None);
        while let Some(word) = words.next() {
            match word {
                "string" | "pv" => break,
                "lowerbound" | "upperbound" => return,
                "multipv" if words.next() != Some("1") => return,
                "depth" => depth = words.next().and_then(|word| word.parse().ok()),
                "cp" => score = words.next().and_then(|word| word.parse().ok()).map(Reported::Centigoats),
                "mate" => score = words.next().and_then(|word| word.parse().ok()).map(Reported::Mate),
                _ => {}
            }
        }
        if score.is_some() {
            *self = Self { score, depth };
        }
    }
}

/// An engine's answer to `go`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Answer {
    /// The text of its move.
    pub text: String,
    /// Time from the question to the answer.
    pub time: Duration,
    /// What it said of its search.
    pub info: Info,
}

/// A running engine.
pub struct Engine {
    child: Child,
    group: u32,
    guard: Arc<Guard>,
    input: Option<Sender<String>>,
    output: Receiver<Output>,
    words: [&'static str; 3],
    patience: Duration,
    /// Names of the options that it has announced, in lower case.
    announced: Vec<String>,
    rules: Option<&'static RuleSet>,
    draw_plies: u32,
}

impl Engine {
    /// Starts an engine, greets it and sets its options.
    ///
    /// # Errors
    /// The fault is always that it failed to start; its detail says why.
    pub fn start(spec: &EngineSpec, house: &House) -> Result<Self, Fault> {
        let mut engine = Self::spawn(spec, house)?;
        match engine.greet(spec) {
            Ok(()) => Ok(engine),
            Err(fault) => Err(fault.at_start()),
        }
    }

    fn spawn(spec: &EngineSpec, house: &House) -> Result<Self, Fault> {
        let mut command = Command::new(&spec.program);
        command.args(&spec.args).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).process_group(0);
        if let Some(dir) = &spec.dir {
            command.current_dir(dir);
        }
        let failed = |why: String| Fault::new(FaultKind::FailedToStart, why);
        let mut child =
            command.spawn().map_err(|error| failed(format!("'{}' can't be run: {error}", spec.program.display())))?;
        let group = child.id();
        house.guard.add(group);
        let (input, lines) = channel();
        let (sender, output) = sync_channel(WAITING_LINES);
        let pipes = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let engine = Self {
            child,
            group,
            guard: Arc::clone(&house.guard),
            input: Some(input),
            output,
            words: spec.protocol.words(),
            patience: house.patience,
            announced: Vec::new(),
            rules: None,
            draw_plies: house.draw_plies,
        };
        let (Some(stdin), Some(stdout), Some(stderr)) = pipes else {
            return Err(failed("it has no pipes".to_owned()));
        };
        std::thread::spawn(move || write_lines(stdin, &lines));
        std::thread::spawn(move || read_lines(BufReader::new(stdout), &sender));
        std::thread::spawn(move || drain(BufReader::new(stderr)));
        Ok(engine)
    }

    fn greet(&mut self, spec: &EngineSpec) -> Result<(), Fault> {
        let [hello, done, _] = self.words;
        self.send(hello);
        let mut announced = Vec::new();
        self.wait_for(self.patience, done, |line| {
            if let Some(rest) = line.strip_prefix("option name ") {
                let name = rest.split(" type ").next().unwrap_or(rest);
                announced.push(name.trim().to_ascii_lowercase());
            }
            (line.trim() == done).then_some(())
        })?;
        self.announced = announced;
        for (name, value) in &spec.options {
            if !self.announced.contains(&name.to_ascii_lowercase()) {
                log::warn!("{}: it announces no option '{name}'", spec.name);
            }
            self.send(&format!("setoption name {name} value {value}"));
        }
        if self.announced.iter().any(|name| name == "drawplies") && spec.option("DrawPlies").is_none() {
            self.send(&format!("setoption name DrawPlies value {}", self.draw_plies));
        }
        self.make_ready()
    }

    /// Prepares for a game by these rules.
    ///
    /// # Errors
    /// The fault it shows meanwhile.
    pub fn new_game(&mut self, rules: &'static RuleSet) -> Result<(), Fault> {
        // An engine without the option may still know the game that has no other name.
        let knows_rules = self.announced.iter().any(|name| name == "uci_variant");
        if self.rules != Some(rules) && (knows_rules || rules != RuleSet::standard()) {
            self.send(&format!("setoption name UCI_Variant value {}", rules.name));
        }
        self.rules = Some(rules);
        let [.., new_game] = self.words;
        self.send(new_game);
        self.make_ready()
    }

    /// Waits until all that was said before is done, and drops what was answered to it.
    fn make_ready(&mut self) -> Result<(), Fault> {
        self.send("isready");
        self.wait_for(self.patience, "readyok", |line| (line.trim() == "readyok").then_some(())).map(|_| ())
    }

    /// Asks for a move: `position` is the line that sets it up, `go` the line that starts the search, `allowance` the
    /// time it may take.
    ///
    /// # Errors
    /// The fault it shows. A late answer is none here: its time says so.
    pub fn ask(&mut self, position: &str, go: &str, allowance: Option<Duration>) -> Result<Answer, Fault> {
        self.send(position);
        self.make_ready()?;
        let patience =
            allowance.map_or_else(|| self.patience.saturating_mul(PATIENCE_WITHOUT_CLOCK), |time| time + self.patience);
        let began = Instant::now();
        self.send(go);
        let mut info = Info::default();
        let (text, at) = self.wait_for(patience, "bestmove", |line| {
            info.hear(line);
            let mut words = line.split_whitespace();
            (words.next() == Some("bestmove")).then(|| words.next().unwrap_or_default().to_owned())
        })?;
        Ok(Answer { text, time: at.saturating_duration_since(began), info })
    }

    /// Whether it speaks UGI.
    pub fn is_ugi(&self) -> bool {
        self.words == Protocol::Ugi.words()
    }

    /// Sends a line. If it can't be read any more, the next answer fails.
    fn send(&self, line: &str) {
        log::trace!("{} < {line}", self.group);
        if let Some(input) = &self.input {
            let _ = input.send(format!("{line}\n"));
        }
    }

    /// Waits for a line in which `find` finds something. Returns it with the time when the line came.
    fn wait_for<T>(
        &mut self,
        patience: Duration,
        expected: &str,
        mut find: impl FnMut(&str) -> Option<T>,
    ) -> Result<(T, Instant), Fault> {
        let deadline = Instant::now() + patience;
        let mut size = 0;
        let mut garbage = None;
        loop {
            match self.output.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
                Ok(Output::Line(at, line)) => {
                    log::trace!("{} > {line}", self.group);
                    if let Some(found) = find(&line) {
                        return Ok((found, at));
                    }
                    if !is_protocol(&line) {
                        garbage.get_or_insert_with(|| quoted(&line));
                    }
                    size += LINE_WEIGHT.max(line.len() + 1);
                    if size > FLOOD {
                        let detail = format!("found more than {} MiB of output, expected '{expected}'", FLOOD >> 20);
                        return Err(Fault::new(FaultKind::Flood, detail));
                    }
                }
                Ok(Output::LineTooLong) => {
                    let detail = format!("found a line of more than {LONGEST_LINE} bytes, expected '{expected}'");
                    return Err(Fault::new(FaultKind::Flood, detail));
                }
                Ok(Output::End) | Err(RecvTimeoutError::Disconnected) => return Err(self.crash(expected)),
                Err(RecvTimeoutError::Timeout) => return Err(silence(garbage, expected, patience)),
            }
        }
    }

    fn crash(&mut self, expected: &str) -> Fault {
        let deadline = Instant::now() + EXIT_TIME;
        let mut status = self.child.try_wait();
        while matches!(status, Ok(None)) && Instant::now() < deadline {
            std::thread::sleep(Duration::from_millis(10));
            status = self.child.try_wait();
        }
        let found = match status {
            Ok(Some(status)) => format!("ended with {status}"),
            _ => "closed its output".to_owned(),
        };
        Fault::new(FaultKind::Crash, format!("{found}, expected '{expected}'"))
    }

    /// Asks it to end, and kills what does not.
    pub fn quit(mut self) {
        self.send("quit");
        self.input = None;
        let deadline = Instant::now() + QUIT_TIME;
        while let Ok(Output::Line(..) | Output::LineTooLong) =
            self.output.recv_timeout(deadline.saturating_duration_since(Instant::now()))
            && Instant::now() < deadline
        {}
        // Dropping it kills the group and takes the process off the list.
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        self.guard.kill(self.group);
        // Both fail only if it has ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// No answer came: it said nothing, or nothing that can be read.
fn silence(garbage: Option<String>, expected: &str, patience: Duration) -> Fault {
    let seconds = patience.as_secs_f64();
    match garbage {
        None => Fault::new(FaultKind::NoAnswer, format!("found none in {seconds:.1} s, expected '{expected}'")),
        Some(found) => {
            Fault::new(FaultKind::Garbage, format!("found {found} in {seconds:.1} s, expected '{expected}'"))
        }
    }
}

/// Whether a line begins as those of the protocol do.
fn is_protocol(line: &str) -> bool {
    const WORDS: [&str; 10] =
        ["info", "id", "option", "uciok", "ugiok", "readyok", "bestmove", "response", "registration", "copyprotection"];
    line.split_whitespace().next().is_none_or(|word| WORDS.contains(&word))
}

fn write_lines(mut input: impl Write, lines: &Receiver<String>) {
    for line in lines {
        if input.write_all(line.as_bytes()).and_then(|()| input.flush()).is_err() {
            return;
        }
    }
}

fn read_lines(mut output: impl BufRead, lines: &SyncSender<Output>) {
    let mut bytes = Vec::new();
    loop {
        bytes.clear();
        let read = output.by_ref().take(LONGEST_LINE).read_until(b'\n', &mut bytes);
        let item = match read {
            Ok(0) | Err(_) => Output::End,
            Ok(_) if bytes.len() as u64 == LONGEST_LINE && bytes.last() != Some(&b'\n') => Output::LineTooLong,
            Ok(_) => Output::Line(Instant::now(), String::from_utf8_lossy(&bytes).trim_end().to_owned()),
        };
        let is_last = !matches!(item, Output::Line(..));
        if lines.send(item).is_err() || is_last {
            return;
        }
    }
}

/// Reads to the end and keeps nothing.
fn drain(mut output: impl Read) {
    let mut bytes = [0; 4096];
    while output.read(&mut bytes).is_ok_and(|count| count > 0) {}
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_exact_score_of_the_best_line_counts() {
        let mut info = Info::default();
        for line in [
            "info depth 3 seldepth 5 multipv 1 score cp 12 nodes 7 pv c2b2",
            "info depth 4 multipv 2 score cp -50",
            "info depth 4 score cp 99 lowerbound nodes 3",
            "info string depth 9 score cp 1",
            "info depth 5 currmove c2b2",
            "info depth x score cp",
            "bestmove c2b2",
        ] {
            info.hear(line);
        }
        assert_eq!(info, Info { score: Some(Reported::Centigoats(12)), depth: Some(3) });
        info.hear("info depth 6 score mate -4 pv");
        assert_eq!(info.score, Some(Reported::Mate(-4)));
    }

    #[test]
    fn forced_ends_are_more_than_evaluations() {
        let scores = [Reported::Mate(-1), Reported::Mate(-9), Reported::Centigoats(0), Reported::Mate(9)];
        let values = scores.map(Reported::centigoats);
        assert_eq!(values, [-29_999, -29_991, 0, 29_991]);
        assert_eq!(Reported::Mate(0).centigoats(), -30_000);
    }

    #[test]
    fn what_is_not_protocol_is_garbage() {
        assert!(is_protocol("info depth 3") && is_protocol("  ") && is_protocol("bestmove"));
        assert!(!is_protocol("%$@") && !is_protocol("Welcome to the engine"));
    }
}
