//! Messages for people: each names what is wrong, and the commands in it work.

use std::fs;
use std::os::unix::fs::symlink;

use serde_json::json;

use crate::watch::held;
use crate::world::{World, text};

#[test]
fn a_hint_works_as_it_is_typed() {
    let world = World::new();
    world.spec("login");
    world.play(json!({"steps": {"requirements": [{"exit": 1, "write": "nothing"}, {}]}}));
    let out = world.kumite(&["run", "login", "--until", "requirements"]);
    out.assert_code(1);
    for said in [&out.stdout, &world.kumite(&["status"]).stdout] {
        assert!(said.contains("`kumite resume login`"), "{said}");
        assert!(said.contains("`kumite log login`"), "{said}");
    }
    world.kumite(&["resume", "login"]).assert_code(0);
}

#[test]
fn a_hint_in_the_history_works_as_it_is_typed() {
    let world = World::new();
    world.spec("login");
    world.settings("[run]\nauto_approve = false");
    world.kumite(&["run", "login"]).assert_code(3);
    let said = world.kumite(&["replay", "login"]).stdout;
    assert_eq!(said.matches("`kumite approve login`").count(), 2, "{said}");
    assert!(!said.contains("`kumite approve`"), "{said}");
}

#[test]
fn an_end_before_deploy_says_that_deploy_is_not_permitted() {
    let world = World::new();
    world.spec("login");
    let out = world.kumite(&["run", "login"]);
    let expected = "done: all phases are done; deploy is not permitted; not verified";
    assert!(out.stdout.contains(expected), "{out:?}");
}

#[test]
fn a_step_that_may_not_spend_more_is_not_said_to_start() {
    let world = World::new();
    world.settings("[budget]\nusd_per_run = 0.05");
    world.spec_ready_for_impl("login");
    world.play(json!({"steps": {"impl": {"cost": 0.06}}}));
    let out = world.kumite(&["run", "login"]);
    out.assert_code(4);
    let said = &out.stdout;
    assert!(said.contains("inspection 1 may not spend more"), "{said}");
    assert!(!said.contains("inspection 1 starts"), "{said}");
    let started = world.events("login").into_iter();
    let started = started.filter(|event| event["type"] == "agent:start");
    assert_eq!(started.count(), 1, "{:?}", world.events("login"));
}

#[test]
fn a_stop_says_what_it_has_done_and_by_whom() {
    let world = World::new();
    world.spec("login");
    world.play(json!({"steps": {"requirements": held()}}));
    let detached = world.kumite(&["run", "login", "--detach"]);
    let expected = "login works in the background; `kumite status` shows it\n";
    assert_eq!(detached.stdout, expected);
    world.wait_for_step("login", "requirements 1");
    let stopped = world.kumite(&["stop", "login"]);
    let expected = "login is stopped; its agent and all that it started have ended\n";
    assert_eq!(stopped.stdout, expected);
    let message = text(&world.status("login")["message"]);
    assert_eq!(message, "stopped by you; `kumite resume login` goes on");
}

#[test]
fn an_answer_without_an_engine_says_how_it_goes_on() {
    let world = World::new();
    world.spec("login");
    world.settings("[run]\nauto_approve = false");
    world.kumite(&["run", "login"]).assert_code(3);
    let out = world.kumite(&["approve", "login"]);
    let expected = "login: requirements.md is approved; `kumite run login` goes on\n";
    assert_eq!(out.stdout, expected);
}

#[test]
fn what_is_in_the_way_of_init_is_named() {
    let world = World::new();
    type Row = (&'static str, fn(&std::path::Path), &'static str);
    let rows: [Row; 2] = [
        (
            "link",
            |at| symlink("/x/y", at).unwrap(),
            "is a link to /x/y, which does not exist",
        ),
        (
            "file",
            |at| fs::write(at, "").unwrap(),
            "is a file; kumite needs a directory there",
        ),
    ];
    for (name, make, words) in rows {
        let dir = world.path(name);
        fs::create_dir(&dir).unwrap();
        make(&dir.join(".kiro"));
        let out = world.kumite(&["init", "-C", &dir.display().to_string()]);
        out.assert_code(1);
        assert!(out.stderr.contains(words), "{out:?}");
    }
    let quiet = world.kumite(&["init", "--quiet"]);
    quiet.assert_code(0);
    assert_eq!(quiet.stdout, "");
}

#[test]
fn a_directory_for_the_demo_that_cannot_be_made_is_named() {
    let mut world = World::new();
    world
        .env
        .push(("TMPDIR".to_owned(), "/nonexistent".to_owned()));
    for args in [&["demo"][..], &["contest", "demo"]] {
        let out = world.kumite(args);
        out.assert_code(1);
        assert!(out.stderr.contains("/nonexistent (TMPDIR)"), "{out:?}");
        assert!(out.stderr.contains("--dir"), "{out:?}");
    }
}

