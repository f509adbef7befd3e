//! Pauses of this process: when it is stopped and continued, or gets no processor for a while, it sees the answers of
//! engines later than they came. A thread that ought to wake up often notes when it has not.

use std::collections::VecDeque;
use std::io;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// Time between two ticks.
const TICK: Duration = Duration::from_millis(50);
/// Longer times between two ticks are pauses.
const LONGEST_GAP: Duration = Duration::from_millis(300);
/// Pauses that are remembered.
const REMEMBERED: usize = 64;

/// The pauses of this process.
#[derive(Debug)]
pub struct PauseLog {
    noted: Mutex<NotedPauses>,
}

#[derive(Debug)]
struct NotedPauses {
    last_tick: Instant,
    /// Beginning and end, the oldest first.
    pauses: VecDeque<(Instant, Instant)>,
}

impl NotedPauses {
    /// Whoever wakes up first notes the pause.
    fn tick(&mut self, now: Instant) {
        if now.saturating_duration_since(self.last_tick) > LONGEST_GAP {
            self.pauses.push_back((self.last_tick, now));
            if self.pauses.len() > REMEMBERED {
                self.pauses.pop_front();
            }
        }
        self.last_tick = self.last_tick.max(now);
    }

    fn between(&self, from: Instant, to: Instant) -> Duration {
        let overlap = |(begin, end): &(Instant, Instant)| (*end).min(to).saturating_duration_since((*begin).max(from));
        self.pauses.iter().map(overlap).sum()
    }
}

impl PauseLog {
    fn new(now: Instant) -> Self {
        Self { noted: Mutex::new(NotedPauses { last_tick: now, pauses: VecDeque::new() }) }
    }

    /// Begins to note pauses, as long as the log is kept.
    ///
    /// # Errors
    /// If there is no thread for it.
    pub fn start() -> io::Result<Arc<Self>> {
        let log = Arc::new(Self::new(Instant::now()));
        let kept = Arc::downgrade(&log);
        thread::Builder::new().name("pauses".to_owned()).spawn(move || {
            while let Some(log) = kept.upgrade() {
                log.between(Instant::now(), Instant::now());
                drop(log);
                thread::sleep(TICK);
            }
        })?;
        Ok(log)
    }

    /// How long this process has paused between two times.
    pub fn between(&self, from: Instant, to: Instant) -> Duration {
        let mut noted = self.noted.lock().unwrap_or_else(PoisonError::into_inner);
        noted.tick(Instant::now());
        noted.between(from, to)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_long_gaps_are_pauses_and_only_what_overlaps_counts() {
        let start = Instant::now();
        let at = |ms: u64| start + Duration::from_millis(ms);
        let mut noted = NotedPauses { last_tick: start, pauses: VecDeque::new() };
        [50, 100, 400, 2400, 2450].into_iter().for_each(|ms| noted.tick(at(ms)));
        assert_eq!(noted.pauses, [(at(400), at(2400))]);
        for (from, to, paused) in [(0, 5000, 2000), (1400, 2000, 600), (0, 300, 0), (2400, 3000, 0), (0, 500, 100)] {
            assert_eq!(noted.between(at(from), at(to)), Duration::from_millis(paused), "{from} {to}");
        }
        (1..=200).for_each(|second| noted.tick(at(3000 + second * 1000)));
        assert_eq!(noted.pauses.len(), REMEMBERED);
    }
}
