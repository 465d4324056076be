//! Selects the program's tool for an act.
//!
//! Paths are made absolute with the working directory that the program tells the model.

use std::path::Path;

use serde_json::{Value, json};

use crate::answer::{Call, Part};
use crate::conversation::Conversation;
use crate::script::Act;

/// The tool that clients offer for a structured answer.
const FINAL_RESULT: &str = "final_result";

/// What the model says and does for an act.
pub(crate) fn parts(act: &Act, talk: &Conversation) -> Vec<Part> {
    match act {
        Act::Say { text } => vec![Part::Text(text.clone())],
        Act::Think { text } => vec![Part::Think(text.clone())],
        Act::Write { path, content } => write(talk, path, content),
        Act::Read { path } => read(talk, path),
        Act::Run { command } => run(talk, command),
        Act::Tool { name, input } => vec![call(talk, name, input.clone())],
        Act::Result { value } if talk.offers(FINAL_RESULT).is_some() => {
            vec![call(talk, FINAL_RESULT, value.clone())]
        }
        Act::Result { value } => vec![Part::Text(value.to_string())],
        Act::Only { act, .. } => parts(act, talk),
        Act::All(acts) => acts.iter().flat_map(|act| parts(act, talk)).collect(),
        Act::Huge { bytes, .. } => vec![Part::Text(huge(*bytes))],
        Act::Limit { .. }
        | Act::Overload { .. }
        | Act::Rate { .. }
        | Act::Error { .. }
        | Act::Auth { .. }
        | Act::Hang { .. }
        | Act::HangMid { .. }
        | Act::Cut { .. }
        | Act::Garbage { .. }
        | Act::Slow { .. } => Vec::new(),
    }
}

/// Consecutive numbers: Gemini CLI stops a model that repeats itself.
fn huge(bytes: usize) -> String {
    let mut text = String::with_capacity(bytes + 20);
    let mut number = 0_u64;
    while text.len() < bytes {
        text += &format!("{number} ");
        number += 1;
    }
    text.truncate(bytes);
    text
}

/// Claude Code refuses to overwrite a file that was not read before, so an existing file is read in
/// the same turn. The server runs on the same machine as the program.
fn write(talk: &Conversation, path: &str, content: &str) -> Vec<Part> {
    let absolute = talk.absolute(path);
    if talk.offers("Write").is_some() {
        let overwrites = Path::new(&absolute).exists();
        let mut parts = if overwrites {
            read(talk, path)
        } else {
            Vec::new()
        };
        parts.push(call(
            talk,
            "Write",
            json!({"file_path": absolute, "content": content}),
        ));
        return parts;
    }
    if talk.offers("write").is_some() {
        return vec![call(
            talk,
            "write",
            json!({"filePath": absolute, "content": content}),
        )];
    }
    if talk.offers("write_file").is_some() {
        return vec![call(
            talk,
            "write_file",
            json!({"file_path": absolute, "content": content}),
        )];
    }
    match patch(path, content) {
        Some(patch) if talk.offers("apply_patch").is_some_and(|offer| offer.custom) => {
            vec![call(talk, "apply_patch", Value::String(patch))]
        }
        Some(patch) if talk.offers("apply_patch").is_some() => {
            vec![call(talk, "apply_patch", json!({"input": patch}))]
        }
        Some(patch) if offers_javascript(talk) => {
            let patch = Value::String(patch);
            vec![call(
                talk,
                "exec",
                Value::String(format!("text(await tools.apply_patch({patch}));")),
            )]
        }
        _ => run(talk, &shell_write(path, content)),
    }
}

fn read(talk: &Conversation, path: &str) -> Vec<Part> {
    let absolute = talk.absolute(path);
    if talk.offers("Read").is_some() {
        return vec![call(talk, "Read", json!({"file_path": absolute}))];
    }
    if talk.offers("read").is_some() {
        return vec![call(talk, "read", json!({"filePath": absolute}))];
    }
    if talk.offers("read_file").is_some() {
        return vec![call(talk, "read_file", json!({"file_path": absolute}))];
    }
    run(talk, &format!("cat {}", quoted(path)))
}

fn run(talk: &Conversation, command: &str) -> Vec<Part> {
    let described = json!({"command": command, "description": "Run the scripted command"});
    let shells = [
        ("Bash", described.clone()),
        ("bash", described),
        ("run_shell_command", json!({"command": command})),
        ("exec_command", json!({"cmd": command})),
        ("shell_command", json!({"command": command})),
        ("shell", json!({"command": ["bash", "-c", command]})),
    ];
    if let Some((name, input)) = shells
        .into_iter()
        .find(|(name, _)| talk.offers(name).is_some())
    {
        return vec![call(talk, name, input)];
    }
    if offers_javascript(talk) {
        let input = json!({"cmd": command});
        return vec![call(
            talk,
            "exec",
            Value::String(format!("text(await tools.exec_command({input}));")),
        )];
    }
    let names: Vec<_> = talk.tools.iter().map(|offer| offer.name.as_str()).collect();
    vec![Part::Text(format!(
        "fake-model: none of the tools offered can do this: {}",
        names.join(", ")
    ))]
}

/// Codex offers its newer models one tool, `exec`, that runs JavaScript with the other tools
/// inside.
fn offers_javascript(talk: &Conversation) -> bool {
    talk.offers("exec").is_some_and(|offer| offer.custom)
}

fn call(talk: &Conversation, name: &str, input: Value) -> Part {
    let offer = talk.offers(name);
    Part::Call(Call {
        name: name.to_owned(),
        input,
        custom: offer.is_some_and(|offer| offer.custom),
        namespace: offer.and_then(|offer| offer.namespace.clone()),
    })
}

