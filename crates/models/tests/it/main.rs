//! The client over the wire: against the fake model server, and against servers that misbehave.

// Helpers of tests fail by panicking, too.
#![allow(clippy::unwrap_used)]

mod answers;
mod cancel;
mod failures;
mod leader;
mod proxy;
mod raw;
mod record;
mod requests;
mod stage;
mod ugly;
