//! Limits of an engine's searches, the clocks that the referee keeps, and the `go` command made from both.

use crate::rules::Side;
use crate::text::{self, quoted};
use std::fmt::{self, Write};
use std::time::Duration;

/// Longest time in an option, in seconds: a hundred days.
const MOST_SECONDS: f64 = 8_640_000.0;
/// Least time for a move, margin included, that any engine could keep: a pipe and two processes take about a millisecond.
const LEAST_TIME: Duration = Duration::from_millis(10);

/// A time control, as `40/60+0.6`.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct TimeControl {
    /// Moves to the next `base`; `None` for the whole game.
    pub moves: Option<u32>,
    pub base: Duration,
    /// Added before the first move, and after each move.
    pub increment: Duration,
}

/// Limits of each of an engine's searches. All given ones hold together.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub struct EngineLimits {
    pub clock: Option<TimeControl>,
    pub move_time: Option<Duration>,
    pub nodes: Option<u64>,
    /// In plies.
    pub depth: Option<u32>,
    /// Time by which an answer may be late without a forfeit.
    pub margin: Duration,
    /// Whether `tc=inf` was given.
    pub is_endless: bool,
}

/// Seconds, or minutes:seconds.
fn seconds(key: &str, text: &str) -> Result<Duration, String> {
    let (minutes, seconds) = text.split_once(':').unwrap_or(("0", text));
    let minutes = text::number(key, minutes, 0.0, MOST_SECONDS / 60.0);
    let seconds = text::number(key, seconds, 0.0, MOST_SECONDS);
    match (minutes, seconds) {
        (Ok(minutes), Ok(seconds)) => Ok(Duration::from_secs_f64(60.0 * minutes + seconds)),
        _ => Err(format!("found {} in {key}, expected seconds, or minutes:seconds", quoted(text))),
    }
}

impl TimeControl {
    /// A clock as `8+0.08`, `40/60+0.6` or `1:30`; `None` for `inf`.
    ///
    /// # Errors
    /// Says what was found and expected.
    pub fn parse(text: &str) -> Result<Option<Self>, String> {
        if ["inf", "infinite"].contains(&text) {
            return Ok(None);
        }
        let refused =
            |_| format!("found tc={text}, expected [MOVES/]SECONDS[+SECONDS], as 8+0.08 or 40/60+0.6, or inf");
        let (moves, times) = match text.split_once('/') {
            Some((moves, times)) => (Some(text::number("tc", moves, 1, 1_000_000).map_err(refused)?), times),
            None => (None, text),
        };
        let (base, increment) = times.split_once('+').unwrap_or((times, "0"));
        let (base, increment) = (seconds("tc", base).map_err(refused)?, seconds("tc", increment).map_err(refused)?);
        Ok(Some(Self { moves, base, increment }))
    }
}

impl EngineLimits {
    /// Sets one of the keys `tc st nodes depth timemargin`; false if the key is none of them.
    ///
    /// # Errors
    /// Says what was found and expected.
    pub fn set(&mut self, key: &str, value: &str) -> Result<bool, String> {
        match key {
            "tc" => {
                self.clock = TimeControl::parse(value)?;
                self.is_endless = self.clock.is_none();
            }
            "st" => self.move_time = Some(seconds(key, value)?),
            "nodes" => self.nodes = Some(text::number(key, value, 1, u64::MAX)?),
            "depth" => self.depth = Some(text::number(key, value, 1, 1_000)?),
            "timemargin" => self.margin = Duration::from_millis(text::number(key, value, 0, 1_000_000)?),
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// Refuses a time that no engine could keep.
    ///
    /// # Errors
    /// Says what was found and expected.
    pub fn check_times(&self) -> Result<(), String> {
        let times = [("tc", self.clock.map(|clock| clock.base + clock.increment)), ("st", self.move_time)];
        let too_short = |time: Duration| time + self.margin < LEAST_TIME;
        let Some((key, _)) = times.into_iter().find(|(_, time)| time.is_some_and(too_short)) else { return Ok(()) };
        let value = self.key_values().into_iter().find(|(found, _)| found == key).map_or(String::new(), |pair| pair.1);
        let least = LEAST_TIME.as_secs_f64();
        Err(format!("found {key}={value}, expected {least} s or more for the first move, timemargin= included"))
    }

    /// Whether any limit ends a search.
    pub const fn is_bounded(&self) -> bool {
        self.clock.is_some() || self.move_time.is_some() || self.nodes.is_some() || self.depth.is_some()
    }

    /// The keys and values that give the same limits.
    pub fn key_values(&self) -> Vec<(String, String)> {
        let mut pairs = Vec::new();
        let mut add = |key: &str, value: Option<String>| pairs.extend(value.map(|value| (key.to_owned(), value)));
        let clock = self.clock.map(|TimeControl { moves, base, increment }| {
            let moves = moves.map_or(String::new(), |moves| format!("{moves}/"));
            format!("{moves}{}+{}", base.as_secs_f64(), increment.as_secs_f64())
        });
        add("tc", clock.or_else(|| self.is_endless.then(|| "inf".to_owned())));
        add("st", self.move_time.map(|time| time.as_secs_f64().to_string()));
        add("nodes", self.nodes.map(|nodes| nodes.to_string()));
        add("depth", self.depth.map(|depth| depth.to_string()));
        add("timemargin", (!self.margin.is_zero()).then(|| self.margin.as_millis().to_string()));
        pairs
    }

    /// The limit that reports name: the clock before the time for a move, nodes and depth; `None` if there is none.
    pub fn main_limit(&self) -> Option<MainLimit> {
        let millis = |time: Duration| u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
        match (self.clock, self.move_time, self.nodes, self.depth) {
            (Some(clock), ..) => Some(MainLimit::Clock {
                moves: clock.moves,
                base_ms: millis(clock.base),
                increment_ms: millis(clock.increment),
            }),
            (None, Some(time), ..) => Some(MainLimit::MoveTime(millis(time))),
            (None, None, Some(nodes), _) => Some(MainLimit::Nodes(nodes)),
            (None, None, None, depth) => depth.map(MainLimit::Depth),
        }
    }
}

impl fmt::Display for EngineLimits {
    /// As the keys and values of an engine's options, but for the margin.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let pairs = self.key_values().into_iter().filter(|(key, _)| key != "timemargin");
        f.write_str(&pairs.map(|(key, value)| format!("{key}={value}")).collect::<Vec<_>>().join(" "))
    }
}

/// The one of an engine's limits that a report names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MainLimit {
    /// `base_ms` milliseconds for all moves, or for each `moves` of them, and `increment_ms` more with every move.
    Clock { moves: Option<u32>, base_ms: u64, increment_ms: u64 },
    /// Milliseconds for each move.
    MoveTime(u64),
    /// Plies of each search.
    Depth(u32),
    /// Nodes of each search.
    Nodes(u64),
}

