//! The teams: agents, models, and those that are built in.

pub mod agent;
mod fetch;
mod member;
mod meter;
pub mod model;
mod program;
mod record;
pub mod scripted;
mod talk;
