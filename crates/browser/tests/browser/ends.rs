//! Nothing is left: no process, no file.

use std::collections::BTreeMap;
use std::env;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;

use kumite_browser::{Browser, Error};

use crate::wait;

/// Set in the child process, which is this test program again.
const CHILD: &str = "KUMITE_BROWSER_TEST_CHILD";

/// Command lines by process.
fn processes_of(dir: &Path) -> BTreeMap<String, String> {
    let dir = dir.to_str().unwrap();
    let entries = fs::read_dir("/proc").unwrap().flatten();
    let lines = entries.filter_map(|entry| {
        let line = fs::read(entry.path().join("cmdline")).ok()?;
        let line = String::from_utf8_lossy(&line).replace('\0', " ");
        Some((entry.file_name().into_string().ok()?, line))
    });
    lines.filter(|(_, line)| line.contains(dir)).collect()
}

#[test]
#[ignore = "needs Chromium: cargo xtask test"]
fn after_drop_no_process_and_no_file_is_left() {
    let browser = Browser::start().unwrap();
    let page = browser.page();
    page.goto("data:text/html,<p>hello").unwrap();
    let dir = browser.dir().to_owned();
    let before = processes_of(&dir);
    for kind in ["--type=renderer", "--type=zygote", "crashpad"] {
        assert!(
            before.values().any(|line| line.contains(kind)),
            "{kind}: {before:#?}"
        );
    }
    drop(browser);
    assert_eq!(processes_of(&dir), BTreeMap::new());
    assert!(!dir.exists());
    // The page can still be called, and dropped.
    assert!(matches!(page.eval("1").unwrap_err(), Error::Ended { .. }));
}

#[test]
#[ignore = "needs Chromium: cargo xtask test"]
fn a_browser_that_hangs_is_ended_too() {
    let browser = Browser::start().unwrap();
    let dir = browser.dir().to_owned();
    // The browser's main process has no type, and is a child of the shell.
    let (pid, _) = processes_of(&dir)
        .into_iter()
        .find(|(_, line)| line.contains("--remote-debugging-pipe") && !line.starts_with("/bin/sh"))
        .unwrap();
    let status = Command::new("kill").args(["-STOP", &pid]).status().unwrap();
    assert!(status.success());
    drop(browser);
    assert_eq!(processes_of(&dir), BTreeMap::new());
    assert!(!dir.exists());
}

#[test]
#[ignore = "needs Chromium: cargo xtask test"]
fn a_browser_ends_when_its_process_is_killed() {
    const NAME: &str = "ends::a_browser_ends_when_its_process_is_killed";
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
    let mut child = child(NAME, &told).stdout(Stdio::null()).spawn().unwrap();
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
#[ignore = "needs Chromium: cargo xtask test"]
fn what_is_no_chromium_is_told_with_a_remedy_or_its_words() {
    const NAME: &str = "ends::what_is_no_chromium_is_told_with_a_remedy_or_its_words";
    if env::var_os(CHILD).is_some() {
        println!("{}", Browser::start().map(drop).unwrap_err());
        return;
    }
    for (program, said) in [
        ("/nowhere/at/all", "install the package `chromium`"),
        ("ls", "unrecognized option '--headless'"),
    ] {
        let mut child = child(NAME, "");
        let output = child.env("KUMITE_CHROMIUM", program).output().unwrap();
        let output = String::from_utf8_lossy(&output.stdout);
        assert!(output.contains(said), "{program}: {output}");
    }
}

/// This program again, running one test.
fn child(test: &str, told: impl AsRef<OsStr>) -> Command {
    let mut child = Command::new(env::current_exe().unwrap());
    child.args(["--exact", "--ignored", "--nocapture", test]);
    child.env(CHILD, told);
    child
}
