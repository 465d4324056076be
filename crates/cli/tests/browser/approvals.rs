//! A person judges documents: each is beside the form, and a remark reaches the next agent.

use kumite_browser::Page;
use serde_json::json;

use crate::scene::Scene;
use crate::world::{World, until};

fn waiting() -> (Scene, Page) {
    let world = World::new();
    world.settings("[run]\nauto_approve = false");
    world.spec("login");
    let scene = Scene::of(world);
    let page = scene.enter_at("/specs/login");
    page.click("#actions button[data-post$='/run']");
    page.until_text("#needs", "requirements.md waits for your approval");
    (scene, page)
}

#[test]
#[ignore = "needs Chromium: cargo xtask test"]
fn every_document_is_approved_beside_its_text_and_the_run_goes_on_to_its_end() {
    let (scene, page) = waiting();
    for (document, words) in [
        ("requirements", "As a user, I want login"),
        ("design", "One module answers"),
        ("tasks", "Build part 1"),
    ] {
        page.until_text("#needs", &format!("{document}.md waits for your approval"));
        page.until_text("#judging #document", words);
        // Beside, not below: both begin at the same height.
        let beside = "(() => { const [a, b] = ['document', 'approval'].map(id => document.getElementById(id).getBoundingClientRect());
            return a.right <= b.left && Math.abs(a.top - b.top) < 40; })()";
        assert_eq!(page.eval(beside).unwrap(), true, "{document}");
        assert_eq!(page.text("#head .badge"), "waiting");
        assert_eq!(scene.world.stands("login"), "waiting approval_needed");
        page.click_text("#approve button", &format!("Approve {document}.md"));
        assert!(!page.exists("dialog[open]"));
        page.until_text(&format!("#phase-{document}"), "approved");
        page.until_text(&format!("#phase-{document}.is-done"), "approved");
        let approved = &scene.world.spec_json("login")["approvals"][document]["approved"];
        assert_eq!(approved, &json!(true));
    }
    page.until_text("#head .badge", "done");
    assert_eq!(scene.world.stands("login"), "done all_phases_done");
    scene.assert_calm(&page);
}

#[test]
#[ignore = "needs Chromium: cargo xtask test"]
fn a_remark_is_kept_while_it_is_written_and_reaches_the_next_agent() {
    let (scene, page) = waiting();
    assert!(!scene.world.prompt(0).contains("OAuth"));
    page.click("#remark");
    page.type_text("Use OAuth,");
    // News comes while a person writes: text, focus and caret stay.
    scene.world.spec("other");
    scene.world.kumite(&["new", "third"]).assert_code(0);
    page.eval("window.dispatchEvent(new Event('focus'))")
        .unwrap();
    scene
        .world
        .patch("login", json!({"updated_at": "2026-02-02T00:00:00Z"}));
    page.eval("import(document.querySelector('link[href$=\"/page.js\"]').href).then(it => it.refreshNow())").unwrap();
    page.type_text(" not passwords.");
    page.press("Control+Enter");
    until("the document to be written anew", || {
        scene.world.steps("login").len() == 2
    });
    assert!(!page.exists("dialog[open]"));
    let prompt = scene.world.prompt(1);
    assert!(prompt.contains("Use OAuth, not passwords."), "{prompt}");
    page.until_text("#needs", "requirements.md waits for your approval");
    page.until("document.querySelector('#remark').value === ''");
    assert_eq!(
        scene.world.steps("login"),
        ["requirements 1", "requirements 1"]
    );
    scene.assert_calm(&page);
}

#[test]
#[ignore = "needs Chromium: cargo xtask test"]
fn a_document_is_approved_from_the_page_now_and_from_its_own_page() {
    let (scene, page) = waiting();
    scene.go(&page, "/");
    page.until_text("#needs #spec-login", "waiting");
    assert_eq!(page.eval("document.title").unwrap(), "(1) Now · kumite");
    page.click_text("#needs #spec-login button", "Approve");
    scene.world.wait_for_step("login", "design 1");
    page.until_text("#needs #spec-login", "design");
    page.click_text("#needs #spec-login a", "Read and decide");
    page.until_text("#needs", "design.md waits");
    page.click("#phase-design a");
    page.until("location.pathname.endsWith('/documents/design.md')");
    page.click_text("#approve button", "Approve design.md");
    scene.world.wait_for_step("login", "tasks 1");
    // There is nothing left to judge on this page.
    page.until("!document.querySelector('#approval')");
    scene.assert_calm(&page);
}

#[test]
#[ignore = "needs Chromium: cargo xtask test"]
fn on_a_phone_a_document_is_read_and_judged_with_a_finger() {
    let (scene, page) = waiting();
    page.size(390, 844, true);
    scene.go(&page, "/");
    page.click_text("#needs #spec-login a", "Read and decide");
    page.until_text("#document", "As a user, I want login");
    // One below the other, and both as wide as the screen.
    let below = "(() => { const [a, b] = ['document', 'approval'].map(id => document.getElementById(id).getBoundingClientRect());
        return a.bottom <= b.top && a.right <= 390 && b.right <= 390; })()";
    assert_eq!(page.eval(below).unwrap(), true);
    page.click("#remark");
    page.type_text("Shorter, please.");
    page.click_text("#reject button", "Reject requirements.md");
    until("the document to be written anew", || {
        scene.world.steps("login").len() == 2
    });
    assert!(
        scene.world.prompt(1).contains("Shorter, please."),
        "{}",
        scene.world.prompt(1)
    );
    page.until_text("#needs", "requirements.md waits for your approval");
    page.click_text("#approve button", "Approve requirements.md");
    page.until_text("#needs", "design.md waits for your approval");
    scene.assert_calm(&page);
}
