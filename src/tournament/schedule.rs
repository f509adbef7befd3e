//! Who plays whom, with which side, under which rules and from which opening. Everything about a
//! game follows from its number and the plan alone, so a match that was interrupted goes on from
//! the set of numbers that are finished, and the same plan gives the same games on every machine.
//! Setting up costs one pass over the openings; a game costs nothing worth counting.

use crate::rng::SplitMix64;
use std::fmt;

/// Pairings of a tournament.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TournamentFormat {
    /// Every engine against every other.
    RoundRobin,
    /// Each of the first `seeds` engines against every other; 1 to engines - 1.
    Gauntlet {
        /// How many engines meet all others.
        seeds: usize,
    },
}

impl fmt::Display for TournamentFormat {
    /// As the options that choose it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::RoundRobin => f.write_str("round-robin"),
            Self::Gauntlet { seeds } => write!(f, "gauntlet --seeds {seeds}"),
        }
    }
}

/// Order in which listed openings have their turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OpeningOrder {
    /// In the order of the list.
    Sequential,
    /// A random order, the same for the same seed. Every opening has its turn before one comes
    /// again.
    Shuffled { seed: u64 },
}

impl fmt::Display for OpeningOrder {
    /// As the words that choose it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Sequential => f.write_str("order=sequential"),
            Self::Shuffled { seed } => write!(f, "order=random seed={seed}"),
        }
    }
}

/// Where the openings come from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OpeningSource {
    /// A list of openings for each rule set; `counts` holds their lengths, in the order of the rule
    /// sets.
    Listed {
        /// Length of each list.
        counts: Vec<usize>,
        order: OpeningOrder,
    },
    /// Openings made on the spot from random numbers.
    Generated { seed: u64 },
}

/// All that the schedule follows from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TournamentPlan {
    /// Number of engines, 2 or more. They are named 0, 1, ... below, in the order of the command
    /// line.
    pub engines: usize,
    /// Who meets whom.
    pub format: TournamentFormat,
    /// Number of rounds, 1 or more. In a round each pairing plays one pair of games.
    pub rounds: u64,
    /// Number of rule sets, 1 or more. They take turns from round to round, so that every pairing
    /// meets each of them equally often.
    pub rules: usize,
    pub openings: OpeningSource,
    /// Openings of each rule set left out at the beginning, so that a match can be spread over
    /// several machines.
    pub skip: u64,
}

/// A plan that can't be played.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PlanError {
    /// A match takes two.
    TooFewEngines { found: usize },
    /// A gauntlet needs at least one seed and one opponent.
    Seeds { found: usize, engines: usize },
    /// Nothing to play.
    NoRounds,
    /// No rules to play by.
    NoRules,
    /// The number of opening lists isn't the number of rule sets.
    OpeningLists { found: usize, rules: usize },
    /// No opening for the rule set with this index.
    NoOpenings { rules: usize },
    /// The games can't be numbered.
    TooManyGames { rounds: u64, pairings: usize },
}

impl fmt::Display for PlanError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooFewEngines { found } => write!(f, "found {found} engines, expected 2 or more"),
            Self::Seeds { found, engines } => write!(
                f,
                "found {found} gauntlet seeds for {engines} engines, expected 1 to {}",
                engines.saturating_sub(1)
            ),
            Self::NoRounds => write!(f, "found 0 rounds, expected 1 or more"),
            Self::NoRules => write!(f, "found no rule set, expected 1 or more"),
            Self::OpeningLists { found, rules } => {
                write!(f, "found {found} lists of openings for {rules} rule sets, expected one for each")
            }
            Self::NoOpenings { rules } => {
                write!(f, "found no opening for rule set number {}, expected 1 or more", rules + 1)
            }
            Self::TooManyGames { rounds, pairings } => {
                write!(f, "found {rounds} rounds of {pairings} pairings, expected less than 2^64 games")
            }
        }
    }
}

impl std::error::Error for PlanError {}

/// Number of a game in its match: 1, 2, ... in the order in which games are started.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct GameNumber(pub u64);

impl fmt::Display for GameNumber {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// Which game of its pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Leg {
    /// The first engine of the pairing has White.
    First,
    /// It has Black.
    Second,
}

