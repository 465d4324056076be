//! What can be known about a program without its model: whether it is installed, its version, and
//! whether it is logged in. Credentials are never read.

use std::ffi::OsStr;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::time::Duration;

use kumite_agents::{Program, find_program, run_to_end};
use kumite_project::limits::account_dir;

use crate::agent::{Agent, Kind};

/// How long a program may take to answer.
const PATIENCE: Duration = Duration::from_secs(30);
/// More than any version or login needs.
const OUTPUT_MAX: usize = 64 << 10;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Probe {
    /// The path of the program; `None` if it is not installed.
    pub path: Option<PathBuf>,
    pub version: Option<String>,
    pub login: Login,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Login {
    Yes,
    No,
    Unknown,
}

/// Asks the program itself. Paths in the settings are relative to `project`.
pub fn probe(agent: &Agent, project: &Path) -> Probe {
    let world = World::new(agent);
    let Some(path) = find_program(agent.program(), project, world.variable("PATH").as_deref())
    else {
        return Probe {
            path: None,
            version: None,
            login: Login::Unknown,
        };
    };
    let version = match agent.kind {
        Kind::Program(_) => {
            let answer = world.ask(&path, &["--version"]);
            answer.and_then(|answer| version_in(&answer.text))
        }
        Kind::Acp | Kind::Command => None,
    };
    let login = login(agent.kind, &path, &world);
    Probe {
        path: Some(path),
        version,
        login,
    }
}

fn login(kind: Kind, path: &Path, world: &World) -> Login {
    let Kind::Program(program) = kind else {
        return Login::Unknown;
    };
    let known = |yes: bool| if yes { Login::Yes } else { Login::No };
    let signs = &program.info().signs;
    if signs
        .variables
        .iter()
        .any(|name| world.variable(name).is_some())
    {
        return Login::Yes;
    }
    if !signs.ask.is_empty() {
        let answer = world.ask(path, signs.ask);
        return answer.map_or(Login::Unknown, |answer| known(answer.good));
    }
    let account = account_dir(program, &|name| world.variable(name).map(PathBuf::from));
    match account.join(signs.file).exists() {
        true => Login::Yes,
        false if signs.is_needed => Login::No,
        false => Login::Unknown,
    }
}

/// The first word that begins with a digit: "codex-cli 0.166.0", "2.1.325 (Claude Code)".
fn version_in(text: &str) -> Option<String> {
    let word = text.split_whitespace().find(|word| {
        let word = word.trim_start_matches('v');
        word.starts_with(|letter: char| letter.is_ascii_digit()) && word.contains('.')
    })?;
    Some(word.trim_start_matches('v').to_owned())
}

struct Answer {
    good: bool,
    text: String,
}

/// The environment in which the agent would run.
struct World {
    env: Vec<(String, String)>,
}

impl World {
    fn new(agent: &Agent) -> World {
        World {
            env: agent.env().collect(),
        }
    }

    fn variable(&self, name: &str) -> Option<String> {
        let own = self.env.iter().find(|(known, _)| known == name);
        let value = own.map(|(_, value)| value.clone());
        let value = value.or_else(|| std::env::var(name).ok());
        value.filter(|value| !value.is_empty())
    }

    /// Its output, unless it takes too long.
    fn ask(&self, program: &Path, args: &[&str]) -> Option<Answer> {
        let args = args.iter().map(OsStr::new);
        let argv: Vec<&OsStr> = [program.as_os_str()].into_iter().chain(args).collect();
        let env = self.env.iter();
        let output = run_to_end(Program {
            argv: &argv,
            dir: Path::new("."),
            env: env
                .map(|(name, value)| (name.as_str(), value.into()))
                .collect(),
            stdin: File::open("/dev/null").ok()?,
            stdout: None,
            output_max: OUTPUT_MAX,
            owner: "probe",
            timeout: PATIENCE,
            is_cancelled: &|| false,
        });
        let output = output.ok()?;
        Some(Answer {
            good: output.status.success(),
            text: String::from_utf8_lossy(&output.stdout).into_owned(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_that_leaves_a_child_with_its_output_is_not_waited_for() {
        let world = World { env: Vec::new() };
        let shell = Path::new("/bin/sh");
        let left = "echo 1.2.3; sleep 600 & setsid sleep 600 & exit 0";
        let answer = world.ask(shell, &["-c", left]).unwrap();
        assert!(answer.good);
        assert_eq!(answer.text, "1.2.3\n");
        let flood = world.ask(shell, &["-c", "yes | head -n 1000000"]).unwrap();
        assert!(flood.good);
        assert_eq!(flood.text.len(), OUTPUT_MAX);
    }

    #[test]
    fn a_version_is_found_among_other_words() {
        let rows = [
            ("2.1.325 (Claude Code)\n", Some("2.1.325")),
            ("codex-cli 0.166.0", Some("0.166.0")),
            ("v1.18.33", Some("1.18.33")),
            ("no version", None),
        ];
        for (text, version) in rows {
            assert_eq!(version_in(text).as_deref(), version, "{text}");
        }
    }
}
