//! Contests by tools. The built-in teams play: no key, no server.

use serde_json::{Value, json};

use crate::client::Client;
use crate::world::{World, is_alive, kill, until};

fn contest(pace: &str) -> World {
    let world = World::new();
    let team = |id: &str, style: &str| {
        format!("[[team]]\nid = {id:?}\nscripted = {style:?}\npace = {pace:?}\n")
    };
    let metric = "[[metric]]\nname = \"own\"\ncommand = [\"echo\", '{\"score\": 80, \"remarks\": \"good\"}']\n";
    let text = format!(
        "[contest]\nrounds_min = 1\nrounds_max = 2\n{}{}{metric}",
        team("aoi", "steady"),
        team("bairei", "quick"),
    );
    world.write("contest.toml", &text);
    world
}

fn board(client: &Client, id: &Value) -> Value {
    client.ask("get_contest", json!({"contest": id}))
}

#[test]
fn a_contest_is_started_watched_and_read() {
    let world = contest("1ms");
    let client = Client::new(&world, &[]);
    let asked = json!({"file": "contest.toml", "task": "--Write a guide."});
    let id = client.ask("start_contest", asked)["execution_id"].clone();
    until("it to end", || board(&client, &id)["state"] == "done");
    let printed = world.kumite(&["contest", "board", "--json"]);
    assert_eq!(board(&client, &id), printed.json()[0]);
    let listed = client.ask("list_contests", json!({}));
    let one = &listed["contests"][0];
    assert_eq!(
        (&one["execution_id"], &one["task"]),
        (&id, &json!("--Write a guide."))
    );
    let report = client.ask("get_contest_report", json!({"team": "aoi", "round": 1}));
    let round = &report["rounds"][0];
    assert_eq!(
        (&report["total"], &round["score"]),
        (&json!(1), &json!(80.0)),
        "{report}"
    );
    assert_eq!(round["submission"], Value::Null);
    let texts = client.ask(
        "get_contest_report",
        json!({"team": "aoi", "round": 1, "texts": true}),
    );
    assert!(
        texts["rounds"][0]["submission"]
            .as_str()
            .is_some_and(|it| !it.is_empty())
    );
    let words = client.refused("get_contest_report", json!({"team": "nobody"}));
    assert!(
        words.contains("team: there is no team \"nobody\"") && words.contains("aoi, bairei"),
        "{words}"
    );
}

#[test]
fn a_contest_outlives_its_client_and_ends_when_it_is_cancelled() {
    let world = contest("60s");
    let client = Client::new(&world, &[]);
    let asked = json!({"file": "contest.toml", "task": "Wait."});
    let id = client.ask("start_contest", asked)["execution_id"].clone();
    client.end();
    let client = Client::new(&world, &[]);
    assert_eq!(board(&client, &id)["state"], "running");
    let cancelled = client.ask("cancel_contest", json!({"contest": id}));
    assert_eq!(cancelled["state"], "cancelled", "{cancelled}");
    assert_eq!(board(&client, &id)["state"], "cancelled");
}

#[test]
fn a_contest_that_was_interrupted_is_resumed() {
    let world = contest("100ms");
    let client = Client::new(&world, &[]);
    let asked = ["contest", "run", "contest.toml", "Write.", "--json"];
    let running = world.start(&asked);
    until("it to begin", || {
        client.ask("list_contests", json!({}))["total"] == 1
    });
    let id = client.ask("get_contest", json!({}))["execution_id"].clone();
    until("it to be played", || {
        board(&client, &id)["state"] == "running"
    });
    running.signal("TERM");
    running.wait();
    assert_eq!(board(&client, &id)["state"], "stopped");
    let resumed = client.ask("resume_contest", json!({"contest": id}));
    assert_eq!(resumed["execution_id"], id);
    until("it to end", || board(&client, &id)["state"] == "done");
}

#[test]
fn a_contest_in_the_engine_of_a_terminal_goes_on_after_an_interrupt_and_after_a_crash() {
    let world = contest("60s");
    world.spec("login");
    world.play(json!({"steps": {"requirements": {"touch": ["up"], "wait_for": "never"}}}));
    let terminal = world.start(&["run", "login", "--json"]);
    until("its agent to work", || world.path("up").exists());
    let client = Client::new(&world, &[]);
    let asked = json!({"file": "contest.toml", "task": "Wait."});
    let id = client.ask("start_contest", asked)["execution_id"].clone();
    let is_running = || board(&client, &id)["state"] == "running";
    until("it to be played", is_running);
    assert_eq!(engine(&world), Some(terminal.pid()));
    let again = client.refused("resume_contest", json!({"contest": id}));
    assert!(
        again.contains("is being played by another kumite"),
        "{again}"
    );
    terminal.signal("INT");
    let out = terminal.wait();
    let words = format!(
        "contest {}, started elsewhere, goes on",
        id.as_str().unwrap()
    );
    assert!(
        out.assert_code(130).stderr.contains(&words),
        "{}",
        out.stderr
    );
    until("another engine to play it", is_running);
    // Nobody plays it after a crash, until there is an engine again.
    let killed = engine(&world).unwrap();
    kill(killed, "KILL");
    until("the engine to be gone", || !is_alive(killed));
    until("it to be stopped", || {
        board(&client, &id)["state"] == "stopped"
    });
    world.play(json!({}));
    client.ask("run_spec", json!({"spec": "login"}));
    until("the next engine to play it", is_running);
    let cancelled = client.ask("cancel_contest", json!({"contest": id}));
    assert_eq!(cancelled["state"], "cancelled", "{cancelled}");
}

/// The process that holds the engine.
fn engine(world: &World) -> Option<u32> {
    world.read(".kiro/runtime/kumite/lock").trim().parse().ok()
}
