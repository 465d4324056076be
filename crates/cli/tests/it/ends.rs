//! How agents end, and what that means: scenarios 11 to 17, and the predecessor's failures 3 to 5.

use std::os::unix::fs::PermissionsExt;

use serde_json::{Value, json};

use crate::watch::held;
use crate::world::{Out, World, kill, text};

fn world_with(play: Value) -> World {
    let world = World::new();
    world.spec("login");
    world.play(play);
    world
}

#[track_caller]
fn assert_ended(world: &World, out: &Out, code: i32, stands: &str) -> Value {
    out.assert_code(code);
    let end = out.json().pop().unwrap();
    assert_eq!(end["type"], "run_ended");
    assert_eq!(
        format!("{} {}", text(&end["state"]), text(&end["reason"])),
        stands
    );
    assert_eq!(world.stands("login"), stands);
    world.assert_nothing_left();
    end
}

#[test]
fn s11_an_agent_that_exits_1_fails_the_run_in_every_phase() {
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
        let bad = json!({"write": "nothing", "result": "none", "exit": 1});
        let world = world_with(json!({"steps": {step: bad}}));
        let out = world.kumite(&["run", "login", "--json"]);
        let end = assert_ended(&world, &out, 1, "failed agent_failed");
        assert!(text(&end["message"]).contains("exit code 1"), "{end}");
        let steps = world.steps("login");
        assert_eq!(steps.len(), index + 1, "{steps:?}");
        assert!(steps[index].starts_with(step), "{steps:?}");
        // With a better agent it goes on with the very step that failed.
        world.play(json!({}));
        world.kumite(&["run", "login"]).assert_code(0);
        let steps = world.steps("login");
        assert_eq!(steps.len(), 8, "{steps:?}");
        assert_eq!(steps[index], steps[index + 1]);
    }
}

#[test]
fn s11_an_error_in_the_result_fails_the_run_also_with_exit_0() {
    let bad = json!({"write": "nothing", "result": "error", "exit": 0});
    let world = world_with(json!({"steps": {"design": bad}}));
    let out = world.kumite(&["run", "login", "--json"]);
    assert_ended(&world, &out, 1, "failed agent_failed");
    let ended = out.notices("step_ended");
    assert_eq!(ended.last().unwrap()["outcome"], "failed");
}

#[test]
fn s12_an_agent_that_dies_of_a_signal_fails_the_run() {
    let dies = json!({"write": "nothing", "result": "none", "signal": 9});
    let world = world_with(json!({"steps": {"design": dies}}));
    let out = world.kumite(&["run", "login", "--json"]);
    let end = assert_ended(&world, &out, 1, "failed agent_failed");
    assert!(text(&end["message"]).contains("KILL"), "{end}");
    assert_eq!(world.steps("login"), ["requirements 1", "design 1"]);
}

#[test]
fn f3_an_agent_killed_from_outside_does_not_leave_the_run_running_for_ever() {
    for signal in ["KILL", "TERM", "INT"] {
        let world = world_with(json!({"steps": {"requirements": held()}}));
        let running = world.start(&["run", "login", "--json"]);
        world.wait_for_step("login", "requirements 1");
        let pid = world.launches()[0]["pid"].as_u64().unwrap();
        kill(u32::try_from(pid).unwrap(), signal);
        let out = running.wait();
        assert_ended(&world, &out, 1, "failed agent_failed");
        assert_eq!(world.launches().len(), 1, "{signal}");
    }
}

fn with_program(program: &str) -> World {
    let world = world_with(json!({}));
    let settings = format!("[agents.claude]\nprogram = {program:?}\n");
    world.write(".kiro/kumite.toml", &settings);
    world
}

#[test]
fn s13_a_missing_agent_program_fails_the_run_and_is_named() {
    let world = with_program("no-such-agent-program");
    let out = world.kumite(&["run", "login", "--json"]);
    let end = assert_ended(&world, &out, 1, "failed agent_missing");
    assert!(
        text(&end["message"]).contains("no-such-agent-program"),
        "{end}"
    );
    // Once it is installed, the run goes on.
    world.settings("");
    world.kumite(&["resume", "login"]).assert_code(0);
}

#[test]
fn f4_an_agent_that_cannot_be_started_is_an_end_and_not_a_silence() {
    for case in ["missing", "directory", "not executable", "no interpreter"] {
        let world = World::new();
        world.spec("login");
        let program = world.path("agent");
        match case {
            "directory" => std::fs::create_dir(&program).unwrap(),
            "not executable" => world.write("agent", "#!/bin/sh\n"),
            "no interpreter" => {
                world.write("agent", "#!/no/such/interpreter\n");
                let executable = std::fs::Permissions::from_mode(0o755);
                std::fs::set_permissions(&program, executable).unwrap();
            }
            _ => {}
        }
        let settings = format!(
            "[agents.claude]\nprogram = {:?}\n",
            program.display().to_string()
        );
        world.write(".kiro/kumite.toml", &settings);
        let out = world.kumite(&["run", "login", "--json"]);
        assert_ended(&world, &out, 1, "failed agent_missing");
        assert_eq!(out.notices("step_ended")[0]["outcome"], "missing", "{case}");
    }
}

