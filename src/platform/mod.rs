//! What differs between operating systems: the same functions for each, and no other `cfg` on a system in the program.
//!
//! Processes are ended by programs of the system (`kill`, `taskkill`), since signals and job objects need foreign code.
//!
//! | | Unix | Windows |
//! |---|---|---|
//! | a file's identity | device and inode number | its canonical path: hard links are different files |
//! | standard output by another name | `/dev/stdout` and what it leads to | none |
//! | a program | a file with an executable bit | `.exe` (which may be left out), `.com`, `.bat`, `.cmd`, or any file that begins as programs do |
//! | an engine and what it has started | a process group | the tree of processes below it, as long as each one's starter lives |
//! | Ctrl-C for an engine | does not reach its process group | does not reach its process group, and it has a console of its own |
//! | Ctrl-C for a supervised process | a shell that catches it is around the process | its parent dies of it, which the process sees: a file is not locked any more |
//! | a locked file | an advisory lock | the file is open, and others may not open it to write |
//! | replacing a file that is open | always | unless another program forbids it; tried again for a second |
//! | several folders in one path | `:` stands between them | `;` stands between them, and quotes may stand around one |
//! | escape sequences of a terminal | always | once a `cmd` has switched them on |
//!
//! Lines are read with either end and written with LF on all systems; text is UTF-8 in files and pipes.

mod processor;
#[cfg(unix)]
#[path = "unix.rs"]
mod system;
#[cfg(windows)]
#[path = "windows.rs"]
mod system;

pub use processor::missing_feature;
pub use system::{
    LOCK_TIME, available_memory, enable_terminal_escapes, file_identity, in_own_group, interruptions, is_executable,
    is_own_stdout, is_regular, kill_with_children, open_append, path_kind, program_file, program_path, rename_over,
    search_path, supervise,
};

#[cfg(test)]
pub use system::{DEVICES, symlink};

use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// What a path leads to.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum PathKind {
    /// A regular file.
    File,
    /// A named pipe.
    Pipe,
    /// A device or a folder.
    Other,
}

/// Whether a process or thread was not started, or a file not opened, for lack of memory, processes or open files.
pub fn is_out_of_resources(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::OutOfMemory)
        || error.raw_os_error().is_some_and(|number| system::OUT_OF_RESOURCES.contains(&number))
}

/// The folders of a path that may name several, as the system's `PATH` does, empty ones left out. A path that leads to
/// something as a whole, or that names none, is one folder.
pub fn split_folders(path: &Path) -> Vec<PathBuf> {
    let is_named = |folder: &PathBuf| !folder.as_os_str().is_empty();
    let folders: Vec<PathBuf> = std::env::split_paths(path).filter(is_named).collect();
    if path.exists() || folders.is_empty() { vec![path.to_owned()] } else { folders }
}

/// Runs a program without its standard streams; whether it could be run, whatever its exit status.
fn has_run(command: &mut Command) -> bool {
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_are_told_apart_as_the_system_does() {
        let split = |path: &str| {
            let folders = split_folders(Path::new(path)).into_iter();
            folders.map(|folder| folder.to_string_lossy().into_owned()).collect::<Vec<_>>()
        };
        if cfg!(windows) {
            assert_eq!(split(r"C:\x y;d:/z"), [r"C:\x y", "d:/z"]);
            assert_eq!(split(r#""C:\a;b";;\\?\D:\c"#), [r"C:\a;b", r"\\?\D:\c"]);
        } else {
            assert_eq!(split("/x y:z;w"), ["/x y", "z;w"]);
            assert_eq!(split(":/x::y"), ["/x", "y"]);
        }
        for whole in ["", "x", ";", ":", "::"] {
            assert_eq!(split(whole).len(), 1, "{whole}");
        }
        let separator = if cfg!(windows) { ';' } else { ':' };
        let dir = std::env::temp_dir().join(format!("sundarban-one{separator}two-{}", std::process::id()));
        assert_eq!(split_folders(&dir).len(), 2);
        std::fs::create_dir_all(&dir).unwrap();
        assert_eq!(split_folders(&dir), std::slice::from_ref(&dir));
        std::fs::remove_dir(dir).unwrap();
    }
}
