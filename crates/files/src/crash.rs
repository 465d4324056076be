//! Crashes on demand, for the tests that kill kumite everywhere (`crates/cli/tests/it/crash.rs`).
//!
//! `KUMITE_CRASH_AT="3 recorded login"` kills this process (SIGKILL) when it passes the point
//! `recorded login` for the third time. `KUMITE_CRASH_REPORT=FILE` records every point that is
//! passed. This works only with the feature `crash-points`, which only the tests use.

#[cfg(feature = "crash-points")]
mod request;

use std::fmt::Arguments;

/// The variables of this module: agents do not see them.
pub const VARIABLES: &str = "KUMITE_CRASH_";

/// A moment between two actions, when only the first one has happened.
#[cfg(feature = "crash-points")]
pub fn point(name: Arguments<'_>) {
    request::pass(name);
}

#[cfg(not(feature = "crash-points"))]
pub fn point(_name: Arguments<'_>) {}
