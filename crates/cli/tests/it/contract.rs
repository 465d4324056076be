//! What programs read: the lines of `kumite run --json` and the objects of `kumite status --json`.

use serde_json::{Value, json};

use crate::watch::held;
use crate::world::{World, permissions, text};

/// A run with two review rounds, an impl retry and an inspection that is fixed.
fn eventful() -> World {
    let world = World::new();
    world.spec("login");
    world.play(json!({"steps": {
        "reply": [{"fix": 2, "discuss": 1}, {}],
        "impl": [{"tick": 1}, {}],
        "inspect": [{"verdict": "nogo"}, {}],
    }}));
    world
}

const STATES: [&str; 7] = [
    "idle", "working", "waiting", "paused", "stopped", "failed", "done",
];
const PHASES: [&str; 7] = [
    "requirements",
    "design",
    "tasks",
    "document-review",
    "impl",
    "inspection",
    "deploy",
];
const REASONS: [&str; 25] = [
    "all_phases_done",
    "not_permitted",
    "approval_needed",
    "needs_discussion",
    "rounds_exhausted",
    "retries_exhausted",
    "no_evidence",
    "evidence_conflict",
    "inspection_nogo",
    "agent_failed",
    "agent_missing",
    "agent_hung",
    "timeout",
    "until_reached",
    "usage_limit",
    "budget",
    "spec_unreadable",
    "spec_unwritable",
    "journal_unreadable",
    "journal_unwritable",
    "stopped_by_user",
    "paused_by_user",
    "diverging",
    "interrupted",
    "queued",
];

fn is_time(value: &Value) -> bool {
    let text = text(value);
    text.len() >= 20 && text.as_bytes()[10] == b'T' && text.ends_with('Z')
}

#[test]
fn every_line_of_a_run_is_json_with_time_spec_and_type() {
    let world = eventful();
    let out = world.kumite(&["run", "login", "--json"]);
    out.assert_code(0);
    // A line that is not JSON would have failed in `json`.
    let lines = out.json();
    for line in &lines {
        assert!(is_time(&line["time"]), "{line}");
        assert_eq!(line["spec"], "login");
        assert!(line["type"].is_string(), "{line}");
    }
    assert_eq!(lines[0]["type"], "run_started");
    assert_eq!(lines.last().unwrap()["type"], "run_ended");
    assert_eq!(out.notices("run_ended").len(), 1);
}

#[test]
fn steps_carry_their_step_round_attempt_agent_and_outcome() {
    let world = eventful();
    let out = world.kumite(&["run", "login", "--json"]);
    let started = out.notices("step_started");
    let ended = out.notices("step_ended");
    assert_eq!(started.len(), world.launches().len());
    assert_eq!(ended.len(), started.len());
    for (start, launch) in started.iter().zip(world.launches()) {
        assert_eq!(start["step"], launch["step"]);
        assert_eq!(start["agent"], launch["agent"]);
        let has = |key: &str| !start[key].is_null();
        let looped =
            ["review", "reply", "inspect", "fix"].contains(&start["step"].as_str().unwrap());
        assert_eq!(has("round"), looped, "{start}");
        assert_eq!(has("attempt"), start["step"] == "impl", "{start}");
    }
    for (start, end) in started.iter().zip(&ended) {
        assert_eq!(start["agent"], end["agent"]);
        assert_eq!(end["outcome"], "finished");
    }
    let reviews = started.iter().filter(|it| it["step"] == "review");
    assert_eq!(
        reviews.map(|it| it["round"].clone()).collect::<Vec<_>>(),
        [1, 2]
    );
}

