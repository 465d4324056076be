//! All agents that worked on the spec.

use std::io::{BufRead, BufReader, Read};

use kumite_agents::{Said, TranscriptLine};
use kumite_core::outcome::Outcome;
use kumite_project::announce::outcome_name;
use kumite_project::worked::Worked;
use maud::{Markup, html};

use super::Length;
use super::seen::SeenSpec;
use super::words::spaced;
use crate::inside;
use crate::render::Column::{self, Number, Text};
use crate::render::words::{elapsed, milliseconds, moment, money, thousands};
use crate::render::{marks, table};

fn max(length: Length) -> usize {
    match length {
        Length::Short => 30,
        Length::Long => 500,
    }
}

pub fn path_of(spec: &str, agent: &str) -> String {
    format!("/specs/{spec}/agents/{}", marks::segment(agent))
}

pub fn agents(seen: &SeenSpec, length: Length) -> Markup {
    let living = seen.agents.iter().filter(|agent| agent.alive);
    let others = seen.agents.iter().filter(|agent| !agent.alive);
    let shown: Vec<&Worked> = living.chain(others).take(max(length)).collect();
    let left_out = seen.agents.len() - shown.len();
    html! {
        section.card.stack #agents aria-labelledby="agents-title" {
            h2 #agents-title { "Agents" }
            @if shown.is_empty() {
                p.empty { "No agent has worked on it yet." }
            } @else {
                (table(&HEAD, &html! { @for agent in shown { (row(seen, agent)) } }))
            }
            @if left_out > 0 {
                p.small {
                    (left_out) " older agents are not shown. "
                    @if length == Length::Short {
                        a href=(seen.path("?agents=all#agents")) { "Show more" }
                    }
                }
            }
        }
    }
}

const HEAD: [Column; 7] = [
    Text("Step"),
    Text("Program"),
    Text("Started"),
    Number("Took"),
    Text("Outcome"),
    Number("Cost"),
    Number("Tokens"),
];

fn row(seen: &SeenSpec, agent: &Worked) -> Markup {
    html! {
        tr id=(agent.id) {
            td.nowrap { a href=(path_of(&seen.spec.name, &agent.id)) { (step(agent)) } }
            td { (program(seen, agent).unwrap_or_else(|| "–".to_owned())) }
            td.nowrap { (moment(&agent.started_at)) }
            td.num.nowrap { (took(agent)) }
            td { (outcome(agent)) }
            td.num { (agent.cost_usd.map_or("–".to_owned(), money)) }
            td.num { (tokens(agent)) }
        }
    }
}

fn tokens(agent: &Worked) -> String {
    match agent.input_tokens.saturating_add(agent.output_tokens) {
        0 => "–".to_owned(),
        count => thousands(count),
    }
}

/// What it was asked to do: `review 2`, `impl (retry 1)`.
pub fn step(agent: &Worked) -> String {
    let Some(step) = agent.step else {
        return agent.id.clone();
    };
    match (agent.round, agent.attempt) {
        (Some(round), _) => format!("{step} {round}"),
        (None, Some(retry @ 1..)) => format!("{step} (retry {retry})"),
        (None, _) => step.to_owned(),
    }
}

fn took(agent: &Worked) -> Markup {
    let ended = agent.ended_at.as_deref().and_then(milliseconds);
    let started = milliseconds(&agent.started_at);
    html! {
        @match (agent.alive, started, ended) {
            (true, _, _) => (marks::since(&agent.started_at)),
            (false, Some(started), Some(ended)) => (elapsed((ended - started).unsigned_abs() / 1000)),
            _ => "–",
        }
    }
}

fn outcome(agent: &Worked) -> Markup {
    let (class, word) = match (agent.alive, &agent.outcome) {
        (true, _) => ("working", "works".to_owned()),
        (false, Some(outcome)) => (colour(outcome), spaced(outcome_name(outcome))),
        (false, None) => ("idle", "unknown".to_owned()),
    };
    html! { span class={ "badge " (class) } title=[agent.message.as_deref()] { (word) } }
}

/// The colour of a badge for this end.
pub fn colour(outcome: &Outcome) -> &'static str {
    match outcome {
        Outcome::Finished => "done",
        Outcome::Killed => "stopped",
        Outcome::Limited(_) => "waiting",
        Outcome::Failed(_)
        | Outcome::Missing(_)
        | Outcome::Hung
        | Outcome::TimedOut
        | Outcome::Lost(_)
        | Outcome::SessionGone(_)
        | Outcome::OverBudget(_) => "failed",
    }
}

/// Its name in the settings if known, else the name from its transcript.
fn program(seen: &SeenSpec, agent: &Worked) -> Option<String> {
    agent.program.clone().or_else(|| {
        let logs = seen.spec.logs();
        let file = inside::open(&logs, &logs.join(format!("{}.jsonl", agent.id))).ok()?;
        let mut line = Vec::new();
        let mut start = BufReader::with_capacity(512, file).take(4096);
        start.read_until(b'\n', &mut line).ok()?;
        match serde_json::from_slice::<TranscriptLine>(&line).ok()?.said {
            Said::Launched { program, .. } => {
                let name = program.rsplit('/').next();
                name.map(str::to_owned)
            }
            _ => None,
        }
    })
}
