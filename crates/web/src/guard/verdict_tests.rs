//! Rows: a request, and its verdict.

use std::time::Duration;

use axum::http::HeaderValue;

use super::*;
use crate::auth::link;

const PROGRAM: &str = "token";

struct Stage {
    _dir: tempfile::TempDir,
    hosts: Hosts,
    auth: Auth,
    token: String,
    full: String,
    read: String,
    csrf: String,
    other_csrf: String,
}

fn stage() -> Stage {
    let dir = tempfile::tempdir().unwrap();
    let auth = Auth::open(dir.path(), false).unwrap();
    let peer = "127.0.0.1".parse().unwrap();
    let session = |role| {
        let key = link::make(dir.path(), role, Duration::from_secs(60)).unwrap();
        let (cookie, who) = auth.redeem(&key, peer).unwrap().unwrap();
        let cookie = cookie.split(';').next().unwrap().to_owned();
        (cookie, who.csrf.unwrap())
    };
    let (full, csrf) = session(Role::Full);
    let (read, _) = session(Role::ReadOnly);
    let (_, other_csrf) = session(Role::Full);
    Stage {
        hosts: Hosts::new(false, 4000, []),
        token: std::fs::read_to_string(dir.path().join("token")).unwrap(),
        full,
        read,
        csrf,
        other_csrf,
        auth,
        _dir: dir,
    }
}

impl Stage {
    /// The request `line` with headers; `{token}` and so on are replaced by valid values.
    fn ask(&self, line: &str, headers: &[&str]) -> Result<Option<String>, Refused> {
        let fill = |text: &str| {
            text.replace("{token}", &self.token)
                .replace("{full}", &self.full)
                .replace("{read}", &self.read)
                .replace("{csrf}", &self.csrf)
                .replace("{other-csrf}", &self.other_csrf)
        };
        let mut map = HeaderMap::new();
        for header in headers {
            let (name, value) = header.split_once(": ").unwrap();
            let name: HeaderName = name.parse().unwrap();
            map.append(name, HeaderValue::from_str(&fill(value)).unwrap());
        }
        let (method, uri) = line.split_once(' ').unwrap();
        let asked = Asked {
            method: &method.parse().unwrap(),
            uri: &uri.parse().unwrap(),
            headers: &map,
            ends: Ends {
                peer: "127.0.0.1:5000".parse().unwrap(),
                local: "127.0.0.1:4000".parse().unwrap(),
            },
        };
        let who = verdict(&self.hosts, &self.auth, &asked)?;
        Ok(who.map(|who| who.name.split(' ').next().unwrap_or_default().to_owned()))
    }
}

type Row<'a> = (&'a str, &'a [&'a str], Result<Option<&'a str>, Refused>);

