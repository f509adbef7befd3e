//! Files of a match: writing one anew so that no half of it is ever seen, locks, and which paths lead to one file.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Write};
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Links that are followed to a file that is not there yet.
const MOST_LINKS: usize = 40;
/// How often a lock is tried, and the time between: a process that is just being started may hold it for a moment.
const LOCK_TRIES: u32 = 10;
const LOCK_PAUSE: Duration = Duration::from_millis(20);

/// What stands behind a path.
enum Target {
    /// Our own standard output, under whatever name.
    Stdout,
    /// A device, a pipe or a folder: nothing that can be replaced.
    Stream,
    /// A regular file, or none yet; all links resolved.
    File(PathBuf),
}

fn target(path: &Path) -> io::Result<Target> {
    match fs::metadata(path) {
        Ok(found) => {
            let is_same = |own: fs::Metadata| (own.dev(), own.ino()) == (found.dev(), found.ino());
            if fs::metadata("/dev/stdout").is_ok_and(is_same) {
                Ok(Target::Stdout)
            } else if found.is_file() {
                fs::canonicalize(path).map(Target::File)
            } else {
                Ok(Target::Stream)
            }
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Target::File(followed(path))),
        Err(error) => Err(error),
    }
}

/// Where the links lead that a path may be.
pub fn followed(path: &Path) -> PathBuf {
    let mut path = path.to_owned();
    for _ in 0..MOST_LINKS {
        let Ok(next) = fs::read_link(&path) else { break };
        path = path.parent().unwrap_or(Path::new("")).join(next);
    }
    path
}

/// The file that is written before it takes another's place; each process has its own.
fn temporary(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(format!(".{}.tmp", std::process::id()));
    PathBuf::from(name)
}

/// Writes a file so that at any moment the old one or the new one is there. What is no regular file is written to as
/// it is.
///
/// # Errors
/// As writing does.
pub fn replace(path: &Path, text: &str) -> io::Result<()> {
    let mut next = Replacement::begin(path)?;
    next.write(text)?;
    next.finish()
}

/// What will take the place of a file, written piece by piece: at any moment the old file or the whole new one is there.
/// What is no regular file is written to as it is.
#[derive(Debug)]
pub struct Replacement {
    place: Place,
}

/// Where a [`Replacement`] is written.
#[derive(Debug)]
enum Place {
    Stdout,
    Stream(File),
    /// Beside the file whose place it takes; gone again if it never does.
    Beside {
        file: File,
        temporary: PathBuf,
        path: PathBuf,
    },
    /// It has taken its place.
    Done,
}

impl Replacement {
    /// Begins to replace a file.
    ///
    /// # Errors
    /// As writing does.
    pub fn begin(path: &Path) -> io::Result<Self> {
        let place = match target(path)? {
            Target::Stdout => Place::Stdout,
            Target::Stream => Place::Stream(OpenOptions::new().write(true).open(path)?),
            Target::File(path) => {
                let temporary = temporary(&path);
                let file = File::create(&temporary)?;
                if let Ok(old) = fs::metadata(&path) {
                    file.set_permissions(old.permissions())?;
                }
                Place::Beside { file, temporary, path }
            }
        };
        Ok(Self { place })
    }

    /// Writes a piece.
    ///
    /// # Errors
    /// As writing does.
    pub fn write(&mut self, piece: &str) -> io::Result<()> {
        match &mut self.place {
            Place::Stdout => {
                let mut out = io::stdout().lock();
                out.write_all(piece.as_bytes())?;
                out.flush()
            }
            Place::Stream(file) | Place::Beside { file, .. } => file.write_all(piece.as_bytes()),
            Place::Done => Ok(()),
        }
    }

    /// Takes the place of the file.
    ///
    /// # Errors
    /// As writing does.
    pub fn finish(mut self) -> io::Result<()> {
        if let Place::Beside { file, temporary, path } = &self.place {
            file.sync_all()?;
            fs::rename(temporary, path)?;
            self.place = Place::Done;
        }
        Ok(())
    }
}

impl Drop for Replacement {
    fn drop(&mut self) {
        if let Place::Beside { temporary, .. } = &self.place {
            // The file that it was to replace is there still; more can't be done.
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
        Target::Stdout => Ok(()),
        // Who reads a pipe would take the end of a test for the end of all.
        Target::Stream if fs::metadata(path)?.file_type().is_fifo() => Ok(()),
        Target::Stream => OpenOptions::new().write(true).open(path).map(|_| ()),
        Target::File(path) => {
            if path.exists() {
                OpenOptions::new().write(true).open(&path)?;
            }
            let temporary = temporary(&path);
            File::create(&temporary)?;
            fs::remove_file(temporary)
        }
    }
}

/// Locks a regular file until it is closed: for this process alone, or for all that share it.
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

/// The first two of some files that are one, each with its option.
pub fn same<'a>(files: &[(&'a str, &Path)]) -> Option<(&'a str, &'a str)> {
    let mut known: Vec<(&str, PathBuf)> = Vec::new();
    for (option, path) in files {
        let real = followed(path);
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
