//! One connection: requests in, answers out, until either side closes it.

use std::io::{self, BufReader, Read};
use std::net::{Shutdown, TcpStream};

use serde_json::{Value, json};

use crate::answer::{Failure, Refusal};
use crate::api::{self, Api, Ask};
use crate::conversation::Conversation;
use crate::http::{self, NoRequest, Request};
use crate::reply;
use crate::seen_request::{By, SeenRequest, shortened};
use crate::server::Shared;

/// Whether a connection can carry another request.
#[derive(Debug, PartialEq)]
pub(crate) enum After {
    GoOn,
    Close,
}

pub(crate) fn serve(shared: &Shared, conn: &TcpStream) {
    let _ = conn.set_nodelay(true);
    let Ok(copy) = conn.try_clone() else { return };
    let mut reader = BufReader::new(copy);
    loop {
        match http::read(&mut reader) {
            Ok(request) => {
                let exchange = Exchange {
                    shared,
                    conn,
                    request: &request,
                };
                match exchange.answer() {
                    Ok(After::GoOn) if request.keep_alive => {}
                    // The client has gone, so there is nobody to inform.
                    Ok(After::GoOn | After::Close) | Err(_) => return,
                }
            }
            Err(NoRequest::Gone) => return,
            Err(NoRequest::Bad { status, message }) => {
                let request = &Request::default();
                let _ = Exchange {
                    shared,
                    conn,
                    request,
                }
                .refuse(api::ANY, status, &message);
                let _ = conn.shutdown(Shutdown::Write);
                // A client that still sends would lose the answer if the connection closed now.
                let _ = io::copy(&mut reader.by_ref().take(1 << 30), &mut io::sink());
                return;
            }
        }
    }
}

/// One request and its answer.
struct Exchange<'a> {
    shared: &'a Shared,
    conn: &'a TcpStream,
    request: &'a Request,
}

impl Exchange<'_> {
    fn answer(&self) -> io::Result<After> {
        match self.request.method.as_str() {
            "HEAD" => self.housekeeping(None),
            "GET" => self.get(),
            "POST" => self.post(),
            other => self.refuse(api::ANY, 405, &format!("{other} is not understood")),
        }
    }

    fn get(&self) -> io::Result<After> {
        if self.request.header("upgrade").is_some() {
            // Codex tries a WebSocket first. This status makes it use HTTP without another try.
            return self.refuse(api::ANY, 426, "there are no WebSockets here");
        }
        if self.request.path == "/" {
            return self.housekeeping(Some(json!({"ok": true})));
        }
        match api::models(&self.request.path) {
            Some(models) => self.housekeeping(Some(models)),
            None => self.unknown(),
        }
    }

    fn post(&self) -> io::Result<After> {
        let request = self.request;
        let Some(route) = api::route(&request.path) else {
            return self.unknown();
        };
        let coding = request
            .header("content-encoding")
            .filter(|coding| coding != "identity");
        if let Some(coding) = coding {
            let message = format!(
                "the body is compressed ({coding}), send it as it is \
                 (Codex: -c features.enable_request_compression=false)"
            );
            return self.refuse(route.api, 415, &message);
        }
        let body: Value = match serde_json::from_slice(&request.body) {
            Ok(Value::Object(body)) => Value::Object(body),
            Ok(_) => return self.refuse(route.api, 400, "the body is JSON, but no object"),
            Err(error) => {
                return self.refuse(route.api, 400, &format!("the body is no JSON: {error}"));
            }
        };
        let mut talk = route.api.read(&body);
        for told in body
            .get("tools")
            .into_iter()
            .chain(talk.schema.clone().as_ref())
        {
            talk.beside(&told.to_string());
        }
        match route.ask {
            Ask::Answer => {}
            Ask::AnswerAs { model, stream } => (talk.model, talk.stream) = (model, stream),
            Ask::Count(key) => {
                return self.housekeeping(Some(json!({key: self.shared.usage().input})));
            }
        }
        let answer = self.shared.select_answer(&talk);
        self.note(&talk, answer.by.clone());
        let as_array = request.path.ends_with(":streamGenerateContent")
            && request.query.split('&').all(|pair| pair != "alt=sse");
        let reply = reply::Reply {
            shared: self.shared,
            conn: self.conn,
            api: route.api,
            talk: &talk,
            as_array,
        };
        reply.send(&answer)
    }

    fn housekeeping(&self, body: Option<Value>) -> io::Result<After> {
        self.note(&Conversation::default(), By::Housekeeping);
        let body = body.map(|body| body.to_string()).unwrap_or_default();
        reply::send_whole(self.conn, 200, "application/json", &[], &body)?;
        Ok(After::GoOn)
    }

    fn unknown(&self) -> io::Result<After> {
        let message = format!(
            "{} {} is not known; there are /v1/messages, /v1/messages/count_tokens, \
             /v1/chat/completions, /v1/responses, /v1/models, /api/chat \
             and /v1beta/models/MODEL:generateContent",
            self.request.method, self.request.path
        );
        self.refuse(api::ANY, 404, &message)
    }

    /// Explains what is wrong with the request, in the format of an API.
    fn refuse(&self, api: &dyn Api, status: u16, message: &str) -> io::Result<After> {
        self.note(&Conversation::default(), By::Refused { status });
        let message = format!("fake-model: {message}");
        send_refusal(
            self.conn,
            &api.failure(&Failure::Status { status, message }),
        )
    }

    fn note(&self, talk: &Conversation, by: By) {
        let seen = SeenRequest {
            method: self.request.method.clone(),
            path: self.request.path.clone(),
            model: talk.model.clone(),
            prompt: shortened(talk.prompt()),
            tools: talk.tools.iter().map(|offer| offer.name.clone()).collect(),
            by,
        };
        self.shared.note(seen, &self.request.body);
    }
}

pub(crate) fn send_refusal(conn: &TcpStream, refusal: &Refusal) -> io::Result<After> {
    let body = refusal.body.to_string();
    reply::send_whole(
        conn,
        refusal.status,
        "application/json",
        &refusal.headers,
        &body,
    )?;
    Ok(After::GoOn)
}
