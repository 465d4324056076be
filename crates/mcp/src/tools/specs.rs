//! The project, its specs, and a new spec.

use std::collections::BTreeMap;

use kumite_core::names::Phase;
use kumite_core::run::{Need, Reason, StateName};
use kumite_project::status::{self, Status};
use kumite_project::{lock, new_spec};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{OfNothing, OfSpec};
use crate::page::{Part, page};
use crate::refusal::Result;
use crate::tool::{Answer, Call, Reach, Tool, tool};

pub fn tools() -> [Tool; 4] {
    [
        tool(
            "project_info",
            Reach::Reads,
            "The project: where it is, how many specs are in which state, whether an engine runs, \
             and the names of the agents that its settings know.",
            project_info,
        ),
        tool(
            "list_specs",
            Reach::Reads,
            "The specs of the project, by name: state, phase, and why each is in that state. \
             get_spec tells more of one.",
            list_specs,
        ),
        tool(
            "get_spec",
            Reach::Reads,
            "The state of a spec, and why: state (idle, working, waiting, paused, stopped, failed, \
             done), phase, reason, message, round, tasks, living agents, cost, review and inspection \
             rounds.",
            get_spec,
        ),
        tool(
            "create_spec",
            Reach::Adds,
            "Creates a spec from a description. Nothing runs yet: run_spec has an agent write its \
             requirements.",
            create_spec,
        ),
    ]
}

fn project_info(call: &Call<'_>, _: OfNothing) -> Result<Answer> {
    let project = call.access.project()?;
    let loader = call.access.loader(&project)?;
    let mut states: BTreeMap<&str, u32> = BTreeMap::new();
    for status in status::all(&project)? {
        *states.entry(status.state.word()).or_default() += 1;
    }
    Answer::of(&json!({
        "root": project.root(),
        "version": env!("CARGO_PKG_VERSION"),
        "engine_runs": lock::is_held(&project),
        "specs": states.values().sum::<u32>(),
        "states": states,
        "agents": loader.loaded.settings.agents.keys().collect::<Vec<_>>(),
    }))
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ListSpecs {
    /// Only those in this state.
    #[schemars(schema_with = "states")]
    state: Option<StateName>,
    /// Number of the first one, from 1.
    from: Option<u64>,
    /// How many; default 100, at most 1000.
    count: Option<u64>,
}

fn states(_: &mut SchemaGenerator) -> Schema {
    let words = StateName::ALL.map(StateName::word);
    json_schema!({"type": ["string", "null"], "enum": words.map(Some).into_iter().chain([None]).collect::<Vec<_>>()})
}

/// A line of the list.
#[derive(Serialize)]
struct Short {
    spec: String,
    state: StateName,
    phase: Option<Phase>,
    reason: Option<Reason>,
    message: Option<String>,
    /// The tool that helps, if a person or an agent is needed.
    next: Option<&'static str>,
    tasks: status::TaskCount,
}

fn list_specs(call: &Call<'_>, args: ListSpecs) -> Result<Answer> {
    let all = status::all(&call.access.project()?)?.into_iter();
    let short = |it: Status| Short {
        spec: it.spec,
        state: it.state,
        phase: it.phase,
        reason: it.reason,
        message: it.message,
        next: it.spec_state.need().map(remedy),
        tasks: it.tasks,
    };
    let all = all.filter(|it| args.state.is_none_or(|state| it.state == state));
    let part = Part::new(args.from.or(Some(1)), args.count);
    let page = page(all.map(short).collect(), part, 100)?;
    Answer::of(&json!({"total": page.total, "next": page.next, "specs": page.items}))
}

/// The tool that lets a spec go on if it needs a person or an agent.
fn remedy(need: Need) -> &'static str {
    match need {
        Need::Approve => "approve_document",
        Need::Decide | Need::Failed | Need::Resume => "resume_spec",
        Need::Reset => "reset_spec",
    }
}

fn get_spec(call: &Call<'_>, args: OfSpec) -> Result<Answer> {
    let (project, spec) = call.access.spec(&args.spec)?;
    Answer::of(&status::one(&project, &spec))
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct CreateSpec {
    /// Name of the spec: small letters, digits and hyphens.
    spec: String,
    /// What it should do, in a few sentences.
    description: Option<String>,
    /// Language of the documents, such as en or ja; default en.
    language: Option<String>,
}

fn create_spec(call: &Call<'_>, args: CreateSpec) -> Result<Answer> {
    let project = call.access.project()?;
    let description = args.description.unwrap_or_default();
    let language = args.language.as_deref().unwrap_or(new_spec::LANGUAGE);
    let (name, dir) = new_spec::create(&project, &args.spec, &description, language)?;
    let message = format!("created {}; next: run_spec", dir.display());
    told(message, &status::one(&project, &project.spec(&name)?))
}

/// What was done, and the state of the spec afterwards.
pub fn told(message: String, status: &Status) -> Result<Answer> {
    let status: Value = serde_json::to_value(status)?;
    Answer::of(&json!({"message": message, "status": status}))
}
