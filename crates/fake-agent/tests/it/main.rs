//! The built program, alone on a stage: a directory with a spec and a play.

// Helpers of tests fail by panicking, too.
#![allow(clippy::unwrap_used)]

mod misbehaviour;
mod stage;
mod work;
