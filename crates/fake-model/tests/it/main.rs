//! The server over HTTP, with a client that shares no code with it.

// In a test a panic is a failure, which is intended; this includes helpers of tests.
#![allow(clippy::unwrap_used)]

mod acts;
mod bad_requests;
mod binary;
mod requests;
mod script;
mod shapes;
mod streams;
mod troubles;
mod wire;
