//! What the program logs to standard error: warnings as lines for its user, and with `-v` the dialogue with the time.

use log::{Level, LevelFilter};
use std::io::Write;
use std::time::{Duration, Instant};

/// Starts logging. `verbose` counts the `-v`; the environment variable `RUST_LOG` sets other levels, also for single
/// modules.
///
/// A warning is a line `warning: …`. With `-v` each line begins with the seconds since the start of the program.
pub fn start(verbose: u8) {
    let level = match verbose {
        0 => LevelFilter::Warn,
        1 => LevelFilter::Debug,
        _ => LevelFilter::Trace,
    };
    let began = (verbose > 0).then(Instant::now);
    env_logger::Builder::new()
        .filter_level(level)
        .parse_default_env()
        .format(move |out, record| {
            let time = began.map(|began| began.elapsed());
            writeln!(out, "{}", line(record.level(), time, &record.args().to_string()))
        })
        .init();
}

/// A line of the log: the time in seconds, to the millisecond, where it is given; then the text, after the name of its
/// level if that is a warning or an error.
fn line(level: Level, time: Option<Duration>, text: &str) -> String {
    let time = time.map_or(String::new(), |time| format!("{:.3} ", time.as_secs_f64()));
    let name = match level {
        Level::Error => "error: ",
        Level::Warn => "warning: ",
        Level::Info | Level::Debug | Level::Trace => "",
    };
    format!("{time}{name}{text}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn warnings_are_named_and_times_have_milliseconds() {
        assert_eq!(line(Level::Warn, None, "x: found y"), "warning: x: found y");
        assert_eq!(line(Level::Error, None, "no"), "error: no");
        assert_eq!(line(Level::Debug, Some(Duration::from_micros(12_345_678)), "a < go"), "12.346 a < go");
    }
}
