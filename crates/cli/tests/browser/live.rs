//! A run is watched from its start to its end, without a reload.

use serde_json::json;

use crate::scene::Scene;
use crate::watch::held;
use crate::world::{World, is_alive};

/// Every agent that the person wants to watch waits for its own file.
fn slow_walk() -> World {
    let world = World::new();
    world.play(json!({"steps": {
        "requirements": {"wait_for": "go-requirements"},
        "reply/1": {"fix": 2},
        "review/2": {"wait_for": "go-review"},
        "impl": [{"tick": 1, "wait_for": "go-impl"}, {"wait_for": "go-retry"}],
        "inspect": {"wait_for": "go-inspect"},
    }}));
    world
}

#[test]
#[ignore = "needs Chromium: cargo xtask test"]
fn a_run_is_watched_live_from_the_login_link_to_its_end() {
    let scene = Scene::of(slow_walk());
    let go = |name: &str| scene.world.write(name, "");
    let page = scene.enter();
    assert_eq!(page.text("h1"), "Now");
    page.eval("window.since = 'the login'").unwrap();

    page.click_text("button", "New spec");
    page.click("#new-spec input[name=name]");
    page.type_text("login");
    page.click("#new-spec textarea");
    page.type_text("People log in with a password.");
    page.click_text("#new-spec button", "Create");
    page.until("location.pathname === '/specs/login'");
    page.until_text("h1", "login");
    page.until_text("#head .badge", "idle");

    page.click("#actions button[data-post$='/run']");
    page.until_text("#head .badge", "working");
    page.until("document.querySelector('#phase-requirements.is-current[aria-current=step]')");
    go("go-requirements");

    page.until("document.querySelector('#phase-document-review.is-current')");
    page.until_text("#round-1", "replied");
    page.until_text("#round-2", "incomplete");
    page.until_text("#facts", "2 of 7");
    page.until("document.querySelector('#phase-tasks.is-done')");
    go("go-review");

    page.until("document.querySelector('#phase-impl.is-current')");
    page.until_text("#phase-impl", "0 of 3 tasks");
    go("go-impl");
    page.until_text("#phase-impl", "1 of 3 tasks");
    page.until("document.querySelectorAll('#tasks li.done').length === 1");
    page.until_text("#facts", "1 of 7");
    go("go-retry");

    page.until("document.querySelector('#phase-inspection.is-current')");
    page.until("document.querySelectorAll('#tasks li.done').length === 3");
    go("go-inspect");
    page.until_text("#head .badge", "done");
    page.until_text("#inspection-1", "GO");
    assert_eq!(scene.world.status("login")["state"], "done");

    page.click("a.brand");
    page.until_text("#spec-login .badge", "done");
    assert_eq!(page.eval("window.since").unwrap(), "the login");
    scene.assert_calm(&page);
}

#[test]
#[ignore = "needs Chromium: cargo xtask test"]
fn a_run_that_was_started_in_a_terminal_is_seen_and_stopped_on_the_page() {
    let world = World::new();
    world.spec("login");
    world.play(json!({"steps": {"design": held()}}));
    let scene = Scene::of(world);
    let page = scene.enter_at("/specs/login");
    let run = scene.world.start(&["run", "login", "--json"]);
    page.until("document.querySelector('#phase-design.is-current')");
    scene.world.wait_for_step("login", "design 1");
    let agent = scene.agent_pid("login");
    page.click("#actions button[data-post$='/stop']");
    page.until_text("#head .badge", "stopped");
    assert!(!is_alive(agent));
    let out = run.wait();
    assert_eq!(
        out.json().pop().unwrap()["reason"],
        "stopped_by_user",
        "{out:?}"
    );
    scene.assert_calm(&page);
}
