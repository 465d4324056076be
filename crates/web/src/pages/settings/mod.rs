//! The page *Settings*: what is set, to what, and by whom. It changes nothing.

mod agents;

use std::collections::BTreeMap;

use axum::extract::State;
use axum::response::Response;
use kumite_formats::settings::{Origin, Settings, doc};
use kumite_host::spec_file::sentence;
use maud::{Markup, html};

use super::layout::{Page, Place, Visit};
use crate::app::{App, Shared};

/// A setting, its value, where that comes from, and what it would be otherwise.
struct Row {
    key: String,
    value: String,
    origin: Origin,
    default: Option<String>,
}

pub async fn settings(State(app): State<Shared>, visit: Visit) -> Response {
    match app.read(page).await {
        Ok(body) => visit.show(Page {
            title: "Settings",
            place: Place::Settings,
            topics: "",
            body,
        }),
        Err(refusal) => visit.refuse(&refusal),
    }
}

fn page(app: &App) -> Markup {
    let mut loader = app.loader.clone();
    let trouble = loader.reload().err().map(|error| sentence(&error));
    let rows = rows(loader.loaded.origins);
    let (agents, others): (Vec<Row>, Vec<Row>) =
        rows.into_iter().partition(|row| row.key.starts_with("agents."));
    html! {
        h1 { "Settings" }
        @if let Some(trouble) = &trouble {
            section.needs.stack role="alert" {
                h2 { "The settings cannot be read" }
                pre.wrap { (trouble) }
                p { "Those below are the ones that were read last, and still count." }
            }
        }
        p.muted {
            "They are shown here and changed in files: "
            code { (app.project.settings_file().display()) } " for this project, "
            code { "~/.config/kumite/config.toml" } " for yourself. "
            "Changes count from the next start of a spec on."
        }
        (facts(app))
        @for (section, rows) in grouped(others) {
            section {
                h2 { (section) }
                (table(&rows, &section))
            }
        }
        section {
            h2 { "agents" }
            (agents::table(&loader.loaded.settings, app.project.root()))
            @for (name, rows) in grouped(agents) {
                details.fold #{ "agent-" (name) } {
                    summary {
                        (name)
                        @if rows.iter().any(Row::is_set) { span.badge.working { "set" } }
                    }
                    (table(&rows, &format!("agents.{name}")))
                }
            }
        }
    }
}

fn facts(app: &App) -> Markup {
    html! {
        section {
            h2 { "This server" }
            div.scroll {
                table.list {
                    tbody {
                        tr { th scope="row" { "Project" } td { code { (app.project.root().display()) } } }
                        tr { th scope="row" { "Version" } td { "kumite " (env!("CARGO_PKG_VERSION")) } }
                        tr {
                            th scope="row" { "Let somebody watch" }
                            td {
                                code { "kumite serve link --read-only --ttl 1h" }
                                " prints a link that works once and shows everything, but changes nothing."
                            }
                        }
                    }
                }
            }
        }
    }
}

fn rows(origins: Vec<(String, String, Origin)>) -> Vec<Row> {
    // Without files, environment and flags nothing can be wrong.
    let defaults = Settings::load(&[], &[], &[]).map(|it| it.origins).unwrap_or_default();
    let defaults: BTreeMap<String, String> =
        defaults.into_iter().map(|(key, value, _)| (key, value)).collect();
    let rows = origins.into_iter().map(|(key, value, origin)| Row {
        default: defaults.get(&key).filter(|it| **it != value).cloned(),
        key,
        value,
        origin,
    });
    rows.collect()
}

/// By section, in the order of the first of each. Keys lose the name of their section.
fn grouped(rows: Vec<Row>) -> Vec<(String, Vec<Row>)> {
    let mut groups: Vec<(String, Vec<Row>)> = Vec::new();
    for mut row in rows {
        let whole = row.key.strip_prefix("agents.").unwrap_or(&row.key);
        let (section, key) = whole.split_once('.').unwrap_or(("", whole));
        let (section, key) = (section.to_owned(), key.to_owned());
        row.key = key;
        match groups.iter_mut().find(|(known, _)| *known == section) {
            Some((_, rows)) => rows.push(row),
            None => groups.push((section, vec![row])),
        }
    }
    groups
}

impl Row {
    fn is_set(&self) -> bool {
        self.origin != Origin::Default
    }
}

fn table(rows: &[Row], section: &str) -> Markup {
    html! {
        div.scroll {
            table.list.settings {
                thead {
                    tr {
                        th scope="col" { "Setting" }
                        th scope="col" { "Value" }
                        th scope="col" { "From" }
                        th scope="col" { "Means" }
                    }
                }
                tbody { @for row in rows { (shown(row, section)) } }
            }
        }
    }
}

fn shown(row: &Row, section: &str) -> Markup {
    html! {
        tr.is-set[row.is_set()] {
            td.nowrap { code { (row.key) } }
            td {
                code { (row.value) }
                @if let Some(default) = &row.default {
                    div.small.muted { "otherwise " code { (default) } }
                }
            }
            td {
                @match &row.origin {
                    Origin::Default => span.muted { "default" },
                    set => (origin_words(set)),
                }
            }
            td.muted { (doc(&format!("{section}.{}", row.key)).unwrap_or_default()) }
        }
    }
}

fn origin_words(origin: &Origin) -> String {
    match origin {
        Origin::Default => "default".to_owned(),
        Origin::Person(path) => format!("you: {}", path.display()),
        Origin::Project(path) => format!("project: {}", path.display()),
        Origin::Env(name) => format!("environment {name}"),
        Origin::Flag(name) => format!("flag {name}"),
    }
}

#[cfg(test)]
mod tests {
    use kumite_formats::settings::Layer;

    use super::*;

    fn loaded(text: &str) -> Vec<Row> {
        let layer = Layer {
            origin: Origin::Project("kumite.toml".into()),
            text,
        };
        rows(Settings::load(&[layer], &[], &[]).unwrap().origins)
    }

    #[test]
    fn settings_are_grouped_by_section_and_keep_their_order() {
        let others = loaded("").into_iter().filter(|row| !row.key.starts_with("agents."));
        let groups = grouped(others.collect());
        let names: Vec<&str> = groups.iter().map(|(name, _)| name.as_str()).collect();
        let mut once = names.clone();
        once.sort_unstable();
        once.dedup();
        assert_eq!(once.len(), names.len(), "{names:?}");
        assert_eq!(names[0], "run");
        assert!(groups[0].1.iter().any(|row| row.key == "jobs"));
    }

    #[test]
    fn what_was_set_is_marked_and_says_what_it_would_be_otherwise() {
        let all = loaded("[run]\njobs = 2\n[agents.claude]\nenv = { TOKEN = \"hush\" }\n");
        let jobs = all.iter().find(|row| row.key == "run.jobs").unwrap();
        assert_eq!((jobs.value.as_str(), jobs.default.as_deref()), ("2", Some("5")));
        assert_eq!(all.iter().filter(|row| row.is_set()).count(), 2);
        let text = table(&all, "").into_string();
        assert!(text.contains("is-set") && text.contains("otherwise"), "{text}");
        assert!(!text.contains("hush"), "a secret is shown");
    }

    #[test]
    fn every_setting_says_what_it_means() {
        for row in loaded("[agent.phase]\nimpl = \"codex\"\n") {
            assert!(doc(&row.key).is_some(), "{}", row.key);
        }
    }
}
