//! Whole specs with the real agent programs, which talk to our own fake model on loopback.
//!
//! `cargo xtask test` installs the pinned programs and tells where they are (`KUMITE_REAL_AGENTS`).

#![allow(clippy::unwrap_used)]

mod drift;
mod model;
mod programs;
#[allow(dead_code, reason = "shared with the other tests of the binary")]
#[path = "../it/world.rs"]
mod world;

use std::time::Duration;

use kumite_fake_model::Server;
use serde_json::{Value, json};

use programs::Program;
use world::{Out, World, until_within};

/// A program, its model, and a project with one spec.
struct Stage {
    world: World,
    model: Server,
}

impl Stage {
    fn new(program: &Program) -> Stage {
        let mut world = World::new();
        let clock = world.path("clock").display().to_string();
        world.env.push(("KUMITE_CLOCK_AHEAD".to_owned(), clock));
        let model = Server::start(model::script()).unwrap();
        program.set_up(&world, &model.url());
        world.spec("login");
        Stage { world, model }
    }

    fn move_clock_hours(&self, hours: u64) {
        let ahead_ms = hours * 3_600_000;
        self.world.write("clock", &ahead_ms.to_string());
    }

    /// Seven steps come before it, and a program may take seconds to start.
    fn until_limited(&self) {
        until_within(Duration::from_secs(300), "the usage limit", || {
            self.world.status("login")["state"] == "waiting"
        });
    }

    fn document(&self, name: &str) -> String {
        self.world.read(&format!(".kiro/specs/login/{name}"))
    }
}

/// One spec from its first document to a passed inspection: the program's own tools write every
/// file, a review round finds something, a usage limit interrupts the implementation, and the same
/// session goes on after it.
fn walks_a_whole_spec(program: &Program) {
    let stage = Stage::new(program);
    let run = stage.world.start(&["run", "login", "--json"]);
    stage.until_limited();
    let status = stage.world.status("login");
    assert_eq!(status["reason"], "usage_limit", "{status:#}");
    assert_eq!(status["phase"], "impl");
    assert!(status["until"].is_string());
    stage.move_clock_hours(2);
    let out = run.wait();
    assert_eq!(out.code, 0, "{out:#?}\n{:#?}", stage.model.requests());
    assert_walked(&stage, &out);
    stage.world.assert_nothing_left();
}

fn assert_walked(stage: &Stage, out: &Out) {
    let steps: Vec<String> = out
        .notices("step_ended")
        .iter()
        .map(|ended| {
            format!(
                "{} {}",
                ended["step"].as_str().unwrap(),
                ended["outcome"].as_str().unwrap()
            )
        })
        .collect();
    assert_eq!(
        steps,
        [
            "requirements finished",
            "design finished",
            "tasks finished",
            "review finished",
            "reply finished",
            "review finished",
            "reply finished",
            "impl limited",
            "impl finished",
            "inspect finished",
        ]
    );
    assert_eq!(out.notices("impl_retry"), Vec::<Value>::new());
    let resumed = out.notices("step_started");
    let resumed = resumed.iter().filter(|started| started["resumed"] == true);
    assert_eq!(resumed.count(), 1);
    assert_eq!(out.notices("run_ended")[0]["reason"], "all_phases_done");
    // The model's own text, written by the program's own tools.
    assert!(stage.document("requirements.md").contains("1.1 It works."));
    assert!(stage.document("tasks.md").contains("- [x] 1. First"));
    assert_eq!(stage.world.read("product.txt"), "It works.\n");
    let tokens = stage.world.status("login")["input_tokens"]
        .as_u64()
        .unwrap();
    assert!(tokens > 0);
    let transcript = stage.world.kumite(&["log", "login"]);
    assert_eq!(transcript.code, 0);
    assert!(
        transcript.stdout.contains("product.txt"),
        "{}",
        transcript.stdout
    );
}

#[test]
#[ignore = "needs the program: cargo xtask test installs it"]
fn claude_code_walks_a_whole_spec() {
    walks_a_whole_spec(&Program::claude());
}

#[test]
#[ignore = "needs the program: cargo xtask test installs it"]
fn codex_walks_a_whole_spec() {
    walks_a_whole_spec(&Program::codex());
}

#[test]
#[ignore = "needs the program: cargo xtask test installs it"]
fn gemini_cli_walks_a_whole_spec() {
    walks_a_whole_spec(&Program::gemini());
}

/// A review can be done by another vendor than the writer. The project has the command files:
/// Claude Code gets slash commands, the others get the text of the files.
#[test]
#[ignore = "needs the program: cargo xtask test installs it"]
fn a_spec_walks_with_a_program_per_phase() {
    let stage = Stage::new(&Program::claude());
    Program::codex().add(&stage.world, &stage.model.url());
    Program::gemini().add(&stage.world, &stage.model.url());
    let phases = "[agent.phase]\ndocument-review = \"codex\"\ninspection = \"gemini\"\n";
    let settings = stage.world.read(".kiro/kumite.toml") + phases;
    stage.world.write(".kiro/kumite.toml", &settings);
    assert_eq!(stage.world.kumite(&["init"]).code, 0);
    let run = stage.world.start(&["run", "login", "--json"]);
    stage.until_limited();
    stage.move_clock_hours(2);
    let out = run.wait();
    assert_eq!(out.code, 0, "{out:#?}\n{:#?}", stage.model.requests());
    let models: Vec<Value> = stage
        .model
        .requests()
        .iter()
        .map(|seen| json!(seen.path))
        .collect();
    for api in ["/v1/messages", "/v1/responses", "/v1beta/models"] {
        let asked = |path: &Value| path.as_str().unwrap_or_default().contains(api);
        assert!(models.iter().any(asked), "{api}: {models:?}");
    }
}

/// The kit of `kumite agent check`, offline, with the unchanged program from npm.
fn passes_the_kit(program: &Program) {
    let world = World::new();
    program.name_only(&world);
    let mut check = world.start(&["agent", "check", program.name, "--offline", "--json"]);
    until_within(Duration::from_secs(600), "the kit to be done", || {
        !check.is_running()
    });
    let out = check.wait();
    let report: Value = serde_json::from_str(&out.stdout).unwrap();
    let bad = |it: &&Value| it["verdict"] != "passed";
    let scenarios = report["scenarios"].as_array().unwrap();
    let bad: Vec<&Value> = scenarios.iter().filter(bad).collect();
    assert!(bad.is_empty(), "{bad:#?}");
    assert!(scenarios.len() >= 40, "{}", scenarios.len());
    assert_eq!(out.code, 0, "{}", out.stderr);
}

#[test]
#[ignore = "needs the program: cargo xtask test installs it"]
fn claude_code_passes_the_conformance_kit() {
    passes_the_kit(&Program::claude());
}

#[test]
#[ignore = "needs the program: cargo xtask test installs it"]
fn codex_passes_the_conformance_kit() {
    passes_the_kit(&Program::codex());
}

#[test]
#[ignore = "needs the program: cargo xtask test installs it"]
fn gemini_cli_passes_the_conformance_kit() {
    passes_the_kit(&Program::gemini());
}
