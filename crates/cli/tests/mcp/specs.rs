//! A spec from its creation to its end, only with tools.

use serde_json::{Value, json};

use crate::client::Client;
use crate::watch::held;
use crate::world::{World, until};

fn states(answer: &Value) -> (&str, &str) {
    let status = &answer["status"];
    let word = |key: &str| status[key].as_str().unwrap_or("-");
    (word("state"), word("reason"))
}

/// All phases but deploy may run automatically.
fn permit(world: &World, spec: &str) {
    let all = "requirements design tasks document-review impl inspection";
    let permissions = crate::world::permissions(all);
    world.patch(
        spec,
        json!({"autoExecution": {"enabled": true, "permissions": permissions}}),
    );
}

#[test]
fn a_client_makes_a_spec_runs_it_to_its_end_and_sees_all_of_it() {
    let world = World::new();
    let client = Client::new(&world, &[]);
    let made = client.ask(
        "create_spec",
        json!({"spec": "login", "description": "A login form with a password."}),
    );
    assert_eq!(states(&made).0, "idle");
    assert!(
        world
            .read(".kiro/specs/login/requirements.md")
            .contains("A login form")
    );
    permit(&world, "login");

    let ran = client.ask("run_spec", json!({"spec": "login", "wait_seconds": 60}));
    assert_eq!(states(&ran), ("done", "all_phases_done"), "{ran}");
    assert_eq!(ran["message"], "login has come to rest");
    assert_eq!(
        client.ask("get_spec", json!({"spec": "login"})),
        world.status("login")
    );

    let listed = client.ask("list_documents", json!({"spec": "login"}));
    let names: Vec<&str> = listed["documents"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| it["name"].as_str().unwrap())
        .collect();
    assert_eq!(&names[..3], ["requirements.md", "design.md", "tasks.md"]);
    let tasks = client.ask(
        "get_document",
        json!({"spec": "login", "document": "tasks.md"}),
    );
    assert_eq!(tasks["text"], world.read(".kiro/specs/login/tasks.md"));

    let agents = client.ask("list_agents", json!({"spec": "login"}));
    assert_eq!(agents["total"], 7, "{agents}");
    let newest = &agents["agents"][0];
    assert_eq!(
        (&newest["step"], &newest["outcome"]),
        (&json!("inspect"), &json!("finished"))
    );
    let log = client.ask(
        "get_agent_log",
        json!({"spec": "login", "agent": newest["id"]}),
    );
    let said = world.kumite(&["log", "login", "--agent", newest["id"].as_str().unwrap()]);
    assert_eq!(log["text"], said.stdout);
    assert!(!said.stdout.is_empty());
    let all = world.kumite(&["log", "login"]).stdout;
    let second = all.lines().nth(1).unwrap();
    let one = client.ask(
        "get_agent_log",
        json!({"spec": "login", "from": 2, "count": 1}),
    );
    assert_eq!(
        (&one["text"], &one["next"]),
        (&json!(format!("{second}\n")), &json!(3))
    );

    let events = client.ask(
        "get_events",
        json!({"spec": "login", "from": 1, "count": 1000}),
    );
    assert_eq!(events["events"], json!(world.events("login")));
    let decisions = client.ask("get_decisions", json!({"spec": "login"}));
    assert_eq!(decisions["total"], world.entries("login").len());
    assert_eq!(decisions["decisions"][0]["seq"], 1);
    let cost = client.ask("get_cost", json!({"by": "phase"}));
    let printed = world.kumite(&["cost", "--by", "phase", "--json"]);
    assert_eq!(cost, printed.json()[0]);
    let specs = client.ask("list_specs", json!({"state": "done"}));
    assert_eq!(
        (&specs["total"], &specs["specs"][0]["spec"]),
        (&json!(1), &json!("login"))
    );
    assert_eq!(
        client.ask("list_specs", json!({"state": "failed"}))["total"],
        0
    );
    let info = client.ask("project_info", json!({}));
    assert_eq!(
        (&info["specs"], &info["states"]),
        (&json!(1), &json!({"done": 1}))
    );
}

#[test]
fn documents_are_resources_too() {
    let world = World::new();
    world.spec_with_documents("login");
    let client = Client::new(&world, &["--read-only"]);
    let address = "kumite://specs/login/design.md";
    assert!(client.resources().iter().any(|uri| uri == address));
    let read = client.read(address).unwrap();
    assert_eq!(read["text"], world.read(".kiro/specs/login/design.md"));
    assert_eq!(read["mimeType"], "text/markdown");
    for wrong in [
        "kumite://specs/login/none.md",
        "kumite://specs/other/design.md",
        "kumite://specs/login/..%2F..%2Fkumite.toml",
        "file:///etc/passwd",
    ] {
        assert!(client.read(wrong).is_err(), "{wrong}");
    }
}

#[test]
fn a_run_that_nobody_waits_for_goes_on_when_the_client_is_gone() {
    let world = World::new();
    world.spec("login");
    world.play(json!({"steps": {"requirements": held()}}));
    let client = Client::new(&world, &[]);
    let ran = client.ask(
        "run_spec",
        json!({"spec": "login", "until": "requirements"}),
    );
    assert_eq!(ran["message"], "login is on its way");
    world.wait_for_step("login", "requirements 1");
    client.end();
    assert_eq!(world.status("login")["state"], "working");
    world.go();
    until("it to end", || {
        world.stands("login") == "done until_reached"
    });
}

#[test]
fn whoever_waits_is_answered_when_the_time_is_up_and_the_run_goes_on() {
    let world = World::new();
    world.spec("login");
    world.play(json!({"steps": {"requirements": held()}}));
    let client = Client::new(&world, &[]);
    let asked = json!({"spec": "login", "until": "requirements", "wait_seconds": 1});
    let ran = client.ask("run_spec", asked);
    assert_eq!(ran["message"], "login has not come to rest yet; it goes on");
    world.wait_for_step("login", "requirements 1");
    world.go();
    let again = client.ask(
        "run_spec",
        json!({"spec": "login", "until": "requirements", "wait_seconds": 60}),
    );
    assert_eq!(states(&again), ("done", "until_reached"));
}

#[test]
fn run_all_runs_all_of_them() {
    let world = World::new();
    world.spec("login");
    world.spec("logout");
    let client = Client::new(&world, &[]);
    let ran = client.ask("run_all", json!({"until": "requirements", "jobs": 1}));
    assert_eq!(ran["specs"], json!(["login", "logout"]));
    for spec in ["login", "logout"] {
        until("both to end", || world.stands(spec) == "done until_reached");
    }
    assert_eq!(world.at_once_max(), 1);
}

#[test]
fn two_clients_at_once_steer_the_same_project() {
    let world = World::new();
    world.spec("login");
    world.play(json!({"steps": {"requirements": held()}}));
    let (one, other) = (Client::new(&world, &[]), Client::new(&world, &[]));
    one.ask("run_spec", json!({"spec": "login"}));
    world.wait_for_step("login", "requirements 1");
    other.ask("run_spec", json!({"spec": "login"}));
    assert_eq!(
        other.ask("get_spec", json!({"spec": "login"}))["state"],
        "working"
    );
    let stopped = other.ask("stop_spec", json!({"spec": "login"}));
    assert_eq!(states(&stopped), ("stopped", "stopped_by_user"));
    assert_eq!(
        one.ask("get_spec", json!({"spec": "login"}))["state"],
        "stopped"
    );
    assert_eq!(world.steps("login"), ["requirements 1"]);
}
