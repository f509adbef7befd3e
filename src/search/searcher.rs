//! One thread of a search: what it needs to visit nodes, and the parts that every kind of node shares.

use crate::game::Game;
use crate::moves::Move;
use crate::position::{Key, Position};
use crate::search::limits::{Control, Limits, TimeManager};
use crate::search::movepick::{History, MovePicker};
use crate::search::path_score::{Dependence, PathScore, Ply};
use crate::search::score::{MAX_EVALUATION, Score};
use crate::search::tt::TranspositionTable;
use crate::search::window::Window;
use crate::search::{MAX_PLY, SearchMode};
use crate::tablebase::{Probe, Tablebase};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};

/// Nodes between two looks at the clock and the switches.
const NODES_PER_CHECK: u64 = 1_024;

/// What all threads of a search share.
pub(super) struct SearchContext<'a> {
    pub game: &'a Game,
    pub limits: &'a Limits,
    pub budget: Option<TimeManager>,
    pub style: SearchMode,
    /// Best lines wanted.
    pub line_count: usize,
    pub table: &'a TranspositionTable,
    pub control: &'a Control,
    pub tables: Option<&'a Tablebase>,
    /// Nodes of all threads, each thread's share brought in now and then.
    pub nodes: AtomicU64,
    /// Positions that the tables knew, likewise.
    pub table_hits: AtomicU64,
    /// Set when the main thread has its answer.
    pub done: AtomicBool,
}

impl SearchContext<'_> {
    /// Whether the search must be broken off.
    fn must_stop(&self) -> bool {
        if self.control.is_stopped() || self.done.load(Relaxed) {
            return true;
        }
        if self.control.is_held() {
            return false;
        }
        self.limits.nodes.is_some_and(|most| self.nodes.load(Relaxed) >= most)
            || self.budget.is_some_and(|budget| self.control.time_used() >= budget.hard)
    }
}

/// A thread of a search.
pub(super) struct Searcher<'a> {
    pub job: &'a SearchContext<'a>,
    pub memory: History,
    /// Keys of the positions since the game's start, those on the path from the root last.
    pub path: Vec<Key>,
    /// Number of keys in `path` up to the root, the root included.
    root_len: usize,
    /// The list of moves of each ply.
    lists: Vec<MovePicker>,
    /// The principal variation from each ply on.
    variations: Vec<Vec<Move>>,
    /// Deepest ply visited in this iteration.
    pub deepest: Ply,
    nodes: u64,
    /// Positions that the tables knew since hits were last brought in.
    table_hits: u64,
    /// Nodes already counted in the job.
    counted: u64,
    next_check: u64,
    /// The best score at the root since the search of it began, if a move has raised alpha.
    pub root_best: Option<Score>,
    /// Whether the tables know the root.
    is_root_known: bool,
    /// Whether it may be broken off; the first iteration never is, so that there is always an answer.
    pub may_stop: bool,
}

impl<'a> Searcher<'a> {
    pub fn new(job: &'a SearchContext<'a>) -> Self {
        let path: Vec<Key> = job.game.positions().map(Position::key).collect();
        let plies = usize::from(MAX_PLY) + 2;
        Self {
            job,
            memory: History::new(plies),
            root_len: path.len(),
            path,
            lists: std::iter::repeat_with(MovePicker::default).take(plies).collect(),
            variations: vec![Vec::new(); plies],
            deepest: 0,
            nodes: 0,
            table_hits: 0,
            counted: 0,
            next_check: 0,
            root_best: None,
            is_root_known: job.tables.is_some_and(|tables| tables.probe_value(job.game.position()).is_ok()),
            may_stop: false,
        }
    }

    /// Counts a node.
    ///
    /// Returns `None` if the search must be broken off.
    #[inline]
    pub fn enter(&mut self, ply: Ply) -> Option<()> {
        self.nodes += 1;
        self.deepest = self.deepest.max(ply);
        if self.nodes >= self.next_check { self.check() } else { Some(()) }
    }

    #[cold]
    fn check(&mut self) -> Option<()> {
        self.bring_in_nodes();
        let left = self.job.limits.nodes.map_or(u64::MAX, |most| most.saturating_sub(self.job.nodes.load(Relaxed)));
        self.next_check = self.nodes + NODES_PER_CHECK.min(left).max(1);
        (!self.may_stop || !self.job.must_stop()).then_some(())
    }

