//! The agents in the settings, and what can be found out about each.

use std::collections::BTreeMap;
use std::path::Path;
use std::thread;

use kumite_formats::settings::AgentSettings;
use kumite_project::limits;
use schemars::JsonSchema;
use serde::Serialize;

use crate::{Agent, Login, probe};

/// One line of `kumite agent list --json`.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[schemars(rename = "Agent")]
pub struct Listed {
    /// Its name in the settings.
    pub name: String,
    pub kind: String,
    pub program: String,
    pub installed: bool,
    pub version: Option<String>,
    /// None: unknown, or no login is needed.
    pub logged_in: Option<bool>,
    /// RFC 3339.
    pub limited_until: Option<String>,
    /// The text of that limit.
    pub limit: Option<String>,
    /// The same moment, for callers that format it themselves.
    #[serde(skip)]
    pub limited_until_ms: Option<u64>,
    /// The agent is kumite itself.
    #[serde(skip)]
    pub is_own: bool,
}

/// Probes all of them at the same time: some programs are slow.
pub fn list(agents: &BTreeMap<String, AgentSettings>, project: &Path) -> Vec<Listed> {
    let held = limits::all_held(agents);
    thread::scope(|scope| {
        let asked: Vec<_> = agents
            .iter()
            .map(|(name, settings)| {
                let agent = Agent::new(name, settings);
                let kind = agent.as_ref().map_or("scripted", |agent| agent.kind.name());
                let program = agent.as_ref().map_or("kumite", Agent::program).to_owned();
                let answer = scope.spawn(move || Some(probe(&agent?, project)));
                (name, kind, program, answer)
            })
            .collect();
        let listed = asked.into_iter().map(|(name, kind, program, answer)| {
            let held = held.iter().find(|(limited, _)| limited == name);
            let held = held.map(|(_, held)| held);
            // A thread that panicked has printed the reason.
            let probe = answer.join().unwrap_or_default();
            Listed {
                name: name.clone(),
                kind: kind.to_owned(),
                program,
                installed: probe.as_ref().is_none_or(|probe| probe.path.is_some()),
                version: match &probe {
                    Some(probe) => probe.version.clone(),
                    None => Some(env!("CARGO_PKG_VERSION").to_owned()),
                },
                logged_in: probe.as_ref().and_then(|probe| match probe.login {
                    Login::Yes => Some(true),
                    Login::No => Some(false),
                    Login::Unknown => None,
                }),
                limited_until: held.map(|held| held.until.clone()),
                limit: held.map(|held| held.words.clone()),
                limited_until_ms: held.map(|held| held.until_ms),
                is_own: probe.is_none(),
            }
        });
        listed.collect()
    })
}
