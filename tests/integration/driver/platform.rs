//! What tests need that differs between systems. Tests that need a shell, or see processes by their numbers, pass where
//! there is none, and say so: [`skipped`].

use super::empty_folder;
use std::ffi::OsString;
use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::Command;

/// Says that the running test leaves out what needs something that this system has not. Not by `eprintln!`: what tests
/// that pass print is not shown.
pub fn skipped(what: &str) {
    let thread = std::thread::current();
    let _ = writeln!(std::io::stderr(), "skipped in {}: what needs {what}", thread.name().unwrap_or_default());
}

/// Whether there is a Unix shell with its programs. Says so where there is none, and the test that asks ends.
pub fn has_shell() -> bool {
    if cfg!(windows) {
        skipped("a Unix shell");
    }
    cfg!(unix)
}

/// Whether a file that is open can be replaced, as Windows and every Unix can and Wine can't. Says so where it can't.
pub fn replaces_open_files() -> bool {
    let folder = empty_folder("replaces-open-files");
    let [old, new] = ["old", "new"].map(|name| folder.join(name));
    [&old, &new].iter().for_each(|path| fs::write(path, "").unwrap());
    let open = fs::File::open(&old).unwrap();
    let is_replaced = fs::rename(&new, &old).is_ok();
    if !is_replaced {
        skipped("files to be replaced while they are open");
    }
    drop(open);
    is_replaced
}

/// Whether the system shows processes, their threads and what they use under `/proc`. Says so where it does not.
pub fn has_proc() -> bool {
    // Under Wine it is there, with other numbers than those of its processes.
    let is_there = cfg!(unix) && Path::new("/proc/self/task").is_dir();
    if !is_there {
        skipped("/proc");
    }
    is_there
}

/// Most memory that a process has used so far, in kilobytes, where [`has_proc`]; nothing of one that has ended.
pub fn peak_memory(id: u32) -> Option<u64> {
    let status = fs::read_to_string(format!("/proc/{id}/status")).ok().filter(|_| cfg!(unix))?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.trim().trim_end_matches(" kB").parse().ok()
}

/// Makes a file one that can be run.
pub fn make_executable(path: &Path) {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
    }
    #[cfg(not(unix))]
    assert!(path.is_file());
}

/// Makes a program run under another name: by a link, or as a copy.
pub fn link(program: &str, path: &Path) {
    #[cfg(unix)]
    std::os::unix::fs::symlink(program, path).unwrap();
    #[cfg(not(unix))]
    fs::copy(program, path.with_extension("exe")).unwrap();
}

/// Puts a command into a process group of its own.
pub fn in_own_group(command: &mut Command) {
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(command, 0);
    #[cfg(not(unix))]
    std::os::windows::process::CommandExt::creation_flags(command, 0x200);
}

/// A file that is held as a match holds its journal, until it is dropped.
pub fn hold(path: &Path) -> fs::File {
    #[cfg(unix)]
    {
        let held = fs::File::open(path).unwrap();
        held.lock().unwrap();
        held
    }
    #[cfg(not(unix))]
    {
        use std::os::windows::fs::OpenOptionsExt;
        fs::OpenOptions::new().read(true).write(true).share_mode(1).open(path).unwrap()
    }
}

/// A device that takes everything, and one that takes nothing, if there is one.
pub const DEVICES: (&str, Option<&str>) = if cfg!(windows) {
    ("NUL", None)
} else {
    ("/dev/null", if cfg!(target_os = "linux") { Some("/dev/full") } else { None })
};

/// A file name with the letters that are hardest to quote, of those that a name may have.
pub const ODD_NAME: &str = if cfg!(windows) { "a 'b';c.txt" } else { "a \"b\"\\c\n.txt" };

/// A file name that is no Unicode, after some letters.
pub fn name_without_unicode(letters: &str) -> OsString {
    #[cfg(unix)]
    {
        use std::os::unix::ffi::OsStringExt;
        OsString::from_vec([letters.as_bytes(), b"\xff"].concat())
    }
    #[cfg(not(unix))]
    {
        use std::os::windows::ffi::OsStringExt;
        OsString::from_wide(&letters.encode_utf16().chain([0xD800]).collect::<Vec<u16>>())
    }
}
