//! What answers tell, and what browsers are told to do with them.

use super::*;

/// Answers of every kind: pages, data, refusals, errors.
const ANSWERS: [(&str, &[&str], u16); 15] = [
    ("GET /", &[HOST, COOKIE], 200),
    ("GET /api/specs", &[HOST, TOKEN], 200),
    ("GET /specs/none", &[HOST, COOKIE], 404),
    ("GET /none", &[HOST, COOKIE], 404),
    ("GET /api/none", &[HOST, TOKEN], 404),
    ("GET /", &[HOST], 401),
    ("GET /api/specs", &[HOST], 401),
    ("GET /", &["Host: evil.example", COOKIE], 403),
    ("GET /login?key=wrong", &[HOST], 401),
    ("DELETE /api/specs", &[HOST, TOKEN], 405),
    ("TRACE /", &[HOST, TOKEN], 405),
    ("TRACE /", &[HOST], 401),
    ("GET /specs/%ff", &[HOST, COOKIE], 400),
    ("GET /login?key=1&key=2", &[HOST], 400),
    ("GET /assets/none/app.js", &[HOST], 404),
];

#[test]
fn every_answer_forbids_frames_guessing_of_types_referrers_and_caches() {
    let stage = stage();
    for (line, headers, status) in ANSWERS {
        let answer = stage.ask(line, headers, "");
        assert_eq!(answer.status, status, "{line}: {answer:?}");
        let header = |name| answer.header(name).unwrap_or_default();
        let policy = header("content-security-policy");
        for part in [
            "default-src 'none'",
            "script-src 'self'",
            // Only our own style, by its hash.
            "style-src 'sha256-",
            "base-uri 'none'",
            "form-action 'self'",
            "frame-ancestors 'none'",
        ] {
            assert!(policy.contains(part), "{line}: {policy}");
        }
        assert!(
            !policy.contains("unsafe") && !policy.contains("http"),
            "{policy}"
        );
        assert_eq!(header("x-frame-options"), "DENY", "{line}");
        assert_eq!(header("x-content-type-options"), "nosniff", "{line}");
        assert_eq!(header("referrer-policy"), "no-referrer", "{line}");
        assert_eq!(header("cache-control"), "no-store", "{line}");
        assert_eq!(
            header("cross-origin-opener-policy"),
            "same-origin",
            "{line}"
        );
        assert_eq!(
            header("cross-origin-resource-policy"),
            "same-origin",
            "{line}"
        );
        assert!(header("permissions-policy").contains("camera=()"), "{line}");
        for none in [
            "server",
            "strict-transport-security",
            "access-control-allow-origin",
        ] {
            assert_eq!(answer.header(none), None, "{line}");
        }
    }
}

#[test]
fn what_no_page_can_make_sense_of_is_refused_with_a_page() {
    let stage = stage();
    for (line, status) in [
        ("GET /specs/%ff", 400),
        ("GET /specs/login/agents/%ff", 400),
        ("GET /login?key=1&key=2", 400),
        ("POST /specs/login", 405),
    ] {
        let answer = stage.ask(line, &[HOST, TOKEN], "");
        assert_eq!(answer.status, status, "{line}: {answer:?}");
        let kind = answer.header("content-type");
        assert_eq!(kind, Some("text/html; charset=utf-8"), "{line}");
        assert!(answer.text().contains("<h1>"), "{line}: {answer:?}");
    }
    let answer = stage.ask("GET /api/specs/%ff", &[HOST, TOKEN], "");
    assert!(answer.assert_status(400).json()["error"].is_string());
}

#[test]
fn only_assets_that_are_named_by_their_content_may_be_kept() {
    let stage = stage();
    let page = stage.browser.get("/").text();
    let asset = page
        .split("href=\"/assets/")
        .nth(1)
        .unwrap()
        .split('"')
        .next()
        .unwrap();
    let answer = stage.ask(&format!("GET /assets/{asset}"), &[HOST], "");
    answer.assert_status(200);
    assert!(
        answer
            .header("cache-control")
            .unwrap()
            .contains("immutable")
    );
}

