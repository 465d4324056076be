//! The rules of kumite, and nothing else.
//!
//! What happens becomes an [`journal::Event`]. [`run::decide`] turns a [`run::Run`] and an event
//! into a new run and [`effect::Effect`]s. A world carries the effects out; their outcome comes
//! back as an event. This crate has no clock, no files, no randomness and no async, so that one
//! core runs in the real host and in the simulator alike.

pub mod budget;
pub mod change;
pub mod contest;
pub mod effect;
pub mod engine;
pub mod facts;
pub mod journal;
pub mod names;
pub mod notice;
pub mod outcome;
mod overlay;
pub mod pool;
pub mod routing;
pub mod run;
