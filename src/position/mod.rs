//! A position: a small `Copy` value that is valid from the moment it exists.
//!
//! It comes from [`Position::start`] or, checked, from a [`Setup`]; from then on [`Position::play`] is the only way to
//! change it, and keeps the hash key.

mod movegen;
pub mod perft;
mod zobrist;

pub use zobrist::Key;

use crate::board::{Point, PointSet};
use crate::moves::Move;
use crate::rules::{GOATS, HERD, HERDS, RuleSet, Side};
use std::fmt;

/// Upper bound of the counter of quiet plies; it stays there.
pub const MAX_QUIET_PLIES: u16 = 30_000;
/// Upper bound of the move number; it stays there.
pub const MAX_MOVE_NUMBER: u32 = 1_000_000;

/// The goats below the top one of each herd: 0 to 4 goats, in four bits a herd.
#[derive(Copy, Clone, PartialEq, Eq, Default)]
struct Herds(u16);

impl Herds {
    /// Goats of a herd below the top one; 0 for a point that never had a herd (index `HERDS`).
    #[inline]
    const fn below(self, herd: u8) -> u32 {
        (self.0 as u32) >> (4 * herd) & 0xF
    }

    /// The herds with one goat fewer in this one, which must have one below the top one.
    #[inline]
    const fn shrunk(self, herd: u8) -> Self {
        Self(self.0 - (1 << (4 * herd)))
    }

    /// Sum over the herds.
    #[inline]
    const fn total(self) -> u32 {
        let pairs = (self.0 & 0x0F0F) + (self.0 >> 4 & 0x0F0F);
        (pairs & 0xFF) as u32 + (pairs >> 8) as u32
    }
}

/// A position together with the rules it is played by, the counters of its text, and its hash key.
///
/// `==` compares all of it; [`Position::key`] stands for the board, the herds and the side to move alone.
#[derive(Copy, Clone, PartialEq, Eq)]
pub struct Position {
    rules: &'static RuleSet,
    key: Key,
    goats: PointSet,
    tigers: PointSet,
    herds: Herds,
    quiet_plies: u16,
    move_number: u32,
    side: Side,
}

/// An unchecked position, as a text or a caller describes it.
#[derive(Clone, Debug)]
pub struct Setup {
    /// Number of goats on each point, by index.
    pub goats: [u32; Point::COUNT],
    /// The points with tigers.
    pub tigers: PointSet,
    /// Side to move.
    pub side: Side,
    /// Plies since the last capture or goat leaving a herd; 0 to [`MAX_QUIET_PLIES`].
    pub quiet: u16,
    /// Move number, which grows by one after each move of Black; 1 to [`MAX_MOVE_NUMBER`].
    pub number: u32,
}

/// Why a [`Setup`] is no position.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum SetupError {
    /// Not two tigers but this many.
    Tigers(u32),
    /// More than 20 goats: this many.
    Goats(u32),
    /// Goats and a tiger on one point.
    Shared(Point),
    /// More than five goats on a point.
    Height(Point, u32),
    /// Two or more goats on a point that has no herd in these rules.
    Herd(Point, u32),
    /// A counter out of its range.
    Counter,
}

impl SetupError {
    /// The point that is at fault, where one is.
    pub const fn point(self) -> Option<Point> {
        match self {
            Self::Shared(point) | Self::Height(point, _) | Self::Herd(point, _) => Some(point),
            Self::Tigers(_) | Self::Goats(_) | Self::Counter => None,
        }
    }

    /// What was found, ready to print.
    pub fn found(self) -> String {
        match self {
            Self::Tigers(found) => format!("{found} tigers"),
            Self::Goats(found) => format!("{found} goats"),
            Self::Shared(point) => format!("goats and a tiger on {point}"),
            Self::Height(point, found) | Self::Herd(point, found) => format!("{found} goats on {point}"),
            Self::Counter => "a counter out of range".to_owned(),
        }
    }

    /// What was expected, ready to print.
    pub fn expected(self) -> String {
        match self {
            Self::Tigers(_) => "exactly 2".to_owned(),
            Self::Goats(_) => format!("at most {GOATS}"),
            Self::Shared(_) => "one of them".to_owned(),
            Self::Height(..) => format!("at most {HERD}"),
            Self::Herd(..) => "at most 1: no herd stands there in these rules".to_owned(),
            Self::Counter => format!("at most {MAX_QUIET_PLIES} quiet plies, and a move from 1 to {MAX_MOVE_NUMBER}"),
        }
    }
}

impl fmt::Display for SetupError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "found {}, expected {}", self.found(), self.expected())
    }
}

impl std::error::Error for SetupError {}

