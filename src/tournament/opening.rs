//! Openings: from a file, or made by random plies and chosen by a short search.
//!
//! From the usual start one side has a forced win in most rule sets, and most positions with few goats are drawn
//! whatever is played, so games from either say little. The openings made here are positions that random play has led
//! to and that a short search of ours finds on the edge: between equal engines White wins about as many of them as are
//! drawn, and Black few, so the better engine of a pair has something to win with either side. They follow from the
//! rule set and the seed alone, and cost about ten milliseconds each. The caller passes the search in as an
//! [`OpeningJudge`], so that tournaments don't depend on our own engine.

use crate::game::Game;
use crate::notation::reader::Items;
use crate::position::Position;
use crate::rng::SplitMix64;
use crate::rules::{RuleSet, Side};
use crate::tablebase::{Tablebase, Wdl};
use std::io::BufRead;

/// White's lead on the edge between a draw and a win, in centigoats of our evaluation: there both are as likely.
const EDGE: i32 = 200;
/// Greatest distance from [`EDGE`] at which an opening is taken, in centigoats.
pub const WIDTH: i32 = 100;
/// Random games that are tried for such an opening; then the nearest is taken.
const TRIES: u32 = 60;
/// Random games that are tried where none of those led to an opening.
const MOST_TRIES: u32 = 20 * TRIES;
/// Least and most plies of a random game, unless their number is given.
const PLIES: (u32, u32) = (8, 60);

/// How openings are judged. Both scores are in centigoats for the side to move.
#[derive(Copy, Clone, Debug)]
pub struct OpeningJudge {
    /// The static evaluation.
    pub evaluate: fn(&Position) -> i32,
    /// The score of a short search; `None` for a forced end. It must be the same on every machine.
    pub search: fn(&Game) -> Option<i32>,
}

impl OpeningJudge {
    /// How far a game's last position is from the edge by a search, in centigoats.
    pub fn distance(&self, game: &Game) -> i32 {
        (self.search)(game).map_or(i32::MAX, |score| distance_from_edge(game, score))
    }
}

/// A game from the start of the rules to an opening on the edge, of exactly `plies` random plies or of any number. The
/// same for the same seed, on every machine. A position that `tables` have is judged by them instead of a search, and
/// then a draw counts as on the edge.
pub fn generate(
    rules: &'static RuleSet,
    seed: u64,
    plies: Option<u32>,
    judge: OpeningJudge,
    tables: Option<&Tablebase>,
) -> Game {
    let mut random = SplitMix64(seed);
    let mut best: Option<(i32, Game)> = None;
    for index in 0..MOST_TRIES {
        if index >= TRIES && best.is_some() {
            break;
        }
        let Some(game) = random_game(rules, &mut random, plies, judge) else { continue };
        if plies == Some(0) {
            return game;
        }
        let distance = match tables.and_then(|tables| tables.probe_wdl(game.position()).ok()) {
            Some(Wdl::Draw) => 0,
            Some(Wdl::Win | Wdl::Loss) => i32::MAX,
            None => judge.distance(&game),
        };
        if distance <= WIDTH {
            return game;
        }
        if best.as_ref().is_none_or(|(least, _)| distance < *least) {
            best = Some((distance, game));
        }
    }
    best.map_or_else(
        || {
            log::warn!("{}: no random game led to an opening, so one begins at the usual start", rules.name);
            Game::new(Position::start(rules))
        },
        |(_, game)| game,
    )
}

/// Whether any random game of this seed lasts for this number of plies.
pub fn can_reach(rules: &'static RuleSet, seed: u64, plies: u32, judge: OpeningJudge) -> bool {
    let mut random = SplitMix64(seed);
    (0..MOST_TRIES).any(|_| random_game(rules, &mut random, Some(plies), judge).is_some())
}

/// A random game that is not over; without a number of plies it stops where the static evaluation is on the edge.
///
/// Returns `None` if it ended before.
fn random_game(
    rules: &'static RuleSet,
    random: &mut SplitMix64,
    plies: Option<u32>,
    judge: OpeningJudge,
) -> Option<Game> {
    let mut game = Game::new(Position::start(rules));
    let (from, to) = plies.map_or(PLIES, |plies| (plies, plies));
    for ply in 0..=to {
        if game.outcome().is_some() {
            return None;
        }
        let is_near = || distance_from_edge(&game, (judge.evaluate)(game.position())) <= WIDTH;
        if ply >= from && (plies.is_some() || is_near()) {
            return Some(game);
        }
        let moves = game.position().legal_moves();
        game.play(*moves.get(random.below(moves.len() as u64) as usize)?);
    }
    None
}

/// How far a score for the side to move is from the edge, in centigoats.
fn distance_from_edge(game: &Game, score: i32) -> i32 {
    let lead = if game.position().side() == Side::White { score } else { -score };
    (lead - EDGE).abs()
}

/// The openings of a file.
#[derive(Clone, Debug, Default)]
pub struct OpeningLists {
    /// The openings for each rule set.
    pub lists: Vec<Vec<Game>>,
    /// Positions that were passed over because the game is over there.
    pub over: usize,
}

