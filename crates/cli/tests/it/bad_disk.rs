//! A full disk, and a read-only one. They need the right to mount.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::json;

use crate::needs_root::needs_root;
use crate::world::{World, until};

/// A separate small file system, removed with the test.
pub struct Disk(PathBuf);

impl Disk {
    pub fn at(path: PathBuf) -> Option<Disk> {
        fs::create_dir_all(&path).unwrap();
        if !mount(&["-t", "tmpfs", "-o", "size=1m", "tmpfs"], &path) {
            needs_root("mounts a file system of a given size");
            return None;
        }
        Some(Disk(path))
    }

    pub fn set_writable(&self, writable: bool) {
        let how = if writable { "remount,rw" } else { "remount,ro" };
        assert!(mount(&["-o", how], &self.0));
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("-l").arg(&self.0).status();
    }
}

fn mount(options: &[&str], path: &Path) -> bool {
    let output = Command::new("mount").args(options).arg(path).output();
    output.is_ok_and(|output| {
        eprint!("{}", String::from_utf8_lossy(&output.stderr));
        output.status.success()
    })
}

const STEPS: [&str; 7] = [
    "requirements 1",
    "design 1",
    "tasks 1",
    "review 1",
    "reply 1",
    "impl 1",
    "inspect 1",
];

/// Fills the disk up to a few pages.
pub fn fill(world: &World, pages: usize) {
    let path = world.path(".kiro/filler");
    let mut size = 1024 * 1024;
    while fs::write(&path, vec![0; size]).is_err() {
        size -= 4096;
    }
    fs::write(&path, vec![0; size.saturating_sub(pages * 4096)]).unwrap();
}

/// From no space at all to enough: the journal, spec.json, the event log, the records, the
/// documents and the logs all hit the end of the disk at some size.
#[test]
fn a_full_disk_is_said_nothing_is_lost_and_the_run_goes_on_when_there_is_room() {
    let mut ended_well = 0;
    for pages in 0..44 {
        let world = World::new();
        let Some(_disk) = Disk::at(world.path(".kiro")) else {
            return;
        };
        world.settings("");
        world.spec("login");
        world.play(json!({}));
        fill(&world, pages);
        let out = world.kumite(&["run", "login", "--json"]);
        let context = format!("{pages} pages: {out:#?}");
        assert_eq!(
            world.spec_json("login")["feature_name"],
            "login",
            "{context}"
        );
        match out.code {
            0 => ended_well += 1,
            1 | 3 => {
                let end = out.notices("run_ended").pop().unwrap_or_default();
                // An agent that cannot write its document knows why; kumite sees that it is absent.
                let absent = end["reason"] == "no_evidence";
                let said = end["message"].to_string() + &out.stderr;
                let room = said.contains("No space left") || said.contains("the disk is full");
                assert!(room || absent, "{context}");
            }
            _ => panic!("{context}"),
        }
        assert_ne!(world.status("login")["state"], "working", "{context}");
        world.assert_nothing_left();

        fs::remove_file(world.path(".kiro/filler")).unwrap();
        let out = world.kumite(&["resume", "login"]);
        assert_eq!(out.code, 0, "{context} then {out:#?}");
        let mut steps = world.steps("login");
        // Only an agent whose own output found no space is not known to have finished.
        steps.dedup();
        assert_eq!(steps, STEPS, "{context}");
        world.events("login");
    }
    assert!(ended_well > 0, "never was there enough room");
}

#[test]
fn a_project_that_cannot_be_written_is_said_and_can_be_looked_at() {
    let world = World::new();
    let Some(disk) = Disk::at(world.path(".kiro")) else {
        return;
    };
    world.settings("");
    world.spec_ready_for_impl("login");
    disk.set_writable(false);
    let out = world.kumite(&["run", "login"]);
    out.assert_code(1);
    assert!(out.stderr.contains("Read-only file system"), "{out:?}");
    assert!(out.stderr.contains(".kiro/runtime"), "{out:?}");
    assert_eq!(world.status("login")["phase"], "impl");
    disk.set_writable(true);
    world.kumite(&["run", "login"]).assert_code(0);
}

