//! The evaluator's file: defaults, `[[metrics]]` and `[custom_metrics]`.

use std::collections::BTreeMap;

use super::super::llm::{self, Asked};
use super::super::loader::Loader;
use super::super::metrics;
use super::super::node::{Node, Value};
use super::super::places::Named;
use super::super::plan::{Evaluator, Metric, MetricKind, Plugin, Rubric};
use super::super::rules;
use super::super::scope::Scope;
use super::{environment, team};
use crate::settings::nearest;

const MODEL: &str = "google-gla:gemini-2.5-flash";
const FILE: &str = "configs/evaluator.toml";
const PREFIX: &str = "MIXSEEK_EVALUATOR__";

/// The metrics of a contest without an evaluator file.
const DEFAULTS: [(&str, f64); 3] = [
    ("ClarityCoherence", 0.334),
    ("Coverage", 0.333),
    ("Relevance", 0.333),
];

pub(super) fn read(loader: &Loader<'_>, orchestrator: &Scope<'_>) -> Evaluator {
    let is_named = orchestrator.has("evaluator_config");
    let file = match is_named {
        true => loader.file_of(orchestrator, "evaluator_config"),
        false => loader.file_if_there(FILE),
    };
    let is_there = file.is_some();
    if !is_there && !is_named {
        let message =
            format!("there is no evaluator: {FILE} is not there, so its defaults are used");
        let help = format!("the metrics are ClarityCoherence, Coverage and Relevance, by {MODEL}");
        loader.report.warn(&orchestrator.at, message, Some(help));
    }
    let mut root = file.unwrap_or_else(|| Node::empty(orchestrator.at.clone()));
    put_environment(loader, &mut root);
    let scope = Scope::of(loader.report, &root, "");
    let common = defaults(&scope);
    let custom = custom_metrics(&scope);
    environment(&scope);
    let entries = scope.tables("metrics");
    let metrics = match is_there {
        true => {
            if scope.has_no("metrics") {
                let help = "add `[[metrics]]` with a `name`".to_owned();
                scope.problem_of_all("the evaluator has no metrics", Some(help));
            }
            rules::metrics(loader.report, entries, |scope, name| {
                let kind = kind(&scope, name, &common, &custom);
                scope.finish();
                Some(kind)
            })
        }
        false => {
            let model = common.model.as_deref().unwrap_or(MODEL);
            loader.report.named(Named::Model, model, &scope.at);
            built_in(&common)
        }
    };
    scope.finish();
    Evaluator { metrics }
}

/// The environment overrides `[llm_default]`, which overrides the keys at the top.
fn put_environment(loader: &Loader<'_>, root: &mut Node) {
    let at = root.at.clone();
    let Value::Table(table) = &mut root.value else {
        return;
    };
    let default = table.entry("llm_default".to_owned());
    let default = default.or_insert_with(|| Node::empty(at));
    loader.variables.put_over(default, PREFIX, &llm::KEYS);
    let nested = format!("{PREFIX}LLM_DEFAULT__");
    loader.variables.put_over(default, &nested, &llm::KEYS);
    if let Some(model) = loader.variables.find(&format!("{PREFIX}DEFAULT_MODEL"))
        && let Value::Table(default) = &mut default.value
    {
        default.insert("model".to_owned(), model);
    }
}

fn defaults(scope: &Scope<'_>) -> Asked {
    let top = Asked::mixseek(scope, 1..=u64::MAX).with_model(scope, "default_model");
    let lower = scope.table("llm_default").map(|scope| {
        let asked = Asked::mixseek(&scope, 1..=u64::MAX).with_model(&scope, "model");
        scope.finish();
        asked
    });
    lower.unwrap_or_default().over(top).exact()
}

/// Metrics in Python, by name.
fn custom_metrics(scope: &Scope<'_>) -> BTreeMap<String, Plugin> {
    let Some(table) = scope.table("custom_metrics") else {
        return BTreeMap::new();
    };
    let one = |(name, node): (&String, &Node)| {
        let scope = Scope::of(table.report, node, &table.label(name));
        scope.need("module");
        scope.need("class");
        let plugin = Plugin {
            module: scope.some_text("module"),
            class: scope.some_text("class").unwrap_or_default(),
            ..Plugin::default()
        };
        scope.report.named(Named::Plugin, &plugin.class, &scope.at);
        scope.finish();
        (name.clone(), plugin)
    };
    table.keys().map(one).collect()
}

fn built_in(common: &Asked) -> Vec<Metric> {
    let metric = |(name, weight): (&str, f64)| Metric {
        name: name.to_owned(),
        weight: rules::millionths(weight),
        kind: MetricKind::Llm {
            rubric: metrics::rubric(name).unwrap_or(Rubric::Plain),
            system_instruction: None,
            llm: common.clone().build(MODEL, rules::MODEL_TIMEOUT_MS),
        },
    };
    DEFAULTS.into_iter().map(metric).collect()
}

fn kind(
    scope: &Scope<'_>,
    name: &str,
    common: &Asked,
    custom: &BTreeMap<String, Plugin>,
) -> MetricKind {
    let asked = Asked::mixseek(scope, 1..=u64::MAX).with_model(scope, "model");
    let llm = asked
        .over(common.clone())
        .build(MODEL, rules::MODEL_TIMEOUT_MS);
    let system_instruction = team::instruction(scope);
    if let Some(plugin) = custom.get(name) {
        return MetricKind::Plugin {
            plugin: plugin.clone(),
            timeout_ms: llm.timeout_ms,
            max_retries: llm.max_retries,
        };
    }
    scope
        .report
        .named(Named::Model, &llm.model, &scope.place("model"));
    let rubric = metrics::rubric(name).or((name == "LLMPlain").then_some(Rubric::Plain));
    if rubric.is_none() && !name.is_empty() {
        let built_in = metrics::RUBRICS
            .iter()
            .map(|(name, _)| *name)
            .chain(["LLMPlain"]);
        let known = built_in
            .chain(custom.keys().map(String::as_str))
            .map(str::to_owned);
        let known: Vec<String> = known.collect();
        let near = nearest(name, known.iter().cloned()).unwrap_or_default();
        let help = format!("did you mean `{near}`? Known are {}", known.join(", "));
        scope.problem("name", format!("there is no metric {name:?}"), Some(help));
    }
    if rubric == Some(Rubric::Plain) && system_instruction.as_deref().unwrap_or_default().is_empty()
    {
        let message = "LLMPlain has no `system_instruction`, so it has nothing to score by";
        scope.warn("name", message, None);
    }
    MetricKind::Llm {
        rubric: rubric.unwrap_or(Rubric::Plain),
        system_instruction,
        llm,
    }
}
