//! Sundarban: an engine for Bagh Bandi, the tiger hunt of Lower Bengal.
//!
//! This page is the map of the code. `protocol.md` is the specification for users; the rules of the game are in
//! [`rules`] and [`position`].
//!
//! # Layers
//!
//! Each row uses only what stands above it, and within a row nothing uses what uses it.
//!
//! | modules | what they know |
//! |---|---|
//! | `checksum`, `files`, `json`, `lines`, `parallel`, `rng`, `text` | nothing of the game: small helpers, one purpose each |
//! | [`board`], [`symmetry`], [`rules`], [`moves`] | points and lines, the rule sets as one table, a move as one word |
//! | [`position`] | a position, its legal moves, its exact hash key, perft |
//! | [`game`] | a history, draws by repetition and by quiet plies, results |
//! | [`notation`] | positions, moves, games and match records as text; the one reader of files and lines |
//! | [`eval`] | the static evaluation: networks trained on solved positions, and the win/draw/loss model behind them |
//! | [`tablebase`] | solved positions: solver, files, probing, verification, samples, the program's own small table |
//! | `training` | networks trained on samples |
//! | [`search`] | iterative deepening, principal variation search, transposition table, time, threads |
//! | [`engine`] | options, transposition table and tables in force; a search with the tables' choice of root moves |
//! | `render` | boards as text, in colours, as SVG |
//! | `uci`, `gtp`, `annotate`, `tournament` | the protocols, the judge of games, the match runner |
//! | [`commands`] | the command line: one file for each subcommand |
//!
//! Where is it? The rule that ends a game by repetition or quiet plies: [`game`]. A UCI option: `engine/options.rs` (field
//! and range) and `uci/options.rs` (name). A search heuristic: `search/pvs.rs`, or `search/movepick.rs` if it orders moves.
//! A subcommand: `commands/` and its name. Who decides that an engine forfeits on time: `tournament/referee.rs`. What the
//! bytes of a table mean: [`tablebase`].
//!
//! # From `position … go …` to `bestmove`
//!
//! 1. `lines` hands a line to the session's thread; `uci::command` turns it into a typed command or says what is wrong.
//! 2. `position` becomes a [`Game`](game::Game): [`notation::fen`] reads the start, [`notation::coordinates`] each move,
//!    [`position::Position::play`] plays it. A bad text leaves the old game, an illegal move forfeits.
//! 3. `go` becomes [`Limits`](search::limits::Limits). [`Engine::prepare`](engine::Engine::prepare) lets the tables
//!    filter the root moves and packs all that a search needs into an [`Analysis`](engine::Analysis).
//! 4. A background thread runs it. [`search::search`] deepens iteration by iteration, each node by `search/pvs.rs`, and
//!    reports by a callback, which `uci::info` turns into `info` lines.
//! 5. The first limit reached, or [`Control::stop`](search::control::Control::stop), ends it; `bestmove` is written.
//!
//! # From a position to its value in a table
//!
//! A position without a herd and with up to five goats is in the table that is part of the program, for all rule sets by
//! which it is not over yet: `tablebase/embedded` decodes that when it is first probed. All others are in files:
//!
//! 1. [`Layer`](tablebase::layer::Layer): which herds stand, and how high. It names the file; of layers that symmetries
//!    turn into each other one is stored.
//! 2. [`Layout`](tablebase::layout::Layout): the pair of tigers is a row, the single goats are a bit set within it;
//!    together they are a number.
//! 3. The block of 16,384 numbers is decoded once (`tablebase/huffman.rs`) and kept in a cache that all threads share.
//! 4. [`Probe`](tablebase::Probe): who wins, with how many points, in how many plies; or a typed reason why no table knows.
//!
//! # Words
//!
//! - **ply, node, principal variation, perft, quiescence**: as in every chess engine.
//! - **goat, herd, tiger**: the pieces. A herd is a stack of two to five goats; a goat that has left one never joins again.
//! - **quiet ply**: one without a capture and without a goat leaving a herd. Many in a row make a draw
//!   ([`game::DrawPlies`]).
//! - **chain**: a tiger's move of several jumps. **Immobilised**: tigers without a legal move, which loses.
//! - **centigoat**: a hundredth of a goat, the unit of evaluations. **Mate**: a forced end of the game.
//! - **WDL**: win, draw or loss for the side to move. **Points**: what a win is worth in the scored rule sets.
//! - **layer, row, chunk, block**: the parts of a table; see [`tablebase`].
//!
//! # How a program uses it
//!
//! A position and its moves:
//!
//! ```
//! use sundarban::notation::fen::{self, Fen};
//! use sundarban::position::Position;
//! use sundarban::rules::RuleSet;
//!
//! let rules = RuleSet::named("baghbandi").ok_or("no such rule set")?;
//! let start = Position::start(rules);
//! assert_eq!(start.legal_moves().len(), 14);
//! assert_eq!(Fen(&start).to_string(), "5/2E1E/1t1t1/2E1E/5 w 0 1");
//! let same = fen::parse(rules, "5/2E1E/1t1t1/2E1E/5 w")?;
//! assert_eq!(start.key(), same.key());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! A game, which knows draws:
//!
//! ```
//! use sundarban::game::{Game, Outcome};
//! use sundarban::notation::coordinates;
//! use sundarban::position::Position;
//! use sundarban::rules::RuleSet;
//!
//! let mut game = Game::new(Position::start(RuleSet::standard()));
//! for text in ["c2b2", "b3b1", "e2d2", "b1a1"] {
//!     let mv = coordinates::parse(game.position(), text)?;
//!     game.play(mv);
//! }
//! assert_eq!(game.position().goats_alive(), 19);
//! assert_eq!(game.outcome(), None);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! A search:
//!
//! ```
//! use sundarban::engine::{Engine, RootFilter};
//! use sundarban::search::control::Control;
//! use sundarban::search::limits::Limits;
//!
//! let engine = Engine::default();
//! let limits = Limits { depth: Some(6), ..Limits::default() };
//! let analysis = engine.prepare(&engine.new_game(), limits, 1, RootFilter::Always);
//! let result = analysis.run(&Control::default(), |_info| {});
//! let best = result.best().ok_or("no move")?;
//! assert!(engine.new_game().position().is_legal(best));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Solved tables, built and probed:
//!
//! ```
//! use sundarban::notation::fen;
//! use sundarban::rules::RuleSet;
//! use sundarban::tablebase::build::{BuildPlan, build};
//! use sundarban::tablebase::{Tablebase, Wdl};
//!
//! let rules = RuleSet::standard();
//! let dir = std::env::temp_dir().join(format!("sundarban-doc-{}", std::process::id()));
//! let plan = BuildPlan {
//!     rules,
//!     dir: dir.clone(),
//!     goats: 1,
//!     herds: 0,
//!     layer: None,
//!     distances: true,
//!     memory: 1 << 30,
//!     threads: 1,
//! };
//! build(&plan, |_progress| {})?;
//! let tables = Tablebase::open(&dir, rules)?;
//! // The goat stands right before a tiger that can jump over it.
//! let position = fen::parse(rules, "5/5/2t2/1A3/4t b")?;
//! let probe = tables.probe(&position)?;
//! assert_eq!((probe.value.wdl(position.side()), probe.plies), (Wdl::Win, Some(1)));
//! std::fs::remove_dir_all(dir)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#![forbid(unsafe_code)]

pub(crate) mod annotate;
pub mod board;
pub(crate) mod checksum;
pub mod commands;
pub(crate) mod drafts;
pub mod engine;
pub mod eval;
pub(crate) mod files;
pub mod game;
pub(crate) mod gtp;
pub(crate) mod json;
pub(crate) mod lines;
pub mod moves;
pub mod notation;
pub(crate) mod parallel;
pub(crate) mod platform;
pub mod position;
pub(crate) mod render;
pub mod rng;
pub mod rules;
pub mod search;
pub mod symmetry;
pub mod tablebase;
pub(crate) mod text;
pub(crate) mod tournament;
pub(crate) mod training;
pub mod uci;
