//! Wrong settings: the file, the line, the nearest known name; exit code 5; nothing starts.

use std::fs;

use crate::bad_input::{names, refused};
use crate::world::World;

/// What is wrong, in which line, and what the message must name.
const WRONG: [(&str, u32, &[&str]); 18] = [
    ("[run]\njosb = 3\n", 2, &["josb", "run.jobs"]),
    ("[revew]\nrounds_max = 3\n", 2, &["revew", "review"]),
    ("[run]\njobs = \"five\"\n", 2, &["jobs"]),
    ("[run]\njobs = 0\n", 2, &["jobs"]),
    ("[run]\njobs = -1\n", 2, &["jobs"]),
    (
        "\n\n[run]\nstep_timeout = \"2 fortnights\"\n",
        4,
        &["step_timeout", "15m"],
    ),
    ("[agent]\nsilence_timeout = 900\n", 2, &["silence_timeout"]),
    ("[agent]\ndefault = \"claud\"\n", 2, &["claud"]),
    ("[agent.phase]\nimpl = \"nobody\"\n", 2, &["nobody"]),
    (
        "[agent.phase]\nimplementation = \"claude\"\n",
        2,
        &["implementation", "impl"],
    ),
    ("[impl]\nguard = \"lax\"\n", 2, &["guard", "strict"]),
    (
        "[agents.mine]\nkind = \"robot\"\n",
        2,
        &["agents.mine.kind", "scripted"],
    ),
    ("[agents.mine]\nkind = \"command\"\n", 2, &["command"]),
    (
        "[worktree]\nbranch = \"main\"\n",
        2,
        &["worktree.branch", "feature/{spec}"],
    ),
    (
        "[verify]\nflaky = 1\n[[verify.command]]\nname = \"tests\"\n",
        3,
        &["verify.command", "run"],
    ),
    (
        "[[verify.command]]\nname = \"a\"\nrun = \"a\"\ndir = \"..\"\n",
        4,
        &["verify.command.dir", "inside"],
    ),
    ("[sandbox]\nmode = \"on\"\n", 2, &["sandbox.mode", "bwrap"]),
    ("[run\njobs = 3\n", 1, &[]),
];

#[test]
fn a_wrong_setting_is_refused_with_its_file_line_and_nearest_name() {
    let world = World::new();
    world.spec("login");
    for (text, line, words) in WRONG {
        world.write(".kiro/kumite.toml", text);
        for args in [
            &["run", "login"][..],
            &["run", "login", "--detach"],
            &["reset", "login"],
        ] {
            let said = refused(&world, args, words).stderr;
            assert!(names(&said, "kumite.toml", line), "line {line}: {said}");
        }
    }
    assert!(world.launches().is_empty());
}

#[test]
fn settings_that_are_no_text_or_no_file_are_refused() {
    let world = World::new();
    world.spec("login");
    let path = world.path(".kiro/kumite.toml");
    fs::write(&path, b"[run]\njobs = \"\xff\"\n").unwrap();
    refused(&world, &["run", "login"], &["kumite.toml", "UTF-8"]);
    fs::remove_file(&path).unwrap();
    fs::create_dir(&path).unwrap();
    refused(&world, &["run", "login"], &["kumite.toml", "directory"]);
}

#[test]
fn a_wrong_variable_is_refused_by_its_name() {
    let mut world = World::new();
    world.spec("login");
    for (name, value, word) in [
        ("KUMITE_RUN__JOBS", "many", "jobs"),
        ("KUMITE_RUN__JBOS", "3", "jobs"),
        ("KUMITE_AGENT__SILENCE_TIMEOUT", "soon", "\"15m\""),
        ("KUMITE_NOTHING__AT_ALL", "1", "KUMITE_NOTHING__AT_ALL"),
        ("KUMITE_AGENT__DEFAULT", "nobody", "nobody"),
    ] {
        world.env = vec![(name.to_owned(), value.to_owned())];
        refused(&world, &["run", "login"], &[name, word]);
    }
}

#[test]
fn an_agent_that_nobody_defined_is_refused_before_anything_starts() {
    let world = World::new();
    world.spec("login");
    let words = ["there is no agent nobody", "claude", "[agents.nobody]"];
    let out = world.kumite(&["run", "login", "--agent", "nobody"]);
    out.assert_code(5);
    for word in words {
        assert!(out.stderr.contains(word), "{out:?}");
    }
    assert!(world.launches().is_empty());
    assert_eq!(world.status("login")["state"], "idle");
}

#[test]
fn settings_that_go_wrong_beneath_a_living_engine_refuse_the_next_start_only() {
    let world = World::new();
    world.spec_ready_for_impl("first");
    world.spec_ready_for_impl("second");
    world.play(serde_json::json!({"steps": {"first/impl": {"touch": ["impl"], "wait_for": "go"}}}));
    let running = world.start(&["run", "first"]);
    world.wait_for("impl");
    world.write(".kiro/kumite.toml", "[run]\njosb = 3\n");
    world.kumite(&["run", "second"]).assert_code(5);
    world.write("go", "");
    running.wait().assert_code(0);
    assert_eq!(world.steps("second"), [""; 0]);
}
