//! The real Chromium against a tiny server.

#![allow(clippy::unwrap_used)]

mod acts;
mod ends;
mod looks;
mod sees;
mod server;