/// A patch that creates the file, if its content consists of whole lines, as a patch requires.
fn patch(path: &str, content: &str) -> Option<String> {
    if content.is_empty() || !content.ends_with('\n') || content.contains('\r') {
        return None;
    }
    let added: String = content.lines().map(|line| format!("+{line}\n")).collect();
    Some(format!(
        "*** Begin Patch\n*** Add File: {path}\n{added}*** End Patch"
    ))
}

fn shell_write(path: &str, content: &str) -> String {
    let write = format!("printf %s {} > {}", quoted(content), quoted(path));
    match Path::new(path).parent().and_then(Path::to_str) {
        Some(parent) if !parent.is_empty() => format!("mkdir -p {} && {write}", quoted(parent)),
        _ => write,
    }
}

fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn offering(names: &[&str]) -> Conversation {
        let mut talk = Conversation::default();
        for name in names {
            talk.offer(name, *name == "exec", None);
        }
        talk.system("Working directory: /nowhere/at all\n");
        talk
    }

    fn only_call(parts: &[Part]) -> (&str, &Value) {
        match parts {
            [Part::Call(call)] => (&call.name, &call.input),
            other => panic!("not one call: {other:?}"),
        }
    }

    #[test]
    fn a_file_is_written_with_the_tool_that_is_offered() {
        let act = Act::Write {
            path: "a.md".to_owned(),
            content: "it's\n".to_owned(),
        };
        let claude = json!({"file_path": "/nowhere/at all/a.md", "content": "it's\n"});
        let opencode = json!({"filePath": "/nowhere/at all/a.md", "content": "it's\n"});
        let patch = "*** Begin Patch\\n*** Add File: a.md\\n+it's\\n*** End Patch";
        for (offered, name, input) in [
            (vec!["Bash", "Read", "Write"], "Write", claude.clone()),
            (vec!["bash", "read", "write"], "write", opencode),
            (
                vec!["run_shell_command", "write_file"],
                "write_file",
                claude,
            ),
            (
                vec!["exec_command"],
                "exec_command",
                json!({"cmd": r"printf %s 'it'\''s
' > 'a.md'"}),
            ),
            (
                vec!["exec"],
                "exec",
                json!(format!("text(await tools.apply_patch(\"{patch}\"));")),
            ),
        ] {
            let parts = parts(&act, &offering(&offered));
            assert_eq!(only_call(&parts), (name, &input));
        }
    }

    #[test]
    fn a_patch_is_given_as_text_or_as_json() {
        let act = Act::Write {
            path: "a".to_owned(),
            content: "b\n".to_owned(),
        };
        let patch = "*** Begin Patch\n*** Add File: a\n+b\n*** End Patch";
        for (custom, input) in [(true, json!(patch)), (false, json!({"input": patch}))] {
            let mut talk = offering(&["shell"]);
            talk.offer("apply_patch", custom, None);
            assert_eq!(only_call(&parts(&act, &talk)), ("apply_patch", &input));
        }
    }

    #[test]
    fn content_that_no_patch_can_say_goes_through_the_shell() {
        for content in ["", "no newline", "dos\r\n"] {
            let act = Act::Write {
                path: "a".to_owned(),
                content: content.to_owned(),
            };
            let mut talk = offering(&["shell_command"]);
            talk.offer("apply_patch", true, None);
            let input = json!({"command": format!("printf %s '{content}' > 'a'")});
            assert_eq!(only_call(&parts(&act, &talk)), ("shell_command", &input));
        }
    }

    #[test]
    fn a_command_is_run_with_the_tool_that_is_offered() {
        let act = Act::Run {
            command: "ls".to_owned(),
        };
        let described = json!({"command": "ls", "description": "Run the scripted command"});
        for (name, input) in [
            ("Bash", described.clone()),
            ("bash", described),
            ("run_shell_command", json!({"command": "ls"})),
            ("exec_command", json!({"cmd": "ls"})),
            ("shell_command", json!({"command": "ls"})),
            ("shell", json!({"command": ["bash", "-c", "ls"]})),
            (
                "exec",
                json!("text(await tools.exec_command({\"cmd\":\"ls\"}));"),
            ),
        ] {
            assert_eq!(only_call(&parts(&act, &offering(&[name]))), (name, &input));
        }
    }

    #[test]
    fn an_existing_file_is_read_before_it_is_overwritten() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a.md");
        std::fs::write(&path, "old").unwrap();
        let path = path.to_str().unwrap().to_owned();
        let act = Act::Write {
            path,
            content: String::new(),
        };
        let parts = parts(&act, &offering(&["Read", "Write"]));
        let names: Vec<_> = parts
            .iter()
            .map(|part| match part {
                Part::Call(call) => call.name.as_str(),
                other => panic!("not a call: {other:?}"),
            })
            .collect();
        assert_eq!(names, ["Read", "Write"]);
    }

    #[test]
    fn a_missing_tool_is_said() {
        let act = Act::Run {
            command: "ls".to_owned(),
        };
        let said = parts(&act, &offering(&["think", "search"]));
        let expected = "fake-model: none of the tools offered can do this: think, search";
        assert_eq!(said, [Part::Text(expected.to_owned())]);
    }

    #[test]
    fn the_directory_of_a_file_is_made_in_a_shell() {
        assert_eq!(
            shell_write("a/b c/d", ""),
            "mkdir -p 'a/b c' && printf %s '' > 'a/b c/d'"
        );
    }
}