/// How a position ends the game by itself. Draws need the game's history: see [`crate::game`].
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Ending {
    /// Black has won: no goat is left, or too few to immobilise the tigers where the rules say so.
    GoatsTaken,
    /// White has won: Black is to move and can't.
    Immobilised,
}

impl Ending {
    /// Who has won.
    pub const fn winner(self) -> Side {
        match self {
            Self::GoatsTaken => Side::Black,
            Self::Immobilised => Side::White,
        }
    }
}

impl Position {
    /// The start of a rule set.
    pub fn start(rules: &'static RuleSet) -> Self {
        let mut position = Self {
            rules,
            key: Key::default(),
            goats: rules.start.herd_points(),
            tigers: rules.start.tigers,
            herds: Herds(0x4444),
            quiet_plies: 0,
            move_number: 1,
            side: Side::White,
        };
        position.key = position.computed_key();
        position
    }

    /// The position of a setup.
    ///
    /// # Errors
    /// Says the first thing that no position of these rules has.
    pub fn new(rules: &'static RuleSet, setup: &Setup) -> Result<Self, SetupError> {
        let mut goats = PointSet::EMPTY;
        let mut herds = Herds::default();
        for (point, &height) in Point::all().zip(&setup.goats).filter(|(_, height)| **height > 0) {
            let herd = rules.start.herd_on[point];
            if setup.tigers.has(point) {
                return Err(SetupError::Shared(point));
            }
            if height > 1 && herd as usize >= HERDS {
                return Err(SetupError::Herd(point, height));
            }
            if height > HERD {
                return Err(SetupError::Height(point, height));
            }
            goats = goats.with(point);
            if height > 1 {
                herds.0 |= ((height - 1) as u16) << (4 * herd);
            }
        }
        if setup.tigers.len() != 2 {
            return Err(SetupError::Tigers(setup.tigers.len()));
        }
        if setup.quiet > MAX_QUIET_PLIES || !(1..=MAX_MOVE_NUMBER).contains(&setup.number) {
            return Err(SetupError::Counter);
        }
        let mut position = Self {
            rules,
            key: Key::default(),
            goats,
            tigers: setup.tigers,
            herds,
            quiet_plies: setup.quiet,
            move_number: setup.number,
            side: setup.side,
        };
        if position.goats_alive() > GOATS {
            return Err(SetupError::Goats(position.goats_alive()));
        }
        position.key = position.computed_key();
        Ok(position)
    }

    /// The position as if the game began with it: no quiet plies, move 1.
    pub const fn without_counters(self) -> Self {
        Self { quiet_plies: 0, move_number: 1, ..self }
    }

