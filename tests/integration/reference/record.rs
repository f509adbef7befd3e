//! Game records.

use super::position::State;

impl State {
    /// The legal moves that a move of a game record fits: `e5` (any plain move that ends there), `c2-b2`, `c1xc3xa5`.
    /// One for a good record, none for an illegal move or unknown text, more where the record isn't clear.
    pub fn record_fits(&self, text: &str) -> Vec<String> {
        self.legal_moves()
            .into_iter()
            .filter(|mv| {
                if self.is_capture(mv) {
                    points_of(mv).join("x") == text
                } else {
                    points_of(mv).join("-") == text || mv[2..] == *text
                }
            })
            .collect()
    }

    /// A legal move as a game record writes it: a plain move by its destination where only one piece can go there,
    /// otherwise `from-to`; a capture with all its points. Panics where the move isn't legal.
    pub fn record_text(&self, mv: &str) -> String {
        if self.is_capture(mv) {
            return points_of(mv).join("x");
        }
        let to = &mv[2..];
        if self.record_fits(to).len() == 1 { to.to_string() } else { points_of(mv).join("-") }
    }
}

/// The names of the points in the text of a move.
fn points_of(mv: &str) -> Vec<&str> {
    (0..mv.len() / 2).map(|i| &mv[2 * i..2 * i + 2]).collect()
}
