//! `contest.toml`: a whole contest in one file.

use std::time::Duration;

use kumite_formats::contest::{
    Agent, Checklist, Command, EXAMPLE, Judge, MemberKind, MetricKind, Plan, Price, Rubric, Source,
    TeamKind, Worktree,
};

use crate::contest::{TEAM, World, own};

pub const FILE: &str = "contest.toml";

pub fn contest(text: &str) -> World {
    World::new().file(FILE, text)
}

const WHOLE: &str = r#"
task = "write a parser"
[contest]
rounds_min = 1
rounds_max = 3
teams_at_once = 2
submission_timeout = "20m"
judgment_timeout = "30s"
team_timeout = "1h"
contest_timeout = "3h"
budget_usd = 5
history_chars = 1000
retries = 0

[[team]]
id = "claude"
agent = "claude"
submission = "diff"
worktree = "kept"

[[team]]
id = "codex"
name = "Codex"
agent = "codex"
submission = "file:out/answer.md"

[[team]]
id = "gpt"
model = "openai:x"
system = "lead"
base_url = "http://127.0.0.1:1/v1"
temperature = 0.5
stop = ["END"]
timeout = "90s"
retries = 0
members_at_once = 2
extra = { reasoning_effort = "low" }
[[team.member]]
name = "reader"
kind = "web_fetch"
allowed_domains = ["example.org"]
[[team.member]]
name = "searcher"
kind = "web_search"
model = "anthropic:y"
max_results = 3
[[team.member]]
name = "counter"
kind = "command"
tool = "count"
description = "counts words"
command = ["wc", "-w"]
timeout = "5s"

[[team]]
config = "a.toml"

[[metric]]
name = "tests"
command = ["./score.sh", "fast"]
weight = 0.5
veto_below = 1.0
timeout = "2m"
retries = 1
[[metric]]
name = "Coverage"
model = "openai:x"
weight = 0.3
[[metric]]
name = "Tone"
model = "openai:x"
instruction = "is it kind?"
temperature = 1
weight = 0.1
[[metric]]
name = "mentions"
words = ["a", "b"]
weight = 0.1

[judge]
model = "openai:j"
instruction = "weigh"
timeout = "10s"
retries = 0
on_final_round = false

[prompts]
team = "{{ user_prompt }}"
judge_file = "judge.md"

[price."openai:x"]
input = 1.25
output = 10
"#;

fn whole() -> World {
    let mut world = contest(WHOLE)
        .file("a.toml", TEAM)
        .file("judge.md", "judge it\n");
    world.task = None;
    world
}

pub fn kind(plan: &Plan, index: usize) -> &TeamKind {
    &plan.teams[index].kind
}

#[test]
fn everything_can_be_said_in_one_file() {
    let plan = whole().plan(FILE);
    assert_eq!(plan.task, "write a parser");
    assert_eq!(
        (plan.rounds_min, plan.rounds_max, plan.teams_max),
        (1, 3, Some(2))
    );
    assert_eq!(plan.submission_timeout_ms, 20 * 60_000);
    assert_eq!(plan.judgment_timeout_ms, 10_000);
    assert_eq!(plan.team_timeout_ms, Some(3_600_000));
    assert_eq!(plan.contest_timeout_ms, Some(3 * 3_600_000));
    assert_eq!((plan.budget_usd, plan.history_chars), (Some(5.0), 1000));
    assert_eq!(plan.submission_retries, 0);
    let price = Price {
        input: 1.25,
        output: 10.0,
    };
    assert_eq!(
        plan.prices.into_iter().collect::<Vec<_>>(),
        [("openai:x".to_owned(), price)]
    );
    assert_eq!(plan.prompts.team.as_deref(), Some("{{ user_prompt }}"));
    assert_eq!(plan.prompts.judge.as_deref(), Some("judge it\n"));
    assert!(!plan.judge_on_final_round);
    let Judge::Llm {
        system_instruction,
        llm,
    } = plan.judge
    else {
        panic!("a model");
    };
    assert_eq!(
        (system_instruction.as_deref(), llm.model.as_str()),
        (Some("weigh"), "openai:j")
    );
    assert_eq!(
        (llm.timeout_ms, llm.max_retries, llm.temperature),
        (10_000, 0, Some(0.0))
    );
}

