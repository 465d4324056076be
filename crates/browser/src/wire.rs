//! The DevTools protocol over a pair of pipes: JSON messages, each followed by a NUL byte.

use std::collections::HashMap;
use std::io::{BufRead, BufReader, Write};
use std::process::{ChildStdin, ChildStdout};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};

use crate::Error;
use crate::watch::{Reaction, Watch};

/// An answer takes milliseconds. This limit is for an overloaded machine.
const PATIENCE: Duration = Duration::from_secs(60);

pub struct Wire {
    to: Mutex<Option<ChildStdin>>,
    next: AtomicU64,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// The waiting calls, by the number of their message.
    waiting: HashMap<u64, Sender<Result<Value, String>>>,
    /// The watcher of each session.
    watches: HashMap<String, Arc<Watch>>,
    closed: bool,
}

impl Wire {
    pub fn new(to: ChildStdin, from: ChildStdout) -> Arc<Wire> {
        let wire = Arc::new(Wire {
            to: Mutex::new(Some(to)),
            next: AtomicU64::new(1),
            state: Mutex::default(),
        });
        let reader = Arc::clone(&wire);
        thread::spawn(move || reader.read(from));
        wire
    }

    /// Sends a command and waits for the answer. An empty session means the browser itself.
    pub fn call(&self, session: &str, method: &str, params: Value) -> Result<Value, Error> {
        let id = self.next.fetch_add(1, Ordering::Relaxed);
        let (sender, answer) = mpsc::channel();
        let ended = || Error::Ended {
            method: method.to_owned(),
        };
        {
            let mut state = lock(&self.state);
            if state.closed {
                return Err(ended());
            }
            state.waiting.insert(id, sender);
        }
        self.send(id, session, method, params);
        match answer.recv_timeout(PATIENCE) {
            Ok(Ok(value)) => Ok(value),
            Ok(Err(why)) => Err(Error::Refused {
                method: method.to_owned(),
                why,
            }),
            Err(RecvTimeoutError::Disconnected) => Err(ended()),
            Err(RecvTimeoutError::Timeout) => {
                lock(&self.state).waiting.remove(&id);
                Err(Error::Silent {
                    method: method.to_owned(),
                    seconds: PATIENCE.as_secs(),
                })
            }
        }
    }

    /// Sends a command without waiting; the answer is dropped.
    pub fn tell(&self, session: &str, method: &str, params: Value) {
        let id = self.next.fetch_add(1, Ordering::Relaxed);
        self.send(id, session, method, params);
    }

    /// From now on `watch` receives the events of the session.
    pub fn watch(&self, session: &str, watch: &Arc<Watch>) {
        let mut state = lock(&self.state);
        state.watches.insert(session.to_owned(), Arc::clone(watch));
    }

    pub fn unwatch(&self, watch: &Arc<Watch>) {
        let mut state = lock(&self.state);
        state.watches.retain(|_, other| !Arc::ptr_eq(other, watch));
    }

    /// Closes our end, which tells Chromium to end.
    pub fn close(&self) {
        lock(&self.to).take();
    }

    fn send(&self, id: u64, session: &str, method: &str, params: Value) {
        let mut message = json!({ "id": id, "method": method, "params": params });
        if !session.is_empty() {
            message["sessionId"] = json!(session);
        }
        let mut bytes = message.to_string().into_bytes();
        bytes.push(0);
        if let Some(to) = lock(&self.to).as_mut() {
            // If this fails Chromium has ended, and the reader informs all waiting calls.
            let _ = to.write_all(&bytes);
        } else {
            lock(&self.state).waiting.remove(&id);
        }
    }

    fn read(&self, from: ChildStdout) {
        let mut from = BufReader::with_capacity(1 << 16, from);
        let mut bytes = Vec::new();
        while from.read_until(0, &mut bytes).is_ok_and(|count| count > 0) {
            bytes.pop_if(|byte| *byte == 0);
            if let Ok(message) = serde_json::from_slice::<Value>(&bytes) {
                self.hear(&message);
            }
            bytes.clear();
        }
        let mut state = lock(&self.state);
        state.closed = true;
        // Dropping the senders informs the waiting calls.
        state.waiting.clear();
    }

    fn hear(&self, message: &Value) {
        if let Some(id) = message["id"].as_u64() {
            let answer = match message.get("error") {
                Some(error) => Err(error["message"].as_str().unwrap_or_default().to_owned()),
                None => Ok(message["result"].clone()),
            };
            if let Some(waiting) = lock(&self.state).waiting.remove(&id) {
                let _ = waiting.send(answer);
            }
            return;
        }
        let session = message["sessionId"].as_str().unwrap_or_default();
        let watch = lock(&self.state).watches.get(session).cloned();
        let (Some(watch), Some(method)) = (watch, message["method"].as_str()) else {
            return;
        };
        for reaction in watch.hear(method, &message["params"]) {
            match reaction {
                Reaction::Tell(method, params) => self.tell(session, method, params),
                Reaction::Join(session) => {
                    self.watch(&session, &watch);
                    for (method, params) in crate::watch::beginning() {
                        self.tell(&session, method, params);
                    }
                }
            }
        }
    }
}

/// A thread that panicked has already failed its test; the others go on.
pub fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
