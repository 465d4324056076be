//! What an engine does: it takes every event from its inbox, writes it to the journal of its run,
//! lets the core decide, and carries the decision out.
//!
//! [`Engine`] is the loop of a project; [`client`] is how other processes talk to it, and [`doctor`]
//! finds what a killed engine left.

mod beside;
mod checkout;
pub mod client;
pub mod contests;
mod context;
mod control;
pub mod doctor;
mod engine;
mod errand;
mod feed;
mod held;
mod launch;
mod look;
mod order;
mod perform;
mod purse;
mod remarks;
mod requests;
mod run_request;

pub use context::Context;
pub use control::{Connection, Reply, Request};
pub use engine::{Engine, Left, Message, Until};
pub use feed::Feed;
pub use launch::LaunchSettings;
pub use perform::Shared;
pub use purse::Purse;
pub use run_request::{Error as RequestError, Follow, RunRequest, all_specs};
