//! A flag that ends waiting.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// Set once, and visible to all copies.
#[derive(Debug, Clone, Default)]
pub struct Cancel(Arc<Shared>);

#[derive(Debug, Default)]
struct Shared {
    is_set: Mutex<bool>,
    set: Condvar,
}

impl Cancel {
    pub fn new() -> Cancel {
        Cancel::default()
    }

    pub fn cancel(&self) {
        *self.lock() = true;
        self.0.set.notify_all();
    }

    pub fn is_cancelled(&self) -> bool {
        *self.lock()
    }

    /// Waits for at most `time`, and returns whether it was cancelled.
    pub fn wait(&self, time: Duration) -> bool {
        let waited = self
            .0
            .set
            .wait_timeout_while(self.lock(), time, |is_set| !*is_set);
        let (is_set, _) = waited.unwrap_or_else(PoisonError::into_inner);
        *is_set
    }

    fn lock(&self) -> MutexGuard<'_, bool> {
        // A flag is never half set, so a poisoned lock does no harm.
        self.0.is_set.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cancel_ends_every_wait_and_stays() {
        let cancel = Cancel::new();
        assert!(!cancel.wait(Duration::ZERO));
        let copy = cancel.clone();
        let waiting = std::thread::spawn(move || copy.wait(Duration::from_secs(3600)));
        cancel.cancel();
        assert!(waiting.join().unwrap());
        assert!(cancel.is_cancelled() && cancel.wait(Duration::ZERO));
    }
}
