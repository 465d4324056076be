//! How agents are started, or why not.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on should stop")]

mod common;

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::process::Command;

use common::{BINARY, GOOD, World, until, world};
use kumite_core::outcome::Outcome;

fn missing(world: &World) -> String {
    match world.outcome() {
        Outcome::Missing(sentence) => sentence,
        other => panic!("{other:?}"),
    }
}

fn program(name: &str) -> World {
    world("").with(|request| request.program = name.to_owned())
}

#[test]
fn a_program_that_is_nowhere_is_missing() {
    assert_eq!(
        missing(&program("no-such-agent")),
        "the agent program \"no-such-agent\" was not found in PATH; install it, or name another program in .kiro/kumite.toml"
    );
    assert!(missing(&program("./no/such.sh")).contains("./no/such.sh does not exist"));
    assert!(missing(&program("")).contains("was not found"));
}

#[test]
fn a_directory_is_no_program() {
    assert!(missing(&program("/tmp")).contains("/tmp is a directory"));
}

#[test]
fn a_program_that_may_not_be_executed_is_missing() {
    let world = program("./agent.sh");
    fs::set_permissions(world.path("agent.sh"), fs::Permissions::from_mode(0o644)).unwrap();
    assert!(missing(&world).contains("agent.sh is not executable; run chmod +x"));
}

#[test]
fn a_program_for_another_machine_is_missing() {
    let world = program("./agent.sh");
    fs::write(
        world.path("agent.sh"),
        b"\x7fELF\x02\x01\x01\0not for this machine",
    )
    .unwrap();
    assert!(missing(&world).contains("was built for another machine"));
}

#[test]
fn a_script_whose_interpreter_is_gone_is_missing() {
    let world = program("./agent.sh");
    fs::write(world.path("agent.sh"), "#!/no/such/interpreter\n").unwrap();
    assert!(missing(&world).contains("in its first line was not found"));
}

#[test]
fn a_directory_that_is_gone_is_named() {
    let world = world(GOOD).with(|request| request.cwd = "/no/such/worktree".into());
    assert!(missing(&world).starts_with("the directory /no/such/worktree"));
}

#[test]
fn a_script_without_a_first_line_is_run_by_sh() {
    let world = program("./agent.sh");
    fs::write(world.path("agent.sh"), format!("{GOOD}\n")).unwrap();
    assert_eq!(world.outcome(), Outcome::Finished);
}

#[test]
fn a_busy_program_is_tried_again() {
    let world = world(GOOD).with(|request| request.spawn_retries = 50);
    fs::copy("/bin/sh", world.path("busy")).unwrap();
    let held = fs::OpenOptions::new()
        .append(true)
        .open(world.path("busy"))
        .unwrap();
    let world = world.with(|request| {
        request.program = "./busy".to_owned();
        request.args = vec!["agent.sh".to_owned()];
    });
    let handle = world.launch();
    until("the claim", || world.path("dir/claim").exists());
    assert!(!world.path("dir/end.json").exists());
    drop(held);
    assert_eq!(handle.wait().ended.outcome, Outcome::Finished);
}

#[test]
fn the_agent_is_found_in_its_own_path_and_sees_its_own_environment_only() {
    let world = world(&format!("env | sort > seen\n{GOOD}")).with(|request| {
        request.program = "agent.sh".to_owned();
        let path = format!("{}:/usr/bin:/bin", request.cwd.display());
        request.env = vec![
            ("PATH".to_owned(), path),
            ("KEY".to_owned(), "secret".to_owned()),
        ];
    });
    assert_eq!(world.outcome(), Outcome::Finished);
    let seen = String::from_utf8(world.read("seen")).unwrap();
    let names: Vec<&str> = seen
        .lines()
        .filter_map(|line| line.split('=').next())
        .collect();
    assert_eq!(names, ["KEY", "KUMITE_AGENT", "PATH", "PWD"]);
    // Once it runs, its keys are no longer on the disk.
    assert!(
        !String::from_utf8(world.read("dir/request.json"))
            .unwrap()
            .contains("secret")
    );
}

#[test]
fn a_prompt_of_any_size_comes_through_stdin() {
    for size in [0, 5, 3_000_000] {
        let world = world(&format!("cat > got\n{GOOD}"))
            .with(|request| request.stdin = Some("p".repeat(size)));
        assert_eq!(world.outcome(), Outcome::Finished);
        assert_eq!(world.read("got").len(), size);
    }
}

#[test]
fn an_agent_need_not_read_its_prompt() {
    let world = world(&format!("exec 0<&-\n{GOOD}"))
        .with(|request| request.stdin = Some("p".repeat(3_000_000)));
    assert_eq!(world.outcome(), Outcome::Finished);
}

#[test]
fn without_a_prompt_stdin_is_empty() {
    let world = world(&format!("cat > got\n{GOOD}"));
    assert_eq!(world.outcome(), Outcome::Finished);
    assert_eq!(world.read("got"), b"");
}

#[test]
fn signals_that_kumite_ignores_are_not_ignored_by_the_agent() {
    let world = world(&format!("grep SigIgn /proc/self/status > ignored\n{GOOD}"));
    // As in `nohup kumite run &` in a script.
    let kumite = format!("trap '' HUP INT QUIT TERM PIPE; exec {BINARY} launch dir request");
    let request = serde_json::to_vec(&world.request).unwrap();
    fs::write(world.path("request"), request).unwrap();
    let mut shell = Command::new("sh");
    shell.arg("-c").arg(kumite).current_dir(world.path(""));
    assert!(shell.status().unwrap().success());
    let ignored = String::from_utf8(world.read("ignored")).unwrap();
    let ignored = u64::from_str_radix(ignored.trim_start_matches("SigIgn:").trim(), 16).unwrap();
    // The signals from HUP to CHLD; above are those of the C library.
    assert_eq!(ignored & 0x1_ffff, 0);
}
