//! One thread of a search: what it needs to visit nodes, and the parts that every kind of node shares.

use crate::moves::Move;
use crate::position::{Key, Position};
use crate::search::context::SearchContext;
use crate::search::eval_cache::EvalCache;
use crate::search::history::History;
use crate::search::movepick::MovePicker;
use crate::search::path_score::{Dependence, PathScore};
use crate::search::ply::{MAX_PLY, PLY_COUNT, Ply};
use crate::search::score::{MAX_EVALUATION, Score};
use crate::search::window::Window;
use crate::tablebase::Probe;
use std::array::from_fn;
use std::sync::atomic::Ordering::Relaxed;

/// A thread of a search.
pub struct Searcher<'a> {
    pub context: &'a SearchContext<'a>,
    pub history: History,
    pub eval_cache: EvalCache,
    /// Keys of the positions since the game's start; the last is that of the node being searched.
    pub path: Vec<Key>,
    /// Number of keys in `path` up to the root, the root included.
    root_len: usize,
    /// The move picker of each ply, kept for its memory.
    move_pickers: [MovePicker; PLY_COUNT],
    /// The principal variation from each ply on (the triangular table of principal variations).
    pv: [Vec<Move>; PLY_COUNT],
    /// Deepest ply visited in this iteration (selective depth).
    pub seldepth: Ply,
    nodes: u64,
    /// Number of nodes up to which the context has handed them out to this thread.
    claimed_nodes: u64,
    /// Of `nodes`, those that the context has been told.
    reported_nodes: u64,
    /// Positions whose value the tablebase gave, since the context was last told.
    tablebase_hits: u64,
    /// Number of nodes at which to look at the clock again.
    next_check: u64,
    /// The best score at the root since the search of it began, if a move has raised alpha.
    pub root_score: Option<Score>,
    is_root_in_tablebase: bool,
    /// Whether it may be broken off; the first iteration of the main thread never is, so that there is always a move to
    /// play.
    pub may_stop: bool,
}

impl<'a> Searcher<'a> {
    pub fn new(context: &'a SearchContext<'a>) -> Self {
        let path: Vec<Key> = context.game.positions().map(Position::key).collect();
        let root = context.game.position();
        Self {
            context,
            history: History::new(),
            eval_cache: EvalCache::new(),
            root_len: path.len(),
            path,
            move_pickers: from_fn(|_| MovePicker::default()),
            pv: from_fn(|_| Vec::new()),
            seldepth: 0,
            nodes: 0,
            claimed_nodes: 0,
            reported_nodes: 0,
            tablebase_hits: 0,
            next_check: 0,
            root_score: None,
            is_root_in_tablebase: context.tablebase.is_some_and(|tablebase| tablebase.probe_value(root).is_ok()),
            may_stop: false,
        }
    }

    /// Counts a node. Its ply is at most [`MAX_PLY`].
    ///
    /// Returns `None` if the search must be broken off.
    #[inline]
    pub fn count_node(&mut self, ply: Ply) -> Option<()> {
        debug_assert!(ply <= MAX_PLY);
        self.nodes += 1;
        self.seldepth = self.seldepth.max(ply);
        if self.nodes >= self.next_check { self.check_limits() } else { Some(()) }
    }

    #[cold]
    fn check_limits(&mut self) -> Option<()> {
        self.report_counts();
        if self.nodes >= self.claimed_nodes {
            let lot = self.context.claim_nodes(self.nodes - self.claimed_nodes);
            self.claimed_nodes = self.nodes + lot;
        }
        let has_nodes = self.nodes < self.claimed_nodes;
        self.next_check = self.claimed_nodes.max(self.nodes + 1);
        (!self.may_stop || !self.context.must_stop(has_nodes)).then_some(())
    }

    /// Adds the nodes and tablebase hits since the last time to the context's.
    pub fn report_counts(&mut self) {
        self.context.nodes.fetch_add(self.nodes - self.reported_nodes, Relaxed);
        self.reported_nodes = self.nodes;
        self.context.tablebase_hits.fetch_add(std::mem::take(&mut self.tablebase_hits), Relaxed);
    }

    /// Makes ready for another search from the root.
    pub fn reset_to_root(&mut self) {
        self.path.truncate(self.root_len);
        self.next_check = 0;
        self.root_score = None;
        self.clear_pv(0);
    }

