//! Stop, and the signals that end kumite itself: scenarios 18 and 19, the predecessor's failure 2.

use serde_json::json;

use crate::watch::held;
use crate::world::{World, is_alive};

/// A spec whose first agent is held, with every kind of process that an agent can leave.
fn held_with_children() -> World {
    let world = World::new();
    world.spec("login");
    let busy = json!({"wait_for": "go", "children": ["child", "setsid", "double_fork"], "touch": ["ready"]});
    world.play(json!({"steps": {"requirements": [busy, {}]}}));
    world
}

fn children(world: &World) -> Vec<u32> {
    let list = world.read("children.txt");
    list.lines().map(|pid| pid.parse().unwrap()).collect()
}

#[test]
fn s18_a_stop_ends_the_whole_tree_and_nothing_starts_afterwards() {
    let world = held_with_children();
    let running = world.start(&["run", "login", "--json"]);
    world.wait_for("ready");
    let children = children(&world);
    assert_eq!(children.len(), 3);
    world.kumite(&["stop", "login"]).assert_code(0);
    // When stop returns, everything has ended.
    assert!(world.agent_processes().is_empty());
    assert!(!children.into_iter().any(is_alive));
    world.go();
    let out = running.wait();
    out.assert_code(3);
    let end = out.json().pop().unwrap();
    assert_eq!(
        (&end["state"], &end["reason"]),
        (&json!("stopped"), &json!("stopped_by_user"))
    );
    assert_eq!(world.steps("login"), ["requirements 1"]);
    let status = world.status("login");
    assert_eq!(status["state"], "stopped");
    assert_eq!(status["agents"], json!([]));
}

#[test]
fn s18_a_stop_also_ends_agents_that_ignore_being_asked() {
    let world = World::new();
    world.spec("login");
    world.settings("[agent]\nterm_grace = \"200ms\"");
    let stubborn =
        json!({"ignore_term": true, "hang": "middle", "children": ["setsid"], "touch": ["ready"]});
    world.play(json!({"steps": {"requirements": stubborn}}));
    let running = world.start(&["run", "login"]);
    world.wait_for("ready");
    world.kumite(&["stop", "login"]).assert_code(0);
    assert!(world.agent_processes().is_empty());
    running.wait().assert_code(3);
    assert_eq!(world.stands("login"), "stopped stopped_by_user");
}

#[test]
fn f2_an_agent_that_finishes_while_it_is_being_stopped_starts_nothing() {
    let world = World::new();
    world.spec("login");
    world.settings("[agent]\nterm_grace = \"1h\"");
    let late = json!({"ignore_term": true, "wait_for": "go"});
    world.play(json!({"steps": {"requirements": [late, {}]}}));
    let running = world.start(&["run", "login"]);
    world.wait_for_step("login", "requirements 1");
    let stop = world.start(&["stop", "login"]);
    world.wait_for_message("login", "being ended");
    world.go();
    stop.wait().assert_code(0);
    running.wait().assert_code(3);
    assert_eq!(world.steps("login"), ["requirements 1"]);
    assert_eq!(world.stands("login"), "stopped stopped_by_user");
    world.assert_nothing_left();
}

#[test]
fn f2_stopping_one_spec_leaves_the_other_one_running() {
    let world = World::new();
    world.spec("a");
    world.spec("b");
    world.play(json!({"steps": {"requirements": held()}}));
    let running = world.start(&["run", "a", "b", "--json"]);
    world.wait_for_step("a", "requirements 1");
    world.wait_for_step("b", "requirements 1");
    world.kumite(&["stop", "a"]).assert_code(0);
    assert_eq!(world.status("b")["state"], "working");
    world.go();
    running.wait().assert_code(3);
    assert_eq!(world.steps("a"), ["requirements 1"]);
    assert_eq!(world.stands("b"), "done all_phases_done");
}

#[test]
fn s19_a_stopped_run_goes_on_where_it_was_and_keeps_finished_rounds() {
    let world = World::new();
    world.spec_with_documents("login");
    world.play(json!({"steps": {"reply": [{"fix": 2}, {}], "review/2": held()}}));
    let running = world.start(&["run", "login"]);
    world.wait_for_step("login", "review 2");
    world.kumite(&["stop", "login"]).assert_code(0);
    running.wait().assert_code(3);
    let spec = world.spec_json("login");
    let first = &spec["documentReview"]["roundDetails"][0];
    assert_eq!(first["roundNumber"], 1);
    assert_eq!(first["fixRequiredCount"], 2);
    assert_eq!(first["status"], "reply_complete");
    world.go();
    world.kumite(&["run", "login"]).assert_code(0);
    assert_eq!(
        world.steps("login"),
        [
            "review 1",
            "reply 1",
            "review 2",
            "review 2",
            "reply 2",
            "impl 1",
            "inspect 1"
        ]
    );
}