#[test]
fn a_directory_for_a_contest_that_cannot_be_made_is_named() {
    let world = World::new();
    world.write("file", "");
    let out = world.kumite(&["contest", "demo", "--dir", "file/below"]);
    out.assert_code(1);
    assert!(out.stderr.contains("cannot create "), "{out:?}");
    assert!(out.stderr.contains("file/below: "), "{out:?}");
}

#[test]
fn a_log_of_nobody_is_said() {
    let world = World::new();
    world.spec("login");
    let log = world.kumite(&["log", "login"]);
    assert!(
        log.stderr.contains("no agent has worked for login"),
        "{log:?}"
    );
    let events = world.kumite(&["events", "login"]);
    assert!(events.stderr.contains("login has never run"), "{events:?}");
    let agent = world.kumite(&["log", "login", "--agent", "zzz"]);
    agent.assert_code(5);
    assert!(agent.stderr.contains("ends in zzz"), "{agent:?}");
}

#[test]
fn a_prompt_that_nobody_knows_is_answered_with_the_steps() {
    let out = World::new().kumite(&["prompt", "nope"]);
    out.assert_code(5);
    assert!(
        out.stderr.contains("requirements, design, tasks, review"),
        "{out:?}"
    );
    for step in [
        "requirements",
        "review",
        "reply",
        "impl",
        "inspect",
        "fix",
        "merge",
    ] {
        World::new().kumite(&["prompt", step]).assert_code(0);
    }
}

#[test]
fn the_locale_of_plain_c_gets_plain_characters() {
    let mut world = World::new();
    world.spec("login");
    world.env.push(("LC_ALL".to_owned(), "C".to_owned()));
    let out = world.kumite(&["run", "login", "--until", "requirements"]);
    out.assert_code(0);
    assert!(out.stdout.is_ascii(), "{out:?}");
    let log = world.kumite(&["log", "login"]);
    assert!(log.stdout.is_ascii(), "{log:?}");
}

#[test]
fn the_man_page_refers_to_no_page_that_does_not_exist() {
    let out = World::new().kumite(&["man"]);
    assert!(!out.stdout.contains("(1)\n"), "{}", out.stdout);
    assert!(out.stdout.contains("kumite doctor"), "{}", out.stdout);
}

#[test]
fn doctor_names_an_agent_whose_spec_was_removed() {
    let world = World::new();
    world.spec("login");
    world.play(json!({"steps": {"requirements": held()}}));
    world.kumite(&["run", "login", "--detach"]).assert_code(0);
    world.wait_for_step("login", "requirements 1");
    let agent = world.launches()[0]["pid"].as_u64().unwrap();
    fs::remove_dir_all(world.path(".kiro/specs/login")).unwrap();
    let out = world.kumite(&["doctor"]);
    out.assert_code(3);
    assert!(
        out.stdout.contains(&format!("(pid {agent}) works, but")),
        "{out:?}"
    );
    assert!(out.stdout.contains("`kumite stop login`"), "{out:?}");
    world.kumite(&["stop", "login"]).assert_code(0);
    world.assert_nothing_left();
}

#[test]
fn doctor_looks_at_the_journals_of_contests() {
    let world = World::new();
    let journal = ".kiro/runtime/kumite/contests/c1/journal.jsonl";
    world.write(journal, "no entry\n");
    let out = world.kumite(&["doctor"]);
    out.assert_code(3);
    assert!(out.stdout.contains("c1/journal.jsonl:1"), "{out:?}");
    world.write(journal, "{\"v\":99,\"seq\":1}\n");
    let out = world.kumite(&["doctor"]);
    assert!(out.stdout.contains("newer kumite"), "{out:?}");
}

#[test]
fn a_contest_file_is_whole_or_not_there() {
    let world = World::new();
    world.kumite(&["contest", "init"]).assert_code(0);
    assert!(world.read("contest.toml").contains("[[team"));
    world.kumite(&["contest", "init"]).assert_code(5);
    let files = fs::read_dir(world.root()).unwrap().flatten();
    let names: Vec<_> = files.map(|it| it.file_name()).collect();
    assert!(
        !names
            .iter()
            .any(|it| it.to_string_lossy().starts_with(".tmp")),
        "{names:?}"
    );
    let missing = world.kumite(&["contest", "init", "missing/contest.toml"]);
    missing.assert_code(1);
    assert!(
        missing.stderr.contains("missing/contest.toml"),
        "{missing:?}"
    );
    // A file that may not grow stands for a full disk: nothing is left that the next try would find.
    let mut full = World::new();
    let small = "ulimit -f 1; exec \"$0\" \"$@\"";
    full.wrapper = ["sh", "-c", small].map(str::to_owned).to_vec();
    let out = full.kumite(&["contest", "init"]);
    out.assert_code(1);
    assert!(
        out.stderr.contains("contest.toml: File too large"),
        "{out:?}"
    );
    assert!(!full.path("contest.toml").exists());
}
