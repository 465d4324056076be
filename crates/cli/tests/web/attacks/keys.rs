//! Tokens, cookies and links: guessed, forged, cut off, used twice.

use std::io::Read;
use std::os::unix::fs::{MetadataExt, symlink};

use super::*;

#[test]
#[rustfmt::skip]
fn a_token_that_is_not_the_right_one_opens_nothing() {
    let stage = stage();
    let token = stage.served.token.clone();
    stage.ask(LOOK, &[HOST, TOKEN], "").assert_status(200);
    let long = "a".repeat(20_000);
    for (what, header) in [
        ("a wrong one", "Authorization: Bearer wrong".to_owned()),
        ("an empty one", "Authorization: Bearer ".to_owned()),
        ("no scheme", format!("Authorization: {token}")),
        ("another scheme", format!("Authorization: Basic {token}")),
        ("a short one", format!("Authorization: Bearer {}", &token[..token.len() - 1])),
        ("a long one", format!("Authorization: Bearer {token}0")),
        ("a very long one", format!("Authorization: Bearer {long}")),
        ("in capitals", format!("Authorization: Bearer {}", token.to_uppercase())),
        ("two of them", format!("Authorization: Bearer {token}, Bearer {token}")),
        ("bytes", "Authorization: Bearer \u{fffd}\u{fffd}".to_owned()),
        ("in a header of another name", format!("X-Token: {token}")),
        ("as a cookie", format!("Cookie: token={token}")),
    ] {
        let answer = stage.ask(LOOK, &[HOST, &header], "");
        assert_eq!(answer.status, 401, "{what}: {answer:?}");
        assert!(!answer.text().contains("specs\":"), "{what}");
    }
    let query = format!("{LOOK}?token={token}&access_token={token}");
    stage.ask(&query, &[HOST], "").assert_status(401);
}

#[test]
fn a_wrong_token_is_not_forgiven_for_a_good_cookie() {
    let stage = stage();
    stage.ask(LOOK, &[HOST, COOKIE], "").assert_status(200);
    let wrong = [HOST, COOKIE, "Authorization: Bearer wrong"];
    stage.ask(LOOK, &wrong, "").assert_status(401);
}

#[test]
fn without_token_and_cookie_every_path_is_closed() {
    let stage = stage();
    for line in [
        "GET /",
        "GET /api/specs",
        "GET /api/events",
        "GET /api/openapi.json",
        "GET /specs/login",
        "GET /settings",
        "GET /history",
        "GET /contests",
        "GET /none",
        "GET /api/none",
        "HEAD /",
        "POST /api/specs",
        "POST /login",
        "DELETE /none",
        "OPTIONS /",
        "OPTIONS /login",
        "TRACE /api/specs",
        "BREW /none",
        "GET /login/../",
        "GET /assets/../api/specs",
        "GET //api/specs",
    ] {
        let answer = stage.ask(line, &[HOST], "");
        let expected = match line {
            // Open, but nothing is there.
            "GET /assets/../api/specs" => 404,
            _ => 401,
        };
        assert_eq!(answer.status, expected, "{line}: {answer:?}");
        if line.contains(" /api/") {
            assert!(answer.json()["error"].is_string(), "{line}");
        }
    }
}

#[test]
#[rustfmt::skip]
fn a_cookie_that_was_forged_or_changed_is_worth_nothing() {
    let stage = stage();
    let link = stage.link(&["--read-only"]);
    let url = format!("{}{link}", stage.served.url);
    let reader = stage.served.login_with(&url).cookie;
    let full = stage.browser.cookie.clone();
    let (name, value) = full.split_once('=').unwrap();
    let parts: Vec<&str> = value.split('.').collect();
    stage.ask(LOOK, &[HOST, &format!("Cookie: {full}")], "").assert_status(200);
    stage.ask(LOOK, &[HOST, &format!("Cookie: {reader}")], "").assert_status(200);
    for (what, cookie) in [
        ("cut off", full[..full.len() - 1].to_owned()),
        ("longer", format!("{full}0")),
        ("without its seal", format!("{name}={}.{}.{}", parts[0], parts[1], parts[2])),
        ("an empty seal", format!("{name}={}.{}.{}.", parts[0], parts[1], parts[2])),
        ("a longer life", full.replace(parts[2], "9999999999")),
        ("another id", full.replace(parts[1], "0000000000000000")),
        ("more than it was made for", reader.replace("=read.", "=full.")),
        ("empty", format!("{name}=")),
        ("the token", format!("{name}={}", stage.served.token)),
        ("another name", full.replace(name, "session")),
        ("in capitals", format!("{name}={}", value.to_uppercase())),
    ] {
        let answer = stage.ask(LOOK, &[HOST, &format!("Cookie: {cookie}")], "");
        assert_eq!(answer.status, 401, "{what}: {cookie}");
    }
}

