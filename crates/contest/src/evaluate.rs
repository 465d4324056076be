//! The evaluator: metrics that look at one submission and give it 0 to 100 points each.
//!
//! A metric tries once; the core decides about further tries, and how measures become one score.

pub(crate) mod asked;
mod checklist;
mod command;
mod llm;
mod plugin;
mod rubric;
#[cfg(test)]
pub(crate) mod tests;

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use jiff::tz::TimeZone;
use kumite_core::contest::{Failure, Score};
use kumite_formats::contest::{self as formats, MetricKind, Plan};
use kumite_models::Client;
use serde_json::Value;

use crate::prompts::{Templates, shorten};
use crate::work::{Metric, Missed};
use asked::short;

/// Looks up a variable of the environment.
pub type Variables = dyn Fn(&str) -> Option<String> + Send + Sync;

/// What judge and metrics need from the world.
#[derive(Clone)]
pub struct ModelMeans {
    pub client: Client,
    /// Keys and base URLs.
    pub env: Arc<Variables>,
    pub templates: Arc<Templates>,
    pub zone: TimeZone,
    /// Where programs are found, and where they run for teams without a worktree.
    pub project: PathBuf,
}

#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("metric {metric} cannot be measured")]
    Model {
        metric: String,
        source: kumite_models::Error,
    },
    #[error("metric {metric}: the command is empty; write it as [\"program\", \"argument\"]")]
    NoCommand { metric: String },
    #[error("metric {metric}: the checklist has no words")]
    NoWords { metric: String },
    #[error("metric {metric}: the plugin names neither a module nor a path")]
    NoPlugin { metric: String },
}

/// The metrics of a plan, in order. Models and keys are resolved, but nothing is called or run.
pub fn metrics(plan: &Plan, means: &ModelMeans) -> Result<Vec<Box<dyn Metric>>, Error> {
    let metrics = plan.evaluator.metrics.iter();
    metrics.map(|it| metric(it, plan, means)).collect()
}

fn metric(
    metric: &formats::Metric,
    plan: &Plan,
    means: &ModelMeans,
) -> Result<Box<dyn Metric>, Error> {
    let name = || metric.name.clone();
    Ok(match &metric.kind {
        MetricKind::Llm {
            rubric,
            system_instruction,
            llm,
        } => {
            let own = system_instruction.as_deref();
            let instruction = own.unwrap_or_else(|| rubric::instruction(*rubric));
            let made = llm::ByModel::new(llm, instruction, plan, means);
            Box::new(made.map_err(|source| Error::Model {
                metric: name(),
                source,
            })?)
        }
        MetricKind::Command {
            command,
            veto_below,
            ..
        } => {
            if command.argv.is_empty() {
                return Err(Error::NoCommand { metric: name() });
            }
            Box::new(command::ByCommand {
                name: name(),
                argv: command.argv.clone(),
                veto_below: *veto_below,
                project: means.project.clone(),
                runs_in: command::RunsIn::Worktree,
            })
        }
        MetricKind::Checklist(checklist) => {
            if checklist.words.is_empty() {
                return Err(Error::NoWords { metric: name() });
            }
            Box::new(checklist::Checklist {
                words: checklist.words.clone(),
            })
        }
        MetricKind::Plugin { plugin, .. } => {
            let argv = plugin::argv(plugin, &means.project);
            let argv = argv.ok_or_else(|| Error::NoPlugin { metric: name() })?;
            Box::new(command::ByCommand {
                name: name(),
                argv,
                veto_below: None,
                project: means.project.clone(),
                runs_in: command::RunsIn::Project,
            })
        }
    })
}

/// The longest remark of a metric about one submission.
const REMARK_CHARS: usize = 10_000;

fn remark(text: &str) -> String {
    shorten(text.trim(), REMARK_CHARS).into_owned()
}

/// D6: a number from 0 to 100, nothing else. A text that looks like a number is refused.
fn score(object: &Value) -> Result<Score, String> {
    let value = asked::field(object, "score")?;
    let score = value.as_f64().and_then(Score::from_f64);
    score.ok_or_else(|| format!("score is {}, not a number from 0 to 100", short(value)))
}

/// The submission as a text, whatever its bytes are.
fn read(submission: &Path) -> Result<String, Missed> {
    let bytes = fs::read(submission).map_err(|error| cannot("read", submission, &error))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

fn cannot(what: &str, path: &Path, error: &std::io::Error) -> Missed {
    let why = format!("cannot {what} {}: {error}", path.display());
    Missed::free(Failure::Passing, why)
}
