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
mod guard;
mod hub;
mod keep;
mod pages;
mod server;

pub use app::Options;
pub use server::{Error, Server};
