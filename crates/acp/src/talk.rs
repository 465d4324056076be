//! The conversation with the agent: greet, open a session, send the prompt, part.

use std::path::PathBuf;
use std::process::ExitStatus;
use std::time::{Duration, Instant};

use agent_client_protocol_schema::ProtocolVersion;
use agent_client_protocol_schema::v1::{
    AGENT_METHOD_NAMES, CLIENT_METHOD_NAMES, CancelNotification, ClientCapabilities, ContentBlock,
    Error, FileSystemCapabilities, Implementation, InitializeRequest, InitializeResponse,
    LoadSessionRequest, NewSessionRequest, PromptRequest, ResumeSessionRequest,
    SessionNotification, StopReason,
};
use kumite_agents::Said;
use kumite_core::outcome::Outcome;
use rustix::process::Signal;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::agent::{Agent, Event};
use crate::answer::{Client, Policy};
use crate::fault;
use crate::lines::Received;
use crate::tell::Teller;

/// How long an agent may take to react to a cancellation, and to exit when asked to.
const PATIENCE: Duration = Duration::from_secs(2);
/// A replay is over when nothing came for this long. In the protocol it ends with the answer, but
/// Gemini CLI answers earlier.
const REPLAY_QUIET: Duration = Duration::from_millis(300);
const REPLAY_MAX: Duration = Duration::from_secs(10);

/// How much is reported of a line that is not a message.
const GARBAGE_MAX: usize = 2000;

/// How the conversation ended.
pub enum TalkEnd {
    Ended(Outcome),
    /// This signal asked us to end.
    Signal(i32),
}

impl TalkEnd {
    pub fn outcome(self) -> Outcome {
        match self {
            TalkEnd::Ended(outcome) => outcome,
            TalkEnd::Signal(signal) => {
                Outcome::Failed(format!("was interrupted by signal {signal}"))
            }
        }
    }
}

pub struct Talk<'a> {
    agent: Agent,
    teller: &'a mut Teller,
    client: Client,
    cwd: PathBuf,
    session: Option<String>,
    asked: u64,
    closed: bool,
    exited: Option<Option<ExitStatus>>,
    /// Set when it closed its output or exited: until then, earlier output may still arrive.
    leaves_by: Option<Instant>,
}

/// The result of one event.
enum Step {
    Answer(u64, Result<Value, Error>),
    Done,
    Signal(i32),
    Late,
}

/// A JSON-RPC message of any kind.
#[derive(Deserialize)]
struct Message {
    id: Option<Value>,
    method: Option<String>,
    #[serde(default)]
    params: Value,
    #[serde(default)]
    result: Value,
    error: Option<Value>,
}

