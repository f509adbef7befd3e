//! GTP's clocks (`time_settings`, `time_left`): a main time, then periods of overtime (Canadian byo-yomi).

use crate::rules::Side;
use crate::search::limits::Clock;
use std::time::Duration;

/// The arguments of `time_settings`.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) struct TimeSettings {
    pub main: Duration,
    /// Length of a period of overtime.
    pub period: Duration,
    /// Moves to make in a period; 0 if there is no overtime.
    pub moves: u32,
}

/// Time left for one side.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
struct TimeLeft {
    time: Duration,
    /// Moves to make in it; 0 in the main time.
    moves: u32,
}

/// Both clocks; they run only if a limit was set.
#[derive(Clone, Debug, Default)]
pub(super) struct Clocks {
    settings: Option<TimeSettings>,
    left: [Option<TimeLeft>; 2],
}

impl TimeSettings {
    fn overtime(&self) -> Option<TimeLeft> {
        (self.moves > 0).then_some(TimeLeft { time: self.period, moves: self.moves })
    }
}

impl Clocks {
    /// Sets both clocks. A period without moves to make in it means no limit in GTP.
    pub fn set(&mut self, settings: TimeSettings) {
        let is_endless = !settings.period.is_zero() && settings.moves == 0;
        self.settings = (!is_endless).then_some(settings);
        self.reset();
    }

    /// Sets both clocks to the start of a game.
    pub fn reset(&mut self) {
        let left = self.settings.map(|settings| {
            let main = TimeLeft { time: settings.main, moves: 0 };
            settings.overtime().filter(|_| settings.main.is_zero()).unwrap_or(main)
        });
        self.left = [left; 2];
    }

    /// `time_left`: sets a clock to the client's.
    pub fn set_time_left(&mut self, side: Side, time: Duration, moves: u32) {
        if let Some(left) = self.left.get_mut(side.index()) {
            *left = Some(TimeLeft { time, moves });
        }
    }

    /// Deducts the time of a move.
    pub fn spend(&mut self, side: Side, time: Duration) {
        let overtime = self.settings.and_then(|settings| settings.overtime());
        let Some(Some(left)) = self.left.get_mut(side.index()) else { return };
        let exceeded = time.saturating_sub(left.time);
        left.time = left.time.saturating_sub(time);
        if left.moves > 0 {
            left.moves -= 1;
            if let (0, Some(fresh)) = (left.moves, overtime) {
                *left = fresh;
            }
        } else if let (true, Some(fresh)) = (left.time.is_zero(), overtime) {
            *left = TimeLeft { time: fresh.time.saturating_sub(exceeded), ..fresh };
        }
    }

    /// The clock for a search of a side's move; `None` without a limit.
    pub fn for_search(&self, side: Side) -> Option<Clock> {
        let left = self.left.get(side.index()).copied().flatten()?;
        if left.moves > 0 {
            return Some(Clock { left: left.time, increment: Duration::ZERO, moves_to_go: Some(left.moves) });
        }
        // Of overtime a move can count on its share, whether or not the main time lasts.
        let overtime = self.settings.and_then(|settings| settings.overtime());
        let share = overtime.map_or(Duration::ZERO, |overtime| overtime.time / overtime.moves.max(1));
        Some(Clock { left: left.time.saturating_add(share), increment: share, moves_to_go: None })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn secs(count: u64) -> Duration {
        Duration::from_secs(count)
    }

    fn clocks(main: u64, period: u64, moves: u32) -> Clocks {
        let mut clocks = Clocks::default();
        clocks.set(TimeSettings { main: secs(main), period: secs(period), moves });
        clocks
    }

    #[test]
    fn no_limit_is_none_and_sudden_death_is_one() {
        assert_eq!(Clocks::default().for_search(Side::White), None);
        assert_eq!(clocks(0, 1, 0).for_search(Side::White), None);
        let clock = clocks(300, 0, 0).for_search(Side::Black).unwrap();
        assert_eq!((clock.left, clock.increment, clock.moves_to_go), (secs(300), secs(0), None));
        assert_eq!(clocks(0, 0, 0).for_search(Side::Black).unwrap().left, secs(0));
    }

    #[test]
    fn main_time_runs_over_into_overtime() {
        let mut clocks = clocks(60, 30, 5);
        assert_eq!(clocks.for_search(Side::White).unwrap().left, secs(66));
        clocks.spend(Side::White, secs(50));
        assert_eq!(clocks.for_search(Side::White).unwrap().left, secs(16));
        clocks.spend(Side::White, secs(12));
        let clock = clocks.for_search(Side::White).unwrap();
        assert_eq!((clock.left, clock.moves_to_go), (secs(28), Some(5)));
        for _ in 0..4 {
            clocks.spend(Side::White, secs(1));
        }
        assert_eq!(clocks.for_search(Side::White).unwrap().moves_to_go, Some(1));
        clocks.spend(Side::White, secs(1));
        assert_eq!(clocks.for_search(Side::White).unwrap().left, secs(30));
        assert_eq!(clocks.for_search(Side::Black).unwrap().left, secs(66));
    }

    #[test]
    fn the_other_sides_clock_is_believed() {
        let mut clocks = Clocks::default();
        clocks.set_time_left(Side::Black, secs(7), 3);
        assert_eq!(clocks.for_search(Side::Black).unwrap().moves_to_go, Some(3));
        clocks.set_time_left(Side::Black, secs(90), 0);
        assert_eq!(clocks.for_search(Side::Black).unwrap().left, secs(90));
        clocks.reset();
        assert_eq!(clocks.for_search(Side::Black), None);
    }
}
