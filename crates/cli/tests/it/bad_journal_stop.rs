//! An unreadable journal does not prevent a stop (S2), and one spec does not block the others (M3).

use serde_json::json;

use crate::watch::held;
use crate::world::{World, is_alive, lines, text, until};

const JOURNAL: &str = ".kiro/runtime/kumite/runs/login/journal.jsonl";

/// A running agent, no engine, and a journal with an invalid line.
fn broken() -> (World, u32) {
    let world = World::new();
    world.spec("login");
    world.play(json!({"steps": {"requirements": held()}}));
    let running = world.start(&["run", "login"]);
    world.wait_for_step("login", "requirements 1");
    until("the agent to be known", || {
        world.status("login")["agents"][0]["pid"].is_u64()
    });
    let agent = world.status("login")["agents"][0]["pid"].as_u64().unwrap();
    running.signal("KILL");
    running.wait();
    world.write(JOURNAL, &(world.read(JOURNAL) + "this is no entry\n"));
    (world, u32::try_from(agent).unwrap())
}

#[test]
fn s2_stop_ends_an_agent_whose_journal_cannot_be_read() {
    let (world, agent) = broken();
    assert_eq!(world.stands("login"), "failed journal_unreadable");
    assert_eq!(world.status("login")["agents"][0]["pid"], agent);
    let out = world.kumite(&["stop", "login"]);
    out.assert_code(0);
    assert!(
        out.stdout.contains("the agent of login has ended"),
        "{out:?}"
    );
    assert!(out.stdout.contains("journal.jsonl"), "{out:?}");
    assert!(!is_alive(agent));
    world.assert_nothing_left();
    // Nothing was lost: without that line the run goes on where it was.
    let journal = world.read(JOURNAL).replace("this is no entry\n", "");
    world.write(JOURNAL, &journal);
    world.go();
    world.kumite(&["run", "login"]).assert_code(0);
    assert_eq!(world.stands("login"), "done all_phases_done");
}

#[test]
fn s2_doctor_ends_an_agent_whose_journal_cannot_be_read_and_goes_on() {
    let (world, agent) = broken();
    let out = world.kumite(&["doctor", "--json"]);
    out.assert_code(3);
    assert!(!is_alive(agent));
    let findings = lines(&out.stdout).remove(0)["findings"].clone();
    let findings = findings.as_array().unwrap().clone();
    let has = |what: &str| findings.iter().any(|it| text(&it["what"]).contains(what));
    assert!(has("works, and no kumite knows it"), "{findings:?}");
    assert!(has("journal.jsonl"), "{findings:?}");
    assert!(
        !has("`kumite doctor`"),
        "it sends nobody to itself: {findings:?}"
    );
    world.assert_nothing_left();
}

#[test]
fn m3_run_all_runs_the_others_and_names_the_one_that_it_cannot_read() {
    let world = World::new();
    for spec in ["alpha", "beta", "login"] {
        world.spec_ready_for_impl(spec);
    }
    world.write(JOURNAL, "this is no entry\n");
    let out = world.kumite(&["run", "--all", "--json"]);
    out.assert_code(1);
    for spec in ["alpha", "beta"] {
        assert_eq!(world.stands(spec), "done all_phases_done");
    }
    let ends = out.notices("run_ended");
    let bad = ends.iter().find(|end| end["spec"] == "login").unwrap();
    assert_eq!(bad["state"], "failed");
    assert_eq!(bad["reason"], "journal_unreadable");
    assert!(text(&bad["message"]).contains("journal.jsonl:1"), "{bad}");
    assert!(world.steps("login").is_empty());
    // Given by its name it is refused, and nothing changes.
    world.kumite(&["run", "login", "alpha"]).assert_code(5);
    assert_eq!(world.read(JOURNAL), "this is no entry\n");
}

#[test]
fn a_journal_that_cannot_be_read_is_named_once() {
    let world = World::new();
    for spec in ["alpha", "login"] {
        world.spec_ready_for_impl(spec);
    }
    world.write(JOURNAL, "this is no entry\n");
    for args in [
        &["run", "--all"][..],
        &["run", "alpha"],
        &["run", "login", "alpha"],
    ] {
        let out = world.kumite(args);
        let said = format!("{}{}", out.stdout, out.stderr);
        let times = said.matches("login/journal.jsonl:1").count();
        assert_eq!(times, 1, "{args:?}: {out:#?}");
    }
}
