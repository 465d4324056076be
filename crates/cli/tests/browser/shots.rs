//! Pictures of the pages, for people to look at: `target/screenshots`.

use std::path::{Path, PathBuf};

use kumite_browser::Page;

use crate::gallery::gallery;
use crate::scene::{Scene, is_live};
use crate::world::text;

fn path(name: &str) -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/screenshots");
    root.join(format!("{name}.png"))
}

/// A page in light mode, in dark mode, and on a phone; the top, and the whole page.
fn take(page: &Page, name: &str) {
    let shoot = |how: &str, whole: bool| {
        // A temporary directory has another name each time.
        page.eval("(() => { const name = document.querySelector('.project'); if (name) name.textContent = 'shop'; })()").unwrap();
        page.eval("document.fonts.ready.then(() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done(0)))))").unwrap();
        let path = path(&format!("{name}-{how}"));
        match whole {
            true => page.screenshot_full(&path),
            false => page.screenshot(&path),
        }
        let bytes = std::fs::metadata(&path).unwrap().len();
        assert!(bytes > 5_000, "{} is empty", path.display());
    };
    shoot("light", false);
    shoot("whole", true);
    page.dark(true);
    shoot("dark", false);
    page.dark(false);
    page.size(390, 844, true);
    shoot("phone", false);
    page.size(1280, 800, false);
}

fn visit(scene: &Scene, page: &Page, path: &str, name: &str) {
    scene.go(page, path);
    take(page, name);
}

#[test]
#[ignore = "needs Chromium: cargo xtask test"]
fn pictures_of_all_pages_are_taken() {
    let scene = gallery();
    let page = scene.enter();
    take(&page, "now");
    for (spec, name) in [
        ("search-index", "spec"),
        ("login-form", "spec-approval"),
        ("audit-trail", "spec-discussion"),
        ("billing-export", "spec-failed"),
        ("password-reset", "spec-done"),
    ] {
        visit(&scene, &page, &format!("/specs/{spec}"), name);
    }
    visit(
        &scene,
        &page,
        "/specs/login-form/documents/requirements.md",
        "document",
    );
    let agent = text(&scene.world.status("image-upload")["agents"][0]["id"]);
    visit(
        &scene,
        &page,
        &format!("/specs/image-upload/agents/{agent}"),
        "agent",
    );
    visit(&scene, &page, "/contests", "contests");
    let contest = |state: &str| {
        let answer = scene.served.get("/api/contests").json();
        let all = answer["contests"].as_array().unwrap();
        let found = all.iter().find(|it| it["state"] == state);
        text(&found.unwrap_or_else(|| panic!("{answer}"))["execution_id"])
    };
    visit(
        &scene,
        &page,
        &format!("/contests/{}", contest("done")),
        "contest",
    );
    visit(
        &scene,
        &page,
        &format!("/contests/{}/compare", contest("done")),
        "compare",
    );
    visit(
        &scene,
        &page,
        &format!("/contests/{}", contest("running")),
        "contest-running",
    );
    visit(&scene, &page, "/settings", "settings");
    visit(&scene, &page, "/history", "history");
    scene.go(&page, "/");
    page.press("?");
    page.until("document.querySelector('#help[open]')");
    page.screenshot(path("help-light"));
    page.press("Escape");
    page.click("[data-open=new-spec]");
    page.until("document.querySelector('#new-spec[open]')");
    page.screenshot(path("new-spec-light"));
    page.goto(&scene.served.login_url).unwrap();
    page.until_text("h1", "A link is needed");
    take(&page, "login");
    scene.go(&page, "/");
    is_live(&page);
}
