//! The agent programs: what they are told, what they see, and programs of all kinds.

use std::os::unix::fs::PermissionsExt;

use serde_json::json;

use crate::world::{World, fake_agent, text};

/// An executable script in the project.
pub fn script(world: &World, name: &str, text: &str) {
    world.write(name, &format!("#!/bin/sh\n{text}\n"));
    let executable = std::fs::Permissions::from_mode(0o755);
    std::fs::set_permissions(world.path(name), executable).unwrap();
}

/// A spec whose agent is the command `mine`.
fn with_command(command: &str, more: &str) -> World {
    let world = World::new();
    world.spec("login");
    world.settings(&format!(
        "[agent]\ndefault = \"mine\"\n[agents.mine]\nkind = \"command\"\ncommand = {command}\n{more}"
    ));
    world
}

#[test]
fn an_agent_sees_its_work_in_its_environment_and_nothing_of_git() {
    let mut world = with_command(r#"["./agent.sh"]"#, "env = { MINE = \"yes\" }");
    let agent = fake_agent().display();
    script(
        &world,
        "agent.sh",
        &format!("env > env-$KUMITE_STEP-$KUMITE_ROUND.txt\nexec {agent} \"$@\""),
    );
    world.env.push(("GIT_DIR".into(), "/somewhere/.git".into()));
    world
        .env
        .push(("GIT_INDEX_FILE".into(), "/somewhere/index".into()));
    world.env.push(("KUMITE_SPEC".into(), "liar".into()));
    world.env.push(("KEPT".into(), "as it was".into()));
    world.play(json!({"steps": {"reply": [{"fix": 1}, {}], "impl": [{"tick": 1}, {}]}}));
    world.kumite(&["run", "login"]).assert_code(0);
    for (launch, file) in world.launches().iter().zip([
        "requirements-1",
        "design-1",
        "tasks-1",
        "review-1",
        "reply-1",
        "review-2",
        "reply-2",
        "impl-1",
        "impl-2",
        "inspect-1",
    ]) {
        let seen = world.read(&format!("env-{file}.txt"));
        let value = |name: &str| {
            let start = format!("{name}=");
            let line = seen.lines().find(|line| line.starts_with(&start));
            line.map(|line| line[start.len()..].to_owned())
        };
        assert_eq!(value("KUMITE_SPEC").as_deref(), Some("login"), "{file}");
        assert_eq!(
            value("KUMITE_AGENT"),
            Some(text(&launch["agent"])),
            "{file}"
        );
        assert_eq!(value("KUMITE_STEP"), Some(text(&launch["step"])), "{file}");
        assert!(
            value("KUMITE_RUN").is_some_and(|run| !run.is_empty()),
            "{file}"
        );
        assert_eq!(value("MINE").as_deref(), Some("yes"));
        assert_eq!(value("KEPT").as_deref(), Some("as it was"));
        assert_eq!(launch["git_env"], json!([]), "{file}");
    }
    assert_eq!(world.launches().len(), 10);
}

#[test]
fn an_agent_may_ask_kumite_where_its_own_spec_stands() {
    let world = with_command(r#"["./agent.sh"]"#, "");
    let (agent, kumite) = (fake_agent().display(), env!("CARGO_BIN_EXE_kumite"));
    script(
        &world,
        "agent.sh",
        &format!("{kumite} status login --json > seen.json && exec {agent}"),
    );
    world
        .kumite(&["run", "login", "--until", "requirements"])
        .assert_code(0);
    let seen: serde_json::Value = serde_json::from_str(&world.read("seen.json")).unwrap();
    assert_eq!(seen["state"], "working");
}

#[test]
fn without_command_files_the_whole_prompt_is_sent() {
    let world = World::new();
    world.spec("login");
    world.kumite(&["run", "login"]).assert_code(0);
    for (index, step) in [
        "requirements",
        "design",
        "tasks",
        "review",
        "reply",
        "impl",
        "inspect",
    ]
    .into_iter()
    .enumerate()
    {
        let prompt = world.prompt(index);
        assert!(prompt.len() > 500, "{step}: {prompt}");
        assert!(
            prompt.contains("login") && !prompt.contains("$ARGUMENTS"),
            "{step}"
        );
        assert!(!prompt.starts_with('/'), "{step}");
    }
    assert!(world.prompt(4).contains("login 1 --autofix"));
}

#[test]
fn with_command_files_the_slash_command_is_sent() {
    let world = World::new();
    world.spec("login");
    world.kumite(&["init"]).assert_code(0);
    world.play(json!({"steps": {"reply": [{"fix": 1}, {}], "inspect": [{"verdict": "nogo"}, {}]}}));
    world.kumite(&["run", "login"]).assert_code(0);
    let prompts: Vec<String> = (0..world.launches().len())
        .map(|index| world.prompt(index))
        .collect();
    assert_eq!(
        prompts,
        [
            "/kiro:spec-requirements login",
            "/kiro:spec-design login -y",
            "/kiro:spec-tasks login -y",
            "/kiro:document-review login",
            "/kiro:document-review-reply login 1 --autofix",
            "/kiro:document-review login",
            "/kiro:document-review-reply login 2 --autofix",
            "/kiro:spec-impl login",
            "/kiro:spec-inspection login --autofix",
            "/kiro:spec-inspection login --fix",
            "/kiro:spec-inspection login --autofix",
        ]
    );
}

#[test]
fn claude_is_called_without_a_person_at_hand() {
    let world = World::new();
    world.spec("login");
    let agent = fake_agent().display().to_string();
    let settings = format!(
        "[agents.claude]\nprogram = {agent:?}\nmodel = \"opus\"\npermission_mode = \"plan\"\nargs = [\"--add-dir\", \"lib\"]\n"
    );
    world.write(".kiro/kumite.toml", &settings);
    world
        .kumite(&["run", "login", "--until", "requirements"])
        .assert_code(0);
    let argv: Vec<String> = world.launches()[0]["argv"]
        .as_array()
        .unwrap()
        .iter()
        .map(text)
        .collect();
    let options = argv[1..].join(" ");
    for words in [
        "-p --output-format stream-json --verbose --session-id",
        "--permission-mode plan",
        "--model opus",
        "--disallowedTools=AskUserQuestion",
        "--add-dir lib",
    ] {
        assert!(options.contains(words), "{words}: {options}");
    }
}

#[test]
fn a_command_gets_its_prompt_on_stdin_and_its_placeholders_filled() {
    let world = with_command(
        r#"["./agent.sh", "{step}", "{spec}", "{round}", "as {step} of {spec}"]"#,
        "",
    );
    let agent = fake_agent().display();
    script(
        &world,
        "agent.sh",
        &format!(
            "printf '%s|' \"$@\" >> args.txt\necho >> args.txt\ncat > prompt-$KUMITE_STEP.txt\nexec {agent}"
        ),
    );
    world
        .kumite(&["run", "login", "--until", "document-review"])
        .assert_code(0);
    let args = world.read("args.txt");
    let args: Vec<&str> = args.lines().collect();
    assert_eq!(args[0], "requirements|login|1|as requirements of login|");
    assert_eq!(args[3], "review|login|1|as review of login|");
    assert!(world.read("prompt-design.txt").contains("login -y"));
    assert!(world.read("prompt-reply.txt").contains("login 1 --autofix"));
}

#[test]
fn a_command_can_take_its_prompt_as_a_file() {
    let world = with_command(
        r#"["./agent.sh", "--read={prompt_file}"]"#,
        "prompt = \"file\"",
    );
    let agent = fake_agent().display();
    script(
        &world,
        "agent.sh",
        &format!("cat \"${{1#--read=}}\" > prompt.txt\ncat > stdin.txt\nexec {agent}"),
    );
    world
        .kumite(&["run", "login", "--until", "requirements"])
        .assert_code(0);
    assert!(world.read("prompt.txt").contains("login"));
    assert_eq!(world.read("stdin.txt"), "");
}

#[test]
fn a_command_that_reads_nothing_is_no_trouble() {
    let world = with_command(r#"["./agent.sh"]"#, "");
    script(
        &world,
        "agent.sh",
        "exec 0<&-\nprintf '# Requirements\\n\\n1.1 WHEN used THEN it works\\n' > .kiro/specs/$KUMITE_SPEC/requirements.md\necho done, without a newline at the end | tr -d '\\n'",
    );
    world
        .kumite(&["run", "login", "--until", "requirements"])
        .assert_code(0);
    assert!(
        world
            .kumite(&["log", "login"])
            .stdout
            .contains("done, without a newline")
    );
}

#[test]
fn each_phase_can_have_an_agent_of_its_own() {
    let world = World::new();
    world.spec("login");
    world.settings("[agent.phase]\ndesign = \"mine\"\n[agents.mine]\nkind = \"command\"\ncommand = [\"./agent.sh\"]");
    let agent = fake_agent().display();
    script(
        &world,
        "agent.sh",
        &format!("echo $KUMITE_STEP >> mine.txt\nexec {agent}"),
    );
    world.kumite(&["run", "login"]).assert_code(0);
    assert_eq!(world.read("mine.txt"), "design\n");
    assert_eq!(world.steps("login").len(), 7);
}

#[test]
fn the_scripted_agent_plays_a_script() {
    let world = World::new();
    world.spec("login");
    world.settings("[agent]\ndefault = \"scripted\"\n[agents.scripted]\nscript = \"short.toml\"");
    world.write("short.toml", "pace = \"0\"\n[review]\nfix_required = [1, 0]\n[impl]\nticks = [99]\n[inspection]\nverdicts = [\"go\"]\n");
    let out = world.kumite(&["run", "login", "--json"]);
    out.assert_code(0);
    let steps: Vec<String> = out
        .notices("step_started")
        .iter()
        .map(|it| text(&it["step"]))
        .collect();
    assert_eq!(
        steps,
        [
            "requirements",
            "design",
            "tasks",
            "review",
            "reply",
            "review",
            "reply",
            "impl",
            "inspect"
        ]
    );
    assert!(world.read(".kiro/specs/login/requirements.md").len() > 500);
    world.assert_nothing_left();
}

#[test]
fn a_wrong_script_fails_the_run_and_is_named() {
    let world = World::new();
    world.spec("login");
    world.settings("[agent]\ndefault = \"scripted\"\n[agents.scripted]\nscript = \"short.toml\"");
    world.write("short.toml", "\n[review]\nfixes = [1]\n");
    let out = world.kumite(&["run", "login", "--json"]);
    out.assert_code(1);
    let end = out.json().pop().unwrap();
    assert_eq!(end["reason"], "agent_failed");
    assert!(text(&end["message"]).contains("short.toml:3"), "{end}");
}

#[test]
fn the_demo_plays_a_whole_spec() {
    let world = World::new();
    let out = world.kumite(&["demo", "--fast", "--dir", "demo", "--json"]);
    out.assert_code(0);
    assert_eq!(out.notices("round_ended").len(), 3);
    assert_eq!(out.notices("impl_retry").len(), 2);
    let verdicts: Vec<String> = out
        .notices("inspection_ended")
        .iter()
        .map(|it| text(&it["verdict"]))
        .collect();
    assert_eq!(verdicts, ["nogo", "go"]);
    assert_eq!(out.json().pop().unwrap()["reason"], "all_phases_done");
    world
        .kumite(&["demo", "--fast", "--dir", "demo"])
        .assert_code(5);
}
