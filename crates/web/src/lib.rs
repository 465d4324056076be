//! The HTTP API and the page: what `kumite serve` gives.
//!
//! A request comes in through [`server`], passes the [`guard`], and is answered by [`api`] (data) or
//! by [`pages`] (HTML). Both read files, as `kumite status` does; changes go to the engine of the
//! project, which [`keep`] holds as long as nobody else does.

mod api;
mod app;
mod assets;
mod audit;
mod auth;
mod contests;
mod guard;
mod hub;
pub mod inside;
mod keep;
mod pages;
mod render;
mod server;

pub use app::Options;
pub use server::{Error, Server};
