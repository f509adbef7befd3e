//! The seven rule sets as data: one struct of independent fields and a table of presets.
//!
//! No other file compares a rule set's name; all test the fields that differ.

use crate::board::{Point, PointMap, PointSet};
use std::fmt;

/// Goats at the start of every rule set.
pub const GOATS: u32 = 20;
/// Goats in a full herd.
pub const HERD: u32 = 5;
/// Fewest goats that can immobilise two tigers, anywhere on the board.
pub const GOATS_TO_IMMOBILISE: u32 = 7;
/// Herds at the start.
pub const HERDS: usize = 4;

/// One of the two players.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub enum Side {
    /// The goats; they move first.
    White,
    /// The tigers.
    Black,
}

impl Side {
    /// The other player.
    pub const fn opponent(self) -> Self {
        match self {
            Self::White => Self::Black,
            Self::Black => Self::White,
        }
    }

    /// 0 for White, 1 for Black.
    pub const fn index(self) -> usize {
        self as usize
    }

    /// The letter of position texts: `w` or `b`.
    pub const fn letter(self) -> char {
        match self {
            Self::White => 'w',
            Self::Black => 'b',
        }
    }
}

impl fmt::Display for Side {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::White => "White",
            Self::Black => "Black",
        })
    }
}

/// How a tiger's move may go on after a jump.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Chain {
    /// Never: one jump a move.
    Single,
    /// After a jump over a single goat; a jump over a herd ends the move.
    UntilHerd,
    /// After any jump, but no point is jumped twice in a move.
    Free,
}

/// Whether Black must capture.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Capture {
    /// Capturing is optional, and a chain may stop after any jump.
    Optional,
    /// Capturing is obligatory, and so is the most goats possible over both tigers.
    Longest,
}

/// Where the pieces start.
#[derive(Clone, Debug)]
pub struct Start {
    /// The points of the four herds of five, by index.
    pub herds: [Point; HERDS],
    /// The points of the two tigers.
    pub tigers: PointSet,
    /// Which herd starts on a point; `HERDS` where none does.
    pub herd_on: PointMap<u8>,
}

impl Start {
    const fn new(herds: [&[u8; 2]; HERDS], tigers: [&[u8; 2]; 2]) -> Self {
        let [first, second, third, fourth] = herds;
        let herds = [Point::named(first), Point::named(second), Point::named(third), Point::named(fourth)];
        let mut herd_on = [HERDS as u8; 32];
        let mut index = 0;
        #[allow(clippy::indexing_slicing)] // runs in the compiler
        while index < HERDS {
            herd_on[herds[index].index()] = index as u8;
            index += 1;
        }
        let [one, other] = tigers;
        let tigers = Point::named(one).set().with(Point::named(other));
        Self { herds, tigers, herd_on: PointMap::new(herd_on) }
    }

    /// The points where herds stand at the start; only there can two or more goats share a point.
    pub fn herd_points(&self) -> PointSet {
        self.herds.into_iter().collect()
    }
}

/// Herds on c2, c4, e2, e4; tigers on b3, d3.
static BAGH_BANDI: Start = Start::new([b"c2", b"e2", b"c4", b"e4"], [b"b3", b"d3"]);
/// Herds on b2, b4, d2, d4; tigers on c1, c5, as Humphries and Das-Gupta have them.
static BAGH_GUTI: Start = Start::new([b"b2", b"d2", b"b4", b"d4"], [b"c1", b"c5"]);
/// The same with Murray's tigers on c3 and c5.
static BAGH_GUTI_MURRAY: Start = Start::new([b"b2", b"d2", b"b4", b"d4"], [b"c3", b"c5"]);

/// A rule set.
#[derive(Debug)]
pub struct RuleSet {
    /// The name that `UCI_Variant` and `--rules` take.
    pub name: &'static str,
    /// The start position.
    pub start: &'static Start,
    /// How far one move of a tiger can go.
    pub chain: Chain,
    /// Whether Black must capture.
    pub capture: Capture,
    /// Black wins as soon as fewer goats than this live.
    pub goats_to_live: u32,
    /// Whether a game is worth points rather than a win.
    pub scored: bool,
    /// The place in [`NETWORKS`] of the network for its positions.
    pub network: usize,
    /// The same for its positions with herds. Of the scored rule sets these are not solved, so that another one has to do.
    pub herd_network: usize,
}

/// The networks that can be trained, each by one of the rule sets that share it: those that differ in nothing but the
/// start and how far chains go.
pub const NETWORKS: [&str; 3] = ["baghbandi", "moderno", "wikipedia"];

