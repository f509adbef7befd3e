//! The legal moves: goats and tigers by sets of points, chains by walking them.
//!
//! The order is fixed (captures before steps, tiger by tiger and direction by direction; steps by origin, then
//! destination), so that a move's index in it can stand for the move.

use crate::board::{JUMPS, LANDINGS, Point, PointSet, STEPS, count_steps};
use crate::moves::Move;
use crate::position::Position;
use crate::rules::{Capture, Chain, Side};

impl Position {
    /// Calls `visit` with every legal move; never if the game has ended here.
    #[inline]
    pub fn for_each_move(&self, mut visit: impl FnMut(Move)) {
        if self.has_too_few_goats() {
            return;
        }
        match self.side {
            Side::White => self.goat_moves(&mut visit),
            Side::Black => self.tiger_moves(&mut visit),
        }
    }

    /// All legal moves; well over 400 where chains branch, none if the game has ended here.
    pub fn legal_moves(&self) -> Vec<Move> {
        let mut moves = Vec::with_capacity(48);
        self.for_each_move(|mv| moves.push(mv));
        moves
    }

    /// Whether a move is legal here.
    pub fn is_legal(&self, mv: Move) -> bool {
        let mut found = false;
        self.for_each_move(|legal| found |= legal == mv);
        found
    }

    /// Number of legal moves; without listing them unless tigers can capture.
    #[inline]
    pub fn count_moves(&self) -> u64 {
        if self.has_too_few_goats() {
            return 0;
        }
        match self.side {
            Side::White => u64::from(count_steps(self.goats, self.free())),
            Side::Black => self.count_tiger_moves(),
        }
    }

    /// Whether Black has won because fewer goats live than the rules demand.
    #[inline]
    pub(super) const fn has_too_few_goats(&self) -> bool {
        // Points with goats are a lower bound that settles nearly every case.
        self.goats.len() < self.rules.goats_to_live && self.goats_alive() < self.rules.goats_to_live
    }

    /// Whether a tiger can step or jump, whoever is to move.
    pub fn tigers_can_move(&self) -> bool {
        !(self.tigers.neighbours() & self.free()).is_empty() || self.has_capture()
    }

    /// Whether a tiger has a goat to jump, whoever is to move.
    #[inline]
    pub fn has_capture(&self) -> bool {
        let free = self.free();
        self.tigers.into_iter().any(|tiger| has_jump(tiger, self.goats, free))
    }

    /// The points that a tiger can jump over first, whoever is to move.
    #[inline]
    pub fn prey_of(&self, tiger: Point) -> PointSet {
        let landings = LANDINGS[tiger] & self.free();
        landings.into_iter().map(|to| tiger.midpoint(to)).filter(|over| self.goats.has(*over)).collect()
    }

    /// Calls `visit` with every legal capture of Black, who must be to move.
    pub fn for_each_capture(&self, mut visit: impl FnMut(Move)) {
        if !self.has_too_few_goats() {
            self.captures(&mut visit);
        }
    }

    #[inline]
    fn goat_moves(&self, visit: &mut impl FnMut(Move)) {
        let free = self.free();
        for goat in self.goats {
            for to in STEPS[goat] & free {
                visit(Move::step(goat, to));
            }
        }
    }

    fn tiger_moves(&self, visit: &mut impl FnMut(Move)) {
        let has_captured = self.captures(visit);
        if has_captured && self.rules.capture == Capture::Longest {
            return;
        }
        let free = self.free();
        for tiger in self.tigers {
            for to in STEPS[tiger] & free {
                visit(Move::step(tiger, to));
            }
        }
    }

    /// Visits the captures that the rules allow; false if there is none.
    fn captures(&self, visit: &mut impl FnMut(Move)) -> bool {
        if !self.has_capture() {
            return false;
        }
        match self.rules.capture {
            Capture::Optional => self.chains(visit),
            Capture::Longest => {
                let mut longest = 0;
                self.chains(&mut |mv| longest = longest.max(mv.jumps()));
                self.chains(&mut |mv| {
                    if mv.jumps() == longest {
                        visit(mv);
                    }
                });
            }
        }
        true
    }

    /// Visits every chain of jumps of either tiger, each beginning of a chain included.
    #[inline]
    fn chains(&self, visit: &mut impl FnMut(Move)) {
        for tiger in self.tigers {
            let free = self.free().with(tiger);
            self.extend_chain(Move::chain(tiger), self.goats, free, visit);
        }
    }

    /// Visits the chains that go on from `chain` over points of `goats`, those not yet jumped in this move.
    fn extend_chain(&self, chain: Move, goats: PointSet, free: PointSet, visit: &mut impl FnMut(Move)) {
        let at = chain.to();
        if (STEPS[at] & goats).is_empty() {
            return;
        }
        for jump in JUMPS[at].iter() {
            if goats.has(jump.over) && free.has(jump.to) {
                let longer = chain.then(jump);
                visit(longer);
                if self.may_continue_after(jump.over) {
                    self.extend_chain(longer, goats.without(jump.over), free, visit);
                }
            }
        }
    }

    /// Whether a chain may go on after the jump over this point.
    #[inline]
    fn may_continue_after(&self, over: Point) -> bool {
        match self.rules.chain {
            Chain::Single => false,
            Chain::UntilHerd => self.goats_below_on(over) == 0,
            Chain::Free => true,
        }
    }

    fn count_tiger_moves(&self) -> u64 {
        if self.has_capture() {
            let mut count = 0;
            self.tiger_moves(&mut |_| count += 1);
            return count;
        }
        let free = self.free();
        self.tigers.into_iter().map(|tiger| u64::from((STEPS[tiger] & free).len())).sum()
    }
}

/// Whether a tiger on `at` can jump over one of `goats` to one of `free`.
#[inline]
fn has_jump(at: Point, goats: PointSet, free: PointSet) -> bool {
    (LANDINGS[at] & free).into_iter().any(|to| goats.has(at.midpoint(to)))
}
