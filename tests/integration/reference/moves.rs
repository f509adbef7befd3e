//! The legal moves and what they change.

use super::board::{POINTS, joined, jumps, neighbours, point_name};
use super::position::{Side, State};

/// A move as the points it touches: where it starts, and every point where it lands.
type Path = Vec<usize>;

impl State {
    /// The legal moves as text, sorted: points in a row (`c2b2`, `b3b1`, `c1c3a5`), every path its own move. None where
    /// the game is over.
    pub fn legal_moves(&self) -> Vec<String> {
        let mut texts: Vec<String> = self.paths().iter().map(|path| path_text(path)).collect();
        texts.sort();
        texts
    }

    /// The position after a legal move. Panics on any other text.
    pub fn play(&self, mv: &str) -> State {
        for path in self.paths() {
            if path_text(&path) == mv {
                return self.after(&path);
            }
        }
        panic!("{mv:?} is not legal in {}", self.to_fen());
    }

    /// All positions one move away, one for each legal move (so the same position may appear more than once).
    pub fn children(&self) -> Vec<State> {
        self.paths().iter().map(|path| self.after(path)).collect()
    }

    /// Whether a legal move is a capture. Panics where it isn't legal.
    pub fn is_capture(&self, mv: &str) -> bool {
        self.play(mv).goats() < self.goats()
    }

    /// The legal moves, in no particular order.
    pub(super) fn paths(&self) -> Vec<Path> {
        if self.too_few_goats() {
            return Vec::new();
        }
        match self.side {
            Side::White => self.goat_steps(),
            Side::Black => {
                let steps = self.tiger_steps();
                let captures = self.captures();
                if self.rules.longest && !captures.is_empty() {
                    let most = captures.iter().map(Vec::len).max();
                    captures.into_iter().filter(|path| Some(path.len()) == most).collect()
                } else {
                    steps.into_iter().chain(captures).collect()
                }
            }
        }
    }

    fn goat_steps(&self) -> Vec<Path> {
        let mut found = Vec::new();
        for from in 0..POINTS {
            if self.heights[from] > 0 {
                for &to in neighbours(from) {
                    if self.is_empty(to) {
                        found.push(vec![from, to]);
                    }
                }
            }
        }
        found
    }

    fn tiger_steps(&self) -> Vec<Path> {
        let mut found = Vec::new();
        for from in self.tigers {
            for &to in neighbours(from) {
                if self.is_empty(to) {
                    found.push(vec![from, to]);
                }
            }
        }
        found
    }

    /// All captures, the ones that stop early too. Longest captures are picked elsewhere.
    fn captures(&self) -> Vec<Path> {
        let mut found = Vec::new();
        let [first, second] = self.tigers;
        self.jump_on(self.heights, second, &[first], &[], &mut found);
        self.jump_on(self.heights, first, &[second], &[], &mut found);
        found
    }

    /// Adds every capture that begins with `path` and goes at least one jump further. `heights` is the board after the
    /// jumps so far, `other` the tiger that stays, `jumped` the points jumped over so far.
    fn jump_on(&self, heights: [u8; POINTS], other: usize, path: &[usize], jumped: &[usize], found: &mut Vec<Path>) {
        let here = path[path.len() - 1];
        for &(over, landing) in jumps(here) {
            let landing_is_empty = heights[landing] == 0 && landing != other;
            if heights[over] == 0 || jumped.contains(&over) || !landing_is_empty {
                continue;
            }
            let over_herd = heights[over] >= 2;
            let mut heights = heights;
            heights[over] -= 1;
            let mut path = path.to_vec();
            path.push(landing);
            let mut jumped = jumped.to_vec();
            jumped.push(over);
            found.push(path.clone());
            if self.rules.chain && (self.rules.chain_after_herd || !over_herd) {
                self.jump_on(heights, other, &path, &jumped, found);
            }
        }
    }

    /// The position after a legal path.
    fn after(&self, path: &[usize]) -> State {
        let mut next = self.clone();
        let from = path[0];
        let to = path[path.len() - 1];
        next.quiet += 1;
        match self.side {
            Side::White => {
                if self.heights[from] >= 2 {
                    next.quiet = 0;
                }
                next.heights[from] -= 1;
                next.heights[to] = 1;
                next.side = Side::Black;
            }
            Side::Black => {
                for leg in path.windows(2) {
                    if !joined(leg[0], leg[1]) {
                        let over = jumps(leg[0]).iter().find(|&&(_, landing)| landing == leg[1]).expect("a jump").0;
                        next.heights[over] -= 1;
                        next.quiet = 0;
                    }
                }
                let stays = if self.tigers[0] == from { self.tigers[1] } else { self.tigers[0] };
                next.tigers = [stays.min(to), stays.max(to)];
                next.side = Side::White;
                next.number += 1;
            }
        }
        next
    }
}

/// A path as the text of a move.
fn path_text(path: &[usize]) -> String {
    path.iter().map(|&point| point_name(point)).collect()
}
