//! `kumite agent`: which agents there are, and whether they behave.

use std::os::unix::fs::PermissionsExt;

use serde_json::{Value, json};

use crate::world::{World, text};

fn program(world: &World, name: &str, script: &str) {
    world.write(name, &format!("#!/bin/sh\n{script}\n"));
    let executable = std::fs::Permissions::from_mode(0o755);
    std::fs::set_permissions(world.path(name), executable).unwrap();
}

/// A project with the command `mine`, and a machine with no programs but those in `bin`.
fn world() -> World {
    let mut world = World::new();
    let bin = world.path("bin").display().to_string();
    let home = world.path("home").display().to_string();
    world.write(
        ".kiro/kumite.toml",
        "[agent]\ndefault = \"mine\"\n[agents.mine]\nkind = \"command\"\ncommand = [\"./mine.sh\"]\n",
    );
    for name in ["GEMINI_API_KEY", "GOOGLE_API_KEY", "CODEX_API_KEY"] {
        world.env.push((name.to_owned(), String::new()));
    }
    world
        .env
        .extend([("PATH".to_owned(), bin), ("HOME".to_owned(), home)]);
    world
}

fn listed(world: &World) -> Vec<Value> {
    let out = world.kumite(&["agent", "list", "--json"]);
    out.assert_code(0);
    let agents = out.json()[0]["agents"].as_array().cloned();
    agents.unwrap()
}

fn named<'a>(agents: &'a [Value], name: &str) -> &'a Value {
    agents.iter().find(|agent| agent["name"] == name).unwrap()
}

#[test]
fn a_list_tells_what_is_installed_and_who_is_logged_in() {
    let world = world();
    // The answers of the programs, without their models.
    program(
        &world,
        "bin/claude",
        "[ \"$1\" = auth ] || echo '2.1.325 (Claude Code)'",
    );
    program(
        &world,
        "bin/codex",
        "[ \"$1\" = login ] && exit 1; echo codex-cli 0.166.0",
    );
    program(&world, "bin/gemini", "echo 0.61.0");
    world.write("home/.gemini/oauth_creds.json", "");
    let agents = listed(&world);
    for (name, installed, version, logged_in) in [
        ("claude", true, json!("2.1.325"), json!(true)),
        ("codex", true, json!("0.166.0"), json!(false)),
        ("gemini", true, json!("0.61.0"), json!(true)),
        ("opencode", false, json!(null), json!(null)),
        ("mine", false, json!(null), json!(null)),
    ] {
        let agent = named(&agents, name);
        assert_eq!(agent["installed"], installed, "{name}");
        assert_eq!(agent["version"], version, "{name}");
        assert_eq!(agent["logged_in"], logged_in, "{name}");
        assert_eq!(agent["limited_until"], json!(null), "{name}");
    }
    assert_eq!(named(&agents, "scripted")["installed"], true);
    let table = world.kumite(&["agent", "list"]).stdout;
    let row = table
        .lines()
        .find(|line| line.starts_with("codex"))
        .unwrap();
    assert!(
        row.contains("0.166.0") && row.contains("not logged in"),
        "{row}"
    );
}

#[test]
fn t1_a_list_tells_of_the_limit_that_a_command_reported() {
    let world = world();
    program(
        &world,
        "mine.sh",
        r#"echo '{"kumite":1,"limited_until":4102444800}'"#,
    );
    world.spec("login");
    world.kumite(&["run", "login", "--no-wait"]).assert_code(75);
    let agents = listed(&world);
    let until = text(&named(&agents, "mine")["limited_until"]);
    assert!(until.starts_with("20"), "{until}");
    assert_eq!(named(&agents, "claude")["limited_until"], json!(null));
}

