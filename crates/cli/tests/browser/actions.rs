//! What a person does with a run: stop, pause, resume, reset, again, review, run. Each is visible
//! on the page and in `kumite status`, and only destructive actions ask first.

use kumite_browser::Page;
use serde_json::{Value, json};

use crate::scene::{Scene, answer};
use crate::watch::held;
use crate::world::{World, is_alive, until};

fn scene(play: Value) -> Scene {
    let world = World::new();
    world.spec("login");
    world.play(play);
    Scene::of(world)
}

/// Clicks the button of an action, which must not ask anything.
fn act(page: &Page, action: &str) {
    page.click(&format!("#actions button[data-post$='/{action}']"));
    assert!(!page.exists("dialog[open]"), "{action} asked");
}

/// The page and `kumite status` agree.
#[track_caller]
fn stands(scene: &Scene, page: &Page, state: &str, reason: &str) {
    page.until_text("#head .badge", state);
    page.until_text("#head", &reason.replace('_', " "));
    let wanted = format!("{state} {reason}");
    until(&format!("login to be {wanted}"), || {
        scene.world.stands("login") == wanted
    });
}

fn held_at_design() -> (Scene, Page) {
    let scene = scene(json!({"steps": {"design": held()}}));
    let page = scene.enter_at("/specs/login");
    act(&page, "run");
    scene.world.wait_for_step("login", "design 1");
    page.until("document.querySelector('#phase-design.is-current')");
    (scene, page)
}

#[test]
#[ignore = "needs Chromium: cargo xtask test"]
fn stop_ends_the_process_of_the_agent_and_resume_goes_on_where_it_was() {
    let (scene, page) = held_at_design();
    let agent = scene.agent_pid("login");
    assert!(is_alive(agent));
    act(&page, "stop");
    stands(&scene, &page, "stopped", "stopped_by_user");
    assert!(!is_alive(agent));
    scene.world.assert_nothing_left();
    page.until("document.querySelector('#phase-design.is-waiting')");
    page.until_text("#agents", "killed");
    scene.world.go();
    act(&page, "resume");
    stands(&scene, &page, "done", "all_phases_done");
    let steps = scene.world.steps("login");
    assert_eq!(
        steps[..4],
        ["requirements 1", "design 1", "design 1", "tasks 1"]
    );
    scene.assert_calm(&page);
}

#[test]
#[ignore = "needs Chromium: cargo xtask test"]
fn a_pause_lets_the_agent_finish_can_be_taken_back_and_resumed() {
    let (scene, page) = held_at_design();
    let agent = scene.agent_pid("login");
    act(&page, "pause");
    // It can be taken back while the agent works.
    page.click_text("#actions button", "Do not pause");
    page.until_text("#actions button", "Pause");
    page.until("![...document.querySelectorAll('#actions button')].some(it => it.innerText === 'Do not pause')");
    act(&page, "pause");
    page.until_text("#actions button", "Do not pause");
    assert!(is_alive(agent));
    scene.world.go();
    stands(&scene, &page, "paused", "paused_by_user");
    page.until_text("#phase-design", "approved");
    assert_eq!(scene.world.steps("login"), ["requirements 1", "design 1"]);
    act(&page, "resume");
    stands(&scene, &page, "done", "all_phases_done");
    scene.assert_calm(&page);
}

#[test]
#[ignore = "needs Chromium: cargo xtask test"]
fn a_reset_asks_first_and_then_the_run_can_begin_again() {
    let world = World::new();
    world.settings("[impl]\nretries_max = 1");
    world.spec_ready_for_impl("login");
    world.play(json!({"steps": {"impl": {"tick": 0}}}));
    let scene = Scene::of(world);
    let page = scene.enter_at("/specs/login");
    act(&page, "run");
    stands(&scene, &page, "failed", "retries_exhausted");
    page.until_text("#needs", "3 tasks are still open");
    page.click("#actions button[data-post$='/reset']");
    page.until_text("#confirm", "Reset");
    answer(&page, false);
    assert_eq!(scene.world.stands("login"), "failed retries_exhausted");
    page.until_text("#head .badge", "failed");

    // The same on every page that offers it.
    let now = page.another();
    scene.go(&now, "/");
    now.click("#needs #spec-login button[data-post$='/reset']");
    answer(&now, true);
    page.until("!document.querySelector('#needs')");
    until("the reset", || {
        scene.world.status("login")["state"] == "idle"
    });
    page.until_text("#head .badge", "idle");
    scene.world.play(json!({}));
    act(&page, "run");
    stands(&scene, &page, "done", "all_phases_done");
    scene.assert_calm(&page);
}

#[test]
#[ignore = "needs Chromium: cargo xtask test"]
fn a_phase_is_done_again_and_all_after_it_once_the_person_has_agreed() {
    let scene = scene(json!({}));
    let page = scene.enter_at("/specs/login");
    act(&page, "run");
    stands(&scene, &page, "done", "all_phases_done");
    let before = scene.world.steps("login").len();
    page.eval("document.querySelector('#again select').value = 'impl'")
        .unwrap();
    page.click_text("#again button", "Retry");
    answer(&page, false);
    assert_eq!(scene.world.steps("login").len(), before);
    page.eval("document.querySelector('#again select').value = 'impl'")
        .unwrap();
    page.click_text("#again button", "Retry");
    answer(&page, true);
    until("impl and inspection to be done again", || {
        let steps = scene.world.steps("login");
        steps.len() == before + 2 && scene.world.stands("login") == "done all_phases_done"
    });
    assert_eq!(
        scene.world.steps("login")[before..],
        ["impl 1", "inspect 2"]
    );
    page.until_text("#inspection-2", "GO");
    stands(&scene, &page, "done", "all_phases_done");
    scene.assert_calm(&page);
}

