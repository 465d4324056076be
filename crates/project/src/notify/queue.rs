//! The messages that one channel still has to deliver. The number is limited, and a file has the
//! same content, so that a later process can go on.

use std::collections::VecDeque;
use std::fs;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::Message;
use crate::clock::now_ms;
use kumite_files::{Access, Durable, replace};

/// How many messages are kept.
const MAX: usize = 100;
/// How long a message is worth delivering.
const KEPT_MS: u64 = 6 * 3600 * 1000;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Kept {
    number: u64,
    at_ms: u64,
    pub message: Message,
}

#[derive(Debug, Default)]
pub struct Queue {
    kept: VecDeque<Kept>,
    last: u64,
    spool: Option<PathBuf>,
}

impl Queue {
    /// Continues with what an earlier process could not deliver.
    pub fn open(spool: Option<PathBuf>) -> Queue {
        let text = spool.as_ref().and_then(|file| fs::read(file).ok());
        // An invalid file counts as empty.
        let kept = text.and_then(|text| serde_json::from_slice(&text).ok());
        let kept: VecDeque<Kept> = kept.unwrap_or_default();
        let last = kept.iter().map(|it| it.number).max().unwrap_or(0);
        Queue { kept, last, spool }
    }

    /// If it is full, the oldest message that is not urgent is dropped.
    pub fn push(&mut self, message: Message) {
        if self.kept.len() >= MAX {
            let oldest = self.kept.iter().position(|it| !it.message.is_urgent);
            self.kept.remove(oldest.unwrap_or(0));
        }
        self.last += 1;
        let (number, at_ms) = (self.last, now_ms());
        self.kept.push_back(Kept {
            number,
            at_ms,
            message,
        });
        self.save();
    }

    /// The next message: the oldest urgent one, or else the oldest.
    pub fn next(&mut self) -> Option<Kept> {
        let now_ms = now_ms();
        let before = self.kept.len();
        self.kept
            .retain(|it| now_ms.saturating_sub(it.at_ms) < KEPT_MS);
        if self.kept.len() != before {
            self.save();
        }
        let urgent = self.kept.iter().find(|it| it.message.is_urgent);
        urgent.or_else(|| self.kept.front()).cloned()
    }

    pub fn remove(&mut self, told: &Kept) {
        self.kept.retain(|it| it.number != told.number);
        self.save();
    }

    /// Without the file a later process could not go on; this one does nevertheless.
    fn save(&self) {
        let Some(spool) = &self.spool else {
            return;
        };
        let _ = match (self.kept.is_empty(), serde_json::to_vec(&self.kept)) {
            (false, Ok(text)) => replace(spool, &text, Durable::Process, Access::Private),
            _ => fs::remove_file(spool),
        };
    }
}

#[cfg(test)]
mod tests {
    use kumite_core::notice::Level;
    use serde_json::json;

    use super::*;

    fn message(text: &str, is_urgent: bool) -> Message {
        Message {
            title: "login".to_owned(),
            text: text.to_owned(),
            level: Level::Info,
            is_urgent,
            json: json!({}),
        }
    }

    fn all(queue: &mut Queue) -> Vec<String> {
        let told = std::iter::from_fn(|| {
            let next = queue.next()?;
            queue.remove(&next);
            Some(next.message.text)
        });
        told.collect()
    }

    #[test]
    fn ends_go_before_older_retries_and_each_keep_their_order() {
        let mut queue = Queue::default();
        for (text, is_urgent) in [("r1", false), ("e1", true), ("r2", false), ("e2", true)] {
            queue.push(message(text, is_urgent));
        }
        assert_eq!(all(&mut queue), ["e1", "e2", "r1", "r2"]);
    }

    #[test]
    fn a_full_queue_drops_retries_before_ends() {
        let mut queue = Queue::default();
        queue.push(message("end", true));
        for number in 0..MAX + 5 {
            queue.push(message(&number.to_string(), false));
        }
        let left = all(&mut queue);
        assert_eq!((left.len(), left[0].as_str()), (MAX, "end"));
        assert_eq!(left[1], "6");
        for number in 0..=MAX {
            queue.push(message(&number.to_string(), true));
        }
        assert_eq!(all(&mut queue)[0], "1");
    }

    #[test]
    fn a_later_process_goes_on_in_order_and_what_is_told_leaves_no_file() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("spool.json");
        let mut queue = Queue::open(Some(file.clone()));
        queue.push(message("a", true));
        queue.push(message("b", true));
        let mut later = Queue::open(Some(file.clone()));
        later.push(message("c", true));
        assert_eq!(all(&mut later), ["a", "b", "c"]);
        assert!(!file.exists());
    }

    #[test]
    fn old_news_are_not_told_and_a_broken_file_tells_nothing() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("spool.json");
        let old = [Kept {
            number: 1,
            at_ms: now_ms() - KEPT_MS,
            message: message("a", true),
        }];
        fs::write(&file, serde_json::to_vec(&old).unwrap()).unwrap();
        assert_eq!(Queue::open(Some(file.clone())).next(), None);
        assert!(!file.exists());
        fs::write(&file, "{").unwrap();
        assert_eq!(Queue::open(Some(file)).next(), None);
    }
}
