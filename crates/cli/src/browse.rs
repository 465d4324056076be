//! A page for the person: a server beside this command, and the browser.

use std::io::{BufRead, BufReader, IsTerminal};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

use crate::trouble::{Result, Trouble};

/// `kumite serve` as a separate process. It ends with this value.
pub struct Serving {
    child: Child,
    pub login_url: String,
    /// The server ends when this is closed, even if we are killed.
    _tie: Option<ChildStdin>,
}

impl Serving {
    pub fn start(project: &Path) -> Result<Serving> {
        let mut child = Command::new(std::env::current_exe()?)
            .args(["serve", "--json", "--attached", "--project"])
            .arg(project)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        let mut line = String::new();
        if let Some(stdout) = child.stdout.take() {
            BufReader::new(stdout).read_line(&mut line)?;
        }
        let said: Value = serde_json::from_str(&line).unwrap_or_default();
        let login_url = said["login_url"].as_str().map(str::to_owned);
        let serving = Serving {
            _tie: child.stdin.take(),
            child,
            login_url: login_url.clone().unwrap_or_default(),
        };
        match login_url {
            Some(_) => Ok(serving),
            None => Err(Trouble::failed("the page could not be served")),
        }
    }

    /// Waits until it is ended, for example from the terminal.
    pub fn wait(&mut self) {
        let _ = self.child.wait();
    }
}

impl Drop for Serving {
    fn drop(&mut self) {
        if let Ok(None) = self.child.try_wait() {
            let pid = i32::try_from(self.child.id()).ok().and_then(Pid::from_raw);
            let _ = pid.map(|pid| kill_process(pid, Signal::TERM));
            let _ = self.child.wait();
        }
    }
}

/// Opens the person's browser, if there is a terminal and a screen. True: it is being opened.
pub fn open(url: &str) -> bool {
    let has_screen = ["DISPLAY", "WAYLAND_DISPLAY"]
        .iter()
        .any(|name| std::env::var_os(name).is_some_and(|value| !value.is_empty()));
    has_screen
        && std::io::stderr().is_terminal()
        && Command::new("xdg-open")
            .arg(url)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .is_ok()
}
