//! Reads an agent's stdout in pieces of any size, with bounded memory and time.

use std::time::{Duration, Instant};

use memchr::memmem::Finder;
use memchr::{memchr, memrchr};
use serde_json::Value;

use super::lines::{LINE_MAX, Lines};
use super::plain;
use super::{Dialect, Heard, Tail, dialect};
use crate::request::Protocol;
use crate::said::Said;

pub struct Reader {
    words: Words,
    complaints: Lines,
    heard: Heard,
    said: Vec<Said>,
    /// The last text that was not empty.
    last: String,
    gate: Gate,
}

enum Words {
    Json {
        dialect: Box<dyn Dialect>,
        telltales: Vec<Finder<'static>>,
        lines: Lines,
        /// The length of the last line when it was read before its end had come.
        looked_at: usize,
    },
    Plain {
        tail: Tail,
        lines: Lines,
    },
}

impl Reader {
    pub fn new(protocol: Protocol, session: Option<String>) -> Reader {
        let words = match dialect(protocol) {
            Some(dialect) => Words::Json {
                telltales: dialect.telltales().iter().map(Finder::new).collect(),
                dialect,
                lines: Lines::default(),
                looked_at: 0,
            },
            None => Words::Plain {
                tail: Tail::new(plain::REPORT_MAX),
                lines: Lines::default(),
            },
        };
        Reader {
            words,
            heard: Heard {
                session,
                ..Heard::default()
            },
            complaints: Lines::default(),
            said: Vec::new(),
            last: String::new(),
            gate: Gate::new(),
        }
    }

    pub fn feed(&mut self, piece: &[u8]) {
        let (heard, said, gate) = (&mut self.heard, &mut self.said, &mut self.gate);
        gate.tick(Instant::now(), said);
        match &mut self.words {
            Words::Json {
                dialect,
                telltales,
                lines,
                looked_at,
            } => {
                lines.feed(piece, |block| {
                    // A line that was read before its end had come is not read again.
                    let known = std::mem::take(looked_at);
                    let first = memchr(b'\n', block).unwrap_or(block.len());
                    let rest = match known > 0 && first.abs_diff(known) <= 1 {
                        true => &block[first..],
                        false => block,
                    };
                    hear_block(rest, dialect.as_mut(), telltales, gate, heard, said);
                });
                note_left_out(lines, said);
            }
            Words::Plain { tail, lines } => {
                tail.push(piece);
                lines.feed(piece, |block| {
                    for line in split(block) {
                        if gate.admits(line) {
                            let text = String::from_utf8_lossy(line).into_owned();
                            said.push(Said::Text { text });
                        }
                    }
                });
                note_left_out(lines, said);
            }
        }
    }

    /// No more input: the text after the last newline is a line too.
    pub fn finish(&mut self) {
        self.look_at_tail();
        let text = |tail: &[u8]| String::from_utf8_lossy(tail).into_owned();
        match &self.words {
            Words::Json {
                lines, looked_at, ..
            } if *looked_at == 0 && !lines.tail().trim_ascii().is_empty() => {
                let text = text(lines.tail());
                self.said.push(Said::Note { text });
            }
            Words::Plain { lines, .. } if !lines.tail().is_empty() => {
                let text = text(lines.tail());
                self.said.push(Said::Text { text });
            }
            Words::Json { .. } | Words::Plain { .. } => {}
        }
        self.gate.open(&mut self.said);
    }

    /// The same for stderr.
    pub fn complain(&mut self, piece: &[u8]) {
        let (heard, said) = (&mut self.heard, &mut self.said);
        if let Words::Json { dialect, .. } = &mut self.words {
            self.complaints.feed(piece, |block| {
                for line in split(block) {
                    dialect.complain(&String::from_utf8_lossy(line), heard, said);
                }
            });
        }
    }

    /// Treats the text after the last newline as a line. May be called at any time, and repeatedly.
    pub fn look_at_tail(&mut self) {
        match &mut self.words {
            Words::Json {
                dialect,
                lines,
                looked_at,
                ..
            } => {
                let tail = lines.tail();
                if tail.len() > *looked_at && parsed(tail).is_some() {
                    *looked_at = tail.len();
                    hear_line(tail, dialect.as_mut(), &mut self.heard, &mut self.said);
                }
            }
            Words::Plain { tail, .. } => plain::read_report(tail, &mut self.heard),
        }
    }

    pub fn heard(&self) -> &Heard {
        &self.heard
    }

    /// The transcript entries since the last call.
    pub fn take_said(&mut self) -> Vec<Said> {
        let said = std::mem::take(&mut self.said);
        if let Some(text) = said.iter().rev().find_map(spoken) {
            let from = text.len().saturating_sub(LAST_MAX);
            self.last = text[text.ceil_char_boundary(from)..].to_owned();
        }
        said.into_iter().map(Said::clipped).collect()
    }

    /// The end of the last text that was taken with [`Reader::take_said`], unmasked.
    pub fn last_words(&self) -> &str {
        &self.last
    }

    /// What the end of the process tells in addition to its output.
    pub fn exited(&self, code: i32, complaints: &str) -> Option<kumite_core::outcome::Outcome> {
        match &self.words {
            Words::Json { dialect, .. } => dialect.exited(code, complaints),
            Words::Plain { .. } => None,
        }
    }

