//! The static evaluation: the score of a network that was trained on solved positions, in centigoats from White's point of
//! view, and what follows from it for a person: the chances of each result ([`wdl`]), and what each piece contributes.
//!
//! The networks are part of the program, one for each group of rule sets that are much the same game. `networks.md` says
//! how they were made, and has their checksums.

pub mod features;
pub mod network;
pub mod wdl;

use crate::board::{Point, PointSet};
use crate::position::Position;
use crate::rules::{HERDS, NETWORKS, RuleSet, Side};
use features::Features;
use network::{Network, networks};
use std::array;
use std::sync::LazyLock;

/// The networks that are part of the program.
static FILE: &[u8] = include_bytes!("networks.bin");

/// The networks in the order of [`NETWORKS`], each decoded when it is first needed: that takes a millisecond.
static DECODED: [LazyLock<Network>; NETWORKS.len()] =
    [LazyLock::new(|| decode(0)), LazyLock::new(|| decode(1)), LazyLock::new(|| decode(2))];

fn decode(number: usize) -> Network {
    let name = NETWORKS.get(number).copied().unwrap_or_default();
    let decoded = networks(FILE).and_then(|all| {
        all.iter().find(|encoded| encoded.name() == name).map(network::EncodedNetwork::decode).transpose()
    });
    match decoded {
        Ok(Some(network)) => network,
        Ok(None) => unreachable!("broken invariant: the program has a network {name}"),
        Err(error) => unreachable!("broken invariant: the program's networks are whole: {error}"),
    }
}

/// The network that was trained for a rule set.
#[inline]
#[allow(clippy::indexing_slicing)] // every rule set's network is one of these
pub fn network_of(rules: &RuleSet) -> &'static Network {
    &DECODED[rules.network]
}

/// The network that evaluates positions of a rule set with herds, or those without.
#[inline]
#[allow(clippy::indexing_slicing)] // every rule set's network is one of these
fn network_for(rules: &RuleSet, has_herds: bool) -> &'static Network {
    &DECODED[if has_herds { rules.herd_network } else { rules.network }]
}

/// The evaluation of a position for the side to move, in centigoats.
#[inline]
pub fn evaluate(position: &Position) -> i32 {
    let white = evaluate_for_white(position);
    match position.side() {
        Side::White => white,
        Side::Black => -white,
    }
}

/// The evaluation of a position from White's view, in centigoats.
#[inline]
pub fn evaluate_for_white(position: &Position) -> i32 {
    Pieces::of(position).evaluation()
}

/// Centigoats that each point of White's win is worth where it is as good as certain.
const POINT: i32 = 60;
/// The score at which points begin to count, where White wins in 98 of 100 positions, and by how much higher it is where they
/// count in full. So they leave the chances alone.
const POINTS_FROM: i32 = 300;
const POINTS_WIDTH: i32 = 100;

/// What the points for the goats that live add to a score that stands for White's win, in scored rule sets: the networks know
/// how soon it comes, but nothing of points.
fn points_bonus(score: i32, rules: &RuleSet, goats_alive: u32) -> i32 {
    let share = (score - POINTS_FROM).clamp(0, POINTS_WIDTH);
    POINT * rules.win_points(Side::White, goats_alive) as i32 * share / POINTS_WIDTH
}

/// What a piece contributes to an evaluation.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Contribution {
    /// Where it stands.
    pub point: Point,
    /// Centigoats from White's view. Of a goat or a herd: how much lower the evaluation would be without it. Of a tiger: how
    /// much lower it would be, on average, with the tiger on another point that is free.
    pub centigoats: i32,
}

/// What each piece contributes to the evaluation of a position, in the order of the points. Since the pieces work together,
/// the sum is not the evaluation.
pub fn contributions(position: &Position) -> Vec<Contribution> {
    let evaluation = evaluate_for_white(position);
    let pieces = position.goats() | position.tigers();
    let others = |point| match position.tigers().has(point) {
        true => mean(position.free().into_iter().map(|to| Pieces::of(position).with_tiger(point, to).evaluation())),
        false => Pieces::of(position).without(point).evaluation(),
    };
    pieces.into_iter().map(|point| Contribution { point, centigoats: evaluation - others(point) }).collect()
}

/// The mean, rounded towards 0; 0 of nothing.
fn mean(numbers: impl Iterator<Item = i32>) -> i32 {
    let (mut sum, mut count) = (0, 0);
    for number in numbers {
        sum += number;
        count += 1;
    }
    sum / count.max(1)
}

/// The pieces of a position, which may be changed to ones that no game comes to.
struct Pieces {
    rules: &'static RuleSet,
    goats: PointSet,
    tigers: [Point; 2],
    below: [u32; HERDS],
    side: Side,
}

