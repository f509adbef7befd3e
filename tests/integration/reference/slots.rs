//! Numbers for the positions with few goats.

use super::board::POINTS;
use super::position::{Side, State, herd_points};
use super::rules::{Rules, rules};

/// A number ("slot") for every position with few goats: which herds stand, where the single goats are, where the tigers
/// are, whose turn it is. Some slots are no position, because two pieces would stand on one point.
pub(super) struct Positions {
    rules: &'static Rules,
    herd_points: [usize; 4],
    /// The heights of the four herds, 0 where there is none, otherwise 2 to 5.
    herds: Vec<[u8; 4]>,
    /// The first slot of each of the herds above.
    first_slot: Vec<usize>,
    /// The number of slots.
    pub(super) slots: usize,
    /// The sets of points where single goats stand.
    sets: SmallSets,
    /// All pairs of tigers, the lower number first.
    pairs: Vec<[usize; 2]>,
    /// `pair_of[a][b]`: the number of the pair.
    pair_of: [[usize; POINTS]; POINTS],
}

impl Positions {
    pub(super) fn new(name: &str, max_goats: u32, max_in_herds: u32) -> Positions {
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
    pub(super) fn state(&self, slot: usize) -> Option<State> {
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
    pub(super) fn slot(&self, state: &State) -> Option<usize> {
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