    /// The score of a position where the game ends, or counts as drawn on the path that leads here.
    pub fn terminal_score(&self, position: &Position, ply: Ply) -> Option<PathScore> {
        if let Some(ending) = position.ending() {
            return Some(PathScore::independent(Score::won_by(ending.winner(), position, u32::from(ply))));
        }
        if self.context.game.draw_plies().are_reached(position) {
            return Some(PathScore::draw(Dependence::Game));
        }
        self.repetition(position).map(PathScore::draw)
    }

    /// What a draw by repetition depends on, if the last position of the path is one: a position on the path, or two in
    /// the game before it.
    fn repetition(&self, position: &Position) -> Option<Dependence> {
        let reach = position.quiet_plies() as usize;
        if reach < 4 {
            return None;
        }
        let last = self.path.len() - 1;
        let key = self.path[last];
        debug_assert_eq!(key, position.key(), "the path ends elsewhere");
        let mut before_root = 0;
        // Positions with the same side to move, from the fourth ply back.
        for back in (4..reach.min(last) + 1).step_by(2) {
            let index = last - back;
            if self.path[index] == key {
                match (index + 1).checked_sub(self.root_len) {
                    Some(ply) => return Some(Dependence::Path(ply as Ply)),
                    None => before_root += 1,
                }
                if before_root == 2 {
                    return Some(Dependence::Game);
                }
            }
        }
        None
    }

    /// The worst and the best score that a position can still have: nothing ends sooner than with the next move, and no
    /// goat returns (mate distance pruning, see the Chess Programming Wiki).
    pub fn mate_distance_bounds(position: &Position, ply: Ply) -> (Score, Score) {
        let next = u32::from(ply) + 1;
        let side = position.side();
        (Score::won_by(side.opponent(), position, next), Score::won_by(side, position, next))
    }

    /// The tablebase's score of a position, as far as that ends the search of it with this window.
    ///
    /// A forced end must come before the count of quiet plies makes a draw. Where the tablebase has no distances, a win is
    /// worth more than any evaluation of what is unknown, but no forced end.
    pub fn probe_tablebase(&mut self, position: &Position, window: Window, ply: Ply) -> Option<Score> {
        let tablebase = self.context.tablebase.filter(|tablebase| tablebase.may_know(position))?;
        let Probe { value, plies } = tablebase.probe(position).ok()?;
        self.tablebase_hits += 1;
        let Some(winner) = value.winner() else {
            // Among the draws of a drawn root the search goes on, for the one that is hardest to hold for the other side.
            return (!self.is_root_in_tablebase).then_some(Score::DRAW);
        };
        let is_won = winner == position.side();
        let sign = |score: Score| if is_won { score } else { -score };
        let Some(plies) = plies else {
            let bound = sign(Score::evaluation(i32::from(MAX_EVALUATION)));
            let cuts = if is_won { window.fails_high(bound) } else { window.fails_low(bound) };
            return cuts.then_some(bound);
        };
        self.context
            .game
            .draw_plies()
            .allow_end_after(position, plies)
            .then(|| sign(Score::win(value.points(tablebase.rules()), u32::from(ply) + plies)))
    }

    /// Takes the move picker of a ply out, to be handed back with [`Searcher::return_move_picker`].
    pub fn take_move_picker(&mut self, ply: Ply) -> MovePicker {
        std::mem::take(&mut self.move_pickers[usize::from(ply)])
    }

    pub fn return_move_picker(&mut self, ply: Ply, moves: MovePicker) {
        self.move_pickers[usize::from(ply)] = moves;
    }

    /// Empties the principal variation from a ply on.
    pub fn clear_pv(&mut self, ply: Ply) {
        self.pv[usize::from(ply)].clear();
    }

    /// Makes a move and the principal variation after it the principal variation of a ply below [`MAX_PLY`].
    pub fn update_pv(&mut self, mv: Move, ply: Ply) {
        let (before, after) = self.pv.split_at_mut(usize::from(ply) + 1);
        let pv = &mut before[usize::from(ply)];
        pv.clear();
        pv.push(mv);
        pv.extend_from_slice(&after[0]);
    }

    /// The principal variation from the root.
    pub fn root_pv(&self) -> &[Move] {
        &self.pv[0]
    }
}
