//! Usage limits are waits, not failures (T1): shared by all kumite processes, across a restart, in
//! the same session, and without a retry. The clock is moved, so no test waits for hours.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use crate::world::{Out, Running, World, until};

const HOUR_S: u64 = 3600;

/// A project whose clock can be moved, with a spec whose implementation is next.
fn world(state: Option<&Path>) -> World {
    let mut world = World::new();
    let clock = world.path("clock").display().to_string();
    world.env.push(("KUMITE_CLOCK_AHEAD".to_owned(), clock));
    if let Some(state) = state {
        let state = state.display().to_string();
        world.env.push(("XDG_STATE_HOME".to_owned(), state));
    }
    world
}

fn ready_for_impl(world: &World, name: &str) {
    world.spec_with_documents(name);
    world.patch(name, json!({"documentReview": {"status": "approved"}}));
}

fn move_clock(world: &World, ahead_s: u64) {
    world.write("clock.new", &(ahead_s * 1000).to_string());
    fs::rename(world.path("clock.new"), world.path("clock")).unwrap();
}

/// The first impl agent does one task and reaches the limit, the next one does the rest.
fn limited_impl(resets_in_s: u64) -> Value {
    json!({"steps": {"impl": [
        {"tick": 1, "result": "limit", "resets_in_s": resets_in_s},
        {"tick": "all"},
    ]}})
}

fn until_waiting(world: &World, name: &str) -> Value {
    until("the run to wait", || {
        world.status(name)["state"] == "waiting"
    });
    world.status(name)
}

fn impl_launches(world: &World) -> Vec<Value> {
    let launches = world.launches().into_iter();
    launches.filter(|it| it["step"] == "impl").collect()
}

fn murder(running: Running) {
    running.signal("KILL");
    assert_eq!(running.wait().code, 137);
}

/// The second impl agent continued the session of the first one, and does not count as a retry.
#[track_caller]
fn assert_resumed(world: &World, out: &Out) {
    let launches = impl_launches(world);
    assert_eq!(launches.len(), 2, "{launches:#?}");
    assert_eq!(launches[1]["resumed"], launches[0]["session"]);
    assert_eq!(launches[1]["session"], launches[0]["session"]);
    assert_eq!(launches[1]["cwd"], launches[0]["cwd"]);
    assert_eq!(launches[1]["round"], launches[0]["round"]);
    assert_eq!(out.notices("impl_retry"), Vec::<Value>::new());
}

#[test]
fn t1_two_kumites_wait_for_one_limit_over_a_restart_and_resume_their_own_sessions() {
    let state = tempfile::TempDir::new().unwrap();
    let worlds = [world(Some(state.path())), world(Some(state.path()))];
    let runs = worlds.each_ref().map(|world| {
        ready_for_impl(world, "login");
        let mut play = limited_impl(HOUR_S);
        play["steps"]["impl"][0]["touch"] = json!(["in-impl"]);
        play["steps"]["impl"][0]["wait_for"] = json!("go");
        world.play(play);
        let run = world.start(&["run", "login", "--json"]);
        world.wait_for("in-impl");
        run
    });
    // Both are in the middle of their work when the limit comes.
    worlds.iter().for_each(|world| world.write("go", ""));
    for world in &worlds {
        let status = until_waiting(world, "login");
        assert_eq!(status["reason"], "usage_limit");
        assert_eq!(status["attempt"], 0);
        assert!(status["until"].is_string());
    }
    let [one, other] = &worlds;
    let [first, second] = runs;
    murder(first);
    assert_eq!(one.status("login")["state"], "waiting");
    let first = one.start(&["run", "login", "--json"]);
    until_waiting(one, "login");
    for world in &worlds {
        assert_eq!(impl_launches(world).len(), 1);
        move_clock(world, 2 * HOUR_S);
    }
    for (world, run) in [(one, first), (other, second)] {
        let out = run.wait();
        out.assert_code(0);
        assert_resumed(world, &out);
        world.assert_nothing_left();
    }
}

