//! Ending a contest, whichever process plays it.

use std::thread;
use std::time::{Duration, Instant};

use kumite_contest::Error;
use kumite_contest::home::Home;

use crate::engine::Engine;

/// How a request to cancel was met.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cancelled {
    Now,
    /// It had ended before.
    Before,
}

impl Cancelled {
    pub fn words(self, id: &str) -> String {
        match self {
            Cancelled::Now => {
                format!("contest {id} is cancelled; what was finished stays on the board")
            }
            Cancelled::Before => format!("contest {id} has ended already"),
        }
    }
}

/// How long the process that plays it may take: agents have a grace period before they are killed.
const PATIENCE: Duration = Duration::from_secs(60);

/// Ends a contest; finished rounds stay. Returns when it has ended.
pub fn cancel(home: Home) -> Result<Cancelled, Error> {
    if home.is_ended() {
        return Ok(Cancelled::Before);
    }
    home.ask_to_cancel()?;
    let began = Instant::now();
    while home.is_played() {
        if began.elapsed() > PATIENCE {
            return Err(Error::Slow {
                id: home.id(),
                seconds: PATIENCE.as_secs(),
            });
        }
        thread::park_timeout(Duration::from_millis(20));
    }
    if !home.is_ended() {
        // No process played it, so we end it ourselves.
        Engine::apart(&home).play(home, Box::new(|_, _| {}))?;
    }
    Ok(Cancelled::Now)
}
