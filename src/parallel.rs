//! Work shared out among threads.

use std::sync::{Mutex, PoisonError};

/// Calls `work` with each of the items, on so many threads, in no particular order.
pub fn share<T: Send>(threads: usize, items: impl Iterator<Item = T> + Send, work: impl Fn(T) + Sync) {
    if threads <= 1 {
        return items.for_each(work);
    }
    let items = Mutex::new(items);
    let next = || items.lock().unwrap_or_else(PoisonError::into_inner).next();
    let run = || std::iter::from_fn(next).for_each(&work);
    std::thread::scope(|scope| {
        for _ in 1..threads {
            // A thread that can't be started is done without.
            let _ = std::thread::Builder::new().spawn_scoped(scope, run);
        }
        run();
    });
}
