//! An engine's process. It is never trusted: every read has a deadline, what it says is bounded, what it should read
//! is written by a thread of its own, and of its standard error only the last line is kept.
//!
//! Three threads serve a process. None is ever joined: they end with the pipes, at the latest when the process group
//! is killed.

use crate::notation::quoted;
use crate::rules::RuleSet;
use crate::tournament::fault::{EngineFault, FaultKind, StartError};
use crate::tournament::limits::EngineLimits;
use crate::tournament::process::Watchdog;
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::io::{self, BufRead, BufReader, Write};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, SyncSender, channel, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Longest line that an engine may send, in bytes.
const LONGEST_LINE: usize = 1 << 20;
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
/// Time between two looks whether an engine that says nothing is still there.
const LOOK_TIME: Duration = Duration::from_millis(200);
/// Most that is shown of a line, in bytes.
const SHOWN: usize = 200;
/// Complaints of an engine that are passed on.
const MOST_COMPLAINTS: usize = 10;
/// A search without a clock may take so many times as long as other answers.
const PATIENCE_WITHOUT_CLOCK: u32 = 30;

/// The protocol an engine is spoken to in.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub enum EngineProtocol {
    /// UCI.
    #[default]
    Uci,
    /// UGI.
    Ugi,
}

impl EngineProtocol {
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
    pub protocol: EngineProtocol,
    /// What bounds its searches.
    pub limits: EngineLimits,
    /// Its options with their values, in order.
    pub options: Vec<(String, String)>,
}

impl EngineSpec {
    /// The value given for an option, its name in any case.
    pub fn option(&self, name: &str) -> Option<&str> {
        self.options.iter().rev().find(|(found, _)| found.eq_ignore_ascii_case(name)).map(|(_, value)| value.as_str())
    }

    /// All that it is, as keys and values of `--engine`.
    pub fn words(&self) -> Vec<(String, String)> {
        let word = |key: &str, value: String| (key.to_owned(), value);
        let mut words = vec![
            word("name", self.name.clone()),
            word("cmd", self.program.display().to_string()),
            word("proto", self.protocol.words()[0].to_owned()),
        ];
        words.extend(self.args.iter().map(|arg| word("args", arg.clone())));
        words.extend(self.dir.iter().map(|dir| word("dir", dir.display().to_string())));
        words.extend(self.limits.words());
        words.extend(self.options.iter().map(|(name, value)| (format!("option.{name}"), value.clone())));
        words
    }

    /// Whether there is a program to run, as far as that can be known without running it.
    ///
    /// # Errors
    /// Says what is not there.
    pub fn check(&self) -> Result<(), String> {
        if let Some(dir) = self.dir.as_deref().filter(|dir| !dir.is_dir()) {
            return Err(format!("{}: dir={}: found no such folder", self.name, dir.display()));
        }
        let can_run = |path: &Path| {
            fs::metadata(path).is_ok_and(|found| found.is_file() && found.permissions().mode() & 0o111 != 0)
        };
        let named = |why: &str| Err(format!("{}: cmd={}: {why}", self.name, self.program.display()));
        if self.program.components().count() > 1 {
            return match fs::metadata(&self.program) {
                Err(error) => named(&format!("it can't be run: {error}")),
                Ok(_) if !can_run(&self.program) => named("it can't be run: found no executable file"),
                Ok(_) => Ok(()),
            };
        }
        match std::env::var_os("PATH") {
            Some(path) if !std::env::split_paths(&path).any(|folder| can_run(&folder.join(&self.program))) => {
                named("it can't be run: found no such program in PATH")
            }
            _ => Ok(()),
        }
    }
}

/// What holds for all engines of a match.
#[derive(Clone, Debug)]
pub struct EngineEnvironment {
    /// Time that an engine may take for an answer beside its clock.
    pub patience: Duration,
    /// Quiet plies that make a draw.
    pub draw_plies: u32,
    /// Knows the process groups.
    pub guard: Arc<Watchdog>,
    /// Complaints that have been passed on, with the engines' names.
    pub complaints: Arc<Mutex<BTreeSet<(String, String)>>>,
}

impl EngineEnvironment {
    /// Passes on what is wrong with an engine's options, once for each engine.
    fn complain(&self, name: &str, complaint: &str) {
        let mut known = self.complaints.lock().unwrap_or_else(PoisonError::into_inner);
        let count = known.iter().filter(|(other, _)| other == name).count();
        if count < MOST_COMPLAINTS && known.insert((name.to_owned(), complaint.to_owned())) {
            log::warn!("{name}: {complaint}");
        }
    }
}

