//! Files: atomic replacement, locks, whether two paths lead to one file, whether a file can be run.

use crate::drafts;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Write};
use std::os::unix::fs::{FileTypeExt, MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Most symbolic links that are followed one after the other.
const MAX_LINKS: usize = 40;
/// Attempts at a lock, and the time between: a process that is just being started may hold it for a moment.
const LOCK_TRIES: u32 = 10;
const LOCK_PAUSE: Duration = Duration::from_millis(20);

/// What a path leads to.
enum PathTarget {
    /// Our own standard output, under whatever name.
    Stdout,
    /// A device, a pipe or a folder: nothing that can be replaced.
    Stream,
    /// A regular file, or none yet; all links resolved.
    File(PathBuf),
}

fn target(path: &Path) -> io::Result<PathTarget> {
    match fs::metadata(path) {
        Ok(found) => {
            let is_same = |own: fs::Metadata| (own.dev(), own.ino()) == (found.dev(), found.ino());
            if fs::metadata("/dev/stdout").is_ok_and(is_same) {
                Ok(PathTarget::Stdout)
            } else if found.is_file() {
                fs::canonicalize(path).map(PathTarget::File)
            } else {
                Ok(PathTarget::Stream)
            }
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(PathTarget::File(resolve_links(path))),
        Err(error) => Err(error),
    }
}

/// The end of the symbolic links at a path, which need not exist.
pub fn resolve_links(path: &Path) -> PathBuf {
    let mut path = path.to_owned();
    for _ in 0..MAX_LINKS {
        let Ok(next) = fs::read_link(&path) else { break };
        path = path.parent().unwrap_or(Path::new("")).join(next);
    }
    path
}

/// Replaces the content of a file atomically. What is no regular file is written to as it is.
///
/// # Errors
/// As writing does.
pub fn replace(path: &Path, text: &str) -> io::Result<()> {
    let mut next = Replacement::begin(path)?;
    next.write(text)?;
    next.finish()
}

/// The atomic replacement of a file, written piece by piece: at any moment the path leads to the old file or to the whole
/// new one. What is no regular file is written to as it is.
#[derive(Debug)]
pub struct Replacement {
    sink: ReplacementSink,
}

/// Where the pieces of a [`Replacement`] go.
#[derive(Debug)]
enum ReplacementSink {
    Stdout,
    Stream(File),
    /// A temporary file beside the file at `path`; removed if it is not renamed to that.
    Temporary {
        file: File,
        temporary: PathBuf,
        path: PathBuf,
    },
    /// The temporary file has been renamed.
    Finished,
}

impl Replacement {
    /// Begins to replace a file.
    ///
    /// # Errors
    /// As writing does.
    pub fn begin(path: &Path) -> io::Result<Self> {
        let sink = match target(path)? {
            PathTarget::Stdout => ReplacementSink::Stdout,
            PathTarget::Stream => ReplacementSink::Stream(OpenOptions::new().write(true).open(path)?),
            PathTarget::File(path) => {
                drafts::remove_dead_of(&path);
                let (file, temporary) = drafts::create(&path)?;
                if let Ok(old) = fs::metadata(&path) {
                    file.set_permissions(old.permissions())?;
                }
                ReplacementSink::Temporary { file, temporary, path }
            }
        };
        Ok(Self { sink })
    }

    /// Writes a piece.
    ///
    /// # Errors
    /// As writing does.
    pub fn write(&mut self, piece: &str) -> io::Result<()> {
        match &mut self.sink {
            ReplacementSink::Stdout => {
                let mut out = io::stdout().lock();
                out.write_all(piece.as_bytes())?;
                out.flush()
            }
            ReplacementSink::Stream(file) | ReplacementSink::Temporary { file, .. } => file.write_all(piece.as_bytes()),
            ReplacementSink::Finished => Ok(()),
        }
    }

    /// Puts the new file into place.
    ///
    /// # Errors
    /// As writing does.
    pub fn finish(mut self) -> io::Result<()> {
        if let ReplacementSink::Temporary { file, temporary, path } = &self.sink {
            file.sync_all()?;
            fs::rename(temporary, path)?;
            self.sink = ReplacementSink::Finished;
        }
        Ok(())
    }
}

impl Drop for Replacement {
    fn drop(&mut self) {
        if let ReplacementSink::Temporary { temporary, .. } = &self.sink {
            // The old file is untouched; a temporary file that can't be removed does no harm.
            let _ = fs::remove_file(temporary);
        }
    }
}

/// Whether [`replace`] can write a file, as far as that can be known without doing it.
///
/// # Errors
/// As writing does.
pub fn check(path: &Path) -> io::Result<()> {
    match target(path)? {
        PathTarget::Stdout => Ok(()),
        // Opening and closing a pipe would end its reader's input.
        PathTarget::Stream if fs::metadata(path)?.file_type().is_fifo() => Ok(()),
        PathTarget::Stream => OpenOptions::new().write(true).open(path).map(|_| ()),
        PathTarget::File(path) => {
            if path.exists() {
                OpenOptions::new().write(true).open(&path)?;
            }
            drafts::remove_dead_of(&path);
            let (_, temporary) = drafts::create(&path)?;
            fs::remove_file(temporary)
        }
    }
}

/// Whether a path leads to a regular file that may be executed.
pub fn is_executable(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|found| found.is_file() && found.permissions().mode() & 0o111 != 0)
}

/// Locks a regular file until it is closed: for this process alone, or shared with other processes.
///
/// # Errors
/// Says that another process has it.
pub fn lock(file: &File, is_shared: bool) -> Result<(), String> {
    if !file.metadata().is_ok_and(|found| found.is_file()) {
        return Ok(());
    }
    for _ in 0..LOCK_TRIES {
        match if is_shared { file.try_lock_shared() } else { file.try_lock() } {
            Ok(()) => return Ok(()),
            Err(TryLockError::WouldBlock) => std::thread::sleep(LOCK_PAUSE),
            Err(TryLockError::Error(error)) => {
                log::debug!("no lock: {error}");
                return Ok(());
            }
        }
    }
    Err("found it in use by another match, expected it free: wait for its end, or give another file".to_owned())
}

/// The options of the first two paths that lead to one file.
pub fn same<'a>(files: &[(&'a str, &Path)]) -> Option<(&'a str, &'a str)> {
    let mut known: Vec<(&str, PathBuf)> = Vec::new();
    for (option, path) in files {
        let real = resolve_links(path);
        let folder = real.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let named = fs::canonicalize(folder).ok().zip(real.file_name()).map(|(folder, name)| folder.join(name));
        let found = fs::canonicalize(path).ok().or(named).unwrap_or(real);
        let identity = |path: &Path| fs::metadata(path).ok().map(|found| (found.dev(), found.ino()));
        let is_same = |other: &Path| other == found || identity(other).is_some_and(|id| identity(&found) == Some(id));
        if let Some((first, _)) = known.iter().find(|(_, other)| is_same(other)) {
            return Some((first, option));
        }
        known.push((option, found));
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    fn folder(name: &str) -> PathBuf {
        let folder = std::env::temp_dir().join(format!("sundarban-files-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).unwrap();
        folder
    }

    #[test]
    fn links_are_followed_and_devices_stay() {
        let folder = folder("links");
        let [file, link] = ["file", "link"].map(|name| folder.join(name));
        symlink("file", &link).unwrap();
        for text in ["one", "two"] {
            check(&link).unwrap();
            replace(&link, text).unwrap();
            assert!(fs::read_to_string(&file).unwrap() == text && fs::symlink_metadata(&link).unwrap().is_symlink());
        }
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 2);
        assert!(replace(Path::new("/dev/null"), "x").is_ok());
        assert!(fs::metadata("/dev/null").unwrap().file_type().is_char_device());
        assert!(replace(Path::new("/dev/full"), "x").is_err());
        assert!(check(&folder).is_err() && check(&folder.join("none/file")).is_err());
        fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn one_file_under_two_names_is_known() {
        let folder = folder("same");
        let [file, link, other] = ["file", "link", "./other"].map(|name| folder.join(name));
        symlink("file", &link).unwrap();
        let absent = folder.join("other");
        assert_eq!(same(&[("a", &file), ("b", &other)]), None);
        assert_eq!(same(&[("a", &file), ("b", &link)]), Some(("a", "b")));
        assert_eq!(same(&[("a", &absent), ("b", &file), ("c", &other)]), Some(("a", "c")));
        fs::write(&file, "").unwrap();
        fs::hard_link(&file, &absent).unwrap();
        assert_eq!(same(&[("a", &link), ("b", &other)]), Some(("a", "b")));
        fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn a_lock_keeps_others_out() {
        let folder = folder("lock");
        let open = || File::create(folder.join("file")).unwrap();
        let (one, other) = (open(), open());
        lock(&one, true).unwrap();
        assert!(lock(&other, true).is_ok());
        assert!(lock(&other, false).unwrap_err().contains("in use by another match"));
        fs::remove_dir_all(folder).unwrap();
    }
}
