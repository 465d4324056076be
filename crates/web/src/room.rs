//! A bounded set of connections. When it is full, the oldest connection that is not logged in is
//! dropped, so idle strangers can never lock out a client that is.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::{Notify, OwnedSemaphorePermit, Semaphore};

pub struct Room {
    seats_max: u32,
    free: Arc<Semaphore>,
    /// In order of arrival: connections without a logged-in request so far.
    strangers: Mutex<BTreeMap<u64, Arc<Notify>>>,
}

/// The place of one connection; it is free again when dropped.
pub struct Seat {
    room: Arc<Room>,
    number: u64,
    is_known: AtomicBool,
    dismissed: Arc<Notify>,
    _place: OwnedSemaphorePermit,
}

impl Room {
    pub fn new(seats_max: u32) -> Arc<Room> {
        Arc::new(Room {
            seats_max,
            free: Arc::new(Semaphore::new(seats_max as usize)),
            strangers: Mutex::default(),
        })
    }

    /// A place for connection `number`. If all are taken, the oldest stranger is dropped. None:
    /// logged-in clients have all places.
    pub async fn enter(self: &Arc<Self>, number: u64) -> Option<Seat> {
        let free = Arc::clone(&self.free);
        let place = match Arc::clone(&free).try_acquire_owned() {
            Ok(place) => place,
            Err(_) => {
                let (_, oldest) = self.strangers().pop_first()?;
                oldest.notify_one();
                free.acquire_owned().await.ok()?
            }
        };
        let dismissed = Arc::<Notify>::default();
        self.strangers().insert(number, Arc::clone(&dismissed));
        Some(Seat {
            room: Arc::clone(self),
            number,
            is_known: AtomicBool::new(false),
            dismissed,
            _place: place,
        })
    }

    /// Waits until all connections have left.
    pub async fn empty(&self) {
        let _ = self.free.acquire_many(self.seats_max).await;
    }

    fn strangers(&self) -> MutexGuard<'_, BTreeMap<u64, Arc<Notify>>> {
        self.strangers
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

impl Seat {
    /// Marks the connection as logged in. False: it is too late, the place was given away.
    pub fn keep(&self) -> bool {
        let is_known = self.is_known.load(Ordering::Acquire)
            || self.room.strangers().remove(&self.number).is_some();
        self.is_known.store(is_known, Ordering::Release);
        is_known
    }

    /// Returns when the place is given to another connection.
    pub async fn dismissed(&self) {
        self.dismissed.notified().await;
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        self.room.strangers().remove(&self.number);
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use futures_util::FutureExt;

    use super::*;

    fn run(test: impl Future<Output = ()>) {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_time()
            .build()
            .unwrap();
        runtime.block_on(async {
            let patience = Duration::from_secs(60);
            tokio::time::timeout(patience, test).await.unwrap();
        });
    }

    /// A connection that does nothing until it is dismissed; returns its number then.
    fn silent(seat: Seat) -> tokio::task::JoinHandle<u64> {
        tokio::spawn(async move {
            seat.dismissed().await;
            seat.number
        })
    }

    #[test]
    fn when_it_is_full_the_oldest_stranger_makes_room_for_whoever_comes() {
        run(async {
            let room = Room::new(3);
            let mut inside = std::collections::VecDeque::new();
            for number in 0..100 {
                inside.push_back(silent(room.enter(number).await.unwrap()));
                if number >= 3 {
                    let left = inside.pop_front().unwrap().await.unwrap();
                    assert_eq!(left, number - 3);
                }
                assert!(room.strangers().len() <= 3);
            }
        });
    }

    #[test]
    fn who_is_known_stays_however_many_come() {
        run(async {
            let room = Room::new(2);
            let owner = room.enter(0).await.unwrap();
            assert!(owner.keep() && owner.keep());
            let mut last = silent(room.enter(1).await.unwrap());
            for number in 2..100 {
                let next = silent(room.enter(number).await.unwrap());
                assert_eq!(last.await.unwrap(), number - 1);
                last = next;
            }
            assert!(owner.keep());
            // If no stranger is left, there is no room.
            last.abort();
            assert!(last.await.is_err());
            let other = room.enter(100).await.unwrap();
            assert!(other.keep());
            assert!(room.enter(101).await.is_none());
            drop(owner);
            assert!(room.enter(102).await.is_some());
        });
    }

    #[test]
    fn whose_place_was_given_away_is_not_answered_any_more() {
        run(async {
            let room = Room::new(1);
            let late = room.enter(0).await.unwrap();
            let next = room.enter(1);
            tokio::pin!(next);
            assert!(next.as_mut().now_or_never().is_none());
            assert!(!late.keep() && !late.keep());
            late.dismissed().await;
            drop(late);
            assert!(next.await.unwrap().keep());
            room.empty().await;
        });
    }
}
