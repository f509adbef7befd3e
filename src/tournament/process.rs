//! Process groups: each engine runs in one of its own, so that it can be killed with all that it has started
//! ([`platform::kill_with_children`]). A watchdog kills the groups that are left when this process dies without a chance
//! to do it.
//!
//! The end of this process can't be caught without foreign code, so the watchdog is a second process of this program
//! whose input is a pipe from this one: whatever ends this process closes the pipe.

use crate::platform;
use std::collections::BTreeSet;
use std::io::{self, BufRead, Write};
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A process that leads a group of its own. Dropping it kills the group.
pub struct ProcessGroup {
    child: Child,
    watchdog: Arc<Watchdog>,
}

impl ProcessGroup {
    /// Starts a process and puts its group under the watchdog.
    ///
    /// # Errors
    /// As [`Command::spawn`].
    pub fn spawn(mut command: Command, watchdog: &Arc<Watchdog>) -> io::Result<Self> {
        let child = platform::in_own_group(&mut command).spawn()?;
        watchdog.add(child.id());
        Ok(Self { child, watchdog: Arc::clone(watchdog) })
    }

    pub fn child(&mut self) -> &mut Child {
        &mut self.child
    }

    /// The number of the process and of its group.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// `None` while the process runs.
    pub fn exit_status(&mut self) -> Option<ExitStatus> {
        self.child.try_wait().ok().flatten()
    }
}

impl Drop for ProcessGroup {
    fn drop(&mut self) {
        self.watchdog.kill(self.child.id());
        // Both fail only if the process has ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Keeps the list of all running engines' groups, here and in the watchdog process.
#[derive(Debug)]
pub struct Watchdog {
    groups: Mutex<WatchedGroups>,
}

#[derive(Debug)]
struct WatchedGroups {
    groups: BTreeSet<u32>,
    /// `None` if it could not be started.
    process: Option<(Child, ChildStdin)>,
}

impl WatchedGroups {
    /// Sends a line to the watchdog process. If that is gone, engines that ignore the end of their input may outlive a
    /// crash of this process.
    fn send(&mut self, line: &str) {
        if let Some((_, input)) = &mut self.process {
            let _ = input.write_all(line.as_bytes()).and_then(|()| input.flush());
        }
    }
}

impl Watchdog {
    /// Starts the watchdog process: `command` must run [`run_watchdog`] over its standard input.
    pub fn start(mut command: Command) -> Self {
        command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
        let process = match platform::in_own_group(&mut command).spawn() {
            Ok(mut child) => child.stdin.take().map(|input| (child, input)),
            Err(error) => {
                log::warn!("no guard over the engines: {error}");
                None
            }
        };
        Self { groups: Mutex::new(WatchedGroups { groups: BTreeSet::new(), process }) }
    }

    fn groups(&self) -> MutexGuard<'_, WatchedGroups> {
        self.groups.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn add(&self, group: u32) {
        let mut watched = self.groups();
        watched.groups.insert(group);
        watched.send(&format!("+{group}\n"));
    }

    /// Kills a group and takes it off the list.
    fn kill(&self, group: u32) {
        let mut watched = self.groups();
        // Where nothing could be run that kills it, the watchdog process does it in the end.
        if watched.groups.remove(&group) && platform::kill_with_children(group) {
            watched.send(&format!("-{group}\n"));
        }
    }

    /// Kills all groups. A thread that waits for one of their engines sees its output end.
    pub fn kill_all(&self) {
        self.groups().groups.iter().for_each(|group| _ = platform::kill_with_children(*group));
    }
}

impl Drop for Watchdog {
    fn drop(&mut self) {
        let watched = self.groups.get_mut().unwrap_or_else(PoisonError::into_inner);
        if let Some((mut child, input)) = watched.process.take() {
            drop(input);
            // It ends at the end of its input.
            let _ = child.wait();
        }
    }
}

/// The watchdog process: reads `+GROUP` and `-GROUP` until its input ends, then kills the groups that are left.
pub fn run_watchdog(input: impl BufRead) {
    let mut groups = BTreeSet::new();
    for line in input.lines().map_while(Result::ok) {
        match (line.get(..1), line.get(1..).and_then(|number| number.parse::<u32>().ok())) {
            (Some("+"), Some(group)) => _ = groups.insert(group),
            (Some("-"), Some(group)) => _ = groups.remove(&group),
            _ => {}
        }
    }
    groups.into_iter().for_each(|group| _ = platform::kill_with_children(group));
}
