//! The client over HTTP: against the fake model server, and against servers that misbehave.

// In a test a panic is a failure, which is intended; this includes helpers of tests.
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
