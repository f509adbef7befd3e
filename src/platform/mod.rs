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
//! | a locked file | an advisory lock | the file is open, and others may not open it to write |
//! | replacing a file that is open | always | unless another program forbids it; tried again for a second |
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
    available_memory, enable_terminal_escapes, file_identity, in_own_group, is_executable, is_own_stdout, is_regular,
    kill_with_children, open_append, path_kind, program_file, program_path, rename_over, search_path, supervise,
};

#[cfg(test)]
pub use system::{DEVICES, symlink};

use std::io;
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

/// Runs a program without its standard streams; whether it could be run, whatever its exit status.
fn has_run(command: &mut Command) -> bool {
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok()
}
