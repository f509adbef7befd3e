//! Time management: how long to think about one move.

use crate::search::limits::{Clock, Limits};
use std::time::Duration;

/// Moves that a game is taken to last yet when the clock does not say. Games of 150 moves are common, so this is what
/// leaves a cushion of some increments against a busy machine.
const MOVES_LEFT: u32 = 40;
/// Share of the increment that a move may use up.
const INCREMENT_SHARE: f64 = 0.6;
/// Share of the time left that a move never exceeds with more moves to come.
const MAX_SHARE: f64 = 0.3;
/// The same for the last move before the time control.
const MAX_SHARE_OF_LAST_MOVE: f64 = 0.8;

/// When to stop thinking: no iteration begins after the soft limit, and the search is broken off at the hard limit.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct TimeManager {
    soft: Duration,
    /// The search is broken off here.
    pub hard: Duration,
    /// Whether the time is fixed for this move (`movetime`), so that nothing is gained by using less of it.
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
        let most = left.mul_f64(if moves == 1 { MAX_SHARE_OF_LAST_MOVE } else { MAX_SHARE });
        Self { soft: soft.min(most), hard: (soft * 4).min(most), is_fixed: false }
    }

    /// The soft limit after `stable_iterations` in a row with the same best move: shorter for a move that has stayed
    /// the same, longer for one that is new (best move stability).
    pub fn soft_limit(&self, stable_iterations: u32) -> Duration {
        self.soft.mul_f64(match stable_iterations {
            0 => 1.4,
            1..4 => 1.0,
            _ => 0.6,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const OVERHEAD: Duration = Duration::from_millis(10);

    fn manager(left: u64, increment: u64, moves_to_go: Option<u32>) -> TimeManager {
        let (left, increment) = (Duration::from_millis(left), Duration::from_millis(increment));
        let clock = Some(Clock { left, increment, moves_to_go });
        TimeManager::new(&Limits { clock, ..Limits::default() }, OVERHEAD).unwrap()
    }

    #[test]
    fn the_time_for_a_move_never_exceeds_the_clock() {
        for left in [0, 1, 9, 10, 11, 50, 1_000, 60_000, 86_400_000] {
            for increment in [0, 1, 100, 60_000] {
                for moves in [None, Some(0), Some(1), Some(2), Some(40), Some(u32::MAX)] {
                    let time = manager(left, increment, moves);
                    assert!(time.soft <= time.hard);
                    assert!(time.hard + OVERHEAD.min(Duration::from_millis(left)) <= Duration::from_millis(left));
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
}
