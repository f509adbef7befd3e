//! The plain reference of the rules: what every faster program is compared with.
//!
//! Written from `rules.md` alone, as plainly as possible and without regard to speed: an array of 25 heights, two
//! tiger points, lists of neighbours made from the words of the rules. It shares no code with the engine. Text goes in
//! and text comes out (`contract.md`: position text and moves), so that it can be compared with any program.

// Each test that includes this file uses a part of it.
#![allow(dead_code)]

use std::sync::OnceLock;

// ---------------------------------------------------------------------------------------------------------------------
// The rule sets
// ---------------------------------------------------------------------------------------------------------------------

/// The names of the seven rule sets (`UCI_Variant`), in the order of the table in `rules.md`.
pub const RULE_SETS: [&str; 7] =
    ["baghbandi", "moderno", "super", "baghguti", "baghguti-murray", "wikipedia", "wikipedia-multi"];

const BAGH_BANDI: &str = "5/2E1E/1t1t1/2E1E/5 w 0 1";
const BAGH_GUTI: &str = "2t2/1E1E1/5/1E1E1/2t2 w 0 1";
const MURRAY: &str = "2t2/1E1E1/2t2/1E1E1/5 w 0 1";

/// One row of the table of rule sets.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Rules {
    /// The name, one of [`RULE_SETS`].
    pub name: &'static str,
    /// The start position.
    pub start: &'static str,
    /// A tiger may capture several times in one move.
    pub chain: bool,
    /// A chain goes on after a jump over a herd. Without it such a jump ends the move.
    pub chain_after_herd: bool,
    /// Capturing is obligatory, and only captures of the most goats possible are legal.
    pub longest: bool,
    /// The tigers win as soon as fewer goats than this live: 1 or 7.
    pub fewest_goats: u32,
    /// The result is worth points.
    pub scored: bool,
}

const fn row(
    name: &'static str,
    start: &'static str,
    chain: bool,
    chain_after_herd: bool,
    longest: bool,
    fewest_goats: u32,
) -> Rules {
    Rules {
        name,
        start,
        chain,
        chain_after_herd,
        longest,
        fewest_goats,
        scored: longest, // the two rule sets with obligatory captures are the two that are scored
    }
}

static TABLE: [Rules; 7] = [
    //                                   chain  herd   longest fewest
    row("baghbandi", BAGH_BANDI, true, false, false, 1),
    row("moderno", BAGH_BANDI, true, false, true, 1),
    row("super", BAGH_BANDI, true, true, true, 1),
    row("baghguti", BAGH_GUTI, true, false, false, 1),
    row("baghguti-murray", MURRAY, true, false, false, 1),
    row("wikipedia", BAGH_BANDI, false, false, false, 7),
    row("wikipedia-multi", BAGH_BANDI, true, true, false, 7),
];

/// The row of a rule set. Panics on an unknown name.
pub fn rules(name: &str) -> &'static Rules {
    TABLE.iter().find(|rules| rules.name == name).unwrap_or_else(|| panic!("unknown rule set {name:?}"))
}

/// The start position of a rule set as text, with both counters. Panics on an unknown name.
pub fn start_fen(name: &str) -> &'static str {
    rules(name).start
}

// ---------------------------------------------------------------------------------------------------------------------
// The board: points are numbered 0 to 24, a1 = 0, b1 = 1, ... a2 = 5, ... e5 = 24
// ---------------------------------------------------------------------------------------------------------------------

/// The number of points.
pub const POINTS: usize = 25;

/// The file of a point, 1 (a) to 5 (e).
pub fn file(point: usize) -> i32 {
    (point % 5) as i32 + 1
}

/// The rank of a point, 1 to 5.
pub fn rank(point: usize) -> i32 {
    (point / 5) as i32 + 1
}

/// The point on a file and a rank, where there is one.
pub fn point_at(file: i32, rank: i32) -> Option<usize> {
    if (1..=5).contains(&file) && (1..=5).contains(&rank) { Some(((rank - 1) * 5 + file - 1) as usize) } else { None }
}

