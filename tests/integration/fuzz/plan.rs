//! How much is tried, and what is told of what fails.

use super::source::Source;
use std::env;
use std::panic::{AssertUnwindSafe, catch_unwind};
use sundarban::rng::SplitMix64;

/// Lines over all readers where the environment names no number.
const LINES: u64 = 30_000;
/// Games replayed where the environment names no number.
const GAMES: u64 = 150;
const SEED: u64 = 11;
/// Runs of a failing case to make it smaller.
const MOST_TRIES: u32 = 300;
/// Lines of a failing case that are shown.
const MOST_SHOWN: usize = 20;
/// Longest line that is shown, in characters.
const LONGEST_SHOWN: usize = 2_000;

/// A line of input, without its end; of any bytes but line feeds.
pub type Line = Vec<u8>;

/// A number from the environment.
pub fn setting(name: &str, usual: u64) -> u64 {
    env::var(name).map_or(usual, |text| text.parse().unwrap_or_else(|_| panic!("{name}: '{text}' is no number")))
}

/// What the cases follow from.
pub fn seed() -> u64 {
    setting("SUNDARBAN_FUZZ_SEED", SEED)
}

/// How many games are replayed.
pub fn games() -> u64 {
    setting("SUNDARBAN_FUZZ_GAMES", GAMES)
}

/// What a reader is tried with.
pub struct Plan {
    /// The reader's name, which its cases follow from as well.
    pub name: &'static str,
    /// Its part of all lines, in percent.
    pub percent: f64,
    /// Lines in one case.
    pub case: usize,
}

impl Plan {
    /// Makes cases and checks each, until there are enough lines; at least one.
    ///
    /// Panics with the seed and the lines of the first case that fails, made as small as it still fails.
    pub fn run(&self, make: impl Fn(&mut Source) -> Line, check: impl Fn(&[Line]) -> Result<(), String>) {
        let lines = setting("SUNDARBAN_FUZZ_LINES", LINES) as f64 * self.percent / 100.0;
        let cases = (lines as u64 / self.case as u64).max(1);
        let own = self.name.bytes().fold(seed(), |seed, byte| SplitMix64::nth(seed, u64::from(byte)));
        let check = |lines: &[Line]| {
            let checked = catch_unwind(AssertUnwindSafe(|| check(lines)));
            checked.unwrap_or_else(|panic| Err(format!("panicked: {}", panic_text(panic.as_ref()))))
        };
        for number in 0..cases {
            let mut source = Source::new(SplitMix64::nth(own, number));
            let made = (0..self.case).map(|_| make(&mut source));
            let lines: Vec<Line> = made
                .flat_map(|line| line.split(|byte| *byte == b'\n').map(<[u8]>::to_vec).collect::<Vec<_>>())
                .collect();
            if let Err(why) = check(&lines) {
                let small = shrunk(lines, &check);
                let why: String = check(&small).err().unwrap_or(why).chars().take(LONGEST_SHOWN).collect();
                panic!("{}, seed {}, case {number}: {why}\n{}", self.name, seed(), shown(&small));
            }
        }
        println!("{}: {} lines in {cases} cases, seed {}", self.name, cases * self.case as u64, seed());
    }
}

fn panic_text(panic: &(dyn std::any::Any + Send)) -> &str {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("without a word")
}

/// Leaves out lines as long as what is left fails (A. Zeller, "Yesterday, my program worked. Today, it does not. Why?").
fn shrunk(mut lines: Vec<Line>, check: &dyn Fn(&[Line]) -> Result<(), String>) -> Vec<Line> {
    let mut tries = 0;
    let mut size = lines.len() / 2;
    while size > 0 && tries < MOST_TRIES {
        let mut from = 0;
        while from < lines.len() && tries < MOST_TRIES {
            let mut fewer = lines.clone();
            fewer.drain(from..(from + size).min(lines.len()));
            tries += 1;
            if check(&fewer).is_err() {
                lines = fewer;
            } else {
                from += size;
            }
        }
        size /= 2;
    }
    lines
}

/// Lines as text that can be copied into a test.
fn shown(lines: &[Line]) -> String {
    let cut = |line: &Line| line.escape_ascii().to_string().chars().take(LONGEST_SHOWN).collect::<String>();
    let mut text = lines.iter().take(MOST_SHOWN).map(|line| format!("> {}\n", cut(line))).collect::<String>();
    if lines.len() > MOST_SHOWN {
        text += &format!("and {} more lines\n", lines.len() - MOST_SHOWN);
    }
    text
}
