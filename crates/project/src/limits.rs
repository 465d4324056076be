//! Which agent programs may not work for now. All kumite processes of a person on this machine
//! share this: one small file per program and account in the state directory.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use kumite_core::journal::LimitRules;
use kumite_formats::settings::{AgentKind, AgentSettings, ProgramKind, Settings, Span};
use serde::{Deserialize, Serialize};

use crate::clock::{now_ms, rfc3339};
use crate::fnv::fnv1a;
use kumite_files::{Access, Durable, replace};

/// Why other runs cannot be told about a limit.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("cannot write to {dir}")]
    Write { dir: PathBuf, source: io::Error },
    #[error("neither XDG_STATE_HOME nor HOME is an absolute path")]
    Homeless,
}

/// The limited account: a kind of program and the directory of its login. Two installations of one
/// program with the same login share its limit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Account {
    /// The name of the kind; for a command, which has no kind, the path of its program.
    pub program: PathBuf,
    pub dir: PathBuf,
}

/// A limit that is in force.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Held {
    #[serde(flatten)]
    pub account: Account,
    pub until_ms: u64,
    /// The same for people who read the file.
    pub until: String,
    /// In the program's own words.
    pub words: String,
    /// When it was noted, by the same clock.
    #[serde(default)]
    pub noted_ms: u64,
}

/// How far clocks may differ.
const SLACK_MS: u64 = 60 * 1000;

impl Account {
    pub fn of(agent: &AgentSettings) -> Account {
        Account::with(agent, &|name| std::env::var(name).ok())
    }

    fn with(agent: &AgentSettings, variable: &dyn Fn(&str) -> Option<String>) -> Account {
        let given = |name: &str| {
            let value = agent.env.get(name).cloned().or_else(|| variable(name));
            value.filter(|value| !value.is_empty()).map(PathBuf::from)
        };
        let home = || given("HOME").unwrap_or_default();
        let (program, dir) = match &agent.kind {
            AgentKind::Program { kind, .. } => {
                (PathBuf::from(kind.name()), account_dir(*kind, &given))
            }
            AgentKind::Acp { command } | AgentKind::Command { command, .. } => {
                let program = command.first().map_or("", String::as_str);
                (resolved(program, given("PATH")), home())
            }
            AgentKind::Scripted { .. } => (PathBuf::from("scripted"), home()),
        };
        let dir = dir.canonicalize().unwrap_or(dir);
        Account { program, dir }
    }

    /// A version before 0.2 made the name from the path of the program: nobody reads those files.
    fn file_name(&self) -> String {
        let name = self.program.file_stem().unwrap_or_default();
        let name: String = name.to_string_lossy().chars().take(32).collect();
        let key = format!("{}\0{}", self.program.display(), self.dir.display());
        format!("{name}-{:016x}.json", fnv1a(key.as_bytes()))
    }
}

/// Where a program keeps its login. We never read it. `given` looks up a variable.
pub fn account_dir(kind: ProgramKind, given: &dyn Fn(&str) -> Option<PathBuf>) -> PathBuf {
    let account = &kind.info().account;
    let home = || given("HOME").unwrap_or_default();
    let parent = given(account.variable).unwrap_or_else(|| home().join(account.home));
    // Without this, an empty name would add a slash, and the result would be another account.
    parent.join(account.folder).components().collect()
}

/// Two names of one program count as one program.
fn resolved(program: &str, path: Option<PathBuf>) -> PathBuf {
    let found = match program.contains('/') {
        true => Some(PathBuf::from(program)),
        false => path.and_then(|path| {
            let mut places = std::env::split_paths(&path).map(|dir| dir.join(program));
            places.find(|place| place.is_file())
        }),
    };
    let found = found.unwrap_or_else(|| PathBuf::from(program));
    found.canonicalize().unwrap_or(found)
}

/// `$XDG_STATE_HOME/kumite/limits`. A relative path there does not count (XDG Base Directory);
/// without a home there is no such directory, and nothing is shared.
fn directory(variable: &dyn Fn(&str) -> Option<OsString>) -> Result<PathBuf, Error> {
    let absolute = |name| {
        variable(name)
            .map(PathBuf::from)
            .filter(|it| it.is_absolute())
    };
    let state = absolute("XDG_STATE_HOME")
        .or_else(|| absolute("HOME").map(|home| home.join(".local/state")))
        .ok_or(Error::Homeless)?;
    Ok(state.join("kumite/limits"))
}

fn shared() -> Result<PathBuf, Error> {
    directory(&|name| std::env::var_os(name))
}

/// The current limit of this account. An invalid file limits nobody.
pub fn held(account: &Account) -> Option<Held> {
    let held = read(account, &shared().ok()?)?;
    (held.until_ms > now_ms()).then_some(held)
}

fn read(account: &Account, dir: &Path) -> Option<Held> {
    let bytes = fs::read(dir.join(account.file_name())).ok()?;
    let held: Held = serde_json::from_slice(&bytes).ok()?;
    // A note from the future was made by a clock that ran ahead: its end is wrong too.
    let is_sound = held.noted_ms <= now_ms().saturating_add(SLACK_MS);
    (held.account == *account && is_sound).then_some(held)
}

/// Tells all processes about a limit.
pub fn note(account: &Account, until_ms: u64, words: &str) -> Result<(), Error> {
    let dir = shared()?;
    note_in(&dir, account, until_ms, words).map_err(|source| Error::Write { dir, source })
}

