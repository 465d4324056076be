//! Teams of models, against a model server that obeys a script.

#![allow(clippy::unwrap_used)]

mod leader;
mod members;
mod programs;
mod stage;
mod web;
