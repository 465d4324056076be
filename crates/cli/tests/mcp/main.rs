//! Tests of `kumite mcp`: the real binary, asked by the client of `rmcp` and over raw pipes.

// A test that cannot go on has failed; helpers of tests are tests as well.
#![allow(clippy::unwrap_used)]

mod client;
mod contests;
mod offered;
mod raw;
mod specs;
mod steering;
mod wrong;

// The same world as in the tests of the other commands; not all of it is needed here.
#[allow(dead_code)]
#[path = "../it/watch.rs"]
mod watch;
#[allow(dead_code)]
#[path = "../it/world.rs"]
mod world;
