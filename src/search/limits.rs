//! How far a search may go, and the switches by which it is stopped from outside.

use crate::moves::Move;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::SeqCst};
use std::sync::{Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// What bounds a search. The first bound reached ends it; without any it goes on until it is stopped.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Limits {
    /// Depth of the last iteration, in plies.
    pub depth: Option<u32>,
    /// Nodes over all threads.
    pub nodes: Option<u64>,
    /// A forced end within so many moves of the winner.
    pub mate: Option<u32>,
    /// Time for this move.
    pub move_time: Option<Duration>,
    /// The clock of the side to move.
    pub clock: Option<Clock>,
    /// Only these moves at the root; empty for all.
    pub root_moves: Vec<Move>,
}

impl Limits {
    /// Whether anything ends the search but a stop.
    pub const fn is_bounded(&self) -> bool {
        self.depth.is_some()
            || self.nodes.is_some()
            || self.mate.is_some()
            || self.move_time.is_some()
            || self.clock.is_some()
    }
}

/// A game clock.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Clock {
    /// Time left; nothing if the flag is about to fall or has fallen.
    pub left: Duration,
    /// Time added after each move.
    pub increment: Duration,
    /// Moves to the next time control; `None` for the rest of the game.
    pub moves_to_go: Option<u32>,
}

/// Moves that a game is taken to last yet when the clock does not say. Games of 150 moves are common, so this is what
/// leaves a cushion of some increments against a busy machine.
const MOVES_LEFT: u32 = 40;
/// Share of the increment that a move may use up.
const INCREMENT_SHARE: f64 = 0.6;
/// Share of the time left that a move never exceeds, with more moves to come, and as the last before the time control.
const MOST_OF_MANY: f64 = 0.3;
const MOST_OF_ONE: f64 = 0.8;

/// When to stop thinking: an iteration is not begun after `soft`, and broken off at `hard`.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct TimeManager {
    /// No new iteration after this, stretched or shrunk by how sure the best move is.
    pub soft: Duration,
    /// The search is broken off here.
    pub hard: Duration,
    /// Whether the time is the caller's to the last moment: a fixed time for the move.
    pub is_fixed: bool,
}

impl TimeManager {
    /// The time for a move, with `overhead` kept back for what happens between the clocks.
    ///
    /// Returns `None` if the limits say nothing of time.
    pub fn new(limits: &Limits, overhead: Duration) -> Option<Self> {
        let fixed = limits.move_time.map(|time| {
            // The other side's clock is not at stake, only how long it waits.
            let time = time.saturating_sub(overhead.min(time / 20));
            Self { soft: time, hard: time, is_fixed: true }
        });
        let clock = limits.clock.map(|clock| Self::for_clock(clock, overhead));
        match (fixed, clock) {
            (Some(fixed), Some(clock)) => Some(if fixed.hard < clock.hard { fixed } else { clock }),
            (fixed, clock) => fixed.or(clock),
        }
    }

    fn for_clock(clock: Clock, overhead: Duration) -> Self {
        let left = clock.left.saturating_sub(overhead);
        let moves = clock.moves_to_go.unwrap_or(MOVES_LEFT).clamp(1, MOVES_LEFT);
        let soft = left / moves + clock.increment.mul_f64(INCREMENT_SHARE);
        let most = left.mul_f64(if moves == 1 { MOST_OF_ONE } else { MOST_OF_MANY });
        Self { soft: soft.min(most), hard: (soft * 4).min(most), is_fixed: false }
    }
}

/// Why a search gives no answer yet, whatever it finds.
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
    began: Instant,
    /// When the time for the move began, in microseconds after `began`; moves on with `ponderhit`.
    released_after: AtomicU64,
    stop: AtomicBool,
    hold: Mutex<Hold>,
    changed: Condvar,
}

impl Default for Control {
    fn default() -> Self {
        Self::new(Hold::default())
    }
}

impl Control {
    /// Switches for a search that begins now. As long as it is held it gives no answer and minds no limit of time or
    /// nodes.
    pub fn new(hold: Hold) -> Self {
        Self {
            began: Instant::now(),
            released_after: AtomicU64::new(0),
            stop: AtomicBool::new(false),
            hold: Mutex::new(hold),
            changed: Condvar::new(),
        }
    }

