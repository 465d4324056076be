//! The log on the page: what comes with the page, and what the script requests later.

use std::io;

use kumite_agents::TranscriptLine;
use kumite_project::project::Spec;
use kumite_project::worked::Worked;
use maud::{Markup, html};

use super::entry::Entries;
use crate::api::Refusal;
use crate::assets;
use crate::log::{Form, Log, Row};
use crate::render::words::thousands;

/// If several tools work at once an answer may be far from its call, but not farther than this.
const LOOK_BACK: u64 = 64;

/// An agent tells its program and model within this many first lines.
const EARLY: u64 = 20;

/// Consecutive lines of a log.
pub struct View {
    log: Log,
    rows: Vec<Row>,
    /// The lines before them.
    before: Vec<Row>,
}

impl View {
    /// Lines starting at `from`, else those before `before`, else the last ones.
    pub fn new(
        log: Log,
        from: Option<u64>,
        before: Option<u64>,
        count: u64,
    ) -> Result<View, Refusal> {
        let read = || {
            let rows = match from {
                Some(from) => log.from(from.max(log.first()), count)?,
                None => log.before(before.unwrap_or(u64::MAX), count)?,
            };
            let first = rows.first().map_or(1, |row| row.number);
            let before = log.before(first, LOOK_BACK)?;
            Ok((rows, before))
        };
        let (rows, before) = read().map_err(broken)?;
        Ok(View { log, rows, before })
    }

    /// The first and the last line. Without lines, the first is greater than the last.
    fn range(&self) -> (u64, u64) {
        let number = |row: &Row| row.number;
        match (self.rows.first().map(number), self.rows.last().map(number)) {
            (Some(first), Some(last)) => (first, last),
            _ => (self.log.last() + 1, self.log.last()),
        }
    }

    /// The first lines of the agent.
    pub fn early(&self) -> Vec<TranscriptLine> {
        let rows = self.log.from(self.log.first(), EARLY).unwrap_or_default();
        let lines = rows.iter().map(|row| serde_json::from_slice(&row.bytes));
        lines.filter_map(Result::ok).collect()
    }

    /// The last line of the agent.
    pub fn last(&self) -> Option<TranscriptLine> {
        let rows = self.log.before(u64::MAX, 1).ok()?;
        serde_json::from_slice(&rows.first()?.bytes).ok()
    }

    fn entries(&self) -> Markup {
        let mut entries = Entries::new(self.log.form());
        self.before.iter().for_each(|row| entries.remember(row));
        html! { @for row in &self.rows { (entries.entry(row)) } }
    }
}

fn broken(error: io::Error) -> Refusal {
    Refusal::broken(format!("cannot read the log: {error}"))
}

/// Some lines, and their position in the log.
pub fn fragment(view: &View) -> Markup {
    let (from, to) = view.range();
    html! {
        div data-first=(view.log.first()) data-last=(view.log.last()) data-from=(from) data-to=(to) {
            (view.entries())
        }
    }
}

pub fn viewer(spec: &Spec, worked: &Worked, view: Option<&View>) -> Markup {
    let Some(view) = view else {
        return html! {
            p.empty { @if worked.alive { "It has not said anything yet." } @else { "There is no log of it any more." } }
        };
    };
    let (from, to) = view.range();
    let url = format!("/specs/{}/agents/{}", spec.name, worked.id);
    html! {
        section #log.log aria-label="Log" data-module="log" data-src=(assets::path("log.js")) data-keep
            data-alive[worked.alive] data-spec=(spec.name) data-agent=(worked.id) data-url=(url)
            data-first=(view.log.first()) data-last=(view.log.last()) data-from=(from) data-to=(to) {
            div.log-bar {
                (search(view.log.form()))
                (jump(view))
            }
            div.log-view role="log" aria-label="What the agent said" tabindex="0" {
                @if view.rows.is_empty() { p.empty { "It has not said anything yet." } }
                (view.entries())
            }
            div.log-foot {
                span.log-position.muted.small { (position(view)) }
                button.log-follow.primary type="button" hidden { "Follow" }
            }
        }
    }
}

/// The log without a script: buttons load the page again.
pub fn plain(view: Option<&View>) -> Markup {
    let Some(view) = view else {
        return html! { p.empty { "It has not said anything yet, or its log was not kept." } };
    };
    html! {
        section.log aria-label="Log" {
            div.log-bar { (jump(view)) }
            div.log-view role="log" aria-label="What the agent said" tabindex="0" { (view.entries()) }
            div.log-foot { span.log-position.muted.small { (position(view)) } }
        }
    }
}

/// Only the script can search; without it this is hidden.
fn search(form: Form) -> Markup {
    html! {
        form.log-search role="search" {
            @if form == Form::Transcript {
                select name="kind" aria-label="Show" {
                    option value="" { "Everything" }
                    option value="text" { "Text" }
                    option value="tools" { "Tools" }
                    option value="diffs" { "Diffs" }
                    option value="trouble" { "Trouble" }
                }
            }
            input name="q" type="search" aria-label="Search the whole log" placeholder="Search the log"
                maxlength="60" autocomplete="off" spellcheck="false";
            button type="submit" name="back" aria-label="Previous match" title="Previous match (Shift+Enter)" { "↑" }
            button type="submit" name="next" aria-label="Next match" title="Next match (Enter)" { "↓" }
            output.muted.small aria-live="polite" {}
        }
    }
}

/// Works without the script; with it, the page is not loaded again.
fn jump(view: &View) -> Markup {
    let (from, to) = view.range();
    let earlier = from.saturating_sub(super::SHOWN).max(view.log.first());
    html! {
        form.log-jump method="get" {
            button name="from" value=(view.log.first()) { "Start" }
            button.log-page name="from" value=(earlier) { "Earlier" }
            button.log-page name="from" value=(to + 1) { "Later" }
            button { "End" }
        }
        form.log-line method="get" {
            input name="from" type="number" min="1" inputmode="numeric" required
                aria-label="Number of a line" placeholder="Line";
            button { "Go" }
        }
    }
}

fn position(view: &View) -> Markup {
    let (from, to) = view.range();
    html! {
        @if view.rows.is_empty() { "No lines" } @else {
            "Lines " (thousands(from)) "–" (thousands(to)) " of " (thousands(view.log.last()))
        }
        @if view.log.first() > 1 {
            " (lines before " (thousands(view.log.first())) " were not kept)"
        }
    }
}
