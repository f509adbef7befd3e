//! The settings of a match, checked, and what is made of them: the plan, the openings, the tables.

use crate::checksum::fnv1a_64;
use crate::game::Game;
use crate::rules::RuleSet;
use crate::tablebase::Tablebase;
use crate::text::quoted_path;
use crate::tournament::adjudication::AdjudicationRules;
use crate::tournament::engine_spec::EngineSpec;
use crate::tournament::opening::{self, OpeningJudge};
use crate::tournament::report::Contender;
use crate::tournament::schedule::{OpeningOrder, OpeningSource, TournamentFormat, TournamentPlan};
use crate::tournament::sprt::Sprt;
use std::path::PathBuf;
use std::time::Duration;

/// Where the openings come from.
#[derive(Clone, Debug)]
pub enum OpeningSettings {
    File {
        path: PathBuf,
        order: OpeningOrder,
        /// Plies of each opening that are played; `None` for all.
        plies: Option<usize>,
        /// Openings left out at the beginning.
        skip: u64,
    },
    /// Random games of this number of plies; `None` for any number.
    Random { plies: Option<u32>, judge: OpeningJudge },
}

/// The settings of a match.
#[derive(Clone, Debug)]
pub struct MatchSettings {
    /// Two or more, with different names.
    pub engines: Vec<EngineSpec>,
    pub format: TournamentFormat,
    /// Rounds: pairs of games of each pairing.
    pub rounds: u64,
    /// Games at a time, 1 or more.
    pub concurrency: usize,
    /// The rule sets, which take turns from round to round.
    pub rules: Vec<&'static RuleSet>,
    pub openings: OpeningSettings,
    /// Seed of all that is random.
    pub seed: u64,
    pub adjudication: AdjudicationRules,
    /// Folder of solved tables, which end games if `adjudication` has a rule for that.
    pub tables: Option<PathBuf>,
    /// Whether the tables judge generated openings.
    pub tables_judge_openings: bool,
    /// Quiet plies that make a draw; 0 for none.
    pub draw_plies: u32,
    /// Time that an engine may take for an answer beside its clock.
    pub patience: Duration,
    /// Whether engines play on that are not ready, or don't take their options.
    pub is_lenient: bool,
    /// The sequential test that ends the match early.
    pub sprt: Option<Sprt>,
    /// File that games are appended to.
    pub record: Option<PathBuf>,
    /// File for the results as JSON.
    pub json: Option<PathBuf>,
    /// The checkpoint file.
    pub resume: Option<PathBuf>,
    /// Finished pairs between two scoreboards; 0 for one at the end only.
    pub interval: u64,
    /// Only the last scoreboard is printed.
    pub is_quiet: bool,
}

impl MatchSettings {
    /// The options that determine the games, with their values. Two matches with the same ones play the same games, up
    /// to their number. `openings` is the checksum of the file with the openings.
    pub fn determining_options(&self, openings: Option<u64>) -> Vec<(String, String)> {
        let mut options = Vec::new();
        for (index, engine) in self.engines.iter().enumerate() {
            let pairs = engine.key_values().into_iter();
            options.extend(pairs.map(|(key, value)| (format!("--engine number {}: {key}", index + 1), value)));
        }
        let mut add = |option: &str, value: Option<String>| {
            options.extend(value.map(|value| (option.to_owned(), value)));
        };
        add("--tournament", Some(self.format.to_string()));
        add("--rules", Some(self.rules.iter().map(|rules| rules.name).collect::<Vec<_>>().join(" ")));
        match &self.openings {
            OpeningSettings::File { path, order, plies, skip } => {
                let plies = plies.map_or(String::new(), |plies| format!(" plies={plies}"));
                add("--openings", Some(format!("{} {order}{plies} start={}", path.display(), skip + 1)));
                add("content of --openings (checksum)", openings.map(|sum| format!("{sum:016x}")));
            }
            OpeningSettings::Random { plies, .. } => add("--random-plies", plies.map(|plies| plies.to_string())),
        }
        add("--seed", Some(self.seed.to_string()));
        add("--max-moves", self.adjudication.max_moves.map(|moves| moves.to_string()));
        add("--draw-plies", Some(self.draw_plies.to_string()));
        add("--tables", self.tables.as_ref().map(|path| path.display().to_string()));
        // The usual purpose is not named.
        let purpose = match (self.tables_judge_openings, self.adjudication.tables.is_some()) {
            (true, false) => Some("openings"),
            (false, true) => Some("ends"),
            _ => None,
        };
        add("--tables-for", purpose.filter(|_| self.tables.is_some()).map(str::to_owned));
        add("--tables-ends", self.adjudication.tables.map(|rule| rule.to_string()));
        add("--draw", self.adjudication.draw.map(|rule| rule.to_string()));
        add("--resign", self.adjudication.resign.map(|rule| rule.to_string()));
        add("--record", self.record.as_ref().map(|path| path.display().to_string()));
        options
    }

    /// The solved tables of each rule set, `None` for one without any; empty if no folder is set.
    ///
    /// # Errors
    /// If a folder can't be read, or none has tables of any of the rule sets.
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
    pub fn plan(&self, counts: Vec<usize>) -> TournamentPlan {
        let (openings, skip) = match &self.openings {
            OpeningSettings::File { order, skip, .. } => (OpeningSource::Listed { counts, order: *order }, *skip),
            OpeningSettings::Random { .. } => (OpeningSource::Generated { seed: self.seed }, 0),
        };
        let (engines, format, rounds) = (self.engines.len(), self.format, self.rounds);
        TournamentPlan { engines, format, rounds, rules: self.rules.len(), openings, skip }
    }

    /// The openings in the file for each rule set, and the checksum of the file; empty lists and `None` without one.
    ///
    /// # Errors
    /// Says what is wrong with the file.
    pub fn listed_openings(&self) -> Result<(Vec<Vec<Game>>, Option<u64>), String> {
        let OpeningSettings::File { path, plies, .. } = &self.openings else {
            return Ok((vec![Vec::new(); self.rules.len()], None));
        };
        let named = |why: String| format!("--openings: {}: {why}", quoted_path(path));
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
        Ok((found.lists, Some(fnv1a_64(String::from_utf8_lossy(&bytes).as_bytes()))))
    }

    /// The engines as reports describe them.
    pub fn contenders(&self) -> Vec<Contender<'_>> {
        self.engines.iter().map(contender).collect()
    }
}

fn contender(engine: &EngineSpec) -> Contender<'_> {
    let number = |name| engine.option(name).and_then(|value| value.parse().ok());
    let (threads, hash_mb) = (number("Threads"), number("Hash"));
    Contender { name: &engine.name, limit: engine.limits.main_limit(), threads, hash_mb }
}
