//! Messages about agents and machines that are not as they should be (table L of odd-places.md).

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::process::Command;

use serde_json::json;

use crate::needs_root::needs_root;
use crate::watch::held;
use crate::world::{World, text, until};

/// A user that is not us, with nothing of its own.
const NOBODY: [&str; 4] = ["setpriv", "--reuid=4003", "--regid=4003", "--clear-groups"];

/// A world that everybody may enter, in which kumite is another user. None: that needs root.
fn as_nobody() -> Option<World> {
    let mut world = World::new();
    let open = fs::Permissions::from_mode(0o777);
    fs::set_permissions(world.root(), open.clone()).unwrap();
    fs::set_permissions(world.path(".kiro"), open).unwrap();
    world.wrapper = NOBODY.map(str::to_owned).to_vec();
    let probe = world.kumite(&["status"]);
    if probe.code == 0 {
        return Some(world);
    }
    needs_root(&format!("another user: {}", probe.stderr.trim()));
    None
}

#[test]
fn a_stop_after_a_take_over_says_that_the_agent_was_ended() {
    let world = World::new();
    world.spec("login");
    world.play(json!({"steps": {"requirements": held()}}));
    let running = world.start(&["run", "login"]);
    world.wait_for_step("login", "requirements 1");
    running.signal("KILL");
    running.wait();
    world.kumite(&["stop", "login"]).assert_code(0);
    let news = world.read(".kiro/runtime/kumite/news.jsonl");
    let ended = crate::world::lines(&news).into_iter();
    let ended: Vec<_> = ended.filter(|it| it["type"] == "step_ended").collect();
    assert_eq!(ended.len(), 1, "{news}");
    assert_eq!(ended[0]["outcome"], "killed", "{news}");
    let said = world.kumite(&["events", "login"]).stdout;
    assert!(!said.contains("lost"), "{said}");
    let said = world.kumite(&["replay", "login"]).stdout;
    assert!(said.contains("requirements was ended"), "{said}");
}

#[test]
fn an_agent_that_is_missing_points_to_the_list_of_agents() {
    let world = World::new();
    world.spec("login");
    let settings = "[agents.claude]\nprogram = \"no-such-agent-program\"\n";
    world.write(".kiro/kumite.toml", settings);
    world.kumite(&["run", "login"]).assert_code(1);
    let message = text(&world.status("login")["message"]);
    assert!(message.contains("`kumite agent list`"), "{message}");
    assert!(!message.contains("doctor"), "{message}");
}

#[test]
fn a_file_that_is_not_executable_is_no_installed_agent() {
    let mut world = World::new();
    world.write(".kiro/kumite.toml", "");
    world.write("first/claude", "#!/bin/sh\necho 9.9.9\n");
    let path = format!("{}:/usr/bin:/bin", world.path("first").display());
    world.env.push(("PATH".to_owned(), path));
    let claude = |world: &World| {
        let agents = world.kumite(&["agent", "list", "--json"]).json().remove(0);
        let agents = agents["agents"].as_array().cloned().unwrap_or_default();
        agents
            .into_iter()
            .find(|it| it["name"] == "claude")
            .unwrap()
    };
    assert_eq!(claude(&world)["installed"], false);
    let may_run = fs::Permissions::from_mode(0o755);
    fs::set_permissions(world.path("first/claude"), may_run).unwrap();
    assert_eq!(claude(&world)["installed"], true);
}

#[test]
fn specs_that_may_not_be_read_are_not_missing() {
    let Some(world) = as_nobody() else { return };
    world.spec("alpha");
    let specs = world.path(".kiro/specs");
    fs::set_permissions(&specs, fs::Permissions::from_mode(0o700)).unwrap();
    let out = world.kumite(&["run", "alpha"]);
    assert_ne!(out.code, 0, "{out:?}");
    assert!(out.stderr.contains("Permission denied"), "{out:?}");
    assert!(out.stderr.contains(".kiro/specs"), "{out:?}");
    assert!(!out.stderr.contains("kumite new"), "{out:?}");
}

#[test]
fn a_repository_of_another_user_is_said_to_be_one() {
    let world = World::new();
    let git = |args: &[&str]| {
        let mut git = Command::new("git");
        git.args(["-c", "user.name=T", "-c", "user.email=t@example.org"]);
        git.args(args).current_dir(world.root());
        assert!(git.output().unwrap().status.success(), "{args:?}");
    };
    world.write("file", "text\n");
    world.write(
        "contest.toml",
        "task = \"x\"\n[[team]]\nid = \"a\"\nagent = \"claude\"\n[[team]]\nid = \"b\"\nagent = \"claude\"\n\
         [[metric]]\nname = \"m\"\ncommand = [\"true\"]\n",
    );
    git(&["init", "--quiet"]);
    git(&["add", "file"]);
    git(&["commit", "--quiet", "-m", "first"]);
    let chown = Command::new("chown")
        .args(["-R", "4003"])
        .arg(world.root())
        .output();
    if !chown.is_ok_and(|chown| chown.status.success()) {
        return needs_root("gives files to another user");
    }
    let out = world.kumite(&["contest", "run", "contest.toml"]);
    assert_ne!(out.code, 0, "{out:?}");
    assert!(out.stderr.contains("another user owns it"), "{out:?}");
    assert!(out.stderr.contains("safe.directory"), "{out:?}");
}

/// A user of its own: its processes are counted.
const CROWDED: u32 = 4004;

#[test]
fn a_machine_without_room_for_a_process_is_not_a_missing_agent() {
    let Some(mut world) = as_nobody() else { return };
    let mut said = Vec::new();
    // How many processes and threads kumite needs differs; below that the agent has no room.
    for room in 3..16 {
        let spec = format!("spec-{room}");
        world.spec(&spec);
        for path in [".kiro/specs", &format!(".kiro/specs/{spec}")] {
            fs::set_permissions(world.path(path), fs::Permissions::from_mode(0o777)).unwrap();
        }
        until("its processes to be gone", || !is_crowded());
        let words = format!(
            "setpriv --reuid={CROWDED} --regid={CROWDED} --clear-groups prlimit --nproc={room}"
        );
        world.wrapper = words.split(' ').map(str::to_owned).collect();
        let out = world.kumite(&["run", &spec, "--until", "requirements", "--json"]);
        for end in out.notices("run_ended") {
            assert_ne!(end["reason"], "agent_missing", "{out:?}");
            said.push((text(&end["reason"]), text(&end["message"])));
        }
    }
    let about_the_machine = |(reason, message): &(String, String)| {
        let words = "this machine has no room for another process";
        reason == "agent_failed" && message.contains(words)
    };
    assert!(said.iter().any(about_the_machine), "{said:#?}");
}

fn is_crowded() -> bool {
    let processes = fs::read_dir("/proc").unwrap().flatten();
    let mut owners = processes.filter_map(|it| it.metadata().ok());
    owners.any(|it| it.uid() == CROWDED)
}
