//! Programs that chores need, installed from the system's packages if they are missing and we may
//! install.

use std::env;
use std::fs;
use std::process::Command;

use crate::run::{Done, fail, run, works};

/// npm. If it is missing and cannot be installed, `why` is printed.
pub fn npm(why: &str) -> Done {
    get(
        Command::new("npm").arg("--version"),
        &["nodejs", "npm"],
        why,
    )
}

/// A Python that can make virtual environments.
pub fn python(why: &str) -> Done {
    get(
        Command::new("python3").args(["-c", "import ensurepip, venv"]),
        &["python3", "python3-venv"],
        why,
    )
}

/// Chromium, under any of the names that the tests look for.
pub fn chromium(why: &str) -> Done {
    let version = |name: &str| works(Command::new(name).arg("--version"));
    match env::var("KUMITE_CHROMIUM") {
        Ok(name) if !name.is_empty() && version(&name) => Ok(()),
        Ok(name) if !name.is_empty() => fail(&format!(
            "KUMITE_CHROMIUM names {name}, which cannot be run"
        )),
        _ if version("chromium-browser") || version("google-chrome") => Ok(()),
        _ => get(
            Command::new("chromium").arg("--version"),
            &["chromium"],
            why,
        ),
    }
}

fn get(probe: &mut Command, packages: &[&str], why: &str) -> Done {
    if works(probe) {
        return Ok(());
    }
    if works(Command::new("apt-get").arg("--version")) && is_root() {
        run(Command::new("apt-get").arg("update"))?;
        return run(Command::new("apt-get")
            .args(["install", "-y"])
            .args(packages));
    }
    fail(why)
}

fn is_root() -> bool {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mut ids = status.lines().filter_map(|line| line.strip_prefix("Uid:"));
    ids.next()
        .and_then(|ids| ids.split_whitespace().nth(1))
        .is_some_and(|id| id == "0")
}
