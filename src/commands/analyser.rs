//! The value of one position after another, each by a search of its own.
//!
//! Every position is searched with an empty transposition table, so a result does not depend on what was searched
//! before it or which job does it. The table is no larger than the limit of nodes can fill, for emptying it takes time.

use crate::commands::engine_args::{DrawPliesArg, HashArg, TablebaseOpener, TablesArg, ThreadsArg};
use crate::commands::error::CliError;
use crate::engine::options::Options;
use crate::engine::{Analysis, Engine, RootFilter, is_certain};
use crate::game::{Game, Outcome};
use crate::position::Position;
use crate::rules::{RuleSet, Side};
use crate::search::control::Control;
use crate::search::limits::Limits;
use crate::search::score::ScoreKind;
use crate::search::tt::TranspositionTable;
use crate::search::{Line, SearchResult};
use crate::tablebase::Wdl;
use clap::Args;
use clap::builder::TypedValueParser;
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

/// Memory that a job keeps for its searches, in pieces as large as those of the transposition table, and in all, in
/// bytes. Without it the system's allocator gives the memory of each table back and the kernel zeroes it for the next
/// one, which takes nearly as long as a search of 100 nodes, and longer with several jobs. Much more than a table of a
/// megabyte is needed, so that what else is allocated finds its place there too.
const RETAINED_PIECE: usize = 64 << 10;
const RETAINED_MEMORY: usize = 8 << 20;

/// Size of the transposition table for each node of the limit, in bytes: two entries of 16.
const BYTES_PER_NODE: u64 = 16 * 2;

/// Options of the commands that search many positions.
#[derive(Args)]
#[command(
    mut_arg("threads", |arg| arg
        .help("Threads of a search; with one a result is the same every time")
        .default_value("1")
        .value_parser(clap::value_parser!(u16).range(1..=256).map(u64::from))),
    mut_arg("hash", |arg| arg
        .help("Most megabytes of each job's transposition table")
        .default_value("64")
        .value_parser(clap::value_parser!(u32).range(1..=65_536).map(u64::from))),
    mut_arg("tables", |arg| arg
        .help("Folder of solved tables; rule sets that have none there are searched without, with a warning")),
)]
pub struct AnalyserArgs {
    #[command(flatten)]
    threads: ThreadsArg,
    /// Positions to search side by side; the output keeps the order of the input
    #[arg(long, value_name = "N", default_value_t = 1, allow_negative_numbers = true, value_parser = clap::value_parser!(u16).range(1..=256))]
    jobs: u16,
    #[command(flatten)]
    hash: HashArg,
    #[command(flatten)]
    tables: TablesArg,
    #[command(flatten)]
    draw_plies: DrawPliesArg,
}

impl AnalyserArgs {
    /// Positions to search side by side, 1 to 256.
    pub fn jobs(&self) -> usize {
        usize::from(self.jobs)
    }

    /// The settings of searches with so many best lines.
    ///
    /// # Errors
    /// If the folder of tables can't be read.
    pub fn settings(&self, lines: u64) -> Result<AnalyserSettings, CliError> {
        let options = Options {
            hash: self.hash.megabytes(),
            threads: self.threads.count(),
            multi_pv: lines,
            // Nobody's clock is at stake.
            overhead: 0,
            draw_plies: self.draw_plies.plies(),
            table_path: self.tables.readable_path()?,
            ..Options::default()
        };
        Ok(AnalyserSettings { options, tables: TablebaseOpener::default() })
    }
}

/// How positions are analysed, whatever bounds the search.
#[derive(Clone, Debug, Default)]
pub struct AnalyserSettings {
    /// The engine's options, but for the rules, which each position brings along.
    pub options: Options,
    /// Opens the solved tables.
    pub tables: TablebaseOpener,
}

/// A position with its value.
#[derive(Clone, Debug)]
pub struct AnalysedPosition {
    /// The position.
    pub position: Position,
    /// Best lines, best first, and what they have cost.
    pub result: SearchResult,
    /// How the game has ended, if it has.
    pub outcome: Option<Outcome>,
    /// The solved tables' result for the side to move with each of the best lines, where it is certain in this game.
    pub tablebase_wdls: Vec<Option<Wdl>>,
}

impl AnalysedPosition {
    /// Who wins with best play after the first move of the line of this rank, from 1, for the side to move at its root,
    /// where that is certain: the game is over, the tables have it, or the search has seen a forced end.
    pub fn certain_wdl(&self, rank: usize, line: &Line) -> Option<Wdl> {
        if let Some(outcome) = self.outcome {
            return Some(wdl_for(self.position.side(), outcome.winner()));
        }
        match line.score.kind() {
            ScoreKind::Win(_) => Some(Wdl::Win),
            ScoreKind::Loss(_) => Some(Wdl::Loss),
            ScoreKind::Evaluation(_) => self.tablebase_wdls.get(rank.saturating_sub(1)).copied().flatten(),
        }
    }
}

/// The solved tables' result of a line for the side to move at its root, where it is certain: of the position, if the
/// tables have left only moves that keep it, else of that after the line's first move.
fn tablebase_wdl(engine: &Engine, analysis: &Analysis, line: &Line) -> Option<Wdl> {
    let (position, draw_plies) = (analysis.game.position(), analysis.game.draw_plies());
    let certain = analysis.certain?;
    if analysis.root_probe.is_some() {
        return Some(certain.value.wdl(position.side()));
    }
    let after = position.play(*line.moves.first()?);
    let probe = engine.tablebase()?.probe(&after).ok().filter(|probe| is_certain(*probe, &after, draw_plies))?;
    Some(probe.value.wdl(position.side()))
}

