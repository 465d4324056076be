//! Hostile pages and hostile texts in a real browser: what other sites make it send, and what agents
//! write.

use std::io::{BufRead, BufReader, Write};
use std::net::TcpListener;
use std::thread;

use kumite_browser::{Browser, Page};
use serde_json::json;

use crate::scene::{Scene, said};
use crate::world::{World, lines, until};

/// A site of somebody else on this machine. It answers every request with the same page.
struct Site {
    port: u16,
}

impl Site {
    fn new(page: String) -> Site {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let mut head = BufReader::new(&stream).lines();
                while head
                    .next()
                    .is_some_and(|line| line.is_ok_and(|line| !line.is_empty()))
                {}
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

/// Changes that somebody was let in for.
fn changes(scene: &Scene) -> usize {
    let audit = scene.world.read(".kiro/runtime/kumite/audit.jsonl");
    let lines = lines(&audit);
    lines.iter().filter(|line| line["what"] != "login").count()
}

/// What a page can try without anybody's help. `tried` has a word for each when all is over.
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
        other
            .goto(&format!("http://{host}:{}/", site.port))
            .unwrap();
        other.until("tried.done");
        let tried = other.eval("tried").unwrap();
        for name in [
            "read", "page", "json", "text", "header", "image", "script", "stream",
        ] {
            assert_eq!(tried[name], "refused", "{host}: {tried}");
        }
        // Forms are sent; that they were refused is seen in what did not happen.
        assert_eq!(changes(&scene), 0, "{host}: {tried}");
    }
    // The same browser does it from our own page.
    scene.go(&page, "/specs/login");
    let token = "document.querySelector('meta[name=csrf-token]').content";
    let done = page.eval(&format!(
        "fetch('/api/specs/login/stop', {{method: 'POST', headers: {{'x-csrf-token': {token}}}}}).then((it) => it.status)"
    ));
    assert_eq!(done.unwrap(), 200);
    assert_eq!(changes(&scene), 1);
}

#[test]
#[ignore = "needs Chromium: cargo xtask test"]
fn our_page_is_not_shown_in_a_frame() {
    let scene = scene();
    let frame = format!(
        "<!doctype html><iframe src=\"{}/\"></iframe>",
        scene.served.url
    );
    let site = Site::new(frame);
    let page = scene.enter().another();
    page.goto(&format!("http://127.0.0.1:{}/", site.port))
        .unwrap();
    // A frame that was refused is a page of nobody, and none can look into it.
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
    page.goto(&format!("http://evil.test:{}/", scene.served.port))
        .unwrap();
    assert!(page.text("body").contains("not known by that name"));
    let status = page
        .eval("fetch('/api/specs').then((it) => it.status)")
        .unwrap();
    assert_eq!(status, 403);
}

#[test]
#[ignore = "needs Chromium: cargo xtask test"]
fn a_link_on_another_site_logs_in_with_one_more_click_and_leaves_no_secret() {
    let scene = scene();
    let link = format!(
        "<!doctype html><a href=\"{}\">go</a>",
        scene.served.login_url
    );
    let site = Site::new(link);
    let page = Browser::shared().page();
    page.goto(&format!("http://localhost:{}/", site.port))
        .unwrap();
    page.click("a");
    // Browsers keep a strict cookie back on the way from there.
    page.click_text("a", "open the page");
    page.until("document.querySelector('#live.is-on')");
    let url = page.url();
    assert_eq!(url, scene.url("/"));
    let cookies = page.cookies();
    assert_eq!(cookies.len(), 1);
    assert!(cookies[0].http_only);
    assert_eq!(cookies[0].same_site.as_deref(), Some("Strict"));
    assert_eq!(said(&page, "document.cookie"), "");
    assert_eq!(said(&page, "document.referrer"), "");
    let stored = "JSON.stringify([{...localStorage}, {...sessionStorage}])";
    assert!(!said(&page, stored).contains(&scene.served.token));
}

const EVIL: &str = "# <script>window.pwned = 1</script>\n\n\
    <img src=x onerror=\"window.pwned = 2\">\n\n\
    <svg onload=\"window.pwned = 3\"><script>window.pwned = 4</script></svg>\n\n\
    <iframe srcdoc=\"<script>parent.pwned = 5</script>\"></iframe>\n\n\
    [press me](javascript:window.pwned=6) <a href=\"javascript:window.pwned=7\">or me</a>\n\n\
    ![](http://evil.test/picture.png) <style>body { display: none }</style>\n\n\
    <form action=\"http://evil.test\"><button autofocus onfocus=\"window.pwned = 8\">x</button></form>\n\n\
    the end of it\n";

#[test]
#[ignore = "needs Chromium: cargo xtask test"]
fn what_agents_write_and_say_does_not_run() {
    let world = World::new();
    world.spec("login");
    let text = json!({"type": "text", "text": EVIL});
    let tool = json!({"type": "tool_use", "id": "t1", "name": "Write", "input": {"file_path": EVIL, "content": EVIL}});
    let say = |it| json!({"type": "assistant", "message": {"role": "assistant", "content": [it]}});
    world.play(json!({"default": {"say": [say(text), say(tool), EVIL], "complain": [EVIL]},
        "steps": {"requirements": {"write": {"requirements.md": EVIL}, "say": [say(json!({"type": "text", "text": EVIL}))]}}}));
    world.kumite(&["run", "login", "--until", "requirements"]);
    world.write(".kiro/specs/login/<img src=x onerror=pwned=9>.md", EVIL);
    let scene = Scene::of(world);
    let page = scene.enter_at("/specs/login");
    let agents = scene.served.get("/api/specs/login/agents").json();
    let agent = agents["agents"][0]["id"].as_str().unwrap();
    for path in [
        "/",
        "/specs/login",
        "/specs/login/documents/requirements.md",
        &format!("/specs/login/agents/{agent}"),
    ] {
        scene.go(&page, path);
        if path != "/" {
            let shown = "document.body.textContent.includes('pwned') || document.body.textContent.includes('press me')";
            page.until(shown);
        }
        press_all(&page);
        assert_eq!(said(&page, "String(window.pwned)"), "undefined", "{path}");
        scene.assert_calm(&page);
    }
}

/// Follows every link of the text that leads nowhere on our pages.
fn press_all(page: &Page) {
    let press = "[...document.querySelectorAll('main a')].filter((it) => \
        !it.href.startsWith(location.origin)).forEach((it) => it.click())";
    page.eval(press).unwrap();
}
