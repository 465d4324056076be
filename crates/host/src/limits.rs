//! Which agent programs may not work for now. All kumite processes of a person on this machine
//! share this: one small file per program and account in the state directory.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use kumite_core::journal::LimitRules;
use kumite_formats::settings::{AgentKind, AgentSettings, ProgramKind, Settings, Span};
use serde::{Deserialize, Serialize};

use crate::clock::{now_ms, rfc3339};

/// Whose usage is limited: a program and the directory where it keeps its login.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Account {
    pub program: PathBuf,
    pub dir: PathBuf,
}

/// A limit that holds.
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
        let home = given("HOME").unwrap_or_default();
        let (program, dir) = match &agent.kind {
            AgentKind::Program { kind, program, .. } => {
                (program.as_str(), account_dir(*kind, &given, &home))
            }
            AgentKind::Acp { command } | AgentKind::Command { command, .. } => {
                (command.first().map_or("", String::as_str), home)
            }
            AgentKind::Scripted { .. } => ("scripted", home),
        };
        Account {
            program: resolved(program, given("PATH")),
            dir,
        }
    }

    fn file(&self) -> Option<PathBuf> {
        let name = self.program.file_stem().unwrap_or_default();
        let name: String = name.to_string_lossy().chars().take(32).collect();
        let key = format!("{}\0{}", self.program.display(), self.dir.display());
        Some(directory()?.join(format!("{name}-{:016x}.json", fnv1a(key.as_bytes()))))
    }
}

/// Where a program keeps its login. Nobody looks into it.
fn account_dir(kind: ProgramKind, given: &dyn Fn(&str) -> Option<PathBuf>, home: &Path) -> PathBuf {
    match kind {
        ProgramKind::Claude => given("CLAUDE_CONFIG_DIR").unwrap_or_else(|| home.join(".claude")),
        ProgramKind::Codex => given("CODEX_HOME").unwrap_or_else(|| home.join(".codex")),
        ProgramKind::Gemini => given("GEMINI_CLI_HOME")
            .unwrap_or_else(|| home.to_owned())
            .join(".gemini"),
        ProgramKind::Opencode => given("XDG_DATA_HOME")
            .unwrap_or_else(|| home.join(".local/share"))
            .join("opencode"),
    }
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

/// `$XDG_STATE_HOME/kumite/limits`; without a home there is none, and nothing is shared.
fn directory() -> Option<PathBuf> {
    let dir = |name| std::env::var_os(name).filter(|value| !value.is_empty());
    let state = dir("XDG_STATE_HOME")
        .map(PathBuf::from)
        .or_else(|| dir("HOME").map(|home| PathBuf::from(home).join(".local/state")))?;
    Some(state.join("kumite/limits"))
}

/// The limit that holds for this account now. A file that makes no sense limits nobody.
pub fn held(account: &Account) -> Option<Held> {
    let held: Held = serde_json::from_slice(&fs::read(account.file()?).ok()?).ok()?;
    let now_ms = now_ms();
    // What was noted in the future was noted by a clock that ran ahead: its end is wrong, too.
    let is_sound = held.noted_ms <= now_ms.saturating_add(SLACK_MS);
    (held.account == *account && held.until_ms > now_ms && is_sound).then_some(held)
}

/// Lets everybody know.
pub fn note(account: &Account, until_ms: u64, words: &str) -> io::Result<()> {
    let Some(file) = account.file() else {
        return Ok(());
    };
    if let Some(dir) = file.parent() {
        fs::create_dir_all(dir)?;
    }
    let held = Held {
        account: account.clone(),
        until_ms,
        until: rfc3339(until_ms),
        words: words.to_owned(),
        noted_ms: now_ms(),
    };
    let text = serde_json::to_string_pretty(&held).map_err(io::Error::other)?;
    // Several processes may do this at once: each writes its own file, the last one stays.
    let temporary = file.with_extension(format!("{}.tmp", std::process::id()));
    let written = fs::write(&temporary, text + "\n").and_then(|()| fs::rename(&temporary, &file));
    if written.is_err() {
        let _ = fs::remove_file(&temporary);
    }
    written
}

/// Somebody does not want to wait: the next agent will show whether it is over.
pub fn forget(account: &Account) {
    if let Some(file) = account.file() {
        let _ = fs::remove_file(file);
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

/// A name for a file: the same in every version and on every machine.
fn fnv1a(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)
    })
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

    #[test]
    fn t1_two_programs_and_two_accounts_are_told_apart() {
        let one = of(&program(ProgramKind::Claude, "/bin/a", &[]));
        let other = of(&program(ProgramKind::Claude, "/bin/b", &[]));
        let another = of(&program(
            ProgramKind::Claude,
            "/bin/a",
            &[("CLAUDE_CONFIG_DIR", "/x")],
        ));
        let files = [one, other, another].map(|account| account.file().unwrap());
        assert!(files[0] != files[1] && files[0] != files[2] && files[1] != files[2]);
    }
}