const BAGHBANDI: RuleSet = RuleSet {
    name: "baghbandi",
    start: &BAGH_BANDI,
    chain: Chain::UntilHerd,
    capture: Capture::Optional,
    goats_to_live: 1,
    scored: false,
    network: 0,
    herd_network: 0,
};

/// The rule sets, the default first.
static ALL: [RuleSet; 7] = [
    BAGHBANDI,
    RuleSet { name: "moderno", capture: Capture::Longest, scored: true, network: 1, ..BAGHBANDI },
    RuleSet { name: "super", chain: Chain::Free, capture: Capture::Longest, scored: true, network: 1, ..BAGHBANDI },
    RuleSet { name: "baghguti", start: &BAGH_GUTI, ..BAGHBANDI },
    RuleSet { name: "baghguti-murray", start: &BAGH_GUTI_MURRAY, ..BAGHBANDI },
    RuleSet {
        name: "wikipedia",
        chain: Chain::Single,
        goats_to_live: GOATS_TO_IMMOBILISE,
        network: 2,
        herd_network: 2,
        ..BAGHBANDI
    },
    RuleSet {
        name: "wikipedia-multi",
        chain: Chain::Free,
        goats_to_live: GOATS_TO_IMMOBILISE,
        network: 2,
        herd_network: 2,
        ..BAGHBANDI
    },
];

/// Points for Black's win in a scored rule set.
pub const BLACK_WIN_POINTS: u32 = 10;

impl RuleSet {
    /// All seven, the default (`baghbandi`) first.
    pub fn all() -> &'static [Self] {
        &ALL
    }

    /// The rule set a session starts with: `baghbandi`.
    pub fn standard() -> &'static Self {
        let [first, ..] = &ALL;
        first
    }

    /// The rule set of this name, in either case.
    ///
    /// Returns `None` if there is none.
    pub fn named(name: &str) -> Option<&'static Self> {
        ALL.iter().find(|rules| rules.name.eq_ignore_ascii_case(name))
    }

    /// The rule set of this name, for a command line.
    ///
    /// # Errors
    /// Names those that there are.
    pub fn parse(name: &str) -> Result<&'static Self, String> {
        Self::named(name).ok_or_else(|| format!("expected one of {}", Self::names()))
    }

    /// All names, with commas, for messages.
    pub fn names() -> String {
        ALL.iter().map(|rules| rules.name).collect::<Vec<_>>().join(", ")
    }

    /// Whether by both rule sets positions without a herd have the same moves and ends, whatever a win is worth.
    pub fn is_same_without_herds(&self, other: &Self) -> bool {
        // Single goats end no chain, and where the herds stood at the start makes no difference.
        let is_single = |rules: &Self| rules.chain == Chain::Single;
        let (goats, captures) = (self.goats_to_live == other.goats_to_live, self.capture == other.capture);
        goats && captures && is_single(self) == is_single(other)
    }

    /// What a win of `side` is worth with `goats` left: 1 where wins are not scored, else 10 for Black and the goats
    /// left minus the two tigers for White.
    pub const fn win_points(&self, side: Side, goats: u32) -> u32 {
        match (self.scored, side) {
            (false, _) => 1,
            (true, Side::Black) => BLACK_WIN_POINTS,
            (true, Side::White) => goats.saturating_sub(2),
        }
    }
}

impl PartialEq for RuleSet {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Eq for RuleSet {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_found_and_unique() {
        for rules in RuleSet::all() {
            assert_eq!(RuleSet::named(&rules.name.to_uppercase()), Some(rules));
            assert_eq!(RuleSet::all().iter().filter(|other| *other == rules).count(), 1);
        }
        assert_eq!(RuleSet::standard().name, "baghbandi");
        assert_eq!(RuleSet::named("chess"), None);
    }

    #[test]
    fn without_herds_there_are_four_games() {
        let mut games: Vec<Vec<&str>> = Vec::new();
        for rules in RuleSet::all() {
            let same = games.iter_mut().find(|game| RuleSet::named(game[0]).unwrap().is_same_without_herds(rules));
            match same {
                Some(game) => game.push(rules.name),
                None => games.push(vec![rules.name]),
            }
        }
        let family = vec!["baghbandi", "baghguti", "baghguti-murray"];
        assert_eq!(games, [family, vec!["moderno", "super"], vec!["wikipedia"], vec!["wikipedia-multi"]]);
    }

    #[test]
    fn scored_wins_are_worth_ten_or_the_goats_less_two() {
        let scored = RuleSet::named("super").unwrap();
        assert_eq!(scored.win_points(Side::White, 14), 12);
        assert_eq!(scored.win_points(Side::White, 20), 18);
        assert_eq!(scored.win_points(Side::Black, 0), 10);
        assert_eq!(RuleSet::standard().win_points(Side::White, 14), 1);
    }
}