impl<'a> Talk<'a> {
    pub fn new(agent: Agent, teller: &'a mut Teller, cwd: PathBuf, policy: Policy) -> Talk<'a> {
        Talk {
            agent,
            teller,
            client: Client::new(cwd.clone(), policy),
            cwd,
            session: None,
            asked: 0,
            closed: false,
            exited: None,
            leaves_by: None,
        }
    }

    pub fn run(mut self, prompt: &str, resume: Option<&str>) -> TalkEnd {
        let end = self
            .converse(prompt, resume)
            .map_or_else(|end| end, TalkEnd::Ended);
        match end {
            TalkEnd::Ended(_) => self.part(),
            // The sender of the signal will end all of us; this is only a chance to save the
            // session.
            TalkEnd::Signal(_) => {
                self.cancel();
                self.agent.signal(Signal::TERM);
            }
        }
        end
    }

    fn converse(&mut self, prompt: &str, resume: Option<&str>) -> Result<Outcome, TalkEnd> {
        let names = AGENT_METHOD_NAMES;
        let hello = self.greet()?;
        let session = match resume {
            Some(session) => self.resume(session, &hello)?,
            None => {
                let request = NewSessionRequest::new(self.cwd.clone());
                let opened = self.ask(names.session_new, &request)?;
                self.opened(None, opened.map_err(|error| fault::outcome(&error, None)))?
            }
        };
        self.teller.used.prompt_begins();
        let prompt = PromptRequest::new(session, vec![ContentBlock::from(prompt)]);
        Ok(match self.ask(names.session_prompt, &prompt)? {
            Ok(answer) => {
                self.teller.used.answered(&answer);
                stopped(&answer["stopReason"])
            }
            Err(error) => fault::outcome(&error, self.teller.used.limited_until_ms()),
        })
    }

    fn greet(&mut self) -> Result<InitializeResponse, TalkEnd> {
        // Without terminals an agent starts its commands itself, so the supervisor can find them.
        // There is no editor with unsaved files, so agents may read files themselves. (Gemini CLI
        // 0.61 cannot create a file if its client reads for it: it does not understand that a file
        // is missing.)
        let files = FileSystemCapabilities::new().write_text_file(true);
        let request = InitializeRequest::new(ProtocolVersion::V1)
            .client_capabilities(ClientCapabilities::new().fs(files))
            .client_info(Implementation::new("kumite", env!("CARGO_PKG_VERSION")));
        let failed = |sentence: String| TalkEnd::Ended(Outcome::Failed(sentence));
        let answer = self
            .ask(AGENT_METHOD_NAMES.initialize, &request)?
            .map_err(|error| TalkEnd::Ended(fault::outcome(&error, None)))?;
        let hello: InitializeResponse = serde_json::from_value(answer)
            .map_err(|error| failed(format!("does not greet as the protocol wants: {error}")))?;
        match hello.protocol_version {
            ProtocolVersion::V1 => Ok(hello),
            other => Err(failed(format!(
                "speaks version {other} of the Agent Client Protocol, and kumite speaks version 1; install a version of it that does"
            ))),
        }
    }

    fn resume(&mut self, session: &str, hello: &InitializeResponse) -> Result<String, TalkEnd> {
        let names = AGENT_METHOD_NAMES;
        let able = &hello.agent_capabilities;
        let opened = if able.session_capabilities.resume.is_some() {
            let request = ResumeSessionRequest::new(session.to_owned(), self.cwd.clone());
            self.ask(names.session_resume, &request)?
        } else if able.load_session {
            self.teller.is_replay = true;
            let request = LoadSessionRequest::new(session.to_owned(), self.cwd.clone());
            let opened = self.ask(names.session_load, &request)?;
            if opened.is_ok() {
                self.wait_for_replay()?;
            }
            self.teller.is_replay = false;
            opened
        } else {
            let sentence = "the agent cannot resume sessions".to_owned();
            return Err(TalkEnd::Ended(Outcome::SessionGone(sentence)));
        };
        let opened = opened.map_err(|error| fault::of_resuming(&error));
        self.opened(Some(session), opened)
    }

    fn wait_for_replay(&mut self) -> Result<(), TalkEnd> {
        let end = Instant::now() + REPLAY_MAX;
        loop {
            match self.step(Some(end.min(Instant::now() + REPLAY_QUIET))) {
                Step::Late => return Ok(()),
                Step::Signal(signal) => return Err(TalkEnd::Signal(signal)),
                Step::Answer(..) | Step::Done => {}
            }
        }
    }

    /// Handles the answer to any request that opens a session; `known` is its id, if we had it.
    fn opened(
        &mut self,
        known: Option<&str>,
        opened: Result<Value, Outcome>,
    ) -> Result<String, TalkEnd> {
        let opened = opened.map_err(TalkEnd::Ended)?;
        let Some(session) = opened["sessionId"].as_str().or(known) else {
            let sentence = "opened a session without a name".to_owned();
            return Err(TalkEnd::Ended(Outcome::Failed(sentence)));
        };
        self.session = Some(session.to_owned());
        self.teller.say(Said::Started {
            session: self.session.clone(),
            model: model(&opened),
        });
        Ok(session.to_owned())
    }

    /// Sends a request, and serves the agent until it answers. The inner error is the agent's.
    fn ask(
        &mut self,
        method: &str,
        params: &impl Serialize,
    ) -> Result<Result<Value, Error>, TalkEnd> {
        self.asked += 1;
        let id = self.asked;
        self.agent
            .send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}));
        while !self.is_gone() {
            match self.step(self.leaves_by) {
                Step::Answer(of, answer) if of == id => return Ok(answer),
                Step::Answer(..) | Step::Done => {}
                Step::Signal(signal) => return Err(TalkEnd::Signal(signal)),
                Step::Late => break,
            }
        }
        let how = match self.exited.flatten() {
            Some(status) => ended(status),
            None => "closed its output".to_owned(),
        };
        let sentence = format!("{how} before it answered {method}");
        Err(TalkEnd::Ended(Outcome::Failed(sentence)))
    }

    /// Nothing more can come from the agent. A child of the agent may still hold its output, but we
    /// do not wait for that.
    fn is_gone(&self) -> bool {
        let is_late = || self.leaves_by.is_some_and(|by| by <= Instant::now());
        self.exited.is_some() && (self.closed || is_late())
    }

    fn step(&mut self, until: Option<Instant>) -> Step {
        let step = match self.agent.next(until) {
            None => return Step::Late,
            Some(Event::Signal(signal)) => return Step::Signal(signal),
            Some(Event::Line(line)) => return self.hear(line),
            Some(Event::Closed) => {
                self.closed = true;
                Step::Done
            }
            Some(Event::Exited(status)) => {
                self.exited = Some(status.ok());
                Step::Done
            }
        };
        self.leaves_by.get_or_insert(Instant::now() + PATIENCE);
        step
    }

    fn hear(&mut self, line: Received) -> Step {
        let step = match line {
            Received::TooLong(bytes) => {
                self.teller.note(&format!(
                    "a line of {bytes} bytes was skipped: it is too long"
                ));
                Step::Done
            }
            Received::Whole(line) if line.trim_ascii().is_empty() => Step::Done,
            Received::Whole(line) => match serde_json::from_slice::<Message>(&line) {
                Ok(message) if message.method.is_some() || message.id.is_some() => {
                    self.take(message)
                }
                _ => {
                    let text = String::from_utf8_lossy(&line);
                    let text = &text[..text.floor_char_boundary(GARBAGE_MAX)];
                    self.teller.note(&format!("not a message: {text}"));
                    Step::Done
                }
            },
        };
        self.teller.alive();
        step
    }

    fn take(&mut self, message: Message) -> Step {
        match (message.method, message.id) {
            (Some(method), Some(id)) => {
                let answer = self.client.answer(&method, message.params, self.teller);
                self.agent.send(&match answer {
                    Ok(result) => json!({"jsonrpc": "2.0", "id": id, "result": result}),
                    Err(error) => json!({"jsonrpc": "2.0", "id": id, "error": error}),
                });
            }
            (Some(method), None) if method == CLIENT_METHOD_NAMES.session_update => {
                // An unknown update is newer than this code, and not needed.
                let news = serde_json::from_value::<SessionNotification>(message.params);
                if let Ok(news) = news {
                    self.teller.update(news.update);
                }
            }
            (None, Some(id)) => {
                let answer = match message.error {
                    None => Ok(message.result),
                    Some(error) => Err(serde_json::from_value(error.clone())
                        .unwrap_or_else(|_| Error::new(-32603, error.to_string()))),
                };
                return id
                    .as_u64()
                    .map_or(Step::Done, |id| Step::Answer(id, answer));
            }
            (Some(_), None) | (None, None) => {}
        }
        Step::Done
    }

    /// Cancels the prompt, and gives the agent a moment to react.
    fn cancel(&mut self) {
        let Some(session) = self.session.clone() else {
            return;
        };
        self.client.is_cancelled = true;
        let (method, params) = (
            AGENT_METHOD_NAMES.session_cancel,
            CancelNotification::new(session),
        );
        self.agent
            .send(&json!({"jsonrpc": "2.0", "method": method, "params": params}));
        let until = Instant::now() + PATIENCE;
        while !self.is_gone() {
            match self.step(Some(until)) {
                Step::Done => {}
                Step::Answer(..) | Step::Signal(_) | Step::Late => return,
            }
        }
    }

    /// Ends the agent, which may still write until it exits. It is asked politely first.
    fn part(&mut self) {
        self.agent.close();
        self.linger();
        for signal in [Signal::TERM, Signal::KILL] {
            if self.exited.is_none() {
                self.agent.signal(signal);
                self.linger();
            }
        }
    }

    fn linger(&mut self) {
        let until = Instant::now() + PATIENCE;
        while !self.is_gone() {
            if let Step::Late | Step::Signal(_) = self.step(Some(until)) {
                return;
            }
        }
    }
}

