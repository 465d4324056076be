//! How agents end, and how that is reported.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on should stop")]

mod common;

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::time::{Duration, Instant};

use common::{BAD, GOOD, INIT, failed, until, world};
use kumite_agents::{Protocol, Record};
use kumite_core::outcome::{Outcome, Usage};
use rustix::process::{Pid, Signal, kill_process};

#[test]
fn an_agent_that_says_it_is_done_and_goes_has_finished() {
    let world = world(&format!("{INIT}\n{GOOD}"));
    let end = world.run();
    assert_eq!(end.ended.outcome, Outcome::Finished);
    assert_eq!(end.ended.session.as_deref(), Some("s-1"));
    assert_eq!(
        end.ended.usage,
        Usage {
            usd_micros: 500_000,
            input_tokens: 3,
            output_tokens: 4
        }
    );
    assert_eq!((end.exit_code, end.signal), (Some(0), None));
    let log = String::from_utf8(world.read("logs/agent.log")).unwrap();
    assert_eq!(log.lines().count(), 2);
    assert!(!world.path("logs/agent.stderr.log").exists());
}

#[test]
fn m7_an_agent_that_was_frozen_together_with_its_supervisor_is_not_silent() {
    // Some shells survive an interrupt while they wait for a program: this one ends with it.
    let world = world(&format!(
        "trap 'exit 9' INT TERM\n{INIT}\ntouch ready\n\
         while [ ! -e go ]; do sleep 0.05; done\n{GOOD}"
    ));
    let silence = Duration::from_millis(1500);
    let world = world.with(|request| request.silence_timeout_ms = 1500);
    let handle = world.launch();
    world.wait_for("ready");
    until("record", || world.dir().join("record.json").exists());
    let record: Record = serde_json::from_slice(&world.read("dir/record.json")).unwrap();
    let both = [record.supervisor, record.agent];
    let tell = |signal| {
        for process in both {
            let pid = Pid::from_raw(i32::try_from(process.pid).unwrap()).unwrap();
            kill_process(pid, signal).unwrap();
        }
    };
    tell(Signal::STOP);
    let frozen = Instant::now();
    until("the silence", || frozen.elapsed() > silence * 2);
    tell(Signal::CONT);
    // Long enough for a supervisor that would end it, and shorter than the silence.
    let thawed = Instant::now();
    until("the supervisor to be awake", || {
        thawed.elapsed() > silence / 3
    });
    fs::write(world.path("go"), "").unwrap();
    assert_eq!(handle.wait().ended.outcome, Outcome::Finished);
}

#[test]
fn an_exit_without_a_result_is_no_success() {
    assert_eq!(
        world("echo hello").outcome(),
        failed("ended with exit code 0 but without a result")
    );
    let sentence = "ended with exit code 3 and without a result: no such session";
    assert_eq!(
        world("echo no such session >&2; exit 3").outcome(),
        failed(sentence)
    );
}

#[test]
fn an_exit_code_outweighs_a_good_result() {
    let sentence = "ended with exit code 7 after a good result: oh";
    assert_eq!(
        world(&format!("{GOOD}\necho oh >&2\nexit 7")).outcome(),
        failed(sentence)
    );
}

#[test]
fn a_bad_result_is_a_failure_even_with_exit_code_0() {
    assert_eq!(
        world(BAD).outcome(),
        failed("reported error_max_turns: too many turns")
    );
}

#[test]
fn of_two_results_the_last_one_decides() {
    assert_eq!(
        world(&format!("{BAD}\n{GOOD}")).outcome(),
        Outcome::Finished
    );
    assert_eq!(
        world(&format!("{GOOD}\n{BAD}")).outcome(),
        failed("reported error_max_turns: too many turns")
    );
}

#[test]
fn an_agent_that_stays_after_its_result_is_ended_and_has_finished() {
    let started = Instant::now();
    let stays =
        world(&format!("{GOOD}\nexec sleep 1000")).with(|request| request.exit_grace_ms = 100);
    assert_eq!(stays.outcome(), Outcome::Finished);
    assert!(started.elapsed() < Duration::from_secs(30));
    let stays =
        world(&format!("{BAD}\nexec sleep 1000")).with(|request| request.exit_grace_ms = 100);
    assert_eq!(
        stays.outcome(),
        failed("reported error_max_turns: too many turns")
    );
}

#[test]
fn a_silent_agent_is_interrupted_and_has_hung() {
    let world = world(&format!(
        "trap 'echo int > int; exit 0' INT\n{INIT}\nwhile :; do sleep 0.05; done"
    ));
    let world = world.with(|request| request.silence_timeout_ms = 300);
    let started = Instant::now();
    let end = world.run();
    assert_eq!(
        (end.ended.outcome, end.ended.session.as_deref()),
        (Outcome::Hung, Some("s-1"))
    );
    assert!(world.path("int").exists());
    assert!(started.elapsed() < Duration::from_secs(30));
}

#[test]
fn what_an_agent_says_because_it_is_interrupted_does_not_count() {
    let world = world(&format!(
        "trap \"{}; exit 0\" INT\nwhile :; do sleep 0.05; done",
        GOOD.replace('"', "\\\"")
    ));
    let end = world.with(|request| request.silence_timeout_ms = 200).run();
    assert_eq!(end.ended.outcome, Outcome::Hung);
    assert_eq!(end.ended.usage.usd_micros, 500_000);
}

