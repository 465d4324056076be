//! Many specs at the same time: slots, the queue, the same spec twice, and the common exit code.

use serde_json::json;

use crate::watch::held;
use crate::world::{World, text, until};

#[test]
fn s09_six_specs_run_five_at_once_and_the_sixth_is_queued() {
    let world = World::new();
    let specs = ["a", "b", "c", "d", "e", "f"];
    specs.iter().for_each(|spec| world.spec(spec));
    world.play(json!({"default": {"wait_for": "go"}}));
    let running = world.start(&["run", "a", "b", "c", "d", "e", "f", "--json"]);
    until("five agents to work", || world.launches().len() == 5);
    world.wait_for_message("f", "queued: number 1 of 1; 5 work at once");
    assert!(world.steps("f").is_empty());
    for spec in &specs[..5] {
        assert_eq!(world.status(spec)["state"], "working", "{spec}");
    }
    world.go();
    let out = running.wait();
    out.assert_code(0);
    let queued = out.notices("run_queued");
    let for_a_slot = queued.iter().filter(|it| it["because"].is_null());
    let for_a_slot: Vec<String> = for_a_slot.map(|it| text(&it["spec"])).collect();
    assert_eq!(for_a_slot, ["f"]);
    // E2.19: without git, impl works in the checkout, one spec after the other.
    let others = queued.iter().filter(|it| !it["because"].is_null());
    for other in others {
        assert_eq!(other["because"], "same_checkout");
    }
    for spec in specs {
        assert_eq!(world.steps(spec).len(), 7, "{spec}");
        assert_eq!(world.stands(spec), "done all_phases_done");
    }
    assert_eq!(world.at_once_max(), 5);
    world.assert_nothing_left();
}

#[test]
fn s09_a_queued_spec_that_is_stopped_never_starts() {
    let world = World::new();
    world.spec("a");
    world.spec("b");
    world.play(json!({"steps": {"requirements": held()}}));
    let running = world.start(&["run", "a", "b", "--jobs", "1", "--json"]);
    world.wait_for_step("a", "requirements 1");
    world.wait_for_message("b", "queued: number 1 of 1; 1 works at once");
    world.kumite(&["stop", "b"]).assert_code(0);
    assert_eq!(world.stands("b"), "stopped stopped_by_user");
    world.go();
    running.wait().assert_code(3);
    assert!(world.steps("b").is_empty());
    assert_eq!(world.stands("a"), "done all_phases_done");
}

#[test]
fn s10_the_same_spec_twice_follows_the_first_and_starts_no_second_agent() {
    let world = World::new();
    world.spec("login");
    world.play(json!({"steps": {"requirements": held()}}));
    let first = world.start(&["run", "login", "--json"]);
    world.wait_for_step("login", "requirements 1");
    let second = world.start(&["run", "login", "--json"]);
    // The engine has received both: then the second one follows.
    until("the second request to arrive", || {
        world.entries("login").len() == 2
    });
    assert_eq!(world.launches().len(), 1);
    world.go();
    let (first, second) = (first.wait(), second.wait());
    first.assert_code(0);
    second.assert_code(0);
    assert_eq!(world.steps("login").len(), 7);
    assert_eq!(world.at_once_max(), 1);
    let end = |out: &crate::world::Out| out.json().pop().unwrap();
    assert_eq!(end(&second), end(&first));
    assert_eq!(end(&second)["type"], "run_ended");
    assert_eq!(second.notices("step_ended").len(), 7);
    assert_eq!(second.stderr, "", "it has heard the last word");
}

#[test]
fn s10_the_same_name_twice_on_one_line_is_one_run() {
    let world = World::new();
    world.spec("login");
    let out = world.kumite(&["run", "login", "login", "--json"]);
    out.assert_code(0);
    assert_eq!(world.steps("login").len(), 7);
    assert_eq!(out.notices("run_ended").len(), 1);
}

#[test]
fn a_second_terminal_hands_its_spec_to_the_first_engine() {
    let world = World::new();
    world.spec("a");
    world.spec("b");
    world.play(json!({"steps": {"a/requirements": held()}}));
    let first = world.start(&["run", "a", "--json"]);
    world.wait_for_step("a", "requirements 1");
    let second = world.kumite(&["run", "b", "--json"]);
    second.assert_code(0);
    assert!(second.json().iter().all(|line| line["spec"] == "b"));
    assert_eq!(world.stands("b"), "done all_phases_done");
    assert_eq!(world.status("a")["state"], "working");
    world.go();
    let first = first.wait();
    first.assert_code(0);
    assert!(first.json().iter().all(|line| line["spec"] == "a"));
}

