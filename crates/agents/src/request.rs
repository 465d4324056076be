//! What kumite and a supervisor tell each other, through files in the agent's directory.

use std::collections::BTreeMap;
use std::path::PathBuf;

use kumite_core::outcome::Ended;
use kumite_core::program::ProgramKind;
use serde::{Deserialize, Serialize};

use crate::logs::transcript_of;
use crate::process::Identity;

/// The variable that marks every process of an agent, including detached ones.
const MARKER: &str = "KUMITE_AGENT";

/// Two projects may have agents with the same id; this variable distinguishes them.
const PROJECT: &str = "KUMITE_PROJECT";

/// Everything that a supervisor must know. A duration or size of 0 means no limit.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Request {
    /// The agent's id. The supervisor puts it into the child's environment as `KUMITE_AGENT`.
    pub agent: String,
    /// Looked up in the `PATH` of `env`; with a slash in it, relative to `cwd`.
    pub program: String,
    pub args: Vec<String>,
    pub cwd: PathBuf,
    /// The complete environment of the agent.
    pub env: Vec<(String, String)>,
    /// Written to its stdin, which is then closed. Without it stdin is `/dev/null`.
    pub stdin: Option<String>,
    /// Raw stdout is appended here, stderr to `<log without .log>.stderr.log`, and the transcript
    /// to `<log without .log>.jsonl`; secrets are masked.
    pub log: PathBuf,
    pub protocol: Protocol,
    /// The session that the agent was given; a session that it reports itself takes precedence.
    pub session: Option<String>,
    pub step_timeout_ms: u64,
    pub silence_timeout_ms: u64,
    /// How long an agent may stay after it reported success.
    pub exit_grace_ms: u64,
    /// How long an agent has between TERM and KILL.
    pub term_grace_ms: u64,
    pub spawn_retries: u32,
    /// The size limit of stdout's log, and of stderr's: beyond it the older half is dropped.
    #[serde(default)]
    pub log_max_bytes: u64,
}

/// How an agent's output is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Protocol {
    /// kumite's own lines ([`crate::Said`]), which its bridge to ACP agents writes.
    Kumite,
    /// Any command: the exit code is the verdict.
    Plain,
    /// The program's own format: without a result line nothing is finished. On disk it is the
    /// program's name.
    #[serde(untagged)]
    Program(ProgramKind),
}

/// `record.json`: the running processes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Record {
    pub supervisor: Identity,
    pub agent: Identity,
    /// Unix time in milliseconds.
    pub started_at: u64,
}

/// `end.json`: how it ended.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct End {
    #[serde(flatten)]
    pub ended: Ended,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exit_code: Option<i32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub signal: Option<i32>,
    /// Unix time in milliseconds.
    pub ended_at: u64,
    /// Processes that even KILL did not end in time (stuck in the kernel, or of another user).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub left: Vec<u32>,
}

impl Request {
    /// The environment entry of all processes of this agent.
    pub fn marker(&self) -> String {
        format!("{MARKER}={}", self.agent)
    }

    /// The entries that distinguish the processes of this agent from all others.
    pub fn marks(&self) -> Vec<String> {
        let project = self.variable(PROJECT);
        let project = project.map(|project| format!("{PROJECT}={project}"));
        [self.marker()].into_iter().chain(project).collect()
    }

    /// The request without the agent's environment, which may contain keys; its marks stay.
    pub(crate) fn without_secrets(&self) -> Request {
        let marks = self.env.iter().filter(|(name, _)| name == PROJECT);
        Request {
            env: marks.cloned().collect(),
            ..self.clone()
        }
    }

    /// The child's environment with the marks. If a variable occurs twice the last value is used,
    /// because programs differ in which one they would take.
    pub(crate) fn environment(&self) -> impl Iterator<Item = String> + '_ {
        let last: BTreeMap<&str, &str> = self
            .env
            .iter()
            .map(|(name, value)| (name.as_str(), value.as_str()))
            .collect();
        let others = last.into_iter().filter(|(name, _)| *name != MARKER);
        others
            .map(|(name, value)| format!("{name}={value}"))
            .chain([self.marker()])
    }

    pub(crate) fn variable(&self, name: &str) -> Option<&str> {
        let found = self.env.iter().rev().find(|(key, _)| key == name)?;
        Some(&found.1)
    }

    pub(crate) fn stderr_log(&self) -> PathBuf {
        self.log.with_extension("stderr.log")
    }

    pub(crate) fn transcript(&self) -> PathBuf {
        transcript_of(&self.log)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_variable_that_was_set_twice_has_its_last_value_once() {
        let text = r#"{"agent":"a","program":"p","args":[],"cwd":"/","stdin":null,"log":"/l",
            "env":[["HOME","/inherited"],["KUMITE_AGENT","other"],["HOME","/settings"]],
            "protocol":"plain","session":null,"step_timeout_ms":0,"silence_timeout_ms":0,
            "exit_grace_ms":0,"term_grace_ms":0,"spawn_retries":0}"#;
        let request: Request = serde_json::from_str(text).unwrap();
        let environment: Vec<String> = request.environment().collect();
        assert_eq!(environment, ["HOME=/settings", "KUMITE_AGENT=a"]);
    }

    #[test]
    fn a_protocol_is_on_disk_what_it_was_in_older_versions() {
        for (protocol, word) in [
            (Protocol::Program(ProgramKind::Claude), "\"claude\""),
            (Protocol::Program(ProgramKind::Opencode), "\"opencode\""),
            (Protocol::Kumite, "\"kumite\""),
            (Protocol::Plain, "\"plain\""),
        ] {
            assert_eq!(serde_json::to_string(&protocol).unwrap(), word);
            assert_eq!(serde_json::from_str::<Protocol>(word).unwrap(), protocol);
        }
    }
}