/// The name of a point: `a1` to `e5`.
pub fn point_name(point: usize) -> String {
    let letter = ["a", "b", "c", "d", "e"][point % 5];
    format!("{letter}{}", rank(point))
}

/// The point of a name (lower case), where it is one.
pub fn point_named(name: &str) -> Option<usize> {
    (0..POINTS).find(|&point| point_name(point) == name)
}

/// Whether a segment is drawn between two points: orthogonal neighbours always; diagonal neighbours where file and
/// rank are both odd or both even.
pub fn joined(a: usize, b: usize) -> bool {
    let files = (file(a) - file(b)).abs();
    let ranks = (rank(a) - rank(b)).abs();
    let orthogonal = files + ranks == 1;
    let diagonal = files == 1 && ranks == 1;
    let both_odd_or_both_even = file(a) % 2 == rank(a) % 2;
    orthogonal || (diagonal && both_odd_or_both_even)
}

/// The points joined to a point.
pub fn neighbours(point: usize) -> &'static [usize] {
    static LISTS: OnceLock<Vec<Vec<usize>>> = OnceLock::new();
    let lists = LISTS.get_or_init(|| (0..POINTS).map(|a| (0..POINTS).filter(|&b| joined(a, b)).collect()).collect());
    &lists[point]
}

/// The jumps from a point as (point jumped over, landing point): a straight line along two drawn segments.
pub fn jumps(point: usize) -> &'static [(usize, usize)] {
    static LISTS: OnceLock<Vec<Vec<(usize, usize)>>> = OnceLock::new();
    let lists = LISTS.get_or_init(|| {
        let mut lists = Vec::new();
        for from in 0..POINTS {
            let mut list = Vec::new();
            for &over in neighbours(from) {
                let landing_file = 2 * file(over) - file(from);
                let landing_rank = 2 * rank(over) - rank(from);
                let landing = point_at(landing_file, landing_rank);
                if let Some(landing) = landing.filter(|&landing| joined(over, landing)) {
                    list.push((over, landing));
                }
            }
            lists.push(list);
        }
        lists
    });
    &lists[point]
}

// ---------------------------------------------------------------------------------------------------------------------
// Positions
// ---------------------------------------------------------------------------------------------------------------------

/// Whose turn it is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Side {
    /// The goats.
    White,
    /// The tigers.
    Black,
}

/// How a game ended by the rules. Draws are no part of it: they need the history.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Result {
    /// The tigers can't move.
    WhiteWins,
    /// No goat is left, or too few.
    BlackWins,
}

/// What makes two positions the same one for repetition: heights of the 25 points, tigers sorted, side to move.
pub type Board = ([u8; POINTS], [usize; 2], Side);

/// A move as the points it touches: where it starts, and every point where it lands.
type Path = Vec<usize>;

/// A position of a game, with its counters.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct State {
    /// The rule set in force.
    pub rules: &'static Rules,
    /// Goats on each point, 0 to 5.
    pub heights: [u8; POINTS],
    /// The points of the two tigers, the lower number first.
    pub tigers: [usize; 2],
    /// Whose turn it is.
    pub side: Side,
    /// Plies since the last capture or the last goat that left a herd.
    pub quiet: u32,
    /// The number of the move, from 1; it grows after each of Black's moves.
    pub number: u32,
}

impl State {
    /// The start position of a rule set. Panics on an unknown name.
    pub fn start(name: &str) -> State {
        State::from_fen(name, start_fen(name))
    }

    /// Reads a position text. Panics on a bad one.
    pub fn from_fen(name: &str, fen: &str) -> State {
        match State::read_fen(name, fen) {
            Ok(state) => state,
            Err(reason) => panic!("{fen:?}: {reason}"),
        }
    }

