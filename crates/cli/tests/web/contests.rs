//! The HTTP API over contests.

use serde_json::{Value, json};

use crate::served::Served;
use crate::world::{World, is_alive, text, until};

/// Two scripted teams and a scoring program, which waits until the test lets it go.
fn world(name: &str, is_held: bool) -> World {
    let world = World::new();
    world.write(name, "task = \"Write a haiku.\"\n[contest]\nrounds_min = 1\nrounds_max = 2\n\
        [[team]]\nid = \"steady\"\nscripted = \"steady\"\n[[team]]\nid = \"flat\"\nscripted = \"flat\"\n\
        [[metric]]\nname = \"held\"\ncommand = [\"./score.sh\"]\n");
    let wait = match is_held {
        true => "while [ ! -e go ]; do sleep 0.02; done",
        false => ":",
    };
    // It works in its own directory.
    let root = world.root().display();
    world.write(
        "score.sh",
        &format!("#!/bin/sh\ncd '{root}'\n{wait}\necho '{{\"score\": 70}}'\n"),
    );
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    std::fs::set_permissions(world.path("score.sh"), mode).unwrap();
    world
}

fn start(served: &Served, body: &Value) -> String {
    let begun = served.post("/api/contests", body);
    text(&begun.assert_status(202).json()["execution_id"])
}

#[track_caller]
fn wait_for_state(served: &Served, id: &str, state: &str) {
    until(&format!("the contest to be {state}"), || {
        served.get(&format!("/api/contests/{id}")).json()["state"] == state
    });
}

#[test]
fn a_contest_is_started_watched_and_read() {
    let world = world("contest.toml", false);
    let served = world.serve();
    let files = served.get("/api/contests/files").json();
    assert_eq!(
        files,
        json!({"files": [{"path": "contest.toml", "has_task": true}]})
    );
    assert_eq!(served.get("/api/contests").json(), json!({"contests": []}));
    let id = start(
        &served,
        &json!({"file": "contest.toml", "task": "Write a limerick."}),
    );
    wait_for_state(&served, &id, "done");
    let printed = |args: &[&str]| -> Value {
        let out = world.kumite(args);
        serde_json::from_str(&out.assert_code(0).stdout).unwrap()
    };
    let board = served.get(&format!("/api/contests/{id}")).json();
    assert_eq!(board, printed(&["contest", "board", &id, "--json"]));
    assert_eq!(board["task"], "Write a limerick.");
    let report = served.get(&format!("/api/contests/{id}/report")).json();
    assert_eq!(report, printed(&["contest", "show", &id, "--json"]));
    assert_eq!(report["rounds"][0]["metrics"][0]["score"], 70.0);
    let list = served.get("/api/contests").json();
    let listed = &list["contests"][0];
    assert_eq!(
        (&listed["execution_id"], &listed["teams"]),
        (&json!(id), &json!(2))
    );
    assert_eq!(
        (&listed["state"], &listed["winner"]),
        (&json!("done"), &board["winner"])
    );
    // It is over, so it cannot go on, and nothing was changed that could be applied.
    let resume = served.post(&format!("/api/contests/{id}/resume"), &json!({}));
    assert!(text(&resume.assert_status(409).json()["error"]).contains("is done"));
    served
        .post(&format!("/api/contests/{id}/cancel"), &json!({}))
        .assert_status(200);
    let apply = served.post(
        &format!("/api/contests/{id}/apply"),
        &json!({"check": true}),
    );
    assert!(text(&apply.assert_status(409).json()["error"]).contains("changed no files"));
    for what in ["", "/report"] {
        served
            .get(&format!("/api/contests/nobody{what}"))
            .assert_status(404);
        served
            .get(&format!("/api/contests/..%2F..%2Fx{what}"))
            .assert_status(404);
    }
    for what in ["cancel", "resume", "apply"] {
        served
            .post(&format!("/api/contests/nobody/{what}"), &json!({}))
            .assert_status(404);
        let refused = served.post(&format!("/api/contests/{id}/{what}"), &json!({"x": 1}));
        assert!(text(&refused.assert_status(400).json()["error"]).contains("`x`"));
    }
}

#[test]
fn a_contest_that_cannot_be_played_is_refused_in_its_own_words() {
    let world = world("contest.toml", false);
    world.write(
        "wrong.toml",
        "task = \"x\"\nteems = 3\n[[team]]\nid = \"a\"\nscripted = \"flat\"\n",
    );
    let served = world.serve();
    let refused = |file: &str, status| {
        let answer = served.post("/api/contests", &json!({"file": file}));
        text(&answer.assert_status(status).json()["error"])
    };
    let wrong = refused("wrong.toml", 409);
    assert!(
        wrong.contains("wrong.toml:2") && wrong.contains("teems"),
        "{wrong}"
    );
    for file in [
        "/etc/passwd",
        "../x.toml",
        "none.toml",
        ".kiro/kumite",
        "--help",
        "",
    ] {
        refused(file, 400);
    }
    assert_eq!(served.get("/api/contests").json(), json!({"contests": []}));
    assert_eq!(hosted(&world), 0);
}

