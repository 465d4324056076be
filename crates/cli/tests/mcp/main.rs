//! Tests of `kumite mcp`: the real binary, asked by the client of `rmcp` and over raw pipes.

// In a test a panic is a failure, which is intended; this includes helpers of tests.
#![allow(clippy::unwrap_used)]

mod client;
mod contests;
mod offered;
mod raw;
mod specs;
mod steering;
mod wrong;

// The same world as in the tests of the other commands; only parts of it are needed here.
#[allow(dead_code)]
#[path = "../it/watch.rs"]
mod watch;
#[allow(dead_code)]
#[path = "../it/world.rs"]
mod world;
