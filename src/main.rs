//! The `sundarban` program.

fn main() -> std::process::ExitCode {
    sundarban::cli::run()
}