    /// Reads a position text, or says what is wrong with it. Panics only on an unknown rule set.
    pub fn read_fen(name: &str, fen: &str) -> std::result::Result<State, String> {
        let rules = rules(name);
        let fields: Vec<&str> = fen.split_whitespace().collect();
        if fields.len() < 2 || fields.len() > 4 {
            return Err(format!("{} fields instead of 2 to 4", fields.len()));
        }

        let mut heights = [0; POINTS];
        let mut tigers = Vec::new();
        let rows: Vec<&str> = fields[0].split('/').collect();
        if rows.len() != 5 {
            return Err(format!("{} ranks instead of 5", rows.len()));
        }
        for (down, row) in rows.iter().enumerate() {
            let rank = 5 - down as i32;
            let mut file = 1;
            for letter in row.chars() {
                if let '1'..='5' = letter {
                    file += letter as i32 - '0' as i32;
                    continue;
                }
                let Some(point) = point_at(file, rank) else {
                    return Err(format!("rank {rank} is longer than 5 points"));
                };
                match letter {
                    't' => tigers.push(point),
                    'A'..='E' => heights[point] = letter as u8 - b'A' + 1,
                    _ => return Err(format!("unknown letter {letter:?}")),
                }
                file += 1;
            }
            if file != 6 {
                return Err(format!("rank {rank} has {} points", file - 1));
            }
        }
        if tigers.len() != 2 {
            return Err(format!("{} tigers instead of 2", tigers.len()));
        }
        tigers.sort();
        if heights.iter().map(|&height| u32::from(height)).sum::<u32>() > 20 {
            return Err("more than 20 goats".to_string());
        }
        let herd_points = herd_points(name);
        for (point, &height) in heights.iter().enumerate() {
            if height >= 2 && !herd_points.contains(&point) {
                return Err(format!("a herd on {}", point_name(point)));
            }
        }

        let side = match fields[1] {
            "w" => Side::White,
            "b" => Side::Black,
            other => return Err(format!("side to move {other:?}")),
        };
        let number = |index: usize, default: u32, least: u32| match fields.get(index) {
            None => Ok(default),
            Some(text) => match text.parse::<u32>() {
                Ok(number) if number >= least => Ok(number),
                _ => Err(format!("bad number {text:?}")),
            },
        };
        Ok(State {
            rules,
            heights,
            tigers: [tigers[0], tigers[1]],
            side,
            quiet: number(2, 0, 0)?,
            number: number(3, 1, 1)?,
        })
    }

    /// The position as text, with both counters.
    pub fn to_fen(&self) -> String {
        let mut rows = Vec::new();
        for rank in (1..=5).rev() {
            let mut row = String::new();
            let mut empty = 0;
            for file in 1..=5 {
                let point = point_at(file, rank).expect("a point of the board");
                if self.is_empty(point) {
                    empty += 1;
                    continue;
                }
                if empty > 0 {
                    row += &empty.to_string();
                    empty = 0;
                }
                row += if self.tigers.contains(&point) {
                    "t"
                } else {
                    ["A", "B", "C", "D", "E"][self.heights[point] as usize - 1]
                };
            }
            if empty > 0 {
                row += &empty.to_string();
            }
            rows.push(row);
        }
        let side = match self.side {
            Side::White => "w",
            Side::Black => "b",
        };
        format!("{} {side} {} {}", rows.join("/"), self.quiet, self.number)
    }

    /// The number of goats on the board, 0 to 20.
    pub fn goats(&self) -> u32 {
        self.heights.iter().map(|&height| u32::from(height)).sum()
    }

    /// The key for repetition.
    pub fn board(&self) -> Board {
        (self.heights, self.tigers, self.side)
    }

    fn is_empty(&self, point: usize) -> bool {
        self.heights[point] == 0 && !self.tigers.contains(&point)
    }

    fn too_few_goats(&self) -> bool {
        self.goats() < self.rules.fewest_goats
    }
}

/// The four points where a rule set's herds stand at the start, in ascending order.
pub fn herd_points(name: &str) -> [usize; 4] {
    match start_fen(name) {
        BAGH_BANDI => ["c2", "e2", "c4", "e4"],
        _ => ["b2", "d2", "b4", "d4"],
    }
    .map(|name| point_named(name).expect("a point of the board"))
}

