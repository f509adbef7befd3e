//! Endgame tables: the exact value of every position with few goats or few herds.
//!
//! Captured goats never come back and a goat that has left a herd never forms one again, so positions fall into layers
//! ([`layer`]) that are solved one after another (the private module `solver`). Of layers that the symmetries of the
//! board turn into each other (`symmetry`) one is solved. Each is a file, `<rule set>-<heights of the herds>.table`;
//! it holds the positions of the layer with at most the file's number of goats, both sides to move.
//!
//! The program has a small table of its own, in a more compact format: see the private module `embedded`.
//!
//! # Format (version 2; all numbers little-endian)
//!
//! | bytes | what |
//! |---|---|
//! | 8 | `SundTab`, line feed |
//! | 4 | version |
//! | 4 | positions of a block: 16384 |
//! | 24 | name of the rule set, filled up with zero bytes |
//! | 4 | heights of the four herds, 0 or 2 to 5 |
//! | 4 | most goats in all, herds included |
//! | 1 | binary digits of a class: 2, or 4 where wins are scored |
//! | 1 | 1 if there are distances, else 0 |
//! | 6 | zero |
//! | 8 | numbers of positions, both sides to move |
//! | 8 | bytes of the file |
//! | 8 | checksum of all the above |
//! | 16 an entry | the directory: where the entry ends in the file, its checksum |
//! | 8 | checksum of the directory |
//! | the rest | the entries: for each block its classes and, if there are distances, these |
//!
//! Every position has a number: White's positions come first, then row by row (a row is a pair of tigers, one of those
//! that symmetries turn into each other), chunk by chunk and by index: see [`layout`]. Numbers without a position are
//! like draws; so may be positions in which the game is over. A block is 16384 numbers (the last may be shorter).
//!
//! Classes are those of [`value::TableValue`]. For every 64 numbers the words of the classes' binary digits are cut into
//! pieces of 4 bits (2 where a class has four digits), and the pieces of all digits put together to bytes, the lowest
//! digit lowest. Distances are in plies; of each number that is no draw half of it, rounded down, is a byte; a
//! distance is odd just if the side to move wins. Both are coded, block by block, as `huffman.rs` says.

pub mod build;
pub(crate) mod embedded;
pub mod file;
pub(crate) mod huffman;
pub mod layer;
pub mod layout;
pub mod probe;
pub mod sample;
mod solver;
pub(crate) mod stats;
pub mod symmetry;
pub mod value;
pub mod vector;
pub mod verify;

pub use probe::{OpenError, Probe, ProbeError, Tablebase};
pub use value::{TableValue, Wdl};

/// What must be there by the construction of layouts and moves; `reason` says why. Without it the work must end before it
/// gives a wrong value.
#[inline]
#[track_caller]
fn expect_invariant<T>(value: Option<T>, reason: &str) -> T {
    match value {
        Some(value) => value,
        None => unreachable!("broken invariant: {reason}"),
    }
}
