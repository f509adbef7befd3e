//! Standard output: whole lines, flushed, from any thread.

use crate::uci::Event;
use std::io::{self, Write};
use std::sync::mpsc::Sender;
use std::sync::{Arc, Mutex, PoisonError};

/// Writes whole lines to the session's output. Clones write to the same place.
#[derive(Clone)]
pub(super) struct LineWriter {
    output: Arc<Mutex<SessionOutput>>,
    events: Sender<Event>,
}

/// The session's output, and why it has failed, after which nothing more is written.
struct SessionOutput {
    sink: Box<dyn Write + Send>,
    failure: Option<io::Error>,
}

impl LineWriter {
    /// A writer to `output`, which reports an output that fails as [`Event::OutputFailed`].
    pub fn new(output: impl Write + Send + 'static, events: Sender<Event>) -> Self {
        Self { output: Arc::new(Mutex::new(SessionOutput { sink: Box::new(output), failure: None })), events }
    }

    /// Writes a line, or several at once, and flushes.
    pub fn line(&self, text: &str) {
        log::debug!("> {text}");
        let mut output = self.output.lock().unwrap_or_else(PoisonError::into_inner);
        if output.failure.is_some() {
            return;
        }
        let sink = &mut output.sink;
        let written = sink.write_all(format!("{text}\n").as_bytes()).and_then(|()| sink.flush());
        if let Err(error) = written {
            output.failure = Some(error);
            // This fails once the session's thread has ended, and then nobody needs the event.
            let _ = self.events.send(Event::OutputFailed);
        }
    }

    /// Why writing has failed, if it has; asked for at the end of the session.
    pub fn take_failure(&self) -> Option<io::Error> {
        // Who still writes, at a session that ends without it, has not failed yet.
        self.output.try_lock().ok()?.failure.take()
    }
}
