//! Solved tables for the commands for scripts: what is certain by them, and the folder that an option names.

use crate::commands::error::CliError;
use crate::engine::Engine;
use crate::game::Game;
use crate::rules::RuleSet;
use crate::tablebase::{Probe, Tablebase};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

/// What the tables say of the position on the board of a game, with the plies to its end, where that is certain in this
/// game.
///
/// The tables know nothing of quiet plies. A draw stays one all the same; a win is only certain if it comes before they
/// make a draw, so its distance has to be known, or no number of quiet plies may make a draw.
pub fn certain(tables: &Tablebase, game: &Game) -> Option<Probe> {
    tables.probe(game.position()).ok().filter(|known| known.holds(game.position(), game.draw_plies()))
}

/// The folder of `--tables` as an option of the engine has it.
///
/// # Errors
/// If it can't be read, or its name is not UTF-8.
pub fn folder(path: &Path) -> Result<String, CliError> {
    let name = path.display();
    std::fs::read_dir(path).map_err(|error| CliError::Work(format!("--tables: {name}: {error}")))?;
    let text = path.to_str().map(str::to_owned);
    text.ok_or_else(|| CliError::Usage(format!("--tables: found {name}, expected a name in UTF-8")))
}

/// The rule sets that a warning was given for; copies share them.
#[derive(Clone, Debug, Default)]
pub struct Warned(Arc<Mutex<Vec<&'static RuleSet>>>);

impl Warned {
    /// Opens the tables of an engine's rules, and warns where there are none, once for each rule set.
    pub fn open_tables(&self, engine: &mut Engine) {
        let Some(note) = engine.open_tables() else { return };
        if engine.tables().is_some() {
            log::info!("{note}");
        } else if self.is_first(engine.options().rules) {
            log::warn!("--tables: {note}; searched without");
        }
    }

    fn is_first(&self, rules: &'static RuleSet) -> bool {
        let mut warned = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let is_first = !warned.contains(&rules);
        if is_first {
            warned.push(rules);
        }
        is_first
    }
}