/// Where a game begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Opening {
    /// Index into the list of the rule set.
    Listed(usize),
    /// Seed to make the opening from.
    Generated(u64),
}

/// A game to be played: who, by which rules, from which opening.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fixture {
    pub number: GameNumber,
    /// 1, 2, ...
    pub round: u64,
    /// 0, 1, ... over the whole match; both games of a pair have the same.
    pub pair: u64,
    /// Which game of its pair.
    pub leg: Leg,
    /// Engine whose result the pairing counts.
    pub first: usize,
    pub second: usize,
    /// Index of the rule set.
    pub rules: usize,
    pub opening: Opening,
}

impl Fixture {
    /// The engine with the goats.
    pub fn white(&self) -> usize {
        match self.leg {
            Leg::First => self.first,
            Leg::Second => self.second,
        }
    }

    /// The engine with the tigers.
    pub fn black(&self) -> usize {
        match self.leg {
            Leg::First => self.second,
            Leg::Second => self.first,
        }
    }
}

/// The games of a valid plan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Schedule {
    /// First and second engine of each pairing, in the order in which they play in every round.
    pairings: Vec<(usize, usize)>,
    rules: u64,
    openings: OpeningRotation,
    skip: u64,
    total: u64,
}

/// Openings in the order in which the rounds use them.
#[derive(Clone, Debug, PartialEq, Eq)]
enum OpeningRotation {
    /// For each rule set, the indices of its openings. None of the lists is empty.
    Listed(Vec<Vec<usize>>),
    Generated {
        seed: u64,
    },
}

impl TryFrom<&TournamentPlan> for Schedule {
    type Error = PlanError;

    fn try_from(plan: &TournamentPlan) -> Result<Self, PlanError> {
        if plan.rounds == 0 {
            return Err(PlanError::NoRounds);
        }
        if plan.rules == 0 {
            return Err(PlanError::NoRules);
        }
        let pairings = pairings(plan.engines, plan.format)?;
        let total = (pairings.len() as u64)
            .checked_mul(2)
            .and_then(|games| games.checked_mul(plan.rounds))
            .ok_or(PlanError::TooManyGames { rounds: plan.rounds, pairings: pairings.len() })?;
        Ok(Self {
            pairings,
            rules: plan.rules as u64,
            openings: OpeningRotation::new(&plan.openings, plan.rules)?,
            skip: plan.skip,
            total,
        })
    }
}

impl Schedule {
    /// Number of games in the match.
    pub fn total(&self) -> u64 {
        self.total
    }

    /// The game with this number. `None` for 0 and past the last one.
    pub fn game(&self, number: GameNumber) -> Option<Fixture> {
        let index = number.0.checked_sub(1).filter(|_| number.0 <= self.total)?;
        let pair = index / 2;
        let pairings = self.pairings.len() as u64;
        let round = pair / pairings;
        let &(first, second) = self.pairings.get((pair % pairings) as usize)?;
        Some(Fixture {
            number,
            round: round + 1,
            pair,
            leg: if index % 2 == 0 { Leg::First } else { Leg::Second },
            first,
            second,
            rules: (round % self.rules) as usize,
            opening: self.opening(round)?,
        })
    }

    /// Opening of a round (0, 1, ...). All pairings of a round play the same one, which makes their
    /// results comparable; each rule set goes through its own list.
    fn opening(&self, round: u64) -> Option<Opening> {
        let turn = (round / self.rules).wrapping_add(self.skip);
        match &self.openings {
            OpeningRotation::Generated { seed } => {
                let place = turn.wrapping_mul(self.rules).wrapping_add(round % self.rules);
                Some(Opening::Generated(SplitMix64::nth(*seed, place)))
            }
            OpeningRotation::Listed(lists) => {
                let list = lists.get((round % self.rules) as usize)?;
                let place = turn.checked_rem(list.len() as u64)?;
                list.get(place as usize).copied().map(Opening::Listed)
            }
        }
    }
}