#[test]
#[rustfmt::skip]
fn a_link_works_once_and_is_not_guessed() {
    let stage = stage();
    let link = stage.link(&[]);
    let line = format!("GET {link}");
    // A request that only asks whether something is there does not use it up.
    stage.ask(&format!("HEAD {link}"), &[HOST], "").assert_status(204);
    stage.ask(&line, &["Host: evil.example"], "").assert_status(403);
    stage.ask(&line, &[HOST, "Origin: http://evil.example"], "").assert_status(403);
    // Neither does a browser that preloads the page.
    for ahead in [
        "Sec-Purpose: prefetch",
        "Sec-Purpose: prefetch;prerender",
        "Purpose: prefetch",
        "Purpose: Prefetch",
        "X-Purpose: preview",
        "X-Moz: prefetch",
    ] {
        let answer = stage.ask(&line, &[HOST, ahead], "");
        assert_eq!(answer.status, 503, "{ahead}: {answer:?}");
        assert_eq!(answer.header("cache-control"), Some("no-store"));
        assert_eq!(answer.header("set-cookie"), None);
    }
    stage.ask(&line, &[HOST], "").assert_status(303);
    for (what, line) in [
        ("a second time", line.clone()),
        ("the first link again", format!("GET {}", stage.served.login_url.replace(&stage.served.url, ""))),
        ("no key", "GET /login".to_owned()),
        ("an empty key", "GET /login?key=".to_owned()),
        ("a guess", "GET /login?key=00000000000000000000000000000000".to_owned()),
        ("the token", format!("GET /login?key={}", stage.served.token)),
        ("the hash of a key", format!("GET /login?key={}", hash_in_file(&stage))),
    ] {
        let answer = stage.ask(&line, &[HOST], "");
        assert_eq!(answer.status, 401, "{what}: {answer:?}");
        assert_eq!(answer.header("set-cookie"), None, "{what}");
        assert!(answer.text().contains("kumite serve link"), "{what}");
    }
}

/// An unused link, as a reader of the file sees it.
fn hash_in_file(stage: &Stage) -> String {
    stage.link(&[]);
    let links = stage.world.read(".kiro/runtime/kumite/links.json");
    let links: serde_json::Value = serde_json::from_str(&links).unwrap();
    links[0]["hash"].as_str().unwrap().to_owned()
}

#[test]
fn a_link_whose_time_is_over_and_a_session_whose_time_is_over_are_worth_nothing() {
    let mut world = World::new();
    world.spec("login");
    let clock = world.path("clock");
    world
        .env
        .push(("KUMITE_CLOCK_AHEAD".into(), clock.display().to_string()));
    let ahead = |hours: u64| std::fs::write(&clock, (hours * 3_600_000).to_string()).unwrap();
    ahead(0);
    let served = world.serve();
    let stage = Stage {
        browser: served.login(),
        served,
        world,
    };
    let (short, long) = (stage.link(&["--ttl", "1h"]), stage.link(&["--ttl", "3h"]));
    let look = |args: &[&str]| {
        let link = stage.link(&[&["--read-only"], args].concat());
        let url = format!("{}{link}", stage.served.url);
        stage.served.login_with(&url)
    };
    let (hour, week) = (look(&[]), look(&["--ttl", "7d"]));
    let late = stage.link(&["--read-only", "--ttl", "3h"]);
    let mut events = stage.served.connect();
    let head = format!("GET /api/events HTTP/1.1\r\n{HOST}\r\n");
    let head = stage.fill(&format!("{head}{}\r\n\r\n", hour.cookie()));
    events.write_all(head.as_bytes()).unwrap();
    let mut status = [0; 12];
    events.read_exact(&mut status).unwrap();
    assert_eq!(&status, b"HTTP/1.1 200");
    ahead(2);
    stage
        .ask(&format!("GET {short}"), &[HOST], "")
        .assert_status(401);
    stage
        .ask(&format!("GET {long}"), &[HOST], "")
        .assert_status(303);
    // A page lent for an hour is lent for an hour, whenever it was opened; and an expired session
    // gets no news.
    hour.get("/").assert_status(401);
    stage
        .served
        .post("/api/specs/login/run", &serde_json::json!({}));
    let mut news = String::new();
    events.read_to_string(&mut news).unwrap();
    assert!(news.contains("event: hello"), "{news}");
    assert!(!news.contains("login"), "{news}");
    let late = stage
        .served
        .login_with(&format!("{}{late}", stage.served.url));
    late.get("/").assert_status(200);
    ahead(4);
    late.get("/").assert_status(401);
    ahead(7 * 24 - 1);
    week.get("/").assert_status(200);
    ahead(7 * 24 + 1);
    week.get("/").assert_status(401);
    stage.browser.get("/").assert_status(200);
    ahead(30 * 24 + 1);
    stage.browser.get("/").assert_status(401);
}

