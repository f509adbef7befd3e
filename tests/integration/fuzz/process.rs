//! Runs of the built program under a time limit.

use crate::driver::command;
use std::io::{Read, Write};
use std::path::Path;
use std::process::{Child, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::{Duration, Instant};

/// How long a run may take, whatever it is given.
const LIMIT: Duration = Duration::from_secs(120);

/// What a run has printed, and its exit code.
pub struct Run {
    pub out: Vec<u8>,
    pub err: String,
    pub code: i32,
}

impl Run {
    /// Standard output, which must be text.
    pub fn text(&self) -> Result<&str, String> {
        std::str::from_utf8(&self.out).map_err(|error| format!("output is not UTF-8: {error}"))
    }

    /// The lines of standard output.
    pub fn lines(&self) -> Result<Vec<&str>, String> {
        let text = self.text()?;
        match text.strip_suffix('\n') {
            None if !text.is_empty() => Err("the last line of output has no end".to_owned()),
            None => Ok(Vec::new()),
            Some(lines) => Ok(lines.split('\n').collect()),
        }
    }
}

/// Everything that a pipe has, once it is closed.
fn all_of(pipe: Option<impl Read + Send + 'static>) -> Receiver<Vec<u8>> {
    let (sender, receiver) = channel();
    thread::spawn(move || {
        let mut bytes = Vec::new();
        let read = pipe.map(|mut pipe| pipe.read_to_end(&mut bytes));
        drop(read);
        sender.send(bytes).is_ok()
    });
    receiver
}

/// Runs the program in a folder with these arguments and this input.
///
/// # Errors
/// If it hangs, is killed by a signal, panics, or ends with an exit code that it must not have.
pub fn run_in(folder: &Path, args: &[&str], input: &[u8]) -> Result<Run, String> {
    let mut command = command(args);
    command.stderr(Stdio::piped()).current_dir(folder);
    let mut child = command.spawn().map_err(|error| format!("{args:?}: {error}"))?;
    let (out, err) = (all_of(child.stdout.take()), all_of(child.stderr.take()));
    let mut stdin = child.stdin.take();
    let input = input.to_vec();
    thread::spawn(move || stdin.as_mut().map(|stdin| stdin.write_all(&input)).is_some());
    let code = exit_code(&mut child).map_err(|why| format!("{args:?}: {why}"))?;
    let (Ok(out), Ok(err)) = (out.recv_timeout(LIMIT), err.recv_timeout(LIMIT)) else {
        return Err(format!("{args:?}: its output does not end"));
    };
    let err = String::from_utf8(err).map_err(|error| format!("standard error is not UTF-8: {error}"))?;
    match code {
        _ if err.contains("panicked") => Err(format!("{args:?}: {err}")),
        Some(code @ 0..=2) => Ok(Run { out, err, code }),
        code => Err(format!("{args:?}: exit code {code:?}: {err}")),
    }
}

fn exit_code(child: &mut Child) -> Result<Option<i32>, String> {
    let began = Instant::now();
    loop {
        match child.try_wait() {
            Err(error) => return Err(error.to_string()),
            Ok(Some(status)) => return Ok(status.code()),
            Ok(None) if began.elapsed() > LIMIT => {
                let _ = child.kill();
                let _ = child.wait();
                return Err(format!("still running after {LIMIT:?}"));
            }
            Ok(None) => {
                thread::sleep(Duration::from_micros(if began.elapsed().as_millis() < 20 { 300 } else { 2_000 }))
            }
        }
    }
}
