//! Ctrl-C: the match prints its standing before it ends.
//!
//! Signals can't be caught without foreign code. So the process that the user has started becomes a shell that catches
//! them, and the match runs in its child, which ignores them as every background job of a shell does. The shell passes
//! the news on through a named pipe. If the shell is killed the pipe ends, and the match with it; if the match ends the
//! shell ends with its exit code. Both are in one process group, so that a terminal stops and continues them together.

use std::ffi::OsString;
use std::io;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};

/// Exit code after an interruption, as of programs that Ctrl-C ends: 128 and the number of the signal.
pub const EXIT_CODE: u8 = 130;

/// Whether the user has interrupted the match.
#[derive(Clone, Debug, Default)]
pub struct Interrupt {
    is_set: Arc<AtomicBool>,
}

impl Interrupt {
    pub fn is_set(&self) -> bool {
        self.is_set.load(SeqCst)
    }
}

/// Becomes the shell that catches signals, which runs a program with arguments as its child: `command` makes them from
/// the path by which that one can [`listen`]. Returns only if that is not possible here; the match has to
/// do without.
#[cfg(unix)]
pub fn supervise(command: impl FnOnce(&Path) -> Vec<OsString>) {
    use std::os::unix::process::CommandExt;
    use std::process::{Command, Stdio};
    use std::time::SystemTime;
    const SCRIPT: &str = "f=$1; shift; exec 4<&0 3<>\"$f\" || exit 1
trap 'echo stop >&3' INT TERM
(exec <&4 3>&- 4<&-; exec \"$@\") &
child=$!
exec 4<&-
while :; do wait $child; code=$?; kill -0 $child 2>/dev/null || exit $code; done";
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    let pipe = std::env::temp_dir().join(format!("sundarban-{}-{}", std::process::id(), now.as_nanos()));
    let mut mkfifo = Command::new("mkfifo");
    mkfifo.args(["-m", "600"]).arg(&pipe).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    if !mkfifo.status().is_ok_and(|status| status.success()) {
        log::debug!("no named pipe, so that Ctrl-C ends the match at once");
        return;
    }
    // Under a tight limit of open files a shell may be unable to do what the script does.
    let mut trial = Command::new("sh");
    trial.args(["-c", "exec 4<&0 3<>\"$1\" && (exec <&4 3>&- 4<&-) && exec 4<&-", "sh", "/dev/null"]);
    trial.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    if !trial.status().is_ok_and(|status| status.success()) {
        let _ = std::fs::remove_file(&pipe);
        log::debug!("no working shell, so that Ctrl-C ends the match at once");
        return;
    }
    let error = Command::new("sh").arg("-c").arg(SCRIPT).arg("sundarban match").arg(&pipe).args(command(&pipe)).exec();
    let _ = std::fs::remove_file(&pipe);
    log::debug!("no shell, so that Ctrl-C ends the match at once: {error}");
}

/// Elsewhere Ctrl-C ends the match at once.
#[cfg(not(unix))]
pub fn supervise(_: impl FnOnce(&Path) -> Vec<OsString>) {}

/// Listens to the shell that has started this process: the first interruption sets the value that is returned, the
/// second one ends the process, and so does the end of the shell.
///
/// # Errors
/// If the pipe can't be opened, or there is no thread.
pub fn listen(pipe: &Path) -> io::Result<Interrupt> {
    use std::io::BufRead;
    let lines = io::BufReader::new(std::fs::File::open(pipe)?).lines();
    // It has no other readers.
    let _ = std::fs::remove_file(pipe);
    let interrupt = Interrupt::default();
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
