//! Other pages, and other names for our address.

use super::*;

/// What the script of a page does, except for one thing.
const FORM: &str = "Content-Type: application/x-www-form-urlencoded";

fn attack<'a>(what: &'a str, line: &'a str, headers: &'a [&'a str], status: u16) -> Attack<'a> {
    let body = if line == CHANGE { "{}" } else { "" };
    Attack {
        what,
        line,
        headers,
        body,
        status,
    }
}

#[test]
#[rustfmt::skip]
fn pages_of_others_change_and_read_nothing() {
    let stage = stage();
    stage.changes_are_possible();
    stage.ask(LOOK, &[HOST, ORIGIN, TOKEN], "").assert_status(200);
    let evil = "Origin: http://evil.example";
    stage.all_fail(&[
        attack("foreign origin", CHANGE, &[HOST, evil, COOKIE, CSRF, JSON], 403),
        attack("foreign origin with the token", CHANGE, &[HOST, evil, TOKEN, JSON], 403),
        attack("foreign origin reads with the token", LOOK, &[HOST, evil, TOKEN], 403),
        attack("foreign origin reads with the cookie", LOOK, &[HOST, evil, COOKIE], 403),
        attack("an origin of null", CHANGE, &[HOST, "Origin: null", COOKIE, CSRF, JSON], 403),
        attack("an origin of null, with the token", LOOK, &[HOST, "Origin: null", TOKEN], 403),
        attack("our host, another port", CHANGE, &[HOST, "Origin: http://127.0.0.1:1", COOKIE, CSRF, JSON], 403),
        attack("our host, another scheme", CHANGE, &[HOST, "Origin: https://127.0.0.1:{port}", COOKIE, CSRF, JSON], 403),
        attack("an origin that begins like ours", CHANGE, &[HOST, "Origin: http://127.0.0.1:{port}.evil.example", COOKIE, CSRF, JSON], 403),
        attack("two origins", CHANGE, &[HOST, ORIGIN, evil, COOKIE, CSRF, JSON], 403),
        attack("an empty origin", CHANGE, &[HOST, "Origin: ", COOKIE, CSRF, JSON], 403),
        attack("a preflight", "OPTIONS /api/specs/login/stop", &[HOST, evil, "Access-Control-Request-Method: POST"], 403),
        attack("an image on another site", LOOK, &[HOST, COOKIE, "Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: no-cors", "Sec-Fetch-Dest: image"], 403),
        attack("a script of another port of this host", LOOK, &[HOST, COOKIE, "Sec-Fetch-Site: same-site", "Sec-Fetch-Mode: cors"], 403),
        attack("a frame on another site", "GET /", &[HOST, COOKIE, "Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: navigate", "Sec-Fetch-Dest: iframe"], 403),
        attack("a form on another site, sent as a navigation", CHANGE, &[HOST, COOKIE, FORM, "Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: navigate", "Sec-Fetch-Dest: document"], 403),
    ]);
    let answer = stage.ask(LOOK, &[HOST, ORIGIN, TOKEN], "");
    assert_eq!(answer.header("access-control-allow-origin"), None);
}

#[test]
#[rustfmt::skip]
fn other_names_for_our_address_are_not_answered() {
    let stage = stage();
    for ours in ["127.0.0.1", "localhost", "LocalHost", "[::1]"] {
        let host = format!("Host: {ours}:{{port}}");
        stage.ask(LOOK, &[&host, TOKEN], "").assert_status(200);
    }
    let ours = "GET http://127.0.0.1:{port}/api/specs";
    stage.ask(&stage.fill(ours), &[HOST, TOKEN], "").assert_status(200);
    let rebound = ["Host: evil.example:{port}", "Origin: http://evil.example:{port}", COOKIE, CSRF, JSON];
    stage.all_fail(&[
        attack("rebinding", LOOK, &["Host: evil.example:{port}", COOKIE], 403),
        attack("rebinding with the token", LOOK, &["Host: evil.example:{port}", TOKEN], 403),
        attack("rebinding changes", CHANGE, &rebound, 403),
        attack("rebinding of an open path", "GET /login?key=x", &["Host: evil.example:{port}"], 403),
        attack("rebinding of an unknown path", "GET /none", &["Host: evil.example:{port}", TOKEN], 403),
        attack("another port", LOOK, &["Host: 127.0.0.1:1", TOKEN], 403),
        attack("no port", LOOK, &["Host: 127.0.0.1", TOKEN], 403),
        attack("no host", LOOK, &[TOKEN], 403),
        attack("an empty host", LOOK, &["Host: ", TOKEN], 403),
        attack("two hosts", LOOK, &[HOST, "Host: evil.example", TOKEN], 403),
        attack("two hosts that are equal", LOOK, &[HOST, HOST, TOKEN], 403),
        attack("a name in front", LOOK, &["Host: evil.example@127.0.0.1:{port}", TOKEN], 403),
        attack("our address as a number", LOOK, &["Host: 2130706433:{port}", TOKEN], 403),
        attack("a host in the target", "GET http://evil.example/api/specs", &[HOST, TOKEN], 403),
        attack("X-Forwarded-Host", LOOK, &["Host: evil.example", "X-Forwarded-Host: 127.0.0.1:{port}", TOKEN], 403),
    ]);
}

#[test]
#[rustfmt::skip]
fn forms_and_scripts_without_the_csrf_token_change_nothing() {
    let stage = stage();
    let other = stage.served.login_with(&format!("{}{}", stage.served.url, stage.link(&[])));
    let others = format!("X-CSRF-Token: {}", other.csrf);
    stage.changes_are_possible();
    stage.all_fail(&[
        attack("a form", CHANGE, &[HOST, COOKIE, FORM], 403),
        attack("a form with our origin", CHANGE, &[HOST, ORIGIN, COOKIE, FORM], 403),
        attack("a form as text", CHANGE, &[HOST, COOKIE, "Content-Type: text/plain"], 403),
        attack("a form with files", CHANGE, &[HOST, COOKIE, "Content-Type: multipart/form-data; boundary=x"], 403),
        attack("no token", CHANGE, &[HOST, ORIGIN, COOKIE, JSON], 403),
        attack("an empty token", CHANGE, &[HOST, ORIGIN, COOKIE, "X-CSRF-Token: ", JSON], 403),
        attack("a wrong token", CHANGE, &[HOST, ORIGIN, COOKIE, "X-CSRF-Token: {csrf}0", JSON], 403),
        attack("zeros", CHANGE, &[HOST, ORIGIN, COOKIE, "X-CSRF-Token: 00000000000000000000000000000000", JSON], 403),
        attack("the token of another session", CHANGE, &[HOST, ORIGIN, COOKIE, &others, JSON], 403),
        attack("the right token without an origin", CHANGE, &[HOST, COOKIE, CSRF, JSON], 403),
        attack("the cookie as the token", CHANGE, &[HOST, ORIGIN, COOKIE, "X-CSRF-Token: {cookie}", JSON], 403),
    ]);
    let before = stage.changes();
    let query = stage.fill("POST /api/specs/login/stop?csrf={csrf}&X-CSRF-Token={csrf}");
    stage.ask(&query, &[HOST, ORIGIN, COOKIE, JSON], "{}").assert_status(403);
    let body = stage.fill(r#"{"csrf":"{csrf}","x-csrf-token":"{csrf}"}"#);
    stage.ask(CHANGE, &[HOST, ORIGIN, COOKIE, JSON], &body).assert_status(403);
    assert_eq!(stage.changes(), before);
}

#[test]
fn the_csrf_token_is_another_text_on_each_page_and_all_of_them_are_good() {
    let stage = stage();
    let (one, two) = (stage.browser.get("/").csrf(), stage.browser.get("/").csrf());
    assert_ne!(one, two);
    for csrf in [one, two] {
        let header = format!("X-CSRF-Token: {csrf}");
        let headers = [HOST, ORIGIN, COOKIE, &header, JSON];
        stage.ask(CHANGE, &headers, "{}").assert_status(200);
    }
}
