//! Drives the built program as a client does: lines in, lines out, every wait with a deadline.
//!
//! [`Engine`] is a running `sundarban`; its output is read by a thread of its own, so that a test never hangs on a
//! silent program. [`Info`] and [`Answer`] are what a search says, read strictly: whatever a client could stumble over
//! is a failure here.

use std::io::{BufRead, BufReader, Read, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::{Child, ChildStdin, Command, ExitStatus, Output, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// How long an answer that is certain to come may take on a busy machine.
pub const PATIENCE: Duration = Duration::from_secs(60);
/// How long a silence has to last to be believed.
pub const SILENCE: Duration = Duration::from_millis(150);

/// The seven rule sets by name.
pub const RULE_SETS: [&str; 7] =
    ["baghbandi", "moderno", "super", "baghguti", "baghguti-murray", "wikipedia", "wikipedia-multi"];
/// The start of the standard rules.
pub const START: &str = "5/2E1E/1t1t1/2E1E/5 w 0 1";

/// Held by tests that measure time, so that they don't measure each other.
pub fn stopwatch() -> MutexGuard<'static, ()> {
    static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());
    ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner)
}

/// How often a promise about time may be put to the test.
const ATTEMPTS: u32 = 10;

/// Repeats an attempt until it succeeds. What is promised about time no program can keep every time on a busy machine,
/// but one that keeps the promise does so in some attempt.
pub fn in_some_attempt(mut attempt: impl FnMut()) {
    for number in 1..ATTEMPTS {
        if catch_unwind(AssertUnwindSafe(&mut attempt)).is_ok() {
            return;
        }
        println!("attempt {number} of {ATTEMPTS} has failed");
        // Whatever keeps the machine busy may be over by the next.
        std::thread::sleep(Duration::from_millis(100) * number);
    }
    attempt();
}

/// Runs the program to its end with these arguments and this input.
pub fn run(args: &[&str], input: &str) -> Output {
    let mut child = command(args).stderr(Stdio::piped()).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let input = input.to_owned();
    // A program that ends without reading closes the pipe; that is its right.
    let writer = std::thread::spawn(move || stdin.write_all(input.as_bytes()).is_ok());
    let output = child.wait_with_output().unwrap();
    let _ = writer.join();
    output
}

fn command(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_sundarban"));
    command.args(args).env_remove("RUST_LOG").stdin(Stdio::piped()).stdout(Stdio::piped());
    command
}

/// A running program. It is killed when this is dropped.
pub struct Engine {
    child: Child,
    input: Option<ChildStdin>,
    lines: Receiver<String>,
    /// All that was sent and received, for the message of a failure.
    transcript: String,
}

impl Drop for Engine {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Engine {
    /// Starts a session; nothing is sent yet.
    pub fn start() -> Self {
        Self::start_with(&[])
    }

    /// Starts the program with these arguments.
    pub fn start_with(args: &[&str]) -> Self {
        let mut child = command(args).stderr(Stdio::null()).spawn().unwrap();
        let input = child.stdin.take();
        let stdout = child.stdout.take().unwrap();
        let (sender, lines) = channel();
        std::thread::spawn(move || {
            for line in BufReader::new(stdout).lines() {
                // What is not UTF-8 or not for anybody any more ends the reading; the test then fails for want of a line.
                let Ok(line) = line else { return };
                if sender.send(line).is_err() {
                    return;
                }
            }
        });
        Self { child, input, lines, transcript: String::new() }
    }

    /// Starts a session that has been greeted with `uci`.
    pub fn uci() -> Self {
        let mut engine = Self::start();
        engine.ask("uci", "uciok");
        engine
    }

    /// Starts a session that has been greeted with `ugi`.
    pub fn ugi() -> Self {
        let mut engine = Self::start();
        engine.ask("ugi", "ugiok");
        engine
    }

    /// Starts a UCI session under a rule set.
    pub fn under(rules: &str) -> Self {
        let mut engine = Self::uci();
        engine.send(&format!("setoption name UCI_Variant value {rules}"));
        engine
    }

    /// The process's number.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Sends a line, or several with line feeds between them.
    pub fn send(&mut self, text: &str) {
        self.send_bytes(format!("{text}\n").as_bytes());
    }

    /// Sends bytes as they are.
    pub fn send_bytes(&mut self, bytes: &[u8]) {
        let shown: String = String::from_utf8_lossy(bytes).chars().take(400).collect();
        self.transcript += &format!("> {}\n", shown.trim_end());
        let input = self.input.as_mut().unwrap();
        if let Err(error) = input.write_all(bytes).and_then(|()| input.flush()) {
            panic!("input not taken: {error}\n{}", self.transcript);
        }
    }

    /// Ends the input.
    pub fn close_input(&mut self) {
        self.input = None;
    }

