//! The `sundarban` program; `commands` is its command line.

#![forbid(unsafe_code)]

fn main() -> std::process::ExitCode {
    sundarban::commands::run()
}
