//! Carries requests to the providers and answers back.

use std::collections::BTreeSet;
use std::io::Read;
use std::sync::mpsc::{self, RecvTimeoutError, SyncSender};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;
use ureq::config::ConfigBuilder;
use ureq::http::Response;
use ureq::typestate::AgentScope;
use ureq::{Agent, Body};

use crate::ask::{Ask, Reply, Stop, supports};
use crate::cancel::Cancel;
use crate::failure::{self, Failure, Head, Kind};
use crate::model::{Model, ModelId};
use crate::wire::{self, Request};

/// How long a call may take where nothing else is set.
pub const TIMEOUT_DEFAULT: Duration = Duration::from_secs(300);

const ANSWER_BYTES_MAX: u64 = 64 << 20;
/// Enough of an error to find its message in.
const ERROR_BYTES_MAX: u64 = 64 << 10;
/// How often a call looks whether it was cancelled.
const TICK: Duration = Duration::from_millis(20);
/// A caller does not wait for longer than that beyond its timeout.
const GRACE: Duration = Duration::from_millis(200);
const STACK_BYTES: usize = 512 << 10;
const PAUSES_MAX: usize = 10;

/// Keeps connections open between calls. Copies share them.
#[derive(Debug, Clone)]
pub struct Client {
    agent: Agent,
    /// The models that do not let anybody set a temperature.
    unsettable: Arc<Mutex<BTreeSet<ModelId>>>,
}

/// When a call has to be over, and how long that was in the beginning.
#[derive(Debug, Clone, Copy)]
struct Deadline {
    end: Instant,
    timeout: Duration,
}

