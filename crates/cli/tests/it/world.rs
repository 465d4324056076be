//! A project in a temporary directory, kumite in it, and the fake agent in place of Claude Code.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Output, Stdio};
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tempfile::TempDir;

/// How long anything may take before a test gives up. Nothing waits that long when all is well.
pub const PATIENCE: Duration = Duration::from_secs(60);

pub struct World {
    dir: TempDir,
    pub env: Vec<(String, String)>,
    /// A program with arguments that starts kumite, if it is not started directly.
    pub wrapper: Vec<String>,
}

/// What a finished kumite left.
#[derive(Debug)]
pub struct Out {
    pub code: i32,
    pub stdout: String,
    pub stderr: String,
}

/// A running kumite. It is killed with the test.
pub struct Running {
    child: Option<Child>,
}

impl World {
    /// A project whose agent is the fake one, with short timeouts.
    pub fn new() -> World {
        let world = World {
            dir: TempDir::new().unwrap(),
            env: Vec::new(),
            wrapper: Vec::new(),
        };
        fs::create_dir_all(world.path(".kiro/specs")).unwrap();
        world.settings("");
        world
    }

    /// Settings in addition to the fake agent's.
    pub fn settings(&self, more: &str) {
        let agent = fake_agent().display().to_string();
        let text = format!("{more}\n[agents.claude]\nprogram = {agent:?}\n");
        self.write(".kiro/kumite.toml", &text);
    }

    pub fn root(&self) -> &Path {
        self.dir.path()
    }

    pub fn path(&self, path: &str) -> PathBuf {
        self.dir.path().join(path)
    }

