//! How we were started, and the log for the tests.
//!
//! `launches.jsonl` is beside the play file (without one, in the cwd). Every launch appends one
//! line, and every normal end another, which has the key `ended`.

use std::collections::hash_map::DefaultHasher;
use std::fs::{File, OpenOptions};
use std::hash::{Hash, Hasher};
use std::io::{Read, Seek, Write};
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};
use std::{env, process};

use serde_json::{Value, json};

/// What kumite passed us in the environment and arguments.
pub struct Launch {
    pub spec: Option<String>,
    pub step: Option<String>,
    pub round: Option<u32>,
    pub run: Option<String>,
    pub agent: Option<String>,
    pub argv: Vec<String>,
    /// Its prompt: the text after `--`, or else all of stdin.
    pub prompt: String,
    pub cwd: PathBuf,
    pub resumed: Option<String>,
    pub session: String,
}

impl Launch {
    pub fn from_env() -> Launch {
        let argv: Vec<String> = env::args_os()
            .map(|arg| arg.to_string_lossy().into_owned())
            .collect();
        let agent = variable("KUMITE_AGENT");
        let resumed = option(&argv, "--resume");
        let session = resumed.clone().or_else(|| option(&argv, "--session-id"));
        Launch {
            spec: variable("KUMITE_SPEC"),
            step: variable("KUMITE_STEP"),
            round: variable("KUMITE_ROUND").and_then(|round| round.parse().ok()),
            run: variable("KUMITE_RUN"),
            session: session.unwrap_or_else(|| session_of(agent.as_deref())),
            cwd: env::current_dir().unwrap_or_default(),
            agent,
            prompt: prompt(&argv),
            argv,
            resumed,
        }
    }

    fn line(&self, key: Option<&str>) -> Value {
        json!({
            "spec": self.spec,
            "step": self.step,
            "round": self.round,
            "agent": self.agent,
            "run": self.run,
            "key": key,
            "pid": process::id(),
            "ppid": std::os::unix::process::parent_id(),
            "time": now_ms(),
            "resumed": self.resumed,
            "session": self.session,
            "cwd": self.cwd.to_string_lossy(),
            "argv": self.argv,
            "prompt": self.prompt,
            "git_env": git_variables(),
        })
    }
}

fn variable(name: &str) -> Option<String> {
    let value = env::var_os(name)?.to_string_lossy().into_owned();
    (!value.is_empty()).then_some(value)
}

fn prompt(argv: &[String]) -> String {
    if let Some(at) = argv.iter().position(|arg| arg == "--") {
        return argv[at + 1..].join(" ");
    }
    let mut bytes = Vec::new();
    // Without a stdin there is no prompt.
    let _ = std::io::stdin().read_to_end(&mut bytes);
    String::from_utf8_lossy(&bytes).into_owned()
}

/// The value of `--name VALUE` or `--name=VALUE`; the prompt follows `--`.
fn option(argv: &[String], name: &str) -> Option<String> {
    let mut args = argv.iter().skip(1).take_while(|arg| *arg != "--");
    while let Some(arg) = args.next() {
        if arg == name {
            return args.next().cloned();
        }
        if let Some(value) = arg
            .strip_prefix(name)
            .and_then(|rest| rest.strip_prefix('='))
        {
            return Some(value.to_owned());
        }
    }
    None
}

/// The same agent always gets the same session.
fn session_of(agent: Option<&str>) -> String {
    let mut hasher = DefaultHasher::new();
    agent.hash(&mut hasher);
    format!(
        "00000000-0000-4000-8000-{:012x}",
        hasher.finish() & 0xffff_ffff_ffff
    )
}

fn git_variables() -> Vec<String> {
    let mut names: Vec<String> = env::vars_os()
        .map(|(name, _)| name.to_string_lossy().into_owned())
        .filter(|name| name.starts_with("GIT_"))
        .collect();
    names.sort();
    names
}

pub fn now_ms() -> u64 {
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0, |time| time.as_millis() as u64)
}

pub struct Log {
    path: PathBuf,
}

impl Log {
    pub fn in_dir(dir: &Path) -> Log {
        Log {
            path: dir.join("launches.jsonl"),
        }
    }

    /// The file in which the children that we leave write their ids.
    pub fn children(&self) -> PathBuf {
        self.path.with_file_name("children.txt")
    }

    /// Logs this launch and returns where its line ends in the log.
    pub fn launched(&self, launch: &Launch, key: &str) -> Result<u64, String> {
        let end = self
            .append(&launch.line(Some(key)))
            .and_then(|mut file| file.stream_position());
        end.map_err(|error| self.trouble(&error))
    }

    /// How many launches under `key` came before the one whose line ends at `end`. Lines are only
    /// appended, so simultaneous launches get different numbers.
    pub fn launches_before(&self, end: u64, key: &str) -> Result<usize, String> {
        let read = || {
            let mut text = String::new();
            File::open(&self.path)?
                .take(end)
                .read_to_string(&mut text)?;
            Ok(text)
        };
        let text = read().map_err(|error| self.trouble(&error))?;
        let launches = text.lines().filter(|line| has_key(line, key)).count();
        Ok(launches.saturating_sub(1))
    }

    /// A launch with an invalid play is logged too.
    pub fn refused(&self, launch: &Launch, error: &str) {
        let mut line = launch.line(None);
        line["error"] = json!(error);
        if let Err(error) = self.append(&line) {
            eprintln!("fake-agent: {}", self.trouble(&error));
        }
    }

    pub fn ended(&self, launch: &Launch, exit: u8) -> Result<(), String> {
        let line = json!({
            "ended": launch.agent,
            "spec": launch.spec,
            "step": launch.step,
            "round": launch.round,
            "pid": process::id(),
            "time": now_ms(),
            "exit": exit,
        });
        self.append(&line)
            .map(drop)
            .map_err(|error| self.trouble(&error))
    }

    fn append(&self, line: &Value) -> std::io::Result<File> {
        append_line(&self.path, &line.to_string())
    }

    fn trouble(&self, error: &std::io::Error) -> String {
        format!("cannot log to {}: {error}", self.path.display())
    }
}

/// Appends with a single write, so that lines of several processes never mix.
pub fn append_line(path: &Path, line: &str) -> std::io::Result<File> {
    let mut file = OpenOptions::new().append(true).create(true).open(path)?;
    file.write_all(format!("{line}\n").as_bytes())?;
    Ok(file)
}

fn has_key(line: &str, key: &str) -> bool {
    serde_json::from_str::<Value>(line).is_ok_and(|line| line["key"] == key)
}
