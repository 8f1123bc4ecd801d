//! Work on two threads.

use crate::proc::interrupted;
use std::sync::Mutex;
use std::thread;

/// Does work for each item, two at a time. Results are in the order in which they ended; after an interrupt no more work begins.
pub(crate) fn two_at_a_time<T: Send, R: Send>(
    items: impl IntoIterator<Item = T, IntoIter: Send>,
    work: impl Fn(T) -> R + Sync,
) -> Vec<R> {
    let queue = Mutex::new(items.into_iter());
    let ended = Mutex::new(Vec::new());
    let next = || queue.lock().expect("no thread panics").next();
    thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while let Some(item) = next().filter(|_| !interrupted()) {
                    let result = work(item);
                    ended.lock().expect("no thread panics").push(result);
                }
            });
        }
    });
    ended.into_inner().expect("no thread panics")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_item_is_worked_on_once() {
        let mut doubled = two_at_a_time(0..100, |n| 2 * n);
        doubled.sort();
        assert_eq!(doubled, Vec::from_iter((0..200).step_by(2)));
    }
}
