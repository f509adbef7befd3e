//! What all threads of a search share.

use crate::game::Game;
use crate::search::control::Control;
use crate::search::limits::Limits;
use crate::search::result::SearchStats;
use crate::search::settings::{SearchMode, SearchSettings};
use crate::search::time::TimeManager;
use crate::search::tt::TranspositionTable;
use crate::tablebase::Tablebase;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};

/// Nodes that a thread visits between two looks at the clock and the switches, at most.
const NODES_PER_CHECK: u64 = 1_024;
/// The same where several threads share a number of nodes: what one has not yet visited at the end is missing then.
const NODES_PER_SHARED_CHECK: u64 = 64;

/// What all threads of a search share.
pub struct SearchContext<'a> {
    pub game: &'a Game,
    pub limits: &'a Limits,
    pub time: Option<TimeManager>,
    pub mode: SearchMode,
    /// Best lines wanted, 1 or more.
    pub multi_pv: usize,
    pub tt: &'a TranspositionTable,
    pub control: &'a Control,
    pub tablebase: Option<&'a Tablebase>,
    /// Threads that share the nodes of the limits.
    threads: usize,
    /// Nodes handed out to the threads, visited or not.
    claimed_nodes: AtomicU64,
    /// Nodes of all threads; each adds its own now and then.
    pub nodes: AtomicU64,
    /// Positions whose value the tablebase gave, likewise.
    pub tablebase_hits: AtomicU64,
    /// Set when the main thread has its result.
    pub is_done: AtomicBool,
}

impl<'a> SearchContext<'a> {
    pub fn new(
        game: &'a Game,
        limits: &'a Limits,
        settings: &'a SearchSettings,
        tt: &'a TranspositionTable,
        control: &'a Control,
    ) -> Self {
        Self {
            game,
            limits,
            time: TimeManager::new(limits, settings.move_overhead),
            mode: if limits.mate.is_some() { settings.mode.without_pruning() } else { settings.mode },
            multi_pv: settings.multi_pv.max(1),
            tt,
            control,
            // Where it has a win or loss of the root without a distance, cutting off with the values of all that follows
            // would leave nothing to tell progress by.
            tablebase: settings.tablebase.as_deref().filter(|tablebase| !tablebase.lacks_distance(game.position())),
            threads: settings.threads.max(1),
            claimed_nodes: AtomicU64::new(0),
            nodes: AtomicU64::new(0),
            tablebase_hits: AtomicU64::new(0),
            is_done: AtomicBool::new(false),
        }
    }

    /// Hands out nodes to a thread that has visited `owed` more than it had: a lot for it to visit next, which shrinks
    /// as the limit comes near, so that all threads end there together. 0 if none is left.
    pub fn claim_nodes(&self, owed: u64) -> u64 {
        let lot = |claimed: u64| match (self.limits.nodes, self.threads) {
            (None, _) => NODES_PER_CHECK,
            (Some(most), 1) => most.saturating_sub(claimed).min(NODES_PER_CHECK),
            (Some(most), threads) => {
                let left = most.saturating_sub(claimed);
                (left / (4 * threads as u64)).clamp(left.min(1), NODES_PER_SHARED_CHECK)
            }
        };
        let mut claimed = self.claimed_nodes.load(Relaxed);
        loop {
            let paid = claimed.saturating_add(owed);
            let lot = lot(paid);
            let next = paid.saturating_add(lot);
            match self.claimed_nodes.compare_exchange_weak(claimed, next, Relaxed, Relaxed) {
                Ok(_) => return lot,
                Err(changed) => claimed = changed,
            }
        }
    }

    /// Whether the search must be broken off; `has_nodes` says whether the limits leave a node to visit.
    pub fn must_stop(&self, has_nodes: bool) -> bool {
        if self.control.is_stopped() || self.is_done.load(Relaxed) {
            return true;
        }
        if self.control.is_held() {
            return false;
        }
        !has_nodes || self.time.is_some_and(|time| self.control.time_used() >= time.hard)
    }

    pub fn stats(&self) -> SearchStats {
        SearchStats {
            nodes: self.nodes.load(Relaxed),
            time: self.control.elapsed(),
            hashfull: self.tt.hashfull(),
            tablebase_hits: self.tablebase_hits.load(Relaxed),
        }
    }
}
