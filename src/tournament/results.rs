//! The results of a match so far: pairs of games counted for each pairing, and the ends of all games. Pure counting.

use crate::game::GameResult;
use crate::tournament::tally::{Pentanomial, PointsTally, Sides};
use std::collections::BTreeMap;

/// What counts of a finished game.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct GameSummary {
    /// Index of the engine with the goats.
    pub white: usize,
    /// Index of the engine with the tigers.
    pub black: usize,
    /// As White sees it.
    pub result: GameResult,
    /// Points of White and Black, in a scored rule set.
    pub points: Option<(u64, u64)>,
    /// Name of the way it ended: see [`GameEnd::name`](crate::tournament::fault::GameEnd::name).
    pub ending: String,
    /// The engine whose fault ended it.
    pub at_fault: Option<usize>,
}

impl GameSummary {
    /// The result as an engine of it sees it.
    fn result_of(&self, engine: usize) -> GameResult {
        if self.white == engine { self.result } else { self.result.flipped() }
    }

    /// The points of an engine of it, and of its opponent.
    fn points_of(&self, engine: usize) -> Option<(u64, u64)> {
        self.points.map(|(white, black)| if self.white == engine { (white, black) } else { (black, white) })
    }
}

/// Results of a pairing, as its first engine sees them.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct PairingResults {
    /// Finished pairs of games.
    pub pairs: Pentanomial,
    /// Games by the side of the first engine.
    pub sides: Sides,
    /// Points in the scored rule sets, by index of the rule set.
    pub points: BTreeMap<usize, PointsTally>,
}

/// The results of a match.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct MatchResults {
    /// By the first and the second engine of each pairing.
    pub pairings: BTreeMap<(usize, usize), PairingResults>,
    /// Games by how they ended.
    pub endings: BTreeMap<String, u64>,
    /// Games that ended by a fault of an engine, by engine and name.
    pub faults: BTreeMap<(usize, String), u64>,
}

impl MatchResults {
    /// Counts both games of a pair. The first engine of the pairing has White in the first.
    pub fn add_pair(&mut self, rules: usize, games: [&GameSummary; 2]) {
        let [one, other] = games;
        let (first, second) = (one.white, one.black);
        let pairing = self.pairings.entry((first, second)).or_default();
        pairing.pairs.add(one.result_of(first), other.result_of(first));
        pairing.sides.as_white.add(one.result_of(first));
        pairing.sides.as_black.add(other.result_of(first));
        if let (Some(one), Some(other)) = (one.points_of(first), other.points_of(first)) {
            pairing
                .points
                .entry(rules)
                .or_default()
                .add_match(one.0.saturating_add(other.0), one.1.saturating_add(other.1));
        }
        for game in games {
            *self.endings.entry(game.ending.clone()).or_default() += 1;
            if let Some(engine) = game.at_fault {
                *self.faults.entry((engine, game.ending.clone())).or_default() += 1;
            }
        }
    }

    /// Games counted so far.
    pub fn games(&self) -> u64 {
        2 * self.pairings.values().map(|pairing| pairing.pairs.pairs()).sum::<u64>()
    }

    /// Pairs of an engine against all others.
    pub fn pairs_of(&self, engine: usize) -> Pentanomial {
        let mut pairs = Pentanomial::default();
        for (&(first, second), pairing) in &self.pairings {
            if first == engine {
                pairs += pairing.pairs;
            } else if second == engine {
                pairs += pairing.pairs.flipped();
            }
        }
        pairs
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn game(white: usize, black: usize, result: GameResult, points: Option<(u64, u64)>) -> GameSummary {
        GameSummary { white, black, result, points, ending: "immobilised".to_owned(), at_fault: None }
    }

    #[test]
    fn a_pair_counts_for_both_engines_and_both_sides() {
        let mut results = MatchResults::default();
        results.add_pair(0, [&game(0, 1, GameResult::Win, None), &game(1, 0, GameResult::Draw, None)]);
        let pairing = &results.pairings[&(0, 1)];
        assert_eq!((pairing.pairs.wd, pairing.sides.as_white.wins, pairing.sides.as_black.draws), (1, 1, 1));
        assert_eq!(results.pairs_of(0).wdl(), results.pairs_of(1).wdl().flipped());
        assert_eq!((results.games(), results.endings["immobilised"]), (2, 2));
    }

    #[test]
    fn a_match_is_won_by_the_sum_of_points() {
        let mut results = MatchResults::default();
        // 12 points as White, and 10 of the opponent's as White taken by Black: 12 to 10.
        let games = [game(0, 1, GameResult::Win, Some((12, 0))), game(1, 0, GameResult::Win, Some((10, 0)))];
        results.add_pair(1, [&games[0], &games[1]]);
        let pairing = &results.pairings[&(0, 1)];
        assert_eq!((pairing.points[&1].first, pairing.points[&1].second), (12, 10));
        assert_eq!((pairing.points[&1].matches.wins, pairing.pairs.wl), (1, 1));
    }

    #[test]
    fn faults_are_counted_for_the_engine() {
        let mut results = MatchResults::default();
        let crash = GameSummary { ending: "crash".to_owned(), at_fault: Some(1), ..game(0, 1, GameResult::Win, None) };
        results.add_pair(0, [&crash, &game(1, 0, GameResult::Loss, None)]);
        assert_eq!(results.faults, BTreeMap::from([((1, "crash".to_owned()), 1)]));
    }
}
