//! Ways out of the project.

use std::os::unix::fs::symlink;

use super::*;

const CANARY: &str = "the-canary-sings";

/// Names that lead elsewhere if they are used as paths.
fn names() -> Vec<String> {
    let up = "..%2f".repeat(8);
    let mut names: Vec<String> = [
        "..",
        "%2e%2e",
        "..%2f",
        "..%2f..%2f..%2fcanary.md",
        "%2e%2e%2f%2e%2e%2f%2e%2e%2fcanary.md",
        "..%5c..%5c..%5ccanary.md",
        "%252e%252e%252f%252e%252e%252fcanary.md",
        "%c0%ae%c0%ae%2fcanary.md",
        "....%2f%2fcanary.md",
        "..%2f..%2fruntime%2fkumite%2ftoken",
        "requirements.md%00.png",
        "%00",
        "login%00",
        ".%2flogin",
        "login%2f..%2flogin",
        "~",
        "-",
        "%20",
        "*",
        "file:%2f%2f%2fetc%2fpasswd",
        ".git",
        "%ff%fe",
    ]
    .map(str::to_owned)
    .to_vec();
    names.push(format!("{up}etc%2fpasswd"));
    names.push(format!("%2f{up}etc%2fpasswd"));
    names.push("a".repeat(10_000));
    names
}

/// Every place where a path contains a name.
const PLACES: [&str; 22] = [
    "/specs/{}",
    "/specs/login/documents/{}",
    "/specs/{}/documents/requirements.md",
    "/specs/login/agents/{}",
    "/specs/login/agents/{}/lines",
    "/specs/login/agents/{}/search?q=a",
    "/specs/login/agents/{}/raw",
    "/specs/{}/agents/1",
    "/contests/{}",
    "/contests/{}/compare",
    "/contests/{}/teams/1",
    "/contests/1/teams/{}",
    "/assets/{}/app.js",
    "/assets/1/{}",
    "/{}",
    "/api/specs/{}",
    "/api/specs/{}/events",
    "/api/specs/{}/documents",
    "/api/specs/login/documents/{}",
    "/api/specs/login/agents/{}/log",
    "/api/contests/{}",
    "/api/contests/{}/report",
];

fn stage_with_documents() -> Stage {
    let stage = stage();
    stage.world.spec_with_documents("login");
    stage.world.write("canary.md", CANARY);
    stage
}

#[track_caller]
fn assert_nothing_told(stage: &Stage, what: &str, answer: &Answer) {
    let text = answer.text();
    for secret in [CANARY, &stage.served.token, "root:x:0"] {
        assert!(!text.contains(secret), "{what}: {answer:?}");
    }
}

#[test]
fn no_name_in_a_path_leads_out() {
    let stage = stage_with_documents();
    let page = stage.browser.get("/specs/login/documents/requirements.md");
    assert!(page.assert_status(200).text().contains("It works"));
    for place in PLACES {
        for name in names() {
            let path = place.replace("{}", &name);
            let answer = stage.ask(&format!("GET {path}"), &[HOST, TOKEN], "");
            let is_refused = (400..500).contains(&answer.status);
            assert!(is_refused, "{path}: {answer:?}");
            assert_nothing_told(&stage, &path, &answer);
        }
    }
    stage.changes_are_possible();
}

#[test]
fn no_name_in_a_change_leads_out() {
    let stage = stage_with_documents();
    let before = stage.world.read("canary.md");
    for name in names() {
        for act in ["stop", "run", "approve", "reset"] {
            let path = format!("/api/specs/{name}/{act}");
            let answer = stage.served.post(&path, &serde_json::json!({}));
            assert!((400..500).contains(&answer.status), "{path}: {answer:?}");
        }
        for act in ["cancel", "resume", "apply"] {
            let path = format!("/api/contests/{name}/{act}");
            let answer = stage.served.post(&path, &serde_json::json!({}));
            assert!((400..500).contains(&answer.status), "{path}: {answer:?}");
        }
    }
    for name in [
        "../x", "/tmp/x", "..", ".", "", "a/b", "a\0b", "A b", "<script>",
    ] {
        let answer = stage
            .served
            .post("/api/specs", &serde_json::json!({"name": name}));
        assert_eq!(answer.status, 400, "{name:?}: {answer:?}");
    }
    for file in ["../../etc/passwd", "/etc/passwd", "canary.md", "\0"] {
        let answer = stage.served.post(
            "/api/contests",
            &serde_json::json!({"file": file, "task": "x"}),
        );
        assert!((400..500).contains(&answer.status), "{file:?}: {answer:?}");
        assert_nothing_told(&stage, file, &answer);
    }
    assert_eq!(stage.world.read("canary.md"), before);
    let specs = std::fs::read_dir(stage.world.path(".kiro/specs")).unwrap();
    assert_eq!(specs.count(), 1);
}

/// Agents: the log of one of them leads out.
const LINKED: &str = "agent-1767225600000-00000001";
const HONEST: &str = "agent-1767225600000-00000002";

/// A line that would be shown if it were taken for one of ours.
fn said(text: &str) -> serde_json::Value {
    serde_json::json!({"type": text, "text": text, "message": text})
}

