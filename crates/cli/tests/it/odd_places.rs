//! kumite for an ordinary user in an odd environment (S1, S3, S7, S8, M4, M8 to M10).

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::process::{Command, Stdio};

use serde_json::json;

use crate::watch::held;
use crate::world::{World, is_alive, kill, until};

/// A detached run whose first agent is held, and that agent.
fn detached() -> (World, u32) {
    let world = World::new();
    world.spec("login");
    world.play(json!({"steps": {"requirements": [held(), {}]}}));
    world.kumite(&["run", "login", "--detach"]).assert_code(0);
    world.wait_for_step("login", "requirements 1");
    let agent = world.launches()[0]["pid"].as_u64().unwrap();
    (world, u32::try_from(agent).unwrap())
}

fn engine(world: &World) -> u32 {
    let lock = world.read(".kiro/runtime/kumite/lock");
    lock.trim().parse().unwrap()
}

fn break_settings(world: &World) {
    let text = world.read(".kiro/kumite.toml");
    world.write(".kiro/kumite.toml", &format!("{text}\n["));
}

#[test]
fn s1_a_typo_in_the_settings_does_not_keep_a_stop_from_stopping() {
    let (world, agent) = detached();
    break_settings(&world);
    let out = world.kumite(&["stop", "login"]);
    out.assert_code(0);
    assert!(!is_alive(agent));
    assert_eq!(world.stands("login"), "stopped stopped_by_user");
}

#[test]
fn s1_a_typo_in_the_settings_does_not_keep_a_pause_from_pausing() {
    let (world, _) = detached();
    break_settings(&world);
    world.kumite(&["pause", "login"]).assert_code(0);
    world.go();
    world.wait_for_state("login", "paused");
}

#[test]
fn s1_without_an_engine_stop_and_doctor_use_the_defaults() {
    for command in [&["stop", "login"][..], &["doctor"]] {
        let (world, agent) = detached();
        kill(engine(&world), "KILL");
        until("the engine to be gone", || !is_alive(engine(&world)));
        break_settings(&world);
        let out = world.kumite(command);
        out.assert_code(0);
        assert!(out.stderr.contains("kumite.toml"), "{out:?}");
        assert!(!is_alive(agent), "{command:?}");
        world.assert_nothing_left();
    }
}

#[test]
fn s1_the_settings_of_the_person_do_not_keep_a_stop_from_stopping_either() {
    let (mut world, agent) = detached();
    world.write("config/kumite/config.toml", "[");
    let config = world.path("config").display().to_string();
    world.env.push(("XDG_CONFIG_HOME".to_owned(), config));
    world.kumite(&["stop", "login"]).assert_code(0);
    assert!(!is_alive(agent));
}

#[test]
fn s3_a_signal_that_was_ignored_at_the_start_stays_ignored() {
    let mut world = World::new();
    world.spec("login");
    world.play(json!({"steps": {"requirements": [held(), {}]}}));
    let nohup = "trap '' HUP INT; exec \"$@\"";
    world.wrapper = ["sh", "-c", nohup, "sh"].map(str::to_owned).to_vec();
    let running = world.start(&["run", "login", "--until", "requirements"]);
    world.wait_for_step("login", "requirements 1");
    running.signal("HUP");
    running.signal("INT");
    world.go();
    running.wait().assert_code(0);
}

#[test]
fn s7_a_terminal_that_cannot_move_lines_gets_plain_ones() {
    let mut world = World::new();
    world.spec("login");
    let kumite = format!(
        "{} run login --until requirements",
        env!("CARGO_BIN_EXE_kumite")
    );
    for term in ["dumb", ""] {
        world.env = vec![("TERM".to_owned(), term.to_owned())];
        let mut command = world.command(&[]);
        let out = in_terminal(&mut command, &kumite);
        assert!(out.contains("requirements is done"), "TERM={term}: {out}");
    }
}

/// What a terminal shows for a command.
pub fn in_terminal(like: &mut Command, command: &str) -> String {
    let mut script = Command::new("script");
    script
        .args(["-qec", command, "/dev/null"])
        .stdin(Stdio::null());
    script.current_dir(like.get_current_dir().unwrap());
    for (name, value) in like.get_envs() {
        match value {
            Some(value) => script.env(name, value),
            None => script.env_remove(name),
        };
    }
    let out = script.output().unwrap();
    String::from_utf8_lossy(&out.stdout).into_owned()
}

#[test]
fn s8_a_path_that_is_not_utf_8_is_refused_and_nothing_breaks() {
    let world = World::new();
    let dir = world.root().join(OsStr::from_bytes(b"bad\xff"));
    fs::create_dir_all(dir.join(".kiro/specs/a")).unwrap();
    for args in [
        &["init"][..],
        &["new", "b"],
        &["run", "a"],
        &["stop", "a"],
        &["serve"],
    ] {
        let out = world.command(args).current_dir(&dir).output().unwrap();
        let said = String::from_utf8_lossy(&out.stderr);
        assert_eq!(out.status.code(), Some(5), "{args:?}: {said}");
        assert!(
            said.contains("kumite needs a path in UTF-8"),
            "{args:?}: {said}"
        );
    }
    assert!(!dir.join(".kiro/kumite.toml").exists());
}