// ---------------------------------------------------------------------------------------------------------------------
// Moves
// ---------------------------------------------------------------------------------------------------------------------

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
    fn paths(&self) -> Vec<Path> {
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

    /// The number of leaves `depth` plies away: 1 at depth 0. A game that ends earlier has none.
    pub fn perft(&self, depth: u32) -> u64 {
        match depth {
            0 => 1,
            1 => self.paths().len() as u64,
            _ => self.children().iter().map(|child| child.perft(depth - 1)).sum(),
        }
    }
}

/// A path as the text of a move.
fn path_text(path: &[usize]) -> String {
    path.iter().map(|&point| point_name(point)).collect()
}

// ---------------------------------------------------------------------------------------------------------------------
// The end of the game
// ---------------------------------------------------------------------------------------------------------------------

impl State {
    /// How the game ended, or nothing where it goes on. Draws are left to the caller.
    pub fn over(&self) -> Option<Result> {
        if self.too_few_goats() {
            Some(Result::BlackWins)
        } else if self.side == Side::Black && self.paths().is_empty() {
            Some(Result::WhiteWins)
        } else {
            None
        }
    }

    /// The points of a finished game of a scored rule set, seen by White: goats left minus 2, or -10. Nothing where
    /// the game goes on, or the rule set isn't scored.
    pub fn points(&self) -> Option<i32> {
        if !self.rules.scored {
            return None;
        }
        match self.over()? {
            Result::WhiteWins => Some(self.goats() as i32 - 2),
            Result::BlackWins => Some(-10),
        }
    }

    /// Whether the side to move has won a finished game. Only a position that was set up can be so: Black to move with
    /// too few goats.
    fn mover_has_won(&self, result: Result) -> bool {
        matches!((self.side, result), (Side::White, Result::WhiteWins) | (Side::Black, Result::BlackWins))
    }
}

// ---------------------------------------------------------------------------------------------------------------------
// Game records, as in seed 000
// ---------------------------------------------------------------------------------------------------------------------

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

/// The moves of a game record in the record's own writing, move numbers and semicolons taken away.
pub fn record_words(record: &str) -> Vec<&str> {
    record
        .split(|c: char| c.is_whitespace() || c == ';')
        .filter(|word| !word.is_empty() && !word.ends_with('.'))
        .collect()
}

// ---------------------------------------------------------------------------------------------------------------------
// Full-width search
// ---------------------------------------------------------------------------------------------------------------------

/// A game won at the root would be worth this; one that is won `ply` plies below it is worth `WIN - ply` to the winner
/// and `-(WIN - ply)` to the loser.
pub const WIN: i32 = 30_000;

/// The worth of a draw.
pub const DRAW: i32 = 0;

/// A full-width negamax without any pruning. All values are seen by the side to move of the position they belong to.
///
/// The order of the questions at each position: is the game over; is it a draw (not asked at the root); is the depth
/// used up.
pub struct Minimax<'a> {
    /// The worth of a position at depth 0 that is neither finished nor drawn.
    pub eval: &'a dyn Fn(&State) -> i32,
    /// The worth of a finished game, given its position and its distance from the root in plies.
    pub finished: &'a dyn Fn(&State, u32) -> i32,
    /// Whether a position is a draw, given the positions on the path from the root (first) to its parent (last).
    pub drawn: &'a dyn Fn(&State, &[Board]) -> bool,
}

impl Minimax<'_> {
    /// The worth of a position.
    pub fn value(&self, state: &State, depth: u32) -> i32 {
        self.below(state, depth, &mut Vec::new())
    }

    /// The worth of each legal move in the order of [`State::legal_moves`], for the side that makes it. `depth` is at
    /// least 1.
    pub fn move_values(&self, state: &State, depth: u32) -> Vec<(String, i32)> {
        let mut path = vec![state.board()];
        state
            .legal_moves()
            .into_iter()
            .map(|mv| {
                let value = -self.below(&state.play(&mv), depth - 1, &mut path);
                (mv, value)
            })
            .collect()
    }

    fn below(&self, state: &State, depth: u32, path: &mut Vec<Board>) -> i32 {
        if state.over().is_some() {
            return (self.finished)(state, path.len() as u32);
        }
        if !path.is_empty() && (self.drawn)(state, path) {
            return DRAW;
        }
        if depth == 0 {
            return (self.eval)(state);
        }
        path.push(state.board());
        let best = state
            .children()
            .iter()
            .map(|child| -self.below(child, depth - 1, path))
            .max()
            .expect("a game that isn't over has a move");
        path.pop();
        best
    }
}

