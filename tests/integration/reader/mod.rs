//! Small strict readers of what the program writes, made for the tests and independent of its writers.

pub mod json;
pub mod xml;