#[test]
fn t1_another_kumite_does_not_even_start_an_agent_of_a_limited_account() {
    let state = tempfile::TempDir::new().unwrap();
    let [one, other] = [world(Some(state.path())), world(Some(state.path()))];
    for world in [&one, &other] {
        ready_for_impl(world, "login");
        world.play(limited_impl(HOUR_S));
    }
    one.kumite(&["run", "login", "--no-wait"]).assert_code(75);
    let run = other.start(&["run", "login", "--json"]);
    let told = until_waiting(&other, "login");
    assert_eq!(told["until"], one.status("login")["until"]);
    assert_eq!(impl_launches(&other).len(), 0);
    other.play(json!({}));
    move_clock(&other, 2 * HOUR_S);
    run.wait().assert_code(0);
}

#[test]
fn t1_all_specs_of_a_project_hold_back_and_other_programs_do_not() {
    let world = world(None);
    let agent = crate::world::fake_agent().display().to_string();
    world.settings(&format!(
        "[agent.phase]\ndesign = \"mine\"\n[agents.mine]\nkind = \"command\"\ncommand = [\"/usr/bin/env\", {agent:?}]\n"
    ));
    ready_for_impl(&world, "login");
    ready_for_impl(&world, "search");
    world.spec_with(
        "other",
        json!({"phase": "requirements-generated", "approvals": {
        "requirements": {"generated": true, "approved": true}}}),
    );
    world.write(".kiro/specs/other/requirements.md", "# Requirements\n");
    world.play(json!({"steps": {"login/impl": limited_impl(HOUR_S)["steps"]["impl"]}}));
    let login = world.start(&["run", "login", "--json"]);
    until_waiting(&world, "login");
    let search = world.start(&["run", "search", "--json"]);
    until_waiting(&world, "search");
    assert!(!world.launches().iter().any(|it| it["spec"] == "search"));
    // Another program may work.
    world
        .kumite(&["run", "other", "--until", "design"])
        .assert_code(0);
    move_clock(&world, 2 * HOUR_S);
    login.wait().assert_code(0);
    search.wait().assert_code(0);
}

#[test]
fn t1_a_waiting_run_holds_no_slot() {
    let world = world(None);
    world.settings("[run]\njobs = 1\n");
    ready_for_impl(&world, "login");
    world.spec_with_documents("search");
    world.play(json!({"steps": {"login/impl": limited_impl(HOUR_S)["steps"]["impl"]}}));
    let login = world.start(&["run", "login", "--json"]);
    until_waiting(&world, "login");
    let search = world.start(&["run", "search", "--json"]);
    until_waiting(&world, "search");
    move_clock(&world, 2 * HOUR_S);
    login.wait().assert_code(0);
    search.wait().assert_code(0);
}

#[test]
fn t1_no_wait_ends_with_75_and_a_later_run_goes_on_in_the_session() {
    let world = world(None);
    ready_for_impl(&world, "login");
    world.play(limited_impl(HOUR_S));
    let out = world.kumite(&["run", "login", "--no-wait", "--json"]);
    out.assert_code(75);
    let ends = out.notices("run_ended");
    assert_eq!(ends[0]["state"], "waiting");
    assert_eq!(ends[0]["reason"], "usage_limit");
    assert!(world.status("login")["until"].is_string());
    // It is already limited: nothing is started to find that out again.
    world.kumite(&["run", "login", "--no-wait"]).assert_code(75);
    assert_eq!(impl_launches(&world).len(), 1);
    move_clock(&world, 2 * HOUR_S);
    let out = world.kumite(&["run", "login", "--json"]);
    out.assert_code(0);
    assert_resumed(&world, &out);
}

#[test]
fn t1_resume_does_not_wait_any_longer() {
    let world = world(None);
    ready_for_impl(&world, "login");
    world.play(limited_impl(HOUR_S));
    let run = world.start(&["run", "login", "--json"]);
    until_waiting(&world, "login");
    world
        .kumite(&["resume", "login", "--detach"])
        .assert_code(0);
    let out = run.wait();
    out.assert_code(0);
    assert_resumed(&world, &out);
}

