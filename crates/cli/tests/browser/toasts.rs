//! Short messages for a person (B4): one toast per notice, and errors stay.

use kumite_browser::Page;
use serde_json::{Value, json};

use crate::scene::Scene;
use crate::world::World;

/// From now on the page remembers every toast: its kind, its text, and whether it interrupts.
pub fn remember_toasts(page: &Page) {
    page.eval(
        "window.toasts = []; new MutationObserver(all => {
            for (const { addedNodes } of all) for (const box of addedNodes)
                window.toasts.push([box.className, box.querySelector('a, span').textContent, box.getAttribute('role') ?? '']);
        }).observe(document.getElementById('toasts'), { childList: true }); 0",
    )
    .unwrap();
}

pub fn toasts(page: &Page) -> Vec<[String; 3]> {
    serde_json::from_value(page.eval("window.toasts").unwrap()).unwrap()
}

fn told(page: &Page, words: &str) -> Vec<[String; 3]> {
    let all = toasts(page).into_iter();
    all.filter(|it| it[1].contains(words)).collect()
}

fn implemented(impls: Value) -> Scene {
    let world = World::new();
    world.spec_ready_for_impl("login");
    world.play(json!({"steps": {"impl": impls}}));
    Scene::of(world)
}

#[test]
#[ignore = "needs Chromium: cargo xtask test"]
fn b4_2_a_retry_of_impl_is_told_once_in_every_tab_as_information() {
    let scene = implemented(json!([{"tick": 1}, {"tick": 1}, {"tick": 1}]));
    let page = scene.enter();
    // On any page: the message is about another page.
    let other = page.another();
    scene.go(&other, "/settings");
    for page in [&page, &other] {
        remember_toasts(page);
    }
    page.click("#specs a[href='/specs/login']");
    page.click("#actions button[data-post$='/run']");
    for page in [&page, &other] {
        page.until("window.toasts.some(it => it[1].includes('Done'))");
        let retries = told(page, "retry");
        assert_eq!(retries.len(), 2, "{retries:?}");
        for (toast, words) in retries.iter().zip([
            "(1/7): 2 tasks are still open",
            "(2/7): 1 task is still open",
        ]) {
            assert!(
                toast[1].starts_with("login") && toast[1].ends_with(words),
                "{toast:?}"
            );
        }
        assert!(
            retries
                .iter()
                .all(|it| it[0] == "toast info" && it[2].is_empty()),
            "{retries:?}"
        );
        scene.assert_calm(page);
    }
    // A click on it opens the spec.
    other.click_text(".toast a", "retry (2/7)");
    other.until("location.pathname === '/specs/login'");
}

#[test]
#[ignore = "needs Chromium: cargo xtask test"]
fn b4_4_the_limit_of_retries_is_told_once_as_an_error_that_stays_until_it_is_closed() {
    let scene = implemented(json!({"tick": 0}));
    let page = scene.enter_at("/specs/login");
    remember_toasts(&page);
    page.click("#actions button[data-post$='/run']");
    page.until_text("#head .badge", "failed");
    page.until("document.querySelector('.toast.error')");
    assert_eq!(told(&page, "Impl retry").len(), 7);
    let errors: Vec<_> = toasts(&page)
        .into_iter()
        .filter(|it| it[0] == "toast error")
        .collect();
    assert_eq!(errors.len(), 1, "{errors:?}");
    assert!(
        errors[0][1].contains("Impl max retry exceeded (7/7): 3 tasks are still open"),
        "{errors:?}"
    );
    assert_eq!(errors[0][2], "alert");
    // The others go away by themselves; nobody has to close them.
    page.until("!document.querySelector('.toast.info')");
    assert_eq!(page.count(".toast.error"), 1);
    page.press("Escape");
    page.until("!document.querySelector('.toast')");
    scene.assert_calm(&page);
}
