//! Other sites in the same browser: the requests they cause, and the effect of a link from there.

use std::io::{BufRead, BufReader, Write};
use std::net::TcpListener;
use std::thread;

use kumite_browser::Browser;

use crate::scene::{Scene, is_live, said};
use crate::world::{World, lines, until};

/// A foreign site on this machine. It answers every request with the same page.
struct Site {
    port: u16,
}

impl Site {
    fn new(page: String) -> Site {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let head = BufReader::new(&stream).lines().map_while(Result::ok);
                head.take_while(|line| !line.is_empty()).for_each(drop);
                let length = page.len();
                let head = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nConnection: close";
                let _ = write!(&stream, "{head}\r\nContent-Length: {length}\r\n\r\n{page}");
            }
        });
        Site { port }
    }
}

fn scene() -> Scene {
    let world = World::new();
    world.spec("login");
    Scene::of(world)
}

/// Changes by clients that were admitted.
fn changes(scene: &Scene) -> usize {
    let audit = scene.world.read(".kiro/runtime/kumite/audit.jsonl");
    let lines = lines(&audit);
    lines.iter().filter(|line| line["what"] != "login").count()
}

/// What a page can try without help from a person. At the end `tried` has a word for each.
const TRICKS: &str = r#"<!doctype html><title>tricks</title><body><script>
const tried = {}, at = "TARGET";
const change = at + "/api/specs/login/stop";
const read = async (name, url, options) => {
  try { tried[name] = (await fetch(url, options)).type } catch { tried[name] = "refused" }
};
const load = (name, tag, attributes) => new Promise((done) => {
  const it = Object.assign(document.createElement(tag), attributes);
  it.onload = () => { tried[name] = "loaded"; done() };
  it.onerror = () => { tried[name] = "refused"; done() };
  document.body.append(it);
});
const form = (name, type) => new Promise((done) => {
  const frame = document.createElement("iframe");
  frame.name = name;
  const form = document.createElement("form");
  Object.assign(form, { method: "post", action: change, target: name, enctype: type });
  form.innerHTML = '<input name=\'{"a":"\' value=\'"}\'>';
  document.body.append(frame, form);
  frame.onload = () => { tried[name] = "sent"; done() };
  form.submit();
});
const stream = () => new Promise((done) => {
  const news = new EventSource(at + "/api/events", { withCredentials: true });
  news.onopen = () => { tried.stream = "open"; done() };
  news.onerror = () => { tried.stream = "refused"; news.close(); done() };
});
Promise.all([
  read("read", at + "/api/specs", { credentials: "include" }),
  read("page", at + "/", { credentials: "include" }),
  read("json", change, { method: "POST", credentials: "include", headers: { "content-type": "application/json" }, body: "{}" }),
  read("text", change, { method: "POST", credentials: "include", mode: "no-cors", body: "{}" }),
  read("header", change, { method: "POST", credentials: "include", headers: { "x-csrf-token": "1" }, body: "{}" }),
  load("image", "img", { src: at + "/api/specs" }),
  load("script", "script", { src: at + "/api/specs" }),
  form("urlencoded", "application/x-www-form-urlencoded"),
  form("plain", "text/plain"),
  form("multipart", "multipart/form-data"),
  stream(),
]).then(() => { tried.done = true });
</script>"#;

#[test]
#[ignore = "needs Chromium: cargo xtask test"]
fn other_sites_read_and_change_nothing_with_the_browser_of_who_is_logged_in() {
    let scene = scene();
    let site = Site::new(TRICKS.replace("TARGET", &scene.served.url));
    let page = scene.enter();
    // From another port of the same host, where browsers send the cookie; and from another host.
    for host in ["127.0.0.1", "localhost"] {
        let other = page.another();
        let url = format!("http://{host}:{}/", site.port);
        other.goto(&url).unwrap();
        other.until("tried.done");
        let tried = other.eval("tried").unwrap();
        for name in [
            "read", "page", "json", "text", "header", "image", "script", "stream",
        ] {
            assert_eq!(tried[name], "refused", "{host}: {tried}");
        }
        // Forms are sent; that they were refused shows in what did not happen.
        assert_eq!(changes(&scene), 0, "{host}: {tried}");
    }
    // The same browser can do it from our own page.
    scene.go(&page, "/specs/login");
    let done = page.eval(
        "fetch('/api/specs/login/stop', {method: 'POST', headers: {'x-csrf-token': \
        document.querySelector('meta[name=csrf-token]').content}}).then((it) => it.status)",
    );
    assert_eq!(done.unwrap(), 200);
    assert_eq!(changes(&scene), 1);
}

#[test]
#[ignore = "needs Chromium: cargo xtask test"]
fn our_page_is_not_shown_in_a_frame() {
    let scene = scene();
    let url = &scene.served.url;
    let site = Site::new(format!("<!doctype html><iframe src=\"{url}/\"></iframe>"));
    let page = scene.enter().another();
    let url = format!("http://127.0.0.1:{}/", site.port);
    page.goto(&url).unwrap();
    // A refused frame belongs to no origin, and nobody can look into it.
    page.until("document.querySelector('iframe').contentDocument === null");
    until("the refusal", || !page.troubles().is_empty());
}

#[test]
#[ignore = "needs Chromium: cargo xtask test"]
fn a_foreign_name_for_our_address_shows_nothing() {
    let scene = scene();
    let rules = "--host-resolver-rules=MAP evil.test 127.0.0.1";
    let browser = Browser::start_with(&[rules]).unwrap();
    let page = browser.page();
    let url = format!("http://evil.test:{}/", scene.served.port);
    page.goto(&url).unwrap();
    assert!(page.text("body").contains("not known by that name"));
    let status = page.eval("fetch('/api/specs').then((it) => it.status)");
    assert_eq!(status.unwrap(), 403);
}

#[test]
#[ignore = "needs Chromium: cargo xtask test"]
fn a_link_on_another_site_logs_in_with_one_more_click_and_leaves_no_secret() {
    let scene = scene();
    let link = &scene.served.login_url;
    let site = Site::new(format!("<!doctype html><a href=\"{link}\">go</a>"));
    let page = Browser::shared().page();
    let url = format!("http://localhost:{}/", site.port);
    page.goto(&url).unwrap();
    page.click("a");
    // Browsers do not send a strict cookie with a link from another site.
    page.click_text("a", "open the page");
    is_live(&page);
    assert_eq!(page.url(), scene.url("/"));
    let cookies = page.cookies();
    assert_eq!(cookies.len(), 1);
    assert!(cookies[0].http_only);
    assert_eq!(cookies[0].same_site.as_deref(), Some("Strict"));
    assert_eq!(said(&page, "document.cookie"), "");
    assert_eq!(said(&page, "document.referrer"), "");
    let stored = said(
        &page,
        "JSON.stringify([{...localStorage}, {...sessionStorage}])",
    );
    let key = link.split("key=").nth(1).unwrap();
    assert!(!stored.contains(&scene.served.token) && !stored.contains(key));
}
