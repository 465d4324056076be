//! Events of a page: its requests, and its errors.

use std::collections::HashMap;
use std::sync::{Condvar, Mutex, PoisonError};
use std::time::Duration;

use serde_json::{Value, json};

use crate::wire::lock;

/// Receives all events of one page, its frames and its workers.
#[derive(Default)]
pub struct Watch {
    notes: Mutex<Notes>,
    changed: Condvar,
    /// The page's main frame.
    frame: String,
}

#[derive(Default, Clone)]
pub struct Notes {
    pub troubles: Vec<String>,
    pub requests: Vec<String>,
    pub failed: Vec<String>,
    pub received_bytes: u64,
    /// The documents that began to load, by loader id; the last one is the current document.
    pub begun: Vec<String>,
    /// Whether the current document has been loaded.
    pub loaded: bool,
    /// How often the URL changed without a new document.
    pub moved: usize,
    /// The URLs of requests in progress.
    open: HashMap<String, String>,
}

/// What we must do at once after an event.
pub enum Reaction {
    Tell(&'static str, Value),
    /// A frame or worker has its own session: listen to it too.
    Join(String),
}

/// The first commands of a session. Frames and workers of the page wait until we listen.
pub fn beginning() -> Vec<(&'static str, Value)> {
    let attach = json!({ "autoAttach": true, "waitForDebuggerOnStart": true, "flatten": true });
    vec![
        ("Page.enable", json!({})),
        ("Network.enable", json!({})),
        ("Log.enable", json!({})),
        ("Runtime.enable", json!({})),
        ("Target.setAutoAttach", attach),
        ("Runtime.runIfWaitingForDebugger", json!({})),
    ]
}

impl Watch {
    pub fn new(frame: &str) -> Watch {
        Watch {
            frame: frame.to_owned(),
            ..Watch::default()
        }
    }

    pub fn notes(&self) -> Notes {
        lock(&self.notes).clone()
    }

    pub fn forget(&self) {
        let mut notes = lock(&self.notes);
        notes.troubles.clear();
        notes.requests.clear();
        notes.failed.clear();
        notes.received_bytes = 0;
    }

    /// Waits until `holds` is true. False: the time ran out.
    pub fn wait(&self, patience: Duration, holds: impl Fn(&Notes) -> bool) -> bool {
        let notes = lock(&self.notes);
        let waited = self
            .changed
            .wait_timeout_while(notes, patience, |notes| !holds(notes));
        let (notes, _) = waited.unwrap_or_else(PoisonError::into_inner);
        holds(&notes)
    }

    pub fn hear(&self, method: &str, params: &Value) -> Vec<Reaction> {
        let mut notes = lock(&self.notes);
        let orders = notes.hear(&self.frame, method, params);
        drop(notes);
        self.changed.notify_all();
        orders
    }
}

impl Notes {
    fn hear(&mut self, frame: &str, method: &str, params: &Value) -> Vec<Reaction> {
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let id = || text(&params["requestId"]);
        match method {
            "Page.lifecycleEvent" if params["frameId"] == frame => {
                let loader = text(&params["loaderId"]);
                match params["name"].as_str() {
                    Some("init") => {
                        self.begun.push(loader);
                        self.loaded = false;
                    }
                    Some("load") if self.begun.last() == Some(&loader) => self.loaded = true,
                    _ => {}
                }
            }
            "Page.navigatedWithinDocument" if params["frameId"] == frame => self.moved += 1,
            // The new window is not watched, but its first URL is known.
            "Page.windowOpen" => self.request(&params["url"]),
            "Network.requestWillBeSent" => {
                self.open.insert(id(), text(&params["request"]["url"]));
                self.request(&params["request"]["url"]);
            }
            "Network.webSocketCreated" => self.request(&params["url"]),
            "Network.loadingFinished" => {
                self.open.remove(&id());
                // A whole number, sent as a float.
                let bytes = params["encodedDataLength"].as_f64().unwrap_or_default();
                self.received_bytes += bytes as u64;
            }
            "Network.loadingFailed" => {
                let url = self.open.remove(&id()).unwrap_or_default();
                if params["canceled"] != true {
                    let why = text(&params["errorText"]);
                    self.failed.push(format!("{url}: {why}"));
                }
            }
            "Log.entryAdded" if params["entry"]["level"] == "error" => {
                let entry = &params["entry"];
                let (source, what) = (text(&entry["source"]), text(&entry["text"]));
                let url = text(&entry["url"]);
                self.trouble(format!("{source}: {what} ({url})"));
            }
            "Runtime.consoleAPICalled" if params["type"] == "error" => {
                let args = params["args"].as_array().into_iter().flatten();
                let words: Vec<String> = args.map(said).collect();
                self.trouble(format!("console: {}", words.join(" ")));
            }
            "Runtime.exceptionThrown" => {
                let why = thrown(&params["exceptionDetails"]);
                self.trouble(format!("uncaught: {why}"));
            }
            "Page.javascriptDialogOpening" => {
                let kind = text(&params["type"]);
                let what = text(&params["message"]);
                self.trouble(format!("dialog: {kind}: {what}"));
                // Leave the page even if it asks to stay.
                let answer = json!({ "accept": kind == "beforeunload" });
                return vec![Reaction::Tell("Page.handleJavaScriptDialog", answer)];
            }
            "Inspector.targetCrashed" => self.trouble("crash".to_owned()),
            "Target.attachedToTarget" => return vec![Reaction::Join(text(&params["sessionId"]))],
            _ => {}
        }
        Vec::new()
    }

    fn trouble(&mut self, what: String) {
        self.troubles.push(what);
    }

    /// Such URLs contain their data and cause no request.
    fn request(&mut self, url: &Value) {
        let url = url.as_str().unwrap_or_default();
        if !url.starts_with("data:") && !url.starts_with("blob:") {
            self.requests.push(url.to_owned());
        }
    }
}

/// The text of an exception.
pub fn thrown(details: &Value) -> String {
    match details.get("exception") {
        Some(exception) => said(exception),
        None => details["text"].as_str().unwrap_or_default().to_owned(),
    }
}

/// A value of the page as text: an error with its stack, a string unchanged, anything else as JSON.
fn said(value: &Value) -> String {
    let words = [&value["description"], &value["value"]];
    let words = words.iter().find_map(|words| words.as_str());
    words.map_or_else(|| value["value"].to_string(), str::to_owned)
}
