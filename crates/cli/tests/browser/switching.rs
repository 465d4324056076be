//! Several specs run, and a person looks at one of them (C5).

use std::time::Instant;

use kumite_browser::Page;
use serde_json::{Value, json};

use crate::scene::Scene;
use crate::world::{World, text};

/// `left` is held at its design, `right` at its implementation.
fn two() -> Scene {
    let world = World::new();
    world.spec("left");
    world.spec_ready_for_impl("right");
    world.play(json!({"steps": {
        "left/design": {"wait_for": "go-design"},
        "left/tasks": {"wait_for": "go-tasks"},
        "right/impl": {"wait_for": "go-impl"},
        "right/inspect": {"wait_for": "go-inspect"},
    }}));
    Scene::of(world)
}

fn run_both(scene: &Scene, page: &Page) {
    page.click_text("button", "Run all");
    scene.world.wait_for_step("left", "design 1");
    scene.world.wait_for_step("right", "impl 1");
    page.until_text("#spec-left", "design");
    page.until_text("#spec-right", "impl");
}

/// Watches a page that shows one spec: at every change the address and the content must belong to
/// the same spec.
const WATCH: &str = "
    window.wrong = [];
    new MutationObserver(() => {
        const title = document.querySelector('main h1')?.textContent;
        const track = document.querySelector('#phase-design.is-current, #phase-tasks.is-current') ? 'left'
            : document.querySelector('#phase-impl.is-current, #phase-inspection.is-current') ? 'right' : null;
        const place = location.pathname.replace('/specs/', '');
        if (location.pathname.startsWith('/specs/') && title && (title !== place || (track && track !== place)))
            window.wrong.push([place, title, track]);
    }).observe(document.body, { childList: true, subtree: true, attributes: true }); 0";

fn shown(page: &Page) -> Vec<String> {
    let js = "[location.pathname, document.querySelector('h1').innerText,
        document.querySelector('#head .badge').innerText, document.querySelector('[aria-current=step]').id]";
    serde_json::from_value(page.eval(js).unwrap()).unwrap()
}

fn is_at(page: &Page, spec: &str, phase: &str) {
    page.until(&format!(
        "document.querySelector('#phase-{phase}.is-current')"
    ));
    assert_eq!(
        shown(page),
        [
            &format!("/specs/{spec}"),
            spec,
            "working",
            &format!("phase-{phase}")
        ]
    );
}

#[test]
#[ignore = "needs Chromium: cargo xtask test"]
fn c5_1_the_state_of_the_chosen_spec_is_shown() {
    let scene = two();
    let page = scene.enter();
    run_both(&scene, &page);
    for (spec, phase) in [("left", "design"), ("right", "impl")] {
        page.click(&format!("#running a.name[href='/specs/{spec}']"));
        is_at(&page, spec, phase);
        let agent = text(&scene.world.status(spec)["agents"][0]["id"]);
        page.until(&format!(
            "document.querySelector('#agents tr[id=\"{agent}\"] .working')"
        ));
        assert_eq!(page.count("#agents .working"), 1);
        page.click("a.brand");
        page.until_text("h1", "Now");
    }
    scene.assert_calm(&page);
}

#[test]
#[ignore = "needs Chromium: cargo xtask test"]
fn c5_2_another_spec_is_shown_at_once_and_never_under_the_wrong_name() {
    let scene = two();
    let page = scene.enter();
    run_both(&scene, &page);
    page.eval(WATCH).unwrap();
    for spec in ["left", "right"] {
        page.click(&format!("#running a.name[href='/specs/{spec}']"));
        page.until_text("h1", spec);
        page.click("a.brand");
        page.until_text("h1", "Now");
    }
    // A page that was seen before appears at once.
    let click = |spec: &str| {
        let js = format!(
            "(() => {{ document.querySelector(`#running a.name[href='/specs/{spec}']`).click();
                return document.querySelector('h1').textContent + location.pathname; }})()"
        );
        text(&page.eval(&js).unwrap())
    };
    assert_eq!(click("left"), "left/specs/left");
    is_at(&page, "left", "design");
    page.click("a.brand");
    page.until_text("h1", "Now");
    assert_eq!(click("right"), "right/specs/right");
    is_at(&page, "right", "impl");
    // Back and forth faster than any answer.
    for _ in 0..10 {
        page.eval("history.go(-2)").unwrap();
        page.eval("history.go(2)").unwrap();
    }
    page.eval("history.go(-2)").unwrap();
    page.until_text("h1", "left");
    is_at(&page, "left", "design");
    assert_eq!(page.eval("window.wrong").unwrap(), json!([]));
    scene.assert_calm(&page);
    // An error would have been noticed.
    page.eval("document.querySelector('main h1').textContent = 'right'")
        .unwrap();
    page.until("window.wrong.length > 0");
}