    pub fn write(&self, path: &str, text: &str) {
        let path = self.path(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    pub fn read(&self, path: &str) -> String {
        let path = self.path(path);
        fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
    }

    /// A spec at its very beginning, with all phases permitted but deploy.
    pub fn spec(&self, name: &str) {
        self.spec_with(name, json!({}));
    }

    /// The same, changed by a JSON merge patch.
    pub fn spec_with(&self, name: &str, patch: Value) {
        let mut spec = json!({
            "feature_name": name,
            "created_at": "2026-01-01T00:00:00Z",
            "updated_at": "2026-01-01T00:00:00Z",
            "language": "en",
            "phase": "initialized",
            "approvals": {
                "requirements": {"generated": false, "approved": false},
                "design": {"generated": false, "approved": false},
                "tasks": {"generated": false, "approved": false}
            },
            "autoExecution": {"enabled": true, "permissions": permissions("requirements design tasks document-review impl inspection")}
        });
        merge(&mut spec, &patch);
        let text = serde_json::to_string_pretty(&spec).unwrap();
        self.write(&format!(".kiro/specs/{name}/spec.json"), &text);
    }

    /// A spec whose documents are written and approved: the review is next.
    pub fn spec_with_documents(&self, name: &str) {
        self.spec_with(
            name,
            json!({"phase": "tasks-generated", "approvals": {
                "requirements": {"generated": true, "approved": true},
                "design": {"generated": true, "approved": true},
                "tasks": {"generated": true, "approved": true}}}),
        );
        for (file, text) in [
            ("requirements.md", "# Requirements\n\n1.1 It works.\n"),
            ("design.md", "# Design\n\nSimple.\n"),
            (
                "tasks.md",
                "# Tasks\n\n- [ ] 1. First\n- [ ] 2. Second\n- [ ] 3. Third\n",
            ),
        ] {
            self.write(&format!(".kiro/specs/{name}/{file}"), text);
        }
    }

    /// The same with the review approved: impl is next.
    pub fn spec_ready_for_impl(&self, name: &str) {
        self.spec_with_documents(name);
        self.patch(name, json!({"documentReview": {"status": "approved"}}));
    }

    /// Changes spec.json as a person would.
    pub fn patch(&self, name: &str, patch: Value) {
        let mut spec = self.spec_json(name);
        merge(&mut spec, &patch);
        let text = serde_json::to_string_pretty(&spec).unwrap();
        self.write(&format!(".kiro/specs/{name}/spec.json"), &text);
    }

    /// What the fake agent does; see `crates/fake-agent/src/play.rs`.
    pub fn play(&self, play: Value) {
        self.write("play.json", &play.to_string());
    }

    /// kumite in this project, not started yet.
    pub fn command(&self, args: &[&str]) -> Command {
        let binary = env!("CARGO_BIN_EXE_kumite").to_owned();
        let words: Vec<&String> = self.wrapper.iter().chain([&binary]).collect();
        let mut command = Command::new(words[0]);
        command
            .args(&words[1..])
            .args(args)
            .current_dir(self.root())
            .env("XDG_CONFIG_HOME", self.path("no-config"))
            .env("XDG_STATE_HOME", self.path("state"))
            .env("NO_COLOR", "1")
            .env_remove("DBUS_SESSION_BUS_ADDRESS")
            .envs(self.env.iter().map(|(name, value)| (name, value)));
        command
    }

    /// Runs kumite to its end.
    pub fn kumite(&self, args: &[&str]) -> Out {
        let running = self.start(args);
        running.wait()
    }

    /// Starts kumite and leaves it running.
    pub fn start(&self, args: &[&str]) -> Running {
        let child = self
            .command(args)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        Running { child: Some(child) }
    }

    pub fn spec_json(&self, name: &str) -> Value {
        serde_json::from_str(&self.read(&format!(".kiro/specs/{name}/spec.json"))).unwrap()
    }

    /// `kumite status <spec> --json`.
    pub fn status(&self, name: &str) -> Value {
        let out = self.kumite(&["status", name, "--json"]);
        assert_eq!(out.code, 0, "{out:?}");
        serde_json::from_str(&out.stdout).unwrap()
    }

    /// The lines of events.jsonl.
    pub fn events(&self, name: &str) -> Vec<Value> {
        lines(&self.read(&format!(".kiro/specs/{name}/events.jsonl")))
    }

    /// Every process with the mark of one of this project's agents.
    pub fn agent_processes(&self) -> Vec<u32> {
        let marker = format!("KUMITE_PROJECT={}", self.root().display());
        let pids = fs::read_dir("/proc").unwrap().flatten();
        pids.filter_map(|entry| entry.file_name().to_str()?.parse().ok())
            .filter(|pid: &u32| {
                let environ = fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
                let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
                let is_zombie = stat
                    .rsplit(") ")
                    .next()
                    .is_some_and(|rest| rest.starts_with('Z'));
                !is_zombie
                    && environ
                        .split(|byte| *byte == 0)
                        .any(|it| it == marker.as_bytes())
            })
            .collect()
    }

    /// No agent, and nothing that an agent started, is left.
    pub fn assert_nothing_left(&self) {
        until("all agent processes to be gone", || {
            self.agent_processes().is_empty()
        });
    }
}

impl Drop for World {
    /// A failed test leaves nothing behind either.
    fn drop(&mut self) {
        for pid in self.agent_processes() {
            kill(pid, "KILL");
        }
    }
}

impl Running {
    pub fn pid(&self) -> u32 {
        self.child.as_ref().unwrap().id()
    }

    pub fn signal(&self, signal: &str) {
        kill(self.pid(), signal);
    }

    pub fn is_running(&mut self) -> bool {
        self.child.as_mut().unwrap().try_wait().unwrap().is_none()
    }

    pub fn wait(mut self) -> Out {
        let child = self.child.take().unwrap();
        let pid = child.id();
        let (done, timer) = std::sync::mpsc::channel::<()>();
        let watchdog = std::thread::spawn(move || {
            if timer.recv_timeout(PATIENCE).is_err() {
                kill(pid, "KILL");
                return true;
            }
            false
        });
        let output = child.wait_with_output().unwrap();
        let _ = done.send(());
        let out = Out::of(output);
        assert!(!watchdog.join().unwrap(), "kumite did not end: {out:?}");
        out
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if let Some(mut child) = self.child.take() {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

impl Out {
    /// `kumite doctor` has found nothing. What it may promise depends on the machine.
    pub fn is_well(&self) -> bool {
        let words = ["all is well", "nothing that can be recognised is left"];
        words.iter().any(|words| self.stdout.contains(words))
    }

    fn of(output: Output) -> Out {
        Out {
            code: code(output.status),
            stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }

    /// The lines of `--json`.
    pub fn json(&self) -> Vec<Value> {
        lines(&self.stdout)
    }

    /// The notices of one type.
    pub fn notices(&self, kind: &str) -> Vec<Value> {
        let all = self.json().into_iter();
        all.filter(|line| line["type"] == kind).collect()
    }

    #[track_caller]
    pub fn assert_code(&self, code: i32) -> &Out {
        assert_eq!(self.code, code, "{self:#?}");
        self
    }
}

fn code(status: ExitStatus) -> i32 {
    use std::os::unix::process::ExitStatusExt;
    status
        .code()
        .unwrap_or_else(|| 128 + status.signal().unwrap_or(0))
}

/// `permissions("requirements impl")`: these and no others.
pub fn permissions(allowed: &str) -> Value {
    let allowed: Vec<&str> = allowed.split_whitespace().collect();
    let phases = [
        "requirements",
        "design",
        "tasks",
        "document-review",
        "impl",
        "inspection",
        "deploy",
    ];
    let each = phases.map(|phase| (phase.to_owned(), json!(allowed.contains(&phase))));
    Value::Object(each.into_iter().collect())
}

/// Polls until it is true. Tests never sleep for a fixed time.
#[track_caller]
pub fn until(what: &str, is_so: impl FnMut() -> bool) {
    until_within(PATIENCE, what, is_so);
}

/// The same, for things that take longer.
#[track_caller]
pub fn until_within(patience: Duration, what: &str, mut is_so: impl FnMut() -> bool) {
    let deadline = Instant::now() + patience;
    while !is_so() {
        assert!(Instant::now() < deadline, "waited too long for {what}");
        std::thread::park_timeout(Duration::from_millis(5));
    }
}

pub fn kill(pid: u32, signal: &str) {
    let _ = Command::new("kill")
        .args([&format!("-{signal}"), &pid.to_string()])
        .stderr(Stdio::null())
        .status();
}

pub fn is_alive(pid: u32) -> bool {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    let state = stat.rsplit(") ").next().unwrap_or_default();
    !stat.is_empty() && !state.starts_with('Z')
}

pub fn lines(text: &str) -> Vec<Value> {
    let lines = text.lines().map(|line| {
        serde_json::from_str(line).unwrap_or_else(|error| panic!("not JSON: {error}: {line}"))
    });
    lines.collect()
}

pub fn text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

fn merge(target: &mut Value, patch: &Value) {
    match (target, patch) {
        (Value::Object(target), Value::Object(patch)) => {
            for (key, value) in patch {
                match value {
                    Value::Null => {
                        target.remove(key);
                    }
                    _ => merge(target.entry(key.clone()).or_insert(Value::Null), value),
                }
            }
        }
        (target, patch) => *target = patch.clone(),
    }
}

/// The fake agent, built once if the test run has not built it.
pub fn fake_agent() -> &'static Path {
    static PATH: OnceLock<PathBuf> = OnceLock::new();
    PATH.get_or_init(|| {
        let path = Path::new(env!("CARGO_BIN_EXE_kumite")).with_file_name("fake-agent");
        if !path.exists() {
            let built = Command::new(env!("CARGO"))
                .args(["build", "--quiet", "--package", "kumite-fake-agent"])
                .status();
            assert!(
                built.is_ok_and(|status| status.success()),
                "cannot build the fake agent"
            );
        }
        path
    })
}
