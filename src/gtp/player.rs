//! The state that commands work on, and the thinking.

use crate::engine::Engine;
use crate::gtp::clicks::Clicks;
use crate::gtp::clock::Clocks;
use crate::gtp::protocol::{Click, Failure};
use crate::gtp::strength::Strength;
use crate::moves::Move;
use crate::rules::Side;
use crate::search::control::Control;
use crate::search::limits::Limits;
use crate::search::{SearchResult, SearchSettings, search};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

/// The switch of the search that runs, if one does; for the thread that reads.
#[derive(Debug, Default)]
pub(super) struct Interrupt(Mutex<Option<Arc<Control>>>);

impl Interrupt {
    /// Ends the search that runs.
    pub fn stop(&self) {
        if let Some(control) = self.0.lock().unwrap_or_else(PoisonError::into_inner).as_ref() {
            control.stop();
        }
    }

    fn watch(&self, control: Option<Arc<Control>>) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = control;
    }
}

/// A player of GTP: a game, an engine, a clock.
pub(super) struct Player {
    pub engine: Engine,
    pub clicks: Clicks,
    pub clocks: Clocks,
    pub strength: Strength,
    interrupt: Arc<Interrupt>,
    /// The move that the last `genmove` has begun and the next one of the same side goes on with.
    plan: Option<Move>,
}

impl Player {
    pub fn new(engine: Engine, strength: Strength, interrupt: Arc<Interrupt>) -> Self {
        let clicks = Clicks::new(engine.new_game());
        Self { engine, clicks, clocks: Clocks::default(), strength, interrupt, plan: None }
    }

    /// Whose turn it is.
    pub fn side(&self) -> Side {
        self.clicks.game().position().side()
    }

    /// Sets up the start.
    pub fn clear(&mut self) {
        self.clicks = Clicks::new(self.engine.new_game());
        self.engine.forget();
        self.clocks.reset();
        self.plan = None;
    }

    /// Plays a click for a side.
    pub fn play(&mut self, side: Side, click: Click) -> Result<(), Failure> {
        if side != self.side() || !self.clicks.click(click) {
            return Err(Failure::IllegalMove);
        }
        if self.clicks.path().is_empty() {
            self.plan = None;
        }
        Ok(())
    }

    /// Plays several clicks, or none if one of them is illegal.
    pub fn play_all(&mut self, clicks: &[(Side, Click)]) -> Result<(), Failure> {
        for (number, (side, click)) in clicks.iter().enumerate() {
            if let Err(failure) = self.play(*side, *click) {
                self.undo(number)?;
                return Err(failure);
            }
        }
        Ok(())
    }

    /// Takes so many clicks back, or none if there are fewer.
    pub fn undo(&mut self, count: usize) -> Result<(), Failure> {
        if count > self.clicks.count() {
            return Err(Failure::CannotUndo);
        }
        for _ in 0..count {
            self.clicks.undo();
        }
        self.plan = None;
        Ok(())
    }

    /// Chooses the next click for the side to move and plays it; `None` once the game is over.
    pub fn move_on(&mut self) -> Option<Click> {
        let began = Instant::now();
        let side = self.side();
        let mv = self.choose()?;
        let click = self.clicks.next_towards(mv);
        self.plan = Some(mv);
        self.clocks.spend(side, began.elapsed());
        // The move comes from the rules, so its next click is legal.
        self.play(side, click).ok()?;
        Some(click)
    }

    /// The move to play, one of those that begin with what was clicked; `None` once the game is over.
    pub fn choose(&self) -> Option<Move> {
        let candidates = self.clicks.candidates();
        let is_begun = !self.clicks.path().is_empty();
        if let Some(planned) = self.plan.filter(|mv| is_begun && candidates.contains(mv)) {
            return Some(planned);
        }
        let any = candidates.first().copied()?;
        if candidates.len() == 1 {
            return Some(any);
        }
        let limits = self.strength.limits(self.clocks.for_search(self.side()));
        self.search(limits, 1).and_then(|answer| answer.best()).or(Some(any))
    }

    /// Searches the moves that begin with what was clicked, for so many lines. `None` should the search itself fail.
    pub fn search(&self, mut limits: Limits, lines: usize) -> Option<SearchResult> {
        if !self.clicks.path().is_empty() {
            limits.root_moves = self.clicks.candidates();
        }
        if lines == 1 {
            self.engine.filter_root_moves(self.clicks.game().position(), &mut limits);
        }
        let settings = SearchSettings { multi_pv: lines, ..self.engine.settings() };
        let (game, table, control) = (self.clicks.game(), self.engine.table(), Arc::new(Control::default()));
        self.interrupt.watch(Some(Arc::clone(&control)));
        let answer = catch_unwind(AssertUnwindSafe(|| search(game, &limits, &settings, &table, &control, |_| {})));
        self.interrupt.watch(None);
        answer.map_err(|_| log::error!("the search has failed")).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn player() -> Player {
        let strength = Strength { level: Some(1), move_time: None };
        Player::new(Engine::default(), strength, Arc::new(Interrupt::default()))
    }

    #[test]
    fn a_move_is_generated_click_by_click() {
        let mut player = player();
        let planned = player.choose().unwrap();
        for point in planned.points() {
            assert_eq!(player.choose(), Some(planned));
            assert_eq!(player.move_on(), Some(Click::Point(point)));
        }
        assert_eq!((player.clicks.game().moves(), player.side()), (&[planned][..], Side::Black));
    }

    #[test]
    fn a_move_begun_by_somebody_else_is_finished() {
        let mut player = player();
        player.play(Side::White, Click::parse("e4").unwrap()).unwrap();
        player.move_on().unwrap();
        assert!(player.clicks.game().moves()[0].to_string().starts_with("e4"));
    }

    #[test]
    fn sequences_are_played_whole_or_not_at_all() {
        let mut player = player();
        let clicks = |words: &str| -> Vec<(Side, Click)> {
            words.split(' ').map(|word| (Side::White, Click::parse(word).unwrap())).collect()
        };
        assert_eq!(player.play_all(&clicks("C2 B2 C4")), Err(Failure::IllegalMove));
        assert_eq!(player.clicks.count(), 0);
        assert_eq!(player.play_all(&clicks("C2 B2")), Ok(()));
        assert_eq!(player.undo(3), Err(Failure::CannotUndo));
        assert_eq!((player.clicks.count(), player.undo(2), player.clicks.count()), (2, Ok(()), 0));
    }
}
