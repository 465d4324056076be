//! `kumite init` and `kumite new`: a project and a spec from nothing.

use crate::world::{World, fake_agent, text};

/// A directory in which kumite is not set up.
fn bare() -> World {
    let world = World::new();
    std::fs::remove_dir_all(world.path(".kiro")).unwrap();
    world
}

#[test]
fn init_sets_a_project_up() {
    let world = bare();
    let out = world.kumite(&["init", "--json"]);
    out.assert_code(0);
    let files = out.json().pop().unwrap();
    assert!(
        files["files"]
            .as_array()
            .unwrap()
            .iter()
            .all(|it| it["what"] == "written"),
        "{files}"
    );
    assert!(world.path(".kiro/specs").is_dir());
    assert!(world.read(".kiro/.gitignore").contains("runtime/"));
    for command in [
        "spec-requirements",
        "document-review-reply",
        "spec-impl",
        "spec-inspection",
    ] {
        assert!(
            world
                .path(&format!(".claude/commands/kiro/{command}.md"))
                .is_file(),
            "{command}"
        );
    }
    // The settings that it writes are valid.
    world.kumite(&["config", "show"]).assert_code(0);
}

#[test]
fn init_twice_changes_nothing_and_keeps_a_persons_edits() {
    let world = bare();
    world.kumite(&["init"]).assert_code(0);
    let design = world.read(".claude/commands/kiro/spec-design.md");
    let mine = world.read(".claude/commands/kiro/spec-impl.md") + "\nAlways write tests first.\n";
    world.write(".claude/commands/kiro/spec-impl.md", &mine);
    world.write(".kiro/kumite.toml", "[run]\njobs = 2\n");
    world.write(".kiro/.gitignore", "mine\n");
    let out = world.kumite(&["init", "--json"]);
    out.assert_code(0);
    assert_eq!(world.read(".claude/commands/kiro/spec-impl.md"), mine);
    assert_eq!(world.read(".claude/commands/kiro/spec-design.md"), design);
    assert_eq!(world.read(".kiro/kumite.toml"), "[run]\njobs = 2\n");
    assert_eq!(world.read(".kiro/.gitignore"), "mine\n");
    let files = out.json().pop().unwrap();
    let what = |name: &str| {
        let found = files["files"]
            .as_array()
            .unwrap()
            .iter()
            .find(|it| text(&it["path"]).ends_with(name));
        text(&found.unwrap_or_else(|| panic!("{name}: {files}"))["what"])
    };
    assert!(what("spec-impl.md").starts_with("kept"));
    assert_eq!(what("spec-design.md"), "unchanged");
}

#[test]
fn e1_4_init_proposes_the_commands_of_a_project_as_comments() {
    let package = r#"{"scripts": {"test": "vitest", "lint": "eslint .", "typecheck": "tsc"}}"#;
    let unset = r#"{"scripts": {"test": "echo \"Error: no test specified\" && exit 1"}}"#;
    for (files, names) in [
        (&[("Cargo.toml", "")][..], &["cargo-test"][..]),
        (&[("pyproject.toml", "")], &["pytest"]),
        (&[("go.mod", "module x\n")], &["go-test"]),
        (&[("Makefile", "test: x\n\tgo test\n")], &["make-test"]),
        (&[("Makefile", "all: x\n")], &[]),
        (
            &[("package.json", package)],
            &["npm-test", "npm-lint", "npm-typecheck"],
        ),
        (&[("package.json", unset)], &[]),
        (&[("package.json", "{\"name\": \"x\"}")], &[]),
        (&[("package.json", "not json")], &[]),
        (&[], &[]),
        (
            &[
                ("Cargo.toml", ""),
                ("package.json", package),
                ("go.mod", ""),
            ],
            &[
                "cargo-test",
                "npm-test",
                "npm-lint",
                "npm-typecheck",
                "go-test",
            ],
        ),
    ] {
        let world = bare();
        for (name, text) in files {
            world.write(name, text);
        }
        world.kumite(&["init"]).assert_code(0);
        let written = world.read(".kiro/kumite.toml");
        assert!(
            written
                .lines()
                .all(|line| line.is_empty() || line.starts_with('#')),
            "{written}"
        );
        assert_eq!(commands(&world), [""; 0], "nothing is run unasked");
        // A person removes the marks.
        let proposed = written.split_once("# These commands were found in this project.");
        let proposed = proposed.map_or("", |(_, proposed)| proposed);
        let lines = proposed.lines().skip(1);
        let lines: Vec<&str> = lines.map(|line| line.trim_start_matches("# ")).collect();
        world.write(".kiro/kumite.toml", &lines.join("\n"));
        assert_eq!(commands(&world), names, "{written}");
    }
}

