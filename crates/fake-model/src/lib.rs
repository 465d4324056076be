//! A model server for tests: on loopback, scripted, and obedient.
//!
//! It speaks Anthropic Messages, OpenAI Chat Completions, OpenAI Responses, Gemini and Ollama, so
//! that real agent programs can be pointed at it and be made to write files, run commands and meet
//! every trouble that a model can give them, without a network and without an account. Plain
//! clients of these APIs can be answered as well, by what stands beside their prompts.
//!
//! The [`Script`] is a list of rules. A request is answered by looking at the conversation that it
//! carries (`choose.rs`): nothing is remembered between requests except how often an act with
//! `times` has answered. So programs may retry, resume and start anew in any order.

mod answer;
mod api;
mod choose;
mod connection;
mod conversation;
mod http;
mod reply;
mod schema;
mod script;
mod seen;
mod server;
mod tools;

pub use script::{Act, Error, Rule, Script, Usage};
pub use seen::{By, Seen};
pub use server::{Options, Server};
