//! Any output is handled, in bounded memory.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on should stop")]

mod common;

use std::fs;

use common::{GOOD, until, world};
use kumite_core::outcome::Outcome;

/// The most memory that the process has ever used, in KiB.
fn peak_kib(pid: u32) -> u64 {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
    let line = status
        .lines()
        .find(|line| line.starts_with("VmHWM:"))
        .unwrap();
    line.split_ascii_whitespace()
        .nth(1)
        .unwrap()
        .parse()
        .unwrap()
}

#[test]
fn a_line_of_100_mb_takes_little_memory_and_hides_nothing() {
    let world = world(&format!(
        "head -c 100000000 /dev/zero | tr '\\0' x\necho\n{GOOD}\ntouch here\nwhile [ ! -e go ]; do sleep 0.01; done"
    ));
    let handle = world.launch();
    world.wait_for("here");
    let log = world.path("logs/agent.log");
    until("the log", || {
        fs::metadata(&log).unwrap().len() > 100_000_100
    });
    let peak = peak_kib(handle.supervisor().unwrap().pid);
    fs::write(world.path("go"), "").unwrap();
    assert_eq!(handle.wait().ended.outcome, Outcome::Finished);
    assert!(peak < 32 * 1024, "{peak} KiB");
}

#[test]
fn bad_bytes_carriage_returns_and_a_missing_newline_are_survived() {
    let result = GOOD.replacen("echo ", "printf '%s' ", 1);
    let world = world(&format!(
        "printf '\\377\\376\\000\\r\\n{{\"type\":\\r\\n'\n{result}"
    ));
    assert_eq!(world.outcome(), Outcome::Finished);
    let crlf = common::world(&format!(
        "{}; printf '\\r\\n'",
        GOOD.replacen("echo ", "printf '%s' ", 1)
    ));
    assert_eq!(crlf.outcome(), Outcome::Finished);
}

#[test]
fn everything_that_was_said_is_in_the_logs() {
    let world = world(&format!("seq 1 200000\nseq 1 100000 >&2\n{GOOD}"));
    assert_eq!(world.outcome(), Outcome::Finished);
    assert_eq!(
        world
            .read("logs/agent.log")
            .iter()
            .filter(|&&byte| byte == b'\n')
            .count(),
        200_001
    );
    assert_eq!(
        world
            .read("logs/agent.stderr.log")
            .iter()
            .filter(|&&byte| byte == b'\n')
            .count(),
        100_000
    );
}

#[test]
fn an_agent_may_close_its_output_and_work_on() {
    let world = world(&format!("{GOOD}\nexec >&- 2>&-\nsleep 0.2\ntouch done"));
    assert_eq!(world.outcome(), Outcome::Finished);
    assert!(world.path("done").exists());
}

#[test]
fn a_program_that_does_not_wait_for_its_reader_loses_nothing() {
    let (pipe, _writes) = rustix::pipe::pipe().unwrap();
    if rustix::pipe::fcntl_setpipe_size(&pipe, 1024 * 1024).is_err() {
        eprintln!("skipped: this user has used up what the system grants for pipes");
        return;
    }
    // It writes everything at once, and what does not fit is lost: dd would report that.
    let world = world(&format!(
        "dd if=/dev/zero bs=900000 count=1 oflag=nonblock iflag=fullblock || exit 1\necho\n{GOOD}"
    ));
    assert_eq!(world.outcome(), Outcome::Finished);
    assert!(world.read("logs/agent.log").len() > 900_000);
}
