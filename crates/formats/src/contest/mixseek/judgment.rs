//! The judge's file: flat keys, no section.

use super::super::llm::{self, Asked};
use super::super::loader::Loader;
use super::super::node::{Node, Value};
use super::super::places::Named;
use super::super::plan::Judge;
use super::super::rules;
use super::super::scope::Scope;
use super::{environment, team};

const MODEL: &str = "google-gla:gemini-2.5-flash";
const FILE: &str = "configs/judgment.toml";
const PREFIX: &str = "MIXSEEK_JUDGMENT__";

pub(super) struct Judgment {
    pub judge: Judge,
    pub on_final_round: bool,
    /// As it was given.
    pub timeout_ms: Option<u64>,
}

pub(super) fn read(loader: &Loader<'_>, orchestrator: &Scope<'_>) -> Judgment {
    let is_named = orchestrator.has("judgment_config");
    let file = match is_named {
        true => loader.file_of(orchestrator, "judgment_config"),
        false => loader.file_if_there(FILE),
    };
    if file.is_none() && !is_named {
        let message = format!("there is no judge: {FILE} is not there, so its defaults are used");
        let help = format!("the model is {MODEL}");
        loader.report.warn(&orchestrator.at, message, Some(help));
    }
    let mut root = file.unwrap_or_else(|| Node::empty(orchestrator.at.clone()));
    flatten(loader, &mut root);
    let more = ["system_instruction", "judge_on_final_round"];
    loader.variables.put_over(&mut root, PREFIX, &llm::KEYS);
    loader.variables.put_over(&mut root, PREFIX, &more);

    let scope = Scope::of(loader.report, &root, "");
    environment(&scope);
    let asked = Asked::mixseek(&scope, 1..=u64::MAX).with_model(&scope, "model");
    let timeout_ms = asked.timeout_ms;
    let llm = asked.exact().build(MODEL, rules::JUDGMENT_TIMEOUT_MS);
    scope
        .report
        .named(Named::Model, &llm.model, &scope.place("model"));
    let judgment = Judgment {
        judge: Judge::Llm {
            system_instruction: team::instruction(&scope),
            llm: Box::new(llm),
        },
        on_final_round: scope.flag("judge_on_final_round").unwrap_or(true),
        timeout_ms,
    };
    scope.finish();
    judgment
}

/// mixseek silently ignores a `[judgment]` table, but its author meant it to count.
fn flatten(loader: &Loader<'_>, root: &mut Node) {
    let Value::Table(file) = &mut root.value else {
        return;
    };
    let is_alone = file.len() == 1;
    let Some(section) = file.get("judgment").filter(|_| is_alone).cloned() else {
        return;
    };
    if let Value::Table(keys) = section.value {
        let message = "a judgment file has no sections; `[judgment]` is read as if it had none";
        let help = "mixseek itself passes over it and uses its defaults".to_owned();
        loader.report.warn(&section.at, message, Some(help));
        *file = keys;
    }
}