    /// Ends the search as soon as possible; it answers with what it has.
    pub fn stop(&self) {
        self.stop.store(true, SeqCst);
        self.set_hold(|hold| *hold = Hold::default());
    }

    /// The expected move was played: the time for the answer begins now. Does nothing to a search that does not
    /// ponder.
    pub fn release(&self) {
        let now = self.began.elapsed().as_micros() as u64;
        self.set_hold(|hold| {
            if hold.ponder {
                self.released_after.store(now, SeqCst);
                hold.ponder = false;
            }
        });
    }

    fn set_hold(&self, change: impl FnOnce(&mut Hold)) {
        change(&mut self.hold.lock().unwrap_or_else(PoisonError::into_inner));
        self.changed.notify_all();
    }

    /// Whether the search must end.
    pub fn is_stopped(&self) -> bool {
        self.stop.load(SeqCst)
    }

    /// The flag itself, for code that only knows how to be stopped.
    pub const fn stop_flag(&self) -> &AtomicBool {
        &self.stop
    }

    /// Whether no answer may be given yet.
    pub fn is_held(&self) -> bool {
        self.hold.lock().unwrap_or_else(PoisonError::into_inner).is_on()
    }

    /// Waits until an answer may be given.
    pub fn wait_until_free(&self) {
        let mut hold = self.hold.lock().unwrap_or_else(PoisonError::into_inner);
        while hold.is_on() {
            hold = self.changed.wait(hold).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Time since the search began.
    pub fn elapsed(&self) -> Duration {
        self.began.elapsed()
    }

    /// Time used of what there is for the move: since the search began, or since it was released.
    pub fn time_used(&self) -> Duration {
        self.elapsed().saturating_sub(Duration::from_micros(self.released_after.load(SeqCst)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const OVERHEAD: Duration = Duration::from_millis(10);

    fn budget(left: u64, increment: u64, moves_to_go: Option<u32>) -> TimeManager {
        let (left, increment) = (Duration::from_millis(left), Duration::from_millis(increment));
        let clock = Some(Clock { left, increment, moves_to_go });
        TimeManager::new(&Limits { clock, ..Limits::default() }, OVERHEAD).unwrap()
    }

    #[test]
    fn a_budget_never_exceeds_the_clock() {
        for left in [0, 1, 9, 10, 11, 50, 1_000, 60_000, 86_400_000] {
            for increment in [0, 1, 100, 60_000] {
                for moves in [None, Some(0), Some(1), Some(2), Some(40), Some(u32::MAX)] {
                    let budget = budget(left, increment, moves);
                    assert!(budget.soft <= budget.hard);
                    assert!(budget.hard + OVERHEAD.min(Duration::from_millis(left)) <= Duration::from_millis(left));
                }
            }
        }
    }

    #[test]
    fn the_shorter_of_two_times_counts() {
        let limits = Limits {
            move_time: Some(Duration::from_secs(5)),
            clock: Some(Clock { left: Duration::from_secs(1), increment: Duration::ZERO, moves_to_go: None }),
            ..Limits::default()
        };
        assert!(TimeManager::new(&limits, OVERHEAD).unwrap().hard < Duration::from_secs(1));
        assert_eq!(TimeManager::new(&Limits::default(), OVERHEAD), None);
    }

    #[test]
    fn a_held_search_waits_for_its_release() {
        let control = Control::new(Hold { ponder: true, infinite: false });
        std::thread::scope(|scope| {
            let waiter = scope.spawn(|| control.wait_until_free());
            std::thread::sleep(Duration::from_millis(20));
            assert!(!waiter.is_finished());
            control.release();
            waiter.join().unwrap();
        });
        assert!(!control.is_held() && !control.is_stopped());
        assert!(control.elapsed() >= Duration::from_millis(20));
        assert!(control.time_used() + Duration::from_millis(20) <= control.elapsed() + Duration::from_millis(1));
    }

    #[test]
    fn an_infinite_search_ends_only_when_stopped() {
        let control = Control::new(Hold { ponder: true, infinite: true });
        control.release();
        assert!(control.is_held());
        control.stop();
        assert!(!control.is_held() && control.is_stopped());
    }
}
