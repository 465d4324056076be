//! A project with the fake agent in it.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};
use tempfile::TempDir;
/// A project with one spec, `login`.
pub struct Stage {
    pub dir: TempDir,
}

impl Stage {
    pub fn new() -> Stage {
        let stage = Stage {
            dir: tempfile::tempdir().unwrap(),
        };
        // An empty play, so that no play above the temporary directory is used.
        stage.play(json!({}));
        stage.write(
            "spec.json",
            r#"{"zebra": 1, "phase": "tasks-generated", "documentReview": {"roundDetails": [{"roundNumber": 1, "mine": true}]}, "apple": {"b": 1, "a": 2}}"#,
        );
        stage
    }

    pub fn play(&self, play: Value) {
        fs::write(self.path("play.json"), play.to_string()).unwrap();
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    pub fn spec_path(&self, name: &str) -> PathBuf {
        self.path(".kiro/specs/login").join(name)
    }

    pub fn write(&self, name: &str, text: &str) {
        fs::create_dir_all(self.spec_path("")).unwrap();
        fs::write(self.spec_path(name), text).unwrap();
    }

    pub fn read(&self, name: &str) -> String {
        fs::read_to_string(self.spec_path(name)).unwrap()
    }

    pub fn spec_json(&self) -> Value {
        serde_json::from_str(&self.read("spec.json")).unwrap()
    }

    pub fn log(&self) -> Vec<Value> {
        let text = fs::read_to_string(self.path("launches.jsonl")).unwrap_or_default();
        text.lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect()
    }

    pub fn wait_for(&self, name: &str) {
        wait_until(|| self.path(name).exists());
    }

    pub fn command(&self, step: &str, round: u32) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_fake-agent"));
        command
            .current_dir(self.dir.path())
            .env_clear()
            .env("KUMITE_SPEC", "login")
            .env("KUMITE_STEP", step)
            .env("KUMITE_ROUND", round.to_string())
            .env("KUMITE_RUN", "run-1")
            .env("KUMITE_AGENT", "agent-7");
        command
    }

    pub fn run(&self, step: &str, round: u32) -> End {
        self.finish(self.command(step, round))
    }

    pub fn start(&self, step: &str, round: u32) -> Agent {
        Agent::start(self.command(step, round))
    }

    pub fn finish(&self, command: Command) -> End {
        Agent::start(command).finish()
    }
}

/// A running agent. Its output goes to files, because children that it leaves may keep them open.
pub struct Agent {
    pub child: Child,
    pub out: TempDir,
}

impl Agent {
    pub fn start(mut command: Command) -> Agent {
        let out = tempfile::tempdir().unwrap();
        let create = |name| File::create(out.path().join(name)).unwrap();
        let child = command
            .stdout(create("out"))
            .stderr(create("err"))
            .spawn()
            .unwrap();
        Agent { child, out }
    }

    pub fn pid(&self) -> Pid {
        Pid::from_child(&self.child)
    }

    pub fn signal(&self, signal: Signal) {
        kill_process(self.pid(), signal).unwrap();
    }

    pub fn stdout(&self) -> String {
        fs::read_to_string(self.out.path().join("out")).unwrap()
    }

    pub fn kill(self) {
        self.signal(Signal::KILL);
        self.finish();
    }

    pub fn finish(mut self) -> End {
        let status = self.child.wait().unwrap();
        let read = |name: &str| read_bytes(&self.out.path().join(name));
        End {
            status,
            stdout: read("out"),
            stderr: String::from_utf8(read("err")).unwrap(),
        }
    }
}

pub struct End {
    pub status: ExitStatus,
    pub stdout: Vec<u8>,
    pub stderr: String,
}

impl End {
    pub fn text(&self) -> &str {
        str::from_utf8(&self.stdout).unwrap()
    }

    /// Every complete line.
    pub fn lines(&self) -> Vec<Value> {
        let whole = self
            .text()
            .split_inclusive('\n')
            .filter(|line| line.ends_with('\n'));
        whole
            .map(|line| serde_json::from_str(line).unwrap())
            .collect()
    }

    pub fn results(&self) -> Vec<Value> {
        self.lines()
            .into_iter()
            .filter(|line| line["type"] == "result")
            .collect()
    }
}

pub fn read_bytes(path: &Path) -> Vec<u8> {
    fs::read(path).unwrap()
}

pub fn wait_until(done: impl Fn() -> bool) {
    let start = Instant::now();
    while !done() {
        assert!(
            start.elapsed() < Duration::from_secs(20),
            "it never happened"
        );
        thread::sleep(Duration::from_millis(2));
    }
}
