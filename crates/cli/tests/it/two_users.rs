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

/// In the group of the project, whose files it may therefore read and write.
const COLLEAGUE: [&str; 4] = ["setpriv", "--reuid=4002", "--regid=0", "--clear-groups"];

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

/// A shared project with a spec, if this machine lets us be another user.
fn shared() -> Option<World> {
    let mut world = World::new();
    world.spec("login");
    world.play(json!({"steps": {"requirements": held()}}));
    share(world.root());
    become_user(&mut world, &STRANGER);
    let probe = world.kumite(&["status"]);
    if probe.code != 0 {
        needs_root(&format!("another user: {}", probe.stderr.trim()));
        return None;
    }
    become_user(&mut world, &[]);
    Some(world)
}

/// An agent of root whose kumite was killed: its lock and its socket are still there.
fn left_by_root(world: &World) -> u32 {
    let running = world.start(&["run", "login"]);
    world.wait_for_step("login", "requirements 1");
    until("the agent to be known", || {
        world.status("login")["agents"][0]["pid"].is_u64()
    });
    let agent = world.status("login")["agents"][0]["pid"].as_u64().unwrap() as u32;
    let lock = world.read(".kiro/runtime/kumite/lock");
    kill(lock.trim().parse().unwrap(), "KILL");
    running.wait();
    agent
}

#[test]
fn s4_an_agent_of_another_user_is_neither_lost_nor_joined_by_a_second_one() {
    let Some(mut world) = shared() else { return };
    let agent = left_by_root(&world);
    // A colleague may lock the project: only the owner of the agent is in the way.
    for user in [STRANGER, COLLEAGUE] {
        become_user(&mut world, &user);
        for command in ["stop", "run", "resume"] {
            let out = world.kumite(&[command, "login"]);
            assert_ne!(out.code, 0, "{command}: {out:?}");
            assert!(!out.stderr.is_empty(), "{command}: {out:?}");
        }
        let doctor = world.kumite(&["doctor"]);
        doctor.assert_code(3);
        assert!(!doctor.is_well(), "{doctor:?}");
    }
    assert!(is_alive(agent));
    assert_eq!(world.launches().len(), 1);

    become_user(&mut world, &[]);
    world.kumite(&["stop", "login"]).assert_code(0);
    assert!(!is_alive(agent));
}

/// The socket of a kumite that was killed is still there, and a colleague may not connect to it. That
/// does not mean that its kumite works: the agent is what is left.
#[test]
fn s4_a_stale_socket_of_another_user_is_not_a_kumite_at_work() {
    let Some(mut world) = shared() else { return };
    let agent = left_by_root(&world);
    assert!(world.path(".kiro/runtime/kumite/control.sock").exists());
    for user in [STRANGER, COLLEAGUE] {
        become_user(&mut world, &user);
        for command in ["stop", "run", "resume"] {
            let out = world.kumite(&[command, "login"]);
            let said = format!("{}{}", out.stdout, out.stderr);
            assert_ne!(out.code, 0, "{command}: {out:?}");
            assert!(!said.contains("works here"), "{command}: {out:?}");
            assert!(said.contains("root"), "{command}: {out:?}");
            let times = said.matches("login has an agent of the user root").count();
            assert_eq!(times, usize::from(user == COLLEAGUE), "{command}: {out:?}");
        }
    }
    assert!(is_alive(agent));
    become_user(&mut world, &[]);
    world.kumite(&["stop", "login"]).assert_code(0);
    assert!(!is_alive(agent));
}

#[test]
fn s4_a_kumite_of_another_user_at_work_is_named_with_its_user() {
    let Some(mut world) = shared() else { return };
    let running = world.start(&["run", "login"]);
    world.wait_for_step("login", "requirements 1");
    become_user(&mut world, &COLLEAGUE);
    for command in ["stop", "run"] {
        let out = world.kumite(&[command, "login"]);
        assert_ne!(out.code, 0, "{out:?}");
        let words = format!(
            "the kumite of the user root (pid {}) works here",
            running.pid()
        );
        assert!(out.stderr.contains(&words), "{out:?}");
    }
    become_user(&mut world, &[]);
    world.go();
    running.wait().assert_code(0);
}

/// A lock that may not be read: a kumite may be at work, and doctor says whose.
#[test]
fn s4_doctor_names_the_owner_of_a_lock_that_it_may_not_read() {
    let Some(mut world) = shared() else { return };
    let running = world.start(&["run", "login"]);
    world.wait_for_step("login", "requirements 1");
    become_user(&mut world, &STRANGER);
    let out = world.kumite(&["doctor"]);
    out.assert_code(3);
    let lock = world
        .path(".kiro/runtime/kumite/lock")
        .display()
        .to_string();
    let words = format!("{lock}, which belongs to root (`sudo chown -R 4002 .kiro`");
    assert!(out.stdout.contains(&words), "{out:?}");
    assert!(out.stdout.contains("nothing was ended"), "{out:?}");
    assert!(!out.is_well(), "{out:?}");
    become_user(&mut world, &[]);
    world.go();
    running.wait().assert_code(0);
}
