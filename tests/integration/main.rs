//! The tests that drive the built program as its users do, and those that compare the library with the plain reference.
//!
//! - [`driver`]: the program as a child process, for all others; [`reader`]: strict readers of its JSON and SVG;
//!   [`reference`](mod@reference): the rules, minimax and solved values, written without regard to speed; [`data`]:
//!   the files in `tests/data`.
//! - The library: `rules`, `search`, `tables` (with `table_samples` and `training`).
//! - The program: `session` (UCI and UGI), `clients`, `gtp`, `reading`, `tournament` (with `tournament_interruptions`,
//!   `tournament_limits`, `tournament_output` and `tournament_trial`), `hostile`, `analysis`, `annotate`, `show`, `tables_in_use`,
//!   `command_line`; hostile input in bulk in `fuzz`, interruptions in `kill`; and the examples of the documents in `docs`.

// A failure here is a failed test.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, clippy::string_slice)]
#![allow(missing_docs)]

mod analysis;
mod annotate;
mod clients;
mod command_line;
mod data;
mod docs;
mod driver;
mod fuzz;
mod gtp;
mod hostile;
mod kill;
mod reader;
mod reading;
mod reference;
mod rules;
mod search;
mod session;
mod show;
mod table_samples;
mod tables;
mod tables_in_use;
mod tournament;
mod tournament_interruptions;
mod tournament_limits;
mod tournament_output;
mod tournament_trial;
mod training;
