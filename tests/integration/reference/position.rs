//! Positions, and their text.

use super::board::{POINTS, point_at, point_name, point_named};
use super::rules::{BAGH_BANDI, Rules, rules, start_fen};

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

        let (heights, mut tigers) = read_board(fields[0])?;
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

    pub(super) fn is_empty(&self, point: usize) -> bool {
        self.heights[point] == 0 && !self.tigers.contains(&point)
    }

    pub(super) fn too_few_goats(&self) -> bool {
        self.goats() < self.rules.fewest_goats
    }
}

/// The heights and the tigers of a position text's first field: the ranks from the fifth to the first.
fn read_board(text: &str) -> std::result::Result<([u8; POINTS], Vec<usize>), String> {
    let mut heights = [0; POINTS];
    let mut tigers = Vec::new();
    let rows: Vec<&str> = text.split('/').collect();
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
    Ok((heights, tigers))
}

/// The four points where a rule set's herds stand at the start, in ascending order.
pub fn herd_points(name: &str) -> [usize; 4] {
    match start_fen(name) {
        BAGH_BANDI => ["c2", "e2", "c4", "e4"],
        _ => ["b2", "d2", "b4", "d4"],
    }
    .map(|name| point_named(name).expect("a point of the board"))
}
