//! What every face of the program has under it: the options, the transposition table, and what follows from them.

pub mod analyst;
pub mod bench;
pub mod options;
pub mod solved;

use crate::game::{DrawPlies, Game};
use crate::moves::Move;
use crate::position::Position;
use crate::search::limits::Limits;
use crate::search::tt::TranspositionTable;
use crate::search::{SearchMode, SearchSettings};
use crate::tablebase::{Probe, Tablebase, Wdl};
use options::{Effect, Options};
use std::fmt;
use std::sync::Arc;
use std::thread::Builder;
use std::time::Duration;

/// The options with the transposition table that they ask for.
pub struct Engine {
    options: Options,
    table: Arc<TranspositionTable>,
    /// Solved tables of the rules in force, where the options name a folder that has some.
    tables: Option<Arc<Tablebase>>,
}

impl Default for Engine {
    fn default() -> Self {
        let options = Options::default();
        Self { table: Arc::new(TranspositionTable::new(options.hash as usize)), options, tables: None }
    }
}

impl Engine {
    /// The options in force.
    pub const fn options(&self) -> &Options {
        &self.options
    }

    /// The transposition table, for a search.
    pub fn table(&self) -> Arc<TranspositionTable> {
        Arc::clone(&self.table)
    }

    /// What the options say of a search.
    pub fn settings(&self) -> SearchSettings {
        SearchSettings {
            threads: (self.options.threads as usize).min(processors()),
            multi_pv: self.options.multi_pv as usize,
            move_overhead: Duration::from_millis(self.options.overhead),
            mode: SearchMode::Selective,
            tablebase: self.tables.clone(),
        }
    }

    /// What to say where more threads are asked for than there are processors: they would only wait for each other, and
    /// keep the session from answering.
    pub fn threads_note(&self) -> Option<String> {
        let (asked, most) = (self.options.threads, processors());
        (asked > most as u64).then(|| format!("Threads: {asked} asked for, {most} used: so many processors are here"))
    }

    /// Quiet plies that make a draw.
    pub const fn draw_plies(&self) -> DrawPlies {
        DrawPlies::new(self.options.draw_plies as u32)
    }

    /// A game from the start of the rules in force.
    pub fn new_game(&self) -> Game {
        self.game_from(Position::start(self.options.rules))
    }

    /// A game from a position, with the draws that the options ask for.
    pub fn game_from(&self, start: Position) -> Game {
        Game::new(start).with_draw_plies(self.draw_plies())
    }

    /// Sets an option, and starts with an empty table where it asks for one.
    ///
    /// # Errors
    /// Says what was found and expected; nothing has changed then.
    pub fn set_option(&mut self, name: &str, value: Option<&str>) -> Result<Effect, String> {
        let mut options = self.options.clone();
        let effect = options.set(name, value)?;
        if effect == Effect::NewTable
            && let Some(most) = too_much_hash(options.hash, self.options.hash)
        {
            return Err(format!("Hash: found {}, expected at most {most} here; nothing changed", options.hash));
        }
        self.options = options;
        // Entries of other rules, or of other tables, would be taken for this one's.
        if matches!(effect, Effect::NewTable | Effect::Rules | Effect::Tablebase) {
            self.forget();
        }
        Ok(effect)
    }

    /// Opens the solved tables of the rules in force in the folder that the options name, if they name one.
    ///
    /// Returns what there is to say of it.
    pub fn open_tables(&mut self) -> Option<String> {
        self.tables = None;
        let (path, rules) = (&self.options.table_path, self.options.rules);
        if path.as_os_str().is_empty() {
            return None;
        }
        Some(match Tablebase::with_cache(path, rules, self.options.table_cache as usize) {
            Ok(tables) => {
                let count = tables.layers().count();
                self.tables = Some(Arc::new(tables));
                let tables = if count == 1 { "table" } else { "tables" };
                format!("{count} {tables} of {} in '{}'", rules.name, path.display())
            }
            Err(error) => error.to_string(),
        })
    }

