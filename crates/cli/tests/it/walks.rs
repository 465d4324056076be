//! Where a run begins and where it ends: permissions, approvals, documents (scenarios 1 to 8).

use serde_json::json;

use crate::world::{World, permissions};

const ALL_STEPS: [&str; 7] = [
    "requirements 1",
    "design 1",
    "tasks 1",
    "review 1",
    "reply 1",
    "impl 1",
    "inspect 1",
];

fn permitted(phases: &str) -> World {
    let world = World::new();
    world.spec_with(
        "login",
        json!({"autoExecution": {"permissions": permissions(phases)}}),
    );
    world
}

/// A run that ends because the next phase is not permitted, after these steps.
#[track_caller]
fn ends_before(phases: &str, steps: &[&str], next: &str) {
    let world = permitted(phases);
    let out = world.kumite(&["run", "login", "--json"]);
    out.assert_code(0);
    assert_eq!(world.steps("login"), steps);
    let end = out.json().pop().unwrap();
    assert_eq!(end["type"], "run_ended");
    assert_eq!(end["state"], "done");
    assert_eq!(end["reason"], "not_permitted");
    assert!(end["message"].as_str().unwrap().contains(next), "{end}");
    assert_eq!(world.status("login")["phase"], next);
    world.assert_nothing_left();
}

#[test]
fn s01_all_phases_permitted_run_in_order_and_leave_their_marks() {
    let world = World::new();
    world.spec("login");
    let out = world.kumite(&["run", "login", "--json"]);
    out.assert_code(0);
    assert_eq!(world.steps("login"), ALL_STEPS);
    let phases: Vec<_> = out.notices("phase_ended");
    let phases: Vec<_> = phases.iter().map(|it| it["phase"].clone()).collect();
    assert_eq!(
        phases,
        [
            "requirements",
            "design",
            "tasks",
            "document-review",
            "impl",
            "inspection"
        ]
    );
    let spec = world.spec_json("login");
    for document in ["requirements", "design", "tasks"] {
        let approval = &spec["approvals"][document];
        assert_eq!(approval["generated"], true, "{document}");
        assert_eq!(approval["approved"], true, "{document}");
    }
    assert_eq!(spec["documentReview"]["status"], "approved");
    assert_eq!(spec["phase"], "inspection-complete");
    let types: Vec<_> = world.events("login");
    let types: Vec<_> = types
        .iter()
        .map(|it| it["type"].as_str().unwrap())
        .collect();
    assert_eq!(types.first(), Some(&"auto-execution:start"));
    assert_eq!(types.last(), Some(&"auto-execution:complete"));
    world.assert_nothing_left();
}

#[test]
fn s01_a_finished_spec_is_not_run_again() {
    let world = World::new();
    world.spec("login");
    world.kumite(&["run", "login"]).assert_code(0);
    world.kumite(&["run", "login"]).assert_code(0);
    assert_eq!(world.steps("login"), ALL_STEPS);
}

#[test]
fn s02_only_requirements_permitted_ends_after_them() {
    ends_before("requirements", &ALL_STEPS[..1], "design");
}

#[test]
fn s03_requirements_and_design_permitted_end_before_tasks() {
    ends_before("requirements design", &ALL_STEPS[..2], "tasks");
}

#[test]
fn s04_a_gap_in_the_permissions_is_never_skipped() {
    ends_before("requirements impl", &ALL_STEPS[..1], "design");
}

#[test]
fn s05_nothing_permitted_ends_at_once_and_says_why() {
    ends_before("", &[], "requirements");
}

#[test]
fn s06_a_run_after_requirements_begins_with_design() {
    let world = World::new();
    world.spec_with(
        "login",
        json!({"phase": "requirements-generated",
               "approvals": {"requirements": {"generated": true, "approved": true}}}),
    );
    world.write(
        ".kiro/specs/login/requirements.md",
        "# Requirements\n\nBy a person.\n",
    );
    world.kumite(&["run", "login"]).assert_code(0);
    assert_eq!(world.steps("login"), ALL_STEPS[1..]);
    let kept = world.read(".kiro/specs/login/requirements.md");
    assert_eq!(kept, "# Requirements\n\nBy a person.\n");
}

#[test]
fn s07_a_run_after_design_begins_with_tasks() {
    let world = World::new();
    let yes = json!({"generated": true, "approved": true});
    world.spec_with(
        "login",
        json!({"phase": "design-generated", "approvals": {"requirements": yes, "design": yes}}),
    );
    world.write(".kiro/specs/login/requirements.md", "# Requirements\n");
    world.write(".kiro/specs/login/design.md", "# Design\n");
    world.kumite(&["run", "login"]).assert_code(0);
    assert_eq!(world.steps("login"), ALL_STEPS[2..]);
}

fn generated_but_unapproved() -> World {
    let world = World::new();
    world.spec_with(
        "login",
        json!({"phase": "requirements-generated",
               "approvals": {"requirements": {"generated": true, "approved": false}}}),
    );
    world.write(".kiro/specs/login/requirements.md", "# Requirements\n");
    world
}

#[test]
fn s08_a_generated_document_is_approved_by_itself_and_the_run_goes_on() {
    let world = generated_but_unapproved();
    let out = world.kumite(&["run", "login", "--json"]);
    out.assert_code(0);
    assert_eq!(world.steps("login"), ALL_STEPS[1..]);
    let first = &out.notices("document_approved")[0];
    assert_eq!(first["document"], "requirements");
    assert_eq!(first["by"], "auto");
    let approval = &world.spec_json("login")["approvals"]["requirements"];
    assert_eq!(approval["approved"], true);
}

#[test]
fn s08_without_auto_approval_a_generated_document_waits_for_a_person() {
    let world = generated_but_unapproved();
    world.settings("[run]\nauto_approve = false");
    let out = world.kumite(&["run", "login", "--json"]);
    out.assert_code(3);
    assert!(world.launches().is_empty());
    let end = out.json().pop().unwrap();
    assert_eq!(end["state"], "waiting");
    assert_eq!(end["reason"], "approval_needed");
    let approval = &world.spec_json("login")["approvals"]["requirements"];
    assert_eq!(approval["approved"], false);
}
