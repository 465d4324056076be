//! The built program, alone on a stage: a directory with a spec and a play.

// In a test a panic is a failure, which is intended; this includes helpers of tests.
#![allow(clippy::unwrap_used)]

mod misbehaviour;
mod stage;
mod work;
