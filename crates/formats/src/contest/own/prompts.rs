//! `[prompts]`: templates as text, or in separate files.

use super::super::loader::Loader;
use super::super::places::Named;
use super::super::plan::Prompts;
use super::super::scope::Scope;

pub(super) fn read(loader: &Loader<'_>, scope: Scope<'_>) -> Prompts {
    let one = |key, file| {
        if scope.has(key) && scope.has(file) {
            let message = format!("`prompts.{key}` and `prompts.{file}` exclude each other");
            scope.problem(file, message, Some("use one of them".to_owned()));
        }
        if let Some(node) = scope.node(key).or(scope.node(file)) {
            scope.report.named(Named::Prompt, key, &node.at);
        }
        let written = scope.some_text(key);
        written.or_else(|| {
            let (path, text) = loader.text_of(&scope, file)?;
            if text.trim().is_empty() {
                let message = format!("`prompts.{file}` names {}, which is empty", path.display());
                scope.problem(file, message, None);
            }
            Some(text)
        })
    };
    let prompts = Prompts {
        team: one("team", "team_file"),
        evaluator: one("evaluator", "evaluator_file"),
        judge: one("judge", "judge_file"),
    };
    scope.finish();
    prompts
}
