//! What people see of many specs at the same time. The page uses the same status and the same news.

use serde_json::{Value, json};

use crate::world::World;

/// Three review rounds in which the reply's table and roundDetails agree.
fn reviewed() -> World {
    let world = World::new();
    world.spec_with_documents("login");
    world.play(json!({"steps": {"reply": [{"fix": 3, "discuss": 1}, {"fix": 1}, {}]}}));
    world.kumite(&["run", "login"]).assert_code(0);
    world
}

#[test]
fn a7_1_a7_2_the_rounds_of_a_review_are_shown_with_their_counts() {
    let world = reviewed();
    let round = |round, fix, discuss| {
        json!({"round": round, "status": "reply_complete",
               "fix_required": fix, "needs_discussion": discuss})
    };
    assert_eq!(
        world.status("login")["reviews"],
        json!([round(1, 3, 1), round(2, 1, 0), round(3, 0, 0)])
    );
    let shown = world.kumite(&["status", "login"]).stdout;
    assert!(shown.contains("1: 3 to fix, 1 to discuss"), "{shown}");
}

#[test]
fn a7_3_the_rounds_are_read_from_round_details() {
    let world = World::new();
    world.spec_with_documents("login");
    let details = json!([
        {"roundNumber": 1, "status": "reply_complete", "fixRequired": 2, "needsDiscussion": 0},
        {"roundNumber": 2, "status": "review_complete"}
    ]);
    world.patch(
        "login",
        json!({"documentReview": {"status": "in_progress", "roundDetails": details}}),
    );
    let reviews = &world.status("login")["reviews"];
    assert_eq!(reviews[0]["fix_required"], 2);
    assert_eq!(reviews[1]["status"], "review_complete");
    assert_eq!(reviews[1]["fix_required"], Value::Null);
}

/// Two specs: `slow` works until it is let go, `quick` fails in its design.
fn one_works_one_fails() -> (World, crate::world::Running) {
    let world = World::new();
    world.spec("slow");
    world.spec("quick");
    world.play(json!({"steps": {
        "slow/requirements": {"touch": ["slow-works"], "wait_for": "go"},
        "quick/design": {"result": "error"}
    }}));
    let running = world.start(&["run", "slow", "quick", "--json"]);
    world.wait_for("slow-works");
    crate::world::until("quick to fail", || {
        world.status("quick")["state"] == "failed"
    });
    (world, running)
}

#[test]
fn c1_3_c2_3_c3_2_c3_3_an_agents_end_reaches_its_own_spec_and_leaves_the_other_at_work() {
    let (world, running) = one_works_one_fails();
    // `quick` had two agents and failed; `slow` has not moved.
    assert_eq!(world.steps("quick"), ["requirements 1", "design 1"]);
    assert_eq!(world.status("slow")["state"], "working");
    assert_eq!(world.steps("slow"), ["requirements 1"]);
    world.write("go", "");
    let out = running.wait();
    out.assert_code(1);
    let ends = out.notices("run_ended");
    let end = |spec: &str| ends.iter().find(|end| end["spec"] == spec).unwrap().clone();
    assert_eq!(end("slow")["state"], "done");
    assert_eq!(end("quick")["reason"], "agent_failed");
}

#[test]
fn c5_1_c5_2_c5_3_c5_4_each_spec_shows_its_own_state_whenever_it_is_looked_at() {
    let (world, running) = one_works_one_fails();
    for _ in 0..3 {
        let slow = world.status("slow");
        assert_eq!(
            (&slow["state"], &slow["phase"]),
            (&json!("working"), &json!("requirements"))
        );
        assert_eq!(slow["agents"].as_array().unwrap().len(), 1);
        let quick = world.status("quick");
        assert_eq!(
            (&quick["state"], &quick["phase"]),
            (&json!("failed"), &json!("design"))
        );
        assert_eq!(quick["agents"], json!([]));
    }
    world.write("go", "");
    running.wait().assert_code(1);
    assert_eq!(world.status("slow")["state"], "done");
}

#[test]
fn c5_5_a_follower_gets_the_news_of_its_own_specs_only() {
    let (world, first) = one_works_one_fails();
    world.spec("third");
    let second = world.kumite(&["run", "third", "--json"]);
    second.assert_code(0);
    assert!(
        second.json().iter().all(|line| line["spec"] == "third"),
        "{second:?}"
    );
    world.write("go", "");
    let first = first.wait();
    assert!(
        first.json().iter().all(|line| line["spec"] != "third"),
        "{first:?}"
    );
}
