//! What the tools work on.

use std::path::PathBuf;
use std::process::{Command, Stdio};

use kumite_formats::spec_name::SpecName;
use kumite_project::project::{Project, Spec};
use kumite_project::settings::{Flags, Loader};

use crate::refusal::{Refusal, Result};

/// Project and settings are read at every call: they may be created or corrected while the server
/// runs.
pub struct Desk {
    /// The project, or a directory in it.
    pub place: PathBuf,
    /// The kumite binary.
    pub kumite: PathBuf,
}

impl Desk {
    pub fn project(&self) -> Result<Project> {
        Ok(Project::find(&self.place)?)
    }

    /// An existing spec.
    pub fn spec(&self, name: &str) -> Result<(Project, Spec)> {
        let project = self.project()?;
        let name: SpecName = name.parse()?;
        let spec = project.spec(&name)?;
        Ok((project, spec))
    }

    pub fn loader(&self, project: &Project) -> Result<Loader> {
        Ok(Loader::load(project, Flags::default())?)
    }

    /// Runs kumite as a separate process; `names` are never taken for flags. The process knows the
    /// project, but does not read our stdin, which belongs to the protocol.
    pub fn command(&self, words: &[&str], names: &[&str]) -> Command {
        let mut command = Command::new(&self.kumite);
        command
            .arg("--project")
            .arg(&self.place)
            .args(words)
            .arg("--")
            .args(names)
            .stdin(Stdio::null());
        command
    }

    /// Runs a command that reports what it did.
    pub fn tell(&self, words: &[&str], names: &[&str]) -> Result<String> {
        let mut command = self.command(words, names);
        let output = command.output().map_err(|error| self.cannot_run(&error))?;
        let said = without_name(&String::from_utf8_lossy(&output.stderr));
        if !output.status.success() {
            return Err(match said.is_empty() {
                true => Refusal(format!("kumite {} ended: {}", words[0], output.status)),
                false => Refusal(said),
            });
        }
        if !said.is_empty() {
            tracing::warn!("{said}");
        }
        let printed = String::from_utf8_lossy(&output.stdout);
        Ok(printed.trim_end().to_owned())
    }

    pub fn cannot_run(&self, error: &std::io::Error) -> Refusal {
        Refusal(format!("cannot run {}: {error}", self.kumite.display()))
    }
}

/// The command line starts its sentences with its name.
fn without_name(text: &str) -> String {
    let lines: Vec<&str> = text
        .trim_end()
        .lines()
        .map(|line| line.strip_prefix("kumite: ").unwrap_or(line))
        .collect();
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sentence_of_the_command_line_is_told_without_its_name() {
        assert_eq!(without_name("kumite: one\nkumite: two\n"), "one\ntwo");
        assert_eq!(without_name(""), "");
    }
}
