//! Games with each move judged: what it was worth, what was better, and how well both sides played.
//!
//! [`assess`] has every position of a game searched, and asks the solved tables where there are any; it is the only
//! part that takes time. [`review`] judges the moves from that by the table of grades in [`grade`], and the rest writes
//! the judged game: as text ([`text`]), as a match record ([`record`]), as a page for a browser ([`page`]).

pub mod assess;
mod chart;
pub mod grade;
pub mod page;
pub mod record;
pub mod review;
pub mod text;
pub mod value;
