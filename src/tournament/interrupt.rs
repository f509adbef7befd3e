//! Ctrl-C: the match prints its standing before it ends.
//!
//! Signals can't be caught without foreign code. So the process that the user has started becomes a shell that catches
//! them, and the match runs in its child, which ignores them as every background job of a shell does. The shell passes
//! the news on through a named pipe. If the shell is killed the pipe ends, and the match with it; if the match ends the
//! shell ends with its exit code. Both are in one process group, so that a terminal stops and continues them together.

use std::io;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};

/// Exit code after an interruption, as of programs that Ctrl-C ends: 128 and the number of the signal.
pub const EXIT_CODE: u8 = 130;

/// Whether the user has interrupted the match.
#[derive(Clone, Debug, Default)]
pub struct InterruptFlag {
    is_set: Arc<AtomicBool>,
}

impl InterruptFlag {
    pub fn is_set(&self) -> bool {
        self.is_set.load(SeqCst)
    }
}

/// Listens to the shell that has started this process: the first interruption sets the value that is returned, the
/// second one ends the process, and so does the end of the shell.
///
/// # Errors
/// If the pipe can't be opened, or there is no thread.
pub fn listen(pipe: &Path) -> io::Result<InterruptFlag> {
    use std::io::BufRead;
    let lines = io::BufReader::new(std::fs::File::open(pipe)?).lines();
    // It has no other readers.
    let _ = std::fs::remove_file(pipe);
    let interrupt = InterruptFlag::default();
    let is_set = Arc::clone(&interrupt.is_set);
    std::thread::Builder::new().name("interrupt".to_owned()).spawn(move || {
        for _ in lines.map_while(Result::ok) {
            if is_set.swap(true, SeqCst) {
                std::process::exit(i32::from(EXIT_CODE));
            }
        }
        std::process::exit(1);
    })?;
    Ok(interrupt)
}
