//! One channel to people, with a thread that delivers.

use std::path::PathBuf;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use super::Message;
use super::queue::{Kept, Queue};

/// The pause after a failure, which then doubles up to a minute.
const FIRST_PAUSE: Duration = Duration::from_secs(1);
const LONGEST_PAUSE: Duration = Duration::from_secs(60);

/// Why a message did not arrive, as a sentence.
pub enum Undelivered {
    /// It may arrive later.
    Failed(String),
    /// It never will.
    Refused(String),
}

pub struct Channel {
    shared: Arc<Shared>,
}

#[derive(Default)]
struct Shared {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    queue: Queue,
    /// This process had something to deliver.
    has_told: bool,
    is_closed: bool,
    /// The thread has nothing more to do.
    is_over: bool,
}

impl Shared {
    /// A thread that panicked leaves a consistent queue: it is changed in single steps.
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Channel {
    /// None: no thread could be started.
    pub fn open(
        spool: Option<PathBuf>,
        deliver: impl Fn(&Message) -> Result<(), Undelivered> + Send + 'static,
    ) -> Option<Channel> {
        let shared = Arc::new(Shared::default());
        shared.lock().queue = Queue::open(spool);
        let of_thread = shared.clone();
        let thread = thread::Builder::new()
            .name("notices".into())
            .spawn(move || {
                work(&of_thread, &deliver);
                of_thread.lock().is_over = true;
                of_thread.changed.notify_all();
            });
        thread.ok().map(|_| Channel { shared })
    }

    pub fn tell(&self, message: &Message) {
        let mut state = self.shared.lock();
        state.has_told = true;
        state.queue.push(message.clone());
        self.shared.changed.notify_all();
    }

    pub fn has_told(&self) -> bool {
        self.shared.lock().has_told
    }

    /// No more messages follow; the remaining ones are tried once more.
    pub fn close(&self) {
        self.shared.lock().is_closed = true;
        self.shared.changed.notify_all();
    }

    pub fn wait_until(&self, deadline: Instant) {
        let left = deadline.saturating_duration_since(Instant::now());
        let waits = |state: &mut State| !state.is_over;
        let waited = self
            .shared
            .changed
            .wait_timeout_while(self.shared.lock(), left, waits);
        drop(waited.map_err(PoisonError::into_inner));
    }
}

fn work(shared: &Shared, deliver: &dyn Fn(&Message) -> Result<(), Undelivered>) {
    let mut pause = FIRST_PAUSE;
    while let Some(kept) = next(shared) {
        match deliver(&kept.message) {
            Ok(()) => {
                shared.lock().queue.remove(&kept);
                pause = FIRST_PAUSE;
            }
            Err(Undelivered::Refused(why)) => {
                tracing::warn!("{why}");
                shared.lock().queue.remove(&kept);
            }
            Err(Undelivered::Failed(why)) => {
                if pause == FIRST_PAUSE {
                    tracing::warn!("{why}; it is tried again");
                }
                if rest(shared, pause) {
                    return;
                }
                pause = LONGEST_PAUSE.min(pause * 2);
            }
        }
    }
}

/// Waits for a message. None: there is none, and none will come.
fn next(shared: &Shared) -> Option<Kept> {
    let mut state = shared.lock();
    loop {
        match state.queue.next() {
            Some(kept) => return Some(kept),
            None if state.is_closed => return None,
            None => {
                let waited = shared.changed.wait(state);
                state = waited.unwrap_or_else(PoisonError::into_inner);
            }
        }
    }
}

/// True: it was closed before, so this was the last try.
fn rest(shared: &Shared, pause: Duration) -> bool {
    let state = shared.lock();
    if state.is_closed {
        return true;
    }
    let waits = |state: &mut State| !state.is_closed;
    drop(shared.changed.wait_timeout_while(state, pause, waits));
    false
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use kumite_core::notice::Level;
    use serde_json::json;

    use super::*;

    fn message(text: &str) -> Message {
        Message {
            title: "login".to_owned(),
            text: text.to_owned(),
            level: Level::Info,
            is_urgent: true,
            json: json!({}),
        }
    }

    const SOON: Duration = Duration::from_secs(30);

    fn soon() -> Instant {
        Instant::now() + SOON
    }

    #[test]
    fn a_slow_place_delays_nobody_and_what_it_did_not_take_is_kept() {
        let dir = tempfile::tempdir().unwrap();
        let spool = dir.path().join("spool.json");
        let (go, held) = mpsc::channel::<()>();
        let held = Mutex::new(held);
        let slow = Channel::open(Some(spool.clone()), move |_| {
            let _ = held.lock().unwrap().recv();
            Ok(())
        });
        let slow = slow.unwrap();
        for number in 0..1000 {
            slow.tell(&message(&number.to_string()));
        }
        slow.close();
        slow.wait_until(Instant::now());
        assert!(Queue::open(Some(spool.clone())).next().is_some());
        drop(go);
        slow.wait_until(soon());
        assert!(!spool.exists());
    }

    #[test]
    fn a_failure_is_tried_again_in_order_and_a_refusal_is_not() {
        let (send, told) = mpsc::channel();
        let mut troubles = vec![Undelivered::Failed("busy".into())].into_iter();
        let tried = Mutex::new(move |text: &str| {
            if text == "bad" {
                return Err(Undelivered::Refused("no such thing".into()));
            }
            match troubles.next() {
                Some(trouble) => Err(trouble),
                None => {
                    send.send(text.to_owned()).unwrap();
                    Ok(())
                }
            }
        });
        let channel = Channel::open(None, move |it| (tried.lock().unwrap())(&it.text)).unwrap();
        for text in ["a", "bad", "b"] {
            channel.tell(&message(text));
        }
        for text in ["a", "b"] {
            assert_eq!(told.recv_timeout(SOON), Ok(text.to_owned()));
        }
        channel.close();
        channel.wait_until(soon());
        assert!(channel.shared.lock().is_over);
    }
}
