//! `audit.jsonl`: every change that was made through the page or the API, and who made it.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use kumite_host::clock::{now_ms, rfc3339};
use kumite_host::files;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::auth::Who;

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Line {
    pub time: String,
    pub who: String,
    /// `stop`, `approve` and so on.
    pub what: String,
    /// The spec or contest that it was about.
    pub subject: String,
    /// What came of it.
    pub answer: String,
    pub ok: bool,
}

pub struct Audit {
    path: PathBuf,
}

impl Audit {
    pub fn new(runtime: &Path) -> Audit {
        Audit {
            path: runtime.join("audit.jsonl"),
        }
    }

    pub fn note(&self, who: &Who, what: &str, subject: &str, answer: Result<&str, &str>) {
        let line = Line {
            time: rfc3339(now_ms()),
            who: who.name.clone(),
            what: what.to_owned(),
            subject: subject.to_owned(),
            answer: answer.unwrap_or_else(|why| why).to_owned(),
            ok: answer.is_ok(),
        };
        if let Err(error) = self.append(&line) {
            eprintln!("kumite: cannot append to {}: {error}", self.path.display());
        }
    }

    fn append(&self, line: &Line) -> io::Result<()> {
        let mut text = serde_json::to_string(line)?;
        text.push('\n');
        files::open_append(&self.path)?.write_all(text.as_bytes())
    }

    /// The newest first.
    pub fn last(&self, count: usize) -> Vec<Line> {
        let text = std::fs::read(&self.path).unwrap_or_default();
        let text = String::from_utf8_lossy(&text);
        let lines = text.lines().rev();
        let known = lines.filter_map(|line| serde_json::from_str(line).ok());
        known.take(count).collect()
    }
}
