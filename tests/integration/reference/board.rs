//! The board: points are numbered 0 to 24, a1 = 0, b1 = 1, ... a2 = 5, ... e5 = 24.

use std::sync::OnceLock;

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
