//! Specs that run at the same time and do not affect each other (C1 to C4, C6; scenarios 35 and
//! 36).

use serde_json::{Value, json};

use crate::world::{World, text, until};

const WALK: [&str; 7] = [
    "requirements 1",
    "design 1",
    "tasks 1",
    "review 1",
    "reply 1",
    "impl 1",
    "inspect 1",
];

fn two_specs(steps: Value) -> World {
    let world = World::new();
    world.spec("first");
    world.spec("second");
    world.play(json!({"steps": steps}));
    world
}

/// The agents that events.jsonl of a spec names.
fn agents_in_events(world: &World, spec: &str) -> Vec<String> {
    let events = world.events(spec).into_iter();
    let mut agents: Vec<_> = events
        .filter_map(|event| event["agentId"].as_str().map(str::to_owned))
        .collect();
    agents.sort();
    agents.dedup();
    agents
}

fn agents_launched(world: &World, spec: &str) -> Vec<String> {
    let launches = world.launches().into_iter().filter(|it| it["spec"] == spec);
    let mut agents: Vec<_> = launches.map(|it| text(&it["agent"])).collect();
    agents.sort();
    agents
}

#[test]
fn s35_c1_3_c2_1_c2_3_c3_2_two_interleaved_specs_get_their_own_completions() {
    // Each waits for the other one, step by step.
    let world = two_specs(json!({
        "first/requirements": {"wait_for": "second-design", "touch": ["first-requirements"]},
        "second/design": {"touch": ["second-design"], "wait_for": "first-review"},
        "first/review": {"touch": ["first-review"]},
        "first/reply": [{"fix": 1, "wait_for": "second-impl"}, {}],
        "second/impl": [{"tick": 1}, {"touch": ["second-impl"]}]}));
    let out = world.kumite(&["run", "first", "second", "--json"]);
    out.assert_code(0);
    let first = [
        "requirements 1",
        "design 1",
        "tasks 1",
        "review 1",
        "reply 1",
        "review 2",
        "reply 2",
        "impl 1",
        "inspect 1",
    ];
    assert_eq!(world.steps("first"), first);
    let second = [
        "requirements 1",
        "design 1",
        "tasks 1",
        "review 1",
        "reply 1",
        "impl 1",
        "impl 2",
        "inspect 1",
    ];
    assert_eq!(world.steps("second"), second);
    for spec in ["first", "second"] {
        world.assert_status(spec, "done", "all_phases_done");
        // C2.1, C2.6: an agent belongs to one spec, and its events and its log are there.
        let agents = agents_launched(&world, spec);
        assert_eq!(agents_in_events(&world, spec), agents, "{spec}");
        let logs = std::fs::read_dir(world.path(&format!(".kiro/specs/{spec}/logs"))).unwrap();
        let mut logs: Vec<_> = logs
            .flatten()
            .map(|it| it.file_name().into_string().unwrap())
            .collect();
        logs.sort();
        let expected: Vec<_> = agents
            .iter()
            .flat_map(|agent| [format!("{agent}.jsonl"), format!("{agent}.log")])
            .collect();
        assert_eq!(logs, expected, "{spec}");
    }
    let ids = [
        agents_launched(&world, "first"),
        agents_launched(&world, "second"),
    ]
    .concat();
    let mut distinct = ids.clone();
    distinct.sort();
    distinct.dedup();
    assert_eq!(distinct.len(), ids.len(), "no id is used twice: {ids:?}");
}

#[test]
fn s36_c3_1_c3_3_an_error_in_one_spec_leaves_the_other_running() {
    let world = two_specs(json!({
        "first/design": {"write": "nothing", "exit": 1, "touch_end": ["first-failed"]},
        "second/requirements": {"wait_for": "first-failed"}}));
    let out = world.kumite(&["run", "first", "second", "--json"]);
    out.assert_code(1);
    world.assert_status("first", "failed", "agent_failed");
    world.assert_status("second", "done", "all_phases_done");
    assert_eq!(world.steps("second"), WALK);
    // C6.2: a failed spec stays for a retry, from where it failed.
    world.play(json!({}));
    world
        .resume("first")
        .assert_ended(0, "done", "all_phases_done");
    assert_eq!(world.steps("first")[1..3], ["design 1", "design 1"]);
}

