//! Every position of a game, searched and looked up.
//!
//! A game costs one search for each of its positions. They are searched from the last to the first, so that each search
//! finds in the transposition table what came of the position; with one thread and no limit of time the same game always
//! gets the same judgement.

use crate::annotate::value::Value;
use crate::engine::Engine;
use crate::engine::solved::certain;
use crate::game::{DrawPlies, Game, Outcome};
use crate::moves::Move;
use crate::position::Position;
use crate::search::control::Control;
use crate::search::limits::Limits;
use crate::search::search;

/// What is known of a position.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Assessment {
    /// Its value.
    pub value: Value,
    /// Whether the solved tables have it, or the rules: no search can change it.
    pub is_exact: bool,
    /// Whether the game is drawn here, though it was played on: the value is that of the game that goes on.
    pub is_drawn: bool,
    /// The best play that was found; empty where the game is over.
    pub line: Vec<Move>,
    /// Depth of the search, in plies; 0 where the game is over.
    pub depth: u32,
    /// Number of legal moves.
    pub choices: usize,
}

/// Assesses all positions of a game, the first one first: one more than there are moves.
///
/// Each search is bounded by `limits`, which must bound it. The engine's transposition table is emptied first, and its
/// solved tables are used if it has some. `tell` hears how many positions are done.
pub fn assess(engine: &mut Engine, game: &Game, limits: &Limits, mut tell: impl FnMut(usize)) -> Vec<Assessment> {
    engine.forget();
    let mut game = game.clone();
    let mut found = Vec::new();
    let last = last(engine, &game, limits);
    found.push(last);
    while game.undo() {
        tell(found.len());
        let position = *game.position();
        let is_over = game.outcome_on_board().is_some();
        // What was played on after a draw is judged as if nothing had been before it.
        let anew = is_over.then(|| Game::new(position).with_draw_plies(DrawPlies::NEVER));
        let found_now = searched(engine, anew.as_ref().unwrap_or(&game), limits);
        found.push(Assessment { is_drawn: is_over, ..found_now });
    }
    tell(found.len());
    found.reverse();
    found
}

/// The last position, in which the game may be over.
fn last(engine: &Engine, game: &Game, limits: &Limits) -> Assessment {
    match game.outcome_on_board() {
        Some(outcome) => over(outcome, game.position()),
        None => searched(engine, game, limits),
    }
}

fn over(outcome: Outcome, position: &Position) -> Assessment {
    let value = outcome.winner().map_or(Value::Drawn, |winner| {
        let points = position.rules().win_points(winner, position.goats_alive());
        Value::Won { winner, points, plies: Some(0) }
    });
    let choices = position.legal_moves().len();
    Assessment { value, is_exact: true, is_drawn: outcome.winner().is_none(), line: Vec::new(), depth: 0, choices }
}

fn searched(engine: &Engine, game: &Game, limits: &Limits) -> Assessment {
    let position = game.position();
    let mut limits = limits.clone();
    let known = engine.tables().and_then(|tables| certain(tables, game));
    if known.is_some() {
        engine.filter_root_moves(position, &mut limits);
    }
    let answer = search(game, &limits, &engine.settings(), &engine.table(), &Control::default(), |_| {});
    let best = answer.lines.into_iter().next();
    let (line, score, depth) = best.map(|line| (line.moves, line.score, line.depth)).unwrap_or_default();
    let value = Value::of_score(score, position);
    Assessment {
        value: known.map_or(value, |known| Value::of_tables(known, position.rules())),
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
        let mut told = Vec::new();
        let found = assess(&mut Engine::default(), game, &limits, |done| told.push(done));
        assert_eq!(told, (1..=found.len()).collect::<Vec<_>>());
        assert_eq!(found.len(), game.moves().len() + 1);
        found
    }

    #[test]
    fn a_shut_in_tiger_is_found_and_the_end_is_certain() {
        let game = game("super", "1AA2/AA1A1/AtAA1/t1AA1/AAA1A w 55 44", "44. c1-b2");
        let found = assessed(&game);
        let won = |plies| Value::Won { winner: Side::White, points: 12, plies: Some(plies) };
        assert_eq!((found[0].value, found[1].value), (won(1), won(0)));
        assert_eq!((found[0].line.as_slice(), found[1].line.len()), (game.moves(), 0));
        assert!(!found[0].is_exact && found[1].is_exact);
    }

    #[test]
    fn play_after_a_draw_is_judged_on() {
        let round = "a1a2 a5a4 a2a1 a4a5 ";
        let mut game = game("baghbandi", "t4/5/5/5/A3t w", "");
        for word in round.repeat(3).split_whitespace() {
            game.play(crate::notation::coordinates::parse(game.position(), word).unwrap());
        }
        let found = assessed(&game);
        assert!(found[..12].iter().all(|position| !position.line.is_empty()));
        assert_eq!(found[12].value, Value::Drawn);
    }
}
