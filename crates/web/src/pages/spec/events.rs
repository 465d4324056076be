//! The event log of the spec, the newest first.

use std::io::{self, Read, Seek, SeekFrom};

use kumite_core::journal::AgentId;
use maud::{Markup, html};
use serde::Deserialize;

use super::Length;
use super::agents::path_of;
use super::seen::SeenSpec;
use crate::inside;
use crate::render::words::{cut, moment};
use crate::render::{self, Column::Text};

/// The end of a long log is enough for any page.
const READ_MAX: u64 = 2 * 1024 * 1024;

fn max(length: Length) -> usize {
    match length {
        Length::Short => 50,
        Length::Long => 2000,
    }
}

/// A line of events.jsonl, written by us or by another program.
#[derive(Debug, Default, Deserialize, PartialEq)]
#[serde(rename_all = "camelCase")]
struct Event {
    #[serde(default)]
    timestamp: String,
    #[serde(default, rename = "type")]
    kind: String,
    #[serde(default)]
    message: String,
    #[serde(default)]
    level: String,
    #[serde(default)]
    agent_id: Option<String>,
    #[serde(default)]
    error_message: Option<String>,
}

pub fn events(seen: &SeenSpec, length: Length) -> Markup {
    let text = end_of(seen).unwrap_or_default();
    let (shown, more) = newest(&text, max(length));
    html! {
        section #events {
            details.fold #events-fold open[length == Length::Long] {
                summary { h2 { "Events" } }
                @if shown.is_empty() {
                    p.empty { "Nothing has happened yet." }
                } @else {
                    (render::table(&[Text("Time"), Text("Level"), Text("What happened")], &html! { @for event in &shown { (row(seen, event)) } }))
                }
                @if more && length == Length::Short {
                    p.small { a href=(seen.path("?events=all#events")) { "Older events" } }
                } @else if more {
                    p.small.muted { "Older events are in events.jsonl." }
                }
            }
        }
    }
}

fn row(seen: &SeenSpec, event: &Event) -> Markup {
    let agent = event.agent_id.as_deref();
    let agent = agent.filter(|id| id.parse::<AgentId>().is_ok());
    let detail = event.error_message.as_deref();
    let detail = detail.filter(|detail| !event.message.contains(detail));
    html! {
        tr {
            td.nowrap { (moment(&event.timestamp)) }
            td { (level(&event.level)) }
            td {
                span title=(event.kind) { (cut(&event.message, 500)) }
                @if let Some(detail) = detail { ": " (cut(detail, 500)) }
                @if let Some(agent) = agent {
                    " " a.small href=(path_of(&seen.spec.name, agent)) { "log" }
                }
            }
        }
    }
}

fn level(level: &str) -> Markup {
    html! {
        @match level {
            "error" => span.badge.failed { "error" },
            "warn" => span.badge.waiting { "warning" },
            _ => span.muted { "info" },
        }
    }
}

fn end_of(seen: &SeenSpec) -> io::Result<String> {
    let mut file = inside::open(seen.spec.main_dir(), &seen.spec.events_file())?;
    let length = file.metadata()?.len();
    file.seek(SeekFrom::Start(length.saturating_sub(READ_MAX)))?;
    let mut bytes = Vec::new();
    file.take(READ_MAX).read_to_end(&mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// The last events, and whether there are more before them.
fn newest(text: &str, max: usize) -> (Vec<Event>, bool) {
    let lines = text.lines().rev();
    let mut events = lines.filter_map(|line| serde_json::from_str::<Event>(line).ok());
    let shown: Vec<Event> = events.by_ref().take(max).collect();
    let more = events.next().is_some();
    (shown, more)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_come_first_and_lines_that_make_no_sense_are_left_out() {
        let text = "half of a line\"}\n{\"message\":\"a\"}\n[]\n\n{\"message\":\"b\"}\n{\"message\":\"c\",\"agentId\":null}\n{\"mess";
        let (shown, more) = newest(text, 2);
        let shown: Vec<&str> = shown.iter().map(|it| it.message.as_str()).collect();
        assert_eq!((shown, more), (vec!["c", "b"], true));
        assert_eq!(newest("", 2), (Vec::new(), false));
    }
}
