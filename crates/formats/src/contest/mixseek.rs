//! mixseek's unchanged files: an orchestrator that names teams, evaluator, judgment and prompts.
//! Keys that mixseek accepts but never reads have an effect here, or cause a warning.

mod evaluator;
mod judgment;
mod member;
mod prompts;
mod team;
mod tools;

use std::collections::BTreeMap;

use super::loader::Loader;
use super::node::{Node, Value};
use super::plan::{Plan, Team};
use super::problem::FileLine;
use super::rules;
use super::scope::Scope;

pub(super) use team::read as team;

const KEYS: [&str; 11] = [
    "timeout_per_team_seconds",
    "max_rounds",
    "min_rounds",
    "submission_timeout_seconds",
    "judgment_timeout_seconds",
    "max_concurrent_teams",
    "max_retries_per_team",
    "evaluator_config",
    "judgment_config",
    "prompt_builder_config",
    "environment",
];
const TEAM_TIMEOUT_MS: u64 = 300_000;

pub(super) fn plan(loader: &mut Loader<'_>, mut root: Node) -> Option<Plan> {
    let at = root.at.clone();
    if let Value::Table(table) = &mut root.value
        && let Some(section) = table.get_mut("orchestrator")
    {
        loader.variables.put_over(section, "MIXSEEK_", &KEYS);
    }
    let file = Scope::of(loader.report, &root, "");
    let scope = file.table("orchestrator")?;
    file.finish();
    find_workspace(loader, &scope);
    let loader = &*loader;

    let (rounds_min, rounds_max) = rules::rounds(&scope, "min_rounds", "max_rounds");
    let team_timeout_ms = scope.seconds("timeout_per_team_seconds", 10..=3600);
    let judgment_timeout_ms = scope.seconds("judgment_timeout_seconds", 1..=u64::MAX);
    let retries = scope.count("max_retries_per_team", 0..=10);
    let judgment = judgment::read(loader, &scope);
    environment(&scope);
    let plan = Plan {
        task: loader.task(&at, None),
        teams: teams(loader, &scope),
        evaluator: evaluator::read(loader, &scope),
        judge: judgment.judge,
        judge_on_final_round: judgment.on_final_round,
        prompts: prompts::read(loader, &scope),
        rounds_min,
        rounds_max,
        teams_max: scope.count("max_concurrent_teams", 1..=100),
        submission_timeout_ms: scope
            .seconds("submission_timeout_seconds", 1..=u64::MAX)
            .unwrap_or(rules::SUBMISSION_TIMEOUT_MS),
        judgment_timeout_ms: rules::judgment_timeout(judgment_timeout_ms, judgment.timeout_ms),
        team_timeout_ms: loader
            .timeout_ms()
            .or(team_timeout_ms)
            .or(Some(TEAM_TIMEOUT_MS)),
        contest_timeout_ms: None,
        submission_retries: retries.unwrap_or(rules::SUBMISSION_RETRIES),
        budget_usd: None,
        prices: BTreeMap::new(),
        history_chars: rules::HISTORY_CHARS,
    };
    scope.finish();
    Some(plan)
}

/// Relative paths start from the workspace, or else from the current directory.
fn find_workspace(loader: &mut Loader<'_>, scope: &Scope<'_>) {
    let path = scope.some_text("workspace_path");
    if loader.workspace.is_none() {
        loader.workspace = path.map(|path| loader.request.dir.join(path));
    }
    if let Some(workspace) = &loader.workspace {
        loader.base.clone_from(workspace);
    }
}

/// All of mixseek's files may have this key, and it changes nothing.
fn environment(scope: &Scope<'_>) {
    let words = [("dev", ()), ("staging", ()), ("prod", ())];
    scope.word("environment", &words);
}

fn teams(loader: &Loader<'_>, scope: &Scope<'_>) -> Vec<Team> {
    let entries = scope.tables("teams");
    if scope.has_no("teams") {
        let help = "add `[[orchestrator.teams]]` with `config = \"path\"`".to_owned();
        scope.problem("teams", "there is no team", Some(help));
    }
    let mut teams: Vec<(Team, FileLine)> = Vec::new();
    for entry in entries {
        entry.need("config");
        let file = loader.file_of(&entry, "config");
        teams.extend(file.and_then(|file| team(loader, file)));
        entry.finish();
    }
    rules::team_ids(loader.report, &teams);
    teams.into_iter().map(|(team, _)| team).collect()
}
