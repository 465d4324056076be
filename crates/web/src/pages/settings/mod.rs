//! The page *Settings*: what is set, to which value, and where. It changes nothing.

mod agents;

use std::collections::BTreeMap;
use std::path::Path;

use axum::extract::State;
use axum::http::HeaderMap;
use axum::http::header::HOST;
use axum::response::Response;
use kumite_formats::settings::{Origin, Settings, doc};
use kumite_project::spec_file::sentence;
use maud::{Markup, html};

use super::layout::Visit;
use crate::app::{App, Shared};

/// A setting, its value, the source of the value, and the default.
struct Row {
    key: String,
    value: String,
    origin: Origin,
    default: Option<String>,
}

pub async fn settings(State(app): State<Shared>, visit: Visit, headers: HeaderMap) -> Response {
    let host = headers.get(HOST).and_then(|host| host.to_str().ok());
    let address = host.unwrap_or_default().to_owned();
    let body = app.read(move |app| page(app, &address)).await;
    visit.answer(
        "/settings",
        "",
        body.map(|body| ("Settings".to_owned(), body)),
    )
}

fn page(app: &App, address: &str) -> Markup {
    let mut loader = app.loader.clone();
    let trouble = loader.reload().err().map(|error| sentence(&error));
    let rows = rows(loader.loaded.origins);
    let (agents, others): (Vec<Row>, Vec<Row>) = rows
        .into_iter()
        .partition(|row| row.key.starts_with("agents."));
    let file = app.project.settings_file();
    html! {
        h1 { "Settings" }
        @if let Some(trouble) = &trouble {
            section.needs.stack role="alert" {
                h2 { "The settings cannot be read" }
                pre.wrap { (trouble) }
                p { "Those below are the ones that this server began with." }
            }
        }
        p.muted {
            "They are shown here and changed in files: " code { (file.display()) }
            " for this project, " code { "kumite/config.toml" } " in " code { "~/.config" }
            " for yourself. What is marked is not the default."
        }
        (facts(app, address))
        section {
            h2 { "What is set" }
            (table(&grouped(others), &file))
        }
        section {
            h2 { "Agents" }
            (agents::table(&loader.loaded.settings, app.project.root()))
            details.fold #agent-settings {
                summary { "Every setting of every agent" }
                (table(&grouped(agents), &file))
            }
        }
    }
}

fn facts(app: &App, address: &str) -> Markup {
    html! {
        section {
            h2 { "This server" }
            div.scroll {
                table.list {
                    tbody {
                        tr { th scope="row" { "Project" } td { code { (app.project.root().display()) } } }
                        tr { th scope="row" { "Address" } td { code { (address) } } }
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
    let defaults = Settings::load(&[], &[], &[])
        .map(|it| it.origins)
        .unwrap_or_default();
    let defaults: BTreeMap<String, String> = defaults
        .into_iter()
        .map(|(key, value, _)| (key, value))
        .collect();
    let rows = origins.into_iter().map(|(key, value, origin)| Row {
        default: defaults.get(&key).filter(|it| **it != value).cloned(),
        key,
        value,
        origin,
    });
    rows.collect()
}

/// Grouped by section, in the order in which sections first appear.
fn grouped(rows: Vec<Row>) -> Vec<(String, Vec<Row>)> {
    let mut groups: Vec<(String, Vec<Row>)> = Vec::new();
    for row in rows {
        let section = section(&row.key).to_owned();
        match groups.iter_mut().find(|(known, _)| *known == section) {
            Some((_, rows)) => rows.push(row),
            None => groups.push((section, vec![row])),
        }
    }
    groups
}

/// The section as it is written in brackets in the file.
fn section(key: &str) -> &str {
    key.rsplit_once('.').map_or("", |(section, _)| section)
}

impl Row {
    fn is_set(&self) -> bool {
        self.origin != Origin::Default
    }
}

fn table(groups: &[(String, Vec<Row>)], file: &Path) -> Markup {
    html! {
        div.scroll {
            table.list.settings {
                thead {
                    tr {
                        th scope="col" { "Setting" }
                        th scope="col" { "Value" }
                        th scope="col" { "From" }
                    }
                }
                @for (section, rows) in groups {
                    tbody {
                        tr { th colspan="3" scope="rowgroup" { "[" (section) "]" } }
                        @for row in rows { (shown(row, section, file)) }
                    }
                }
            }
        }
    }
}

fn shown(row: &Row, section: &str, file: &Path) -> Markup {
    let name = row.key[section.len()..].trim_start_matches('.');
    html! {
        tr.is-set[row.is_set()] {
            td {
                code { (name) }
                div.small.muted { (doc(&row.key).unwrap_or_default()) }
            }
            td {
                code.nowrap { (row.value) }
                @if let Some(default) = &row.default {
                    div.small.muted { "otherwise " code { (default) } }
                }
            }
            td { (origin(&row.origin, file)) }
        }
    }
}

fn origin(origin: &Origin, file: &Path) -> Markup {
    html! {
        @match origin {
            Origin::Default => span.muted { "default" },
            Origin::Project(path) if path == file => span title=(path.display()) { "project" },
            Origin::Person(path) | Origin::Project(path) => code { (path.display()) },
            Origin::Env(name) => { "environment " code { (name) } },
            Origin::Flag(name) => { "flag " code { (name) } },
        }
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
        let others = loaded("")
            .into_iter()
            .filter(|row| !row.key.starts_with("agents."));
        let groups = grouped(others.collect());
        let names: Vec<&str> = groups.iter().map(|(name, _)| name.as_str()).collect();
        let mut once = names.clone();
        once.sort_unstable();
        once.dedup();
        assert_eq!(once.len(), names.len(), "{names:?}");
        assert_eq!(names[0], "run");
        assert!(groups[0].1.iter().any(|row| row.key == "run.jobs"));
    }

    #[test]
    fn what_was_set_is_marked_and_says_what_it_would_be_otherwise() {
        let all = loaded("[run]\njobs = 2\n[agents.claude]\nenv = { TOKEN = \"hush\" }\n");
        let jobs = all.iter().find(|row| row.key == "run.jobs").unwrap();
        assert_eq!(
            (jobs.value.as_str(), jobs.default.as_deref()),
            ("2", Some("5"))
        );
        assert_eq!(all.iter().filter(|row| row.is_set()).count(), 2);
        let text = table(&grouped(all), Path::new("kumite.toml")).into_string();
        assert!(
            text.contains("is-set") && text.contains("otherwise"),
            "{text}"
        );
        assert!(!text.contains("hush"), "a secret is shown");
    }

    #[test]
    fn every_setting_says_what_it_means() {
        for row in loaded("[agent.phase]\nimpl = \"codex\"\n") {
            assert!(doc(&row.key).is_some(), "{}", row.key);
        }
    }
}
