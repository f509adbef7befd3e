//! Standard output: whole lines, flushed, from any thread.

use crate::uci::Event;
use std::io::Write;
use std::sync::mpsc::Sender;
use std::sync::{Arc, Mutex, PoisonError};

/// The session's output. Clones write to the same place.
#[derive(Clone)]
pub(super) struct Output {
    writer: Arc<Mutex<Box<dyn Write + Send>>>,
    events: Sender<Event>,
}

impl Output {
    pub fn new(writer: impl Write + Send + 'static, events: Sender<Event>) -> Self {
        Self { writer: Arc::new(Mutex::new(Box::new(writer))), events }
    }

    /// Writes a line, or several at once, and flushes. If nobody reads any more the session is told.
    pub fn line(&self, text: &str) {
        log::debug!("> {text}");
        let mut writer = self.writer.lock().unwrap_or_else(PoisonError::into_inner);
        let written = writer.write_all(format!("{text}\n").as_bytes()).and_then(|()| writer.flush());
        if let Err(error) = written {
            // If the session is gone as well there is nobody left to tell.
            let _ = self.events.send(Event::OutputFailed(error));
        }
    }
}