#[test]
fn teams_are_agents_models_and_files_of_mixseek() {
    let plan = whole().plan(FILE);
    let ids: Vec<(&str, &str)> = plan
        .teams
        .iter()
        .map(|one| (one.id.as_str(), one.name.as_str()))
        .collect();
    assert_eq!(
        ids,
        [
            ("claude", "claude"),
            ("codex", "Codex"),
            ("gpt", "gpt"),
            ("a", "Team A")
        ]
    );
    let claude = Agent {
        agent: "claude".to_owned(),
        submission: Source::Diff,
        worktree: Worktree::Kept,
    };
    assert_eq!(*kind(&plan, 0), TeamKind::Agent(claude));
    let codex = Agent {
        agent: "codex".to_owned(),
        submission: Source::File("out/answer.md".to_owned()),
        worktree: Worktree::Fresh,
    };
    assert_eq!(*kind(&plan, 1), TeamKind::Agent(codex));
    let TeamKind::Model(team) = kind(&plan, 2) else {
        panic!("a model");
    };
    assert_eq!(team.max_concurrent_members, 2);
    let leader = &team.leader;
    assert_eq!(leader.system_instruction.as_deref(), Some("lead"));
    assert_eq!(
        leader.llm.base_url.as_deref(),
        Some("http://127.0.0.1:1/v1")
    );
    assert_eq!((leader.llm.timeout_ms, leader.llm.max_retries), (90_000, 0));
    assert_eq!(leader.llm.stop_sequences, ["END"]);
    assert_eq!(leader.llm.extra["reasoning_effort"], "low");
    let [reader, searcher, counter] = team.members.as_slice() else {
        panic!("three members");
    };
    // A member uses its leader's address, unless it names its own model.
    assert_eq!(
        (reader.llm.model.as_str(), reader.llm.base_url.is_some()),
        ("openai:x", true)
    );
    assert_eq!(
        (searcher.llm.model.as_str(), searcher.llm.base_url.is_some()),
        ("anthropic:y", false)
    );
    assert_eq!(
        searcher.kind,
        MemberKind::WebSearch {
            max_results: Some(3)
        }
    );
    let count = Command {
        argv: vec!["wc".to_owned(), "-w".to_owned()],
        timeout_ms: 5_000,
    };
    assert_eq!(counter.kind, MemberKind::Command(count));
    assert_eq!(
        (counter.tool_name.as_str(), reader.tool_name.as_str()),
        ("count", "delegate_to_reader")
    );
}

#[test]
fn metrics_are_programs_models_and_words() {
    let plan = whole().plan(FILE);
    let [tests, coverage, tone, mentions] = plan.evaluator.metrics.as_slice() else {
        panic!("four metrics");
    };
    let weights = [tests, coverage, tone, mentions].map(|one| one.weight);
    assert_eq!(weights, [500_000, 300_000, 100_000, 100_000]);
    let command = Command {
        argv: vec!["./score.sh".to_owned(), "fast".to_owned()],
        timeout_ms: 120_000,
    };
    let (max_retries, veto_below) = (1, Some(1.0));
    assert_eq!(
        tests.kind,
        MetricKind::Command {
            command,
            max_retries,
            veto_below
        }
    );
    let of = |kind: &MetricKind| match kind {
        MetricKind::Llm {
            rubric,
            system_instruction,
            llm,
        } => (*rubric, system_instruction.clone(), llm.temperature),
        other => panic!("{other:?}"),
    };
    assert_eq!(of(&coverage.kind), (Rubric::Coverage, None, Some(0.0)));
    assert_eq!(
        of(&tone.kind),
        (Rubric::Plain, Some("is it kind?".to_owned()), Some(1.0))
    );
    let words = vec!["a".to_owned(), "b".to_owned()];
    assert_eq!(mentions.kind, MetricKind::Checklist(Checklist { words }));
}