#[test]
fn the_cookie_is_out_of_reach_for_scripts_and_other_sites() {
    let stage = stage();
    for (args, age) in [
        (&[][..], 2_592_000),
        (&["--read-only"], 3600),
        (&["--read-only", "--ttl", "7d"], 604_800),
    ] {
        let answer = stage.ask(&format!("GET {}", stage.link(args)), &[HOST], "");
        let cookie = answer.header("set-cookie").unwrap().to_owned();
        let parts: Vec<&str> = cookie.split("; ").skip(1).collect();
        assert_eq!(parts[..3], ["HttpOnly", "SameSite=Strict", "Path=/"]);
        let told = parts[3].strip_prefix("Max-Age=").unwrap();
        let told: u64 = told.parse().unwrap();
        // The time of a link began when it was made.
        assert!(told <= age && told + 60 > age, "{cookie}");
        assert_eq!(answer.header("cache-control"), Some("no-store"));
    }
}

#[test]
fn a_link_leads_nowhere_but_to_our_page() {
    let stage = stage();
    for more in [
        "",
        "&next=https://evil.example/",
        "&next=//evil.example",
        "&redirect=https://evil.example&url=https://evil.example&return_to=//evil.example",
        "&next=%0d%0aSet-Cookie:%20evil=1",
    ] {
        let answer = stage.ask(&format!("GET {}{more}", stage.link(&[])), &[HOST], "");
        answer.assert_status(303);
        assert_eq!(answer.header("location"), Some("/"), "{more}");
        let cookies = answer
            .headers
            .iter()
            .filter(|(name, _)| name == "set-cookie");
        assert_eq!(cookies.count(), 1, "{more}");
    }
}

#[test]
fn no_secret_is_in_a_page_in_a_log_or_in_the_words_of_the_server() {
    let stage = stage();
    let key = stage
        .served
        .login_url
        .split("key=")
        .nth(1)
        .unwrap()
        .to_owned();
    let seal = stage.browser.cookie.rsplit('.').next().unwrap().to_owned();
    let secrets = [stage.served.token.clone(), key, seal];
    stage.ask(LOOK, &[HOST, "Authorization: Bearer wrong"], "");
    stage.changes_are_possible();
    let mut seen = String::new();
    for path in [
        "/",
        "/specs/login",
        "/settings",
        "/history",
        "/contests",
        "/api/specs",
        "/api/settings",
        "/api/audit",
    ] {
        let answer = stage.browser.get(path);
        answer.assert_status(200);
        seen += &answer.text();
        seen += &format!("{:?}", answer.headers);
    }
    for file in [
        "serve.stderr",
        ".kiro/runtime/kumite/audit.jsonl",
        ".kiro/runtime/kumite/links.json",
        ".kiro/runtime/kumite/serve.json",
    ] {
        seen += &stage.world.read(file);
    }
    let process = format!("/proc/{}", stage.served.pid());
    for file in ["cmdline", "environ"] {
        let bytes = std::fs::read(format!("{process}/{file}")).unwrap();
        seen += &String::from_utf8_lossy(&bytes);
    }
    for secret in secrets {
        assert!(!seen.contains(&secret), "{secret} is in {seen}");
    }
}

#[test]
fn every_change_is_written_down_with_who_made_it() {
    let stage = stage();
    stage.changes_are_possible();
    let audit = lines(&stage.world.read(".kiro/runtime/kumite/audit.jsonl"));
    let told: Vec<String> = audit
        .iter()
        .map(|line| {
            format!(
                "{} {} {} {}",
                line["what"], line["subject"], line["from"], line["ok"]
            )
        })
        .collect();
    let stop = r#""stop" "login" "127.0.0.1" true"#;
    let login = r#""login" "full" "127.0.0.1" true"#;
    assert_eq!(told, [login, stop, stop]);
    assert!(audit[1]["who"].as_str().unwrap().starts_with("session "));
    assert_eq!(audit[0]["who"], audit[1]["who"]);
    assert_eq!(audit[2]["who"], "token");
}
