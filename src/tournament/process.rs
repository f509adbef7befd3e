//! Process groups: each engine runs in one of its own, so that it can be killed with all that it has started, and a
//! guard kills what is left when this process dies without a chance to do it.
//!
//! Signals can't be sent or caught without foreign code, so the `kill` program sends them, and the guard is a second
//! process of ours whose input is a pipe from this one: whatever ends this process closes the pipe.

use std::collections::BTreeSet;
use std::io::{BufRead, Write};
use std::os::unix::process::CommandExt;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::{Mutex, PoisonError};

/// Kills all processes of a group; false if nothing could be run that does it.
pub fn kill_group(group: u32) -> bool {
    // Group 0 would be our own, and 1 everything.
    if group < 2 {
        return true;
    }
    let quietly = |command: &mut Command| {
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok()
    };
    let target = format!("-{group}");
    // A failure of the program itself means that the group is gone already.
    quietly(Command::new("kill").args(["-KILL", "--", &target]))
        // Some systems have `kill` only in the shell.
        || quietly(Command::new("sh").args(["-c", &format!("kill -KILL -- {target}")]))
}

/// Knows the groups of all running engines.
#[derive(Debug)]
pub struct Watchdog {
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    groups: BTreeSet<u32>,
    process: Option<(Child, ChildStdin)>,
}

impl State {
    /// Tells the process; if it is gone, engines that ignore the end of their input may outlive a crash of ours.
    fn tell(&mut self, line: &str) {
        if let Some((_, input)) = &mut self.process {
            let _ = input.write_all(line.as_bytes()).and_then(|()| input.flush());
        }
    }
}

impl Watchdog {
    /// A guard with a process started by `command`, which must run [`keep_guard`] over its input.
    pub fn start(mut command: Command) -> Self {
        let command = command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null()).process_group(0);
        let process = match command.spawn() {
            Ok(mut child) => child.stdin.take().map(|input| (child, input)),
            Err(error) => {
                log::warn!("no guard over the engines: {error}");
                None
            }
        };
        Self { state: Mutex::new(State { groups: BTreeSet::new(), process }) }
    }

    /// A guard without a process.
    pub fn without_process() -> Self {
        Self { state: Mutex::default() }
    }

    /// Notes a group.
    pub fn add(&self, group: u32) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.groups.insert(group);
        state.tell(&format!("+{group}\n"));
    }

    /// Kills a group and forgets it.
    pub fn kill(&self, group: u32) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if state.groups.remove(&group) {
            // Where we can't run anything the guard's process does it in the end.
            if kill_group(group) {
                state.tell(&format!("-{group}\n"));
            }
        }
    }

    /// Kills all groups; whoever waits for one of their engines sees it end.
    pub fn kill_all(&self) {
        let state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.groups.iter().for_each(|group| _ = kill_group(*group));
    }
}

impl Drop for Watchdog {
    fn drop(&mut self) {
        let state = self.state.get_mut().unwrap_or_else(PoisonError::into_inner);
        if let Some((mut child, input)) = state.process.take() {
            drop(input);
            // It ends at the end of its input.
            let _ = child.wait();
        }
    }
}

/// What the guard's process does: reads which groups there are until its input ends, then kills those that are left.
pub fn keep_guard(input: impl BufRead) {
    let mut groups = BTreeSet::new();
    for line in input.lines().map_while(Result::ok) {
        match (line.get(..1), line.get(1..).and_then(|number| number.parse::<u32>().ok())) {
            (Some("+"), Some(group)) => _ = groups.insert(group),
            (Some("-"), Some(group)) => _ = groups.remove(&group),
            _ => {}
        }
    }
    groups.into_iter().for_each(|group| _ = kill_group(group));
}
