//! A person judges the documents: auto_approve = false, approve, reject.

use serde_json::json;

use crate::watch::held;
use crate::world::World;

fn by_hand() -> World {
    let world = World::new();
    world.settings("[run]\nauto_approve = false");
    world.spec("login");
    world
}

#[test]
fn every_document_waits_for_its_approval() {
    let world = by_hand();
    for (count, document) in ["requirements", "design", "tasks"].into_iter().enumerate() {
        let out = world.kumite(&["run", "login", "--json"]);
        out.assert_code(3);
        let end = out.json().pop().unwrap();
        assert_eq!(
            (&end["state"], &end["reason"]),
            (&json!("waiting"), &json!("approval_needed"))
        );
        assert!(end["message"].as_str().unwrap().contains(document), "{end}");
        let status = world.status("login");
        assert_eq!(
            (&status["state"], &status["phase"]),
            (&json!("waiting"), &json!(document))
        );
        assert_eq!(world.steps("login").len(), count + 1);
        assert_eq!(
            world.spec_json("login")["approvals"][document]["approved"],
            false
        );
        world.kumite(&["approve", "login"]).assert_code(0);
        assert_eq!(
            world.spec_json("login")["approvals"][document]["approved"],
            true
        );
        assert_eq!(
            world.steps("login").len(),
            count + 1,
            "approve alone starts nothing"
        );
    }
    world.kumite(&["run", "login"]).assert_code(0);
    assert_eq!(world.steps("login").len(), 7);
}

#[test]
fn asking_again_without_an_approval_waits_again() {
    let world = by_hand();
    world.kumite(&["run", "login"]).assert_code(3);
    world.kumite(&["run", "login"]).assert_code(3);
    world.kumite(&["resume", "login"]).assert_code(3);
    assert_eq!(world.steps("login"), ["requirements 1"]);
}

#[test]
fn an_approval_in_spec_json_by_another_program_counts() {
    let world = by_hand();
    world.kumite(&["run", "login"]).assert_code(3);
    world.patch(
        "login",
        json!({"approvals": {"requirements": {"approved": true}}}),
    );
    world.kumite(&["run", "login"]).assert_code(3);
    assert_eq!(world.steps("login"), ["requirements 1", "design 1"]);
}

#[test]
fn an_approval_from_a_second_terminal_lets_the_run_go_on() {
    let world = by_hand();
    world.spec("other");
    world.play(json!({"steps": {"other/requirements": held()}}));
    let running = world.start(&["run", "login", "other", "--json"]);
    world.wait_for_step("other", "requirements 1");
    for (document, next) in [
        ("requirements", "design 1"),
        ("design", "tasks 1"),
        ("tasks", "review 1"),
    ] {
        world.wait_for_state("login", "waiting");
        world.kumite(&["approve", "login", document]).assert_code(0);
        world.wait_for_step("login", next);
    }
    world.wait_for_state("login", "done");
    world.go();
    // The other spec still waits for its person.
    let out = running.wait();
    out.assert_code(3);
    assert_eq!(world.stands("other"), "waiting approval_needed");
    let ends = out.notices("run_ended");
    let last = ends.iter().rfind(|it| it["spec"] == "login").unwrap();
    assert_eq!(last["state"], "done");
}

#[test]
fn a_rejected_document_is_written_anew_by_an_agent_that_is_told_why() {
    let world = by_hand();
    world.kumite(&["run", "login"]).assert_code(3);
    assert!(!world.prompt(0).contains("OAuth"));
    world
        .kumite(&["reject", "login", "-m", "use OAuth, not passwords"])
        .assert_code(0);
    let approval = &world.spec_json("login")["approvals"]["requirements"];
    assert_eq!(
        (&approval["generated"], &approval["approved"]),
        (&json!(false), &json!(false))
    );
    world.kumite(&["run", "login"]).assert_code(3);
    assert_eq!(world.steps("login"), ["requirements 1", "requirements 1"]);
    assert!(
        world.prompt(1).contains("use OAuth, not passwords"),
        "{}",
        world.prompt(1)
    );
    // The remark was only for this document.
    world.kumite(&["approve", "login"]).assert_code(0);
    world.kumite(&["run", "login"]).assert_code(3);
    assert_eq!(world.steps("login").last().unwrap(), "design 1");
    assert!(!world.prompt(2).contains("OAuth"));
}

#[test]
fn a_rejection_from_a_second_terminal_starts_the_agent_again() {
    let world = by_hand();
    world.spec("other");
    world.play(json!({"steps": {"other/requirements": held()}}));
    let running = world.start(&["run", "login", "other"]);
    world.wait_for_step("other", "requirements 1");
    world.wait_for_state("login", "waiting");
    let agent = |world: &World| {
        world
            .launches()
            .iter()
            .filter(|it| it["spec"] == "login")
            .count()
    };
    assert_eq!(agent(&world), 1);
    world
        .kumite(&["reject", "login", "requirements", "--message", "too short"])
        .assert_code(0);
    crate::world::until("the document to be written anew", || agent(&world) == 2);
    world.wait_for_state("login", "waiting");
    let told = world
        .launches()
        .into_iter()
        .rfind(|it| it["spec"] == "login")
        .unwrap();
    assert!(told["prompt"].to_string().contains("too short"), "{told}");
    // Every user can see the arguments of a process (M5).
    assert!(!told["argv"].to_string().contains("too short"), "{told}");
    world.go();
    running.wait().assert_code(3);
}

#[test]
fn a_rejected_document_that_the_agent_does_not_write_is_no_evidence() {
    let world = by_hand();
    world.kumite(&["run", "login"]).assert_code(3);
    world.kumite(&["reject", "login"]).assert_code(0);
    world.play(json!({"steps": {"requirements": {"write": "nothing"}}}));
    world.kumite(&["run", "login"]).assert_code(3);
    assert_eq!(world.stands("login"), "paused no_evidence");
}

#[test]
fn what_cannot_be_approved_or_rejected_is_refused() {
    let world = by_hand();
    for args in [
        &["approve", "login"][..],
        &["reject", "login"],
        &["approve", "login", "design"],
        &["reject", "login", "tasks"],
    ] {
        let out = world.kumite(args);
        out.assert_code(5);
        assert!(!out.stderr.is_empty(), "{args:?}");
    }
    world.kumite(&["approve", "login", "novel"]).assert_code(2);
    assert_eq!(world.status("login")["state"], "idle");
}

#[test]
fn a_document_of_a_running_spec_is_not_rejected() {
    let world = World::new();
    world.spec("login");
    world.play(json!({"steps": {"design": held()}}));
    let running = world.start(&["run", "login"]);
    world.wait_for_step("login", "design 1");
    world
        .kumite(&["reject", "login", "requirements"])
        .assert_code(5);
    world.go();
    running.wait().assert_code(0);
}
