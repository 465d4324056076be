//! All agents that ever worked on a spec.

use std::collections::BTreeMap;

use kumite_agents::Adopted;
use kumite_core::effect::{Effect, Launch};
use kumite_core::journal::{AgentId, Event};
use schemars::JsonSchema;
use serde::Serialize;

use crate::announce::{outcome_detail, outcome_name};
use crate::books::{Follower, Found};
use crate::clock::rfc3339;
use crate::project::{Project, Spec};
use crate::usage_log::Line;
use crate::{journal, program};

/// An agent, and its result.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Worked {
    pub id: String,
    /// The number of the run; if an agent's journal is gone, this and the rest is unknown.
    pub run: Option<u32>,
    pub phase: Option<&'static str>,
    pub step: Option<&'static str>,
    pub round: Option<u32>,
    pub attempt: Option<u8>,
    /// Its name in the settings.
    pub program: Option<String>,
    pub kind: Option<String>,
    pub started_at: String,
    pub ended_at: Option<String>,
    /// None: it has not ended, or nobody saw how.
    pub outcome: Option<String>,
    pub message: Option<String>,
    /// None: its program reported no price.
    pub cost_usd: Option<f64>,
    pub input_tokens: u64,
    pub output_tokens: u64,
    pub alive: bool,
    pub pid: Option<u32>,
}

/// All of them, newest first.
pub fn all(spec: &Spec) -> Result<Vec<Worked>, journal::Error> {
    let mut all: BTreeMap<AgentId, Worked> = BTreeMap::new();
    let paid = paid(spec);
    for (entry, _, effects) in journal::history(spec.run_dir())? {
        if let Event::AgentEnded { agent, ended, .. } = &entry.event
            && let Some(worked) = all.get_mut(agent)
        {
            worked.ended_at = Some(rfc3339(entry.at_ms));
            worked.outcome = Some(outcome_name(&ended.outcome).to_owned());
            worked.message = outcome_detail(&ended.outcome).map(str::to_owned);
            worked.input_tokens = ended.usage.input_tokens;
            worked.output_tokens = ended.usage.output_tokens;
            // An agent that was never started is not in usage.jsonl, and cost nothing.
            if let Some(line) = paid.get(&worked.id) {
                worked.program = Some(line.program.clone());
                worked.kind = Some(line.kind.clone());
                worked.cost_usd = line.usd;
            }
        }
        for effect in effects {
            if let Effect::Launch(launch) = effect {
                all.insert(launch.agent, launched(spec, &launch));
            }
        }
    }
    for logs in kumite_agents::agent_logs(&spec.logs()).unwrap_or_default() {
        let agent = logs.agent;
        all.entry(agent).or_insert_with(|| nameless(agent));
    }
    for (agent, worked) in &mut all {
        // An agent with an end is not alive, and needs no check.
        if worked.ended_at.is_none()
            && let Ok(Adopted::Running(handle)) = kumite_agents::adopt(&spec.agent_dir(*agent))
        {
            worked.alive = true;
            worked.pid = handle.pid();
        }
    }
    Ok(all.into_values().rev().collect())
}

/// The lines of usage.jsonl about the agents of this spec.
fn paid(spec: &Spec) -> BTreeMap<String, Line> {
    let mut paid = BTreeMap::new();
    let mut lines = Follower::at(Project::at(spec.project_root()).usage_file());
    // An unreadable file adds nothing.
    let _ = lines.read(|found| {
        if let Found::Line(line) = found
            && line.contest.is_none()
            && line.spec == spec.name
        {
            paid.insert(line.agent.clone(), *line);
        }
    });
    paid
}

fn launched(spec: &Spec, launch: &Launch) -> Worked {
    let program = program::read(&spec.agent_dir(launch.agent));
    Worked {
        run: Some(launch.run),
        phase: Some(launch.step.phase().name()),
        step: Some(launch.step.name()),
        round: launch.step.round().map(|round| round.number),
        attempt: launch.step.attempt().map(|attempt| attempt.retry),
        kind: program.as_ref().map(|program| program.kind.clone()),
        program: program.map(|program| program.program),
        ..nameless(launch.agent)
    }
}

fn nameless(agent: AgentId) -> Worked {
    Worked {
        id: agent.to_string(),
        run: None,
        phase: None,
        step: None,
        round: None,
        attempt: None,
        program: None,
        kind: None,
        started_at: rfc3339(agent.at_ms),
        ended_at: None,
        outcome: None,
        message: None,
        cost_usd: None,
        input_tokens: 0,
        output_tokens: 0,
        alive: false,
        pid: None,
    }
}
