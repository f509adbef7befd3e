//! The `sundarban` program.

#![forbid(unsafe_code)]

fn main() -> std::process::ExitCode {
    sundarban::commands::run()
}
