//! What is stored of the agents' output, and how `kumite log` shows it.

use std::fs::{self, File};
use std::path::Path;

use serde_json::{Value, json};

use crate::watch::held;
use crate::world::{World, text, until};

const SECRET: &str = "correct-horse-battery";
const KEY: &str = "sk-ant-api03-abcdefghijklmnopqrstuvwxyz0123456789AA";

fn assistant(block: Value) -> Value {
    json!({"type": "assistant", "message": {"role": "assistant", "content": [block]}})
}

fn tool(id: &str, name: &str, input: Value) -> Value {
    assistant(json!({"type": "tool_use", "id": id, "name": name, "input": input}))
}

fn answer(id: &str, is_error: bool, content: &str) -> Value {
    json!({"type": "user", "message": {"role": "user", "content": [
        {"type": "tool_result", "tool_use_id": id, "content": content, "is_error": is_error}]}})
}

fn edit(id: &str, lines: &[String]) -> Value {
    let mut edited = answer(id, false, "done");
    edited["tool_use_result"] = json!({"filePath": "src/main.rs",
        "structuredPatch": [{"oldStart": 1, "lines": lines}]});
    edited
}

/// A spec whose first step was played like this.
fn played(action: Value) -> World {
    let world = World::new();
    world.spec("login");
    world.play(json!({"steps": {"requirements": action}}));
    world
        .kumite(&["run", "login", "--until", "requirements"])
        .assert_code(0);
    world
}

fn log(world: &World, more: &[&str]) -> String {
    let out = world.kumite(&[&["log", "login"], more].concat());
    out.assert_code(0);
    out.stdout
}

fn talkative() -> World {
    let diff: Vec<String> = ["-old".to_owned(), "+new".to_owned()]
        .into_iter()
        .chain((0..30).map(|number| format!(" line {number}")))
        .collect();
    played(json!({"say": [
        assistant(json!({"type": "thinking", "thinking": "Hm, \u{1b}[31mred\u{1b}[0m."})),
        tool("t1", "Bash", json!({"command": "cargo test"})),
        answer("t1", true, "Exit code 1\nlots of lines\nerror: no such file"),
        tool("t2", "Edit", json!({"file_path": "src/main.rs"})),
        edit("t2", &diff),
        "not JSON \u{1b}]0;title\u{7}at all",
    ]}))
}

#[test]
fn log_folds_tools_and_shows_what_changed() {
    let out = log(&talkative(), &[]);
    let agent = &out[out.find("agent-").unwrap()..][..28];
    let mut lines = out.lines();
    let head = lines.next().unwrap();
    let expected = format!("── requirements 1 · fake-agent · {agent} · ");
    assert!(head.starts_with(&expected), "{out}");
    let mut rest = vec![
        "model fake-model",
        "Hm, red.",
        "● Bash  cargo test ✗ Exit code 1: error: no such file",
        "● Edit  src/main.rs ✓",
        "  src/main.rs",
        "  -old",
        "  +new",
    ];
    let context: Vec<String> = (0..18).map(|number| format!("   line {number}")).collect();
    rest.extend(context.iter().map(String::as_str));
    rest.extend(["  … 12 more", "· not JSON at all"]);
    rest.push("I will now work on requirements.");
    for expected in rest {
        assert_eq!(lines.next(), Some(expected), "{out}");
    }
    let end = "✓ finished  $0.01, 1000 tokens in, 100 out";
    assert_eq!(lines.next_back(), Some(end), "{out}");
    assert!(!out.contains('\u{1b}'), "{out}");
}

#[test]
fn colours_are_there_when_they_are_wanted_and_only_ours() {
    let world = talkative();
    let out = log(&world, &["--color", "always"]);
    assert!(out.contains("\u{1b}[32m+new"), "{out}");
    assert!(out.contains("\u{1b}[31m✗ Exit code 1"), "{out}");
    assert!(!out.contains("\u{1b}[31mred"), "the agent's: {out}");
    assert!(!out.contains("\u{1b}]0"), "the agent's: {out}");
    let mut forced = World::new();
    forced.spec("login");
    forced.kumite(&["run", "login", "--until", "requirements"]);
    forced
        .env
        .push(("CLICOLOR_FORCE".to_owned(), "1".to_owned()));
    forced.env.push(("NO_COLOR".to_owned(), String::new()));
    assert!(log(&forced, &[]).contains('\u{1b}'));
}

#[test]
fn json_gives_the_lines_of_the_transcript_with_their_agent() {
    let world = talkative();
    let out = world.kumite(&["log", "login", "--json"]);
    let lines = out.json();
    let agent = text(&world.launches()[0]["agent"]);
    let kept = world.read(&format!(".kiro/specs/login/logs/{agent}.jsonl"));
    let kept: Vec<Value> = kept
        .lines()
        .map(|line| {
            let mut line: Value = serde_json::from_str(line).unwrap();
            line["agent"] = json!(agent);
            line
        })
        .collect();
    assert_eq!(lines, kept);
    assert_eq!(lines[0]["kind"], "launched");
    assert_eq!(lines.last().unwrap()["outcome"], "finished");
    let kinds: Vec<String> = lines.iter().map(|line| text(&line["kind"])).collect();
    for kind in [
        "started",
        "thought",
        "tool",
        "tool_ended",
        "changed",
        "note",
        "text",
    ] {
        assert!(kinds.iter().any(|found| found == kind), "{kind}: {kinds:?}");
    }
}

