//! The host's own files, one by one.

#![allow(clippy::unwrap_used)]

mod events;
mod evidence;
mod journal;
mod place;
mod released;
mod settings;
mod status;
