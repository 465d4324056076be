//! Several terminals at the same moment: one engine, one agent per spec, and a status that is
//! always correct.

use serde_json::json;

use crate::watch::held;
use crate::world::{World, text, until};

#[test]
fn terminals_that_start_at_the_same_moment_share_one_engine() {
    let world = World::new();
    let specs: Vec<String> = (1..=7).map(|number| format!("spec-{number}")).collect();
    specs.iter().for_each(|spec| world.spec(spec));
    let running: Vec<_> = specs
        .iter()
        .map(|spec| world.start(&["run", spec, "--json"]))
        .collect();
    for (spec, running) in specs.iter().zip(running) {
        let out = running.wait();
        out.assert_code(0);
        assert!(out.json().iter().all(|line| line["spec"] == spec.as_str()));
        assert_eq!(out.json().pop().unwrap()["reason"], "all_phases_done");
        assert_eq!(world.steps(spec).len(), 7, "{spec}");
    }
    assert!(world.at_once_max() <= 5, "{}", world.at_once_max());
    world.assert_nothing_left();
}

#[test]
fn one_spec_from_many_terminals_is_one_run() {
    let world = World::new();
    world.spec("login");
    world.play(json!({"steps": {"requirements": held()}}));
    let running: Vec<_> = (0..4).map(|_| world.start(&["run", "login"])).collect();
    until("all of them to be heard", || {
        world.entries("login").len() == 4
    });
    world.go();
    for running in running {
        let out = running.wait();
        out.assert_code(0);
        assert_eq!(out.stderr, "", "it has heard the last word");
    }
    assert_eq!(world.steps("login").len(), 7);
}

#[test]
fn m11_ctrl_c_of_a_terminal_that_only_follows_ends_the_following_alone() {
    let world = World::new();
    world.spec("login");
    world.play(json!({"steps": {"requirements": held()}}));
    let first = world.start(&["run", "login"]);
    world.wait_for_step("login", "requirements 1");
    let second = world.start(&["run", "login"]);
    until("the second one to be heard", || {
        world.entries("login").len() == 2
    });
    second.signal("INT");
    let out = second.wait();
    out.assert_code(130);
    let goes_on = "login goes on; `kumite stop login` ends it";
    assert!(out.stderr.contains(goes_on), "{out:?}");
    world.go();
    first.wait().assert_code(0);
    assert_eq!(world.steps("login").len(), 7);
}

#[test]
fn m11_a_follower_that_started_something_itself_ends_that() {
    let world = World::new();
    world.spec("login");
    world.spec("other");
    world.play(json!({"steps": {"requirements": held()}}));
    let first = world.start(&["run", "login"]);
    world.wait_for_step("login", "requirements 1");
    let second = world.start(&["run", "login", "other"]);
    world.wait_for_step("other", "requirements 1");
    second.signal("INT");
    second.wait().assert_code(130);
    assert_eq!(world.stands("other"), "stopped interrupted");
    world.go();
    first.wait().assert_code(0);
}

#[test]
fn ctrl_c_in_the_terminal_that_has_the_engine_ends_only_what_it_started() {
    for detached in [true, false] {
        let world = World::new();
        ["a", "b"].iter().for_each(|spec| world.spec(spec));
        world.play(json!({"steps": {"requirements": [held(), held(), {}]}}));
        let first = world.start(&["run", "a"]);
        world.wait_for_step("a", "requirements 1");
        let second = match detached {
            true => {
                world.kumite(&["run", "b", "--detach"]).assert_code(0);
                None
            }
            false => Some(world.start(&["run", "b"])),
        };
        world.wait_for_step("b", "requirements 1");
        first.signal("INT");
        let out = first.wait();
        out.assert_code(130);
        assert!(
            out.stderr.contains("b, started elsewhere, goes on"),
            "{out:?}"
        );
        assert_eq!(world.stands("a"), "stopped interrupted");
        assert_eq!(world.status("b")["state"], "working");
        world.go();
        if let Some(second) = second {
            second.wait().assert_code(0);
        }
        world.wait_for_state("b", "done");
        // The running agent has been taken over: nothing was done twice.
        assert_eq!(world.steps("b").len(), 7);
        world.assert_nothing_left();
    }
}

