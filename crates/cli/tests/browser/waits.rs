//! A usage limit on the page: what the run waits for, and until when.

use serde_json::json;

use crate::scene::Scene;
use crate::world::{World, until};

const HOUR_S: u64 = 3600;

#[test]
#[ignore = "needs Chromium: cargo xtask test"]
fn a_usage_limit_is_shown_with_its_end_and_the_run_goes_on_when_it_is_over() {
    let mut world = World::new();
    let clock = world.path("clock").display().to_string();
    world.env.push(("KUMITE_CLOCK_AHEAD".to_owned(), clock));
    world.spec_ready_for_impl("login");
    world.play(
        json!({"steps": {"impl": [{"tick": 1, "result": "limit", "resets_in_s": HOUR_S}, {}]}}),
    );
    let scene = Scene::of(world);
    let page = scene.enter_at("/specs/login");
    page.click("#actions button[data-post$='/run']");
    page.until_text("#head .badge", "waiting");
    page.until_text("#head", "usage limit");
    page.until_text(".toast.warn", "Waits for a usage limit");
    let ends_at = scene.world.status("login")["until"].clone();
    let on_page = format!("document.querySelector('time[datetime={ends_at}]')");
    page.until(&on_page);
    assert!(!page.exists("#needs"), "nobody is needed");
    let now = page.another();
    scene.go(&now, "/");
    now.until_text("#limited #spec-login", "in 59m");
    assert!(now.eval(&on_page).unwrap().is_object());
    assert_eq!(now.eval("document.title").unwrap(), "Now · kumite");

    scene
        .world
        .write("clock.new", &(2 * HOUR_S * 1000).to_string());
    std::fs::rename(scene.world.path("clock.new"), scene.world.path("clock")).unwrap();
    page.until_text("#head .badge", "done");
    now.until_text("#spec-login .badge", "done");
    let launches = scene.world.launches();
    assert_eq!(
        launches[1]["resumed"], launches[0]["session"],
        "no retry was spent"
    );
    scene.assert_calm(&page);
    scene.assert_calm(&now);
}

#[test]
#[ignore = "needs Chromium: cargo xtask test"]
fn who_does_not_want_to_wait_for_a_limit_tries_at_once_or_stops() {
    let world = World::new();
    world.spec_ready_for_impl("login");
    let limited = json!({"tick": 1, "result": "limit", "resets_in_s": HOUR_S});
    world.play(json!({"steps": {"impl": [limited, limited, {}]}}));
    let scene = Scene::of(world);
    let page = scene.enter_at("/specs/login");
    page.click("#actions button[data-post$='/run']");
    page.until_text("#head", "usage limit");
    page.click_text("#actions button", "Try now");
    until("a second agent", || scene.world.launches().len() == 2);
    page.until_text("#head", "usage limit");
    page.click("#actions button[data-post$='/stop']");
    page.until_text("#head .badge", "stopped");
    assert_eq!(scene.world.stands("login"), "stopped stopped_by_user");
    scene.assert_calm(&page);
}