#[test]
fn e1_4_init_proposes_nothing_over_the_settings_of_a_person() {
    let world = bare();
    world.write("Cargo.toml", "");
    world.write(".kiro/kumite.toml", "[run]\njobs = 2\n");
    world.kumite(&["init"]).assert_code(0);
    assert_eq!(world.read(".kiro/kumite.toml"), "[run]\njobs = 2\n");
}

/// The names of the verify commands, as `config show` shows them.
fn commands(world: &World) -> Vec<String> {
    let out = world.kumite(&["config", "show", "--json"]);
    let rows = out.assert_code(0).json().pop().unwrap();
    let rows = rows["settings"].as_array().unwrap().clone();
    let row = rows.iter().find(|row| row["key"] == "verify.command");
    let value = text(&row.unwrap()["value"]);
    let names = value.split("{ name = \"").skip(1);
    let name = |rest: &str| rest.split('"').next().unwrap_or_default().to_owned();
    names.map(name).collect()
}

#[test]
fn new_creates_a_spec_that_can_be_run() {
    let world = bare();
    world.kumite(&["init"]).assert_code(0);
    world.settings("");
    world
        .kumite(&[
            "new",
            "login",
            "Log in with a",
            "password",
            "--language",
            "ja",
        ])
        .assert_code(0);
    let spec = world.spec_json("login");
    assert_eq!(
        (text(&spec["feature_name"]), text(&spec["language"])),
        ("login".into(), "ja".into())
    );
    assert_eq!(spec["description"], "Log in with a password");
    assert_eq!(spec["approvals"]["requirements"]["generated"], false);
    assert!(
        world
            .read(".kiro/specs/login/requirements.md")
            .contains("Log in with a password")
    );
    let status = world.status("login");
    assert_eq!(
        (text(&status["state"]), text(&status["phase"])),
        ("idle".into(), "requirements".into())
    );
    world.kumite(&["run", "login"]).assert_code(0);
    assert_eq!(world.steps("login").len(), 7);
}

#[test]
fn the_stub_of_a_new_spec_is_no_evidence_for_requirements() {
    let world = World::new();
    world.kumite(&["new", "login"]).assert_code(0);
    world.play(serde_json::json!({"steps": {"requirements": {"write": "nothing"}}}));
    world.kumite(&["run", "login"]).assert_code(3);
    assert_eq!(world.stands("login"), "paused no_evidence");
}

#[test]
fn new_twice_is_refused_and_changes_nothing() {
    let world = World::new();
    world.kumite(&["new", "login", "first"]).assert_code(0);
    let before = (
        world.read(".kiro/specs/login/spec.json"),
        world.read(".kiro/specs/login/requirements.md"),
    );
    let out = world.kumite(&["new", "login", "second"]);
    out.assert_code(5);
    assert!(out.stderr.contains("exists already"), "{out:?}");
    let after = (
        world.read(".kiro/specs/login/spec.json"),
        world.read(".kiro/specs/login/requirements.md"),
    );
    assert_eq!(after, before);
}

#[test]
fn new_refuses_names_that_are_no_spec_names() {
    let world = World::new();
    for name in ["../x", "Login", "log in", "", ".", "a/b", "ü", "-x/../y"] {
        world.kumite(&["new", "--", name]).assert_code(5);
    }
    let specs = std::fs::read_dir(world.path(".kiro/specs")).unwrap();
    assert_eq!(specs.count(), 0);
}

#[test]
fn outside_a_project_every_command_says_what_to_do() {
    let world = bare();
    for args in [
        &["status"][..],
        &["run", "login"],
        &["new", "login"],
        &["doctor"],
        &["config", "show"],
    ] {
        let out = world.kumite(args);
        out.assert_code(5);
        assert!(out.stderr.contains("kumite init"), "{args:?}: {out:?}");
    }
    assert!(!world.path(".kiro").exists());
}

#[test]
fn a_project_is_found_from_below_and_from_afar() {
    let world = World::new();
    world.spec("login");
    std::fs::create_dir_all(world.path("src/deep")).unwrap();
    let place = world.path("src/deep").display().to_string();
    let out = world.kumite(&["-C", &place, "run", "login", "--until", "requirements"]);
    out.assert_code(0);
    assert_eq!(
        world.launches()[0]["cwd"],
        world.root().canonicalize().unwrap().display().to_string()
    );
    assert!(fake_agent().is_file());
}
