//! What one job knows: options, solved tables, and how to find the value of a position.
//!
//! Every position is searched with an empty transposition table, so a result does not depend on what was searched
//! before it or which job does it. The table is no larger than the limit of nodes can fill, for emptying it takes time.

use crate::commands::args::set_option;
use crate::commands::error::CliError;
use crate::engine::Engine;
use crate::engine::solved::{Warned, certain};
use crate::game::{Game, Outcome};
use crate::position::Position;
use crate::rules::{RuleSet, Side};
use crate::search::control::Control;
use crate::search::limits::Limits;
use crate::search::score::ScoreKind;
use crate::search::tt::TranspositionTable;
use crate::search::{Line, SearchResult, SearchSettings, search};
use crate::tablebase::Wdl;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Memory that a job keeps for its searches, in pieces as large as those of the table, and in all. Without it the
/// system's allocator gives the memory of each table back and the kernel zeroes it for the next one, which takes nearly as
/// long as a search of 100 nodes, and longer with several jobs. Much more than a table of a megabyte is needed, so that
/// what else is allocated finds its place there too.
const PIECE: usize = 64 << 10;
const ROOM: usize = 8 << 20;

/// What an entry of the transposition table takes, in bytes, and how many there should be for each node.
const BYTES_PER_NODE: u64 = 16 * 2;

/// How positions are analysed.
#[derive(Clone, Debug, Default)]
pub struct Method {
    /// What bounds a search; at least one bound is set.
    pub limits: Limits,
    /// Options of the session, by name, with their values.
    pub options: Vec<(&'static str, String)>,
    /// The rule sets without tables that were told of.
    pub warned: Warned,
}

/// What was found out about a position.
#[derive(Clone, Debug)]
pub struct Finding {
    /// The position.
    pub position: Position,
    /// Best lines, best first, and what they have cost.
    pub answer: SearchResult,
    /// How the game has ended, if it has.
    pub over: Option<Outcome>,
    /// What the solved tables say for the side to move, where that is certain in this game.
    pub known: Option<Wdl>,
    /// Whether all the lines keep to what the tables say; else only the best can be taken to.
    pub is_kept: bool,
}

impl Finding {
    /// Who wins with best play after the first move of a line, for the side to move at its root, where that is certain:
    /// the game is over, the tables know it, or the search has seen a forced end.
    pub fn certain(&self, line: &Line) -> Option<Wdl> {
        if let Some(outcome) = self.over {
            return Some(verdict_for(self.position.side(), outcome.winner()));
        }
        match line.score.kind() {
            ScoreKind::Win(_) => Some(Wdl::Win),
            ScoreKind::Loss(_) => Some(Wdl::Loss),
            ScoreKind::Evaluation(_) => self.known.filter(|_| self.is_kept || self.answer.lines.first() == Some(line)),
        }
    }
}

fn verdict_for(side: Side, winner: Option<Side>) -> Wdl {
    match winner {
        None => Wdl::Draw,
        Some(winner) if winner == side => Wdl::Win,
        Some(_) => Wdl::Loss,
    }
}

/// One job's engines, one for each rule set that it has met.
pub struct Analyst {
    method: Method,
    engines: Vec<Ready>,
    /// Lies above the room for searches, so that it is not handed back; never looked at.
    _ballast: Vec<u8>,
}

/// An engine with the settings that follow from its options; to ask the system for processors again for every position
/// would take as long as a short search.
struct Ready {
    engine: Engine,
    settings: SearchSettings,
}

impl Analyst {
    /// A job that has met no position yet.
    pub fn new(method: Method) -> Self {
        let room: Vec<Vec<u8>> = (0..ROOM / PIECE).map(|_| Vec::with_capacity(PIECE)).collect();
        let ballast = Vec::with_capacity(PIECE);
        drop(std::hint::black_box(room));
        Self { method, engines: Vec::new(), _ballast: ballast }
    }

    /// Sees whether the options can be set, and warns where they do less than they say.
    ///
    /// # Errors
    /// Says what was found and expected.
    pub fn check(&self) -> Result<(), CliError> {
        let engine = engine_for(RuleSet::standard(), &self.method.options)?;
        engine.threads_note().iter().for_each(|note| log::warn!("{note}"));
        Ok(())
    }

