//! The prompts' file: `[prompt_builder]` with three templates.

use super::super::loader::Loader;
use super::super::node::{Node, Value};
use super::super::places::Named;
use super::super::plan::Prompts;
use super::super::scope::Scope;
use super::environment;

const FILE: &str = "configs/prompt_builder.toml";
const KEYS: [&str; 3] = [
    "team_user_prompt",
    "evaluator_user_prompt",
    "judgment_user_prompt",
];

pub(super) fn read(loader: &Loader<'_>, orchestrator: &Scope<'_>) -> Prompts {
    let file = match orchestrator.has("prompt_builder_config") {
        true => loader.file_of(orchestrator, "prompt_builder_config"),
        false => loader.file_if_there(FILE),
    };
    let is_there = file.is_some();
    let mut root = file.unwrap_or_else(|| Node::empty(orchestrator.at.clone()));
    let at = root.at.clone();
    if let Value::Table(file) = &mut root.value {
        if is_there && !file.contains_key("prompt_builder") {
            let message = "there is no `[prompt_builder]`, so the built-in prompts are used";
            loader.report.warn(&at, message, None);
        }
        let section = file.entry("prompt_builder".to_owned());
        let section = section.or_insert_with(|| Node::empty(at));
        loader
            .variables
            .put_over(section, "MIXSEEK_PROMPT_BUILDER__", &KEYS);
    }
    let file = Scope::of(loader.report, &root, "");
    let Some(scope) = file.table("prompt_builder") else {
        return Prompts::default();
    };
    file.finish();
    environment(&scope);
    let [team, evaluator, judge] = KEYS;
    let prompts = Prompts {
        team: scope.some_text(team),
        evaluator: scope.some_text(evaluator),
        judge: scope.some_text(judge),
    };
    for (key, name) in KEYS.into_iter().zip(["team", "evaluator", "judge"]) {
        if scope.has(key) {
            scope.report.named(Named::Prompt, name, &scope.place(key));
        }
    }
    scope.finish();
    prompts
}
