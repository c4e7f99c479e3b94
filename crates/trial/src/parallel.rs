//! Doing several things at once, until they are done or the switch is thrown.

use std::sync::{Mutex, PoisonError};

use crate::{Stop, TrialError};

/// Calls `work` for each item, `jobs` at a time, in order of start. An interruption ends quietly; any other error is the
/// harness's own (a full disk, for instance), so no further item is started and the first such error is returned.
pub(crate) fn side_by_side<T: Sync>(
    items: &[T],
    jobs: usize,
    stop: &Stop,
    work: impl Fn(&T) -> Result<(), TrialError> + Sync,
) -> Result<(), TrialError> {
    let queue = Mutex::new(items.iter());
    let failure = Mutex::new(None);
    std::thread::scope(|scope| {
        // Whoever asks for more workers than there is work gets as many as there is work.
        for _ in 0..jobs.clamp(1, items.len().max(1)) {
            scope.spawn(|| {
                while !stop.is_thrown() && failure.lock().unwrap_or_else(PoisonError::into_inner).is_none() {
                    let next = queue.lock().unwrap_or_else(PoisonError::into_inner).next();
                    let Some(item) = next else { return };
                    match work(item) {
                        Ok(()) | Err(TrialError::Interrupted) => {}
                        Err(error) => {
                            failure
                                .lock()
                                .unwrap_or_else(PoisonError::into_inner)
                                .get_or_insert(error);
                        }
                    }
                }
            });
        }
    });
    failure
        .into_inner()
        .unwrap_or_else(PoisonError::into_inner)
        .map_or(Ok(()), Err)
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU32, Ordering};

    use super::*;

    #[test]
    fn every_item_is_done_once_and_a_broken_harness_stops_the_rest() {
        let sum = AtomicU32::new(0);
        let add = |n: &u32| {
            sum.fetch_add(*n, Ordering::SeqCst);
            if *n == 99 {
                Err(std::io::Error::other("disk").into())
            } else {
                Ok(())
            }
        };
        side_by_side(&[1, 2, 3], 3, &Stop::default(), add).unwrap();
        side_by_side(&[4], usize::MAX, &Stop::default(), add).unwrap();
        side_by_side(&[], 1, &Stop::default(), add).unwrap();
        assert_eq!(sum.load(Ordering::SeqCst), 10);
        assert!(side_by_side(&[99, 1000], 1, &Stop::default(), add).is_err());
        assert_eq!(
            sum.load(Ordering::SeqCst),
            109,
            "nothing is started after the harness broke"
        );
        let stop = Stop::default();
        stop.throw();
        side_by_side(&[1], 1, &stop, add).unwrap();
        assert_eq!(
            sum.load(Ordering::SeqCst),
            109,
            "nothing is started after the switch was thrown"
        );
    }
}