/// `a` gets done, `b` pauses for a discussion, `c` fails.
fn good_doubtful_and_bad() -> World {
    let world = World::new();
    ["a", "b", "c"].iter().for_each(|spec| world.spec(spec));
    world.play(json!({"steps": {
        "b/reply": {"discuss": 1},
        "c/design": {"write": "nothing", "result": "error"},
    }}));
    world
}

#[test]
fn with_several_specs_a_failure_counts_most() {
    let world = good_doubtful_and_bad();
    world.kumite(&["run", "a", "b", "c"]).assert_code(1);
    assert_eq!(world.stands("a"), "done all_phases_done");
    assert_eq!(world.stands("b"), "paused needs_discussion");
    assert_eq!(world.stands("c"), "failed agent_failed");
}

#[test]
fn with_several_specs_a_pause_counts_more_than_the_good_ends() {
    good_doubtful_and_bad()
        .kumite(&["run", "b", "a"])
        .assert_code(3);
}

#[test]
fn run_all_runs_every_spec() {
    let world = good_doubtful_and_bad();
    let out = world.kumite(&["run", "--all", "--json"]);
    out.assert_code(1);
    let mut ended: Vec<String> = out
        .notices("run_ended")
        .iter()
        .map(|it| text(&it["spec"]))
        .collect();
    ended.sort();
    assert_eq!(ended, ["a", "b", "c"]);
}

#[test]
fn run_all_without_specs_says_so() {
    let world = World::new();
    let out = world.kumite(&["run", "--all"]);
    out.assert_code(5);
    assert!(out.stderr.contains("kumite new"), "{out:?}");
    world.kumite(&["run"]).assert_code(2);
    world.kumite(&["run", "--all", "login"]).assert_code(2);
}

#[test]
fn jobs_limits_how_many_work_at_once() {
    let world = World::new();
    ["a", "b", "c"].iter().for_each(|spec| world.spec(spec));
    world
        .kumite(&["run", "--all", "--jobs", "1"])
        .assert_code(0);
    assert_eq!(world.launches().len(), 21);
    assert_eq!(world.at_once_max(), 1);
    world.kumite(&["run", "a", "--jobs", "0"]).assert_code(5);
}

#[test]
fn one_unknown_name_starts_none_of_them() {
    let world = World::new();
    world.spec("a");
    let out = world.kumite(&["run", "a", "missing", "--json"]);
    out.assert_code(5);
    assert!(
        out.stdout.is_empty() && out.stderr.contains("missing"),
        "{out:?}"
    );
    assert!(world.launches().is_empty());
}

#[test]
fn a_request_that_meets_an_engine_just_ending_is_still_answered() {
    let world = World::new();
    world.spec("login");
    world.spec("other");
    let short = ["run", "login", "--until", "requirements"];
    world.kumite(&short).assert_code(0);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            (0..60).for_each(|_| {
                world.kumite(&short).assert_code(0);
            })
        });
        scope.spawn(|| {
            (0..60).for_each(|_| {
                world.kumite(&["stop", "other"]).assert_code(0);
            })
        });
        scope.spawn(|| {
            (0..60).for_each(|_| {
                world.kumite(&["pause", "other"]).assert_code(0);
            })
        });
    });
    assert_eq!(world.launches().len(), 1);
}

#[test]
fn s09_a_second_terminal_that_finds_all_slots_taken_is_queued_and_told_so() {
    let world = World::new();
    world.spec("a");
    world.spec("b");
    world.play(json!({"steps": {"a/requirements": held()}}));
    let first = world.start(&["run", "a", "--jobs", "1"]);
    world.wait_for_step("a", "requirements 1");
    let second = world.start(&["run", "b", "--json"]);
    world.wait_for_message("b", "queued: number 1 of 1; 1 works at once");
    assert!(world.steps("b").is_empty());
    world.go();
    first.wait().assert_code(0);
    let second = second.wait();
    second.assert_code(0);
    assert_eq!(second.json()[0]["type"], "run_queued");
    assert_eq!(second.json()[1]["type"], "run_started");
    assert_eq!(world.at_once_max(), 1);
}
