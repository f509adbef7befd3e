//! GTP, version 2, with the `gogui-rules_*` extension of the board program GoGui.
//!
//! Commands are executed one after another, in the table of `commands`. A thread of its own reads the lines, so that the
//! comment `# interrupt` can stop a search while it runs.

mod analyze;
mod clicks;
mod clock;
mod commands;
mod protocol;
mod rules;
mod session;
mod strength;

pub use strength::{LEVELS, Strength};

use crate::engine::Engine;
use crate::lines::{Input, LONGEST_LINE, read_lines};
use crate::search::control::Interrupt;
use protocol::{GtpCommand, GtpError, Reply, response};
use session::GtpSession;
use std::io::{self, BufRead, Write};
use std::sync::Arc;
use std::sync::mpsc::channel;
use std::thread::Builder;

/// The comment that stops the search of the command that is being executed (GoGui's `gogui-interrupt`).
const INTERRUPT: &str = "# interrupt";

/// Answers GTP commands over these lines of input and output, and returns at `quit` or at the end of either.
///
/// # Errors
/// If the system has no thread for it, or writing fails.
pub fn run(
    engine: Engine,
    strength: Strength,
    input: impl BufRead + Send + 'static,
    mut output: impl Write,
) -> io::Result<()> {
    let interrupt = Arc::new(Interrupt::default());
    let (sender, incoming) = channel();
    let switch = Arc::clone(&interrupt);
    // Never joined: a read may block for ever, and the process ends with the session.
    Builder::new().name("reader".to_owned()).spawn(move || {
        read_lines(input, |input, place| {
            if matches!(&input, Input::Line(line) if line.trim() == INTERRUPT) {
                switch.stop();
            }
            sender.send((input, place)).is_ok()
        });
    })?;
    let mut session = GtpSession::new(engine, strength, interrupt);
    for (input, _place) in incoming {
        let (id, reply, is_last) = match input {
            Input::End => break,
            Input::TooLong => (None, Err(too_long()), false),
            Input::Line(line) => match GtpCommand::parse(&line) {
                None => continue,
                Some(command) => execute(&mut session, &command),
            },
        };
        write(&mut output, &response(id, &reply))?;
        if is_last {
            break;
        }
    }
    Ok(())
}

fn too_long() -> GtpError {
    GtpError::Other(format!("a line of more than {LONGEST_LINE} bytes was dropped"))
}

/// Executes a command, and returns its id, its reply, and whether the session ends with it.
fn execute(session: &mut GtpSession, command: &GtpCommand) -> (Option<u32>, Reply, bool) {
    log::debug!("< {:?} {:?}", command.name, command.arguments);
    let reply = commands::execute(session, &command.name, &command.arguments);
    let is_last = reply.is_ok() && command.name == commands::QUIT;
    (command.id, reply, is_last)
}

fn write(output: &mut impl Write, text: &str) -> io::Result<()> {
    log::debug!("> {}", text.trim_end());
    output.write_all(text.as_bytes())?;
    output.flush()
}
