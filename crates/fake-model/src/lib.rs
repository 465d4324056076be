//! A model server for tests: on loopback, and controlled by a script.
//!
//! It speaks Anthropic Messages, OpenAI Chat Completions, OpenAI Responses, Gemini and Ollama. So
//! real agent programs can be pointed at it, and be made to write files, run commands and meet
//! every kind of trouble that a model can cause, without a network and without an account. It
//! also answers plain clients of these APIs, based on the system texts beside their prompts.
//!
//! The [`Script`] is a list of rules. The answer depends on the conversation in the request
//! (`choose.rs`): nothing is remembered between requests except how often an act with
//! `times` has answered. So programs may retry, resume and start again in any order.

mod answer;
mod api;
mod choose;
mod connection;
mod conversation;
mod http;
mod reply;
mod schema;
mod script;
mod seen_request;
mod server;
mod tools;

pub use script::{Act, Error, Rule, Script, Usage};
pub use seen_request::{By, SeenRequest};
pub use server::{Options, Server};
