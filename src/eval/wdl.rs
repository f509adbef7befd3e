//! The win/draw/loss model: chances of each result behind an evaluation.
//!
//! Each side's win has a chance of its own, a logistic function of the evaluation as in Elo's rating system. The two have
//! different centres: the game is drawn over a wide range of evaluations, and Black's win lies farther from an even one
//! than White's. `UCI_ShowWDL` and `annotate` both go by this model.
//!
//! It was measured on solved positions of `baghbandi` against their evaluations after some 20,000 nodes. White's slope is
//! flatter than the one measured: the players who go on from there make errors, solved values don't.

use crate::position::Position;
use crate::rules::{RuleSet, Side};

/// The chance of a side's win as a logistic function of the evaluation, which is in centigoats from that side's view.
struct Logistic {
    /// The evaluation at which the win is as likely as not.
    centre: f64,
    /// The distance over which the odds grow e-fold.
    spread: f64,
}

/// 2,000 solved positions with up to 20 goats, of which White wins one in two at +1.25 goats; the spread is twice the
/// one measured.
const WHITE_WINS: Logistic = Logistic { centre: 125.0, spread: 40.0 };

/// 1,500 solved positions with 3 to 7 goats, of which Black wins one in two at -10.30 goats.
const BLACK_WINS: Logistic = Logistic { centre: 1030.0, spread: 80.0 };

/// Centigoats by which Black's win comes nearer for each goat that is allowed to live on when Black has won.
const NEARER_PER_GOAT: f64 = 72.0;

impl Logistic {
    fn at(&self, centigoats: f64) -> f64 {
        1.0 / (1.0 + ((self.centre - centigoats) / self.spread).exp())
    }
}

/// The chances of both sides to win, each from 0 to 1; the rest of 1 is the chance of a draw.
#[derive(Copy, Clone, PartialEq, Debug)]
pub struct WinChances {
    /// The chance of White's win.
    pub white: f64,
    /// The chance of Black's win.
    pub black: f64,
}

impl WinChances {
    /// The chances behind an evaluation in centigoats from White's view.
    pub fn of_evaluation(centigoats: i32, rules: &RuleSet) -> Self {
        let lead = f64::from(centigoats);
        let nearer = NEARER_PER_GOAT * f64::from(rules.goats_to_live.saturating_sub(1));
        Self { white: WHITE_WINS.at(lead), black: BLACK_WINS.at(nearer - lead) }
    }
}

/// Win, draw and loss of the side to move, in permille with a sum of 1,000, for an evaluation in centigoats from its view.
pub fn permille(centigoats: i32, position: &Position) -> [u32; 3] {
    let chances = |white_view| WinChances::of_evaluation(white_view, position.rules());
    let (win, loss) = match position.side() {
        Side::White => (chances(centigoats).white, chances(centigoats).black),
        Side::Black => (chances(-centigoats).black, chances(-centigoats).white),
    };
    let [win, loss] = [win, loss].map(|chance| (1_000.0 * chance).round() as u32);
    // The centres lie so far apart that one of the two is always close to 0; rounding can't lift the sum above 1,000.
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
            let mut last = permille(-9_999, &white);
            for centigoats in -9_999..=9_999 {
                let [win, draw, loss] = permille(centigoats, &white);
                assert_eq!(win + draw + loss, 1_000, "{rules} {centigoats}");
                assert_eq!(permille(-centigoats, &black), [loss, draw, win], "{rules} {centigoats}");
                assert!(win >= last[0] && loss <= last[2], "{rules} {centigoats}");
                last = [win, draw, loss];
            }
        }
    }

    #[test]
    fn the_middle_is_drawn_and_the_ends_are_won() {
        let white = start("baghbandi", 'w');
        assert_eq!(permille(-505, &white), [0, 999, 1]);
        assert_eq!((permille(125, &white)[0], permille(-1_030, &white)[2]), (500, 500));
        assert_eq!((permille(9_999, &white), permille(-9_999, &white)), ([1_000, 0, 0], [0, 0, 1_000]));
        assert_eq!(permille(-598, &start("wikipedia", 'w')), [0, 500, 500], "fewer than seven goats lose");
    }
}
