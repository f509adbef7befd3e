//! Files: atomic replacement, files that are appended to and locked, whether two paths lead to one file.

use crate::drafts;
use crate::platform::{self, PathKind};
use std::fs::{self, File, OpenOptions};
use std::io::{self, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Most symbolic links that are followed one after the other.
const MAX_LINKS: usize = 40;
/// The time between two attempts at a lock.
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
    match platform::path_kind(path) {
        Ok(_) if platform::is_own_stdout(path) => Ok(PathTarget::Stdout),
        Ok(PathKind::File) => fs::canonicalize(path).map(PathTarget::File),
        Ok(PathKind::Pipe | PathKind::Other) => Ok(PathTarget::Stream),
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
pub fn replace(path: &Path, content: impl AsRef<[u8]>) -> io::Result<()> {
    let mut next = Replacement::begin(path)?;
    next.write(content)?;
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
    pub fn write(&mut self, piece: impl AsRef<[u8]>) -> io::Result<()> {
        let piece = piece.as_ref();
        match &mut self.sink {
            ReplacementSink::Stdout => {
                let mut out = io::stdout().lock();
                out.write_all(piece)?;
                out.flush()
            }
            ReplacementSink::Stream(file) | ReplacementSink::Temporary { file, .. } => file.write_all(piece),
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
            platform::rename_over(temporary, path)?;
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
        PathTarget::Stream if platform::path_kind(path)? == PathKind::Pipe => Ok(()),
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

/// Opens a file to read it and append to it, made if it is not there. A regular file is locked until it is closed: for this
/// process alone, or shared with others that share it. It is at its beginning.
///
/// # Errors
/// As opening does, or says that another process has it.
pub fn open_append(path: &Path, is_shared: bool) -> Result<File, String> {
    let deadline = Instant::now() + platform::LOCK_TIME;
    while Instant::now() < deadline {
        match platform::open_append(path, is_shared) {
            Ok(file) => return Ok(file),
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => std::thread::sleep(LOCK_PAUSE),
            Err(error) => return Err(error.to_string()),
        }
    }
    Err("found it in use by another match, expected it free: wait for its end, or give another file".to_owned())
}

/// Cuts a file of [`open_append`] that is not shared to a length in bytes, and goes to its end, where writing goes on.
///
/// # Errors
/// As writing does.
pub fn truncate(mut file: &File, length: u64) -> io::Result<()> {
    file.set_len(length)?;
    file.seek(SeekFrom::End(0)).map(|_| ())
}

/// The options of the first two paths that lead to one file.
pub fn same<'a>(files: &[(&'a str, &Path)]) -> Option<(&'a str, &'a str)> {
    let mut known: Vec<(&str, PathBuf)> = Vec::new();
    for (option, path) in files {
        let real = resolve_links(path);
        let folder = real.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let named = fs::canonicalize(folder).ok().zip(real.file_name()).map(|(folder, name)| folder.join(name));
        let found = fs::canonicalize(path).ok().or(named).unwrap_or(real);
        let identity = |path: &Path| platform::file_identity(path).ok();
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
    use std::io::Read;

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
        fs::write(&file, "zero").unwrap();
        // Where links may not be made there are none to follow.
        let has_link = platform::symlink("file", &link).is_ok();
        for text in ["one", "two"] {
            let path = if has_link { &link } else { &file };
            // As a reader of the old content has it open, for a while.
            let open = File::open(&file).unwrap();
            let reader = std::thread::spawn(move || {
                std::thread::sleep(Duration::from_millis(200));
                drop(open);
            });
            check(path).unwrap();
            replace(path, text).unwrap();
            reader.join().unwrap();
            assert!(fs::read_to_string(&file).unwrap() == text);
            assert!(!has_link || fs::symlink_metadata(&link).unwrap().is_symlink());
        }
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 1 + usize::from(has_link));
        let (null, full) = platform::DEVICES;
        assert!(check(Path::new(null)).is_ok() && replace(Path::new(null), "x").is_ok());
        assert_eq!(platform::path_kind(Path::new(null)).unwrap(), PathKind::Other);
        full.iter().for_each(|full| assert!(replace(Path::new(full), "x").is_err()));
        assert!(check(&folder).is_err() && check(&folder.join("none/file")).is_err());
        fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn one_file_under_two_names_is_known() {
        let folder = folder("same");
        let [file, link, other] = ["file", "link", "./other"].map(|name| folder.join(name));
        let absent = folder.join("other");
        assert_eq!(same(&[("a", &file), ("b", &other)]), None);
        assert_eq!(same(&[("a", &absent), ("b", &file), ("c", &other)]), Some(("a", "c")));
        let has_link = platform::symlink("file", &link).is_ok();
        assert!(!has_link || same(&[("a", &file), ("b", &link)]) == Some(("a", "b")));
        fs::write(&file, "").unwrap();
        assert_eq!(same(&[("a", &file), ("b", &folder.join("./file"))]), Some(("a", "b")));
        assert!(!has_link || same(&[("a", &file), ("b", &link)]) == Some(("a", "b")));
        fs::hard_link(&file, &absent).unwrap();
        let is_known = platform::file_identity(&file).unwrap() == platform::file_identity(&absent).unwrap();
        assert_eq!(same(&[("a", &file), ("b", &other)]), is_known.then_some(("a", "b")));
        fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn a_lock_keeps_others_out() {
        let folder = folder("lock");
        let open = |is_shared| open_append(&folder.join("file"), is_shared);
        let is_held = |opened: Result<File, String>| opened.is_err_and(|why| why.contains("in use by another match"));
        {
            let (mut one, mut other) = (open(true).unwrap(), open(true).unwrap());
            assert!(is_held(open(false)));
            one.write_all(b"one ").unwrap();
            other.write_all(b"other").unwrap();
        }
        {
            let mut alone = open(false).unwrap();
            assert!(is_held(open(false)) && is_held(open(true)));
            let mut text = String::new();
            alone.read_to_string(&mut text).unwrap();
            assert_eq!(text, "one other");
            truncate(&alone, 4).unwrap();
            alone.write_all(b"more").unwrap();
            // Others may read it meanwhile.
            assert_eq!(fs::read_to_string(folder.join("file")).unwrap(), "one more");
        }
        assert!(open(false).is_ok());
        fs::remove_dir_all(folder).unwrap();
    }
}
