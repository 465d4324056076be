//! A queue: our processes that want the same file line up, so that none starves.
//!
//! DuckDB's own lock has no queue: the process that asks at the right moment gets it. Our lock is
//! on the directory of the file, so that we need no extra file, and the system releases it when the
//! holder ends in any way.

use std::fs::File;
use std::path::Path;
use std::sync::mpsc::channel;
use std::thread;
use std::time::Duration;

use crate::error::{Error, Kind};

/// Every holder releases the lock after half a second.
const PATIENCE: Duration = Duration::from_secs(60);

/// Held while the file is open.
#[derive(Debug)]
pub struct Ticket {
    _dir: File,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum For {
    Writing,
    /// Shared with other readers.
    Reading,
}

/// Waits for its turn. A file system without such locks has no queue: then DuckDB decides.
pub fn take(db: &Path, what: For) -> Result<Option<Ticket>, Error> {
    let dir = db.parent().unwrap_or(db);
    let Ok(dir) = File::open(dir) else {
        return Ok(None);
    };
    let (sender, locked) = channel();
    let waiting = thread::Builder::new().spawn(move || {
        let taken = match what {
            For::Writing => dir.lock(),
            For::Reading => dir.lock_shared(),
        };
        // If the caller no longer waits, the lock is released at once.
        let _ = sender.send(taken.map(|()| Ticket { _dir: dir }));
    });
    if waiting.is_err() {
        return Ok(None);
    }
    match locked.recv_timeout(PATIENCE) {
        Ok(taken) => Ok(taken.ok()),
        Err(_) => {
            let message = format!(
                "{} was in use by other contests for {} s",
                db.display(),
                PATIENCE.as_secs()
            );
            Err(Error::new(Kind::Locked, message))
        }
    }
}