#[test]
fn a_contest_is_cancelled_and_what_is_finished_stays() {
    let world = world("contest.toml", true);
    let served = world.serve();
    let id = start(&served, &json!({"file": "contest.toml"}));
    wait_for_state(&served, &id, "running");
    served
        .post(&format!("/api/contests/{id}/cancel"), &json!({}))
        .assert_status(200);
    wait_for_state(&served, &id, "cancelled");
}

#[test]
fn the_end_of_the_server_interrupts_its_contests_and_the_next_one_resumes_them() {
    let world = world("contest.toml", true);
    let mut served = world.serve();
    let id = start(&served, &json!({"file": "contest.toml"}));
    wait_for_state(&served, &id, "running");
    let code = served.end("INT");
    assert_eq!(code, 130);
    assert_eq!(hosted(&world), 0);
    let served = world.serve();
    assert_eq!(
        served.get(&format!("/api/contests/{id}")).json()["state"],
        "stopped"
    );
    world.write("go", "");
    let resumed = served.post(&format!("/api/contests/{id}/resume"), &json!({}));
    assert_eq!(resumed.assert_status(202).json()["execution_id"], id);
    wait_for_state(&served, &id, "done");
}

#[test]
fn a_contest_goes_on_when_its_server_is_killed() {
    let world = world("contest.toml", true);
    let mut served = world.serve();
    let id = start(&served, &json!({"file": "contest.toml"}));
    wait_for_state(&served, &id, "running");
    let pid = served.pid();
    served.end("KILL");
    assert!(!is_alive(pid));
    assert_eq!(hosted(&world), 1);
    let served = world.serve();
    wait_for_state(&served, &id, "running");
    world.write("go", "");
    wait_for_state(&served, &id, "done");
    until("the marker to be gone", || hosted(&world) == 0);
}

/// How many contests the next engine would go on with.
fn hosted(world: &World) -> usize {
    let markers = std::fs::read_dir(world.path(".kiro/runtime/kumite/hosted"));
    markers.map_or(0, |markers| markers.count())
}

/// A repository with one team, whose agent says something and changes a file.
fn with_agent() -> World {
    let world = World::new();
    world.write(".gitignore", ".kiro/runtime\n");
    world.write(
        "contest.toml",
        "task = \"Change it.\"\n[contest]\nrounds_min = 1\nrounds_max = 1\n\
         [[team]]\nid = \"alpha\"\nagent = \"mine\"\nsubmission = \"diff\"\n\
         [[metric]]\nname = \"good\"\ncommand = [\"sh\", \"-c\", \"echo '{\\\"score\\\": 70}'\"]\n",
    );
    world.write(
        ".kiro/kumite.toml",
        "[agents.mine]\nkind = \"command\"\n\
         command = [\"sh\", \"-c\", \"echo 'said <b>this</b>'; echo new > file.txt\"]\n",
    );
    let name = ["-c", "user.name=me", "-c", "user.email=me@example.org"];
    for args in [
        &["init", "--quiet"][..],
        &["add", "."],
        &["commit", "--quiet", "-m", "all"],
    ] {
        let mut git = std::process::Command::new("git");
        let git = git.args(name).args(args).current_dir(world.root());
        assert!(git.status().unwrap().success());
    }
    world
}

#[test]
fn the_agents_of_a_contest_have_a_page_with_their_logs() {
    let world = with_agent();
    let served = world.serve();
    let id = start(&served, &json!({"file": "contest.toml"}));
    wait_for_state(&served, &id, "done");
    let page = format!("/contests/{id}/teams/0/rounds/1/agents/agent-1");
    let contest = served.get(&format!("/contests/{id}"));
    let contest = contest.assert_status(200).text();
    assert!(contest.contains(&format!("href=\"{page}\"")), "{contest}");
    let shown = served.get(&page);
    let shown = shown.assert_status(200).text();
    assert!(shown.contains("said &lt;b&gt;this"), "{shown}");
    for name in ["agent-9", "..%2Fx", "submission"] {
        let nowhere = format!("/contests/{id}/teams/0/rounds/1/agents/{name}");
        served.get(&nowhere).assert_status(404);
    }
}
