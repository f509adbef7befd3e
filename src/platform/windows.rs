//! Windows 10 and later. The functions are described in [`super`].

use super::{PathKind, has_run};
use std::ffi::OsString;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read};
use std::os::windows::fs::OpenOptionsExt;
use std::os::windows::process::CommandExt;
use std::path::{Component, Path, PathBuf, Prefix};
use std::process::Command;
use std::sync::OnceLock;
use std::time::{Duration, Instant, SystemTime};

/// Too many open files, no memory (two numbers), no process slots, no threads, no system resources, no room for the
/// commitment of memory, no quota: `ERROR_TOO_MANY_OPEN_FILES` and so on in `winerror.h`.
pub(super) const OUT_OF_RESOURCES: [i32; 8] = [4, 8, 14, 89, 164, 1450, 1455, 1816];

/// `ERROR_SHARING_VIOLATION`: another process has the file open and does not share it.
const SHARING_VIOLATION: i32 = 32;
/// `FILE_SHARE_READ` and so on: what others may do with a file that is open here.
const SHARE_READ: u32 = 1;
const SHARE_WRITE: u32 = 2;
const SHARE_DELETE: u32 = 4;

/// `CREATE_NEW_PROCESS_GROUP`: Ctrl-C does not reach it.
const NEW_GROUP: u32 = 0x200;
/// `CREATE_NO_WINDOW`: a console of its own that is not shown, so that closing ours does not end it first.
const NO_WINDOW: u32 = 0x0800_0000;

/// How long a file that another process has locked is waited for: a match whose parent was killed first ends its engines
/// and prints its standing.
pub const LOCK_TIME: Duration = Duration::from_secs(3);

/// How long a file that another program has open is tried to be replaced, and the time between two attempts.
const RENAME_TIME: Duration = Duration::from_secs(1);
const RENAME_PAUSE: Duration = Duration::from_millis(20);

/// What two paths to one file have in common. The numbers of volume and file are not to be had without foreign code, so
/// it is the canonical path, and hard links to one file are not recognised.
pub type FileIdentity = PathBuf;

/// The identity of what a path leads to.
///
/// # Errors
/// If there is nothing, or it can't be seen.
pub fn file_identity(path: &Path) -> io::Result<FileIdentity> {
    fs::canonicalize(path)
}

/// Whether a path leads to our own standard output, which has no path here.
pub fn is_own_stdout(_: &Path) -> bool {
    false
}

/// Whether the system takes a path for that of a device, as it does `NUL`, `con` and `\\.\COM1` in any folder.
fn is_device(path: &Path) -> bool {
    let full = std::path::absolute(path).unwrap_or_default();
    let Some(Component::Prefix(prefix)) = full.components().next() else { return false };
    matches!(prefix.kind(), Prefix::DeviceNS(_))
}

/// What a path leads to. There are no pipes in folders.
///
/// # Errors
/// If there is nothing, or it can't be seen.
pub fn path_kind(path: &Path) -> io::Result<PathKind> {
    if is_device(path) {
        return Ok(PathKind::Other);
    }
    let is_file = fs::metadata(path)?.is_file();
    Ok(if is_file { PathKind::File } else { PathKind::Other })
}

/// Whether an open file is a regular one.
///
/// # Errors
/// Never: only of a device there is nothing to be seen.
pub fn is_regular(file: &File) -> io::Result<bool> {
    Ok(file.metadata().is_ok_and(|found| found.is_file()))
}

/// The file that is run by this path, which may be no program: `.exe` may be left out.
pub fn program_file(path: &Path) -> Option<PathBuf> {
    let mut with_suffix = path.as_os_str().to_owned();
    with_suffix.push(".exe");
    [PathBuf::from(with_suffix), path.to_owned()].into_iter().find(|path| path.is_file())
}

/// The absolute path of a program. Not its canonical one, by which batch files can't be run.
pub fn program_path(path: &Path) -> Option<PathBuf> {
    program_file(path).and_then(|path| std::path::absolute(path).ok())
}

/// Whether a path leads to a regular file that may be executed: by its suffix, or as it begins like a program.
pub fn is_executable(path: &Path) -> bool {
    let Some(path) = program_file(path) else { return false };
    let suffix = path.extension().unwrap_or_default().to_ascii_lowercase();
    let mut begin = [0; 2];
    ["exe", "com", "bat", "cmd"].iter().any(|known| suffix == *known)
        || (File::open(&path).and_then(|mut file| file.read_exact(&mut begin)).is_ok() && begin == *b"MZ")
}

/// The folders in which a program without a path is looked for: ours, the system's, and those of `PATH`.
pub fn search_path() -> Option<Vec<PathBuf>> {
    let own = std::env::current_exe().ok().and_then(|path| path.parent().map(Path::to_owned));
    let system = std::env::var_os("SystemRoot").map(PathBuf::from);
    let path = std::env::var_os("PATH").unwrap_or_default();
    let system = system.into_iter().flat_map(|root| [root.join("System32"), root]);
    Some(own.into_iter().chain(system).chain(std::env::split_paths(&path)).collect())
}

/// Puts a process that will be started into a group and a console of its own.
pub fn in_own_group(command: &mut Command) -> &mut Command {
    command.creation_flags(NEW_GROUP | NO_WINDOW)
}

/// Kills a process and all that it has started. False if no program could be run that does it.
///
/// What was started by a process that has ended by itself is not found.
pub fn kill_with_children(id: u32) -> bool {
    // A failure of the program itself means that the process is gone already.
    has_run(Command::new("taskkill").args(["/F", "/T", "/PID", &id.to_string()]).creation_flags(NO_WINDOW))
}