#[test]
fn m4_output_that_cannot_be_written_is_a_failure_that_is_said() {
    let world = World::new();
    world.spec("login");
    let rows = [
        &["status"][..],
        &["status", "--json"],
        &["config", "show"],
        &["completions", "bash"],
        &["man"],
        &["--help"],
        &["prompt", "impl"],
        &["run", "login", "--until", "requirements"],
    ];
    for args in rows {
        let full = fs::OpenOptions::new()
            .write(true)
            .open("/dev/full")
            .unwrap();
        let out = world.command(args).stdout(full).output().unwrap();
        let said = String::from_utf8_lossy(&out.stderr);
        assert_eq!(out.status.code(), Some(1), "{args:?}: {said}");
        assert!(said.contains("cannot write the output"), "{args:?}: {said}");
    }
}

#[test]
fn m8_the_kiro_directory_of_another_program_in_the_home_is_no_project() {
    let mut world = World::new();
    fs::create_dir_all(world.path("home/.kiro/settings")).unwrap();
    fs::create_dir_all(world.path("home/x")).unwrap();
    let home = world.path("home").display().to_string();
    world.env.push(("HOME".to_owned(), home));
    let below = world.path("home/x").display().to_string();
    let out = world.kumite(&["new", "a", "-C", &below]);
    out.assert_code(5);
    assert!(out.stderr.contains("kumite init"), "{out:?}");
    assert!(!world.path("home/.kiro/specs").exists());
}

#[test]
fn m8_status_without_specs_names_the_project() {
    let world = World::new();
    let out = world.kumite(&["status"]);
    let specs = world.path(".kiro/specs").display().to_string();
    assert!(out.stdout.contains(&specs), "{out:?}");
}

#[test]
fn m9_specs_with_names_that_kumite_does_not_take_are_named() {
    let world = World::new();
    world.spec("good");
    for name in ["LoginForm", "a b"] {
        world.spec(name);
    }
    let line = "not shown: LoginForm (capital letters), a b (spaces)";
    for args in [
        &["status"][..],
        &["run", "--all", "--until", "requirements"],
        &["doctor"],
    ] {
        let out = world.kumite(args);
        out.assert_code(0);
        let said = format!("{}{}", out.stdout, out.stderr);
        assert!(said.contains(line), "{args:?}: {said}");
    }
    let status = world.kumite(&["status", "--json"]).json().pop().unwrap();
    let expected = json!([
        {"name": "LoginForm", "why": "capital letters"},
        {"name": "a b", "why": "spaces"}]);
    assert_eq!(status["not_shown"], expected);
}

#[test]
fn m10_a_suspended_engine_is_said_at_once() {
    let (world, _) = detached();
    let pid = engine(&world);
    kill(pid, "STOP");
    let line = format!("kumite (pid {pid}) is suspended");
    until("the engine to be suspended", || {
        world.kumite(&["status"]).stderr.contains(&line)
    });
    for (args, code) in [
        (&["stop", "login"][..], 1),
        (&["doctor"], 3),
        (&["run", "login"], 1),
    ] {
        let out = world.kumite(args);
        let said = format!("{}{}", out.stdout, out.stderr);
        assert_eq!(out.code, code, "{args:?}: {said}");
        assert!(said.contains(&line), "{args:?}: {said}");
        assert!(
            said.contains(&format!("kill -CONT {pid}")),
            "{args:?}: {said}"
        );
    }
    kill(pid, "CONT");
    world.kumite(&["stop", "login"]).assert_code(0);
}

#[test]
fn a_new_spec_does_not_begin_with_a_hyphen_and_an_old_one_is_read_and_named() {
    let world = World::new();
    let out = world.kumite(&["new", "--", "-x"]);
    out.assert_code(5);
    assert!(out.stderr.contains("hyphen"), "{out:?}");
    assert!(!world.path(".kiro/specs/-x").exists());
    world.spec("-old");
    let out = world.kumite(&["status", "--", "-old"]);
    out.assert_code(0);
    let doctor = world.kumite(&["doctor"]);
    assert!(
        doctor.stdout.contains("-old begins with a hyphen"),
        "{doctor:?}"
    );
}

#[test]
fn the_project_can_be_named_when_the_current_directory_is_gone() {
    let world = World::new();
    world.spec("login");
    let gone = world.path("gone");
    fs::create_dir(&gone).unwrap();
    let root = world.root().display().to_string();
    let script = format!(
        "rmdir '{}' && exec {} -C '{root}' status",
        gone.display(),
        env!("CARGO_BIN_EXE_kumite")
    );
    let out = Command::new("sh")
        .args(["-c", &script])
        .current_dir(&gone)
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&out.stderr);
    assert!(out.status.success(), "{said}");
}

#[test]
fn a_project_that_cannot_be_entered_says_why() {
    let world = World::new();
    world.write("file", "");
    for (dir, words) in [
        ("missing", "there is no directory"),
        ("file", "is not a directory"),
    ] {
        let dir = world.path(dir).display().to_string();
        let out = world.kumite(&["status", "-C", &dir]);
        out.assert_code(5);
        assert!(out.stderr.contains(words), "{out:?}");
    }
}
