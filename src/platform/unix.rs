//! Linux, macOS and other Unix systems. The functions are described in [`super`].

use super::{PathKind, has_run};
use std::ffi::OsString;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, BufRead};
use std::os::unix::fs::{FileTypeExt, MetadataExt, PermissionsExt};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, SystemTime};

/// `ENFILE` and `EMFILE`, too many open files in the system or in this process; the same numbers on every Unix.
pub(super) const OUT_OF_RESOURCES: [i32; 2] = [23, 24];

/// How long a file that another process has locked is waited for: one that is just being started may hold it for a
/// moment.
pub const LOCK_TIME: Duration = Duration::from_millis(200);

/// What two paths to one file have in common: its device and inode number.
pub type FileIdentity = (u64, u64);

/// The identity of what a path leads to.
///
/// # Errors
/// If there is nothing, or it can't be seen.
pub fn file_identity(path: &Path) -> io::Result<FileIdentity> {
    fs::metadata(path).map(|found| (found.dev(), found.ino()))
}

/// Whether a path leads to our own standard output.
pub fn is_own_stdout(path: &Path) -> bool {
    let own = file_identity(Path::new("/dev/stdout")).ok();
    own.is_some() && own == file_identity(path).ok()
}

/// What a path leads to.
///
/// # Errors
/// If there is nothing, or it can't be seen.
pub fn path_kind(path: &Path) -> io::Result<PathKind> {
    let found = fs::metadata(path)?.file_type();
    Ok(match (found.is_file(), found.is_fifo()) {
        (true, _) => PathKind::File,
        (_, true) => PathKind::Pipe,
        _ => PathKind::Other,
    })
}

/// Whether an open file is a regular one.
///
/// # Errors
/// If that can't be seen.
pub fn is_regular(file: &File) -> io::Result<bool> {
    file.metadata().map(|found| found.is_file())
}

/// The file that is run by this path, which may be no program: the path itself.
pub fn program_file(path: &Path) -> Option<PathBuf> {
    path.is_file().then(|| path.to_owned())
}

/// The absolute path of a program, without links.
pub fn program_path(path: &Path) -> Option<PathBuf> {
    fs::canonicalize(path).ok()
}

/// Whether a path leads to a regular file that may be executed.
pub fn is_executable(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|found| found.is_file() && found.permissions().mode() & 0o111 != 0)
}

/// The folders in which a program without a path is looked for; `None` if they are not known.
pub fn search_path() -> Option<Vec<PathBuf>> {
    std::env::var_os("PATH").map(|path| std::env::split_paths(&path).collect())
}

/// Makes a process that will be started the leader of a group of its own.
pub fn in_own_group(command: &mut Command) -> &mut Command {
    command.process_group(0)
}

/// Kills a process that leads its own group, and all of the group. False if no program could be run that does it.
pub fn kill_with_children(id: u32) -> bool {
    // Group 0 would be our own, and 1 everything.
    if id < 2 {
        return true;
    }
    let target = format!("-{id}");
    // A failure of the program itself means that the group is gone already.
    has_run(Command::new("kill").args(["-KILL", "--", &target]))
        // Some systems have `kill` only in the shell.
        || has_run(Command::new("sh").args(["-c", &format!("kill -KILL -- {target}")]))
}

/// Opens a file to read it and append to it, made if it is not there, and locks it until it is closed: for this process
/// alone, or shared with others that share it. What is no regular file is not locked. It is at its beginning.
///
/// # Errors
/// [`io::ErrorKind::WouldBlock`] if another process has it; else as opening does.
pub fn open_append(path: &Path, is_shared: bool) -> io::Result<File> {
    // A pipe or a device may be open for writing only.
    let options = |can_read| OpenOptions::new().read(can_read).append(true).create(true).open(path);
    let file = if path_kind(path).is_ok_and(|kind| kind != PathKind::File) { options(false)? } else { options(true)? };
    if !is_regular(&file)? {
        return Ok(file);
    }
    match if is_shared { file.try_lock_shared() } else { file.try_lock() } {
        Err(TryLockError::WouldBlock) => return Err(io::ErrorKind::WouldBlock.into()),
        Err(TryLockError::Error(error)) => log::debug!("no lock: {error}"),
        Ok(()) => {}
    }
    Ok(file)
}

