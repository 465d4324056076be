//! All agents that ever worked on a spec.

use std::collections::BTreeMap;

use kumite_core::effect::{Effect, Launch};
use kumite_core::journal::{AgentId, Event};
use kumite_core::outcome::Outcome;
use schemars::JsonSchema;
use serde::{Serialize, Serializer};

use crate::announce::{outcome_detail, outcome_name};
use crate::clock::rfc3339;
use crate::picture::Picture;

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
    #[serde(serialize_with = "outcome_word")]
    #[schemars(with = "Option<String>")]
    pub outcome: Option<Outcome>,
    pub message: Option<String>,
    /// None: its program reported no price.
    pub cost_usd: Option<f64>,
    pub input_tokens: u64,
    pub output_tokens: u64,
    pub alive: bool,
    pub pid: Option<u32>,
}

pub(crate) fn of(picture: &Picture) -> Vec<Worked> {
    let mut all: BTreeMap<AgentId, Worked> = BTreeMap::new();
    for (entry, _, effects) in &picture.history {
        if let Event::AgentEnded { agent, ended, .. } = &entry.event
            && let Some(worked) = all.get_mut(agent)
        {
            worked.ended_at = Some(rfc3339(entry.at_ms));
            worked.outcome = Some(ended.outcome.clone());
            worked.message = outcome_detail(&ended.outcome).map(str::to_owned);
            worked.input_tokens = ended.usage.input_tokens;
            worked.output_tokens = ended.usage.output_tokens;
            // An agent that was never started is not in usage.jsonl, and cost nothing.
            if let Some(line) = picture.paid.get(&worked.id) {
                worked.program = Some(line.program.clone());
                worked.kind = Some(line.kind.clone());
                worked.cost_usd = line.usd;
            }
        }
        for effect in effects {
            if let Effect::Launch(launch) = effect {
                all.insert(launch.agent, launched(launch));
            }
        }
    }
    for agent in &picture.logged {
        all.entry(*agent).or_insert_with(|| nameless(*agent));
    }
    for dir in &picture.agents {
        let agent = dir.id.parse().ok();
        if let Some(worked) = agent.and_then(|agent: AgentId| all.get_mut(&agent)) {
            if worked.run.is_some() && worked.program.is_none() {
                worked.kind = dir.program.as_ref().map(|it| it.kind.clone());
                worked.program = dir.program.as_ref().map(|it| it.program.clone());
            }
            // An agent with an end is not alive.
            let life = dir.life.as_ref().filter(|_| worked.ended_at.is_none());
            worked.alive = life.is_some();
            worked.pid = life.and_then(|life| life.pid);
        }
    }
    all.into_values().rev().collect()
}

fn launched(launch: &Launch) -> Worked {
    Worked {
        run: Some(launch.run),
        phase: Some(launch.step.phase().name()),
        step: Some(launch.step.name()),
        round: launch.step.round().map(|round| round.number),
        attempt: launch.step.attempt().map(|attempt| attempt.retry),
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

fn outcome_word<S: Serializer>(outcome: &Option<Outcome>, to: S) -> Result<S::Ok, S::Error> {
    outcome.as_ref().map(outcome_name).serialize(to)
}
