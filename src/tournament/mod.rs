//! The pure part of the match runner: what is played, what it proves, how it is told.
//! Nothing here starts a process, reads a clock or prints.
pub mod report;
pub mod schedule;
pub mod sprt;
pub mod stats;