    /// The next line, or `None` if none comes within this time or the output has ended.
    pub fn line_within(&mut self, time: Duration) -> Option<String> {
        match self.lines.recv_timeout(time) {
            Ok(line) => {
                self.transcript += &format!("< {line}\n");
                Some(line)
            }
            Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => None,
        }
    }

    /// The next line, which has to come.
    pub fn line(&mut self) -> String {
        match self.line_within(PATIENCE) {
            Some(line) => line,
            None => panic!("no line came\n{}", self.tail()),
        }
    }

    /// All lines up to and with the first of which this holds.
    pub fn lines_until(&mut self, is_last: impl Fn(&str) -> bool) -> Vec<String> {
        let mut lines = Vec::new();
        loop {
            let line = self.line();
            let is_end = is_last(&line);
            lines.push(line);
            if is_end {
                return lines;
            }
        }
    }

    /// Sends a line and returns all lines before the one that ends the answer.
    pub fn ask(&mut self, text: &str, end: &str) -> Vec<String> {
        self.send(text);
        let mut lines = self.lines_until(|line| line == end);
        lines.pop();
        lines
    }

    /// Asks the referee: what stands behind `response` in the one line of the answer.
    pub fn query(&mut self, what: &str) -> String {
        self.send(&format!("query {what}"));
        let line = self.line();
        match line.strip_prefix("response ") {
            Some(response) => response.to_owned(),
            None => panic!("query {what}: {line}\n{}", self.tail()),
        }
    }

    /// Sends a line that is owed complaints, and returns these. `query` marks their end.
    pub fn complaints(&mut self, text: &str) -> Vec<String> {
        self.send(&format!("{text}\nquery p1turn"));
        let mut lines = self.lines_until(|line| line.starts_with("response "));
        lines.pop();
        for line in &lines {
            assert!(line.starts_with("info string ") && line.len() > 20, "{line}\n{}", self.tail());
        }
        lines
    }

    /// Sends a line that must be answered by exactly one `info string`, and returns it.
    pub fn complaint(&mut self, text: &str) -> String {
        let mut lines = self.complaints(text);
        assert_eq!(lines.len(), 1, "{lines:#?}\n{}", self.tail());
        lines.remove(0)
    }

    /// Says `isready` and returns how long `readyok` took. Infos of a search may come in between, nothing else.
    pub fn ping(&mut self) -> Duration {
        let began = Instant::now();
        self.send("isready");
        let lines = self.lines_until(|line| line == "readyok");
        let time = began.elapsed();
        for line in lines {
            assert!(line == "readyok" || line.starts_with("info "), "{line}\n{}", self.tail());
        }
        time
    }

    /// Sends a line and checks that it is not answered at all.
    pub fn expect_nothing_for(&mut self, text: &str) {
        self.send(text);
        self.send("isready");
        assert_eq!(self.line(), "readyok", "after {text}\n{}", self.tail());
    }

    /// Checks that no `bestmove` comes for a while; infos may, and are returned.
    pub fn expect_no_answer(&mut self) -> Vec<Info> {
        let end = Instant::now() + SILENCE;
        let mut infos = Vec::new();
        while let Some(line) = self.line_within(end.saturating_duration_since(Instant::now())) {
            assert!(line.starts_with("info "), "{line}\n{}", self.tail());
            if !line.starts_with("info string ") && !is_current_move(&line) {
                let info = Info::read(&line);
                infos.push(info.unwrap_or_else(|why| panic!("{why} in: {line}")));
            }
        }
        infos
    }

    /// Sends a `go` and reads its answer.
    pub fn search(&mut self, go: &str) -> Answer {
        let began = Instant::now();
        self.send(go);
        let answer = self.answer(began);
        let is_chatty = answer.current_moves > 0 || answer.infos.iter().any(|info| info.is_bound);
        assert!(
            !is_chatty || answer.time > Duration::from_millis(950),
            "chatty before a second is over\n{}",
            self.tail()
        );
        answer
    }

    /// Reads a search's lines up to its `bestmove`; the clock began then.
    pub fn answer(&mut self, began: Instant) -> Answer {
        let mut lines = self.lines_until(|line| line.starts_with("bestmove"));
        let time = began.elapsed();
        let last = lines.pop().unwrap();
        let (current, lines): (Vec<_>, Vec<_>) = lines.into_iter().partition(|line| line.contains(" currmove "));
        for line in &current {
            assert!(is_current_move(line), "{line}\n{}", self.tail());
        }
        let (infos, strings): (Vec<_>, Vec<_>) = lines.into_iter().partition(|line| !line.starts_with("info string "));
        let answer = Answer::read(&infos, strings, &last, time);
        let answer = answer.unwrap_or_else(|why| panic!("{why}\n{}", self.tail()));
        Answer { current_moves: current.len(), ..answer }
    }

