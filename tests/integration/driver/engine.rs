//! A running session.

use super::program::command;
use super::search_output::{Info, SearchOutput, is_current_move};
use super::{SILENCE, TIMEOUT};
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

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
        engine.send_until("uci", "uciok");
        engine
    }

    /// Starts a session that has been greeted with `ugi`.
    pub fn ugi() -> Self {
        let mut engine = Self::start();
        engine.send_until("ugi", "ugiok");
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
        match self.line_within(TIMEOUT) {
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

    /// Sends a line and returns all lines up to, but without, the one that is `end`.
    pub fn send_until(&mut self, text: &str, end: &str) -> Vec<String> {
        self.send(text);
        let mut lines = self.lines_until(|line| line == end);
        lines.pop();
        lines
    }

    /// Sends a `query`: what stands behind `response` in its one line.
    pub fn query(&mut self, what: &str) -> String {
        self.send(&format!("query {what}"));
        let line = self.line();
        match line.strip_prefix("response ") {
            Some(response) => response.to_owned(),
            None => panic!("query {what}: {line}\n{}", self.tail()),
        }
    }

    /// Sends a line and returns the `info string`s that it gives rise to; there may be nothing else. A `query` marks
    /// their end.
    pub fn info_strings(&mut self, text: &str) -> Vec<String> {
        self.send(&format!("{text}\nquery p1turn"));
        let mut lines = self.lines_until(|line| line.starts_with("response "));
        lines.pop();
        for line in &lines {
            assert!(line.starts_with("info string ") && line.len() > 20, "{line}\n{}", self.tail());
        }
        lines
    }

    /// Sends a line that must be answered by exactly one `info string`, and returns it.
    pub fn info_string(&mut self, text: &str) -> String {
        let mut lines = self.info_strings(text);
        assert_eq!(lines.len(), 1, "{lines:#?}\n{}", self.tail());
        lines.remove(0)
    }

    /// Sends `isready` and returns how long `readyok` took. Infos of a search may come in between, nothing else.
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
    pub fn expect_silence_after(&mut self, text: &str) {
        self.send(text);
        self.send("isready");
        assert_eq!(self.line(), "readyok", "after {text}\n{}", self.tail());
    }

    /// Checks that no `bestmove` comes for a while; infos may, and are returned.
    pub fn expect_no_bestmove(&mut self) -> Vec<Info> {
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
    pub fn search(&mut self, go: &str) -> SearchOutput {
        let began = Instant::now();
        self.send(go);
        let answer = self.search_output(began);
        let is_chatty = answer.current_moves > 0 || answer.infos.iter().any(|info| info.is_bound);
        assert!(
            !is_chatty || answer.time > Duration::from_millis(950),
            "chatty before a second is over\n{}",
            self.tail()
        );
        answer
    }

    /// Reads a search's lines up to its `bestmove`; the clock began then.
    pub fn search_output(&mut self, began: Instant) -> SearchOutput {
        let mut lines = self.lines_until(|line| line.starts_with("bestmove"));
        let time = began.elapsed();
        let last = lines.pop().unwrap();
        let (current, lines): (Vec<_>, Vec<_>) = lines.into_iter().partition(|line| line.contains(" currmove "));
        for line in &current {
            assert!(is_current_move(line), "{line}\n{}", self.tail());
        }
        let (infos, strings): (Vec<_>, Vec<_>) = lines.into_iter().partition(|line| !line.starts_with("info string "));
        let answer = SearchOutput::read(&infos, strings, &last, time);
        let answer = answer.unwrap_or_else(|why| panic!("{why}\n{}", self.tail()));
        SearchOutput { current_moves: current.len(), ..answer }
    }

    /// Whether a `bestmove` comes within this time.
    pub fn bestmove_within(&mut self, time: Duration) -> bool {
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

    /// The last lines sent and received, for messages.
    pub fn tail(&self) -> String {
        let lines: Vec<&str> = self.transcript.lines().collect();
        lines.iter().skip(lines.len().saturating_sub(30)).fold(String::new(), |text, line| text + line + "\n")
    }
}
