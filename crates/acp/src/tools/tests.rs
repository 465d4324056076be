//! Calls in the shapes that Claude's adapter, OpenCode and Gemini CLI give them.

use serde_json::json;

use super::*;

fn play(updates: &[Value]) -> Vec<String> {
    let mut tools = Tools::default();
    let mut said = Vec::new();
    for update in updates {
        let update = serde_json::from_value(update.clone()).unwrap();
        said.extend(tools.update(update));
    }
    said.iter().map(line).collect()
}

fn line(said: &Said) -> String {
    match said {
        Said::Tool { name, what, .. } => format!("{name}: {what}"),
        Said::ToolEnded { ok, text, .. } => format!("{ok}: {text}"),
        Said::Changed { path, diff } => format!("{path}: {diff}"),
        other => format!("{other:?}"),
    }
}

#[test]
fn an_announced_call_is_told_once_it_says_what_for() {
    let meta = json!({"claudeCode": {"toolName": "Write"}});
    let change = json!([{"type": "diff", "path": "/p/a", "oldText": null, "newText": "hi\n"}]);
    let said = play(&[
        json!({"toolCallId": "1", "status": "pending", "title": "Write", "kind": "edit", "_meta": meta}),
        json!({"toolCallId": "1", "title": "Write a", "content": change, "_meta": meta}),
        json!({"toolCallId": "1", "_meta": meta}),
        json!({"toolCallId": "1", "status": "completed", "rawOutput": "created"}),
    ]);
    assert_eq!(said, ["Write: Write a", "true: created", "/p/a: +hi\n"]);
}

#[test]
fn a_title_without_the_file_gets_it_and_a_command_does_not_get_its_directory() {
    let place = json!([{"path": "/p/a"}]);
    let said = play(&[
        json!({"toolCallId": "1", "status": "in_progress", "title": "write", "kind": "edit", "locations": place}),
        json!({"toolCallId": "2", "status": "in_progress", "title": "make\n  test", "kind": "execute", "locations": place}),
        json!({"toolCallId": "2", "status": "completed", "rawOutput": {"output": "ok", "exit": 0}}),
    ]);
    assert_eq!(said, ["edit: write /p/a", "execute: make test", "true: ok"]);
}

#[test]
fn a_call_is_told_once_and_ended_once() {
    let said = play(&[
        json!({"toolCallId": "1", "status": "in_progress", "title": "ls"}),
        json!({"toolCallId": "1", "status": "in_progress", "content": [{"type": "content", "content": {"type": "text", "text": "a"}}]}),
        json!({"toolCallId": "1", "status": "failed", "content": [{"type": "content", "content": {"type": "text", "text": "a\nb"}}]}),
        json!({"toolCallId": "1", "status": "completed"}),
    ]);
    assert_eq!(said, ["other: ls", "false: a\nb"]);
}

#[test]
fn what_failed_changed_nothing() {
    let said = play(&[
        json!({"toolCallId": "1", "status": "failed", "title": "Edit a", "content": [{"type": "diff", "path": "/p/a", "newText": "x"}]}),
    ]);
    assert_eq!(said, ["other: Edit a", "false: "]);
}

#[test]
fn of_two_versions_of_a_change_the_last_one_is_told_and_a_late_one_as_well() {
    let change =
        |old, new| json!([{"type": "diff", "path": "/p/a", "oldText": old, "newText": new}]);
    let said = play(&[
        json!({"toolCallId": "1", "status": "in_progress", "title": "Edit a", "content": change("b", "c")}),
        json!({"toolCallId": "1", "content": change("a\nb", "a\nc")}),
        json!({"toolCallId": "1", "status": "completed"}),
        json!({"toolCallId": "1", "content": change("a\nb", "a\nc")}),
        json!({"toolCallId": "1", "content": change("a\nc", "a\nd")}),
    ]);
    let expected = ["/p/a:  a\n-b\n+c\n", "/p/a:  a\n-c\n+d\n"];
    assert_eq!(said[2..], expected);
}

#[test]
fn a_write_and_the_call_behind_it_are_one_change() {
    let mut tools = Tools::default();
    let path = Path::new("/p/a");
    assert!(tools.wrote(path, "a\n", "b\n").is_some());
    let update = json!({"toolCallId": "1", "status": "completed", "title": "Edit a",
        "content": [{"type": "diff", "path": "/p/a", "oldText": "a\n", "newText": "b\n"}]});
    let said = tools.update(serde_json::from_value(update).unwrap());
    assert_eq!(said.len(), 2, "{said:?}");
    assert!(tools.wrote(path, "b\n", "a\n").is_some());
}

#[test]
fn a_change_that_is_not_shown_is_told_without_its_lines_unless_it_was_written_by_us() {
    let call = json!({"toolCallId": "1", "status": "completed", "title": "write", "kind": "edit",
        "locations": [{"path": "/p/a"}]});
    let said = play(std::slice::from_ref(&call));
    assert_eq!(said, ["edit: write /p/a", "true: ", "/p/a: "]);
    let mut tools = Tools::default();
    assert!(tools.wrote(Path::new("/p/a"), "", "x").is_some());
    let said = tools.update(serde_json::from_value(call).unwrap());
    assert_eq!(said.len(), 2, "{said:?}");
}
