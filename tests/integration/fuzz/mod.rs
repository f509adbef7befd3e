//! Hostile input in bulk, the same for the same seed: lines and files made by the grammars of protocol.md and by hand of
//! chance, then mutated, for every reader of the program.
//!
//! - [`source`]: where the lines come from. [`plan`]: how many, from which seed; reports and shrinks what fails.
//!   [`process`]: the built program under a time limit.
//! - `texts`: the library's readers, with what is written reading back. `commands`: the same texts through the commands
//!   of the shell. `session` (UCI and UGI), `gtp`, `engine` (what engines send to a match): whole dialogues, in which
//!   every line of output must be protocol. `games`: games replayed.
//!
//! It runs in seconds. `SUNDARBAN_FUZZ_LINES` sets how many lines there are over all readers, `SUNDARBAN_FUZZ_GAMES` how
//! many games are replayed, `SUNDARBAN_FUZZ_SEED` what they follow from.

mod commands;
// Its engines are scripts of the shell.
#[cfg(unix)]
mod engine;
mod games;
mod gtp;
pub mod plan;
mod process;
mod session;
mod source;
mod texts;
