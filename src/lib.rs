//! Sundarban: an engine for Bagh Bandi, the tiger hunt of Lower Bengal.

#![forbid(unsafe_code)]

pub mod analysis;
pub mod annotate;
pub mod annotate_command;
pub mod bench;
pub mod board;
pub mod cli;
pub mod engine;
pub mod eval;
pub mod game;
pub mod gtp;
pub mod input;
pub mod json;
pub mod moves;
pub mod notation;
pub mod output;
pub mod perft;
pub mod picture;
pub mod position;
pub mod rules;
pub mod search;
pub mod session;
pub mod show_command;
pub mod table_commands;
pub mod tables;
pub mod tournament;
