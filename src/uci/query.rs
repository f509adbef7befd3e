//! UGI's `query`: the engine as referee of the game.

use crate::game::{Game, GameResult};
use crate::notation::coordinates;
use crate::notation::fen::Fen;
use crate::render::text::move_list;
use crate::rules::Side;
use crate::uci::command::Query;

/// What follows `response`. White is UGI's first player.
pub(super) fn answer(game: &Game, query: &Query) -> String {
    let position = game.position();
    let outcome = game.outcome();
    match query {
        Query::GameOver => outcome.is_some().to_string(),
        Query::FirstPlayersTurn => (position.side() == Side::White).to_string(),
        Query::Result => match outcome.map(|outcome| GameResult::seen_by(Side::White, outcome.winner())) {
            None => "none",
            Some(GameResult::Draw) => "draw",
            Some(GameResult::Win) => "p1win",
            Some(GameResult::Loss) => "p2win",
        }
        .to_owned(),
        Query::Fen => Fen(position).to_string(),
        Query::IsLegal(text) => (outcome.is_none() && coordinates::parse(position, text).is_ok()).to_string(),
        Query::Legal if outcome.is_some() => move_list(&[]),
        Query::Legal => move_list(&position.legal_moves()),
    }
}