/// Several processes may do this at the same time, with different ends: the latest one holds.
fn note_in(dir: &Path, account: &Account, until_ms: u64, words: &str) -> io::Result<()> {
    fs::create_dir_all(dir)?;
    let lock = File::create(dir.join("lock"))?;
    lock.lock()?;
    if read(account, dir).is_some_and(|noted| noted.until_ms >= until_ms) {
        return Ok(());
    }
    let held = Held {
        account: account.clone(),
        until_ms,
        until: rfc3339(until_ms),
        words: words.to_owned(),
        noted_ms: now_ms(),
    };
    let text = serde_json::to_string_pretty(&held).map_err(io::Error::other)? + "\n";
    let file = dir.join(account.file_name());
    replace(&file, text.as_bytes(), Durable::Process, Access::Private)
}

/// A person does not want to wait: the next agent will show whether the limit is over.
pub fn forget(account: &Account) {
    if let Ok(dir) = shared() {
        let _ = fs::remove_file(dir.join(account.file_name()));
    }
}

/// The current limits of all agents in these settings, by the agents' names.
pub fn all_held(agents: &BTreeMap<String, AgentSettings>) -> Vec<(String, Held)> {
    let held = agents
        .iter()
        .filter_map(|(name, agent)| Some((name.clone(), held(&Account::of(agent))?)));
    held.collect()
}

/// The rules for waiting.
pub fn rules(settings: &Settings) -> LimitRules {
    let ms = |span: Span| u64::try_from(span.duration().as_millis()).unwrap_or(u64::MAX);
    LimitRules {
        wait: settings.limit.wait,
        min_ms: ms(settings.limit.min_wait),
        max_ms: ms(settings.limit.max_wait),
        jitter_ms: ms(settings.limit.jitter),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn program(kind: ProgramKind, program: &str, env: &[(&str, &str)]) -> AgentSettings {
        AgentSettings {
            kind: AgentKind::Program {
                kind,
                program: program.to_owned(),
                args: Vec::new(),
                model: String::new(),
                permission_mode: String::new(),
            },
            env: env
                .iter()
                .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
                .collect(),
            env_allow: Vec::new(),
        }
    }

    fn of(agent: &AgentSettings) -> Account {
        Account::with(agent, &|name| {
            (name == "HOME").then(|| "/home/me".to_owned())
        })
    }

    #[test]
    fn t1_an_account_is_where_the_program_keeps_its_login() {
        let rows = [
            (ProgramKind::Claude, &[][..], "/home/me/.claude"),
            (
                ProgramKind::Claude,
                &[("CLAUDE_CONFIG_DIR", "/work")],
                "/work",
            ),
            (ProgramKind::Codex, &[], "/home/me/.codex"),
            (ProgramKind::Codex, &[("CODEX_HOME", "/work")], "/work"),
            (ProgramKind::Gemini, &[], "/home/me/.gemini"),
            (
                ProgramKind::Gemini,
                &[("GEMINI_CLI_HOME", "/w")],
                "/w/.gemini",
            ),
            (ProgramKind::Opencode, &[], "/home/me/.local/share/opencode"),
        ];
        for (kind, env, dir) in rows {
            assert_eq!(of(&program(kind, "x", env)).dir, Path::new(dir), "{kind:?}");
        }
    }

    fn with(program_path: &str, env: &[(&str, &str)]) -> Account {
        of(&program(ProgramKind::Claude, program_path, env))
    }

    #[test]
    fn t1_two_installations_with_one_login_share_its_limit() {
        assert_eq!(with("/usr/bin/claude", &[]), with("claude-next", &[]));
        let elsewhere = [("CLAUDE_CONFIG_DIR", "/x")];
        let one = with("claude", &[]).file_name();
        assert_ne!(one, with("claude", &elsewhere).file_name());
        let other_kind = of(&program(
            ProgramKind::Codex,
            "claude",
            &[("CODEX_HOME", "/x")],
        ));
        assert_ne!(
            with("claude", &elsewhere).file_name(),
            other_kind.file_name()
        );
    }

    #[test]
    fn t1_two_names_of_one_login_are_one_account() {
        let dir = tempfile::tempdir().unwrap();
        let (real, link) = (dir.path().join("real"), dir.path().join("link"));
        fs::create_dir(&real).unwrap();
        std::os::unix::fs::symlink(&real, &link).unwrap();
        let [real, link] = [real, link].map(|dir| {
            let dir = dir.display().to_string();
            with("claude", &[("CLAUDE_CONFIG_DIR", dir.as_str())])
        });
        assert_eq!(real, link);
    }

    #[test]
    fn t1_of_two_notes_the_later_reset_holds() {
        let dir = tempfile::tempdir().unwrap();
        let account = with("claude", &[]);
        for (until_ms, holds_ms) in [(5_000, 5_000), (3_000, 5_000), (9_000, 9_000)] {
            note_in(dir.path(), &account, until_ms, "enough").unwrap();
            assert_eq!(read(&account, dir.path()).unwrap().until_ms, holds_ms);
        }
    }

    #[test]
    fn t1_a_relative_state_directory_does_not_count_and_no_home_is_said() {
        let given = |state: &'static str, home: &'static str| {
            directory(&|name| match name {
                "XDG_STATE_HOME" => Some(state.into()),
                "HOME" => Some(home.into()),
                _ => None,
            })
        };
        let rows = [
            ("/s", "/h", "/s/kumite/limits"),
            ("s", "/h", "/h/.local/state/kumite/limits"),
            ("", "/h", "/h/.local/state/kumite/limits"),
        ];
        for (state, home, dir) in rows {
            assert_eq!(given(state, home).unwrap(), Path::new(dir));
        }
        assert!(given("s", "").unwrap_err().to_string().contains("HOME"));
    }

    #[test]
    fn t1_the_directory_that_cannot_be_written_is_named() {
        let source = io::Error::from(io::ErrorKind::PermissionDenied);
        let dir = PathBuf::from("/h/limits");
        assert_eq!(
            Error::Write { dir, source }.to_string(),
            "cannot write to /h/limits"
        );
    }
}
