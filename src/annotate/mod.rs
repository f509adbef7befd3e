//! Games with every move graded: its value, what was better, and how accurately both sides played.
//!
//! [`assess`] gives every position of a game a [`value`] by search and solved tables; it is the only part that takes time.
//! [`review`] compares the values before and after each move, which gives it one of the grades of [`grade`], and the rest
//! writes the reviewed game: as text ([`text`]), as a match record ([`record`]), as a page for a browser ([`page`]).

pub mod assess;
mod chart;
pub mod grade;
pub mod page;
pub mod record;
pub mod review;
pub mod text;
pub mod value;
