//! A search with the solved tables' choice of its root moves: every protocol and command searches through here.
//!
//! [`Engine::prepare`] puts together all that a search needs, so that [`Analysis::run`] may run in another thread while
//! the engine goes on to change.

use crate::engine::Engine;
use crate::game::{DrawPlies, Game};
use crate::moves::Move;
use crate::position::Position;
use crate::search::control::Control;
use crate::search::limits::Limits;
use crate::search::score::Score;
use crate::search::tt::TranspositionTable;
use crate::search::{Line, SearchInfo, SearchResult, SearchSettings, search};
use crate::tablebase::{Probe, Tablebase, Wdl};
use std::fmt;
use std::sync::Arc;

/// When the solved tables choose among the root moves.
///
/// They know nothing of the history of a game: a win may come too late for the game's count of quiet plies.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum RootFilter {
    /// Whenever they have the position, also if the win is not certain: playing for it is the best choice there is.
    Always,
    /// Only if the value that they have [is certain](is_certain) in the game.
    IfCertain,
}

/// A search that is ready to run.
#[derive(Clone)]
pub struct Analysis {
    /// The game; the position on its board is searched.
    pub game: Game,
    /// What bounds the search, its root moves filtered by the solved tables.
    pub limits: Limits,
    /// Its threads, lines and tables, as the engine's options have them.
    pub settings: SearchSettings,
    /// The transposition table that it uses.
    pub table: Arc<TranspositionTable>,
    /// The solved tables' value of the position, where it [is certain](is_certain) in this game.
    pub certain: Option<Probe>,
    /// How the solved tables have filtered the root moves, if they have.
    pub root_probe: Option<RootProbe>,
}

impl Analysis {
    /// Searches until a limit is reached or `control` stops it, and calls `on_info` as it goes on.
    ///
    /// The moves of a position that is drawn for certain are told apart by evaluations, but their score is that of a draw.
    pub fn run(&self, control: &Control, mut on_info: impl FnMut(SearchInfo)) -> SearchResult {
        let is_drawn = self.certain.is_some_and(|probe| probe.value.winner().is_none());
        let as_known = |line: &mut Line| {
            if is_drawn && !line.score.is_decisive() {
                line.score = Score::DRAW;
            }
        };
        let report = |info: SearchInfo| match info {
            SearchInfo::Line { rank, line, stats } if is_drawn => {
                let mut line = line.clone();
                as_known(&mut line);
                on_info(SearchInfo::Line { rank, line: &line, stats });
            }
            info => on_info(info),
        };
        let mut result = search(&self.game, &self.limits, &self.settings, &self.table, control, report);
        result.lines.iter_mut().for_each(as_known);
        result
    }
}

impl Engine {
    /// A search of the position on the board of a game, for the best `lines` lines.
    ///
    /// If only one line is wanted, it is left only root moves that are best by the solved tables: the value is kept and,
    /// where there are distances, a win comes soonest or a loss latest; a win without a distance is played on to positions
    /// that have not been in the game. All stay where the tables do not know the position, its end comes after a draw by the
    /// count of quiet plies, or the limits allow no such move.
    pub fn prepare(&self, game: &Game, limits: Limits, lines: usize, filter: RootFilter) -> Analysis {
        let mut limits = limits;
        let tablebase = self.tablebase().filter(|_| game.outcome_on_board().is_none());
        let certain = tablebase.and_then(|tablebase| certain_value(tablebase, game));
        let is_filtered = lines == 1 && (filter == RootFilter::Always || certain.is_some());
        let root_probe =
            tablebase.filter(|_| is_filtered).and_then(|tablebase| filter_root_moves(tablebase, game, &mut limits));
        let (settings, table) = (self.search_settings(game.position(), lines), Arc::clone(&self.table));
        Analysis { game: game.clone(), limits, settings, table, certain, root_probe }
    }
}

/// The solved tables' value of the position on the board of a game, where it is certain in this game.
fn certain_value(tablebase: &Tablebase, game: &Game) -> Option<Probe> {
    tablebase.probe(game.position()).ok().filter(|probe| is_certain(*probe, game.position(), game.draw_plies()))
}

/// Whether what solved tables say of a position counts as certain in a game that is drawn after a number of quiet plies.
///
/// A draw does, and a win whose distance they have if it comes before that draw. Of a win whose distance they don't have
/// nobody knows when it comes. It counts as certain as long as less than half of the plies that make a draw were played,
/// so that a whole game is not called uncertain for the sake of its last plies; what must not err, as adjudication, does
/// without it.
pub fn is_certain(probe: Probe, position: &Position, draw_plies: DrawPlies) -> bool {
    let is_far = 2 * position.quiet_plies() < draw_plies.get();
    probe.holds(position, draw_plies) || probe.plies.is_none() && is_far
}