#[test]
fn rounds_retries_and_phases_carry_their_numbers() {
    let world = eventful();
    let out = world.kumite(&["run", "login", "--json"]);
    let pick = |line: &Value, keys: &[&str]| -> Vec<Value> {
        keys.iter().map(|key| line[*key].clone()).collect()
    };
    let rounds = out.notices("round_ended");
    let keys = ["round", "fix_required", "needs_discussion", "next"];
    assert_eq!(
        pick(&rounds[0], &keys),
        [json!(1), json!(2), json!(1), json!("continue")]
    );
    assert_eq!(
        pick(&rounds[1], &keys),
        [json!(2), json!(0), json!(0), json!("approved")]
    );
    let retries = out.notices("impl_retry");
    assert_eq!(retries.len(), 1);
    assert_eq!(
        pick(&retries[0], &["attempt", "max", "open"]),
        [json!(1), json!(7), json!(2)]
    );
    for kind in ["phase_started", "phase_ended"] {
        let phases: Vec<Value> = out
            .notices(kind)
            .iter()
            .map(|it| it["phase"].clone())
            .collect();
        assert_eq!(phases, PHASES[..6], "{kind}");
    }
    let end = out.json().pop().unwrap();
    assert_eq!(
        pick(&end, &["state", "reason"]),
        [json!("done"), json!("all_phases_done")]
    );
    assert!(!text(&end["message"]).is_empty());
}

#[test]
fn without_json_a_piped_run_has_one_plain_sentence_a_line() {
    let world = eventful();
    let out = world.kumite(&["run", "login"]);
    out.assert_code(0);
    assert!(
        !out.stdout.contains('\u{1b}'),
        "no colours, no cursor moves: {out:?}"
    );
    assert!(
        out.stdout.lines().all(|line| line.contains("login")),
        "{out:?}"
    );
    assert!(out.stdout.contains("Impl retry (1/7)"), "{out:?}");
    assert!(world.kumite(&["run", "login", "--quiet"]).stdout.is_empty());
}

/// All fields of the contract, each with a value that the contract allows.
#[track_caller]
fn assert_contract(status: &Value, state: &str, reason: Option<&str>) {
    let keys: Vec<&str> = status
        .as_object()
        .unwrap()
        .keys()
        .map(String::as_str)
        .collect();
    for key in [
        "spec",
        "state",
        "phase",
        "reason",
        "message",
        "step",
        "round",
        "rounds_max",
        "attempt",
        "attempts_max",
        "tasks",
        "agents",
        "until",
        "cost_usd",
        "input_tokens",
        "output_tokens",
    ] {
        assert!(keys.contains(&key), "{key} is missing: {status}");
    }
    assert_eq!(status["state"], state, "{status}");
    assert_eq!(status["reason"], json!(reason), "{status}");
    assert!(STATES.contains(&state));
    assert!(reason.is_none_or(|reason| REASONS.contains(&reason)));
    assert_eq!(
        status["message"].is_string(),
        reason.is_some() || state == "working",
        "{status}"
    );
    assert!(
        PHASES.contains(&text(&status["phase"]).as_str()),
        "{status}"
    );
    let number = |value: &Value| value.is_u64();
    assert!(number(&status["tasks"]["done"]) && number(&status["tasks"]["total"]));
    assert!(status["cost_usd"].is_number() && number(&status["input_tokens"]));
    for key in ["round", "rounds_max", "attempt", "attempts_max"] {
        assert!(
            status[key].is_null() || number(&status[key]),
            "{key}: {status}"
        );
    }
    assert_eq!(status["until"], Value::Null);
    assert!(
        state == "working" || status["agents"] == json!([]),
        "{status}"
    );
}

#[test]
fn status_has_every_field_when_nothing_has_run_and_while_an_agent_works() {
    let world = World::new();
    world.spec_with_documents("login");
    assert_contract(&world.status("login"), "idle", None);
    world.play(json!({"steps": {"review": held()}}));
    let running = world.start(&["run", "login"]);
    world.wait_for_step("login", "review 1");
    let status = world.status("login");
    assert_contract(&status, "working", None);
    assert_eq!(
        (&status["phase"], &status["step"]),
        (&json!("document-review"), &json!("review"))
    );
    assert_eq!(
        (&status["round"], &status["rounds_max"]),
        (&json!(1), &json!(7))
    );
    assert_eq!(status["tasks"], json!({"done": 0, "total": 3}));
    let agent = &status["agents"][0];
    let launch = &world.launches()[0];
    assert_eq!(
        (&agent["id"], &agent["pid"]),
        (&launch["agent"], &launch["pid"])
    );
    assert_eq!(agent["step"], "review");
    assert!(is_time(&agent["started_at"]), "{agent}");
    world.go();
    running.wait().assert_code(0);
    assert_contract(&world.status("login"), "done", Some("all_phases_done"));
}