/// The usual worth of a finished game for its side to move: `-(WIN - ply)` where it has lost, which is always so after
/// a move; `WIN - ply` where it has won.
pub fn finished_by_plies(state: &State, ply: u32) -> i32 {
    let result = state.over().expect("a finished game");
    let worth = WIN - ply as i32;
    if state.mover_has_won(result) { worth } else { -worth }
}

/// The usual draw of a search: a position that already stands on the path from the root.
pub fn drawn_on_path(state: &State, path: &[Board]) -> bool {
    path.contains(&state.board())
}

impl State {
    /// The usual full-width search: [`Minimax`] with [`finished_by_plies`] and [`drawn_on_path`]. `eval` is asked at
    /// depth 0 and answers for the side to move.
    pub fn minimax(&self, depth: u32, eval: &dyn Fn(&State) -> i32) -> i32 {
        Minimax { eval, finished: &finished_by_plies, drawn: &drawn_on_path }.value(self, depth)
    }
}

// ---------------------------------------------------------------------------------------------------------------------
// Exact values
// ---------------------------------------------------------------------------------------------------------------------

/// The exact value of a position for its side to move, with the distance to the end of the game in plies: the winner
/// takes the shortest way, the loser the longest. A whole chain is one ply.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Value {
    /// The side to move wins in so many plies.
    Win(u32),
    /// The side to move loses in so many plies; 0 where it has lost already.
    Loss(u32),
    /// Neither side can force a win: the game never ends.
    Draw,
}

impl State {
    /// The value of this position by the definition, given the values of the positions one move away. A table is right
    /// where this gives back its own value everywhere: with the distances that is a proof, as every win and loss then
    /// leads down to a finished game.
    pub fn value_from_children(&self, value: &dyn Fn(&State) -> Value) -> Value {
        if let Some(result) = self.over() {
            return if self.mover_has_won(result) { Value::Win(0) } else { Value::Loss(0) };
        }
        let mut shortest_win = None;
        let mut longest_loss = 0;
        let mut a_draw = false;
        for child in self.children() {
            match value(&child) {
                Value::Loss(plies) => {
                    shortest_win = Some(shortest_win.unwrap_or(u32::MAX).min(plies + 1));
                }
                Value::Draw => a_draw = true,
                Value::Win(plies) => longest_loss = longest_loss.max(plies + 1),
            }
        }
        match shortest_win {
            Some(plies) => Value::Win(plies),
            None if a_draw => Value::Draw,
            None => Value::Loss(longest_loss),
        }
    }
}

/// The exact values of all positions with few goats: see [`solve`].
pub struct Solution {
    positions: Positions,
    values: Vec<Option<Value>>,
}

