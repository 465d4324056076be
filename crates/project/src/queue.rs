//! `queue.json`: the specs that wait for a slot. The running engine writes it, so that every reader
//! can tell the place of a spec. It is not synced and not kept: without that engine it means
//! nothing.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use kumite_core::pool::{Pool, QueuePlace};
use serde::{Deserialize, Serialize};

use kumite_files::{Access, Durable, replace};

const NAME: &str = "queue.json";

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Queue {
    jobs: usize,
    /// The next one first.
    waiting: Vec<String>,
}

impl Queue {
    fn of(pool: &Pool) -> Queue {
        Queue {
            jobs: pool.jobs(),
            waiting: pool.queue().iter().cloned().collect(),
        }
    }

    /// As the running engine wrote it. An unreadable file names no spec.
    pub fn read(runtime: &Path) -> Queue {
        let text = fs::read(runtime.join(NAME));
        let queue = text
            .ok()
            .and_then(|text| serde_json::from_slice(&text).ok());
        queue.unwrap_or_default()
    }

    pub fn place(&self, spec: &str) -> Option<QueuePlace> {
        let before = self.waiting.iter().position(|waiting| waiting == spec)?;
        Some(QueuePlace {
            number: before + 1,
            of: self.waiting.len(),
            jobs: self.jobs,
        })
    }
}

/// The engine's side of the file.
#[derive(Debug)]
pub struct Shown {
    path: PathBuf,
    /// The content of the file. `None`: unknown, because an earlier engine may have left it.
    queue: Option<Queue>,
}

impl Shown {
    pub fn new(runtime: &Path) -> Shown {
        Shown {
            path: runtime.join(NAME),
            queue: None,
        }
    }

    /// Writes the file if the queue has changed. For an empty queue there is no file.
    pub fn show(&mut self, pool: &Pool) {
        let queue = Queue::of(pool);
        if self.queue.as_ref() == Some(&queue) {
            return;
        }
        let shown = match (queue.waiting.is_empty(), serde_json::to_vec(&queue)) {
            (false, Ok(text)) => replace(&self.path, &text, Durable::Process, Access::Private),
            _ => match fs::remove_file(&self.path) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
                _ => Ok(()),
            },
        };
        // Without the file only the places are unknown.
        self.queue = shown.is_ok().then_some(queue);
    }
}
