//! kumite itself, as a process: so everything that changes is checked and done as on the command
//! line, with the same words.

use std::path::PathBuf;
use std::process::{Command, Stdio};

use serde_json::Value;

use crate::refusal::{Refusal, Result};

pub struct Kumite {
    pub program: PathBuf,
    pub place: PathBuf,
}

impl Kumite {
    /// Runs a command to its end and returns what it printed. `names` are never taken for flags.
    pub fn run(&self, words: &[&str], names: &[&str]) -> Result<Value> {
        let output = Command::new(&self.program)
            .arg("--json")
            .arg("--project")
            .arg(&self.place)
            .args(words)
            .arg("--")
            .args(names)
            // Ours is the protocol's.
            .stdin(Stdio::null())
            .output()
            .map_err(|error| Refusal(format!("cannot run {}: {error}", self.program.display())))?;
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
        match output.stdout.trim_ascii() {
            [] => Ok(Value::Null),
            printed => Ok(serde_json::from_slice(printed)?),
        }
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
