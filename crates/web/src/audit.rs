//! `audit.jsonl`: every change that was made through the page or the API, and who made it.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use kumite_files::{Access, Lines};
use kumite_project::clock::{now_ms, rfc3339};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::auth::Who;

/// Longer values are cut: the lines are read by people.
const CHARS_MAX: usize = 1000;
/// How many bytes at the end of the file are read.
const TAIL: u64 = 1024 * 1024;

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct AuditLine {
    pub time: String,
    /// `token`, or `session` and its id.
    pub who: String,
    /// The address that the request came from.
    pub from: String,
    /// `stop`, `approve` and so on.
    pub what: String,
    /// The spec or contest that was changed.
    pub subject: String,
    /// The result.
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
        let short = |text: &str| text.chars().take(CHARS_MAX).collect();
        let line = AuditLine {
            time: rfc3339(now_ms()),
            who: who.name.clone(),
            from: who.from.to_string(),
            what: short(what),
            subject: short(subject),
            answer: short(answer.unwrap_or_else(|why| why)),
            ok: answer.is_ok(),
        };
        if let Err(error) = self.append(&line) {
            tracing::warn!("cannot append to {}: {error}", self.path.display());
        }
    }

    /// One write per line, so that the lines of several servers do not mix.
    fn append(&self, line: &AuditLine) -> io::Result<()> {
        Lines::open(&self.path, Access::Owner)?.append(&(serde_json::to_string(line)? + "\n"))
    }

    /// The newest first.
    pub fn last(&self, count: usize) -> Vec<AuditLine> {
        let text = File::open(&self.path).and_then(|file| Lines::of(file).tail(TAIL));
        let text = text.unwrap_or_default();
        let text = String::from_utf8_lossy(&text);
        let lines = text.lines().rev();
        let known = lines.filter_map(|line| serde_json::from_str(line).ok());
        known.take(count).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::auth::Role;

    fn who() -> Who {
        Who {
            name: "session 1a".to_owned(),
            from: "192.0.2.1".parse().unwrap(),
            role: Role::Full,
            csrf: None,
            until_ms: None,
        }
    }

    #[test]
    fn a_line_says_who_did_what_and_no_text_can_make_two_of_it() {
        let dir = tempfile::tempdir().unwrap();
        let audit = Audit::new(dir.path());
        audit.note(&who(), "stop", "login", Ok("stopped"));
        let forged = "x\r\n{\"who\":\"token\"}\u{2028}";
        audit.note(&who(), "approve", forged, Err("no such spec"));
        let last = audit.last(5);
        assert_eq!(last.len(), 2);
        assert_eq!(
            (&*last[0].what, &*last[0].subject, last[0].ok),
            ("approve", forged, false)
        );
        assert_eq!((&*last[1].who, &*last[1].from), ("session 1a", "192.0.2.1"));
        assert_eq!(audit.last(1).len(), 1);
    }

    #[test]
    fn the_newest_lines_are_found_in_a_long_file() {
        let dir = tempfile::tempdir().unwrap();
        let audit = Audit::new(dir.path());
        for number in 0..2000 {
            audit.note(&who(), "stop", &number.to_string(), Ok(&"x".repeat(2000)));
        }
        let last = audit.last(3);
        let subjects: Vec<&str> = last.iter().map(|line| &*line.subject).collect();
        assert_eq!(subjects, ["1999", "1998", "1997"]);
        assert_eq!(last[0].answer.len(), CHARS_MAX);
    }
}
