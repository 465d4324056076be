//! Beyond loopback there is TLS, and the link still works.

use kumite_browser::Browser;

use crate::scene::{Scene, is_live};
use crate::world::World;

#[test]
#[ignore = "needs Chromium: cargo xtask test"]
fn beyond_loopback_the_link_works_over_tls_and_the_cookie_is_secure() {
    let world = World::new();
    world.spec("login");
    let scene = Scene::with(world, &["--listen", "0.0.0.0:0"]);
    assert!(
        scene.served.url.starts_with("https://"),
        "{}",
        scene.served.url
    );
    // No browser knows our own certificate, so an ordinary browser refuses it.
    let stranger = Browser::shared().page();
    let refused = stranger
        .goto(&scene.served.login_url)
        .unwrap_err()
        .to_string();
    assert!(refused.contains("ERR_CERT"), "{refused}");

    let trusting = Browser::start_with(&["--ignore-certificate-errors"]).unwrap();
    let page = trusting.page();
    page.goto(&scene.served.login_url).unwrap();
    is_live(&page);
    assert_eq!(page.text("h1"), "Now");
    assert!(!page.url().contains("key"), "{}", page.url());
    let cookies = page.cookies();
    assert_eq!(cookies.len(), 1, "{cookies:?}");
    let cookie = &cookies[0];
    assert!(cookie.secure && cookie.http_only, "{cookie:?}");
    assert_eq!(cookie.same_site.as_deref(), Some("Strict"));
    page.click("#specs a[href='/specs/login']");
    page.click("#actions button[data-post$='/run']");
    page.until_text("#head .badge", "done");
    scene.assert_calm(&page);

    // The link has been used up.
    let late = trusting.page();
    late.goto(&scene.served.login_url).unwrap();
    late.until_text("h1", "A link is needed");
}

#[test]
#[ignore = "needs Chromium: cargo xtask test"]
fn on_loopback_the_link_works_once_and_leaves_no_secret_in_the_address() {
    let scene = Scene::of(World::new());
    let page = scene.enter();
    assert_eq!(page.url(), scene.url("/"));
    let cookies = page.cookies();
    assert!(
        cookies.iter().all(|it| it.http_only && it.path == "/"),
        "{cookies:?}"
    );
    assert_eq!(cookies[0].same_site.as_deref(), Some("Strict"));
    assert_eq!(page.eval("document.cookie").unwrap(), "");
    assert_eq!(
        page.eval("localStorage.length + sessionStorage.length")
            .unwrap(),
        0
    );
    let late = Browser::shared().page();
    late.goto(&scene.served.login_url).unwrap();
    late.until_text("h1", "A link is needed");
    late.until_text("main", "kumite serve link");
    scene.assert_calm(&page);
}