/// Leaves only root moves that are best by the tables, if the limits allow one of these.
///
/// Returns `None` where the tables do not choose: they don't have the position, or its end comes after a draw by the
/// count of quiet plies.
fn filter_root_moves(tablebase: &Tablebase, game: &Game, limits: &mut Limits) -> Option<RootProbe> {
    let position = game.position();
    let (probe, best_moves) = tablebase.best_moves(position)?;
    if probe.plies.is_some_and(|plies| !game.draw_plies().allow_end_after(position, plies)) {
        return None;
    }
    let root_probe = RootProbe {
        wdl: probe.value.wdl(position.side()),
        points: position.rules().scored.then(|| probe.value.points(position.rules())),
        plies: probe.plies,
        best_moves: best_moves.len(),
        legal_moves: position.legal_moves().len(),
    };
    let is_allowed = |mv: &Move| limits.root_moves.is_empty() || limits.root_moves.contains(mv);
    let best_moves: Vec<Move> = best_moves.into_iter().filter(is_allowed).collect();
    // A win whose distance is not known is kept by every move of a circle; so no position may come again.
    let lacks_distance = |mv: &Move| tablebase.probe(&position.play(*mv)).is_ok_and(|after| after.plies.is_none());
    let is_without_distance = root_probe.wdl == Wdl::Win && best_moves.iter().any(lacks_distance);
    let is_new = |mv: &Move| !is_without_distance || !has_been(game, &position.play(*mv));
    let new_moves: Vec<Move> = best_moves.iter().copied().filter(is_new).collect();
    match (new_moves.is_empty(), best_moves.is_empty()) {
        (false, _) => limits.root_moves = new_moves,
        (true, false) => limits.root_moves = best_moves,
        (true, true) => {}
    }
    Some(root_probe)
}

/// Whether a position was on the board in the game.
fn has_been(game: &Game, position: &Position) -> bool {
    game.positions().any(|before| before.key() == position.key())
}

/// The solved tables' value of the root of a search, and how many of its moves keep it.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct RootProbe {
    /// For the side to move.
    wdl: Wdl,
    /// The winner's, where wins are scored.
    points: Option<u32>,
    /// To the end of the game, where there are distances.
    plies: Option<u32>,
    /// Number of the moves that are best by the tables.
    best_moves: usize,
    legal_moves: usize,
}

impl RootProbe {
    /// Number of positions looked up.
    pub const fn probes(&self) -> u64 {
        self.legal_moves as u64 + 1
    }
}

impl fmt::Display for RootProbe {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "tables: a {}", self.wdl)?;
        if let Some(points) = self.points.filter(|points| *points > 0) {
            write!(f, " of {points} points")?;
        }
        if let Some(plies) = self.plies {
            write!(f, " in {plies}")?;
        }
        write!(f, ", which {} of {} moves keep", self.best_moves, self.legal_moves)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::notation::fen;
    use crate::rules::RuleSet;
    use crate::tablebase::TableValue;

    #[test]
    fn a_known_draw_has_the_score_of_a_draw() {
        let engine = Engine::default();
        // A draw by the program's own table.
        let drawn = fen::parse(RuleSet::standard(), "A3A/5/1t1t1/5/A3A w").unwrap();
        let limits = Limits { depth: Some(4), ..Limits::default() };
        for lines in [1, 3] {
            let analysis = engine.prepare(&engine.game_from(drawn), limits.clone(), lines, RootFilter::Always);
            let mut seen = 0;
            let result = analysis.run(&Control::default(), |info| {
                if let SearchInfo::Line { line, .. } = info {
                    seen += 1;
                    assert!(line.score == Score::DRAW || line.score.is_decisive() && line.score < Score::DRAW);
                }
            });
            assert_eq!((result.lines.len(), result.lines[0].score), (lines, Score::DRAW));
            assert!(seen >= 4 * lines);
        }
    }

    #[test]
    fn values_are_certain_as_far_as_the_draw_is_off() {
        let rules = RuleSet::standard();
        let lost = |plies| Probe { value: TableValue::BLACK, plies };
        for (quiet, draw_plies, probe, expected) in [
            (0, 300, lost(Some(41)), true),
            (260, 300, lost(Some(41)), false),
            (149, 300, lost(None), true),
            (150, 300, lost(None), false),
            (30_000, 0, lost(None), true),
            (299, 300, Probe { value: TableValue::DRAW, plies: None }, true),
        ] {
            let position = fen::parse(rules, &format!("5/2A1A/1t1t1/5/5 w {quiet}")).unwrap();
            assert_eq!(is_certain(probe, &position, DrawPlies::new(draw_plies)), expected, "{quiet} of {draw_plies}");
        }
    }
}
