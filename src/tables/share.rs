//! Work shared out among threads.

use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// Calls `work` with 0 to `count - 1`, on so many threads.
pub fn share(threads: usize, count: usize, work: impl Fn(usize) + Sync) {
    if threads <= 1 {
        return (0..count).for_each(work);
    }
    let next = AtomicUsize::new(0);
    let run = || {
        let numbers = std::iter::repeat_with(|| next.fetch_add(1, Relaxed));
        numbers.take_while(|number| *number < count).for_each(&work);
    };
    std::thread::scope(|scope| {
        for _ in 1..threads {
            scope.spawn(run);
        }
        run();
    });
}
