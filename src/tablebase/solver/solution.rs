//! What is known of a layer's positions: the values and distances found so far, and their blocks for the table.

use crate::rules::Side;
use crate::tablebase::expect_invariant;
use crate::tablebase::file::{BLOCK_POSITIONS, Block};
use crate::tablebase::layout::Layout;
use crate::tablebase::solver::bit_planes::BitPlanes;
use crate::tablebase::vector::{LANES, VECTOR_SLOTS};

/// The solved positions of a row.
#[derive(Clone, Default, Debug)]
pub struct RowSolution {
    /// Classes of values, see [`crate::tablebase::value`]; 0 is a draw, and what is not solved yet.
    pub classes: BitPlanes,
    /// Half the distance to the end in plies, rounded down, where the class is not 0 and distances are kept.
    pub half_plies: BitPlanes,
}

/// The solved positions of a layer, by side to move (White first) and row of the table.
#[derive(Clone, Debug)]
pub struct Solution {
    rows: [Vec<RowSolution>; 2],
}

impl Solution {
    /// Nothing solved yet.
    pub fn new(layout: &Layout) -> Self {
        Self { rows: [(); 2].map(|()| vec![RowSolution::default(); layout.rows().len()]) }
    }

    /// The rows of a side to move.
    pub fn side_mut(&mut self, side: Side) -> &mut [RowSolution] {
        &mut self.rows[side.index()]
    }

    /// Block `number` of the layer's table, with `digits` binary digits a class.
    pub fn block(&self, number: u64, layout: &Layout, digits: usize, has_distances: bool) -> Block {
        const BLOCK_VECTORS: u64 = BLOCK_POSITIONS >> VECTOR_SLOTS;
        let (rows, row_size) = (layout.rows().len(), layout.chunks().row_size() as u64);
        let first = number * BLOCK_VECTORS;
        let last = (first + BLOCK_VECTORS).min(2 * rows as u64 * row_size);
        let mut block = Block::default();
        for vector in first..last {
            let (row, at) = ((vector / row_size) as usize, (vector % row_size) as usize);
            let solved = &self.rows[row / rows][row % rows];
            for lane in 0..LANES {
                let mut decided = 0;
                for digit in 0..digits {
                    let word = solved.classes.digit(digit, at)[lane];
                    decided |= word;
                    block.classes.push(word);
                }
                while has_distances && decided != 0 {
                    let member = lane as u32 * u64::BITS + decided.trailing_zeros();
                    let half = u8::try_from(solved.half_plies.get(at, member)).ok();
                    block.halves.push(expect_invariant(half, "the solver ends at the longest distance"));
                    decided &= decided - 1;
                }
            }
        }
        block
    }
}