#[test]
fn a_silent_agent_that_has_said_its_result_has_not_hung() {
    let world = world(&format!(
        "{}\nexec sleep 1000",
        GOOD.replacen("echo", "printf %s", 1)
    ));
    assert_eq!(
        world
            .with(|request| request.silence_timeout_ms = 200)
            .outcome(),
        Outcome::Finished
    );
}

#[test]
fn an_agent_that_talks_on_stderr_is_not_silent() {
    let world = world(&format!(
        "for i in 1 2 3 4 5 6 7 8; do echo $i >&2; sleep 0.4; done\n{GOOD}"
    ));
    let world = world.with(|request| request.silence_timeout_ms = 2500);
    assert_eq!(world.outcome(), Outcome::Finished);
    assert_eq!(
        world.read("logs/agent.stderr.log"),
        b"1\n2\n3\n4\n5\n6\n7\n8\n"
    );
}

#[test]
fn a_step_that_takes_too_long_is_timed_out() {
    let world = world("while :; do echo busy; sleep 0.02; done")
        .with(|request| request.step_timeout_ms = 300);
    let started = Instant::now();
    assert_eq!(world.outcome(), Outcome::TimedOut);
    assert!(started.elapsed() < Duration::from_secs(30));
}

#[test]
fn a_killed_agent_names_the_signal() {
    assert_eq!(
        world("kill -9 $$").outcome(),
        failed("was killed by signal 9 (KILL)")
    );
    assert_eq!(
        world(&format!("{GOOD}\nkill -9 $$")).outcome(),
        failed("was killed by signal 9 (KILL)")
    );
}

#[test]
fn a_stopped_agent_was_killed_by_us() {
    let world = world("touch here\nexec sleep 1000");
    let handle = world.launch();
    world.wait_for("here");
    until("the record", || handle.pid().is_some());
    handle.stop();
    let end = handle.wait();
    assert_eq!((end.ended.outcome, end.signal), (Outcome::Killed, Some(15)));
    world.assert_nothing_remains();
}

#[test]
fn a_stop_right_after_the_launch_starts_nothing_that_stays() {
    for _ in 0..20 {
        let world = world("exec sleep 1000");
        let handle = world.launch();
        handle.stop();
        assert_eq!(handle.wait().ended.outcome, Outcome::Killed);
        world.assert_nothing_remains();
    }
}

#[test]
fn a_stop_after_a_good_result_does_not_undo_it() {
    let world = world(&format!("{GOOD}\ntouch here\nexec sleep 1000"));
    let handle = world.launch();
    world.wait_for("here");
    handle.stop();
    assert_eq!(handle.wait().ended.outcome, Outcome::Finished);
}

#[test]
fn a_good_result_and_exit_code_0_win_over_a_stop_that_came_just_before() {
    let ended = |last: &str| {
        let on_stop = format!("{}; {last}", GOOD.replace('"', "\\\""));
        let world = world(&format!(
            "trap \"{on_stop}\" TERM\ntouch here\nwhile :; do sleep 0.01; done"
        ));
        let handle = world.launch();
        world.wait_for("here");
        handle.stop();
        handle.wait().ended.outcome
    };
    assert_eq!(ended("exit 0"), Outcome::Finished);
    assert_eq!(ended("exit 143"), Outcome::Killed);
}

#[test]
fn an_end_that_came_before_the_stop_stands() {
    let world = world("while [ ! -e go ]; do sleep 0.01; done; touch gone")
        .with(|request| request.protocol = Protocol::Plain);
    let handle = world.launch();
    until("the record", || handle.record().is_some());
    let record = handle.record().unwrap();
    signal(record.supervisor.pid, Signal::STOP);
    fs::write(world.path("go"), "").unwrap();
    until("the agent's end", || !record.agent.is_alive());
    handle.stop();
    signal(record.supervisor.pid, Signal::CONT);
    assert_eq!(handle.wait().ended.outcome, Outcome::Finished);
}

fn signal(pid: u32, signal: Signal) {
    kill_process(Pid::from_raw(pid as i32).unwrap(), signal).unwrap();
}

#[test]
fn a_plain_command_is_judged_by_its_exit_code() {
    let plain = |script: &str| world(script).with(|request| request.protocol = Protocol::Plain);
    let end =
        plain("echo work\necho '{\"kumite\":1,\"session\":\"p\",\"usage\":{\"usd\":0.25}}'").run();
    assert_eq!(
        (
            end.ended.outcome,
            end.ended.session.as_deref(),
            end.ended.usage.usd_micros
        ),
        (Outcome::Finished, Some("p"), 250_000)
    );
    assert_eq!(
        plain("echo one; echo two; exit 3").outcome(),
        failed("exit code 3: two")
    );
    assert_eq!(
        plain("echo out; echo err >&2; exit 3").outcome(),
        failed("exit code 3: err")
    );
    assert_eq!(plain("exit 4").outcome(), failed("exit code 4"));
}

#[test]
fn a_log_that_cannot_be_written_costs_the_log_only() {
    let rights = || fs::metadata("/dev").unwrap().permissions().mode();
    let before = rights();
    let blocked = |script: &str| world(script).with(|request| request.log = "/dev/full".into());
    assert_eq!(blocked(GOOD).outcome(), Outcome::Finished);
    let Outcome::Failed(sentence) = blocked("echo hello").outcome() else {
        panic!("it had no result")
    };
    assert!(
        sentence.contains("without a result (/dev/full could not be written"),
        "{sentence}"
    );
    assert_eq!(rights(), before, "a directory of the system was changed");
}
