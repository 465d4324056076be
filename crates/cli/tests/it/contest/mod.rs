//! Contests against the real binary: mixseek's files, the fake model server, real databases.
//!
//! Tests are named after the requirement (`d4`) and the scenario (`s3`) that they are about.

mod arena;
mod asked;
mod evaluator;
mod interrupted;
mod judge;
mod play;
mod prompts;
mod rounds;
mod settings;
mod submissions;
mod together;
