//! The task of the agent, from the environment.

use std::path::PathBuf;
use std::time::Duration;

use crate::script::duration;
use crate::trouble::Trouble;

/// The variables of the contract, unchanged. `play` checks them, so that a wrong one is reported
/// like every other problem: with a result line.
#[derive(Clone, Debug, Default)]
pub struct Env {
    /// `KUMITE_SPEC`
    pub spec: Option<String>,
    /// `KUMITE_STEP`
    pub step: Option<String>,
    /// `KUMITE_ROUND`
    pub round: Option<String>,
    /// `KUMITE_RUN`
    pub run: Option<String>,
    /// `KUMITE_AGENT`
    pub agent: Option<String>,
    /// `KUMITE_SCRIPT`
    pub script: Option<PathBuf>,
    /// `KUMITE_SCRIPT_PACE`
    pub pace: Option<String>,
}

impl Env {
    pub fn from_process() -> Env {
        let text = |name| std::env::var(name).ok();
        Env {
            spec: text("KUMITE_SPEC"),
            step: text("KUMITE_STEP"),
            round: text("KUMITE_ROUND"),
            run: text("KUMITE_RUN"),
            agent: text("KUMITE_AGENT"),
            script: std::env::var_os("KUMITE_SCRIPT")
                .filter(|path| !path.is_empty())
                .map(PathBuf::from),
            pace: text("KUMITE_SCRIPT_PACE"),
        }
    }

    /// Identifies this agent, even when somebody starts it by hand.
    pub(crate) fn name(&self) -> &str {
        self.agent.as_deref().unwrap_or("scripted")
    }

    pub(crate) fn pace(&self) -> Result<Option<Duration>, Trouble> {
        let Some(text) = &self.pace else {
            return Ok(None);
        };
        let pace = duration(text).ok_or_else(|| Trouble::Unusable {
            variable: "KUMITE_SCRIPT_PACE",
            value: text.clone(),
            expected: "a duration such as 0, 50ms or 2s",
        })?;
        Ok(Some(pace))
    }
}

/// The environment, parsed.
#[derive(Clone, Debug)]
pub(crate) struct Assignment {
    pub spec: String,
    pub step: Step,
    /// The number of the review or inspection round or of the attempt, from 1.
    pub round: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    Requirements,
    Design,
    Tasks,
    Review,
    Reply,
    Impl,
    Inspect,
    Fix,
    Merge,
}

impl Assignment {
    pub fn read(env: &Env) -> Result<Assignment, Trouble> {
        let step = step(required(&env.step, "KUMITE_STEP")?)?;
        Ok(Assignment {
            spec: spec(required(&env.spec, "KUMITE_SPEC")?)?,
            step,
            round: round(env, step)?,
        })
    }
}

fn required<'a>(value: &'a Option<String>, variable: &'static str) -> Result<&'a str, Trouble> {
    match value.as_deref() {
        Some("") | None => Err(Trouble::Missing { variable }),
        Some(value) => Ok(value),
    }
}

/// The name becomes part of paths: anything but a plain name could lead out of the project.
fn spec(name: &str) -> Result<String, Trouble> {
    let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    if name.chars().all(plain) {
        return Ok(name.to_string());
    }
    Err(Trouble::Unusable {
        variable: "KUMITE_SPEC",
        value: name.to_string(),
        expected: "lower-case letters, digits and hyphens",
    })
}

fn step(name: &str) -> Result<Step, Trouble> {
    Ok(match name {
        "requirements" => Step::Requirements,
        "design" => Step::Design,
        "tasks" => Step::Tasks,
        "review" => Step::Review,
        "reply" => Step::Reply,
        "impl" => Step::Impl,
        "inspect" => Step::Inspect,
        "fix" => Step::Fix,
        "merge" => Step::Merge,
        _ => {
            return Err(Trouble::Unusable {
                variable: "KUMITE_STEP",
                value: name.to_string(),
                expected: "requirements, design, tasks, review, reply, impl, inspect, fix or merge",
            });
        }
    })
}

/// Only numbered steps need a number.
fn round(env: &Env, step: Step) -> Result<u32, Trouble> {
    let numbered = matches!(
        step,
        Step::Review | Step::Reply | Step::Impl | Step::Inspect
    );
    let text = match required(&env.round, "KUMITE_ROUND") {
        Ok(text) => text,
        Err(trouble) if numbered => return Err(trouble),
        Err(_) => return Ok(1),
    };
    match text.parse() {
        Ok(round) if round > 0 => Ok(round),
        _ => Err(Trouble::Unusable {
            variable: "KUMITE_ROUND",
            value: text.to_string(),
            expected: "a number from 1",
        }),
    }
}