    /// Whether a `bestmove` comes within this time.
    pub fn answered_within(&mut self, time: Duration) -> bool {
        let end = Instant::now() + time;
        while let Some(line) = self.line_within(end.saturating_duration_since(Instant::now())) {
            if line.starts_with("bestmove ") {
                return true;
            }
        }
        false
    }

    /// The exit code, which has to come within this time.
    pub fn exit_code_within(&mut self, time: Duration) -> Option<i32> {
        let end = Instant::now() + time;
        loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                return ExitStatus::code(&status);
            }
            assert!(Instant::now() < end, "still running after {time:?}\n{}", self.tail());
            std::thread::sleep(Duration::from_millis(1));
        }
    }

    /// The end of what was said, for messages.
    pub fn tail(&self) -> String {
        let lines: Vec<&str> = self.transcript.lines().collect();
        lines.iter().skip(lines.len().saturating_sub(30)).fold(String::new(), |text, line| text + line + "\n")
    }
}

/// A score as a client reads it.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Score {
    /// Hundredths of a goat.
    Cp(i64),
    /// Moves (UCI) or plies (UGI) to the end.
    Mate(i64),
}

/// An `info` line of a search.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Info {
    /// Plies.
    pub depth: u64,
    /// Which line, from 1.
    pub multipv: u64,
    /// The mover's score.
    pub score: Score,
    /// Whether it is a bound only.
    pub is_bound: bool,
    /// Win, draw, loss in thousandths.
    pub wdl: Option<[u64; 3]>,
    /// Nodes so far.
    pub nodes: u64,
    /// Nodes a second.
    pub nps: u64,
    /// Thousandths of the table in use.
    pub hashfull: u64,
    /// Milliseconds so far.
    pub time: u64,
    /// Moves.
    pub pv: Vec<String>,
    /// The line without `nps` and `time`, which no two runs share.
    pub timeless: String,
}

/// Takes a number off the front of words.
fn number<T: std::str::FromStr>(words: &mut std::slice::Iter<&str>, what: &str) -> Result<T, String> {
    let word = words.next().ok_or_else(|| format!("{what}: nothing behind it"))?;
    word.parse().map_err(|_| format!("{what}: '{word}' is no whole number in range"))
}

impl Info {
    /// Reads a line, strictly: only words of the contract, each at most once, the pv last.
    fn read(line: &str) -> Result<Self, String> {
        let all: Vec<&str> = line.split(' ').collect();
        let mut words = all.iter();
        if words.next() != Some(&"info") {
            return Err("not an info".to_owned());
        }
        let (mut seen, mut timeless) = (Vec::new(), Vec::new());
        let mut score = None;
        let mut info = Self {
            depth: 0,
            multipv: 0,
            score: Score::Cp(0),
            is_bound: false,
            wdl: None,
            nodes: 0,
            nps: 0,
            hashfull: 0,
            time: 0,
            pv: Vec::new(),
            timeless: String::new(),
        };
        while let Some(word) = words.next() {
            if seen.contains(word) {
                return Err(format!("'{word}' twice"));
            }
            seen.push(word);
            let rest_before = words.as_slice().len() + 1;
            match *word {
                "depth" => info.depth = number(&mut words, word)?,
                "seldepth" => drop(number::<u64>(&mut words, word)?),
                "multipv" => info.multipv = number(&mut words, word)?,
                "score" => {
                    score = Some(match words.next() {
                        Some(&"cp") => Score::Cp(number(&mut words, "cp")?),
                        Some(&"mate") => Score::Mate(number(&mut words, "mate")?),
                        other => return Err(format!("score {other:?}")),
                    });
                }
                "lowerbound" | "upperbound" => info.is_bound = true,
                "wdl" => {
                    let wdl = [number(&mut words, word)?, number(&mut words, word)?, number(&mut words, word)?];
                    if wdl.iter().sum::<u64>() != 1000 {
                        return Err(format!("wdl {wdl:?} is not 1000 in all"));
                    }
                    info.wdl = Some(wdl);
                }
                "nodes" => info.nodes = number(&mut words, word)?,
                "nps" => info.nps = number(&mut words, word)?,
                "tbhits" => drop(number::<u64>(&mut words, word)?),
                "hashfull" => info.hashfull = number(&mut words, word)?,
                "time" => info.time = number(&mut words, word)?,
                "pv" => {
                    info.pv = words.by_ref().map(|mv| (*mv).to_owned()).collect();
                    if info.pv.is_empty() || !info.pv.iter().all(|mv| is_move(mv)) {
                        return Err(format!("pv {:?}", info.pv));
                    }
                }
                other => return Err(format!("unknown word '{other}'")),
            }
            if !matches!(*word, "nps" | "time") {
                let from = all.len() - rest_before;
                timeless.extend_from_slice(&all[from..all.len() - words.as_slice().len()]);
            }
        }
        for word in ["depth", "seldepth", "multipv", "score", "nodes", "nps", "time"] {
            if !seen.contains(&word) {
                return Err(format!("no '{word}'"));
            }
        }
        if info.hashfull > 1000 {
            return Err(format!("hashfull {}", info.hashfull));
        }
        info.score = score.ok_or("no score")?;
        info.timeless = timeless.join(" ");
        Ok(info)
    }
}

