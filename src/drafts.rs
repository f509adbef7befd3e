//! Drafts: files that are written under a name of their own and renamed when they are whole.
//!
//! A draft is locked as long as its writer lives, so that what a killed process has left is known from what is being
//! written, and can be removed.

use crate::text::quoted_path;
use std::ffi::OsStr;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

/// Where files can't be locked, drafts that have not changed for this long count as left behind.
const ABANDONED_AFTER: Duration = Duration::from_secs(3600);
/// Names that are tried for a draft: another process may remove one before it is locked.
const TRIES: u32 = 10;

/// The file that a name is a draft of: `NAME.part-PID-TIME`, or `NAME.PID.tmp` as earlier versions named them.
fn target_of(name: &str) -> Option<&str> {
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    if let Some((target, numbers)) = name.rsplit_once(".part-") {
        let (process, time) = numbers.split_once('-')?;
        return (is_number(process) && is_number(time)).then_some(target);
    }
    let (target, process) = name.strip_suffix(".tmp")?.rsplit_once('.')?;
    is_number(process).then_some(target)
}

/// Begins a draft of a file, beside it: its file, locked until it is closed, and its path.
///
/// # Errors
/// If the folder can't be written to.
pub fn create(target: &Path) -> io::Result<(File, PathBuf)> {
    let own = target.file_name().ok_or(io::ErrorKind::InvalidFilename)?;
    for _ in 0..TRIES {
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        let mut name = own.to_owned();
        name.push(format!(".part-{}-{}", std::process::id(), now.as_nanos()));
        let path = target.with_file_name(name);
        let file = match OpenOptions::new().write(true).create_new(true).open(&path) {
            // Another thread was as quick.
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => continue,
            opened => opened?,
        };
        // Until it was locked, another process may have taken it for one that was left behind.
        let is_taken = matches!(file.try_lock(), Err(TryLockError::WouldBlock));
        if !is_taken && path.exists() {
            return Ok((file, path));
        }
    }
    Err(io::Error::new(io::ErrorKind::AlreadyExists, "found no free name for a draft beside it"))
}

/// Removes the drafts in a folder that killed processes have left, of those files whose names `is_meant`.
pub fn remove_dead(folder: &Path, is_meant: impl Fn(&str) -> bool) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let name = entry.file_name();
        // What is no Unicode is the same in every name.
        let is_draft = target_of(&name.to_string_lossy()).is_some_and(&is_meant);
        if is_draft && entry.file_type().is_ok_and(|kind| kind.is_file()) {
            remove_if_dead(&entry.path());
        }
    }
}

/// Removes the dead drafts of one file.
pub fn remove_dead_of(target: &Path) {
    let folder = target.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    if let Some(own) = target.file_name().map(OsStr::to_string_lossy) {
        remove_dead(folder, |name| name == own);
    }
}

fn remove_if_dead(path: &Path) {
    // Writing, because some systems lock only what can be written.
    let Ok(file) = OpenOptions::new().write(true).open(path) else { return };
    let is_dead = match file.try_lock() {
        Ok(()) => true,
        Err(TryLockError::WouldBlock) => false,
        Err(TryLockError::Error(_)) => {
            let age = file.metadata().and_then(|found| found.modified()).ok().and_then(|time| time.elapsed().ok());
            age.is_some_and(|age| age > ABANDONED_AFTER)
        }
    };
    // Another process may have been quicker.
    if is_dead && fs::remove_file(path).is_ok() {
        log::debug!("{} was left behind and is removed", quoted_path(path));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn drafts_are_known_by_their_names() {
        for (name, target) in [
            ("x.json.part-12-345", Some("x.json")),
            ("baghbandi-0000.part-1-2", Some("baghbandi-0000")),
            ("x.json.77.tmp", Some("x.json")),
            ("x.part-1", None),
            ("x.part-a-1", None),
            ("x.part--1", None),
            ("notes.tmp", None),
            ("x.json.y.tmp", None),
            ("x.json", None),
        ] {
            assert_eq!(target_of(name), target, "{name}");
        }
    }

    #[test]
    fn the_dead_go_and_the_living_stay() {
        let folder = std::env::temp_dir().join(format!("sundarban-drafts-{}", std::process::id()));
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).unwrap();
        let target = folder.join("file");
        let (living, path) = create(&target).unwrap();
        let dead = ["file.part-1-2", "file.9.tmp"].map(|name| folder.join(name));
        let others = ["other.part-1-2", "file.part-x", "file.tmp"].map(|name| folder.join(name));
        dead.iter().chain(&others).for_each(|path| fs::write(path, "x").unwrap());
        remove_dead_of(&target);
        assert!(path.exists() && others.iter().all(|path| path.exists()) && !dead.iter().any(|path| path.exists()));
        drop(living);
        remove_dead_of(&target);
        assert!(!path.exists());
        remove_dead(&folder, |_| true);
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 2);
        fs::remove_dir_all(folder).unwrap();
    }
}
