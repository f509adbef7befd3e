//! The dialogue with a running engine. It is never trusted: every wait has a deadline, and what it sends is bounded.

use crate::notation::quoted;
use crate::platform;
use crate::rules::RuleSet;
use crate::text::{self, quoted_path};
use crate::tournament::engine_info::ReportedInfo;
use crate::tournament::engine_option::{self, AnnouncedOption};
use crate::tournament::engine_pipes::{EnginePipes, LONGEST_LINE, OutputItem};
use crate::tournament::engine_spec::{EngineProtocol, EngineSpec};
use crate::tournament::fault::{EngineFault, FaultKind, StartError};
use crate::tournament::pauses::PauseLog;
use crate::tournament::process::{ProcessGroup, Watchdog};
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::io;
use std::process::{Command, ExitStatus, Stdio};
use std::sync::mpsc::RecvTimeoutError;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Most that an engine may send before the line that is waited for, in bytes; each line counts as [`MIN_LINE_SIZE`] at
/// least.
const MAX_OUTPUT: usize = 16 << 20;
/// Least that a line counts as, in bytes.
const MIN_LINE_SIZE: usize = 32;
/// Time that an engine has to end by itself after `quit`.
const QUIT_TIME: Duration = Duration::from_secs(1);
/// Longest time between the end of an engine's output and its exit status.
const EXIT_TIME: Duration = Duration::from_millis(300);
/// Time between two checks whether a silent engine still runs.
const CHECK_INTERVAL: Duration = Duration::from_millis(200);
/// Warnings about one engine's options that are logged.
const MAX_OPTION_WARNINGS: usize = 10;
/// Factor of the patience with a search without a clock.
const PATIENCE_WITHOUT_CLOCK: u32 = 30;

/// What all engines of a match have in common.
#[derive(Clone, Debug)]
pub struct EngineEnvironment {
    /// Time that an engine may take for an answer beside its clock.
    pub patience: Duration,
    /// Quiet plies that make a draw; 0 for none.
    pub draw_plies: u32,
    pub watchdog: Arc<Watchdog>,
    /// Whether an engine plays on that does not take the options it is to have.
    pub is_lenient: bool,
    /// The runner's own pauses, which are charged to no engine.
    pub pauses: Arc<PauseLog>,
    /// Engines' names and the warnings that were logged about their options.
    pub option_warnings: Arc<Mutex<BTreeSet<(String, String)>>>,
}

impl EngineEnvironment {
    /// Logs a warning about an engine's options, each one once.
    fn warn_of_options(&self, name: &str, warning: &str) {
        let mut known = self.option_warnings.lock().unwrap_or_else(PoisonError::into_inner);
        let count = known.iter().filter(|(other, _)| other == name).count();
        if count < MAX_OPTION_WARNINGS && known.insert((name.to_owned(), warning.to_owned())) {
            log::warn!("{name}: {warning}");
        }
    }
}

/// An engine's answer to `go`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BestMove {
    /// The word after `bestmove`, unchecked.
    pub text: String,
    /// From sending `go` to the arrival of `bestmove`.
    pub time: Duration,
    pub info: ReportedInfo,
}

/// A running engine.
pub struct EngineClient {
    process: ProcessGroup,
    pipes: EnginePipes,
    name: String,
    protocol: EngineProtocol,
    environment: EngineEnvironment,
    /// The options that it has announced.
    announced: Vec<AnnouncedOption>,
    /// The rules of its last game.
    rules: Option<&'static RuleSet>,
}

impl EngineClient {
    /// Starts an engine, greets it and sets its options.
    ///
    /// # Errors
    /// An engine's fault is always [`FaultKind::FailedToStart`]; its detail says why.
    pub fn start(spec: &EngineSpec, environment: &EngineEnvironment) -> Result<Self, StartError> {
        let mut engine = Self::spawn(spec, environment)?;
        engine.greet(spec)?;
        Ok(engine)
    }

    fn spawn(spec: &EngineSpec, environment: &EngineEnvironment) -> Result<Self, StartError> {
        let mut command = Command::new(&spec.program);
        command.args(&spec.args).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        if let Some(dir) = &spec.dir {
            command.current_dir(dir);
        }
        let mut process =
            ProcessGroup::spawn(command, &environment.watchdog).map_err(|error| spawn_error(spec, &error))?;
        let pipes =
            EnginePipes::open(process.child()).map_err(|why| StartError::Resources(format!("{}: {why}", spec.name)))?;
        Ok(Self {
            process,
            pipes,
            name: spec.name.clone(),
            protocol: spec.protocol,
            environment: environment.clone(),
            announced: Vec::new(),
            rules: None,
        })
    }

