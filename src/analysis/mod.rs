//! Positions and games in, one result a line out: what the commands for scripts share.
//!
//! [`source`] reads them from text in any form that the program knows.

pub mod source;
