//! A person's actions: open, read, click, press, type and scroll.

use kumite_browser::{Browser, Error, Page};
use serde_json::json;

use crate::server::Server;

fn open(body: &'static str) -> (Server, Page) {
    let server = Server::page(body);
    let page = Browser::shared().page();
    page.goto(&server.url("/")).unwrap();
    (server, page)
}

#[test]
#[ignore = "needs Chromium: cargo xtask test"]
fn a_page_is_opened_read_and_opened_again() {
    let (server, page) = open(
        "<title>A</title><h1> Hello <b>you</b></h1><p>1<p>2<p hidden>3
         <script>sessionStorage.n = 1 + +(sessionStorage.n ?? 0)</script>",
    );
    assert_eq!(page.text("h1"), "Hello you");
    assert_eq!(
        (page.count("p"), page.exists("b"), page.exists("i")),
        (3, true, false)
    );
    page.reload().unwrap();
    assert_eq!(page.eval("sessionStorage.n").unwrap(), "2");
    page.goto(&server.url("/#there")).unwrap();
    assert_eq!(page.url(), server.url("/#there"));
    page.goto(&server.url("/missing")).unwrap();
    assert_eq!(page.text("body"), "nothing here");
}

#[test]
#[ignore = "needs Chromium: cargo xtask test"]
fn what_cannot_be_opened_is_an_error_that_says_why() {
    let page = Browser::shared().page();
    let error = page.goto("http://127.0.0.1:1/").unwrap_err();
    assert!(matches!(&error, Error::Navigation { .. }));
    assert!(error.to_string().contains("net::ERR_"), "{error}");
}

#[test]
#[ignore = "needs Chromium: cargo xtask test"]
fn an_expression_gives_its_value_or_what_it_threw() {
    let page = Browser::shared().page();
    let value = page.eval("({ a: [1, 'x', null], b: 0.5 })").unwrap();
    assert_eq!(value, json!({ "a": [1, "x", null], "b": 0.5 }));
    assert_eq!(page.eval("Promise.resolve(7)").unwrap(), 7);
    for (js, said) in [
        ("nobody", "nobody is not defined"),
        (
            "Promise.reject(new RangeError('too far'))",
            "RangeError: too far",
        ),
        ("throw 'bare'", "bare"),
        ("1 +", "SyntaxError"),
    ] {
        let error = page.eval(js).unwrap_err();
        assert!(matches!(error, Error::Thrown { .. }), "{js}: {error}");
        assert!(error.to_string().contains(said), "{js}: {error}");
    }
}

#[test]
#[ignore = "needs Chromium: cargo xtask test"]
fn what_comes_later_is_waited_for() {
    let (_server, page) = open(
        "<ul></ul><script>setTimeout(() => {
            document.querySelector('ul').innerHTML = '<li>late</li>';
            setTimeout(() => location.hash = 'done', 50);
         }, 50)</script>",
    );
    page.until("document.querySelector('li').textContent == 'late' // it throws at first");
    page.until_text("li", "late");
    page.until("location.hash == '#done'");
    page.until("Promise.resolve(document.querySelector('li'))");
}

#[test]
#[ignore = "needs Chromium: cargo xtask test"]
fn a_click_is_a_real_one_and_waits_until_it_can_hit() {
    let (_server, page) = open(
        "<style>#far { margin: 3000px 0 } #veil { position: fixed; inset: 0; background: red }</style>
         <button hidden>Go</button>
         <button id=far disabled>Go</button>
         <button id=other>Leave</button>
         <div id=veil></div>
         <script>
            const log = []; const far = document.querySelector('#far');
            far.onclick = e => log.push('far', e.isTrusted, e.detail);
            document.querySelector('#other').onclick = () => log.push('other');
            setTimeout(() => { far.disabled = false; setTimeout(() => veil.remove(), 100) }, 100);
         </script>",
    );
    page.click_text("button", "Go");
    assert_eq!(page.eval("log").unwrap(), json!(["far", true, 1]));
    page.click("#other");
    assert_eq!(page.eval("log.at(-1)").unwrap(), "other");
}

#[test]
#[ignore = "needs Chromium: cargo xtask test"]
fn keys_arrive_as_a_keyboard_sends_them() {
    let (_server, page) = open(
        "<form><input autofocus><textarea></textarea><button>Send</button></form><script>
            const log = [];
            onkeydown = e => log.push([e.key, e.code, e.shiftKey, e.ctrlKey, e.isTrusted]);
            onsubmit = e => { e.preventDefault(); log.push(['submit']) };
         </script>",
    );
    page.click("input");
    page.press("j");
    page.press("?");
    page.type_text("ünï\u{1F94B}");
    page.press("Enter");
    page.press("Tab");
    page.press("k");
    page.press("Enter");
    page.press("Shift+Tab");
    page.press("Control+Enter");
    let log = page.eval("log").unwrap();
    assert_eq!(
        log,
        json!([
            ["j", "KeyJ", false, false, true],
            ["?", "Slash", true, false, true],
            ["Enter", "Enter", false, false, true],
            ["submit"],
            ["Tab", "Tab", false, false, true],
            ["k", "KeyK", false, false, true],
            ["Enter", "Enter", false, false, true],
            ["Tab", "Tab", true, false, true],
            ["Enter", "Enter", false, true, true],
        ])
    );
    let values = page
        .eval("[document.querySelector('input').value, document.querySelector('textarea').value]");
    assert_eq!(values.unwrap(), json!(["j?ünï\u{1F94B}", "k\n"]));
}

#[test]
#[ignore = "needs Chromium: cargo xtask test"]
fn the_wheel_scrolls_what_is_under_it() {
    let (_server, page) = open(
        "<style>body { margin: 0; height: 5000px } div { height: 300px; overflow: auto } p { height: 4000px }</style>
         <div><p>long</div>",
    );
    page.scroll("div", 700.0);
    page.until("document.querySelector('div').scrollTop == 700");
    assert_eq!(page.eval("scrollY").unwrap(), 0);
    page.scroll("html", 500.0);
    page.until("scrollY == 500");
}

#[test]
#[ignore = "needs Chromium: cargo xtask test"]
fn a_second_page_shares_cookies_only_if_it_is_the_same_persons() {
    let server = Server::of(&[
        (
            "/",
            "Set-Cookie: k=v; HttpOnly; SameSite=Strict; Path=/\r\n",
            "hello",
        ),
        ("/plain", "", "hello"),
    ]);
    let page = Browser::shared().page();
    page.goto(&server.url("/")).unwrap();
    let cookies = page.cookies();
    let [cookie] = &*cookies else {
        panic!("one cookie is expected: {cookies:?}")
    };
    assert_eq!(
        (&*cookie.name, &*cookie.value, cookie.http_only),
        ("k", "v", true)
    );
    assert_eq!(
        (cookie.same_site.as_deref(), cookie.secure),
        (Some("Strict"), false)
    );
    let same = page.another();
    same.goto(&server.url("/plain")).unwrap();
    assert_eq!(same.cookies(), cookies);
    let other = Browser::shared().page();
    other.goto(&server.url("/plain")).unwrap();
    assert_eq!(other.cookies(), []);
    // Neither window covers the other.
    for page in [&page, &same, &other] {
        assert_eq!(
            page.eval("document.visibilityState + document.hasFocus()")
                .unwrap(),
            "visibletrue"
        );
    }
}
