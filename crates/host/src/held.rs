//! A resource that several threads hold for a while. The owner waits until all of them have
//! released it, but not for ever.

use std::convert::Infallible;
use std::sync::mpsc::{self, Receiver, Sender};
use std::sync::{Arc, Weak};
use std::time::Duration;

/// Nothing is ever sent: the channel closes when the last holder is gone.
#[derive(Debug)]
pub struct Held {
    hold: Arc<Sender<Infallible>>,
    gone: Receiver<Infallible>,
}

/// Lets a thread hold it later, if it still exists then.
#[derive(Clone, Debug)]
pub struct Grip(Weak<Sender<Infallible>>);

/// Holds it as long as this value lives.
#[derive(Debug)]
pub struct Hold {
    _hold: Arc<Sender<Infallible>>,
}

impl Default for Held {
    fn default() -> Held {
        let (hold, gone) = mpsc::channel();
        let hold = Arc::new(hold);
        Held { hold, gone }
    }
}

impl Held {
    pub fn grip(&self) -> Grip {
        Grip(Arc::downgrade(&self.hold))
    }

    /// Waits until nobody holds it, or the time is over. From now on nobody can take hold of it.
    pub fn wait(self, time: Duration) {
        drop(self.hold);
        // Closed or too late: in both cases the wait is over.
        let _ = self.gone.recv_timeout(time);
    }
}

impl Grip {
    pub fn hold(&self) -> Option<Hold> {
        self.0.upgrade().map(|hold| Hold { _hold: hold })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waiting_ends_when_the_last_one_lets_go_and_nobody_can_hold_it_then() {
        let held = Held::default();
        let grip = held.grip();
        let hold = grip.hold();
        assert!(hold.is_some());
        let waits = std::thread::spawn(move || held.wait(Duration::from_secs(600)));
        assert!(!waits.is_finished());
        drop(hold);
        waits.join().unwrap();
        assert!(grip.hold().is_none());
    }
}