#[test]
fn t1_a_wait_can_be_stopped_and_resumed_in_its_session() {
    let world = world(None);
    ready_for_impl(&world, "login");
    world.play(limited_impl(HOUR_S));
    let run = world.start(&["run", "login", "--json"]);
    until_waiting(&world, "login");
    world.kumite(&["stop", "login"]).assert_code(0);
    run.wait().assert_code(3);
    assert_eq!(world.status("login")["reason"], "stopped_by_user");
    let out = world.kumite(&["resume", "login", "--json"]);
    out.assert_code(0);
    assert_resumed(&world, &out);
}

#[test]
fn t1_ctrl_c_ends_a_wait_at_once() {
    let world = world(None);
    ready_for_impl(&world, "login");
    world.play(limited_impl(HOUR_S));
    let run = world.start(&["run", "login", "--json"]);
    until_waiting(&world, "login");
    run.signal("INT");
    run.wait().assert_code(130);
    assert_eq!(world.status("login")["reason"], "interrupted");
}

#[test]
fn t1_a_reset_in_the_past_or_in_ten_years_is_clamped() {
    for (resets_in_s, from_s, to_s) in [
        (-100_000, 30, 120),
        (10 * 365 * 86_400, 8 * 86_400 - 120, 8 * 86_400 + 120),
    ] {
        let world = world(None);
        ready_for_impl(&world, "login");
        world.play(json!({"steps": {"impl": {"result": "limit", "resets_in_s": resets_in_s}}}));
        world.kumite(&["run", "login", "--no-wait"]).assert_code(75);
        let until = world.status("login")["until"].as_str().unwrap().to_owned();
        let until: jiff::Timestamp = until.parse().unwrap();
        let left = until.as_second() - jiff::Timestamp::now().as_second();
        assert!((from_s..=to_s).contains(&left), "{resets_in_s}: {left}");
    }
}

#[test]
fn t1_a_busy_service_is_asked_again_later_without_a_retry() {
    let world = world(None);
    ready_for_impl(&world, "login");
    world.play(json!({"steps": {"impl": [
        {"tick": 1, "result": "overload"},
        {"tick": 0, "result": "overload"},
        {"tick": "all"},
    ]}}));
    let run = world.start(&["run", "login", "--json"]);
    until_waiting(&world, "login");
    move_clock(&world, 90);
    until("the second try", || impl_launches(&world).len() == 2);
    until_waiting(&world, "login");
    // Twice as long as the first time, so this is not enough yet.
    move_clock(&world, 100);
    assert_eq!(world.status("login")["state"], "waiting");
    move_clock(&world, 90 + 200);
    let out = run.wait();
    out.assert_code(0);
    assert_eq!(out.notices("impl_retry"), Vec::<Value>::new());
    assert_eq!(impl_launches(&world).len(), 3);
}

#[test]
fn t6_a_session_that_is_gone_is_replaced_by_a_new_one() {
    let world = world(None);
    ready_for_impl(&world, "login");
    world.play(json!({"steps": {"impl": [
        {"tick": 1, "result": "limit", "resets_in_s": HOUR_S},
        {"write": "nothing", "result": "session_gone"},
        {"tick": "all"},
    ]}}));
    let run = world.start(&["run", "login", "--json"]);
    until_waiting(&world, "login");
    move_clock(&world, 2 * HOUR_S);
    let out = run.wait();
    out.assert_code(0);
    let launches = impl_launches(&world);
    assert_eq!(launches.len(), 3);
    assert_eq!(launches[1]["resumed"], launches[0]["session"]);
    assert!(launches[2]["resumed"].is_null());
    assert_eq!(out.notices("impl_retry"), Vec::<Value>::new());
}

#[test]
fn t1_a_clock_that_ran_ahead_and_is_corrected_does_not_make_hours_of_seconds() {
    for result in ["overload", "limit"] {
        let world = world(None);
        ready_for_impl(&world, "login");
        world.settings("[limit]\nmin_wait = \"1s\"\njitter = \"0s\"");
        let first = json!({"tick": 1, "result": result});
        world.play(json!({"steps": {"impl": [first, {"tick": "all"}]}}));
        move_clock(&world, 5 * HOUR_S);
        let running = world.start(&["run", "login", "--json"]);
        until_waiting(&world, "login");
        move_clock(&world, 0);
        running.wait().assert_ended(0, "done", "all_phases_done");
    }
}
