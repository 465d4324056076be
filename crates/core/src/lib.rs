//! The rules of kumite, and nothing else.
//!
//! Everything that happens becomes a [`journal::Event`]. [`run::decide`] turns a [`run::Run`] and
//! an event into a new run and [`effect::Effect`]s. A world carries out the effects; their results
//! come back as events. This crate has no clock, no files, no randomness and no async, so that the
//! same core runs in the real host and in the simulator.

pub mod agent_kind;
pub mod budget;
pub mod change;
pub mod contest;
pub mod effect;
pub mod engine;
pub mod facts;
pub mod journal;
pub mod machine;
pub mod names;
pub mod notice;
pub mod order;
pub mod outcome;
mod overlay;
pub mod place;
pub mod pool;
pub mod program;
pub mod routing;
pub mod run;
pub mod secret;
mod words;