#[track_caller]
fn check(rows: &[Row<'_>]) {
    let stage = stage();
    for (line, headers, expected) in rows {
        let got = stage.ask(line, headers);
        let expected = expected.map(|who| who.map(str::to_owned));
        assert_eq!(got, expected, "{line} {headers:?}");
    }
}

const OURS: &str = "Host: localhost:4000";
const PAGE: &str = "Origin: http://localhost:4000";
const TOKEN: &str = "Authorization: Bearer {token}";
const COOKIE_FULL: &str = "Cookie: {full}";
const COOKIE_READ: &str = "Cookie: {read}";
const CSRF_RIGHT: &str = "X-CSRF-Token: {csrf}";
const BROWSER: Result<Option<&str>, Refused> = Ok(Some("session"));

#[test]
#[rustfmt::skip]
fn a_host_that_is_not_ours_is_refused_whoever_asks() {
    check(&[
        ("GET /", &[OURS, TOKEN], Ok(Some(PROGRAM))),
        ("GET /", &[TOKEN], Err(Refused::Host)),
        ("GET /", &["Host: evil.example:4000", TOKEN], Err(Refused::Host)),
        ("GET /", &["Host: localhost:4001", TOKEN], Err(Refused::Host)),
        ("GET /", &[OURS, OURS, TOKEN], Err(Refused::Host)),
        ("GET http://localhost:4000/", &[OURS, TOKEN], Ok(Some(PROGRAM))),
        ("GET http://evil.example/", &[OURS, TOKEN], Err(Refused::Host)),
        ("GET /login", &["Host: evil.example:4000"], Err(Refused::Host)),
        ("BREW /none", &["Host: evil.example:4000"], Err(Refused::Host)),
    ]);
}

#[test]
#[rustfmt::skip]
fn a_page_that_is_not_ours_is_refused_whoever_asks() {
    for who in [TOKEN, COOKIE_FULL] {
        let name = if who == TOKEN { PROGRAM } else { "session" };
        check(&[
            ("GET /", &[OURS, who, PAGE], Ok(Some(name))),
            ("GET /", &[OURS, who, "Origin: null"], Err(Refused::Origin)),
            ("GET /", &[OURS, who, "Origin: http://evil.example"], Err(Refused::Origin)),
            ("GET /", &[OURS, who, PAGE, PAGE], Err(Refused::Origin)),
            ("POST /", &[OURS, who, "Origin: https://localhost:4000"], Err(Refused::Origin)),
            ("GET /login", &[OURS, "Origin: http://evil.example"], Err(Refused::Origin)),
        ]);
    }
}

#[test]
#[rustfmt::skip]
fn what_another_site_makes_a_browser_ask_is_refused_unless_a_person_follows_a_link() {
    const CROSS: &str = "Sec-Fetch-Site: cross-site";
    const SAME: &str = "Sec-Fetch-Site: same-site";
    const GOES: &str = "Sec-Fetch-Mode: navigate";
    const TOP: &str = "Sec-Fetch-Dest: document";
    check(&[
        ("GET /", &[OURS, COOKIE_FULL, "Sec-Fetch-Site: same-origin"], BROWSER),
        ("GET /", &[OURS, COOKIE_FULL, "Sec-Fetch-Site: none"], BROWSER),
        ("GET /", &[OURS, COOKIE_FULL, CROSS], Err(Refused::Site)),
        ("GET /", &[OURS, COOKIE_FULL, SAME], Err(Refused::Site)),
        ("GET /", &[OURS, COOKIE_FULL, CROSS, GOES, TOP], BROWSER),
        ("GET /", &[OURS, COOKIE_FULL, CROSS, GOES, "Sec-Fetch-Dest: iframe"], Err(Refused::Site)),
        ("HEAD /", &[OURS, COOKIE_FULL, CROSS, GOES, TOP], Err(Refused::Site)),
        ("POST /", &[OURS, COOKIE_FULL, PAGE, CSRF_RIGHT, CROSS, GOES, TOP], Err(Refused::Site)),
        ("GET /login", &[OURS, CROSS, GOES, TOP], Ok(None)),
        ("GET /login", &[OURS, CROSS, "Sec-Fetch-Dest: image"], Err(Refused::Site)),
    ]);
}

#[test]
#[rustfmt::skip]
fn only_who_is_known_gets_further() {
    let cut = format!("Cookie: {}", &stage().full[..40]);
    check(&[
        ("GET /", &[OURS], Err(Refused::Unknown)),
        ("GET /api/none", &[OURS], Err(Refused::Unknown)),
        ("POST /none", &[OURS], Err(Refused::Unknown)),
        ("GET /", &[OURS, "Cookie: other=1"], Err(Refused::Unknown)),
        ("GET /", &[OURS, "Cookie: other=1; {full}"], BROWSER),
        ("GET /", &[OURS, &cut], Err(Refused::Unknown)),
        ("GET /", &[OURS, "Cookie: {full}0"], Err(Refused::Wrong)),
        ("GET /", &[OURS, "Cookie: {full}0; {full}"], BROWSER),
        ("GET /", &[OURS, "Authorization: Bearer wrong"], Err(Refused::Wrong)),
        ("GET /", &[OURS, "Authorization: bearer {token}"], Ok(Some(PROGRAM))),
        ("GET /", &[OURS, "Authorization: Bearer {token}0"], Err(Refused::Wrong)),
        ("GET /", &[OURS, "Authorization: Basic {token}"], Err(Refused::Wrong)),
        ("GET /", &[OURS, "Authorization: {token}"], Err(Refused::Wrong)),
        ("GET /", &[OURS, TOKEN, TOKEN], Err(Refused::Wrong)),
        ("GET /", &[OURS, "Authorization: Bearer wrong", COOKIE_FULL], Err(Refused::Wrong)),
        ("GET /?token={token}", &[OURS], Err(Refused::Unknown)),
    ]);
}

#[test]
#[rustfmt::skip]
fn the_login_and_the_assets_are_open_to_look_at_and_nothing_else_is() {
    check(&[
        ("GET /login?key=1", &[OURS], Ok(None)),
        ("HEAD /login?key=1", &[OURS], Ok(None)),
        ("GET /assets/x/app.css", &[OURS], Ok(None)),
        ("POST /login", &[OURS], Err(Refused::Unknown)),
        ("GET /login/", &[OURS], Err(Refused::Unknown)),
        ("GET /loginx", &[OURS], Err(Refused::Unknown)),
        ("GET /assets", &[OURS], Err(Refused::Unknown)),
        ("GET //assets/x", &[OURS], Err(Refused::Unknown)),
    ]);
}

#[test]
#[rustfmt::skip]
fn a_change_by_a_browser_needs_its_role_our_page_and_its_own_csrf_token() {
    for line in ["POST /", "PUT /", "PATCH /", "DELETE /api/specs/x"] {
        check(&[
            (line, &[OURS, TOKEN], Ok(Some(PROGRAM))),
            (line, &[OURS, COOKIE_FULL, PAGE, CSRF_RIGHT], BROWSER),
            (line, &[OURS, COOKIE_FULL, CSRF_RIGHT], Err(Refused::NoOrigin)),
            (line, &[OURS, COOKIE_FULL, PAGE], Err(Refused::Csrf)),
            (line, &[OURS, COOKIE_FULL, PAGE, "X-CSRF-Token: wrong"], Err(Refused::Csrf)),
            (line, &[OURS, COOKIE_FULL, PAGE, "X-CSRF-Token: {other-csrf}"], Err(Refused::Csrf)),
            (line, &[OURS, COOKIE_FULL, PAGE, CSRF_RIGHT, CSRF_RIGHT], Err(Refused::Csrf)),
            (line, &[OURS, COOKIE_READ, PAGE, CSRF_RIGHT], Err(Refused::ReadOnly)),
        ]);
    }
    check(&[("GET /", &[OURS, COOKIE_READ], BROWSER)]);
}

#[test]
fn methods_that_nobody_needs_are_refused_once_it_is_known_who_asks() {
    for line in [
        "TRACE /",
        "OPTIONS /",
        "OPTIONS /login",
        "CONNECT localhost:4000",
        "BREW /",
    ] {
        check(&[
            (line, &[OURS, TOKEN], Err(Refused::Method)),
            (line, &[OURS, COOKIE_FULL], Err(Refused::Method)),
            (line, &[OURS, COOKIE_READ], Err(Refused::Method)),
            (line, &[OURS], Err(Refused::Unknown)),
            (
                line,
                &[OURS, "Authorization: Bearer wrong"],
                Err(Refused::Wrong),
            ),
            (
                line,
                &[OURS, TOKEN, "Origin: http://evil.example"],
                Err(Refused::Origin),
            ),
        ]);
    }
    check(&[(
        "GET /",
        &[OURS, COOKIE_READ, "X-HTTP-Method-Override: DELETE"],
        BROWSER,
    )]);
}
