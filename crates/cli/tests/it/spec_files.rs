//! spec.json in all its shapes: read, changed only where intended, never half written (scenarios 39
//! and 40).

use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::{Value, json};

use crate::corpus;
use crate::world::{World, text};

const SPEC: &str = ".kiro/specs/login/spec.json";

#[test]
fn s39_a_broken_spec_json_is_refused_at_the_start_and_left_as_it_is() {
    for broken in [
        "",
        "{",
        "[]",
        "null",
        "{\"phase\": \"initialized\",}",
        "{} {}",
    ] {
        let world = World::new();
        world.write(SPEC, broken);
        world.spec("other");
        world.play(json!({}));
        let out = world.run("login");
        out.assert_code(5);
        assert!(
            out.stderr.contains("spec.json"),
            "{broken:?}: {}",
            out.stderr
        );
        assert_eq!(world.read(SPEC), broken);
        assert!(world.launches().is_empty());
        // It is listed with its reason, beside the others.
        let all = world.kumite(&["status", "--json"]);
        all.assert_code(0);
        let specs = all.json()[0]["specs"].clone();
        assert_eq!(
            (&specs[0]["spec"], &specs[0]["reason"]),
            (&json!("login"), &json!("spec_unreadable")),
            "{broken:?}"
        );
        assert_eq!(
            (&specs[1]["spec"], &specs[1]["reason"]),
            (&json!("other"), &Value::Null)
        );
    }
}

#[test]
fn s39_a_spec_json_that_is_no_text_names_the_file() {
    let world = World::new();
    world.spec("login");
    std::fs::write(world.path(SPEC), b"{\"phase\": \"\xff\xfe\"}").unwrap();
    let out = world.run("login");
    out.assert_code(5);
    assert!(out.stderr.contains("spec.json"), "{}", out.stderr);
}

