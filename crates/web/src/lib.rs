//! The HTTP API and the page: what `kumite serve` offers.
//!
//! A request comes in through [`server`], passes the [`guard`], and is answered by [`api`] (data)
//! or
//! [`pages`] (HTML). Both read files, as `kumite status` does. Changes go to the engine of the
//! project, which [`keep`] holds while no other process does.

mod api;
mod app;
mod assets;
mod audit;
mod auth;
mod compress;
mod connection;
mod guard;
mod hub;
pub mod inside;
mod keep;
mod log;
mod pages;
mod patient;
mod qr;
mod reach;
mod render;
mod room;
mod running;
mod server;
mod tls;

pub use app::Options;
pub use auth::{Error as AuthError, Role};
pub use qr::qr;
pub use running::Running;
pub use server::{Error, Listen, Server};
pub use tls::Files as TlsFiles;