#[test]
fn c1_1_c1_4_c1_6_each_running_spec_shows_its_own_phase_step_and_agent() {
    let world = two_specs(json!({
        "first/design": {"touch": ["one"], "wait_for": "go"},
        "second/tasks": {"touch": ["two"], "wait_for": "go"}}));
    let running = world.start(&["run", "first", "second", "--json"]);
    world.wait_for("one");
    world.wait_for("two");
    for (spec, phase) in [("first", "design"), ("second", "tasks")] {
        let status = world.status(spec);
        assert_eq!(status["spec"], spec);
        assert_eq!(
            (&status["state"], &status["phase"], &status["step"]),
            (&json!("working"), &json!(phase), &json!(phase))
        );
        let agents = status["agents"].as_array().unwrap();
        assert_eq!(agents.len(), 1, "{status}");
        let launches = world.launches();
        let own = launches.iter().rfind(|it| it["spec"] == spec).unwrap();
        assert_eq!(agents[0]["id"], own["agent"]);
        assert_eq!(agents[0]["pid"], own["pid"]);
        assert!(agents[0]["started_at"].is_string());
    }
    world.write("go", "");
    running.wait().assert_code(0);
    assert_eq!(world.status("first")["agents"], json!([]));
}

#[test]
fn c2_5_c6_3_a_stop_of_one_spec_forgets_its_agent_and_leaves_the_other() {
    let world = two_specs(json!({
        "first/requirements": {"touch": ["one"], "wait_for": "never"},
        "second/requirements": {"touch": ["two"], "wait_for": "go"}}));
    let running = world.start(&["run", "first", "second", "--json"]);
    world.wait_for("one");
    world.wait_for("two");
    world.kumite(&["stop", "first"]).assert_code(0);
    // C6.3: at once.
    let status = world.assert_status("first", "stopped", "stopped_by_user");
    assert_eq!(status["agents"], json!([]));
    assert_eq!(world.status("second")["state"], "working");
    world.write("go", "");
    running.wait().assert_code(3);
    world.assert_status("second", "done", "all_phases_done");
    assert_eq!(world.steps("first"), ["requirements 1"]);
}

#[test]
fn c3_6_each_spec_has_its_own_timeout() {
    let world = two_specs(json!({"first/design": {"heartbeat_ms": 20, "wait_for": "never"}}));
    world.settings("[run]\nstep_timeout = \"3s\"");
    let out = world.kumite(&["run", "first", "second", "--json"]);
    out.assert_code(1);
    world.assert_status("first", "failed", "timeout");
    world.assert_status("second", "done", "all_phases_done");
    world.assert_nothing_left();
}

#[test]
fn c4_1_c4_2_c4_3_c4_5_decisions_rest_on_the_files_of_the_spec_itself() {
    let world = two_specs(json!({
        "first/reply": {"discuss": 1},
        "second/impl": [{"tick": 1}, {}]}));
    world.patch(
        "second",
        json!({"autoExecution": {"permissions": {"inspection": false}}}),
    );
    world
        .kumite(&["run", "first", "second", "--json"])
        .assert_code(3);
    world.assert_status("first", "paused", "needs_discussion");
    assert_eq!(world.status("first")["phase"], "document-review");
    world.assert_status("second", "done", "not_permitted");
    assert_eq!(world.status("second")["phase"], "inspection");
    assert_eq!(
        world.spec_json("first")["documentReview"]["status"],
        "in_progress"
    );
    assert_eq!(
        world.spec_json("second")["documentReview"]["status"],
        "approved"
    );
}

