//! Teams of models, against a model server that follows a script.

#![allow(clippy::unwrap_used)]

mod leader;
mod members;
mod programs;
mod stage;
mod web;