impl Deadline {
    fn new(timeout: Duration) -> Deadline {
        // Nobody waits for a year, and the clock cannot count for ever.
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
            agent: config().build().new_agent(),
            unsettable: Arc::default(),
        }
    }

    /// Asks once. Cancelling returns at once, wherever the call is.
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

    /// Reasoning models refuse to be given a temperature, with a 400 that names it. They are asked
    /// without one then, and from then on.
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
            return Err(failure::from_response(model, &request.url, &head, &body));
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
        if let Some(failure) = failure::from_error_object(model, &json) {
            return Err(failure);
        }
        wire::reply(ask, json).map_err(|what| malformed(&what))
    }

    /// Has a thread do the call, so that this one can leave it. The thread's own timeout bounds
    /// its life then.
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
        let job = Job {
            agent: self.agent.clone(),
            url: request.url.clone(),
            headers: request.headers.clone(),
            body: request.body.to_string(),
            timeout: left,
            is_local: model.endpoint.is_local(),
            answer,
        };
        let started = thread::Builder::new()
            .name("model call".to_owned())
            .stack_size(STACK_BYTES)
            .spawn(move || job.run());
        if let Err(error) = started {
            return Err(Failure::unreachable(
                model,
                &format!("no thread can be started: {error}"),
            ));
        }
        loop {
            match answered.recv_timeout(TICK) {
                Ok(Ok(response)) => return Ok(response),
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

fn config() -> ConfigBuilder<AgentScope> {
    Agent::config_builder()
        .http_status_as_error(false)
        // A redirect would carry the key to wherever it leads.
        .max_redirects(0)
        .max_redirects_will_error(false)
        .user_agent(concat!("kumite/", env!("CARGO_PKG_VERSION")))
        .max_idle_connections(256)
        .max_idle_connections_per_host(128)
        .input_buffer_size(16 << 10)
        .output_buffer_size(16 << 10)
}

/// A reply that was paused, and what it went on with.
fn joined(paused: Reply, mut rest: Reply) -> Reply {
    rest.usage += paused.usage;
    rest.text.insert_str(0, &paused.text);
    if let (Some(Value::Array(mut raw)), Some(Value::Array(more))) = (paused.raw, &mut rest.raw) {
        raw.append(more);
        rest.raw = Some(Value::Array(raw));
    }
    rest
}

/// One HTTP call on its own thread.
struct Job {
    agent: Agent,
    url: String,
    headers: Vec<(&'static str, String)>,
    body: String,
    timeout: Duration,
    is_local: bool,
    answer: SyncSender<Result<(Head, Vec<u8>), ureq::Error>>,
}

impl Job {
    fn run(self) {
        let outcome = self.call();
        // Nobody listens any more if the call was cancelled.
        let _ = self.answer.send(outcome);
    }

    fn call(&self) -> Result<(Head, Vec<u8>), ureq::Error> {
        let mut config = self
            .agent
            .post(&self.url)
            .config()
            .timeout_global(Some(self.timeout));
        if self.is_local {
            config = config.proxy(None);
        }
        let mut request = config.build();
        // On this machine a new connection costs nothing. On one that was used before, simple
        // servers that send head and body in two pieces lose 40 ms: the second piece waits for an
        // acknowledgement that the system delays.
        if self.is_local {
            request = request.header("connection", "close");
        }
        for (name, value) in &self.headers {
            request = request.header(*name, value);
        }
        let mut response = request.send(&self.body)?;
        let head = head(&response);
        let body = response.body_mut();
        if (200..300).contains(&head.status) {
            if body.content_length() > Some(ANSWER_BYTES_MAX) {
                return Err(ureq::Error::BodyExceedsLimit(ANSWER_BYTES_MAX));
            }
            let body = body.with_config().limit(ANSWER_BYTES_MAX).read_to_vec()?;
            return Ok((head, body));
        }
        let mut start = Vec::new();
        // The status says enough if the rest does not come.
        let _ = body
            .as_reader()
            .take(ERROR_BYTES_MAX)
            .read_to_end(&mut start);
        Ok((head, start))
    }
}

fn head(response: &Response<Body>) -> Head {
    let header = |name: &str| {
        let value = response.headers().get(name)?;
        value.to_str().ok().map(str::to_owned)
    };
    Head {
        status: response.status().as_u16(),
        retry_after: header("retry-after"),
        retry_after_ms: header("retry-after-ms"),
    }
}

fn from_ureq(model: &Model, timeout: Duration, error: &ureq::Error) -> Failure {
    match error {
        ureq::Error::Timeout(_) => Failure::timed_out(model, timeout),
        ureq::Error::BodyExceedsLimit(_) => {
            let most = ANSWER_BYTES_MAX >> 20;
            Failure::malformed(model, &format!("the answer is larger than {most} MB"))
        }
        ureq::Error::Protocol(error) => {
            Failure::malformed(model, &format!("the answer is no HTTP: {error}"))
        }
        ureq::Error::LargeResponseHeader(..) => {
            Failure::malformed(model, "the headers of the answer are too large")
        }
        ureq::Error::Io(error) => Failure::unreachable(model, &error.to_string()),
        other => Failure::unreachable(model, &other.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;
    use std::net::TcpListener;

    /// Answers every request, and counts the connections that they come on.
    fn connections(is_local: bool) -> usize {
        const CALLS: usize = 5;
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}/", listener.local_addr().unwrap());
        let serving = thread::spawn(move || {
            let (mut connections, mut answered) = (0, 0);
            while answered < CALLS {
                let (mut conn, _) = listener.accept().unwrap();
                connections += 1;
                let mut seen = Vec::new();
                let mut piece = [0; 1024];
                while let Ok(read @ 1..) = conn.read(&mut piece) {
                    seen.extend_from_slice(&piece[..read]);
                    if seen.ends_with(b"the body") {
                        seen.clear();
                        conn.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok")
                            .unwrap();
                        answered += 1;
                    }
                    if answered == CALLS {
                        break;
                    }
                }
            }
            connections
        });
        let agent = config().proxy(None).build().new_agent();
        for _ in 0..CALLS {
            let job = Job {
                agent: agent.clone(),
                url: url.clone(),
                headers: Vec::new(),
                body: "the body".to_owned(),
                timeout: TIMEOUT_DEFAULT,
                is_local,
                answer: mpsc::sync_channel(1).0,
            };
            assert_eq!(job.call().unwrap().1, b"ok");
        }
        drop(agent);
        serving.join().unwrap()
    }

    #[test]
    fn calls_of_a_provider_share_a_connection() {
        assert_eq!(connections(false), 1);
    }

    #[test]
    fn every_call_on_this_machine_has_its_own_connection() {
        assert_eq!(connections(true), 5);
    }
}
