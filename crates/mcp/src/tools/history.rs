//! What happened, why it was decided, and what it cost.

use kumite_formats::spec_name::SpecName;
use kumite_project::books::Books;
use kumite_project::clock::{parse_day, rfc3339};
use kumite_project::cost::{self, Ask, By};
use kumite_project::decisions::Decision;
use kumite_project::events_log;
use kumite_project::picture::Picture;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::page::{Part, page};
use crate::refusal::{Refusal, Result};
use crate::tool::{Answer, Call, Reach, Tool, tool};

/// How many are shown by default.
const USUAL: u64 = 50;

pub fn tools() -> [Tool; 3] {
    [
        tool(
            "get_events",
            Reach::Reads,
            "What happened to a spec, oldest first: phases, agents, rounds, approvals, ends. The \
             last 50 unless told otherwise.",
            get_events,
        ),
        tool(
            "get_decisions",
            Reach::Reads,
            "Every entry of a spec's journal with what was decided about it and on which evidence. \
             The last 50 unless told otherwise.",
            get_decisions,
        ),
        tool(
            "get_cost",
            Reach::Reads,
            "What the agents have used, money and tokens, added up by spec, phase, agent, day or \
             step.",
            get_cost,
        ),
    ]
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct PartOfSpec {
    /// Name of the spec.
    spec: String,
    /// Number of the first one, from 1; by default the last ones are shown.
    from: Option<u64>,
    /// How many, at most 1000.
    count: Option<u64>,
}

impl PartOfSpec {
    fn part(&self) -> Part {
        Part::new(self.from, self.count)
    }
}

fn get_events(call: &Call<'_>, args: PartOfSpec) -> Result<Answer> {
    let (_, spec) = call.access.spec(&args.spec)?;
    let events = events_log::read(&spec).map_err(|error| {
        let path = spec.events_file();
        Refusal(format!("cannot read {}: {error}", path.display()))
    })?;
    let page = page(events, args.part(), USUAL)?;
    Answer::of(&json!({
        "spec": spec.name,
        "total": page.total,
        "from": page.from,
        "next": page.next,
        "events": page.items,
    }))
}

fn get_decisions(call: &Call<'_>, args: PartOfSpec) -> Result<Answer> {
    let (project, spec) = call.access.spec(&args.spec)?;
    let short = |it: Decision| -> Value {
        json!({
            "seq": it.entry.seq,
            "time": rfc3339(it.entry.at_ms),
            "event": it.event,
            "effects": it.effects,
            "state": it.state,
        })
    };
    let picture = Picture::read(&project, spec).readable()?;
    let all: Vec<Value> = picture.decisions().map(short).collect();
    let page = page(all, args.part(), USUAL)?;
    Answer::of(&json!({
        "spec": picture.spec.name,
        "total": page.total,
        "from": page.from,
        "next": page.next,
        "decisions": page.items,
    }))
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct GetCost {
    /// Only this spec.
    spec: Option<String>,
    /// What to add up; default spec.
    #[serde(default)]
    #[schemars(schema_with = "ways")]
    by: By,
    /// Only from this day on, such as 2026-01-31.
    since: Option<String>,
}

fn ways(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
    let ways = [By::Spec, By::Phase, By::Agent, By::Day, By::Step];
    schemars::json_schema!({"type": "string", "enum": ways.map(By::name)})
}

fn get_cost(call: &Call<'_>, args: GetCost) -> Result<Answer> {
    let project = call.access.project()?;
    let day = |text: String| {
        parse_day(&text).ok_or_else(|| {
            Refusal(format!(
                "since: a day is written like 2026-01-31, not {text:?}"
            ))
        })
    };
    let name = args.spec.map(|name| name.parse::<SpecName>()).transpose()?;
    let ask = Ask {
        by: args.by,
        specs: name.into_iter().collect(),
        since: args.since.map(day).transpose()?,
    };
    Answer::of(&cost::report(&project, &mut Books::of(&project), &ask)?)
}