#[test]
#[ignore = "needs Chromium: cargo xtask test"]
fn c5_3_who_comes_back_to_a_spec_sees_how_it_stands_now() {
    let scene = two();
    let page = scene.enter();
    run_both(&scene, &page);
    page.click("#running a.name[href='/specs/left']");
    is_at(&page, "left", "design");
    page.click("a.brand");
    page.click("#running a.name[href='/specs/right']");
    is_at(&page, "right", "impl");
    // Both go on; one of them is not visible.
    scene.world.write("go-design", "");
    scene.world.write("go-impl", "");
    scene.world.wait_for_step("left", "tasks 1");
    page.until("document.querySelector('#phase-inspection.is-current')");
    page.eval("history.go(-2)").unwrap();
    page.until_text("h1", "left");
    page.until("document.querySelector('#phase-tasks.is-current')");
    is_at(&page, "left", "tasks");
    page.until_text("#phase-design", "approved");
    let status = scene.world.status("left");
    assert_eq!(
        (&status["state"], &status["phase"]),
        (&json!("working"), &json!("tasks"))
    );
    scene.assert_calm(&page);
}

#[test]
#[ignore = "needs Chromium: cargo xtask test"]
fn c5_4_the_state_of_each_spec_is_had_by_its_name_and_is_the_same_everywhere() {
    let scene = two();
    let page = scene.enter();
    run_both(&scene, &page);
    for (spec, phase) in [("left", "design"), ("right", "impl")] {
        let js = format!("fetch('/api/specs/{spec}').then(it => it.json())");
        let asked = page.eval(&js).unwrap();
        let status = scene.world.status(spec);
        for key in [
            "spec", "state", "phase", "step", "round", "attempt", "tasks", "agents",
        ] {
            assert_eq!(asked[key], status[key], "{key}");
        }
        assert_eq!(
            (&status["state"], &status["phase"]),
            (&json!("working"), &json!(phase))
        );
        page.click(&format!("#running a.name[href='/specs/{spec}']"));
        is_at(&page, spec, phase);
        page.click("a.brand");
    }
    let missing = page
        .eval("fetch('/api/specs/nobody').then(it => it.status)")
        .unwrap();
    assert_eq!(missing, 404);
}

#[test]
#[ignore = "needs Chromium: cargo xtask test"]
fn c5_5_a_page_hears_of_its_own_spec_only() {
    let scene = two();
    // Both are implemented at the same time.
    scene.world.settings("[worktree]\nmode = \"off\"\n");
    let page = scene.enter();
    run_both(&scene, &page);
    page.click("#running a.name[href='/specs/right']");
    is_at(&page, "right", "impl");
    let asked = |page: &Page| {
        let requests = page.requests().into_iter();
        requests.filter(|it| it.ends_with("/specs/right")).count()
    };
    page.forget();
    let began = Instant::now();
    // The other spec runs to its end meanwhile; the stream reports it, but the page does not
    // reload.
    scene.world.write("go-design", "");
    scene.world.write("go-tasks", "");
    page.until(
        "[...document.querySelectorAll('.toast')].some(it => /^left\\b.*Done/s.test(it.innerText))",
    );
    let heard: Vec<Value> = scene
        .news()
        .into_iter()
        .filter(|it| it["spec"] == "left")
        .collect();
    assert!(heard.len() > 10, "{heard:#?}");
    // It refreshes by itself every 20 s, whatever happens.
    let by_itself = 1 + began.elapsed().as_secs() / 20;
    assert!(
        asked(&page) as u64 <= by_itself,
        "asked {} times",
        asked(&page)
    );
    is_at(&page, "right", "impl");
    scene.world.write("go-impl", "");
    page.until("document.querySelector('#phase-inspection.is-current')");
    scene.assert_calm(&page);
}
