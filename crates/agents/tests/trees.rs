//! No process is left, however it tried to escape.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on should stop")]

mod common;

use std::time::{Duration, Instant};

use common::{GOOD, until, world};
use kumite_agents::{Remains, find_marked};
use kumite_core::outcome::Outcome;

/// A child in its own session, whose parent exits at once; the script waits until it runs.
const RUNAWAY: &str = "(setsid sh -c 'touch away; exec sleep 1000' >/dev/null 2>&1 &) &
    while [ ! -e away ]; do sleep 0.01; done";

#[test]
fn an_agent_that_ignores_term_is_killed() {
    let world = world("trap '' TERM\ntouch here\nwhile :; do sleep 0.05; done");
    let world = world.with(|request| request.term_grace_ms = 300);
    let handle = world.launch();
    world.wait_for("here");
    let stopped = Instant::now();
    handle.stop();
    let end = handle.wait();
    assert_eq!((end.ended.outcome, end.signal), (Outcome::Killed, Some(9)));
    assert!((300..30_000).contains(&stopped.elapsed().as_millis()));
    world.assert_nothing_remains();
}

#[test]
fn a_kill_does_not_wait_for_the_grace() {
    let world = world("trap '' TERM\ntouch here\nwhile :; do sleep 0.05; done");
    let world = world.with(|request| request.term_grace_ms = 60_000);
    let handle = world.launch();
    world.wait_for("here");
    handle.stop();
    handle.kill();
    let stopped = Instant::now();
    assert_eq!(handle.wait().ended.outcome, Outcome::Killed);
    assert!(stopped.elapsed() < Duration::from_secs(30));
    world.assert_nothing_remains();
}

#[test]
fn children_that_ran_away_are_ended_with_a_stopped_agent() {
    let world = world(&format!("{RUNAWAY}\ntouch here\nexec sleep 1000"));
    let handle = world.launch();
    world.wait_for("here");
    assert_eq!(world.marked().len(), 2);
    handle.stop();
    assert_eq!(handle.wait().ended.outcome, Outcome::Killed);
    world.assert_nothing_remains();
}

#[test]
fn children_that_ran_away_are_ended_after_a_good_end() {
    let world = world(&format!("{RUNAWAY}\n{GOOD}"));
    assert_eq!(world.outcome(), Outcome::Finished);
}

#[test]
fn children_that_hold_on_to_stdout_and_ignore_term_are_ended_too() {
    let world = world(&format!(
        "sh -c 'trap \"\" TERM; touch here; while :; do echo x; sleep 0.01; done' &\nwhile [ ! -e here ]; do sleep 0.01; done\n{GOOD}"
    ));
    let started = Instant::now();
    assert_eq!(
        world
            .with(|request| request.term_grace_ms = 60_000)
            .outcome(),
        Outcome::Finished
    );
    assert!(started.elapsed() < Duration::from_secs(30));
}

#[test]
fn children_without_the_mark_are_ended_as_well() {
    let world = world(&format!(
        "(setsid env -i /bin/sh -c 'echo $$ > pid; exec /bin/sleep 1000' &) &\nwhile [ ! -s pid ]; do sleep 0.01; done\n{GOOD}"
    ));
    assert_eq!(world.outcome(), Outcome::Finished);
    let pid: u32 = String::from_utf8(world.read("pid"))
        .unwrap()
        .trim()
        .parse()
        .unwrap();
    assert_eq!(kumite_agents::Identity::of(pid), None);
}

#[test]
fn children_that_fork_faster_than_they_are_ended_are_ended() {
    let world = world(&format!(
        "for i in 1 2 3 4; do setsid sh -c 'trap \"\" TERM; while :; do sleep 0.02 & sleep 0.01; done' & done\nsleep 0.2\n{GOOD}"
    ));
    assert_eq!(
        world.with(|request| request.term_grace_ms = 200).outcome(),
        Outcome::Finished
    );
}

#[test]
fn sweep_ends_exactly_what_carries_the_mark() {
    let agent = |mark: &str| {
        std::process::Command::new("sleep")
            .arg("1000")
            .env("KUMITE_AGENT", mark)
            .spawn()
            .unwrap()
    };
    let mark = format!("sweep-{}", std::process::id());
    let (mut target, mut other) = (agent(&mark), agent(&format!("{mark}0")));
    until("both", || {
        find_marked(&format!("KUMITE_AGENT={mark}")).len() == 2
    });
    let found = find_marked(&format!("KUMITE_AGENT={mark}"));
    assert!(
        found
            .iter()
            .any(|one| one.agent == "0" && one.command == "sleep 1000")
    );
    let ended = Remains::marked(&[&format!("KUMITE_AGENT={mark}")]).end();
    assert_eq!(
        ended.iter().map(|process| process.pid).collect::<Vec<_>>(),
        [target.id()]
    );
    assert!(other.try_wait().unwrap().is_none());
    other.kill().unwrap();
    other.wait().unwrap();
    // The sweep has reaped it, because it was a child of this process.
    assert!(target.try_wait().is_err());
}
