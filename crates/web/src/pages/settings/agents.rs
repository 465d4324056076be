//! The agents in the settings, and whether their programs are installed.

use std::path::{Path, PathBuf};

use kumite_core::names::Phase;
use kumite_formats::settings::{AgentKind, AgentSettings, Settings};
use maud::{Markup, html};
use rustix::fs::{Access, access};

const PATH_DEFAULT: &str = "/usr/local/bin:/usr/bin:/bin";

pub fn table(settings: &Settings, root: &Path) -> Markup {
    html! {
        div.scroll {
            table.list {
                thead {
                    tr {
                        th scope="col" { "Agent" }
                        th scope="col" { "Kind" }
                        th scope="col" { "Program" }
                        th scope="col" { "Found" }
                        th scope="col" { "Works on" }
                        th scope="col" { "Environment" }
                    }
                }
                tbody {
                    @for (name, agent) in &settings.agents {
                        tr {
                            td { strong { (name) } }
                            td { (kind(&agent.kind)) }
                            td.nowrap { code { (program(&agent.kind).unwrap_or("kumite")) } }
                            td { (found(agent, root)) }
                            td { (work(settings, name)) }
                            td { (environment(agent)) }
                        }
                    }
                }
            }
        }
    }
}

fn kind(kind: &AgentKind) -> &'static str {
    match kind {
        AgentKind::Program { kind, .. } => kind.name(),
        AgentKind::Acp { .. } => "acp",
        AgentKind::Command { .. } => "command",
        AgentKind::Scripted { .. } => "scripted",
    }
}

/// None: kumite itself is the program.
fn program(kind: &AgentKind) -> Option<&str> {
    match kind {
        AgentKind::Program { program, .. } => Some(program),
        AgentKind::Acp { command } | AgentKind::Command { command, .. } => {
            Some(command.first().map_or("", String::as_str))
        }
        AgentKind::Scripted { .. } => None,
    }
}

fn found(agent: &AgentSettings, root: &Path) -> Markup {
    let Some(program) = program(&agent.kind) else {
        return html! { span.badge.done { "built in" } };
    };
    html! {
        @match find(program, root, agent.env.get("PATH").cloned()) {
            Some(path) => span.badge.done title=(path.display()) { "found" },
            None => span.badge.failed { "missing" },
        }
    }
}

/// Looks a program up as the start of an agent does.
fn find(program: &str, root: &Path, path: Option<String>) -> Option<PathBuf> {
    if program.contains('/') {
        return Some(root.join(program)).filter(|it| is_executable(it));
    }
    let path = path.or_else(|| std::env::var("PATH").ok());
    let path = path.unwrap_or_else(|| PATH_DEFAULT.to_owned());
    let mut places = std::env::split_paths(&path).map(|dir| root.join(dir).join(program));
    places.find(|place| is_executable(place))
}

fn is_executable(path: &Path) -> bool {
    path.is_file() && access(path, Access::EXEC_OK).is_ok()
}

/// The phases that this agent does.
fn work(settings: &Settings, name: &str) -> String {
    let own: Vec<&str> = Phase::ALL
        .into_iter()
        .filter(|phase| settings.agent.phase.get(phase).is_some_and(|it| it == name))
        .map(Phase::name)
        .collect();
    match (settings.agent.default == name, own.is_empty()) {
        (true, true) => "everything that has no agent of its own".to_owned(),
        (true, false) => format!("{}, and what has no agent of its own", own.join(", ")),
        (false, true) => String::new(),
        (false, false) => own.join(", "),
    }
}

/// Only the names: values may be secret.
fn environment(agent: &AgentSettings) -> Markup {
    html! {
        @for (index, name) in agent.env.keys().enumerate() {
            @if index > 0 { ", " }
            code { (name) "=…" }
        }
    }
}

#[cfg(test)]
mod tests {
    use kumite_formats::settings::{Layer, Origin};

    use super::*;

    #[test]
    fn an_agent_says_what_it_does_and_hides_its_secrets() {
        let text = "[agent]\ndefault = \"mine\"\n[agent.phase]\nimpl = \"mine\"\n\
            [agents.mine]\nkind = \"command\"\ncommand = [\"./no-such\"]\n\
            env = { API_KEY = \"hush\" }\n";
        let layer = Layer {
            origin: Origin::Project("kumite.toml".into()),
            text,
        };
        let loaded = Settings::load(&[layer], &[], &[]).unwrap();
        let dir = tempfile::tempdir().unwrap();
        let text = table(&loaded.settings, dir.path()).into_string();
        assert!(
            text.contains("impl, and what has no agent of its own"),
            "{text}"
        );
        assert!(
            text.contains("API_KEY=…") && !text.contains("hush"),
            "{text}"
        );
        assert!(
            text.contains("missing") && text.contains("built in"),
            "{text}"
        );
    }

    #[test]
    fn a_program_is_found_from_the_project_or_on_the_path() {
        let dir = tempfile::tempdir().unwrap();
        assert_eq!(find("./sh", dir.path(), None), None);
        let found = find("sh", dir.path(), Some("/nowhere:/bin".to_owned()));
        assert_eq!(found, Some("/bin/sh".into()));
    }
}
