//! The real Chromium against a tiny server.

#![allow(clippy::unwrap_used)]

mod acts;
mod ends;
mod looks;
mod sees;

use std::thread;
use std::time::{Duration, Instant};

/// Waits for an event that comes a little later.
fn wait(what: &str, holds: impl Fn() -> bool) {
    let began = Instant::now();
    while !holds() {
        let patient = began.elapsed() < Duration::from_secs(30);
        assert!(patient, "waited in vain until {what}");
        thread::sleep(Duration::from_millis(5));
    }
}
mod server;
