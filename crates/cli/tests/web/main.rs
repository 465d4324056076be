//! Tests of `kumite serve`: the real binary, spoken to over raw connections.

// In a test a panic is a failure, which is intended; this includes helpers of tests.
#![allow(clippy::unwrap_used)]

mod agent_page;
mod api;
mod attacks;
mod contests;
mod events;
mod openapi;
mod served;
mod serving;
mod steering;

// The same world as in the tests of the other commands; only parts of it are needed here.
#[allow(dead_code)]
#[path = "../it/watch.rs"]
mod watch;
#[allow(dead_code)]
#[path = "../it/world.rs"]
mod world;
