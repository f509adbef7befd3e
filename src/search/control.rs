//! The switches of a running search: `stop`, `ponderhit`, and what holds its result back.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::SeqCst};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Why a search may not return yet, whatever it finds.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct Hold {
    /// It runs in the opponent's time, until the expected move is played (`ponderhit`).
    pub ponder: bool,
    /// It goes on until it is stopped (`infinite`).
    pub infinite: bool,
}

impl Hold {
    const fn is_on(self) -> bool {
        self.ponder || self.infinite
    }
}

/// The switches of a running search, shared with whoever started it.
#[derive(Debug)]
pub struct Control {
    start: Instant,
    /// When the time for the move began, in microseconds after `start`: 0, or the time of `ponderhit`.
    clock_start: AtomicU64,
    stop: AtomicBool,
    hold: Mutex<Hold>,
    hold_changed: Condvar,
}

impl Default for Control {
    fn default() -> Self {
        Self::new(Hold::default())
    }
}

impl Control {
    /// Switches for a search that begins now. As long as it is held it does not return, and limits of time and nodes do
    /// not end it.
    pub fn new(hold: Hold) -> Self {
        Self {
            start: Instant::now(),
            clock_start: AtomicU64::new(0),
            stop: AtomicBool::new(false),
            hold: Mutex::new(hold),
            hold_changed: Condvar::new(),
        }
    }

    /// Ends the search as soon as possible; it returns what it has.
    pub fn stop(&self) {
        self.stop.store(true, SeqCst);
        self.set_hold(|hold| *hold = Hold::default());
    }

    /// The expected move was played: the time for the move begins now. Does nothing to a search that does not ponder.
    pub fn ponderhit(&self) {
        let now = self.start.elapsed().as_micros() as u64;
        self.set_hold(|hold| {
            if hold.ponder {
                self.clock_start.store(now, SeqCst);
                hold.ponder = false;
            }
        });
    }

    fn set_hold(&self, change: impl FnOnce(&mut Hold)) {
        change(&mut self.hold.lock().unwrap_or_else(PoisonError::into_inner));
        self.hold_changed.notify_all();
    }

    /// Whether the search must end.
    pub fn is_stopped(&self) -> bool {
        self.stop.load(SeqCst)
    }

    /// The flag that [`Control::stop`] sets, for work that needs no other switch.
    pub const fn stop_flag(&self) -> &AtomicBool {
        &self.stop
    }

    /// Whether the search may not return yet.
    pub fn is_held(&self) -> bool {
        self.hold.lock().unwrap_or_else(PoisonError::into_inner).is_on()
    }

    /// Blocks as long as the search may not return.
    pub fn wait_while_held(&self) {
        let mut hold = self.hold.lock().unwrap_or_else(PoisonError::into_inner);
        while hold.is_on() {
            hold = self.hold_changed.wait(hold).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Time since the search began.
    pub fn elapsed(&self) -> Duration {
        self.start.elapsed()
    }

    /// Time used of what there is for the move: since the search began, or since `ponderhit`.
    pub fn time_used(&self) -> Duration {
        self.elapsed().saturating_sub(Duration::from_micros(self.clock_start.load(SeqCst)))
    }
}

/// Stops whatever search runs, from the thread that reads, without waiting for the lines before.
#[derive(Debug, Default)]
pub struct Interrupt(Mutex<Option<Arc<Control>>>);

impl Interrupt {
    /// Stops the running search.
    pub fn stop(&self) {
        if let Some(control) = self.0.lock().unwrap_or_else(PoisonError::into_inner).as_ref() {
            control.stop();
        }
    }

    /// Sets the search that [`Self::stop`] stops; `None` if there is none.
    pub fn watch(&self, control: Option<Arc<Control>>) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = control;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pondering_search_is_held_until_ponderhit() {
        let control = Control::new(Hold { ponder: true, infinite: false });
        std::thread::scope(|scope| {
            let waiter = scope.spawn(|| control.wait_while_held());
            std::thread::sleep(Duration::from_millis(20));
            assert!(!waiter.is_finished());
            control.ponderhit();
            waiter.join().unwrap();
        });
        assert!(!control.is_held() && !control.is_stopped());
        assert!(control.elapsed() >= Duration::from_millis(20));
        assert!(control.time_used() + Duration::from_millis(20) <= control.elapsed() + Duration::from_millis(1));
    }

    #[test]
    fn an_infinite_search_ends_only_when_stopped() {
        let control = Control::new(Hold { ponder: true, infinite: true });
        control.ponderhit();
        assert!(control.is_held());
        control.stop();
        assert!(!control.is_held() && control.is_stopped());
    }
}