impl Pieces {
    fn of(position: &Position) -> Self {
        let rules = position.rules();
        let below = rules.start.herds.map(|point| position.height(point).saturating_sub(1));
        Self { rules, goats: position.goats(), tigers: position.tiger_pair(), below, side: position.side() }
    }

    /// Without the goat or the herd on a point.
    fn without(self, point: Point) -> Self {
        let herds = self.rules.start.herds;
        let below = array::from_fn(|herd| match (herds.get(herd), self.below.get(herd)) {
            (Some(place), Some(below)) if *place != point => *below,
            _ => 0,
        });
        Self { goats: self.goats.without(point), below, ..self }
    }

    /// With a tiger on another point.
    fn with_tiger(self, from: Point, to: Point) -> Self {
        let mut tigers = self.tigers.map(|tiger| if tiger == from { to } else { tiger });
        tigers.sort_unstable();
        Self { tigers, ..self }
    }

    /// The evaluation from White's view, in centigoats.
    #[inline]
    fn evaluation(&self) -> i32 {
        let below: u32 = self.below.iter().sum();
        let features = Features::new(self.rules, self.goats, self.tigers, self.below, self.side);
        let score = network_for(self.rules, below > 0).score(&features);
        let bonus = if self.rules.scored { points_bonus(score, self.rules, self.goats.len() + below) } else { 0 };
        score + bonus
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::checksum::fnv1a_64;
    use crate::notation::fen;

    fn position(text: &str) -> Position {
        fen::parse(RuleSet::standard(), text).unwrap()
    }

    #[test]
    fn the_networks_are_those_of_the_list() {
        let list = include_str!("networks.md");
        let encoded = networks(FILE).unwrap();
        assert_eq!(encoded.iter().map(network::EncodedNetwork::name).collect::<Vec<_>>(), NETWORKS);
        for rules in RuleSet::all() {
            assert_eq!(network_of(rules).name, NETWORKS[rules.network]);
        }
        let row = format!("| `networks.bin` | {} | `{:016x}` |", FILE.len(), fnv1a_64(FILE));
        assert!(list.contains(&row), "{row}");
        assert!(FILE.len() < 2_000_000);
    }

    #[test]
    fn the_value_is_seen_from_either_side() {
        for text in ["t4/2B2/1A1A1/2A1C/4t w", "t4/2B2/1A1A1/2A1C/4t b"] {
            let position = position(text);
            let white = evaluate_for_white(&position);
            assert_eq!(evaluate(&position), if position.side() == Side::White { white } else { -white });
        }
    }

    #[test]
    fn mirror_images_are_worth_the_same() {
        let pairs =
            [("t4/2B2/1A1A1/2A1C/1t3 w", "4t/2A1C/1A1A1/2B2/3t1 w"), ("AA3/5/t1A2/2D2/3t1 b", "3t1/2D2/t1A2/5/AA3 b")];
        for (text, mirrored) in pairs {
            assert_eq!(evaluate(&position(text)), evaluate(&position(mirrored)));
        }
    }

    #[test]
    fn what_is_won_and_lost_is_told_apart() {
        let penned = "1AAAA/AAAAA/AAAAA/A1AAA/1tAt1 w";
        assert!(evaluate_for_white(&position(penned)) > 200);
        for rules in RuleSet::all() {
            let few = fen::parse(rules, "5/1A3/2t2/1A1A1/2A1t b");
            // By the Wikipedia rules Black has won with so few goats.
            few.iter().for_each(|few| assert!(evaluate_for_white(few) < 150, "{}", rules.name));
        }
    }

    #[test]
    fn pieces_contribute_what_the_evaluation_lacks_without_them() {
        let with = position("t4/2C2/1A1A1/2A2/1t3 w");
        let pieces = contributions(&with);
        assert_eq!(pieces.len(), 6);
        let of = |name: &str| pieces.iter().find(|piece| piece.point.to_string() == name).unwrap().centigoats;
        for (name, without) in [("b3", "t4/2C2/3A1/2A2/1t3 w"), ("c4", "t4/5/1A1A1/2A2/1t3 w")] {
            assert_eq!(of(name), evaluate(&with) - evaluate(&position(without)), "{name}");
        }
        let elsewhere = with.free().into_iter().map(|to| {
            let mut board = [['1'; 5]; 5];
            for (point, letter) in [("b3", 'A'), ("c2", 'A'), ("d3", 'A'), ("c4", 'C'), ("a5", 't')] {
                let point = Point::from_name(point.as_bytes()[0], point.as_bytes()[1]).unwrap();
                board[4 - point.index() / 5][point.index() % 5] = letter;
            }
            board[4 - to.index() / 5][to.index() % 5] = 't';
            let rows: Vec<String> = board.iter().map(|row| row.iter().collect()).collect();
            evaluate(&position(&format!("{} w", rows.join("/"))))
        });
        assert_eq!(of("b1"), evaluate(&with) - mean(elsewhere));
    }
}
