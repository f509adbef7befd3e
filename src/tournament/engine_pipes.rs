//! The pipes of an engine's process, each served by a thread of its own: lines for its input, lines from its output,
//! and the last line of its standard error.
//!
//! The threads are never joined: they end with the pipes, at the latest when the process group is killed.

use std::io::{self, BufRead, BufReader, Write};
use std::process::Child;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, SyncSender, channel, sync_channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// Longest line that an engine may send, in bytes.
pub const LONGEST_LINE: usize = 1 << 20;
/// Lines of output in the queue; an engine that sends more has to wait. With the longest lines they are 32 MiB.
const QUEUED_LINES: usize = 32;
/// Most of an unfinished line, or of a line of standard error, that is kept, in bytes.
const SHOWN: usize = 200;

/// An item of an engine's output.
pub enum OutputItem {
    /// A whole line with the time when it came.
    Line(Instant, String),
    /// A line of more than [`LONGEST_LINE`] bytes; nothing comes after it.
    LineTooLong,
    /// The end of the output.
    End,
}

/// What the reading threads know beside the queue of lines.
#[derive(Debug, Default)]
pub struct PipeState {
    /// Beginning of the output's last line while it is not whole.
    pub unfinished: String,
    /// The last line on standard error.
    pub last_error: String,
    /// Whether standard error has ended.
    pub is_error_over: bool,
}

/// A process's standard streams.
pub struct EnginePipes {
    /// `None` once it is closed.
    input: Option<Sender<String>>,
    output: Receiver<OutputItem>,
    state: Arc<Mutex<PipeState>>,
}

impl EnginePipes {
    /// Takes the pipes of a process and starts their threads.
    ///
    /// # Errors
    /// Says which resource is missing.
    pub fn open(child: &mut Child) -> Result<Self, String> {
        let (Some(stdin), Some(stdout), Some(stderr)) = (child.stdin.take(), child.stdout.take(), child.stderr.take())
        else {
            return Err("it has no pipes".to_owned());
        };
        let (input, lines) = channel();
        let (sender, output) = sync_channel(QUEUED_LINES);
        let state = Arc::new(Mutex::new(PipeState::default()));
        let (of_output, of_errors) = (Arc::clone(&state), Arc::clone(&state));
        let builder = thread::Builder::new;
        builder()
            .spawn(move || write_lines(stdin, &lines))
            .and_then(|_| builder().spawn(move || read_lines(BufReader::new(stdout), &sender, &of_output)))
            .and_then(|_| builder().spawn(move || read_errors(BufReader::new(stderr), &of_errors)))
            .map_err(|error| format!("no thread for it: {error}"))?;
        Ok(Self { input: Some(input), output, state })
    }

    /// Sends a line. Nothing happens if the process no longer reads: its output has ended then.
    pub fn send(&self, line: &str) {
        if let Some(input) = &self.input {
            let _ = input.send(format!("{line}\n"));
        }
    }

    /// Closes the process's input after all that was sent.
    pub fn close_input(&mut self) {
        self.input = None;
    }

    /// The next item of output.
    ///
    /// # Errors
    /// None came in time, or the output has ended.
    pub fn receive(&self, timeout: Duration) -> Result<OutputItem, RecvTimeoutError> {
        self.output.recv_timeout(timeout)
    }

    pub fn state(&self) -> MutexGuard<'_, PipeState> {
        lock(&self.state)
    }
}

fn lock(state: &Mutex<PipeState>) -> MutexGuard<'_, PipeState> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}

fn write_lines(mut input: impl Write, lines: &Receiver<String>) {
    for line in lines {
        if input.write_all(line.as_bytes()).and_then(|()| input.flush()).is_err() {
            return;
        }
    }
}

fn read_lines(mut output: impl BufRead, lines: &SyncSender<OutputItem>, state: &Mutex<PipeState>) {
    let mut bytes: Vec<u8> = Vec::new();
    loop {
        let Some((taken, is_whole)) = extend_line(&mut output, &mut bytes) else {
            // Sending fails only if nobody waits for the engine any more.
            let _ = lines.send(OutputItem::End);
            return;
        };
        if bytes.len() + usize::from(!is_whole) > LONGEST_LINE {
            let _ = lines.send(OutputItem::LineTooLong);
            return;
        }
        output.consume(taken);
        lock(state).unfinished = if is_whole { String::new() } else { beginning(&bytes) };
        if is_whole {
            let line = String::from_utf8_lossy(&bytes).trim_end().to_owned();
            bytes.clear();
            if lines.send(OutputItem::Line(Instant::now(), line)).is_err() {
                return;
            }
        }
    }
}

/// Appends to a line the bytes that have come, up to the line's end. Returns their number, which the caller has to
/// consume, and whether the line is whole; `None` at the end of the stream.
fn extend_line(stream: &mut impl BufRead, line: &mut Vec<u8>) -> Option<(usize, bool)> {
    loop {
        match stream.fill_buf() {
            Ok([]) => return None,
            Ok(bytes) => {
                let end = bytes.iter().position(|byte| *byte == b'\n');
                let taken = end.map_or(bytes.len(), |end| end + 1);
                line.extend(bytes.iter().take(taken));
                return Some((taken, end.is_some()));
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(_) => return None,
        }
    }
}

/// The first [`SHOWN`] bytes of a line.
fn beginning(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes.get(..SHOWN).unwrap_or(bytes)).trim().to_owned()
}

/// Reads standard error to its end and keeps the last line that is not blank.
fn read_errors(mut errors: impl BufRead, state: &Mutex<PipeState>) {
    let mut bytes: Vec<u8> = Vec::new();
    while let Some((taken, is_whole)) = extend_line(&mut errors, &mut bytes) {
        errors.consume(taken);
        bytes.truncate(SHOWN);
        let line = beginning(&bytes);
        if !line.is_empty() {
            lock(state).last_error = line;
        }
        if is_whole {
            bytes.clear();
        }
    }
    lock(state).is_error_over = true;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_sent_when_they_are_whole() {
        let (sender, lines) = sync_channel(9);
        let state = Mutex::new(PipeState::default());
        read_lines(&b"one\r\n\nbestmove c2"[..], &sender, &state);
        let read: Vec<String> = lines
            .try_iter()
            .map(|item| match item {
                OutputItem::Line(_, line) => line,
                OutputItem::LineTooLong => "too long".to_owned(),
                OutputItem::End => "end".to_owned(),
            })
            .collect();
        assert_eq!(
            (read, lock(&state).unfinished.as_str()),
            (vec!["one".into(), "".into(), "end".into()], "bestmove c2")
        );
        read_errors(&b"first\nlast\n\n"[..], &state);
        assert!(lock(&state).last_error == "last" && lock(&state).is_error_over);
    }
}