/// What the threads of an engine have read and nobody has been told yet.
#[derive(Debug, Default)]
struct PipeState {
    /// Output that is not a whole line yet.
    unfinished: String,
    /// The last line on standard error.
    last_error: String,
    /// Whether standard error has ended.
    is_error_over: bool,
}

type Shared = Arc<Mutex<PipeState>>;

fn heard(shared: &Shared) -> std::sync::MutexGuard<'_, PipeState> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
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
    pub score: Option<ReportedScore>,
    /// Its depth in plies, if it has given one.
    pub depth: Option<u32>,
}

/// A score as an engine gives it, for the side to move.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum ReportedScore {
    /// Centigoats.
    Centigoats(i32),
    /// A forced end in so many moves; negative if it loses.
    Mate(i32),
}

impl ReportedScore {
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
                "cp" => score = words.next().and_then(|word| word.parse().ok()).map(ReportedScore::Centigoats),
                "mate" => score = words.next().and_then(|word| word.parse().ok()).map(ReportedScore::Mate),
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
pub struct EngineClient {
    child: Child,
    group: u32,
    input: Option<Sender<String>>,
    output: Receiver<Output>,
    words: [&'static str; 3],
    patience: Duration,
    /// Names of the options that it has announced, in lower case.
    announced: Vec<String>,
    rules: Option<&'static RuleSet>,
    name: String,
    house: EngineEnvironment,
    heard: Shared,
}

impl EngineClient {
    /// Starts an engine, greets it and sets its options.
    ///
    /// # Errors
    /// A fault is always that it failed to start; its detail says why.
    pub fn start(spec: &EngineSpec, house: &EngineEnvironment) -> Result<Self, StartError> {
        let mut engine = Self::spawn(spec, house)?;
        engine.greet(spec)?;
        Ok(engine)
    }

    fn spawn(spec: &EngineSpec, house: &EngineEnvironment) -> Result<Self, StartError> {
        let mut command = Command::new(&spec.program);
        command.args(&spec.args).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).process_group(0);
        if let Some(dir) = &spec.dir {
            command.current_dir(dir);
        }
        let mut child = command.spawn().map_err(|error| not_run(spec, &error))?;
        let group = child.id();
        house.guard.add(group);
        let (input, lines) = channel();
        let (sender, output) = sync_channel(WAITING_LINES);
        let pipes = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let shared = Shared::default();
        // From here on the process is killed where this is dropped.
        let engine = Self {
            child,
            group,
            input: Some(input),
            output,
            words: spec.protocol.words(),
            patience: house.patience,
            announced: Vec::new(),
            rules: None,
            name: spec.name.clone(),
            house: house.clone(),
            heard: Arc::clone(&shared),
        };
        let (Some(stdin), Some(stdout), Some(stderr)) = pipes else {
            return Err(StartError::Resources(format!("{}: it has no pipes", spec.name)));
        };
        let of_output = Arc::clone(&shared);
        let thread = std::thread::Builder::new;
        thread()
            .spawn(move || write_lines(stdin, &lines))
            .and_then(|_| thread().spawn(move || read_lines(BufReader::new(stdout), &sender, &of_output)))
            .and_then(|_| thread().spawn(move || read_errors(BufReader::new(stderr), &shared)))
            .map_err(|error| StartError::Resources(format!("{}: no thread for it: {error}", spec.name)))?;
        Ok(engine)
    }