#[test]
fn c6_4_a_shutdown_ends_all_and_all_go_on_later() {
    for (signal, code) in [("TERM", 143), ("INT", 130)] {
        let children =
            json!({"touch": ["up"], "wait_for": "never", "children": ["child", "setsid"]});
        let world = two_specs(
            json!({"first/design": children, "second/tasks": {"touch": ["two"], "wait_for": "never"}}),
        );
        let running = world.start(&["run", "first", "second", "--json"]);
        world.wait_for("up");
        world.wait_for("two");
        running.signal(signal);
        running.wait().assert_code(code);
        world.assert_nothing_left();
        for spec in ["first", "second"] {
            world.assert_status(spec, "stopped", "interrupted");
        }
        world.play(json!({}));
        world
            .kumite(&["run", "first", "second", "--json"])
            .assert_code(0);
        assert_eq!(world.steps("first")[1..3], ["design 1", "design 1"]);
        assert_eq!(world.steps("second")[2..4], ["tasks 1", "tasks 1"]);
    }
}

#[test]
fn c6_1_a_detached_engine_goes_by_itself_after_its_last_run() {
    let world = World::new();
    world.spec("first");
    world.play(json!({}));
    world.kumite(&["run", "first", "--detach"]).assert_code(0);
    assert!(world.detached_engine().is_some());
    until("the run to be done", || {
        world.status("first")["state"] == "done"
    });
    let socket_gone = || {
        let runtime = std::fs::read_dir(world.path(".kiro/runtime/kumite")).unwrap();
        !runtime
            .flatten()
            .any(|it| it.path().extension().is_some_and(|it| it == "sock"))
    };
    until("the engine to go", socket_gone);
    until("its process to go", || world.detached_engine().is_none());
    world.assert_nothing_left();
    world.assert_status("first", "done", "all_phases_done");
}

#[test]
fn c1_2_c1_5_each_start_has_a_journal_of_its_own_with_what_the_files_said_then() {
    let world = two_specs(json!({}));
    world.patch(
        "second",
        json!({"autoExecution": {"permissions": {"design": false}}}),
    );
    world
        .kumite(&["run", "first", "second", "--json"])
        .assert_code(0);
    let permitted = ["first", "second"].map(|spec| {
        let out = world.kumite(&["replay", spec, "--json"]);
        let first = out.json().remove(0);
        assert_eq!(first["entry"]["event"], "start_requested");
        let look = &first["entry"]["look"]["seen"];
        assert!(look["permitted"].is_number(), "{first:#}");
        look["permitted"].clone()
    });
    assert_ne!(permitted[0], permitted[1]);
}

#[test]
fn c3_5_a_spec_beyond_the_limit_is_queued_and_told_so() {
    let world = two_specs(json!({"first/requirements": {"touch": ["up"], "wait_for": "go"}}));
    let running = world.start(&["run", "first", "second", "--jobs", "1", "--json"]);
    world.wait_for("up");
    let status = world.status("second");
    assert_eq!(world.stands("second"), "waiting queued");
    assert_eq!(status["queue_place"], 1);
    assert_eq!(status["message"], "queued: number 1 of 1; 1 works at once");
    assert!(world.steps("second").is_empty());
    world.write("go", "");
    let out = running.wait();
    out.assert_code(0);
    let queued = out.notices("run_queued");
    assert_eq!(queued.len(), 1);
    assert_eq!(queued[0]["spec"], "second");
    assert_eq!(world.steps("second"), WALK);
    // The second one began when the first had ended.
    let specs: Vec<_> = world
        .launches()
        .iter()
        .map(|it| text(&it["spec"]))
        .collect();
    assert_eq!(specs, [["first"; 7], ["second"; 7]].concat());
}

#[test]
fn c4_4_auto_approval_writes_into_the_spec_whose_document_it_is() {
    let world = two_specs(json!({"second/requirements": {"touch": ["up"], "wait_for": "go"}}));
    world.patch(
        "first",
        json!({"autoExecution": {"permissions": {"design": false}}}),
    );
    let running = world.start(&["run", "first", "second", "--json"]);
    world.wait_for("up");
    until("the first to be approved", || {
        world.spec_json("first")["approvals"]["requirements"]["approved"] == true
    });
    assert_eq!(
        world.spec_json("second")["approvals"]["requirements"]["approved"],
        false
    );
    world.write("go", "");
    running.wait().assert_code(0);
    assert_eq!(
        world.spec_json("second")["approvals"]["requirements"]["approved"],
        true
    );
    assert_eq!(
        world.spec_json("first")["approvals"]["design"]["approved"],
        false
    );
}
