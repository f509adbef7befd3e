//! Ctrl-C: the match prints its standing before it ends.
//!
//! Signals can't be caught without foreign code. So the match runs in a child of the process that the user has started,
//! and Ctrl-C does not reach it. If the match ends the parent ends with its exit code.
//!
//! On Unix the parent becomes a shell that catches the signals, and its child ignores them as every background job of a
//! shell does. The shell passes the news on through a named pipe. If the shell is killed the pipe ends, and the match
//! with it. Both are in one process group, so that a terminal stops and continues them together.
//!
//! On Windows the parent dies of Ctrl-C, and its exit code is the system's. The match, in a process group of its own,
//! waits for the lock of a file that the parent has, and prints its standing once it gets it: then the parent has ended,
//! no matter why. What the user sees of it comes behind the next prompt.

use crate::platform;
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

/// Listens to the parent that [`platform::supervise`] has left around this process: the first interruption sets the
/// value that is returned, the second one ends the process, and so does the end of a shell.
///
/// # Errors
/// If the file `control` can't be opened, or there is no thread.
pub fn listen(control: &Path) -> io::Result<InterruptFlag> {
    let interruptions = platform::interruptions(control)?;
    let interrupt = InterruptFlag::default();
    let is_set = Arc::clone(&interrupt.is_set);
    std::thread::Builder::new().name("interrupt".to_owned()).spawn(move || {
        for () in interruptions {
            if is_set.swap(true, SeqCst) {
                std::process::exit(i32::from(EXIT_CODE));
            }
        }
        std::process::exit(1);
    })?;
    Ok(interrupt)
}
