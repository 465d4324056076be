//! The HTTP API for specs: what the command line can do, and both see the same.

use serde_json::{Value, json};

use crate::served::{Answer, Served};
use crate::world::{World, text};

/// A change, and its answer.
#[track_caller]
pub fn change(served: &Served, spec: &str, what: &str, body: &Value, status: u16) -> String {
    let answer = served.post(&format!("/api/specs/{spec}/{what}"), body);
    message(answer.assert_status(status))
}

#[track_caller]
pub fn message(answer: &Answer) -> String {
    let body = answer.json();
    let key = if answer.status < 400 {
        "message"
    } else {
        "error"
    };
    let message = body[key].as_str();
    message.unwrap_or_else(|| panic!("{body}")).to_owned()
}

#[test]
fn what_is_read_is_what_the_command_line_prints() {
    let world = World::new();
    world.spec_with_documents("login");
    world.spec("other");
    world.kumite(&["run", "login", "--json"]).assert_code(0);
    let served = world.serve();
    let printed = |args: &[&str]| -> Value {
        let out = world.kumite(args);
        serde_json::from_str(&out.assert_code(0).stdout).unwrap()
    };
    let same = [
        ("/api/specs", &["status", "--json"][..]),
        ("/api/specs/login", &["status", "login", "--json"]),
        ("/api/cost", &["cost", "--json"]),
        ("/api/cost?by=phase", &["cost", "--by", "phase", "--json"]),
        ("/api/settings", &["config", "show", "--json"]),
        ("/api/agents", &["agent", "list", "--json"]),
    ];
    for (path, args) in same {
        let answer = served.get(path);
        assert_eq!(answer.assert_status(200).json(), printed(args), "{path}");
        assert_eq!(answer.header("content-type"), Some("application/json"));
    }
    let decisions = served.get("/api/specs/login/decisions").json();
    assert_eq!(decisions["decisions"], json!(world.entries("login")));
    let events = served.get("/api/specs/login/events").json();
    assert_eq!(events["events"], json!(world.events("login")));
    assert_eq!(
        served.get("/api/specs/other/events").json(),
        json!({"events": []})
    );
}

#[test]
fn documents_agents_and_their_logs_are_read() {
    let world = World::new();
    world.spec_with_documents("login");
    world.kumite(&["run", "login", "--json"]).assert_code(0);
    let served = world.serve();
    let documents = served.get("/api/specs/login/documents").json();
    let names: Vec<&str> = documents["documents"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| it["name"].as_str().unwrap())
        .collect();
    assert_eq!(&names[..3], ["requirements.md", "design.md", "tasks.md"]);
    assert!(names.contains(&"inspection-1.md"), "{names:?}");
    let design = served.get("/api/specs/login/documents/design.md").json();
    assert_eq!(design["text"], world.read(".kiro/specs/login/design.md"));
    for none in [
        "nothing.md",
        "..%2F..%2Fkumite.toml",
        "%2Fetc%2Fpasswd",
        "logs",
        "events.jsonl",
    ] {
        served
            .get(&format!("/api/specs/login/documents/{none}"))
            .assert_status(404);
    }

    let agents = served.get("/api/specs/login/agents").json();
    let agents = agents["agents"].as_array().unwrap().clone();
    let steps: Vec<String> = agents
        .iter()
        .rev()
        .map(|agent| text(&agent["step"]))
        .collect();
    assert_eq!(
        steps,
        ["review", "reply", "impl", "inspect"],
        "newest first"
    );
    for agent in &agents {
        assert_eq!(agent["outcome"], "finished");
        assert_eq!(agent["program"], "claude");
        assert_eq!(
            (&agent["alive"], &agent["cost_usd"]),
            (&json!(false), &json!(0.01))
        );
    }
    let id = text(&agents[0]["id"]);
    let log = served
        .get(&format!("/api/specs/login/agents/{id}/log"))
        .json();
    let kinds: Vec<&str> = log["lines"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| it["kind"].as_str().unwrap())
        .collect();
    assert_eq!(kinds.first(), Some(&"launched"), "{log}");
    assert_eq!(kinds.last(), Some(&"ended"), "{log}");
    let second = served
        .get(&format!("/api/specs/login/agents/{id}/log?from=2&count=1"))
        .json();
    assert_eq!(second["lines"], json!([log["lines"][1]]));
    assert_eq!(second["last"], kinds.len());
    let bad = format!("/api/specs/login/agents/{id}/log?form=2");
    assert!(message(served.get(&bad).assert_status(400)).contains("form"));
    let other = id.replace("agent-1", "agent-2");
    served
        .get(&format!("/api/specs/login/agents/{other}/log"))
        .assert_status(404);
    served
        .get("/api/specs/login/agents/..%2Fx/log")
        .assert_status(400);
}