#[test]
fn d10_what_is_not_given_has_a_default() {
    let plan = own("").plan(FILE);
    assert_eq!(
        (plan.rounds_min, plan.rounds_max, plan.teams_max),
        (2, 5, None)
    );
    assert_eq!(
        (plan.submission_timeout_ms, plan.judgment_timeout_ms),
        (300_000, 60_000)
    );
    assert_eq!(
        (plan.team_timeout_ms, plan.contest_timeout_ms),
        (None, None)
    );
    assert_eq!((plan.submission_retries, plan.history_chars), (3, 200_000));
    assert_eq!((plan.budget_usd, plan.judge), (None, Judge::Rules));
    assert!(plan.judge_on_final_round);
    assert_eq!(
        own("[contest]\nbudget_usd = 0\n").plan(FILE).budget_usd,
        None
    );
}

#[test]
fn a_plan_is_the_same_after_it_was_kept_as_json() {
    let plan = whole().plan(FILE);
    let json = serde_json::to_string(&plan).unwrap();
    assert_eq!(serde_json::from_str::<Plan>(&json).unwrap(), plan);
}

#[test]
fn it_is_known_where_things_are_named_that_only_the_world_can_check() {
    use kumite_formats::contest::Named;
    let places = whole().load(FILE).unwrap().places;
    let line = |text: &str| WHOLE.lines().position(|line| line == text).map(|at| at + 1);
    let of = |named, name| {
        places
            .of(named, name)
            .map(|at| (at.file.to_str().unwrap(), at.line))
    };
    let here = |text| Some((FILE, Some(line(text).unwrap())));
    for (named, name, expected) in [
        (Named::Model, "openai:x", here("model = \"openai:x\"")),
        (Named::Agent, "codex", here("agent = \"codex\"")),
        (
            Named::Program,
            "./score.sh",
            here("command = [\"./score.sh\", \"fast\"]"),
        ),
        (Named::Prompt, "judge", here("judge_file = \"judge.md\"")),
        (Named::Program, "codex", None),
        // Nobody wrote this model; it is the default of the team in that file.
        (
            Named::Model,
            "google-gla:gemini-2.5-flash-lite",
            Some(("a.toml", Some(1))),
        ),
    ] {
        assert_eq!(of(named, name), expected, "{name}");
    }
}

#[test]
fn the_command_line_wins() {
    let mut world = whole();
    world.task = Some("another".to_owned());
    world.timeout = Some(Duration::from_secs(7));
    let plan = world.plan(FILE);
    assert_eq!(
        (plan.task.as_str(), plan.team_timeout_ms),
        ("another", Some(7_000))
    );
}

#[test]
fn the_example_is_a_contest() {
    let mut world = contest(EXAMPLE);
    world.task = None;
    let loaded = world.load(FILE).unwrap();
    assert!(loaded.warnings.is_empty());
    assert_eq!(loaded.plan.teams.len(), 2);
    // The example uses the real defaults here.
    let plain = own("").plan(FILE);
    assert_eq!(
        loaded.plan.submission_timeout_ms,
        plain.submission_timeout_ms
    );
    assert_eq!(loaded.plan.history_chars, plain.history_chars);
}

#[test]
fn what_is_commented_out_in_the_example_is_a_contest_too() {
    // `# key = ...` and `# [[table]]` are settings; other comments are sentences.
    let setting = |line: &str| {
        let bare = line.strip_prefix("# ").unwrap_or(line);
        let first = bare.split_whitespace().next().unwrap_or_default();
        let is_key = bare
            .split_once(" = ")
            .is_some_and(|(key, _)| !key.contains(' '));
        if first.starts_with('[') || is_key {
            bare.to_owned()
        } else {
            line.to_owned()
        }
    };
    let text: Vec<String> = EXAMPLE.lines().map(setting).collect();
    let text = text
        .join("\n")
        .replace("weight = 1.0\n", "\n")
        .replace("weight = 0.6", "")
        .replace("weight = 0.4", "");
    let world = contest(&text)
        .file("configs/agents/team.toml", TEAM)
        .file("prompts/team.md", "{{ user_prompt }}");
    let plan = world.plan(FILE);
    let kinds = (
        plan.teams.len(),
        plan.evaluator.metrics.len(),
        plan.prices.len(),
    );
    assert_eq!(kinds, (5, 4, 1), "{text}");
    assert!(matches!(plan.judge, Judge::Llm { .. }));
}
