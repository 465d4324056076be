//! Stop, pause, reset, approve, reject: the same requests to the engine as from any other terminal.

use kumite_core::names::{Document, Phase};
use kumite_host::{Request, client};
use kumite_project::status;
use schemars::JsonSchema;
use serde::Deserialize;

use super::specs::told;
use super::{OfSpec, names};
use crate::refusal::{Refusal, Result};
use crate::tool::{Answer, Call, Reach, Tool, tool};

pub fn tools() -> [Tool; 5] {
    [
        tool(
            "stop_spec",
            Reach::Ends,
            "Ends a run and its agent at once. Finished rounds stay; run_spec goes on.",
            |call, OfSpec { spec }| steer(call, &spec.clone(), Request::Stop { spec }),
        ),
        tool(
            "pause_spec",
            Reach::Adds,
            "Lets the agent finish its step, then begins nothing new. resume_spec goes on.",
            |call, OfSpec { spec }| steer(call, &spec.clone(), Request::Pause { spec }),
        ),
        tool(
            "reset_spec",
            Reach::Ends,
            "Forgets counters and failures of a run that has given up, so that run_spec can go on. \
             Files stay as they are.",
            |call, OfSpec { spec }| {
                steer(call, &spec.clone(), Request::Reset { spec, hard: false })
            },
        ),
        tool(
            "approve_document",
            Reach::Adds,
            "Approves a document that waits for it. Read it first: get_document. run_spec goes on \
             where no engine does so by itself.",
            approve,
        ),
        tool(
            "reject_document",
            Reach::Ends,
            "Rejects a document: an agent writes it anew, and is told the remark.",
            reject,
        ),
    ]
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Approve {
    /// Name of the spec.
    spec: String,
    /// Which document, or deploy; by default the one that waits.
    #[serde(default)]
    #[schemars(schema_with = "names::approvable")]
    document: Option<Phase>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Reject {
    /// Name of the spec.
    spec: String,
    /// Which document; by default the one that waits.
    #[serde(default)]
    #[schemars(schema_with = "names::documents")]
    document: Option<Document>,
    /// What is wrong with it.
    remark: Option<String>,
}

fn approve(call: &Call<'_>, args: Approve) -> Result<Answer> {
    let wrong =
        |phase: &Phase| *phase != Phase::Deploy && Document::from_name(phase.name()).is_none();
    if let Some(phase) = args.document.filter(wrong) {
        return Err(Refusal::new(format!(
            "document: {} cannot be approved; requirements, design, tasks and deploy can",
            phase.name()
        )));
    }
    let (spec, document) = (args.spec.clone(), args.document);
    steer(call, &args.spec, Request::Approve { spec, document })
}

fn reject(call: &Call<'_>, args: Reject) -> Result<Answer> {
    let request = Request::Reject {
        spec: args.spec.clone(),
        document: args.document,
        remark: args.remark,
    };
    steer(call, &args.spec, request)
}

fn steer(call: &Call<'_>, spec: &str, request: Request) -> Result<Answer> {
    let (project, found) = call.access.spec(spec)?;
    let message = client::ask(&project, &request, None)?;
    told(message, &status::one(&project, &found))
}
