//! Sends requests to the providers and returns their answers.

use std::collections::BTreeSet;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;
use ureq::Agent;

use crate::ask::{Ask, Reply, Stop, supports};
use crate::cancel::Cancel;
use crate::connect::cancellable;
use crate::failure::{Failure, Kind};
use crate::http::{Head, Transfer, agent, config, from_ureq};
use crate::model::{Model, ModelId};
use crate::refusal;
use crate::wire::{self, Request};

/// The timeout of a call if none is set.
pub const TIMEOUT_DEFAULT: Duration = Duration::from_secs(300);

/// How often a call checks for cancellation.
const TICK: Duration = Duration::from_millis(20);
/// The longest time that a caller waits beyond its timeout.
const GRACE: Duration = Duration::from_millis(200);
const STACK_BYTES: usize = 512 << 10;
const PAUSES_MAX: usize = 10;

/// Keeps connections open between calls. Copies share them.
#[derive(Debug, Clone)]
pub struct Client {
    agent: Agent,
    /// Models that do not accept a temperature.
    unsettable: Arc<Mutex<BTreeSet<ModelId>>>,
}

/// When a call must be over, and the original timeout.
#[derive(Debug, Clone, Copy)]
struct Deadline {
    end: Instant,
    timeout: Duration,
}

impl Deadline {
    fn new(timeout: Duration) -> Deadline {
        // Nobody waits for a year, and a larger value could overflow the clock.
        let timeout = timeout.min(Duration::from_secs(365 * 86_400));
        let end = Instant::now() + timeout;
        Deadline { end, timeout }
    }
}

impl Default for Client {
    fn default() -> Client {
        Client::new()
    }
}

impl Client {
    pub fn new() -> Client {
        Client {
            agent: agent(config()),
            unsettable: Arc::default(),
        }
    }

    /// Sends one request. Cancellation returns at once, at any point of the call.
    pub fn ask(&self, ask: &Ask, cancel: &Cancel) -> Result<Reply, Failure> {
        let model = &ask.model;
        if let Some(native) = ask
            .native
            .iter()
            .find(|native| !supports(model.id.provider, native))
        {
            return Err(Failure {
                kind: Kind::Refused { status: 400 },
                message: format!("{} cannot do {native:?} on its side", model.id),
            });
        }
        let deadline = Deadline::new(ask.options.timeout.unwrap_or(TIMEOUT_DEFAULT));
        let mut reply = self.ask_settable(ask, deadline, cancel)?;
        for _ in 0..PAUSES_MAX {
            if reply.stop != Stop::Paused {
                break;
            }
            let mut more = ask.clone();
            more.messages.push(reply.message());
            reply = joined(reply, self.ask_settable(&more, deadline, cancel)?);
        }
        Ok(reply)
    }

    /// Reasoning models refuse a temperature with a 400 that names it. The request is then repeated
    /// without one, and so are all later requests.
    fn ask_settable(
        &self,
        ask: &Ask,
        deadline: Deadline,
        cancel: &Cancel,
    ) -> Result<Reply, Failure> {
        let unsettable = || {
            self.unsettable
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
        };
        if ask.options.temperature.is_none() {
            return self.ask_once(ask, deadline, cancel);
        }
        if !unsettable().contains(&ask.model.id) {
            match self.ask_once(ask, deadline, cancel) {
                Err(Failure {
                    kind: Kind::Refused { status: 400 },
                    message,
                }) if message.contains("temperature") => {}
                other => return other,
            }
        }
        let mut without = ask.clone();
        without.options.temperature = None;
        let reply = self.ask_once(&without, deadline, cancel)?;
        unsettable().insert(ask.model.id.clone());
        Ok(reply)
    }

    fn ask_once(&self, ask: &Ask, deadline: Deadline, cancel: &Cancel) -> Result<Reply, Failure> {
        let model = &ask.model;
        let request = wire::request(ask);
        let (head, body) = self.send(model, &request, deadline, cancel)?;
        if !(200..300).contains(&head.status) {
            return Err(refusal::from_response(model, &request.url, &head, &body));
        }
        let malformed = |what: &str| Failure::malformed(model, what);
        let body =
            String::from_utf8(body).map_err(|_| malformed("the answer is not valid UTF-8"))?;
        if body.trim().is_empty() {
            return Err(malformed("the answer is empty"));
        }
        let json: Value = serde_json::from_str(&body).map_err(|error| {
            malformed(&format!(
                "the answer is no JSON ({error}), it begins with: {body}"
            ))
        })?;
        if let Some(failure) = refusal::from_error_object(model, &json) {
            return Err(failure);
        }
        wire::reply(ask, json).map_err(|what| malformed(&what))
    }

    /// Makes the call in a separate thread, so that this thread can stop waiting at once. A cancel
    /// ends that thread and its connection a moment later; a name lookup or a connection attempt in
    /// progress is finished first.
    fn send(
        &self,
        model: &Model,
        request: &Request,
        deadline: Deadline,
        cancel: &Cancel,
    ) -> Result<(Head, Vec<u8>), Failure> {
        if cancel.is_cancelled() {
            return Err(Failure::cancelled(model));
        }
        let left = deadline.end.saturating_duration_since(Instant::now());
        let (answer, answered) = mpsc::sync_channel(1);
        let job = Transfer {
            agent: self.agent.clone(),
            url: request.url.clone(),
            headers: request.headers.clone(),
            body: request.body.to_string(),
            timeout: left,
            is_local: model.endpoint.is_local(),
        };
        let its_cancel = cancel.clone();
        let started = thread::Builder::new()
            .name("model call".to_owned())
            .stack_size(STACK_BYTES)
            .spawn(move || {
                // If the call was cancelled, nobody receives this.
                let _ = answer.send(cancellable(&its_cancel, || job.call()));
            });
        if let Err(error) = started {
            return Err(Failure::unreachable(
                model,
                &format!("no thread can be started: {error}"),
            ));
        }
        loop {
            match answered.recv_timeout(TICK) {
                Ok(Ok(response)) => return Ok(response),
                Ok(Err(_)) if cancel.is_cancelled() => return Err(Failure::cancelled(model)),
                Ok(Err(error)) => return Err(from_ureq(model, deadline.timeout, &error)),
                Err(RecvTimeoutError::Disconnected) => {
                    return Err(Failure::unreachable(
                        model,
                        "the call ended without an outcome",
                    ));
                }
                Err(RecvTimeoutError::Timeout) if cancel.is_cancelled() => {
                    return Err(Failure::cancelled(model));
                }
                Err(RecvTimeoutError::Timeout) if Instant::now() > deadline.end + GRACE => {
                    return Err(Failure::timed_out(model, deadline.timeout));
                }
                Err(RecvTimeoutError::Timeout) => {}
            }
        }
    }
}

/// Joins a paused reply with its continuation.
fn joined(paused: Reply, mut rest: Reply) -> Reply {
    rest.usage += paused.usage;
    rest.text.insert_str(0, &paused.text);
    if let (Some(Value::Array(mut raw)), Some(Value::Array(more))) = (paused.raw, &mut rest.raw) {
        raw.append(more);
        rest.raw = Some(Value::Array(raw));
    }
    rest
}