#[test]
#[ignore = "needs Chromium: cargo xtask test"]
fn a_run_that_ended_where_it_may_not_go_on_is_run_again_when_it_may() {
    let world = World::new();
    world.spec_with(
        "login",
        json!({"autoExecution": {"permissions": {"design": false}}}),
    );
    let scene = Scene::of(world);
    let page = scene.enter_at("/specs/login");
    act(&page, "run");
    stands(&scene, &page, "done", "not_permitted");
    assert_eq!(scene.world.steps("login"), ["requirements 1"]);
    // The page knows the end from the journal, a moment before spec.json and the event are written.
    until("the end to be written", || {
        let last = scene.world.events("login").pop();
        let kind = last.map(|event| event["type"].to_string());
        kind.is_some_and(|kind| kind.contains("auto-execution:") && !kind.contains("start"))
    });
    let permit = json!({"autoExecution": {"permissions": {"design": true}}});
    scene.world.patch("login", permit);
    act(&page, "run");
    stands(&scene, &page, "done", "all_phases_done");
    scene.assert_calm(&page);
}

#[test]
#[ignore = "needs Chromium: cargo xtask test"]
fn one_review_by_hand_is_one_round_and_no_more() {
    let world = World::new();
    world.spec_with_documents("login");
    world.play(json!({"steps": {"reply": {"fix": 2}}}));
    let scene = Scene::of(world);
    let page = scene.enter_at("/specs/login");
    act(&page, "review");
    page.until_text("#round-1", "replied");
    page.until("!document.querySelector('#agents .working')");
    let cells = "[...document.querySelectorAll('#round-1 > td')].slice(0, 4).map(it => it.innerText).join(' ')";
    assert_eq!(page.eval(cells).unwrap(), "1 replied 2 0");
    until("the run to rest", || {
        scene.world.status("login")["agents"] == json!([])
    });
    assert_eq!(scene.world.steps("login"), ["review 1", "reply 1"]);
    assert_eq!(page.count("#rounds tbody tr"), 1);
    scene.assert_calm(&page);
}

#[test]
#[ignore = "needs Chromium: cargo xtask test"]
fn all_that_can_run_is_run_from_the_page_now_and_stopped_and_paused_there() {
    let world = World::new();
    for name in ["one", "two", "three"] {
        world.spec(name);
    }
    world.play(json!({"default": {"wait_for": "go"}}));
    let scene = Scene::of(world);
    let page = scene.enter();
    page.click_text("button", "Run all");
    for name in ["one", "two", "three"] {
        scene.world.wait_for_step(name, "requirements 1");
        page.until_text(&format!("#running #spec-{name} .badge"), "working");
    }
    let agent = scene.agent_pid("two");
    page.click("#spec-two button[data-post$='/stop']");
    page.until("!document.querySelector('#running #spec-two')");
    page.until_text("#spec-two .badge", "stopped");
    assert!(!is_alive(agent));
    page.click("#spec-three button[data-post$='/pause']");
    let journal = ".kiro/runtime/kumite/runs/three/journal.jsonl";
    until("the pause to be known", || {
        scene.world.read(journal).contains("pause_requested")
    });
    scene.world.go();
    page.until_text("#spec-one .badge", "done");
    page.until_text("#needs #spec-three .badge", "paused");
    assert_eq!(page.eval("document.title").unwrap(), "(1) Now · kumite");
    page.click("#needs #spec-three button[data-post$='/resume']");
    page.until_text("#spec-three .badge", "done");
    assert!(!page.exists("dialog[open]"));
    assert_eq!(scene.world.stands("three"), "done all_phases_done");
    assert_eq!(scene.world.stands("two"), "stopped stopped_by_user");
    scene.assert_calm(&page);
}

#[test]
#[ignore = "needs Chromium: cargo xtask test"]
fn a_new_spec_with_a_taken_name_is_refused_and_nothing_that_was_typed_is_lost() {
    let scene = scene(json!({}));
    let before = scene.world.spec_json("login");
    let page = scene.enter();
    page.click_text("button", "New spec");
    page.click("#new-spec input[name=name]");
    page.type_text("login");
    page.click("#new-spec textarea");
    page.type_text("Typed with care.");
    page.press("Control+Enter");
    page.until_text(".toast.error", "exists already");
    assert!(page.exists("#new-spec[open]"));
    let typed = page
        .eval("document.querySelector('#new-spec textarea').value")
        .unwrap();
    assert_eq!(typed, "Typed with care.");
    assert_eq!(scene.world.spec_json("login"), before);
    // An invalid name is not even sent.
    page.eval("document.querySelector('#new-spec input').value = 'Not A Name'")
        .unwrap();
    page.click_text("#new-spec button", "Create");
    page.until("document.querySelector('#new-spec input:invalid')");
    page.eval("document.querySelector('#new-spec input').value = 'search'")
        .unwrap();
    page.click_text("#new-spec button", "Create");
    page.until("location.pathname === '/specs/search'");
    let made = scene.world.read(".kiro/specs/search/requirements.md");
    assert!(made.contains("Typed with care."), "{made}");
    assert_eq!(scene.world.status("search")["state"], "idle");
    // The refusal is the only complaint of the browser.
    let troubles = page.troubles();
    assert!(troubles.iter().all(|it| it.contains("409")), "{troubles:?}");
}