    /// The solved tables of the rules in force, if there are any.
    pub fn tables(&self) -> Option<&Tablebase> {
        self.tables.as_deref()
    }

    /// Leaves a search only moves that are best by the tables (the value is kept and, where there are distances, a win
    /// comes soonest or a loss latest), where they know the position and its end comes before a draw by the count of
    /// quiet plies; if none of the moves that the limits allow is one, all of these stay.
    pub fn filter_root_moves(&self, position: &Position, limits: &mut Limits) -> Option<Kept> {
        let tables = self.tables.as_ref()?;
        let (Probe { value, plies: distance }, moves) = tables.best_moves(position)?;
        if distance.is_some_and(|plies| !self.draw_plies().allow_end_after(position, plies)) {
            return None;
        }
        let kept = Kept {
            verdict: value.wdl(position.side()),
            points: position.rules().scored.then(|| value.points(position.rules())),
            distance,
            moves: moves.len(),
            all: position.legal_moves().len(),
        };
        let chosen = |mv: &Move| limits.root_moves.is_empty() || limits.root_moves.contains(mv);
        let moves: Vec<Move> = moves.into_iter().filter(chosen).collect();
        if !moves.is_empty() {
            limits.root_moves = moves;
        }
        Some(kept)
    }

    /// Starts with an empty table of the size asked for; a search that runs keeps the old one.
    pub fn forget(&mut self) {
        let old = std::mem::replace(&mut self.table, Arc::new(TranspositionTable::new(self.options.hash as usize)));
        // Giving gigabytes back takes a while. Without a thread for it this one has to.
        let _ = Builder::new().spawn(move || drop(old));
    }
}

/// What the tables have said of a position that is to be searched.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Kept {
    verdict: Wdl,
    /// The winner's, where wins are scored.
    points: Option<u32>,
    /// Plies to the end of the game, where there are distances.
    distance: Option<u32>,
    moves: usize,
    all: usize,
}

impl Kept {
    /// Number of positions looked up.
    pub const fn probes(&self) -> u64 {
        self.all as u64 + 1
    }
}

impl fmt::Display for Kept {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "tables: a {}", self.verdict)?;
        if let Some(points) = self.points.filter(|points| *points > 0) {
            write!(f, " of {points} points")?;
        }
        if let Some(distance) = self.distance {
            write!(f, " in {distance}")?;
        }
        write!(f, ", which {} of {} moves keep", self.moves, self.all)
    }
}

/// Processors that this program may use; any number where the system does not say.
fn processors() -> usize {
    std::thread::available_parallelism().map_or(usize::MAX, usize::from)
}

/// The most megabytes that a table can have now, if that is less than what is wanted.
///
/// The one in use, of `used` megabytes, will make room. Returns `None` as well where the system does not say.
fn too_much_hash(wanted: u64, used: u64) -> Option<u64> {
    let report = std::fs::read_to_string("/proc/meminfo").ok()?;
    let line = report.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    let kilobytes: u64 = line.split_whitespace().next()?.parse().ok()?;
    let most = kilobytes / 1024 + used;
    (wanted > most).then_some(most)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_an_option_says_holds_for_searches_and_games() {
        let mut engine = Engine::default();
        for (name, value) in [("threads", "1"), ("Move Overhead", "70"), ("DrawPlies", "40"), ("UCI_Variant", "super")]
        {
            assert!(engine.set_option(name, Some(value)).is_ok(), "{name}");
            assert_eq!(engine.options().value(name).as_deref(), Some(value));
        }
        assert_eq!((engine.settings().threads, engine.settings().move_overhead), (1, Duration::from_millis(70)));
        assert_eq!((engine.new_game().draw_plies().get(), engine.new_game().rules().name), (40, "super"));
    }

    #[test]
    fn more_memory_than_there_is_is_refused() {
        let mut engine = Engine::default();
        let before = engine.options().clone();
        assert!(engine.set_option("Hash", Some("0")).is_err());
        assert_eq!(too_much_hash(1, 0), None);
        assert_eq!(engine.options(), &before);
    }
}
