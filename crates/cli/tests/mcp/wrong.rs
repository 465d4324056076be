//! Bad input: a tool error with a helpful sentence, and the server goes on.

use serde_json::{Value, json};

use crate::client::Client;
use crate::world::World;

#[test]
fn whatever_is_wrong_is_told_in_a_sentence_that_names_the_field_or_the_remedy() {
    let world = World::new();
    world.spec("login");
    world.write(".kiro/specs/broken/spec.json", "{\"feature_name\": }");
    world.write("contest.toml", "[[team]]\nid = \"a\"\n");
    let client = Client::new(&world, &[]);
    let rows: [(&str, Value, &[&str]); 26] = [
        ("get_spec", json!({}), &["missing field `spec`"]),
        (
            "get_spec",
            json!({"spec": 5}),
            &["spec: invalid type: integer `5`"],
        ),
        (
            "get_spec",
            json!({"spec": null}),
            &["spec: invalid type: null"],
        ),
        (
            "get_spec",
            json!({"spec": "login", "x": 1}),
            &["x: unknown field `x`", "`spec`"],
        ),
        ("get_spec", json!({"spec": "../login"}), &["../login"]),
        (
            "get_spec",
            json!({"spec": "nobody"}),
            &["no spec nobody", "kumite new nobody"],
        ),
        (
            "create_spec",
            json!({"spec": "Login Form"}),
            &["Login Form"],
        ),
        (
            "create_spec",
            json!({"spec": "login"}),
            &["exists already; nothing was changed"],
        ),
        ("run_spec", json!({"spec": "--all"}), &["--all"]),
        (
            "run_spec",
            json!({"spec": "broken"}),
            &["broken/spec.json", "line 1"],
        ),
        (
            "run_spec",
            json!({"spec": "login", "until": "later"}),
            &["until: unknown variant `later`", "`design`"],
        ),
        (
            "run_spec",
            json!({"spec": "login", "from": "impl", "until": "design"}),
            &["from impl comes after until design"],
        ),
        (
            "run_spec",
            json!({"spec": "login", "agent": "nobody"}),
            &["no agent nobody", "known are", "claude"],
        ),
        (
            "run_spec",
            json!({"spec": "login", "wait_seconds": 601}),
            &["wait_seconds: at most 600, not 601"],
        ),
        (
            "run_spec",
            json!({"spec": "login", "wait_seconds": "5"}),
            &["wait_seconds: invalid type: string"],
        ),
        (
            "approve_document",
            json!({"spec": "login", "document": "impl"}),
            &["document: impl cannot be approved", "deploy"],
        ),
        ("approve_document", json!({"spec": "login"}), &["login: "]),
        (
            "get_document",
            json!({"spec": "login", "document": "../../kumite.toml"}),
            &["no document", "list_documents"],
        ),
        (
            "get_document",
            json!({"spec": "login", "document": "spec.json", "from": 0}),
            &["from: numbers begin with 1"],
        ),
        (
            "get_agent_log",
            json!({"spec": "login", "agent": "-x"}),
            &["agent: login has no log of an agent \"-x\""],
        ),
        (
            "get_events",
            json!({"spec": "login", "count": 1001}),
            &["count: between 1 and 1000, not 1001"],
        ),
        (
            "get_cost",
            json!({"since": "yesterday"}),
            &["since: a day is written like 2026-01-31"],
        ),
        ("get_contest", json!({}), &["there is no contest in"]),
        (
            "cancel_contest",
            json!({"contest": "--help"}),
            &["no contest \"--help\""],
        ),
        (
            "start_contest",
            json!({"file": "../../etc/passwd"}),
            &["../../etc/passwd"],
        ),
        (
            "start_contest",
            json!({"file": "contest.toml"}),
            &["contest.toml:1", "nobody works in this team"],
        ),
    ];
    for (tool, arguments, wanted) in rows {
        let words = client.refused(tool, arguments.clone());
        for part in wanted {
            assert!(words.contains(part), "{tool} {arguments}: {words}");
        }
        assert!(!words.contains("kumite: "), "{words}");
    }
    assert_eq!(
        client.ask("get_spec", json!({"spec": "login"}))["state"],
        "idle"
    );
}

#[test]
fn a_tool_that_there_is_not_is_told_with_those_that_there_are() {
    let world = World::new();
    let client = Client::new(&world, &[]);
    let error = client
        .call("delete_everything", json!({}))
        .unwrap_err()
        .to_string();
    assert!(
        error.contains("delete_everything") && error.contains("run_spec"),
        "{error}"
    );
}

#[test]
fn broken_settings_are_told_with_file_and_line_and_count_when_they_are_put_right() {
    let world = World::new();
    world.spec("login");
    let client = Client::new(&world, &[]);
    world.write(".kiro/kumite.toml", "[run]\njobs = \"many\"\n");
    for (tool, arguments) in [
        ("project_info", json!({})),
        ("run_spec", json!({"spec": "login"})),
        ("reset_spec", json!({"spec": "login"})),
    ] {
        let words = client.refused(tool, arguments);
        assert!(
            words.contains(".kiro/kumite.toml: line 2") && words.contains("jobs"),
            "{tool}: {words}"
        );
    }
    world.settings("");
    client.ask("project_info", json!({}));
}

#[test]
fn where_there_is_no_project_every_tool_says_what_makes_one() {
    let world = World::new();
    let dir = tempfile::TempDir::new().unwrap();
    let place = dir.path().to_str().unwrap();
    let client = Client::new(&world, &["-C", place]);
    for tool in ["project_info", "list_specs"] {
        let words = client.refused(tool, json!({}));
        assert!(
            words.contains("no .kiro directory") && words.contains("kumite init"),
            "{words}"
        );
    }
    world.kumite(&["-C", place, "init"]).assert_code(0);
    assert_eq!(client.ask("list_specs", json!({}))["total"], 0);
}
