//! The state of a GTP session, and its searches.

use crate::engine::{Engine, RootFilter};
use crate::gtp::clicks::Clicks;
use crate::gtp::clock::Clocks;
use crate::gtp::protocol::{Click, GtpError};
use crate::gtp::strength::Strength;
use crate::moves::Move;
use crate::rules::Side;
use crate::search::SearchResult;
use crate::search::control::{Control, Interrupt};
use crate::search::limits::Limits;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Instant;

/// What the commands of GTP work on.
pub(super) struct GtpSession {
    pub engine: Engine,
    pub clicks: Clicks,
    pub clocks: Clocks,
    pub strength: Strength,
    interrupt: Arc<Interrupt>,
    /// The move whose first points the last `genmove` has played; the next `genmove` of the same side plays its next one.
    planned: Option<Move>,
}

impl GtpSession {
    pub fn new(engine: Engine, strength: Strength, interrupt: Arc<Interrupt>) -> Self {
        let clicks = Clicks::new(engine.new_game());
        Self { engine, clicks, clocks: Clocks::default(), strength, interrupt, planned: None }
    }

    /// Whose turn it is.
    pub fn side(&self) -> Side {
        self.clicks.game().position().side()
    }

    /// Starts a new game.
    pub fn clear(&mut self) {
        self.clicks = Clicks::new(self.engine.new_game());
        self.engine.clear_hash();
        self.engine.make_ready();
        self.clocks.reset();
        self.planned = None;
    }

    /// Plays a click for a side.
    pub fn play(&mut self, side: Side, click: Click) -> Result<(), GtpError> {
        if side != self.side() || !self.clicks.click(click) {
            return Err(GtpError::IllegalMove);
        }
        if self.clicks.path().is_empty() {
            self.planned = None;
        }
        Ok(())
    }

    /// Plays several clicks, or none if one of them is illegal.
    pub fn play_sequence(&mut self, clicks: &[(Side, Click)]) -> Result<(), GtpError> {
        for (number, (side, click)) in clicks.iter().enumerate() {
            if let Err(error) = self.play(*side, *click) {
                self.undo(number)?;
                return Err(error);
            }
        }
        Ok(())
    }

    /// Takes back `count` clicks, or none if there are fewer.
    pub fn undo(&mut self, count: usize) -> Result<(), GtpError> {
        if count > self.clicks.count() {
            return Err(GtpError::CannotUndo);
        }
        for _ in 0..count {
            self.clicks.undo();
        }
        self.planned = None;
        Ok(())
    }

    /// Chooses the next click for the side to move and plays it; `None` once the game is over.
    pub fn generate_move(&mut self) -> Option<Click> {
        let began = Instant::now();
        let side = self.side();
        let mv = self.choose_move()?;
        let click = self.clicks.next_click(mv);
        self.planned = Some(mv);
        self.clocks.spend(side, began.elapsed());
        // The move comes from the rules, so its next click is legal.
        self.play(side, click).ok()?;
        Some(click)
    }

    /// The move to play among those that begin with the points clicked; `None` once the game is over.
    pub fn choose_move(&self) -> Option<Move> {
        let candidates = self.clicks.candidates();
        let is_begun = !self.clicks.path().is_empty();
        if let Some(planned) = self.planned.filter(|mv| is_begun && candidates.contains(mv)) {
            return Some(planned);
        }
        let any = candidates.first().copied()?;
        if candidates.len() == 1 {
            return Some(any);
        }
        let limits = self.strength.limits(self.clocks.for_search(self.side()));
        self.search(limits, 1).and_then(|answer| answer.best()).or(Some(any))
    }

    /// Searches the moves that begin with the points clicked, for `lines` best lines. `None` if the search panics.
    pub fn search(&self, mut limits: Limits, lines: usize) -> Option<SearchResult> {
        if !self.clicks.path().is_empty() {
            limits.root_moves = self.clicks.candidates();
        }
        let analysis = self.engine.prepare(self.clicks.game(), limits, lines, RootFilter::Always);
        let control = Arc::new(Control::default());
        self.interrupt.watch(Some(Arc::clone(&control)));
        let answer = catch_unwind(AssertUnwindSafe(|| analysis.run(&control, |_| {})));
        self.interrupt.watch(None);
        answer.map_err(|_| log::error!("the search has failed")).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn session() -> GtpSession {
        let strength = Strength { level: Some(1), move_time: None };
        GtpSession::new(Engine::default(), strength, Arc::new(Interrupt::default()))
    }

    #[test]
    fn a_move_is_generated_click_by_click() {
        let mut session = session();
        let planned = session.choose_move().unwrap();
        for point in planned.points() {
            assert_eq!(session.choose_move(), Some(planned));
            assert_eq!(session.generate_move(), Some(Click::Point(point)));
        }
        assert_eq!((session.clicks.game().moves(), session.side()), (&[planned][..], Side::Black));
    }

    #[test]
    fn a_move_begun_by_somebody_else_is_finished() {
        let mut session = session();
        session.play(Side::White, Click::parse("e4").unwrap()).unwrap();
        session.generate_move().unwrap();
        assert!(session.clicks.game().moves()[0].to_string().starts_with("e4"));
    }

    #[test]
    fn sequences_are_played_whole_or_not_at_all() {
        let mut session = session();
        let clicks = |words: &str| -> Vec<(Side, Click)> {
            words.split(' ').map(|word| (Side::White, Click::parse(word).unwrap())).collect()
        };
        assert_eq!(session.play_sequence(&clicks("C2 B2 C4")), Err(GtpError::IllegalMove));
        assert_eq!(session.clicks.count(), 0);
        assert_eq!(session.play_sequence(&clicks("C2 B2")), Ok(()));
        assert_eq!(session.undo(3), Err(GtpError::CannotUndo));
        assert_eq!((session.clicks.count(), session.undo(2), session.clicks.count()), (2, Ok(()), 0));
    }
}
