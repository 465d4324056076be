//! `[[metric]]`: a program, a list of words, or a question to a model.

use super::super::llm::{self, Asked};
use super::super::metrics;
use super::super::plan::{Checklist, Evaluator, MetricKind, Rubric};
use super::super::problem::Report;
use super::super::rules;
use super::super::scope::Scope;
use super::team;
use crate::settings::nearest;

const KINDS: [&str; 3] = ["command", "words", "model"];

pub(super) fn evaluator(report: &Report, file: &Scope<'_>) -> Evaluator {
    let entries = file.tables("metric");
    if file.has_no("metric") {
        let help = "add `[[metric]]` with a `name` and a `command`, `words` or a `model`";
        file.problem("metric", "there are no metrics", Some(help.to_owned()));
    }
    Evaluator {
        metrics: rules::metrics(report, entries, kind),
    }
}

fn kind(scope: Scope<'_>, name: &str) -> Option<MetricKind> {
    let given: Vec<&'static str> = KINDS.into_iter().filter(|key| scope.has(key)).collect();
    let kind = match given.as_slice() {
        ["command"] => Some(MetricKind::Command {
            command: team::command(&scope),
            max_retries: scope.count("retries", 0..=100).unwrap_or(llm::RETRIES),
            veto_below: scope.number("veto_below", 0.0..=100.0),
        }),
        ["words"] => Some(MetricKind::Checklist(checklist(&scope))),
        ["model"] => Some(question(&scope, name)),
        _ => {
            let what = match given.is_empty() {
                true => format!("metric {name:?} has nothing to measure with"),
                false => format!("metric {name:?} has `{}` at once", given.join("` and `")),
            };
            let help = "give it exactly one of `command`, `words` and `model`".to_owned();
            scope.problem("name", what, Some(help));
            return None;
        }
    };
    scope.finish_as(&format!("a metric with `{}`", given.join("")));
    kind
}

fn checklist(scope: &Scope<'_>) -> Checklist {
    let words = scope.texts("words");
    let is_bad =
        |words: &Vec<String>| words.is_empty() || words.iter().any(|word| word.trim().is_empty());
    if words.as_ref().is_some_and(is_bad) {
        let message = "`metric.words` must be a list of words, none of them empty";
        scope.problem("words", message, None);
    }
    Checklist {
        words: words.unwrap_or_default(),
    }
}

/// The rubric of that name, or an instruction of its own.
fn question(scope: &Scope<'_>, name: &str) -> MetricKind {
    let asked = Asked::own(scope).with_model(scope, "model").exact();
    let system_instruction = scope.some_text("instruction");
    let rubric = metrics::rubric(name);
    if rubric.is_none() && !scope.has("instruction") && !name.is_empty() {
        let known: Vec<&str> = metrics::RUBRICS.iter().map(|(name, _)| *name).collect();
        let near = nearest(name, known.iter().map(|name| (*name).to_owned())).unwrap_or_default();
        let message = format!("metric {name:?} has no `instruction`, and is not built in");
        let help = format!("did you mean `{near}`? Built in are {}", known.join(", "));
        scope.problem("name", message, Some(help));
    }
    MetricKind::Llm {
        rubric: rubric.unwrap_or(Rubric::Plain),
        system_instruction,
        llm: asked.build("", rules::MODEL_TIMEOUT_MS),
    }
}
