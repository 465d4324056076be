//! A line of a log as a person reads it. All the text comes from agents and is untrusted.

use std::collections::HashMap;

use kumite_agents::{Said, TranscriptLine, clean, clean_line};
use kumite_core::outcome::{Outcome, Usage};
use kumite_project::announce::{outcome_detail, outcome_name, usd};
use kumite_project::clock::local_time;
use maud::{Markup, html};

use super::super::spec::colour;
use crate::log::{EntryKind, Form, LINE_MAX, Row, is_bad};
use crate::render;
use crate::render::words::{cut, money, thousands};

/// A diff with more lines is folded.
const DIFF_OPEN_MAX: usize = 30;

/// How many characters of a call or an answer show on the line that is always visible.
const GIST_MAX: usize = 160;

/// Renders consecutive lines.
pub struct Entries {
    form: Form,
    /// The tools that were called, by their ids.
    calls: HashMap<String, String>,
    /// The last text, because a result often repeats it.
    last_text: String,
}

impl Entries {
    pub fn new(form: Form) -> Entries {
        Entries {
            form,
            calls: HashMap::new(),
            last_text: String::new(),
        }
    }

    /// Notes a line that is not shown but that a later line may refer to.
    pub fn remember(&mut self, row: &Row) {
        match self.read(row).map(|line| line.said) {
            Some(Said::Tool { id, name, what }) => self.note_call(id, &name, &what),
            Some(Said::Text { text }) => text.trim().clone_into(&mut self.last_text),
            _ => {}
        }
    }

    pub fn entry(&mut self, row: &Row) -> Markup {
        let Some(line) = self.read(row) else {
            return raw(row);
        };
        let kind = EntryKind::of(&line.said);
        let tool = match &line.said {
            Said::Tool { id, .. } | Said::ToolEnded { id, .. } => Some(clean_line(id)),
            _ => None,
        };
        let (name, is_bad) = (name(&line.said), is_bad(&line.said));
        html! {
            div.entry.(name).is-bad[is_bad] id={ "line-" (row.number) }
                data-kind=(kind.name()) data-tool=[tool] {
                span.at data-at=(line.at_ms) title={ "Line " (thousands(row.number)) } {
                    (local_time(line.at_ms))
                }
                div.says { (self.says(line.said)) }
            }
        }
    }

    fn read(&self, row: &Row) -> Option<TranscriptLine> {
        match self.form {
            Form::Transcript => serde_json::from_slice(&row.bytes).ok(),
            Form::Raw => None,
        }
    }

    fn note_call(&mut self, id: String, name: &str, what: &str) {
        let call = cut(
            &format!("{} {}", clean_line(name), clean_line(what)),
            GIST_MAX,
        );
        self.calls.insert(id, call);
    }

    fn says(&mut self, said: Said) -> Markup {
        match said {
            Said::Launched {
                program,
                step,
                round,
            } => html! {
                p { "Launched " b { (clean_line(&program)) }
                    @if let Some(step) = step { " for the step " b { (clean_line(&step)) } }
                    @if let Some(round) = round { ", round " (round) } }
            },
            Said::Started { session, model } => html! {
                p { "It is up"
                    @if let Some(model) = model { ", with the model " b { (clean_line(&model)) } }
                    @if let Some(session) = session { ", in the session " code { (clean_line(&session)) } } }
            },
            Said::Text { text } => {
                text.trim().clone_into(&mut self.last_text);
                spoken(&text)
            }
            Said::Thought { text } | Said::Note { text } | Said::Trouble { text } => plain(&text),
            Said::Tool { id, name, what } => {
                self.note_call(id, &name, &what);
                call(&name, &what)
            }
            Said::ToolEnded { id, ok, text } => {
                let call = self.calls.get(&id).map(String::as_str);
                answer(call.unwrap_or("an earlier tool"), ok, &text)
            }
            Said::Changed { path, diff } => changed(&path, &diff),
            Said::Ended {
                outcome,
                text,
                usage,
            } => self.ended(&outcome, &text, &usage),
        }
    }

