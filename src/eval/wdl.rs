//! The win/draw/loss model: the chances of each end of a game behind an evaluation, as the networks are trained for.
//!
//! A network's thresholds below and above the draw lie where an end on either side is as likely; the chance of one above a
//! threshold is a logistic function of the evaluation's distance from it, and a steeper one the deeper the search that found
//! it. `UCI_ShowWDL`, `annotate`, `eval` and `suite --reliability`, which holds it against the truth, go by this model.

use crate::eval::network::{CENTIGOATS_PER_LOGIT, Network};
use crate::eval::network_of;
use crate::position::Position;
use crate::rules::{RuleSet, Side};

/// The chances of both sides to win, each from 0 to 1; the rest of 1 is the chance of a draw.
#[derive(Copy, Clone, PartialEq, Debug)]
pub struct WinChances {
    /// The chance of White's win.
    pub white: f64,
    /// The chance of Black's win.
    pub black: f64,
}

/// By how much each ply of a search makes an evaluation surer: the part that it adds to the odds' logarithm. In solved
/// positions of all layers the true logarithm was 1.2, 1.5, 1.7, 1.8, 2.2 and 2.3 times that of a static evaluation as high
/// after 1, 4, 6, 8, 10 and 12 plies.
const SURER_PER_PLY: f64 = 0.1;

/// The plies beyond which nothing was measured.
const MAX_SURER_PLIES: u32 = 12;

impl WinChances {
    /// The chances behind an evaluation in centigoats from White's view that a search of `depth` plies has found; 0 for the
    /// static evaluation.
    pub fn of_evaluation(centigoats: i32, depth: u32, rules: &RuleSet) -> Self {
        let network = network_of(rules);
        let better_than = |outcome| chance_of_better(network, centigoats, depth, outcome);
        Self { white: better_than(0), black: 1.0 - better_than(-1) }
    }

    /// The chance of a draw.
    pub fn draw(self) -> f64 {
        1.0 - self.white - self.black
    }
}

/// The chance that the game ends better for White than with an outcome below 1.
fn chance_of_better(network: &Network, centigoats: i32, depth: u32, outcome: i32) -> f64 {
    let sureness = f64::from(depth.min(MAX_SURER_PLIES)).mul_add(SURER_PER_PLY, 1.0);
    let logits = f64::from(centigoats) / f64::from(CENTIGOATS_PER_LOGIT);
    // The threshold below the first better level; there is none if all are better, or none is.
    let rank = network.levels.iter().position(|level| level.outcome() > outcome);
    let threshold = rank.and_then(|rank| rank.checked_sub(1)).and_then(|number| network.thresholds.get(number));
    match threshold {
        Some(threshold) => 1.0 / (1.0 + (sureness * (f64::from(*threshold) / 65_536.0 - logits)).exp()),
        None if rank.is_some() => 1.0,
        None => 0.0,
    }
}

/// What White can expect to get minus what Black can, in points, behind an evaluation in centigoats from White's view that a
/// search of `depth` plies has found: 1 for a win, where wins are scored the points of the rules for the goats that live.
pub fn expected_points(centigoats: i32, depth: u32, position: &Position) -> f64 {
    let rules = position.rules();
    let chances = WinChances::of_evaluation(centigoats, depth, rules);
    let points = |side| f64::from(rules.win_points(side, position.goats_alive()));
    chances.white * points(Side::White) - chances.black * points(Side::Black)
}

/// Win, draw and loss of the side to move, in permille with a sum of 1,000, for an evaluation in centigoats from its view
/// that a search of `depth` plies has found.
pub fn permille(centigoats: i32, depth: u32, position: &Position) -> [u32; 3] {
    let chances = |white_view| WinChances::of_evaluation(white_view, depth, position.rules());
    let (win, loss) = match position.side() {
        Side::White => (chances(centigoats).white, chances(centigoats).black),
        Side::Black => (chances(-centigoats).black, chances(-centigoats).white),
    };
    let [win, loss] = [win, loss].map(|chance| (1_000.0 * chance).round() as u32);
    // The thresholds lie so far apart that one of the two is always close to 0; rounding can't lift the sum above 1,000.
    [win, 1_000_u32.saturating_sub(win + loss), loss]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::notation::fen;

    fn start(rules: &str, side: char) -> Position {
        fen::parse(RuleSet::named(rules).unwrap(), &format!("5/2E1E/1t1t1/2E1E/5 {side}")).unwrap()
    }

    #[test]
    fn chances_add_up_rise_with_the_score_and_mirror() {
        for rules in ["baghbandi", "super", "wikipedia"] {
            let (white, black) = (start(rules, 'w'), start(rules, 'b'));
            let mut last = permille(-9_999, 0, &white);
            for centigoats in -9_999..=9_999 {
                let [win, draw, loss] = permille(centigoats, 0, &white);
                assert_eq!(win + draw + loss, 1_000, "{rules} {centigoats}");
                assert_eq!(permille(-centigoats, 0, &black), [loss, draw, win], "{rules} {centigoats}");
                assert!(win >= last[0] && loss <= last[2], "{rules} {centigoats}");
                last = [win, draw, loss];
            }
        }
    }

    #[test]
    fn the_middle_is_drawn_and_the_ends_are_won() {
        for rules in ["baghbandi", "super", "wikipedia"] {
            let white = start(rules, 'w');
            assert_eq!(permille(0, 0, &white), [0, 1_000, 0], "{rules}");
            assert_eq!((permille(200, 0, &white)[0], permille(-200, 8, &white)[2]), (500, 500), "{rules}");
            assert_eq!(
                (permille(9_999, 0, &white), permille(-9_999, 8, &white)),
                ([1_000, 0, 0], [0, 0, 1_000]),
                "{rules}"
            );
        }
    }

    #[test]
    fn a_deeper_search_is_surer() {
        let white = start("baghbandi", 'w');
        let wins = |centigoats| [0, 1, 4, 12].map(|depth| permille(centigoats, depth, &white)[0]);
        assert!(wins(230).is_sorted_by(|low, high| low < high) && wins(170).is_sorted_by(|high, low| low < high));
        assert_eq!(permille(230, 12, &white), permille(230, 40, &white));
    }

    #[test]
    fn points_are_expected_by_their_chances() {
        let expected = |centigoats, position: &Position| expected_points(centigoats, 0, position);
        for (rules, least, most) in [("baghbandi", -1.0, 1.0), ("super", -10.0, 18.0), ("wikipedia-multi", -1.0, 1.0)] {
            let white = start(rules, 'w');
            let cases = [(-9_999, least), (-200, least / 2.0), (0, 0.0), (200, most / 2.0), (9_999, most)];
            for (centigoats, points) in cases {
                assert!((expected(centigoats, &white) - points).abs() < 0.01, "{rules} {centigoats}");
            }
        }
        let few = fen::parse(RuleSet::named("super").unwrap(), "1AA2/5/AtAA1/t1AA1/AAA2 w").unwrap();
        assert!((expected(9_999, &few) - 8.0).abs() < 0.01, "no more points than for ten goats");
    }
}
