//! Supervisors that are started ahead, and the line to running ones.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on should stop")]

mod common;

use std::path::Path;

use common::{GOOD, World, until, world};
use kumite_agents::{Handle, Identity, Launcher};
use kumite_core::outcome::Outcome;
use rustix::process::{Pid, Signal, kill_process};

fn launcher(world: &World) -> Launcher {
    Launcher::new(world.path("home"))
}

fn launch(launcher: &Launcher, world: &World) -> Handle {
    let binary = Path::new(common::BINARY);
    launcher
        .launch(binary, &world.dir(), &world.request)
        .unwrap()
}

/// The supervisors that wait for an agent of this world.
fn waiting(world: &World) -> Vec<u32> {
    let home = world.path("home").display().to_string();
    let processes = std::fs::read_dir("/proc").unwrap().flatten();
    let pids = processes.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    pids.filter(|pid: &u32| {
        let command = std::fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
        let command = String::from_utf8_lossy(&command).into_owned();
        command.contains("--ahead") && command.contains(&home)
    })
    .collect()
}

#[test]
fn a_supervisor_that_was_started_ahead_takes_the_next_agent() {
    let world = world(GOOD);
    let launcher = launcher(&world);
    launcher.start_ahead(Path::new(common::BINARY));
    until("one to wait", || waiting(&world).len() == 1);
    let ahead = waiting(&world)[0];
    let handle = launch(&launcher, &world);
    assert_eq!(handle.supervisor().unwrap().pid, ahead);
    assert_eq!(handle.wait().ended.outcome, Outcome::Finished);
    assert_eq!(waiting(&world), [0; 0]);
}

#[test]
fn one_that_was_killed_while_it_waited_is_replaced() {
    let world = world(GOOD);
    let launcher = launcher(&world);
    launcher.start_ahead(Path::new(common::BINARY));
    until("one to wait", || waiting(&world).len() == 1);
    for pid in waiting(&world) {
        let process = Identity::of(pid).unwrap();
        kill_process(Pid::from_raw(pid as i32).unwrap(), Signal::KILL).unwrap();
        until("its death", || !process.is_alive());
    }
    let handle = launch(&launcher, &world);
    assert_eq!(handle.wait().ended.outcome, Outcome::Finished);
}

#[test]
fn those_that_are_not_needed_go() {
    let world = world(GOOD);
    let launcher = launcher(&world);
    for _ in 0..7 {
        launcher.start_ahead(Path::new(common::BINARY));
    }
    until("four to wait", || waiting(&world).len() == 4);
    launcher.close();
    assert_eq!(waiting(&world), [0; 0]);
    launcher.start_ahead(Path::new(common::BINARY));
    assert_eq!(waiting(&world), [0; 0]);
}

#[test]
fn an_end_is_known_before_its_supervisor_goes_and_a_release_lets_it_go() {
    let world = world(GOOD);
    let handle = world.launch();
    let supervisor = handle.supervisor().unwrap();
    assert_eq!(handle.wait_for_end().ended.outcome, Outcome::Finished);
    assert!(supervisor.is_alive());
    world.assert_nothing_remains();
    handle.release();
    handle.wait_for_supervisor();
    assert!(!supervisor.is_alive());
}

#[test]
fn without_anybody_who_releases_it_a_supervisor_sees_to_its_end_and_goes() {
    let world = world(GOOD);
    let handle = world.launch();
    let supervisor = handle.supervisor().unwrap();
    assert_eq!(handle.wait_for_end().ended.outcome, Outcome::Finished);
    // As when kumite dies.
    drop(handle);
    until("the supervisor to go", || !supervisor.is_alive());
    assert!(world.path("dir/end.json").exists());
}
