//! An agent outlives kumite, and there is never a second one.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on should stop")]

mod common;

use std::fs;
use std::process::{Child, Command};

use common::{BINARY, GOOD, INIT, World, until, world};
use kumite_agents::{Adopted, Handle, Identity, adopt, conclude};
use kumite_core::outcome::Outcome;
use rustix::process::{Pid, Signal, kill_process};

/// Counts its starts, then waits until it may end.
fn waiting() -> World {
    world(&format!(
        "echo start >> starts\n{INIT}\ntouch here\nwhile [ ! -e go ]; do sleep 0.01; done\n{GOOD}"
    ))
}

fn starts(world: &World) -> usize {
    String::from_utf8(world.read("starts"))
        .unwrap()
        .lines()
        .count()
}

fn go(world: &World) {
    fs::write(world.path("go"), "").unwrap();
}

/// A kumite that launches the agent and then waits for it.
fn kumite(world: &World) -> Child {
    let request = world.path("request");
    fs::write(&request, serde_json::to_vec(&world.request).unwrap()).unwrap();
    Command::new(BINARY)
        .arg("launch")
        .arg(world.dir())
        .arg(request)
        .spawn()
        .unwrap()
}

fn kill(process: Identity) {
    kill_process(Pid::from_raw(process.pid as i32).unwrap(), Signal::KILL).unwrap();
}

fn running(world: &World) -> Handle {
    match adopt(&world.dir()).unwrap() {
        Adopted::Running(handle) => handle,
        other => panic!("{other:?}"),
    }
}

#[test]
fn an_agent_works_on_when_kumite_is_killed_and_is_adopted() {
    let world = waiting();
    let mut first = kumite(&world);
    world.wait_for("here");
    first.kill().unwrap();
    first.wait().unwrap();
    let handle = running(&world);
    until("the record", || handle.record().is_some());
    let record = handle.record().unwrap();
    assert_eq!(handle.supervisor(), Some(record.supervisor));
    assert!(record.agent.is_alive() && record.supervisor.is_alive());
    go(&world);
    let end = handle.wait();
    assert_eq!(
        (end.ended.outcome.clone(), starts(&world)),
        (Outcome::Finished, 1)
    );
    // A later reader gets the same.
    let Adopted::Ended(again) = adopt(&world.dir()).unwrap() else {
        panic!("it has ended")
    };
    assert_eq!(again, end);
    world.assert_nothing_remains();
}

#[test]
fn an_adopted_agent_can_be_stopped() {
    let world = waiting();
    let mut first = kumite(&world);
    world.wait_for("here");
    first.kill().unwrap();
    first.wait().unwrap();
    let handle = running(&world);
    handle.stop();
    assert_eq!(handle.wait().ended.outcome, Outcome::Killed);
    world.assert_nothing_remains();
}

#[test]
fn the_end_is_found_by_a_kumite_that_was_not_there() {
    let world = waiting();
    let mut first = kumite(&world);
    world.wait_for("here");
    first.kill().unwrap();
    first.wait().unwrap();
    go(&world);
    until("the end", || world.path("dir/end.json").exists());
    let Adopted::Ended(end) = adopt(&world.dir()).unwrap() else {
        panic!("it has ended")
    };
    assert_eq!(end.ended.outcome, Outcome::Finished);
}

#[test]
fn a_second_launch_starts_nothing_and_follows_the_first() {
    let world = waiting();
    let first = world.launch();
    world.wait_for("here");
    let second = world.launch();
    let waiter = std::thread::spawn(move || second.wait());
    go(&world);
    let end = first.wait();
    assert_eq!(waiter.join().unwrap(), end);
    // A launch after the end starts nothing either.
    assert_eq!(world.launch().wait(), end);
    assert_eq!(starts(&world), 1);
}

#[test]
fn of_many_launches_at_once_one_starts_an_agent() {
    let world = waiting();
    go(&world);
    let handles: Vec<Handle> = (0..8).map(|_| world.launch()).collect();
    let outcomes: Vec<Outcome> = handles
        .iter()
        .map(|handle| handle.wait().ended.outcome)
        .collect();
    assert_eq!((outcomes, starts(&world)), (vec![Outcome::Finished; 8], 1));
}

