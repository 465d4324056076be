//! The places of specs, with real git repositories (E2).

#![allow(clippy::unwrap_used)]

mod carry;
mod checkout;
mod content;
mod copies;
mod crash;
mod damage;
mod odd;
mod prepare;
mod remove;
mod setup;
mod suit;
mod take_over;
mod world;
