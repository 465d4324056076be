//! Nothing is left behind: no process, no file.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;

use kumite_browser::{Browser, Error};

use crate::wait;

/// Set for the child that `a_browser_ends_when_its_process_is_killed` is about.
const CHILD: &str = "KUMITE_BROWSER_TEST_CHILD";

fn processes_of(dir: &Path) -> Vec<String> {
    let dir = dir.to_str().unwrap();
    let entries = fs::read_dir("/proc").unwrap().flatten();
    let lines = entries.filter_map(|entry| fs::read(entry.path().join("cmdline")).ok());
    lines
        .map(|line| String::from_utf8_lossy(&line).replace('\0', " "))
        .filter(|line| line.contains(dir))
        .collect()
}

#[test]
fn after_drop_no_process_and_no_file_is_left() {
    let browser = Browser::start().unwrap();
    let page = browser.page();
    page.goto("data:text/html,<p>hello").unwrap();
    let dir = browser.dir().to_owned();
    let before = processes_of(&dir);
    for kind in ["--type=renderer", "--type=zygote", "crashpad"] {
        assert!(
            before.iter().any(|line| line.contains(kind)),
            "{kind}: {before:#?}"
        );
    }
    drop(browser);
    assert_eq!(processes_of(&dir), [""; 0]);
    assert!(!dir.exists());
    // The page is still there to be asked, and to be dropped.
    assert!(matches!(page.eval("1").unwrap_err(), Error::Ended { .. }));
}

#[test]
fn a_browser_that_hangs_is_ended_too() {
    let browser = Browser::start().unwrap();
    let dir = browser.dir().to_owned();
    // The browser's own process is the one without a type, below the shell.
    let (pid, _) = pids_of(&dir)
        .into_iter()
        .find(|(_, line)| line.contains("--remote-debugging-pipe") && !line.starts_with("/bin/sh"))
        .unwrap();
    let status = Command::new("kill").args(["-STOP", &pid]).status().unwrap();
    assert!(status.success());
    drop(browser);
    assert_eq!(processes_of(&dir), [""; 0]);
    assert!(!dir.exists());
}

fn pids_of(dir: &Path) -> Vec<(String, String)> {
    let entries = fs::read_dir("/proc").unwrap().flatten();
    let lines = entries.filter_map(|entry| {
        let line = fs::read(entry.path().join("cmdline")).ok()?;
        let line = String::from_utf8_lossy(&line).replace('\0', " ");
        Some((entry.file_name().into_string().ok()?, line))
    });
    lines
        .filter(|(_, line)| line.contains(dir.to_str().unwrap()))
        .collect()
}

#[test]
fn a_browser_ends_when_its_process_is_killed() {
    if let Some(told) = env::var_os(CHILD) {
        let browser = Browser::shared();
        let page = browser.page();
        page.goto("data:text/html,<p>hello").unwrap();
        let told = PathBuf::from(told);
        let new = told.with_extension("new");
        fs::write(&new, browser.dir().to_str().unwrap()).unwrap();
        fs::rename(&new, &told).unwrap();
        loop {
            thread::park();
        }
    }
    let files = tempfile::tempdir().unwrap();
    let told = files.path().join("told");
    let mut child = Command::new(env::current_exe().unwrap())
        .args(["--exact", "ends::a_browser_ends_when_its_process_is_killed"])
        .env(CHILD, &told)
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    wait("the browser is there", || told.exists());
    let dir = PathBuf::from(fs::read_to_string(&told).unwrap());
    assert!(!processes_of(&dir).is_empty());
    child.kill().unwrap();
    child.wait().unwrap();
    wait("all its processes are gone", || {
        processes_of(&dir).is_empty()
    });
    wait("its files are gone", || !dir.exists());
}

#[test]
fn a_browser_that_ends_at_once_is_an_error_with_its_words() {
    let started = Browser::start_with(&["--user-data-dir=/proc/nowhere"]);
    let error = started.map(drop).unwrap_err();
    assert!(matches!(error, Error::Unready { .. }), "{error}");
    assert!(error.to_string().contains("/proc/nowhere"), "{error}");
}