#[test]
fn s14_an_agent_that_exits_before_anybody_listens_is_noticed() {
    let world = world_with(json!({}));
    for (program, code, stands) in [
        ("true", 3, "paused no_evidence"),
        ("false", 1, "failed agent_failed"),
    ] {
        world.settings(&format!(
            "[agent]\ndefault = \"quick\"\n[agents.quick]\nkind = \"command\"\ncommand = [{program:?}]\n"
        ));
        for _ in 0..5 {
            let out = world.kumite(&["run", "login", "--json"]);
            assert_ended(&world, &out, code, stands);
        }
    }
}

#[test]
fn f5_agents_that_exit_right_after_their_last_line_never_break_a_run() {
    let world = World::new();
    let specs: Vec<String> = (1..=8).map(|number| format!("spec-{number}")).collect();
    specs.iter().for_each(|spec| world.spec(spec));
    world.play(json!({"default": {"tail_ms": 0}}));
    world
        .kumite(&["run", "--all", "--jobs", "8"])
        .assert_code(0);
    for spec in &specs {
        assert_eq!(world.stands(spec), "done all_phases_done", "{spec}");
        assert_eq!(world.steps(spec).len(), 7, "{spec}");
    }
}

#[test]
fn s15_a_silent_agent_is_interrupted_resumed_once_and_then_fails() {
    let mut world = world_with(json!({"steps": {"design": {"hang": "middle"}}}));
    world
        .env
        .push(("KUMITE_AGENT__SILENCE_TIMEOUT".into(), "1s".into()));
    let out = world.kumite(&["run", "login", "--json"]);
    assert_ended(&world, &out, 1, "failed agent_hung");
    assert_eq!(
        world.steps("login"),
        ["requirements 1", "design 1", "design 1"]
    );
    let launches = world.launches();
    assert_eq!(launches[1]["resumed"], Value::Null);
    assert_eq!(launches[2]["resumed"], launches[1]["session"]);
    let hung = out.notices("step_ended");
    assert_eq!(
        (&hung[1]["outcome"], &hung[2]["outcome"]),
        (&json!("hung"), &json!("hung"))
    );
}

#[test]
fn s15_a_silent_agent_that_works_after_being_resumed_costs_nothing_more() {
    let mut world = world_with(json!({"steps": {"design": {"hang_unless_resumed": true}}}));
    world
        .env
        .push(("KUMITE_AGENT__SILENCE_TIMEOUT".into(), "2s".into()));
    let out = world.kumite(&["run", "login", "--json"]);
    assert_ended(&world, &out, 0, "done all_phases_done");
    assert_eq!(
        world.steps("login")[..4],
        ["requirements 1", "design 1", "design 1", "tasks 1"]
    );
    let started = out.notices("step_started");
    let resumed = started.iter().filter(|it| it["resumed"] == true);
    assert_eq!(resumed.count(), 1);
}

#[test]
fn s15_an_agent_that_never_says_a_word_is_noticed_too() {
    let mut world = world_with(json!({"steps": {"requirements": {"hang": "start"}}}));
    world
        .env
        .push(("KUMITE_AGENT__SILENCE_TIMEOUT".into(), "500ms".into()));
    let out = world.kumite(&["run", "login", "--json"]);
    assert_ended(&world, &out, 1, "failed agent_hung");
}

#[test]
fn s15_an_agent_that_speaks_now_and_then_may_take_its_time() {
    let slow = json!({"sleep_ms": 4000, "heartbeat_ms": 100});
    let mut world = world_with(json!({"steps": {"requirements": slow}}));
    world
        .env
        .push(("KUMITE_AGENT__SILENCE_TIMEOUT".into(), "2s".into()));
    world
        .kumite(&["run", "login", "--until", "requirements"])
        .assert_code(0);
    assert_eq!(world.steps("login"), ["requirements 1"]);
}

#[test]
fn s16_a_result_followed_by_no_exit_is_finished_after_a_grace_period() {
    let mut world =
        world_with(json!({"default": {"hang": "after_result", "children": ["setsid"]}}));
    world
        .env
        .push(("KUMITE_AGENT__EXIT_GRACE".into(), "100ms".into()));
    let out = world.kumite(&["run", "login", "--json"]);
    assert_ended(&world, &out, 0, "done all_phases_done");
    assert_eq!(world.steps("login").len(), 7);
}

#[test]
fn s17_a_step_that_takes_too_long_is_ended_and_fails_the_run() {
    let busy = json!({"hang": "middle", "heartbeat_ms": 50, "children": ["child", "double_fork"]});
    let mut world = world_with(json!({"steps": {"design": busy}}));
    world
        .env
        .push(("KUMITE_RUN__STEP_TIMEOUT".into(), "2s".into()));
    let out = world.kumite(&["run", "login", "--json"]);
    let end = assert_ended(&world, &out, 1, "failed timeout");
    assert!(text(&end["message"]).contains("design"), "{end}");
    assert_eq!(world.steps("login"), ["requirements 1", "design 1"]);
    // A later try has its full time again.
    world.play(json!({}));
    world.kumite(&["resume", "login"]).assert_code(0);
    assert_eq!(world.steps("login").len(), 8);
}