impl fmt::Display for MainLimit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let seconds = |ms: u64| ms as f64 / 1000.0;
        match *self {
            Self::Clock { moves, base_ms, increment_ms } => {
                if let Some(moves) = moves {
                    write!(f, "{moves}/")?;
                }
                write!(f, "{}", seconds(base_ms))?;
                if increment_ms > 0 {
                    write!(f, "+{}", seconds(increment_ms))?;
                }
                Ok(())
            }
            Self::MoveTime(ms) => write!(f, "{}/move", seconds(ms)),
            Self::Depth(plies) => write!(f, "{plies} plies"),
            Self::Nodes(nodes) => write!(f, "{nodes} nodes"),
        }
    }
}

/// One side's clock during a game.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct GameClock {
    limits: EngineLimits,
    remaining: Duration,
    /// Moves to the next time control; 0 if there is none.
    moves_to_go: u32,
}

impl GameClock {
    /// At the start of a game.
    pub fn new(limits: EngineLimits) -> Self {
        let control = limits.clock;
        Self {
            limits,
            remaining: control.map_or(Duration::ZERO, |control| control.base + control.increment),
            moves_to_go: control.and_then(|control| control.moves).unwrap_or(0),
        }
    }

    /// Time that the next move may take, the margin included; `None` if there is no limit.
    pub fn allowance(&self) -> Option<Duration> {
        let clock = self.limits.clock.map(|_| self.remaining);
        let allowed = match (clock, self.limits.move_time) {
            (Some(clock), Some(time)) => Some(clock.min(time)),
            (clock, time) => clock.or(time),
        };
        allowed.map(|time| time + self.limits.margin)
    }

    /// Subtracts the time of a move and adds the increment and, where it is due, the next `base`; false if the move took
    /// too long.
    pub fn spend(&mut self, time: Duration) -> bool {
        let is_in_time = self.allowance().is_none_or(|allowed| time <= allowed);
        if let Some(control) = self.limits.clock {
            self.remaining = self.remaining.saturating_sub(time) + control.increment;
            if let Some(moves) = control.moves {
                self.moves_to_go = self.moves_to_go.saturating_sub(1);
                if self.moves_to_go == 0 {
                    self.remaining += control.base;
                    self.moves_to_go = moves;
                }
            }
        }
        is_in_time
    }

    /// The remaining time in milliseconds, but never 0, which some engines take for no clock.
    fn remaining_ms(&self) -> u128 {
        self.remaining.as_millis().max(1)
    }
}

