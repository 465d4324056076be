//! Language models over HTTP: one request, one answer, tools and structured output.
//!
//! A [`Model`] is found once, before anything is asked: its id is understood, its base URL and key
//! are there. An [`Ask`] is then answered by [`Client::ask`] with a [`Reply`] or a [`Failure`].
//! Nothing is tried twice in here: whether a failure is worth another try is for others to decide.
//!
//! `wire/` alone knows how each API words a request and an answer.

mod ask;
mod cancel;
mod client;
mod endpoint;
mod failure;
mod http;
mod leader;
mod messages;
mod model;
mod refusal;
mod structured;
mod wire;

pub use ask::{
    Answer, Ask, Call, Domains, FINAL_RESULT, Message, Native, Options, Reply, Stop, Tool,
    ToolResult, Usage, supports,
};
pub use cancel::Cancel;
pub use client::{Client, TIMEOUT_DEFAULT};
pub use endpoint::{Endpoint, Key};
pub use failure::{Failure, Kind};
pub use leader::{Leader, Led, Member, MemberAnswer, MemberCall, TURNS_MAX, lead};
pub use messages::{Conversation, Turn};
pub use model::{Error, Model, ModelId, Provider};
