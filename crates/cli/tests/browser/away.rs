//! The server goes away and comes back while a page is open.

use kumite_browser::Page;
use serde_json::json;

use crate::scene::{Scene, is_live};
use crate::watch::held;
use crate::world::{World, is_alive, kill, text, until};

/// From now on the page remembers the keys of all news that it receives.
fn listen(page: &Page) {
    page.eval(
        "import(document.querySelector('link[href$=\"/stream.js\"]').href).then(stream => {
            window.got = [];
            stream.on('news', news => window.got.push(news.key));
        })",
    )
    .unwrap();
}

fn heard(page: &Page) -> Vec<String> {
    serde_json::from_value(page.eval("window.got").unwrap()).unwrap()
}

fn keys(scene: &Scene) -> Vec<String> {
    scene.news().iter().map(|it| text(&it["key"])).collect()
}

/// Nothing is received twice, nothing is missing, and the order is that of the events.
#[track_caller]
fn assert_heard_all(scene: &Scene, page: &Page, before: usize) {
    let happened = &keys(scene)[before..];
    let last = happened.last().unwrap();
    page.until(&format!("window.got.includes({})", json!(last)));
    assert_eq!(heard(page), happened);
}

fn is_away(page: &Page) {
    page.until("!document.getElementById('offline').hidden");
    page.until_text("#offline", "does not answer");
}

/// The only complaints are about the absent server.
#[track_caller]
fn assert_only_away(scene: &Scene, page: &Page) {
    let other = |it: &&String| !(it.starts_with("network: ") && it.contains("net::ERR_"));
    let others: Vec<String> = page.troubles().iter().filter(other).cloned().collect();
    assert_eq!(others, [""; 0]);
    let requests = page.requests();
    assert!(
        requests.iter().all(|it| it.starts_with(&scene.served.url)),
        "{requests:?}"
    );
}

fn held_at_design() -> (Scene, Page) {
    let world = World::new();
    world.spec("login");
    world.play(json!({"steps": {"design": held()}}));
    let scene = Scene::of(world);
    let page = scene.enter_at("/specs/login");
    (scene, page)
}

#[test]
#[ignore = "needs Chromium: cargo xtask test"]
fn a_server_that_was_killed_is_found_again_and_nothing_that_happened_meanwhile_is_missed() {
    let (mut scene, page) = held_at_design();
    let before = scene.news().len();
    listen(&page);
    page.eval("window.since = 'the start'").unwrap();
    page.click("#actions button[data-post$='/run']");
    page.until("document.querySelector('#phase-design.is-current')");
    scene.world.wait_for_step("login", "design 1");
    let agent = scene.agent_pid("login");

    kill(scene.served.pid(), "KILL");
    is_away(&page);
    page.until("document.querySelector('#live.is-off')");
    // The agent is not affected. It finishes while nobody watches.
    assert!(is_alive(agent));
    scene.world.go();
    until("the agent to end", || !is_alive(agent));

    let url = scene.served.url.clone();
    scene.served = scene.world.serve();
    assert_eq!(scene.served.url, url, "the page finds it where it was");
    page.until("document.getElementById('offline').hidden");
    is_live(&page);
    page.until_text("#head .badge", "done");
    page.until_text("#phase-design", "approved");
    page.until_text("#inspection-1", "GO");
    assert_eq!(scene.world.stands("login"), "done all_phases_done");
    let steps = scene.world.steps("login");
    assert_eq!(
        steps.iter().filter(|it| *it == "design 1").count(),
        1,
        "{steps:?}"
    );
    assert_eq!(steps.len(), 7, "{steps:?}");
    assert_heard_all(&scene, &page, before);
    assert_eq!(
        page.eval("window.since").unwrap(),
        "the start",
        "nobody loaded it again"
    );
    assert_only_away(&scene, &page);
}