/// Renames a file, in place of another one that may be open.
///
/// # Errors
/// As renaming does.
pub fn rename_over(from: &Path, to: &Path) -> io::Result<()> {
    fs::rename(from, to)
}

/// Memory that can be had without swapping, in megabytes; `None` where the system does not say, as macOS.
pub fn available_memory() -> Option<u64> {
    let report = fs::read_to_string("/proc/meminfo").ok()?;
    let line = report.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    let kilobytes: u64 = line.split_whitespace().next()?.parse().ok()?;
    Some(kilobytes / 1024)
}

/// Has the terminal obey escape sequences, if it can; whether it does.
pub fn enable_terminal_escapes() -> bool {
    true
}

/// For tests: a device that takes everything, and one that takes nothing, if there is one.
#[cfg(test)]
pub const DEVICES: (&str, Option<&str>) =
    ("/dev/null", if cfg!(target_os = "linux") { Some("/dev/full") } else { None });

/// For tests: makes a symbolic link to a file, which not every user may elsewhere.
#[cfg(test)]
pub fn symlink(target: &str, link: &Path) -> io::Result<()> {
    std::os::unix::fs::symlink(target, link)
}

/// The shell around a supervised process: it passes SIGINT and SIGTERM on as lines of a named pipe, and ends with the
/// process's exit code. The process is a background job, which ignores SIGINT; SIGTERM, which `timeout` and service managers
/// send to the whole group, it ignores by order. An abort, by which Rust's runtime answers an allocation that fails after
/// saying so, becomes an error like any other: exit code 1.
const SUPERVISOR: &str = "f=$1; shift; exec 4<&0 3<>\"$f\" || exit 1
trap 'echo stop >&3' INT TERM
(trap '' TERM; exec <&4 3>&- 4<&-; exec \"$@\") &
child=$!
exec 4<&-
while :; do wait $child; code=$?; kill -0 $child 2>/dev/null || break; done
[ $code != 134 ] || { echo 'error: the match was aborted, for the reason in the line above' >&2; code=1; }
exit $code";

/// Becomes a shell that catches SIGINT and SIGTERM, and runs a program as its child: `command` makes the program and its
/// arguments from the path of a named pipe, in which each signal is a line. Returns only if that is not possible here.
pub fn supervise(command: impl FnOnce(&Path) -> Vec<OsString>) {
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    let pipe = std::env::temp_dir().join(format!("sundarban-{}-{}", std::process::id(), now.as_nanos()));
    let mut mkfifo = Command::new("mkfifo");
    mkfifo.args(["-m", "600"]).arg(&pipe).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    if !mkfifo.status().is_ok_and(|status| status.success()) {
        log::debug!("no named pipe, so that Ctrl-C ends the program at once");
        return;
    }
    // Under a tight limit of open files a shell may be unable to do what the script does.
    let mut trial = Command::new("sh");
    trial.args(["-c", "exec 4<&0 3<>\"$1\" && (exec <&4 3>&- 4<&-) && exec 4<&-", "sh", "/dev/null"]);
    trial.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    if !trial.status().is_ok_and(|status| status.success()) {
        let _ = fs::remove_file(&pipe);
        log::debug!("no working shell, so that Ctrl-C ends the program at once");
        return;
    }
    let error = Command::new("sh").args(["-c", SUPERVISOR, "sundarban"]).arg(&pipe).args(command(&pipe)).exec();
    let _ = fs::remove_file(&pipe);
    log::debug!("no shell, so that Ctrl-C ends the program at once: {error}");
}

/// The interruptions of a process that [`supervise`] has started with this path; they end where the shell has ended.
///
/// # Errors
/// If the pipe can't be opened.
pub fn interruptions(control: &Path) -> io::Result<impl Iterator<Item = ()> + Send + use<>> {
    let lines = io::BufReader::new(File::open(control)?).lines();
    // It has no other readers.
    let _ = fs::remove_file(control);
    Ok(lines.map_while(Result::ok).map(drop))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn our_own_standard_output_is_known_and_so_are_devices() {
        assert!(is_own_stdout(Path::new("/dev/stdout")) && !is_own_stdout(Path::new("/dev/none")));
        assert_eq!(path_kind(Path::new("/dev/null")).unwrap(), PathKind::Other);
        assert!(path_kind(Path::new("/dev/none")).is_err());
    }
}