#[test]
fn a_stop_reaches_the_supervisor_that_was_first() {
    let world = waiting();
    let first = world.launch();
    world.wait_for("here");
    let second = world.launch();
    second.stop();
    assert_eq!(second.wait().ended.outcome, Outcome::Killed);
    assert_eq!(first.wait().ended.outcome, Outcome::Killed);
    world.assert_nothing_remains();
}

#[test]
fn a_killed_supervisor_takes_its_agent_along_and_the_agent_is_lost() {
    let world = waiting();
    let handle = world.launch();
    world.wait_for("here");
    // What the agent has said is in its log.
    until("its session in the log", || {
        let log = fs::read(world.path("logs/agent.log")).unwrap_or_default();
        String::from_utf8_lossy(&log).contains("s-1")
    });
    kill(handle.supervisor().unwrap());
    let end = handle.wait();
    assert!(matches!(end.ended.outcome, Outcome::Lost(_)), "{end:?}");
    assert_eq!(end.ended.session.as_deref(), Some("s-1"));
    world.assert_nothing_remains();
}

#[test]
fn a_lost_agent_is_found_lost_by_the_next_kumite_which_ends_what_remains() {
    let world = world("setsid sh -c 'touch here; exec sleep 1000' &\nexec sleep 1000");
    let handle = world.launch();
    world.wait_for("here");
    let mut supervisor = handle.supervisor();
    until("the death", || {
        supervisor.take().into_iter().for_each(kill);
        matches!(adopt(&world.dir()).unwrap(), Adopted::Lost)
    });
    assert!(!world.marked().is_empty());
    assert!(matches!(
        conclude(&world.dir()).unwrap().ended.outcome,
        Outcome::Lost(_)
    ));
    world.assert_nothing_remains();
    // The conclusion is the end, and nothing starts there any more.
    assert!(matches!(adopt(&world.dir()).unwrap(), Adopted::Ended(_)));
    assert!(matches!(
        world.launch().wait().ended.outcome,
        Outcome::Lost(_)
    ));
}

#[test]
fn a_good_result_in_the_log_of_a_lost_agent_counts() {
    let world = world(&format!("{GOOD}\nwhile :; do sleep 0.05; done"));
    let handle = world.launch();
    until("the result", || !world.read("logs/agent.log").is_empty());
    kill(handle.supervisor().unwrap());
    let end = handle.wait();
    assert_eq!(
        (end.ended.outcome, end.ended.usage.usd_micros),
        (Outcome::Finished, 500_000)
    );
    world.assert_nothing_remains();
}

#[test]
fn force_ends_a_supervisor_that_does_not_answer() {
    let world = waiting();
    let handle = world.launch();
    world.wait_for("here");
    let supervisor = Pid::from_raw(handle.supervisor().unwrap().pid as i32).unwrap();
    kill_process(supervisor, Signal::STOP).unwrap();
    handle.stop();
    handle.force();
    world.assert_nothing_remains();
    assert_eq!(handle.wait().ended.outcome, Outcome::Killed);
}

#[test]
fn before_the_start_there_is_nothing_to_adopt() {
    let world = waiting();
    assert!(matches!(
        adopt(&world.dir()).unwrap(),
        Adopted::NeverStarted
    ));
    // The claim of a dead supervisor means that an agent may have been started.
    fs::write(world.path("dir/claim"), "").unwrap();
    assert!(matches!(adopt(&world.dir()).unwrap(), Adopted::Lost));
}

/// A kumite that was killed while its agent worked, and that never comes back.
fn abandoned(world: &World) -> Identity {
    let mut first = kumite(world);
    world.wait_for("here");
    until("the record", || world.path("dir/record.json").exists());
    let supervisor = running(world).supervisor().unwrap();
    first.kill().unwrap();
    first.wait().unwrap();
    supervisor
}

fn outcome_after_all(world: &World, supervisor: Identity) -> Outcome {
    until("the supervisor to go", || !supervisor.is_alive());
    world.assert_nothing_remains();
    let Adopted::Ended(end) = adopt(&world.dir()).unwrap() else {
        panic!("it left its end")
    };
    end.ended.outcome
}

