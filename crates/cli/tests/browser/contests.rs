//! Contests on the page: start, watch, apply, cancel, resume.

use kumite_browser::Page;

use crate::arena::{HOLD, arena, board};
use crate::scene::{Scene, answer};
use crate::toasts::remember_toasts;
use crate::world::{World, kill, until};

fn scene() -> (Scene, Page) {
    let world = World::new();
    arena(&world, "");
    let scene = Scene::of(world);
    let page = scene.enter_at("/contests");
    page.until_text(".empty", "No contest");
    (scene, page)
}

/// Starts the contest with the form, and opens its page.
fn start(page: &Page) {
    page.click("#start-contest summary");
    page.click_text("#start-contest button", "Start");
    open(page);
}

/// Opens the page of the only contest.
fn open(page: &Page) {
    page.click("table.list a[href^='/contests/']");
    page.until("location.pathname.length > '/contests/'.length");
    page.until_text("h1", "Make the tests pass.");
}

fn act(page: &Page, action: &str) {
    page.click(&format!("main button[data-post$='/{action}']"));
}

#[test]
#[ignore = "needs Chromium: cargo xtask test"]
fn a_contest_is_started_watched_to_its_end_and_the_changes_of_the_winner_are_applied() {
    let (scene, page) = scene();
    scene.world.write(HOLD, "");
    remember_toasts(&page);
    start(&page);
    page.until_text("main .badge", "running");
    page.until_text("table.list", "round 1");
    // It is on the page *Now*.
    let now = page.another();
    scene.go(&now, "/");
    now.until_text("#contests", "Make the tests pass.");

    std::fs::remove_file(scene.world.path(HOLD)).unwrap();
    page.until_text("main .badge", "done");
    page.until_text("main", "Winner: Careful, 100.00");
    now.until("!document.querySelector('#contests')");
    let places = "[...document.querySelectorAll('[id^=place-]')].map(row => [...row.cells].slice(0, 3).map(it => it.innerText.trim()).join(' | '))";
    let shown: Vec<String> = serde_json::from_value(page.eval(places).unwrap()).unwrap();
    assert_eq!(shown.len(), 2);
    assert!(
        shown[0].contains("Careful") && shown[0].ends_with("100.00"),
        "{shown:?}"
    );
    assert!(
        shown[1].contains("Hasty") && shown[1].ends_with("20.00"),
        "{shown:?}"
    );
    assert_eq!(page.count("figure.chart svg"), 2, "scores and time");
    page.until("window.toasts.some(it => it[1].includes('careful wins with 100'))");

    // Applying changes files, so it asks.
    let before = scene.world.read("calc.sh");
    act(&page, "apply");
    answer(&page, false);
    assert_eq!(scene.world.read("calc.sh"), before);
    act(&page, "apply");
    page.until_text("#confirm", "Careful");
    answer(&page, true);
    until("the changes to be there", || {
        scene.world.read("calc.sh").contains(" + ")
    });
    assert_eq!(board(&scene.world)["winner"], "careful");

    page.click_text("a", "Compare submissions");
    page.until_text("h1", "side by side");
    page.until("document.querySelectorAll('main pre.diff').length === 2");
    page.until_text("main", "It subtracts.");
    scene.assert_calm(&page);
    scene.assert_calm(&now);
}

#[test]
#[ignore = "needs Chromium: cargo xtask test"]
fn a_contest_is_cancelled_once_the_person_has_agreed_and_leaves_no_agent() {
    let (scene, page) = scene();
    scene.world.write(HOLD, "");
    start(&page);
    page.until_text("main .badge", "running");
    until("both teams to work", || {
        scene.world.agent_processes().len() >= 2
    });
    act(&page, "cancel");
    page.until_text("#confirm", "Cancel this contest?");
    answer(&page, false);
    assert_eq!(board(&scene.world)["state"], "running");
    act(&page, "cancel");
    answer(&page, true);
    page.until_text("main .badge", "cancelled");
    assert_eq!(board(&scene.world)["state"], "cancelled");
    page.until("!document.querySelector('main button[data-post$=\"/cancel\"]')");
    scene.world.assert_nothing_left();
    scene.assert_calm(&page);
}

#[test]
#[ignore = "needs Chromium: cargo xtask test"]
fn a_contest_whose_process_was_killed_is_resumed_from_the_page() {
    let (scene, page) = scene();
    scene.world.write(HOLD, "");
    // A contest of a terminal is resumed by the engine of the page; one of that engine goes on by
    // itself with the next server.
    let terminal = scene.world.start(&["contest", "run", "contest.toml"]);
    open(&page);
    until("both teams to work", || {
        scene.world.agent_processes().len() >= 2
    });
    kill(terminal.pid(), "KILL");
    // Its end sends no news; a person who comes back to the window sees it.
    page.until("(window.dispatchEvent(new Event('focus')), [...document.querySelectorAll('main .badge')].some(it => it.innerText === 'stopped'))");
    std::fs::remove_file(scene.world.path(HOLD)).unwrap();
    act(&page, "resume");
    assert!(!page.exists("dialog[open]"));
    page.until_text("main .badge", "done");
    page.until_text("main", "Winner: Careful");
    assert_eq!(board(&scene.world)["winner"], "careful");
    scene.assert_calm(&page);
}
