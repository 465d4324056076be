//! The server: it listens, keeps its state, and ends with all its threads.

use std::collections::HashMap;
use std::fs::File;
use std::io::{self, Write};
use std::net::{Ipv4Addr, Shutdown, TcpListener, TcpStream};
use std::path::PathBuf;
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use serde_json::{Value, json};

use crate::choose::{Used, choose};
use crate::connection;
use crate::conversation::Conversation;
use crate::script::{Act, Script, Usage};
use crate::seen_request::{By, SeenRequest};

/// A running server. Dropping it closes every connection and ends every thread.
#[derive(Debug)]
pub struct Server {
    port: u16,
    shared: Arc<Shared>,
    listening: Option<JoinHandle<()>>,
}

#[derive(Debug, Clone, Default)]
pub struct Options {
    /// 0 lets the system choose.
    pub port: u16,
    /// Gets one line of JSON per request, including the body.
    pub log: Option<PathBuf>,
}

#[derive(Debug, Default)]
pub(crate) struct Shared {
    state: Mutex<State>,
    ended: Condvar,
}

#[derive(Debug, Default)]
struct State {
    script: Script,
    used: Used,
    seen: Vec<SeenRequest>,
    log: Option<File>,
    connections: HashMap<u64, TcpStream>,
    connections_ever: u64,
    has_ended: bool,
}

impl Server {
    pub fn start(script: Script) -> io::Result<Server> {
        Server::start_with(script, &Options::default())
    }

    pub fn start_with(script: Script, options: &Options) -> io::Result<Server> {
        let log = match &options.log {
            Some(path) => Some(File::options().create(true).append(true).open(path)?),
            None => None,
        };
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, options.port))?;
        let port = listener.local_addr()?.port();
        let state = State {
            script,
            log,
            ..State::default()
        };
        let shared = Arc::new(Shared {
            state: Mutex::new(state),
            ..Shared::default()
        });
        let listening = {
            let shared = Arc::clone(&shared);
            thread::Builder::new()
                .name("fake-model".to_owned())
                .spawn(move || shared.listen(&listener))?
        };
        Ok(Server {
            port,
            shared,
            listening: Some(listening),
        })
    }

    pub fn port(&self) -> u16 {
        self.port
    }

    /// Without a final slash or path.
    pub fn url(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    /// Every request so far, in the order of the answers.
    pub fn requests(&self) -> Vec<SeenRequest> {
        self.shared.lock().seen.clone()
    }

    /// Replaces the script; acts with `times` count from the beginning.
    pub fn set(&self, script: Script) {
        let mut state = self.shared.lock();
        state.script = script;
        state.used.clear();
    }

    /// Waits for ever, for the binary.
    pub fn serve(mut self) {
        if let Some(listening) = self.listening.take() {
            let _ = listening.join();
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.shared.end();
        // This connection only wakes the waiting listener.
        let woken = TcpStream::connect((Ipv4Addr::LOCALHOST, self.port));
        if let (Ok(_), Some(listening)) = (woken, self.listening.take()) {
            let _ = listening.join();
        }
    }
}

/// The answer to a request, selected and counted.
#[derive(Debug)]
pub(crate) struct SelectedAnswer {
    pub act: Act,
    pub by: By,
    pub usage: Usage,
    pub delay: Duration,
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        // A panic in another thread leaves the state consistent.
        self.state
            .lock()
            .unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    /// Accepts until the end, then waits for the threads of all connections.
    fn listen(self: &Arc<Shared>, listener: &TcpListener) {
        thread::scope(|scope| {
            loop {
                // The copy is kept to close the connection at the end.
                let accepted = listener
                    .accept()
                    .and_then(|(conn, _)| Ok((conn.try_clone()?, conn)));
                let (copy, conn) = match accepted {
                    Ok(accepted) => accepted,
                    // Probably too many open files: wait until a connection closes.
                    Err(_) if self.rest(Duration::from_millis(10)) => continue,
                    Err(_) => return,
                };
                let Some(number) = self.admit(copy) else {
                    return;
                };
                scope.spawn(move || {
                    connection::serve(self, &conn);
                    self.dismiss(number);
                });
            }
        });
    }

    /// Registers a connection, unless the server has ended.
    fn admit(&self, conn: TcpStream) -> Option<u64> {
        let mut state = self.lock();
        if state.has_ended {
            return None;
        }
        let number = state.connections_ever;
        state.connections_ever += 1;
        state.connections.insert(number, conn);
        Some(number)
    }

    fn dismiss(&self, number: u64) {
        if let Some(conn) = self.lock().connections.remove(&number) {
            let _ = conn.shutdown(Shutdown::Both);
        }
    }

    fn end(&self) {
        let mut state = self.lock();
        state.has_ended = true;
        for conn in state.connections.values() {
            let _ = conn.shutdown(Shutdown::Both);
        }
        self.ended.notify_all();
    }

    /// Sleeps, and returns whether the server goes on.
    pub fn rest(&self, time: Duration) -> bool {
        let state = self.lock();
        let rested = self
            .ended
            .wait_timeout_while(state, time, |state| !state.has_ended);
        let (state, _) = rested.unwrap_or_else(|poisoned| poisoned.into_inner());
        !state.has_ended
    }

    /// Decides the answer to `talk`.
    pub fn select_answer(&self, talk: &Conversation) -> SelectedAnswer {
        let mut state = self.lock();
        let usage = state.script.usage;
        let delay = Duration::from_millis(state.script.delay_ms);
        let say = |text: String, by| SelectedAnswer {
            act: Act::Say { text },
            by,
            usage,
            delay,
        };
        if talk.is_housekeeping() && !state.script.without_tools {
            let text = match &talk.schema {
                Some(schema) => crate::schema::fitting(schema).to_string(),
                None => "ok".to_owned(),
            };
            return say(text, By::Housekeeping);
        }
        let Some(chosen) = choose(&state.script, &state.used, talk) else {
            return say("done.".to_owned(), By::Done);
        };
        let (rule, act) = (chosen.rule, chosen.act);
        *state.used.entry((rule, act)).or_default() += 1;
        SelectedAnswer {
            act: state.script.rules[rule].acts[act].clone(),
            by: By::Rule { rule, act },
            usage,
            delay,
        }
    }

    pub fn usage(&self) -> Usage {
        self.lock().script.usage
    }

    pub fn note(&self, seen: SeenRequest, body: &[u8]) {
        let mut state = self.lock();
        if let Some(log) = &mut state.log {
            let body = serde_json::from_slice(body)
                .unwrap_or_else(|_| Value::String(String::from_utf8_lossy(body).into_owned()));
            // There is no way to report a full disk here.
            let _ = writeln!(log, "{}", json!({"request": seen, "body": body}));
        }
        state.seen.push(seen);
    }
}
