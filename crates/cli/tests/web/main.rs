//! Tests of `kumite serve`: the real binary, spoken to over raw connections.

// A test that cannot go on has failed; helpers of tests are tests as well.
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

// The same world as in the tests of the other commands; not all of it is needed here.
#[allow(dead_code)]
#[path = "../it/watch.rs"]
mod watch;
#[allow(dead_code)]
#[path = "../it/world.rs"]
mod world;
