//! Two users in one project (S4). This needs root.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use serde_json::json;

use crate::needs_root::needs_root;
use crate::watch::held;
use crate::world::{World, is_alive, kill, until};

const SHARED: [&str; 3] = ["sh", "-c", "umask 000; exec \"$0\" \"$@\""];
const STRANGER: [&str; 4] = ["setpriv", "--reuid=4002", "--regid=4002", "--clear-groups"];

/// From now on kumite is started through these words, with files that everybody may write.
fn become_user(world: &mut World, words: &[&str]) {
    let words = words.iter().chain(&SHARED);
    world.wrapper = words.map(|word| (*word).to_owned()).collect();
}

fn share(path: &Path) {
    let mode = if path.is_dir() { 0o2777 } else { 0o666 };
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    for entry in fs::read_dir(path).into_iter().flatten().flatten() {
        share(&entry.path());
    }
}

#[test]
fn s4_an_agent_of_another_user_is_neither_lost_nor_joined_by_a_second_one() {
    let mut world = World::new();
    world.spec("login");
    world.play(json!({"steps": {"requirements": held()}}));
    share(world.root());
    become_user(&mut world, &STRANGER);
    let probe = world.kumite(&["status"]);
    if probe.code != 0 {
        return needs_root(&format!("another user: {}", probe.stderr.trim()));
    }
    become_user(&mut world, &[]);
    let running = world.start(&["run", "login"]);
    world.wait_for_step("login", "requirements 1");
    until("the agent to be known", || {
        world.status("login")["agents"][0]["pid"].is_u64()
    });
    let agent = world.status("login")["agents"][0]["pid"].as_u64().unwrap() as u32;
    let lock = world.read(".kiro/runtime/kumite/lock");
    kill(lock.trim().parse().unwrap(), "KILL");
    running.wait();

    become_user(&mut world, &STRANGER);
    for command in [
        &["stop", "login"][..],
        &["run", "login"],
        &["resume", "login"],
    ] {
        let out = world.kumite(command);
        assert_ne!(out.code, 0, "{command:?}: {out:?}");
        assert!(!out.stderr.is_empty(), "{command:?}: {out:?}");
    }
    assert!(is_alive(agent));
    assert_eq!(world.launches().len(), 1);

    become_user(&mut world, &[]);
    world.kumite(&["stop", "login"]).assert_code(0);
    assert!(!is_alive(agent));
}