    /// The rules it is played by.
    #[inline]
    pub const fn rules(&self) -> &'static RuleSet {
        self.rules
    }

    /// The points with goats.
    #[inline]
    pub const fn goats(&self) -> PointSet {
        self.goats
    }

    /// The points with tigers; always two.
    #[inline]
    pub const fn tigers(&self) -> PointSet {
        self.tigers
    }

    /// The two tigers, the one on the lower point first.
    #[inline]
    pub const fn tiger_pair(&self) -> [Point; 2] {
        [self.tigers.lowest(), self.tigers.highest()]
    }

    /// The points with nothing on them; always one at least.
    #[inline]
    pub fn free(&self) -> PointSet {
        !(self.goats | self.tigers)
    }

    /// Side to move.
    #[inline]
    pub const fn side(&self) -> Side {
        self.side
    }

    /// Plies since the last capture or goat leaving a herd.
    #[inline]
    pub const fn quiet_plies(&self) -> u32 {
        self.quiet_plies as u32
    }

    /// Move number: 1 at the start, one more after each move of Black.
    pub const fn move_number(&self) -> u32 {
        self.move_number
    }

    /// Number of goats on a point, 0 to 5.
    pub fn height(&self, point: Point) -> u32 {
        if self.goats.has(point) { 1 + self.goats_below_on(point) } else { 0 }
    }

    /// Goats on a point below the top one.
    #[inline]
    pub fn goats_below_on(&self, point: Point) -> u32 {
        self.herds.below(self.rules.start.herd_on[point])
    }

    /// Goats alive, 0 to 20.
    #[inline]
    pub const fn goats_alive(&self) -> u32 {
        self.goats.len() + self.herds.total()
    }

    /// Goats that stand in herds below another goat and so can't move or be taken yet, 0 to 16.
    #[inline]
    pub const fn goats_below(&self) -> u32 {
        self.herds.total()
    }

    /// The points with a herd: two goats or more.
    pub fn herd_points(&self) -> PointSet {
        self.rules.start.herds.into_iter().filter(|point| self.goats_below_on(*point) > 0).collect()
    }

    /// Hash key of the board, the herds and the side to move; different for any two positions of a rule set.
    #[inline]
    pub const fn key(&self) -> Key {
        self.key
    }

    /// The key worked out from nothing; always equal to [`Position::key`].
    pub fn computed_key(&self) -> Key {
        let goats = self.goats.into_iter().fold(Key::default(), Key::toggle_goat);
        let tigers = self.tigers.into_iter().fold(goats, Key::toggle_tiger);
        let herds = (0..HERDS as u8).fold(tigers, |key, herd| key.toggle_herd(herd, self.herds.below(herd)));
        if self.side == Side::Black { herds.toggle_side() } else { herds }
    }

    /// How the game has ended here, if it has.
    pub fn ending(&self) -> Option<Ending> {
        if self.has_too_few_goats() {
            Some(Ending::GoatsTaken)
        } else if self.side == Side::Black && !self.tigers_can_move() {
            Some(Ending::Immobilised)
        } else {
            None
        }
    }

    /// The position after a move, which must be legal here.
    ///
    /// With any other move the result is a valid value of no meaning.
    #[inline]
    pub fn play(&self, mv: Move) -> Self {
        match self.side {
            Side::White => self.play_goat(mv),
            Side::Black => self.play_tiger(mv),
        }
    }

    fn play_goat(&self, mv: Move) -> Self {
        let (from, to) = (mv.from(), mv.to());
        let mut next = *self;
        next.quiet_plies = if next.take_goat(from) { 0 } else { self.next_quiet_plies() };
        next.goats = next.goats.with(to);
        next.key = next.key.toggle_goat(to).toggle_side();
        next.side = Side::Black;
        next
    }

    fn play_tiger(&self, mv: Move) -> Self {
        let (from, to) = (mv.from(), mv.to());
        let mut next = *self;
        next.tigers = self.tigers.without(from).with(to);
        next.key = self.key.toggle_tiger(from).toggle_tiger(to).toggle_side();
        next.quiet_plies = self.next_quiet_plies();
        if mv.is_capture() {
            next.quiet_plies = 0;
            for jump in mv.path() {
                next.take_goat(jump.over);
            }
        }
        next.move_number = (self.move_number + 1).min(MAX_MOVE_NUMBER);
        next.side = Side::White;
        next
    }

    /// The counter after one more quiet ply.
    const fn next_quiet_plies(&self) -> u16 {
        if self.quiet_plies < MAX_QUIET_PLIES { self.quiet_plies + 1 } else { self.quiet_plies }
    }

    /// Takes the top goat off a point; true if it stood on a herd.
    #[inline]
    fn take_goat(&mut self, point: Point) -> bool {
        let herd = self.rules.start.herd_on[point];
        let below = self.herds.below(herd);
        if below > 0 {
            self.key = self.key.toggle_herd(herd, below).toggle_herd(herd, below - 1);
            self.herds = self.herds.shrunk(herd);
        } else {
            self.key = self.key.toggle_goat(point);
            self.goats = self.goats.without(point);
        }
        below > 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_start_has_twenty_goats_and_two_tigers() {
        for rules in RuleSet::all() {
            let start = Position::start(rules);
            assert_eq!((start.goats_alive(), start.tigers().len(), start.goats_below()), (20, 2, 16));
            assert_eq!(start.herd_points().len(), 4);
            assert_eq!(start.key(), start.computed_key());
        }
    }

    #[test]
    fn a_setup_is_checked() {
        let rules = RuleSet::standard();
        let named = |name| Point::named(name);
        let good = Setup {
            goats: [0; 25],
            tigers: named(b"a1").set().with(named(b"e5")),
            side: Side::White,
            quiet: 0,
            number: 1,
        };
        let with = |point: Point, height| {
            let mut setup = good.clone();
            setup.goats[point.index()] = height;
            Position::new(rules, &setup).err()
        };
        assert_eq!(with(named(b"b2"), 1), None);
        assert_eq!(with(named(b"c2"), 5), None);
        assert_eq!(with(named(b"c2"), 6), Some(SetupError::Height(named(b"c2"), 6)));
        assert_eq!(with(named(b"b2"), 2), Some(SetupError::Herd(named(b"b2"), 2)));
        assert_eq!(with(named(b"a1"), 1), Some(SetupError::Shared(named(b"a1"))));
        let one_tiger = Setup { tigers: named(b"a1").set(), ..good.clone() };
        assert_eq!(Position::new(rules, &one_tiger), Err(SetupError::Tigers(1)));
        let mut crowd = good.clone();
        crowd.goats[2..=20].fill(1);
        crowd.goats[named(b"c2").index()] = 3;
        assert_eq!(Position::new(rules, &crowd), Err(SetupError::Goats(21)));
        assert_eq!(Position::new(rules, &Setup { number: 0, ..good }), Err(SetupError::Counter));
    }
}
