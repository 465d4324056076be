//! An agent in the settings, for any task: how it is run, and in which environment.

use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use kumite_agents::{Assignment, Protocol, Request, invocation};
use kumite_formats::settings::{AgentKind, AgentSettings, Prompt, Settings};

use crate::{clock, crash};
use kumite_files::{Access, Durable, replace};

/// The prompt for a resumed session, which already knows its task.
pub const GO_ON: &str = "You were interrupted. Go on where you stopped and finish the task; \
    nobody is there to answer questions.";

/// The variables that inform an agent about its work (contract). Values inherited by kumite itself
/// do not count.
const KNOWN: [&str; 9] = [
    "KUMITE_SPEC",
    "KUMITE_STEP",
    "KUMITE_ROUND",
    "KUMITE_RUN",
    "KUMITE_AGENT",
    "KUMITE_PROJECT",
    "KUMITE_CONTEST",
    "KUMITE_TEAM",
    "KUMITE_VERIFY_LOG",
];

/// One start of an agent.
#[derive(Clone, Debug)]
pub struct Job {
    /// Its id.
    pub agent: String,
    pub assignment: Assignment,
    pub workplace: PathBuf,
    pub log: PathBuf,
    /// The variables of the contract, by name.
    pub known: Vec<(&'static str, String)>,
    pub timeout: Duration,
}

impl Job {
    /// `binary` is kumite; the path of a scripted agent's script is relative to `root`.
    pub fn request(
        self,
        agent: &AgentSettings,
        settings: &Settings,
        root: &Path,
        binary: &Path,
    ) -> Request {
        let invocation = invocation(&agent.kind, root, binary, &self.assignment);
        let mut env = environment(&self.known);
        env.retain(|(name, _)| is_allowed(name, &agent.env_allow));
        env.extend(agent.env.clone());
        env.extend(invocation.env);
        let waits = &settings.agent;
        Request {
            agent: self.agent,
            program: invocation.program,
            args: invocation.args,
            cwd: self.workplace,
            env,
            stdin: invocation.stdin,
            log: self.log,
            protocol: invocation.protocol,
            session: invocation.session,
            step_timeout_ms: self.timeout.as_millis() as u64,
            silence_timeout_ms: waits.silence_timeout.duration().as_millis() as u64,
            exit_grace_ms: waits.exit_grace.duration().as_millis() as u64,
            term_grace_ms: waits.term_grace.duration().as_millis() as u64,
            spawn_retries: waits.spawn_retries,
            log_max_bytes: settings.log.max_size.bytes(),
        }
    }
}

/// A command that runs under a supervisor as agents do, but is none: it is not asked anything, and
/// its exit code is its result.
#[derive(Clone, Debug)]
pub struct Errand {
    pub agent: String,
    /// Program and arguments.
    pub argv: Vec<String>,
    pub workplace: PathBuf,
    pub log: PathBuf,
    /// The variables of the contract, by name.
    pub known: Vec<(&'static str, String)>,
    /// Further variables.
    pub env: Vec<(String, String)>,
    pub timeout: Duration,
}

impl Errand {
    pub fn request(self, settings: &Settings) -> Request {
        let mut env = environment(&self.known);
        env.extend(self.env);
        let mut argv = self.argv.into_iter();
        Request {
            agent: self.agent,
            program: argv.next().unwrap_or_default(),
            args: argv.collect(),
            cwd: self.workplace,
            env,
            stdin: None,
            log: self.log,
            protocol: Protocol::Plain,
            session: None,
            step_timeout_ms: self.timeout.as_millis() as u64,
            // A compiler may say nothing for as long as it likes.
            silence_timeout_ms: 0,
            exit_grace_ms: settings.agent.exit_grace.duration().as_millis() as u64,
            term_grace_ms: settings.agent.term_grace.duration().as_millis() as u64,
            spawn_retries: settings.agent.spawn_retries,
            log_max_bytes: settings.log.max_size.bytes(),
        }
    }
}

/// Writes the prompt into `dir` for a command that wants it in a file. `None`: it does not.
pub fn prompt_file(kind: &AgentKind, dir: &Path, prompt: &str) -> io::Result<Option<PathBuf>> {
    let is_wanted = matches!(
        kind,
        AgentKind::Command { command, prompt: by }
            if *by == Prompt::File || command.iter().any(|word| word.contains("{prompt_file}"))
    );
    if !is_wanted {
        return Ok(None);
    }
    let path = dir.join("prompt.md");
    replace(&path, prompt.as_bytes(), Durable::Process, Access::Private)?;
    Ok(Some(path))
}

/// The path of this very program, even if its file was replaced since it started (an upgrade during
/// a run).
pub fn own_binary() -> io::Result<PathBuf> {
    let path = std::env::current_exe()?;
    Ok(match path.exists() {
        true => path,
        false => PathBuf::from("/proc/self/exe"),
    })
}

/// Whether a variable reaches an agent whose settings have this list. An empty list allows all.
fn is_allowed(name: &str, allowed: &[String]) -> bool {
    const ALWAYS: [&str; 3] = ["HOME", "PATH", "LANG"];
    allowed.is_empty()
        || allowed.iter().any(|it| it == name)
        || ALWAYS.contains(&name)
        || name.starts_with("KUMITE_")
}

/// The person's own environment, without variables that would point git at another repository, and
/// with those that inform an agent about its work.
fn environment(known: &[(&str, String)]) -> Vec<(String, String)> {
    let inherited = kumite_agents::inherited()
        .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
        .filter(|(name, _)| {
            let is_tests = name.starts_with(crash::VARIABLES) || name == clock::VARIABLE;
            let is_known = KNOWN.contains(&name.as_str());
            !is_tests && !is_known
        });
    let known = known
        .iter()
        .map(|(name, value)| ((*name).to_owned(), value.clone()));
    inherited.chain(known).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn e1_5_only_the_variables_in_the_list_reach_an_agent_and_some_always_do() {
        let allowed = ["API_KEY".to_owned()];
        for name in ["API_KEY", "HOME", "PATH", "LANG", "KUMITE_SPEC"] {
            assert!(is_allowed(name, &allowed), "{name}");
        }
        for name in ["AWS_SECRET_ACCESS_KEY", "API_KEY_2", "LANGUAGE"] {
            assert!(!is_allowed(name, &allowed), "{name}");
            assert!(is_allowed(name, &[]), "{name}");
        }
    }
}