#[test]
fn what_goes_on_elsewhere_keeps_its_agent() {
    let world = World::new();
    let agent = crate::world::fake_agent().display().to_string();
    world.settings(&format!(
        "[agents.other]\nkind = \"claude\"\nprogram = {agent:?}\n\
        env = {{ KUMITE_TEST_OTHER = \"1\" }}"
    ));
    ["a", "b"].iter().for_each(|spec| world.spec(spec));
    world.play(json!({"steps": {"requirements": [held(), held(), {}]}}));
    let first = world.start(&["run", "a"]);
    world.wait_for_step("a", "requirements 1");
    let more = [
        "run", "b", "--detach", "--agent", "other", "--until", "design",
    ];
    world.kumite(&more).assert_code(0);
    world.wait_for_step("b", "requirements 1");
    first.signal("INT");
    first.wait().assert_code(130);
    world.go();
    world.wait_for_state("b", "done");
    let used = world.kumite(&["cost", "b", "--by", "agent", "--json"]);
    assert!(!used.stdout.contains("claude"), "{used:?}");
}

#[test]
fn the_last_line_of_each_spec_is_its_end() {
    let world = World::new();
    ["a", "b", "c"].iter().for_each(|spec| world.spec(spec));
    let out = world.kumite(&["run", "--all", "--json", "--jobs", "2"]);
    out.assert_code(0);
    for spec in ["a", "b", "c"] {
        let last = out.json().into_iter().rfind(|line| line["spec"] == spec);
        assert_eq!(last.unwrap()["type"], "run_ended", "{spec}");
    }
}

#[test]
fn status_is_right_whenever_somebody_looks() {
    let phases = [
        "requirements",
        "design",
        "tasks",
        "document-review",
        "impl",
        "inspection",
    ];
    let world = World::new();
    world.spec("login");
    world.play(json!({"default": {"sleep_ms": 20}}));
    let mut running = world.start(&["run", "login"]);
    let mut seen = Vec::new();
    while running.is_running() {
        let status = world.status("login");
        let phase = text(&status["phase"]);
        let place = phases.iter().position(|name| *name == phase).unwrap();
        seen.push((text(&status["state"]), place));
        assert!(status["agents"].as_array().unwrap().len() <= 1, "{status}");
    }
    running.wait().assert_code(0);
    let places: Vec<usize> = seen.iter().map(|(_, place)| *place).collect();
    assert!(places.is_sorted(), "{seen:?}");
    let states: Vec<&str> = seen.iter().map(|(state, _)| state.as_str()).collect();
    let mut changes = states.clone();
    changes.dedup();
    let order = ["idle", "working", "done"];
    let allowed = changes.iter().all(|state| order.contains(state));
    assert!(allowed && changes.len() <= 3, "{changes:?}");
    assert!(states.contains(&"working"), "{states:?}");
}

#[test]
fn ctrl_c_while_another_stop_is_on_its_way_starts_nothing() {
    let world = World::new();
    world.spec("login");
    world.settings("[agent]\nterm_grace = \"1h\"");
    let late = json!({"ignore_term": true, "wait_for": "go"});
    world.play(json!({"steps": {"requirements": [late, {}]}}));
    let first = world.start(&["run", "login"]);
    world.wait_for_step("login", "requirements 1");
    let stop = world.start(&["stop", "login"]);
    world.wait_for_message("login", "being ended");
    // It waits until the stop is done; the person does not.
    let mut second = world.start(&["run", "login"]);
    until("the second one to look out for signals", || {
        catches_ctrl_c(second.pid())
    });
    assert!(second.is_running());
    second.signal("INT");
    second.wait().assert_code(130);
    world.go();
    stop.wait().assert_code(0);
    first.wait().assert_code(3);
    assert_eq!(world.steps("login"), ["requirements 1"]);
}

/// Whether this kumite already handles signals: bit 2 of the caught ones is SIGINT.
fn catches_ctrl_c(pid: u32) -> bool {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
    let caught = status.lines().find_map(|line| line.strip_prefix("SigCgt:"));
    let caught = caught.and_then(|bits| u64::from_str_radix(bits.trim(), 16).ok());
    caught.is_some_and(|bits| bits & 0b10 != 0)
}

#[test]
fn a_follower_that_took_over_ends_what_it_started_and_nothing_else() {
    let world = World::new();
    world.spec("a");
    world.spec("b");
    world.play(json!({"steps": {"requirements": held()}}));
    let first = world.start(&["run", "a"]);
    world.wait_for_step("a", "requirements 1");
    let second = world.start(&["run", "b"]);
    world.wait_for_step("b", "requirements 1");
    first.signal("KILL");
    first.wait().assert_code(137);
    let owner = second.pid().to_string();
    until("the second one to take over", || {
        world.read(".kiro/runtime/kumite/lock").trim() == owner
            && world.status("b")["state"] == "working"
    });
    second.signal("INT");
    second.wait().assert_code(130);
    assert_eq!(world.stands("b"), "stopped interrupted");
    assert_eq!(world.status("a")["state"], "working");
    world.kumite(&["stop", "a"]).assert_code(0);
    assert!(world.agent_processes().is_empty());
    assert_eq!(world.stands("a"), "stopped stopped_by_user");
}
