//! Programs without a supervisor: what they leave ends with them, and nothing else does.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on should stop")]

use std::ffi::OsStr;
use std::fs::{self, File};
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use kumite_agents::{Identity, Output, Program, Unfinished, inherit_orphans, run_to_end};

const PATIENCE: Duration = Duration::from_secs(60);

/// An orphan that cannot be assigned ends with the last running program, so these tests run alone.
static ALONE: Mutex<()> = Mutex::new(());

fn alone() -> MutexGuard<'static, ()> {
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}

fn run(
    script: &str,
    dir: &Path,
    timeout: Duration,
    is_cancelled: &dyn Fn() -> bool,
) -> Result<Output, Unfinished> {
    run_to_end(Program {
        argv: &["sh", "-c", script].map(OsStr::new),
        dir,
        env: Vec::new(),
        stdin: File::open("/dev/null").unwrap(),
        stdout: None,
        output_max: 10,
        owner: "test",
        timeout,
        is_cancelled,
    })
}

/// Starts a process that hides its origin: another session, no environment, no parent. Its id is in
/// the file `pid`.
const DAEMON: &str = "( setsid env -i sh -c 'echo $$ > pid.new; mv pid.new pid; exec sleep 1000' \
    >/dev/null 2>&1 & ); while [ ! -e pid ]; do sleep 0.01; done; ";

fn daemon(dir: &Path) -> Identity {
    let pid = fs::read_to_string(dir.join("pid")).unwrap();
    let found = Identity::of(pid.trim().parse().unwrap());
    found.unwrap_or(Identity { pid: 0, start: 0 })
}

fn until(what: &str, mut is_so: impl FnMut() -> bool) {
    let deadline = Instant::now() + PATIENCE;
    while !is_so() {
        assert!(Instant::now() < deadline, "{what} did not happen");
        thread::yield_now();
    }
}

#[test]
fn room_10_what_a_program_leaves_in_the_background_ends_with_it() {
    let _alone = alone();
    inherit_orphans();
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    let never = || false;

    let output = run(&format!("{DAEMON} echo done"), dir, PATIENCE, &never).unwrap();
    assert_eq!(
        (output.status.code(), &*output.stdout),
        (Some(0), &b"done\n"[..])
    );
    assert!(!daemon(dir).is_alive(), "after a good end");

    fs::remove_file(dir.join("pid")).unwrap();
    let has_begun = || dir.join("pid").exists();
    let ended = run(&format!("{DAEMON} sleep 1000"), dir, PATIENCE, &has_begun);
    assert!(matches!(ended, Err(Unfinished::Cancelled)), "{ended:?}");
    assert!(!daemon(dir).is_alive(), "after a cancel");

    fs::remove_file(dir.join("pid")).unwrap();
    let short = Duration::from_millis(300);
    let ended = run(&format!("{DAEMON} sleep 1000"), dir, short, &never);
    assert!(matches!(ended, Err(Unfinished::TimedOut)), "{ended:?}");
    if has_begun() {
        assert!(!daemon(dir).is_alive(), "after its time");
    }

    others_are_left_alone();
}

/// If two programs run at the same time, the end of one does not end what the other one has
/// started.
fn others_are_left_alone() {
    let (first, second) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let (first, second) = (first.path(), second.path());
    let stays = "while [ ! -e go ]; do sleep 0.01; done";
    thread::scope(|scope| {
        let never = || false;
        let slow = scope.spawn(move || run(&format!("{DAEMON}{stays}"), first, PATIENCE, &never));
        until("the daemon", || first.join("pid").exists());
        run("exit 3", second, PATIENCE, &never).unwrap();
        assert!(daemon(first).is_alive(), "the other program still runs");
        fs::write(first.join("go"), "").unwrap();
        slow.join().unwrap().unwrap();
        assert!(!daemon(first).is_alive());
    });
}

#[test]
fn only_the_end_of_what_it_says_is_kept() {
    let _alone = alone();
    let dir = tempfile::tempdir().unwrap();
    let script = "seq 1 20000; echo 0123456789abc >&2; exit 7";
    let output = run(script, dir.path(), PATIENCE, &|| false).unwrap();
    assert_eq!(output.status.code(), Some(7));
    assert_eq!(output.stdout, b"999\n20000\n");
    assert_eq!(output.stderr, b"456789abc\n");
}

#[test]
fn a_script_without_a_first_line_is_one_for_sh() {
    let _alone = alone();
    use std::os::unix::fs::PermissionsExt;
    let dir = tempfile::tempdir().unwrap();
    let script = dir.path().join("script");
    fs::write(&script, "echo \"$1\"\n").unwrap();
    fs::set_permissions(&script, fs::Permissions::from_mode(0o755)).unwrap();
    let output = run_to_end(Program {
        argv: &["./script", "it"].map(OsStr::new),
        dir: dir.path(),
        env: Vec::new(),
        stdin: File::open("/dev/null").unwrap(),
        stdout: None,
        output_max: 10,
        owner: "test",
        timeout: PATIENCE,
        is_cancelled: &|| false,
    })
    .unwrap();
    assert_eq!(output.stdout, b"it\n");
}
