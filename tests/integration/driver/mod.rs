//! Drives the built program as a client does: lines in, lines out, every wait with a deadline.
//!
//! [`Engine`] is a running `sundarban`; its output is read by a thread of its own, so that a test never hangs on a
//! silent program. [`Info`] and [`SearchOutput`] are what a search prints, read strictly: whatever a client could
//! stumble over is a failure here.

mod engine;
mod platform;
mod program;
mod search_output;
mod tables;

pub use engine::Engine;
pub use platform::{
    DEVICES, ODD_NAME, has_proc, has_shell, hold, in_own_group, link, make_executable, name_without_unicode,
    peak_memory, replaces_open_files, skipped,
};
pub use program::{PROGRAM, command, empty_folder, first_line_then_close, output, run, spawn, stderr, stdout};
pub use search_output::{Info, Score, SearchOutput, is_current_move, is_move};
pub use tables::Tables;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// How long an answer that is certain to come may take on a busy machine.
pub const TIMEOUT: Duration = Duration::from_secs(60);
/// How long a silence has to last to be believed.
pub const SILENCE: Duration = Duration::from_millis(150);

/// The seven rule sets by name.
pub const RULE_SETS: [&str; 7] =
    ["baghbandi", "moderno", "super", "baghguti", "baghguti-murray", "wikipedia", "wikipedia-multi"];
/// The start of the standard rules.
pub const START: &str = "5/2E1E/1t1t1/2E1E/5 w 0 1";

/// Held by tests that measure time, so that they don't measure each other.
pub fn timing_lock() -> MutexGuard<'static, ()> {
    static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());
    ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner)
}

const ATTEMPTS: u32 = 10;

/// Does the same with each of some cases, four at a time: most of what they take is waiting.
pub fn side_by_side<T: Sync>(cases: &[T], act: impl Fn(&T) + Sync) {
    let next = AtomicUsize::new(0);
    let work = || {
        while let Some(case) = cases.get(next.fetch_add(1, Ordering::Relaxed)) {
            act(case);
        }
    };
    std::thread::scope(|scope| (0..4).for_each(|_| drop(scope.spawn(work))));
}

/// Repeats an attempt until it succeeds, up to ten times. No program can keep a time limit every time on a busy
/// machine, but one that keeps it at all does so in some attempt.
pub fn retry(mut attempt: impl FnMut()) {
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
