//! Work on several threads: [`for_each`] in no order, [`map_in_order`] with the results in the order of the input.
//!
//! Both take the items one at a time from a shared iterator, lock nothing while an item is worked on, and do with fewer
//! threads where the system has no more.

use std::collections::BTreeMap;
use std::io;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread::Builder;
use std::time::Duration;

/// Calls `work` with each of the items, on `threads` threads, the caller's among them, and returns when all is done. The
/// items are handed out in their order, but nothing is said of the order in which the calls end.
pub fn for_each<T: Send>(threads: usize, items: impl Iterator<Item = T> + Send, work: impl Fn(T) + Sync) {
    if threads <= 1 {
        return items.for_each(work);
    }
    let items = Mutex::new(items);
    let next = || items.lock().unwrap_or_else(PoisonError::into_inner).next();
    let run = || std::iter::from_fn(next).for_each(&work);
    std::thread::scope(|scope| {
        for _ in 1..threads {
            // A thread that can't be started is done without.
            let _ = Builder::new().spawn_scoped(scope, run);
        }
        run();
    });
}

/// Tasks that may be under way for each job of [`map_in_order`]: read, worked on, or done but not yet written.
const WINDOW: usize = 128;
/// Shortest time between two looks at the results. Where they come thick and fast, waking a thread for each would cost
/// as much as a short search.
const PAUSE: Duration = Duration::from_millis(1);

/// A task or its result, with its number in the order of the input.
type Numbered<T> = (u64, T);

/// Works on every task and hands the results to `write`, in the order of the tasks. `job` makes the worker of each job,
/// in its thread. `write` gets all the results that are ready, one or more, in the caller's thread.
///
/// One thread reads the tasks, and no more than 128 for each job ahead of what is written, so memory does not grow with
/// the input. If `write` fails this returns at once and leaves its threads to end by themselves: one of them may be
/// waiting for input that never comes.
///
/// # Errors
/// The first error of `write`, or why no thread could be started.
pub fn map_in_order<T, R, J, W>(
    jobs: usize,
    tasks: impl Iterator<Item = T> + Send + 'static,
    job: J,
    mut write: impl FnMut(Vec<R>) -> io::Result<()>,
) -> io::Result<()>
where
    T: Send + 'static,
    R: Send + 'static,
    J: Fn() -> W + Send + Sync + 'static,
    W: FnMut(T) -> R,
{
    let window = WINDOW * jobs;
    let places = Arc::new(Places { free: Mutex::new(window), freed: Condvar::new() });
    let (send_task, tasks_to_do) = channel();
    let (send_result, results) = channel();
    let (tasks_to_do, job) = (Arc::new(Mutex::new(tasks_to_do)), Arc::new(job));
    for number in 0..jobs {
        let (tasks, results, job) = (Arc::clone(&tasks_to_do), send_result.clone(), Arc::clone(&job));
        let started = Builder::new().name(format!("job {number}")).spawn(move || run_job(&tasks, &results, job()));
        match started {
            // Fewer jobs do as well.
            Err(error) if number > 0 => {
                log::warn!("{number} of {jobs} jobs could be started: {error}");
                break;
            }
            started => drop(started?),
        }
    }
    drop(send_result);
    let taken = Arc::clone(&places);
    Builder::new().name("reader".to_owned()).spawn(move || read_tasks(tasks, &taken, &send_task))?;
    let mut written = 0;
    let done = write_in_order(&results, |ready| {
        written += ready.len();
        write(ready)?;
        // Many places at once, so that the reader is not woken for each.
        if written >= window / 2 {
            places.give(std::mem::take(&mut written));
        }
        Ok(())
    });
    // If the reader waits for a place it may go, for nobody takes its tasks any more.
    drop(results);
    places.give(window);
    done
}

/// Places for tasks under way: a counting semaphore.
struct Places {
    free: Mutex<usize>,
    freed: Condvar,
}