/// Solves all positions of a rule set, both sides to move, with at most `max_goats` goats, of which at most
/// `max_in_herds` stand in herds of two or more: 0 for flat positions only, 2 for one herd of two besides, and so on.
/// Endless play is a draw; plies without progress are not counted.
///
/// Plain retrograde analysis from the definition. Time and memory in release, one core: 2 goats half a second, 3 goats
/// 4 s and 0.1 GB, 4 goats 30 s and 0.6 GB. With fewer than 7 goats the goats can't win; in the `wikipedia` rule sets
/// they have then lost already, so there is nothing to solve there.
pub fn solve(name: &str, max_goats: u32, max_in_herds: u32) -> Solution {
    let positions = Positions::new(name, max_goats, max_in_herds);

    // Finished games have their value. For the others: how many moves lead on, and how many lead here.
    let mut values = vec![None; positions.slots];
    let mut moves_left = vec![0_u32; positions.slots];
    let mut moves_here = vec![0_u32; positions.slots];
    let mut resolved = Vec::new(); // the positions whose value has the distance under way
    for slot in 0..positions.slots {
        let Some(state) = positions.state(slot) else {
            continue;
        };
        if state.over().is_some() {
            values[slot] = Some(state.value_from_children(&|_| unreachable!("a finished game")));
            resolved.push(slot);
            continue;
        }
        values[slot] = Some(Value::Draw); // until shown otherwise
        let children = state.children();
        moves_left[slot] = children.len() as u32;
        for child in children {
            moves_here[positions.slot(&child).expect("few goats stay few")] += 1;
        }
    }

    // The parents of each position, once for each move, one list after the other.
    let mut first_parent = vec![0_usize; positions.slots + 1];
    for slot in 0..positions.slots {
        first_parent[slot + 1] = first_parent[slot] + moves_here[slot] as usize;
    }
    let mut parents = vec![0_u32; first_parent[positions.slots]];
    for (slot, &value) in values.iter().enumerate() {
        if value == Some(Value::Draw) {
            let state = positions.state(slot).expect("a position");
            for child in state.children() {
                let child = positions.slot(&child).expect("few goats stay few");
                moves_here[child] -= 1;
                parents[first_parent[child] + moves_here[child] as usize] = slot as u32;
            }
        }
    }

    // Distance by distance: a move to a lost position wins; where all moves lead to won positions, it is lost, and the
    // last of them to be found is the longest.
    let mut distance = 0;
    while !resolved.is_empty() {
        let mut next = Vec::new();
        for child in resolved {
            for &parent in &parents[first_parent[child]..first_parent[child + 1]] {
                let parent = parent as usize;
                if values[parent] != Some(Value::Draw) {
                    continue;
                }
                if let Some(Value::Loss(_)) = values[child] {
                    values[parent] = Some(Value::Win(distance + 1));
                    next.push(parent);
                } else {
                    moves_left[parent] -= 1;
                    if moves_left[parent] == 0 {
                        values[parent] = Some(Value::Loss(distance + 1));
                        next.push(parent);
                    }
                }
            }
        }
        resolved = next;
        distance += 1;
    }
    Solution { positions, values }
}

impl Solution {
    /// The value of a position, or nothing where it is none of those solved.
    pub fn value(&self, state: &State) -> Option<Value> {
        self.values[self.positions.slot(state)?]
    }

    /// All solved positions with their values (counters 0 and 1).
    pub fn iter(&self) -> impl Iterator<Item = (State, Value)> + '_ {
        (0..self.values.len()).filter_map(|slot| {
            let value = self.values[slot]?;
            let state = self.positions.state(slot)?;
            Some((state, value))
        })
    }
}

/// A number ("slot") for every position with few goats: which herds stand, where the single goats are, where the tigers
/// are, whose turn it is. Some slots are no position, because two pieces would stand on one point.
struct Positions {
    rules: &'static Rules,
    herd_points: [usize; 4],
    /// The heights of the four herds, 0 where there is none, otherwise 2 to 5.
    herds: Vec<[u8; 4]>,
    /// The first slot of each of the herds above.
    first_slot: Vec<usize>,
    /// The number of slots.
    slots: usize,
    /// The sets of points where single goats stand.
    sets: SmallSets,
    /// All pairs of tigers, the lower number first.
    pairs: Vec<[usize; 2]>,
    /// `pair_of[a][b]`: the number of the pair.
    pair_of: [[usize; POINTS]; POINTS],
}

