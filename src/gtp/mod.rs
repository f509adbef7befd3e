//! GTP, version 2, with the `gogui-rules_*` extension of the board program GoGui.
//!
//! A third face over the same engine, beside UCI and UGI. Commands are executed one after another; while one thinks a
//! thread of its own reads on, so that the comment `# interrupt` can cut it short. Nothing is remembered but what the
//! commands have said.

mod analyze;
mod clicks;
mod clock;
mod commands;
mod player;
mod protocol;
mod rules;
mod strength;

pub use strength::{LEVELS, Strength};

use crate::engine::Engine;
use crate::lines::{Input, LONGEST_LINE, read_lines};
use player::{Interrupt, Player};
use protocol::{Failure, Reply, Request, response};
use std::io::{self, BufRead, Write};
use std::sync::Arc;
use std::sync::mpsc::channel;
use std::thread::Builder;

/// The comment that cuts a running command short.
const INTERRUPT: &str = "# interrupt";

/// Answers GTP commands over these lines of input and output, and returns at `quit` or at the end of either.
///
/// # Errors
/// If the system has no thread for it.
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
        read_lines(input, |heard| {
            if matches!(&heard, Input::Line(line) if line.trim() == INTERRUPT) {
                switch.stop();
            }
            sender.send(heard).is_ok()
        });
    })?;
    let mut player = Player::new(engine, strength, interrupt);
    for heard in incoming {
        let (id, reply, is_last) = match heard {
            Input::End => break,
            Input::TooLong => (None, Err(too_long()), false),
            Input::Line(line) => match Request::parse(&line) {
                None => continue,
                Some(request) => obey(&mut player, &request),
            },
        };
        if write(&mut output, &response(id, &reply)).is_err() || is_last {
            break;
        }
    }
    Ok(())
}

fn too_long() -> Failure {
    Failure::Other(format!("a line of more than {LONGEST_LINE} bytes was dropped"))
}

/// Executes a command: its id, its answer, and whether it was the last.
fn obey(player: &mut Player, request: &Request) -> (Option<u32>, Reply, bool) {
    log::debug!("< {} {:?}", request.name, request.arguments);
    let reply = commands::execute(player, &request.name, &request.arguments);
    let is_last = reply.is_ok() && request.name == commands::QUIT;
    (request.id, reply, is_last)
}

fn write(output: &mut impl Write, text: &str) -> io::Result<()> {
    log::debug!("> {}", text.trim_end());
    output.write_all(text.as_bytes())?;
    output.flush()
}