impl Places {
    /// Waits for places and takes all that are free.
    fn take_all(&self) -> usize {
        let free = self.free.lock().unwrap_or_else(PoisonError::into_inner);
        let mut free = self.freed.wait_while(free, |free| *free == 0).unwrap_or_else(PoisonError::into_inner);
        std::mem::take(&mut free)
    }

    fn give(&self, count: usize) {
        *self.free.lock().unwrap_or_else(PoisonError::into_inner) += count;
        self.freed.notify_one();
    }
}

/// Reads tasks and sends them to the jobs, as long as there is a place for one more and a job that takes them.
fn read_tasks<T>(tasks: impl Iterator<Item = T>, places: &Places, send: &Sender<Numbered<T>>) {
    let mut free = 0;
    for task in (0..).zip(tasks) {
        if free == 0 {
            free = places.take_all();
        }
        free -= 1;
        if send.send(task).is_err() {
            return;
        }
    }
}

/// Works on tasks until there are no more, or nobody takes the results.
fn run_job<T, R>(tasks: &Mutex<Receiver<Numbered<T>>>, results: &Sender<Numbered<R>>, mut work: impl FnMut(T) -> R) {
    loop {
        let next = tasks.lock().unwrap_or_else(PoisonError::into_inner).recv();
        let Ok((number, task)) = next else { return };
        if results.send((number, work(task))).is_err() {
            return;
        }
    }
}

/// Passes results to `write` as soon as all before them are there.
fn write_in_order<R>(
    results: &Receiver<Numbered<R>>,
    mut write: impl FnMut(Vec<R>) -> io::Result<()>,
) -> io::Result<()> {
    let mut waiting = BTreeMap::new();
    let mut next = 0;
    while let Ok(first) = results.recv() {
        waiting.extend(std::iter::once(first).chain(results.try_iter()));
        let mut ready = Vec::new();
        while let Some(result) = waiting.remove(&next) {
            ready.push(result);
            next += 1;
        }
        if !ready.is_empty() {
            write(ready)?;
        }
        std::thread::sleep(PAUSE);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicU64, Ordering::SeqCst};

    #[test]
    fn each_item_is_worked_on_once() {
        for threads in [1, 2, 7] {
            let sum = AtomicU64::new(0);
            for_each(threads, 1..=1_000, |item| {
                sum.fetch_add(item, SeqCst);
            });
            assert_eq!(sum.into_inner(), 500_500);
        }
    }

    #[test]
    fn results_keep_the_order_of_the_tasks() {
        for jobs in [1, 2, 7] {
            let mut seen = Vec::new();
            let slow = |task: u64| {
                std::thread::sleep(Duration::from_micros(task * 7919 % 300));
                task * 2
            };
            let kept = |ready| {
                seen.extend::<Vec<u64>>(ready);
                Ok(())
            };
            map_in_order(jobs, 0..1_000, move || slow, kept).unwrap();
            assert!(seen.into_iter().eq((0..1_000).map(|task| task * 2)));
        }
    }

    #[test]
    fn reading_runs_ahead_no_farther_than_the_window() {
        let (read, written) = (Arc::new(AtomicU64::new(0)), Arc::new(AtomicU64::new(0)));
        let (reading, seen) = (Arc::clone(&read), Arc::clone(&written));
        let tasks = (0..2_000u64).inspect(move |_| {
            let ahead = reading.fetch_add(1, SeqCst) + 1 - seen.load(SeqCst);
            // One more is read before there is a place for it.
            assert!(ahead <= 2 * WINDOW as u64 + 1);
        });
        map_in_order(
            2,
            tasks,
            || |task| task,
            |ready: Vec<u64>| {
                written.fetch_add(ready.len() as u64, SeqCst);
                Ok(())
            },
        )
        .unwrap();
        assert_eq!((read.load(SeqCst), written.load(SeqCst)), (2_000, 2_000));
    }

    #[test]
    fn an_output_that_fails_ends_it_though_the_input_never_does() {
        let closed = |_: Vec<u64>| Err(io::ErrorKind::BrokenPipe.into());
        let error = map_in_order(2, 0..u64::MAX, || |task| task, closed).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::BrokenPipe);
    }
}
