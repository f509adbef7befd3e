//! Standard output: whole lines, flushed, from any thread.

use crate::uci::Event;
use std::io::Write;
use std::sync::mpsc::Sender;
use std::sync::{Arc, Mutex, PoisonError};

/// Writes whole lines to the session's output. Clones write to the same place.
#[derive(Clone)]
pub(super) struct LineWriter {
    output: Arc<Mutex<Box<dyn Write + Send>>>,
    events: Sender<Event>,
}

impl LineWriter {
    /// A writer to `output`, which reports an output that fails as [`Event::OutputFailed`].
    pub fn new(output: impl Write + Send + 'static, events: Sender<Event>) -> Self {
        Self { output: Arc::new(Mutex::new(Box::new(output))), events }
    }

    /// Writes a line, or several at once, and flushes.
    pub fn line(&self, text: &str) {
        log::debug!("> {text}");
        let mut output = self.output.lock().unwrap_or_else(PoisonError::into_inner);
        let written = output.write_all(format!("{text}\n").as_bytes()).and_then(|()| output.flush());
        if let Err(error) = written {
            // This fails once the session's thread has ended, and then nobody needs the event.
            let _ = self.events.send(Event::OutputFailed(error));
        }
    }
}
