//! The static evaluation: a sum of terms, in centigoats from White's point of view. [`network`] is what will take its
//! place: it is trained and measured, and no search uses it yet.
//!
//! Flat positions with 3 to 12 goats are mostly draws and with 15 or more mostly won for the goats, so the balance
//! lies between; how far the tigers are penned in decides on either side of it.

pub mod features;
pub mod network;
pub mod wdl;

use crate::board::{PointSet, STEPS};
use crate::position::Position;
use crate::rules::{GOATS_TO_IMMOBILISE, Side};

/// For each goat alive above [`EVEN_GOATS`], or missing from it.
const GOAT: i32 = 72;
/// The number of goats at which the material is even.
const EVEN_GOATS: i32 = 13;
/// For each goat that stands below another in a herd: it takes no part yet, but can't be taken either.
const GOAT_BELOW: i32 = 18;
/// For each point that a tiger can step to.
const TIGER_STEP: i32 = -3;
/// For each free point above [`EVEN_ROAM`] that the tigers can reach by steps alone, or missing from it.
const ROAM: i32 = -28;
/// The number of such points that is even.
const EVEN_ROAM: i32 = 11;
/// For each tiger that can neither step nor jump.
const TRAPPED_TIGER: i32 = 120;
/// For each goat that a tiger can jump first.
const THREAT: i32 = -22;

/// The terms of an evaluation, each in centigoats from White's point of view.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub struct Terms {
    /// Goats alive, against an even number.
    pub material: i32,
    /// Goats that stand below others in herds.
    pub herds: i32,
    /// Steps that the tigers have.
    pub mobility: i32,
    /// Free points that the tigers can reach.
    pub roam: i32,
    /// Tigers that can't move.
    pub trapped: i32,
    /// Goats that can be jumped over.
    pub threats: i32,
    /// What brings the sum down to 0 where too few goats are left for White to win.
    pub hopeless: i32,
}

impl Terms {
    /// The terms of a position.
    pub fn of(position: &Position) -> Self {
        let free = position.free();
        let mut terms = Self {
            material: (position.goats_alive() as i32 - EVEN_GOATS) * GOAT,
            herds: position.goats_below() as i32 * GOAT_BELOW,
            roam: (roaming_ground(position.tigers(), free).len() as i32 - EVEN_ROAM) * ROAM,
            ..Self::default()
        };
        for tiger in position.tigers() {
            let steps = (STEPS[tiger] & free).len() as i32;
            let prey = position.prey_of(tiger);
            terms.mobility += steps * TIGER_STEP;
            terms.threats += prey.len() as i32 * THREAT;
            if steps == 0 && prey.is_empty() {
                terms.trapped += TRAPPED_TIGER;
            }
        }
        if position.goats_alive() < GOATS_TO_IMMOBILISE {
            terms.hopeless = -terms.sum().max(0);
        }
        terms
    }

    /// Their names and values, in the order in which they are printed.
    pub const fn named(&self) -> [(&'static str, i32); 7] {
        [
            ("material", self.material),
            ("herds", self.herds),
            ("mobility", self.mobility),
            ("roam", self.roam),
            ("trapped", self.trapped),
            ("threats", self.threats),
            ("hopeless", self.hopeless),
        ]
    }

    /// Their sum.
    pub const fn sum(&self) -> i32 {
        self.material + self.herds + self.mobility + self.roam + self.trapped + self.threats + self.hopeless
    }
}

/// The evaluation of a position for the side to move, in centigoats.
pub fn evaluate(position: &Position) -> i32 {
    let white = Terms::of(position).sum();
    match position.side() {
        Side::White => white,
        Side::Black => -white,
    }
}

/// The free points that the tigers can reach if only they move and take nothing.
fn roaming_ground(tigers: PointSet, free: PointSet) -> PointSet {
    let mut ground = PointSet::EMPTY;
    let mut edge = tigers.neighbours() & free;
    while !edge.is_empty() {
        ground = ground | edge;
        edge = edge.neighbours() & (free - ground);
    }
    ground
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::notation::fen;
    use crate::rules::RuleSet;

    fn position(text: &str) -> Position {
        fen::parse(RuleSet::standard(), text).unwrap()
    }

    #[test]
    fn both_sides_see_the_same_value() {
        let text = "t4/2B2/1A1A1/2A1C/4t w";
        assert_eq!(evaluate(&position(text)), -evaluate(&position(&text.replace('w', "b"))));
    }

    #[test]
    fn mirror_images_are_worth_the_same() {
        let pairs =
            [("t4/2B2/1A1A1/2A1C/4t w", "4t/2A1C/1A1A1/2B2/t4 w"), ("AA3/5/t1A2/2D2/3t1 b", "3t1/2D2/t1A2/5/AA3 b")];
        for (text, mirrored) in pairs {
            assert_eq!(Terms::of(&position(text)), Terms::of(&position(mirrored)));
        }
    }

    #[test]
    fn the_roaming_ground_ends_at_the_goats() {
        let penned = position("5/5/5/AAA2/t1A1t w");
        let ground = roaming_ground(penned.tigers(), penned.free());
        // b1 for the one; d1, everything to the right of and above the goats for the other.
        assert_eq!(ground.len(), 25 - 4 - 2);
    }

    #[test]
    fn few_goats_never_look_like_winning() {
        assert!(evaluate(&position("5/5/AAA2/A4/ttA2 w")) <= 0);
    }
}
