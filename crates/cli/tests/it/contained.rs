//! What `kumite doctor` finds and reports, and what it never touches.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command};

use serde_json::{Value, json};

use crate::bad_disk::{Disk, fill};
use crate::world::{World, is_alive, kill, text, until};

/// A foreign process. It is ended with the test.
struct Stranger(Child);

impl Stranger {
    fn new(env: &[(&str, &str)]) -> Stranger {
        let mut command = Command::new("sleep");
        let command = command.arg("1000").envs(env.iter().copied());
        Stranger(command.spawn().unwrap())
    }

    /// A process in this cgroup.
    fn in_cgroup(dir: &Path) -> Stranger {
        let enter = "echo 0 > \"$0/cgroup.procs\" && exec sleep 1000";
        let child = Command::new("sh").args(["-c", enter]).arg(dir).spawn();
        let stranger = Stranger(child.unwrap());
        until("the stranger to be in its cgroup", || {
            let inside = fs::read_to_string(dir.join("cgroup.procs")).unwrap();
            inside
                .lines()
                .any(|line| line == stranger.0.id().to_string())
        });
        stranger
    }

    #[track_caller]
    fn assert_lives(&mut self) {
        assert_eq!(self.0.try_wait().unwrap(), None);
    }
}

impl Drop for Stranger {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// A run whose kumite, supervisor and agent were all killed; and the directory of that agent.
fn lost() -> (World, PathBuf) {
    let world = World::new();
    world.spec("login");
    let held = json!({"wait_for": "go", "touch": ["ready"]});
    world.play(json!({"steps": {"requirements": [held, {}]}}));
    let running = world.start(&["run", "login"]);
    world.wait_for("ready");
    let dir = world.path(".kiro/runtime/kumite/runs/login/agents");
    let dir = fs::read_dir(dir).unwrap().next().unwrap().unwrap().path();
    until("the record", || dir.join("record.json").exists());
    running.signal("KILL");
    running.wait().assert_code(137);
    let launch = &world.launches()[0];
    for key in ["ppid", "pid"] {
        let pid = u32::try_from(launch[key].as_u64().unwrap()).unwrap();
        kill(pid, "KILL");
        until("its death", || !is_alive(pid));
    }
    (world, dir)
}

fn read(dir: &Path, name: &str) -> Value {
    serde_json::from_slice(&fs::read(dir.join(name)).unwrap()).unwrap()
}

fn start_time(pid: u32) -> u64 {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap();
    let fields = stat.rsplit(") ").next().unwrap().to_owned();
    fields.split(' ').nth(19).unwrap().parse().unwrap()
}

/// Doctor finds no process to end, and the run goes on to its end.
fn assert_all_goes_on(world: &World) {
    let out = world.kumite(&["doctor", "--json"]);
    out.assert_code(0);
    assert!(!out.stdout.contains("(by its"), "{out:?}");
    world.kumite(&["run", "login"]).assert_code(0);
}

#[test]
fn doctor_says_by_what_agents_are_contained() {
    let world = World::new();
    let out = world.kumite(&["doctor", "--json"]);
    out.assert_code(0);
    let containment = out.json().remove(0)["containment"].clone();
    for means in ["subreaper", "pidfd"] {
        assert_eq!(containment[means], json!({"available": true}), "{means}");
    }
    let cgroup = &containment["cgroup_v2"];
    // Either there are cgroups, or the reason is given.
    assert_eq!(
        cgroup["available"] == true,
        cgroup["why"].is_null(),
        "{cgroup}"
    );
    let out = world.kumite(&["doctor", "--dry-run"]);
    assert!(
        out.stdout
            .contains("agents are contained by subreaper and pidfd"),
        "{out:?}"
    );
    assert_eq!(
        out.stdout.contains("not by a cgroup ("),
        cgroup["available"] == false
    );
}

#[test]
fn a_stranger_with_a_pid_that_was_ours_is_not_touched() {
    let (world, dir) = lost();
    let mut stranger = Stranger::new(&[]);
    let reused = json!({"pid": stranger.0.id(), "start": start_time(stranger.0.id()) - 1});
    let mut record = read(&dir, "record.json");
    record["agent"] = reused.clone();
    record["supervisor"] = reused.clone();
    fs::write(dir.join("record.json"), record.to_string()).unwrap();
    let mut claim = read(&dir, "claim");
    claim["pid"] = reused["pid"].clone();
    claim["start"] = reused["start"].clone();
    fs::write(dir.join("claim"), claim.to_string()).unwrap();
    assert_all_goes_on(&world);
    stranger.assert_lives();
}

#[test]
fn processes_with_the_same_mark_from_another_project_are_not_touched() {
    let (world, dir) = lost();
    let agent = dir.file_name().unwrap().to_str().unwrap();
    let root = world.root().to_str().unwrap();
    let longer = format!("{root}-2");
    let mut others = [
        Stranger::new(&[("KUMITE_AGENT", agent), ("KUMITE_PROJECT", "/elsewhere")]),
        Stranger::new(&[("KUMITE_AGENT", agent), ("KUMITE_PROJECT", &longer)]),
        Stranger::new(&[("KUMITE_AGENT", agent)]),
        Stranger::new(&[("KUMITE_PROJECT", root)]),
        Stranger::new(&[
            ("KUMITE_AGENT", "agent-1-00000001"),
            ("KUMITE_PROJECT", &longer),
        ]),
    ];
    assert_all_goes_on(&world);
    others.iter_mut().for_each(Stranger::assert_lives);
}

#[test]
fn a_process_with_the_marks_of_this_project_is_found_also_without_any_record() {
    let world = World::new();
    let root = world.root().to_str().unwrap();
    let marks = [
        ("KUMITE_AGENT", "agent-1-00000001"),
        ("KUMITE_PROJECT", root),
    ];
    let mut left = Stranger::new(&marks);
    let out = world.kumite(&["doctor", "--dry-run"]);
    assert!(out.stdout.contains("(by its mark)"), "{out:?}");
    left.assert_lives();
    world.kumite(&["doctor"]).assert_code(0);
    assert!(left.0.try_wait().unwrap().is_some());
}

#[test]
fn the_cgroup_of_an_agent_whose_supervisor_was_killed_is_removed() {
    let (world, dir) = lost();
    let claim = read(&dir, "claim");
    let Some(cgroup) = claim["cgroup"]["path"].as_str() else {
        // If there are none, doctor says so.
        let out = world.kumite(&["doctor"]);
        assert!(out.stdout.contains("not by a cgroup ("), "{out:?}");
        return;
    };
    assert!(Path::new(cgroup).exists());
    let out = world.kumite(&["doctor", "--dry-run"]);
    assert!(out.stdout.contains(cgroup), "{out:?}");
    assert!(Path::new(cgroup).exists());
    world.kumite(&["doctor"]).assert_code(0);
    assert!(!Path::new(cgroup).exists());
}

/// The directory where doctor made its own cgroup; None: there are none here.
fn cgroups(world: &World) -> Option<PathBuf> {
    let out = world.kumite(&["doctor"]).stdout;
    let (_, home) = out.split_once("cgroup v2 (in ")?;
    Some(home.trim_end().trim_end_matches(')').into())
}

#[test]
fn a_cgroup_that_is_not_the_recorded_one_is_not_touched() {
    let (world, dir) = lost();
    // This also ends what is left of the agent's own processes.
    let Some(home) = cgroups(&world) else {
        eprintln!("skipped: this machine has no cgroup v2 that this user may use");
        return;
    };
    let number = std::process::id();
    // A later cgroup at the same path, and one that was never ours.
    for (name, shift) in [
        (format!("kumite-stranger-{number}"), 1),
        (format!("other-{number}"), 0),
    ] {
        let path = home.join(name);
        fs::create_dir(&path).unwrap();
        let mut stranger = Stranger::in_cgroup(&path);
        let id = std::os::unix::fs::MetadataExt::ino(&fs::metadata(&path).unwrap());
        let mut claim = read(&dir, "claim");
        claim["cgroup"] = json!({"path": path, "id": id + shift});
        fs::write(dir.join("claim"), claim.to_string()).unwrap();
        let out = world.kumite(&["doctor", "--json"]);
        assert!(!out.stdout.contains("left over"), "{out:?}");
        stranger.assert_lives();
        drop(stranger);
        until("the cgroup to be empty", || fs::remove_dir(&path).is_ok());
    }
}

/// `helper & exec kumite`: the helper and its children are not orphans of kumite.
#[test]
fn children_from_before_kumite_began_are_not_taken_for_orphans() {
    let mut world = World::new();
    world.spec("login");
    let held = json!({"wait_for": "go", "children": ["setsid"], "touch": ["ready"]});
    world.play(json!({"steps": {"requirements": [held, {}]}}));
    let before =
        "(sleep 1000 & echo $! >> before) & sleep 1000 & echo $! >> before; exec \"$0\" \"$@\"";
    world.wrapper = ["sh", "-c", before].map(str::to_owned).to_vec();
    let running = world.start(&["run", "login", "--until", "requirements"]);
    world.wait_for("ready");
    let supervisor = world.launches()[0]["ppid"].as_u64().unwrap();
    kill(u32::try_from(supervisor).unwrap(), "KILL");
    // They hold its stdout, so its process state shows that it has ended.
    until("kumite to end", || !is_alive(running.pid()));
    let before: Vec<u32> = world
        .read("before")
        .lines()
        .map(|pid| pid.parse().unwrap())
        .collect();
    assert_eq!(before.len(), 2);
    assert!(before.iter().all(|pid| is_alive(*pid)));
    before.iter().for_each(|pid| kill(*pid, "KILL"));
    world.wrapper.clear();
    assert_eq!(world.stands("login"), "done until_reached");
    world.assert_nothing_left();
}

#[test]
fn a_runtime_directory_that_cannot_be_read_is_a_finding() {
    for path in [
        ".kiro/runtime/kumite",
        ".kiro/runtime/kumite/runs",
        ".kiro/runtime/kumite/runs/login/agents",
    ] {
        let world = World::new();
        world.spec("login");
        world.write(path, "not a directory");
        let out = world.kumite(&["doctor"]);
        out.assert_code(3);
        let said = format!("{} cannot be read", world.path(path).display());
        assert!(out.stdout.contains(&said), "{out:?}");
        assert!(!out.is_well(), "{out:?}");
    }
}

#[test]
fn an_engine_whose_lock_cannot_be_looked_at_is_taken_to_be_alive() {
    let (world, _) = lost();
    let lock = world.path(".kiro/runtime/kumite/lock");
    fs::remove_file(&lock).unwrap();
    // Nobody can open a link to itself.
    std::os::unix::fs::symlink(&lock, &lock).unwrap();
    let root = world.root().to_str().unwrap().to_owned();
    let marks = [
        ("KUMITE_AGENT", "agent-1-00000001"),
        ("KUMITE_PROJECT", root.as_str()),
    ];
    let mut working = Stranger::new(&marks);
    let out = world.kumite(&["doctor"]);
    out.assert_code(3);
    assert!(out.stdout.contains("lock cannot be read"), "{out:?}");
    working.assert_lives();
    fs::remove_file(&lock).unwrap();
    world.kumite(&["doctor"]).assert_code(0);
    assert!(working.0.try_wait().unwrap().is_some());
}

#[test]
fn a_full_disk_and_a_read_only_one_are_findings() {
    let world = World::new();
    let Some(disk) = Disk::at(world.path(".kiro")) else {
        return;
    };
    world.settings("");
    fs::create_dir_all(world.path(".kiro/runtime/kumite")).unwrap();
    assert_eq!(world.kumite(&["doctor"]).code, 0);
    fill(&world, 0);
    let out = world.kumite(&["doctor"]);
    out.assert_code(3);
    assert!(out.stdout.contains("is full (0 bytes left)"), "{out:?}");
    assert!(out.stdout.contains("make room"), "{out:?}");
    fs::remove_file(world.path(".kiro/filler")).unwrap();
    disk.set_writable(false);
    let out = world.kumite(&["doctor", "--json"]);
    out.assert_code(3);
    let finding = text(&out.json().remove(0)["findings"][0]["what"]);
    assert!(finding.contains("cannot be written"), "{finding}");
}
