//! Plies: the distance of a node from the root.

/// Number of moves between the root and a node: 0 at the root.
pub type Ply = u16;

/// Longest path from the root; a node there is evaluated as it stands.
pub const MAX_PLY: Ply = 240;

/// Number of different plies, for arrays that have something for each of 0 to [`MAX_PLY`].
pub const PLY_COUNT: usize = MAX_PLY as usize + 1;
