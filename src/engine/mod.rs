//! The engine under every protocol and command: its options, its transposition table, its solved tables, and searches
//! that use all three.

pub mod analysis;
pub mod bench;
pub mod options;
pub mod reliability;
pub mod suite;

use crate::eval::evaluate;
use crate::game::{DrawPlies, Game};
use crate::position::Position;
use crate::search::tt::TranspositionTable;
use crate::search::{SearchMode, SearchSettings};
use crate::tablebase::Tablebase;
use crate::tablebase::probe::OpenError;
use crate::text::quoted_path;
pub use analysis::{Analysis, RootFilter, RootProbe, is_certain};
use options::{OptionError, Options};
use std::sync::Arc;
use std::thread::Builder;
use std::time::Duration;

/// Options, with the transposition table and the solved tables that go with them.
pub struct Engine {
    options: Options,
    table: Arc<TranspositionTable>,
    /// Solved tables of the rules in force: the program's own, and the files once they are opened.
    tablebase: Option<Arc<Tablebase>>,
    /// The program's own alone, which always has distances.
    embedded: Option<Arc<Tablebase>>,
    /// Processors that this program may use; asking the system takes as long as a short search.
    processors: usize,
}

impl Default for Engine {
    fn default() -> Self {
        Self::from_checked(Options::default())
    }
}

impl Engine {
    /// An engine with these options, its transposition table empty and the files of solved tables not yet opened.
    ///
    /// # Errors
    /// If a number is out of its range, or there is no memory for the transposition table.
    pub fn new(options: Options) -> Result<Self, OptionError> {
        options.check(0)?;
        Ok(Self::from_checked(options))
    }

    fn from_checked(options: Options) -> Self {
        let table = Arc::new(TranspositionTable::new(options.hash as usize));
        // Any number will do where the system does not say.
        let processors = std::thread::available_parallelism().map_or(usize::MAX, usize::from);
        let embedded = Tablebase::embedded(options.rules).map(Arc::new);
        let tablebase = embedded.clone();
        Self { options, table, tablebase, embedded, processors }
    }

    /// The options in force.
    pub const fn options(&self) -> &Options {
        &self.options
    }

    /// Puts other options in force. The transposition table is emptied only if its size changes, and the tables in use
    /// stay: after a change of the rules, [`Engine::clear_hash`] and [`Engine::open_tablebase`] have to follow, after one
    /// of the tables as well.
    ///
    /// # Errors
    /// If a number is out of its range, or there is no memory for the transposition table; nothing has changed then.
    pub fn set_options(&mut self, options: Options) -> Result<(), OptionError> {
        options.check(self.options.hash)?;
        let is_resized = options.hash != self.options.hash;
        self.options = options;
        if is_resized {
            self.clear_hash();
        }
        Ok(())
    }

    /// Empties the transposition table, which takes on the size of the options. It keeps its memory, unless its size
    /// changes or a search that runs still uses the old one.
    pub fn clear_hash(&mut self) {
        let size = self.options.hash as usize;
        if let Some(table) = Arc::get_mut(&mut self.table).filter(|table| table.megabytes() == size) {
            return table.clear();
        }
        let new = Arc::new(TranspositionTable::new(size));
        let old = std::mem::replace(&mut self.table, new);
        // Giving gigabytes back takes a while. Without a thread for it this one has to.
        let _ = Builder::new().spawn(move || drop(old));
    }

    /// Takes and makes all that a search would otherwise take or make while its clock runs: the transposition table's memory
    /// and the network of the rules in force.
    pub fn make_ready(&self) {
        self.table.prepare(self.search_threads());
        evaluate(&Position::start(self.options.rules));
    }

    /// Threads of a search.
    fn search_threads(&self) -> usize {
        (self.options.threads as usize).min(self.processors)
    }

