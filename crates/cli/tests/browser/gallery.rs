//! A project in the middle of its life: specs in every state, a running contest, and one that has
//! ended.

use serde_json::{Value, json};

use crate::arena::{HOLD, arena};
use crate::scene::Scene;
use crate::world::{World, permissions, text, until};

const REQUIREMENTS: &str = include_str!("texts/requirements.md");
const REPLY: &str = include_str!("texts/reply.md");

/// The state that each spec is brought into.
const STANDS: [(&str, &str); 8] = [
    ("password-reset", "done all_phases_done"),
    ("billing-export", "failed retries_exhausted"),
    ("audit-trail", "paused needs_discussion"),
    ("login-form", "waiting approval_needed"),
    ("session-timeout", "stopped stopped_by_user"),
    ("search-index", "working null"),
    ("image-upload", "working null"),
    ("notifications", "waiting usage_limit"),
];

pub fn gallery() -> Scene {
    let world = World::new();
    arena(
        &world,
        "[run]\nauto_approve = false\n[impl]\nretries_max = 3",
    );
    for name in ["csv-import", "dark-theme", "rate-limits", "login-form"] {
        world.spec(name);
    }
    for name in ["password-reset", "audit-trail", "search-index"] {
        world.spec_with_documents(name);
    }
    for name in [
        "billing-export",
        "session-timeout",
        "image-upload",
        "notifications",
    ] {
        world.spec_ready_for_impl(name);
    }
    world.write(".kiro/specs/image-upload/tasks.md", TASKS);
    world.patch(
        "dark-theme",
        json!({"autoExecution": {"permissions": permissions("requirements design")}}),
    );
    world.play(play());
    world
        .kumite(&["contest", "demo", "--dir", "."])
        .assert_code(0);
    world.write(HOLD, "");
    let scene = Scene::of(world);
    let contest = json!({"file": "contest.toml"});
    scene
        .served
        .post("/api/contests", &contest)
        .assert_status(202);
    let ask = |name: &str, what: &str| {
        scene
            .served
            .post(&format!("/api/specs/{name}/{what}"), &json!({}))
    };
    let (limited, others) = STANDS.split_last().unwrap();
    for (name, _) in others {
        ask(name, "run").assert_status(202);
    }
    scene.world.wait_for_step("session-timeout", "impl 1");
    ask("session-timeout", "stop").assert_status(200);
    scene.world.wait_for_step("search-index", "review 3");
    scene.world.wait_for("uploading");
    others.iter().for_each(|it| wait(&scene, it));
    // The limit holds for all agents that start later.
    ask(limited.0, "run").assert_status(202);
    wait(&scene, limited);
    scene
}

fn wait(scene: &Scene, (name, stands): &(&str, &str)) {
    until(&format!("{name} to be {stands}"), || {
        let status = scene.served.get(&format!("/api/specs/{name}")).json();
        format!("{} {}", text(&status["state"]), text(&status["reason"])) == *stands
    });
}

const TASKS: &str = "# Implementation Plan\n\n- [x] 1. Accept files\n- [x] 1.1 Read the form\n- [x] 1.2 Refuse what is no image\n\
    - [ ] 2. Make thumbnails\n- [x] 2.1 Read `width` and `height`\n- [ ] 2.2 Scale in the background\n- [ ] 3. Show progress\n- [ ]* 4. Crop by hand\n";

fn play() -> Value {
    json!({"steps": {
        "login-form/requirements": {"write": {"requirements.md": REQUIREMENTS}, "cost": 0.31},
        "password-reset/reply/1": {"fix": 3, "cost": 0.22}, "password-reset/reply/2": {"fix": 1, "cost": 0.18},
        "password-reset/inspect/1": {"verdict": "nogo"},
        "billing-export/impl": [{"tick": 1, "cost": 0.74}, {"tick": 0, "cost": 0.12}],
        "audit-trail/reply/1": {"discuss": 2, "write": {"document-review-1-reply.md": REPLY}},
        "search-index/reply/1": {"fix": 4}, "search-index/reply/2": {"fix": 2},
        "search-index/review/3": {"wait_for": "never"},
        "session-timeout/impl": {"wait_for": "never"},
        "image-upload/impl": {"touch": ["uploading"], "wait_for": "never", "say": said()},
        "notifications/impl": {"tick": 1, "result": "limit", "resets_in_s": 3 * 3600 + 900},
    }})
}

/// What an agent at work says.
fn said() -> Vec<Value> {
    let text = |text: &str| json!({"type": "text", "text": text});
    let tool = |id: &str, name: &str, input: Value| json!({"type": "tool_use", "id": id, "name": name, "input": input});
    let says = |block: Value| {
        json!({"type": "assistant", "parent_tool_use_id": null,
        "message": {"role": "assistant", "model": "fake-model", "content": [block]}})
    };
    let answer = |id: &str, content: &str, is_error: bool| {
        json!({"type": "user", "parent_tool_use_id": null,
        "message": {"role": "user", "content": [{"type": "tool_result", "tool_use_id": id, "content": content, "is_error": is_error}]}})
    };
    let mut edited = answer("t3", "The file src/thumbnail.rs has been updated.", false);
    edited["tool_use_result"] = json!({"filePath": "src/thumbnail.rs", "structuredPatch": [{"lines": [
        " pub fn thumbnail(image: &Image) -> Image {", "-    todo!()",
        "+    let factor = image.width.div_ceil(WIDTH);", "+    image.averaged(factor)", " }"]}]});
    vec![
        says(text(
            "I read the tasks first: 1 is done, of 2 the scaling is missing.",
        )),
        says(tool("t1", "Read", json!({"file_path": "src/thumbnail.rs"}))),
        answer(
            "t1",
            "pub fn thumbnail(image: &Image) -> Image {\n    todo!()\n}",
            false,
        ),
        says(tool(
            "t2",
            "Bash",
            json!({"command": "cargo test thumbnail"}),
        )),
        answer(
            "t2",
            "running 3 tests\ntest scales_down ... FAILED\n\ntest result: FAILED. 2 passed; 1 failed",
            true,
        ),
        says(text(
            "One test fails, as it should: nothing scales yet.\n\nI scale by *averaging*, because the images are small:\n\n```rust\nlet factor = image.width / WIDTH;\n```",
        )),
        says(tool(
            "t3",
            "Edit",
            json!({"file_path": "src/thumbnail.rs", "old_string": "    todo!()", "new_string": "    let factor = image.width.div_ceil(WIDTH);\n    image.averaged(factor)"}),
        )),
        edited,
        says(tool(
            "t4",
            "Bash",
            json!({"command": "cargo test thumbnail && cargo clippy --all-targets -- -D warnings"}),
        )),
        answer(
            "t4",
            "running 3 tests\ntest result: ok. 3 passed; 0 failed",
            false,
        ),
        says(text("All three pass. Next is 2.2, the background.")),
    ]
}
