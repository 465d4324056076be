//! Whose turn it is: those of us who want the same file queue for it, so that nobody starves.
//!
//! DuckDB's own lock knows no queue: who asks at the right moment gets it. Ours is on the directory
//! of the file, so that there is no file of our own, and the system lets go of it when its holder
//! ends, however it does.

use std::fs::File;
use std::path::Path;
use std::sync::mpsc::channel;
use std::thread;
use std::time::Duration;

use crate::error::{Error, Kind};

/// Everybody gives it back after half a second.
const PATIENCE: Duration = Duration::from_secs(60);

/// Held as long as the file is open.
#[derive(Debug)]
pub struct Turn {
    _dir: File,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum For {
    Writing,
    /// Together with others who read.
    Reading,
}

/// Waits for its turn. A file system that knows no such locks has no queue: then DuckDB decides.
pub fn take(db: &Path, what: For) -> Result<Option<Turn>, Error> {
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
        // Too late, it goes back at once.
        let _ = sender.send(taken.map(|()| Turn { _dir: dir }));
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
