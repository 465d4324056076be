//! Language models over HTTP: one request, one answer, tools and structured output.
//!
//! A [`Model`] is resolved once, before the first request: its id is valid, its base URL and key
//! exist. [`Client::ask`] then answers an [`Ask`] with a [`Reply`] or a [`Failure`].
//! Nothing is retried here: the caller decides whether a failure is worth another try.
//!
//! Only `wire/` knows the format of each API.

mod ask;
mod cancel;
mod client;
mod connect;
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
pub use connect::{cancellable, connector};
pub use endpoint::{Endpoint, Key};
pub use failure::{Failure, Kind};
pub use leader::{Leader, Led, Member, MemberAnswer, MemberCall, TURNS_MAX, lead};
pub use messages::{Conversation, Exchange};
pub use model::{Error, Model, ModelId, Provider};