    /// The last line of a plain program, which often tells what went wrong.
    pub fn last_line(&self) -> String {
        match &self.words {
            Words::Json { .. } => String::new(),
            Words::Plain { tail, .. } => tail.last_line(),
        }
    }
}

/// Text for a person. The report of a command is not.
fn spoken(said: &Said) -> Option<&str> {
    let text = match said {
        Said::Text { text } | Said::Ended { text, .. } => text.trim(),
        _ => return None,
    };
    (!text.is_empty() && !text.starts_with("{\"kumite\"")).then_some(text)
}

/// The most of a last text that is kept to be shown.
const LAST_MAX: usize = 4 * 1024;

fn note_left_out(lines: &mut Lines, said: &mut Vec<Said>) {
    for _ in 0..lines.take_left_out() {
        let megabytes = LINE_MAX / (1024 * 1024);
        let text = format!("a line of more than {megabytes} MB is in the raw log only");
        said.push(Said::Note { text });
    }
}

/// Reads all lines of `block` while the agent writes at a normal pace; otherwise only those that
/// matter, without looking for the ends of the others.
fn hear_block(
    block: &[u8],
    dialect: &mut dyn Dialect,
    telltales: &[Finder<'static>],
    gate: &mut Gate,
    heard: &mut Heard,
    said: &mut Vec<Said>,
) {
    let mut rest = block;
    while !rest.is_empty() {
        let end = memchr(b'\n', rest).unwrap_or(rest.len());
        if !gate.admits(&rest[..end]) {
            break;
        }
        hear_line(&rest[..end], dialect, heard, said);
        rest = rest.get(end + 1..).unwrap_or_default();
    }
    let find = |finder: &Finder<'_>, from: usize| finder.find(&rest[from..]).map(|at| from + at);
    let mut hits: Vec<Option<usize>> = telltales.iter().map(|finder| find(finder, 0)).collect();
    while let Some(hit) = hits.iter().flatten().min().copied() {
        let start = memrchr(b'\n', &rest[..hit]).map_or(0, |newline| newline + 1);
        let end = memchr(b'\n', &rest[hit..]).map_or(rest.len(), |newline| hit + newline);
        hear_line(&rest[start..end], dialect, heard, said);
        for (finder, hit) in telltales.iter().zip(&mut hits) {
            if hit.is_some_and(|at| at < end) {
                *hit = find(finder, end);
            }
        }
    }
}

pub(super) fn hear_line(
    line: &[u8],
    dialect: &mut dyn Dialect,
    heard: &mut Heard,
    said: &mut Vec<Said>,
) {
    match parsed(line) {
        Some(value) => dialect.hear(&value, heard, said),
        // Whatever it is, a person may want to see it.
        None if line.trim_ascii().is_empty() => {}
        None => said.push(Said::Note {
            text: String::from_utf8_lossy(line).into_owned(),
        }),
    }
}

/// The JSON object in a line.
fn parsed(line: &[u8]) -> Option<Value> {
    if !line.trim_ascii_start().starts_with(b"{") {
        return None;
    }
    let parsed = serde_json::from_slice(line).or_else(|_| serde_json::from_str(&repaired(line)));
    parsed.ok().filter(Value::is_object)
}

/// Bad bytes in some text, or a price that is not a number, must not lose the result around it.
fn repaired(line: &[u8]) -> String {
    let mut text = String::from_utf8_lossy(line).replace("\": ", "\":");
    for number in ["NaN", "Infinity", "-Infinity"] {
        text = text.replace(&format!("\":{number}"), "\":null");
    }
    text
}

fn split(block: &[u8]) -> impl Iterator<Item = &[u8]> {
    block.split(|byte| *byte == b'\n')
}

/// Nobody can read more than this per second, and a flood must not cost more than it is worth.
const LINES_A_SECOND: u32 = 1_000;
const BYTES_A_SECOND: usize = 4 * 1024 * 1024;
/// The allowed burst: the whole output of a long build or test.
const LINES_AT_ONCE: u32 = 200_000;
const BYTES_AT_ONCE: usize = 16 * 1024 * 1024;

/// Limits what becomes part of the transcript.
struct Gate {
    since: Instant,
    /// How much may still come. It grows a little every second.
    lines: u32,
    bytes: usize,
    closed: bool,
}

impl Gate {
    fn new() -> Gate {
        Gate {
            since: Instant::now(),
            lines: LINES_AT_ONCE,
            bytes: BYTES_AT_ONCE,
            closed: false,
        }
    }

    fn tick(&mut self, now: Instant, said: &mut Vec<Said>) {
        if now.duration_since(self.since) < Duration::from_secs(1) {
            return;
        }
        self.since = now;
        self.lines = (self.lines + LINES_A_SECOND).min(LINES_AT_ONCE);
        self.bytes = (self.bytes + BYTES_A_SECOND).min(BYTES_AT_ONCE);
        self.open(said);
    }

    /// Adds a note if it was closed.
    fn open(&mut self, said: &mut Vec<Said>) {
        if std::mem::take(&mut self.closed) {
            let text = "it said too much in too short a time: the rest is in the raw log only";
            said.push(Said::Note { text: text.into() });
        }
    }

    fn admits(&mut self, line: &[u8]) -> bool {
        self.closed |= self.lines == 0 || self.bytes < line.len();
        if self.closed {
            return false;
        }
        self.lines -= 1;
        self.bytes -= line.len();
        true
    }
}
