//! A match as it was asked for, checked.

use crate::game::Game;
use crate::rules::RuleSet;
use crate::tablebase::Tablebase;
use crate::tournament::adjudication::Conditions;
use crate::tournament::checkpoint;
use crate::tournament::engine::EngineSpec;
use crate::tournament::opening;
use crate::tournament::report::Contender;
use crate::tournament::schedule::{Order, Plan, Source, TournamentFormat};
use crate::tournament::sprt::Sprt;
use std::path::PathBuf;
use std::time::Duration;

/// Where the openings come from.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Openings {
    /// A file.
    File {
        /// Its path.
        path: PathBuf,
        /// The order of their turns.
        order: Order,
        /// Plies of each that are played; `None` for all.
        plies: Option<usize>,
        /// Openings left out at the beginning.
        skip: u64,
    },
    /// Random plies, so many or as many as it takes.
    Random {
        /// Their number.
        plies: Option<u32>,
    },
}

/// A match.
#[derive(Clone, Debug)]
pub struct MatchSettings {
    /// The engines; two or more with different names.
    pub engines: Vec<EngineSpec>,
    /// Who meets whom.
    pub format: TournamentFormat,
    /// Rounds: pairs of games of each pairing.
    pub rounds: u64,
    /// Games at a time.
    pub concurrency: usize,
    /// Rule sets in turn.
    pub rules: Vec<&'static RuleSet>,
    /// Where games begin.
    pub openings: Openings,
    /// Seed of all that is random.
    pub seed: u64,
    /// What ends games beside the rules.
    pub conditions: Conditions,
    /// Folder of solved tables by whose word games end.
    pub tables: Option<PathBuf>,
    /// Quiet plies that make a draw; 0 for none.
    pub draw_plies: u32,
    /// Time that engines may take for answers beside their clocks.
    pub patience: Duration,
    /// The test that ends the match.
    pub sprt: Option<Sprt>,
    /// File for the games.
    pub record: Option<PathBuf>,
    /// File for the results.
    pub json: Option<PathBuf>,
    /// File to go on from.
    pub resume: Option<PathBuf>,
    /// Pairs between standings; 0 for one at the end.
    pub interval: u64,
    /// Only the last standing.
    pub is_quiet: bool,
}

impl MatchSettings {
    /// What determines the games, as options with their values. Two matches with the same ones play the same games,
    /// but for how many. `openings` is the checksum of the file with them.
    pub fn plan_lines(&self, openings: Option<u64>) -> Vec<(String, String)> {
        let mut lines = Vec::new();
        for (index, engine) in self.engines.iter().enumerate() {
            let words = engine.words().into_iter();
            lines.extend(words.map(|(key, value)| (format!("--engine number {}: {key}", index + 1), value)));
        }
        let mut add = |option: &str, value: Option<String>| {
            lines.extend(value.map(|value| (option.to_owned(), value)));
        };
        add("--tournament", Some(self.format.to_string()));
        add("--rules", Some(self.rules.iter().map(|rules| rules.name).collect::<Vec<_>>().join(" ")));
        match &self.openings {
            Openings::File { path, order, plies, skip } => {
                let plies = plies.map_or(String::new(), |plies| format!(" plies={plies}"));
                add("--openings", Some(format!("{} {order}{plies} start={}", path.display(), skip + 1)));
                add("content of --openings (checksum)", openings.map(|sum| format!("{sum:016x}")));
            }
            Openings::Random { plies } => add("--random-plies", plies.map(|plies| plies.to_string())),
        }
        add("--seed", Some(self.seed.to_string()));
        add("--max-moves", self.conditions.max_moves.map(|moves| moves.to_string()));
        add("--draw-plies", Some(self.draw_plies.to_string()));
        add("--tables", self.tables.as_ref().map(|path| path.display().to_string()));
        add("--draw", self.conditions.draw.map(|rule| rule.to_string()));
        add("--resign", self.conditions.resign.map(|rule| rule.to_string()));
        add("--record", self.record.as_ref().map(|path| path.display().to_string()));
        lines
    }

    /// The solved tables of each rule set, where there are any.
    ///
    /// # Errors
    /// If none of the rule sets has any in the folder.
    pub fn open_tables(&self) -> Result<Vec<Option<Tablebase>>, String> {
        let Some(path) = &self.tables else { return Ok(Vec::new()) };
        let opened: Vec<_> = self.rules.iter().map(|rules| Tablebase::open(path, rules)).collect();
        match opened.iter().find_map(|tables| tables.as_ref().err()) {
            Some(error) if opened.iter().all(Result::is_err) => return Err(format!("--tables: {error}")),
            Some(error) => log::warn!("--tables: {error}; its games are played to their end"),
            None => {}
        }
        Ok(opened.into_iter().map(Result::ok).collect())
    }

    /// The plan for the scheduler, with the number of listed openings for each rule set.
    pub fn plan(&self, counts: Vec<usize>) -> Plan {
        let (openings, skip) = match &self.openings {
            Openings::File { order, skip, .. } => (Source::Listed { counts, order: *order }, *skip),
            Openings::Random { .. } => (Source::Generated { seed: self.seed }, 0),
        };
        let (engines, format, rounds) = (self.engines.len(), self.format, self.rounds);
        Plan { engines, format, rounds, rules: self.rules.len(), openings, skip }
    }

    /// The listed openings for each rule set, empty lists if they are made on the spot, and the checksum of their file.
    ///
    /// # Errors
    /// Says what is wrong with the file.
    pub fn listed_openings(&self) -> Result<(Vec<Vec<Game>>, Option<u64>), String> {
        let Openings::File { path, plies, .. } = &self.openings else {
            return Ok((vec![Vec::new(); self.rules.len()], None));
        };
        let named = |why: String| format!("--openings: '{}': {why}", path.display());
        let bytes = std::fs::read(path).map_err(|error| named(error.to_string()))?;
        let found = opening::read(&path.to_string_lossy(), bytes.as_slice(), &self.rules, *plies)
            .map_err(|why| format!("--openings: {why}"))?;
        if let Some(index) = found.lists.iter().position(Vec::is_empty) {
            let rules = self.rules.get(index).map_or("", |rules| rules.name);
            let over = match found.over {
                0 => String::new(),
                over => format!(" ({over} positions are over already and were skipped)"),
            };
            return Err(named(format!("found no opening for {rules}{over}, expected 1 or more")));
        }
        if found.over > 0 {
            log::warn!("{}", named(format!("{} positions are over already and are skipped", found.over)));
        }
        Ok((found.lists, Some(checkpoint::checksum(&String::from_utf8_lossy(&bytes)))))
    }

    /// The engines as standings describe them.
    pub fn contenders(&self) -> Vec<Contender<'_>> {
        self.engines.iter().map(contender).collect()
    }
}

fn contender(engine: &EngineSpec) -> Contender<'_> {
    let number = |name| engine.option(name).and_then(|value| value.parse().ok());
    let (threads, hash_mb) = (number("Threads"), number("Hash"));
    Contender { name: &engine.name, pace: engine.limits.pace(), threads, hash_mb }
}
