//! The agents in the settings, and whether their programs are installed.

use std::path::Path;

use kumite_agents::find_program;
use kumite_core::names::Phase;
use kumite_formats::settings::{AgentSettings, Settings};
use maud::{Markup, html};

use crate::render::{self, Column, Column::Text};

const HEAD: [Column; 6] = [
    Text("Agent"),
    Text("Kind"),
    Text("Program"),
    Text("Found"),
    Text("Works on"),
    Text("Environment"),
];

pub fn table(settings: &Settings, root: &Path) -> Markup {
    let rows = html! {
        @for (name, agent) in &settings.agents {
            tr {
                td { strong { (name) } }
                td { (agent.kind.name()) }
                td.nowrap { code { (agent.kind.program().unwrap_or("kumite")) } }
                td { (found(agent, root)) }
                td { (work(settings, name)) }
                td { (environment(agent)) }
            }
        }
    };
    render::table(&HEAD, &rows)
}

fn found(agent: &AgentSettings, root: &Path) -> Markup {
    let Some(program) = agent.kind.program() else {
        return html! { span.badge.done { "built in" } };
    };
    let path = agent.env.get("PATH").cloned();
    let path = path.or_else(|| std::env::var("PATH").ok());
    html! {
        @match find_program(program, root, path.as_deref()) {
            Some(path) => span.badge.done title=(path.display()) { "found" },
            None => span.badge.failed { "missing" },
        }
    }
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
        assert_eq!(find_program("./sh", dir.path(), None), None);
        let found = find_program("sh", dir.path(), Some("/nowhere:/bin"));
        assert_eq!(found, Some("/bin/sh".into()));
    }
}
