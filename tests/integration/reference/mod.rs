//! The plain reference of the rules: what every faster program is compared with.
//!
//! Written from the rules' text alone, as plainly as possible and without regard to speed: an array of 25 heights, two
//! tiger points, lists of neighbours made from the words of the rules. It shares no code with the engine: text goes in
//! and text comes out.

mod board;
mod ending;
mod minimax;
mod moves;
mod position;
mod record;
mod rules;
mod slots;
mod solve;

pub use minimax::{Minimax, drawn_on_path};
pub use position::{Result, Side, State};
pub use solve::{Value, solve};