#[test]
#[ignore = "needs Chromium: cargo xtask test"]
fn what_is_done_while_the_server_is_away_is_not_lost_silently() {
    let (mut scene, page) = held_at_design();
    kill(scene.served.pid(), "KILL");
    is_away(&page);
    page.click("#actions button[data-post$='/run']");
    page.until_text(".toast.error", "The server does not answer");
    // Navigation does not fail either: the current page stays.
    page.click("header a[href='/settings']");
    page.until_text("h1", "login");
    page.until("location.pathname === '/specs/login'");

    scene.served = scene.world.serve();
    is_live(&page);
    page.until("document.getElementById('offline').hidden");
    assert_eq!(scene.world.status("login")["state"], "idle");
    page.click("#actions button[data-post$='/run']");
    page.until("document.querySelector('#phase-design.is-current')");
    assert_only_away(&scene, &page);
}

#[test]
#[ignore = "needs Chromium: cargo xtask test"]
fn a_server_that_ends_politely_ends_its_agents_and_the_run_is_resumed_later() {
    let (mut scene, page) = held_at_design();
    page.click("#actions button[data-post$='/run']");
    page.until("document.querySelector('#phase-design.is-current')");
    scene.world.wait_for_step("login", "design 1");
    let agent = scene.agent_pid("login");
    assert_eq!(scene.served.end("INT"), 130);
    assert!(!is_alive(agent));
    is_away(&page);
    scene.world.go();
    scene.served = scene.world.serve();
    is_live(&page);
    page.until_text("#head .badge", "stopped");
    page.click("#actions button[data-post$='/resume']");
    page.until_text("#head .badge", "done");
    assert_only_away(&scene, &page);
}

#[test]
#[ignore = "needs Chromium: cargo xtask test"]
fn a_tab_that_was_hidden_hears_nothing_and_catches_up_when_it_is_seen_again() {
    let (scene, page) = held_at_design();
    let before = scene.news().len();
    listen(&page);
    // As the browser does when the person changes to another tab.
    let hide = |hidden: bool| {
        let js = format!(
            "Object.defineProperty(document, 'hidden', {{ value: {hidden}, configurable: true }});
             Object.defineProperty(document, 'visibilityState', {{ value: '{}', configurable: true }});
             document.dispatchEvent(new Event('visibilitychange')); 0",
            if hidden { "hidden" } else { "visible" }
        );
        page.eval(&js).unwrap();
    };
    hide(true);
    scene.world.go();
    scene
        .served
        .post("/api/specs/login/run", &json!({}))
        .assert_status(202);
    scene.world.wait_for_state("login", "done");
    assert_eq!(
        heard(&page),
        [""; 0],
        "it holds no connection while it is hidden"
    );
    assert_eq!(page.text("#head .badge"), "idle");
    hide(false);
    page.until_text("#head .badge", "done");
    assert_heard_all(&scene, &page, before);
    scene.assert_calm(&page);
}

#[test]
#[ignore = "needs Chromium: cargo xtask test"]
fn two_tabs_show_the_same_and_what_one_does_is_seen_in_the_other() {
    let (scene, page) = held_at_design();
    let other = page.another();
    scene.go(&other, "/specs/login");
    page.click("#actions button[data-post$='/run']");
    other.until("document.querySelector('#phase-design.is-current')");
    other.click("#actions button[data-post$='/stop']");
    for tab in [&page, &other] {
        tab.until_text("#head .badge", "stopped");
    }
    scene.world.go();
    page.click("#actions button[data-post$='/resume']");
    for tab in [&page, &other] {
        tab.until_text("#head .badge", "done");
        tab.until_text("#inspection-1", "GO");
        scene.assert_calm(tab);
    }
    let mains = [&page, &other].map(|tab| {
        tab.eval("document.querySelector('#track').innerText")
            .unwrap()
    });
    assert_eq!(mains[0], mains[1]);
}

#[test]
#[ignore = "needs Chromium: cargo xtask test"]
fn a_browser_that_is_not_known_any_more_is_told_how_to_get_in_again() {
    let (mut scene, page) = held_at_design();
    scene.served.end("INT");
    // Without the old token no old cookie is valid.
    std::fs::remove_file(scene.world.path(".kiro/runtime/kumite/token")).unwrap();
    scene.served = scene.world.serve();
    page.until_text("#offline", "not known any more");
    page.until_text("#offline", "kumite serve link");
    page.goto(&scene.served.login_url).unwrap();
    is_live(&page);
    scene.go(&page, "/specs/login");
    page.until_text("#head .badge", "idle");
}