    /// Finds out about the position on the board of a game.
    ///
    /// # Errors
    /// Says what has failed.
    pub fn analyze(&mut self, game: &Game) -> Result<Finding, String> {
        // A fault of the search should cost one position, not all that come after it.
        catch_unwind(AssertUnwindSafe(|| self.find(game))).unwrap_or_else(|_| Err("internal error".to_owned()))
    }

    fn find(&mut self, game: &Game) -> Result<Finding, String> {
        let mut limits = self.method.limits.clone();
        let Ready { engine, settings } = self.engine(game.rules())?;
        let game = game.clone().with_draw_plies(engine.draw_plies());
        let over = game.outcome_on_board();
        let tables = engine.tables().filter(|_| over.is_none());
        let known = tables.and_then(|tables| certain(tables, &game));
        let known = known.map(|known| known.value.wdl(game.position().side()));
        // Of a list of lines all are wanted, the tables' values with them.
        let is_kept = known.is_some()
            && settings.multi_pv == 1
            && engine.filter_root_moves(game.position(), &mut limits).is_some();
        let needed = limits.nodes.map_or(u64::MAX, |nodes| nodes.saturating_mul(BYTES_PER_NODE) >> 20);
        let table = TranspositionTable::new(needed.clamp(1, engine.options().hash.max(1)) as usize);
        let answer = search(&game, &limits, settings, &table, &Control::default(), |_| {});
        Ok(Finding { position: *game.position(), answer, over, known, is_kept })
    }

    /// The engine for a rule set.
    fn engine(&mut self, rules: &'static RuleSet) -> Result<&Ready, String> {
        let known = self.engines.iter().position(|ready| ready.engine.options().rules == rules);
        let index = match known {
            Some(index) => index,
            None => {
                let mut engine = engine_for(rules, &self.method.options).map_err(|error| error.to_string())?;
                self.method.warned.open_tables(&mut engine);
                self.engines.push(Ready { settings: engine.settings(), engine });
                self.engines.len() - 1
            }
        };
        self.engines.get(index).ok_or_else(|| "internal error".to_owned())
    }
}

/// An engine with these options, its tables not yet opened.
fn engine_for(rules: &'static RuleSet, options: &[(&'static str, String)]) -> Result<Engine, CliError> {
    let mut engine = Engine::default();
    set_option(&mut engine, "UCI_Variant", rules.name)?;
    for (name, value) in options {
        set_option(&mut engine, name, value)?;
    }
    Ok(engine)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::notation::fen;

    fn analyze(rules: &str, text: &str, nodes: u64) -> Finding {
        let start = fen::parse(RuleSet::named(rules).unwrap(), text).unwrap();
        let limits = Limits { nodes: Some(nodes), ..Limits::default() };
        Analyst::new(Method { limits, ..Method::default() }).analyze(&Game::new(start)).unwrap()
    }

    #[test]
    fn forced_ends_and_ends_are_certain() {
        for (text, verdict, is_over) in [
            ("1AA2/AA1A1/AtAA1/t1AA1/AAA1A w 55 44", Some(Wdl::Win), false),
            ("5/2E1E/1t1t1/2E1E/5 w 0 1", None, false),
            ("5/5/AAA2/AA3/ttAA1 b", Some(Wdl::Loss), true),
            ("5/5/AAA2/AA3/ttAA1 w", None, false),
            ("t4/5/5/5/A3t w 300", Some(Wdl::Draw), true),
        ] {
            let found = analyze("baghbandi", text, 500);
            assert_eq!(found.over.is_some(), is_over, "{text}");
            if verdict.is_some() || text.starts_with("5/2E1E") {
                assert_eq!(found.certain(&found.answer.lines[0]), verdict, "{text}");
            }
        }
    }

    #[test]
    fn a_result_does_not_depend_on_what_came_before() {
        let rules = RuleSet::standard();
        let limits = Limits { nodes: Some(3_000), ..Limits::default() };
        let mut analyst = Analyst::new(Method { limits, ..Method::default() });
        let game = Game::new(Position::start(rules));
        let first = analyst.analyze(&game).unwrap().answer;
        analyst.analyze(&Game::new(fen::parse(rules, "4A/2E1D/1t1t1/2E1E/5 b").unwrap())).unwrap();
        let again = analyst.analyze(&game).unwrap().answer;
        assert_eq!((first.lines, first.stats.nodes), (again.lines, again.stats.nodes));
    }
}