/// Whether a line says which move is searched: `info depth N currmove M currmovenumber K`.
fn is_current_move(line: &str) -> bool {
    let is_number = |text: &str| text.parse::<u64>().is_ok();
    let words: Vec<&str> = line.split(' ').collect();
    match words.as_slice() {
        ["info", "depth", depth, "currmove", mv, "currmovenumber", number] => {
            is_number(depth) && is_move(mv) && is_number(number)
        }
        _ => false,
    }
}

/// Whether a text has the form of a move: two points or more.
pub fn is_move(text: &str) -> bool {
    let is_point = |point: &[u8]| matches!(point, [b'a'..=b'e', b'1'..=b'5']);
    text.len() >= 4 && text.len().is_multiple_of(2) && text.as_bytes().chunks(2).all(is_point)
}

/// All that a search said.
#[derive(Clone, Debug)]
pub struct Answer {
    /// Its infos, at least one.
    pub infos: Vec<Info>,
    /// Its `info string` lines.
    pub strings: Vec<String>,
    /// How many lines said which move is searched.
    pub current_moves: usize,
    /// The move, or `(none)`.
    pub best: String,
    /// The reply it expects.
    pub ponder: Option<String>,
    /// From `go` to `bestmove`.
    pub time: Duration,
}

impl Answer {
    /// Reads a search's lines and checks what holds for every search.
    fn read(infos: &[String], strings: Vec<String>, last: &str, time: Duration) -> Result<Self, String> {
        let read = |line: &String| Info::read(line).map_err(|why| format!("{why} in: {line}"));
        let infos = infos.iter().map(read).collect::<Result<Vec<_>, _>>()?;
        let words: Vec<&str> = last.split(' ').collect();
        let (best, ponder) = match words.as_slice() {
            ["bestmove", best] => (*best, None),
            ["bestmove", best, "ponder", reply] => (*best, Some((*reply).to_owned())),
            _ => return Err(format!("malformed: {last}")),
        };
        if best != "(none)" && !is_move(best) {
            return Err(format!("no move: {last}"));
        }
        let answer = Self { infos, strings, current_moves: 0, best: best.to_owned(), ponder, time };
        answer.check().map(|()| answer)
    }

    fn check(&self) -> Result<(), String> {
        let last = self.infos.last().ok_or("bestmove without an info")?;
        let first_line = self.infos.iter().rfind(|info| info.multipv == 1).ok_or("no info with multipv 1")?;
        if first_line.pv.first().map_or("(none)", String::as_str) != self.best {
            return Err(format!("bestmove {} is not the pv's first {:?}", self.best, first_line.pv));
        }
        if first_line.is_bound || last.is_bound {
            return Err("the last info is a bound only".to_owned());
        }
        if !self.infos.iter().is_sorted_by_key(|info| info.nodes)
            || !self.infos.iter().is_sorted_by_key(|info| info.time)
        {
            return Err("nodes or time run backwards".to_owned());
        }
        Ok(())
    }

    /// The last info of the best line.
    pub fn last(&self) -> &Info {
        self.infos.iter().rfind(|info| info.multipv == 1).unwrap()
    }

    /// The infos without what no two runs share, which bounds are as well: they come after a second only.
    pub fn timeless(&self) -> Vec<&str> {
        self.infos.iter().filter(|info| !info.is_bound).map(|info| info.timeless.as_str()).collect()
    }
}

/// Reads a pipe's first line, then closes it.
pub fn first_line_then_close(args: &[&str], input: &str) -> (String, Option<i32>) {
    let mut child = command(args).stderr(Stdio::null()).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let _ = stdin.write_all(input.as_bytes());
    let mut line = String::new();
    {
        let mut out = BufReader::with_capacity(1, child.stdout.take().unwrap()).take(4096);
        out.read_line(&mut line).unwrap();
    }
    let end = Instant::now() + PATIENCE;
    loop {
        if let Some(status) = child.try_wait().unwrap() {
            return (line, status.code());
        }
        if Instant::now() > end {
            let _ = child.kill();
            let _ = child.wait();
            panic!("still running {args:?} with its output closed");
        }
        std::thread::sleep(Duration::from_millis(2));
    }
}