/// Opens a file to read it and append to it, made if it is not there, which others can't open to write: all others, or
/// those that don't share it. A lock proper would forbid reading it as well. It is at its beginning.
///
/// # Errors
/// [`io::ErrorKind::WouldBlock`] if another process has it; else as opening does.
pub fn open_append(path: &Path, is_shared: bool) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true).create(true);
    let opened = if is_shared || is_device(path) {
        options.append(true).share_mode(SHARE_READ | SHARE_WRITE | SHARE_DELETE).open(path)
    } else {
        // What is open only to be appended to can't be cut short; one that nobody else writes need not be.
        options.write(true).truncate(false).share_mode(SHARE_READ | SHARE_DELETE).open(path)
    };
    opened.map_err(|error| match error.raw_os_error() {
        Some(SHARING_VIOLATION) => io::ErrorKind::WouldBlock.into(),
        _ => error,
    })
}

/// Renames a file, in place of another one. Another program that has that one open, as those that look for viruses do
/// with a new file, may forbid it for a while.
///
/// # Errors
/// As renaming does.
pub fn rename_over(from: &Path, to: &Path) -> io::Result<()> {
    let deadline = Instant::now() + RENAME_TIME;
    loop {
        let error = match fs::rename(from, to) {
            Ok(()) => return Ok(()),
            Err(error) => error,
        };
        let is_in_use =
            error.kind() == io::ErrorKind::PermissionDenied || error.raw_os_error() == Some(SHARING_VIOLATION);
        if !is_in_use || to.is_dir() || Instant::now() >= deadline {
            return Err(error);
        }
        std::thread::sleep(RENAME_PAUSE);
    }
}

/// Memory that can be had without swapping, which can't be asked for without foreign code.
pub fn available_memory() -> Option<u64> {
    None
}

/// Has the console obey escape sequences, if it can; whether it does. A `cmd` that runs in a console leaves it so.
pub fn enable_terminal_escapes() -> bool {
    static IS_ENABLED: OnceLock<bool> = OnceLock::new();
    *IS_ENABLED
        .get_or_init(|| Command::new("cmd").args(["/D", "/C", "rem"]).status().is_ok_and(|status| status.success()))
}

/// For tests: a device that takes everything, and one that takes nothing, if there is one.
#[cfg(test)]
pub const DEVICES: (&str, Option<&str>) = ("NUL", None);

/// For tests: makes a symbolic link to a file, which not every user may. Wine says that it does, and does not.
#[cfg(test)]
pub fn symlink(target: &str, link: &Path) -> io::Result<()> {
    std::os::windows::fs::symlink_file(target, link)?;
    fs::read_link(link).map(|_| ()).inspect_err(|_| _ = fs::remove_file(link))
}

/// Stays as the parent of a program that Ctrl-C does not reach, until that ends, and ends with its exit code: `command`
/// makes the program and its arguments from the path of a file that is locked as long as this process lives. Returns
/// only if that is not possible here.
pub fn supervise(command: impl FnOnce(&Path) -> Vec<OsString>) {
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    let path = std::env::temp_dir().join(format!("sundarban-{}-{}", std::process::id(), now.as_nanos()));
    let locked = File::create_new(&path).and_then(|file| file.lock().map(|()| file));
    let ended = locked.and_then(|lock| {
        let words = command(&path);
        let (program, words) = words.split_first().ok_or(io::ErrorKind::InvalidInput)?;
        let ended = Command::new(program).args(words).creation_flags(NEW_GROUP).status();
        drop(lock);
        ended
    });
    let _ = fs::remove_file(&path);
    match ended {
        Ok(status) => std::process::exit(status.code().unwrap_or(1)),
        Err(error) => log::debug!("no process in a group of its own, so that Ctrl-C ends the program at once: {error}"),
    }
}

/// The interruptions of a process that [`supervise`] has started with this path: the end of its parent is one, by Ctrl-C
/// or otherwise, and none follows.
///
/// # Errors
/// If the file can't be opened.
pub fn interruptions(control: &Path) -> io::Result<impl Iterator<Item = ()> + Send + use<>> {
    let file = File::open(control)?;
    // It has no other readers; it goes when the parent closes it.
    let _ = fs::remove_file(control);
    // An error of the lock is no news of the parent.
    let end = std::iter::once_with(move || file.lock().is_ok()).filter(|is_locked| *is_locked).map(drop);
    Ok(end.chain(std::iter::from_fn(|| {
        loop {
            std::thread::park();
        }
    })))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_end_of_the_parent_is_one_interruption() {
        let path = std::env::temp_dir().join(format!("sundarban-control-{}", std::process::id()));
        let parent = File::create(&path).unwrap();
        parent.lock().unwrap();
        let mut interruptions = interruptions(&path).unwrap();
        let (sender, news) = std::sync::mpsc::channel();
        std::thread::spawn(move || interruptions.by_ref().try_for_each(|()| sender.send(())));
        assert!(news.recv_timeout(Duration::from_millis(300)).is_err());
        drop(parent);
        assert!(news.recv_timeout(Duration::from_secs(60)).is_ok());
        assert!(news.recv_timeout(Duration::from_millis(300)).is_err());
        assert!(!path.exists());
    }

    #[test]
    fn devices_and_programs_are_known_by_their_names() {
        for device in ["NUL", "nul", "\\\\.\\COM1", "CON"] {
            assert_eq!(path_kind(Path::new(device)).unwrap(), PathKind::Other, "{device}");
        }
        let own = std::env::current_exe().unwrap();
        assert!(is_executable(&own) && is_executable(&own.with_extension("")));
        assert_eq!(program_path(&own.with_extension("")), Some(own.clone()));
        assert!(!is_executable(&own.with_file_name("none")) && !is_executable(own.parent().unwrap()));
    }
}