    /// Adds the nodes visited since the last time to the job's.
    pub fn bring_in_nodes(&mut self) {
        self.job.nodes.fetch_add(self.nodes - self.counted, Relaxed);
        self.counted = self.nodes;
        self.job.table_hits.fetch_add(std::mem::take(&mut self.table_hits), Relaxed);
    }

    /// Makes ready for another search from the root.
    pub fn return_to_root(&mut self) {
        self.path.truncate(self.root_len);
        self.next_check = 0;
        self.root_best = None;
        self.clear_variation(0);
    }

    /// The value of a position that needs no search: an end of the game or a draw by the path that leads here.
    pub fn settled(&self, position: &Position, ply: Ply) -> Option<PathScore> {
        if let Some(ending) = position.ending() {
            return Some(PathScore::sound(Score::of_end(position, ending.winner(), u32::from(ply))));
        }
        if self.job.game.draw_plies().are_reached(position) {
            return Some(PathScore::draw(Dependence::History));
        }
        self.repetition(position).map(PathScore::draw)
    }

    /// What a draw by repetition rests on, if the last position of the path is one: a position on the path, or two
    /// in the game before it.
    fn repetition(&self, position: &Position) -> Option<Dependence> {
        let (key, earlier) = self.path.split_last()?;
        let reach = position.quiet_plies() as usize;
        if reach < 4 {
            return None;
        }
        let mut before_root = 0;
        // Positions with the same side to move, from the fourth ply back.
        for back in (3..reach.min(earlier.len())).step_by(2) {
            let index = earlier.len() - 1 - back;
            if earlier.get(index) == Some(key) {
                match (index + 1).checked_sub(self.root_len) {
                    Some(ply) => return Some(Dependence::Path(ply as Ply)),
                    None => before_root += 1,
                }
                if before_root == 2 {
                    return Some(Dependence::History);
                }
            }
        }
        None
    }

    /// The best and the worst that can still come of a position: no goat returns, and nothing ends sooner.
    pub fn bounds(position: &Position, ply: Ply) -> (Score, Score) {
        let next = u32::from(ply) + 1;
        let side = position.side();
        (Score::of_end(position, side.opponent(), next), Score::of_end(position, side, next))
    }

    /// What the solved tables say of a position, as far as that ends the search of it with this window.
    ///
    /// A forced end must come before the count of quiet plies makes a draw. Where the tables have no distances, a win is
    /// worth more than any evaluation of what is unknown, but no forced end.
    pub fn known(&mut self, position: &Position, window: Window, ply: Ply) -> Option<Score> {
        let tables = self.job.tables?;
        let Probe { value, plies } = tables.probe(position).ok()?;
        self.table_hits += 1;
        let Some(winner) = value.winner() else {
            // Of a root that is drawn the draws are known; to search on finds the one that asks most of the other side.
            return (!self.is_root_known).then_some(Score::DRAW);
        };
        let is_won = winner == position.side();
        let sign = |score: Score| if is_won { score } else { -score };
        let Some(plies) = plies else {
            let bound = sign(Score::evaluation(i32::from(MAX_EVALUATION)));
            let cuts = if is_won { window.is_cut_by(bound) } else { bound <= window.alpha };
            return cuts.then_some(bound);
        };
        self.job
            .game
            .draw_plies()
            .allow_end_after(position, plies)
            .then(|| sign(Score::win(value.points(tables.rules()), u32::from(ply) + plies)))
    }

    /// Takes the list of a ply out, to be handed back with [`Searcher::return_list`].
    pub fn take_list(&mut self, ply: Ply) -> MovePicker {
        self.lists.get_mut(usize::from(ply)).map(std::mem::take).unwrap_or_default()
    }

    pub fn return_list(&mut self, ply: Ply, moves: MovePicker) {
        if let Some(list) = self.lists.get_mut(usize::from(ply)) {
            *list = moves;
        }
    }

    /// Forgets the principal variation from a ply on.
    pub fn clear_variation(&mut self, ply: Ply) {
        if let Some(variation) = self.variations.get_mut(usize::from(ply)) {
            variation.clear();
        }
    }

    /// Makes a move and what follows it the principal variation of a ply.
    pub fn extend_variation(&mut self, mv: Move, ply: Ply) {
        if let Some([variation, rest, ..]) = self.variations.get_mut(usize::from(ply)..) {
            variation.clear();
            variation.push(mv);
            variation.extend_from_slice(rest);
        }
    }

    /// The principal variation from the root.
    pub fn variation(&self) -> &[Move] {
        self.variations.first().map_or(&[], |variation| variation)
    }
}
