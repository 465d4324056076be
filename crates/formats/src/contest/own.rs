//! `contest.toml`: a whole contest in one file.

mod metric;
mod prompts;
mod team;

use std::collections::BTreeMap;

use super::llm::Asked;
use super::loader::Loader;
use super::model_id;
use super::node::{Node, Value};
use super::plan::{Judge, Plan, Price, Team};
use super::problem::FileLine;
use super::rules;
use super::scope::Scope;

pub(super) fn plan(loader: &Loader<'_>, root: &Node) -> Option<Plan> {
    let file = Scope::of(loader.report, root, "");
    if is_part_of_mixseek(&file) {
        return None;
    }
    // An absent section counts as empty.
    let nothing = Node::empty(root.at.clone());
    let section = |key| {
        let empty = || Scope::of(loader.report, &nothing, key);
        file.table(key).unwrap_or_else(empty)
    };
    let (contest, judge) = (section("contest"), section("judge"));
    let (rounds_min, rounds_max) = rules::rounds(&contest, "rounds_min", "rounds_max");
    let submission_timeout_ms = contest.span("submission_timeout");
    let history_chars = contest.count("history_chars", 0..=100_000_000);
    let asked = Asked::own(&judge).with_model(&judge, "model").exact();
    let judgment_timeout_ms =
        rules::judgment_timeout(contest.span("judgment_timeout"), asked.timeout_ms);
    let plan = Plan {
        task: loader.task(&root.at, file.some_text("task")),
        teams: teams(loader, &file),
        evaluator: metric::evaluator(loader.report, &file),
        judge: judge_of(&judge, asked, judgment_timeout_ms),
        judge_on_final_round: judge.flag("on_final_round").unwrap_or(true),
        prompts: prompts::read(loader, section("prompts")),
        rounds_min,
        rounds_max,
        teams_max: contest.count("teams_at_once", 1..=1000),
        submission_timeout_ms: submission_timeout_ms.unwrap_or(rules::SUBMISSION_TIMEOUT_MS),
        judgment_timeout_ms,
        team_timeout_ms: loader.timeout_ms().or(contest.span("team_timeout")),
        contest_timeout_ms: contest.span("contest_timeout"),
        submission_retries: contest
            .count("retries", 0..=100)
            .unwrap_or(rules::SUBMISSION_RETRIES),
        budget_usd: contest.dollars("budget_usd"),
        prices: prices(section("price")),
        history_chars: history_chars.map_or(rules::HISTORY_CHARS, |chars| chars as usize),
    };
    contest.finish();
    judge.finish();
    file.finish();
    Some(plan)
}

/// A file that mixseek reads only through its orchestrator.
fn is_part_of_mixseek(file: &Scope<'_>) -> bool {
    let is_part = |(key, node): &(&String, &Node)| {
        let is_table = matches!(node.value, Value::Table(_));
        is_table && ["team", "agent", "workflow"].contains(&key.as_str())
    };
    let part = file.keys().find(is_part);
    if let Some((key, node)) = part {
        let message = format!("`[{key}]` alone is no contest");
        let help = "name a file that has `[orchestrator]`, or a contest.toml with `[[team]]`";
        file.report
            .problem(&node.at, message, Some(help.to_owned()));
    }
    part.is_some()
}

fn teams(loader: &Loader<'_>, file: &Scope<'_>) -> Vec<Team> {
    let entries = file.tables("team");
    if file.has_no("team") {
        let help = "add `[[team]]` with an `id` and an `agent` or a `model`".to_owned();
        file.problem("team", "there is no team", Some(help));
    }
    let teams = entries
        .into_iter()
        .filter_map(|entry| team::read(loader, entry));
    let teams: Vec<(Team, FileLine)> = teams.collect();
    rules::team_ids(loader.report, &teams);
    teams.into_iter().map(|(team, _)| team).collect()
}

/// Without a model, the built-in judge decides by the scores alone.
fn judge_of(scope: &Scope<'_>, asked: Asked, timeout_ms: u64) -> Judge {
    let system_instruction = scope.some_text("instruction");
    if !scope.has("model") {
        let of_model = scope.keys().find(|(key, _)| *key != "on_final_round");
        if let Some((key, node)) = of_model {
            let message = format!("`judge.{key}` is for a model, and there is no `judge.model`");
            let help = "without a model the built-in judge decides by the scores".to_owned();
            scope.report.problem(&node.at, message, Some(help));
        }
        return Judge::Rules;
    }
    Judge::Llm {
        system_instruction,
        llm: Box::new(asked.build("", timeout_ms)),
    }
}

fn prices(scope: Scope<'_>) -> BTreeMap<String, Price> {
    let one = |(id, node): (&String, &Node)| {
        model_id::check(scope.report, &node.at, "`price`", id);
        let price = Scope::of(scope.report, node, &format!("price.{id:?}"));
        price.need("input");
        price.need("output");
        let dollars = |key| price.number(key, 0.0..=1_000_000.0).unwrap_or_default();
        let (input, output) = (dollars("input"), dollars("output"));
        price.finish();
        (id.clone(), Price { input, output })
    };
    scope.keys().map(one).collect()
}