#[test]
fn a_check_prints_a_table_for_people_and_an_object_for_programs() {
    let mut world = world();
    // The stand-in of a command is a shell script.
    world.env.retain(|(name, _)| name != "PATH");
    let check = |more: &[&str]| {
        let words = ["agent", "check", "mine", "--offline", "--only", "write"];
        world.kumite(&[&words, more].concat())
    };
    let table = check(&[]);
    table.assert_code(0);
    let lines: Vec<&str> = table.stdout.lines().collect();
    assert!(lines[0].starts_with("write "), "{table:?}");
    assert!(lines[0].contains(" passed "), "{table:?}");
    assert_eq!(lines[1], "1 of 1 passed");
    let report = &check(&["--json"]).json()[0];
    for (key, value) in [
        ("agent", json!("mine")),
        ("kind", json!("command")),
        ("version", json!(null)),
        ("offline", json!(true)),
        ("passed", json!(1)),
        ("failed", json!(0)),
        ("skipped", json!(0)),
    ] {
        assert_eq!(report[key], value, "{key}");
    }
    let scenario = &report["scenarios"][0];
    assert_eq!(scenario["name"], "write");
    assert_eq!(
        (&scenario["verdict"], &scenario["message"]),
        (&json!("passed"), &json!(""))
    );
    assert!(scenario["ms"].is_u64());
}

#[test]
fn agents_are_listed_and_checked_where_there_is_no_project() {
    let world = world();
    std::fs::remove_dir_all(world.path(".kiro")).unwrap();
    let agents = listed(&world);
    assert_eq!(named(&agents, "claude")["installed"], false);
    let out = world.kumite(&["agent", "check", "codex", "--offline"]);
    out.assert_code(5);
    assert!(out.stderr.contains("@openai/codex"), "{out:?}");
    let nowhere = ["agent", "list", "-C", "no-such-directory"];
    world.kumite(&nowhere).assert_code(5);
}

#[test]
fn a_check_that_fails_ends_with_1() {
    let mut world = world();
    world.env.retain(|(name, _)| name != "PATH");
    // It is done at once, whatever it is asked.
    program(&world, "mine.sh", "echo done");
    let out = world.kumite(&["agent", "check", "mine", "--only", "write"]);
    out.assert_code(1);
    assert!(out.stdout.contains("note.md should hold"), "{out:?}");
    assert!(out.stdout.ends_with("0 of 1 passed\n"), "{out:?}");
    assert!(out.stderr.contains("costs tokens"), "{out:?}");
    let kept = out.stdout.split("(see ").nth(1).unwrap();
    let kept = kept.split(')').next().unwrap();
    std::fs::remove_dir_all(kept).unwrap();
}

#[test]
fn what_cannot_be_checked_is_said_in_a_sentence() {
    let world = world();
    for (name, only, code, words) in [
        (
            "claude",
            "start",
            5,
            "npm install -g @anthropic-ai/claude-code",
        ),
        ("nobody", "start", 5, "there is no agent nobody"),
        ("scripted", "start", 5, "nothing to check"),
        ("mine", "nonsense", 2, "there is no scenario nonsense"),
    ] {
        let out = world.kumite(&["agent", "check", name, "--offline", "--only", only]);
        out.assert_code(code);
        assert!(out.stderr.contains(words), "{name}: {out:?}");
    }
}

#[test]
fn a_check_that_is_interrupted_leaves_nobody_behind() {
    let mut world = world();
    world.env.retain(|(name, _)| name != "PATH");
    program(&world, "mine.sh", "touch $HOME/here; exec sleep 1000");
    std::fs::create_dir(world.path("home")).unwrap();
    let running = world.start(&["agent", "check", "mine", "--only", "start"]);
    world.wait_for("home/here");
    running.signal("INT");
    running.wait().assert_code(130);
    let left = kumite_agents::find_marked("KUMITE_AGENT=kumite-check-");
    let home = world.path("home").display().to_string();
    let ours = left.iter().filter(|found| {
        let environ = std::fs::read(format!("/proc/{}/environ", found.process.pid));
        String::from_utf8_lossy(&environ.unwrap_or_default()).contains(&home)
    });
    assert_eq!(ours.count(), 0);
}
