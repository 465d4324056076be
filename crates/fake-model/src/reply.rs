//! Sends the answer of an act.

use std::io::{self, Read, Write};
use std::net::TcpStream;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use crate::answer::{Answer, Failure, Part};
use crate::api::{Api, Event};
use crate::connection::{After, send_refusal};
use crate::conversation::{BROKEN_OFF, Conversation};
use crate::http;
use crate::script::{Act, Usage};
use crate::server::{SelectedAnswer, Shared};
use crate::tools;

pub(crate) struct Reply<'a> {
    pub shared: &'a Shared,
    pub conn: &'a TcpStream,
    pub api: &'a dyn Api,
    pub talk: &'a Conversation,
    /// If Gemini's stream is not requested as events, it is a JSON array.
    pub as_array: bool,
}

impl Reply<'_> {
    pub fn send(&self, answer: &SelectedAnswer) -> io::Result<After> {
        if !answer.delay.is_zero() && !self.shared.rest(answer.delay) {
            return Ok(After::Close);
        }
        self.act(&answer.act, answer.usage)
    }

    fn act(&self, act: &Act, usage: Usage) -> io::Result<After> {
        let now_s = since_epoch().as_secs().cast_signed();
        match act {
            Act::Only { act, .. } => self.act(act, usage),
            Act::Limit { resets_in_s, .. } => {
                let resets_at_s = resets_in_s.map(|after| now_s.saturating_add(after));
                self.fail(&Failure::Limit { now_s, resets_at_s })
            }
            Act::Overload { .. } => self.fail(&Failure::Overload),
            Act::Rate { retry_after_s, .. } => self.fail(&Failure::Rate {
                retry_after_s: *retry_after_s,
            }),
            Act::Auth { .. } => self.fail(&Failure::Auth),
            Act::Error {
                status, message, ..
            } => self.fail(&Failure::Status {
                status: *status,
                message: message.clone(),
            }),
            Act::Hang { .. } => self.stay_silent(),
            Act::HangMid { .. } => {
                self.break_off(usage)?;
                self.stay_silent()
            }
            Act::Cut { .. } => {
                self.break_off(usage)?;
                Ok(After::Close)
            }
            Act::Garbage { .. } => {
                let page = "<html><body><h1>It works!</h1></body></html>";
                send_whole(self.conn, 200, "text/html", &[], page)?;
                Ok(After::GoOn)
            }
            Act::Slow { ms, .. } => {
                if !self.shared.rest(Duration::from_millis(*ms)) {
                    return Ok(After::Close);
                }
                self.answer(Vec::new(), usage)
            }
            Act::Say { .. }
            | Act::Think { .. }
            | Act::Write { .. }
            | Act::Read { .. }
            | Act::Run { .. }
            | Act::Tool { .. }
            | Act::Result { .. }
            | Act::All(_)
            | Act::Huge { .. } => self.answer(tools::parts(act, self.talk), usage),
        }
    }

    fn fail(&self, failure: &Failure) -> io::Result<After> {
        send_refusal(self.conn, &self.api.failure(failure))
    }

    /// No program accepts thoughts alone as an answer, so a text is added.
    fn answer(&self, mut parts: Vec<Part>, usage: Usage) -> io::Result<After> {
        if parts.iter().all(|part| matches!(part, Part::Think(_))) {
            parts.push(Part::Text("done.".to_owned()));
        }
        let answer = self.make(parts, usage);
        if self.talk.stream && !self.as_array {
            self.begin_stream()?;
            for event in self.api.events(&answer) {
                self.send_event(&event)?;
            }
            http::write_last_chunk(&mut self.conn())?;
        } else {
            send_whole(
                self.conn,
                200,
                "application/json",
                &[],
                &self.whole(&answer),
            )?;
        }
        Ok(After::GoOn)
    }

    /// Sends the first half of an answer.
    fn break_off(&self, usage: Usage) -> io::Result<()> {
        let answer = self.make(vec![Part::Text(BROKEN_OFF.to_owned())], usage);
        if self.talk.stream && !self.as_array {
            let events = self.api.events(&answer);
            self.begin_stream()?;
            return events[..events.len() / 2]
                .iter()
                .try_for_each(|event| self.send_event(event));
        }
        let body = self.whole(&answer);
        let mut conn = self.conn();
        http::write_head(&mut conn, 200, "application/json", &[], Some(body.len()))?;
        conn.write_all(&body.as_bytes()[..body.len() / 2])
    }

    /// Waits until the client goes, or the server ends.
    fn stay_silent(&self) -> io::Result<After> {
        let mut ignored = [0; 1024];
        while self.conn().read(&mut ignored)? > 0 {}
        Ok(After::Close)
    }

    fn make(&self, parts: Vec<Part>, usage: Usage) -> Answer {
        let (id, at_s) = (new_id(), since_epoch().as_secs());
        Answer {
            id,
            at_s,
            model: self.talk.model.clone(),
            parts,
            usage,
        }
    }

    fn whole(&self, answer: &Answer) -> String {
        if self.as_array {
            let events = self.api.events(answer).into_iter().map(|event| event.data);
            return format!("[{}]", events.collect::<Vec<_>>().join(","));
        }
        self.api.whole(answer).to_string()
    }

    fn begin_stream(&self) -> io::Result<()> {
        http::write_head(&mut self.conn(), 200, self.api.stream_kind(), &[], None)
    }

    fn send_event(&self, event: &Event) -> io::Result<()> {
        http::write_chunk(&mut self.conn(), &self.api.stream_text(event))
    }

    /// Writing needs a mutable reference, which the field itself cannot give.
    fn conn(&self) -> &TcpStream {
        self.conn
    }
}

/// A small answer is sent in one piece: one packet, and one system call.
const JOINED_BYTES_MAX: usize = 8 << 10;

pub(crate) fn send_whole(
    mut conn: &TcpStream,
    status: u16,
    kind: &str,
    headers: &[(&'static str, String)],
    body: &str,
) -> io::Result<()> {
    let mut start = Vec::with_capacity(JOINED_BYTES_MAX);
    http::write_head(&mut start, status, kind, headers, Some(body.len()))?;
    if start.len() + body.len() <= JOINED_BYTES_MAX {
        start.extend_from_slice(body.as_bytes());
        return conn.write_all(&start);
    }
    conn.write_all(&start)?;
    conn.write_all(body.as_bytes())
}

/// Always unique, even for conversations that outlive a server.
fn new_id() -> String {
    static MADE: AtomicU64 = AtomicU64::new(0);
    let number = MADE.fetch_add(1, Ordering::Relaxed);
    format!("{:x}{number:04x}", since_epoch().as_micros())
}

fn since_epoch() -> Duration {
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default()
}