impl OpeningRotation {
    fn new(source: &OpeningSource, rules: usize) -> Result<Self, PlanError> {
        let (counts, order) = match source {
            OpeningSource::Generated { seed } => return Ok(Self::Generated { seed: *seed }),
            OpeningSource::Listed { counts, order } => (counts, order),
        };
        if counts.len() != rules {
            return Err(PlanError::OpeningLists { found: counts.len(), rules });
        }
        if let Some(rules) = counts.iter().position(|&count| count == 0) {
            return Err(PlanError::NoOpenings { rules });
        }
        let list = |(index, &count): (u64, &usize)| {
            let mut list: Vec<usize> = (0..count).collect();
            if let OpeningOrder::Shuffled { seed } = order {
                SplitMix64(SplitMix64::nth(*seed, index)).shuffle(&mut list);
            }
            list
        };
        Ok(Self::Listed((0..).zip(counts).map(list).collect()))
    }
}

fn pairings(engines: usize, format: TournamentFormat) -> Result<Vec<(usize, usize)>, PlanError> {
    if engines < 2 {
        return Err(PlanError::TooFewEngines { found: engines });
    }
    let seeds = match format {
        TournamentFormat::RoundRobin => engines - 1,
        TournamentFormat::Gauntlet { seeds } if (1..engines).contains(&seeds) => seeds,
        TournamentFormat::Gauntlet { seeds } => {
            return Err(PlanError::Seeds { found: seeds, engines });
        }
    };
    let against_later = |first| (first + 1..engines).map(move |second| (first, second));
    Ok((0..seeds).flat_map(against_later).collect())
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use std::collections::{HashMap, HashSet};

    use super::*;

    fn plan(engines: usize, format: TournamentFormat, rounds: u64) -> TournamentPlan {
        TournamentPlan { engines, format, rounds, rules: 1, openings: OpeningSource::Generated { seed: 9 }, skip: 0 }
    }

    fn schedule(plan: &TournamentPlan) -> Schedule {
        Schedule::try_from(plan).unwrap()
    }

    fn games(schedule: &Schedule) -> impl Iterator<Item = Fixture> {
        (1..=schedule.total()).filter_map(|number| schedule.game(GameNumber(number)))
    }

    // Order and numbers of games: fastchess `base_scheduler.hpp`, `roundrobin/scheduler.hpp`.
    #[test]
    fn round_robin() {
        let schedule = schedule(&plan(3, TournamentFormat::RoundRobin, 2));
        let sides: Vec<_> = games(&schedule).map(|game| (game.white(), game.black())).collect();
        let round = [(0, 1), (1, 0), (0, 2), (2, 0), (1, 2), (2, 1)];
        assert_eq!(sides, [round, round].concat());
        assert_eq!(schedule.total(), 12);
        let numbers: Vec<u64> = games(&schedule).map(|game| game.number.0).collect();
        assert_eq!(numbers, (1..=12).collect::<Vec<_>>());
    }

    // `gauntlet/scheduler.hpp`: seeds * engines - seeds * (seeds + 1) / 2 pairings.
    #[test]
    fn gauntlet() {
        let one = schedule(&plan(4, TournamentFormat::Gauntlet { seeds: 1 }, 1));
        assert_eq!(one.pairings, [(0, 1), (0, 2), (0, 3)]);
        let two = schedule(&plan(4, TournamentFormat::Gauntlet { seeds: 2 }, 5));
        assert_eq!(two.pairings, [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3)]);
        assert_eq!(two.total(), 5 * 5 * 2);
    }

    #[test]
    fn pairs_swap_sides_and_keep_the_rest() {
        let full = TournamentPlan { rules: 3, ..plan(4, TournamentFormat::RoundRobin, 6) };
        let schedule = schedule(&full);
        for game in games(&schedule) {
            let partner = match game.leg {
                Leg::First => GameNumber(game.number.0 + 1),
                Leg::Second => GameNumber(game.number.0 - 1),
            };
            let partner = schedule.game(partner).unwrap();
            assert_eq!((partner.white(), partner.black()), (game.black(), game.white()));
            let same = |game: Fixture| (game.round, game.pair, game.first, game.rules, game.opening);
            assert_eq!(same(partner), same(game));
        }
    }

    #[test]
    fn every_pairing_meets_every_rule_set() {
        let full = TournamentPlan { rules: 3, ..plan(3, TournamentFormat::RoundRobin, 6) };
        let mut meetings = HashMap::new();
        for game in games(&schedule(&full)) {
            *meetings.entry((game.first, game.second, game.rules)).or_insert(0) += 1;
        }
        assert_eq!(meetings.len(), 9);
        assert!(meetings.values().all(|&games| games == 4));
    }

    fn indices(plan: &TournamentPlan) -> Vec<(usize, Opening)> {
        let first_legs = |game: &Fixture| game.leg == Leg::First;
        let games: Vec<Fixture> = games(&schedule(plan)).filter(first_legs).collect();
        games.iter().map(|game| (game.rules, game.opening)).collect()
    }

    #[test]
    fn openings_in_turn() {
        let listed = TournamentPlan {
            rules: 2,
            openings: OpeningSource::Listed { counts: vec![2, 3], order: OpeningOrder::Sequential },
            ..plan(2, TournamentFormat::RoundRobin, 7)
        };
        let turns = [(0, 0), (1, 0), (0, 1), (1, 1), (0, 0), (1, 2), (0, 1)];
        let expected = turns.map(|(rules, index)| (rules, Opening::Listed(index)));
        assert_eq!(indices(&listed), expected);
        let skipped = indices(&TournamentPlan { skip: 1, ..listed });
        assert_eq!(skipped.first(), Some(&(0, Opening::Listed(1))));
    }

    #[test]
    fn shuffled_openings() {
        let shuffled = |seed, skip| {
            indices(&TournamentPlan {
                openings: OpeningSource::Listed { counts: vec![50], order: OpeningOrder::Shuffled { seed } },
                skip,
                ..plan(2, TournamentFormat::RoundRobin, 100)
            })
        };
        let turns = shuffled(1, 0);
        let (one, other) = turns.split_at(50);
        assert_eq!(one, other);
        assert_eq!(one.iter().map(|turn| format!("{turn:?}")).collect::<HashSet<_>>().len(), 50);
        assert_eq!(turns, shuffled(1, 0));
        assert_ne!(turns, shuffled(2, 0));
        assert_eq!(turns.get(7), shuffled(1, 7).first());
    }

    #[test]
    fn generated_openings_differ() {
        let generated = |skip| {
            indices(&TournamentPlan {
                rules: 2,
                openings: OpeningSource::Generated { seed: 3 },
                skip,
                ..plan(2, TournamentFormat::RoundRobin, 200)
            })
        };
        let seeds: HashSet<String> = generated(0).iter().map(|turn| format!("{turn:?}")).collect();
        assert_eq!(seeds.len(), 200);
        assert_eq!(generated(0).get(20..), generated(10).get(..180));
    }

    #[test]
    fn numbers_end_with_the_last_game() {
        let schedule = schedule(&plan(3, TournamentFormat::RoundRobin, 4));
        assert_eq!(schedule.game(GameNumber(0)), None);
        assert_eq!(schedule.game(GameNumber(25)), None);
        assert_eq!(schedule.game(GameNumber(24)).map(|game| game.round), Some(4));
    }

    #[test]
    fn refuses_bad_plans() {
        let refusal = |plan: TournamentPlan| Schedule::try_from(&plan).unwrap_err();
        let good = plan(3, TournamentFormat::RoundRobin, 1);
        let listed = |counts: Vec<usize>| TournamentPlan {
            rules: 2,
            openings: OpeningSource::Listed { counts, order: OpeningOrder::Sequential },
            ..good.clone()
        };
        assert_eq!(
            refusal(plan(1, TournamentFormat::RoundRobin, 1)).to_string(),
            "found 1 engines, expected 2 or more"
        );
        assert_eq!(
            refusal(plan(3, TournamentFormat::Gauntlet { seeds: 3 }, 1)).to_string(),
            "found 3 gauntlet seeds for 3 engines, expected 1 to 2"
        );
        assert_eq!(refusal(TournamentPlan { rounds: 0, ..good.clone() }), PlanError::NoRounds);
        assert_eq!(refusal(TournamentPlan { rules: 0, ..good.clone() }), PlanError::NoRules);
        assert_eq!(refusal(listed(vec![4])), PlanError::OpeningLists { found: 1, rules: 2 });
        assert_eq!(refusal(listed(vec![4, 0])), PlanError::NoOpenings { rules: 1 });
        let endless = refusal(plan(3, TournamentFormat::RoundRobin, u64::MAX));
        assert_eq!(endless, PlanError::TooManyGames { rounds: u64::MAX, pairings: 3 });
    }
}