#[test]
fn who_may_only_look_changes_nothing() {
    let stage = stage();
    let link = stage.link(&["--read-only", "--ttl", "1h"]);
    let reader = stage
        .served
        .login_with(&format!("{}{link}", stage.served.url));
    reader.get("/").assert_status(200);
    reader.get("/api/specs").assert_status(200);
    let before = stage.changes();
    for path in [
        "stop", "run", "reset", "approve", "reject", "pause", "resume",
    ] {
        let answer = reader.post(&format!("/api/specs/login/{path}"), &serde_json::json!({}));
        assert_eq!(answer.status, 403, "{path}: {answer:?}");
    }
    reader
        .post("/api/specs", &serde_json::json!({"name": "new"}))
        .assert_status(403);
    assert_eq!(stage.changes(), before);
    assert!(!stage.world.path(".kiro/specs/new").exists());
    // There is no button for it either.
    assert!(!reader.get("/specs/login").text().contains("data-post"));
    assert!(
        stage
            .browser
            .get("/specs/login")
            .text()
            .contains("data-post")
    );
}

#[test]
fn sessions_outlive_a_restart_but_not_the_token() {
    let mut stage = stage();
    let port = stage.served.port;
    assert_eq!(stage.served.end("TERM"), 143);
    stage.served = stage.world.serve();
    assert_eq!(
        stage.served.port, port,
        "an open page finds the server again"
    );
    stage.browser.get("/").assert_status(200);
    stage.served.end("TERM");
    std::fs::remove_file(stage.world.path(".kiro/runtime/kumite/token")).unwrap();
    stage.served = stage.world.serve();
    stage.browser.get("/").assert_status(401);
}

#[test]
fn the_files_of_secrets_are_for_their_owner_alone() {
    let stage = stage();
    stage.link(&[]);
    for file in ["token", "links.json", "serve.json", "audit.jsonl"] {
        let path = stage.world.path(&format!(".kiro/runtime/kumite/{file}"));
        let mode = std::fs::metadata(&path).unwrap().mode() & 0o777;
        assert_eq!(mode, 0o600, "{file}");
    }
    assert!(stage.served.token.len() >= 22);
}

#[test]
fn secrets_that_came_with_a_repository_are_not_used() {
    use std::os::unix::fs::PermissionsExt;
    // The author of the repository knows the token, a link and the key, but version control cannot
    // store mode 0600.
    let world = World::new();
    let token = "a-token-that-somebody-else-knows";
    let hash = "2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae"; // of "foo"
    let links = format!(r#"[{{"hash":"{hash}","read_only":false,"until_ms":99999999999999}}]"#);
    let evil = r#"{"url":"https://evil.example","pid":1,"address":"127.0.0.1:1"}"#;
    for (file, text) in [
        ("token", token),
        ("links.json", &links),
        ("serve.json", evil),
    ] {
        let path = format!(".kiro/runtime/kumite/{file}");
        world.write(&path, text);
        let mode = std::fs::Permissions::from_mode(0o644);
        std::fs::set_permissions(world.path(&path), mode).unwrap();
    }
    let out = world.kumite(&["serve", "link"]);
    assert!(!out.assert_code(5).stdout.contains("evil"), "{out:?}");
    let served = world.serve();
    assert_ne!(served.token, token);
    let bearer = format!("Authorization: Bearer {token}");
    served
        .send("GET", "/api/specs", &[&bearer], "")
        .assert_status(401);
    served
        .send("GET", "/login?key=foo", &[], "")
        .assert_status(401);
    served.get("/api/specs").assert_status(200);
    served.login().get("/").assert_status(200);
}

#[test]
fn a_link_in_place_of_the_token_is_not_followed() {
    let world = World::new();
    world.write("elsewhere", "a text that could well be a token");
    std::fs::create_dir_all(world.path(".kiro/runtime/kumite")).unwrap();
    let token = world.path(".kiro/runtime/kumite/token");
    symlink(world.path("elsewhere"), &token).unwrap();
    let out = world.kumite(&["serve", "--json"]);
    assert_eq!((out.code, &*out.stdout), (1, ""), "{out:?}");
    assert!(out.stderr.contains("token"), "{out:?}");
}

#[test]
fn a_link_for_a_server_that_does_not_run_says_what_to_do() {
    let world = World::new();
    let out = world.kumite(&["serve", "link"]);
    out.assert_code(5);
    assert!(out.stderr.contains("`kumite serve` starts one"), "{out:?}");
    let mut served = world.serve();
    world.kumite(&["serve", "link"]).assert_code(0);
    served.end("INT");
    world.kumite(&["serve", "link"]).assert_code(5);
    // A killed server could not remove its entry.
    let mut served = world.serve();
    served.end("KILL");
    assert!(world.path(".kiro/runtime/kumite/serve.json").exists());
    world.kumite(&["serve", "link"]).assert_code(5);
}