    fn greet(&mut self, spec: &EngineSpec) -> Result<(), StartError> {
        self.exchange_greetings()?;
        self.check_options(spec)?;
        for (name, value) in &spec.options {
            self.send(&format!("setoption name {name} value {value}"));
        }
        if self.announces("DrawPlies") && spec.option("DrawPlies").is_none() {
            self.send(&format!("setoption name DrawPlies value {}", self.environment.draw_plies));
        }
        Ok(self.wait_until_ready(!spec.options.is_empty())?)
    }

    /// Greets the engine, and notes the options that it announces.
    fn exchange_greetings(&mut self) -> Result<(), EngineFault> {
        let (greeting, reply) = (self.protocol.greeting(), self.protocol.greeting_reply());
        self.send(greeting);
        let mut announced = Vec::new();
        let (other_protocol, _) = self.wait_for(self.environment.patience, reply, |line| {
            announced.extend(AnnouncedOption::parse(line));
            if line.trim() == reply {
                return Some(None);
            }
            let spoken = EngineProtocol::of_refusal(line)?;
            Some(Some(format!(
                "found {} in answer to '{greeting}', expected '{reply}': it speaks {spoken}",
                quoted(line)
            )))
        })?;
        self.announced = announced;
        other_protocol.map_or(Ok(()), |why| Err(EngineFault::new(FaultKind::Garbage, why)))
    }

    /// Checks the options that the engine is to have against those that it has announced.
    fn check_options(&self, spec: &EngineSpec) -> Result<(), StartError> {
        let refused: Vec<String> = spec
            .options
            .iter()
            .filter_map(|(name, value)| engine_option::check_value(&self.announced, name, value).err())
            .collect();
        if refused.is_empty() {
            return Ok(());
        }
        if !self.environment.is_lenient {
            return Err(StartError::Program(format!("{}: {}", spec.name, refused.join("; "))));
        }
        refused.iter().for_each(|why| self.environment.warn_of_options(&spec.name, why));
        Ok(())
    }

    /// Whether it has announced an option of this name.
    fn announces(&self, name: &str) -> bool {
        self.announced.iter().any(|option| option.is_named(name))
    }

    /// Prepares for a game by these rules.
    ///
    /// # Errors
    /// The engine's fault.
    pub fn new_game(&mut self, rules: &'static RuleSet) -> Result<(), EngineFault> {
        // An engine without the option may still know the game that has no other name.
        let knows_rules = self.announces("UCI_Variant");
        let is_set = self.rules != Some(rules) && (knows_rules || rules != RuleSet::standard());
        if is_set {
            self.send(&format!("setoption name UCI_Variant value {}", rules.name));
        }
        self.rules = Some(rules);
        self.send(self.protocol.new_game());
        self.wait_until_ready(is_set)
    }

    /// Waits until the engine has worked off all earlier commands, and drops its output meanwhile. After options were
    /// set, an `info string` may be about them and is logged as a warning.
    fn wait_until_ready(&mut self, were_options_set: bool) -> Result<(), EngineFault> {
        self.send("isready");
        let (environment, name) = (self.environment.clone(), self.name.clone());
        self.wait_for(self.environment.patience, "readyok", |line| {
            if were_options_set && line.starts_with("info string") {
                environment.warn_of_options(&name, &format!("it answers its options with {}", text::quoted_line(line)));
            }
            (line.trim() == "readyok").then_some(())
        })
        .map(|_| ())
    }

    /// Has the engine search for a move: `position` is the line that sets the position up, `go` the line that starts
    /// the search, `allowance` the time that the clock leaves for it.
    ///
    /// # Errors
    /// The engine's fault. A late answer is no error here: the caller compares its time with the allowance.
    pub fn search(&mut self, position: &str, go: &str, allowance: Option<Duration>) -> Result<BestMove, EngineFault> {
        self.send(position);
        self.wait_until_ready(false)?;
        let patience = self.environment.patience;
        let patience =
            allowance.map_or_else(|| patience.saturating_mul(PATIENCE_WITHOUT_CLOCK), |time| time + patience);
        let began = Instant::now();
        self.send(go);
        let mut info = ReportedInfo::default();
        let (text, at) = self.wait_for(patience, "bestmove", |line| {
            info.update(line);
            let mut words = line.split_whitespace();
            (words.next() == Some("bestmove")).then(|| words.next().unwrap_or_default().to_owned())
        })?;
        let time = at.saturating_duration_since(began).saturating_sub(self.environment.pauses.between(began, at));
        Ok(BestMove { text, time, info })
    }

    pub fn protocol(&self) -> EngineProtocol {
        self.protocol
    }

    fn send(&self, line: &str) {
        log::debug!("{} ({}) < {}", self.name, self.process.id(), line.escape_debug());
        self.pipes.send(line);
    }

