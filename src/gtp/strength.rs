//! The limits of a search: by a level of play, a time for each move, or the clock.

use crate::search::limits::{Clock, Limits};
use std::ops::RangeInclusive;
use std::time::Duration;

/// The levels of play.
pub const LEVELS: RangeInclusive<u32> = 1..=10;

/// Time for a move without a level, a time for moves or a clock.
const DEFAULT_MOVE_TIME: Duration = Duration::from_secs(1);

/// The longest time for a move: a hundred days.
const MAX_MOVE_TIME: Duration = Duration::from_secs(8_640_000);

/// The strength of play, which bounds its searches.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub struct Strength {
    /// A level from [`LEVELS`]: a number of nodes, four times as many as one level lower. At a level the program plays
    /// the same game again, whatever the machine.
    pub level: Option<u32>,
    /// The most time for a move.
    pub move_time: Option<Duration>,
}

impl Strength {
    fn move_time(&self) -> Option<Duration> {
        self.move_time.map(|time| time.min(MAX_MOVE_TIME))
    }

    /// The limits of a search for a move with this clock; never without a bound.
    pub(super) fn limits(&self, clock: Option<Clock>) -> Limits {
        let is_bounded = self.level.is_some() || self.move_time.is_some() || clock.is_some();
        Limits {
            nodes: self.level.map(nodes),
            move_time: self.move_time().or((!is_bounded).then_some(DEFAULT_MOVE_TIME)),
            clock,
            ..Limits::default()
        }
    }

    /// The limits of a search for analysis: time alone.
    pub(super) fn analysis_limits(&self) -> Limits {
        Limits { move_time: Some(self.move_time().unwrap_or(DEFAULT_MOVE_TIME)), ..Limits::default() }
    }
}

/// The nodes of a level: 16 for the first, four million for the last.
fn nodes(level: u32) -> u64 {
    let (first, last) = LEVELS.into_inner();
    4 << (2 * level.clamp(first, last))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_search_is_bounded() {
        let clock = Clock { left: Duration::from_secs(9), increment: Duration::ZERO, moves_to_go: None };
        for level in [None, Some(3)] {
            for move_time in [None, Some(Duration::ZERO)] {
                for clock in [None, Some(clock)] {
                    let limits = Strength { level, move_time }.limits(clock);
                    assert!(limits.is_bounded());
                    assert_eq!((limits.nodes.is_some(), limits.clock), (level.is_some(), clock));
                }
            }
        }
        assert_eq!(Strength::default().limits(None).move_time, Some(DEFAULT_MOVE_TIME));
        assert_eq!(Strength::default().limits(Some(clock)).move_time, None);
    }

    #[test]
    fn levels_grow() {
        assert_eq!((nodes(1), nodes(2), nodes(10), nodes(99)), (16, 64, 4_194_304, 4_194_304));
    }
}