#[test]
fn a_supervisor_whose_kumite_never_comes_back_ends_with_its_agent_and_leaves_the_end() {
    let world = world(&format!(
        "setsid sh -c 'touch here; exec sleep 1000' &\n{INIT}\nwhile [ ! -e go ]; do sleep 0.01; done\n{GOOD}"
    ));
    let supervisor = abandoned(&world);
    go(&world);
    assert_eq!(outcome_after_all(&world, supervisor), Outcome::Finished);
}

#[test]
fn a_supervisor_whose_kumite_never_comes_back_ends_an_agent_whose_time_is_over() {
    let world = world(
        "(setsid sh -c 'trap \"\" TERM; touch here; while :; do sleep 1; done' &) &\nwhile :; do echo busy; sleep 0.05; done",
    );
    let world = world.with(|request| {
        request.step_timeout_ms = 3000;
        request.term_grace_ms = 100;
    });
    let supervisor = abandoned(&world);
    assert_eq!(outcome_after_all(&world, supervisor), Outcome::TimedOut);
}

#[test]
fn a_supervisor_whose_kumite_never_comes_back_ends_an_agent_that_hangs() {
    let world = world("touch here\nwhile :; do sleep 0.05; done");
    let world = world.with(|request| request.silence_timeout_ms = 3000);
    let supervisor = abandoned(&world);
    assert_eq!(outcome_after_all(&world, supervisor), Outcome::Hung);
}

#[test]
fn a_stranger_that_has_the_pid_of_a_lost_agent_or_supervisor_is_never_touched() {
    let world = waiting();
    let handle = world.launch();
    world.wait_for("here");
    until("the record", || handle.record().is_some());
    kill(handle.supervisor().unwrap());
    until("the agent's death", || {
        !handle.record().unwrap().agent.is_alive()
    });
    let mut stranger = Command::new("sleep").arg("1000").spawn().unwrap();
    let mut reused = Identity::of(stranger.id()).unwrap();
    reused.start -= 1;
    let json = |value| serde_json::to_vec(&value).unwrap();
    let mut claim: serde_json::Value = serde_json::from_slice(&world.read("dir/claim")).unwrap();
    claim["pid"] = reused.pid.into();
    claim["start"] = reused.start.into();
    fs::write(world.path("dir/claim"), json(claim)).unwrap();
    let record = serde_json::json!({"supervisor": reused, "agent": reused, "started_at": 1});
    fs::write(world.path("dir/record.json"), json(record)).unwrap();
    assert!(matches!(adopt(&world.dir()).unwrap(), Adopted::Lost));
    conclude(&world.dir()).unwrap();
    handle.stop();
    handle.force();
    assert!(stranger.try_wait().unwrap().is_none());
    stranger.kill().unwrap();
    stranger.wait().unwrap();
}

#[test]
fn s5_what_cleared_its_environment_is_found_by_its_pid_after_the_supervisor_was_killed() {
    let world = world(&format!(
        "{INIT}\nsetsid env -i sleep 1000 >/dev/null 2>&1 &\necho $! > new && mv new daemon\nwait"
    ));
    let handle = world.launch();
    world.wait_for("daemon");
    let pid: u32 = String::from_utf8(world.read("daemon"))
        .unwrap()
        .trim()
        .parse()
        .unwrap();
    let daemon = Identity::of(pid).unwrap();
    // A cgroup knows it without a note.
    let known = |name: &str, mark: &str| {
        let text = String::from_utf8(world.read(name)).unwrap();
        text.contains(mark)
    };
    until("the daemon to be noted", || {
        known("dir/family.json", &format!("\"pid\":{pid},")) || known("dir/claim", "\"path\"")
    });
    until("its environment to be empty", || {
        fs::read(format!("/proc/{pid}/environ")).is_ok_and(|it| it.is_empty())
    });
    let claim: serde_json::Value = serde_json::from_slice(&world.read("dir/claim")).unwrap();
    let supervisor = u32::try_from(claim["pid"].as_u64().unwrap()).unwrap();
    kill(Identity::of(supervisor).unwrap());
    let _ = handle.wait();
    until("the end of the daemon", || {
        let _ = conclude(&world.dir());
        !daemon.is_alive()
    });
}
