//! Other sites in the browser of somebody who is logged in: they learn nothing and change nothing.

use std::io::{BufRead, BufReader, Write};
use std::net::TcpListener;
use std::thread;

use kumite_browser::{Browser, Page};
use serde_json::json;

use crate::scene::{Scene, is_live, said};
use crate::watch::held;
use crate::world::{World, is_alive};

const TRICKS: &str = include_str!("texts/tricks.html");
const FOREIGN: &str = "--host-resolver-rules=MAP evil.test 127.0.0.1";

/// Another site on this machine: it answers every request with one page. Gives its port.
fn site(html: String) -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            let mut lines = BufReader::new(&stream).lines().map_while(Result::ok);
            // The request ends with an empty line.
            lines.find(String::is_empty);
            let head = format!("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: {}\r\nConnection: close\r\n\r\n", html.len());
            let _ = stream.write_all(format!("{head}{html}").as_bytes());
        }
    });
    port
}

/// Somebody who is logged in, with an agent at work.
fn working() -> (Scene, Browser, Page) {
    let world = World::new();
    world.spec("login");
    world.play(json!({"steps": {"requirements": held()}}));
    let scene = Scene::of(world);
    scene.served.post("/api/specs/login/run", &json!({})).assert_status(202);
    scene.world.wait_for_step("login", "requirements 1");
    let browser = Browser::start_with(&[FOREIGN]).unwrap();
    let page = browser.page();
    page.goto(&scene.served.login_url).unwrap();
    is_live(&page);
    (scene, browser, page)
}

#[test]
#[ignore = "needs Chromium: cargo xtask test"]
fn other_sites_read_and_change_nothing_with_the_browser_of_who_is_logged_in() {
    let (scene, _browser, page) = working();
    let agent = scene.agent_pid("login");
    let port = site(TRICKS.replace("TARGET", &scene.served.url));
    // To the browser another port of the same host is the same site: it sends the cookie.
    for host in ["evil.test", "localhost", "127.0.0.1"] {
        let evil = page.another();
        evil.goto(&format!("http://{host}:{port}/")).unwrap();
        evil.until("tried.done");
        let tried = evil.eval("tried").unwrap();
        for trick in ["read", "page", "json", "header", "image", "script", "stream"] {
            assert_eq!(tried[trick], "refused", "{host}: {tried}");
        }
        // What a page may send without asking was sent, and did nothing.
        assert_eq!(tried["text"], "opaque", "{host}: {tried}");
        for trick in ["urlencoded", "plain", "multipart"] {
            assert_eq!(tried[trick], "sent", "{host}: {tried}");
        }
        assert!(is_alive(agent), "{host}");
        assert_eq!(scene.world.status("login")["state"], "working", "{host}");
    }
    // The person themselves can, of course.
    scene.go(&page, "/specs/login");
    page.click("#actions button[data-post$='/stop']");
    page.until_text("#head .badge", "stopped");
    assert!(!is_alive(agent));
}

#[test]
#[ignore = "needs Chromium: cargo xtask test"]
fn a_foreign_name_for_our_address_shows_nothing() {
    let (scene, _browser, page) = working();
    let evil = page.another();
    evil.goto(&format!("http://evil.test:{}/", scene.served.port)).unwrap();
    assert!(evil.text("body").contains("not known by that name"), "{}", evil.text("body"));
    let status = evil.eval("fetch('/api/specs').then((it) => it.status)").unwrap();
    assert_eq!(status, 421);
    assert!(!evil.text("body").contains("login"), "{}", evil.text("body"));
}

#[test]
#[ignore = "needs Chromium: cargo xtask test"]
fn our_page_is_not_shown_in_a_frame() {
    let (scene, _browser, page) = working();
    let port = site(format!("<!doctype html><iframe src=\"{}/\"></iframe>", scene.served.url));
    for host in ["evil.test", "127.0.0.1"] {
        let evil = page.another();
        evil.goto(&format!("http://{host}:{port}/")).unwrap();
        let is_refused = || evil.troubles().iter().any(|it| it.contains("frame-ancestors"));
        crate::world::until("the refusal", is_refused);
    }
}

#[test]
#[ignore = "needs Chromium: cargo xtask test"]
fn a_link_on_another_site_logs_in_with_one_more_click_and_leaves_no_secret() {
    let scene = Scene::of(World::new());
    let browser = Browser::start_with(&[FOREIGN]).unwrap();
    let port = site(format!("<!doctype html><a href=\"{}\">my project</a>", scene.served.login_url));
    let page = browser.page();
    page.goto(&format!("http://evil.test:{port}/")).unwrap();
    page.click("a");
    // The browser keeps a strict cookie back on the way from another site.
    page.click_text("a", "open the page");
    page.until("document.querySelector('#live.is-on')");
    assert_eq!(page.url(), scene.url("/"));
    let cookies = page.cookies();
    assert!(cookies[0].http_only);
    assert_eq!(cookies[0].same_site.as_deref(), Some("Strict"));
    assert_eq!(said(&page, "document.cookie"), "");
    let kept = "document.referrer + JSON.stringify([{...localStorage}, {...sessionStorage}])";
    assert!(!said(&page, kept).contains("key="), "{}", said(&page, kept));
    assert!(!said(&page, kept).contains(&scene.served.token));
}