    fn greet(&mut self, spec: &EngineSpec) -> Result<(), EngineFault> {
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
                self.house.complain(&spec.name, &format!("it announces no option '{name}'"));
            }
            self.send(&format!("setoption name {name} value {value}"));
        }
        let draw_plies = self.house.draw_plies;
        if self.announced.iter().any(|name| name == "drawplies") && spec.option("DrawPlies").is_none() {
            self.send(&format!("setoption name DrawPlies value {draw_plies}"));
        }
        self.make_ready(!spec.options.is_empty())
    }

    /// Prepares for a game by these rules.
    ///
    /// # Errors
    /// The fault it shows meanwhile.
    pub fn new_game(&mut self, rules: &'static RuleSet) -> Result<(), EngineFault> {
        // An engine without the option may still know the game that has no other name.
        let knows_rules = self.announced.iter().any(|name| name == "uci_variant");
        let is_set = self.rules != Some(rules) && (knows_rules || rules != RuleSet::standard());
        if is_set {
            self.send(&format!("setoption name UCI_Variant value {}", rules.name));
        }
        self.rules = Some(rules);
        let [.., new_game] = self.words;
        self.send(new_game);
        self.make_ready(is_set)
    }

    /// Waits until all that was said before is done, and drops what was answered to it. What an engine says after
    /// options were set may be about them, and is passed on.
    fn make_ready(&mut self, has_options: bool) -> Result<(), EngineFault> {
        self.send("isready");
        let (house, name) = (self.house.clone(), self.name.clone());
        self.wait_for(self.patience, "readyok", |line| {
            if has_options && line.starts_with("info string") {
                house.complain(&name, &format!("it answers its options with {}", quoted(line)));
            }
            (line.trim() == "readyok").then_some(())
        })
        .map(|_| ())
    }

    /// Asks for a move: `position` is the line that sets it up, `go` the line that starts the search, `allowance` the
    /// time it may take.
    ///
    /// # Errors
    /// The fault it shows. A late answer is none here: its time says so.
    pub fn ask(&mut self, position: &str, go: &str, allowance: Option<Duration>) -> Result<Answer, EngineFault> {
        self.send(position);
        self.make_ready(false)?;
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
        self.words == EngineProtocol::Ugi.words()
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
    ) -> Result<(T, Instant), EngineFault> {
        let mut deadline = Instant::now() + patience;
        let mut status = None;
        let mut size = 0;
        let mut garbage = None;
        loop {
            let now = Instant::now();
            let next_look = if status.is_none() { deadline.min(now + LOOK_TIME) } else { deadline };
            match self.output.recv_timeout(next_look.saturating_duration_since(now)) {
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
                        return Err(EngineFault::new(FaultKind::Flood, detail));
                    }
                }
                Ok(Output::LineTooLong) => {
                    let detail = format!("found a line of more than {LONGEST_LINE} bytes, expected '{expected}'");
                    return Err(EngineFault::new(FaultKind::Flood, detail));
                }
                Ok(Output::End) | Err(RecvTimeoutError::Disconnected) => return Err(self.crash(expected)),
                Err(RecvTimeoutError::Timeout) if status.is_some() => return Err(self.crash(expected)),
                Err(RecvTimeoutError::Timeout) if Instant::now() >= deadline => {
                    return Err(silence(garbage, &heard(&self.heard).unfinished, expected, patience));
                }
                // Its output stays open where a process that it has started holds it.
                Err(RecvTimeoutError::Timeout) => {
                    status = self.child.try_wait().ok().flatten();
                    if status.is_some() {
                        deadline = deadline.min(Instant::now() + EXIT_TIME);
                    }
                }
            }
        }
    }

    fn crash(&mut self, expected: &str) -> EngineFault {
        let deadline = Instant::now() + EXIT_TIME;
        let mut status: Option<ExitStatus> = None;
        while Instant::now() < deadline {
            status = status.or_else(|| self.child.try_wait().ok().flatten());
            if status.is_some() && heard(&self.heard).is_error_over {
                break;
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        let mut detail = match status {
            Some(status) => format!("ended with {status}"),
            None => "closed its output".to_owned(),
        };
        let heard = heard(&self.heard);
        // Writing to a string can't fail.
        if !heard.unfinished.is_empty() {
            let _ = write!(detail, " after an unfinished line {}", quoted(&heard.unfinished));
        }
        let _ = write!(detail, ", expected '{expected}'");
        if !heard.last_error.is_empty() {
            let _ = write!(detail, "; its last words were {}", quoted(&heard.last_error));
        }
        EngineFault::new(FaultKind::Crash, detail)
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

impl Drop for EngineClient {
    fn drop(&mut self) {
        self.house.guard.kill(self.group);
        // Both fail only if it has ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Why a program was not started: the fault of who has named it, or of this process.
fn not_run(spec: &EngineSpec, error: &io::Error) -> StartError {
    /// Too many open files in the system, or in this process; the numbers are the same everywhere.
    const FILES: [i32; 2] = [23, 24];
    let is_ours = matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::OutOfMemory)
        || error.raw_os_error().is_some_and(|number| FILES.contains(&number));
    let why = format!("{}: cmd={}: it can't be run: {error}", spec.name, spec.program.display());
    match spec.check() {
        _ if is_ours => StartError::Resources(why),
        // It may be that only its folder is missing.
        Err(why) => StartError::Program(why),
        Ok(()) => StartError::Program(why),
    }
}

/// No answer came: it said nothing, or nothing that can be read.
fn silence(garbage: Option<String>, unfinished: &str, expected: &str, patience: Duration) -> EngineFault {
    let (kind, found) = match garbage {
        Some(found) => (FaultKind::Garbage, found),
        None if unfinished.is_empty() => (FaultKind::NoAnswer, "none".to_owned()),
        None => (FaultKind::NoAnswer, format!("an unfinished line {}", quoted(unfinished))),
    };
    EngineFault::new(kind, format!("found {found} in {:.1} s, expected '{expected}'", patience.as_secs_f64()))
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

fn read_lines(mut output: impl BufRead, lines: &SyncSender<Output>, shared: &Shared) {
    let mut bytes: Vec<u8> = Vec::new();
    loop {
        let Some((taken, is_whole)) = take(&mut output, &mut bytes) else {
            // If nobody listens any more there is nobody to be told.
            let _ = lines.send(Output::End);
            return;
        };
        if bytes.len() + usize::from(!is_whole) > LONGEST_LINE {
            let _ = lines.send(Output::LineTooLong);
            return;
        }
        output.consume(taken);
        heard(shared).unfinished = if is_whole { String::new() } else { beginning(&bytes) };
        if is_whole {
            let line = String::from_utf8_lossy(&bytes).trim_end().to_owned();
            bytes.clear();
            if lines.send(Output::Line(Instant::now(), line)).is_err() {
                return;
            }
        }
    }
}

/// Adds what has come to a line, up to its end. Returns how much that is and whether the line is whole; `None` at the
/// end of all.
fn take(output: &mut impl BufRead, line: &mut Vec<u8>) -> Option<(usize, bool)> {
    loop {
        match output.fill_buf() {
            Ok([]) => return None,
            Ok(come) => {
                let end = come.iter().position(|byte| *byte == b'\n');
                let taken = end.map_or(come.len(), |end| end + 1);
                line.extend(come.iter().take(taken));
                return Some((taken, end.is_some()));
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(_) => return None,
        }
    }
}

/// As much of a line as is shown.
fn beginning(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes.get(..SHOWN).unwrap_or(bytes)).trim().to_owned()
}

/// Reads standard error to its end and keeps the last line.
fn read_errors(mut errors: impl BufRead, shared: &Shared) {
    let mut bytes: Vec<u8> = Vec::new();
    while let Some((taken, is_whole)) = take(&mut errors, &mut bytes) {
        errors.consume(taken);
        bytes.truncate(SHOWN);
        let line = beginning(&bytes);
        if !line.is_empty() {
            heard(shared).last_error = line;
        }
        if is_whole {
            bytes.clear();
        }
    }
    heard(shared).is_error_over = true;
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
        assert_eq!(info, Info { score: Some(ReportedScore::Centigoats(12)), depth: Some(3) });
        info.hear("info depth 6 score mate -4 pv");
        assert_eq!(info.score, Some(ReportedScore::Mate(-4)));
    }

    #[test]
    fn forced_ends_are_more_than_evaluations() {
        let scores =
            [ReportedScore::Mate(-1), ReportedScore::Mate(-9), ReportedScore::Centigoats(0), ReportedScore::Mate(9)];
        let values = scores.map(ReportedScore::centigoats);
        assert_eq!(values, [-29_999, -29_991, 0, 29_991]);
        assert_eq!(ReportedScore::Mate(0).centigoats(), -30_000);
    }

    #[test]
    fn lines_are_told_when_they_are_whole() {
        let (sender, lines) = sync_channel(9);
        let shared = Shared::default();
        read_lines(&b"one\r\n\nbestmove c2"[..], &sender, &shared);
        let read: Vec<String> = lines
            .try_iter()
            .map(|item| match item {
                Output::Line(_, line) => line,
                Output::LineTooLong => "too long".to_owned(),
                Output::End => "end".to_owned(),
            })
            .collect();
        assert_eq!(
            (read, heard(&shared).unfinished.as_str()),
            (vec!["one".into(), "".into(), "end".into()], "bestmove c2")
        );
        read_errors(&b"first\nlast\n\n"[..], &shared);
        assert!(heard(&shared).last_error == "last" && heard(&shared).is_error_over);
    }

    #[test]
    fn what_is_not_protocol_is_garbage() {
        assert!(is_protocol("info depth 3") && is_protocol("  ") && is_protocol("bestmove"));
        assert!(!is_protocol("%$@") && !is_protocol("Welcome to the engine"));
    }
}
