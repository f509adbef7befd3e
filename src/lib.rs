//! Sundarban: an engine for Bagh Bandi, the tiger hunt of Lower Bengal.

#![forbid(unsafe_code)]

pub mod annotate;
pub mod board;
pub(crate) mod checksum;
pub mod commands;
pub mod engine;
pub mod eval;
pub mod files;
pub mod game;
pub mod gtp;
pub mod json;
pub mod lines;
pub mod moves;
pub mod notation;
pub mod parallel;
pub(crate) mod platform;
pub mod position;
pub mod render;
pub mod rng;
pub mod rules;
pub mod search;
pub mod tablebase;
pub mod text;
pub(crate) mod tournament;
pub mod uci;