    fn ended(&self, outcome: &Outcome, text: &str, usage: &Usage) -> Markup {
        let detail = outcome_detail(outcome).unwrap_or_default();
        let words = text.trim();
        let is_new = !words.is_empty() && words != self.last_text && !detail.contains(words);
        html! {
            @if is_new { (spoken(words)) }
            p.row {
                (outcome_badge(outcome))
                @if !detail.is_empty() { span { (clean_line(detail)) } }
                span.muted.small { (used(usage)) }
            }
        }
    }
}

/// A line that is not in our format: from a raw log, cut off, or damaged.
fn raw(row: &Row) -> Markup {
    html! {
        div.entry.raw id={ "line-" (row.number) } data-kind=(EntryKind::Text.name()) {
            span.at title={ "Line " (thousands(row.number)) } { (row.number) }
            div.says {
                (clean(&String::from_utf8_lossy(&row.bytes)))
                @if row.is_cut {
                    " " span.muted { "(cut here: the line has more than " (LINE_MAX / 1024) " KB)" }
                }
            }
        }
    }
}

fn name(said: &Said) -> &'static str {
    match said {
        Said::Launched { .. } | Said::Started { .. } | Said::Note { .. } => "note",
        Said::Text { .. } => "text",
        Said::Thought { .. } => "thought",
        Said::Tool { .. } => "call",
        Said::ToolEnded { .. } => "answer",
        Said::Changed { .. } => "change",
        Said::Trouble { .. } => "trouble",
        Said::Ended { .. } => "end",
    }
}

/// The text of an agent is Markdown. A single line may be the output of any program, so it is shown
/// as it is: `__init__.py` contains underscores.
fn spoken(text: &str) -> Markup {
    if !text.trim_end().contains('\n') {
        return plain(text);
    }
    html! { div.doc { (render::markdown(&clean(text))) } }
}

fn plain(text: &str) -> Markup {
    html! { p { (clean(text).trim_end()) } }
}

fn call(name: &str, what: &str) -> Markup {
    let (name, what) = (clean_line(name), clean(what));
    let gist = cut(&what, GIST_MAX);
    html! {
        details.fold {
            summary {
                b { (name) }
                code.cut { (gist) }
                span.mark {}
            }
            @if gist != what { pre.what { (what) } }
        }
    }
}

fn answer(call: &str, ok: bool, text: &str) -> Markup {
    let text = clean(text);
    let lines = text.lines().count();
    let (mark, word) = match ok {
        true => ("✓", "answered"),
        false => ("✗", "failed"),
    };
    let line = html! {
        span.mark role="img" aria-label=(word) { (mark) }
        span.cut { (call) }
    };
    html! {
        @if text.trim().is_empty() {
            p.row { (line) }
        } @else {
            details.fold {
                summary {
                    (line)
                    span.muted.small.nowrap {
                        @if lines == 1 { "1 line" } @else { (thousands(lines as u64)) " lines" }
                    }
                }
                pre.result { (text) }
            }
        }
    }
}

fn changed(path: &str, diff: &str) -> Markup {
    let diff = clean(diff);
    let count = |mark: char| diff.lines().filter(|line| line.starts_with(mark)).count();
    let (added, removed) = (count('+'), count('-'));
    let is_short = diff.lines().count() <= DIFF_OPEN_MAX;
    let line = html! {
        "Changed " code.cut { (clean_line(path)) }
    };
    html! {
        @if diff.is_empty() {
            p.row { (line) }
        } @else {
            details.fold open[is_short] {
                summary {
                    (line)
                    span.added { "+" (added) }
                    span.removed { "−" (removed) }
                }
                (render::diff(&diff))
            }
        }
    }
}

/// How an agent ended.
pub fn outcome_badge(outcome: &Outcome) -> Markup {
    let word = outcome_name(outcome).replace('_', " ");
    html! { span class={ "badge " (colour(outcome)) } { (word) } }
}

fn used(usage: &Usage) -> String {
    let cost = (usage.usd_micros > 0).then(|| money(usd(usage.usd_micros)));
    let is_told = usage.input_tokens > 0 || usage.output_tokens > 0;
    let tokens = is_told.then(|| tokens(usage.input_tokens, usage.output_tokens));
    let words: Vec<String> = cost.into_iter().chain(tokens).collect();
    words.join(" · ")
}

pub fn tokens(input: u64, output: u64) -> String {
    format!("{} tokens in, {} out", thousands(input), thousands(output))
}

#[cfg(test)]
mod tests;
