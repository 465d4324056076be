//! The server over the wire, with a client that knows nothing of its code.

// Helpers of tests fail by panicking, too.
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
