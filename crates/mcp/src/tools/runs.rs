//! Starts agents. The work goes on without this server; a caller may wait for its end.

use std::time::{Duration, Instant};

use kumite_core::names::Phase;
use kumite_host::RunRequest;
use kumite_host::{all_specs, client};
use kumite_project::status;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::names;
use super::specs::told;
use crate::refusal::{Refusal, Result};
use crate::tool::{Answer, Call, Reach, Tool, tool};
use crate::watch::Watch;

/// The longest wait in one call.
const WAIT_MAX: u64 = 600;

pub fn tools() -> [Tool; 4] {
    [
        tool(
            "run_spec",
            Reach::Starts,
            "Drives a spec through its phases until it is done or a person is needed. Returns at \
             once, and the work goes on in the background; with wait_seconds it returns when the spec \
             has come to rest. One that runs already goes on running.",
            run_spec,
        ),
        tool(
            "run_all",
            Reach::Starts,
            "Drives all specs of the project in the background, some at a time. list_specs tells how \
             they get on.",
            run_all,
        ),
        tool(
            "resume_spec",
            Reach::Starts,
            "Goes on after a stop or a pause, and does not wait for the end of a usage limit any \
             longer.",
            resume_spec,
        ),
        tool(
            "review_spec",
            Reach::Starts,
            "One round of document review by hand: a review and its reply, no loop.",
            review_spec,
        ),
    ]
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct RunSpec {
    /// Name of the spec.
    spec: String,
    /// End when this phase is done.
    #[serde(default)]
    #[schemars(schema_with = "names::phases")]
    until: Option<Phase>,
    /// Begin with this phase, even if it is already done.
    #[serde(default)]
    #[schemars(schema_with = "names::phases")]
    from: Option<Phase>,
    /// The agent for all phases, by its name in the settings.
    agent: Option<String>,
    /// How long to wait until it rests, at most 600. Many clients give up after 60.
    wait_seconds: Option<u64>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct RunAll {
    /// End when this phase is done.
    #[serde(default)]
    #[schemars(schema_with = "names::phases")]
    until: Option<Phase>,
    /// The agent for all phases, by its name in the settings.
    agent: Option<String>,
    /// How many specs work at the same time, if no engine runs yet.
    jobs: Option<u32>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ResumeSpec {
    /// Name of the spec.
    spec: String,
    /// The agent for all phases, by its name in the settings.
    agent: Option<String>,
    /// How long to wait until it rests, at most 600.
    wait_seconds: Option<u64>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ReviewSpec {
    /// Name of the spec.
    spec: String,
    /// Apply the fixes too.
    #[serde(default)]
    fix: bool,
    /// How long to wait until it rests, at most 600.
    wait_seconds: Option<u64>,
}

fn run_spec(call: &Call<'_>, args: RunSpec) -> Result<Answer> {
    let request = RunRequest {
        specs: vec![args.spec],
        until: args.until,
        from: args.from,
        agent: args.agent,
        ..RunRequest::default()
    };
    start(call, request, args.wait_seconds)
}

fn resume_spec(call: &Call<'_>, args: ResumeSpec) -> Result<Answer> {
    let request = RunRequest {
        agent: args.agent,
        ..RunRequest::resume(&args.spec)
    };
    start(call, request, args.wait_seconds)
}

fn review_spec(call: &Call<'_>, args: ReviewSpec) -> Result<Answer> {
    start(
        call,
        RunRequest::review(&args.spec, args.fix),
        args.wait_seconds,
    )
}

fn run_all(call: &Call<'_>, args: RunAll) -> Result<Answer> {
    let project = call.access.project()?;
    let request = RunRequest {
        specs: all_specs(&project)?,
        until: args.until,
        agent: args.agent,
        ..RunRequest::default()
    };
    call.access.loader(&project)?;
    let request = request.checked(&project)?;
    client::detach(&project, &request, args.jobs)?;
    let message = format!("{} specs are on their way", request.specs.len());
    Answer::of(&json!({"message": message, "specs": request.specs}))
}

/// Starts one spec and waits for it if requested.
fn start(call: &Call<'_>, request: RunRequest, wait_seconds: Option<u64>) -> Result<Answer> {
    let seconds = wait_seconds.unwrap_or(0);
    if seconds > WAIT_MAX {
        let words = format!("wait_seconds: at most {WAIT_MAX}, not {seconds}");
        return Err(Refusal(words));
    }
    let project = call.access.project()?;
    call.access.loader(&project)?;
    let request = request.checked(&project)?;
    let name = &request.specs[0];
    let spec = project.spec(&name.parse()?)?;
    let watch = Watch::new(&project, &spec)?;
    client::detach(&project, &request, None)?;
    let message = match seconds {
        0 => format!("{name} is on its way"),
        _ => {
            let deadline = Instant::now() + Duration::from_secs(seconds);
            match watch.until_rest(deadline, call.is_over)? {
                true => format!("{name} has come to rest"),
                false => format!("{name} has not come to rest yet; it goes on"),
            }
        }
    };
    told(message, &status::one(&project, &spec))
}