/// The `go` command for a side, from the clocks of White and Black.
pub fn go_line(side: Side, clocks: &[GameClock; 2], is_ugi: bool) -> String {
    let [white, black] = clocks;
    let own = if side == Side::White { white } else { black };
    let mut line = String::from("go");
    let names =
        if is_ugi { [["p1time", "p1inc"], ["p2time", "p2inc"]] } else { [["wtime", "winc"], ["btime", "binc"]] };
    // Writing to a string can't fail.
    if let Some(control) = own.limits.clock {
        for (clock, [time, increment]) in clocks.iter().zip(names) {
            if let Some(control) = clock.limits.clock {
                let _ = write!(line, " {time} {} {increment} {}", clock.remaining_ms(), control.increment.as_millis());
            }
        }
        if control.moves.is_some() {
            let _ = write!(line, " movestogo {}", own.moves_to_go);
        }
    }
    let limits = &own.limits;
    let numbers = [
        ("movetime", limits.move_time.map(|time| time.as_millis().max(1))),
        ("nodes", limits.nodes.map(u128::from)),
        ("depth", limits.depth.map(u128::from)),
    ];
    for (word, number) in numbers {
        if let Some(number) = number {
            let _ = write!(line, " {word} {number}");
        }
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    fn limits(words: &str) -> EngineLimits {
        let mut limits = EngineLimits::default();
        for word in words.split_whitespace() {
            let (key, value) = text::key_value(word).unwrap();
            assert!(limits.set(key, value).unwrap(), "{word}");
        }
        limits
    }

    #[test]
    fn time_controls_are_those_of_the_usual_managers() {
        for (text, pace) in
            [("40/60+0.6", "40/60+0.6"), ("8+0.08", "8+0.08"), ("1:30+1", "90+1"), ("10", "10"), ("0+1", "0+1")]
        {
            assert_eq!(limits(&format!("tc={text}")).main_limit().unwrap().to_string(), pace);
        }
        assert_eq!(TimeControl::parse("inf"), Ok(None));
        for bad in ["", "x", "40/", "0/60", "8+", "8+x", "-1", "nan", "1e99", "8+inf"] {
            assert!(TimeControl::parse(bad).unwrap_err().starts_with(&format!("found tc={bad}")), "{bad}");
        }
    }

    #[test]
    fn a_clock_runs_down_and_is_wound_up() {
        let mut clock = GameClock::new(limits("tc=2/10+1 timemargin=50"));
        let second = Duration::from_secs(1);
        assert_eq!(clock.allowance(), Some(11 * second + Duration::from_millis(50)));
        assert!(clock.spend(4 * second) && clock.remaining == 8 * second);
        assert!(clock.spend(8 * second + Duration::from_millis(50)));
        assert_eq!((clock.remaining, clock.moves_to_go), (11 * second, 2));
        assert!(!clock.spend(12 * second));
        assert_eq!(GameClock::new(limits("nodes=5")).allowance(), None);
    }

    #[test]
    fn what_no_engine_can_keep_is_refused() {
        for words in ["tc=0+5", "tc=40/0+1", "tc=0.01", "st=0.01", "st=0 timemargin=10", "tc=0.005+0.005", "nodes=1"] {
            assert_eq!(limits(words).check_times(), Ok(()), "{words}");
        }
        for (words, found) in [
            ("tc=0", "found tc=0+0, expected 0.01 s or more for the first move"),
            ("tc=0.001", "found tc=0.001+0, "),
            ("tc=5/0+0.001", "found tc=5/0+0.001, "),
            ("st=0", "found st=0, "),
            ("st=0.0001 nodes=5", "found st=0.0001, "),
            ("tc=5 st=0.001", "found st=0.001, "),
            ("st=0 timemargin=9", "found st=0, "),
        ] {
            let refused = limits(words).check_times().unwrap_err();
            assert!(refused.starts_with(found), "{words}: {refused}");
        }
    }

    #[test]
    fn an_increment_is_there_for_the_first_move() {
        let clocks = [GameClock::new(limits("tc=0+5")), GameClock::new(limits("tc=40/0+1"))];
        assert_eq!(clocks.map(|clock| clock.allowance().unwrap().as_secs()), [5, 1]);
        assert_eq!(go_line(Side::Black, &clocks, false), "go wtime 5000 winc 5000 btime 1000 binc 1000 movestogo 40");
    }

    #[test]
    fn an_engine_is_told_all_its_limits() {
        let clocks = [GameClock::new(limits("tc=40/60+0.6")), GameClock::new(limits("tc=8"))];
        let uci = go_line(Side::White, &clocks, false);
        assert_eq!(uci, "go wtime 60600 winc 600 btime 8000 binc 0 movestogo 40");
        assert_eq!(go_line(Side::Black, &clocks, true), "go p1time 60600 p1inc 600 p2time 8000 p2inc 0");
        let mixed = [GameClock::new(limits("tc=8")), GameClock::new(limits("st=0.1 nodes=9 depth=3"))];
        assert_eq!(go_line(Side::Black, &mixed, false), "go movetime 100 nodes 9 depth 3");
        assert_eq!(go_line(Side::White, &mixed, false), "go wtime 8000 winc 0");
    }
}