/// The openings of an input, which errors call `file`, for each of these rule sets: positions and games in any form
/// that [`reader`](crate::notation::reader) reads. One that names no rule set is an opening for each of `rules` under
/// which it is legal. Of games only `plies` plies are played.
///
/// # Errors
/// Says where the input has no opening for any of the rule sets.
pub fn read(
    file: &str,
    input: impl BufRead,
    rules: &[&'static RuleSet],
    plies: Option<usize>,
) -> Result<OpeningLists, String> {
    let mut found = OpeningLists { lists: vec![Vec::new(); rules.len()], over: 0 };
    let mut items = Items::new(file, input, RuleSet::standard());
    while let Some(text) = items.next_text() {
        let text = text.map_err(|error| error.to_string())?;
        let mut refused = None;
        let mut is_legal = false;
        for (rules, list) in rules.iter().zip(&mut found.lists) {
            let item = match text.parse(rules) {
                Ok(item) => item,
                Err(error) => {
                    refused = refused.or(Some((error, *rules)));
                    continue;
                }
            };
            if !is_legal {
                item.warnings.iter().for_each(|warning| log::warn!("{warning}"));
            }
            is_legal = true;
            if item.game().rules() != *rules {
                continue;
            }
            let game = cut(item.record.game, plies);
            match game.outcome() {
                None => list.push(game),
                Some(_) => found.over += 1,
            }
        }
        if let Some((error, rules)) = refused.filter(|_| !is_legal) {
            return Err(format!("{} (rules {})", text.with_hint(error, rules), rules.name));
        }
    }
    Ok(found)
}

/// The beginning of a game.
fn cut(mut game: Game, plies: Option<usize>) -> Game {
    while plies.is_some_and(|plies| game.moves().len() > plies) && game.undo() {}
    game
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sets(names: &[&str]) -> Vec<&'static RuleSet> {
        names.iter().map(|name| RuleSet::named(name).unwrap()).collect()
    }

    /// A lead of White as a score for the side to move.
    fn for_mover(position: &Position, lead: i32) -> i32 {
        if position.side() == Side::White { lead } else { -lead }
    }

    /// The evaluation finds every position on the edge, the search only those after the first of the legal moves.
    const JUDGE: OpeningJudge = OpeningJudge {
        evaluate: |position| for_mover(position, EDGE),
        search: |game| {
            let is_first = game.moves().first() == game.start().legal_moves().first();
            Some(for_mover(game.position(), if is_first { EDGE } else { 0 }))
        },
    };

    #[test]
    fn random_games_are_tried_until_one_is_on_the_edge() {
        for rules in RuleSet::all() {
            let game = generate(rules, 1, None, JUDGE, None);
            assert_eq!((JUDGE.distance(&game), game.moves().len()), (0, PLIES.0 as usize));
        }
    }

    #[test]
    fn a_number_of_random_plies_is_kept_to() {
        for plies in [0, 1, 7] {
            let game = generate(RuleSet::standard(), 5, Some(plies), JUDGE, None);
            assert_eq!(game.moves().len(), plies as usize);
        }
    }

    fn lists(text: &str, rules: &[&'static RuleSet], plies: Option<usize>) -> Result<OpeningLists, String> {
        read("x", text.as_bytes(), rules, plies)
    }

    /// How many openings there are for each rule set.
    fn counts(found: &OpeningLists) -> Vec<usize> {
        found.lists.iter().map(Vec::len).collect()
    }

    #[test]
    fn a_file_may_hold_positions_moves_and_records() {
        let rules = sets(&["baghbandi", "super"]);
        let text = "# comment\n5/2E1E/1t1t1/2E1E/5 w moves c2b2\n\n1. e5; b4\nsuper\t5/2D1E/1t1tA/2E1E/5 b\tc2b2\n";
        let found = lists(text, &rules, None).unwrap();
        assert_eq!(counts(&found), [2, 3]);
        assert_eq!(found.lists[0][1].moves().len(), 2);
        assert_eq!(lists(text, &rules, Some(1)).unwrap().lists[0][1].moves().len(), 1);
        let records = "[Rules \"super\"]\n1. e5; b4 *\n\n[Rules \"wikipedia\"]\n*\n\n[White \"x\"]\n1. e5 *\n";
        assert_eq!(counts(&lists(records, &rules, None).unwrap()), [1, 2]);
    }

    #[test]
    fn a_position_need_only_fit_one_of_the_rule_sets() {
        // A herd on b2, which only Bagh Guti has.
        let rules = sets(&["baghbandi", "baghguti"]);
        assert_eq!(counts(&lists("2t2/1E1E1/5/1E1E1/2t2 w moves", &rules, None).unwrap()), [0, 1]);
        let error = lists("\n2t2/1E1F1/5/1E1E1/2t2 w", &rules, None).unwrap_err();
        assert!(error.starts_with("x:2:8: found 'F'") && error.ends_with("(rules baghbandi)"), "{error}");
        let error = lists("2t2/1E1E1/5/1E1E1/2t2 w", &rules[..1], None).unwrap_err();
        assert!(error.contains("by the rules baghguti") && error.ends_with("(rules baghbandi)"), "{error}");
        let error = lists("bagbandi\t2t2/1E1E1/5/1E1E1/2t2 w", &rules, None).unwrap_err();
        assert!(error.starts_with("x:1:1: found 'bagbandi', expected a rule set"), "{error}");
        let over = lists("t4/5/5/5/4t w\n", &rules, None).unwrap();
        assert_eq!((over.over, over.lists.iter().map(Vec::len).sum::<usize>()), (2, 0));
    }
}
