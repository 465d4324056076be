//! Where the tools work.

use std::path::PathBuf;
use std::process::{Command, Stdio};

use kumite_formats::spec_name::SpecName;
use kumite_host::project::{Project, Spec};
use kumite_host::settings::{Flags, Loader};

use crate::refusal::{Refusal, Result};

/// Project and settings are looked for at every call: they may be made, or put right, while the
/// server runs.
pub struct Desk {
    /// The project, or a directory in it.
    pub place: PathBuf,
    /// The program kumite itself.
    pub kumite: PathBuf,
}

impl Desk {
    pub fn project(&self) -> Result<Project> {
        Ok(Project::find(&self.place)?)
    }

    /// A spec that exists.
    pub fn spec(&self, name: &str) -> Result<(Project, Spec)> {
        let project = self.project()?;
        let name: SpecName = name.parse()?;
        let spec = project.spec(&name)?;
        Ok((project, spec))
    }

    pub fn loader(&self, project: &Project) -> Result<Loader> {
        Ok(Loader::load(project, Flags::default())?)
    }

    /// kumite as a process of its own; `names` are never taken for flags. It knows the project, and
    /// nothing of our stdin: that is the protocol's.
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

    /// Runs a command that says what it did.
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
            eprintln!("kumite: {said}");
        }
        let printed = String::from_utf8_lossy(&output.stdout);
        Ok(printed.trim_end().to_owned())
    }

    pub fn cannot_run(&self, error: &std::io::Error) -> Refusal {
        Refusal(format!("cannot run {}: {error}", self.kumite.display()))
    }
}

/// The command line begins its sentences with its name.
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
