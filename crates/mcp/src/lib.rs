//! The Model Context Protocol server behind `kumite mcp`, so that an agent can steer kumite.
//!
//! A message comes in through [`wire`], [`server`] finds its tool in the table of [`tools`], and
//! the tool answers from the files of the project. Runs and contests are handed to the engine of
//! the project, and all other requests are sent to it: the server plays nothing itself, and can end
//! at any moment.

mod access;
mod page;
mod refusal;
mod resources;
mod server;
mod sieve;
mod tool;
mod tools;
mod watch;
mod wire;

pub use server::{Error, Options, serve};
