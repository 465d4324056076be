//! The page in a real browser: what a person sees and does there, and that it is true.

// In a test a panic is a failure, which is intended; this includes helpers of tests.
#![allow(clippy::unwrap_used)]

mod actions;
mod approvals;
mod arena;
mod away;
mod contests;
mod foreign;
mod gallery;
mod keyboard;
mod live;
mod log;
mod pages;
mod rounds;
mod scene;
mod shots;
mod switching;
mod tls;
mod toasts;
mod untrusted;
mod waits;

// The worlds of the other tests; only parts of them are needed here.
#[allow(dead_code)]
#[path = "../web/served.rs"]
mod served;
#[allow(dead_code)]
#[path = "../it/watch.rs"]
mod watch;
#[allow(dead_code)]
#[path = "../it/world.rs"]
mod world;
