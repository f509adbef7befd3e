//! The value of every position of a game, by search and by solved tables.
//!
//! A game costs one search for each of its positions. They are searched from the last to the first, so that each search
//! finds in the transposition table what came of the position; with one thread and no time limit the same game always gets
//! the same values.

use crate::annotate::value::PositionValue;
use crate::engine::{Engine, RootFilter};
use crate::game::{DrawPlies, Game, Outcome};
use crate::moves::Move;
use crate::position::Position;
use crate::search::control::Control;
use crate::search::limits::Limits;

/// The value of a position, and the best play from it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Assessment {
    /// The value, of the game that goes on if `is_drawn`.
    pub value: PositionValue,
    /// Whether the value is that of solved tables or of the end of the game, rather than of a search.
    pub is_exact: bool,
    /// Whether the game was drawn here, by repetition or by quiet plies.
    pub is_drawn: bool,
    /// The best line of the search; empty where the game is over.
    pub line: Vec<Move>,
    /// Depth of the search, in plies; 0 where the game is over.
    pub depth: u32,
    /// Number of legal moves.
    pub choices: usize,
}

/// Assesses all positions of a game, the first one first: one more than there are moves.
///
/// Each search is bounded by `limits`, which must bound it. The engine's transposition table is emptied first, and its
/// solved tables are used if it has some. `progress` is called with the number of positions done.
pub fn assess(engine: &mut Engine, game: &Game, limits: &Limits, mut progress: impl FnMut(usize)) -> Vec<Assessment> {
    engine.clear_hash();
    let mut game = game.clone();
    let mut assessments = Vec::new();
    assessments.push(match game.outcome_on_board() {
        Some(outcome) => over(outcome, game.position()),
        None => searched(engine, &game, limits),
    });
    while game.undo() {
        progress(assessments.len());
        let position = *game.position();
        let is_drawn = game.outcome_on_board().is_some();
        // Without the history: play after a draw is assessed as that of a new game.
        let restarted = is_drawn.then(|| Game::new(position).with_draw_plies(DrawPlies::NEVER));
        let assessment = searched(engine, restarted.as_ref().unwrap_or(&game), limits);
        assessments.push(Assessment { is_drawn, ..assessment });
    }
    progress(assessments.len());
    assessments.reverse();
    assessments
}

/// The assessment of the last position of a finished game.
fn over(outcome: Outcome, position: &Position) -> Assessment {
    let value = outcome.winner().map_or(PositionValue::Draw, |winner| {
        let points = position.rules().win_points(winner, position.goats_alive());
        PositionValue::Win { winner, points, plies: Some(0) }
    });
    let choices = position.legal_moves().len();
    Assessment { value, is_exact: true, is_drawn: outcome.winner().is_none(), line: Vec::new(), depth: 0, choices }
}

fn searched(engine: &Engine, game: &Game, limits: &Limits) -> Assessment {
    let position = game.position();
    let analysis = engine.prepare(game, limits.clone(), 1, RootFilter::IfCertain);
    let known = analysis.certain;
    let answer = analysis.run(&Control::default(), |_| {});
    let best = answer.lines.into_iter().next();
    let (line, score, depth) = best.map(|line| (line.moves, line.score, line.depth)).unwrap_or_default();
    let value = PositionValue::of_score(score, position);
    Assessment {
        value: known.map_or(value, |known| PositionValue::of_tables(known, position.rules()).or_distance_of(value)),
        is_exact: known.is_some(),
        is_drawn: false,
        line,
        depth,
        choices: position.legal_moves().len(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::notation::{fen, record};
    use crate::rules::{RuleSet, Side};

    fn game(rules: &str, text: &str, moves: &str) -> Game {
        let start = fen::parse(RuleSet::named(rules).unwrap(), text).unwrap();
        let mut game = Game::new(start);
        record::read(&start, moves).unwrap().into_iter().for_each(|mv| game.play(mv));
        game
    }

    fn assessed(game: &Game) -> Vec<Assessment> {
        let limits = Limits { depth: Some(6), ..Limits::default() };
        let mut reports = Vec::new();
        let assessments = assess(&mut Engine::default(), game, &limits, |done| reports.push(done));
        assert_eq!(reports, (1..=assessments.len()).collect::<Vec<_>>());
        assert_eq!(assessments.len(), game.moves().len() + 1);
        assessments
    }

    #[test]
    fn a_shut_in_tiger_is_found_and_the_end_is_certain() {
        let game = game("super", "1AA2/AA1A1/AtAA1/t1AA1/AAA1A w 55 44", "44. c1-b2");
        let assessments = assessed(&game);
        let won = |plies| PositionValue::Win { winner: Side::White, points: 12, plies: Some(plies) };
        assert_eq!((assessments[0].value, assessments[1].value), (won(1), won(0)));
        assert_eq!((assessments[0].line.as_slice(), assessments[1].line.len()), (game.moves(), 0));
        assert!(!assessments[0].is_exact && assessments[1].is_exact);
    }

    #[test]
    fn play_after_a_draw_is_assessed() {
        let round = "a1a2 a5a4 a2a1 a4a5 ";
        let mut game = game("baghbandi", "t4/5/5/5/A3t w", "");
        for word in round.repeat(3).split_whitespace() {
            game.play(crate::notation::coordinates::parse(game.position(), word).unwrap());
        }
        let assessments = assessed(&game);
        assert!(assessments[..12].iter().all(|position| !position.line.is_empty()));
        assert_eq!(assessments[12].value, PositionValue::Draw);
    }
}
