//! Contests against the real binary: mixseek's files, the fake model server, real databases.
//!
//! Tests are named after the requirement (`d4`) and the scenario (`s3`) that they cover.

mod agents;
mod arena;
mod asked;
mod crash;
mod database;
mod evaluator;
mod interrupted;
mod judge;
mod odd;
mod outcome;
mod play;
mod prompts;
mod rounds;
mod settings;
mod submissions;
mod tables;
mod together;
