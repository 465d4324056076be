//! Which tools there are, their descriptions, and which may be called.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use crate::client::Client;
use crate::world::World;

const TOOLS: [&str; 26] = [
    "project_info",
    "list_specs",
    "get_spec",
    "create_spec",
    "run_spec",
    "run_all",
    "resume_spec",
    "review_spec",
    "stop_spec",
    "pause_spec",
    "reset_spec",
    "approve_document",
    "reject_document",
    "list_documents",
    "get_document",
    "list_agents",
    "get_agent_log",
    "get_events",
    "get_decisions",
    "get_cost",
    "list_contests",
    "get_contest",
    "get_contest_report",
    "start_contest",
    "cancel_contest",
    "resume_contest",
];

fn is_read_only(tool: &rmcp::model::Tool) -> bool {
    tool.annotations.as_ref().unwrap().read_only_hint.unwrap()
}

#[test]
fn every_tool_is_listed_with_described_arguments_and_hints() {
    let world = World::new();
    let client = Client::new(&world, &[]);
    assert_eq!(
        client.name_and_version(),
        ("kumite".to_owned(), env!("CARGO_PKG_VERSION").to_owned())
    );
    let tools = client.tools();
    let names: Vec<&str> = tools.iter().map(|tool| &*tool.name).collect();
    assert_eq!(names, TOOLS);
    for tool in &tools {
        let schema = Value::Object((*tool.input_schema).clone());
        assert_eq!(schema["type"], "object", "{}", tool.name);
        assert_eq!(schema["additionalProperties"], false, "{}", tool.name);
        for (name, property) in schema["properties"].as_object().unwrap() {
            let is_described = property["description"]
                .as_str()
                .is_some_and(|it| it.len() > 5);
            assert!(
                is_described && property["type"].is_string(),
                "{}.{name}: {property}",
                tool.name
            );
        }
        let hints = tool.annotations.as_ref().unwrap();
        assert!(hints.destructive_hint.is_some() && hints.idempotent_hint.is_some());
        assert!(
            !(is_read_only(tool) && hints.destructive_hint == Some(true)),
            "{}",
            tool.name
        );
    }
    let phases = &tools[4].input_schema["properties"]["until"]["enum"];
    assert_eq!(phases[3], "document-review");
}

/// Arguments that would be valid if the tool could be called.
fn arguments(tool: &str) -> Value {
    match tool {
        "start_contest" => json!({"file": "contest.toml"}),
        "cancel_contest" | "resume_contest" => json!({"contest": "2"}),
        "run_all" => json!({}),
        _ => json!({"spec": "login"}),
    }
}

#[test]
fn with_read_only_no_tool_that_changes_something_is_listed_or_answered() {
    let world = World::new();
    world.spec("login");
    let all = Client::new(&world, &[]).tools();
    let client = Client::new(&world, &["--read-only"]);
    let offered: Vec<String> = client
        .tools()
        .iter()
        .map(|it| it.name.to_string())
        .collect();
    let before = world.read(".kiro/specs/login/spec.json");
    let mut refused = 0;
    for tool in &all {
        assert_eq!(
            offered.contains(&tool.name.to_string()),
            is_read_only(tool),
            "{}",
            tool.name
        );
        if !is_read_only(tool) {
            let words = client.refused(&tool.name, arguments(&tool.name));
            assert!(words.contains("--read-only"), "{words}");
            refused += 1;
        }
    }
    assert_eq!((offered.len(), refused), (13, 13));
    assert_eq!(
        client.ask("get_spec", json!({"spec": "login"}))["state"],
        "idle"
    );
    assert_eq!(world.read(".kiro/specs/login/spec.json"), before);
    assert!(
        !world.path(".kiro/runtime").exists(),
        "who only reads writes nothing"
    );
}

#[test]
fn the_manual_lists_exactly_the_tools() {
    let manual = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/mcp.md");
    let manual = fs::read_to_string(manual).unwrap();
    let rows = manual.lines().filter_map(|line| line.strip_prefix("| `"));
    let rows: Vec<(&str, bool)> = rows
        .map(|row| {
            let (name, rest) = row.split_once('`').unwrap();
            (name, rest.starts_with(" | yes |"))
        })
        .collect();
    let world = World::new();
    let tools = Client::new(&world, &[]).tools();
    let offered: Vec<(&str, bool)> = tools
        .iter()
        .map(|it| (&*it.name, !is_read_only(it)))
        .collect();
    assert_eq!(rows, offered);
}
