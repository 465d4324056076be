//! Drift: do the pinned programs still behave like our recordings? It compares what a driver relies
//! on: which lines there are, and which fields they have.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::Stage;
use crate::programs::Program;

/// The fields of each kind of line, by its `type` and `subtype`.
type Shapes = BTreeMap<String, BTreeSet<String>>;

fn shapes(text: &str) -> Shapes {
    let mut shapes = Shapes::new();
    for line in text.lines() {
        let Ok(Value::Object(line)) = serde_json::from_str(line) else {
            panic!("not a line of JSON: {line}");
        };
        let word = |name: &str| line.get(name).and_then(Value::as_str).unwrap_or("-");
        let item = line.get("item").and_then(|item| item["type"].as_str());
        let kind = format!(
            "{} {} {}",
            word("type"),
            word("subtype"),
            item.unwrap_or("-")
        );
        shapes.entry(kind).or_default().extend(line.keys().cloned());
    }
    shapes
}

fn recorded(program: &str) -> PathBuf {
    let fixtures = concat!(env!("CARGO_MANIFEST_DIR"), "/../agents/fixtures");
    Path::new(fixtures).join(program)
}

/// The lines and fields that a driver needs.
fn needed(program: &str) -> &'static [(&'static str, &'static [&'static str])] {
    match program {
        "claude" => &[
            ("system init -", &["session_id", "model"]),
            ("assistant - -", &["message"]),
            ("user - -", &["message", "tool_use_result"]),
            (
                "result success -",
                &[
                    "is_error",
                    "model_usage_since_last_result",
                    "permission_denials",
                    "result",
                    "session_id",
                ],
            ),
        ],
        "codex" => &[
            ("thread.started - -", &["thread_id"]),
            ("turn.completed - -", &["usage"]),
            ("item.completed - agent_message", &["item"]),
        ],
        _ => &[
            ("init - -", &["session_id", "model"]),
            ("message - -", &["role", "content"]),
            ("tool_use - -", &["tool_id", "tool_name", "parameters"]),
            ("tool_result - -", &["tool_id", "status"]),
            ("result - -", &["status", "stats"]),
        ],
    }
}

/// One step of the real program against its recording of the same step.
fn compare(program: &Program) {
    let name = program.name;
    let stage = Stage::new(program);
    let run = ["run", "login", "--until", "requirements", "--json"];
    let run = stage.world.kumite(&run);
    assert_eq!(run.code, 0, "{run:#?}");
    let agent = run.notices("step_ended")[0]["agent"].clone();
    let log = format!(".kiro/specs/login/logs/{}.log", agent.as_str().unwrap());
    let now = shapes(&stage.world.read(&log));
    let text = std::fs::read_to_string(recorded(name).join("tool_write.jsonl")).unwrap();
    let then = shapes(&text);
    for (kind, fields) in needed(name) {
        for (when, shapes) in [("now", &now), ("in the recording", &then)] {
            let Some(known) = shapes.get(*kind) else {
                panic!("{name} has no line {kind:?} {when}: {shapes:#?}");
            };
            let lost: Vec<_> = fields.iter().filter(|it| !known.contains(**it)).collect();
            assert!(lost.is_empty(), "{name}: {kind:?} has no {lost:?} {when}");
        }
        let new: Vec<_> = now[*kind].difference(&then[*kind]).collect();
        if !new.is_empty() {
            println!("{name}: {kind:?} has new fields {new:?}: record it again");
        }
    }
}

/// The recordings are of the versions that are installed.
fn assert_version(name: &str, package: &str) {
    let index = std::fs::read_to_string(recorded(name).join("index.json")).unwrap();
    let index: Value = serde_json::from_str(&index).unwrap();
    let pinned = include_str!("../../../../xtask/agents/package.json");
    let pinned: Value = serde_json::from_str(pinned).unwrap();
    assert_eq!(index["version"], pinned["dependencies"][package], "{name}");
}

#[test]
fn recordings_are_of_the_pinned_versions() {
    assert_version("claude", "@anthropic-ai/claude-code");
    assert_version("codex", "@openai/codex");
    assert_version("gemini", "@google/gemini-cli");
}

#[test]
#[ignore = "needs the program: cargo xtask test installs it"]
fn claude_code_talks_as_recorded() {
    compare(&Program::claude());
}

#[test]
#[ignore = "needs the program: cargo xtask test installs it"]
fn codex_talks_as_recorded() {
    compare(&Program::codex());
}

#[test]
#[ignore = "needs the program: cargo xtask test installs it"]
fn gemini_cli_talks_as_recorded() {
    compare(&Program::gemini());
}
