//! Exact values of all positions with few goats.

use super::position::State;
use super::slots::Positions;

/// The exact value of a position for its side to move, with the distance to the end of the game in plies: the winner
/// takes the shortest path, the loser the longest. A whole chain is one ply.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Value {
    /// The side to move wins in this number of plies.
    Win(u32),
    /// The side to move loses in this number of plies; 0 where it has lost already.
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
    let mut values = vec![None; positions.slots];
    let mut moves_left = vec![0_u32; positions.slots];
    let mut moves_here = vec![0_usize; positions.slots];
    let mut resolved = Vec::new(); // the positions whose value has the distance under way

    // Finished games have their value, and no children. For the others: how many moves lead on, and how many lead here.
    let mut children = Vec::new();
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
        for child in state.children() {
            let child = positions.slot(&child).expect("few goats stay few");
            children.push(child as u32);
            moves_left[slot] += 1;
            moves_here[child] += 1;
        }
    }
    let parents = Parents::new(&children, &moves_left, moves_here);

    // Distance by distance: a move to a lost position wins; where all moves lead to won positions, it is lost, and the
    // last of them to be found is the longest.
    let mut distance = 0;
    while !resolved.is_empty() {
        let mut next = Vec::new();
        for child in resolved {
            for &parent in parents.of(child) {
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

/// The parents of each position, once for each move, one list after the other.
struct Parents {
    /// Where the list of each slot begins; one more for the end of the last.
    first: Vec<usize>,
    parents: Vec<u32>,
}

impl Parents {
    /// `children`: those of each slot, one list after the other; `moves_on`: how many there are of each slot;
    /// `moves_here`: how many moves lead to each slot.
    fn new(children: &[u32], moves_on: &[u32], mut moves_here: Vec<usize>) -> Parents {
        let mut first = vec![0; moves_here.len() + 1];
        for (slot, moves) in moves_here.iter().enumerate() {
            first[slot + 1] = first[slot] + moves;
        }
        let mut parents = vec![0_u32; children.len()];
        let mut children = children.iter();
        for (slot, &moves) in moves_on.iter().enumerate() {
            for &child in children.by_ref().take(moves as usize) {
                let child = child as usize;
                moves_here[child] -= 1;
                parents[first[child] + moves_here[child]] = slot as u32;
            }
        }
        Parents { first, parents }
    }

    fn of(&self, slot: usize) -> &[u32] {
        &self.parents[self.first[slot]..self.first[slot + 1]]
    }
}

impl Solution {
    /// All solved positions with their values (counters 0 and 1).
    pub fn iter(&self) -> impl Iterator<Item = (State, Value)> + '_ {
        (0..self.values.len()).filter_map(|slot| {
            let value = self.values[slot]?;
            let state = self.positions.state(slot)?;
            Some((state, value))
        })
    }
}