/// The model of a session, from either of the two places where agents put it.
fn model(opened: &Value) -> Option<String> {
    let options = opened["configOptions"].as_array().into_iter().flatten();
    let mut chosen = options.filter(|option| option["category"] == "model");
    let chosen = chosen.find_map(|option| option["currentValue"].as_str());
    let model = opened["models"]["currentModelId"].as_str().or(chosen)?;
    Some(model.to_owned())
}

fn stopped(reason: &Value) -> Outcome {
    let sentence = match StopReason::deserialize(reason) {
        Ok(StopReason::EndTurn) => return Outcome::Finished,
        Ok(StopReason::MaxTokens) => {
            "stopped because its answer reached the token limit".to_owned()
        }
        Ok(StopReason::MaxTurnRequests) => {
            "stopped because it asked its model as often as it may".to_owned()
        }
        Ok(StopReason::Refusal) => "refused to go on".to_owned(),
        Ok(StopReason::Cancelled) => "stopped because its prompt was cancelled".to_owned(),
        _ => format!("stopped for a reason that kumite does not know: {reason}"),
    };
    Outcome::Failed(sentence)
}

fn ended(status: ExitStatus) -> String {
    use std::os::unix::process::ExitStatusExt;
    match (status.code(), status.signal()) {
        (Some(code), _) => format!("ended with exit code {code}"),
        (None, Some(signal)) => format!("was killed by signal {signal}"),
        (None, None) => "ended".to_owned(),
    }
}
