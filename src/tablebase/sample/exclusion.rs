//! Positions that must not be sampled, nor any that a symmetry of the board turns into one of them.

use crate::board::Point;
use crate::position::{Key, Position, Setup};
use crate::rules::RuleSet;
use crate::symmetry::Symmetry;
use std::collections::HashSet;

/// A set of positions with all their images.
#[derive(Clone, Debug, Default)]
pub struct Exclusion {
    keys: HashSet<Key>,
}

impl Exclusion {
    /// Adds a position, by the board and the side to move: its rules may be others than those of the samples. Images that
    /// are no positions by `rules`, those of the samples, are left out.
    pub fn add(&mut self, position: &Position, rules: &'static RuleSet) {
        self.keys
            .extend(Symmetry::all().filter_map(|symmetry| image(position, rules, symmetry)).map(|image| image.key()));
    }

    /// Whether a position is one of them.
    pub fn has(&self, position: &Position) -> bool {
        self.keys.contains(&position.key())
    }
}

/// The image of a position under a symmetry, its counters 0 and 1.
///
/// Returns `None` if it is no position by these rules, having a herd where there is none.
pub fn image(position: &Position, rules: &'static RuleSet, symmetry: Symmetry) -> Option<Position> {
    let mut goats = [0; Point::COUNT];
    for point in position.goats() {
        *goats.get_mut(symmetry.point(point).index())? = position.height(point);
    }
    let tigers = position.tigers().into_iter().map(|tiger| symmetry.point(tiger)).collect();
    Position::new(rules, &Setup { goats, tigers, side: position.side(), quiet: 0, number: 1 }).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::notation::fen;

    #[test]
    fn images_are_excluded_with_a_position() {
        let rules = RuleSet::standard();
        let parse = |text| fen::parse(rules, text).unwrap();
        let mut exclusion = Exclusion::default();
        exclusion.add(&parse("A4/5/2t2/5/3tA w 7 9"), rules);
        exclusion.add(&fen::parse(RuleSet::named("super").unwrap(), "5/2D2/t4/5/4t b").unwrap(), rules);
        for (text, is_in) in [
            ("A4/5/2t2/5/3tA w", true),
            ("A4/t4/2t2/5/4A w", true),
            ("4A/5/2t2/5/At3 w", true),
            ("A4/5/2t2/5/3tA b", false),
            ("4A/5/2t2/5/3tA w", false),
            ("5/2D2/t4/5/4t b", true),
            ("4t/5/t4/2D2/5 b", true),
            // Where this lies on its side there is no herd.
            ("5/4D/t4/5/4t b", false),
        ] {
            assert_eq!(exclusion.has(&parse(text)), is_in, "{text}");
        }
    }
}
