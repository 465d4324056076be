//! What is noticed: requests, and everything that goes wrong.

use kumite_browser::{Browser, Page};

use crate::server::Server;
use crate::wait;

fn troubled(page: &Page, beginning: &str) {
    let begins = |trouble: &String| trouble.starts_with(beginning);
    wait(&format!("there is trouble: {beginning}"), || {
        page.troubles().iter().any(begins)
    });
}

#[test]
#[ignore = "needs Chromium: cargo xtask test"]
fn a_quiet_page_has_no_troubles_and_asks_only_its_own_server() {
    let server = Server::of(&[
        (
            "/",
            "",
            "<link rel=icon href='data:,'><script src=/a.js></script><img src='data:image/gif;base64,R0lGODlhAQABAAAAACw='>",
        ),
        ("/a.js", "", "console.log('fine'); fetch('/headers')"),
    ]);
    let page = Browser::shared().page();
    page.set_headers(&[("X-Kind", "test")]);
    page.goto(&server.url("/")).unwrap();
    let heard = page
        .eval("fetch('/headers').then(answer => answer.text())")
        .unwrap();
    assert!(heard.as_str().unwrap().contains("X-Kind: test"), "{heard}");
    assert_eq!(page.troubles(), [""; 0]);
    assert_eq!(page.failed(), [""; 0]);
    assert_eq!(page.requests()[..2], [server.url("/"), server.url("/a.js")]);
    assert!(
        page.requests()[2..]
            .iter()
            .all(|url| *url == server.url("/headers"))
    );
    wait("the bytes are counted", || page.received_bytes() > 300);
    page.forget();
    assert_eq!((page.requests().len(), page.received_bytes()), (0, 0));
}

#[test]
#[ignore = "needs Chromium: cargo xtask test"]
fn an_alert_is_noticed_and_does_not_stop_the_page() {
    let server =
        Server::page("<img src=/x onerror=alert(1)><script>var sure = confirm('Sure?')</script>");
    let page = Browser::shared().page();
    page.goto(&server.url("/")).unwrap();
    assert_eq!(page.eval("sure").unwrap(), false);
    troubled(&page, "dialog: confirm: Sure?");
    troubled(&page, "dialog: alert: 1");
}

#[test]
#[ignore = "needs Chromium: cargo xtask test"]
fn console_errors_exceptions_and_missing_files_are_noticed() {
    let server = Server::page(
        "<script>console.error('bad', {a: 1}, 7, new Error('inner'))</script>
         <script>console.warn('meh')</script>
         <script>throw new TypeError('wrong')</script>
         <script>Promise.reject(new Error('unheard'))</script>
         <script src=/missing.js></script>",
    );
    let page = Browser::shared().page();
    page.goto(&server.url("/")).unwrap();
    troubled(&page, "console: bad Object 7 Error: inner");
    troubled(&page, "uncaught: TypeError: wrong");
    troubled(&page, "uncaught: Error: unheard");
    troubled(
        &page,
        "network: Failed to load resource: the server responded with a status of 404",
    );
    assert!(!page.troubles().concat().contains("meh"));
}

#[test]
#[ignore = "needs Chromium: cargo xtask test"]
fn a_breach_of_the_content_security_policy_is_noticed() {
    let server = Server::of(&[(
        "/",
        "Content-Security-Policy: default-src 'self'\r\n",
        "<script>document.title = 'broken in'</script><img src='http://localhost:1/x'>",
    )]);
    let page = Browser::shared().page();
    page.goto(&server.url("/")).unwrap();
    assert_eq!(page.eval("document.title").unwrap(), "");
    troubled(&page, "security: ");
    let troubles = page.troubles().concat();
    assert!(troubles.contains("Content Security Policy"), "{troubles}");
}

#[test]
#[ignore = "needs Chromium: cargo xtask test"]
fn foreign_frames_and_workers_are_watched_too() {
    let server = Server::of(&[
        ("/", "", ""),
        (
            "/inner",
            "",
            "<script>fetch('/headers'); console.error('from within')</script>",
        ),
        (
            "/worker.js",
            "",
            "fetch('/headers?worker'); console.error('at work')",
        ),
    ]);
    let page = Browser::shared().page();
    page.goto(&server.url("/")).unwrap();
    let frame = format!(
        "document.body.append(Object.assign(document.createElement('iframe'), {{ src: '{}' }}))",
        server.other_url("/inner")
    );
    page.eval(&frame).unwrap();
    page.eval("void new Worker('/worker.js')").unwrap();
    troubled(&page, "console: from within");
    troubled(&page, "console: at work");
    let wanted = [
        server.other_url("/inner"),
        server.other_url("/headers"),
        server.url("/worker.js"),
        server.url("/headers?worker"),
    ];
    wait("all requests are known", || {
        let requests = page.requests();
        wanted.iter().all(|url| requests.contains(url))
    });
}

#[test]
#[ignore = "needs Chromium: cargo xtask test"]
fn a_window_that_is_opened_is_a_request() {
    let server = Server::page(
        "<link rel=icon href='data:,'><button onclick=\"window.open('/other')\">Open</button>",
    );
    let page = Browser::shared().page();
    page.goto(&server.url("/")).unwrap();
    page.click("button");
    let other = server.url("/other");
    wait("the window is known", || page.requests().contains(&other));
}

#[test]
#[ignore = "needs Chromium: cargo xtask test"]
fn without_a_network_requests_fail_and_what_is_open_stays_open() {
    let server = Server::page(
        "<link rel=icon href='data:,'><script>
         const heard = []; let count = 0;
         const source = new EventSource('/stream');
         source.onmessage = () => count++;
         onoffline = () => heard.push('offline'); ononline = () => heard.push('online')</script>",
    );
    let page = Browser::shared().page();
    page.goto(&server.url("/")).unwrap();
    page.until("count > 0");
    page.offline(true);
    assert!(page.eval("fetch('/headers')").is_err());
    let lost = format!("{}: net::ERR_INTERNET_DISCONNECTED", server.url("/headers"));
    wait("the failure is known", || page.failed() == [&*lost]);
    page.until("heard.includes('offline')");
    page.eval("count = 0").unwrap();
    page.until("count > 0");
    page.offline(false);
    page.until("heard.includes('online')");
    page.eval("fetch('/headers')").unwrap();
}