#[test]
fn what_is_wrong_is_said_with_its_status_and_changes_nothing() {
    let world = World::new();
    world.spec("login");
    world.write(".kiro/specs/broken/spec.json", "{");
    let served = world.serve();
    for (spec, status) in [("nobody", 404), ("Bad%20Name", 400), ("..%2Fx", 400)] {
        for what in [
            "run", "stop", "pause", "resume", "reset", "approve", "reject", "review",
        ] {
            change(&served, spec, what, &json!({}), status);
        }
        for what in ["", "/events", "/documents", "/agents", "/decisions"] {
            served
                .get(&format!("/api/specs/{spec}{what}"))
                .assert_status(status);
        }
    }
    for what in [
        "run", "stop", "pause", "resume", "reset", "approve", "reject", "review",
    ] {
        let refused = change(&served, "login", what, &json!({"untill": 1}), 400);
        assert!(refused.contains("untill"), "{what}: {refused}");
    }
    let refused = change(&served, "login", "run", &json!({"until": "lunch"}), 400);
    assert!(
        refused.contains("lunch") && refused.contains("inspection"),
        "{refused}"
    );
    let backwards = json!({"from": "impl", "until": "design"});
    change(&served, "login", "run", &backwards, 400);
    let unknown = change(&served, "login", "run", &json!({"agent": "nobody"}), 409);
    assert!(unknown.contains("there is no agent nobody"), "{unknown}");
    let broken = change(&served, "broken", "run", &json!({}), 409);
    assert!(broken.contains("broken/spec.json"), "{broken}");
    served.get("/api/cost?by=colour").assert_status(400);
    served.get("/api/cost?since=tomorrow").assert_status(400);
    world.settings("[run]\njbos = 3");
    let wrong = message(served.get("/api/settings").assert_status(409));
    assert!(
        wrong.contains("kumite.toml: line 2") && wrong.contains("jobs"),
        "{wrong}"
    );
    assert!(world.launches().is_empty());
    assert_eq!(world.status("login")["state"], "idle");
}

#[test]
fn every_change_is_in_the_audit_log_with_who_also_what_was_refused() {
    let world = World::new();
    world.spec("login");
    let served = world.serve();
    change(&served, "login", "stop", &json!({}), 200);
    change(&served, "nobody", "run", &json!({}), 404);
    change(&served, "login", "reject", &json!({"nonsense": 1}), 400);
    let browser = served.login();
    browser
        .post("/api/specs", &json!({"name": "new"}))
        .assert_status(201);
    let audit = served.get("/api/audit?count=5").json();
    let lines: Vec<String> = audit["audit"]
        .as_array()
        .unwrap()
        .iter()
        .rev()
        .map(|line| {
            let who = text(&line["who"]);
            let who = who.split(' ').next().unwrap();
            format!(
                "{who} {} {} {}",
                text(&line["what"]),
                text(&line["subject"]),
                line["ok"]
            )
        })
        .collect();
    assert_eq!(
        lines,
        [
            "token stop login true",
            "token run nobody false",
            "token reject login false",
            "session login full true",
            "session create new true"
        ]
    );
}