#[test]
fn s19_a_stop_during_impl_goes_on_with_impl() {
    let world = World::new();
    world.spec_ready_for_impl("login");
    world.play(json!({"steps": {"impl": [held(), {}]}}));
    let running = world.start(&["run", "login"]);
    world.wait_for_step("login", "impl 1");
    world.kumite(&["stop", "login"]).assert_code(0);
    running.wait().assert_code(3);
    world.kumite(&["resume", "login"]).assert_code(0);
    assert_eq!(world.steps("login"), ["impl 1", "impl 1", "inspect 1"]);
}

#[test]
fn a_stop_of_a_spec_that_does_not_run_changes_nothing() {
    let world = World::new();
    world.spec("login");
    world.kumite(&["stop", "login"]).assert_code(0);
    assert_eq!(world.status("login")["state"], "idle");
    world.kumite(&["run", "login"]).assert_code(0);
    world.kumite(&["stop", "login"]).assert_code(0);
    assert_eq!(world.stands("login"), "done all_phases_done");
    world.kumite(&["stop", "missing"]).assert_code(5);
    world.kumite(&["stop", "../x"]).assert_code(5);
}

/// Starts a held run, sends a signal, and expects this exit code.
fn signalled(signal: &str, code: i32) {
    let world = held_with_children();
    let running = world.start(&["run", "login", "--json"]);
    world.wait_for("ready");
    let children = children(&world);
    running.signal(signal);
    let out = running.wait();
    out.assert_code(code);
    assert!(world.agent_processes().is_empty());
    assert!(!children.into_iter().any(is_alive));
    let end = out.json().pop().unwrap();
    assert_eq!(
        (&end["state"], &end["reason"]),
        (&json!("stopped"), &json!("interrupted"))
    );
    assert_eq!(world.stands("login"), "stopped interrupted");
    // Nothing blocks the next run.
    world.kumite(&["run", "login"]).assert_code(0);
    let steps = world.steps("login");
    assert_eq!(steps[..3], ["requirements 1", "requirements 1", "design 1"]);
    assert_eq!(steps.len(), 8);
}

#[test]
fn ctrl_c_ends_everything_and_exits_130() {
    signalled("INT", 130);
}

#[test]
fn sigterm_ends_everything_and_exits_143() {
    signalled("TERM", 143);
}

#[test]
fn a_terminal_that_is_closed_ends_everything_too() {
    signalled("HUP", 129);
}

#[test]
fn a_second_ctrl_c_does_not_wait_for_an_agent_that_ignores_the_first() {
    let world = World::new();
    world.spec("login");
    world.settings("[agent]\nterm_grace = \"1h\"");
    let stubborn = json!({"ignore_term": true, "hang": "middle", "touch": ["ready"]});
    world.play(json!({"steps": {"requirements": stubborn}}));
    let mut running = world.start(&["run", "login"]);
    world.wait_for("ready");
    running.signal("INT");
    world.wait_for_message("login", "being ended");
    assert!(running.is_running());
    running.signal("INT");
    running.wait().assert_code(130);
    assert!(world.agent_processes().is_empty());
    assert_eq!(world.stands("login"), "stopped interrupted");
}

#[test]
fn ctrl_c_also_stops_what_is_queued() {
    let world = World::new();
    world.spec("a");
    world.spec("b");
    world.play(json!({"steps": {"requirements": held()}}));
    let running = world.start(&["run", "a", "b", "--jobs", "1"]);
    world.wait_for_step("a", "requirements 1");
    world.wait_for_message("b", "queued: number 1");
    running.signal("INT");
    running.wait().assert_code(130);
    assert!(world.steps("b").is_empty());
    assert_eq!(world.stands("a"), "stopped interrupted");
    assert_eq!(world.stands("b"), "stopped interrupted");
}

#[test]
fn ctrl_c_in_the_second_terminal_ends_only_its_own_specs() {
    let world = World::new();
    world.spec("a");
    world.spec("b");
    world.play(json!({"steps": {"requirements": held()}}));
    let first = world.start(&["run", "a"]);
    world.wait_for_step("a", "requirements 1");
    let second = world.start(&["run", "b"]);
    world.wait_for_step("b", "requirements 1");
    second.signal("INT");
    second.wait().assert_code(130);
    assert_eq!(world.stands("b"), "stopped interrupted");
    assert_eq!(world.status("a")["state"], "working");
    world.go();
    first.wait().assert_code(0);
    assert_eq!(world.steps("b"), ["requirements 1"]);
}

#[test]
fn a_terminal_that_signals_its_group_does_not_reach_the_agents() {
    let world = World::new();
    world.spec("login");
    world.play(json!({"steps": {"requirements": held()}}));
    let running = world.start(&["run", "login"]);
    world.wait_for_step("login", "requirements 1");
    let group = |pid: u64| -> String {
        let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap();
        let fields = stat.rsplit(") ").next().unwrap().to_owned();
        fields.split(' ').nth(2).unwrap().to_owned()
    };
    let launch = &world.launches()[0];
    for key in ["pid", "ppid"] {
        let pid = launch[key].as_u64().unwrap();
        assert_ne!(group(pid), group(u64::from(running.pid())), "{key}");
    }
    world.go();
    running.wait().assert_code(0);
}