#[test]
fn s39_partial_approvals_start_where_they_end() {
    let world = World::new();
    world.write(SPEC, r#"{"feature_name":"login","approvals":{"requirements":{"generated":true,"approved":true}}}"#);
    world.play(json!({}));
    world
        .run("login")
        .assert_ended(0, "done", "all_phases_done");
    assert_eq!(world.steps("login")[0], "design 1");
}

#[test]
fn s39_an_empty_object_starts_at_the_beginning() {
    let world = World::new();
    world.write(SPEC, "{}");
    world.play(json!({}));
    world
        .run("login")
        .assert_ended(0, "done", "all_phases_done");
    assert_eq!(world.steps("login")[0], "requirements 1");
}

#[test]
fn s40_every_shape_loads_in_status_and_a_look_changes_nothing() {
    let world = World::new();
    for (name, text, _) in corpus::SHAPES {
        world.write(&format!(".kiro/specs/{name}/spec.json"), text);
    }
    let out = world.kumite(&["status", "--json"]);
    out.assert_code(0);
    let listed = out.json()[0]["specs"].as_array().unwrap().clone();
    assert_eq!(listed.len(), corpus::SHAPES.len());
    for (name, shape, phase) in corpus::SHAPES {
        let status = listed.iter().find(|it| it["spec"] == *name).unwrap();
        assert_eq!(
            (&status["state"], &status["reason"]),
            (&json!("idle"), &Value::Null),
            "{name}"
        );
        assert_eq!(status["phase"], *phase, "{name}");
        assert_eq!(
            world.read(&format!(".kiro/specs/{name}/spec.json")),
            *shape,
            "{name}"
        );
    }
}

#[test]
fn s40_a_run_that_has_nothing_to_do_changes_nothing() {
    let world = World::new();
    let shape =
        r#"{ "phase" : "initialized",	"x":[ 1.0,1e3 ], "autoExecution":{"permissions":{}} }"#;
    world.write(SPEC, shape);
    world.play(json!({}));
    world.run("login").assert_ended(0, "done", "not_permitted");
    assert_eq!(world.read(SPEC), shape);
}

/// In every style of JSON, an impl changes the values of two keys and not one byte more.
#[test]
fn s40_a_run_changes_only_what_it_means_to_change_byte_for_byte() {
    for (style, before) in corpus::styles() {
        let world = World::new();
        world.write(SPEC, &before);
        world.write(".kiro/specs/login/tasks.md", "- [ ] 1. One\n");
        world.play(json!({}));
        world.run("login").assert_ended(0, "done", "not_permitted");
        assert_eq!(world.steps("login"), ["impl 1"], "{style}");

        let after = world.read(SPEC);
        let spec: Value = serde_json::from_str(&after).unwrap();
        assert_eq!(spec["phase"], "implementation-complete", "{style}");
        let now = text(&spec["updated_at"]);
        assert_ne!(now, corpus::UPDATED, "{style}");
        let undone = after
            .replace("implementation-complete", "tasks-generated")
            .replace(&now, corpus::UPDATED);
        assert_eq!(undone, before, "{style}");
    }
}

/// A whole run over each shape: everything that kumite may not change is still there.
#[test]
fn s40_a_whole_walk_keeps_every_other_key_of_every_shape() {
    for (name, shape, _) in corpus::SHAPES {
        let world = World::new();
        world.write(SPEC, shape);
        world.write(".kiro/specs/login/tasks.md", "- [ ] 1. One\n");
        let old = json!({"autoExecution": {"permissions": crate::world::permissions("requirements design tasks document-review impl inspection")}});
        world.patch("login", old);
        let before = world.spec_json("login");
        // The agents leave spec.json alone: all changes are kumite's.
        world.play(
            json!({"steps": {"reply": {"counts": "table"}, "inspect": {"verdict_in": "report"}}}),
        );
        world
            .run("login")
            .assert_ended(0, "done", "all_phases_done");
        let after = world.spec_json("login");
        assert_kept(name, "", &before, &after);
        let order = |spec: &Value| {
            spec.as_object()
                .unwrap()
                .keys()
                .cloned()
                .collect::<Vec<_>>()
        };
        let (old, new) = (order(&before), order(&after));
        assert_eq!(new[..old.len()], old[..], "{name}: the order of keys");
    }
}

/// Keys that kumite owns: these may change.
const OWNED: [&str; 4] = ["phase", "updated_at", "approvals", "documentReview.status"];

fn assert_kept(name: &str, path: &str, before: &Value, after: &Value) {
    if OWNED.contains(&path) || path.ends_with(".currentRound") {
        return;
    }
    match (before, after) {
        (Value::Object(old), Value::Object(new)) => {
            for (key, value) in old {
                let path = format!("{path}{}{key}", if path.is_empty() { "" } else { "." });
                // A number of rounds is replaced by the rounds themselves.
                if path == "inspection.rounds" && !value.is_array() {
                    continue;
                }
                let now = new
                    .get(key)
                    .unwrap_or_else(|| panic!("{name}: {path} is gone"));
                assert_kept(name, &path, value, now);
            }
        }
        (Value::Array(old), Value::Array(new)) => {
            assert!(new.len() >= old.len(), "{name}: {path} lost entries");
            for (index, (value, now)) in old.iter().zip(new).enumerate() {
                let is_begun =
                    now["status"] == "reply_complete" && value["status"] != "reply_complete";
                if !is_begun {
                    assert_kept(name, &format!("{path}.{index}"), value, now);
                }
            }
        }
        _ => assert_eq!(after, before, "{name}: {path}"),
    }
}

#[test]
fn spec_json_is_whole_and_valid_at_every_moment_of_a_run() {
    let world = World::new();
    world.spec("login");
    world.play(json!({"steps": {"reply": [{"fix": 3}, {"fix": 1}, {}], "impl": [{"tick": 1}, {}], "inspect": [{"verdict": "nogo"}, {}]}}));
    let path = world.path(SPEC);
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let watcher = scope.spawn(|| {
            let (mut looks, mut phases) = (0_u32, Vec::new());
            while !done.load(Ordering::Relaxed) {
                let bytes = std::fs::read(&path).expect("spec.json is always there");
                let spec: Value =
                    serde_json::from_slice(&bytes).expect("spec.json is always valid");
                phases.push(text(&spec["phase"]));
                phases.dedup();
                looks += 1;
            }
            (looks, phases)
        });
        world
            .run("login")
            .assert_ended(0, "done", "all_phases_done");
        done.store(true, Ordering::Relaxed);
        let (looks, phases) = watcher.join().unwrap();
        assert!(looks > 20, "{looks}");
        assert!(phases.len() > 2, "{phases:?}");
    });
    let left = std::fs::read_dir(world.path(".kiro/specs/login")).unwrap();
    let temporary: Vec<_> = left
        .flatten()
        .filter(|it| it.file_name().to_string_lossy().ends_with(".tmp"))
        .collect();
    assert!(temporary.is_empty(), "{temporary:?}");
}
