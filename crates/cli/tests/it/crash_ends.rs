//! All kumite processes are killed at once, just when an agent ends.

use std::fs;

use serde_json::json;

use crate::crash::supervisors;
use crate::world::{World, kill, until};

/// `pkill -9 kumite` just when an agent has done its work: no process is left that saw its end. Its
/// documents exist, so it is not repeated, whether its last output reached the log or not.
#[test]
fn engine_and_supervisors_killed_when_an_agent_ends_repeat_no_review_reply_or_inspection() {
    let steps = [
        "review 1",
        "reply 1",
        "review 2",
        "reply 2",
        "impl",
        "inspect 1",
    ];
    for (key, moment) in [
        ("review/1", "after_work"),
        ("reply/1", "after_work"),
        ("inspect/1", "after_work"),
        ("review/1", "after_result"),
        ("reply/1", "after_result"),
        ("inspect/1", "after_result"),
    ] {
        let world = World::new();
        world.spec_with_documents("first");
        let fix = u32::from(key == "reply/1");
        world.play(json!({"steps": {
            "reply/1": {"fix": 1},
            key: {"fix": fix, "hang": moment}
        }}));
        let run = world.start(&["run", "first"]);
        until("the work to be there", || is_written(&world, key, moment));
        run.signal("KILL");
        run.wait();
        for supervisor in supervisors(&world) {
            kill(supervisor, "KILL");
        }
        until("all supervisors to be gone", || {
            supervisors(&world).is_empty()
        });
        world.play(json!({"steps": {"reply/1": {"fix": 1}}}));
        world.kumite(&["run", "first"]).assert_code(0);
        let done: Vec<String> = world.steps("first");
        let rounds = world.spec_json("first")["inspection"]["rounds"].clone();
        assert_eq!(rounds.as_array().map(Vec::len), Some(1), "{key}: {rounds}");
        for step in steps {
            let times = done.iter().filter(|it| it.starts_with(step)).count();
            assert_eq!(times, 1, "{key} {moment}: {step} in {done:?}");
        }
        world.assert_nothing_left();
    }
}

/// Whether the agent of a step has done everything that it does before `moment`.
fn is_written(world: &World, key: &str, moment: &str) -> bool {
    let spec = world.spec_json("first");
    let file = |name: &str| world.path(&format!(".kiro/specs/first/{name}")).is_file();
    let written = match key {
        "review/1" => file("document-review-1.md"),
        "reply/1" => spec["documentReview"]["roundDetails"][0]["fixRequiredCount"] == 1,
        _ => file("inspection-1.md") && spec["inspection"]["rounds"][0]["result"].is_string(),
    };
    let said = || {
        let logs = fs::read_dir(world.path(".kiro/specs/first/logs"));
        let names = logs
            .into_iter()
            .flatten()
            .flatten()
            .map(|log| log.file_name());
        let names = names.filter_map(|name| name.into_string().ok());
        let raw = names.filter(|name| name.ends_with(".log") && !name.ends_with(".stderr.log"));
        let newest = raw.max().unwrap_or_default();
        let log = fs::read_to_string(world.path(".kiro/specs/first/logs").join(newest));
        log.is_ok_and(|log| log.contains("\"type\":\"result\""))
    };
    written && (moment == "after_work" || said())
}