fn wdl_for(side: Side, winner: Option<Side>) -> Wdl {
    match winner {
        None => Wdl::Draw,
        Some(winner) if winner == side => Wdl::Win,
        Some(_) => Wdl::Loss,
    }
}

/// Analyses positions of any rules, with one engine for each rule set that it has met.
pub struct PositionAnalyser {
    settings: AnalyserSettings,
    /// By the name of the rule set.
    engines: HashMap<&'static str, Engine>,
    /// Lies above the retained memory, so that it is not handed back; never looked at.
    _ballast: Vec<u8>,
}

impl PositionAnalyser {
    /// An analyser that has met no position yet.
    pub fn new(settings: AnalyserSettings) -> Self {
        let retained: Vec<Vec<u8>> =
            (0..RETAINED_MEMORY / RETAINED_PIECE).map(|_| Vec::with_capacity(RETAINED_PIECE)).collect();
        let ballast = Vec::with_capacity(RETAINED_PIECE);
        drop(std::hint::black_box(retained));
        Self { settings, engines: HashMap::new(), _ballast: ballast }
    }

    /// Analyses the position on the board of a game; at least one limit is set.
    ///
    /// # Errors
    /// If the engine can't have the options, or the search has panicked.
    pub fn analyse(&mut self, game: &Game, limits: &Limits) -> Result<AnalysedPosition, String> {
        // A fault of the search should cost one position, not all that come after it.
        catch_unwind(AssertUnwindSafe(|| self.search(game, limits)))
            .unwrap_or_else(|_| Err("internal error".to_owned()))
    }

    fn search(&mut self, game: &Game, limits: &Limits) -> Result<AnalysedPosition, String> {
        let engine = self.engine(game.rules()).map_err(|error| error.to_string())?;
        let game = game.clone().with_draw_plies(engine.draw_plies());
        let needed = limits.nodes.map_or(u64::MAX, |nodes| nodes.saturating_mul(BYTES_PER_NODE) >> 20);
        let table = TranspositionTable::new(needed.clamp(1, engine.options().hash.max(1)) as usize);
        let mut analysis =
            engine.prepare(&game, limits.clone(), engine.options().multi_pv as usize, RootFilter::IfCertain);
        analysis.table = Arc::new(table);
        let result = analysis.run(&Control::default(), |_| {});
        let tablebase_wdls = result.lines.iter().map(|line| tablebase_wdl(engine, &analysis, line)).collect();
        Ok(AnalysedPosition { position: *game.position(), result, outcome: game.outcome_on_board(), tablebase_wdls })
    }

    /// The engine for a rule set.
    fn engine(&mut self, rules: &'static RuleSet) -> Result<&Engine, CliError> {
        match self.engines.entry(rules.name) {
            Entry::Occupied(engine) => Ok(engine.into_mut()),
            Entry::Vacant(vacant) => {
                let mut engine = Engine::new(Options { rules, ..self.settings.options.clone() })?;
                self.settings.tables.open(&mut engine);
                Ok(vacant.insert(engine))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::notation::fen;

    fn analysed(rules: &str, text: &str, nodes: u64) -> AnalysedPosition {
        let start = fen::parse(RuleSet::named(rules).unwrap(), text).unwrap();
        let limits = Limits { nodes: Some(nodes), ..Limits::default() };
        PositionAnalyser::new(AnalyserSettings::default()).analyse(&Game::new(start), &limits).unwrap()
    }

    #[test]
    fn forced_ends_and_ends_are_certain() {
        for (text, wdl, is_over) in [
            ("1AA2/AA1A1/AtAA1/t1AA1/AAA1A w 55 44", Some(Wdl::Win), false),
            ("5/2E1E/1t1t1/2E1E/5 w 0 1", None, false),
            ("5/5/AAA2/AA3/ttAA1 b", Some(Wdl::Loss), true),
            ("5/5/AAA2/AA3/ttAA1 w", None, false),
            ("t4/5/5/5/A3t w 300", Some(Wdl::Draw), true),
        ] {
            let found = analysed("baghbandi", text, 500);
            assert_eq!(found.outcome.is_some(), is_over, "{text}");
            if wdl.is_some() || text.starts_with("5/2E1E") {
                assert_eq!(found.certain_wdl(1, &found.result.lines[0]), wdl, "{text}");
            }
        }
    }

    #[test]
    fn a_result_does_not_depend_on_what_came_before() {
        let rules = RuleSet::standard();
        let limits = Limits { nodes: Some(3_000), ..Limits::default() };
        let mut analyser = PositionAnalyser::new(AnalyserSettings::default());
        let game = Game::new(Position::start(rules));
        let first = analyser.analyse(&game, &limits).unwrap().result;
        let other = Game::new(fen::parse(rules, "4A/2E1D/1t1t1/2E1E/5 b").unwrap());
        analyser.analyse(&other, &limits).unwrap();
        let again = analyser.analyse(&game, &limits).unwrap().result;
        assert_eq!((first.lines, first.stats.nodes), (again.lines, again.stats.nodes));
    }
}