impl Positions {
    fn new(name: &str, max_goats: u32, max_in_herds: u32) -> Positions {
        let sets = SmallSets::new(max_goats);

        let mut pairs = Vec::new();
        let mut pair_of = [[0; POINTS]; POINTS];
        for (a, pairs_with_a) in pair_of.iter_mut().enumerate() {
            for (b, number) in pairs_with_a.iter_mut().enumerate().skip(a + 1) {
                *number = pairs.len();
                pairs.push([a, b]);
            }
        }

        let mut herds = Vec::new();
        let mut first_slot = Vec::new();
        let mut slots = 0;
        let heights = [0, 2, 3, 4, 5];
        for a in heights {
            for b in heights {
                for c in heights {
                    for d in heights {
                        let in_herds = u32::from(a + b + c + d);
                        if in_herds > max_in_herds || in_herds > max_goats {
                            continue;
                        }
                        herds.push([a, b, c, d]);
                        first_slot.push(slots);
                        slots += sets.up_to[(max_goats - in_herds) as usize] * pairs.len() * 2;
                    }
                }
            }
        }
        assert!(slots <= u32::MAX as usize, "too many positions");
        Positions { rules: rules(name), herd_points: herd_points(name), herds, first_slot, slots, sets, pairs, pair_of }
    }

    /// The position of a slot, or nothing where two pieces would stand on one point.
    fn state(&self, slot: usize) -> Option<State> {
        let which = self.first_slot.iter().rposition(|&first| first <= slot)?;
        let inside = slot - self.first_slot[which];
        let side = [Side::White, Side::Black][inside % 2];
        let tigers = self.pairs[inside / 2 % self.pairs.len()];
        let singles = &self.sets.members[inside / 2 / self.pairs.len()];

        let mut heights = [0; POINTS];
        for (herd, point) in self.herds[which].into_iter().zip(self.herd_points) {
            heights[point] = herd;
        }
        for &point in singles {
            if heights[point] > 0 {
                return None;
            }
            heights[point] = 1;
        }
        if tigers.iter().any(|&tiger| heights[tiger] > 0) {
            return None;
        }
        Some(State { rules: self.rules, heights, tigers, side, quiet: 0, number: 1 })
    }

    /// The slot of a position, or nothing where it has too many goats, or too many in herds.
    fn slot(&self, state: &State) -> Option<usize> {
        assert_eq!(state.rules, self.rules, "a position of another rule set");
        let herds = self.herd_points.map(|point| match state.heights[point] {
            1 => 0,
            height => height,
        });
        let which = self.herds.iter().position(|&known| known == herds)?;
        let mut singles = 0; // the empty set
        for point in 0..POINTS {
            if state.heights[point] == 1 {
                singles = self.sets.with[singles][point]?;
            }
        }
        let pair = self.pair_of[state.tigers[0]][state.tigers[1]];
        let side = match state.side {
            Side::White => 0,
            Side::Black => 1,
        };
        let slot = self.first_slot[which] + (singles * self.pairs.len() + pair) * 2 + side;
        let end = self.first_slot.get(which + 1).unwrap_or(&self.slots);
        (slot < *end).then_some(slot)
    }
}

/// All sets of few points.
struct SmallSets {
    /// The sets, each in ascending order; the smaller sets first, so the empty one is number 0.
    members: Vec<Vec<usize>>,
    /// `with[set][point]`: the number of the set with one more point, which is greater than all its members. Nothing
    /// where that has too many members.
    with: Vec<[Option<usize>; POINTS]>,
    /// How many sets have at most 0, 1, 2 ... members.
    up_to: Vec<usize>,
}

impl SmallSets {
    /// All sets of at most `most` points.
    fn new(most: u32) -> SmallSets {
        let mut members = vec![Vec::new()];
        let mut with = vec![[None; POINTS]];
        let mut up_to = vec![1];
        let mut first = 0; // the first set of the size before
        for _ in 0..most {
            let end = members.len();
            for set in first..end {
                let least = members[set].last().map_or(0, |&greatest| greatest + 1);
                for point in least..POINTS {
                    with[set][point] = Some(members.len());
                    let mut larger = members[set].clone();
                    larger.push(point);
                    members.push(larger);
                    with.push([None; POINTS]);
                }
            }
            first = end;
            up_to.push(members.len());
        }
        SmallSets { members, with, up_to }
    }
}
