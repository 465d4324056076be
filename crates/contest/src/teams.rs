//! The teams: agents, models, and built-in ones.

pub mod agent;
mod fetch;
mod member;
mod meter;
pub mod model;
mod program;
mod record;
pub mod scripted;
mod talk;
