//! All agents that ever worked on a spec.

use std::collections::BTreeMap;

use kumite_agents::Adopted;
use kumite_core::effect::{Effect, Launch};
use kumite_core::journal::{AgentId, Event};
use schemars::JsonSchema;
use serde::Serialize;

use crate::announce::outcome_detail;
use crate::clock::rfc3339;
use crate::project::Spec;
use crate::usage_log::{Line, Place};
use crate::{journal, purse};

/// An agent, and what became of it.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Worked {
    pub id: String,
    /// The number of the run; nothing of the rest is known of an agent whose journal is gone.
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
    /// None: its program told no price.
    pub cost_usd: Option<f64>,
    pub input_tokens: u64,
    pub output_tokens: u64,
    pub alive: bool,
    pub pid: Option<u32>,
}

/// All of them, newest first.
pub fn all(spec: &Spec) -> Result<Vec<Worked>, journal::Error> {
    let mut known: BTreeMap<AgentId, (Launch, Worked)> = BTreeMap::new();
    for (entry, _, effects) in journal::history(spec.run_dir())? {
        if let Event::AgentEnded { agent, ended, .. } = &entry.event
            && let Some((launch, worked)) = known.get_mut(agent)
        {
            let program = purse::read_program(&spec.agent_dir(*agent)).unwrap_or_default();
            let place = Place {
                spec: &spec.name,
                run: launch.run,
                step: launch.step,
                agent: &worked.id,
                program: &program,
            };
            let line = Line::new(place, entry.at_ms, &ended.outcome, ended.usage);
            worked.ended_at = Some(line.time);
            worked.outcome = Some(line.outcome);
            worked.message = outcome_detail(&ended.outcome).map(str::to_owned);
            worked.cost_usd = line.usd;
            worked.input_tokens = line.input_tokens;
            worked.output_tokens = line.output_tokens;
        }
        for effect in effects {
            if let Effect::Launch(launch) = effect {
                known.insert(launch.agent, (launch.clone(), launched(spec, &launch)));
            }
        }
    }
    let mut all: BTreeMap<AgentId, Worked> = known
        .into_iter()
        .map(|(agent, (_, worked))| (agent, worked))
        .collect();
    for logs in kumite_agents::agent_logs(&spec.logs()).unwrap_or_default() {
        let agent = logs.agent;
        all.entry(agent).or_insert_with(|| nameless(agent));
    }
    for (agent, worked) in &mut all {
        // Whoever has an end does not live, and needs no look.
        if worked.ended_at.is_none()
            && let Ok(Adopted::Running(handle)) = kumite_agents::adopt(&spec.agent_dir(*agent))
        {
            worked.alive = true;
            worked.pid = handle.pid();
        }
    }
    Ok(all.into_values().rev().collect())
}

fn launched(spec: &Spec, launch: &Launch) -> Worked {
    let program = purse::read_program(&spec.agent_dir(launch.agent));
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
