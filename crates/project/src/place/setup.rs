//! The commands that set a fresh worktree up. What they print is the log of the step.

use std::path::Path;
use std::process::{Command, Stdio};

use super::copies;
use super::suit::Hindrance;
use crate::project::Spec;

/// Runs the commands in order in the project's directory of the worktree.
pub fn run(
    spec: &Spec,
    place: &Path,
    commands: &[Vec<String>],
    say: &dyn Fn(&str),
) -> Result<(), Hindrance> {
    for command in commands {
        let [program, args @ ..] = &command[..] else {
            continue;
        };
        let shown = command.join(" ");
        say(&format!("set-up: {shown}"));
        let mut child = Command::new(program);
        child.args(args).current_dir(place).stdin(Stdio::null());
        // A git hook may have called kumite: its variables lead to another repository.
        for (name, _) in std::env::vars_os() {
            if name.as_encoded_bytes().starts_with(b"GIT_") {
                child.env_remove(name);
            }
        }
        child.envs(copies::env(spec));
        let failed = |why: String| {
            Hindrance::SetupFailed(format!(
                "`{shown}` {why}; what it printed is in the log of this step"
            ))
        };
        match child.status() {
            Ok(status) if status.success() => {}
            Ok(status) => return Err(failed(format!("ended with {status}"))),
            Err(error) => return Err(failed(format!("cannot be run: {error}"))),
        }
    }
    Ok(())
}