#[test]
fn links_that_lead_out_of_the_spec_are_not_followed() {
    let stage = stage_with_documents();
    let outside = tempfile::tempdir().unwrap();
    let spec = stage.world.path(".kiro/specs/login");
    std::fs::write(outside.path().join("canary.md"), CANARY).unwrap();
    std::fs::write(
        outside.path().join("spec.json"),
        stage.world.read(".kiro/specs/login/spec.json"),
    )
    .unwrap();
    let token = stage.world.path(".kiro/runtime/kumite/token");
    for (name, target) in [
        ("outside.md", outside.path().join("canary.md")),
        ("project.md", stage.world.path("canary.md")),
        ("token.md", token),
        ("passwd.md", "/etc/passwd".into()),
        ("dir", outside.path().to_owned()),
    ] {
        symlink(target, spec.join(name)).unwrap();
    }
    let logs = outside.path().join("logs");
    std::fs::create_dir(&logs).unwrap();
    for file in [
        outside.path().join("events.jsonl"),
        logs.join(format!("{LINKED}.log")),
        logs.join(format!("{LINKED}.jsonl")),
    ] {
        std::fs::write(file, format!("{}\n", said(CANARY))).unwrap();
    }
    // A document that everybody expects, and a log.
    std::fs::remove_file(spec.join("design.md")).unwrap();
    symlink(outside.path().join("canary.md"), spec.join("design.md")).unwrap();
    std::fs::create_dir_all(spec.join("logs")).unwrap();
    for end in ["log", "jsonl"] {
        let name = format!("{LINKED}.{end}");
        symlink(logs.join(&name), spec.join("logs").join(name)).unwrap();
        let honest = spec.join("logs").join(format!("{HONEST}.{end}"));
        std::fs::write(honest, format!("{}\n", said("an open word"))).unwrap();
    }
    // A whole spec, and its events.
    symlink(outside.path(), stage.world.path(".kiro/specs/linked")).unwrap();
    symlink(
        outside.path().join("events.jsonl"),
        spec.join("events.jsonl"),
    )
    .unwrap();

    let mut paths = Vec::new();
    for name in [
        "outside.md",
        "project.md",
        "token.md",
        "passwd.md",
        "design.md",
        "dir",
        "dir%2fcanary.md",
    ] {
        paths.push(format!("/specs/login/documents/{name}"));
        paths.push(format!("/api/specs/login/documents/{name}"));
    }
    for end in ["", "/lines", "/search?q=canary", "/raw"] {
        paths.push(format!("/specs/login/agents/{LINKED}{end}"));
    }
    for path in [
        "/specs/login",
        "/api/specs/login/documents",
        "/api/specs/login/events",
        &format!("/api/specs/login/agents/{LINKED}/log"),
        "/specs/linked",
        "/specs/linked/documents/canary.md",
        &format!("/specs/linked/agents/{LINKED}"),
        &format!("/specs/linked/agents/{LINKED}/lines"),
        &format!("/specs/linked/agents/{LINKED}/raw"),
        "/api/specs/linked/events",
        &format!("/api/specs/linked/agents/{LINKED}/log"),
        "/api/specs/linked/documents",
        "/api/specs/linked/documents/canary.md",
    ] {
        paths.push(path.to_owned());
    }
    for path in &paths {
        let answer = stage.browser.get(path);
        assert!(answer.status < 500, "{path}: {answer:?}");
        assert_nothing_told(&stage, path, &answer);
    }
    let page = stage.browser.get("/specs/login/documents/requirements.md");
    assert!(page.assert_status(200).text().contains("It works"));
    let log = stage
        .browser
        .get(&format!("/specs/login/agents/{HONEST}/raw"));
    assert!(
        log.assert_status(200).text().contains("an open word"),
        "{log:?}"
    );
}

#[test]
fn a_pipe_and_a_device_in_place_of_a_document_hold_nobody_up() {
    let stage = stage_with_documents();
    let spec = stage.world.path(".kiro/specs/login");
    let pipe = spec.join("pipe.md");
    let made = std::process::Command::new("mkfifo").arg(&pipe).status();
    assert!(made.unwrap().success());
    symlink("/dev/zero", spec.join("zero.md")).unwrap();
    for name in ["pipe.md", "zero.md"] {
        stage.browser.get("/specs/login").assert_status(200);
        let path = format!("/specs/login/documents/{name}");
        let answer = stage.browser.get(&path);
        assert_eq!(answer.status, 404, "{answer:?}");
        stage.browser.get(&format!("/api{path}")).assert_status(404);
    }
}

#[test]
fn directories_and_files_of_the_project_are_not_served() {
    let stage = stage_with_documents();
    stage.world.write(".git/config", CANARY);
    for path in [
        "/.git/config",
        "/.git/",
        "/.kiro/",
        "/.kiro/specs/login/requirements.md",
        "/.kiro/runtime/kumite/token",
        "/token",
        "/canary.md",
        "/assets/",
        "/assets",
        "/specs",
        "/specs/",
        "/specs/login/documents",
        "/specs/login/documents/",
        "/specs/login/agents/",
        "/api/",
        "/api",
        "/etc/passwd",
        "//etc/passwd",
        "/favicon.ico",
        "/robots.txt",
        "/server-status",
    ] {
        let answer = stage.ask(&format!("GET {path}"), &[HOST, TOKEN], "");
        assert_eq!(answer.status, 404, "{path}: {answer:?}");
        assert_nothing_told(&stage, path, &answer);
    }
}