#[test]
fn status_has_every_field_in_every_way_to_rest() {
    let fail = json!({"write": "nothing", "result": "error"});
    for (play, state, reason) in [
        (
            json!({"reply": {"discuss": 1}}),
            "paused",
            "needs_discussion",
        ),
        (
            json!({"reply": {"counts": "none"}}),
            "paused",
            "no_evidence",
        ),
        (
            json!({"reply": {"fix": 1, "counts": "conflict"}}),
            "paused",
            "evidence_conflict",
        ),
        (json!({"impl": {"tick": 0}}), "failed", "retries_exhausted"),
        (json!({"impl": fail}), "failed", "agent_failed"),
        (
            json!({"inspect": {"verdict": "nogo"}}),
            "paused",
            "inspection_nogo",
        ),
    ] {
        let world = World::new();
        world.spec_with_documents("login");
        world.play(json!({ "steps": play }));
        world.kumite(&["run", "login"]);
        assert_contract(&world.status("login"), state, Some(reason));
    }
    let world = World::new();
    world.spec_with(
        "login",
        json!({"autoExecution": {"permissions": permissions("")}}),
    );
    world.kumite(&["run", "login"]).assert_code(0);
    assert_contract(&world.status("login"), "done", Some("not_permitted"));
    world.patch(
        "login",
        json!({"autoExecution": {"permissions": permissions("requirements design")}}),
    );
    world.settings("[run]\nauto_approve = false");
    world.kumite(&["run", "login"]).assert_code(3);
    assert_contract(&world.status("login"), "waiting", Some("approval_needed"));
}

#[test]
fn status_counts_what_the_agents_used() {
    let world = World::new();
    world.spec("login");
    world.play(json!({"default": {"cost": 0.25}}));
    world
        .kumite(&["run", "login", "--until", "design"])
        .assert_code(0);
    let status = world.status("login");
    assert_eq!(status["cost_usd"], 0.5);
    assert!(status["output_tokens"].as_u64().unwrap() > 0, "{status}");
}

#[test]
fn status_of_all_lists_every_spec_also_a_broken_one() {
    let world = World::new();
    world.spec("a");
    world.spec("b");
    world.write(".kiro/specs/broken/spec.json", "{\"feature_name\": ");
    world.kumite(&["run", "a"]).assert_code(0);
    let out = world.kumite(&["status", "--json"]);
    out.assert_code(0);
    let all = out.json().pop().unwrap();
    let specs = all["specs"].as_array().unwrap();
    let names: Vec<String> = specs.iter().map(|it| text(&it["spec"])).collect();
    assert_eq!(names, ["a", "b", "broken"]);
    assert_contract(&specs[0], "done", Some("all_phases_done"));
    assert_contract(&specs[1], "idle", None);
    assert_eq!(specs[2]["reason"], "spec_unreadable");
    let shown = world.kumite(&["status"]).stdout;
    assert_eq!(shown.lines().count(), 3, "{shown}");
}

#[test]
fn bad_input_leaves_stdout_empty() {
    let world = World::new();
    world.spec("login");
    world.settings("[run]\njob = 3");
    let out = world.kumite(&["run", "login", "--json"]);
    out.assert_code(5);
    assert!(out.stdout.is_empty());
    for words in ["kumite.toml", "line 2", "run.jobs"] {
        assert!(out.stderr.contains(words), "{words}: {out:?}");
    }
}
