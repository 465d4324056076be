//! The page *History*: what has ended, what it cost, and what was changed through the page.

mod costs;

use axum::extract::{Query, State};
use axum::response::Response;
use kumite_core::run::StateName;
use kumite_project::news;
use kumite_project::spec_file::sentence;
use maud::{Markup, html};
use serde::Deserialize;
use serde_json::Value;

use super::contest;
use super::layout::Visit;
use crate::api::Refusal;
use crate::app::{App, Shared};
use crate::audit::AuditLine;
use crate::render::marks::{self, segment};
use crate::render::words::{badge, cut, moment};
use crate::render::{self, Column::Text};

const NEWEST: usize = 200;
const MORE: usize = 2_000;

#[derive(Deserialize)]
pub struct Wanted {
    /// Only this spec.
    spec: Option<String>,
    /// More than the newest.
    more: Option<String>,
}

impl Wanted {
    fn spec(&self) -> Option<&str> {
        self.spec.as_deref().filter(|spec| !spec.is_empty())
    }

    fn count(&self) -> usize {
        if self.more.is_some() { MORE } else { NEWEST }
    }
}

pub async fn history(
    State(app): State<Shared>,
    visit: Visit,
    Query(wanted): Query<Wanted>,
) -> Response {
    let body = app.read(move |app| page(app, &wanted));
    let body = body.await.flatten();
    visit.answer(
        "/history",
        "*",
        body.map(|body| ("History".to_owned(), body)),
    )
}

fn page(app: &App, wanted: &Wanted) -> Result<Markup, Refusal> {
    let runs = runs(app, wanted)?;
    let costs = costs::read(app, wanted.spec())?;
    let contests = match wanted.spec() {
        None => contest::ended(app, wanted.count())?,
        Some(_) => None,
    };
    let changes = changes(app, wanted);
    let is_more = [runs.len(), changes.len()].contains(&NEWEST) && wanted.more.is_none();
    Ok(html! {
        div.row {
            h1.grow { "History" }
            (filter(app, wanted.spec()))
        }
        section {
            h2 { "Runs that ended" }
            (runs_table(&runs))
        }
        @if let Some(contests) = contests {
            section {
                h2 { "Contests that ended" }
                (contests)
            }
        }
        section {
            h2 { "What it has cost" }
            (costs::show(&costs))
        }
        section {
            h2 { "Changes made through the page and the API" }
            (changes_table(&changes))
        }
        @if is_more {
            p.small {
                a href=(address(wanted.spec(), true)) { "More: up to " (MORE) " lines of each" }
            }
        }
    })
}

fn address(spec: Option<&str>, more: bool) -> String {
    let spec = spec.map(|spec| format!("spec={}", segment(spec)));
    let more = more.then(|| "more=1".to_owned());
    let query: Vec<String> = spec.into_iter().chain(more).collect();
    match query.is_empty() {
        true => "/history".to_owned(),
        false => format!("/history?{}", query.join("&")),
    }
}

fn filter(app: &App, chosen: Option<&str>) -> Markup {
    let specs = app.project.all_specs().unwrap_or_default();
    let mut names: Vec<&str> = specs.iter().map(|spec| spec.name.as_str()).collect();
    // A removed spec still has a history.
    if let Some(chosen) = chosen.filter(|chosen| !names.contains(chosen)) {
        names.push(chosen);
    }
    html! {
        form.row method="get" action="/history" {
            label {
                "Spec "
                select name="spec" #filter-spec {
                    option value="" { "all" }
                    @for name in names {
                        option value=(name) selected[Some(name) == chosen] { (name) }
                    }
                }
            }
            button type="submit" { "Show" }
        }
    }
}

fn runs(app: &App, wanted: &Wanted) -> Result<Vec<Value>, Refusal> {
    let fits = |news: &Value| {
        let is_spec = |spec: &str| news["spec"] == spec;
        news["type"] == "run_ended" && wanted.spec().is_none_or(is_spec)
    };
    let runtime = app.project.runtime();
    news::newest(&runtime, "\"type\":\"run_ended\"", wanted.count(), fits).map_err(|error| {
        Refusal::broken(format!(
            "cannot read the news of {}: {}",
            runtime.display(),
            sentence(&error)
        ))
    })
}

fn runs_table(runs: &[Value]) -> Markup {
    let text = |run: &Value, key: &str| run[key].as_str().unwrap_or_default().to_owned();
    html! {
        @if runs.is_empty() {
            p.empty { "No run has ended yet. " code { "kumite run SPEC" } ", or a button on the page, starts one." }
        } @else {
            (render::table(&[Text("Ended"), Text("Spec"), Text("State"), Text("Why")], &html! {
                @for run in runs {
                    @let spec = text(run, "spec");
                    tr data-item {
                        td.nowrap { (moment(&text(run, "time"))) }
                        td { a href={ "/specs/" (segment(&spec)) } { (spec) } }
                        td {
                            @if let Ok(state) = serde_json::from_value::<StateName>(run["state"].clone()) { (badge(state)) }
                        }
                        td.wide title=(text(run, "reason")) { (marks::sentence(&cut(&text(run, "message"), 300))) }
                    }
                }
            }))
        }
    }
}

fn changes(app: &App, wanted: &Wanted) -> Vec<AuditLine> {
    let lines = app.audit.last(wanted.count()).into_iter();
    let fits = |line: &AuditLine| wanted.spec().is_none_or(|spec| line.subject == spec);
    lines.filter(fits).collect()
}

fn changes_table(lines: &[AuditLine]) -> Markup {
    html! {
        @if lines.is_empty() {
            p.empty { "Nothing was changed through the page yet." }
        } @else {
            (render::table(&[Text("Time"), Text("What"), Text("Of"), Text("Answer"), Text("Who")], &html! {
                @for line in lines {
                    tr {
                        td.nowrap { (moment(&line.time)) }
                        td.nowrap { (line.what) }
                        td.nowrap { (cut(&line.subject, 60)) }
                        td.wide {
                            @if !line.ok { span.badge.failed { "refused" } " " }
                            (cut(&line.answer, 200))
                        }
                        td.nowrap { (line.who) span.muted { ", " (line.from) } }
                    }
                }
            }))
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_a_run_says_is_escaped() {
        let bad = "<script>alert(1)</script>";
        let run = json!({"time": bad, "spec": bad, "state": bad, "reason": bad, "message": bad});
        let text = runs_table(&[run]).into_string();
        assert!(!text.contains("<script"), "{text}");
    }

    #[test]
    fn an_address_keeps_the_spec() {
        assert_eq!(address(None, false), "/history");
        assert_eq!(address(Some("a&b"), true), "/history?spec=a%26b&more=1");
    }
}