    /// A note for the user if the options have more threads than there are processors. Searches use no more: threads
    /// would only wait for each other, and keep the session from answering.
    pub fn threads_note(&self) -> Option<String> {
        let (asked, most) = (self.options.threads, self.processors);
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

    /// A game from a position, drawn after the quiet plies of the options.
    pub fn game_from(&self, start: Position) -> Game {
        Game::new(start).with_draw_plies(self.draw_plies())
    }

    /// Opens the solved tables of the rules in force in the folders that the options name. Whatever is found, the program's
    /// own table of positions with few goats is used as well, if the rules have one.
    ///
    /// Returns what was found there; `None` if no folder is named.
    ///
    /// # Errors
    /// If a folder can't be read, or none has tables of these rules; the engine has only the program's own table then.
    pub fn open_tablebase(&mut self) -> Result<Option<String>, OpenError> {
        self.embedded = Tablebase::embedded(self.options.rules).map(Arc::new);
        self.tablebase.clone_from(&self.embedded);
        let (path, rules) = (&self.options.table_path, self.options.rules);
        if path.as_os_str().is_empty() {
            return Ok(None);
        }
        let tablebase = Tablebase::with_cache(path, rules, self.options.table_cache as usize)?;
        let count = tablebase.layers().count();
        self.tablebase = Some(Arc::new(tablebase.with_embedded()));
        let tables = if count == 1 { "table" } else { "tables" };
        Ok(Some(format!("{count} {tables} of {} in {}", rules.name, quoted_path(path))))
    }

    /// The solved tables of the rules in force: the program's own, if the rules have one, and the files that were opened.
    pub fn tablebase(&self) -> Option<&Tablebase> {
        self.tablebase.as_deref()
    }

    /// The settings of a search of a position for this many best lines. Where files know who wins it and not how soon, it is
    /// searched without them, but with the program's own table.
    fn search_settings(&self, root: &Position, lines: usize) -> SearchSettings {
        let lacks_distance = self.tablebase().is_some_and(|tablebase| tablebase.lacks_distance(root));
        SearchSettings {
            threads: self.search_threads(),
            multi_pv: lines,
            move_overhead: Duration::from_millis(self.options.overhead),
            mode: SearchMode::Selective,
            tablebase: if lacks_distance { self.embedded.clone() } else { self.tablebase.clone() },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::RuleSet;

    #[test]
    fn what_an_option_says_holds_for_searches_and_games() {
        let rules = RuleSet::named("super").unwrap();
        let options = Options { threads: 1, overhead: 70, draw_plies: 40, rules, ..Options::default() };
        let engine = Engine::new(options).unwrap();
        let settings = engine.search_settings(engine.new_game().position(), 1);
        assert_eq!((settings.threads, settings.move_overhead), (1, Duration::from_millis(70)));
        assert_eq!((engine.new_game().draw_plies().get(), engine.new_game().rules().name), (40, "super"));
    }

    #[test]
    fn the_programs_own_table_is_there_without_a_folder() {
        for rules in RuleSet::all() {
            let mut engine = Engine::new(Options { rules, ..Options::default() }).unwrap();
            let is_there = rules.goats_to_live == 1;
            assert_eq!(engine.tablebase().is_some_and(|tables| !tables.has_files()), is_there, "{}", rules.name);
            assert!(matches!(engine.open_tablebase(), Ok(None)));
            assert_eq!(engine.search_settings(&Position::start(rules), 1).tablebase.is_some(), is_there);
            engine.set_options(Options { table_path: "/nowhere".into(), rules, ..Options::default() }).unwrap();
            assert!(engine.open_tablebase().is_err());
            assert_eq!(engine.tablebase().is_some(), is_there);
        }
    }

    #[test]
    fn options_that_are_refused_change_nothing() {
        let mut engine = Engine::default();
        let table = Arc::clone(&engine.table);
        for options in [Options { hash: 0, ..Options::default() }, Options { threads: 257, ..Options::default() }] {
            assert!(Engine::new(options.clone()).is_err());
            assert!(engine.set_options(options).is_err());
        }
        assert_eq!(engine.options(), &Options::default());
        assert!(Arc::ptr_eq(&engine.table, &table));
        engine.set_options(Options { hash: 1, ..Options::default() }).unwrap();
        assert!(!Arc::ptr_eq(&engine.table, &table));
    }
}
