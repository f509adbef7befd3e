//! Single runs of the program.

use super::TIMEOUT;
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

/// The built program.
pub const PROGRAM: &str = env!("CARGO_BIN_EXE_sundarban");

/// The program with these arguments, its input and output pipes.
pub fn command(args: &[&str]) -> Command {
    let mut command = Command::new(PROGRAM);
    command.args(args).env_remove("RUST_LOG").stdin(Stdio::piped()).stdout(Stdio::piped());
    command
}

/// Starts the program with pipes to all its streams.
pub fn spawn(args: &[&str]) -> Child {
    command(args).stderr(Stdio::piped()).spawn().unwrap()
}

/// Runs the program to its end with these arguments and this input.
pub fn run(args: &[&str], input: impl AsRef<[u8]>) -> Output {
    let mut child = spawn(args);
    let mut stdin = child.stdin.take().unwrap();
    let input = input.as_ref().to_owned();
    // A program that ends without reading closes the pipe; that is its right.
    let writer = std::thread::spawn(move || stdin.write_all(&input).is_ok());
    let output = child.wait_with_output().unwrap();
    let _ = writer.join();
    output
}

/// What a run prints that must succeed without a word on standard error.
pub fn output(args: &[&str], input: &str) -> String {
    let output = run(args, input);
    let errors = stderr(&output);
    assert!(output.status.success() && errors.is_empty(), "{args:?}: {errors}");
    stdout(&output)
}

/// Standard output as text.
pub fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

/// Standard error as text.
pub fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

/// An empty folder for a test, by a name that no other test uses.
pub fn empty_folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    folder
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
    let end = Instant::now() + TIMEOUT;
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