/// All files below `dir` that contain one of the words.
fn leaks(dir: &Path, words: &[&str]) -> Vec<String> {
    let mut found = Vec::new();
    for entry in fs::read_dir(dir).unwrap().flatten() {
        let path = entry.path();
        if entry.file_type().unwrap().is_dir() {
            found.extend(leaks(&path, words));
        } else if entry.file_type().unwrap().is_file() {
            let text = String::from_utf8_lossy(&fs::read(&path).unwrap()).into_owned();
            if words.iter().any(|word| text.contains(word)) {
                found.push(path.display().to_string());
            }
        }
    }
    found
}

#[test]
fn secrets_are_masked_in_everything_that_is_kept_or_shown() {
    let mut world = World::new();
    world.spec("login");
    let name = "MY_API_KEY".to_owned();
    world.env.push((name, SECRET.to_owned()));
    world.play(json!({"default": {
        "say": [
            assistant(json!({"type": "text", "text": format!("It is {SECRET}, and\n{KEY}")})),
            tool("t1", "Bash", json!({"command": format!("curl -H 'Authorization: Bearer {KEY}'")})),
            format!("plain {SECRET}"),
        ],
        "complain": [format!("refused: {SECRET} and {KEY}")],
        "result": "none", "exit": 1, "write": "nothing",
    }}));
    let run = world.kumite(&["run", "login"]);
    run.assert_code(1);
    assert!(run.stdout.contains("refused: *** and ***"), "{run:?}");
    assert_eq!(leaks(&world.path(".kiro"), &[SECRET, KEY]), [""; 0]);
    let shown = log(&world, &[]);
    assert!(shown.contains("It is ***, and\n***\n"), "{shown}");
    assert!(shown.contains("curl -H 'Authorization: ***'"), "{shown}");
    assert!(shown.contains("plain ***"), "{shown}");
    let raw = log(&world, &["--raw"]);
    assert!(raw.contains(r"It is ***, and\n***"), "{raw}");
}

#[test]
fn a_followed_log_shows_the_words_of_an_agent_that_still_works() {
    let world = World::new();
    world.spec("login");
    let mut action = held();
    action["say"] = json!([
        tool("t1", "Bash", json!({"command": "sleep 1000"})),
        assistant(json!({"type": "text", "text": "Still here."})),
    ]);
    world.play(json!({"steps": {"requirements": action}}));
    let running = world.start(&["run", "login", "--until", "requirements"]);
    world.wait_for_step("login", "requirements 1");
    let shown = world.path("shown.txt");
    let mut log = world
        .command(&["log", "login", "--follow"])
        .stdout(File::create(&shown).unwrap())
        .spawn()
        .unwrap();
    until("the agent's words", || {
        let shown = fs::read_to_string(&shown).unwrap();
        shown.contains("● Bash  sleep 1000\nStill here.\n")
    });
    assert!(log.try_wait().unwrap().is_none(), "it goes on");
    world.go();
    running.wait().assert_code(0);
    assert!(log.wait().unwrap().success());
    let shown = fs::read_to_string(&shown).unwrap();
    assert!(shown.contains("✓ finished"), "{shown}");
    assert_eq!(shown.matches("Still here.").count(), 1, "{shown}");
}

const OLD: &str = ".kiro/specs/login/logs/agent-1700000000000-00000001";

#[test]
fn a_log_without_a_transcript_is_shown_as_it_is_but_harmless() {
    let world = World::new();
    world.spec("login");
    let raw = "one \u{1b}[2Jline\n{\"type\":\"system\"}\nno end";
    world.write(&format!("{OLD}.log"), raw);
    let shown = log(&world, &[]);
    let (head, rest) = shown.split_once('\n').unwrap();
    assert!(head.contains("agent-1700000000000-00000001"), "{head}");
    assert_eq!(rest, "one line\n{\"type\":\"system\"}\nno end\n");
    assert_eq!(log(&world, &["--raw"]), raw);
    let out = world.kumite(&["log", "login", "--json"]);
    let texts: Vec<String> = out.json().iter().map(|line| text(&line["text"])).collect();
    assert_eq!(texts.join("\n"), raw);
}

#[test]
fn both_halves_of_a_rotated_log_are_shown() {
    let world = World::new();
    world.spec("login");
    let line = |words: &str| format!("{}\n", json!({"at_ms": 1, "kind": "text", "text": words}));
    world.write(&format!("{OLD}.1.jsonl"), &line("older"));
    let cut = "{\"at_ms\":1,\"kind\":\"te\n";
    let later = "{\"at_ms\":1,\"kind\":\"of a later version\"}\n";
    let newer = [cut, later, &line("newer")].concat();
    world.write(&format!("{OLD}.jsonl"), &newer);
    world.write(&format!("{OLD}.1.log"), "raw older\n");
    world.write(&format!("{OLD}.log"), "raw newer\n");
    world.write(&format!("{OLD}.stderr.log"), "a complaint\n");
    let shown = log(&world, &[]);
    assert!(shown.ends_with("\nolder\nnewer\n"), "{shown}");
    assert_eq!(shown.lines().count(), 3, "{shown}");
    assert_eq!(log(&world, &["--raw"]), "raw older\nraw newer\n");
    assert_eq!(world.kumite(&["log", "login", "--json"]).json().len(), 3);
}
