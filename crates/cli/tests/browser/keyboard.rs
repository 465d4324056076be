//! Everything with the keyboard alone.

use kumite_browser::Page;
use serde_json::json;

use crate::scene::{Scene, said};
use crate::world::World;

fn scene() -> (Scene, Page) {
    let world = World::new();
    world.settings("[run]\nauto_approve = false");
    for name in ["alpha", "beta", "gamma"] {
        world.spec(name);
    }
    let scene = Scene::of(world);
    let page = scene.enter();
    (scene, page)
}

const FOCUSED: &str =
    "document.activeElement.closest('[data-item]')?.id ?? document.activeElement.localName";

#[test]
#[ignore = "needs Chromium: cargo xtask test"]
fn j_k_enter_slash_g_and_question_mark_lead_everywhere() {
    let (scene, page) = scene();
    for (key, focused) in [
        ("j", "spec-alpha"),
        ("j", "spec-beta"),
        ("j", "spec-gamma"),
        ("j", "spec-gamma"),
        ("k", "spec-beta"),
    ] {
        page.press(key);
        assert_eq!(said(&page, FOCUSED), focused);
    }
    page.press("Enter");
    page.until("location.pathname === '/specs/beta'");
    page.until_text("h1", "beta");
    page.press("g");
    page.press("n");
    page.until_text("h1", "Now");

    page.press("?");
    page.until("document.querySelector('#help[open]')");
    // Nothing outside the dialog moves.
    page.press("j");
    assert!(
        page.eval("document.querySelector('#help').contains(document.activeElement)")
            .unwrap()
            == true
    );
    page.press("Escape");
    page.until("!document.querySelector('dialog[open]')");

    page.press("/");
    page.until("document.activeElement.matches('[data-filter]')");
    page.type_text("gam");
    page.until("[...document.querySelectorAll('#specs [data-item]')].filter(it => it.checkVisibility()).length === 1");
    // Letters are only letters while a person types.
    page.type_text("j");
    page.until(
        "![...document.querySelectorAll('#specs [data-item]')].some(it => it.checkVisibility())",
    );
    page.press("Backspace");
    page.press("Escape");
    page.until("document.activeElement === document.body");
    page.press("j");
    assert_eq!(said(&page, FOCUSED), "spec-gamma");
    for (key, path) in [
        ("s", "/settings"),
        ("h", "/history"),
        ("c", "/contests"),
        ("n", "/"),
    ] {
        page.press("g");
        page.press(key);
        page.until(&format!("location.pathname === '{path}'"));
    }
    scene.assert_calm(&page);
}

#[test]
#[ignore = "needs Chromium: cargo xtask test"]
fn a_spec_is_made_run_and_approved_without_a_mouse() {
    let (scene, page) = scene();
    let tab_to = |what: &str| {
        for _ in 0..80 {
            if page
                .eval(&format!("document.activeElement.matches({})", json!(what)))
                .unwrap()
                == true
            {
                return;
            }
            page.press("Tab");
        }
        panic!("Tab never comes to {what}");
    };
    tab_to("button[data-open=new-spec]");
    page.press("Enter");
    page.until("document.activeElement.matches('#new-spec input')");
    page.type_text("delta");
    page.press("Tab");
    page.type_text("Without a mouse.");
    page.press("Control+Enter");
    page.until("location.pathname === '/specs/delta'");
    page.until_text("h1", "delta");
    tab_to("#actions button[data-post$='/run']");
    page.press("Enter");
    page.until_text("#needs", "requirements.md waits");
    tab_to("#approve button");
    page.press("Space");
    scene.world.wait_for_step("delta", "design 1");
    page.until_text("#needs", "design.md waits");
    scene.assert_calm(&page);
}

#[test]
#[ignore = "needs Chromium: cargo xtask test"]
fn the_focus_is_always_seen_and_walks_in_the_order_of_the_page() {
    let (scene, page) = scene();
    for path in ["/", "/specs/alpha", "/settings"] {
        scene.go(&page, path);
        // After the last element the browser starts again.
        let mut seen = Vec::new();
        loop {
            page.press("Tab");
            let at = page
                .eval(
                    "(() => {
                        const element = document.activeElement;
                        const style = getComputedStyle(element);
                        const ring = (style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) > 0) || style.boxShadow !== 'none';
                        const all = [...document.querySelectorAll('*')];
                        const box = element.getBoundingClientRect();
                        const isInView = box.bottom > 0 && box.top < innerHeight && box.width > 0;
                        return element === document.body ? null : [all.indexOf(element), ring, isInView, element.outerHTML.slice(0, 120)];
                    })()",
                )
                .unwrap();
            if at.is_null() || seen.len() > 100 {
                break;
            }
            assert_eq!(at[1], true, "nobody sees the focus on {path}: {at}");
            assert_eq!(at[2], true, "it is out of view on {path}: {at}");
            seen.push(at[0].as_u64().unwrap());
        }
        assert!(seen.len() > 5, "{path}: {seen:?}");
        assert!(seen.is_sorted(), "{path}: {seen:?}");
    }
    // The first link skips what is the same on every page.
    scene.go(&page, "/");
    page.press("Tab");
    assert_eq!(said(&page, "document.activeElement.className"), "skip");
    page.press("Enter");
    page.press("Tab");
    assert!(
        page.eval("document.querySelector('main').contains(document.activeElement)")
            .unwrap()
            == true
    );
    scene.assert_calm(&page);
}
