//! Distributes the news of the project: one thread follows the file, and each item is formatted
//! once, however many clients listen.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use axum::body::Bytes;
use kumite_project::news::{Item, Position, Reader};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::inotify::{self, CreateFlags, WatchFlags};
use tokio::sync::broadcast;

use crate::api::Streams;

/// How many items are kept for slow clients; a slower client reads the file.
const KEPT: usize = 1024;
/// How often we look without a notification: the directory may have been removed and made again.
const LOOK: Timespec = Timespec {
    tv_sec: 1,
    tv_nsec: 0,
};

/// One item of news as it is sent, and the position after it.
#[derive(Clone, Debug)]
pub struct Sent {
    pub position: Position,
    pub bytes: Bytes,
}

pub struct Hub {
    runtime: PathBuf,
    shared: Arc<Shared>,
    /// The open streams.
    pub streams: Streams,
}

struct Shared {
    position: Mutex<Position>,
    sender: broadcast::Sender<Sent>,
}

impl Hub {
    /// Begins to follow the news in `runtime`.
    pub fn start(runtime: &Path) -> io::Result<Hub> {
        let reader = Reader::at_end(runtime)?;
        let shared = Arc::new(Shared {
            position: Mutex::new(reader.position()),
            sender: broadcast::Sender::new(KEPT),
        });
        let weak = Arc::downgrade(&shared);
        let bell = Bell::new(runtime);
        thread::Builder::new().name("news".into()).spawn(move || {
            let mut reader = reader;
            // Ends when nobody can listen any more.
            while let Some(shared) = weak.upgrade() {
                shared.tell(&mut reader);
                drop(shared);
                bell.wait();
            }
        })?;
        Ok(Hub {
            runtime: runtime.to_owned(),
            shared,
            streams: Streams::default(),
        })
    }

    /// The position after everything sent so far.
    pub fn position(&self) -> Position {
        *self.shared.position()
    }

    pub fn listen(&self) -> broadcast::Receiver<Sent> {
        self.shared.sender.subscribe()
    }

    /// Reads the file after a position. None: the items there are no longer kept, or never existed.
    pub fn behind(&self, position: Position) -> io::Result<Option<Reader>> {
        Reader::behind(&self.runtime, position)
    }
}

impl Shared {
    fn position(&self) -> std::sync::MutexGuard<'_, Position> {
        self.position.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn tell(&self, reader: &mut Reader) {
        loop {
            let items = match reader.read() {
                Ok(items) if items.is_empty() => return,
                Ok(items) => items,
                Err(error) => {
                    tracing::warn!("cannot read the news of the project: {error}");
                    return;
                }
            };
            for item in &items {
                // Holding the lock: a client that reads the position gets everything after it.
                let mut position = self.position();
                let _ = self.sender.send(Sent::of(item));
                *position = item.position;
            }
        }
    }
}

impl Sent {
    pub fn of(item: &Item) -> Sent {
        let kind = item.news["type"].as_str().unwrap_or_default();
        let is_word = |kind: &str| {
            let mut characters = kind.chars();
            !kind.is_empty() && characters.all(|it| it.is_ascii_alphanumeric() || it == '_')
        };
        // Whatever the file contains, the output is one valid event.
        let kind = if is_word(kind) { kind } else { "news" };
        let Item { position, news } = item;
        Sent {
            position: *position,
            // JSON text has no line breaks.
            bytes: Bytes::from(format!("id: {position}\nevent: {kind}\ndata: {news}\n\n")),
        }
    }
}

/// Wakes up when something changes in a directory, or after a while.
struct Bell {
    dir: PathBuf,
    /// None: the system has no inotify instance left, so we only look from time to time.
    inotify: Option<File>,
}

impl Bell {
    fn new(dir: &Path) -> Bell {
        let flags = CreateFlags::CLOEXEC | CreateFlags::NONBLOCK;
        let bell = Bell {
            dir: dir.to_owned(),
            inotify: inotify::init(flags).ok().map(File::from),
        };
        bell.hang();
        bell
    }

    /// Repeating it changes nothing, unless the directory was replaced.
    fn hang(&self) -> bool {
        let events = WatchFlags::MODIFY | WatchFlags::CREATE | WatchFlags::MOVED_TO;
        let hung = |bell| inotify::add_watch(bell, &self.dir, events).is_ok();
        self.inotify.as_ref().is_some_and(hung)
    }

    fn wait(&self) {
        let Some(mut bell) = self.inotify.as_ref().filter(|_| self.hang()) else {
            thread::park_timeout(Duration::from_millis(100));
            return;
        };
        let mut fds = [PollFd::new(&bell, PollFlags::IN)];
        let _ = poll(&mut fds, Some(&LOOK));
        // The events themselves are ignored: the file is read anyway.
        let mut buffer = [0; 4096];
        while bell.read(&mut buffer).is_ok_and(|count| count > 0) {}
    }
}

#[cfg(test)]
mod tests {
    use kumite_project::news;
    use serde_json::json;

    use super::*;

    fn say(dir: &Path, number: usize) {
        let line = json!({"type": "x", "number": number});
        news::append(dir, &format!("a {number}.0"), line, false).unwrap();
    }

    #[test]
    fn everything_is_told_once_and_in_order_also_when_the_directory_is_made_anew() {
        let dir = tempfile::tempdir().unwrap();
        let runtime = dir.path().join("not/yet");
        let hub = Hub::start(&runtime).unwrap();
        let mut listener = hub.listen();
        for number in 0..3 {
            say(&runtime, number);
        }
        let mut told = Vec::new();
        while told.len() < 3 {
            told.push(listener.blocking_recv().unwrap());
        }
        assert!(told.is_sorted_by_key(|sent| sent.position));
        std::fs::remove_dir_all(&runtime).unwrap();
        say(&runtime, 3);
        told.push(listener.blocking_recv().unwrap());
        let numbers: Vec<String> = told
            .iter()
            .map(|sent| String::from_utf8_lossy(&sent.bytes).into_owned())
            .collect();
        for (number, text) in numbers.iter().enumerate() {
            assert!(text.contains(&format!("\"number\":{number},")), "{text}");
            assert!(text.starts_with("id: ") && text.contains("\nevent: x\ndata: {"));
        }
        assert_eq!(hub.position(), told[3].position);
    }

    #[test]
    fn a_type_that_is_no_word_cannot_make_a_second_event() {
        let news = json!({"key": "a", "type": "x\ndata: y", "text": "a\r\nb"});
        let item = Item {
            position: Position::default(),
            news,
        };
        let text = String::from_utf8(Sent::of(&item).bytes.to_vec()).unwrap();
        assert_eq!(text.lines().count(), 4, "{text}");
        assert!(text.contains("\nevent: news\n"));
    }
}
