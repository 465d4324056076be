//! The rounds of a document review on the page (A7).

use serde_json::{Value, json};

use crate::scene::Scene;
use crate::world::World;

fn details(rounds: &[(u32, &str, u32, u32)]) -> Value {
    let each = rounds.iter().map(|(round, status, fix, discuss)| {
        json!({"roundNumber": round, "status": status, "fixStatus": "pending",
            "fixRequiredCount": fix, "needsDiscussionCount": discuss})
    });
    json!({"documentReview": {"status": "pending", "roundDetails": each.collect::<Vec<_>>()}})
}

/// The cells of a round, as a person reads them.
fn cells(page: &kumite_browser::Page, round: u32) -> Vec<String> {
    let js = format!(
        "[...document.querySelectorAll('#round-{round} > td')].map(it => it.innerText.trim())"
    );
    let cells = page.eval(&js).unwrap();
    serde_json::from_value(cells).unwrap()
}

#[test]
#[ignore = "needs Chromium: cargo xtask test"]
fn a7_1_the_present_round_of_a_review_is_shown_while_it_runs() {
    let world = World::new();
    world.spec_with_documents("login");
    world.play(json!({"steps": {
        "review/3": {"wait_for": "go-3"},
        "reply/1": {"fix": 3}, "reply/2": {"fix": 1}, "reply/3": {"fix": 1},
        "review/4": {"wait_for": "go-4"},
    }}));
    let scene = Scene::of(world);
    let page = scene.enter_at("/specs/login");
    assert!(!page.exists("#rounds tbody tr"));
    page.click("#actions button[data-post$='/run']");
    page.until_text("#facts", "3 of 7");
    page.until("document.querySelectorAll('#rounds tbody tr').length === 3");
    assert_eq!(scene.world.status("login")["round"], 3);
    // The same on the page of all specs.
    let other = page.another();
    scene.go(&other, "/");
    other.until_text("#spec-login", "round 3/7");
    scene.world.write("go-3", "");
    page.until_text("#facts", "4 of 7");
    other.until_text("#spec-login", "round 4/7");
    page.until("document.querySelectorAll('#rounds tbody tr').length === 4");
    scene.assert_calm(&page);
    scene.assert_calm(&other);
}

#[test]
#[ignore = "needs Chromium: cargo xtask test"]
fn a7_2_round_details_of_spec_json_are_read_and_shown_with_their_counts() {
    let world = World::new();
    world.spec_with_documents("login");
    world.patch(
        "login",
        details(&[
            (1, "reply_complete", 5, 0),
            (2, "reply_complete", 2, 4),
            (3, "review_complete", 0, 0),
        ]),
    );
    let scene = Scene::of(world);
    let page = scene.enter_at("/specs/login");
    let shown: Vec<String> = (1..=2)
        .map(|round| cells(&page, round)[..4].join(" "))
        .collect();
    assert_eq!(shown, ["1 replied 5 0", "2 replied 2 4"]);
    assert_eq!(cells(&page, 3)[..2].join(" "), "3 reviewed");
    assert_eq!(page.count("#rounds tbody tr"), 3);
    scene.assert_calm(&page);
}

#[test]
#[ignore = "needs Chromium: cargo xtask test"]
fn a7_3_a_round_that_another_program_writes_into_spec_json_is_shown_without_a_word_from_it() {
    let world = World::new();
    world.spec_with_documents("login");
    world.patch("login", details(&[(1, "reply_complete", 5, 0)]));
    let scene = Scene::of(world);
    let page = scene.enter_at("/specs/login");
    assert_eq!(page.count("#rounds tbody tr"), 1);
    let news = scene.news().len();
    scene.world.patch(
        "login",
        details(&[(1, "reply_complete", 5, 0), (2, "reply_complete", 1, 2)]),
    );
    // A person comes back to the window.
    page.eval("window.dispatchEvent(new Event('focus'))")
        .unwrap();
    page.until("document.querySelectorAll('#rounds tbody tr').length === 2");
    assert_eq!(cells(&page, 2)[..4].join(" "), "2 replied 1 2");
    assert_eq!(scene.news().len(), news, "nobody told anything");
    scene.assert_calm(&page);
}
