//! Standard output: whole lines, flushed, from any thread.

use crate::uci::Event;
use std::io::{self, Write};
use std::sync::mpsc::Sender;
use std::sync::{Arc, Mutex, PoisonError};

/// Writes whole lines to the session's output. Clones write to the same place.
#[derive(Clone)]
pub(super) struct LineWriter {
    output: Arc<Mutex<Box<dyn Write + Send>>>,
    /// Why writing has failed; never locked for longer than it takes to look, whereas a write may block.
    failure: Arc<Mutex<Option<io::Error>>>,
    events: Sender<Event>,
}

impl LineWriter {
    /// A writer to `output`, which reports an output that fails as [`Event::OutputFailed`].
    pub fn new(output: impl Write + Send + 'static, events: Sender<Event>) -> Self {
        Self { output: Arc::new(Mutex::new(Box::new(output))), failure: Arc::default(), events }
    }

    /// Writes a line, or several at once, and flushes.
    pub fn line(&self, text: &str) {
        log::debug!("> {text}");
        let mut output = self.output.lock().unwrap_or_else(PoisonError::into_inner);
        let written = output.write_all(format!("{text}\n").as_bytes()).and_then(|()| output.flush());
        if let Err(error) = written {
            // The first failure is the reason of the others.
            self.failure.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
            // This fails once the session's thread has ended, and then nobody needs the event.
            let _ = self.events.send(Event::OutputFailed);
        }
    }

    /// Why writing has failed, if it has; asked for at the end of the session.
    pub fn take_failure(&self) -> Option<io::Error> {
        self.failure.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}