    /// Waits for a line for which `find` returns something. Returns it with the time when the line came.
    fn wait_for<T>(
        &mut self,
        patience: Duration,
        expected: &str,
        mut find: impl FnMut(&str) -> Option<T>,
    ) -> Result<(T, Instant), EngineFault> {
        let began = Instant::now();
        let mut deadline = began + patience;
        let mut status = None;
        let mut size = 0;
        let mut garbage = None;
        loop {
            let now = Instant::now();
            let next_check = if status.is_none() { deadline.min(now + CHECK_INTERVAL) } else { deadline };
            match self.pipes.receive(next_check.saturating_duration_since(now)) {
                Ok(OutputItem::Line(at, line)) => {
                    log::debug!("{} ({}) > {}", self.name, self.process.id(), line.escape_debug());
                    if let Some(found) = find(&line) {
                        return Ok((found, at));
                    }
                    if !is_protocol(&line) {
                        garbage.get_or_insert_with(|| quoted(&line));
                    }
                    size += MIN_LINE_SIZE.max(line.len() + 1);
                    if size > MAX_OUTPUT {
                        let found = format!("found more than {} MiB of output", MAX_OUTPUT >> 20);
                        return Err(EngineFault::new(FaultKind::Flood, format!("{found}, expected '{expected}'")));
                    }
                }
                Ok(OutputItem::LineTooLong) => {
                    let detail = format!("found a line of more than {LONGEST_LINE} bytes, expected '{expected}'");
                    return Err(EngineFault::new(FaultKind::Flood, detail));
                }
                Ok(OutputItem::End) | Err(RecvTimeoutError::Disconnected) => return Err(self.crash(expected)),
                Err(RecvTimeoutError::Timeout) if status.is_some() => return Err(self.crash(expected)),
                Err(RecvTimeoutError::Timeout) if Instant::now() >= deadline => {
                    let patient_until = began + patience + self.environment.pauses.between(began, Instant::now());
                    if Instant::now() < patient_until {
                        deadline = patient_until;
                        continue;
                    }
                    return Err(no_answer(garbage, &self.pipes.state().unfinished, expected, patience));
                }
                // The output of a process that has ended stays open where another one that it has started holds it.
                Err(RecvTimeoutError::Timeout) => {
                    status = self.process.exit_status();
                    if status.is_some() {
                        deadline = deadline.min(Instant::now() + EXIT_TIME);
                    }
                }
            }
        }
    }

    /// The fault of an engine whose output has ended.
    fn crash(&mut self, expected: &str) -> EngineFault {
        let deadline = Instant::now() + EXIT_TIME;
        let mut status: Option<ExitStatus> = None;
        while Instant::now() < deadline {
            status = status.or_else(|| self.process.exit_status());
            if status.is_some() && self.pipes.state().is_error_over {
                break;
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        let mut detail = match status {
            Some(status) => format!("ended with {status}"),
            None => "closed its output".to_owned(),
        };
        let state = self.pipes.state();
        // Writing to a string can't fail.
        if !state.unfinished.is_empty() {
            let _ = write!(detail, " after an unfinished line {}", quoted(&state.unfinished));
        }
        let _ = write!(detail, ", expected '{expected}'");
        if !state.last_error.is_empty() {
            let _ = write!(detail, "; its last words were {}", quoted(&state.last_error));
        }
        EngineFault::new(FaultKind::Crash, detail)
    }

    /// Tells the engine to end, and kills it if it does not within [`QUIT_TIME`].
    pub fn quit(mut self) {
        self.send("quit");
        self.pipes.close_input();
        let deadline = Instant::now() + QUIT_TIME;
        while let Ok(OutputItem::Line(..) | OutputItem::LineTooLong) =
            self.pipes.receive(deadline.saturating_duration_since(Instant::now()))
            && Instant::now() < deadline
        {}
        // Dropping the process kills what is left of its group.
    }
}

/// Why a program could not be run: it or its specification is at fault, or this process is.
fn spawn_error(spec: &EngineSpec, error: &io::Error) -> StartError {
    let why = format!("{}: cmd={}: it can't be run: {error}", spec.name, quoted_path(&spec.program));
    match spec.check() {
        _ if platform::is_out_of_resources(error) => StartError::Resources(why),
        // The error is the same where only the working directory is missing; the check tells them apart.
        Err(why) => StartError::Program(why),
        Ok(()) => StartError::Program(why),
    }
}

/// The fault of an engine that has sent nothing in time, or nothing that belongs to the protocol.
fn no_answer(garbage: Option<String>, unfinished: &str, expected: &str, patience: Duration) -> EngineFault {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_protocol_is_garbage() {
        assert!(is_protocol("info depth 3") && is_protocol("  ") && is_protocol("bestmove"));
        assert!(!is_protocol("%$@") && !is_protocol("Welcome to the engine"));
    }
}
