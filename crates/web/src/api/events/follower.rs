//! A client that follows the news: first what it missed, from the file, then live.

use std::sync::Arc;
use std::time::Duration;

use axum::body::Bytes;
use kumite_core::journal::AgentId;
use kumite_project::news::{Position, Reader};
use kumite_project::project::Spec;
use serde_json::json;
use tokio::sync::broadcast::error::RecvError;
use tokio::sync::{broadcast, watch};
use tokio::time::{Instant, Interval, MissedTickBehavior, interval, interval_at};

use super::streams::OpenStream;
use crate::api::Refusal;
use crate::app::{App, Shared};
use crate::auth::Who;
use crate::hub::Sent;

/// How often something is sent, so that no proxy takes the connection for dead.
const BEAT: Duration = Duration::from_secs(15);
/// How often a watched log is checked.
const LOG: Duration = Duration::from_millis(200);
/// How many milliseconds a browser waits before it reconnects by itself.
const RETRY: &str = "retry: 1000\n\n";

pub struct Follower {
    app: Shared,
    live: broadcast::Receiver<Sent>,
    /// The position after the last item sent.
    position: Position,
    /// Sent before anything else.
    ready: Option<Bytes>,
    /// Set while there is something to catch up with.
    missed: Option<Reader>,
    watched: Option<Watched>,
    beat: Interval,
    look: Interval,
    ended: watch::Receiver<bool>,
    who: Who,
    _stream: OpenStream,
}

/// The log of an agent that the client watches.
pub struct Watched {
    log: Arc<(Spec, AgentId)>,
    lines: Option<u64>,
}

impl Watched {
    pub fn new(spec: Spec, agent: AgentId) -> Watched {
        Watched {
            log: Arc::new((spec, agent)),
            lines: None,
        }
    }
}

impl Follower {
    /// `after`: `None` for a client that begins now, `Some(None)` for a position that makes no
    /// sense.
    pub async fn new(
        app: &Shared,
        after: Option<Option<Position>>,
        watched: Option<Watched>,
        who: Who,
        stream: OpenStream,
    ) -> Result<Follower, Refusal> {
        // Listen before reading, so that nothing in between is missed.
        let live = app.hub.listen();
        let mut look = interval(LOG);
        look.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut follower = Follower {
            live,
            position: app.hub.position(),
            ready: None,
            missed: None,
            watched,
            beat: interval_at(Instant::now() + BEAT, BEAT),
            look,
            ended: app.ended.clone(),
            app: Arc::clone(app),
            who,
            _stream: stream,
        };
        let first = match after {
            None => follower.hello(),
            Some(after) => {
                let found = match after {
                    Some(after) => follower.go_back(after).await?,
                    None => false,
                };
                if found {
                    String::new()
                } else {
                    follower.reset()
                }
            }
        };
        follower.ready = Some(Bytes::from(format!("{RETRY}{first}")));
        Ok(follower)
    }

    fn hello(&self) -> String {
        let position = self.position;
        let data = json!({ "position": position.to_string() });
        format!("id: {position}\nevent: hello\ndata: {data}\n\n")
    }

    /// What was missed is unknown, so the client has to load everything again.
    fn reset(&mut self) -> String {
        self.position = self.app.hub.position();
        format!("event: reset\ndata: {{}}\n\n{}", self.hello())
    }

    /// Goes back to a position, if everything after it is still kept.
    async fn go_back(&mut self, position: Position) -> Result<bool, Refusal> {
        let read = move |app: &App| app.hub.behind(position);
        self.missed = self.app.read(read).await??;
        self.position = position;
        Ok(self.missed.is_some())
    }

    /// The next piece to send. None: the stream is over.
    pub async fn next(&mut self) -> Option<Bytes> {
        loop {
            if *self.ended.borrow() || self.who.is_over() {
                return None;
            }
            if let Some(ready) = self.ready.take() {
                return Some(ready);
            }
            if let Some(missed) = self.missed.take() {
                self.ready = self.catch_up(missed).await?;
                continue;
            }
            tokio::select! {
                ended = self.ended.changed() => ended.ok()?,
                sent = self.live.recv() => match sent {
                    // Skip what was already sent from the file.
                    Ok(sent) if sent.position <= self.position => {}
                    Ok(sent) => {
                        self.position = sent.position;
                        self.ready = Some(sent.bytes);
                    }
                    Err(RecvError::Lagged(_)) => {
                        if !self.go_back(self.position).await.ok()? {
                            self.ready = Some(Bytes::from(self.reset()));
                        }
                    }
                    Err(RecvError::Closed) => return None,
                },
                _ = self.beat.tick() => self.ready = Some(Bytes::from_static(b":\n\n")),
                _ = self.look.tick(), if self.watched.is_some() => {
                    self.ready = self.look_at_log().await;
                }
            }
        }
    }

    /// The next piece of what was missed. None: the file cannot be read, and the client is told
    /// when it reconnects.
    async fn catch_up(&mut self, mut missed: Reader) -> Option<Option<Bytes>> {
        let read = move |_: &App| {
            let items = missed.read()?;
            let words: Vec<Bytes> = items.iter().map(|item| Sent::of(item).bytes).collect();
            Ok::<_, std::io::Error>((words.concat(), missed))
        };
        let (words, missed) = self.app.read(read).await.ok()?.ok()?;
        if words.is_empty() {
            return Some(None);
        }
        self.position = missed.position();
        self.missed = Some(missed);
        Some(Some(Bytes::from(words)))
    }

    /// The message to send if the log has grown. An unreadable log counts as not grown.
    async fn look_at_log(&mut self) -> Option<Bytes> {
        let watched = self.watched.as_mut()?;
        let log = Arc::clone(&watched.log);
        let look = move |app: &App| app.logs.look(&log.0, log.1);
        let log = self.app.read(look).await.ok()?.ok()??;
        let lines = log.last();
        if watched.lines.replace(lines) == Some(lines) {
            return None;
        }
        let (spec, agent) = &*watched.log;
        let data = json!({"spec": spec.name, "agent": agent.to_string(), "lines": lines});
        Some(Bytes::from(format!("event: log\ndata: {data}\n\n")))
    }
}