#[test]
fn a_spec_that_cannot_be_written_pauses_and_the_write_is_made_up_for() {
    let world = World::new();
    let Some(disk) = Disk::at(world.path(".kiro/specs/login")) else {
        return;
    };
    world.spec_ready_for_impl("login");
    world.play(
        json!({"steps": {"impl": {"touch": ["impl"], "wait_for": "go", "sleep_after_ms": 0}}}),
    );
    let running = world.start(&["run", "login", "--json"]);
    world.wait_for("impl");
    let tasks = world
        .read(".kiro/specs/login/tasks.md")
        .replace("[ ]", "[x]");
    world.write(".kiro/specs/login/tasks.md", &tasks);
    // Its agent has its log open, so the whole disk cannot be remounted; a second mount can.
    let spec = world.path(".kiro/specs/login");
    until("the log to be open", || {
        let logs = fs::read_dir(spec.join("logs")).into_iter().flatten();
        let mut ends = logs.flatten().map(|log| log.path());
        ends.any(|path| path.extension().is_some_and(|end| end == "log"))
    });
    assert!(mount(&["--bind", &spec.display().to_string()], &spec));
    let above = Disk(spec.clone());
    assert!(mount(&["-o", "remount,ro,bind"], &spec));
    world.write("go", "");
    let out = running.wait();
    out.assert_code(3);
    let end = out.notices("run_ended").pop().unwrap();
    assert_eq!(end["reason"], "spec_unwritable", "{end}");
    assert!(
        end["message"].to_string().contains("Read-only file system"),
        "{end}"
    );
    drop(above);
    disk.set_writable(true);
    world.kumite(&["resume", "login"]).assert_code(0);
    assert_eq!(world.steps("login"), ["impl 1", "inspect 1"]);
    assert_eq!(world.spec_json("login")["phase"], "inspection-complete");
}

#[test]
fn a_request_that_finds_no_room_in_the_journal_is_refused_and_the_agent_works_on() {
    let world = World::new();
    let Some(_disk) = Disk::at(world.path(".kiro")) else {
        return;
    };
    world.settings("");
    world.spec_ready_for_impl("login");
    world.play(json!({"steps": {"impl": {"touch": ["impl"], "wait_for": "go"}}}));
    let running = world.start(&["run", "login", "--json"]);
    world.wait_for("impl");
    fill(&world, 0);
    // Every request uses a little of the last page of the journal, until nothing is left.
    until("a pause to be refused", || {
        let out = world.kumite(&["pause", "login"]);
        let full = out.code == 1 && out.stderr.contains("No space left");
        assert!(full || out.code == 0, "{out:?}");
        full
    });
    fs::remove_file(world.path(".kiro/filler")).unwrap();
    assert_eq!(world.status("login")["agents"][0]["step"], "impl");
    world.write("go", "");
    running.wait().assert_code(3);
    world.kumite(&["resume", "login"]).assert_code(0);
    assert_eq!(world.steps("login"), ["impl 1", "inspect 1"]);
}

#[test]
fn a_run_that_is_given_up_is_told_and_does_not_work_though_its_engine_lives() {
    let world = World::new();
    let Some(_disk) = Disk::at(world.path(".kiro/runtime")) else {
        return;
    };
    // Both are implemented at the same time.
    world.settings("[worktree]\nmode = \"off\"\n");
    for spec in ["login", "other"] {
        world.spec_ready_for_impl(spec);
    }
    world.play(json!({"steps": {
        "login/impl": {"touch": ["login"], "wait_for": "go"},
        "other/impl": {"touch": ["other"], "wait_for": "go-other"}
    }}));
    let running = world.start(&["run", "login", "other", "--json"]);
    world.wait_for("login");
    world.wait_for("other");
    let filler = world.path(".kiro/runtime/filler");
    let mut size = 1024 * 1024;
    while fs::write(&filler, vec![0; size]).is_err() {
        size -= 4096;
    }
    // Every request uses a little of the last page of the journal, until nothing is left.
    until("a pause to be refused", || {
        world.kumite(&["pause", "login"]).code == 1
    });
    world.write("go", "");
    until("the run to be given up", || {
        world.status("login")["state"] != "working"
    });
    assert_eq!(world.status("other")["state"], "working");
    until("the end to be told", || {
        let events = world.events("login");
        events
            .iter()
            .any(|event| event.to_string().contains("No space left"))
    });
    fs::remove_file(&filler).unwrap();
    world.write("go-other", "");
    let out = running.wait();
    out.assert_code(3);
    let ends = out.notices("run_ended");
    let end = ends.iter().find(|end| end["spec"] == "login").unwrap();
    assert_eq!(end["reason"], "journal_unwritable", "{end}");
    world.kumite(&["resume", "login"]).assert_code(0);
    assert_eq!(world.stands("login"), "done all_phases_done");
}
